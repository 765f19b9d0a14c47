"""Streams: the monitor, its files, and the conventions of river."""

import itertools
import pickle
from typing import Any

import eocc
import numpy as np
import pandas as pd
import pytest
from eocc import EntropicOneClass, Monitor, Observations
from eocc.river import EOCC


def frame(count: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"temp": rng.normal(shift, 1, count), "load": rng.normal(5 + shift, 1, count)})


@pytest.fixture(scope="module")
def changed() -> Monitor:
    monitor = Monitor(warm_up=200)
    monitor.observe(frame(800, 1))
    monitor.observe(frame(200, 2, 20.0))
    return monitor


def test_frames_in_frames_out() -> None:
    monitor = Monitor(warm_up=100, window=128)
    data = frame(300, 1)
    data.index = [f"r{i}" for i in range(300)]
    parts = [monitor.observe(data.iloc[:60]), monitor.observe(data.iloc[60:150]), monitor.observe(data.iloc[150:])]
    answers = pd.concat(parts)
    assert list(answers.columns) == list(Observations._fields)
    assert list(answers.index) == list(data.index)
    assert answers["p_value"].isna().sum() == 100
    assert list(answers["time"]) == list(range(300))
    # However it is split.
    whole = Monitor(warm_up=100, window=128).observe(data)
    pd.testing.assert_frame_equal(answers, whole)
    polars = pytest.importorskip("polars")
    found = Monitor(warm_up=100, window=128).observe(polars.from_pandas(data.reset_index(drop=True)))
    assert isinstance(found, polars.DataFrame)
    assert np.array_equal(found["score"].to_numpy(), whole["score"].to_numpy(), equal_nan=True)


def test_arrow_in_arrow_out() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    data = frame(300, 1)
    whole = Monitor(warm_up=100, window=128).observe(data)
    table = pyarrow.Table.from_pandas(data)
    monitor = Monitor(warm_up=100, window=128)
    parts = [monitor.observe(table.slice(at, 60)) for at in range(0, 300, 60)]
    assert all(isinstance(part, pyarrow.Table) for part in parts)
    pd.testing.assert_frame_equal(pyarrow.concat_tables(parts).to_pandas(), whole)
    batch = table.to_batches()[0]
    assert isinstance(monitor.observe(batch), pyarrow.RecordBatch)


@pytest.mark.parametrize("missing", ["impute", "distance", None])
def test_missing_values_however_the_stream_is_split(missing: str | None) -> None:
    data = frame(400, 11)
    lots = np.random.default_rng(12)
    data.loc[lots.random(400) < 0.15, "load"] = np.nan
    data.loc[250:, "load"] += 9.0
    settings = {"warm_up": 100, "window": 128, "policy": "follow", "missing": missing}
    whole = Monitor(**settings).observe(data)
    assert len(whole) == 400 and whole["score"][100:].notna().all()
    monitor = Monitor(**settings)
    parts = []
    for at in range(0, 400, 37):
        parts.append(monitor.observe(data.iloc[at : at + 37]))
        monitor = pickle.loads(pickle.dumps(monitor))
    pd.testing.assert_frame_equal(pd.concat(parts), whole)
    # The same numbers without names.
    values = Monitor(**settings).observe(data.to_numpy())
    assert np.array_equal(values.score, whole["score"], equal_nan=True)


def test_a_model_that_imputes_does_so_by_its_window(tmp_path) -> None:  # type: ignore[no-untyped-def]
    model = EntropicOneClass(missing="impute", reject=0.02).fit(frame(200, 1))
    later = frame(400, 2, 4.0)
    later.loc[::5, "load"] = np.nan
    monitors = [Monitor(model, policy="follow", window=256) for _ in range(2)]
    whole = monitors[0].observe(later)
    parts = [monitors[1].observe(later.iloc[:150])]
    monitors[1].save(tmp_path / "state.eocc")
    parts.append(Monitor.load(tmp_path / "state.eocc").observe(later.iloc[150:]))
    pd.testing.assert_frame_equal(pd.concat(parts), whole)
    # The typical value is now that of the later samples.
    assert whole["accepted"][300:].mean() > 0.9
    with pytest.raises(ValueError, match="missing is 'drop'"):
        Monitor(missing="drop")


