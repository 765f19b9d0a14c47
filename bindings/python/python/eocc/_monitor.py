"""A classifier that follows a stream."""

import json
import os
from typing import Any, NamedTuple, Self

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from . import _eocc, _inputs
from ._decisions import index_of, is_polars, pandas_for, polars_frame
from ._estimator import EntropicOneClass
from ._metric import MIXED, PRECOMPUTED, VECTORS, Metric, for_library, is_function
from ._reading import FEATURE, ColumnInfo


class Observations(NamedTuple):
    """A monitor's results for samples, with one entry per sample; what ``eocc monitor`` prints."""

    time: NDArray[np.int64]
    """How many samples came before it."""
    score: NDArray[np.float64]
    """Larger is more nominal. NaN while the monitor warms up."""
    membership: NDArray[np.float64]
    """Degree of membership in [0, 1]. NaN while the monitor warms up."""
    accepted: NDArray[np.bool_]
    """The hard answer."""
    region: NDArray[np.int64]
    """The region that the sample is closest to."""
    p_value: NDArray[np.float64]
    """Its rank among the latest samples when they were new. NaN while the monitor warms up."""
    learned: NDArray[np.bool_]
    """Whether it is learned from."""
    alarm: NDArray[np.int64]
    """The alarm that it set off, by the id of the event; 0 if none."""


