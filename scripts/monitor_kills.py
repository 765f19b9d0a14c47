#!/usr/bin/env python3
"""Kills `eocc monitor` all along a stream and resumes it: the joined output must equal that of a single run.

    python3 scripts/monitor_kills.py target/release/eocc --kills 200

In two ways: with output files (`-o`), and with standard output, which each run writes to its own file; the files are
then joined. The state is saved every 50 samples. Kill number i comes when the output has reached a random row of the
i-th part of the stream, and a random moment later; every tenth comes right after the start of a run. Exits with 1 if
anything differs.
"""

import argparse
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time


def stream(rows: int, seed: int) -> str:
    lots = random.Random(seed)
    lines = ["temp,load,kind"]
    for row in range(rows):
        shift = 3.0 if (row // 4000) % 2 else 0.0
        lines.append(f"{lots.gauss(shift, 1):.4f},{lots.gauss(0, 1):.4f},{lots.choice('abc')}")
    return "\n".join(lines) + "\n"


def taken(state: pathlib.Path) -> int:
    """How many samples the saved state has taken."""
    try:
        found = re.search(rb'taken\\*":(\d+)', state.read_bytes())
    except FileNotFoundError:
        return 0
    return int(found.group(1)) if found else 0


def killed_run(folder: pathlib.Path, way: str, args: argparse.Namespace, options: list[str]) -> bool:
    lots = random.Random(1)
    whole = (folder / "one.csv").read_bytes()
    ends = [at.end() for at in re.finditer(b"\n", whole)]
    state, outputs = folder / f"{way}.eocc", []
    kills = {signal.SIGKILL: 0, signal.SIGTERM: 0}
    runs = in_own_saves = behind = 0
    deciles = [0] * 10
    while True:
        words = [str(args.program), "monitor", state.name, "s.csv", "--skip-seen", "--save-every", "50", "--events", f"{way}.jsonl"]
        if way == "files":
            outputs = [folder / "files.csv"]
            run = subprocess.Popen([*words, "-o", "files.csv", *options], cwd=folder)
        else:
            outputs.append(folder / f"part{runs}.csv")
            with outputs[-1].open("wb") as output:
                run = subprocess.Popen([*words, *options], cwd=folder, stdout=output)
        runs += 1
        before, number = taken(state), sum(kills.values())
        if number < args.kills:
            if number % 10 == 9:
                time.sleep(lots.uniform(0, 0.05))
            else:
                row = min(int((number + lots.random()) * args.rows / args.kills), args.rows - 100)
                while run.poll() is None and size(outputs) < ends[row]:
                    time.sleep(0.001)
                time.sleep(lots.uniform(0, 0.02))
            how = signal.SIGKILL if lots.random() < 0.8 else signal.SIGTERM
            run.send_signal(how)
        run.wait()
        if run.returncode == 0:
            break
        if run.returncode not in (-how, 128 + how):
            raise SystemExit(f"run {runs} ended with {run.returncode}")
        kills[how] += 1
        known, written = taken(state), max(b"".join(path.read_bytes() for path in outputs).count(b"\n") - 1, 0)
        deciles[min(10 * max(known, written) // args.rows, 9)] += 1
        in_own_saves += known > before
        behind += how == signal.SIGKILL and written > known
    same = b"".join(path.read_bytes() for path in outputs) == whole
    events = (folder / f"{way}.jsonl").read_bytes() == (folder / "one.jsonl").read_bytes()
    print(
        f"{way}: {kills[signal.SIGKILL]} KILL and {kills[signal.SIGTERM]} TERM in {runs} runs of {args.rows} samples; by tenths of the "
        f"samples: {' '.join(map(str, deciles))}; {in_own_saves} after the run had saved samples of its own, {behind} KILL with answers "
        f"written that the state did not know of; output equal: {same}, events equal: {events}",
        flush=True,
    )
    return same and events


def size(paths: list[pathlib.Path]) -> int:
    return sum(path.stat().st_size for path in paths if path.exists())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--folder", type=pathlib.Path, help="where to leave the files")
    args = parser.parse_args()
    options = ["--warm-up", "200", "--window", "256", "--policy", "follow", "--quiet"]
    with tempfile.TemporaryDirectory() as name:
        folder = args.folder or pathlib.Path(name)
        folder.mkdir(exist_ok=True)
        (folder / "s.csv").write_text(stream(args.rows, 7))
        single = [str(args.program), "monitor", "one.eocc", "s.csv", "-o", "one.csv", "--events", "one.jsonl", *options]
        subprocess.run(single, cwd=folder, check=True)
        same = [killed_run(folder, way, args, options) for way in ("files", "parts")]
    sys.exit(0 if all(same) else 1)


if __name__ == "__main__":
    main()
