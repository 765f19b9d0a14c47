"""Exact graph edit distances of 100 small pairs by NetworkX, for crates/eocc/tests/edit_distance.rs.

Run: python scripts/golden/graph_edit.py > testdata/golden/graph_edit.json
Needs: networkx, numpy, scipy (versions are recorded in the file).
"""

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


def distance(a, b, kind):
    if kind == "letter":
        node = lambda p, q: 0.75 * math.hypot(p["x"] - q["x"], p["y"] - q["y"])
        edge = lambda p, q: 0.0
        node_erase, edge_erase = 0.675, 0.425
    else:
        node = lambda p, q: 0.0 if p["chem"] == q["chem"] else 5.5
        edge = lambda p, q: 0.0 if p["valence"] == q["valence"] else 0.825
        node_erase, edge_erase = 2.75, 0.825
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


def written(g):
    return {
        "nodes": [dict(data) for _, data in g.nodes(data=True)],
        "links": [[u, v, dict(data)] for u, v, data in g.edges(data=True)],
    }


def main():
    generator = random.Random(SEED)
    pairs = []
    for number in range(100):
        kind = "letter" if number % 2 == 0 else "aids"
        directed = number % 4 >= 2
        a, b = graph(generator, kind, directed), graph(generator, kind, directed)
        pairs.append(
            {
                "costs": kind,
                "directed": directed,
                "a": written(a),
                "b": written(b),
                "distance": distance(a, b, kind),
            }
        )
    versions = {
        "python": platform.python_version(),
        "networkx": nx.__version__,
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
    }
    rows = ",\n".join(json.dumps(pair) for pair in pairs)
    print(f'{{"seed": {SEED}, "versions": {json.dumps(versions)}, "pairs": [\n{rows}\n]}}')


main()
