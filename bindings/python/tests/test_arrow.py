"""Arrow data in, Arrow data out: the same as the program bit for bit, from any library."""

import subprocess
import threading

import numpy as np
import pytest
from conftest import block, series, words

pa = pytest.importorskip("pyarrow")
import pandas  # noqa: E402
import polars  # noqa: E402
import pyarrow.parquet  # noqa: E402

from eocc import EntropicOneClass  # noqa: E402

ANSWERS = ["score", "p_value", "accepted", "region"]


def numbers(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    return pa.table({name: rng.normal(scale=1 + seed, size=rows) for name in "abc"})


def mixed(rows=500, seed=0):
    rng = np.random.default_rng(seed)
    columns = {
        "size": rng.normal(size=rows),
        "color": rng.choice(["red", "green", "blue"], size=rows),
        "count": rng.integers(0, 9, size=rows),
        "is_new": rng.random(rows) < 0.5,
        "day": np.datetime64("2024-01-01", "us") + rng.integers(0, 300, size=rows) * np.timedelta64(86_400_000_000, "us"),
    }
    return pa.table(columns)


def by_program(program, table, model, tmp_path):
    """The results of `eocc score` for the same rows in a file."""
    model.save(tmp_path / "m.eocc")
    pyarrow.parquet.write_table(table, tmp_path / "new.parquet")
    command = [program, "score", "m.eocc", "new.parquet", "-o", "scores.parquet", "--quiet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    return pyarrow.parquet.read_table(tmp_path / "scores.parquet")


@pytest.mark.parametrize("make", [numbers, mixed], ids=["numbers", "mixed"])
def test_answers_are_those_of_the_program(make, program, tmp_path):
    model = EntropicOneClass().fit(make())
    new = make(seed=1)
    expected = by_program(program, new, model, tmp_path)
    found = model.score_arrow(new, membership=True)
    assert found.schema.names == [*ANSWERS, "membership"]
    for name in found.schema.names:
        assert found[name].combine_chunks().equals(expected[name].combine_chunks()), name


@pytest.mark.parametrize("make", [numbers, mixed], ids=["numbers", "mixed"])
def test_batches_tables_readers_and_frames_are_answered_in_kind(make):
    table = make()
    model = EntropicOneClass().fit(table)
    batch = table.to_batches()[0]
    expected = model.score_arrow(batch)
    assert isinstance(expected, pa.RecordBatch)
    found = model.score_arrow(table)
    assert isinstance(found, pa.Table) and found.to_batches()[0].equals(expected)
    reader = model.score_arrow(pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100)))
    assert isinstance(reader, pa.RecordBatchReader)
    assert reader.read_all().combine_chunks().equals(pa.Table.from_batches([expected]))
    frame = model.score_arrow(polars.from_arrow(table))
    assert isinstance(frame, polars.DataFrame) and frame.equals(polars.from_arrow(expected))
    other = model.score_arrow(table.to_pandas())
    assert pa.table(other).to_batches()[0].equals(expected)
    # Columns by name, in any order, with others ignored; one row at a time.
    turned = table.select(table.schema.names[::-1]).append_column("key", pa.array([f"k{i}" for i in range(500)]))
    assert model.score_arrow(turned).to_batches()[0].equals(expected)
    for i in (0, 499):
        assert model.score_arrow(turned.slice(i, 1)).to_batches()[0].equals(expected.slice(i, 1))
    assert model.score_arrow(table.slice(0, 0)).num_rows == 0
    answers = model.decide(table)
    assert np.array_equal(answers.score, expected["score"].to_numpy())


def test_one_call_on_many_threads_and_many_calls_at_a_time():
    table = numbers(20_000)
    model = EntropicOneClass().fit(numbers(1000, 1))
    expected = model.score_arrow(table)
    model.n_jobs = 2
    found = []
    calls = [threading.Thread(target=lambda: found.append(model.score_arrow(table))) for _ in range(4)]
    for call in calls:
        call.start()
    for call in calls:
        call.join()
    assert len(found) == 4 and all(one.equals(expected) for one in found)


