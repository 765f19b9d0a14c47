"""Fitting and scoring on more machines than one, with Dask.

What costs is the matrix of dissimilarities, with graphs above all. :func:`fit` has it computed in blocks on the cluster
and fits on the result, which is the same as on one machine. :func:`apply` scores a Dask collection partition by
partition; the model goes to each worker once.

Blocks and partitions are plain tasks of the graph: what a lost worker had is computed again by another.
"""

from collections.abc import Callable
from math import ceil, sqrt
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

try:
    from dask.base import is_dask_collection
    from dask.delayed import delayed
    from distributed import Client, default_client
except ImportError as error:
    raise ImportError("eocc.distributed needs Dask: install it with `pip install eocc[distributed]`") from error

from . import _eocc
from ._estimator import EntropicOneClass
from ._metric import MetricFunction, is_function

__all__ = ["apply", "fit"]

E = TypeVar("E", bound=EntropicOneClass)

#: Tasks for each thread of the cluster, so that slow blocks even out and a lost worker loses little.
TASKS_PER_THREAD = 8


def fit(estimator: E, X: Any, *, client: Client | None = None, block_size: int | None = None) -> E:
    """Fits `estimator` to nominal samples, the dissimilarities computed on the cluster.

    The model is the same to the last bit as that of ``estimator.fit(X)``. With a search, every evaluation is one round
    on the cluster. Neighbours are found in the whole matrix, so shortcuts that spare comparisons (lower bounds of
    "dtw" and "ged") are not taken: worth it where there are several machines, not several threads of one. Without
    prototypes the matrix is kept whole up to 11 585 samples (1 GiB); beyond that neighbours are found here, row by row.

    Parameters
    ----------
    estimator : EntropicOneClass
    X : samples, or a Dask array, bag or data frame of them
        They are brought together here: the model keeps them, or some of them, anyway.
    client : distributed.Client, default=None
        The cluster; None is the current one.
    block_size : int, default=None
        Samples on each side of a block. None: so that every thread has several blocks.

    Returns
    -------
    estimator
    """
    client = default_client() if client is None else client
    if is_dask_collection(X):
        X = client.compute(X).result()
    function: Any = estimator.metric if is_function(estimator.metric) else None

    def external(samples: _eocc.Samples) -> Callable[..., NDArray[np.float64]]:
        if samples.kind == "precomputed dissimilarities":
            raise ValueError("metric is 'precomputed', but must be something to compute on the cluster")

        def compute(name: str, state: str | None, prototypes: NDArray[np.int64], is_symmetric: bool) -> Any:
            return _matrix(client, samples, function or name, state, prototypes, is_symmetric, block_size)

        return compute

    estimator._fit(X, external)
    # Without the way to the cluster, which is of no use to the fitted model.
    kept = estimator._model
    reduced = kept.__reduce__()[1]
    estimator._model = _eocc.Model.from_bytes(*reduced)
    return estimator


def _matrix(
    client: Client,
    samples: _eocc.Samples,
    metric: str | MetricFunction,
    state: str | None,
    prototypes: NDArray[np.int64],
    is_symmetric: bool,
    block_size: int | None,
) -> NDArray[np.float64]:
    n, m = len(samples), len(prototypes)
    # With all samples for prototypes, half of the blocks tell the other half.
    is_half = is_symmetric and m == n
    tasks = TASKS_PER_THREAD * max(1, sum(client.nthreads().values()))
    pieces = ceil(sqrt(2 * tasks if is_half else tasks))
    size = block_size or max(1, ceil(n / pieces))
    rows = _cut(samples, np.arange(n), size)
    columns = rows if is_half else _cut(samples, prototypes, size)
    own = delayed((metric, state), traverse=False)
    where = [(i, j) for i in range(len(rows)) for j in range(len(columns)) if j <= i or not is_half]
    blocks = [_block(rows[i][1], None if is_half and i == j else columns[j][1], own) for i, j in where]
    matrix = np.empty((n, m))
    for (i, j), block in zip(where, client.gather(client.compute(blocks)), strict=True):
        matrix[rows[i][0], columns[j][0]] = block
        if is_half and i != j:
            matrix[columns[j][0], rows[i][0]] = block.T
    return matrix


def _cut(samples: _eocc.Samples, indices: NDArray[np.int64], size: int) -> list[tuple[slice, Any]]:
    starts = range(0, len(indices), size)
    piece = [samples.select(indices[s : s + size].tolist()) for s in starts]
    return [
        (slice(s, min(s + size, len(indices))), delayed(p, traverse=False))
        for s, p in zip(starts, piece, strict=True)
    ]


@delayed  # type: ignore[untyped-decorator]
def _block(
    rows: _eocc.Samples, columns: _eocc.Samples | None, measure: tuple[str | MetricFunction, str | None]
) -> NDArray[np.float64]:
    metric, state = measure
    return _eocc.distances(rows, columns, metric, {}, state=state)


def apply(model: EntropicOneClass, data: Any, method: str = "score_samples") -> Any:
    """What a method of a fitted model says of each sample of a Dask collection.

    Parameters
    ----------
    model : EntropicOneClass
    data : dask.array.Array, dask.dataframe.DataFrame or dask.bag.Bag
    method : str, default="score_samples"
        "score_samples", "decision_function", "predict", "membership", "p_value" or "region".

    Returns
    -------
    A lazy array, series or bag with a number for each sample, in as many partitions as `data`.
    """
    allowed = ("score_samples", "decision_function", "predict", "membership", "p_value", "region")
    if method not in allowed:
        raise ValueError(f"method is {method!r}, but must be one of {', '.join(allowed)}")
    if not is_dask_collection(data):
        raise TypeError(f"data is of type {type(data).__name__}, but must be a Dask array, data frame or bag")
    # One key of the graph: it moves to a worker when the first partition there needs it, and stays.
    shipped = delayed(model, traverse=False)
    dtype = np.int64 if method in ("predict", "region") else np.float64
    if hasattr(data, "map_blocks"):
        from dask import array as collection

        data = data.rechunk({axis: -1 for axis in range(1, data.ndim)})
        parts = [_scores(part, shipped, method, dtype) for part in data.to_delayed().ravel()]
        sizes = data.chunks[0]
        arrays = [collection.from_delayed(p, (s,), dtype=dtype) for p, s in zip(parts, sizes, strict=True)]
        return collection.concatenate(arrays)
    parts = [_scores(part, shipped, method, dtype) for part in data.to_delayed()]
    if hasattr(data, "columns"):
        import pandas
        from dask import dataframe

        return dataframe.from_delayed(parts, meta=pandas.Series(dtype=dtype, name=method))
    from dask import bag

    return bag.from_delayed(parts)


@delayed  # type: ignore[untyped-decorator]
def _scores(part: Any, model: EntropicOneClass, method: str, dtype: Any) -> Any:
    is_frame = hasattr(part, "iloc")
    samples = part if is_frame or isinstance(part, np.ndarray) else list(part)
    answers = getattr(model, method)(samples) if len(samples) else np.empty(0, dtype=dtype)
    if is_frame:
        import pandas

        return pandas.Series(answers, index=part.index, name=method)
    return answers if isinstance(part, np.ndarray) else answers.tolist()
