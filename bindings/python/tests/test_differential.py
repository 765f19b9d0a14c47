"""Files that other programs write, read by them and by us: the same comes out. Random, and the same in every run."""

import csv

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import eocc

SEEDS = range(20)


def assert_same_rows(samples, expected):
    """The rows of a file are those expected: each is at a distance of nothing from its own."""
    matrix = eocc.pairwise_dissimilarities(samples, np.asarray(expected, dtype=float), metric="manhattan")
    assert matrix.shape == (len(expected), len(expected))
    assert np.array_equal(np.diag(matrix), np.zeros(len(expected)))


def numbers(random, rows, columns):
    """Numbers of all sizes; no two rows are alike."""
    values = random.normal(size=(rows, columns)) * 10.0 ** random.integers(-12, 12, size=(rows, columns))
    return np.where(random.random((rows, columns)) < 0.2, random.integers(-1000, 1000, size=(rows, columns)), values)


@pytest.mark.parametrize("seed", SEEDS)
def test_csv_as_pythons_module_writes_and_reads_it(seed, tmp_path):
    random = np.random.default_rng(seed)
    rows = numbers(random, 30, 4)
    delimiter = random.choice([",", ";", "\t", "|"])
    quoting = [csv.QUOTE_ALL, csv.QUOTE_MINIMAL][seed % 2]
    path = tmp_path / "a.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, quoting=quoting, lineterminator=["\n", "\r\n"][seed // 2 % 2])
        writer.writerow(["a", f"b{delimiter}x", 'c"d', "e"])
        writer.writerows([[repr(float(value)) for value in row] for row in rows])
    with path.open(newline="") as file:
        theirs = list(csv.reader(file, delimiter=delimiter))
    data = eocc.read(path)
    assert [column.name for column in data.schema] == theirs[0]
    assert_same_rows(data.samples, [[float(cell) for cell in row] for row in theirs[1:]])


@pytest.mark.parametrize("dtype", ["<f8", ">f8", "<f4", ">f4", "<f2", "<i8", ">i4", "<i2", "|i1", "|u1", "<u4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_as_numpy_writes_and_reads_it(dtype, order, tmp_path):
    random = np.random.default_rng(1)
    array = np.array(random.integers(0, 100, size=(20, 3)) / (2 if "f" in dtype else 1), dtype=dtype, order=order)
    array[:, 0] = np.arange(20)
    path = tmp_path / "a.npy"
    np.save(path, array)
    assert_same_rows(eocc.read(path).samples, np.load(path).astype(float))
    packed = tmp_path / "a.npz"
    np.savez_compressed(packed, X=array)
    assert_same_rows(eocc.read(packed).samples, np.load(packed)["X"].astype(float))


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_parquet_as_pyarrow_writes_and_reads_it(compression, version, dictionary, tmp_path):
    random = np.random.default_rng(2)
    table = pa.table(
        {
            "double": numbers(random, 50, 1)[:, 0],
            "single": pa.array(np.arange(50) / 4, pa.float32()),
            "whole": pa.array(random.integers(-9, 9, 50), pa.int16()),
            "byte": pa.array(np.arange(50) % 7, pa.uint8()),
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(
        table, path, compression=compression, data_page_version=version, use_dictionary=dictionary, row_group_size=17
    )
    theirs = pq.read_table(path)
    expected = np.column_stack([np.asarray(column, dtype=float) for column in theirs.columns])
    assert_same_rows(eocc.read(path).samples, expected)


@pytest.mark.parametrize("seed", SEEDS)
def test_graphml_as_networkx_writes_and_reads_it(seed, tmp_path):
    random = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(8, 0.4, seed=seed, directed=bool(seed % 2))
    for _, attributes in graph.nodes(data=True):
        attributes["x"] = float(random.normal())
        attributes["kind"] = str(random.choice(["a", "b & <c>", "é"]))
    for *_, attributes in graph.edges(data=True):
        attributes["weight"] = int(random.integers(0, 5))
    path = tmp_path / "a.graphml"
    nx.write_graphml(graph, path)
    theirs = nx.read_graphml(path)
    matrix = eocc.pairwise_dissimilarities(eocc.read(path).samples, [theirs])
    assert matrix.shape == (1, 1) and matrix[0, 0] == 0.0
