"""Tables of pandas, polars, Arrow and anything else supported by narwhals, and arrays of mixed columns."""

import datetime
import decimal
import fractions
import re
from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from . import _eocc, _graphs
from ._warn import warn

#: Name, values, levels of an ordered category, and a mark: "moments" are numbers of seconds since 1970, "raw" are
#: texts as in a file without types or numbers, "words" are texts that are never numbers.
Column = tuple[str, Any, list[str] | None, str | None]

EPOCH = datetime.datetime(1970, 1, 1)
#: Integers up to here are exact as floats.
EXACT = 2**53
#: Types of integers that may be longer.
LONG = (nw.Int64, nw.UInt64)
#: Types of integers that NumPy does not have.
WIDE = (nw.Int128, nw.UInt128)
#: Units of NumPy's datetimes per second.
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


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


def is_plain(X: Any) -> bool:
    """Whether all columns are numbers or booleans that a float holds exactly, so that no other reading is possible."""

    def holds(column: Any) -> bool:
        dtype = column.dtype
        return dtype.is_numeric() and dtype not in WIDE and not (dtype in LONG and _is_long(column))

    return all(column.dtype == nw.Boolean or holds(column) for column in _frame(X).iter_columns())


def _is_long(column: Any) -> bool:
    """Whether some integers may be longer than a float holds."""
    smallest, largest = column.min(), column.max()
    return smallest is not None and not is_missing(smallest) and not (-EXACT <= smallest and largest <= EXACT)


def numbers(X: Any) -> tuple[NDArray[np.float64], list[str]]:
    """A table of numbers row by row, with NaN for missing ones; copied only if necessary."""
    frame = _frame(X)
    for name, column in zip(frame.columns, frame.iter_columns(), strict=True):
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
            bad = first_that_is_no_number(column.to_list())
            if bad is not None:
                raise ValueError(f"could not convert X to numbers: column {name!r} holds {bad!r}")
    try:
        values = np.ascontiguousarray(frame.to_numpy(), dtype=np.float64)
    except (TypeError, ValueError):
        values = np.column_stack([_numbers(column) for column in frame.iter_columns()])
    return np.ascontiguousarray(values, dtype=np.float64), column_names(X) if has_names(X) else []


def first_that_is_no_number(values: list[Any]) -> Any:
    """The first value that is neither a number nor missing."""
    return next((v for v in values if not (isinstance(v, NUMBERS) or is_missing(v))), None)


def values_of(X: Any, name: str) -> list[Any]:
    """The values of a column."""
    own = dict(zip(column_names(X), _frame(X).iter_columns(), strict=True))
    return own[name].to_list()  # type: ignore[no-any-return]


def only_column(X: Any) -> list[Any]:
    """The values of a table of one column."""
    frame = _frame(X)
    if len(frame.columns) != 1:
        raise ValueError(f"X must have one column for these samples, but has {len(frame.columns)}")
    return next(frame.iter_columns()).to_list()  # type: ignore[no-any-return]


def rows(X: Any) -> list[dict[str, Any]]:
    """The rows as dictionaries."""
    return _frame(X).rows(named=True)  # type: ignore[no-any-return]


def count(X: Any) -> int:
    """The number of rows."""
    return len(_frame(X))


def has_names(X: Any) -> bool:
    """Whether the columns have names, rather than numbers."""
    return all(isinstance(name, str) for name in _frame(X).columns)


def has_odd_names(X: Any) -> bool:
    """Whether the names of the columns are not texts, nor their positions."""
    names = list(_frame(X).columns)
    return not any(isinstance(name, str) for name in names) and names != list(range(len(names)))


def zones(X: Any) -> dict[str, bool]:
    """The columns of moments by name, and whether they have a time zone."""
    if type(X).__module__.partition(".")[0] == "pandas":
        # Quicker than the general way, for single rows.
        found = {str(name).strip(): _has_zone(dtype) for name, dtype in zip(X.columns, X.dtypes, strict=True)}
        return {name: has_zone for name, has_zone in found.items() if has_zone is not None}
    moments = zip(column_names(X), _frame(X).schema.dtypes(), strict=True)
    return {name: getattr(dtype, "time_zone", None) is not None for name, dtype in moments if dtype == nw.Datetime}