class Monitor:
    """Judges samples as they arrive, learns the accepted ones, and reports when the stream changes.

    Parameters
    ----------
    model : EntropicOneClass, default=None
        A fitted model to start from: its training samples are the first window. None: the first `warm_up` samples are.
    warm_up : int, default=256
        How many samples are learned before any is judged, if there is no model.
    window : int, default=512
        How many accepted samples to learn from.
    policy : {"guard", "follow"}, default="guard"
        What to do about a lasting change of the stream: ask a question, to be confirmed or dismissed, or learn it. Until the
        answer, accepted samples are still learned, but the threshold cannot rise.
    alarm_rate : float in (0, 1), default=1e-4
        Maximum expected number of false alarms per sample, if nothing changes.
    ever : float in (0, 1), default=None
        Instead of a rate, the maximum probability that there is ever a false alarm.
    settle : int, default=64
        The number of samples after which it is decided whether a change lasts.
    reject, contamination, metric, missing, types, random_state, n_jobs :
        As for :class:`eocc.EntropicOneClass`; `reject` is 0.01 by default. With a model, its own values.

    Examples
    --------
    >>> import numpy as np
    >>> from eocc import Monitor
    >>> rng = np.random.default_rng(0)
    >>> monitor = Monitor(warm_up=200)
    >>> calm = monitor.observe(rng.normal(size=(500, 2)))
    >>> later = monitor.observe(rng.normal(3, 1, size=(200, 2)))
    >>> [event["kind"] for event in monitor.events][:2]
    ['alarm', 'lasting']
    """

    _stream: _eocc.Stream | None

    def __init__(
        self,
        model: EntropicOneClass | None = None,
        *,
        warm_up: int = 256,
        window: int = 512,
        policy: str = "guard",
        alarm_rate: float = 1e-4,
        ever: float | None = None,
        settle: int = 64,
        reject: float | None = None,
        contamination: float | None = None,
        metric: Metric = "auto",
        missing: str | None = None,
        types: dict[str, str] | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        if model is not None and (reject is not None or contamination is not None):
            raise ValueError("reject and contamination are those of the model; leave them out, or leave out the model")
        for name, count in (("warm_up", warm_up), ("window", window), ("settle", settle)):
            if count < 1:
                raise ValueError(f"{name} is {count}, but must be at least 1")
        self._following: dict[str, Any] = {
            "window": window,
            "warm_up": min(warm_up, window),
            "policy": policy,
            "alarm_rate": alarm_rate,
            "ever": ever,
            "settle": min(settle, window // 2),
        }
        self._waiting: list[Any] = []
        self._count = 0
        self._stream = None
        if model is None:
            if is_function(metric) or metric == PRECOMPUTED:
                raise ValueError("a monitor compares samples by a metric that has a name; see eocc.metrics()")
            if missing == "drop":
                raise ValueError("missing is 'drop', but a monitor answers for every sample: use 'distance', 'impute' or 'error'")
            self._reader = EntropicOneClass(
                metric,
                reject=reject,
                contamination=contamination,
                missing=missing,
                types=types,
                random_state=random_state,
                n_jobs=n_jobs,
            )
        else:
            fitted = model._fitted()
            self._stream = _eocc.Stream.from_model(fitted, self._following)
            self._reader = model.__class__.__new__(model.__class__)
            self._reader.__dict__.update(model.__dict__)
            self._leave_imputing()

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._leave_imputing()

    def _leave_imputing(self) -> None:
        """Missing values are imputed by the stream, whose window changes, and not when samples are read."""
        if self._stream is not None and self._reader._model.missing_word == "impute":
            self._reader._model = self._stream.form()

    # -- samples

    def observe(self, X: Any) -> Any:
        """Judges samples one by one, and learns from each before the next.

        Parameters
        ----------
        X : samples, as for :meth:`eocc.EntropicOneClass.fit`
            For a data frame or Arrow data, the result is of the same library; otherwise :class:`Observations`.
        """
        answers = self._observe(X)
        if is_polars(X):
            return polars_frame(answers._asdict())
        if nw.dependencies.is_pandas_dataframe(X) or nw.dependencies.is_pandas_series(X):
            return pandas_for("a frame").DataFrame(answers._asdict(), index=index_of(X, len(answers.time)))
        if type(X).__module__.partition(".")[0] == "pyarrow":
            import pyarrow

            make = pyarrow.record_batch if isinstance(X, pyarrow.RecordBatch) else pyarrow.table
            return make(answers._asdict())
        return answers

    def _observe(self, X: Any) -> Observations:
        if self._stream is not None:
            if hasattr(X, "__len__") and len(X) == 0:
                return _warming_up(self.seen, 0)
            samples = self._reader._samples(X, reset=False)
            return Observations(*self._stream.observe(samples, threads=self._reader._threads()))
        X = _inputs.taken(X)
        count = X.shape[0] if hasattr(X, "shape") else len(X)
        if count == 0:
            return _warming_up(self._count, 0)
        waiting = [*self._waiting, X]
        if self._count + count >= self._following["warm_up"]:
            answers = self._begin(waiting)
            return Observations._make(values[-count:] for values in answers)
        self._waiting = waiting
        self._count += count
        return _warming_up(self._count - count, count)

    def _begin(self, parts: list[Any]) -> Observations:
        """Starts with all samples that have arrived. Those of the warm-up decide about columns, however many there are."""
        if isinstance(parts[0], _eocc.Samples):
            first, *rest = parts
        else:
            first, rest = _split(_joined(parts), self._following["warm_up"])
        samples = self._reader._samples(first, reset=True)
        metric, settings = for_library(self._reader.metric)
        stream = _eocc.Stream.start(samples, metric, settings, self._reader._library_params(), self._following)
        threads = self._reader._threads()
        answers = [stream.observe(samples, threads=threads)]
        if isinstance(first, _eocc.Samples):
            answers += [stream.observe(part, threads=threads) for part in rest]
        self._stream, self._waiting, self._reader._model = stream, [], stream.form()
        if not isinstance(first, _eocc.Samples):
            answers += [self._observe(part) for part in rest]
        return Observations._make(np.concatenate(values) for values in zip(*answers, strict=True))

    # -- events

    def _followed(self) -> _eocc.Stream:
        if self._stream is None:
            raise ValueError(f"the monitor is still warming up, with {self._count} of {self._following['warm_up']} samples")
        return self._stream

    @property
    def events(self) -> list[dict[str, Any]]:
        """The past events, oldest first: `kind`, `id`, `time`, `measure`, `since`, `rejected`, and `advice` in
        words."""
        found: list[dict[str, Any]] = [] if self._stream is None else json.loads(self._stream.events())
        return found

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The events that wait for an answer."""
        return [event for event in self.events if event["is_open"]]

    def confirm(self, id: int) -> Self:
        """Confirms that the subject of a question is nominal, so that it is learned."""
        self._followed().confirm(id)
        return self

    def dismiss(self, id: int) -> Self:
        """Dismisses a question: its subject is not nominal. What was learned since a lasting change is forgotten."""
        self._followed().dismiss(id)
        return self

    @property
    def history(self) -> dict[str, NDArray[Any]]:
        """The stream over time: for each period its `start`, the number of samples, the fraction `rejected`, the
        smallest p-value, the statistic of the alarm relative to its threshold (`level`), and counts of p-values by
        tenths (`p_values`)."""
        periods = [] if self._stream is None else json.loads(self._stream.history())
        rejected = [p["rejected"] / p["count"] if p["count"] else np.nan for p in periods]
        names = ("start", "count", "smallest", "level", "p_values")
        # JSON has no NaN.
        columns = {name: np.array([np.nan if p[name] is None else p[name] for p in periods]) for name in names}
        return columns | {"rejected": np.array(rejected)}

    # -- what it is

    @property
    def seen(self) -> int:
        """How many samples were observed."""
        return self._count if self._stream is None else self._stream.seen

    @property
    def is_warming_up(self) -> bool:
        """Whether the monitor is still warming up."""
        return self._stream is None

    @property
    def alarm_level(self) -> float:
        """How close the stream is to an alarm, which occurs at 1."""
        return 0.0 if self._stream is None else self._stream.alarm_level

    @property
    def model(self) -> EntropicOneClass:
        """The current model, as an estimator that does not go on learning."""
        return _estimator_of(self._followed().model())

    def __repr__(self) -> str:
        return f"<eocc.Monitor of {self.seen} samples{', warming up' if self.is_warming_up else ''}>"

    # -- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state that ``eocc monitor`` resumes from; it is a model file. During the warm-up, pickle the
        monitor instead: then there is no model yet."""
        self._followed().save(os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Reads a state, from Python or the command line."""
        stream = _eocc.Stream.load(os.fspath(path))
        if stream.is_warming_up:
            raise ValueError(f"{os.fspath(path)!r} is still warming up; continue it with `eocc monitor`")
        window, warm_up, policy, rate, is_ever, settle = stream.following
        self = cls.__new__(cls)
        self._following = {
            "window": window,
            "warm_up": warm_up,
            "policy": policy,
            "alarm_rate": 1e-4 if is_ever else rate,
            "ever": rate if is_ever else None,
            "settle": settle,
        }
        self._waiting, self._count, self._stream = [], 0, stream
        self._reader = _estimator_of(stream.form())
        return self

    # -- pictures

    def plot_stream(self, *, axes: Any = None) -> Any:
        """Draws p-values, the rejected fraction and the alarm statistic over time, with events as vertical lines.

        Parameters
        ----------
        axes : three matplotlib axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        axes : the axes.
        """
        if axes is None:
            import matplotlib.pyplot as plt

            _, axes = plt.subplots(3, 1, sharex=True, figsize=(8, 6))
        history = self.history
        time = history["start"]
        if len(time):
            counts = np.array(history["p_values"], dtype=float).T
            shares = counts / np.maximum(counts.sum(axis=0, keepdims=True), 1)
            end = time[-1] + history["count"][-1]
            axes[0].pcolormesh(np.append(time, end), np.linspace(0, 1, 11), shares, cmap="Blues", vmin=0)
            axes[1].step(time, history["rejected"], where="post", color="#0072b2")
            axes[2].step(time, np.maximum(history["level"], 1e-6), where="post", color="#0072b2")
        axes[0].set_ylabel("p-value")
        axes[1].set_ylabel("fraction rejected")
        axes[2].set_ylabel("alarm statistic")
        axes[2].set_yscale("log")
        axes[2].axhline(1, color="#555555", linestyle="--", linewidth=1)
        axes[2].set_xlabel("sample")
        colors = {"alarm": "#d55e00", "lasting": "#cc79a7", "adapted": "#009e73", "recurred": "#009e73", "proposal": "#e69f00"}
        for event in self.events:
            for ax in axes:
                ax.axvline(event["time"], color=colors.get(event["kind"], "#999999"), linewidth=0.8)
        return axes


def _warming_up(start: int, count: int) -> Observations:
    nothing = np.full(count, np.nan)
    zeros, ones = np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.bool_)
    return Observations(np.arange(start, start + count), nothing, nothing, ones, zeros, nothing, ones, zeros)


def _joined(parts: list[Any]) -> Any:
    """Consecutive samples as one set."""
    first = parts[0]
    if len(parts) == 1:
        return first
    if is_polars(first):
        import polars

        return polars.concat(parts)
    if nw.dependencies.is_pandas_dataframe(first) or nw.dependencies.is_pandas_series(first):
        return pandas_for("a frame").concat(parts)
    if type(first).__module__.partition(".")[0] == "pyarrow":
        import pyarrow

        return pyarrow.concat_tables(parts)
    if isinstance(first, np.ndarray):
        return np.concatenate(parts)
    return [sample for part in parts for sample in part]


def _split(X: Any, count: int) -> tuple[Any, list[Any]]:
    """The first samples, and the others, if there are any, as a list of one part."""
    if hasattr(X, "iloc"):
        first, rest = X.iloc[:count], X.iloc[count:]
    elif type(X).__module__.partition(".")[0] == "pyarrow":
        first, rest = X.slice(0, count), X.slice(count)
    else:
        first, rest = X[:count], X[count:]
    return first, [rest] if len(rest) else []


def _estimator_of(model: _eocc.Model) -> EntropicOneClass:
    """An estimator with this model, as if it were loaded."""
    estimator = EntropicOneClass(missing=model.missing_word)
    estimator._model = model
    names = [name for name, _ in model.columns]
    estimator.schema_ = [ColumnInfo(name, kind, FEATURE, "") for name, kind in model.columns]
    if model.kind in (VECTORS, MIXED):
        estimator.n_features_in_ = len(names) or model.features
        if names:
            estimator.feature_names_in_ = np.array(names, dtype=object)
    return estimator
