"""How work grows with the input: instructions for an input and for twice as much.

    python scripts/doubling.py PROGRAM [--only WORD] [--markdown FILE]

Every reader, measure and command runs on generated data of size n and 2n under valgrind, which counts instructions: the same
count every time, however busy the machine is. The growth is log2 of the ratio after subtracting what the program costs on almost nothing:
1 is linear, 2 quadratic. Each case has a bound; the exit code is 1 if a case exceeds it. Needs valgrind.
"""

import argparse
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

try:
    import pyarrow
    import pyarrow.feather
    import pyarrow.parquet
except ImportError:
    pyarrow = None

LINEAR, SORTING, QUADRATIC, CUBIC = 1.15, 1.25, 2.1, 3.1


def write(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def gauss_rows(n, columns, seed=0):
    rng = random.Random(seed)
    head = ",".join(f"x{j}" for j in range(columns))
    body = "\n".join(",".join(f"{rng.gauss(0, 1):.4f}" for _ in range(columns)) for _ in range(n))
    return f"{head}\n{body}\n"


def letters(n, seed, alphabet="ACDEFGHIKLMNPQRSTVWY"):
    return "".join(random.Random(seed).choices(alphabet, k=n))


def lines_of(count, length, seed=0):
    return "\n".join(letters(length, seed * 1000 + i, "abcdefghij ") for i in range(count)) + "\n"


def series_rows(count, length):
    rng = random.Random(3)
    rows = (":".join([",".join(f"{rng.gauss(0, 1):.3f}" for _ in range(length)), "a"]) for _ in range(count))
    return "@univariate true\n@classLabel true a\n@data\n" + "\n".join(rows) + "\n"


def graph(vertices, attributes=0, seed=0):
    rng = random.Random(seed)
    extra = "".join(f', "k{a}": {a}' for a in range(attributes))
    nodes = ",".join(f'{{"id": {i}, "w": {rng.randrange(3)}{extra}}}' for i in range(vertices))
    links = ",".join(f'{{"source": {i - 1}, "target": {i}}}' for i in range(1, vertices))
    return f'{{"nodes": [{nodes}], "links": [{links}]}}'


def gxl(vertices, attributes=0):
    attrs = "".join(f'<attr name="k{a}"><int>{a}</int></attr>' for a in range(attributes))
    nodes = "".join(f'<node id="n{i}">{attrs}</node>' for i in range(vertices))
    edges = "".join(f'<edge from="n{i - 1}" to="n{i}"/>' for i in range(1, vertices))
    return f'<gxl><graph id="g" edgemode="undirected">{nodes}{edges}</graph></gxl>'


def graphml(vertices):
    nodes = "".join(f'<node id="n{i}"/>' for i in range(vertices))
    edges = "".join(f'<edge source="n{i - 1}" target="n{i}"/>' for i in range(1, vertices))
    space = "http://graphml.graphdrawing.org/xmlns"
    return f'<graphml xmlns="{space}"><graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'


def fasta(count, length):
    return "".join(f">s{i}\n{letters(length, i)}\n" for i in range(count))


def helix(residues):
    """CA atoms on a spiral, as a table of atoms."""
    rows = ["id,chain,resseq,aa,x,y,z"]
    for i in range(residues):
        t = i * 1.745
        x, y, z = 2.3 * math.cos(t) + i % 7, 2.3 * math.sin(t) + (i // 7) % 5, 1.5 * (i % 40)
        rows.append(f"p,A,{i + 1},ALA,{x:.3f},{y:.3f},{z:.3f}")
    return "\n".join(rows) + "\n"


def cases(folder, program):
    """(group, name, bound, n, command for an input of size n)."""

    def run(*words):
        subprocess.run([program, *map(str, words)], check=True, capture_output=True)

    numbers = folder / "numbers.eocc"
    run("fit", write(folder, "train.csv", gauss_rows(200, 4)), "-o", numbers)
    text = folder / "text.eocc"
    run("fit", write(folder, "train.txt", lines_of(60, 20)), "--input", "lines", "-o", text)

    def score(name, content, model=numbers, *more):
        return lambda n: ["score", model, write(folder, f"{n}-{name}", content(n)), "-o", folder / "out.csv", *more]

    def outliers(name, content, *more):
        return lambda n: ["outliers", write(folder, f"{n}-{name}", content(n)), "-o", folder / "out.csv", *more]

    def distances(name, content, *more):
        return lambda n: ["distances", write(folder, f"{n}-{name}", content(n)), "-o", folder / "d.csv", *more]

    def converted(ending):
        def command(n):
            rng, target = random.Random(n), folder / f"{n}-table{ending}"
            table = pyarrow.table({f"x{j}": [rng.gauss(0, 1) for _ in range(n)] for j in range(4)})
            if ending == ".parquet":
                pyarrow.parquet.write_table(table, target)
            else:
                pyarrow.feather.write_feather(table, target, compression="uncompressed")
            return ["score", numbers, target, "-o", folder / "out.csv"]

        return command

    def saved(n):
        target = folder / f"{n}.eocc"
        run("fit", write(folder, f"{n}.csv", gauss_rows(n, 4)), "-o", target)
        return ["inspect", target]

    def npy(n):
        target = folder / f"{n}.npy"
        run("distances", write(folder, f"{n}.csv", gauss_rows(n, 2)), write(folder, "few.csv", gauss_rows(4, 2)), "-o", target)
        return ["score", numbers, target, "-o", folder / "out.csv"]

    def words(n):
        return "word,x\n" + "".join(f"w{i},{i % 17}\n" for i in range(n))

    def quoted(n):
        return "x0,x1,x2,x3\n" + "".join(f'"{i % 7}","1","2.5","{i % 3}"\n' for i in range(n))

    def bad(n):
        return "x0,x1,x2,x3\n" + "".join(f"{i % 7},what,2,3\n" for i in range(n)) + "1,2,3,4\n"

    def wide(n):
        return ",".join(f"c{j}" for j in range(n)) + "\n" + "\n".join(
            ",".join(str((i * 7 + j) % 11) for j in range(n)) for i in range(12)
        )

    def mixed(n):
        rng = random.Random(n)
        row = lambda i: f"w{rng.randrange(300)},{rng.gauss(0, 1):.3f},20{10 + i % 9}-0{1 + i % 9}-1{i % 9},{rng.choice(['a', 'b', ''])}"
        return "word,x,day,kind\n" + "\n".join(map(row, range(n))) + "\n"

    def dates(n):
        return "day,x\n" + "".join(f"20{10 + i % 9}-0{1 + i % 9}-1{i % 9} 0{i % 9}:30,{i % 13}\n" for i in range(n))

    def objects(n):
        return "".join(f'{{"x0": {i % 7}, "x1": 1, "x2": 2.5, "x3": {i % 3}}}\n' for i in range(n))

    reader = "reader"
    yield reader, "csv, rows", LINEAR, 4000, score("a.csv", lambda n: gauss_rows(n, 4))
    yield reader, "csv, quoted cells", LINEAR, 4000, score("b.csv", quoted)
    yield reader, "csv, rows that cannot be read", LINEAR, 4000, score("c.csv", bad, numbers, "--on-bad-row", "skip")
    yield reader, "csv, columns", QUADRATIC, 200, distances("d.csv", wide)
    yield reader, "csv, distinct words", SORTING, 2000, distances("e.csv", words, "--pairs", write(folder, "p.csv", "a,b\n0,1\n"))
    yield reader, "csv, dates", SORTING, 4000, distances("f.csv", dates, "--pairs", folder / "p.csv")
    yield reader, "csv, one long line", LINEAR, 100_000, score("g.csv", lambda n: gauss_rows(30, 4) + "1," * n + "\n", numbers, "--on-bad-row", "skip")
    yield reader, "jsonl, rows", LINEAR, 4000, score("a.jsonl", objects)
    yield reader, "jsonl, fields", QUADRATIC, 200, distances(
        "b.jsonl", lambda n: "".join("{" + ",".join(f'"f{j}": {(i + j) % 5}' for j in range(n)) + "}\n" for i in range(12))
    )
    yield reader, "npy", LINEAR, 8000, npy
    if pyarrow is None:
        print("pyarrow is not installed: Parquet and Arrow are left out", flush=True)
    else:
        yield reader, "parquet", LINEAR, 8000, converted(".parquet")
        yield reader, "arrow", LINEAR, 8000, converted(".arrow")
    yield reader, "lines", LINEAR, 500, score("a.txt", lambda n: lines_of(n, 20, 1), text)
    yield reader, "lines, one long line", LINEAR, 20_000, score("b.txt", lambda n: lines_of(3, 20, 1) + letters(n, 5) + "\n", text)
    yield reader, "fasta, sequences", LINEAR, 300, distances("a.fasta", lambda n: fasta(n, 30), "--pairs", folder / "p.csv")
    yield reader, "fasta, letters", LINEAR, 40_000, distances("b.fasta", lambda n: fasta(1, n) + fasta(3, 5), "--pairs", folder / "p.csv")
    yield reader, "ts, series", LINEAR, 300, distances("a.ts", lambda n: series_rows(n, 10), "--pairs", folder / "p.csv")
    yield reader, "json graphs, vertices", LINEAR, 900, distances(
        "a.jsonl", lambda n: f"{graph(3)}\n{graph(3, seed=1)}\n{graph(n)}\n", "--pairs", folder / "p.csv"
    )
    yield reader, "json graphs, attributes of a vertex", SORTING, 1000, distances(
        "b.jsonl", lambda n: f"{graph(3)}\n{graph(3, seed=1)}\n{graph(2, n)}\n", "--pairs", folder / "p.csv"
    )
    yield reader, "gxl, vertices", LINEAR, 900, distances("a.gxl", gxl)
    yield reader, "gxl, attributes of a vertex", SORTING, 1000, distances("b.gxl", lambda n: gxl(2, n))
    yield reader, "graphml, vertices", LINEAR, 900, distances("a.graphml", graphml)
    yield reader, "model file", LINEAR, 1000, saved
    yield reader, "structures, atoms", QUADRATIC, 300, lambda n: [
        "proteins", "series", write(folder, f"{n}-atoms.csv", helix(n)), "-o", folder / "out.jsonl"
    ]

    measure = "measure"
    for name in ["levenshtein", "osa", "jaro-winkler", "alignment"]:
        yield measure, f"{name}, letters", QUADRATIC, 1000, distances(
            "s.txt", lambda n: lines_of(4, n, 2), "--input", "lines", "--dissimilarity", name
        )
    for name in ["dtw", "erp", "msm", "twe", "soft-dtw"]:
        yield measure, f"{name}, values", QUADRATIC, 150, distances("s.ts", lambda n: series_rows(4, n), "--dissimilarity", name)
    yield measure, "ged, vertices", CUBIC, 40, distances("s.jsonl", lambda n: "".join(graph(n, seed=s) + "\n" for s in range(3)))
    yield measure, "gower, columns", LINEAR, 200, distances("w.csv", wide, "--dissimilarity", "gower")
    yield measure, "views, rows", QUADRATIC, 100, distances("v.csv", lambda n: gauss_rows(n, 4))

    command = "command"

    def fit(rows, columns=4):
        return lambda n: ["fit", write(folder, f"{n}-fit.csv", gauss_rows(n, columns)), "-o", folder / "m.eocc"]

    yield command, "fit, rows, exact neighbors", QUADRATIC, 1000, fit(0)
    yield command, "fit, rows, neighbors by a tree", SORTING, 9000, fit(0)
    yield command, "fit, columns", SORTING, 20, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", gauss_rows(400, n)), "-o", folder / "m.eocc"
    ]
    yield command, "fit, all-distinct words", QUADRATIC, 1000, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", words(n)), "--types", "word=category", "-o", folder / "m.eocc"
    ]
    yield command, "fit, mixed rows, neighbors by a tree", SORTING, 9000, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", mixed(n)), "-o", folder / "m.eocc"
    ]
    yield command, "score, rows", LINEAR, 2000, score("s.csv", lambda n: gauss_rows(n, 4, 1))
    yield command, "explain, rows", LINEAR, 1000, lambda n: [
        "explain", numbers, write(folder, f"{n}-e.csv", gauss_rows(n, 4, 1)), "--top", n
    ]
    yield command, "outliers, rows", QUADRATIC, 1000, outliers("o.csv", lambda n: gauss_rows(n, 4))
    yield command, "outliers, equal rows", QUADRATIC, 1000, outliers("o2.csv", lambda n: "a,b\n" + "1,2\n2,3\n" * n)
    yield command, "report, rows", QUADRATIC, 500, lambda n: [
        "report", numbers, write(folder, f"{n}-r.csv", gauss_rows(n, 4, 1)), "-o", folder / "r.html"
    ]
    yield command, "proteins features, residues", CUBIC, 150, lambda n: [
        "proteins", "features", write(folder, f"{n}-atoms.csv", helix(n)), "-o", folder / "out.csv"
    ]


