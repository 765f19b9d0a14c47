"""What X may be besides arrays, lists and data frames; and the remedies if it is not supported."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
from conftest import words
from scipy.sparse import coo_array, csr_array, csr_matrix

from eocc import EntropicOneClass, _eocc, _tables, find_outliers, pairwise_dissimilarities

TEXTS = words()


def rows():
    values = np.random.default_rng(0).normal(size=(60, 4))
    values[np.abs(values) < 0.5] = 0.0
    return values


@pytest.mark.parametrize("make", [csr_array, csr_matrix, coo_array], ids=lambda make: make.__name__)
def test_sparse_matrices_are_made_dense(make):
    expected = EntropicOneClass().fit(rows()).score_samples(rows())
    model = EntropicOneClass().fit(make(rows()))
    assert np.array_equal(model.score_samples(make(rows())), expected)
    assert np.array_equal(pairwise_dissimilarities(make(rows())), pairwise_dissimilarities(rows()))


def test_a_sparse_matrix_that_is_too_large_names_its_size(monkeypatch):
    monkeypatch.setattr(_eocc, "available_memory", lambda: 10**9)
    huge = csr_array((10**6, 10**5))
    with pytest.raises(MemoryError, match=r"sparse matrix of shape \(1000000, 100000\), which takes 800.0 GB"):
        EntropicOneClass().fit(huge)


def test_generators_are_asked_to_be_lists():
    for X in ((t for t in TEXTS), iter(TEXTS), map(str, TEXTS)):
        with pytest.raises(TypeError, match=r"X is a .*, which can be read only once.*list\(X\)"):
            EntropicOneClass().fit(X)
    with pytest.raises(TypeError, match="no order"):
        EntropicOneClass().fit(set(TEXTS))
    expected = EntropicOneClass().fit(TEXTS).score_samples(TEXTS)
    by_name = dict(enumerate(TEXTS))
    assert np.array_equal(EntropicOneClass().fit(by_name.values()).score_samples(by_name.values()), expected)


def test_a_lazy_frame_is_asked_to_be_collected():
    lazy = polars.DataFrame({"a": [1.0, 2.0, 3.0]}).lazy()
    with pytest.raises(TypeError, match=r"polars LazyFrame.*X\.collect\(\)"):
        EntropicOneClass().fit(lazy)
    model = EntropicOneClass().fit(rows())
    with pytest.raises(TypeError, match="collect"):
        model.predict(lazy)


def test_columns_of_strings():
    expected = EntropicOneClass().fit(TEXTS).score_samples(TEXTS)
    for X in (
        pandas.Index(TEXTS),
        pandas.Series(TEXTS, dtype="string"),
        polars.Series(TEXTS),
        pyarrow.array(TEXTS),
        pyarrow.chunked_array([TEXTS[:30], TEXTS[30:]]),
        pyarrow.array(TEXTS).dictionary_encode(),
    ):
        assert np.array_equal(EntropicOneClass().fit(X).score_samples(X), expected)
    holes = pandas.Series([*TEXTS, None], dtype="string")
    with pytest.raises(ValueError, match=r"X must hold strings only, but X\[60\] is"):
        EntropicOneClass().fit(holes)


class Stream:
    """An object with nothing but Arrow's stream interface."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_arrow_streams_and_readers():
    table = pyarrow.table({"a": rows()[:, 0], "b": rows()[:, 1], "town": ["Como", "Lugano"] * 30})
    expected = EntropicOneClass().fit(table).score_samples(table)
    model = EntropicOneClass().fit(Stream(table))
    assert np.array_equal(model.score_samples(Stream(table)), expected)
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=7))
    with pytest.raises(TypeError, match=r"RecordBatchReader.*X\.read_all\(\)"):
        model.score_samples(reader)


def test_arrow_numbers_are_not_copied_on_the_way():
    floats, whole = pyarrow.array(rows()[:, 0]), pyarrow.array(np.arange(60))
    table = pyarrow.table({"a": floats, "b": whole})
    given = {name: values for name, values, *_ in _tables.columns(table)}
    assert np.shares_memory(given["a"], floats.to_numpy())
    assert np.shares_memory(given["b"], whole.to_numpy())
    frame = pandas.DataFrame({"a": np.arange(9.0)})
    assert np.shares_memory(_tables.columns(frame)[0][1], frame["a"].to_numpy())


def test_a_function_is_given_rows_of_a_mixed_frame_as_dictionaries():
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"age": rng.integers(20, 60, size=40), "town": rng.choice(["Como", "Lugano"], size=40)})

    def metric(a, b):
        return abs(a["age"] - b["age"]) / 10 + (a["town"] != b["town"])

    model = EntropicOneClass(metric).fit(frame)
    assert model.n_features_in_ == 2
    odd = pandas.DataFrame({"age": [300], "town": ["Atlantis"]})
    assert model.predict(odd)[0] == -1
    as_polars = polars.from_pandas(frame)
    assert np.array_equal(EntropicOneClass(metric).fit(as_polars).score_samples(as_polars), model.score_samples(frame))
    numbers = frame[["age"]]
    block = EntropicOneClass(lambda a, b: abs(a[0] - b[0])).fit(numbers)
    assert block.predict(odd[["age"]])[0] == -1
    assert len(find_outliers(frame, metric, top=3)) == 3
