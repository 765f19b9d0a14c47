"""Scoring Arrow data: batches in, batches out."""

from typing import Any

from sklearn.utils.validation import check_is_fitted

from . import _eocc

#: What to do with rows that cannot be read.
BAD_ROWS = ("error", "null")


class ArrowMixin:
    """The Arrow entry point of an estimator."""

    _model: _eocc.Model

    def _threads(self) -> int:
        raise NotImplementedError

    def score_arrow(
        self, data: Any, *, membership: bool = False, reasons: bool = False, bad_rows: str = "error"
    ) -> Any:
        """Scores Arrow data: one row in, one row out, in order.

        This is what data engines should call (see :mod:`eocc.engines`): a call costs microseconds besides the scoring itself, and
        numbers are copied once, from columns to rows. Columns are matched by name, in any order, and columns that the model does not
        know are ignored. Values are read like those of the training samples. The answers equal those of ``eocc
        score`` bit for bit. There are no warnings.

        Parameters
        ----------
        data : object with ``__arrow_c_array__`` or ``__arrow_c_stream__``
            A record batch, a table or a stream of batches, from pyarrow, polars, DuckDB, pandas and others.
        membership : bool, default=False
            Whether to add the column `membership`.
        reasons : bool, default=False
            Whether to add the column `reasons`: the features that make a rejected row odd, and their shares; null for
            accepted rows.
        bad_rows : {"error", "null"}, default="error"
            What to do with rows that cannot be read: raise, or return nulls for all of their answers.

        Returns
        -------
        Arrow data with the columns `score`, `p_value`, `accepted` and `region`, of the type of `data`: a record batch, table or
        (lazily scored) reader of pyarrow, or a data frame of polars. Otherwise, an object with ``__arrow_c_array__`` or
        ``__arrow_c_stream__``.

        Examples
        --------
        >>> import numpy as np, pyarrow as pa
        >>> from eocc import EntropicOneClass
        >>> rng = np.random.default_rng(0)
        >>> table = pa.table({"a": rng.normal(size=200), "b": rng.normal(size=200)})
        >>> model = EntropicOneClass().fit(table)
        >>> model.score_arrow(pa.table({"b": [0.1, 9.0], "a": [0.2, 9.0]}))["accepted"].to_pylist()
        [True, False]
        """
        if bad_rows not in BAD_ROWS:
            raise ValueError(f"bad_rows is {bad_rows!r}, but must be 'error' or 'null'")
        if "_model" not in self.__dict__:
            check_is_fitted(self)
        package = type(data).__module__.partition(".")[0]
        if package == "pyarrow" and type(data).__name__ == "RecordBatchReader":
            return _scored_reader(self, data, membership, reasons, bad_rows)
        answers = self._model.score_arrow(
            data, membership=membership, reasons=reasons, skip_bad_rows=bad_rows == "null", threads=self._threads()
        )
        if package == "pyarrow":
            import pyarrow

            return pyarrow.record_batch(answers) if isinstance(data, pyarrow.RecordBatch) else pyarrow.table(answers)
        if package == "polars":
            import polars

            return polars.DataFrame(answers)
        return answers


def _scored_reader(model: Any, reader: Any, membership: bool, reasons: bool, bad_rows: str) -> Any:
    """A reader that scores each batch on request."""
    import pyarrow

    schema = pyarrow.schema(_eocc.Model.arrow_schema(membership=membership, reasons=reasons))
    options: dict[str, Any] = {"membership": membership, "reasons": reasons, "bad_rows": bad_rows}
    return pyarrow.RecordBatchReader.from_batches(schema, (model.score_arrow(batch, **options) for batch in reader))