def instructions(program, words):
    """Instructions that the program takes, or its message if it failed."""
    options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = ["valgrind", *options, program, *map(str, words), "--quiet", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    found = re.search(r"Collected\s*:\s*(\d+)", done.stderr)
    if done.returncode != 0 or not found:
        said = [line for line in done.stderr.splitlines() if not line.startswith("==")]
        return None, f"exit code {done.returncode}: {' '.join(said)[:200]}"
    return int(found.group(1)), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table here as well")
    args = parser.parse_args()
    rows, failed = ["| what | bound | growth | instructions per unit |", "|---|---|---|---|"], 0
    with tempfile.TemporaryDirectory() as name:
        for group, case, bound, n, command in cases(pathlib.Path(name), args.program):
            if args.only not in f"{group} {case}":
                continue
            counts = [instructions(args.program, command(size)) for size in (max(n // 50, 6), n, 2 * n)]
            if said := [said for _, said in counts[1:] if said]:
                print(f"FAILED {case}: {said[0]}", flush=True)
                failed += 1
                continue
            start = counts[0][0] or 0
            once, twice = (max(count - start, 1) for count, _ in counts[1:])
            growth = math.log2(twice / once)
            if growth > bound:
                failed += 1
            rows.append(f"| {group}: {case} | {bound} | {growth:.2f}{' **over**' if growth > bound else ''} | {once // n:,} |")
            print(rows[-1], flush=True)
    if args.markdown:
        args.markdown.write_text("\n".join(rows) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