def _has_zone(dtype: Any) -> bool | None:
    """Whether a type of pandas has a time zone; None if it does not hold moments."""
    if isinstance(dtype, np.dtype):
        return False if dtype.kind == "M" else None
    dtype = getattr(dtype, "pyarrow_dtype", dtype)
    is_moment = str(dtype).startswith(("timestamp", "datetime64"))
    return getattr(dtype, "tz", None) is not None if is_moment else None


def is_empty(column: Column) -> bool:
    """Whether all values are missing."""
    _, values, _, special = column
    if isinstance(values, np.ndarray):
        return values.dtype.kind == "f" and len(values) > 0 and bool(values[0] != values[0]) and bool(np.isnan(values).all())
    return isinstance(values, list) and all(value is None or special == "raw" and value == "" for value in values)


def column_names(X: Any) -> list[str]:
    """The names of the columns; `x0`, `x1`, ... if X has none, as in files without a header."""
    if is_table(X):
        names = _frame(X).columns
        if not has_names(X):
            return [f"x{i}" for i in range(len(names))]
        # Blanks around a name are ignored, in a file and in its data frame.
        stripped = [name.strip() for name in names]
        return stripped if len(set(stripped)) == len(stripped) and all(stripped) else list(names)
    X = np.asarray(X, dtype=object)
    if X.ndim != 2:
        hint = ", or give a frame of one row, such as frame.iloc[[0]]" if X.ndim == 1 else ""
        raise ValueError(f"X must be a table, but has {X.ndim} dimensions. Reshape your data{hint}")
    return [f"x{i}" for i in range(X.shape[1])]


def select(X: Any, names: list[str]) -> Any:
    """These columns of a data frame."""
    own = column_names(X)
    if names == own:
        return X
    return _frame(X)[:, [own.index(name) for name in names]].to_native()


