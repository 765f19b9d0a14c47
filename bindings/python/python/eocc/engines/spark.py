"""Spark: data frames in, data frames out, a function for SQL, and fitting on the cluster.

The model is broadcast to each executor once, and deserialized once in each Python process there.
"""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

try:
    import pyarrow as pa
    from pyspark.sql import functions
    from pyspark.sql.pandas.types import from_arrow_schema
    from pyspark.sql.types import StructField, StructType
except ImportError as error:
    raise ImportError("eocc.engines.spark needs Spark: install it with `pip install pyspark pyarrow`") from error

from .._cluster import fit_on
from .._estimator import EntropicOneClass
from ._common import Shipped, answer_schema, named_columns, scored, unused

__all__ = ["fit", "score", "udf"]

E = TypeVar("E", bound=EntropicOneClass)

#: Tasks per core, so that slow ones even out and a lost worker loses little.
TASKS_PER_CORE = 4


def score(
    frame: Any,
    model: EntropicOneClass,
    *,
    keep: Sequence[str] | None = None,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> Any:
    """A data frame with the answers of a model after its columns, by ``mapInArrow``.

    Parameters
    ----------
    frame : pyspark.sql.DataFrame
        Columns are matched by name.
    model : EntropicOneClass
    keep : sequence of str, default=None
        The columns to keep. None: all.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.
    """
    options: dict[str, Any] = {"membership": membership, "reasons": reasons, "bad_rows": bad_rows}
    sent = _sent(frame.sparkSession, model)
    answers = from_arrow_schema(answer_schema(membership, reasons))
    taken = set(answers.fieldNames())
    kept = [frame.schema[name] for name in (frame.columns if keep is None else keep)]
    renamed = [StructField(unused(field.name, taken), field.dataType, field.nullable) for field in kept]

    def answer(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        own = sent().model()
        for batch in batches:
            yield scored(own, batch, options, keep)

    return frame.mapInArrow(answer, StructType([*renamed, *answers]))


def udf(
    model: EntropicOneClass,
    *,
    session: Any,
    columns: Sequence[str] | None = None,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> Any:
    """The answers of a model as a function of its columns, which returns a struct; needs Spark 4.1.

    ``frame.select(f("a", "b").score)``, or in SQL after ``session.udf.register("eocc", f)``.

    Parameters
    ----------
    model : EntropicOneClass
    session : pyspark.sql.SparkSession
    columns : sequence of str, default=None
        The parameters. None: the columns that the model was fitted on, in the order of ``model.feature_names_in_``.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.
    """
    if not hasattr(functions, "arrow_udf"):
        raise NotImplementedError("udf needs Spark 4.1 or later: use score instead")
    names = named_columns(model, columns)
    options: dict[str, Any] = {"membership": membership, "reasons": reasons, "bad_rows": bad_rows}
    sent = _sent(session, model)

    def answer(*arrays: pa.Array) -> pa.Array:
        batch = pa.RecordBatch.from_arrays(list(arrays), names=names)
        return sent().model().score_arrow(batch, **options).to_struct_array()

    with warnings.catch_warnings():
        # It prefers type hints, which cannot express a variable number of columns.
        warnings.simplefilter("ignore", UserWarning)
        kind = functions.ArrowUDFType.SCALAR
        return functions.arrow_udf(answer, from_arrow_schema(answer_schema(membership, reasons)), kind)


class _Sent:
    """A model to be sent to the workers: by a broadcast if there is a context for it, else with each task."""

    def __init__(self, session: Any, model: EntropicOneClass) -> None:
        content = Shipped(model)
        self._by: Any = None
        self._own: Any = None
        try:
            self._by = session.sparkContext.broadcast(content)
        except Exception:  # Spark Connect has no context, and reports this in several ways.
            self._own = content

    def __call__(self) -> Shipped:
        found: Shipped = self._own if self._by is None else self._by.value
        return found


def _sent(session: Any, model: EntropicOneClass) -> _Sent:
    return _Sent(session, model)


def fit(estimator: E, X: Any, *, session: Any) -> E:
    """Fits `estimator` to nominal samples, with the dissimilarities computed on the cluster.

    The model equals that of ``estimator.fit(X)`` bit for bit; see :func:`eocc.distributed.fit`. The work of a lost
    executor is computed again by another.

    Parameters
    ----------
    estimator : EntropicOneClass
    X : samples, or a Spark data frame
        They are collected here: the model stores all or some of them anyway.
    session : pyspark.sql.SparkSession
    """
    if hasattr(X, "toArrow"):
        X = X.toArrow()
    context = session.sparkContext
    pieces = TASKS_PER_CORE * context.defaultParallelism

    def run(function: Any, shared: Any, items: list[Any]) -> list[Any]:
        known = context.broadcast(shared)
        try:
            slices = min(len(items), context.defaultParallelism * TASKS_PER_CORE)
            return list(context.parallelize(items, slices).map(lambda item: function(known.value, item)).collect())
        finally:
            known.destroy()

    return fit_on(estimator, X, run, pieces)
