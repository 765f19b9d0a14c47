"""P-values where the answer is known: new samples are exchangeable with the training samples, so a p-value is at most `a` with a
probability of at most `a`.

A cell is a kind of samples, a number of training samples and a level. Its rejected share may be at most four standard errors
above the level, and not less than half of what is four standard errors below the largest share up to the level that p-values of so
many training samples can have: ties, and views learned from few samples, make it smaller. Samples of one model share its training
samples, which the error takes into account.
"""

import csv
import math

import samples
from samples import rng_of, write

KINDS = {**samples.KINDS, "wide numbers": (".csv", lambda rng, n: samples.numbers(rng, n, 30), [])}
SIZES = [20, 30, 50, 100, 200, 400]
LEVELS = [0.05, 0.1, 0.2]
NEW = 60
DEVIATIONS = 4.0


def models(size):
    """How many models a cell has: fewer large ones."""
    return 40 if size <= 100 else 16


def p_values(program, kind, size):
    ending, make, options = KINDS[kind]
    folder, found = program.folder, []
    for number in range(models(size)):
        rng = rng_of("levels", kind, size, number)
        train = write(folder / f"train{ending}", make(rng, size))
        new = write(folder / f"new{ending}", make(rng, NEW))
        for words in (["fit", train.name, *options, "-o", "m.eocc"], ["score", "m.eocc", new.name, "-o", "scores.csv"]):
            done = program.run(folder, words)
            if done.code != 0:
                program.tally.fault("panics", f"{kind}, {size}: {words}: {done.err[-300:]}")
                return []
        with (folder / "scores.csv").open() as file:
            found += [float(row["p_value"]) for row in csv.DictReader(file)]
    return found


def attack(program, count, seed):
    del seed  # the data of a cell are always the same
    cells = [(kind, size) for size in SIZES for kind in KINDS][: math.ceil(count / len(LEVELS))]
    for kind, size in cells:
        values = p_values(program, kind, size)
        for level in LEVELS:
            program.tally.count += 1
            program.tally.taken += 1
            if not values:
                continue
            rejected = sum(p <= level for p in values) / len(values)
            possible = math.floor(level * (size + 1)) / (size + 1)
            error = math.sqrt(level * (1 - level) * (1 / len(values) + 1 / (models(size) * (size + 2))))
            low, high = (possible - DEVIATIONS * error) / 2, level + DEVIATIONS * error
            if not low <= rejected <= high:
                program.tally.fault("wrong", f"{kind}, {size} samples: {rejected:.3f} at {level}, outside {low:.3f} to {high:.3f}")
