"""DataFusion: scores as a function for SQL and data frames."""

from collections.abc import Sequence
from typing import Any

try:
    import pyarrow as pa
    from datafusion import udf
except ImportError as error:
    raise ImportError("eocc.engines.datafusion needs DataFusion: install it with `pip install datafusion pyarrow`") from error

from .._estimator import EntropicOneClass
from ._common import answer_schema, arrow_types, named_columns

__all__ = ["register"]


def register(
    context: Any,
    name: str,
    model: EntropicOneClass,
    columns: Sequence[str] | None = None,
    *,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> Any:
    """Registers a model in SQL as a function of its columns, in the order of ``model.feature_names_in_``.

    ``SELECT name(a, b)['score'] FROM t``: the function returns a struct. DataFusion calls it once for each field that is taken in this
    way; for several, spread the struct: ``SELECT unnest(e) FROM (SELECT name(a, b) AS e FROM t)`` has columns such as ``"e.score"``.

    Parameters
    ----------
    context : datafusion.SessionContext
    name : str
        The name of the function in SQL.
    model : EntropicOneClass
    columns : sequence of str, default=None
        The parameters. None: the columns that the model was fitted on.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.

    Returns
    -------
    The function, for expressions of data frames.
    """
    names = named_columns(model, columns)

    def function(*arrays: pa.Array) -> pa.Array:
        batch = pa.RecordBatch.from_arrays(list(arrays), names=names)
        return model.score_arrow(batch, membership=membership, reasons=reasons, bad_rows=bad_rows).to_struct_array()

    answers = pa.struct(list(answer_schema(membership, reasons)))
    made = udf(function, arrow_types(model, names), answers, "immutable", name)
    context.register_udf(made)
    return made
