"""Data frames: names are stored and checked, and numbers are not copied unnecessarily."""

import datetime
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest

from eocc import EntropicOneClass, _tables

NAMES = ["a", "b", "c", "d"]
FRAMES = {
    "pandas": lambda rows, names=NAMES: pandas.DataFrame(rows, columns=names),
    "polars": lambda rows, names=NAMES: polars.DataFrame(rows, schema=names, orient="row"),
    "arrow": lambda rows, names=NAMES: pyarrow.table(dict(zip(names, rows.T, strict=True))),
    "batch": lambda rows, names=NAMES: pyarrow.RecordBatch.from_pydict(dict(zip(names, rows.T, strict=True))),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_frames_of_numbers(make, nominal, fresh):
    plain = EntropicOneClass().fit(nominal)
    model = EntropicOneClass().fit(make(nominal))
    assert list(model.feature_names_in_) == NAMES and model.n_features_in_ == 4
    assert list(model.weights_) == NAMES
    assert np.array_equal(model.score_samples(make(fresh)), plain.score_samples(fresh))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        model.score_samples(fresh)
    with pytest.raises(ValueError, match="feature names"):
        model.score_samples(make(fresh, ["a", "b", "d", "c"]))
    with pytest.raises(ValueError, match="feature names"):
        model.score_samples(make(fresh, ["a", "b", "c", "e"]))


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_one_frame_fits_another_scores(make, nominal, fresh):
    model = EntropicOneClass().fit(make(nominal))
    for other in FRAMES.values():
        assert np.array_equal(model.score_samples(other(fresh)), model.score_samples(make(fresh)))


def test_rows_that_lie_right_are_not_copied(nominal):
    values, names = _tables.numbers(pandas.DataFrame(nominal, columns=NAMES, copy=False))
    assert np.shares_memory(values, nominal) and names == NAMES
    model = EntropicOneClass()
    checked = model._numbers(nominal, reset=True)
    assert checked is nominal


def test_common_types_of_pandas_are_read_as_all_others_are():
    frame = pandas.DataFrame(
        {
            "float": np.array([0.5, np.nan, 2.0], dtype=np.float32),
            "whole": [1, 2, 3],
            "small": np.array([1, 2, 3], dtype=np.uint8),
            "truth": [True, False, True],
            "moment": pandas.to_datetime(["2024-01-01 00:00:00.00", None, "2024-01-01 12:30:00.25"]),
            "zoned": pandas.to_datetime(["2024-01-01", None, "2024-06-01"]).tz_localize("Europe/Rome"),
            "span": pandas.to_timedelta([1.5, None, 3], unit="s"),
            "word": ["red", None, " blue "],
            "object": pandas.Series(["red", None, 2.5], dtype=object),
            "dates": pandas.Series([datetime.date(2024, 1, 1), None, datetime.date(2024, 1, 3)], dtype=object),
            "flags": pandas.Series([True, None, False], dtype=object),
            "nullable": pandas.Series([1, None, 3], dtype="Int64"),
            "level": pandas.Categorical(["b", None, "a"], categories=["b", "a"], ordered=True),
        }
    )
    names = list(frame.columns)
    for rows in (frame, frame.iloc[[1]], frame.iloc[[2]]):
        found = _tables.columns_of_frame(rows, names)
        in_general = [_tables._column(name, own) for name, own in zip(names, _tables._frame(rows).iter_columns(), strict=True)]
        for ours, theirs in zip(found, in_general, strict=True):
            assert (ours[0], *ours[2:]) == (theirs[0], *theirs[2:])
            assert type(ours[1]) is type(theirs[1]), ours[0]
            if isinstance(ours[1], np.ndarray):
                assert ours[1].dtype == theirs[1].dtype and np.array_equal(ours[1], theirs[1], equal_nan=True), ours[0]
            else:
                assert ours[1] == theirs[1], ours[0]


def test_one_record_is_read_as_a_frame_of_one_row():
    model = EntropicOneClass().fit(MIXED)
    for i in (0, 3):
        row = MIXED.iloc[i].to_dict()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = model.score_samples(MIXED.iloc[[i]])
            assert model.score_samples([row]) == expected
            assert model.score_samples([dict(reversed(row.items()))]) == expected


MIXED = pandas.DataFrame(
    {
        "size": [1.0, 2.0, np.nan, 4.0, 2.5, 3.5] * 8,
        "color": ["red", "blue", "red", None, "green", "blue"] * 8,
        "grade": pandas.Categorical(["c", "b", "a", "b", "c", "a"] * 8, categories=["c", "b", "a"], ordered=True),
        "old": [True, False, True, False, False, True] * 8,
    }
)


def test_mixed_tables_go_through_views():
    model = EntropicOneClass().fit(MIXED)
    assert model._model.kind == "rows of a mixed table" and model._model.metric == "views"
    assert [column[:2] for column in model._model.shape] == [
        ("size", "number"),
        ("color", "category"),
        ("grade", "ordered"),
        ("old", "boolean"),
    ]
    assert model._model.shape[2][2] == ["c", "b", "a"]
    odd = MIXED.iloc[:2].assign(size=1e3, color="ultraviolet")
    assert (model.score_samples(odd) < model.score_samples(MIXED.iloc[:2])).all()
    assert set(model.explain(odd)[0].shares) == {"size", "color", "grade", "old"}
    with pytest.raises(ValueError, match="feature names"):
        model.score_samples(MIXED.rename(columns={"size": "length"}))
    with pytest.raises(ValueError, match="column 'size' of X, row 0: .*number"):
        model.score_samples(MIXED.assign(size="large"))


def test_mixed_tables_of_any_kind_are_the_same():
    scores = EntropicOneClass().fit(MIXED).score_samples(MIXED)
    as_polars = polars.from_pandas(MIXED).with_columns(polars.col("grade").cast(polars.Enum(["c", "b", "a"])))
    assert np.array_equal(EntropicOneClass().fit(as_polars).score_samples(as_polars), scores)
    # Arrays of objects have no ordered categories.
    plain = MIXED.astype({"grade": str})
    scores = EntropicOneClass("gower").fit(plain).score_samples(plain)
    objects = plain.to_numpy(dtype=object)
    model = EntropicOneClass("gower").fit(objects)
    assert np.array_equal(model.score_samples(objects), scores)
    arrow = pyarrow.Table.from_pandas(plain)
    assert np.array_equal(EntropicOneClass("gower").fit(arrow).score_samples(arrow), scores)
    with pytest.raises(ValueError, match="X has 3 features, but EntropicOneClass is expecting 4"):
        model.score_samples(objects[:, :3])


def test_a_table_of_one_text_column_holds_strings():
    texts = [f"{i:b}" for i in range(1000, 1060)]
    model = EntropicOneClass().fit(pandas.DataFrame({"text": texts}))
    assert model._model.kind == "strings"
    assert np.array_equal(model.score_samples(polars.DataFrame({"text": texts})), model.score_samples(texts))
    with pytest.raises(ValueError, match="several columns hold such; choose one"):
        model.predict(pandas.DataFrame({"a": texts, "b": texts}))


def test_records_have_a_part_for_each_text():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "motif": ["".join(rng.choice(list("abc"), size=8)) for _ in range(50)],
            "wave": [rng.normal(size=12) for _ in range(50)],
            "x": rng.normal(size=50),
            "y": rng.normal(size=50),
        }
    )
    model = EntropicOneClass().fit(frame)
    assert model._model.kind == "records"
    assert [part[:2] for part in model._model.shape] == [
        ("motif", "strings"),
        ("wave", "time series"),
        ("table", "rows of a mixed table"),
    ]
    odd = frame.iloc[:1].assign(x=99.0)
    assert model.score_samples(odd)[0] < model.score_samples(frame.iloc[:1])[0]
    shares = model.explain(odd)[0].shares
    assert list(shares) == ["motif", "wave", "x", "y"] and max(shares, key=shares.get) == "x"


