"""The classifier with the conventions of PyOD: larger scores are more anomalous, 1 is an outlier.

>>> from pyod.utils.data import generate_data
>>> from eocc.pyod import EOCC
>>> train, test, _, _ = generate_data(n_train=200, n_test=100, random_state=1)
>>> detector = EOCC(contamination=0.1).fit(train)
>>> int(detector.labels_.sum())
20
"""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

try:
    from pyod.models.base import BaseDetector
except ImportError as error:
    raise ImportError("eocc.pyod needs PyOD: install it with `pip install eocc[pyod]`") from error

from ._estimator import EntropicOneClass
from ._metric import Metric

__all__ = ["EOCC"]


class _Sized:
    """Samples with the shape that PyOD requests."""

    def __init__(self, samples: Any) -> None:
        self.samples = samples
        self.shape = (len(samples),)


class EOCC(BaseDetector):  # type: ignore[misc]
    """:class:`eocc.EntropicOneClass` as a PyOD detector.

    Parameters
    ----------
    contamination : float in [0, 0.5], default=0.1
        The fraction of outliers in the training data. It sets the threshold; and twice as many training samples,
        those that lie farthest out, are excluded as neighbors. 0 if they are all nominal: then no training sample is
        labelled an outlier, and new samples are if they score higher than all of them.
    metric, preset, prototypes, search, evaluations, tau, alpha, percentile, scoring, visits, memory, missing, types, random_state, n_jobs, verbose :
        As for :class:`eocc.EntropicOneClass`.
    reject : float in (0, 1), default=None
        The fraction of nominal samples that `estimator_` may reject. PyOD's own threshold depends on `contamination`
        alone.

    Attributes
    ----------
    decision_scores_ : ndarray of shape (n_samples,)
        The anomaly score of each training sample as if it were new; larger is more anomalous.
    threshold_ : float
        Scores above it are outliers.
    labels_ : ndarray of shape (n_samples,)
        1 for training samples above the threshold, else 0.
    estimator_ : EntropicOneClass
        The fitted estimator, with everything that PyOD does not have.
    """

    def __init__(
        self,
        contamination: float = 0.1,
        metric: Metric = "auto",
        preset: str = "default",
        prototypes: str | int | None = None,
        search: str | None = None,
        evaluations: int | None = None,
        tau: float | None = None,
        alpha: float | None = None,
        percentile: float | None = None,
        scoring: str | None = None,
        visits: str | int | None = None,
        memory: int | None = None,
        missing: str | None = None,
        types: dict[str, str] | None = None,
        reject: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        # The base class does not accept data without outliers.
        if isinstance(contamination, (int, float)) and contamination == 0:
            self.contamination = contamination
        else:
            super().__init__(contamination=contamination)
        self.metric = metric
        self.preset = preset
        self.prototypes = prototypes
        self.search = search
        self.evaluations = evaluations
        self.tau = tau
        self.alpha = alpha
        self.percentile = percentile
        self.scoring = scoring
        self.visits = visits
        self.memory = memory
        self.missing = missing
        self.types = types
        self.reject = reject
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learns from X; `y` is ignored."""
        self._set_n_classes(None)
        self.estimator_ = EntropicOneClass(**self.get_params(deep=False)).fit(X)
        self.decision_scores_ = -self.estimator_.training_scores_
        self._process_decision_scores()
        # The same threshold for both, so that they agree on outliers.
        if isinstance(self.contamination, (int, float)) and self.contamination > 0 and np.isfinite(self.estimator_.offset_):
            self.threshold_ = -self.estimator_.offset_
            self.labels_ = (self.decision_scores_ > self.threshold_).astype(int)
        return self

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """The anomaly score of each sample; larger is more anomalous."""
        check_is_fitted(self, ["decision_scores_", "threshold_", "labels_"])
        return -self.estimator_.score_samples(X.samples if isinstance(X, _Sized) else X)

    def predict_proba(self, X: Any, method: str = "linear", return_confidence: bool = False) -> Any:
        """The probability of being an outlier, as in PyOD, for samples of any kind, including lists of strings or
        dictionaries."""
        if not hasattr(X, "shape"):
            # The base class uses the shape of X.
            X = _Sized(X)
        return super().predict_proba(X, method, return_confidence)

    def explain(self, X: Any, *, n_nearest: int = 5, as_frame: bool = False) -> Any:
        """Why each sample is judged as it is; see :meth:`eocc.EntropicOneClass.explain`."""
        check_is_fitted(self, ["decision_scores_", "threshold_", "labels_"])
        return self.estimator_.explain(X, n_nearest=n_nearest, as_frame=as_frame)  # type: ignore[call-overload]

    def why(self, X: Any, *, n_nearest: int = 5) -> list[str]:
        """Why each sample is judged as it is, in words; see :meth:`eocc.EntropicOneClass.why`."""
        check_is_fitted(self, ["decision_scores_", "threshold_", "labels_"])
        return self.estimator_.why(X, n_nearest=n_nearest)
