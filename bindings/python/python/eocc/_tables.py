"""Tables of pandas, polars, Arrow and whatever else narwhals knows, and arrays of mixed columns."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from . import _eocc, _graphs

#: Name, values, and levels of an ordered category.
Column = tuple[str, Any, list[str] | None]


def whole(X: Any) -> Any:
    """X as it is, but a batch of Arrow as a table."""
    kind = type(X)
    if kind.__module__.partition(".")[0] == "pyarrow" and kind.__name__ == "RecordBatch":
        import pyarrow

        return pyarrow.Table.from_batches([X])
    return X


def is_table(X: Any) -> bool:
    """Whether X is a data frame."""
    return bool(nw.dependencies.is_into_dataframe(X))


def is_series(X: Any) -> bool:
    """Whether X is a column of a data frame."""
    return bool(nw.dependencies.is_into_series(X))


def _frame(X: Any) -> Any:
    return nw.from_native(X, eager_only=True)


def is_numeric(X: Any) -> bool:
    """Whether all columns are numbers."""
    return all(column.dtype.is_numeric() for column in _frame(X).iter_columns())


def numbers(X: Any) -> tuple[NDArray[np.float64], list[str]]:
    """A table of numbers row by row; a copy only if it is not so already."""
    frame = _frame(X)
    names = [str(name) for name in frame.columns]
    for name, column in zip(frame.columns, frame.iter_columns(), strict=True):
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
            bad = next((v for v in column.to_list() if not isinstance(v, (int, float, np.number))), None)
            if bad is not None:
                raise ValueError(f"could not convert X to numbers: column {name!r} holds {bad!r}")
    return np.ascontiguousarray(frame.to_numpy(), dtype=np.float64), names if _are_texts(frame.columns) else []


#: Fewest rows by which a column that only rises is taken for a key, as the program has it.
FEWEST_KEYS = 10


def keys(X: Any) -> list[str]:
    """The columns of whole numbers or moments that only rise: running numbers and times, which no new sample repeats."""
    frame = _frame(X)
    if len(frame) < FEWEST_KEYS or len(frame.columns) < 2:
        return []
    found = []
    for name, column in zip(frame.columns, frame.iter_columns(), strict=True):
        if not (column.dtype.is_integer() or column.dtype in (nw.Datetime, nw.Date)) or column.null_count() > 0:
            continue
        values = column.to_numpy()
        if bool((values[1:] > values[:-1]).all()):
            found.append(str(name))
    return found


def only_column(X: Any) -> list[Any]:
    """The values of a table of one column."""
    frame = _frame(X)
    if len(frame.columns) != 1:
        raise ValueError(f"X must have one column for these samples, but has {len(frame.columns)}")
    return next(frame.iter_columns()).to_list()  # type: ignore[no-any-return]


def _are_texts(names: Any) -> bool:
    return all(isinstance(name, str) for name in names)


def names(X: Any) -> list[str]:
    """The names of the columns; numbered ones if X has none."""
    if is_table(X):
        return [str(name) for name in _frame(X).columns]
    X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        raise ValueError(f"X must be a table, but has {X.ndim} dimensions. Reshape your data")
    return [f"x{i}" for i in range(X.shape[1])]


def columns(X: Any) -> list[Column]:
    """The columns as the library takes them: it decides what they are, by the rules that the program reads files by."""
    if is_table(X):
        frame = _frame(X)
        return [_column(str(name), own) for name, own in zip(frame.columns, frame.iter_columns(), strict=True)]
    # An array: each column by itself, numbers where all of them are.
    array = np.asarray(X, dtype=object)
    return [(name, _values(name, array[:, i].tolist()), None) for i, name in enumerate(names(X))]


def _column(name: str, column: Any) -> Column:
    dtype = column.dtype
    if dtype.is_numeric():
        return name, _numbers(column), None
    levels = [str(level) for level in dtype.categories] if isinstance(dtype, nw.Enum) else None
    if levels is not None or dtype == nw.Categorical:
        return name, [None if _is_missing(v) else str(v).strip() for v in column.to_list()], levels
    return name, _values(name, column.to_list()), None


def _numbers(column: Any) -> NDArray[np.float64]:
    try:
        values = np.ascontiguousarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array([np.nan if _is_missing(v) else v for v in column.to_list()], dtype=np.float64)
    return np.require(values, requirements=["C", "A"])


def _values(name: str, values: list[Any]) -> Any:
    """Values of any type: truth values, numbers, texts, or samples by themselves."""
    values = [None if _is_missing(v) else v for v in values]
    present = [v for v in values if v is not None]
    first = next(iter(present), None)
    if present and all(isinstance(v, (bool, np.bool_)) for v in present):
        return [None if v is None else bool(v) for v in values]
    if all(isinstance(v, (int, float, np.number, np.bool_)) for v in present):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    if _graphs.is_graph(first):
        return _eocc.Samples.graphs(_graphs.read(values))
    if isinstance(first, (list, tuple, np.ndarray)):
        from ._samples import steps

        return _eocc.Samples.series(list(steps(values)))
    return [None if v is None else str(v) for v in values]


def _is_missing(value: Any) -> bool:
    # NaN of whatever type, and nothing else of these, differs from itself.
    return value is None or isinstance(value, (float, np.floating)) and value != value
