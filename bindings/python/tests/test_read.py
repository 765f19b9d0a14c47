"""Files read by the package: the same samples, names and scores as in the program."""

import json

import numpy as np
import pandas
import pytest
from conftest import data, series, words
from test_program import assert_same, run, scored

import eocc
from eocc import EntropicOneClass


def both(program, path, tmp_path, nominal=None):
    """Fits and scores a file with the program and with the package."""
    options = [] if nominal is None else ["--nominal", nominal]
    run(program, "fit", path, "-o", tmp_path / "theirs.eocc", *options)
    theirs = scored(run(program, "score", tmp_path / "theirs.eocc", path))
    found = eocc.read(path)
    model = EntropicOneClass().fit(found.samples if nominal is None else found.samples[found.labels == nominal])
    model.save(tmp_path / "ours.eocc")
    assert (tmp_path / "ours.eocc").read_bytes() == (tmp_path / "theirs.eocc").read_bytes()
    assert_same(model.decide(eocc.read(path, model=model).samples), theirs)
    assert len(found) == len(theirs["score"])
    return found, model


def test_fasta(program, tmp_path):
    path = tmp_path / "proteins.fasta"
    path.write_text("".join(f">p{i} some protein\n{w.upper()}\n" for i, w in enumerate(words())))
    found, model = both(program, path, tmp_path)
    assert list(found.names[:2]) == ["p0", "p1"] and found.labels is None
    assert found.samples.kind == "strings" and len(found.samples[found.names == "p1"]) == 1
    # The same samples as a list.
    assert np.array_equal(model.score_samples([w.upper() for w in words()]), model.score_samples(found))
    assert set(model.explain(found.samples[:1])[0].nearest) <= set(found.names)
    loaded = EntropicOneClass.load(tmp_path / "theirs.eocc")
    assert list(loaded.explain(found.samples[:1])[0].nearest) == list(model.explain(found.samples[:1])[0].nearest)
    outliers = eocc.find_outliers(found, top=2)
    assert set(outliers.index) <= set(found.names)


def test_time_series(program, tmp_path):
    lines = ["@problemName made", "@timestamps false", "@univariate false", "@dimensions 2", "@classLabel true a b", "@data"]
    for i, one in enumerate(series()):
        channels = [",".join(f"{v:.6f}" for v in channel) for channel in one.T]
        lines.append(":".join([*channels, "ab"[i % 2]]))
    path = tmp_path / "waves.ts"
    path.write_text("\n".join(lines) + "\n")
    found, _ = both(program, path, tmp_path, nominal="a")
    assert found.samples.kind == "time series" and list(found.labels[:2]) == ["a", "b"]
    nominal = found.samples[found.labels == "a"]
    assert len(nominal) == 20
    assert np.isfinite(EntropicOneClass().fit(nominal).score_samples(found.samples)).all()


def test_graphs(program, tmp_path):
    networkx = pytest.importorskip("networkx")
    folder = tmp_path / "graphs"
    folder.mkdir()
    for i in range(25):
        graph = networkx.cycle_graph(4 + i % 4)
        networkx.set_node_attributes(graph, {v: {"symbol": "CNO"[v % 3]} for v in graph})
        networkx.write_graphml(graph, folder / f"g{i:02}.graphml")
    found, _ = both(program, folder, tmp_path)
    assert found.samples.kind == "labelled graphs" and len(set(found.names)) == 25


def table(n=60, seed=0):
    rng = np.random.default_rng(seed)
    start = np.datetime64("2024-01-01", "s")
    frame = pandas.DataFrame(
        {
            "id": [f"A-{i:04}" for i in range(n)],
            "size": rng.normal(size=n).round(3),
            "color": rng.choice(["red", "blue", "green"], size=n),
            "when": start + rng.integers(0, 31 * 86400, size=n),
            "label": rng.choice(["good", "fair"], size=n),
        }
    )
    frame.loc[::7, "size"] = np.nan
    frame.loc[::11, "color"] = None
    return frame


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
def test_tables(program, tmp_path, kind):
    path = tmp_path / f"table.{kind}"
    frame = table()
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        frame.assign(when=frame["when"].astype(str)).to_json(path, orient="records", lines=True)
    found, model = both(program, path, tmp_path)
    assert list(found.names[:2]) == ["A-0000", "A-0001"]
    roles = {column.name: column.role for column in found.schema}
    assert roles == {"size": "feature", "color": "feature", "when": "feature", "id": "key", "label": "classes"}
    assert list(eocc.read(path, label="label").labels[:3]) == list(frame["label"][:3])
    assert list(model.feature_names_in_) == ["size", "color", "when"]


def test_a_frame_and_its_file_give_the_same_model(program, tmp_path):
    train, new = table(), table(30, seed=1)
    train.to_csv(tmp_path / "train.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "theirs.eocc")
    theirs = scored(run(program, "score", tmp_path / "theirs.eocc", tmp_path / "new.csv"))
    # With datetimes, and with dates as text as returned by `read_csv`.
    for frame, other in ((train, new), (pandas.read_csv(tmp_path / "train.csv"), pandas.read_csv(tmp_path / "new.csv"))):
        with pytest.warns(UserWarning, match="2 columns are not features: 'id'.*'label'"):
            model = EntropicOneClass().fit(frame)
        assert_same(model.decide(other), theirs)
        model.save(tmp_path / "ours.eocc")
        assert (tmp_path / "ours.eocc").read_bytes() == (tmp_path / "theirs.eocc").read_bytes()
    with pytest.warns(UserWarning, match="not features of the model, left out: 'label'"):
        assert_same(EntropicOneClass.load(tmp_path / "theirs.eocc").decide(new), theirs)


def test_the_uci_files_by_the_package(tmp_path):
    path = data("uci/ecoli.csv")
    found = eocc.read(path, label="label")
    frame = pandas.read_csv(path, float_precision="round_trip")
    assert list(found.labels) == list(frame["label"])
    numbers = frame.drop(columns="label")
    assert np.array_equal(
        EntropicOneClass().fit(found.samples).score_samples(found.samples),
        EntropicOneClass().fit(numbers).score_samples(numbers),
    )


def test_faults(tmp_path):
    with pytest.raises(FileNotFoundError, match="nothing.csv: no such file"):
        eocc.read(tmp_path / "nothing.csv")
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n5,6\n")
    with pytest.raises(ValueError, match="format is 'xls', but must be csv"):
        eocc.read(tmp_path / "t.csv", format="xls")
    with pytest.raises(ValueError, match="no column"):
        eocc.read(tmp_path / "t.csv", label="class")
    with pytest.raises(ValueError, match=r"types\['a'\]: no type"):
        eocc.read(tmp_path / "t.csv", types={"a": "nubmer"})
    (tmp_path / "bad.jsonl").write_text(json.dumps({"a": 1}) + "\n{\n")
    with pytest.raises(ValueError, match="bad.jsonl"):
        eocc.read(tmp_path / "bad.jsonl")
    with pytest.raises(ValueError, match="give types to eocc.read"):
        EntropicOneClass(types={"a": "number"}).fit(eocc.read(tmp_path / "t.csv"))
