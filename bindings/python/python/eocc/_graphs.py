"""NetworkX graphs, without importing NetworkX: it need not be installed."""

from collections.abc import Iterable
from typing import Any


def is_graph(value: Any) -> bool:
    """Whether it is a NetworkX graph, or has the same interface."""
    return all(hasattr(value, name) for name in ("is_directed", "nodes", "edges", "adj"))


Parts = tuple[str, bool, list[tuple[str, dict[str, Any]]], list[tuple[int, int, dict[str, Any]]]]


def read(graphs: Iterable[Any]) -> list[Parts]:
    """Name, direction, vertices and edges of each graph, with attributes that are booleans, numbers, texts and lists
    of numbers."""
    return [_parts(i, graph) for i, graph in enumerate(graphs)]


def _parts(i: int, graph: Any) -> Parts:
    if not is_graph(graph):
        raise ValueError(f"X must hold NetworkX graphs only, but X[{i}] is of type {type(graph).__name__}")
    place = {node: at for at, node in enumerate(graph.nodes)}
    vertices = [(str(node), dict(own)) for node, own in graph.nodes(data=True)]
    edges = [(place[a], place[b], dict(own)) for a, b, own in graph.edges(data=True)]
    return str(graph.graph.get("name") or i), bool(graph.is_directed()), vertices, edges
