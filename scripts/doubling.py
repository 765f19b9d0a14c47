"""How work grows with the input: instructions for an input and for twice as much.

    python scripts/doubling.py PROGRAM [--only PATTERN] [--markdown FILE]

Every reader, measure and command runs on generated data of size n and 2n under valgrind, which counts instructions: the same
count every time, however busy the machine is. The growth is log2 of the ratio after subtracting what the program costs on almost nothing:
1 is linear, 2 quadratic. Each case has a bound; the exit code is 1 if a case exceeds it. Needs valgrind, and for
Parquet and Arrow pyarrow.
"""

import argparse
import gzip
import io
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile

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


def npy(rows, columns, values):
    """Numbers as a NumPy file."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack(f"<{rows * columns}d", *values)


def array(rows, columns):
    """An array of small numbers."""
    return npy(rows, columns, [(i * 7 + j) % 11 / 2 for i in range(rows) for j in range(columns)])


def matrix(n):
    """The distances of points on a line."""
    rng = random.Random(n)
    points = [rng.gauss(0, 1) for _ in range(n)]
    return npy(n, n, [abs(a - b) for a in points for b in points])


def zipped(files, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return out.getvalue()


def tarred(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return out.getvalue()


def letters(n, seed, alphabet="ACDEFGHIKLMNPQRSTVWY"):
    return "".join(random.Random(seed).choices(alphabet, k=n))


def lines_of(count, length, seed=0):
    return "\n".join(letters(length, seed * 1000 + i, "abcdefghij ") for i in range(count)) + "\n"


def series_rows(count, length, seed=3):
    rng = random.Random(seed)
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


def globule(residues):
    """CA atoms that fill a cube, row by row, as a table of atoms: each has as many contacts in a large one as in a small one."""
    side = round(residues ** (1 / 3))
    rows = ["id,chain,resseq,aa,x,y,z"]
    for i in range(residues):
        z, rest = divmod(i, side * side)
        y, x = divmod(rest, side)
        # Back and forth, so that neighbors in the chain are neighbors in space.
        y, x = (side - 1 - y if z % 2 else y), (side - 1 - x if (z * side + y) % 2 else x)
        rows.append(f"p,A,{i + 1},ALA,{3.8 * x:.3f},{3.8 * y:.3f},{3.8 * z:.3f}")
    return "\n".join(rows) + "\n"


def on_spiral(i):
    """The position of residue `i` of a helix."""
    t = i * 1.745
    return 2.3 * math.cos(t), 2.3 * math.sin(t), 1.5 * (i % 400)


RESIDUES = 20


def pdb(waters):
    """A short chain and many waters, as a PDB file."""

    def line(record, serial, name, residue, chain, number, x, y, z):
        start = f"{record:6}{serial % 100_000:5d} {name:4} {residue:3} {chain}{number % 10_000:4d}    "
        return f"{start}{x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00"

    chain = [line("ATOM", i + 1, " CA", "ALA", "A", i + 1, *on_spiral(i)) for i in range(RESIDUES)]
    rest = [line("HETATM", i + 1, " O", "HOH", "A", i + 1, *on_spiral(i)) for i in range(waters)]
    return "\n".join([*chain, "TER", *rest, "END", ""])


def mmcif(waters):
    """The same as an mmCIF file."""
    columns = ["group_PDB", "id", "label_atom_id", "label_comp_id", "label_asym_id", "label_seq_id"]
    columns += ["Cartn_x", "Cartn_y", "Cartn_z", "auth_seq_id", "auth_asym_id", "pdbx_PDB_model_num"]

    def line(record, i, name, residue, chain, position):
        x, y, z = on_spiral(i)
        return f"{record} {i + 1} {name} {residue} {chain} {position} {x:.3f} {y:.3f} {z:.3f} {i + 1} {chain} 1"

    chain = [line("ATOM", i, "CA", "ALA", "A", i + 1) for i in range(RESIDUES)]
    rest = [line("HETATM", i, "O", "HOH", "B", ".") for i in range(waters)]
    return "\n".join(["data_x", "loop_", *(f"_atom_site.{c}" for c in columns), *chain, *rest, "#", ""])


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

    def graphs(n):
        return [(f"g{i}.gxl", gxl(4 + i % 3)) for i in range(n)]

    def series_wide(n):
        rng = random.Random(n)
        rows = (",".join(f"{rng.gauss(0, 1):.3f}" for _ in range(10)) for _ in range(n))
        return ",".join(f"t{j}" for j in range(10)) + "\n" + "\n".join(rows) + "\n"

    def series_long(n):
        rng = random.Random(n)
        return "id,time,value\n" + "".join(f"s{i},{t},{rng.gauss(0, 1):.3f}\n" for i in range(n) for t in range(10))

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

    def long_object(n):
        return objects(30) + '{"x0": 1, "x1": 1, "x2": 2, "x3": [' + "1," * n + "1]}\n"

    def records(n):
        return "".join(f'{{"text": "{letters(12, i)}", "x": {i % 13}, "y": {i % 7}, "wave": [1, {i % 5}, 2]}}\n' for i in range(n))

    def labelled(n):
        rows = gauss_rows(n, 4).splitlines()
        classes = ["class", *("good" if i % 10 else "bad" for i in range(n))]
        return "\n".join(map(",".join, zip(rows, classes))) + "\n"

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
    yield reader, "jsonl, one long line", LINEAR, 100_000, score("c.jsonl", long_object, numbers, "--on-bad-row", "skip")
    yield reader, "csv.gz", LINEAR, 4000, score("a.csv.gz", lambda n: gzip.compress(gauss_rows(n, 4).encode()))
    yield reader, "npy", LINEAR, 8000, score("a.npy", lambda n: array(n, 4))
    yield reader, "npz", LINEAR, 8000, score("a.npz", lambda n: zipped([("X.npy", array(n, 4))]))
    if pyarrow is None:
        print("pyarrow is not installed: Parquet and Arrow are left out", flush=True)
    else:
        yield reader, "parquet", LINEAR, 8000, converted(".parquet")
        yield reader, "arrow", LINEAR, 8000, converted(".arrow")
    yield reader, "lines", LINEAR, 500, score("a.txt", lambda n: lines_of(n, 20, 1), text)
    yield reader, "lines, one long line", LINEAR, 20_000, score("b.txt", lambda n: lines_of(3, 20, 1) + letters(n, 5) + "\n", text)
    yield reader, "fasta, sequences", LINEAR, 300, distances("a.fasta", lambda n: fasta(n, 30), "--pairs", folder / "p.csv")
    yield reader, "fasta, letters", LINEAR, 40_000, distances("b.fasta", lambda n: f">long\n{letters(n, 9)}\n" + fasta(3, 5), "--pairs", folder / "p.csv")
    yield reader, "ts, series", LINEAR, 300, distances("a.ts", lambda n: series_rows(n, 10), "--pairs", folder / "p.csv")
    yield reader, "series in a wide table", LINEAR, 600, distances(
        "w.csv", series_wide, "--input", "series-wide", "--pairs", folder / "p.csv"
    )
    yield reader, "series in a long table", SORTING, 600, distances(
        "l.csv", series_long, "--input", "series-long", "--pairs", folder / "p.csv"
    )
    yield reader, "tar of graphs", LINEAR, 300, distances("a.tar", lambda n: tarred(graphs(n)), "--pairs", folder / "p.csv")
    yield reader, "tar.gz of graphs", LINEAR, 300, distances(
        "a.tar.gz", lambda n: gzip.compress(tarred(graphs(n))), "--pairs", folder / "p.csv"
    )
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
    # Rounds over all contacts, whose number also grows: with the distance across the structure, squared.
    yield reader, "structures, residues", QUADRATIC, 343, lambda n: [
        "proteins", "series", write(folder, f"{n}-atoms.csv", globule(n)), "-o", folder / "out.jsonl"
    ]
    yield reader, "pdb, atoms", LINEAR, 4000, lambda n: [
        "proteins", "series", write(folder, f"{n}.pdb", pdb(n)), "-o", folder / "out.jsonl"
    ]
    yield reader, "mmcif, atoms", LINEAR, 4000, lambda n: [
        "proteins", "series", write(folder, f"{n}.cif", mmcif(n)), "-o", folder / "out.jsonl"
    ]

    measure = "measure"
    strings = lambda n: "\n".join(letters(n, seed) for seed in range(4)) + "\n"
    weights = ["--set", "insertion=2", "--set", "deletion=1", "--set", "substitution=1.5"]
    for name, settings in [
        ("levenshtein", []),
        ("levenshtein with weights", weights),
        ("osa", []),
        ("jaro-winkler", []),
        ("alignment", []),
    ]:
        yield measure, f"{name}, letters", QUADRATIC, 1000, distances(
            "s.txt", strings, "--input", "lines", "--dissimilarity", name.split()[0], *settings
        )
    for name in ["dtw", "erp", "msm", "twe", "soft-dtw"]:
        yield measure, f"{name}, values", QUADRATIC, 150, distances("s.ts", lambda n: series_rows(4, n), "--dissimilarity", name)
    yield measure, "ged, vertices", CUBIC, 40, distances("s.jsonl", lambda n: "".join(graph(n, seed=s) + "\n" for s in range(3)))
    yield measure, "ged, vertices of large graphs", CUBIC, 1000, distances(
        "s.jsonl", lambda n: "".join(graph(n, seed=s) + "\n" for s in range(2)), "--pairs", folder / "p.csv"
    )
    yield measure, "combined, rows", QUADRATIC, 100, distances("r.jsonl", records)
    for name in ["gower", "heom", "euclidean", "manhattan", "chebyshev", "minkowski", "cosine", "hamming", "jaccard", "chi2", "emd"]:
        mixed_too = ["--types", "c0=category"] if name == "heom" else []
        yield measure, f"{name}, columns", LINEAR, 2000, distances("w.csv", wide, "--dissimilarity", name, *mixed_too)
    yield measure, "mahalanobis, columns", CUBIC, 200, distances("w.csv", wide, "--dissimilarity", "mahalanobis")
    yield measure, "precomputed, rows", QUADRATIC, 100, lambda n: [
        "fit", write(folder, f"{n}-p.npy", matrix(n)), "--precomputed", "-o", folder / "m.eocc"
    ]
    yield measure, "views, rows", QUADRATIC, 100, distances("v.csv", lambda n: gauss_rows(n, 4))

    command = "command"

    def fit(rows, columns=4):
        return lambda n: ["fit", write(folder, f"{n}-fit.csv", gauss_rows(n, columns)), "-o", folder / "m.eocc"]

    yield command, "fit, rows, exact neighbors", QUADRATIC, 1000, fit(0)
    yield command, "fit, rows, neighbors by a tree", SORTING, 9000, fit(0)
    # All pairs of columns are related.
    yield command, "fit, columns", QUADRATIC, 20, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", gauss_rows(400, n)), "-o", folder / "m.eocc"
    ]
    yield command, "fit, all-distinct words", QUADRATIC, 1000, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", words(n)), "--types", "word=category", "-o", folder / "m.eocc"
    ]
    yield command, "fit, all-distinct words, neighbors by a tree", SORTING, 9000, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", words(n)), "--types", "word=category", "-o", folder / "m.eocc"
    ]
    yield command, "fit, mixed rows, neighbors by a tree", SORTING, 9000, lambda n: [
        "fit", write(folder, f"{n}-fit.csv", mixed(n)), "-o", folder / "m.eocc"
    ]
    # All pairs of samples are compared, and new samples with all of them.
    kinds = [
        ("strings", "k.txt", lambda n, seed: lines_of(n, 20, seed), ["--input", "lines"], 200),
        ("series", "k.ts", lambda n, seed: series_rows(n, 12, seed), [], 100),
        ("graphs", "k.jsonl", lambda n, seed: "".join(graph(3 + i % 4, seed=n * seed + i) + "\n" for i in range(n)), [], 60),
    ]
    for kind, name, content, options, n in kinds:
        model = folder / f"{kind}.eocc"
        run("fit", write(folder, name, content(60, 1)), *options, "-o", model)
        yield command, f"fit, {kind}", QUADRATIC, n, lambda n, name=name, content=content, options=options: [
            "fit", write(folder, f"{n}-{name}", content(n, 2)), *options, "-o", folder / "m.eocc"
        ]
        yield command, f"score, {kind}", LINEAR, 2 * n, score(name, lambda n, content=content: content(n, 3), model)
    yield command, "score, rows", LINEAR, 2000, score("s.csv", lambda n: gauss_rows(n, 4, 1))
    yield command, "explain, rows", LINEAR, 1000, lambda n: [
        "explain", numbers, write(folder, f"{n}-e.csv", gauss_rows(n, 4, 1)), "--top", n
    ]
    yield command, "outliers, rows", QUADRATIC, 1000, outliers("o.csv", lambda n: gauss_rows(n, 4))
    yield command, "outliers, equal rows", QUADRATIC, 1000, outliers("o2.csv", lambda n: "a,b\n" + "1,2\n2,3\n" * n)
    yield command, "report, rows", QUADRATIC, 500, lambda n: [
        "report", numbers, write(folder, f"{n}-r.csv", gauss_rows(n, 4, 1)), "-o", folder / "r.html"
    ]
    yield command, "plot, rows", QUADRATIC, 500, lambda n: [
        "plot", numbers, write(folder, f"{n}-r.csv", gauss_rows(n, 4, 1)), "--what", "map", "-o", folder / "p.svg"
    ]
    yield command, "columns, rows", SORTING, 4000, lambda n: ["columns", write(folder, f"{n}-c.csv", mixed(n))]
    yield command, "columns, columns", LINEAR, 500, lambda n: ["columns", write(folder, f"{n}-c.csv", wide(n))]
    experiment = ["--label", "class", "--nominal", "good", "--repeats", "1", "--folds", "3"]
    yield command, "evaluate, rows", QUADRATIC, 500, lambda n: [
        "evaluate", write(folder, f"{n}-l.csv", labelled(n)), *experiment
    ]
    yield command, "compare, rows", QUADRATIC, 300, lambda n: [
        "compare", write(folder, f"{n}-l.csv", labelled(n)), *experiment,
        "--methods", "default,gauss,k-nn,lof", "--restart", "--journal", folder / "journal.jsonl",
    ]

    def monitor(n):
        for name in ["state.eocc", "answers.csv"]:
            (folder / name).unlink(missing_ok=True)
        data = write(folder, f"{n}-m.csv", gauss_rows(n, 4, 1))
        # Saves only at the end: how often it saves otherwise depends on the clock.
        return ["monitor", folder / "state.eocc", data, "--from", numbers, "--save-every", 10**9, "-o", folder / "answers.csv"]

    yield command, "monitor, rows", LINEAR, 2000, monitor
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
    parser.add_argument("--only", default="", help="cases whose name matches this regular expression")
    parser.add_argument("--markdown", type=pathlib.Path, help="write the table here as well")
    args = parser.parse_args()
    rows, failed = ["| what | bound | growth | instructions per unit |", "|---|---|---|---|"], 0
    with tempfile.TemporaryDirectory() as name:
        for group, case, bound, n, command in cases(pathlib.Path(name), args.program):
            if not re.search(args.only, f"{group}: {case}"):
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
