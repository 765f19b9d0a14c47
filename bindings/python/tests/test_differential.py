"""Files written by other programs give the same result when read by them and by us. Random but reproducible."""

import csv
import io
import subprocess

import gemmi
import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import eocc

SEEDS = range(20)


def assert_same_rows(samples, expected):
    """The rows of a file are those expected: each is at distance zero from its own."""
    matrix = eocc.pairwise_dissimilarities(samples, np.asarray(expected, dtype=float), metric="manhattan")
    assert matrix.shape == (len(expected), len(expected))
    assert np.array_equal(np.diag(matrix), np.zeros(len(expected)))


def numbers(random, rows, columns):
    """Numbers of all sizes; no two rows are equal."""
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


def arrow_table(random):
    return pa.table(
        {
            "double": numbers(random, 50, 1)[:, 0],
            "single": pa.array(np.arange(50) / 4, pa.float32()),
            "whole": pa.array(random.integers(-9, 9, 50), pa.int16()),
            "large": pa.array(random.integers(0, 2**40, 50), pa.uint64()),
        }
    )


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize("chunk", [7, 50])
def test_arrow_as_pyarrow_writes_and_reads_it(compression, chunk, tmp_path):
    path = tmp_path / "a.arrow"
    feather.write_feather(arrow_table(np.random.default_rng(3)), path, compression=compression, chunksize=chunk)
    theirs = feather.read_table(path)
    expected = np.column_stack([np.asarray(column.to_pylist(), dtype=float) for column in theirs.columns])
    assert_same_rows(eocc.read(path).samples, expected)


def test_an_arrow_stream_is_read_like_an_arrow_file(tmp_path):
    table = arrow_table(np.random.default_rng(4))
    path = tmp_path / "a.arrows"
    with pa.ipc.new_stream(path, table.schema) as sink:
        sink.write_table(table, max_chunksize=11)
    expected = np.column_stack([np.asarray(column.to_pylist(), dtype=float) for column in table.columns])
    assert_same_rows(eocc.read(path, format="arrow").samples, expected)


@pytest.mark.parametrize("seed", range(6))
def test_series_of_a_long_table_are_the_groups_of_pandas(seed, tmp_path):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        [
            {"machine": f"m{m}", "time": t, "load": round(float(random.normal(m, 1)), 6)}
            for m in range(8)
            for t in range(random.integers(3, 12))
        ]
    ).sample(frac=1, random_state=seed)
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    groups = pd.read_csv(path).sort_values("time", kind="stable").groupby("machine", sort=False)["load"]
    theirs = {name: values.to_numpy() for name, values in groups}
    data = eocc.read(path, format="series-long")
    assert sorted(data.names) == sorted(theirs)
    ours = eocc.pairwise_dissimilarities(data.samples, [theirs[name] for name in data.names], metric="dtw")
    assert np.array_equal(np.diag(ours), np.zeros(len(theirs)))


@pytest.mark.parametrize("seed", range(6))
def test_series_of_a_wide_table_are_the_rows_of_pandas(seed, tmp_path):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(random.normal(size=(12, 9)).round(5), columns=[f"t{t}" for t in range(9)])
    path = tmp_path / "a.csv"
    frame.to_csv(path, index=False)
    theirs = list(pd.read_csv(path).to_numpy())
    ours = eocc.pairwise_dissimilarities(eocc.read(path, format="series-wide").samples, theirs, metric="dtw")
    assert np.array_equal(np.diag(ours), np.zeros(len(theirs)))


def structure(random, residues):
    """A chain of a random walk of CA atoms with other atoms, a second conformation, water and a ligand in between."""
    model = gemmi.Model(1)
    for name in ["A", "B"]:
        chain, place = gemmi.Chain(name), np.zeros(3)
        for number in range(residues):
            step = random.normal(size=3)
            place = place + 3.8 * step / np.linalg.norm(step)
            residue = gemmi.Residue()
            residue.name, residue.seqid = str(random.choice(["ALA", "GLY", "TRP", "SER"])), gemmi.SeqId(number + 1, " ")
            residue.entity_type, residue.het_flag = gemmi.EntityType.Polymer, "A"
            for atom_name, element, shift in [("N", "N", -1.2), ("CA", "C", 0.0), ("C", "C", 1.3)]:
                atom = gemmi.Atom()
                atom.name, atom.element = atom_name, gemmi.Element(element)
                atom.pos = gemmi.Position(*(place + shift))
                atom.occ, atom.b_iso = 1.0, 20.0
                residue.add_atom(atom)
            chain.add_residue(residue)
        water = gemmi.Residue()
        water.name, water.seqid, water.het_flag = "HOH", gemmi.SeqId(900, " "), "H"
        oxygen = gemmi.Atom()
        oxygen.name, oxygen.element, oxygen.pos = "O", gemmi.Element("O"), gemmi.Position(1, 2, 3)
        water.add_atom(oxygen)
        chain.add_residue(water)
        model.add_chain(chain)
    result = gemmi.Structure()
    result.name = "test"
    result.add_model(model)
    result.setup_entities()
    return result


@pytest.mark.parametrize("ending", ["pdb", "cif"])
@pytest.mark.parametrize("seed", range(4))
def test_structures_as_gemmi_writes_and_reads_them(ending, seed, tmp_path, program):
    path = tmp_path / f"test.{ending}"
    written = structure(np.random.default_rng(seed), 25)
    if ending == "pdb":
        written.write_pdb(str(path))
    else:
        written.make_mmcif_document().write_file(str(path))
    atoms = [
        (chain.name, atom.pos.tolist())
        for chain in gemmi.read_structure(str(path))[0]
        for residue in chain
        for atom in residue
        if atom.name == "CA" and residue.het_flag != "H"
    ]
    places = np.array([place for _, place in atoms])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    contacts = np.triu((apart >= 4) & (apart <= 8), 1).sum()
    said = subprocess.run([program, "proteins", "features", path, "--quiet"], check=True, capture_output=True, text=True)
    ours = pd.read_csv(io.StringIO(said.stdout)).iloc[0]
    assert (ours["vertices"], ours["chains"]) == (len(places), len({name for name, _ in atoms}))
    assert ours["edges"] == contacts
    spread = np.sqrt(((places - places.mean(axis=0)) ** 2).sum(axis=1).mean())
    assert ours["radius_of_gyration"] == pytest.approx(spread, rel=1e-9)