def test_windows_of_a_series(tmp_path) -> None:  # type: ignore[no-untyped-def]
    rng = np.random.default_rng(13)
    level = np.sin(np.arange(3000) / 3) + 0.1 * rng.normal(size=3000) + 3.0 * (np.arange(3000) > 2000)
    path = tmp_path / "level.csv"
    pd.DataFrame({"time": np.arange(3000), "level": level}).to_csv(path, index=False)
    samples = eocc.read(path, window_of=20, window_as="summary").samples
    assert len(samples) == 299
    whole = Monitor(warm_up=100, window=128).observe(samples)
    assert whole.accepted[100:190].mean() > 0.85 and whole.accepted[205:].mean() < 0.2
    monitor = Monitor(warm_up=100, window=128)
    parts = [monitor.observe(samples[at : at + 60]) for at in range(0, 299, 60)]
    for name, values in zip(Observations._fields, zip(*parts, strict=True), strict=True):
        assert np.array_equal(np.concatenate(values), getattr(whole, name), equal_nan=name not in ("accepted", "learned")), name


def test_graphs_and_series() -> None:
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(14)

    def path(letters: str) -> Any:
        graph = networkx.path_graph(int(rng.integers(4, 7)))
        for v in graph:
            graph.nodes[v]["label"] = letters[rng.integers(2)]
        return graph

    graphs = [path("ab") for _ in range(120)] + [path("xy") for _ in range(30)]
    series = [np.sin(np.arange(12) / 2) + (0.1 if i < 120 else 2.0) * rng.normal(size=12) for i in range(150)]
    for samples in (graphs, series):
        monitor = Monitor(warm_up=80, window=96, settle=16)
        parts = [monitor.observe(samples[at : at + 50]) for at in range(0, 150, 50)]
        accepted = np.concatenate([part.accepted for part in parts])
        assert accepted[80:120].mean() > 0.85 and accepted[120:].mean() < 0.3
        assert monitor.events[0]["kind"] == "alarm" and monitor.events[0]["time"] >= 120
        assert pickle.loads(pickle.dumps(monitor)).observe(samples[:5]).accepted.shape == (5,)


def test_ever(tmp_path) -> None:  # type: ignore[no-untyped-def]
    monitor = Monitor(warm_up=100, window=128, ever=0.05)
    monitor.observe(frame(300, 15))
    assert monitor.events == [] and 0 < monitor.alarm_level < 1
    monitor.save(tmp_path / "state.eocc")
    loaded = Monitor.load(tmp_path / "state.eocc")
    assert loaded._following["ever"] == 0.05
    # The bound is on all alarms together, so that a change takes longer to show than at a rate of one in twenty.
    rate = Monitor(warm_up=100, window=128, alarm_rate=0.05)
    rate.observe(frame(300, 15))
    assert rate.alarm_level > monitor.alarm_level
    loaded.observe(frame(100, 16, 5.0))
    assert loaded.events[0]["kind"] == "alarm"
    with pytest.raises(ValueError, match="ever"):
        Monitor(warm_up=20, ever=2.0).observe(frame(30, 1))


def test_functions_are_refused() -> None:
    with pytest.raises(ValueError, match="a metric that has a name"):
        Monitor(metric=lambda a, b: float(abs(a - b).sum()))


def test_arrays_and_strings() -> None:
    rng = np.random.default_rng(3)
    answers = Monitor(warm_up=80, window=128).observe(rng.normal(size=(200, 3)))
    assert isinstance(answers, Observations)
    assert answers.accepted[80:].mean() > 0.9
    words = [f"user {rng.integers(90)} logged in" for _ in range(150)]
    monitor = Monitor(warm_up=80, window=128)
    monitor.observe(words)
    assert not monitor.observe(["segmentation fault, core dumped"]).accepted[0]


def test_a_change_is_an_event_and_a_question(changed: Monitor) -> None:
    alarm, lasting = changed.events[:2]
    assert (alarm["kind"], lasting["kind"]) == ("alarm", "lasting")
    assert alarm["measure"] in ("oddity", "temp", "load")
    assert 795 <= alarm["since"] <= 805
    assert lasting["advice"] and lasting["rejected"] > 0.5
    monitor = pickle.loads(pickle.dumps(changed))
    with pytest.raises(ValueError, match="99"):
        monitor.confirm(99)
    monitor.confirm(lasting["id"])
    assert lasting["id"] not in [event["id"] for event in monitor.questions]
    assert monitor.observe(frame(100, 4, 20.0))["accepted"].mean() > 0.9
    other = pickle.loads(pickle.dumps(changed))
    other.dismiss(lasting["id"])
    assert other.observe(frame(100, 4, 20.0))["accepted"].mean() < 0.5


