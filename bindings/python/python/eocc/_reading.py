"""How an estimator reads X: the kind of its samples, which columns are features, and what is reported about the
others."""

import difflib
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, check_non_negative, validate_data

from . import _eocc, _inputs, _samples, _tables
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
    name_of,
    takes_missing,
)
from ._warn import warn

#: Minimum number of training samples.
FEWEST = 3
#: The treatments of missing values, as in the option ``--missing``.
MISSING = ("distance", "impute", "drop", "error")
#: Role of the feature columns.
FEATURE = "feature"


class ColumnInfo(NamedTuple):
    """The result for a column of a data frame; a list of them can be made a data frame."""

    name: str
    type: str
    """number, date, boolean, category, ordered, text, series or graph; of what is not a feature, the type it would have."""
    role: str
    """feature, key (the names of the samples), classes, or ignored."""
    why: str
    """Why it is not a feature; empty for features."""


class ReadingMixin:
    """From X to samples of the library, for an estimator with `metric`, `preset` and `types`."""

    metric: Metric
    preset: str
    types: dict[str, str] | None
    missing: str | None
    schema_: list[ColumnInfo]
    n_features_in_: int
    _model: _eocc.Model

    def _samples(self, X: Any, *, reset: bool) -> Any:
        """X for the library; rows of numbers stay an array when they are scored."""
        X = _inputs.taken(X)
        if _inputs.is_records(X) and not is_function(self.metric):
            X = _inputs.records(X, [] if reset else [name for name, _ in self._model.columns])
        if reset:
            self._forget()
            self._check_missing()
            # How results name the training samples.
            self._index = X.index if hasattr(X, "index") and hasattr(X, "iloc") else None
        if isinstance(X, _eocc.Samples):
            return self._as_read(X, reset=reset)
        kind = _samples.sample_kind(X, self.metric) if reset else self._model.kind
        if kind == PRECOMPUTED:
            values = self._numbers(X, reset=reset, allow_nan=False)
            check_non_negative(values, f"{type(self).__name__} with metric='precomputed'")
            return _eocc.Samples.precomputed(values, reset)
        is_table = _tables.is_table(X)
        if not reset and is_table and self._model.is_windowed:
            # The frame is one long series, which is cut like that of the training.
            return self._model.samples_of_columns(_tables.columns(X))
        if reset and self.types and not (is_table or kind in (VECTORS, MIXED)):
            raise ValueError(f"types is {self.types!r}, but must be None where X is not a table")
        if reset and self.missing is not None and not (is_table or kind in (VECTORS, MIXED)):
            raise ValueError(f"missing is {self.missing!r}, but must be None where X is not a table")
        if is_table and not is_function(self.metric):
            return self._fit_frame(X, kind) if reset else self._score_frame(X, kind)
        if kind == VECTORS:
            return self._vectors(X, reset=reset)
        if kind in (MIXED, RECORDS):
            self._check_columns(X, reset=reset)
            return self._of_columns(X, mixed=True) if reset else self._model.samples_of_columns(_tables.columns(X))
        if kind == OBJECTS and is_table:
            self._check_columns(X, reset=reset)
            return _eocc.Samples.objects(_tables.rows(X))
        return _samples.special(X, self.metric, kind)

    def _check_missing(self) -> None:
        if self.missing not in (None, *MISSING):
            allowed = ", ".join(map(repr, MISSING))
            raise ValueError(f"missing is {self.missing!r}, but must be None or one of {allowed}")
        if self.missing == "distance" and not takes_missing(self.metric, self.preset):
            raise ValueError(
                f"missing is 'distance', but metric={name_of(self.metric)!r} with preset={self.preset!r} takes no missing values: "
                "use 'impute', 'drop' or 'error'"
            )

    def _forget(self) -> None:
        for name in ("n_features_in_", "feature_names_in_", "schema_", "_index", "_kept", "_keys", "_zones"):
            self.__dict__.pop(name, None)
        # Columns that were not features; a model from a file does not know them.
        self._left_out: set[str] = set()

    def _as_read(self, samples: _eocc.Samples, *, reset: bool) -> _eocc.Samples:
        """Samples of :func:`eocc.read`, which has decided the roles of columns."""
        if reset:
            if self.types:
                raise ValueError(f"types is {self.types!r}, but must be None here: give types to eocc.read")
            self.schema_ = [ColumnInfo(name, kind, FEATURE, "") for name, kind in samples.columns]
            if samples.kind in (VECTORS, MIXED):
                self.n_features_in_ = len(samples.columns) or samples.features
                if samples.columns:
                    self.feature_names_in_ = np.array([name for name, _ in samples.columns], dtype=object)
        return samples

    # -- data frames

    def _fit_frame(self, X: Any, kind: str) -> _eocc.Samples:
        if _tables.has_odd_names(X):
            warn("the column names are not text and are ignored, so columns are matched by position; X.columns.astype(str) keeps them")
        if _tables.count(X) == 0:
            shape = (0, len(_tables.column_names(X)))
            raise ValueError(f"Found array with 0 sample(s) (shape={shape}) while a minimum of {FEWEST} is required.")
        is_single = len(_tables.column_names(X)) == 1
        if kind in (TEXTS, SERIES, GRAPHS) and is_single and not self.types:
            return _samples.special(X, self.metric, kind)
        samples = self._of_columns(X, mixed=kind == MIXED)
        features = [column.name for column in self.schema_ if column.role == FEATURE]
        if kind not in (TABLE, MIXED, RECORDS, samples.kind):
            raise ValueError(self._mismatch(X, kind, samples.kind))
        self._warn_of_left_out()
        if samples.kind in (VECTORS, MIXED, RECORDS):
            validate_data(self, _tables.named(_tables.select(X, features), features), reset=True, skip_check_array=True)
        return samples

    def _of_columns(self, X: Any, *, mixed: bool) -> _eocc.Samples:
        is_named = _tables.is_table(X) and _tables.has_names(X)
        missing = self.missing or ("distance" if takes_missing(self.metric, self.preset) else None)
        columns, types = _tables.columns(X), self._checked_types(_tables.column_names(X))
        try:
            samples, schema, kept, doubts = _eocc.Samples.of_columns(
                columns, is_named=is_named, types=types, mixed=mixed, missing=missing
            )
        except ValueError as error:
            raise ValueError(_tables.advised(str(error), X)) from None
        for doubt in doubts:
            warn(_tables.advised(doubt, X))
        features = {name for name, _, role, _ in schema if role == FEATURE}
        for name in (column[0] for column in columns if column[0] in features and _tables.is_empty(column)):
            warn(f"column {name!r} has no values, so that any value in it is new; leave it out")
        self._kept = kept
        if kept is not None and self._index is not None:
            self._index = self._index[kept]
        self.schema_ = [ColumnInfo(*column) for column in schema]
        self._left_out = {column.name for column in self.schema_ if column.role != FEATURE}
        if _tables.is_table(X):
            self._zones = {name: has_zone for name, has_zone in _tables.zones(X).items() if name in features}
        self._keys = self._numbers_of_keys(X, samples.names) if is_named else None
        return samples

    def _numbers_of_keys(self, X: Any, names: list[str] | None) -> NDArray[Any] | None:
        """The integers that name the samples, whose names are texts."""
        for column in self.schema_ if names is not None else []:
            if column.role == "key" and column.type in ("number", "id"):
                values = _tables.values_of(X, column.name)
                values = values if self._kept is None else [values[row] for row in self._kept]
                if [str(value) for value in values] == names:
                    return np.array(values)
        return None

    def _warn_of_zones(self, X: Any) -> None:
        """Warns of moments with a time zone where those of the training had none, or the other way round."""
        known = self.__dict__.get("_zones")
        if not known:
            return
        for name, has_zone in _tables.zones(X).items():
            if known.get(name, has_zone) != has_zone:
                found = "have a time zone and are converted to UTC" if has_zone else "have no time zone and are read as UTC"
                warn(f"column {name!r}: these moments {found}; those of the training {'had none' if has_zone else 'had one'}")

    def _checked_types(self, names: list[str]) -> list[tuple[str, str]]:
        types = self.types or {}
        if not isinstance(types, dict):
            raise TypeError(f"types is {types!r}, but must be a dictionary of columns and types, as in {{'id': 'number'}}")
        for name in types:
            if name not in names:
                near = difflib.get_close_matches(str(name), names, 1)
                hint = f" (did you mean {near[0]!r}?)" if near else ""
                raise ValueError(f"types names the column {name!r}, but X has no such column{hint}")
        return [(str(name), str(kind)) for name, kind in types.items()]

    def _mismatch(self, X: Any, wanted: str, found: str) -> str:
        metric = f"metric={name_of(self.metric)!r}"
        if wanted != VECTORS:
            return f"X must have one column for these samples, but holds {found}; {metric} compares {wanted}"
        for column in self.schema_:
            if column.role == FEATURE and column.type != "number":
                bad = _tables.first_that_is_no_number(_tables.values_of(X, column.name))
                return (
                    f"{metric} compares numbers, but column {column.name!r} of X holds {bad!r} ({column.type}); leave it "
                    'out, or use metric="auto"'
                )
        return f"{metric} compares {wanted}, but X holds {found}"

    def _warn_of_left_out(self) -> None:
        given = self.types or {}
        said = [
            f"{c.name!r} ({c.why}; types={{{c.name!r}: {c.type!r}}} to use it)"
            for c in self.schema_
            if c.role != FEATURE and c.name not in given
        ]
        if said:
            count = "one column is not a feature" if len(said) == 1 else f"{len(said)} columns are not features"
            warn(f"{count}: {', '.join(said)}")

    def _score_frame(self, X: Any, kind: str) -> Any:
        X = self._known_columns(X)
        if kind == VECTORS and _tables.is_plain(X):
            return self._rows(X)
        if kind in (VECTORS, MIXED, RECORDS):
            # Read as in training: durations, for example, are numbers of seconds.
            if hasattr(self, "n_features_in_"):
                validate_data(self, _tables.named(X, _tables.column_names(X)), reset=False, skip_check_array=True)
            return self._of_model(X)
        if len(_tables.column_names(X)) == 1:
            return _samples.special(X, self.metric, kind)
        return self._of_model(X)

    def _of_model(self, X: Any, names: list[str] | None = None) -> _eocc.Samples:
        """The columns of X, with these names if they are known, read as those of the training."""
        columns = _tables.columns(X) if names is None else _tables.columns_of_frame(X, names)
        self._warn_of_zones(X)
        try:
            return self._model.samples_of_columns(columns)
        except ValueError as error:
            raise ValueError(_tables.advised(str(error), X)) from None

    def _known_columns(self, X: Any) -> Any:
        """Without the columns that were not features in training. A model from a file does not know those: it skips
        unknown columns with a note."""
        names = _tables.column_names(X)
        left_out = self.__dict__.get("_left_out")
        if left_out is not None:
            return _tables.select(X, [name for name in names if name not in left_out])
        expected = [name for name, _ in self._model.columns]
        extra = [name for name in names if expected and name not in expected]
        if not extra or not _tables.has_names(X):
            return X
        # The names of the samples are expected.
        own = {self._model.id_column, *(name for name in extra if self._model.names and name.lower() in ("id", "name"))}
        extra = [name for name in extra if name not in own]
        if not extra:
            return _tables.select(X, [name for name in names if name in expected])
        warn(f"not features of the model, left out: {', '.join(map(repr, extra))}")
        return _tables.select(X, [name for name in names if name in expected])

    # -- arrays

    def _vectors(self, X: Any, *, reset: bool) -> Any:
        if not reset:
            return self._rows(X)
        values = self._numbers(X, reset=True)
        names = _tables.column_names(X) if _tables.is_table(X) and _tables.has_names(X) else []
        if self.types or self.missing is not None or np.isnan(values).any():
            return self._of_columns(values, mixed=False)
        if not is_function(self.metric):
            columns = names or [f"x{i}" for i in range(values.shape[1])]
            self.schema_ = [ColumnInfo(name, "number", FEATURE, "") for name in columns]
        return _eocc.Samples.vectors(values, names)

    def _plain(self, X: Any) -> Any:
        """The result for a frame with exactly the columns of the model, in order, which needs no checks: rows of
        finite numbers, or samples. None for anything else."""
        names = self.__dict__.get("feature_names_in_")
        if names is not None and _inputs.is_records(X) and not is_function(self.metric):
            X = _inputs.records(X, names.tolist())
        package = type(X).__module__.partition(".")[0]
        if names is None or package not in ("pandas", "polars", "pyarrow") or is_function(self.metric):
            return None
        if package == "pyarrow":
            X = _inputs.taken(X)
        own = getattr(X, "column_names", None) if package == "pyarrow" else getattr(X, "columns", None)
        if own is None or len(X) == 0 or list(own) != names.tolist():
            return None
        if self._model.kind in (MIXED, RECORDS):
            return self._of_model(X, names.tolist())
        if self._model.kind != VECTORS:
            return None
        # pandas makes objects of anything else; the others make numbers of durations.
        if package != "pandas" and not _tables.is_plain(X):
            return None
        values = X.to_numpy() if package != "pyarrow" else np.column_stack([column.to_numpy() for column in X.columns])
        if values.dtype.kind not in "fiu":
            return None
        values = _samples.aligned(values.astype(np.float64, order="C", copy=False))
        # Longer integers are not exact, and NaN is not less than anything.
        return values if -_tables.EXACT < values.min() and values.max() < _tables.EXACT else None

    def _rows(self, X: Any) -> Any:
        """Rows of numbers to be scored."""
        values = self._numbers(X, reset=False, allow_nan=self._model.accepts_missing)
        # A sum is quick, and NaN if any value is.
        if np.isnan(np.sum(values)) and np.isnan(values).any():
            return _eocc.Samples.vectors_with_missing(values, self._model.shape)
        return values

    def _numbers(self, X: Any, *, reset: bool, allow_nan: bool | None = None) -> NDArray[np.float64]:
        """Rows of numbers, in C order. Those of a data frame have been checked by name."""
        if allow_nan is None:
            allow_nan = self.missing in ("impute", "drop") or self.missing is None and takes_missing(self.metric, self.preset)
            allow_nan |= self.missing == "distance"
        options: dict[str, Any] = {
            "dtype": np.float64,
            "order": "C",
            "ensure_min_samples": FEWEST if reset else 1,
            "ensure_all_finite": False,
        }
        if _tables.is_table(X):
            validate_data(self, _tables.named(X, _tables.column_names(X)), reset=reset, skip_check_array=True)
            values = check_array(_tables.numbers(X)[0], estimator=self, input_name="X", **options)
        else:
            try:
                values = validate_data(self, X, reset=reset, **options)
            except ValueError as error:
                if "could not convert string to float" not in str(error):
                    raise
                raise ValueError(f"{error}; give a data frame, such as pandas.DataFrame(X), if X holds words") from None
        if not allow_nan:
            require_no_nan(values)
        require_no_infinity(values, _tables.column_names(X) if _tables.is_table(X) else [])
        return _samples.aligned(values)

    def _check_columns(self, X: Any, *, reset: bool) -> None:
        """Names and number of columns, for anything but rows of numbers."""
        if _tables.is_table(X):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return
        names = _tables.column_names(X)
        if reset:
            self.n_features_in_ = len(names)
        elif len(names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(names)} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )


def require_no_nan(values: NDArray[np.float64]) -> None:
    """Refuses missing values if they are not supported."""
    if not np.isnan(np.sum(values)):
        return
    missing = np.isnan(values)
    if missing.any():
        row, column = np.unravel_index(int(np.argmax(missing)), values.shape)
        raise ValueError(
            f"X contains NaN: the value in row {row}, column {column} is missing. Fill it in, leave out the row or the column, or "
            'use what takes missing values: metric="auto" with preset="default", or metric="gower"'
        )


def require_no_infinity(values: NDArray[np.float64], names: list[str]) -> None:
    """Refuses infinite values."""
    if np.isfinite(np.sum(values)):
        return
    infinite = np.isinf(values)
    if infinite.any():
        row, column = np.unravel_index(int(np.argmax(infinite)), values.shape)
        name = repr(names[column]) if names else column
        raise ValueError(
            f"X contains infinity: the value in row {row}, column {name} is {values[row, column]}. Replace it by a finite number, "
            "or leave out the row or the column"
        )
