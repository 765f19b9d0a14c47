"""A soak test: the program in a loop, under a memory limit and with injected faults, for as long as you like.

    python scripts/soak.py PROGRAM --minutes 10 [--seed 1] [--memory 700] [--continue COUNTS.json]

Each round runs one command on generated data: `score` from a file or a pipe, `outliers`, `report`, `fit`, and calls of the Python
package if it can be imported. Half of the rounds have a fault: a full disk, a limit on the size of files, a signal at a random moment,
input that is truncated or damaged, a reader that goes away. Invariants are checked after each: an exit code that the
fault allows, no panic, nothing left behind, the old output or the new one. The counts are printed at the end; the
exit code is 1 if anything failed. With `--continue`, they are added to those in the file, which is also written
every minute: several runs make up a long one, and one that is cut off loses little. Each should have its own seed.
"""

import argparse
import collections
import importlib.util
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings

# Exit codes by fault; 0 is always allowed, as a signal may come too late and damaged input may still be read. One that comes
# before the program listens ends it.
ALLOWED = {
    "none": {0},
    "full disk": {0, 5},
    "file size": {0, 5},
    "interrupt": {0, 130, -2},
    "terminate": {0, 143, -15},
    "cut input": {0, 3, 5, 6},
    "damaged input": {0, 3, 6},
    "reader leaves": {0},
}
LONGEST = 120  # seconds for one round


def table(rng, rows, kind):
    """Rows of numbers, or of numbers, words, dates and gaps."""
    lines = ["a,b,c,d" if kind == "numbers" else "a,word,day,d"]
    for i in range(rows):
        a, d = rng.gauss(0, 1), rng.gauss(5, 2)
        if kind == "numbers":
            lines.append(f"{a:.4f},{rng.gauss(0, 3):.4f},{a + rng.gauss(0, 0.1):.4f},{d:.3f}")
        else:
            word = rng.choice(["red", "green", "blue", "gray"])
            gap = "" if rng.random() < 0.03 else f"{d:.3f}"
            lines.append(f"{a:.4f},{word},2024-0{1 + i % 9}-{10 + i % 19},{gap}")
    return "\n".join(lines) + "\n"


