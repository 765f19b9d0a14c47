"""How often p-values of the program reject nominals, and what they miss; all data are synthetic.

    python scripts/calibration.py target/release/eocc > docs/results/calibration.md

Needs nothing but Python. Every set has its own seed, so the page is reproducible.
"""

import csv
import math
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

LEVEL = 0.05
Row = list[float]
Maker = Callable[[random.Random, int], Row]


def gaussian(source: random.Random, columns: int) -> Row:
    return [source.gauss() for _ in range(columns)]


def heavy(source: random.Random, columns: int) -> Row:
    """Student's t with two degrees of freedom."""
    return [source.gauss() / math.sqrt(source.expovariate(1.0)) for _ in range(columns)]


def sparse(source: random.Random, columns: int) -> Row:
    """One value in fifty is nonzero."""
    return [source.gauss() if source.random() < 0.02 else 0.0 for _ in range(columns)]


def write(path: Path, rows: list[Row]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(f"x{c}" for c in range(len(rows[0])))
        writer.writerows([repr(value) for value in row] for row in rows)


def p_values(program: str, folder: Path, train: list[Row], new: list[Row], *options: str) -> list[float]:
    write(folder / "train.csv", train)
    write(folder / "new.csv", new)
    fit = [program, "fit", "train.csv", "-o", "m.eocc", "--quiet", *options]
    subprocess.run(fit, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    score = [program, "score", "m.eocc", "new.csv", "--quiet"]
    done = subprocess.run(score, cwd=folder, check=True, capture_output=True, text=True)
    return [float(row["p_value"]) for row in csv.DictReader(done.stdout.splitlines())]


def rejected(values: list[float]) -> float:
    return sum(p <= LEVEL for p in values) / len(values)


def summary(shares: list[float]) -> str:
    error = statistics.stdev(shares) / math.sqrt(len(shares))
    return f"{statistics.mean(shares):.3f} ± {error:.3f}"


def fresh_nominals(program: str, folder: Path) -> None:
    sizes = [
        ("Gaussian", gaussian, 30, 300),
        ("Gaussian", gaussian, 60, 300),
        ("Gaussian", gaussian, 100, 300),
        ("Gaussian", gaussian, 40, 5),
        ("Gaussian", gaussian, 300, 10),
        ("Gaussian", gaussian, 1000, 10),
        ("t, 2 degrees of freedom", heavy, 60, 300),
        ("2 % not zero", sparse, 60, 300),
        ("2 % not zero", sparse, 100, 50),
    ]
    print("| data | rows x columns | rejected at 0.05 | possible |\n|---|---|---|---|")
    for name, maker, rows, columns in sizes:
        shares = []
        for seed in range(50):
            source = random.Random(f"{name} {rows} {columns} {seed}")
            train = [maker(source, columns) for _ in range(rows)]
            new = [maker(source, columns) for _ in range(100)]
            shares.append(rejected(p_values(program, folder, train, new)))
        # No p-value lies between the multiples of 1 / (n + 1).
        possible = math.floor(LEVEL * (rows + 1)) / (rows + 1)
        print(f"| {name} | {rows} x {columns} | {summary(shares)} | {possible:.3f} |", flush=True)


def changed_constants(program: str, folder: Path) -> None:
    print("| rows x columns | rejected at 0.05 |\n|---|---|")
    for rows, columns in [(100, 5), (300, 20), (300, 50), (100, 200)]:
        shares = []
        for seed in range(20):
            source = random.Random(f"constant {rows} {columns} {seed}")
            train = [[*gaussian(source, columns - 1), 1.0] for _ in range(rows)]
            new = [[*gaussian(source, columns - 1), 2.0] for _ in range(50)]
            shares.append(rejected(p_values(program, folder, train, new)))
        print(f"| {rows} x {columns} | {summary(shares)} |", flush=True)


def far_away(source: random.Random, columns: int) -> Row:
    """A point in the box of ±8 that is farther out than any nominal should be."""
    while True:
        row = [source.uniform(-8.0, 8.0) for _ in range(columns)]
        if math.hypot(*row) > math.sqrt(columns) + 4.0:
            return row


def copies_of_outliers(program: str, folder: Path) -> None:
    print("| columns | noise | nothing given | `--contamination 0.05 --reject 0.05` |\n|---|---|---|---|")
    for columns in [2, 5, 10]:
        for noise in [0.0, 0.001, 0.1]:
            plain, informed = [], []
            for seed in range(10):
                source = random.Random(f"copies {columns} {seed}")
                outliers = [far_away(source, columns) for _ in range(49)]
                train = [gaussian(source, columns) for _ in range(1000)] + outliers
                new = [[value + noise * source.gauss() for value in row] for row in outliers]
                plain.append(rejected(p_values(program, folder, train, new)))
                options = ["--contamination", "0.05", "--reject", "0.05"]
                informed.append(rejected(p_values(program, folder, train, new, *options)))
            print(f"| {columns} | {noise} | {summary(plain)} | {summary(informed)} |", flush=True)


def main() -> None:
    program = str(Path(sys.argv[1]).resolve())
    print("# Do p-values hold?\n")
    print("`python scripts/calibration.py target/release/eocc`, preset `default`. Each figure is the fraction of new rows with a")
    print("p-value of at most 0.05: mean ± standard error over independently drawn sets.\n")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("## New rows like the training rows\n")
        print("A fraction of 0.05 is right. *Possible* is the largest fraction up to 0.05 that p-values of so few training rows")
        print("can give. There are 50 sets of each kind, with 100 new rows each.\n")
        fresh_nominals(program, folder)
        print("\n## A column that was constant in training and now changes\n")
        print("All other columns are Gaussian, and nominal in the new rows. There are 20 sets of each kind, with 50 new rows each.\n")
        changed_constants(program, folder)
        print("\n## Copies of outliers in the training set\n")
        print("The training set has 1000 Gaussian rows and 49 outliers scattered around them. We score copies of the outliers with")
        print("Gaussian noise of the given deviation, in 10 sets each.\n")
        copies_of_outliers(program, folder)


if __name__ == "__main__":
    main()
