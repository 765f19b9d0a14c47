"""Ray Data: datasets in, datasets out by a pool of actors, and fitting on the cluster."""

from collections.abc import Sequence
from typing import Any, TypeVar

try:
    import pyarrow as pa
    import ray
    from ray.data import ActorPoolStrategy
except ImportError as error:
    raise ImportError("eocc.engines.ray needs Ray: install it with `pip install 'ray[data]'`") from error

from .._cluster import fit_on
from .._estimator import EntropicOneClass
from ._common import Shipped, scored

__all__ = ["Scorer", "fit", "score"]

E = TypeVar("E", bound=EntropicOneClass)

#: Tasks per processor, so that slow ones even out and a lost worker loses little.
TASKS_PER_CPU = 4


class Scorer:
    """An actor that holds a model: created once, called with table after table."""

    def __init__(self, sent: Shipped, options: dict[str, Any], keep: Sequence[str] | None) -> None:
        self.model, self.options, self.keep = sent.model(), options, keep

    def __call__(self, table: pa.Table) -> pa.Table:
        return scored(self.model, table, self.options, self.keep)


def score(
    dataset: Any,
    model: EntropicOneClass,
    *,
    actors: int | tuple[int, int] = 1,
    keep: Sequence[str] | None = None,
    batch_size: int | None = 100_000,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> Any:
    """A dataset with the answers of a model after its columns.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Columns are matched by name.
    model : EntropicOneClass
    actors : int or pair of int, default=1
        How many actors hold the model, or their minimum and maximum. Each takes a processor: leave some for reading,
        or nothing progresses.
    keep : sequence of str, default=None
        The columns to keep. None: all.
    batch_size : int, default=100_000
        Rows scored at a time; None: whole blocks.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.
    """
    options: dict[str, Any] = {"membership": membership, "reasons": reasons, "bad_rows": bad_rows}
    pool = {"size": actors} if isinstance(actors, int) else {"min_size": actors[0], "max_size": actors[1]}
    return dataset.map_batches(
        Scorer,
        fn_constructor_args=[Shipped(model), options, keep],
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ActorPoolStrategy(**pool),
    )


def fit(estimator: E, X: Any) -> E:
    """Fits `estimator` to nominal samples, with the dissimilarities computed on the cluster that ``ray.init`` has
    joined.

    The model equals that of ``estimator.fit(X)`` bit for bit; see :func:`eocc.distributed.fit`. The work of a lost
    worker is computed again by another.

    Parameters
    ----------
    estimator : EntropicOneClass
    X : samples, or a Ray dataset
        They are collected here: the model stores all or some of them anyway.
    """
    if isinstance(X, ray.data.Dataset):
        X = pa.concat_tables(ray.get(X.to_arrow_refs()))
    pieces = TASKS_PER_CPU * max(1, int(ray.cluster_resources().get("CPU", 1)))

    def call(function: Any, shared: Any, item: Any) -> Any:
        return function(shared, item)

    task = ray.remote(call).options(max_retries=-1)

    def run(function: Any, shared: Any, items: list[Any]) -> list[Any]:
        known = ray.put(shared)
        return list(ray.get([task.remote(function, known, item) for item in items]))

    return fit_on(estimator, X, run, pieces)
