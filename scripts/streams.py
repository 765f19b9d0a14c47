#!/usr/bin/env python3
"""Streams next to peers: prequential quality, and delays of drift alarms.

    python scripts/streams.py quality --seeds 10 --data DATA/streams -o quality.json
    python scripts/streams.py delays --tuned -o delays.json
    python scripts/streams.py windows --data DATA/streams -o windows.json
    python scripts/streams.py speed -o speed.txt
    python scripts/streams.py tables --quality quality.json --delays delays.json --windows windows.json --kills kills.txt

Needs eocc and river; PySAD, rcf3, Frouros, CapyMOA and nonconform are used if they are installed. They do not all agree on one numpy: run the
same command again in another environment with --only, and give the files of all. Every stream is seeded. Each method scores a sample before it learns it, at its defaults.
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


def apart(rng, d, spread):
    """Four centers, each farther than 5 from the others."""
    while True:
        centers = rng.normal(size=(4, d)) * spread
        if np.sqrt(((centers[:, None] - centers[None]) ** 2).sum(-1))[np.triu_indices(4, 1)].min() > 5:
            return centers


def unit_vector(rng, d):
    direction = rng.normal(size=d)
    return direction / np.linalg.norm(direction)


def synthetic(name, seed, count=6000, d=5):
    """Nominals that change, and outliers that are such at their time (y = 1)."""
    rng = np.random.default_rng([seed, 11])
    centers = apart(rng, d, 3)
    spreads = np.exp(rng.uniform(-0.4, 0.4, (4, d)))
    u, v = unit_vector(rng, d), unit_vector(rng, d)
    t = np.arange(count)
    mode = rng.integers(0, 3, count)
    if name == "new mode":
        mode = np.where((t >= 2500) & (rng.random(count) < 0.25), 3, mode)
    X = centers[mode] + spreads[mode] * rng.normal(size=(count, d))
    shift = np.zeros((count, d))
    if name == "abrupt":
        shift = np.where(t >= 2200, 4, 0)[:, None] * u + np.where(t >= 4200, 4, 0)[:, None] * v
    elif name == "gradual":
        shift = (np.clip((t - 1000) / 4500, 0, 1) * 9)[:, None] * u
    elif name == "recurring":
        shift = (((t // 1200) % 2) * 5)[:, None] * u
    low, high = X[:500].min(0) - 1, X[:500].max(0) + 1
    if name == "bursts":
        y = np.zeros(count, bool)
        for start in rng.choice(np.arange(800, count - 100, 150), 5, replace=False):
            center = rng.uniform(low, high)
            if np.linalg.norm(centers[:3] - center, axis=1).min() <= 4:
                center = center + 5 * u
            rows = start + np.sort(rng.choice(60, 30, replace=False))
            X[rows] = center + 0.2 * rng.normal(size=(30, d))
            y[rows] = True
        return X, y.astype(int)
    y = (rng.random(count) < (0.1 if name == "dirty" else 0.02)) & (t >= 100)
    scattered = rng.uniform(low, high, (y.sum(), d))
    away = rng.normal(size=(y.sum(), d))
    moved = X[y] + 4 * away / np.linalg.norm(away, axis=1, keepdims=True)
    X[y] = np.where(rng.random(y.sum())[:, None] < 0.5, scattered, moved)
    return X + shift, y.astype(int)


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


def river_lof(X):
    """river's local outlier factor, which scores a sample by what it has learned so far."""
    from river import anomaly

    return river(anomaly.LocalOutlierFactor)(X)


def rcf3_forest(X):
    from rcf3 import Forest

    forest = Forest(X.shape[1], random_seed=0) if "random_seed" in (Forest.__doc__ or "") else Forest(X.shape[1])
    return np.array([forest.update_and_score([float(v) for v in row]) for row in X])


def seeded(method):
    """Methods that draw from the global generator."""

    def scores(X):
        np.random.seed(0)
        return method(X)

    return scores


# Those that take long follow fewer seeds of the synthetic streams.
SLOW_SEEDS = 1


