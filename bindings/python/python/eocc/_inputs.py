"""Converts user input to what the rest of the package supports: arrays, lists and data frames."""

from collections import deque
from collections.abc import Iterator, KeysView, Mapping, Set, ValuesView
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from . import _eocc


def taken(X: Any) -> Any:
    """X unchanged, or converted to an array, a list or a data frame if it is another container of samples."""
    if isinstance(X, np.ma.MaskedArray):
        return _unmasked(X)
    if isinstance(X, (str, bytes, bytearray)):
        raise TypeError(f"X is {_short(X)}, which is one sample: give a list of samples, such as [X]")
    if X is None:
        raise TypeError("X is None: give a data frame, an array or a list of samples")
    if isinstance(X, (list, tuple)):
        return _items(X)
    if isinstance(X, np.ndarray) and X.dtype.names:
        raise TypeError("X is a structured array: give a data frame, such as pandas.DataFrame(X)")
    if isinstance(X, (np.ndarray, _eocc.Samples)):
        return X
    if isinstance(getattr(X, "samples", None), _eocc.Samples):
        return X.samples
    if isinstance(X, Iterator):
        instead = "X.read_all()" if hasattr(X, "read_all") else "list(X)"
        raise TypeError(
            f"X is a {type(X).__name__}, which can be read only once, but samples may be read again: give {instead} instead"
        )
    if isinstance(X, (ValuesView, KeysView, deque)):
        return list(X)
    if isinstance(X, Set):
        raise TypeError(f"X is a {type(X).__name__}, which has no order: give a list")
    if nw.dependencies.is_polars_lazyframe(X):
        raise TypeError("X is a polars LazyFrame, which holds no values yet: give X.collect() instead")
    if nw.dependencies.is_dask_dataframe(X):
        raise TypeError("X is a data frame of Dask, which holds no values yet: give X.compute(), or score it by eocc.engines.dask")
    if nw.dependencies.is_pandas_dataframe(X) and X.columns.nlevels > 1:
        return _flat(X)
    if nw.dependencies.is_pandas_index(X):
        return X.to_frame(index=False) if X.nlevels > 1 else X.to_numpy()
    package = type(X).__module__.partition(".")[0]
    if package == "pyarrow":
        return _of_arrow(X)
    if package == "scipy":
        return _dense(X)
    if isinstance(X, Mapping):
        raise TypeError(f"X is a {type(X).__name__}: give a data frame, such as pandas.DataFrame(X), or a list of dictionaries")
    is_known = nw.dependencies.is_into_dataframe(X) or nw.dependencies.is_into_series(X)
    if not is_known and hasattr(X, "__arrow_c_stream__"):
        return _of_stream(X)
    return X


def _unmasked(X: Any) -> Any:
    """A masked array as a plain one, NaN or None where it is masked."""
    if X.dtype.kind in "biuf":
        return X.astype(np.float64).filled(np.nan)
    return X.astype(object).filled(None)


def _flat(X: Any) -> Any:
    """A pandas frame whose columns have names of one level, joined from those of several."""
    names = ["_".join(str(part) for part in name if str(part)) for name in X.columns]
    return X.set_axis(names if len(set(names)) == len(names) else [str(name) for name in X.columns], axis=1)


def _items(X: Any) -> Any:
    """A sequence unchanged, unless it contains bytes."""
    for i, item in enumerate(X[:1]):
        if isinstance(item, (bytes, bytearray)):
            raise TypeError(f"X[{i}] is {_short(item)}: give text, as in [item.decode() for item in X]")
    return X


def _short(value: Any) -> str:
    text = repr(value)
    return f"{text if len(text) < 60 else text[:57] + '...'} ({type(value).__name__})"


def is_records(X: Any) -> bool:
    """Whether X is a list of dictionaries, as in a web service."""
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(isinstance(item, Mapping) for item in X)


def records(X: Any, expected: list[str]) -> Any:
    """Dictionaries as a data frame; the expected columns are included, empty if no dictionary has them."""
    from ._decisions import pandas_for

    names = list(dict.fromkeys(str(name) for item in X for name in item))
    if expected and not any(name in names for name in expected):
        expected = []
    names = [*expected, *(name for name in names if name not in expected)]
    rows = [{str(name): value for name, value in item.items()} for item in X]
    pandas = pandas_for("a list of dictionaries")
    return pandas.DataFrame({name: pandas.Series([row.get(name) for row in rows], dtype=object).infer_objects() for name in names})


def _of_arrow(X: Any) -> Any:
    """A batch as a table, and a column as a list, or as an array if it is numeric."""
    import pyarrow

    if isinstance(X, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([X])
    if isinstance(X, (pyarrow.Array, pyarrow.ChunkedArray)):
        types = pyarrow.types
        is_number = types.is_integer(X.type) or types.is_floating(X.type)
        return np.asarray(X) if is_number else X.to_pylist()
    return X


def _of_stream(X: Any) -> Any:
    """An object with Arrow's stream interface as a table, without copying."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"X is a {type(X).__module__}.{type(X).__name__}, which is read by pyarrow: install it with `pip install pyarrow`"
        ) from error
    return pyarrow.table(X)


def _dense(X: Any) -> Any:
    """A sparse matrix as an array, if it fits in memory."""
    from scipy.sparse import issparse

    if not issparse(X) or X.ndim != 2:
        return X
    needed = 8 * X.shape[0] * X.shape[1]
    free = _eocc.available_memory()
    # The library makes a copy.
    if free is not None and 2 * needed > free:
        raise MemoryError(
            f"X is a sparse matrix of shape {X.shape}, which takes {needed / 1e9:.1f} GB as an array and as much again in the "
            f"model, but {free / 1e9:.1f} GB are available: reduce its columns, by sklearn.decomposition.TruncatedSVD say"
        )
    return X.toarray()
