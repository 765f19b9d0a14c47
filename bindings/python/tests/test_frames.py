"""Realistic data frames: keys, classes, dates, missing values, words; by the rules of the program."""

import datetime
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from sklearn.model_selection import KFold

from eocc import ColumnInfo, EntropicOneClass

N = 80


def frame(n=N, seed=0):
    """Two numbers and a word."""
    rng = np.random.default_rng(seed)
    return pandas.DataFrame(
        {"x": rng.normal(size=n), "y2": rng.normal(size=n), "town": rng.choice(["Como", "Lugano", "Milano"], size=n)}
    )


def scores(train, new, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EntropicOneClass(**parameters).fit(train).score_samples(new)


# -- dates


def moments(n=N, seed=1):
    """Times in January 2024 in whole milliseconds, unordered."""
    rng = np.random.default_rng(seed)
    start = np.datetime64("2024-01-01", "ms").astype(np.int64)
    return (start + rng.integers(0, 31 * 86_400_000, size=n)).astype("datetime64[ms]")


def test_a_date_is_the_same_in_every_resolution_and_library():
    base = frame().assign(when=pandas.Series(moments()).astype("datetime64[ms]"))
    odd = frame(8, seed=2).assign(when=pandas.Series(moments(8, seed=3)).astype("datetime64[ms]"))
    odd.loc[0, "when"] = pandas.Timestamp("2035-06-01")
    expected = scores(base, odd)
    assert np.argmin(expected) == 0
    model = EntropicOneClass().fit(base)

    def others(f):
        for unit in ("ms", "us", "ns"):
            yield f.assign(when=f["when"].astype(f"datetime64[{unit}]"))
        yield f.assign(when=f["when"].dt.tz_localize("UTC"))
        yield f.assign(when=f["when"].dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"))
        yield f.assign(when=pandas.Series(list(f["when"].dt.to_pydatetime()), dtype=object, index=f.index))
        yield polars.from_pandas(f)
        yield polars.from_pandas(f).with_columns(polars.col("when").cast(polars.Datetime("ns")))
        yield pyarrow.Table.from_pandas(f)
        yield pyarrow.Table.from_pandas(f.assign(when=f["when"].astype("datetime64[us]")))

    for train, new in zip(others(base), others(odd), strict=True):
        assert np.array_equal(scores(train, new), expected)
        assert np.array_equal(model.score_samples(new), expected)


def test_days_are_dates_too():
    days = moments().astype("datetime64[D]")
    as_moments = frame().assign(when=pandas.Series(days).astype("datetime64[s]"))
    expected = scores(as_moments, as_moments)
    objects = frame().assign(when=[datetime.date.fromisoformat(str(day)) for day in days])
    assert np.array_equal(scores(objects, objects), expected)
    as_polars = polars.from_pandas(as_moments).with_columns(polars.col("when").cast(polars.Date))
    assert np.array_equal(scores(as_polars, as_polars), expected)


def test_no_moment_is_missing():
    base = frame().assign(when=pandas.Series(moments()).astype("datetime64[ns]"))
    base.loc[::9, "when"] = pandas.NaT
    new = frame(2, seed=2).assign(when=pandas.to_datetime(["2024-01-15", "2035-01-01"]))
    new = pandas.concat([new.iloc[[0]], new.iloc[[0]].assign(when=new["when"].iloc[1])])
    near, far = scores(base, new)
    assert far < near
    model = EntropicOneClass().fit(base)
    assert model.p_value(new)[1] < 0.2
    objects = base.assign(when=pandas.Series(list(base["when"]), dtype=object))
    assert np.array_equal(scores(objects, new), scores(base, new))


# -- missing values of pandas


def holes():
    return pandas.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 4.5, 2.5, 3.5] * 8,
            "count": [1, 2, 3, None, 5, 2] * 8,
            "color": ["red", "blue", "red", None, "green", "blue"] * 8,
            "old": [True, False, None, False, False, True] * 8,
        }
    )


