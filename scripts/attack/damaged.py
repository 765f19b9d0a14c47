"""Valid files of every format, changed in bytes, numbers, lengths and order, given to the commands that read them."""

import gzip
import io
import json
import struct
import tarfile
import zipfile

import samples
from running import fault_of_scores, remove
from samples import rng_of, write

NUMBERS = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x7FFF_FFFF_FFFF_FFFF, 2**64 - 1]
TOKENS = [
    b",", b"\n", b'"', b"\r", b";", b"\t", b"{", b"}", b"[", b"]", b":", b"<", b"/>", b"&#0;", b"NaN", b"-inf", b"1e999", b"\xef\xbb\xbf",
    b"\xff\xfe", b"\0", b"null", b'<node id="0"/>', b"@data\n", b">a\n", b"ATOM  ", b"loop_\n", b"9" * 400, b"\xf0\x9f\xa6\x80",
]
MOST = 1 << 18


def damage(rng, data, others):
    data = bytearray(data)
    for _ in range(rng.randrange(1, 7)):
        at = rng.randrange(len(data) + 1)
        end = min(at + rng.randrange(1, 17), len(data))
        match rng.randrange(9):
            case 0 | 1 if at < len(data):
                data[at] = data[at] ^ (1 << rng.randrange(8)) if rng.random() < 0.5 else rng.randrange(256)
            case 2:
                del data[at:end]
            case 3:
                width = rng.choice([1, 2, 4, 8])
                number = struct.pack(rng.choice("<>") + "Q", rng.choice(NUMBERS))
                data[at : at + width] = number[:width]
            case 4:
                data[at:at] = rng.choice(TOKENS)
            case 5:
                data[at:at] = data[at:end] * rng.randrange(1, 64)
            case 6:
                del data[at:]
            case 7:
                other = rng.choice(others)
                data[at:] = other[rng.randrange(len(other) + 1) :]
            case _:
                other = rng.randrange(len(data) + 1)
                piece = data[at:end]
                data[other : other + len(piece)] = piece
    return bytes(data[:MOST])


def packed(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return out.getvalue()


def zipped(name, content):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return out.getvalue()


def formats(program, rng):
    """(ending, content, model to score with or none, options of the fit) of each format."""
    folder, n = program.folder, 24
    text = {name: make(rng, n) for name, (_, make, _) in samples.KINDS.items()}
    models = {}
    for name, (ending, _, options) in samples.KINDS.items():
        data = write(folder / f"train-{name}{ending}", text[name])
        program.must(folder, "fit", data, *options, "-o", folder / f"{name}.eocc")
        models[name] = f"{name}.eocc"
    program.must(folder, "score", models["numbers"], folder / "train-numbers.csv", "-o", folder / "table.parquet")
    tables = {"wide": samples.series_wide(rng, n), "long": samples.series_long(rng, n)}
    for name in tables:
        data = write(folder / f"train-{name}.csv", tables[name])
        program.must(folder, "fit", data, "--input", f"series-{name}", "-o", folder / f"{name}.eocc")
    square = "\n".join(",".join(str(abs(i - j)) for j in range(n)) for i in range(n))
    of_graphs = [(f"g{i}.gxl", samples.gxl(rng)) for i in range(6)]
    listed = "<l>" + "".join(f'<print file="{name}" class="x"/>' for name, _ in of_graphs) + "</l>"
    tar = packed([*of_graphs, ("train.cxl", listed)])
    numbers, array = text["numbers"].encode(), samples.array(rng, n)
    yield ".csv", numbers, models["numbers"], []
    yield ".csv", text["mixed"].encode(), models["mixed"], []
    yield ".txt", text["strings"].encode(), models["strings"], ["--input", "lines"]
    yield ".jsonl", text["records"].encode(), models["records"], []
    yield ".jsonl", text["graphs"].encode(), models["graphs"], []
    yield ".json", json.dumps([samples.graph(rng) for _ in range(8)]).encode(), models["graphs"], []
    yield ".ts", text["series"].encode(), models["series"], []
    yield ".csv", tables["wide"].encode(), "wide.eocc", ["--input", "series-wide"]
    yield ".csv", tables["long"].encode(), "long.eocc", ["--input", "series-long"]
    yield ".csv", square.encode(), None, ["--precomputed"]
    yield ".npy", array, models["numbers"], []
    yield ".npz", zipped("X.npy", array), models["numbers"], []
    yield ".parquet", (folder / "table.parquet").read_bytes(), None, []
    yield ".csv.gz", gzip.compress(numbers), models["numbers"], []
    yield ".fasta", samples.fasta(rng, n).encode(), None, []
    yield ".fastq", samples.fastq(rng, n).encode(), None, []
    yield ".gxl", samples.gxl(rng).encode(), models["graphs"], []
    yield ".graphml", samples.graphml(rng).encode(), models["graphs"], []
    yield ".tar", tar, models["graphs"], []
    yield ".tar.gz", gzip.compress(tar), models["graphs"], []
    yield ".pdb", samples.pdb(rng, 30).encode(), "proteins", []
    yield ".cif", samples.mmcif(rng, 30).encode(), "proteins", []


def attack(program, count, seed):
    known = list(formats(program, rng_of("damaged")))
    others = [content for _, content, _, _ in known]
    folder = program.folder
    for number in range(count):
        rng = rng_of("damaged", seed, number)
        ending, content, model, options = known[number % len(known)]
        data = write(folder / f"damaged{ending}", damage(rng, content, others))
        step = number // len(known)
        if model == "proteins":
            words = ["proteins", ["features", "series", "graph"][step % 3], data.name]
        elif model and step % 2:
            words = ["score", model, data.name, "--on-bad-row", "skip", *options]
        else:
            words = ["fit", data.name, *options, "-o", "new.eocc"]
        what = f"damaged input {number}"
        done = program.attack(folder, words, what, data.stat().st_size, keep={"new.eocc"})
        if words[0] == "score" and done.code == 0 and (fault := fault_of_scores(done.out)):
            program.tally.fault("wrong", f"{what}: {fault}")
        if words[0] == "fit" and done.code == 0:
            # What was fitted can be read, and judges what it was fitted on.
            again = program.run(folder, ["inspect", "new.eocc"])
            if again.code != 0:
                program.tally.fault("wrong", f"{what}: its model cannot be read: {again.err[-200:]}")
        remove(data, folder / "new.eocc")
