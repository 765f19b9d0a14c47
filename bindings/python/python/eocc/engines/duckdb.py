"""DuckDB: scores as a function for SQL, and as a stream for whole tables.

>>> import duckdb, numpy as np, pyarrow as pa
>>> import eocc.engines.duckdb
>>> from eocc import EntropicOneClass
>>> rng = np.random.default_rng(0)
>>> sensors = pa.table({"a": rng.normal(size=200), "b": rng.normal(size=200)})
>>> model = EntropicOneClass().fit(sensors)
>>> con = duckdb.connect()
>>> eocc.engines.duckdb.register(con, "eocc", model)
>>> con.sql("select count(*) from sensors where eocc(a, b).score is not null").fetchall()
[(200,)]
"""

from collections.abc import Sequence
from inspect import Parameter, Signature
from typing import Any

try:
    import duckdb
    import pyarrow as pa
except ImportError as error:
    raise ImportError("eocc.engines.duckdb needs DuckDB: install it with `pip install duckdb pyarrow`") from error

from .._estimator import EntropicOneClass
from ._common import answer_schema, arrow_types, named_columns, scored, unused

__all__ = ["register", "score"]

#: Names of types in SQL.
SQL_TYPES = {
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.timestamp("us"): "TIMESTAMP",
    pa.list_(pa.float64()): "DOUBLE[]",
}


def register(
    con: Any,
    name: str,
    model: EntropicOneClass,
    columns: Sequence[str] | None = None,
    *,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> None:
    """Registers a model in SQL as a function of its columns, in the order of ``model.feature_names_in_``.

    ``SELECT name(a, b).score FROM t``: the function returns a struct. DuckDB calls it for 2048 rows at a time.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
    name : str
        The name of the function in SQL.
    model : EntropicOneClass
    columns : sequence of str, default=None
        The parameters. None: the columns that the model was fitted on.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.
    """
    names = named_columns(model, columns)
    fields = answer_schema(membership, reasons)

    def function(*arrays: Any) -> Any:
        batch = pa.table(dict(zip(names, arrays, strict=True)))
        answers = model.score_arrow(batch, membership=membership, reasons=reasons, bad_rows=bad_rows)
        return answers.to_struct_array().combine_chunks()

    # DuckDB counts the parameters, and treats `*arrays` as one.
    parameters = [Parameter(f"p{i}", Parameter.POSITIONAL_ONLY) for i in range(len(names))]
    function.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    con.create_function(
        name,
        function,
        [duckdb.sqltype(SQL_TYPES[kind]) for kind in arrow_types(model, names)],
        duckdb.struct_type({field.name: duckdb.sqltype(SQL_TYPES[field.type]) for field in fields}),
        type="arrow",
        # The model handles missing values.
        null_handling="special",
    )


def score(
    relation: Any,
    model: EntropicOneClass,
    *,
    keep: Sequence[str] | None = None,
    batch_size: int = 100_000,
    membership: bool = False,
    reasons: bool = False,
    bad_rows: str = "error",
) -> Any:
    """The rows of a query with their answers, as a stream: only a few batches are in memory.

    DuckDB reads the result like its own tables, as in ``con.cursor().sql("from scored")``; pyarrow and Polars read it
    too. It must be another cursor, since a connection has one open result.

    Parameters
    ----------
    relation : duckdb.DuckDBPyRelation
        ``con.sql(...)`` or ``con.table(...)``. Columns are matched by name.
    model : EntropicOneClass
    keep : sequence of str, default=None
        The columns to keep next to the answers. None: all.
    batch_size : int, default=100_000
        Rows scored at a time.
    membership, reasons, bad_rows : as for :meth:`~eocc.EntropicOneClass.score_arrow`.

    Returns
    -------
    pyarrow.RecordBatchReader
    """
    options: dict[str, Any] = {"membership": membership, "reasons": reasons, "bad_rows": bad_rows}
    # It had another name before version 1.4.
    open_reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    reader = open_reader(batch_size)
    answers = answer_schema(membership, reasons)
    kept = reader.schema if keep is None else pa.schema([reader.schema.field(name) for name in keep])
    names = [unused(field.name, set(answers.names)) for field in kept]
    fields = [*(field.with_name(name) for field, name in zip(kept, names, strict=True)), *answers]
    batches = (scored(model, batch, options, keep) for batch in reader)
    return pa.RecordBatchReader.from_batches(pa.schema(fields), batches)
