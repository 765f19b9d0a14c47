"""Runs the program under limits, and counts what must not happen."""

import csv
import math
import os
import pathlib
import resource
import subprocess
import threading

# Seconds of CPU time for an input of up to a megabyte, and for each further one, unless a plan was announced.
MOST_SECONDS = 1.0
# Seconds after which a run is ended.
LONGEST = 600
# Address space of a run, in bytes.
SPACE = 1 << 30
# Exit codes: success, parameters, data, model, memory. Anything else is a panic, a signal or a fault of files.
ANSWERS = {0, 2, 3, 4, 6}


class Tally:
    """What happened in a class."""

    def __init__(self, name):
        self.name = name
        self.count = self.taken = self.panics = self.wrong = self.slow = self.left = 0
        self.slowest, self.memory = 0.0, 0
        self.codes = {}
        self.examples = []
        self.lock = threading.Lock()

    def fault(self, what, example):
        with self.lock:
            setattr(self, what, getattr(self, what) + 1)
            if len(self.examples) < 20:
                self.examples.append(f"{what}: {example}")

    def is_bad(self):
        return self.panics + self.wrong + self.slow + self.left > 0

    def summary(self):
        codes = ", ".join(f"exit code {code}: {count}" for code, count in sorted(self.codes.items()))
        return "\n  ".join([codes, *self.examples])


class Done:
    def __init__(self, code, seconds, memory, out, err):
        self.code, self.seconds, self.memory, self.out, self.err = code, seconds, memory, out, err


class Program:
    def __init__(self, path, folder, tally):
        self.path, self.folder, self.tally = path, folder, tally

    def start(self, folder, words, out, err, data=subprocess.DEVNULL):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))

        command = [str(self.path), "--threads", "1", *map(str, words)]
        # Backtraces of refused allocations take a second by themselves.
        env = {name: value for name, value in os.environ.items() if name != "RUST_BACKTRACE"}
        return subprocess.Popen(command, cwd=folder, env=env, stdin=data, stdout=out, stderr=err, preexec_fn=limit)

    def run(self, folder, words):
        """Runs the program; nothing is counted."""
        out, err = folder / ".out", folder / ".err"
        with out.open("wb") as o, err.open("wb") as e:
            process = self.start(folder, words, o, e)
            timer = threading.Timer(LONGEST, process.kill)
            timer.start()
            _, status, used = os.wait4(process.pid, 0)
            timer.cancel()
        process.returncode = code = os.waitstatus_to_exitcode(status)
        seconds, memory = used.ru_utime + used.ru_stime, used.ru_maxrss // 1024
        return Done(code, seconds, memory, out.read_text(errors="replace"), err.read_text(errors="replace"))

    def must(self, folder, *words):
        """Runs the program for a valid file."""
        done = self.run(folder, words)
        if done.code != 0:
            raise RuntimeError(f"{words}: {done.err}")
        return done

    def attack(self, folder, words, what, size, allowed=ANSWERS, keep=()):
        """Runs the program on a hostile file of `size` bytes, and counts faults; only files in `keep` may be new."""
        before = set(os.listdir(folder)) | {".out", ".err"}
        done = self.run(folder, words)
        tally, said = self.tally, f"{what}: {' '.join(map(str, words))}: {done.code} {done.err[-300:]}"
        with tally.lock:
            tally.count += 1
            tally.taken += done.code == 0
            tally.codes[done.code] = tally.codes.get(done.code, 0) + 1
            tally.slowest, tally.memory = max(tally.slowest, done.seconds), max(tally.memory, done.memory)
        if done.code not in allowed or "panicked" in done.err:
            tally.fault("panics", said)
        is_announced = any(line.startswith("plan: ") for line in done.err.splitlines())
        if done.seconds > MOST_SECONDS * max(1.0, size / 1e6) and not is_announced:
            tally.fault("slow", f"{done.seconds:.2f} s, {size} bytes: {said}")
        new = set(os.listdir(folder)) - before
        if left := new - set(keep if done.code == 0 else ()):
            tally.fault("left", f"{sorted(left)}: {said}")
        for name in new:
            path = folder / name
            if path.is_file() and name not in keep:
                path.unlink()
        return done


def fault_of_scores(text):
    """What is wrong with a table of scores, or nothing."""
    csv.field_size_limit(1 << 30)
    rows = list(csv.DictReader(text.splitlines()))
    for row in rows:
        try:
            score, p = float(row["score"]), float(row["p_value"])
            membership = float(row["membership"])
        except (KeyError, TypeError, ValueError) as error:
            return f"no score: {error!r} {str(row)[:200]}"
        if math.isnan(score) or not 0 <= p <= 1 or not 0 <= membership <= 1:
            return f"score {score}, p-value {p}, membership {membership}"
        if row["accepted"] not in ("true", "false"):
            return f"accepted is {row['accepted']}"
    return ""


def remove(*paths):
    for path in paths:
        pathlib.Path(path).unlink(missing_ok=True)
