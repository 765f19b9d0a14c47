"""From Python objects to samples of the library."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from . import _eocc, _graphs, _inputs, _tables
from ._metric import (
    GRAPHS,
    MIXED,
    OBJECTS,
    PRECOMPUTED,
    RECORDS,
    SERIES,
    TABLE,
    TEXTS,
    VECTORS,
    Metric,
    is_function,
    kind_of,
    name_of,
)
from ._warn import warn


def sample_kind(X: Any, metric: Metric) -> str:
    """The kind of samples in X, for a metric that may require one."""
    wanted = kind_of(metric)
    if is_function(metric):
        return _kind_for_function(X)
    if wanted is not None:
        return wanted
    if _tables.is_table(X):
        return TABLE
    if isinstance(X, np.ndarray) and X.ndim == 3:
        return SERIES
    first = _first(X)
    if isinstance(first, str):
        return TEXTS
    if first is not None and _tables.is_table(first):
        raise TypeError(
            "X is a list of data frames: give one frame, such as pandas.concat(X), or [frame.to_numpy() for frame in X] if each is a "
            "time series"
        )
    if _graphs.is_graph(first):
        return GRAPHS
    if isinstance(first, np.ndarray) and first.ndim == 2 or _is_ragged(X):
        return SERIES
    return VECTORS


def _is_ragged(X: Any) -> bool:
    """Whether X is a list of rows of numbers of different lengths, which are then time series."""
    if not isinstance(X, (list, tuple)) and not (isinstance(X, np.ndarray) and X.dtype == object and X.ndim == 1):
        return False
    are_rows = all(isinstance(row, (list, tuple)) or isinstance(row, np.ndarray) and row.ndim == 1 for row in X)
    if not are_rows or len({len(row) for row in X}) < 2:
        return False
    return all(len(row) and all(isinstance(v, (int, float, np.number)) for v in row) for row in X)


def _kind_for_function(X: Any) -> str:
    """A function gets strings, rows of numbers, or any other items of a sequence; rows of a table that are not all
    numbers are dictionaries."""
    if _tables.is_table(X):
        return VECTORS if _tables.is_numeric(X) else OBJECTS
    if isinstance(X, np.ndarray) and X.dtype != object:
        return {1: TEXTS if X.dtype.kind in "UT" else VECTORS, 2: VECTORS}.get(X.ndim, OBJECTS)
    first = _first(X)
    if isinstance(first, str):
        return TEXTS
    is_numbers = isinstance(first, (list, tuple)) and all(isinstance(v, (int, float, np.number)) for v in first)
    is_row = isinstance(first, np.ndarray) and first.ndim == 1 and first.dtype != object
    # The checks of numeric tables refuse anything that is not a sequence of samples.
    return VECTORS if first is None or is_numbers or is_row else OBJECTS


def _first(X: Any) -> Any:
    if isinstance(X, (list, tuple)) or _is_column(X):
        return next(iter(X), None)
    return None


def _is_column(X: Any) -> bool:
    return _tables.is_series(X) or isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype.kind in "OUT"


def make(X: Any, metric: Metric, like: _eocc.Samples | None = None) -> _eocc.Samples:
    """Samples of X without an estimator: in the form of others, or of the detected kind."""
    X = _inputs.taken(X)
    if isinstance(X, _eocc.Samples):
        return X
    kind = sample_kind(X, metric) if like is None else like.kind
    is_frame = _tables.is_table(X) and not is_function(metric)
    if kind == PRECOMPUTED or kind == VECTORS and not is_frame:
        values, names = numbers(X)
        values = aligned(check_array(values, dtype=np.float64, order="C", input_name="X"))
        return _eocc.Samples.vectors(values, names) if kind == VECTORS else _eocc.Samples.precomputed(values, like is None)
    if kind in (TABLE, MIXED, RECORDS, VECTORS):
        if like is not None:
            return like.samples_of_columns(_tables.columns(X))
        is_named = _tables.is_table(X) and _tables.has_names(X)
        return _eocc.Samples.of_columns(_tables.columns(X), is_named=is_named, mixed=kind == MIXED)[0]
    return special(X, metric, kind)


def aligned(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The array made contiguous and aligned; arrays from a network may not be."""
    return np.require(values, requirements=["C", "A"])


def numbers(X: Any) -> tuple[Any, list[str]]:
    """A table of numbers as an array, with the names of its columns if it has any."""
    if _tables.is_table(X):
        return _tables.numbers(X)
    return X, []


def special(X: Any, metric: Metric, kind: str) -> _eocc.Samples:
    """Samples that are not rows of a table; a table with one column holds them like that column."""
    if _tables.is_table(X):
        X = _tables.rows(X) if kind == OBJECTS else _tables.only_column(X)
    if kind == SERIES:
        return _series(X, metric)
    if not (isinstance(X, (list, tuple)) or _is_column(X)):
        what = {TEXTS: "strings", GRAPHS: "graphs"}.get(kind, "samples")
        raise ValueError(f"X must be a sequence of {what}{_because(metric)}, but is {_described(X)}")
    items = list(X)
    if kind == TEXTS:
        for i, item in enumerate(items):
            if not isinstance(item, str):
                raise ValueError(f"X must hold strings only{_because(metric)}, but X[{i}] is {_described(item)}")
        return _eocc.Samples.texts([str(item) for item in items])
    if kind == GRAPHS:
        return _eocc.Samples.graphs(_graphs.read(items))
    return _eocc.Samples.objects(items)


def _series(X: Any, metric: Metric) -> _eocc.Samples:
    if isinstance(X, np.ndarray) and X.dtype.kind in "biuf" and X.ndim not in (2, 3):
        raise ValueError(f"X must be a list of time series{_because(metric)}, but is {_described(X)}")
    if not isinstance(X, (Sequence, np.ndarray)) and not _is_column(X):
        raise ValueError(f"X must be a list of time series{_because(metric)}, but is {_described(X)}")
    if isinstance(X, np.ndarray) and X.ndim == 3 and X.shape[1] < X.shape[2]:
        warn(
            f"X has shape {X.shape} and is read as {X.shape[0]} series of {X.shape[1]} steps and {X.shape[2]} channels; give "
            "X.transpose(0, 2, 1) if its second axis is the channels, as in aeon"
        )
    return _eocc.Samples.series(list(steps(X)))


def steps(X: Iterable[Any]) -> Iterable[np.ndarray]:
    """Each series as an array, with one row per time step and one column per channel. A single channel may omit the
    second axis."""
    for i, one in enumerate(X):
        try:
            values = np.asarray(one, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"X[{i}] must be a time series, but is {_described(one)}") from error
        if values.ndim == 1:
            values = values[:, np.newaxis]
        if values.ndim != 2:
            raise ValueError(f"X[{i}] must have two axes, time and channels, but has {values.ndim}")
        yield aligned(values)


def _because(metric: Metric) -> str:
    return "" if kind_of(metric) is None else f" for metric={name_of(metric)!r}"


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    text = repr(value)
    return f"{text if len(text) < 60 else text[:57] + '...'} ({type(value).__name__})"
