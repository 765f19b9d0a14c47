"""The attacks on the program, as one table.

    python scripts/attack PROGRAM [--share 1.0] [--seed 1] [--only CLASS] [--payloads FILE] [--markdown FILE]

Every class makes its own files and runs the program on them: forged models (valid checksums, hostile contents), damaged inputs
of every format, hostile files, runs that are killed, and p-values on data that is exchangeable with the training data. The
payloads in report pages are counted by the test in a browser, which `cargo xtask attack` runs first. `--share 0.01` runs a
hundredth of each class. Needs nothing but Python, on Linux. The exit code is 1 unless every count of faults is 0.
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

import damaged
import forged
import hostile
import killed
import levels
from running import Program, Tally

CLASSES = {
    "forged models": (forged.attack, 8554),
    "damaged inputs": (damaged.attack, 10_000),
    "hostile files": (hostile.attack, 229),
    "kills": (killed.attack, 130),
    "p-value cells": (levels.attack, 126),
}
HEAD = "| class | how many | taken | panics | wrong answers | hangs over 1 s | scripts executed | files left | slowest, s | most memory, MB |"


def row(name, count, taken, tally, executed):
    faults = [tally.panics, tally.wrong, tally.slow, executed, tally.left]
    return f"| {name} | {count} | {taken} | {' | '.join(map(str, faults))} | {tally.slowest:.2f} | {tally.memory} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="classes whose name contains this")
    parser.add_argument("--payloads", type=pathlib.Path, help="what the test in a browser has counted")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table here as well")
    args = parser.parse_args()
    rows, failed = [HEAD, "|---" * HEAD.count(" | ") + "|---|"], False
    for name, (attack, count) in CLASSES.items():
        if args.only not in name:
            continue
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            tally = Tally(name)
            attack(Program(args.program.resolve(), pathlib.Path(folder), tally), max(round(count * args.share), 1), args.seed)
        rows.append(row(name, tally.count, tally.taken, tally, 0))
        failed |= tally.is_bad()
        print(f"{name}: {tally.count} in {time.monotonic() - start:.0f} s; {tally.summary()}", file=sys.stderr, flush=True)
    if args.payloads and args.payloads.exists() and args.only in "payloads in pages":
        found = json.loads(args.payloads.read_text())
        rows.append(row("payloads in pages", found["payloads"], found["payloads"], Tally(""), found["executed"]))
        failed |= found["executed"] > 0
    print("\n".join(rows))
    if args.markdown:
        args.markdown.write_text("\n".join(rows) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