def test_nullable_types_give_the_same_model():
    plain = holes()
    nullable = plain.convert_dtypes()
    assert [str(t) for t in nullable.dtypes] == ["Float64", "Int64", "string", "boolean"]
    first, second = EntropicOneClass().fit(plain), EntropicOneClass().fit(nullable)
    assert first._model.to_bytes() == second._model.to_bytes()
    assert np.array_equal(first.score_samples(nullable), second.score_samples(plain))
    arrow = plain.convert_dtypes(dtype_backend="pyarrow")
    assert EntropicOneClass().fit(arrow)._model.to_bytes() == first._model.to_bytes()
    assert [c.type for c in first.schema_] == ["number", "number", "category", "boolean"]


def askew(values):
    buffer = bytearray(values.nbytes + 1)
    out = np.frombuffer(buffer, dtype=values.dtype, count=values.size, offset=1)
    out[:] = values
    assert not out.flags.aligned
    return out


def test_columns_that_lie_askew():
    base = frame().assign(count=np.arange(N)[::-1] % 7)
    tilted = pandas.DataFrame({"x": 0.0}, index=base.index).drop(columns="x")
    tilted = pandas.concat(
        [pandas.Series(askew(base[name].to_numpy()), name=name, copy=False) for name in ("x", "y2", "count")], axis=1
    ).assign(town=base["town"])[list(base.columns)]
    assert np.array_equal(scores(tilted, tilted), scores(base, base))
    column = pyarrow.Array.from_buffers(
        pyarrow.float64(), N, [None, pyarrow.py_buffer(bytes(1) + base["x"].to_numpy().tobytes()).slice(1)]
    )
    table = pyarrow.table({"x": column, "y2": base["y2"], "town": base["town"], "count": base["count"]})
    assert np.array_equal(scores(table, table), scores(base, base))


# -- words


def test_thirty_cities_are_a_category_in_any_number_of_rows():
    rng = np.random.default_rng(0)
    cities = [f"city {chr(65 + i)}" for i in range(30)]
    for n in (100, 200, 300):
        table = pandas.DataFrame({"x": rng.normal(size=n), "city": rng.choice(cities, size=n)})
        for train, _ in KFold(10).split(table):
            model = EntropicOneClass().fit(table.iloc[train])
            assert [c.type for c in model.schema_] == ["number", "category"]
        assert set(model.explain(table.iloc[:1])[0].shares) == {"x", "city"}


# -- roles


def people(n=N, seed=0):
    rng = np.random.default_rng(seed)
    return frame(n, seed).assign(id=range(1000, 1000 + n), label=rng.choice(["good", "fair"], size=n))


def test_keys_and_classes_are_no_features_and_said_so_once():
    table = people()
    with pytest.warns(UserWarning, match="2 columns are not features: 'id' .*types={'id': 'number'}.*'label'") as caught:
        model = EntropicOneClass().fit(table)
    assert len(caught) == 1 and caught[0].filename == __file__
    assert list(model.feature_names_in_) == ["x", "y2", "town"] and model.n_features_in_ == 3
    assert model.schema_[3] == ColumnInfo("id", "number", "key", "names the samples")
    assert [c.role for c in model.schema_] == ["feature", "feature", "feature", "key", "classes"]
    assert list(pandas.DataFrame(model.schema_).columns) == ["name", "type", "role", "why"]
    # They may be missing when samples are scored; others may not.
    expected = model.score_samples(table)
    assert np.array_equal(model.score_samples(table.drop(columns=["id", "label"])), expected)
    assert np.array_equal(model.score_samples(table.drop(columns="label")), expected)
    with pytest.raises(ValueError, match="feature names"):
        model.score_samples(table.assign(weight=1.0))
    # Numbers alone: the same rules.
    numbers = table[["id", "x", "y2"]]
    with pytest.warns(UserWarning, match="one column is not a feature: 'id'"):
        model = EntropicOneClass().fit(numbers)
    later = numbers.assign(id=numbers["id"] + 10_000)
    assert np.array_equal(model.score_samples(later), model.score_samples(numbers))


