"""`eocc outliers` compared with PyOD's isolation forest and k nearest neighbors, on the same unprepared files:
outliers among the rows, without labels. Prints a table in Markdown.

    python scripts/outliers.py target/release/eocc ../shared/data/adbench/*.npz

Needs pyod. A file has the rows `X` and, only for evaluation, the labels `y` (1: outlier). At most 5000 rows of each
are used, drawn with seed 0. Times are for the whole program, including reading and writing, and for fitting and
scoring in PyOD.
"""

import csv
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np
from pyod.models.iforest import IForest
from pyod.models.knn import KNN
from sklearn.metrics import roc_auc_score

MOST = 5000


def ours(program, X, folder):
    path, out = folder / "rows.npy", folder / "scores.csv"
    np.save(path, X)
    start = time.perf_counter()
    subprocess.run(
        [program, "outliers", path, "--top", str(len(X)), "-o", out, "--quiet"], check=True, stdout=subprocess.DEVNULL
    )
    seconds = time.perf_counter() - start
    scores = np.empty(len(X))
    with open(out, newline="") as lines:
        for row in csv.DictReader(lines):
            scores[int(row["row"])] = -float(row["score"])
    return scores, seconds


def pyod(model, X):
    start = time.perf_counter()
    model.fit(X)
    return model.decision_scores_, time.perf_counter() - start


def main():
    program, files = sys.argv[1], sys.argv[2:]
    print("| set | rows x columns | outliers | eocc outliers | PyOD IForest | PyOD KNN | seconds |\n|---|---|---|---|---|---|---|")
    table = []
    with tempfile.TemporaryDirectory() as name:
        for file in files:
            data = np.load(file, allow_pickle=True)
            X, y = data["X"].astype(float), data["y"].astype(int).ravel()
            if len(X) > MOST:
                some = np.random.default_rng(0).permutation(len(X))[:MOST]
                X, y = X[some], y[some]
            runs = [
                ours(program, X, pathlib.Path(name)),
                pyod(IForest(random_state=0), X),
                pyod(KNN(), X),
            ]
            values = [roc_auc_score(y, scores) for scores, _ in runs]
            table.append(values)
            seconds = " / ".join(f"{s:.2f}" for _, s in runs)
            title = pathlib.Path(file).stem
            cells = " | ".join(f"{v:.4f}" for v in values)
            print(f"| {title} | {X.shape[0]} x {X.shape[1]} | {y.mean():.3f} | {cells} | {seconds} |", flush=True)
    print("| mean | | | " + " | ".join(f"**{v:.4f}**" for v in np.mean(table, axis=0)) + " | |")


main()
