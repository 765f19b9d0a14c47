"""Model files with a valid checksum and hostile contents: numbers, names and shapes that no fit writes."""

import hashlib
import json
import struct

from running import fault_of_scores
from samples import KINDS, rng_of, write

PRESETS = {"numbers": ["default", "paper"], "strings": ["default", "paper"], "series": ["paper"]}
VALUES = [
    0, 1, -1, 2, 31, 2**31, 2**32 - 1, 2**53, 2**63, 2**64, 10**30, 0.5, -0.5, 1e-320, 1e308, -1e308, "", "x", "x" * 3000, "NaN",
    "../../etc/passwd", "\u202e", "\u0000", None, True, False, [], {}, [[]], [None], {"": {}}, [0] * 1000, "__DEEP__",
]
NUMBERS = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, -1.0, 1e308, -1e308, 5e-324, 1e-320, 2.0, 1e9]
COUNTS = [0, 1, 2, 7, 2**16, 2**31 - 1, 2**31, 2**32 - 1]
COMMANDS = [
    ["score", "forged.eocc", "DATA"], ["score", "forged.eocc", "DATA"], ["score", "forged.eocc", "DATA"],
    ["explain", "forged.eocc", "DATA", "--top", "2"], ["inspect", "forged.eocc"], ["report", "forged.eocc", "-o", "page.html"],
    ["plot", "forged.eocc", "--what", "map", "-o", "map.svg"],
]


def read(content):
    """The description, and the tensors as [type, shape, bytes]."""
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    about, data = header.pop("__metadata__"), content[8 + length :]
    tensors = {name: [t["dtype"], t["shape"], data[slice(*t["data_offsets"])]] for name, t in header.items()}
    return json.loads(about["eocc.model"]), tensors


def file(meta, tensors, version="2", shift=0):
    """The file, with the checksum that its contents have."""
    model = json.dumps(meta, ensure_ascii=False, separators=(",", ":")).replace('"__DEEP__"', "[" * 500 + "]" * 500)
    digest = hashlib.sha256()

    def part(piece):
        digest.update(struct.pack("<Q", len(piece)) + piece)

    part(struct.pack("<Q", 2))
    part(model.encode(errors="replace"))
    header, end = {}, 0
    for name, (kind, shape, data) in sorted(tensors.items()):
        part(name.encode())
        part(kind.encode())
        for size in shape:
            part(struct.pack("<Q", size))
        part(data)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [max(end - shift, 0), end + len(data)]}
        end += len(data)
    header["__metadata__"] = {"eocc.format": version, "eocc.model": model, "eocc.sha256": digest.hexdigest()}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(t[2] for _, t in sorted(tensors.items()))


def places(value, path=()):
    """All paths into a description."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else []
    for key, below in list(items)[:60]:
        yield from places(below, (*path, key))


def forge_meta(rng, meta):
    path = rng.choice([p for p in places(meta) if p])
    above = meta
    for key in path[:-1]:
        above = above[key]
    key, old = path[-1], above[path[-1]]
    match rng.randrange(7):
        case 0 | 1 | 2:
            above[key] = rng.choice(VALUES)
        case 3 if isinstance(old, (int, float)) and not isinstance(old, bool):
            above[key] = rng.choice([old + 1, old - 1, -old, old * 1e9, old / 3])
        case 3 | 4:
            del above[key]
        case 5 if isinstance(old, list) and old:
            old.append(rng.choice(old))
        case 5:
            above[key] = [old]
        case _:
            other = meta
            for step in rng.choice(list(places(meta))):
                other = other[step]
            above[key] = json.loads(json.dumps(other))
    return "/".join(map(str, path))


def forge_tensor(rng, tensors):
    name = rng.choice(sorted(tensors))
    kind, shape, data = tensors[name]
    width = {"F64": 8, "U32": 4, "U8": 1}.get(kind, 1)
    data, count = bytearray(data), len(data) // width
    match rng.randrange(8):
        case 0 | 1 | 2 | 3 if count:
            for _ in range(rng.randrange(1, 4)):
                at = rng.randrange(count) * width
                if kind == "F64":
                    data[at : at + 8] = struct.pack("<d", rng.choice(NUMBERS))
                elif kind == "U32":
                    data[at : at + 4] = struct.pack("<I", rng.choice([*COUNTS, max(shape[0] - 1, 0), shape[0]]))
                else:
                    data[at] = rng.randrange(256)
            tensors[name] = [kind, shape, bytes(data)]
        case 4 if shape and shape[0] > 0:
            row = len(data) // shape[0]
            tensors[name] = [kind, [shape[0] - 1, *shape[1:]], bytes(data[:-row] if row else data)]
        case 5 if len(shape) == 2:
            tensors[name] = [kind, shape[::-1], bytes(data)]
        case 5 if kind == "F64":
            tensors[name] = ["U32", [2 * count], bytes(data)]
        case 6:
            other = rng.choice(sorted(tensors))
            tensors[name], tensors[other] = tensors[other], tensors[name]
        case 7:
            del tensors[name]
        case _:
            values = [data[i * width : (i + 1) * width] for i in range(count)]
            rng.shuffle(values)
            tensors[name] = [kind, shape, b"".join(values)]
    return name


def attack(program, count, seed):
    models = []
    for kind, (ending, make, options) in KINDS.items():
        data = write(program.folder / f"{kind}{ending}", make(rng_of("forged", kind), 30))
        for preset in PRESETS.get(kind, ["default"]):
            path = program.folder / f"{kind}-{preset}.eocc"
            program.must(program.folder, "fit", data, *options, "--preset", preset, "-o", path)
            content = path.read_bytes()
            # What is written back unchanged must be what the program wrote, or the attack tests only the checksum.
            write(program.folder / "forged.eocc", file(*read(content)))
            program.must(program.folder, "score", "forged.eocc", data)
            models.append((f"{kind}, {preset}", content, data))
    folder = program.folder
    for number in range(count):
        rng = rng_of("forged", seed, number)
        name, content, data = models[number % len(models)]
        meta, tensors = read(content)
        changed = []
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            changed.append(forge_meta(rng, meta) if rng.random() < 0.6 or not tensors else forge_tensor(rng, tensors))
            if not isinstance(meta, dict) or not meta:
                break
        version, shift = rng.choice([("2", 0)] * 38 + [("3", 0), ("2", 8)])
        forged = write(folder / "forged.eocc", file(meta, tensors, version, shift))
        words = [str(data) if word == "DATA" else word for word in COMMANDS[number // len(models) % len(COMMANDS)]]
        what = f"forged model {number} of {name} ({', '.join(changed)})"
        done = program.attack(folder, words, what, forged.stat().st_size, {0, 2, 3, 4, 6}, {"page.html", "map.svg"})
        if words[0] == "score" and done.code == 0 and (fault := fault_of_scores(done.out)):
            program.tally.fault("wrong", f"{what}: {fault}")
        for name in ("page.html", "map.svg"):
            (folder / name).unlink(missing_ok=True)
