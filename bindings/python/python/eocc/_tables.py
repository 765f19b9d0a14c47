"""Tables of pandas, polars, Arrow and whatever else narwhals knows, and arrays of mixed columns."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from . import _eocc, _graphs
from ._metric import GRAPHS, MIXED, RECORDS, SERIES, TEXTS, VECTORS

Column = tuple[str, str, list[str], NDArray[np.float64]]
#: The name of the part of a record that holds all plain columns.
TABLE = "table"


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


def look(X: Any) -> str:
    """Vectors if all columns are numbers; else what the columns make, by the program's rules."""
    frame = _frame(X)
    if all(column.dtype.is_numeric() for column in frame.iter_columns()):
        return VECTORS
    kinds = [_kind(column) for column in frame.iter_columns()]
    special = [kind for kind in kinds if kind in (TEXTS, SERIES, GRAPHS)]
    if not special:
        return MIXED
    return special[0] if len(kinds) == 1 else RECORDS


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


def samples(X: Any, kind: str, shape: Any = None) -> _eocc.Samples:
    """Rows of a mixed table, or records. `shape` is what a model wants, if there is one."""
    columns = _columns(X)
    if kind == MIXED:
        wanted = {name: of for name, of, _ in shape} if shape else {}
        return _mixed(columns, wanted)
    if shape:
        return _eocc.Samples.records([(name, _part(columns, name, word, own)) for name, word, own in shape])
    special = {name: _kind(column) for name, column in columns.items()}
    parts = [(n, _part(columns, n, k, None)) for n, k in special.items() if k in (TEXTS, SERIES, GRAPHS)]
    plain = {name: column for name, column in columns.items() if special[name] not in (TEXTS, SERIES, GRAPHS)}
    if plain:
        is_numeric = all(c.dtype.is_numeric() and not np.isnan(_cells(c)).any() for c in plain.values())
        parts.append((TABLE, _vectors(plain) if is_numeric else _mixed(plain, {})))
    return _eocc.Samples.records(parts)


def _columns(X: Any) -> dict[str, Any]:
    if is_table(X):
        frame = _frame(X)
        return {str(name): column for name, column in zip(frame.columns, frame.iter_columns(), strict=True)}
    # An array: each column by itself, numbers where all of them are.
    array = np.asarray(X, dtype=object)
    return {name: _Plain(array[:, i]) for i, name in enumerate(names(X))}


class _Plain:
    """A column of an array, as far as it is needed here."""

    def __init__(self, values: NDArray[np.object_]) -> None:
        self.values = [None if v is None or v != v else v for v in values]
        is_truth = all(isinstance(v, (bool, np.bool_)) for v in self.values if v is not None)
        is_number = all(isinstance(v, (int, float, np.number)) for v in self.values if v is not None)
        self.dtype: Any = nw.Boolean() if is_truth and any(v is not None for v in self.values) else nw.Object()
        if is_number and not is_truth:
            self.dtype = nw.Float64()

    def to_list(self) -> list[Any]:
        return self.values

    def to_numpy(self) -> NDArray[np.float64]:
        return np.array([np.nan if v is None else v for v in self.values], dtype=np.float64)


def _part(columns: dict[str, Any], name: str, kind: str, shape: Any) -> _eocc.Samples:
    if kind == VECTORS:
        return _vectors({own: _wanted(columns, own) for own in shape})
    if kind == MIXED:
        return _mixed({own: _wanted(columns, own) for own, _, _ in shape}, {own: of for own, of, _ in shape})
    values = _wanted(columns, name).to_list()
    if kind == TEXTS:
        if any(not isinstance(v, str) for v in values):
            raise ValueError(f"column {name!r} of X must hold texts, none of them missing")
        return _eocc.Samples.texts([str(v) for v in values])
    if kind == SERIES:
        from ._samples import steps

        return _eocc.Samples.series(list(steps(values)))
    return _eocc.Samples.graphs(_graphs.read(values))


def _wanted(columns: dict[str, Any], name: str) -> Any:
    if name not in columns:
        raise ValueError(f"X has no column {name!r}, which the model was fitted on")
    return columns[name]


def _vectors(columns: dict[str, Any]) -> _eocc.Samples:
    values = np.column_stack([_cells(column) for column in columns.values()])
    return _eocc.Samples.vectors(np.ascontiguousarray(values), list(columns))


def _mixed(columns: dict[str, Any], wanted: dict[str, str]) -> _eocc.Samples:
    return _eocc.Samples.mixed([_column(name, column, wanted.get(name)) for name, column in columns.items()])


def _kind(column: Any) -> str:
    """Number, boolean, category, ordered, or a type of samples."""
    dtype = column.dtype
    if dtype.is_numeric():
        return "number"
    if dtype == nw.Boolean:
        return "boolean"
    if isinstance(dtype, nw.Enum):
        return "ordered"
    if dtype == nw.Categorical:
        return "category"
    values = column.to_list()
    first = next((v for v in values if not _is_hole(v)), None)
    if isinstance(first, str):
        word = _eocc.text_type([None if _is_hole(v) else str(v) for v in values])
        return TEXTS if word == "text" else word
    if _graphs.is_graph(first):
        return GRAPHS
    if isinstance(first, (list, tuple, np.ndarray)):
        return SERIES
    if isinstance(first, (bool, np.bool_)):
        return "boolean"
    return "number"


def _is_hole(value: Any) -> bool:
    # NaN of whatever type, and nothing else of these, differs from itself.
    return value is None or isinstance(value, (float, np.floating)) and value != value


def _cells(column: Any) -> NDArray[np.float64]:
    try:
        return np.ascontiguousarray(column.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        return np.array([np.nan if _is_hole(v) else v for v in column.to_list()], dtype=np.float64)


_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}


def _column(name: str, column: Any, wanted: str | None) -> Column:
    kind = wanted or _kind(column)
    try:
        if kind == "number":
            return name, kind, [], _cells(column)
        values = column.to_list()
        if kind == "boolean":
            return name, kind, [], np.array([_truth(v) for v in values], dtype=np.float64)
        words = [None if _is_hole(v) else str(v).strip() for v in values]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} of X must hold {kind} values: {error}") from error
    if isinstance(column.dtype, nw.Enum):
        levels = [str(level) for level in column.dtype.categories]
    else:
        levels = sorted({word for word in words if word is not None})
    place = {level: float(at) for at, level in enumerate(levels)}
    cells = np.array([np.nan if word is None else place[word] for word in words], dtype=np.float64)
    return name, kind, levels, cells


def _truth(value: Any) -> float:
    if _is_hole(value):
        return np.nan
    return _WORDS[value.strip().lower()] if isinstance(value, str) else float(bool(value))
