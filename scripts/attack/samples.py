"""Valid data of every kind, from which the attacks start."""

import json
import math
import random
import struct

WORDS = ["red", "green", "blue", "gray"]


def numbers(rng, n, columns=4):
    rows = (",".join(f"{rng.gauss(0, 1):.4f}" for _ in range(columns)) for _ in range(n))
    return "\n".join([",".join(f"x{c}" for c in range(columns)), *rows, ""])


def mixed(rng, n):
    rows = ["size,color,day,ok"]
    for i in range(n):
        size = "" if rng.random() < 0.03 else f"{rng.gauss(5, 2):.4f}"
        day = f"20{rng.randrange(10, 30)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
        rows.append(f"{size},{rng.choice(WORDS)},{day},{rng.choice(['yes', 'no'])}")
    return "\n".join([*rows, ""])


def strings(rng, n):
    return "".join("".join(rng.choices("abcde", [5, 4, 3, 2, 1], k=rng.randrange(4, 16))) + "\n" for _ in range(n))


def series(rng, n):
    def row():
        phase, noise = rng.uniform(0, 6.3), 0.3
        return ",".join(f"{math.sin(phase + t / 2) + rng.gauss(0, noise):.4f}" for t in range(10))

    return "@univariate true\n@classLabel false\n@data\n" + "".join(f"{row()}\n" for _ in range(n))


def series_wide(rng, n):
    rows = (",".join(f"{rng.gauss(0, 1):.3f}" for _ in range(8)) for _ in range(n))
    return "\n".join([",".join(f"t{t}" for t in range(8)), *rows, ""])


def series_long(rng, n):
    return "id,time,value\n" + "".join(f"s{i},{t},{rng.gauss(0, 1):.3f}\n" for i in range(n) for t in range(6))


def graph(rng):
    n = rng.randrange(3, 6)
    nodes = [{"id": i, "w": round(rng.gauss(0, 1), 3)} for i in range(n)]
    links = [{"source": rng.randrange(i), "target": i} for i in range(1, n)]
    return {"nodes": nodes, "links": links}


def graphs(rng, n):
    return "".join(json.dumps(graph(rng)) + "\n" for _ in range(n))


def records(rng, n):
    def record():
        text = "".join(rng.choices("abcd", k=rng.randrange(3, 9)))
        return {"text": text, "x": round(rng.gauss(0, 1), 3), "kind": rng.choice(WORDS), "wave": [rng.randrange(5) for _ in range(4)]}

    return "".join(json.dumps(record()) + "\n" for _ in range(n))


def gxl(rng):
    g = graph(rng)
    nodes = "".join(f'<node id="{v["id"]}"><attr name="w"><float>{v["w"]}</float></attr></node>' for v in g["nodes"])
    edges = "".join(f'<edge from="{e["source"]}" to="{e["target"]}"/>' for e in g["links"])
    return f'<?xml version="1.0"?><gxl><graph id="g" edgemode="undirected">{nodes}{edges}</graph></gxl>'


def graphml(rng):
    g = graph(rng)
    key = '<key id="d0" for="node" attr.name="w" attr.type="double"><default>1.0</default></key>'
    nodes = "".join(f'<node id="{v["id"]}"><data key="d0">{v["w"]}</data></node>' for v in g["nodes"])
    edges = "".join(f'<edge source="{e["source"]}" target="{e["target"]}"/>' for e in g["links"])
    return f'<graphml>{key}<graph edgedefault="undirected">{nodes}{edges}</graph></graphml>'


def fasta(rng, n):
    return "".join(f">s{i} a protein\n{''.join(rng.choices('ACDEFGHIKL', k=rng.randrange(8, 20)))}\n" for i in range(n))


def fastq(rng, n):
    return "".join(f"@r{i}\nACGT{rng.choice('ACGT')}\n+\nIIIII\n" for i in range(n))


def pdb(rng, n):
    line = "ATOM  {0:5d}  CA  ALA A{0:4d}    {1:8.3f}{2:8.3f}{3:8.3f}  1.00  0.00           C"
    place = lambda i: (2.3 * math.cos(1.745 * i), 2.3 * math.sin(1.745 * i), 1.5 * i)
    return "\n".join([*(line.format(i + 1, *place(i)) for i in range(n)), "TER", "END", ""])


def mmcif(rng, n):
    names = "group_PDB id label_atom_id label_comp_id label_asym_id label_seq_id Cartn_x Cartn_y Cartn_z auth_seq_id auth_asym_id"
    place = lambda i: f"{2.3 * math.cos(1.745 * i):.3f} {2.3 * math.sin(1.745 * i):.3f} {1.5 * i:.3f}"
    rows = (f"ATOM {i + 1} CA ALA A {i + 1} {place(i)} {i + 1} A" for i in range(n))
    return "\n".join(["data_x", "loop_", *(f"_atom_site.{name}" for name in names.split()), *rows, "#", ""])


def npy(kind, shape, data):
    head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data


def array(rng, n):
    return npy("<f8", (n, 4), struct.pack(f"<{4 * n}d", *(rng.gauss(0, 1) for _ in range(4 * n))))


# Kinds of samples: the ending of their file, how it is made, and options of the fit.
KINDS = {
    "numbers": (".csv", numbers, []),
    "mixed": (".csv", mixed, []),
    "strings": (".txt", strings, ["--input", "lines"]),
    "series": (".ts", series, []),
    "graphs": (".jsonl", graphs, []),
    "records": (".jsonl", records, []),
}


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rng_of(*parts):
    return random.Random("/".join(map(str, parts)))
