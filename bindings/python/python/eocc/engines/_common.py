"""What all engines share."""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pyarrow as pa

from .._eocc import Model
from .._estimator import EntropicOneClass

#: Types of a model's columns in Arrow.
ARROW_TYPES = {
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "category": pa.string(),
    "ordered": pa.string(),
    "text": pa.string(),
    "graph": pa.string(),
    "date": pa.timestamp("us"),
    "series": pa.list_(pa.float64()),
}


def columns_of(model: EntropicOneClass) -> list[tuple[str, str]]:
    """The columns that the model reads, by name and type; None if it has no names for them."""
    return list(model._fitted().columns)


def named_columns(model: EntropicOneClass, columns: Sequence[str] | None) -> list[str]:
    """The columns to pass to the model: the named ones, or those that it was fitted on."""
    names = [name for name, _ in columns_of(model)] if columns is None else list(columns)
    if not names:
        raise ValueError("the model has no names for its columns: name them, in the order of its features")
    return names


def arrow_types(model: EntropicOneClass, names: Sequence[str]) -> list[pa.DataType]:
    """The required type of each of these columns."""
    kinds = dict(columns_of(model))
    single = {"strings": "text", "graphs": "graph", "series": "series"}.get(model._fitted().kind.split()[-1], "number")
    return [ARROW_TYPES[kinds.get(name, single)] for name in names]


def answer_schema(membership: bool, reasons: bool) -> pa.Schema:
    """The columns of the answers."""
    return pa.schema(Model.arrow_schema(membership=membership, reasons=reasons))


def scored(model: EntropicOneClass, batch: Any, options: dict[str, Any], keep: Sequence[str] | None = None) -> Any:
    """A batch or table with the answers after its columns: all of them, or those to keep."""
    answers = model.score_arrow(batch, **options)
    kept = batch if keep is None else batch.select(list(keep))
    taken = set(answers.schema.names)
    # As on the command line: the answers keep their names.
    names = [unused(name, taken) for name in kept.schema.names]
    kind = pa.RecordBatch if isinstance(batch, pa.RecordBatch) else pa.Table
    return kind.from_arrays([*kept.columns, *answers.columns], names=[*names, *answers.schema.names])


def unused(name: str, taken: set[str]) -> str:
    """The name, prefixed with `input_` if it is also the name of an answer."""
    while name in taken:
        name = f"input_{name}"
    return name


def shipped(model: EntropicOneClass) -> tuple[str, bytes]:
    """The model as bytes, and their identifier."""
    import pickle

    content = pickle.dumps(model)
    return hashlib.sha256(content).hexdigest(), content


class Shipped:
    """A model that is sent to other processes and deserialized once in each, however often it is sent."""

    def __init__(self, model: EntropicOneClass) -> None:
        self.digest, self.content = shipped(model)

    def model(self) -> EntropicOneClass:
        """The model, deserialized only if this process does not have it."""
        return _made(self.digest, _Content(self.content))


class _Content:
    """Bytes that are compared by digest only."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Content)


@lru_cache(maxsize=4)
def _made(digest: str, content: _Content) -> EntropicOneClass:
    import pickle

    model: EntropicOneClass = pickle.loads(content.content)
    return model
