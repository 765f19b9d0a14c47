"""Dissimilarities: by name, with settings, or a function."""

import difflib
from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from . import _eocc

#: A function of two samples that returns a number of at least 0.
MetricFunction = Callable[[Any, Any], float]

#: The kinds of samples, as in model files.
VECTORS = "vectors"
PRECOMPUTED = "precomputed dissimilarities"
TEXTS = "strings"
SERIES = "time series"
MIXED = "rows of a mixed table"
RECORDS = "records"
GRAPHS = "labelled graphs"
OBJECTS = "objects"
#: A table whose columns determine its kind.
TABLE = "table"


class Dissimilarity:
    """A named dissimilarity with settings.

    The names and settings are those of the command line (``docs/any-data.md``); scikit-learn's "l1", "l2" and
    "cityblock" are supported as well:

    >>> Dissimilarity("dtw", band=0.1)
    Dissimilarity('dtw', band=0.1)

    Settings whose names are not identifiers are passed as a dictionary: ``Dissimilarity("ged", **{"vertex.x": "number"})``.
    """

    __slots__ = ("name", "settings")

    name: str
    settings: dict[str, Any]

    def __init__(self, name: str, /, **settings: Any) -> None:
        self.name = _known(name, "one of")
        self.settings = settings

    def __repr__(self) -> str:
        return f"Dissimilarity({', '.join([repr(self.name), *(f'{k}={v!r}' for k, v in self.settings.items())])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dissimilarity):
            return NotImplemented
        return (self.name, self.settings) == (other.name, other.settings)

    def __hash__(self) -> int:
        return hash((self.name, tuple(sorted((k, repr(v)) for k, v in self.settings.items()))))

    def __reduce__(self) -> tuple[Any, ...]:
        return _make, (self.name, self.settings)


def _make(name: str, settings: dict[str, Any]) -> Dissimilarity:
    return Dissimilarity(name, **settings)


#: What each named metric compares; None if that depends on the samples.
_KINDS: dict[str, str | None] = {}
for _kind, _names in _eocc.measures():
    for _name in _names:
        _KINDS[_name] = None if _name in _KINDS else _kind

#: Names of scikit-learn and SciPy for metrics that have a different name here.
ALIASES = {"l2": "euclidean", "l1": "manhattan", "cityblock": "manhattan"}

#: Their metrics that we do not have, and the closest ones.
OTHERS = {
    "nan_euclidean": "\"gower\" and metric=\"auto\" take missing values",
    "seuclidean": "Dissimilarity(\"euclidean\", scaling=\"standard\") is the same",
    "sqeuclidean": "\"euclidean\" ranks alike",
    **{
        name: f"give the function scipy.spatial.distance.{name}, or a matrix by metric=\"precomputed\""
        for name in (
            *("braycurtis", "canberra", "correlation", "dice", "jensenshannon", "rogerstanimoto", "russellrao"),
            *("sokalmichener", "sokalsneath", "yule"),
        )
    },
}


def _known(name: str, allowed: str) -> str:
    """The library's name of a metric."""
    name = ALIASES.get(name, name)
    if name in _KINDS:
        return name
    near = difflib.get_close_matches(name, _KINDS, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    hint = f"; {OTHERS[name]}" if name in OTHERS else hint
    raise ValueError(f"metric is `{name}`, but must be {allowed} {', '.join(_KINDS)}{hint}")


Metric = str | Dissimilarity | MetricFunction | None


def metrics() -> dict[str, list[str]]:
    """The names of all metrics, by kind of samples.

    >>> metrics()["strings"]
    ['levenshtein', 'alignment', 'osa', 'jaro-winkler']
    """
    return dict(_eocc.measures())


def is_function(metric: Metric) -> bool:
    """Whether it is a user's function."""
    return callable(metric) and not isinstance(metric, (str, Dissimilarity))


def kind_of(metric: Metric) -> str | None:
    """What a metric compares; None if it is a function, not named, or depends on the samples."""
    if isinstance(metric, Dissimilarity):
        return _KINDS[metric.name]
    if isinstance(metric, str) and metric != "auto":
        return _KINDS[_known(metric, "a function or one of auto,")]
    return None


def takes_missing(metric: Metric, preset: str) -> bool:
    """Whether rows of numbers may have missing values: then they are rows of a mixed table."""
    name = metric.name if isinstance(metric, Dissimilarity) else metric
    is_views = name is None or isinstance(name, str) and name in ("auto", "views")
    return is_views and preset == "default" or not callable(metric) and kind_of(metric) == MIXED


#: Samples used to check a function before a fit.
TRIED = 6


def check_function(metric: MetricFunction, items: list[Any]) -> None:
    """Refuses a function that is not symmetric, or not zero for a sample and itself."""
    items = items[:TRIED]
    for i, a in enumerate(items):
        own = metric(a, a)
        # The library reports values that are not finite.
        if not _is_finite(own):
            return
        if abs(own) > 1e-7:
            raise ValueError(
                f"metric returned {own} for sample {i} and itself, but must return 0: a dissimilarity is wanted, not a similarity"
            )
        for j, b in enumerate(items[:i]):
            there, back = metric(a, b), metric(b, a)
            if not (_is_finite(there) and _is_finite(back)):
                return
            if abs(there - back) > 1e-7 * max(abs(there), abs(back)):
                raise ValueError(
                    f"metric returned {there} for samples {i} and {j}, but {back} the other way round: give a symmetric function, "
                    "such as lambda a, b: (metric(a, b) + metric(b, a)) / 2"
                )


def _is_finite(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and bool(np.isfinite(value))


def name_of(metric: Metric) -> str:
    """Its name in messages."""
    return metric.name if isinstance(metric, Dissimilarity) else str(metric)


def for_library(metric: Metric) -> tuple[str | MetricFunction | None, dict[str, str]]:
    """The arguments for the library: a name or a function, and settings as text."""
    if metric is None or (isinstance(metric, str) and metric == "auto"):
        return None, {}
    if isinstance(metric, Dissimilarity):
        return metric.name, {key: _text(value) for key, value in metric.settings.items()}
    if isinstance(metric, str):
        return _known(metric, "a function or one of auto,"), {}
    if callable(metric):
        return metric, {}
    raise TypeError(f"metric is {metric!r}, but must be a name, a Dissimilarity or a function of two samples")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, (bool, np.bool_)) else str(value)


def pairwise_dissimilarities(
    X: Any, Y: Any = None, *, metric: Metric = None, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """The matrix of dissimilarities of X to Y, or among X.

    With the measure's own defaults: nothing is scaled without a setting. Ranges and covariances are learned from X.

    Parameters
    ----------
    X, Y : samples of any type that ``EntropicOneClass`` takes.
    metric : str, Dissimilarity or callable, default=None
        As for ``EntropicOneClass``.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    ndarray of shape (n_samples_X, n_samples_Y)

    Examples
    --------
    >>> pairwise_dissimilarities(["cat", "cart"], ["cat"], metric="levenshtein")
    array([[0.  ],
           [0.25]])
    """
    from . import _samples

    rows = _samples.make(X, metric)
    columns = None if Y is None else _samples.make(Y, metric, rows)
    name, settings = for_library(metric)
    return _eocc.distances(rows, columns, name, settings, threads=effective_n_jobs(n_jobs))
