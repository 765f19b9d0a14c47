"""Exact graph edit distances of 100 small pairs by NetworkX, for crates/eocc-core/tests/all/edit_distance.rs.

NetworkX 3.6 does not always find the minimum (networkx/networkx issue 8099). Each distance is therefore checked by
trying all maps of vertices; pairs on which NetworkX is right are stored as `pairs`, the others as `missed`.

Run: python scripts/golden/graph_edit.py > testdata/golden/graph_edit.json
Needs: networkx, numpy, scipy (versions are recorded in the file).
"""

import itertools
import json
import math
import platform
import random

import networkx as nx
import numpy
import scipy

SEED = 20


def graph(generator, kind, directed):
    n = generator.randint(0, 5)
    g = nx.DiGraph() if directed else nx.Graph()
    for v in range(n):
        if kind == "letter":
            g.add_node(v, x=round(generator.uniform(0, 3), 3), y=round(generator.uniform(0, 3), 3))
        else:
            g.add_node(v, chem=generator.randint(1, 3))
    for u in range(n):
        for v in range(n) if directed else range(u + 1, n):
            if u != v and generator.random() < (0.3 if directed else 0.5):
                g.add_edge(u, v, **({"valence": generator.randint(1, 2)} if kind == "aids" else {}))
    return g


def costs(kind):
    if kind == "letter":
        node = lambda p, q: 0.75 * math.hypot(p["x"] - q["x"], p["y"] - q["y"])
        return node, 0.675, lambda p, q: 0.0, 0.425
    node = lambda p, q: 0.0 if p["chem"] == q["chem"] else 5.5
    return node, 2.75, lambda p, q: 0.0 if p["valence"] == q["valence"] else 0.825, 0.825


def by_networkx(a, b, kind):
    node, node_erase, edge, edge_erase = costs(kind)
    return nx.graph_edit_distance(
        a,
        b,
        node_subst_cost=node,
        node_del_cost=lambda _: node_erase,
        node_ins_cost=lambda _: node_erase,
        edge_subst_cost=edge,
        edge_del_cost=lambda _: edge_erase,
        edge_ins_cost=lambda _: edge_erase,
    )


def by_trying(a, b, kind):
    node, node_erase, edge, edge_erase = costs(kind)
    n, m = len(a), len(b)
    smallest = math.inf
    for image in set(itertools.permutations(list(range(m)) + [None] * n, n)):
        mapped = [(u, v) for u, v in enumerate(image) if v is not None]
        cost = sum(node(a.nodes[u], b.nodes[v]) for u, v in mapped) + node_erase * (n + m - 2 * len(mapped))
        kept = 0
        for u, v, data in a.edges(data=True):
            x, y = image[u], image[v]
            if x is not None and y is not None and b.has_edge(x, y):
                kept += 1
                cost += edge(data, b.edges[x, y])
        smallest = min(smallest, cost + edge_erase * (a.number_of_edges() + b.number_of_edges() - 2 * kept))
    return smallest


def written(g):
    return {
        "nodes": [dict(data) for _, data in g.nodes(data=True)],
        "links": [[u, v, dict(data)] for u, v, data in g.edges(data=True)],
    }


def main():
    generator = random.Random(SEED)
    pairs, missed = [], []
    for number in itertools.count():
        if len(pairs) == 100:
            break
        kind = "letter" if number % 2 == 0 else "aids"
        directed = number % 4 >= 2
        a, b = graph(generator, kind, directed), graph(generator, kind, directed)
        pair = {"costs": kind, "directed": directed, "a": written(a), "b": written(b)}
        pair["distance"] = by_networkx(a, b, kind)
        smallest = by_trying(a, b, kind)
        if abs(pair["distance"] - smallest) < 1e-9:
            pairs.append(pair)
        else:
            missed.append(pair | {"smallest": smallest})
    versions = {
        "python": platform.python_version(),
        "networkx": nx.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    rows = lambda list: ",\n".join(json.dumps(pair) for pair in list)
    print(f'{{"seed": {SEED}, "versions": {json.dumps(versions)}, "pairs": [')
    print(f'{rows(pairs)}\n], "missed": [\n{rows(missed)}\n]}}')


main()
