"""The process of `eocc-lab benchmark` gives the scores of the classifiers themselves."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[3] / "crates/eocc-lab/src/benchmark/peers.py"


@pytest.fixture
def process():
    with subprocess.Popen([sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield process
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def ask(process, name, train, test):
    line = {"name": name, "seed": 3, "train": len(train), "test": len(test), "columns": train.shape[1]}
    process.stdin.write(json.dumps(line).encode() + b"\n" + train.tobytes() + test.tobytes())
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if answer["error"]:
        return answer["error"]
    return np.frombuffer(process.stdout.read(8 * len(test)))


def test_scores_are_those_of_the_classifiers(process):
    pytest.importorskip("pyod")
    from pyod.models.knn import KNN
    from sklearn.neighbors import LocalOutlierFactor

    assert json.loads(process.stdout.readline())["numpy"] == np.__version__
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(80, 3)), rng.normal(size=(9, 3)) * 3
    expected = LocalOutlierFactor(novelty=True).fit(train).score_samples(test)
    assert np.array_equal(ask(process, "sklearn-lof", train, test), expected)
    expected = -KNN(method="mean").fit(train).decision_function(test)
    assert np.array_equal(ask(process, "pyod-knn-mean", train, test), expected)
    # An error is reported, and the next request is still answered.
    assert "KeyError" in ask(process, "no-such", train, test)
    for name in ("pyod-knn", "pyod-ecod", "sklearn-isolation-forest", "sklearn-oc-svm", "sklearn-kde", "sklearn-mixture"):
        scores = ask(process, name, train, test)
        far = ask(process, name, train, test + 50)
        assert np.median(far) < np.median(scores), name
