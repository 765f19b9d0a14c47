"""How a model's data was read belongs to the model: the options given to the program at `fit` apply in Python, too."""

import numpy as np
import pandas
import pyarrow
import pytest
from test_program import assert_same, run, scored

import eocc
from eocc import EntropicOneClass


def frame(n, seed):
    rng = np.random.default_rng(seed)
    return pandas.DataFrame(
        {
            "part": [f"piece {seed}{i}" for i in range(n)],
            "width": rng.normal(5, 1, n).round(3),
            "height": rng.normal(-2, 3, n).round(3),
            "code": rng.choice([1, 2, 3], n),
        }
    )


def write(path, table):
    """As written by a program in Germany: semicolons, and decimal commas."""
    table.to_csv(path, sep=";", decimal=",", index=False)


@pytest.mark.parametrize("types", [["code=category"], ["code=number"]])
def test_options_of_the_program_apply_here(program, tmp_path, types):
    train, new = frame(80, 0), frame(30, 1)
    train.loc[::9, "width"] = np.nan
    new.loc[::4, "width"] = np.nan
    new.loc[2, "height"] = np.nan
    write(tmp_path / "train.csv", train)
    write(tmp_path / "new.csv", new)
    told = ["--missing", "impute", "--decimal", ",", "--id", "part", "--types", *types]
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc", *told)
    text = run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv")
    theirs = scored(text)
    model = EntropicOneClass.load(tmp_path / "m.eocc")
    found = eocc.read(tmp_path / "new.csv", model=model)
    assert list(found.names) == list(new["part"])
    assert all(f",{name}," in text for name in found.names)
    assert_same(model.decide(found.samples), theirs)
    # The same as a frame, whose numbers pandas has parsed.
    back = pandas.read_csv(tmp_path / "new.csv", sep=";", decimal=",", float_precision="round_trip")
    assert_same(model.decide(back.drop(columns="part")), theirs)
    # It survives pickling and saving.
    model.save(tmp_path / "again.eocc")
    assert (tmp_path / "again.eocc").read_bytes() == (tmp_path / "m.eocc").read_bytes()


@pytest.mark.parametrize("types", [["code=category"], ["code=number"]])
def test_texts_of_a_frame_are_numbers_in_the_notation_of_the_program(program, tmp_path, types):
    train, new = frame(80, 0).drop(columns="part"), frame(30, 1).drop(columns="part")
    write(tmp_path / "train.csv", train)
    write(tmp_path / "new.csv", new)
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc", "--decimal", ",", "--types", *types)
    theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv"))
    model = EntropicOneClass.load(tmp_path / "m.eocc")
    texts = pandas.read_csv(tmp_path / "new.csv", sep=";", dtype=str)
    assert texts["width"].str.contains(",").any()
    assert_same(model.decide(texts), theirs)
    assert model.decide(texts.iloc[:1]).score[0] == theirs["score"][0]
    batch = pyarrow.RecordBatch.from_pandas(texts, preserve_index=False)
    assert model.score_arrow(batch)["score"].to_pylist() == theirs["score"].tolist()
    # Numbers among texts are numbers in any notation.
    mixed = texts.astype(object)
    mixed.loc[::2, "width"] = new["width"][::2]
    assert_same(model.decide(mixed), theirs)
    # A point is not a decimal point there.
    with pytest.raises(ValueError, match="not a number in the notation that was given"):
        model.decide(new.astype(str))


def test_rows_of_numbers_are_filled_as_in_the_program(program, tmp_path):
    train, new = (frame(60, seed).drop(columns=["part", "code"]) for seed in (0, 1))
    new.loc[::3, "width"] = np.nan
    train.to_csv(tmp_path / "train.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    for missing in ["impute", "distance"]:
        run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc", "--missing", missing)
        theirs = scored(run(program, "score", tmp_path / "m.eocc", tmp_path / "new.csv"))
        model = EntropicOneClass.load(tmp_path / "m.eocc")
        back = pandas.read_csv(tmp_path / "new.csv", float_precision="round_trip")
        assert_same(model.decide(back), theirs)
        assert_same(model.decide(eocc.read(tmp_path / "new.csv", model=model)), theirs)
        one = model.decide(back.iloc[:1])
        assert one.score[0] == theirs["score"][0]


def test_rows_that_lack_values_are_refused_where_none_did(program, tmp_path):
    train, new = (frame(60, seed).drop(columns=["part", "code"]) for seed in (0, 1))
    new.loc[3, "width"] = np.nan
    train.to_csv(tmp_path / "train.csv", index=False)
    new.to_csv(tmp_path / "new.csv", index=False)
    run(program, "fit", tmp_path / "train.csv", "-o", tmp_path / "m.eocc", "--missing", "error")
    model = EntropicOneClass.load(tmp_path / "m.eocc")
    with pytest.raises(ValueError, match="NaN"):
        model.decide(new)
    with pytest.raises(ValueError, match="row 3"):
        eocc.read(tmp_path / "new.csv", model=model)


def test_series_and_lines_are_read_as_they_were(program, tmp_path):
    rng = np.random.default_rng(0)
    waves = pandas.DataFrame(np.sin(np.arange(20) / 3) + rng.normal(0, 0.1, (40, 20)))
    waves.to_csv(tmp_path / "waves.csv", index=False, header=[f"t{i}" for i in range(20)])
    run(program, "fit", tmp_path / "waves.csv", "--input", "series-wide", "-o", tmp_path / "w.eocc")
    theirs = scored(run(program, "score", tmp_path / "w.eocc", tmp_path / "waves.csv"))
    model = EntropicOneClass.load(tmp_path / "w.eocc")
    found = eocc.read(tmp_path / "waves.csv", model=model)
    assert found.samples.kind == "time series"
    assert_same(model.decide(found.samples), theirs)
    lines = [f"{word},{word}" for word in ["cat", "cart", "care", "core", "cord", "card", "car", "cab"] * 4]
    (tmp_path / "lines.log").write_text("\n".join(lines) + "\n")
    run(program, "fit", tmp_path / "lines.log", "--input", "lines", "-o", tmp_path / "l.eocc")
    theirs = scored(run(program, "score", tmp_path / "l.eocc", tmp_path / "lines.log"))
    model = EntropicOneClass.load(tmp_path / "l.eocc")
    assert_same(model.decide(eocc.read(tmp_path / "lines.log", model=model)), theirs)