def test_types_overrule():
    table = people()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = EntropicOneClass(types={"id": "number", "label": "ignore", "town": "ordered:Milano<Como<Lugano"}).fit(table)
        assert np.isfinite(model.score_samples(table)).all()
    assert {c.name: (c.type, c.role) for c in model.schema_} == {
        "x": ("number", "feature"),
        "y2": ("number", "feature"),
        "town": ("ordered", "feature"),
        "id": ("number", "feature"),
        "label": ("ignore", "ignored"),
    }
    with pytest.raises(ValueError, match=r"types names the column 'twon', but X has no such column \(did you mean 'town'"):
        EntropicOneClass(types={"twon": "text"}).fit(table)
    with pytest.raises(ValueError, match=r"types\['town'\]: no type \"catgory\" \(did you mean category"):
        EntropicOneClass(types={"town": "catgory"}).fit(table)
    with pytest.raises(ValueError, match="types is .*, but must be None where X is not a table"):
        EntropicOneClass(types={"town": "text"}).fit(["a", "b", "c"] * 9)


def test_an_array_has_no_keys():
    rows = np.column_stack([np.arange(50.0), np.random.default_rng(0).normal(size=(50, 2))])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert EntropicOneClass().fit(rows).n_features_in_ == 3
        assert EntropicOneClass().fit(pandas.DataFrame(rows)).n_features_in_ == 3


# -- missing numbers


def with_holes(n=60, seed=0):
    rows = np.random.default_rng(seed).normal(size=(n, 3))
    rows[:: n // 7, 1] = np.nan
    return rows


def test_missing_numbers_are_taken_by_the_default():
    rows = with_holes()
    model = EntropicOneClass().fit(rows)
    assert model.n_features_in_ == 3 and np.isfinite(model.score_samples(rows)).all()
    named = pandas.DataFrame(rows, columns=["a", "b", "c"])
    assert np.array_equal(EntropicOneClass().fit(named).score_samples(named), model.score_samples(rows))
    odd = np.array([[9.0, np.nan, 9.0]])
    assert model.predict(odd)[0] == -1
    assert np.isfinite(EntropicOneClass("gower").fit(rows).score_samples(rows)).all()


@pytest.mark.parametrize("parameters", [{"metric": "euclidean"}, {"preset": "paper"}, {"metric": "l1"}])
def test_missing_numbers_are_refused_by_others_with_what_helps(parameters):
    rows = with_holes()
    for X in (rows, pandas.DataFrame(rows, columns=["a", "b", "c"])):
        with pytest.raises(ValueError, match='NaN.*metric="auto" with preset="default"') as caught:
            EntropicOneClass(**parameters).fit(X)
        assert "HistGradientBoosting" not in str(caught.value)
    model = EntropicOneClass(**parameters).fit(np.nan_to_num(rows))
    with pytest.raises(ValueError, match="NaN") as caught:
        model.predict(rows)
    assert "HistGradientBoosting" not in str(caught.value)


def test_rows_that_lack_values_are_scored_by_a_model_of_complete_ones():
    rows = np.random.default_rng(0).normal(size=(100, 3))
    model = EntropicOneClass().fit(rows)
    new = rows[:4].copy()
    new[0, 1] = np.nan
    scores = model.score_samples(new)
    assert np.isfinite(scores).all() and np.array_equal(scores[1:], model.score_samples(rows[1:4]))
    # One by one, which takes a faster path.
    assert [model.score_samples(row[None])[0] for row in new] == list(scores)
    assert list(model.explain(new[:1])[0].shares) == ["x0", "x1", "x2"]
    named = EntropicOneClass().fit(pandas.DataFrame(rows, columns=["a", "b", "c"]))
    assert np.array_equal(named.score_samples(pandas.DataFrame(new, columns=["a", "b", "c"])), scores)


def test_numbers_and_texts_in_one_column_are_what_they_are_in_a_file():
    mostly = frame().assign(mark=[*range(N - 1), "none yet"])
    with pytest.raises(ValueError, match=r"column 'mark' of X, row 79: \"none yet\" is not a number, but 79 of the 80"):
        EntropicOneClass().fit(mostly)
    said = EntropicOneClass(types={"mark": "ignore"}).fit(mostly)
    assert said.schema_[-1].role == "ignored"
    rarely = frame().assign(mark=["high", "low", 3, "low"] * (N // 4))
    assert EntropicOneClass().fit(rarely).schema_[-1].type == "category"


def test_exact_decimals_are_numbers():
    import decimal

    exact = frame().assign(x=[decimal.Decimal(f"{v:.3f}") for v in frame()["x"]])
    assert EntropicOneClass().fit(exact).schema_[0].type == "number"
