"""A model's decisions on samples."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray


class Decisions(NamedTuple):
    """The complete decisions, with one entry per sample; what ``eocc score`` prints."""

    score: NDArray[np.float64]
    """Larger is more nominal; never saturates."""
    membership: NDArray[np.float64]
    """Degree of membership in [0, 1]."""
    accepted: NDArray[np.bool_]
    """The hard answer."""
    region: NDArray[np.int64]
    """The region that the sample is closest to."""
    p_value: NDArray[np.float64]
    """Expected fraction of nominal samples that score no higher."""


@dataclass(frozen=True)
class Explanation:
    """The reasons for the decision on one sample."""

    region: int
    """The region that the sample is closest to."""
    nearest: NDArray[Any]
    """Its nearest nominal samples, nearest first: labels of the index if the model was fitted on a pandas frame, names where the
    samples have some, else rows of the training data, or of the prototypes if these are fewer."""
    dissimilarity: NDArray[np.float64]
    """The dissimilarities to them."""
    shares: dict[str, float]
    """The mean share of each feature in these dissimilarities, by name; empty for samples without features."""


def pandas_for(what: str) -> Any:
    """The module, which is needed only for frames."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{what} needs pandas: install it with `pip install pandas`") from error
    return pandas


def index_of(X: Any, count: int) -> Any:
    """The index of X if it is a pandas frame or column, otherwise a running number."""
    if hasattr(X, "iloc"):
        return X.index
    return pandas_for("as_frame=True").RangeIndex(count)


def frame_of_decisions(decisions: Decisions, X: Any) -> Any:
    """Decisions as a data frame of the same library as X; for pandas, with the index of X."""
    if is_polars(X):
        return polars_frame(decisions._asdict())
    pandas = pandas_for("as_frame=True")
    return pandas.DataFrame(decisions._asdict(), index=index_of(X, len(decisions.score)))


def is_polars(X: Any) -> bool:
    """Whether X is a polars frame or column, for which the result is a polars frame."""
    return bool(nw.dependencies.is_polars_dataframe(X) or nw.dependencies.is_polars_series(X))


def polars_frame(columns: dict[str, Any]) -> Any:
    """A polars frame."""
    import polars

    return polars.DataFrame({name: list(values) if isinstance(values, list) else values for name, values in columns.items()})


def frame_of_explanations(all_found: list[Explanation], X: Any) -> Any:
    """Explanations as a data frame of the same library as X; for pandas, with the index of X."""
    rows = []
    for found in all_found:
        row: dict[str, Any] = {"region": found.region}
        for k, (label, far) in enumerate(zip(found.nearest, found.dissimilarity, strict=True), start=1):
            row |= {f"nearest_{k}": label, f"dissimilarity_{k}": far}
        rows.append(row | {f"share_{name}": share for name, share in found.shares.items()})
    if is_polars(X):
        return polars_frame({name: [row.get(name) for row in rows] for name in rows[0]} if rows else {})
    return pandas_for("as_frame=True").DataFrame(rows, index=index_of(X, len(rows)))
