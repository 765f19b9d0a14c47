"""Values from NetworkX and scikit-learn for the tests of eocc-proteins and eocc-lab.

Run from the root of the workspace, with NumPy, NetworkX and scikit-learn:

    python scripts/golden/proteins.py > testdata/golden/proteins.json
"""

import json
import sys

import networkx as nx
import numpy as np
import sklearn
from sklearn.decomposition import PCA, KernelPCA


def chain(random, residues):
    """A compact random walk with steps of 3.8 Å, pulled towards its center."""
    at, positions = np.zeros(3), []
    for _ in range(residues):
        positions.append(at)
        while True:
            step = random.normal(size=3) - 0.06 * at
            new = at + 3.8 * step / np.linalg.norm(step)
            if all(np.linalg.norm(new - p) > 3.0 for p in positions[:-1]):
                break
        at = new
    return np.round(positions, 3)


def contacts(positions):
    graph = nx.Graph()
    graph.add_nodes_from(range(len(positions)))
    for i in range(len(positions)):
        for j in range(i):
            if 4.0 <= np.linalg.norm(positions[i] - positions[j]) <= 8.0:
                graph.add_edge(j, i)
    return graph


def mean_path_length(graph):
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    steps = [d for a in lengths for b, d in lengths[a].items() if a != b]
    return float(np.mean(steps)) if steps else 0.0


def spectral_order(graph):
    """Components by size, then by first vertex; each by its leading eigenvector, ties by vertex."""
    order = []
    for component in sorted(map(sorted, nx.connected_components(graph)), key=lambda c: (-len(c), c[0])):
        matrix = nx.to_numpy_array(graph.subgraph(component), nodelist=component)
        vector = np.abs(np.linalg.eigh(matrix)[1][:, -1])
        vector = np.round(vector / vector.max(), 7)
        order += [component[i] for i in sorted(range(len(component)), key=lambda i: (-vector[i], i))]
    return order


def case(name, positions):
    graph = contacts(positions)
    n = len(positions)
    adjacency = np.linalg.eigvalsh(nx.to_numpy_array(graph))
    laplacian = np.linalg.eigvalsh(nx.laplacian_matrix(graph).toarray().astype(float))
    normalized = nx.normalized_laplacian_matrix(graph).toarray()
    values, vectors = np.linalg.eigh(normalized)
    degree = 2 * graph.number_of_edges() / n
    parts = nx.community.greedy_modularity_communities(graph)
    partition = [next(k for k, part in enumerate(parts) if v in part) for v in range(n)]
    return {
        "name": name,
        "positions": positions.tolist(),
        "features": {
            "vertices": n,
            "radius_of_gyration": float(np.sqrt(((positions - positions.mean(0)) ** 2).sum(1).mean())),
            "average_degree": degree,
            "heat_trace": float(np.exp(-values).sum()),
            "heat_content": float((vectors @ np.diag(np.exp(-values)) @ vectors.T).sum()),
            "edges": graph.number_of_edges(),
            "clustering": nx.average_clustering(graph),
            "path_length": mean_path_length(graph),
            "closeness": float(np.mean(list(nx.closeness_centrality(graph).values()))),
            "betweenness": max(nx.betweenness_centrality(graph).values()),
            "spectral_radius": float(adjacency[-1]),
            "energy": float(np.abs(adjacency).sum()),
            "laplacian_energy": float(np.abs(laplacian - degree).sum()),
        },
        "greedy_modularity": nx.community.modularity(graph, parts),
        "partition": partition,
        "modularity_of_partition": nx.community.modularity(graph, parts),
        "spectral_order": spectral_order(graph),
    }


def projections(random):
    scale = np.array([10.0, 3.0, 1.0, 0.5, 2.0])
    mix = random.normal(size=(5, 5))
    train = np.round(random.normal(size=(25, 5)) * scale @ mix, 3)
    test = np.round(random.normal(size=(6, 5)) * scale @ mix, 3)
    mean, deviation = train.mean(0), train.std(0)
    a, b = (train - mean) / deviation, (test - mean) / deviation
    pca = PCA(n_components=3).fit(a)
    kernel = KernelPCA(n_components=3, kernel="rbf", gamma=1 / 5).fit(a)
    return {
        "train": train.tolist(),
        "test": test.tolist(),
        "pca_train": pca.transform(a).tolist(),
        "pca_test": pca.transform(b).tolist(),
        "pca_ratio": pca.explained_variance_ratio_.tolist(),
        "kernel_train": kernel.transform(a).tolist(),
        "kernel_test": kernel.transform(b).tolist(),
    }


random = np.random.RandomState(19)
graphs = [case(f"walk of {n}", chain(random, n)) for n in (12, 30, 60, 90)]
apart = chain(random, 40)
graphs.append(case("two pieces", np.vstack([apart[:25], apart[25:] + [60.0, 0.0, 0.0]])))
helix = [[2.3 * np.cos(1.745 * i), 2.3 * np.sin(1.745 * i), 1.5 * i] for i in range(24)]
graphs.append(case("helix", np.round(helix, 3)))
versions = {"numpy": np.__version__, "networkx": nx.__version__, "scikit-learn": sklearn.__version__}
json.dump({"versions": versions, "graphs": graphs, "projections": projections(random)}, sys.stdout, indent=1)
print()
