"""Which samples are unlike the rest."""

from typing import Any

import numpy as np

from . import _eocc, _inputs, _tables
from ._decisions import index_of, is_polars, pandas_for, polars_frame
from ._estimator import EntropicOneClass
from ._metric import Metric
from ._read import Data


def find_outliers(
    X: Any,
    metric: Metric = "auto",
    *,
    top: int | None = None,
    contamination: float | None = None,
    reject: float | None = None,
    **parameters: Any,
) -> Any:
    """Finds the samples that are unlike the rest, without labels or a second set; no sample is its own neighbor.

    Parameters
    ----------
    X : array-like, data frame, sequence of samples, or what :func:`eocc.read` returned
        As for :meth:`eocc.EntropicOneClass.fit`.
    metric : default="auto"
        As for :class:`eocc.EntropicOneClass`.
    top : int, default=None
        Number of most suspicious samples to return, rejected or not. None: all rejected samples.
    contamination : float in [0, 0.5], default=None
        The expected fraction of outliers, which is also rejected unless `reject` is given. None: 10 % are expected and 5 % rejected.
    reject : float in (0, 1), default=None
        The fraction of samples to reject.
    **parameters :
        Other parameters of :class:`eocc.EntropicOneClass`.

    Returns
    -------
    pandas.DataFrame, or polars.DataFrame with the column `row` if X is one
        The most suspicious first, by the index of X if it is a pandas frame or series, by the names of its samples if it was read
        by :func:`eocc.read`, else by position: `score`, `p_value`, `rejected`, and the features (or parts) with the
        largest shares, `feature_1`, `share_1`, `feature_2`, `share_2`; and `group`, a number that nearly equal
        samples have in common: ``found.groupby("group").size()`` counts them.

    Examples
    --------
    >>> import eocc
    >>> words = ["cat", "cart", "care", "core", "cord", "card", "car", "cab", "scar", "carve"] * 3 + ["xylophone"]
    >>> eocc.find_outliers(words, top=1).index.tolist()
    [30]
    """
    if top is not None and top < 0:
        raise ValueError(f"top is {top}, but must be at least 0, or None for all that are rejected")
    has_polars = is_polars(X)
    names = getattr(X, "names", None) if isinstance(X, Data) else None
    X = _inputs.taken(X)
    if contamination is None and parameters.get("preset", "default") == "default":
        contamination, usual = _eocc.outlier_shares()
        reject = usual if reject is None else reject
    model = EntropicOneClass(metric, contamination=contamination, reject=reject, **parameters).fit(X)
    kept = model.__dict__.get("_kept")
    if kept is not None:
        X = _tables.take(X, kept)
    samples = model._as_samples(X)
    score, p_value, accepted, order, features, groups = model._fitted().outliers(samples, top, threads=model._threads())
    columns: dict[str, Any] = {"score": score[order], "p_value": p_value[order], "rejected": ~accepted[order]}
    for k in range(len(features[0]) if features else 0):
        columns[f"feature_{k + 1}"] = [own[k][0] for own in features]
        columns[f"share_{k + 1}"] = [own[k][1] for own in features]
    columns["group"] = groups
    rows = order if kept is None else np.asarray(kept)[order]
    if has_polars:
        return polars_frame({"row": rows} | columns)
    pandas = pandas_for("eocc.find_outliers")
    labels = index_of(X, len(score)) if names is None else pandas.Index(names)
    is_plain = names is None and not hasattr(X, "iloc")
    return pandas.DataFrame(columns, index=pandas.Index(rows) if is_plain else labels[order])