class Soak:
    def __init__(self, program, folder, rng, memory):
        self.program, self.folder, self.rng, self.memory = program, folder, rng, memory
        self.rounds = collections.Counter()
        self.codes = collections.Counter()
        self.failures = []
        self.most = 0
        self.slowest = 0.0
        self.python_memory = 0
        self.started = time.monotonic()
        self.minutes_before = 0.0
        self.seeds = []

    def minutes(self):
        """The minutes of all runs so far."""
        return self.minutes_before + (time.monotonic() - self.started) / 60

    def resume(self, path, seed):
        """Adds the counts of earlier runs."""
        if path and path.exists():
            old = json.loads(path.read_text())
            self.rounds.update({(name, fault): count for name, fault, count in old["rounds"]})
            self.codes.update({int(code): count for code, count in old["codes"].items()})
            self.failures += old["failures"]
            self.most, self.slowest = old["most"], old["slowest"]
            self.python_memory, self.minutes_before = old["python_memory"], old["minutes"]
            self.seeds = old["seeds"]
        if seed in self.seeds:
            sys.exit(f"{path} has counts of seed {seed} already; give another --seed")
        self.seeds.append(seed)

    def write(self, path):
        """Writes the counts of all runs so far."""
        new = path.with_name(path.name + ".new")
        new.write_text(
            json.dumps(
                {
                    "minutes": round(self.minutes(), 2),
                    "seeds": self.seeds,
                    "rounds": [[*key, count] for key, count in sorted(self.rounds.items())],
                    "codes": dict(sorted(self.codes.items())),
                    "failures": self.failures,
                    "most": self.most,
                    "slowest": self.slowest,
                    "python_memory": self.python_memory,
                },
                indent=1,
            )
        )
        new.replace(path)

    def limits(self, fault):
        # The linker maps the program itself, and each thread has a stack: address space, not memory in use.
        resource.setrlimit(resource.RLIMIT_AS, (self.memory << 20, self.memory << 20))
        if fault == "file size":
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

    def run(self, name, words, fault, data=None):
        """Runs the program, injects the fault, and checks the invariants."""
        start = time.monotonic()
        process = subprocess.Popen(
            [self.program, "--threads", "2", *words],
            cwd=self.folder,
            stdin=subprocess.PIPE if data is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: self.limits(fault),
        )
        if fault == "reader leaves":
            process.stdout.close()
        if fault in ("interrupt", "terminate"):
            time.sleep(self.rng.random() * 0.3)
            process.send_signal(signal.SIGINT if fault == "interrupt" else signal.SIGTERM)
        try:
            if fault == "reader leaves":
                process.stdout = None
            _, said = process.communicate(data, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            self.failures.append(f"{name}, {fault}: longer than {LONGEST} s")
            return
        except BrokenPipeError:
            said = process.stderr.read()
            process.wait()
        said = said.decode(errors="replace")
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.most = max(self.most, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
        code = process.returncode
        self.rounds[name, fault] += 1
        self.codes[code] += 1
        if code not in ALLOWED[fault]:
            self.failures.append(f"{name}, {fault}: exit code {code}: {said[-300:]}")
        if "panicked" in said:
            self.failures.append(f"{name}, {fault}: a panic: {said[-300:]}")
        left = [p.name for p in self.folder.iterdir() if p.name.endswith(".part")]
        if left and fault != "terminate":
            self.failures.append(f"{name}, {fault}: left behind: {left}")
        for part in left:
            (self.folder / part).unlink()

    def round(self):
        rng = self.rng
        kind = rng.choice(["numbers", "mixed"])
        fault = rng.choice(list(ALLOWED)) if rng.random() < 0.5 else "none"
        content = table(rng, rng.choice([50, 500, 5000]), kind).encode()
        if fault == "cut input":
            content = content[: rng.randrange(len(content))]
        if fault == "damaged input":
            content = bytearray(content)
            for _ in range(rng.randrange(1, 20)):
                content[rng.randrange(len(content))] = rng.randrange(256)
            content = bytes(content)
        (self.folder / "new.csv").write_bytes(content)
        output = "/dev/full" if fault == "full disk" else "out.csv"
        # Damaged data may also be readable but not fit any model: that is an error of the data, not of this test.
        skip = ["--on-bad-row", "skip"] if rng.random() < 0.5 else []
        name = rng.choice(["score", "score -", "outliers", "report", "fit", "python"])
        if name == "score":
            self.run(name, ["score", f"{kind}.eocc", "new.csv", *skip, "-o", output], fault)
        elif name == "score -":
            to = [] if fault == "reader leaves" else ["-o", output]
            self.run(name, ["score", f"{kind}.eocc", "-", *skip, *to], fault, content)
        elif name == "outliers":
            to = [] if fault == "reader leaves" else ["-o", output]
            self.run(name, ["outliers", "new.csv", *to], fault)
        elif name == "report":
            page = "/dev/full" if fault == "full disk" else "page.html"
            data = ["new.csv"] if rng.random() < 0.5 else []
            self.run(name, ["report", f"{kind}.eocc", *data, "-o", page], fault)
        elif name == "fit":
            model = "/dev/full" if fault == "full disk" else "again.eocc"
            self.run(name, ["fit", "new.csv", "-o", model], fault)
            if (self.folder / "again.eocc").exists():
                # The old one or a new one, never half of one.
                self.run("inspect", ["inspect", "again.eocc"], "none")
        elif importlib.util.find_spec("eocc"):
            self.python(kind, content, fault)

    def python(self, kind, content, fault):
        """Calls of the package, in this process: it must give back the memory that it takes, round after round."""
        import eocc
        import numpy

        draw = numpy.random.default_rng(self.rng.randrange(1 << 30))
        start = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", eocc.EoccWarning)
                (self.folder / "new.csv").write_bytes(content)
                model = eocc.EntropicOneClass().fit(eocc.read(self.folder / "new.csv"))
                path = "/dev/full" if fault == "full disk" else self.folder / "python.eocc"
                model.save(path)
                scores = eocc.EntropicOneClass.load(path).score_samples(eocc.read(self.folder / "new.csv", model=model))
                model = eocc.EntropicOneClass().fit(draw.normal(size=(self.rng.choice([50, 500]), 4)))
                scores = numpy.concatenate([scores, model.score_samples(draw.normal(size=(200, 4)))])
            if not numpy.isfinite(scores).all():
                self.failures.append("python: a score that is not finite")
        except (ValueError, OSError, MemoryError) as error:
            # As the fault has it; anything else is a fault of ours.
            if fault == "none":
                self.failures.append(f"python, none: {type(error).__name__}: {str(error)[:200]}")
        self.slowest = max(self.slowest, time.monotonic() - start)
        self.rounds["python", fault] += 1
        used = int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() >> 20
        self.python_memory = max(self.python_memory, used)
        if used > self.memory:
            self.failures.append(f"python: this process holds {used} MB")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, default=700, help="address space of each run, in MB")
    parser.add_argument("--continue", dest="counts", type=pathlib.Path, help="adds up the counts of runs in this file")
    args = parser.parse_args()
    rng = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        soak = Soak(os.path.abspath(args.program), folder, rng, args.memory)
        soak.resume(args.counts, args.seed)
        for kind in ("numbers", "mixed"):
            (folder / "train.csv").write_text(table(rng, 2000, kind))
            soak.run("fit", ["fit", "train.csv", "-o", f"{kind}.eocc"], "none")
        end = time.monotonic() + 60 * args.minutes
        written = soak.started
        while time.monotonic() < end and len(soak.failures) < 20:
            soak.round()
            if args.counts and time.monotonic() > written + 60:
                soak.write(args.counts)
                written = time.monotonic()
    if args.counts:
        soak.write(args.counts)
    seeds = ", ".join(map(str, soak.seeds))
    print(f"{sum(soak.rounds.values())} rounds in {soak.minutes():.1f} minutes, seeds {seeds}")
    print(f"slowest {soak.slowest:.1f} s, most memory {soak.most / 1024:.0f} MB of {args.memory} MB allowed")
    calls = sum(count for (name, _), count in soak.rounds.items() if name == "python")
    print(f"calls of Python: {calls} rounds, most memory {soak.python_memory} MB")
    print("exit codes: " + ", ".join(f"{code}: {count}" for code, count in sorted(soak.codes.items())))
    print("\n| fault | rounds |\n|---|---|")
    faults = collections.Counter()
    for (_, fault), count in soak.rounds.items():
        faults[fault] += count
    for fault in ALLOWED:
        print(f"| {fault} | {faults[fault]} |")
    for failure in soak.failures:
        print("FAILED", failure)
    return 1 if soak.failures else 0


if __name__ == "__main__":
    sys.exit(main())