def methods(slow):
    """Each method, and whether it is slow."""
    found = {
        "eocc guard": (eocc_stream("guard"), False),
        "eocc follow": (eocc_stream("follow"), False),
        "eocc frozen": (eocc_frozen, False),
    }
    try:
        from river import anomaly

        found["river HST"] = (unit(river(lambda: anomaly.HalfSpaceTrees(seed=0))), False)
        found["river OCSVM"] = (scaled(river(lambda: anomaly.OneClassSVM())), False)
        if hasattr(anomaly, "LODA"):
            found["river LODA"] = (scaled(river(lambda: anomaly.LODA(seed=0))), False)
        if slow:
            found["river LOF"] = (scaled(river_lof), True)
    except ImportError:
        print("river is not installed", file=sys.stderr)
    try:
        from pysad import models

        found["PySAD ExactStorm"] = (scaled(seeded(pysad(lambda X: models.ExactStorm(window_size=WINDOW)))), False)
        found["PySAD LODA"] = (scaled(seeded(pysad(lambda X: models.LODA()))), False)
        found["PySAD KitNet"] = (scaled(seeded(pysad(lambda X: models.KitNet(max_size_ae=10, grace_feature_mapping=100, grace_anomaly_detector=400)))), False)
        found["PySAD xStream"] = (scaled(seeded(pysad(lambda X: models.xStream()))), True)
    except ImportError as error:
        print(f"PySAD: {error}", file=sys.stderr)
    try:
        import rcf3  # noqa: F401

        found["rcf3 Forest"] = (rcf3_forest, False)
    except ImportError:
        print("rcf3 is not installed", file=sys.stderr)
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
        for method, (scores, is_slow) in methods(args.slow).items():
            if (name, seed, method) in done or time.monotonic() - start > args.seconds:
                continue
            if (args.only and not any(method.startswith(word) for word in args.only)) or (is_slow and seed >= SLOW_SEEDS):
                continue
            began = time.process_time()
            try:
                auc, precision = quality_of(y, scores(X))
            except Exception as error:  # noqa: BLE001
                print(f"{name} {seed} {method}: {error}", file=sys.stderr)
                continue
            taken = time.process_time() - began
            results.append({"stream": name, "seed": seed, "method": method, "auc": auc, "ap": precision, "seconds": taken, "n": len(X), "real": path is not None})
            print(f"{name} {seed} {method}: {auc:.3f} {precision:.3f} ({taken:.0f} s)", flush=True)
            args.output.write_text(json.dumps(results))


# -- speed


def speed(args):
    """Observations per second of processor time, 10 columns: from Python, one by one for river, in blocks of 1000 for eocc."""
    import eocc
    from river import anomaly

    X = np.random.default_rng(0).normal(size=(20512, 10))
    monitor = eocc.Monitor(warm_up=512, window=512, n_jobs=1)
    monitor.observe(X[:512])
    began = time.process_time()
    for start in range(512, len(X), 1000):
        monitor.observe(X[start : start + 1000])
    ours = (len(X) - 512) / (time.process_time() - began)
    low, high = X[:512].min(0), X[:512].max(0)
    rows = [dict(enumerate(row)) for row in ((X - low) / (high - low)).tolist()]
    model = anomaly.HalfSpaceTrees(seed=0)
    for row in rows[:512]:
        model.learn_one(row)
    began = time.process_time()
    for row in rows[512:]:
        model.score_one(row)
        model.learn_one(row)
    theirs = (len(X) - 512) / (time.process_time() - began)
    text = f"from Python: eocc.Monitor {ours:.0f} observations per second, river HalfSpaceTrees {theirs:.0f}\n"
    args.output.write_text(text)
    print(text, end="")


# -- one long series: lag vectors against windows


def windows(args):
    """Each series of NAB as the vectors of six lags that people use today, and by windows of it."""
    import tempfile

    import eocc

    results = json.loads(args.output.read_text()) if args.output.exists() else []
    done = {(r["stream"], r["way"]) for r in results}
    for path in sorted(args.data.glob("nab_*.npz")):
        held = np.load(path)
        X, y = held["X"].astype(float), held["y"].astype(int)
        ways = {"six lags": (X, y)}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "series.csv"
            # The first column is the latest value.
            file.write_text("level\n" + "\n".join(repr(float(v)) for v in X[:, 0]) + "\n")
            for shape in ("lags", "summary", "series"):
                samples = eocc.read(file, window_of=24, step=1, window_as=shape).samples
                ways[f"windows of 24, {shape}"] = (samples, y[23:])
            for way, (samples, labels) in ways.items():
                if (path.stem, way) in done:
                    continue
                size = 128 if way.endswith("series") else WINDOW
                monitor = eocc.Monitor(warm_up=min(size, WARM_UP), window=size, policy="follow", reject=0.02)
                began = time.process_time()
                auc, precision = quality_of(labels, -np.asarray(monitor.observe(samples).score))
                results.append({"stream": path.stem, "way": way, "auc": auc, "ap": precision, "seconds": time.process_time() - began})
                print(f"{path.stem} {way}: {auc:.3f} {precision:.3f}", flush=True)
                args.output.write_text(json.dumps(results))


