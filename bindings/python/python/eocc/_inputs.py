"""What users hand over, brought to what the rest of the package knows: arrays, lists and data frames."""

from collections import deque
from collections.abc import Iterator, KeysView, Set, ValuesView
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from . import _eocc


def taken(X: Any) -> Any:
    """X as it is, or as an array, a list or a data frame where it is something else that holds samples."""
    if isinstance(X, (np.ndarray, list, tuple, _eocc.Samples)):
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
    if nw.dependencies.is_pandas_index(X):
        return X.to_frame(index=False) if X.nlevels > 1 else X.to_numpy()
    package = type(X).__module__.partition(".")[0]
    if package == "pyarrow":
        return _of_arrow(X)
    if package == "scipy":
        return _dense(X)
    is_known = nw.dependencies.is_into_dataframe(X) or nw.dependencies.is_into_series(X)
    if not is_known and hasattr(X, "__arrow_c_stream__"):
        return _of_stream(X)
    return X


def _of_arrow(X: Any) -> Any:
    """A batch as a table, and a column as a list, or as an array if it holds numbers."""
    import pyarrow

    if isinstance(X, pyarrow.RecordBatch):
        return pyarrow.Table.from_batches([X])
    if isinstance(X, (pyarrow.Array, pyarrow.ChunkedArray)):
        types = pyarrow.types
        is_number = types.is_integer(X.type) or types.is_floating(X.type)
        return np.asarray(X) if is_number else X.to_pylist()
    return X


def _of_stream(X: Any) -> Any:
    """What speaks Arrow's stream interface: a table without a copy of ours."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError(
            f"X is a {type(X).__module__}.{type(X).__name__}, which is read by pyarrow: install it with `pip install pyarrow`"
        ) from error
    return pyarrow.table(X)


def _dense(X: Any) -> Any:
    """A sparse matrix as an array, if there is room for it."""
    from scipy.sparse import issparse

    if not issparse(X) or X.ndim != 2:
        return X
    needed = 8 * X.shape[0] * X.shape[1]
    free = _eocc.available_memory()
    # The library keeps a copy.
    if free is not None and 2 * needed > free:
        raise MemoryError(
            f"X is a sparse matrix of shape {X.shape}, which takes {needed / 1e9:.1f} GB as an array and as much again in the "
            f"model, but {free / 1e9:.1f} GB are available: reduce its columns, by sklearn.decomposition.TruncatedSVD say"
        )
    return X.toarray()
