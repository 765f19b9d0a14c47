"""Polars: scores as an expression.

>>> import numpy as np, polars as pl
>>> import eocc.engines.polars
>>> from eocc import EntropicOneClass
>>> rng = np.random.default_rng(0)
>>> frame = pl.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
>>> model = EntropicOneClass().fit(frame)
>>> scored = frame.lazy().with_columns(eocc.engines.polars.score(model)).unnest("eocc").collect()
>>> scored.columns
['a', 'b', 'score', 'p_value', 'accepted', 'region']
"""

from collections.abc import Sequence
from typing import Any

try:
    import polars as pl
except ImportError as error:
    raise ImportError("eocc.engines.polars needs Polars: install it with `pip install polars`") from error

from .._estimator import EntropicOneClass

__all__ = ["score"]


def score(
    model: EntropicOneClass,
    columns: Sequence[str] | None = None,
    *,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> Any:
    """The answers of a model as an expression: a struct named `eocc`, for `select`, `with_columns` and `filter`.

    It is elementwise, so the streaming engine may call it piece by piece.

    Parameters
    ----------
    model : EntropicOneClass
    columns : sequence of str, default=None
        The columns to pass to the model. None: those it was fitted on, or all if it has no names for them.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.
    """
    names = [name for name, _ in model._fitted().columns] if columns is None else list(columns)
    fields = {"score": pl.Float64, "p_value": pl.Float64, "accepted": pl.Boolean, "region": pl.Int64}
    fields |= {"membership": pl.Float64} if membership else {}
    fields |= {"reasons": pl.String} if reasons else {}

    def answers(rows: pl.Series) -> pl.Series:
        frame = rows.struct.unnest()
        scored: pl.DataFrame = model.score_arrow(frame, membership=membership, reasons=reasons, bad_rows=bad_rows)
        return scored.to_struct("eocc")

    struct = pl.struct(names) if names else pl.struct(pl.all())
    return struct.map_batches(answers, return_dtype=pl.Struct(fields), is_elementwise=True).alias("eocc")