def windows_table(results):
    ways = list(dict.fromkeys(r["way"] for r in results))
    lines = ["| series | " + " | ".join(ways) + " |", "|---" * (len(ways) + 1) + "|"]
    columns = {way: [] for way in ways}
    for stream in sorted({r["stream"] for r in results}):
        cells = []
        for way in ways:
            own = [r for r in results if r["stream"] == stream and r["way"] == way]
            cells.append(f"{own[0]['auc']:.3f} / {own[0]['ap']:.3f}" if own else "–")
            if own:
                columns[way].append((own[0]["auc"], own[0]["ap"]))
        lines.append(f"| {stream} | " + " | ".join(cells) + " |")
    means = [np.mean(columns[way], axis=0) for way in ways]
    lines.append("| **mean** | " + " | ".join(f"**{m[0]:.3f} / {m[1]:.3f}**" for m in means) + " |")
    return "\n".join(lines)


# -- delays of alarms: a reference of 1000 rows, a change 1500 rows later, 2500 rows after it


REFERENCE = 1000
AT = REFERENCE + 1500
CHANGES = ("mean", "gradual", "wider", "narrower", "correlation", "new mode", "mode gone", "recurring")


def changed(kind, d, seed, count=4000, at=1500):
    """Rows that change at `at` after the reference; of kind "none" or "none, three modes" they do not."""
    rng = np.random.default_rng([seed, d, 7])
    n = REFERENCE + count
    t = np.arange(n) - REFERENCE
    after = t >= at
    if kind in ("new mode", "mode gone", "none, three modes"):
        centers = apart(rng, d, 3 if d > 1 else 6)
        mode = rng.integers(0, 3, n)
        if kind == "new mode":
            mode = np.where(after & (rng.random(n) < 0.2), 3, mode)
        if kind == "mode gone":
            mode = np.where(after & (mode == 2), rng.integers(0, 2, n), mode)
        return centers[mode] + rng.normal(size=(n, d))
    if kind == "correlation":
        share = np.where(after, 0, 0.8)[:, None]
        own, common = rng.normal(size=(n, d)), rng.normal(size=(n, 1))
        return np.sqrt(share) * common + np.sqrt(1 - share) * own
    mixing = np.linalg.qr(rng.normal(size=(d, d)))[0] * np.exp(rng.uniform(-0.7, 0.7, d))
    rows = rng.normal(size=(n, d))
    direction = unit_vector(rng, d)
    if kind == "mean":
        rows += after[:, None] * direction
    elif kind == "gradual":
        rows += np.clip((t - at) / 1500, 0, 1)[:, None] * 1.5 * direction
    elif kind == "wider":
        rows *= np.where(after, 1.3, 1)[:, None]
    elif kind == "narrower":
        rows *= np.where(after, 0.75, 1)[:, None]
    elif kind == "recurring":
        rows += (after & (((t - at) // 250) % 2 == 0))[:, None] * direction
    return rows @ mixing.T


def eocc_alarm(rate):
    def first(X, odd, z):
        from eocc import Monitor

        found = np.flatnonzero(Monitor(warm_up=REFERENCE, window=REFERENCE, alarm_rate=rate).observe(np.ascontiguousarray(X)).alarm)
        return found[0] if len(found) else np.inf

    return first


def first_of(detectors, rows):
    """The first row after the reference at which one of the detectors, one for each series, says so."""
    for i in range(REFERENCE, len(rows)):
        said = False
        for detector, value in zip(detectors, rows[i]):
            said |= bool(detector(float(value)))
        if said:
            return i
    return np.inf


def updated(make, said="drift_detected"):
    def detector():
        held = make()

        def update(value):
            held.update(value)
            return getattr(held, said)

        return update

    return detector


def on_oddity(make):
    return lambda X, odd, z: first_of([make()], odd[:, None])


def on_all(make):
    return lambda X, odd, z: first_of([make() for _ in range(1 + z.shape[1])], np.column_stack([odd, z]))


def frouros(name):
    import frouros.detectors.concept_drift as found

    def detector():
        held = getattr(found, name)()

        def update(value):
            held.update(value=value)
            return held.drift

        return update

    return detector


def capymoa(name):
    import capymoa.drift.detectors as found

    def detector():
        held = getattr(found, name)()

        def update(value):
            held.add_element(value)
            return held.detected_change()

        return update

    return detector


def nonconform():
    """The parts of its ExchangeabilityMonitor, with our oddities: sequential ranks, primed by those of the reference, and bets on them. The
    alarm is the Shiryaev-Roberts statistic at 10,000, the rate that ours has."""
    from nonconform.martingales import AlarmConfig, SimpleJumperMartingale
    from nonconform.monitoring import SequentialRankConformalizer

    def first(X, odd, z):
        ranks = SequentialRankConformalizer(seed=0)
        ranks.prime_many(odd[REFERENCE // 2 : REFERENCE])
        bets = SimpleJumperMartingale(alarm_config=AlarmConfig(shiryaev_roberts_threshold=1e4))
        for i in range(REFERENCE, len(odd)):
            if bets.update(ranks.update(float(odd[i]))).triggered_alarms:
                return i
        return np.inf

    return first


def detectors(tuned):
    """By name: a function of rows, oddities and standardized columns to the first alarm; whether it is slow, and whether it is one of a
    grid from which the setting is taken at which at most 5 % of streams without a change alarm."""
    found = {"eocc": (eocc_alarm(1e-4), False)}
    for rate in (1e-4, 5e-5, 2.5e-5, 1.5e-5, 1e-5) if tuned else ():
        found[f"eocc, tuned: {rate:g}"] = (eocc_alarm(rate), False)
    try:
        from river import drift

        found["river ADWIN"] = (on_oddity(updated(drift.ADWIN)), False)
        found["river PageHinkley"] = (on_oddity(updated(drift.PageHinkley)), False)
        found["river KSWIN"] = (on_oddity(updated(lambda: drift.KSWIN(seed=0))), True)
        found["river ADWIN, columns too"] = (on_all(updated(drift.ADWIN)), False)
        for delta in (0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0002, 0.0001) if tuned else ():
            make = updated(lambda delta=delta: drift.ADWIN(delta=delta, clock=8))
            found[f"river ADWIN, tuned: {delta:g}"] = (on_oddity(make), False)
            found[f"river ADWIN, columns too, tuned: {delta:g}"] = (on_all(make), False)
    except ImportError as error:
        print(f"river: {error}", file=sys.stderr)
    for name in ("PageHinkley", "CUSUM"):
        try:
            found[f"Frouros {name}"] = (on_oddity(frouros(name)), True)
        except Exception as error:  # noqa: BLE001
            print(f"Frouros {name}: {error}", file=sys.stderr)
    for name in ("ADWIN", "HDDMAverage", "PageHinkley"):
        try:
            found[f"CapyMOA {name}"] = (on_oddity(capymoa(name)), True)
        except Exception as error:  # noqa: BLE001
            print(f"CapyMOA {name}: {error}", file=sys.stderr)
    try:
        found["nonconform monitor"] = (nonconform(), True)
    except ImportError as error:
        print(f"nonconform: {error}", file=sys.stderr)
    return found


# Slow detectors follow this share of the streams.
SLOW_SHARE = 4


def delays(args):
    from eocc import EntropicOneClass

    results = json.loads(args.output.read_text()) if args.output.exists() else []
    done = {(r["d"], r["kind"], r["seed"], r["method"]) for r in results}
    start = time.monotonic()
    for d in args.columns:
        found = detectors(args.tuned)
        streams = [("none" if seed % 2 == 0 else "none, three modes", 5000 + seed) for seed in range(args.nulls)]
        streams += [(kind, seed) for seed in range(args.runs) for kind in CHANGES if kind != "correlation" or d > 1]
        for kind, seed in streams:
            if time.monotonic() - start > args.seconds:
                return
            X = changed(kind, d, seed)
            # What peers are given: oddities by a model of the first half of the reference, in units of the second half.
            odd = -EntropicOneClass().fit(X[: REFERENCE // 2]).score_samples(X)
            own = odd[REFERENCE // 2 : REFERENCE]
            odd = (odd - own.mean()) / own.std()
            z = (X - X[:REFERENCE].mean(0)) / X[:REFERENCE].std(0)
            for method, (first, is_slow) in found.items():
                if (d, kind, seed, method) in done or (args.only and not any(method.startswith(word) for word in args.only)):
                    continue
                if is_slow and seed % SLOW_SHARE:
                    continue
                # A setting that is too nervous already is not the one.
                grid = [r["alarm"] for r in results if r["d"] == d and r["method"] == method and r["kind"].startswith("none")]
                if ", tuned" in method and sum(alarm is not None for alarm in grid) > 0.05 * args.nulls:
                    continue
                if ", tuned" in method and not kind.startswith("none") and not is_chosen(results, d, method, args.nulls):
                    continue
                alarm = first(X, odd, z)
                results.append({"d": d, "kind": kind, "seed": seed, "method": method, "alarm": None if np.isinf(alarm) else int(alarm)})
            args.output.write_text(json.dumps(results))
        print(f"{d} columns: {time.monotonic() - start:.0f} s", flush=True)


def is_chosen(results, d, method, nulls):
    """Whether this is the most nervous setting of its grid with at most 5 % of streams without a change that alarm."""
    stem = method.split(", tuned")[0]
    counts = {}
    for r in results:
        if r["d"] == d and r["kind"].startswith("none") and r["method"].startswith(stem + ", tuned"):
            counts.setdefault(r["method"], []).append(r["alarm"] is not None)
    fit = [name for name, alarms in counts.items() if len(alarms) >= nulls and sum(alarms) <= 0.05 * nulls]
    return bool(fit) and method == max(fit, key=lambda name: float(name.split(": ")[1]))


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


def delay_table(results, d):
    rows = [r for r in results if r["d"] == d]
    known = {r["method"] for r in rows if not r["kind"].startswith("none")}
    names = sorted(known, key=lambda m: (not m.startswith("eocc"), m))
    kinds = [kind for kind in CHANGES if any(r["kind"] == kind for r in rows)]
    lines = [f"| {d} columns | without a change | streams | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 3) + "|"]

    def cell(delays):
        missed = np.mean(np.isinf(delays))
        median = np.median(delays)
        text = "missed" if np.isinf(median) else f"{median:.0f}"
        return text + (f" ({100 * missed:.0f} %)" if 0 < missed < 0.5 else "")

    for name in names:
        own = [r for r in rows if r["method"] == name]
        null = [r["alarm"] is not None for r in own if r["kind"].startswith("none")]
        cells, count = [], 0
        for kind in kinds:
            # Runs that alarmed before the change do not count: their detectors have stopped.
            alarms = [np.inf if r["alarm"] is None else r["alarm"] for r in own if r["kind"] == kind]
            count = max(count, len(alarms))
            clean = np.array([alarm - AT for alarm in alarms if alarm >= AT])
            cells.append(cell(clean) if len(clean) else "–")
        lines.append(f"| {name} | {np.mean(null):.2f} of {len(null)} | {count} | " + " | ".join(cells) + " |")
        if name == "eocc":
            rate = -np.log(max(1 - np.mean(null), 1e-9)) / 4000
            often = "never" if rate <= 0 else f"{np.log(2) / rate:.0f}"
            lines.append(f"| dummy, by lot as often as eocc | {np.mean(null):.2f} | – | " + " | ".join([often] * len(kinds)) + " |")
    return "\n".join(lines)


MARK = "<!-- scripts/streams.py writes what follows. -->"


def tables(args):
    """Puts what was measured below the mark in the page; above it stands what `eocc-lab streams` has measured."""
    results = [r for path in args.quality for r in json.loads(path.read_text())]
    delays_found = [r for path in args.delays for r in json.loads(path.read_text())]
    text = pathlib.Path(__file__).with_name("streams_peers.md.in").read_text()
    seeds = len({r["seed"] for r in results if not r["real"]})
    runs = len({r["seed"] for r in delays_found if not r["kind"].startswith("none")})
    out = text.format(
        seeds=seeds,
        runs=runs,
        auc_synthetic=mean_table(results, "auc", False),
        ap_synthetic=mean_table(results, "ap", False),
        auc_real=mean_table(results, "auc", True),
        ap_real=mean_table(results, "ap", True),
        means=overall(results),
        delays="\n\n".join(delay_table(delays_found, d) for d in (5, 20, 1) if any(r["d"] == d for r in delays_found)),
        windows=windows_table(json.loads(args.windows.read_text())),
        detectors=detectors_used(delays_found),
        kills=args.kills.read_text().strip(),
    )
    page = args.page.read_text().split(MARK)[0].rstrip()
    args.page.write_text(f"{page}\n\n{MARK}\n\n{out}")


PACKAGES = {"Frouros": "Frouros 0.9.0", "CapyMOA": "CapyMOA 0.15.1", "nonconform": "nonconform 2.0.0"}


def detectors_used(results):
    """The packages of detectors that were installed, with their versions."""
    used = {r["method"].split()[0] for r in results}
    named = [text for name, text in PACKAGES.items() if name in used]
    absent = [name for name in PACKAGES if name not in used]
    without = f" ({' and '.join(absent)} could not be installed)" if absent else ""
    return ", ".join(named or ["no other detectors"]) + without


def overall(results):
    """Means over all streams, those of a synthetic stream first averaged over its seeds; and over how many streams."""
    names = sorted({r["method"] for r in results}, key=lambda m: (not m.startswith("eocc"), m))
    lines = ["| method | streams | AUC | average precision | the same of eocc guard | of eocc follow | seconds for 1000 samples |", "|---" * 7 + "|"]

    def means(name):
        own = {}
        for r in results:
            if r["method"] == name:
                own.setdefault(r["stream"], []).append((r["auc"], r["ap"], 1000 * r["seconds"] / r["n"]))
        return {stream: np.mean(values, axis=0) for stream, values in own.items()}

    ours = {name: means(name) for name in ("eocc guard", "eocc follow")}
    for name in names:
        own = means(name)
        auc, precision, seconds = np.mean(list(own.values()), axis=0)
        same = []
        for held in ours.values():
            both = [held[stream] for stream in own if stream in held]
            same.append("{:.3f} / {:.3f}".format(*np.mean(both, axis=0)[:2]) if both else "–")
        lines.append(f"| {name} | {len(own)} | {auc:.3f} | {precision:.3f} | {same[0]} | {same[1]} | {seconds:.2f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("quality")
    one.add_argument("--seeds", type=int, default=10)
    one.add_argument("--data", type=pathlib.Path)
    one.add_argument("--most", type=int, default=12000, help="samples of a real stream, at most")
    one.add_argument("--slow", action="store_true", help="river's LOF too, which takes hours")
    one.add_argument("--only", nargs="*", help="only methods whose names start so")
    one.add_argument("--seconds", type=float, default=1e9)
    one.add_argument("-o", "--output", type=pathlib.Path, required=True)
    one.set_defaults(run=quality)
    two = commands.add_parser("delays")
    two.add_argument("--runs", type=int, default=16)
    two.add_argument("--nulls", type=int, default=60, help="streams without a change")
    two.add_argument("--columns", type=int, nargs="*", default=[5, 1, 20])
    two.add_argument("--tuned", action="store_true", help="also at settings with which 5 %% of streams without a change alarm")
    two.add_argument("--only", nargs="*", help="only detectors whose names start so")
    two.add_argument("--seconds", type=float, default=1e9)
    two.add_argument("-o", "--output", type=pathlib.Path, required=True)
    two.set_defaults(run=delays)
    six = commands.add_parser("speed")
    six.add_argument("-o", "--output", type=pathlib.Path, required=True)
    six.set_defaults(run=speed)
    three = commands.add_parser("windows")
    three.add_argument("--data", type=pathlib.Path, required=True)
    three.add_argument("-o", "--output", type=pathlib.Path, required=True)
    three.set_defaults(run=windows)
    four = commands.add_parser("tables")
    for name in ("quality", "delays"):
        four.add_argument(f"--{name}", type=pathlib.Path, nargs="+", required=True)
    four.add_argument("--windows", type=pathlib.Path, required=True)
    four.add_argument("--kills", type=pathlib.Path, required=True, help="what `monitor_kills.py` printed")
    four.add_argument("--page", type=pathlib.Path, default=pathlib.Path("docs/results/streams.md"))
    four.set_defaults(run=tables)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
