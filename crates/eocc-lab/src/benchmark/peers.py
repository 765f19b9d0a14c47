"""Classifiers of scikit-learn and PyOD for `eocc-lab benchmark`, at their defaults: fits and scores what it is sent.

Reads requests from standard input: a line of JSON with the name of a classifier, the seed and the shape of the data, then the training rows and
the test rows as 64-bit floats. Answers with a line of JSON and the scores of the test rows, larger for the more nominal.
"""

import importlib.metadata
import json
import sys
import warnings

import numpy as np


def pyod(name, **settings):
    def scores(train, test, seed):
        module, cls = name.split(".")
        model = getattr(__import__(f"pyod.models.{module}", fromlist=[cls]), cls)(**settings)
        model.fit(train)
        return -model.decision_function(test)

    return scores


def sklearn(name, is_random=False, **settings):
    def scores(train, test, seed):
        module, cls = name.split(".")
        own = {"random_state": seed} if is_random else {}
        model = getattr(__import__(f"sklearn.{module}", fromlist=[cls]), cls)(**settings, **own)
        return model.fit(train).score_samples(test)

    return scores


def gaussian_mixture(train, test, seed):
    from sklearn.mixture import GaussianMixture

    parts = min(5, len(train) // 2)
    return GaussianMixture(parts, random_state=seed, reg_covar=1e-3).fit(train).score_samples(test)


CLASSIFIERS = {
    "pyod-knn": pyod("knn.KNN"),
    "pyod-knn-mean": pyod("knn.KNN", method="mean"),
    "pyod-ecod": pyod("ecod.ECOD"),
    "sklearn-lof": sklearn("neighbors.LocalOutlierFactor", novelty=True),
    "sklearn-isolation-forest": sklearn("ensemble.IsolationForest", is_random=True),
    "sklearn-oc-svm": sklearn("svm.OneClassSVM"),
    "sklearn-kde": sklearn("neighbors.KernelDensity", bandwidth="scott"),
    "sklearn-mixture": gaussian_mixture,
}


def versions():
    found = {}
    for name in ("numpy", "scikit-learn", "pyod"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found


def answer(line, scores=None):
    sys.stdout.buffer.write(json.dumps(line).encode() + b"\n")
    if scores is not None:
        sys.stdout.buffer.write(np.ascontiguousarray(scores, dtype="<f8").tobytes())
    sys.stdout.buffer.flush()


def main():
    warnings.filterwarnings("ignore")
    answer(versions())
    for line in iter(sys.stdin.buffer.readline, b""):
        ask = json.loads(line)
        rows, columns = ask["train"] + ask["test"], ask["columns"]
        data = np.frombuffer(sys.stdin.buffer.read(8 * rows * columns), dtype="<f8").reshape(rows, columns)
        try:
            scores = CLASSIFIERS[ask["name"]](data[: ask["train"]], data[ask["train"] :], ask["seed"])
            if len(scores) != ask["test"] or np.isnan(scores).any():
                raise ValueError("some scores are missing")
        except Exception as fault:  # noqa: BLE001: whatever it is, the set goes without this row
            answer({"error": f"{type(fault).__name__}: {fault}"})
        else:
            answer({"error": None}, scores)


if __name__ == "__main__":
    main()