def test_arrays_that_lie_askew_or_are_read_only(nominal, fresh):
    expected = EntropicOneClass().fit(nominal).score_samples(fresh)
    buffer = bytearray(fresh.nbytes + 1)
    askew = np.frombuffer(buffer, dtype=np.float64, count=fresh.size, offset=1).reshape(fresh.shape)
    askew[:] = fresh
    assert not askew.flags.aligned
    frozen = fresh.copy()
    frozen.setflags(write=False)
    model = EntropicOneClass().fit(nominal)
    for rows in (askew, frozen, np.asfortranarray(fresh), np.repeat(fresh, 2, axis=0)[::2], fresh.tolist()):
        assert np.array_equal(model.score_samples(rows), expected)
        assert np.array_equal(model.score_samples(rows[:1]), expected[:1])
    big = EntropicOneClass().fit(nominal.astype(">f8"))
    assert np.array_equal(big.score_samples(fresh.astype(">f8")), expected)


def test_truth_values_are_the_words_that_the_program_knows():
    frame = pandas.DataFrame({"old": ["yes", "no", "yes"] * 20, "x": np.arange(60.0) % 7})
    model = EntropicOneClass().fit(frame)
    assert model._model.shape[0][:2] == ("old", "boolean")
    expected = model.score_samples(frame.iloc[:2])
    for words in (["TRUE", "False"], ["1", "0"], [True, False], [" Yes ", "NO"]):
        assert np.array_equal(model.score_samples(frame.iloc[:2].assign(old=words)), expected)
    # An unknown word differs from both.
    odd = model.score_samples(frame.iloc[:2].assign(old=["maybe", "no"]))
    assert odd[0] < expected[0] and odd[1] == expected[1]
