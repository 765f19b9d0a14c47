"""Fitting with dissimilarities computed remotely: what the engines share."""

import threading
import uuid
from collections.abc import Callable
from math import ceil, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _eocc
from ._estimator import EntropicOneClass
from ._metric import MetricFunction, is_function

E = TypeVar("E", bound=EntropicOneClass)

#: Runs ``function(shared, item)`` for each item on the cluster, and returns the results in order. The work of a lost
#: worker must be run again by another.
Run = Callable[[Callable[[Any, Any], Any], Any, list[Any]], list[Any]]


def fit_on(estimator: E, X: Any, run: Run, pieces: int, block_size: int | None = None) -> E:
    """Fits `estimator`, with the slow part computed on a cluster, in about `pieces` pieces at a time.

    The results are assembled in the order of the samples, so the model does not depend on which worker computed what.
    """
    function: Any = estimator.metric if is_function(estimator.metric) else None

    def external(samples: _eocc.Samples) -> tuple[Callable[..., Any], Callable[..., Any]]:
        if samples.kind == "precomputed dissimilarities":
            raise ValueError("metric is 'precomputed', but must be something to compute on the cluster")

        def matrix(name: str, state: str | None, prototypes: NDArray[np.int64], is_symmetric: bool) -> Any:
            return _matrix(run, samples, function or name, state, prototypes, is_symmetric, pieces, block_size)

        def rows(name: str, state: str | None, task: _eocc.RowTask, which: NDArray[np.uint32] | None) -> Any:
            which = np.arange(len(samples), dtype=np.uint32) if which is None else which
            shared = RowJob(samples, function or name, state, task)
            parts = run(_some_rows, shared, np.array_split(which, min(pieces, len(which))))
            return tuple(np.concatenate(found) for found in zip(*parts, strict=True))

        return matrix, rows

    estimator._fit(X, external)
    # Without the connection to the cluster, which the fitted model does not need.
    estimator._model = _eocc.Model.from_bytes(*estimator._model.__reduce__()[1])
    return estimator


def _matrix(
    run: Run,
    samples: _eocc.Samples,
    metric: str | MetricFunction,
    state: str | None,
    prototypes: NDArray[np.int64],
    is_symmetric: bool,
    pieces: int,
    block_size: int | None,
) -> NDArray[np.float64]:
    n, m = len(samples), len(prototypes)
    # If all samples are prototypes, half of the blocks give the other half.
    is_half = is_symmetric and m == n
    size = block_size or max(1, ceil(n / ceil(sqrt(2 * pieces if is_half else pieces))))
    rows = _cut(samples, np.arange(n), size)
    columns = rows if is_half else _cut(samples, prototypes, size)
    where = [(i, j) for i in range(len(rows)) for j in range(len(columns)) if j <= i or not is_half]
    parts = [part for _, part in rows], None if is_half else [part for _, part in columns], metric, state
    matrix = np.empty((n, m))
    for (i, j), block in zip(where, run(_block, parts, where), strict=True):
        matrix[rows[i][0], columns[j][0]] = block
        if is_half and i != j:
            matrix[columns[j][0], rows[i][0]] = block.T
    return matrix


def _cut(samples: _eocc.Samples, indices: NDArray[np.int64], size: int) -> list[tuple[slice, _eocc.Samples]]:
    starts = range(0, len(indices), size)
    return [(slice(s, min(s + size, len(indices))), samples.select(indices[s : s + size].tolist())) for s in starts]


def _block(shared: Any, where: tuple[int, int]) -> NDArray[np.float64]:
    """One block of the matrix."""
    rows, columns, metric, state = shared
    i, j = where
    others = rows if columns is None else columns
    is_diagonal = columns is None and i == j
    return _eocc.distances(rows[i], None if is_diagonal else others[j], metric, {}, state=state)


class RowJob:
    """A task on rows, with its samples. A process prepares the samples only once, however often the job arrives."""

    def __init__(
        self, samples: _eocc.Samples, metric: str | MetricFunction, state: str | None, task: _eocc.RowTask
    ) -> None:
        self.parts = samples, metric, state, task
        self.name = uuid.uuid4().hex

    def search(self) -> _eocc.RowSearch:
        """The samples, prepared for the task."""
        with _lock:
            if self.name not in _ready:
                # Only the latest: earlier ones are no longer needed.
                _ready.clear()
                _ready[self.name] = _eocc.RowSearch(*self.parts)
            return _ready[self.name]


_ready: dict[str, _eocc.RowSearch] = {}
_lock = threading.Lock()


def _some_rows(job: RowJob, rows: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
    """The result of a job for some rows."""
    return job.search().find(rows)
