"""Hostile files: small ones that stand for much, wide, deep, long and endless ones, and such that lie about themselves."""

import bz2
import gzip
import io
import json
import os
import struct
import tarfile
import zipfile
import zlib

import samples
from damaged import packed, zipped
from samples import npy, rng_of, write


def deep(open_, close, depth):
    return open_ * depth + close * depth


def of_shapes():
    """Arrays that announce more than they hold, or what no memory holds."""
    for shape in ["(4294967296, 4294967296)", "(9223372036854775807,)", "(1, 99999999999)", "(-1, 4)", "(0, 4)", "(4, 0)", "()", "(1e9,)"]:
        for kind in ["<f8", "|u1", "<U2", "|O"]:
            yield f"shape {shape} of {kind}", ".npy", npy(kind, shape, b"\0" * 64)
    for kind in ["<f16", "<c16", "<M8[ns]", "|V9999999", "<U99999999", "[('a', '<f8')]", "x" * 60_000]:
        yield f"type {kind[:12]}", ".npy", npy(kind, "(4, 2)", b"\0" * 64)
    yield "a header that never ends", ".npy", b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1) + b"{" * 1000
    yield "a header of version 9", ".npy", b"\x93NUMPY\x09\x00" + b"\0" * 100


def of_archives():
    zeros = b"0," * 20_000_000
    yield "40 MB of zeros in a zip", ".npz", zipped("X.npy", npy("|u1", "(20000000, 2)", zeros))
    yield "40 MB of zeros in gzip", ".csv.gz", gzip.compress(zeros)
    yield "40 MB of zeros in gzip of gzip", ".csv.gz", gzip.compress(gzip.compress(zeros))
    yield "lines of zeros in gzip", ".csv.gz", gzip.compress(b"0,0\n" * 10_000_000)
    yield "half of a gzip", ".csv.gz", gzip.compress(samples.numbers(rng_of(1), 500).encode())[:-300]
    yield "a gzip with another length", ".csv.gz", gzip.compress(b"a,b\n1,2\n" * 50)[:-4] + b"\xff\xff\xff\xff"
    yield "a thousand gzips", ".csv.gz", gzip.compress(b"1,2\n") * 1000
    yield "bzip2 by the name of gzip", ".csv.gz", bz2.compress(b"1,2\n" * 100)
    yield "zlib by the name of gzip", ".csv.gz", zlib.compress(b"1,2\n" * 100)
    for name in ["../X.npy", "/etc/passwd.npy", "X.npy\0.npy", "a" * 60_000 + ".npy", " ", "X.npy/", "con.npy"]:
        yield f"an entry named {name[:12]!r}", ".npz", zipped(name, samples.array(rng_of(2), 20))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for i in range(20_000):
            archive.writestr(f"a{i}.npy", b"")
    yield "20,000 entries", ".npz", out.getvalue()
    broken = bytearray(zipped("X.npy", samples.array(rng_of(3), 50)))
    for at in range(4, len(broken), len(broken) // 12):
        copy = broken.copy()
        copy[at : at + 4] = b"\xff" * 4
        yield f"a zip with a number changed at {at}", ".npz", bytes(copy)
    graph = samples.gxl(rng_of(4))
    for name in ["../g.gxl", "/g.gxl", "a/../../g.gxl", "g\u202e.gxl"]:
        yield f"an entry named {name!r}", ".tar", packed([(name, graph)] * 4)
    yield "ten thousand graphs", ".tar", packed([(f"g{i}.gxl", "<gxl><graph><node id='0'/></graph></gxl>") for i in range(10_000)])
    for kind in [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE]:
        out = io.BytesIO()
        with tarfile.open(fileobj=out, mode="w") as archive:
            entry = tarfile.TarInfo("g.gxl")
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
        yield f"an entry of type {kind!r}", ".tar", out.getvalue()
    tar = packed([("g.gxl", graph)])
    for size in [b"77777777777", b"-0000000001", b"\x80" + b"\xff" * 10, b"xxxxxxxxxxx"]:
        yield f"an entry of size {size!r}", ".tar", tar[:124] + size + tar[135:]
    yield "a tar of zeros", ".tar", b"\0" * 1_000_000


def of_text():
    rows = samples.numbers(rng_of(5), 40)
    yield "one line of 3 MB", ".csv", "1," * 1_500_000
    yield "one cell of 3 MB", ".csv", "a,b\n" + "x" * 3_000_000 + ",1\n"
    yield "one number of 1 MB", ".csv", "a,b\n" + "9" * 1_000_000 + ",1\n2,3\n"
    yield "an open quote", ".csv", 'a,b\n"' + "1,2\n" * 100_000
    yield "only quotes", ".csv", '"' * 300_000
    yield "only commas", ".csv", "," * 3_000_000
    yield "only ends of lines", ".csv", "\n" * 3_000_000
    yield "only returns", ".csv", "\r" * 1_000_000
    yield "only blanks", ".csv", " " * 3_000_000
    yield "a million columns", ".csv", ",".join(["1"] * 1_000_000) + "\n" + ",".join(["2"] * 1_000_000)
    yield "ten thousand columns with one name", ".csv", ",".join(["a"] * 10_000) + "\n" + ",".join(["1"] * 10_000) + "\n"
    yield "rows of growing width", ".csv", "\n".join("1," * i + "1" for i in range(1500))
    yield "zero bytes", ".csv", "\0" * 1_000_000
    yield "a zero byte in a row", ".csv", rows + "1,\0,3,4\n"
    yield "a name of 70,000 letters", ".csv", "x" * 70_000 + ",b\n" + "1,2\n3,4\n" * 20
    yield "ten thousand distinct words", ".csv", "word,x\n" + "".join(f"w{i},{i % 7}\n" for i in range(10_000))
    yield "every delimiter", ".csv", "a,b;c\td|e f\n" * 5000
    yield "only comments", ".csv", "#\n" * 100_000
    yield "a byte-order mark of UTF-32", ".csv", b"\xff\xfe\0\0" + "a,b\n1,2\n".encode("utf-32-le") * 100
    for encoding in ["utf-16-le", "utf-16-be", "utf-7", "cp1252", "shift_jis", "utf-8-sig"]:
        yield f"text in {encoding}", ".csv", "a,b\n1,x\n2,y\n".encode(encoding) * 200
    for value in ["1e999", "-1e999", "1e-999", "nan", "inf", "0x10", "1_000", "١٢٣", "1,5", "--1", "+", "1e", "∞", "1e308", "4.9e-324"]:
        yield f"numbers such as {value}", ".csv", "a;b\n" + "".join(f"{value};{i % 5}\n" for i in range(60))
    for text in ["=1+1", "\u202e", "\u200e", "\x1b[31m", "\x9b2J", "<script>", "\ud7ff\ue000", "\U0010ffff", "é" * 500, "\ufeff", "\u2028"]:
        yield f"names such as {text[:8]!r}", ".csv", f'"{text}","{text}",c\n' + "".join(f"{i},{text},{i % 3}\n" for i in range(60))
    for day in ["0000-00-00", "9999-12-31", "-2024-01-01", "2024-02-30", "2024-13-01", "275760-09-13", "2024-01-01T25:61:61"]:
        yield f"dates such as {day}", ".csv", "day,x\n" + "".join(f"{day},{i % 5}\n" for i in range(60))
    for depth in [100, 10_000, 300_000]:
        yield f"{depth} arrays in each other", ".jsonl", deep("[", "]", depth)
        yield f"{depth} objects in each other", ".jsonl", '{"a":' * depth + "1" + "}" * depth
        yield f"{depth} elements in each other", ".gxl", "<gxl>" + deep("<a>", "</a>", depth)
    yield "keys twice", ".jsonl", ('{"a":1,"a":2,"b":3}\n') * 500
    yield "a hundred thousand keys", ".jsonl", "{" + ",".join(f'"k{i}":1' for i in range(100_000)) + "}"
    yield "numbers beyond all bounds", ".jsonl", '{"a":' + "9" * 5000 + ',"b":1e99999}\n' * 10
    yield "broken escapes", ".jsonl", '{"a":"\\ud800\\udc","b":"\\x"}\n' * 500
    yield "one string of 3 MB", ".jsonl", '{"a":"' + "x" * 3_000_000 + '"}'
    yield "an array of a million numbers", ".jsonl", '{"a":[' + "1," * 1_000_000 + "1]}\n"
    yield "empty objects", ".jsonl", "{}\n" * 50_000


def of_sequences():
    yield "headers without sequences", ".fasta", ">\n" * 100_000
    yield "a sequence of 3 MB", ".fasta", ">a\n" + "ACDE" * 750_000
    yield "a sequence of a letter a line", ".fasta", ">a\n" + "A\n" * 500_000
    yield "binary sequences", ".fasta", b">a\n" + bytes(range(256)) * 1000
    yield "qualities of another length", ".fastq", "@a\nACGT\n+\nI\n" * 5000
    yield "a read without an end", ".fastq", "@a\n" + "A" * 500_000
    yield "lines of one letter", ".txt", "a\n" * 300_000
    yield "a line of 2 MB", ".txt", "ab" * 1_000_000
    yield "marks that combine", ".txt", ("a" + "\u0301" * 5000 + "\n") * 20
    for header in ["@data\n", "@classLabel true\n@data\n", "@univariate maybe\n@data\n", "@dimensions 99999999\n@data\n", "@x" * 50_000]:
        yield f"a header such as {header[:16]!r}", ".ts", header + "1,2,3:a\n" * 30
    for row in ["1,2,3:" * 20_000, "?,?,?", ",,,", "(0,1),(0,2)", "(9e99,1)", "1e999,2", ":::::"]:
        yield f"series such as {row[:12]}", ".ts", "@univariate true\n@data\n" + f"{row}\n" * 30
    yield "a series of a million steps", ".ts", "@univariate true\n@data\n" + "1," * 1_000_000 + "1\n"


def of_graphs():
    laugh = lambda i: f"&a{i - 1};" * 10 if i else "ha" * 100
    entities = "".join(f'<!ENTITY a{i} "{laugh(i)}">' for i in range(10))
    bomb = f'<?xml version="1.0"?><!DOCTYPE gxl [{entities}]><gxl><graph><node id="&a9;"/></graph></gxl>'
    outside = '<!DOCTYPE gxl [<!ENTITY x SYSTEM "file:///etc/passwd">]><gxl><graph><node id="&x;"/></graph></gxl>'
    node = lambda i: f'<node id="{i}"/>'
    edge = lambda a, b: f'<edge from="{a}" to="{b}" source="{a}" target="{b}"/>'
    for ending, root in [(".gxl", "gxl"), (".graphml", "graphml")]:
        yield "a billion laughs", ending, bomb.replace("gxl", root)
        yield "an entity in a file", ending, outside.replace("gxl", root)
        yield "100,000 vertices", ending, f"<{root}><graph>{''.join(map(node, range(100_000)))}</graph></{root}>"
        yield "20,000 loops", ending, f"<{root}><graph>{node(0)}{edge(0, 0) * 20_000}</graph></{root}>"
        yield "edges to nowhere", ending, f"<{root}><graph>{node(0)}{edge(0, 9)}</graph></{root}>"
        yield "no graph", ending, f"<{root}/>"
        yield "a hundred graphs", ending, f"<{root}>" + f"<graph>{node(0)}</graph>" * 100 + f"</{root}>"
        yield "an id of 1 MB", ending, f"<{root}><graph>{node('x' * 1_000_000)}</graph></{root}>"
        yield "a thousand vertices with one id", ending, f"<{root}><graph>{node(0) * 1000}</graph></{root}>"
        yield "no end", ending, f"<{root}><graph>" + node(0) * 10
        yield "another encoding", ending, f"<{root}><graph>{node(0)}</graph></{root}>".encode("utf-16")
        attrs = "".join(f'<attr name="a{i}"><int>{i}</int></attr>' for i in range(5000))
        yield "5000 attributes", ending, f"<{root}><graph><node id='0'>{attrs}</node></graph></{root}>"
    for nodes, links in [
        ([{"id": i} for i in range(50_000)], []),
        ([{"id": 0}], [{"source": 0, "target": 0}] * 50_000),
        ([{"id": 0}, {"id": 0}], []),
        ([{"id": None}], []),
        ([{"id": [0]}], [{"source": [0], "target": [0]}]),
        ([{"id": 1e308, "w": 1e308}, {"id": -1e308, "w": -1e308}], []),
        ([{"id": 0, "w": [0] * 100_000}], []),
        ([{"id": 0, **{f"k{i}": i for i in range(20_000)}}], []),
        ([], []),
        ([{}], [{}]),
        ("nodes", "links"),
    ]:
        content = json.dumps({"nodes": nodes, "links": links})
        yield f"a graph such as {content[:40]}", ".jsonl", f"{content}\n" * 3


def of_structures():
    rng = rng_of(6)
    atom = "ATOM  {:>5}  CA  ALA A{:>4}    {:>8}{:>8}{:>8}  1.00  0.00           C\n"
    yield "atoms at one place", ".pdb", "".join(atom.format(i, i, "0.000", "0.000", "0.000") for i in range(1, 2000))
    yield "atoms beyond all bounds", ".pdb", "".join(atom.format(i, i, "9999999", "-9e99", "nan") for i in range(1, 200))
    yield "residues that repeat", ".pdb", "".join(atom.format(1, 1, f"{i}.000", "0.000", "0.000") for i in range(200))
    yield "models without end", ".pdb", "MODEL\n" * 100_000
    yield "lines of no length", ".pdb", "ATOM\n" * 100_000
    yield "a line of 2 MB", ".pdb", "ATOM  " + "1" * 2_000_000
    yield "numbers beyond four digits", ".pdb", "".join(atom.format("*****", "A000", "1.0", "1.0", "1.0") for _ in range(200))
    cif = samples.mmcif(rng, 50)
    yield "a loop without rows", ".cif", cif.split("ATOM")[0]
    yield "rows of another width", ".cif", cif.replace(" A\n", "\n")
    yield "a text without end", ".cif", cif + "\n;" + "x" * 1_000_000
    yield "a hundred thousand columns", ".cif", "data_x\nloop_\n" + "".join(f"_a.b{i}\n" for i in range(100_000)) + "1 " * 100_000
    yield "a hundred thousand blocks", ".cif", "data_x\n" * 100_000
    yield "open quotes", ".cif", cif.replace("ALA", "'ALA")


def of_columns(program):
    """Parquet files with numbers changed in their footer."""
    folder = program.folder
    write(folder / "t.csv", samples.numbers(rng_of(7), 60))
    program.must(folder, "fit", "t.csv", "-o", "numbers.eocc")
    program.must(folder, "score", "numbers.eocc", "t.csv", "-o", "t.parquet")
    content = (folder / "t.parquet").read_bytes()
    length = struct.unpack("<I", content[-8:-4])[0]
    for number in range(24):
        rng, copy = rng_of("footer", number), bytearray(content)
        for _ in range(3):
            at = len(content) - 8 - rng.randrange(length)
            copy[at : at + 1] = rng.choice([b"\xff\xff\xff\xff\x0f", b"\0", b"\x80\x80\x80\x80\x80\x01", b"\x7f"])
        # With the length that the footer now has.
        grown = len(copy) - len(content)
        yield f"a changed footer, {number}", ".parquet", bytes(copy[:-8]) + struct.pack("<I", length + grown) + copy[-4:]
    for length in [0, 2**31 - 1, 2**32 - 1]:
        yield f"a footer of length {length}", ".parquet", content[:-8] + struct.pack("<I", length) + content[-4:]
    yield "only the magic number", ".parquet", b"PAR1PAR1"
    yield "Arrow without messages", ".arrow", b"ARROW1\0\0ARROW1"
    yield "an Arrow message of 2 GB", ".arrow", b"\xff\xff\xff\xff" + struct.pack("<i", 2**31 - 1) + b"\0" * 64
    yield "an Arrow message of negative length", ".arrow", b"\xff\xff\xff\xff" + struct.pack("<i", -8) + b"\0" * 64


def special(folder):
    """(what, words) for what is no ordinary file."""
    os.mkfifo(folder / "pipe.csv")
    (folder / "set").mkdir()
    os.mkfifo(folder / "set" / "pipe.csv")
    (folder / "round").mkdir()
    os.symlink(".", folder / "round" / "round")
    os.symlink("gone.csv", folder / "gone.csv")
    with (folder / "sparse.csv").open("wb") as file:
        file.truncate(5 << 30)
    (folder / "empty.csv").touch()
    yield "a folder of pipes", ["fit", "set", "-o", "m.eocc"]
    yield "a folder in itself", ["fit", "round", "-o", "m.eocc"]
    yield "a link to itself", ["fit", "gone.csv", "-o", "m.eocc"]
    yield "five gigabytes of nothing", ["fit", "sparse.csv", "-o", "m.eocc"]
    yield "an empty file", ["fit", "empty.csv", "-o", "m.eocc"]
    yield "an empty file", ["score", "numbers.eocc", "empty.csv"]
    yield "zeros without end", ["fit", "/dev/zero", "-o", "m.eocc"]
    yield "zeros without end", ["score", "numbers.eocc", "/dev/zero"]
    yield "nothing", ["fit", "/dev/null", "-o", "m.eocc"]
    yield "a model of nothing", ["score", "/dev/null", "t.csv"]
    yield "a table as a model", ["score", "t.csv", "t.csv"]
    yield "a model as a table", ["fit", "numbers.eocc", "-o", "m.eocc"]


# Files that cannot be read have exit code 5.
FILES = {0, 2, 3, 4, 5, 6}


def attack(program, count, seed):
    del seed
    made = [*of_columns(program), *of_shapes(), *of_archives(), *of_text(), *of_sequences(), *of_graphs(), *of_structures()]
    folder, step = program.folder, max(len(made) // count, 1)
    for number, (what, ending, content) in enumerate(made[::step]):
        data = write(folder / f"hostile{ending}", content)
        size = data.stat().st_size
        if ending in (".pdb", ".cif"):
            words = [["proteins", command, data.name] for command in ("features", "series")]
        elif ending == ".txt":
            words = [["fit", data.name, "--input", "lines", "-o", "m.eocc"]]
        else:
            words = [["fit", data.name, "-o", "m.eocc"], ["score", "numbers.eocc", data.name, "--on-bad-row", "skip"]]
        before = program.tally.count
        for command in words:
            program.attack(folder, command, what, size, FILES, {"m.eocc"})
            (folder / "m.eocc").unlink(missing_ok=True)
        # Files are counted, not commands.
        program.tally.count = before + 1
        data.unlink()
    for what, command in special(folder):
        program.attack(folder, command, what, 0, FILES, {"m.eocc"})
        (folder / "m.eocc").unlink(missing_ok=True)
