"""Which samples are unlike the rest."""

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from . import _eocc, _inputs
from ._decisions import index_of, pandas_for
from ._estimator import EntropicOneClass
from ._metric import Metric
from ._read import Data

#: The share of outliers that is expected when nothing is said, and the share of samples to report then.
EXPECTED, REJECT = 0.1, 0.05
#: Neighbours that an explanation goes by, and features named with each sample.
NEAREST, FEATURES = 10, 2


def find_outliers(
    X: Any,
    metric: Metric = "auto",
    *,
    top: int | None = None,
    contamination: float | None = None,
    reject: float | None = None,
    **parameters: Any,
) -> Any:
    """Finds the samples that are unlike the rest: no labels, no second set, and none counts itself.

    Parameters
    ----------
    X : array-like, data frame, sequence of samples, or what :func:`eocc.read` returned
        As for :meth:`eocc.EntropicOneClass.fit`.
    metric : default="auto"
        As for :class:`eocc.EntropicOneClass`.
    top : int, default=None
        So many of the most suspicious samples, rejected or not. None: all that are rejected.
    contamination : float in [0, 0.5], default=None
        The share of outliers expected, and rejected unless `reject` is given. None: one in ten is expected, so that outliers do
        not vouch for each other, and the oddest twentieth is rejected.
    reject : float in (0, 1), default=None
        The share of nominal samples that may be rejected.
    **parameters :
        Others of :class:`eocc.EntropicOneClass`.

    Returns
    -------
    pandas.DataFrame
        The most suspicious first, by the index of X if it is a pandas frame or series, by the names of its samples if it was read
        by :func:`eocc.read`, else by position: `score`, `p_value`, `rejected`, and the features (or
        parts) that say most with their shares, `feature_1`, `share_1`, `feature_2`, `share_2`.

    Examples
    --------
    >>> import eocc
    >>> words = ["cat", "cart", "care", "core", "cord", "card", "car", "cab", "scar", "carve"] * 3 + ["xylophone"]
    >>> eocc.find_outliers(words, top=1).index.tolist()
    [30]
    """
    pandas = pandas_for("eocc.find_outliers")
    names = getattr(X, "names", None) if isinstance(X, Data) else None
    X = _inputs.taken(X)
    if contamination is None and parameters.get("preset", "default") == "default":
        contamination, reject = EXPECTED, REJECT if reject is None else reject
    model = EntropicOneClass(metric, contamination=contamination, reject=reject, **parameters).fit(X)
    decisions = model.decide(X)
    rejected = ~np.asarray(decisions.accepted)
    order = np.argsort(decisions.score, kind="stable")[: int(rejected.sum()) if top is None else top]
    labels = index_of(X, len(rejected)) if names is None else pandas.Index(names)
    found = pandas.DataFrame(
        {"score": decisions.score[order], "p_value": decisions.p_value[order], "rejected": rejected[order]},
        index=labels[order],
    )
    if len(order) == 0:
        return found
    some = X[order] if isinstance(X, _eocc.Samples) else _safe_indexing(X, order)
    shares = [list(e.shares.items()) for e in model.explain(some, n_nearest=NEAREST)]
    for k in range(min(FEATURES, len(shares[0]))):
        greatest = [sorted(own, key=lambda item: -item[1])[k] for own in shares]
        found[f"feature_{k + 1}"] = [name for name, _ in greatest]
        found[f"share_{k + 1}"] = [share for _, share in greatest]
    return found
