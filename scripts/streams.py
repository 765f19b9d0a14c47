#!/usr/bin/env python3
"""Streams next to peers: prequential quality, and delays of drift alarms.

    python scripts/streams.py quality --seeds 10 --data DATA/streams -o quality.json
    python scripts/streams.py delays --runs 20 -o delays.json
    python scripts/streams.py tables quality.json delays.json > docs/results/streams-peers.md

Needs eocc and river; PySAD is used if it is installed. Every stream is seeded. Each method scores a sample before it learns it, at its defaults.
"""

import argparse
import json
import pathlib
import sys
import time
import warnings

import numpy as np

warnings.filterwarnings("ignore")
WARM_UP = 500
WINDOW = 512


# -- synthetic streams: three modes, 2 % outliers, a change of some sort


def nominals(rng, centers, count):
    which = rng.integers(len(centers), size=count)
    return centers[which] + rng.normal(size=(count, centers.shape[1]))


def synthetic(name, seed, count=6000, d=5):
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    centers = rng.normal(0, 4, size=(3, d))
    shift = rng.normal(size=d)
    shift *= 4 / np.linalg.norm(shift)
    X = nominals(rng, centers, count)
    t = np.arange(count)
    if name == "abrupt":
        X[t >= 2200] += shift
        X[t >= 4200] += shift
    elif name == "gradual":
        X += np.outer(np.clip((t - 1000) / 4000, 0, 1), 2 * shift)
    elif name == "new mode":
        new = (t >= 2500) & (rng.random(count) < 0.2)
        X[new] = centers.mean(0) + 2.5 * shift + rng.normal(size=(new.sum(), d))
    elif name == "recurring":
        X[(t // 1200) % 2 == 1] += shift
    y = np.zeros(count, dtype=int)
    out = rng.random(count) < (0.1 if name == "dirty" else 0.02)
    if name != "dirty":
        out[:WARM_UP] = False
    half = rng.random(count) < 0.5
    low, high = X.min(0), X.max(0)
    scattered = out & half
    X[scattered] = rng.uniform(low, high, size=(scattered.sum(), d))
    moved = out & ~half
    direction = rng.normal(size=(moved.sum(), d))
    X[moved] += 4 * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    y[out] = 1
    if name == "bursts":
        for start in range(1000, count - 100, 1000):
            X[start : start + 60] = centers.mean(0) - 3 * shift + 0.3 * rng.normal(size=(60, d))
            y[start : start + 60] = 1
    return X, y


SYNTHETIC = ("stationary", "abrupt", "gradual", "recurring", "new mode", "bursts", "dirty")


# -- methods: a function from a stream to scores, larger is odder


def eocc_stream(policy):
    def scores(X):
        from eocc import Monitor

        monitor = Monitor(warm_up=WARM_UP, window=WINDOW, policy=policy, reject=0.02)
        return -monitor.observe(np.ascontiguousarray(X)).score

    return scores


def eocc_frozen(X):
    from eocc import EntropicOneClass

    return -EntropicOneClass().fit(X[:WARM_UP]).score_samples(X)


def river(make):
    def scores(X):
        model = make()
        out = np.zeros(len(X))
        for i, row in enumerate(X):
            x = {j: float(v) for j, v in enumerate(row)}
            out[i] = model.score_one(x)
            model.learn_one(x)
        return out

    return scores


def pysad(make):
    def scores(X):
        model = make(X)
        out = np.zeros(len(X))
        for i, row in enumerate(X):
            out[i] = np.ravel(model.fit_score_partial(row))[0] if i else 0.0
        return np.nan_to_num(out)

    return scores


def scaled(method):
    """Scales by the warm-up, as these methods want features of one size."""

    def scores(X):
        middle, spread = X[:WARM_UP].mean(0), X[:WARM_UP].std(0) + 1e-12
        return method((X - middle) / spread)

    return scores


def unit(method):
    """Scales the warm-up to [0, 1], which HalfSpaceTrees expects."""

    def scores(X):
        low, high = X[:WARM_UP].min(0), X[:WARM_UP].max(0)
        return method((X - low) / np.maximum(high - low, 1e-12))

    return scores


def methods(slow):
    found = {"eocc guard": eocc_stream("guard"), "eocc follow": eocc_stream("follow"), "eocc frozen": eocc_frozen}
    try:
        from river import anomaly

        found["river HST"] = unit(river(lambda: anomaly.HalfSpaceTrees(seed=0)))
        found["river OCSVM"] = scaled(river(lambda: anomaly.OneClassSVM()))
        if hasattr(anomaly, "LODA"):
            found["river LODA"] = scaled(river(lambda: anomaly.LODA(seed=0)))
        if slow:
            found["river LOF"] = scaled(river(lambda: anomaly.LocalOutlierFactor()))
    except ImportError:
        print("river is not installed", file=sys.stderr)
    try:
        from pysad.models import LODA, ExactStorm

        found["pysad LODA"] = pysad(lambda X: LODA())
        found["pysad ExactStorm"] = scaled(pysad(lambda X: ExactStorm(window_size=WINDOW)))
    except Exception as error:  # noqa: BLE001
        print(f"pysad: {error}", file=sys.stderr)
    return found


def quality_of(y, scores):
    """Mean AUC over blocks that have both classes, of all where none has, and average precision, after the warm-up."""
    from sklearn.metrics import average_precision_score, roc_auc_score

    y, scores = y[WARM_UP:], np.nan_to_num(scores[WARM_UP:], posinf=1e300, neginf=-1e300)
    size = 500 if len(y) < 10000 else max(500, len(y) // 12)
    blocks = [slice(a, a + size) for a in range(0, len(y), size)]
    aucs = [roc_auc_score(y[b], scores[b]) for b in blocks if 0 < y[b].sum() < len(y[b])]
    return float(np.mean(aucs) if aucs else roc_auc_score(y, scores)), float(average_precision_score(y, scores))


def quality(args):
    results = json.loads(args.output.read_text()) if args.output.exists() else []
    done = {(r["stream"], r["seed"], r["method"]) for r in results}
    made = [(name, seed, None) for seed in range(args.seeds) for name in SYNTHETIC]
    real = [(path.stem, 0, path) for path in sorted(args.data.glob("*.npz"))] if args.data else []
    # A run that is cut short by --seconds has some of everything.
    streams = made[: len(SYNTHETIC)] + real + made[len(SYNTHETIC) :]
    start = time.monotonic()
    for name, seed, path in streams:
        if path is None:
            X, y = synthetic(name, seed)
        else:
            held = np.load(path)
            X, y = held["X"].astype(float)[: args.most], held["y"].astype(int)[: args.most]
        for method, scores in methods(args.slow).items():
            if (name, seed, method) in done or time.monotonic() - start > args.seconds:
                continue
            began = time.monotonic()
            auc, precision = quality_of(y, scores(X))
            taken = time.monotonic() - began
            results.append({"stream": name, "seed": seed, "method": method, "auc": auc, "ap": precision, "seconds": taken, "n": len(X), "real": path is not None})
            print(f"{name} {seed} {method}: {auc:.3f} {precision:.3f} ({taken:.0f} s)", flush=True)
            args.output.write_text(json.dumps(results))


# -- delays of alarms


def changed(kind, seed, d, null=False, count=4000, at=1500):
    rng = np.random.default_rng([seed, d, sum(map(ord, kind)), int(null)])
    centers = rng.normal(0, 4, size=(3, d)) if d > 1 else np.array([[-4.0], [0.0], [4.0]])
    if kind == "correlation":
        base = rng.normal(size=(count, 1)) if d > 1 else 0
        mixed = np.sqrt(0.8) * base + np.sqrt(0.2) * rng.normal(size=(count, d))
        X = mixed if null else np.where(np.arange(count)[:, None] < at, mixed, rng.normal(size=(count, d)))
        return X
    which = rng.integers(3, size=count)
    noise = rng.normal(size=(count, d))
    X = centers[which] + noise
    if null:
        return X
    after = np.arange(count) >= at
    if kind == "mean":
        X[after, 0] += 1
    elif kind == "gradual":
        X[:, 0] += np.clip((np.arange(count) - at) / 1500, 0, 1) * 1.5
    elif kind == "wider":
        X[after] += 0.3 * noise[after]
    elif kind == "narrower":
        X[after] -= 0.25 * noise[after]
    elif kind == "new mode":
        new = after & (rng.random(count) < 0.2)
        X[new] = centers.mean(0) + 8 / np.sqrt(d) + rng.normal(size=(new.sum(), d))
    elif kind == "mode gone":
        gone = after & (which == 0)
        X[gone] = centers[rng.integers(1, 3, size=gone.sum())] + noise[gone]
    return X


CHANGES = ("mean", "gradual", "wider", "narrower", "correlation", "new mode", "mode gone")


def eocc_alarms(X, rate):
    from eocc import Monitor

    monitor = Monitor(warm_up=512, window=1000, policy="guard", reject=0.02, alarm_rate=rate)
    found = monitor.observe(np.ascontiguousarray(X)).alarm
    return np.flatnonzero(found)


def oddities(X):
    """Those of a frozen model of the first 1000 rows, which all drift detectors of river are given."""
    from eocc import EntropicOneClass

    return -EntropicOneClass().fit(X[:1000]).score_samples(X)


def river_alarms(make, series):
    """The first alarms of a detector on each of several series, after the reference."""
    alarms = []
    for values in series:
        detector = make()
        for i, value in enumerate(values[1000:], start=1000):
            detector.update(float(value))
            if detector.drift_detected:
                alarms.append(i)
                break
    return np.array(sorted(alarms))


def delays(args):
    from river import drift

    detectors = {
        "ADWIN": lambda: drift.ADWIN(),
        "PageHinkley": lambda: drift.PageHinkley(),
        "KSWIN": lambda: drift.KSWIN(seed=0),
    }
    results = []
    start = time.monotonic()
    settings = [(d, kind) for d in (5, 1, 20) for kind in CHANGES if kind != "correlation" or d > 1]
    for seed in range(args.runs):
        for d, kind in settings:
            if time.monotonic() - start > args.seconds:
                return
            for null in (False, True):
                X = changed(kind, seed, d, null)
                z = (X - X[:1000].mean(0)) / X[:1000].std(0)
                odd = oddities(X)
                odd = (odd - odd[:1000].mean()) / odd[:1000].std()
                found = {"eocc": eocc_alarms(X, 1e-4)}
                for name, make in detectors.items():
                    found[f"{name} oddity"] = river_alarms(make, [odd])
                    found[f"{name} oddity and columns"] = river_alarms(make, [odd, *z.T])
                for method, alarms in found.items():
                    late = [int(a) for a in alarms if a >= 1000]
                    results.append({"d": d, "kind": kind, "seed": seed, "null": null, "method": method, "alarms": late})
            args.output.write_text(json.dumps(results))
        print(f"run {seed}: {time.monotonic() - start:.0f} s", flush=True)


# -- tables


def mean_table(results, key, real):
    rows = [r for r in results if r["real"] == real]
    names = sorted({r["method"] for r in rows}, key=lambda m: (not m.startswith("eocc"), m))
    streams = sorted({r["stream"] for r in rows})
    lines = ["| stream | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    columns = {name: [] for name in names}
    for stream in streams:
        cells = []
        for name in names:
            values = [r[key] for r in rows if r["stream"] == stream and r["method"] == name]
            columns[name].append(np.mean(values) if values else np.nan)
            spread = f" ± {np.std(values):.3f}" if len(values) > 2 else ""
            cells.append(f"{np.mean(values):.3f}{spread}" if values else "–")
        lines.append(f"| {stream} | " + " | ".join(cells) + " |")
    means = [f"**{np.nanmean(columns[name]):.3f}**" + ("" if not np.isnan(columns[name]).any() else " *") for name in names]
    lines.append("| **mean** | " + " | ".join(means) + " |")
    return "\n".join(lines)


def delay_table(results, d, at=1500):
    rows = [r for r in results if r["d"] == d]
    names = sorted({r["method"] for r in rows}, key=lambda m: (not m.startswith("eocc"), m))
    kinds = [kind for kind in CHANGES if any(r["kind"] == kind for r in rows)]
    lines = [f"| d = {d} | null streams with an alarm | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 2) + "|"]

    def cell(delays):
        missed = np.mean([np.isinf(v) for v in delays])
        median = np.median(delays)
        text = "missed" if np.isinf(median) else f"{median:.0f}"
        return text + (f" ({100 * missed:.0f} %)" if missed else "")

    def first(alarms):
        later = [a for a in alarms if a >= at]
        return min(later) - at if later else np.inf

    for name in names:
        own = [r for r in rows if r["method"] == name]
        null = [r for r in own if r["null"]]
        false = np.mean([bool(r["alarms"]) for r in null])
        cells = []
        for kind in kinds:
            # A detector that has alarmed before the change has stopped.
            runs = [r for r in own if r["kind"] == kind and not r["null"]]
            clean = [first(r["alarms"]) for r in runs if not any(a < at for a in r["alarms"])]
            cells.append(cell(clean) if clean else "–")
        lines.append(f"| {name} | {false:.2f} | " + " | ".join(cells) + " |")
        # A dummy that alarms by lot, as often as this one does without a change: its median delay.
        if name == "eocc":
            rate = -np.log(max(1 - false, 1e-9)) / 3000
            lines.append(f"| dummy, as often as eocc | {false:.2f} | " + " | ".join([f"{np.log(2) / rate:.0f}" if rate > 0 else "never"] * len(kinds)) + " |")
    return "\n".join(lines)


def tables(args):
    results = json.loads(args.quality.read_text())
    delays_found = json.loads(args.delays.read_text())
    text = pathlib.Path(__file__).with_name("streams_peers.md.in")
    seeds = len({r["seed"] for r in results if not r["real"]})
    runs = len({r["seed"] for r in delays_found})
    out = text.read_text().format(
        seeds=seeds,
        runs=runs,
        auc_synthetic=mean_table(results, "auc", False),
        ap_synthetic=mean_table(results, "ap", False),
        auc_real=mean_table(results, "auc", True),
        ap_real=mean_table(results, "ap", True),
        delays="\n\n".join(delay_table(delays_found, d) for d in sorted({r["d"] for r in delays_found}, reverse=True)),
    )
    print(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("quality")
    one.add_argument("--seeds", type=int, default=10)
    one.add_argument("--data", type=pathlib.Path)
    one.add_argument("--most", type=int, default=12000, help="samples of a real stream, at most")
    one.add_argument("--slow", action="store_true", help="river's LOF too, which takes hours")
    one.add_argument("--seconds", type=float, default=1e9)
    one.add_argument("-o", "--output", type=pathlib.Path, required=True)
    one.set_defaults(run=quality)
    two = commands.add_parser("delays")
    two.add_argument("--runs", type=int, default=20)
    two.add_argument("--seconds", type=float, default=1e9)
    two.add_argument("-o", "--output", type=pathlib.Path, required=True)
    two.set_defaults(run=delays)
    three = commands.add_parser("tables")
    three.add_argument("quality", type=pathlib.Path)
    three.add_argument("delays", type=pathlib.Path)
    three.set_defaults(run=tables)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
