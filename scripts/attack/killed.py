"""Runs that are killed at a random moment: what they write is the old file or the new one, byte for byte."""

import os
import signal
import time

from running import remove
from samples import numbers, rng_of, write

DAYS = 2 * 86_400


def attack(program, count, seed):
    folder, tally = program.folder, program.tally
    commands = []
    for name in ("a", "b"):
        write(folder / f"{name}.csv", numbers(rng_of("killed", name), 1500))
        program.must(folder, "fit", f"{name}.csv", "-o", f"{name}.eocc")
    for output, make in [
        ("model.eocc", lambda name: ["fit", f"{name}.csv", "-o", "model.eocc"]),
        ("scores.csv", lambda name: ["score", f"{name}.eocc", "a.csv", "-o", "scores.csv"]),
        ("odd.csv", lambda name: ["outliers", f"{name}.csv", "-o", "odd.csv"]),
        ("page.html", lambda name: ["report", f"{name}.eocc", "a.csv", "-o", "page.html"]),
        ("distances.npy", lambda name: ["distances", f"{name}.csv", "-o", "distances.npy"]),
    ]:
        whole, took = {}, 0.0
        for name in ("a", "b"):
            start = time.monotonic()
            program.must(folder, *make(name))
            took = time.monotonic() - start
            whole[name] = (folder / output).read_bytes()
        commands.append((output, make, whole, took))
    parts = lambda: [name for name in os.listdir(folder) if name.endswith(".part")]
    for number in range(count):
        rng = rng_of("killed", seed, number)
        output, make, whole, took = commands[number % len(commands)]
        name = "ab"[number // len(commands) % 2]
        with (folder / ".out").open("wb") as out:
            process = program.start(folder, make(name), out, out)
        # Most moments are late, when files are written.
        time.sleep(took * rng.uniform(0.0, 1.1) ** 0.5)
        process.send_signal(signal.SIGKILL)
        code = process.wait()
        tally.count += 1
        tally.taken += code == 0
        tally.codes[code] = tally.codes.get(code, 0) + 1
        if code not in (0, -signal.SIGKILL):
            tally.fault("panics", f"kill {number}: exit code {code}: {(folder / '.out').read_text(errors='replace')[-200:]}")
        path = folder / output
        if path.read_bytes() not in whole.values():
            tally.fault("wrong", f"kill {number}: {output} is neither the old one nor the new one")
        if number % 26 == 25 or number == count - 1:
            # What a killed run has left counts as its own for a day; then the next run removes it.
            for part in parts():
                old = time.time() - DAYS
                os.utime(folder / part, (old, old))
            program.must(folder, *make(name))
            if left := parts():
                tally.fault("left", f"kill {number}: {left}")
                remove(*(folder / part for part in left))