def test_files_and_pickles_go_on_alike(changed: Monitor, tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "state.eocc"
    changed.save(path)
    loaded, copied = Monitor.load(path), pickle.loads(pickle.dumps(changed))
    assert loaded.seen == copied.seen == 1000
    more = frame(150, 5, 20.0)
    pd.testing.assert_frame_equal(loaded.observe(more), copied.observe(more))
    model = EntropicOneClass.load(path)
    assert model.score_samples(more).shape == (150,)
    warm = Monitor(warm_up=100)
    warm.observe(frame(10, 1))
    assert pickle.loads(pickle.dumps(warm)).seen == 10
    with pytest.raises(ValueError, match="warming up, with 10 of 100"):
        warm.save(path)


def test_from_a_model() -> None:
    model = EntropicOneClass(reject=0.02).fit(frame(300, 1))
    monitor = Monitor(model, window=256)
    assert not monitor.is_warming_up
    answers = monitor.observe(frame(200, 2))
    assert answers["p_value"].notna().all() and answers["accepted"].mean() > 0.9
    with pytest.raises(ValueError, match="those of the model"):
        Monitor(model, reject=0.1)
    with pytest.raises(ValueError, match="policy"):
        Monitor(model, policy="trust")


def test_the_picture(changed: Monitor) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    axes = changed.plot_stream()
    assert len(axes) == 3 and axes[2].get_yscale() == "log"
    assert [ax.get_ylabel() for ax in axes] == ["p-value", "fraction rejected", "alarm statistic"]
    assert axes[2].get_xlabel() == "sample"
    times = {event["time"] for event in changed.events}
    for ax in axes:
        assert times <= {line.get_xdata()[0] for line in ax.lines if len(line.get_xdata()) == 2}
    assert set(changed.history) >= {"start", "count", "rejected", "level", "p_values"}


def test_one_at_a_time() -> None:
    rng = np.random.default_rng(6)
    detector = EOCC(warm_up=100, window=128)
    assert detector.score_one({"a": 1.0}) == 0.0
    for _ in range(250):
        detector.learn_one({"a": rng.normal(), "b": rng.normal()})
    assert detector.predict_one({"a": 0.0, "b": 0.1}) == 0
    assert detector.predict_one({"a": 9.0, "b": 9.0}) == 1
    assert detector.score_one({"a": 9.0, "b": 9.0}) > detector.score_one({"a": 0.0, "b": 0.1})
    # Scoring learns nothing; unknown features are ignored, absent ones are missing.
    seen = detector.monitor.seen
    detector.score_one({"a": 0.0, "b": 0.0, "c": 5.0})
    detector.score_one({"a": 0.0})
    assert detector.monitor.seen == seen
    words = EOCC(warm_up=60, window=128)
    for _ in range(100):
        words.learn_one({"kind": str(rng.choice(["a", "b"])), "size": rng.normal()})
    assert np.isfinite(words.score_one({"kind": "z", "size": 0.0}))


def test_a_drift_detector() -> None:
    rng = np.random.default_rng(7)
    detector = EOCC(warm_up=100, window=256)
    early = 0
    for _ in range(500):
        detector.update(rng.normal())
        early += detector.drift_detected
    assert early == 0
    for later in range(300):
        detector.update(rng.normal(3))
        if detector.drift_detected:
            break
    assert detector.drift_detected and later < 60


class Transactions:
    """In place of river's data set, which would have to be downloaded: rows as dictionaries, one in fifty an
    anomaly."""

    n_features = 4

    def __iter__(self):  # type: ignore[no-untyped-def]
        rng = np.random.default_rng(8)
        for _ in range(1500):
            is_odd = bool(rng.random() < 0.02)
            yield {f"v{i}": float(rng.normal(6 * is_odd)) for i in range(4)}, is_odd

    def take(self, count: int):  # type: ignore[no-untyped-def]
        return itertools.islice(self, count)


def test_checks_of_river(monkeypatch: pytest.MonkeyPatch) -> None:
    river = pytest.importorskip("river")
    from river import checks, datasets

    monkeypatch.setattr(datasets, "CreditCard", Transactions)
    model = EOCC(warm_up=64, window=64, settle=16)
    assert isinstance(model, river.base.Estimator)
    count = 0
    for check in checks.yield_checks(model):
        check(model.clone())
        count += 1
    assert count > 20