def test_strings_series_and_functions():
    texts = words(80)
    model = EntropicOneClass().fit(texts)
    table = pa.table({"n": range(80), "word": texts})
    assert np.array_equal(model.score_arrow(table)["score"].to_numpy(), model.score_samples(texts))
    large = table.set_column(1, "word", table["word"].cast(pa.large_string()).dictionary_encode())
    assert model.score_arrow(large).equals(model.score_arrow(table))
    curves = [one[:, 0] for one in series(40)]
    model = EntropicOneClass("dtw").fit(curves)
    table = pa.table({"curve": [curve.tolist() for curve in curves]})
    assert np.array_equal(model.score_arrow(table)["score"].to_numpy(), model.score_samples(curves))
    rows = np.random.default_rng(0).normal(size=(60, 3))
    model = EntropicOneClass(block).fit(rows)
    found = model.score_arrow(pa.table({f"x{i}": rows[:, i] for i in range(3)}))
    assert np.array_equal(found["score"].to_numpy(), model.score_samples(rows))


def test_what_is_missing_is_read_as_in_training():
    table = numbers()
    holes = table.slice(0, 9).set_column(1, "b", pa.array([None, *table["b"].to_pylist()[1:9]]))
    for missing in (None, "impute", "distance"):
        model = EntropicOneClass(missing=missing).fit(table)
        with pytest.warns() if missing != "impute" else pytest.MonkeyPatch.context():
            expected = model.score_samples(holes.to_pandas())
        assert np.array_equal(model.score_arrow(holes)["score"].to_numpy(), expected), missing
    model = EntropicOneClass(missing="error").fit(table)
    with pytest.raises(ValueError, match="column 'b' of X, row 0: the value is missing"):
        model.score_arrow(holes)
    found = model.score_arrow(holes, bad_rows="null")
    assert found["score"].null_count == found["accepted"].null_count == 1 and found["score"][0].as_py() is None
    assert found.slice(1).equals(model.score_arrow(holes.slice(1), bad_rows="null"))


def test_reasons_name_features():
    table = numbers()
    model = EntropicOneClass().fit(table)
    found = model.score_arrow(pa.table({"a": [0.0, 0.0], "b": [0.0, 50.0], "c": [0.0, 0.0]}), reasons=True)
    assert found["accepted"].to_pylist() == [True, False]
    assert found["reasons"][0].as_py() is None and found["reasons"][1].as_py().startswith("b ")


def test_what_cannot_be_scored_is_named():
    table = numbers()
    model = EntropicOneClass().fit(table)
    with pytest.raises(ValueError, match="no column 'b'"):
        model.score_arrow(table.drop_columns("b"))
    with pytest.raises(TypeError, match="data is of type ndarray, but must be"):
        model.score_arrow(np.zeros((3, 3)))
    with pytest.raises(ValueError, match="bad_rows is 'drop'"):
        model.score_arrow(table, bad_rows="drop")
    with pytest.raises(ValueError, match="not fitted"):
        EntropicOneClass().score_arrow(table)
    nested = table.set_column(0, "a", pa.array([{"x": 1.0}] * 500))
    with pytest.raises(ValueError, match="column .?'?a.* has the type"):
        model.score_arrow(nested)


def test_buffers_that_lie_askew_are_taken_or_refused():
    values = np.random.default_rng(0).normal(size=300)
    model = EntropicOneClass().fit(pa.table({"a": values, "b": values[::-1].copy()}))
    raw = pa.py_buffer(b"\0" * 3 + values.tobytes())
    askew = pa.Array.from_buffers(pa.float64(), 300, [None, raw.slice(3)])
    expected = model.score_arrow(pa.table({"a": values, "b": values}))
    found = model.score_arrow(pa.table({"a": askew, "b": values}))
    assert found.equals(expected)


def test_pandas_frames_of_one_row_are_answered_alike():
    table = mixed()
    model = EntropicOneClass().fit(table)
    frame = table.to_pandas()
    expected = model.score_samples(frame)
    for i in (0, 77):
        assert model.score_samples(frame.iloc[[i]])[0] == expected[i]
        assert model.decide(frame.iloc[[i]]).p_value[0] == model.p_value(frame)[i]
    assert isinstance(model.decide(frame.iloc[:1], as_frame=True), pandas.DataFrame)
