"""Times a peer library on the all-pairs distance matrix; prints one JSON line.

    python scripts/peers.py levenshtein N LENGTH THREADS        rapidfuzz
    python scripts/peers.py dtw N LENGTH THREADS                dtaidistance, C
    python scripts/peers.py dtw_multi N LENGTH CHANNELS THREADS aeon
    python scripts/peers.py dtw_ndim N LENGTH CHANNELS THREADS  dtaidistance, C

Options: --data FILE, --repeat R (default 3), --seed S (default 0).

Packages: scripts/requirements-golden.txt. Data is drawn from the seed, or read from
FILE so that another program can time the same input:
    levenshtein  {"strings": ["...", ...]}
    dtw          {"series": [[v0, v1, ...], ...]}
    dtw_multi    {"series": [[[channel values of step 0], [of step 1], ...], ...]}
    dtw_ndim     the same
With --data, N must equal the number of items; LENGTH in the answer is the longest item.

"seconds" is the median of R runs after one warm-up, which excludes just-in-time compilation; "cpu_seconds" is the
median of the processor time of the same runs over all threads, which distinguishes a busy machine from a slow
library. Only the matrix is timed; data is ready in the library's own layout. Each peer computes the pairs i < j once:
"pairs" is N * (N - 1) / 2. "sum" is the sum of these distances, to check that both sides computed the same thing:
Levenshtein; the root of the DTW sum of squares for dtw and dtw_ndim; without the root for dtw_multi.
"""

import argparse
import json
import os
import statistics
import sys
import time
from importlib.metadata import version


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--data", metavar="FILE")
    shared.add_argument("--repeat", type=int, default=3, metavar="R")
    shared.add_argument("--seed", type=int, default=0, metavar="S")
    commands = parser.add_subparsers(dest="what", required=True)
    for what, names in [
        ("levenshtein", ["n", "length", "threads"]),
        ("dtw", ["n", "length", "threads"]),
        ("dtw_multi", ["n", "length", "channels", "threads"]),
        ("dtw_ndim", ["n", "length", "channels", "threads"]),
    ]:
        command = commands.add_parser(what, parents=[shared])
        for name in names:
            command.add_argument(name, type=int, metavar=name.upper())
    args = parser.parse_args()
    for name in ("n", "length", "channels", "threads", "repeat"):
        if getattr(args, name, 1) < 1:
            parser.error(f"{name} is {getattr(args, name)}, but must be at least 1")
    return args


def read(args, key):
    with open(args.data, encoding="utf-8") as file:
        items = json.load(file)[key]
    if len(items) != args.n:
        sys.exit(f"N is {args.n}, but {args.data} holds {len(items)} {key}")
    args.length = max(map(len, items))
    return items


def levenshtein(args):
    import numpy as np
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    if args.data:
        strings = read(args, "strings")
    else:
        rng = np.random.default_rng(args.seed)
        letters = np.array(list("ACDEFGHIKLMNPQRSTVWY"))
        strings = ["".join(row) for row in rng.choice(letters, size=(args.n, args.length))]

    def run():  # the same object twice: cdist then computes i < j only
        return cdist(strings, strings, scorer=Levenshtein.distance, workers=args.threads)

    return run, lambda matrix: int(np.triu(matrix, 1).sum(dtype=np.int64)), "rapidfuzz"


def dtw(args):
    import numpy as np
    from dtaidistance import dtw

    if args.data:
        series = [np.array(s, dtype=float) for s in read(args, "series")]
    else:
        rng = np.random.default_rng(args.seed)
        series = list(rng.normal(size=(args.n, args.length)).cumsum(axis=1))

    def run():  # compact: the pairs i < j as a flat array
        return dtw.distance_matrix_fast(series, compact=True, parallel=args.threads > 1)

    return run, lambda pairs: float(np.sum(pairs)), "dtaidistance"


def channel_series(args):
    """Arrays of channels x steps, aeon's layout."""
    import numpy as np

    if args.data:
        series = [np.array(s, dtype=float).T for s in read(args, "series")]
        args.channels = series[0].shape[0]
        return series
    rng = np.random.default_rng(args.seed)
    return list(rng.normal(size=(args.n, args.channels, args.length)).cumsum(axis=2))


def dtw_multi(args):
    import numpy as np
    from aeon.distances import dtw_pairwise_distance

    series = [np.ascontiguousarray(s) for s in channel_series(args)]
    if len({s.shape for s in series}) == 1:
        series = np.array(series)

    def run():
        return dtw_pairwise_distance(series, n_jobs=args.threads)

    return run, lambda matrix: float(np.triu(matrix, 1).sum()), "aeon"


def dtw_ndim(args):
    import numpy as np
    from dtaidistance import dtw_ndim

    series = [np.ascontiguousarray(s.T) for s in channel_series(args)]

    def run():
        return dtw_ndim.distance_matrix_fast(
            series, ndim=args.channels, compact=True, parallel=args.threads > 1
        )

    return run, lambda pairs: float(np.sum(pairs)), "dtaidistance"


PEERS = {"levenshtein": levenshtein, "dtw": dtw, "dtw_multi": dtw_multi, "dtw_ndim": dtw_ndim}


def main():
    args = arguments()
    for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):  # read once, when a library loads
        os.environ[name] = str(args.threads)
    run, total, package = PEERS[args.what](args)
    result = run()
    seconds, cpu_seconds = [], []
    for _ in range(args.repeat):
        start, cpu_start = time.perf_counter(), time.process_time()
        result = run()
        seconds.append(time.perf_counter() - start)
        cpu_seconds.append(time.process_time() - cpu_start)
    answer = {"what": args.what, "n": args.n, "length": args.length}
    if "channels" in args:
        answer["channels"] = args.channels
    answer |= {
        "threads": args.threads,
        "seconds": statistics.median(seconds),
        "cpu_seconds": statistics.median(cpu_seconds),
        "pairs": args.n * (args.n - 1) // 2,
        "version": f"{package} {version(package)}",
        "sum": total(result),
    }
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
