"""Fitting and scoring on several machines, with Dask.

The expensive part is the matrix of dissimilarities, especially for graphs. :func:`fit` computes it in blocks on the
cluster and fits on the result, which is the same as on one machine. :func:`apply` scores a Dask collection partition
by partition; the model is sent to each worker once.

Blocks and partitions are ordinary tasks of the graph: the work of a lost worker is computed again by another.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

try:
    from dask.base import is_dask_collection
    from dask.delayed import delayed
    from distributed import Client, default_client
except ImportError as error:
    raise ImportError("eocc.distributed needs Dask: install it with `pip install eocc[distributed]`") from error

from ._cluster import fit_on
from ._decisions import Decisions
from ._estimator import EntropicOneClass

__all__ = ["apply", "decide", "fit"]

E = TypeVar("E", bound=EntropicOneClass)

#: Tasks per thread of the cluster, so that slow blocks even out and a lost worker loses little.
TASKS_PER_THREAD = 8


def fit(estimator: E, X: Any, *, client: Client | None = None, block_size: int | None = None) -> E:
    """Fits `estimator` to nominal samples, with the dissimilarities computed on the cluster.

    The model equals that of ``estimator.fit(X)`` bit for bit. With a search, every evaluation is one round on the
    cluster. Up to 10 000 samples, neighbors are found in the whole matrix, so lower bounds that save comparisons
    ("dtw" and "ged") are not used: this pays off with several machines, not with several threads of one. Beyond that,
    each worker searches for the neighbors of some samples, by landmarks, like a fit on one machine.

    Parameters
    ----------
    estimator : EntropicOneClass
    X : samples, or a Dask array, bag or data frame of them
        They are collected here: the model stores all or some of them anyway.
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
    pieces = TASKS_PER_THREAD * max(1, sum(client.nthreads().values()))

    def run(function: Callable[[Any, Any], Any], shared: Any, items: list[Any]) -> list[Any]:
        # One key of the graph: it is sent to a worker when the first task there needs it, and stays.
        known = delayed(shared, traverse=False)
        task = delayed(function, pure=False)
        with warnings.catch_warnings():
            # The samples are large, and needed everywhere.
            warnings.filterwarnings("ignore", "Sending large graph")
            futures = client.compute([task(known, item) for item in items])
        return list(client.gather(futures))

    return fit_on(estimator, X, run, pieces, block_size)


def apply(model: EntropicOneClass, data: Any, method: str = "score_samples") -> Any:
    """Applies a method of a fitted model to each sample of a Dask collection.

    Parameters
    ----------
    model : EntropicOneClass
    data : dask.array.Array, dask.dataframe.DataFrame or dask.bag.Bag
    method : str, default="score_samples"
        "score_samples", "decision_function", "predict", "membership", "p_value" or "region".

    Returns
    -------
    A lazy array, series or bag with one number per sample, partitioned like `data`.
    """
    allowed = ("score_samples", "decision_function", "predict", "membership", "p_value", "region")
    if method not in allowed:
        raise ValueError(f"method is {method!r}, but must be one of {', '.join(allowed)}")
    if not is_dask_collection(data):
        raise TypeError(f"data is of type {type(data).__name__}, but must be a Dask array, data frame or bag")
    # One key of the graph: it is sent to a worker when the first partition there needs it, and stays.
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


def decide(model: EntropicOneClass, data: Any) -> Any:
    """All results of a fitted model for each sample of a Dask collection: score, membership, accepted, region and
    p-value.

    Parameters
    ----------
    model : EntropicOneClass
    data : dask.array.Array, dask.dataframe.DataFrame or dask.bag.Bag

    Returns
    -------
    A lazy data frame with the columns of :class:`~eocc.Decisions`, partitioned like `data`; for a data frame, with
    its index.
    """
    import pandas
    from dask import dataframe

    if not is_dask_collection(data):
        raise TypeError(f"data is of type {type(data).__name__}, but must be a Dask array, data frame or bag")
    shipped = delayed(model, traverse=False)
    if hasattr(data, "map_blocks"):
        data = data.rechunk({axis: -1 for axis in range(1, data.ndim)})
    parts = [_decisions(part, shipped) for part in np.ravel(data.to_delayed())]
    meta = pandas.DataFrame(_no_decisions()._asdict())
    return dataframe.from_delayed(parts, meta=meta, verify_meta=False)


def _no_decisions() -> Decisions:
    number = np.empty(0)
    return Decisions(number, number, np.empty(0, dtype=bool), np.empty(0, dtype=np.int64), number)


@delayed  # type: ignore[untyped-decorator]
def _decisions(part: Any, model: EntropicOneClass) -> Any:
    import pandas

    is_frame = hasattr(part, "iloc")
    samples = part if is_frame or isinstance(part, np.ndarray) else list(part)
    answers = model.decide(samples) if len(samples) else _no_decisions()
    return pandas.DataFrame(answers._asdict(), index=part.index if is_frame else None)


@delayed  # type: ignore[untyped-decorator]
def _scores(part: Any, model: EntropicOneClass, method: str, dtype: Any) -> Any:
    is_frame = hasattr(part, "iloc")
    samples = part if is_frame or isinstance(part, np.ndarray) else list(part)
    answers = getattr(model, method)(samples) if len(samples) else np.empty(0, dtype=dtype)
    if is_frame:
        import pandas

        return pandas.Series(answers, index=part.index, name=method)
    return answers if isinstance(part, np.ndarray) else answers.tolist()
