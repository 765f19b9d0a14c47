"""Equality with the program: the same scores bit for bit, the same model files byte for byte."""

import csv
import io
import json
import subprocess

import numpy as np
import pandas
import pytest
from conftest import UCI, data, graphs, series, words

from eocc import Dissimilarity, EntropicOneClass


def run(program, *arguments):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def scored(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    numbers = {name: np.array([float(r[name]) for r in rows]) for name in ("score", "membership", "p_value", "region")}
    return numbers | {"accepted": np.array([r["accepted"] == "true" for r in rows])}


def assert_same(ours, theirs):
    for name, values in theirs.items():
        assert np.array_equal(getattr(ours, name), values), name


@pytest.mark.parametrize("name", UCI)
def test_the_eight_uci_files(program, name, tmp_path):
    path = data(f"uci/{name}.csv")
    table = pandas.read_csv(path, float_precision="round_trip")
    features, is_nominal = table.drop(columns="label"), table["label"] == "target"
    for preset in ["default", "paper"]:
        if preset == "paper" and is_nominal.sum() > 300:
            continue  # Shortest paths of a thousand samples take minutes.
        file = tmp_path / f"{preset}.eocc"
        evaluations = 3 if preset == "paper" else None
        limit = ["--evaluations", evaluations] if evaluations else []
        run(program, "fit", path, "--label", "label", "--nominal", "target", "--preset", preset, "-o", file, *limit)
        theirs = scored(run(program, "score", file, path, "--label", "label"))
        model = EntropicOneClass(preset=preset, evaluations=evaluations, n_jobs=2).fit(features[is_nominal])
        assert_same(model.decide(features), theirs)
        assert np.array_equal(model.score_samples(features), theirs["score"])
        model.save(tmp_path / "ours.eocc")
        assert (tmp_path / "ours.eocc").read_bytes() == file.read_bytes()


def test_model_files_are_the_same_bytes(program, tmp_path):
    rows = pandas.DataFrame(np.random.default_rng(0).normal(size=(80, 3)), columns=["a", "b", "c"])
    rows.to_csv(tmp_path / "rows.csv", index=False)
    for arguments, model in [
        ([], EntropicOneClass()),
        (["--preset", "paper", "--seed", "3"], EntropicOneClass(preset="paper", random_state=3)),
        (["--reject", "0.1", "--dissimilarity", "manhattan"], EntropicOneClass("manhattan", reject=0.1)),
        (
            ["--preset", "paper", "--dissimilarity", "minkowski", "--set", "order=4", "--prototypes", "farthest:9"],
            EntropicOneClass(Dissimilarity("minkowski", order=4), preset="paper", prototypes="farthest:9"),
        ),
        (["--contamination", "0.05"], EntropicOneClass(contamination=0.05)),
        (
            ["--dissimilarity", "minkowski", "--set", "order=4"],
            EntropicOneClass(Dissimilarity("minkowski", order=4)),
        ),
        (
            ["--preset", "paper", "--search", "genetic", "--evaluations", "20", "--tau", "0", "--alpha", "0.4"],
            EntropicOneClass(preset="paper", evaluations=20, tau=0.0, alpha=0.4),
        ),
    ]:
        run(program, "fit", tmp_path / "rows.csv", "-o", tmp_path / "theirs.eocc", *arguments)
        model.fit(rows).save(tmp_path / "ours.eocc")
        theirs = (tmp_path / "theirs.eocc").read_bytes()
        assert (tmp_path / "ours.eocc").read_bytes() == theirs
        # A file that passes through Python is unchanged.
        EntropicOneClass.load(tmp_path / "theirs.eocc").save(tmp_path / "again.eocc")
        assert (tmp_path / "again.eocc").read_bytes() == theirs
        loaded = EntropicOneClass.load(tmp_path / "theirs.eocc")
        for name in ("preset", "reject", "contamination", "prototypes", "search", "evaluations", "tau", "alpha", "random_state"):
            assert getattr(loaded, name) == getattr(model, name), name


def test_strings(program, tmp_path):
    texts, new = words(), words(20, seed=1) + ["zzzzzz"]
    (tmp_path / "train.csv").write_text("text\n" + "\n".join(texts) + "\n")
    (tmp_path / "new.csv").write_text("text\n" + "\n".join(new) + "\n")
    run(program, "fit", tmp_path / "train.csv", "--types", "text=text", "-o", tmp_path / "m.eocc")
    theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv"))
    model = EntropicOneClass().fit(texts)
    assert_same(model.decide(new), theirs)
    for column in (np.array(new), np.array(new, dtype=object), pandas.Series(new), tuple(new)):
        assert_same(model.decide(column), theirs)
    model.save(tmp_path / "ours.eocc")
    assert (tmp_path / "ours.eocc").read_bytes() == (tmp_path / "m.eocc").read_bytes()


def test_time_series(program, tmp_path):
    def write(path, all_series):
        lines = [json.dumps({"wave": one.tolist()}) for one in all_series]
        path.write_text("\n".join(lines) + "\n")

    write(tmp_path / "train.jsonl", series())
    write(tmp_path / "new.jsonl", series(10, seed=1))
    run(program, "fit", tmp_path / "train.jsonl", "-o", tmp_path / "m.eocc", "--set", "band=0.2")
    theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "new.jsonl"))
    model = EntropicOneClass(Dissimilarity("dtw", band=0.2)).fit(series())
    assert_same(model.decide(series(10, seed=1)), theirs)
    assert EntropicOneClass().fit(series())._model.metric == "dtw"


def test_graphs(program, tmp_path):
    networkx = pytest.importorskip("networkx")

    def write(path, all_graphs):
        lines = [json.dumps({"molecule": networkx.node_link_data(g, edges="links")}) for g in all_graphs]
        path.write_text("\n".join(lines) + "\n")

    write(tmp_path / "train.jsonl", graphs())
    write(tmp_path / "new.jsonl", graphs(10, seed=1))
    run(program, "fit", tmp_path / "train.jsonl", "-o", tmp_path / "m.eocc")
    theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "new.jsonl"))
    model = EntropicOneClass().fit(graphs())
    assert model._model.metric == "ged"
    assert_same(model.decide(graphs(10, seed=1)), theirs)


def test_mixed_tables(program, tmp_path):
    rng = np.random.default_rng(0)

    def table(n):
        frame = pandas.DataFrame(
            {
                "size": rng.normal(size=n).round(3),
                "color": rng.choice(["red", "blue", "green"], size=n),
                "old": rng.choice([True, False], size=n),
            }
        )
        frame.loc[::7, "size"] = np.nan
        frame.loc[::5, "color"] = None
        return frame

    train, new = table(60), table(20)
    train.to_csv(tmp_path / "train.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc")
    theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv"))
    model = EntropicOneClass().fit(train)
    assert_same(model.decide(new), theirs)
    assert_same(EntropicOneClass.load(tmp_path / "m.eocc").decide(new), theirs)
    model.save(tmp_path / "ours.eocc")
    assert (tmp_path / "ours.eocc").read_bytes() == (tmp_path / "m.eocc").read_bytes()


def test_records(program, tmp_path):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"text": words(50), "x": rng.normal(size=50), "y": rng.normal(size=50)})
    frame.to_csv(tmp_path / "train.csv", index=False)
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc")
    theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "train.csv"))
    back = pandas.read_csv(tmp_path / "train.csv", float_precision="round_trip")
    assert_same(EntropicOneClass().fit(back).decide(back), theirs)
    assert_same(EntropicOneClass.load(tmp_path / "m.eocc").decide(back), theirs)
