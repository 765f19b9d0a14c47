#!/usr/bin/env python3
"""Kills `eocc monitor` at random moments and resumes it: the joined output must equal that of a single run.

    python3 scripts/monitor_kills.py target/release/eocc --kills 200

In two ways: with output files (`-o`), and with standard output, which each run writes to its own file; the files are
then joined.
"""

import argparse
import pathlib
import random
import signal
import subprocess
import tempfile
import time


def stream(rows: int, seed: int) -> str:
    lots = random.Random(seed)
    lines = ["temp,load,kind"]
    for row in range(rows):
        shift = 3.0 if (row // 4000) % 2 else 0.0
        lines.append(f"{lots.gauss(shift, 1):.4f},{lots.gauss(0, 1):.4f},{lots.choice('abc')}")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rows", type=int, default=20000)
    args = parser.parse_args()
    program = args.program.resolve()
    options = ["--warm-up", "200", "--window", "256", "--policy", "follow", "--quiet"]
    lots = random.Random(1)
    for way in ("files", "parts"):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "s.csv").write_text(stream(args.rows, 7))
            start = time.monotonic()
            single = [str(program), "monitor", "one.eocc", "s.csv", "-o", "one.csv", "--events", "one.jsonl", *options]
            subprocess.run(single, cwd=folder, check=True)
            whole = time.monotonic() - start
            # So that most kills happen during the run.
            longest = 2 * whole / args.kills + 0.05
            state = "k.eocc"
            killed, runs, parts = 0, 0, []
            while True:
                words = [str(program), "monitor", state, "s.csv", "--skip-seen", "--events", "k.jsonl", *options]
                if way == "files":
                    words += ["-o", "k.csv"]
                    output = subprocess.DEVNULL
                else:
                    parts.append(folder / f"part{runs}.csv")
                    output = parts[-1].open("wb")
                runs += 1
                run = subprocess.Popen(words, cwd=folder, stdout=output)
                if killed < args.kills:
                    time.sleep(lots.uniform(0, longest))
                    run.send_signal(signal.SIGKILL if lots.random() < 0.8 else signal.SIGTERM)
                run.wait()
                if run.returncode == 0:
                    break
                killed += 1
            joined = (folder / "k.csv").read_bytes() if way == "files" else b"".join(part.read_bytes() for part in parts)
            same = joined == (folder / "one.csv").read_bytes()
            events = (folder / "k.jsonl").read_bytes() == (folder / "one.jsonl").read_bytes()
            print(f"{way}: {killed} kills in {runs} runs of {args.rows} samples; output equal: {same}, events equal: {events}")


if __name__ == "__main__":
    main()
