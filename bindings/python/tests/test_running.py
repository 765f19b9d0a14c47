"""Running: interrupts, progress, threads, forks, and memory."""

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from eocc import EntropicOneClass

INTERRUPTED = """
import signal, sys, threading, time, os
import numpy as np
from eocc import EntropicOneClass
def later():
    time.sleep(1.0)
    os.kill(os.getpid(), signal.SIGINT)
rows = np.random.default_rng(0).normal(size=({n}, 20))
model = EntropicOneClass({arguments})
threading.Thread(target=later, daemon=True).start()
start = time.time()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted after", time.time() - start)
"""


def slow(a, b):
    return 0.0


@pytest.mark.parametrize(
    ("n", "arguments", "call"),
    [
        # Each takes minutes if it is not interrupted.
        (2500, "preset='paper', tau=0.0, evaluations=10**6, n_jobs=2", "model.fit(rows)"),
        (3000, "lambda a, b: float(np.abs(a - b).sum())", "model.fit(rows)"),
        (9000, "'cosine', n_jobs=2", "model.fit(np.repeat(rows, 1, axis=0)); [model.score_samples(rows) for _ in range(99)]"),
    ],
)
def test_ctrl_c_interrupts(n, arguments, call):
    code = INTERRUPTED.format(n=n, arguments=arguments, call=call)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("interrupted after"), done.stdout + done.stderr
    assert float(done.stdout.split()[-1]) < 20


ABANDONED = """
import signal, time
import numpy as np
from eocc import EntropicOneClass
rows = np.random.default_rng(0).normal(size=(5000, 5))
asked = []
def stop(*_):
    asked.append(time.time())
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 4.0)
try:
    EntropicOneClass(preset="paper", prototypes=20, tau=0.0, evaluations=10**6).fit(rows)
except KeyboardInterrupt:
    print(time.time() - asked[0])
"""


def test_an_interrupted_search_is_not_finished_first():
    done = subprocess.run([sys.executable, "-c", ABANDONED], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # The closeness of 5000 vertices would take longer; what remains is one block of a neighbor search.
    assert float(done.stdout) < 6, done.stdout


def test_the_interpreter_lock_is_released():
    rows = np.random.default_rng(0).normal(size=(400, 5))
    ticks = 0
    stop = threading.Event()

    def tick():
        nonlocal ticks
        while not stop.is_set():
            ticks += 1
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    other.start()
    start = time.perf_counter()
    EntropicOneClass(preset="paper", tau=0.0, evaluations=60).fit(rows)
    elapsed = time.perf_counter() - start
    stop.set()
    other.join()
    # Another thread would make hardly any progress if the lock were held.
    assert ticks > 20 * elapsed


def test_threads_of_python_may_share_a_model():
    rows = np.random.default_rng(0).normal(size=(300, 5))
    model = EntropicOneClass(n_jobs=2).fit(rows)
    expected = model.score_samples(rows)
    results = []
    threads = [threading.Thread(target=lambda: results.append(model.score_samples(rows))) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(results) == 8 and all(np.array_equal(r, expected) for r in results)


def test_a_metric_may_use_a_model(nominal):
    inner = EntropicOneClass().fit(nominal)

    def metric(a, b):
        return float(abs(inner.score_samples(a[None])[0] - inner.score_samples(b[None])[0]))

    assert np.isfinite(EntropicOneClass(metric).fit(nominal[:30]).score_samples(nominal[:3])).all()


def test_verbose_shows_a_bar(nominal, capsys):
    EntropicOneClass(preset="paper", tau=0.0, evaluations=40, verbose=True).fit(nominal)
    shown = capsys.readouterr().err
    assert "search" in shown or "dissimilarities" in shown or "neighbors" in shown, shown
    EntropicOneClass().fit(nominal)
    assert capsys.readouterr().err == ""


def scores_in_child(model, rows, queue):
    queue.put(model.score_samples(rows))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_fork_does_not_hang(nominal):
    model = EntropicOneClass(n_jobs=2).fit(nominal)
    expected = model.score_samples(nominal)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=scores_in_child, args=(model, nominal, queue))
    child.start()
    try:
        assert np.array_equal(queue.get(timeout=30), expected)
    finally:
        child.join(timeout=5)
        if child.is_alive():
            child.kill()


def resident() -> int:
    psutil = pytest.importorskip("psutil")
    return psutil.Process(os.getpid()).memory_info().rss


def test_two_hundred_fits_leave_the_memory_flat():
    rows = np.random.default_rng(0).normal(size=(500, 10))
    texts = ["".join(t) for t in np.random.default_rng(0).choice(list("abcd"), size=(60, 8))]

    def metric(a, b):
        return float(np.abs(a - b).sum())

    def some(count):
        for i in range(count):
            model = EntropicOneClass(n_jobs=2).fit(rows)
            model.score_samples(rows)
            model.explain(rows[:5])
            EntropicOneClass().fit(texts).score_samples(texts)
            if i % 20 == 0:
                EntropicOneClass(metric).fit(rows[:40])

    some(40)
    before = resident()
    some(200)
    grown = resident() - before
    # A model of these rows takes about half a megabyte: a leak of one per fit would show as 100 MB.
    assert grown < 12e6, f"the process has grown by {grown / 1e6:.1f} MB"


def test_signal_handlers_stay_as_they_were(nominal):
    before = signal.getsignal(signal.SIGINT)
    EntropicOneClass().fit(nominal)
    assert signal.getsignal(signal.SIGINT) is before


def test_what_a_metric_raises_reaches_its_own_call_only():
    """Two threads share a model; the metric raises in the calls of one of them."""

    def metric(a, b):
        if a[0] > 1e6 or b[0] > 1e6:
            raise LookupError("too far")
        return float(np.abs(a - b).sum())

    rows = np.random.default_rng(0).normal(size=(40, 3))
    model = EntropicOneClass(metric).fit(rows)
    expected = model.score_samples(rows[:4])
    bad = rows[:4] + 1e9
    wrong, raised = [], []

    def innocent():
        for _ in range(40):
            try:
                if not np.array_equal(model.score_samples(rows[:4]), expected):
                    wrong.append("other scores")
            except BaseException as error:  # noqa: BLE001
                wrong.append(error)

    def guilty():
        for _ in range(40):
            try:
                model.score_samples(bad)
            except LookupError:
                raised.append(True)

    threads = [threading.Thread(target=work) for work in (innocent, guilty, innocent)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(raised) == 40


def test_forks_while_another_thread_fits_do_not_hang(nominal):
    model = EntropicOneClass(n_jobs=2).fit(nominal)
    context = multiprocessing.get_context("fork")
    is_over = threading.Event()

    def fit():
        while not is_over.is_set():
            EntropicOneClass(n_jobs=2).fit(nominal)

    busy = threading.Thread(target=fit)
    busy.start()
    try:
        for _ in range(20):
            queue = context.SimpleQueue()
            child = context.Process(target=scores_in_child, args=(model, nominal, queue))
            child.start()
            child.join(timeout=30)
            if child.is_alive():
                child.kill()
                pytest.fail("a child hangs")
            assert child.exitcode == 0
    finally:
        is_over.set()
        busy.join()


def test_any_number_of_jobs_can_be_asked_for(nominal):
    expected = EntropicOneClass(n_jobs=1).fit(nominal).score_samples(nominal)
    many = EntropicOneClass(n_jobs=2000).fit(nominal)
    assert np.array_equal(many.score_samples(nominal), expected)