def take(X: Any, rows: list[int]) -> Any:
    """These rows of a data frame or an array."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return _frame(X)[rows, :].to_native() if is_table(X) else np.asarray(X)[rows]


def named(X: Any, names: list[str]) -> Any:
    """The data frame with these names, if it has any."""
    own = list(_frame(X).columns)
    if own == names or not has_names(X):
        return X
    return _frame(X).rename(dict(zip(own, names, strict=True))).to_native()


def columns_of_frame(X: Any, names: list[str]) -> list[Column]:
    """The columns of a data frame or an Arrow batch for the library, with these names."""
    if type(X).__name__ == "RecordBatch":
        import pyarrow

        X = pyarrow.Table.from_batches([X])
    if hasattr(X, "iloc"):
        return _pandas_columns(X, names)
    return [_column(name, own) for name, own in zip(names, _frame(X).iter_columns(), strict=True)]


def _pandas_columns(X: Any, names: list[str]) -> list[Column]:
    """The same for pandas. Common types have a fast path: for a single row, the general one takes longer than scoring."""
    frame: Any = None
    found: list[Column] = []
    for i, (name, (_, own)) in enumerate(zip(names, X.items(), strict=True)):
        column = _pandas_column(name, own)
        if column is None:
            frame = _frame(X) if frame is None else frame
            column = _column(name, frame[:, i])
        found.append(column)
    return found


def _pandas_column(name: str, own: Any) -> Column | None:
    """A column of a common type: numbers, truth values, moments, durations and words."""
    dtype = own.dtype
    is_plain = isinstance(dtype, np.dtype)
    if is_plain and dtype.kind in "fi" and dtype.itemsize <= 8:
        kind = np.float64 if dtype.kind == "f" else np.int64
        return name, _contiguous(own.to_numpy().astype(kind, copy=False)), None, None
    if type(own).__module__.partition(".")[0] != "pandas":
        # What only looks like pandas may not have its values at hand.
        return None
    if not is_plain:
        # Words, in pandas 3; they were objects before.
        return _of_values(name, own.tolist()) if dtype.name == "str" else None
    if dtype.kind == "b":
        return name, own.tolist(), None, None
    if dtype.kind in "Mm":
        return name, _seconds(own.to_numpy()), None, "moments" if dtype.kind == "M" else None
    return _of_values(name, own.tolist()) if dtype.kind == "O" else None


def columns(X: Any) -> list[Column]:
    """The columns for the library, which decides their types by the same rules as for files."""
    names = column_names(X)
    if is_table(X):
        return columns_of_frame(X, names)
    array = np.asarray(X)
    if array.dtype.kind in "fiu":
        return [(name, _contiguous(array[:, i].astype(np.float64)), None, None) for i, name in enumerate(names)]
    # Each column on its own, as numbers if all of it is numeric.
    array = np.asarray(X, dtype=object)
    return [_of_values(name, array[:, i].tolist()) for i, name in enumerate(names)]


def _column(name: str, column: Any) -> Column:
    dtype = column.dtype
    if str(getattr(column.to_native(), "dtype", "")).startswith("complex"):
        raise TypeError(f"column {name!r} holds complex numbers: give their real and imaginary parts as two columns")
    if dtype in WIDE or dtype in LONG and _is_long(column):
        return _of_values(name, column.to_list())
    if dtype.is_numeric():
        return name, _numbers(column), None, None
    if dtype in (nw.Datetime, nw.Date):
        return name, _moments(column), None, "moments"
    if dtype == nw.Duration:
        return name, _seconds(column.to_numpy()), None, None
    levels = [str(level) for level in dtype.categories] if isinstance(dtype, nw.Enum) else None
    if levels is not None or dtype == nw.Categorical:
        return name, [None if is_missing(v) else str(v).strip() for v in column.to_list()], levels, "words"
    return _of_values(name, column.to_list())


def _numbers(column: Any) -> NDArray[Any]:
    """Numbers without a copy, if nothing is missing; integers stay integers, since keys may be longer than a float
    holds."""
    try:
        values = np.asarray(column.to_numpy())
        if values.dtype.kind in "iu" and np.can_cast(values.dtype, np.int64):
            return _contiguous(values.astype(np.int64, copy=False))
        return _contiguous(values.astype(np.float64, copy=False))
    except (TypeError, ValueError):
        return np.array([np.nan if is_missing(v) else v for v in column.to_list()], dtype=np.float64)


def _contiguous(values: NDArray[Any]) -> NDArray[Any]:
    """The array made contiguous and aligned; columns from a network may not be."""
    flags = values.flags
    # `np.require` takes about as long as to score a row.
    return values if flags.c_contiguous and flags.aligned else np.require(values, requirements=["C", "A"])


def _moments(column: Any) -> NDArray[np.float64]:
    """Seconds since 1970, in UTC if the column has a time zone."""
    if getattr(column.dtype, "time_zone", None) is not None:
        column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    values = column.to_numpy()
    if values.dtype.kind == "M":
        return _seconds(values)
    return np.array([np.nan if is_missing(v) else _second(v) for v in column.to_list()], dtype=np.float64)


def _seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    """Datetimes or durations of any unit in seconds: equal datetimes give equal numbers, NaN for missing ones."""
    unit, step = np.datetime_data(values.dtype)
    if unit not in PER_SECOND:
        values = values.astype(f"{values.dtype.kind}8[s]")
        unit, step = "s", 1
    whole, rest = np.divmod(values.astype(np.int64) * step, PER_SECOND[unit])
    seconds = whole.astype(np.float64) + rest.astype(np.float64) / PER_SECOND[unit]
    seconds[np.isnat(values)] = np.nan
    return seconds


def _of_values(name: str, values: list[Any]) -> Column:
    """Values of any type: booleans, numbers, datetimes, texts, or complete samples."""
    values = [None if is_missing(v) else v for v in values]
    present = [v for v in values if v is not None]
    first = next(iter(present), None)
    if present and all(isinstance(v, (bool, np.bool_)) for v in present):
        return name, [None if v is None else bool(v) for v in values], None, None
    if all(isinstance(v, NUMBERS) and not isinstance(v, np.complexfloating) for v in present):
        if any(isinstance(v, (int, np.integer)) and not -EXACT <= v <= EXACT for v in present):
            # Exactly, as in a file: they may be keys.
            return name, ["" if v is None else str(v) for v in values], None, "raw"
        return name, np.array([np.nan if v is None else v for v in values], dtype=np.float64), None, None
    for kinds, special in ((MOMENTS, "moments"), (SPANS, None)):
        if all(isinstance(v, kinds) for v in present):
            if special and len({getattr(v, "tzinfo", None) is None for v in present if isinstance(v, datetime.datetime)}) > 1:
                warn(f"column {name!r}: some moments have a time zone; those without one are read as UTC")
            seconds = np.array([np.nan if v is None else _second(v) for v in values], dtype=np.float64)
            return name, seconds, None, special
    if _graphs.is_graph(first):
        return name, _eocc.Samples.graphs(_graphs.read(values)), None, None
    if any(len(v) > 0 for v in present if isinstance(v, LISTS)) and all(_are_words(v) for v in present):
        # A list of words is a text, as in a file.
        return name, [None if v is None else " ".join(v) for v in values], None, None
    if isinstance(first, LISTS):
        from ._samples import steps

        return name, _eocc.Samples.series(list(steps(values))), None, None
    if isinstance(first, Mapping):
        raise TypeError(
            f"column {name!r} holds dictionaries: spread them over columns, with pandas.json_normalize say, or leave the column out"
        )
    if any(isinstance(v, complex) for v in present):
        raise TypeError(f"column {name!r} holds complex numbers: give their real and imaginary parts as two columns")
    if any(isinstance(v, NUMBERS) for v in present):
        # Numbers and texts together: the library reports how it reads them, as if they came from a file.
        return name, ["" if v is None else v if isinstance(v, (str, *NUMBERS)) else str(v) for v in values], None, "raw"
    return name, [None if v is None else str(v) for v in values], None, None


def advised(text: str, X: Any) -> str:
    """A message of the library about texts in a frame, with the options of the reader that the frame comes from."""
    package = type(X).__module__.partition(".")[0]
    reader, missing, decimal, thousands = READERS.get(package, READERS["pandas"])
    text = text.replace(f"{READERS['pandas'][0]} takes {READERS['pandas'][1]}=", f"{reader} takes {missing}=")
    word = re.search(r'row \d+: "([^"]*)" is not a number, but', text)
    if word:
        return f"{text}; {reader} takes {missing}=[{word[1]!r}] if that means missing"
    options = [decimal] if "decimal comma" in text else []
    options += [thousands] if thousands and "separates thousands" in text else []
    return f"{text}; {reader} takes {' or '.join(options)}" if options else text


#: By package: the reader of text files, and its options for missing values, decimal commas and thousands separators.
READERS = {
    "pandas": ("pandas.read_csv", "na_values", 'decimal=","', 'thousands=","'),
    "polars": ("polars.read_csv", "null_values", "decimal_comma=True", ""),
    "pyarrow": ("pyarrow.csv.ConvertOptions", "null_values", 'decimal_point=","', ""),
}


def _are_words(value: Any) -> bool:
    return isinstance(value, LISTS) and all(isinstance(word, str) for word in value)


#: What may contain several values.
LISTS = (list, tuple, np.ndarray)
#: Types of numbers.
NUMBERS = (int, float, np.number, np.bool_, decimal.Decimal, fractions.Fraction)
#: Types of datetimes, and of durations or times of day.
MOMENTS = (datetime.date, np.datetime64)
SPANS = (datetime.time, datetime.timedelta, np.timedelta64)


def _second(value: Any) -> float:
    """A datetime, duration or time of day in seconds: since 1970, or since midnight."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return float(_seconds(np.array([value]))[0])
    if isinstance(value, datetime.datetime):
        return value.timestamp() if value.tzinfo is not None else (value - EPOCH).total_seconds()
    if isinstance(value, datetime.date):
        return float((value - EPOCH.date()).days * 86400)
    if isinstance(value, datetime.time):
        since = datetime.timedelta(
            hours=value.hour, minutes=value.minute, seconds=value.second, microseconds=value.microsecond
        )
        return since.total_seconds()
    return float(value.total_seconds())


def is_missing(value: Any) -> bool:
    """Whether it is a missing value: None, NaN of any type, NaT, or pandas' NA."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(value != value)
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")
