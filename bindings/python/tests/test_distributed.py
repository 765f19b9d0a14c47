"""Several machines: a real cluster of two worker processes gives the same as one machine."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from conftest import block, graphs, series, words

pytest.importorskip("distributed")
import dask.array  # noqa: E402
import dask.bag  # noqa: E402
import dask.dataframe  # noqa: E402
import pandas  # noqa: E402
from distributed import Client, LocalCluster  # noqa: E402

import eocc.distributed  # noqa: E402
from eocc import Dissimilarity, EntropicOneClass  # noqa: E402


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


CASES = {
    "vectors": (EntropicOneClass(), np.random.default_rng(0).normal(size=(120, 5))),
    "prototypes": (EntropicOneClass(preset="paper", prototypes=25), np.random.default_rng(0).normal(size=(90, 3))),
    "a search": (
        EntropicOneClass(preset="paper", tau=0.0, evaluations=4),
        np.random.default_rng(0).normal(size=(50, 3)),
    ),
    "strings": (EntropicOneClass(), words(80)),
    "directed strings": (
        EntropicOneClass(Dissimilarity("levenshtein", insertion=1, deletion=2), preset="paper", search="none"),
        words(50),
    ),
    "series": (EntropicOneClass("dtw"), series(40)),
    "graphs": (EntropicOneClass(), graphs(40)),
    "a function": (EntropicOneClass(block), np.random.default_rng(0).normal(size=(50, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_fitting_gives_the_same_model(client, case):
    model, samples = CASES[case]
    here = model.fit(samples)._model.to_bytes()
    there = eocc.distributed.fit(model, samples, client=client)
    assert there is model
    assert there._model.to_bytes() == here


def test_collections_may_be_fitted_and_scored(client):
    rows = np.random.default_rng(0).normal(size=(200, 4))
    expected = EntropicOneClass().fit(rows)
    array = dask.array.from_array(rows, chunks=(60, 2))
    model = eocc.distributed.fit(EntropicOneClass(), array)
    assert np.array_equal(eocc.distributed.apply(model, array).compute(), expected.score_samples(rows))
    frame = pandas.DataFrame(rows, columns=list("abcd"), index=np.arange(200) * 3)
    model = EntropicOneClass().fit(frame)
    for method in ("score_samples", "decision_function", "predict", "membership", "p_value", "region"):
        lazy = eocc.distributed.apply(model, dask.dataframe.from_pandas(frame, npartitions=3), method)
        assert lazy.npartitions == 3
        scored = lazy.compute()
        assert np.array_equal(scored.to_numpy(), getattr(model, method)(frame))
        assert scored.index.equals(frame.index) and scored.name == method
    texts = words(50)
    model = EntropicOneClass().fit(texts)
    bag = dask.bag.from_sequence(texts, npartitions=4)
    assert np.array_equal(eocc.distributed.apply(model, bag).compute(), model.score_samples(texts))
    assert np.array_equal(eocc.distributed.fit(EntropicOneClass(), bag).score_samples(texts), model.score_samples(texts))


class Counted(EntropicOneClass):
    """Records each time it arrives in a process."""

    def __setstate__(self, state):
        super().__setstate__(state)
        with open(os.environ["EOCC_ARRIVALS"], "a") as file:
            file.write(f"{os.getpid()}\n")


def test_the_model_goes_to_each_worker_once(client, tmp_path, monkeypatch):
    arrivals = tmp_path / "arrivals"
    monkeypatch.setenv("EOCC_ARRIVALS", str(arrivals))
    client.run(lambda path: os.environ.__setitem__("EOCC_ARRIVALS", path), str(arrivals))
    rows = np.random.default_rng(0).normal(size=(400, 3))
    model = Counted().fit(rows)
    expected = model.score_samples(rows)
    lazy = eocc.distributed.apply(model, dask.array.from_array(rows, chunks=(10, 3)))
    assert np.array_equal(lazy.compute(), expected)
    workers = client.run(os.getpid).values()
    pids = [int(line) for line in arrivals.read_text().split()]
    # Where the graph is opened, and where its model is sent; not once for each of the 40 partitions.
    assert all(pids.count(worker) <= 2 for worker in workers), pids


def slowly(a, b):
    time.sleep(0.001)
    return float(np.abs(a - b).sum())


def kill_one(client, after):
    """Kills the process of one worker after a short while."""
    pid = next(iter(client.run(os.getpid).values()))

    def kill():
        time.sleep(after)
        os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_in_the_middle_changes_nothing(client):
    rows = np.random.default_rng(0).normal(size=(90, 3))
    expected = EntropicOneClass(block).fit(rows)
    killer = kill_one(client, 1.0)
    start = time.monotonic()
    model = eocc.distributed.fit(EntropicOneClass(slowly), rows, client=client, block_size=10)
    killer.join()
    # Half a matrix of 90 x 90 takes two workers at least two seconds: the kill happened in the middle.
    assert time.monotonic() - start > 1.0
    assert np.array_equal(model.score_samples(rows), expected.score_samples(rows))

    client.wait_for_workers(2, timeout=30)
    killer = kill_one(client, 0.7)
    lazy = eocc.distributed.apply(EntropicOneClass(slowly).fit(rows[:30]), dask.array.from_array(rows, chunks=(3, 3)))
    scores = lazy.compute()
    killer.join()
    assert np.array_equal(scores, EntropicOneClass(block).fit(rows[:30]).score_samples(rows))


def fails(a, b):
    raise ZeroDivisionError("on a worker")


def test_what_fails_on_a_worker_is_raised_here(client):
    with pytest.raises(ZeroDivisionError, match="on a worker"):
        eocc.distributed.fit(EntropicOneClass(fails), np.eye(12), client=client)
    with pytest.raises(ValueError, match="'precomputed', but must be"):
        eocc.distributed.fit(EntropicOneClass("precomputed"), np.zeros((4, 4)), client=client)
    with pytest.raises(ValueError, match="method is 'fit', but must be one of"):
        eocc.distributed.apply(EntropicOneClass(), dask.bag.from_sequence([1]), "fit")
    with pytest.raises(TypeError, match="data is of type ndarray"):
        eocc.distributed.apply(EntropicOneClass(), np.eye(3))


def test_columns_of_a_mixed_frame_may_come_askew(client):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {"x": rng.normal(size=90), "n": rng.integers(0, 9, size=90), "town": rng.choice(["Como", "Lugano"], size=90)}
    )
    frame.loc[::8, "x"] = np.nan
    expected = EntropicOneClass().fit(frame)
    # Rows from the network: Dask returns the arrays of a frame at whatever alignment they arrived.
    lazy = dask.dataframe.from_pandas(frame, npartitions=4)
    model = eocc.distributed.fit(EntropicOneClass(), lazy, client=client)
    assert model._model.to_bytes() == expected._model.to_bytes()
    assert np.array_equal(eocc.distributed.apply(model, lazy).compute(), expected.score_samples(frame))


def noted(a, b):
    """A metric that records where it is called."""
    with open(os.environ["EOCC_CALLS"], "a") as file:
        file.write(f"{os.getpid()}\n")
    return float(np.abs(a - b).sum())


def test_a_function_is_called_on_the_workers(client, tmp_path, monkeypatch):
    calls = tmp_path / "calls"
    monkeypatch.setenv("EOCC_CALLS", str(calls))
    client.run(lambda path: os.environ.__setitem__("EOCC_CALLS", path), str(calls))
    rows = np.random.default_rng(0).normal(size=(30, 3))
    eocc.distributed.fit(EntropicOneClass(noted), rows, client=client)
    pids = [int(line) for line in calls.read_text().split()]
    # Half of the matrix; single pairs are computed here.
    assert sum(pid != os.getpid() for pid in pids) >= 30 * 29 / 2


def test_more_samples_than_are_looked_at_give_the_same_model(client):
    cases = {
        "a table, which has an index": np.random.default_rng(0).normal(size=(400, 3)),
        "strings": words(400),
        "series": series(150),
        "graphs": graphs(100),
    }
    for name, samples in cases.items():
        here = EntropicOneClass(visits=64).fit(samples)._model.to_bytes()
        there = eocc.distributed.fit(EntropicOneClass(visits=64), samples, client=client)
        assert there._model.to_bytes() == here, name


def test_decisions_come_as_a_frame(client):
    rows = np.random.default_rng(0).normal(size=(200, 4))
    model = EntropicOneClass().fit(rows)
    expected = model.decide(rows)
    found = eocc.distributed.decide(model, dask.array.from_array(rows, chunks=(60, 2)))
    assert found.npartitions == 4
    assert np.array_equal(found.compute().to_numpy()[:, 0], expected.score)
    texts = words(50)
    model = EntropicOneClass().fit(texts)
    found = eocc.distributed.decide(model, dask.bag.from_sequence(texts, npartitions=4)).compute()
    assert list(found.columns) == list(expected._fields)
    assert np.array_equal(found["p_value"], model.p_value(texts))
    with pytest.raises(TypeError, match="must be a Dask array"):
        eocc.distributed.decide(model, texts)
