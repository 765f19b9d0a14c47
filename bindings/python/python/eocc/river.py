"""The monitor with the conventions of river: one sample at a time, larger scores are more anomalous.

Works with or without river installed; with it, :class:`EOCC` is one of its anomaly detectors.

>>> import random
>>> from eocc.river import EOCC
>>> random.seed(1)
>>> detector = EOCC(warm_up=100)
>>> for _ in range(300):
...     detector.learn_one({"a": random.gauss(0, 1), "b": random.gauss(0, 1)})
>>> detector.predict_one({"a": 9.0, "b": 9.0})
1
"""

import math
from typing import Any

import numpy as np

from ._estimator import EntropicOneClass
from ._monitor import Monitor

try:
    from river.base import AnomalyDetector as _Base  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:
        # Its location before river 0.24.
        from river.anomaly.base import AnomalyDetector as _Base  # type: ignore[import-not-found,no-redef,unused-ignore]
    except ImportError:
        _Base = object  # type: ignore[misc,assignment,unused-ignore]

__all__ = ["EOCC"]

#: The feature name of a bare number.
VALUE = "value"


class EOCC(_Base):  # type: ignore[misc,valid-type,unused-ignore]
    """:class:`eocc.Monitor` as an anomaly detector and a drift detector of river.

    Parameters
    ----------
    warm_up, window, policy, alarm_rate, ever, settle, reject, contamination, seed :
        As for :class:`eocc.Monitor`; `seed` is its `random_state`.

    Notes
    -----
    The features are those of the warm-up: a feature that a sample does not have is missing, and new ones are ignored.
    """

    def __init__(
        self,
        warm_up: int = 256,
        window: int = 512,
        policy: str = "guard",
        alarm_rate: float = 1e-4,
        ever: float | None = None,
        settle: int = 64,
        reject: float | None = None,
        contamination: float | None = None,
        seed: int = 0,
    ) -> None:
        self.warm_up = warm_up
        self.window = window
        self.policy = policy
        self.alarm_rate = alarm_rate
        self.ever = ever
        self.settle = settle
        self.reject = reject
        self.contamination = contamination
        self.seed = seed
        self._reset()

    def _reset(self) -> None:
        self.monitor = Monitor(
            warm_up=self.warm_up,
            window=self.window,
            policy=self.policy,
            alarm_rate=self.alarm_rate,
            ever=self.ever,
            settle=self.settle,
            reject=self.reject,
            contamination=self.contamination,
            random_state=self.seed,
        )
        self._features: list[str] | None = None
        self._first: list[dict[Any, Any]] = []
        self._model: EntropicOneClass | None = None
        self._age = 0
        self._drift_detected = False

    # -- anomaly detector

    def learn_one(self, x: dict[Any, Any]) -> None:
        """Learns from a sample, if it is accepted."""
        self._drift_detected = False
        if self._features is None:
            self._first.append(dict(x))
            if len(self._first) < min(self.warm_up, self.window):
                return
            # Any value in the first samples is a feature.
            self._features = sorted({str(name) for sample in self._first for name in sample})
            samples, self._first = self._first, []
        else:
            samples = [x]
        answers = self.monitor._observe(self._rows(samples))
        self._drift_detected = bool(answers.alarm.any())
        self._age += 1
        # The model changes when it is refitted.
        if self._age >= max(8, self.monitor._followed().window_size // 8) or self._drift_detected:
            self._model = None

    def score_one(self, x: dict[Any, Any]) -> float:
        """The oddity of a sample, larger is more anomalous; 0 during the warm-up. Nothing is learned."""
        if self._features is None:
            return 0.0
        return -float(self._current()._answer(self._rows([x])).score[0])

    def predict_one(self, x: dict[Any, Any]) -> int:
        """1 for an anomaly, else 0. Nothing is learned."""
        if self._features is None:
            return 0
        return int(not self._current()._answer(self._rows([x])).accepted[0])

    def _current(self) -> EntropicOneClass:
        if self._model is None:
            self._model, self._age = self.monitor.model, 0
        return self._model

    def _rows(self, samples: list[dict[Any, Any]]) -> Any:
        """Samples with the known features: an array if they are numbers, else columns."""
        assert self._features is not None
        rows = [{str(name): value for name, value in sample.items()} for sample in samples]
        values = [[row.get(name) for name in self._features] for row in rows]
        numbers = all(value is None or isinstance(value, (int, float, np.number)) for row in values for value in row)
        if numbers and not self.monitor._reader.__dict__.get("feature_names_in_", []).__len__():
            return np.array([[math.nan if value is None else float(value) for value in row] for row in values])
        return [dict(zip(self._features, row, strict=True)) for row in values]

    # -- drift detector

    def update(self, x: Any) -> None:
        """Takes a sample, or a bare number, and checks for a change."""
        self.learn_one(x if isinstance(x, dict) else {VALUE: x})

    @property
    def drift_detected(self) -> bool:
        """Whether the last sample raised an alarm."""
        return self._drift_detected
