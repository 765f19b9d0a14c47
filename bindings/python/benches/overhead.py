"""The overhead of Python over the library: fit and score of 2000 x 20, and one row at a time.

    python bindings/python/benches/overhead.py [THREADS]

Needs the package installed from a wheel in release profile. Runs the Rust bench `whole` and the same through Python,
alternately, and prints the ratios.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from eocc import EntropicOneClass

ROOT = Path(__file__).resolve().parents[3]
ROUNDS = 3
REPEATS = 15
SINGLE = 10_000


def shortest(run, repeats=REPEATS):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def ours(rows, threads):
    model = EntropicOneClass(n_jobs=threads).fit(rows)
    model.score_samples(rows)
    one = rows[:1].copy()
    model.score_samples(one)

    def single():
        for _ in range(SINGLE // REPEATS):
            model.score_samples(one)

    return {
        "fit": shortest(lambda: EntropicOneClass(n_jobs=threads).fit(rows)),
        "score": shortest(lambda: model.score_samples(rows)),
        "single": shortest(single) / (SINGLE // REPEATS),
    }


def library(path, threads):
    variables = os.environ | {"EOCC_ROWS": path, "RAYON_NUM_THREADS": str(threads)}
    command = ["cargo", "bench", "--quiet", "--package", "eocc", "--bench", "whole"]
    done = subprocess.run(command, cwd=ROOT, env=variables, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main():
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    rows = np.random.default_rng(1).normal(size=(2000, 20))
    with tempfile.NamedTemporaryFile(suffix=".f64") as file:
        rows.astype("<f8").tofile(file.name)
        # Alternately, and the best of each: the machine may be busy with other things.
        rounds = [(library(file.name, threads), ours(rows, threads)) for _ in range(ROUNDS)]
    best = [{key: min(r[side][key] for r in rounds) for key in ("fit", "score", "single")} for side in (0, 1)]
    rust, python = best
    both = [(s["fit"] + s["score"]) * 1e3 for s in best]
    print(f"{threads} thread(s)            library     Python")
    for key in ("fit", "score"):
        print(f"{key:6} of 2000 x 20   {rust[key] * 1e3:8.2f} ms {python[key] * 1e3:8.2f} ms")
    print(f"both                {both[0]:8.2f} ms {both[1]:8.2f} ms   {100 * (both[1] / both[0] - 1):+.1f} %")
    single = [s["single"] * 1e6 for s in best]
    print(f"one row             {single[0]:8.2f} us {single[1]:8.2f} us   {single[1] - single[0]:+.1f} us")


if __name__ == "__main__":
    main()
