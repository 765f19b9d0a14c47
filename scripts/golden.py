"""Writes the expected values in testdata/golden/ from other libraries.

    pip install -r scripts/requirements-golden.txt
    python scripts/golden.py

One run rewrites strings.json, blosum.json, series.json and mixed.json. Each file
draws its inputs from its own numpy default_rng(0), records the versions of the
libraries, and gives the exact call behind each value. Every peer value is
compared to the plain formula in golden_plain.py first; a difference stops the run.
"""

import json
import math
import platform
from importlib.metadata import version
from pathlib import Path

import numpy as np

import golden_plain as plain

OUT = Path(__file__).resolve().parent.parent / "testdata" / "golden"
LARGEST = 100_000  # bytes per file


def versions(*packages):
    found = {name: version(name) for name in packages}
    return {"python": platform.python_version(), "numpy": version("numpy"), **found}


def agree(peer, formula, what, tolerance=1e-9):
    """The peer's value as a plain number, once it equals the formula."""
    peer = float(peer)
    if not math.isclose(peer, formula, rel_tol=tolerance, abs_tol=tolerance):
        raise SystemExit(f"{what}: the peer gives {peer!r}, the formula {formula!r}")
    return peer


def write(name, head, **lists):
    """JSON with one case per line, so that a change shows in a diff."""
    text = ["{"]
    for key, value in head.items():
        shown = json.dumps(value, indent=1).replace("\n", "\n ")
        text.append(f" {json.dumps(key)}: {shown},")
    for key, cases in lists.items():
        lines = ",\n".join("  " + json.dumps(case, separators=(",", ":")) for case in cases)
        text.append(f" {json.dumps(key)}: [\n{lines}\n ],")
    text[-1] = text[-1].rstrip(",")
    text = "\n".join([*text, "}"]) + "\n"
    json.loads(text)
    if len(text) >= LARGEST:
        raise SystemExit(f"{name} is {len(text)} bytes, but must be below {LARGEST}")
    (OUT / name).write_text(text, encoding="ascii")
    print(f"{name}: {len(text)} bytes, " + ", ".join(f"{len(v)} {k}" for k, v in lists.items()))


# --- strings.json ------------------------------------------------------------

WEIGHTS = [(1, 1, 2), (1, 2, 3), (3, 1, 2), (4, 2, 9)]  # insert, delete, substitute

WORDS = [
    ("kitten", "sitting"), ("saturday", "sunday"), ("martha", "marhta"), ("dixon", "dicksonx"),
    ("dwayne", "duane"), ("intention", "execution"), ("spanning", "spinning"), ("graph", "grape"),
    ("entropy", "entropic"), ("neighbor", "neighbor"), ("receive", "recieve"), ("ca", "abc"),
    ("prototype", "stereotype"), ("a", "a"), ("a", "b"), ("", ""), ("", "word"), ("word", ""),
    ("ab", "ba"), ("abcdef", "badcfe"),
]  # fmt: skip

UNICODE = [
    ("na\u00efve", "naive"), ("caf\u00e9", "cafe\u0301"), ("stra\u00dfe", "strasse"),
    ("\u0420\u0435\u043d\u044c\u0438", "\u0420\u0435\u043d\u0438\u044c"),
    ("\u6771\u4eac\u90fd", "\u4eac\u90fd"), ("\U0001f600\U0001f601", "\U0001f601\U0001f600"),
    ("\u03b1\u03b2\u03b3\u03b4", "\u03b1\u03b3\u03b2\u03b4"), ("z\u00fcrich", "Zu\u0308rich"),
]  # fmt: skip


def random_text(rng, alphabet, length):
    return "".join(rng.choice(list(alphabet), size=length)) if length else ""


def edited(rng, text, alphabet):
    """A copy with a few random edits, including swaps of neighbors."""
    text = list(text)
    for _ in range(int(rng.integers(1, 2 + len(text) // 6))):
        place = int(rng.integers(0, len(text) + 1))
        kind = int(rng.integers(0, 4))
        if kind == 0 or place >= len(text) - 1:
            text.insert(place, str(rng.choice(list(alphabet))))
        elif kind == 1:
            del text[place]
        elif kind == 2:
            text[place] = str(rng.choice(list(alphabet)))
        else:
            text[place], text[place + 1] = text[place + 1], text[place]
    return "".join(text)


def string_pairs(rng):
    yield from WORDS
    yield from UNICODE
    alphabets = ["ab", "acgt", "ACDEFGHIKLMNPQRSTVWY"]
    ranges = [(0, 8), (5, 40), (40, 90), (60, 70), (100, 151)]  # 64 is a word boundary
    for alphabet in alphabets:
        for low, high in ranges:
            for _ in range(3):
                yield tuple(random_text(rng, alphabet, int(n)) for n in rng.integers(low, high, 2))
            for _ in range(3):
                a = random_text(rng, alphabet, int(rng.integers(low, high)))
                yield a, edited(rng, a, alphabet)
    greek_and_emoji = "\u03b1\u03b2\u03b3\u03b4\u03b5\U0001f600\U0001f680"
    for high in (20, 60):
        a = random_text(rng, greek_and_emoji, int(rng.integers(1, high)))
        yield a, edited(rng, a, greek_and_emoji)


def strings():
    from rapidfuzz.distance import OSA, Jaro, JaroWinkler, Levenshtein

    cases = []
    for a, b in string_pairs(np.random.default_rng(0)):
        longest = max(len(a), len(b), 1)
        whole = Levenshtein.distance(a, b)
        weighted = []
        for w in WEIGHTS:
            distance = Levenshtein.distance(a, b, weights=w)
            agree(distance, plain.levenshtein(a, b, w), f"levenshtein {w}")
            weighted.append({"weights": w, "distance": distance})
        agree(whole, plain.levenshtein(a, b), "levenshtein")
        cases.append({
            "a": a,
            "b": b,
            "levenshtein": whole,
            "levenshtein_weighted": weighted,
            "levenshtein_normalized": agree(
                Levenshtein.normalized_distance(a, b), whole / longest, "levenshtein_normalized"
            ),
            "osa": int(agree(OSA.distance(a, b), plain.osa(a, b), "osa")),
            "osa_normalized": agree(
                OSA.normalized_distance(a, b), plain.osa(a, b) / longest, "osa_normalized"
            ),
            "jaro": agree(Jaro.distance(a, b), 1 - plain.jaro_similarity(a, b), "jaro"),
            "jaro_winkler": agree(
                JaroWinkler.distance(a, b), 1 - plain.jaro_winkler_similarity(a, b), "jaro_winkler"
            ),
        })  # fmt: skip
    head = {
        "versions": versions("rapidfuzz"),
        "unit": "Unicode code points",
        "direction": "cost to turn a into b; weights are [insert, delete, substitute]: "
        "insert is paid for a character of b, delete for a character of a",
        "calls": {
            "levenshtein": "rapidfuzz.distance.Levenshtein.distance(a, b)",
            "levenshtein_weighted": "rapidfuzz.distance.Levenshtein.distance(a, b, weights=weights)",
            "levenshtein_normalized": "rapidfuzz.distance.Levenshtein.normalized_distance(a, b)",
            "osa": "rapidfuzz.distance.OSA.distance(a, b)",
            "osa_normalized": "rapidfuzz.distance.OSA.normalized_distance(a, b)",
            "jaro": "rapidfuzz.distance.Jaro.distance(a, b)",
            "jaro_winkler": "rapidfuzz.distance.JaroWinkler.distance(a, b)",
        },
    }
    write("strings.json", head, cases=cases)


# --- blosum.json -------------------------------------------------------------


def blosum():
    from Bio.Align import PairwiseAligner, substitution_matrices

    rng = np.random.default_rng(0)
    matrix = substitution_matrices.load("BLOSUM62")
    letters = "ACDEFGHIKLMNPQRSTVWY"
    score = lambda s, t: float(matrix[s, t])
    cases = []
    for number in range(30):
        a = random_text(rng, letters, int(rng.integers(1, 80)))
        b = edited(rng, a, letters) if number % 2 else random_text(rng, letters, int(rng.integers(1, 80)))
        case = {"a": a, "b": b, "self_a": None, "self_b": None, "scores": []}
        for gap in (4, 8):
            aligner = PairwiseAligner(
                mode="global", substitution_matrix=matrix, open_gap_score=-gap, extend_gap_score=-gap
            )
            value = agree(aligner.score(a, b), plain.global_alignment(a, b, score, gap), "blosum")
            case["scores"].append({"gap": gap, "score": int(value)})
            case["self_a"] = int(agree(aligner.score(a, a), sum(score(s, s) for s in a), "self"))
            case["self_b"] = int(agree(aligner.score(b, b), sum(score(s, s) for s in b), "self"))
        cases.append(case)
    head = {
        "versions": versions("biopython"),
        "calls": {
            "score": 'Bio.Align.PairwiseAligner(mode="global", substitution_matrix=substitution_matrices.load("BLOSUM62"), '
            "open_gap_score=-gap, extend_gap_score=-gap).score(a, b)",
            "self_a": "the same of (a, a); equal for both gaps",
            "self_b": "the same of (b, b)",
        },
        "letters": letters,
        "matrix": {s: " ".join(str(int(matrix[s, t])) for t in letters) for s in letters},
    }
    write("blosum.json", head, cases=cases)


# --- series.json -------------------------------------------------------------


def series_pairs(rng):
    """Lists of steps with three decimals; walks, noise, integers with ties, and twins."""

    def one(length, channels, kind):
        noise = rng.normal(size=(length, channels))
        if kind == "walk":
            noise = np.cumsum(noise, axis=0)
        elif kind == "whole":
            noise = rng.integers(-2, 3, size=(length, channels)).astype(float)
        return np.round(noise, 3) + 0.0  # no minus zero

    kinds = ["noise", "walk", "whole"]
    for channels in (1, 2, 3):
        for number, length in enumerate((1, 2, 5, 10, 20, 33)):
            kind = kinds[number % 3]
            yield one(length, channels, kind), one(length, channels, kind)
        for number, (m, n) in enumerate([(1, 2), (7, 1), (3, 12), (15, 9), (25, 40), (40, 38)]):
            kind = kinds[number % 3]
            yield one(m, channels, kind), one(n, channels, kind)
        x = one(16, channels, "walk")
        yield x, x.copy()
        yield x, np.vstack([x[2:], x[-1:]])  # first two steps dropped, last one repeated


def series():
    from aeon.distances import dtw_distance, erp_distance, msm_distance, twe_distance
    from dtaidistance import dtw, dtw_ndim
    from tslearn.metrics import soft_dtw

    calls = {
        "aeon_dtw": "aeon.distances.dtw_distance(x.T, y.T)",
        "aeon_dtw_window_0.2": "aeon.distances.dtw_distance(x.T, y.T, window=0.2), equal lengths only",
        "dtai_dtw": "dtaidistance.dtw.distance(x[:, 0], y[:, 0]), one channel only",
        "dtai_dtw_window_W": "dtaidistance.dtw.distance(x[:, 0], y[:, 0], window=W), one channel only",
        "dtai_ndim": "dtaidistance.dtw_ndim.distance(x, y)",
        "dtai_ndim_window_3": "dtaidistance.dtw_ndim.distance(x, y, window=3)",
        "aeon_erp_g_G": "aeon.distances.erp_distance(x.T, y.T, g=G)",
        "plain_erp_g_G": "golden_plain.erp(x, y, G): the textbook border, which aeon does not use",
        "aeon_msm_c_C": "aeon.distances.msm_distance(x.T, y.T, c=C, independent=True)",
        "aeon_twe_nu_NU_lambda_L": "aeon.distances.twe_distance(x.T, y.T, nu=NU, lmbda=L)",
        "tslearn_soft_dtw_gamma_G": "tslearn.metrics.soft_dtw(s, t, gamma=G) of (x, y), (x, x), (y, y)",
    }
    cases = []
    for x, y in series_pairs(np.random.default_rng(0)):
        p, q = x.tolist(), y.tolist()
        m, n = len(p), len(q)
        cx, cy = np.ascontiguousarray(x.T), np.ascontiguousarray(y.T)
        out = {"aeon_dtw": agree(dtw_distance(cx, cy), plain.dtw(p, q), "dtw")}
        if m == n:
            allowed = plain.band(int(0.2 * n), m, n)
            out["aeon_dtw_window_0.2"] = agree(
                dtw_distance(cx, cy, window=0.2), plain.dtw(p, q, allowed), "dtw window"
            )
        if x.shape[1] == 1:
            u, v = x[:, 0].copy(), y[:, 0].copy()
            out["dtai_dtw"] = agree(dtw.distance(u, v), math.sqrt(plain.dtw(p, q)), "dtai")
            for w in (1, 2, 5):
                banded = math.sqrt(plain.dtw(p, q, plain.band(w - 1, m, n)))
                out[f"dtai_dtw_window_{w}"] = agree(dtw.distance(u, v, window=w), banded, "dtai window")
        out["dtai_ndim"] = agree(dtw_ndim.distance(x, y), math.sqrt(plain.dtw(p, q)), "ndim")
        out["dtai_ndim_window_3"] = agree(
            dtw_ndim.distance(x, y, window=3),
            math.sqrt(plain.dtw(p, q, plain.band(2, m, n))),
            "ndim window",
        )
        for g in (0.0, 0.5):
            out[f"aeon_erp_g_{g:g}"] = agree(erp_distance(cx, cy, g=g), plain.erp(p, q, g, "total"), "erp")
            out[f"plain_erp_g_{g:g}"] = plain.erp(p, q, g)
        for c in (1.0, 0.5):
            out[f"aeon_msm_c_{c:g}"] = agree(
                msm_distance(cx, cy, c=c, independent=True), plain.msm(p, q, c), "msm"
            )
        for nu in (0.001, 0.1):
            for penalty in (1.0, 0.5):
                out[f"aeon_twe_nu_{nu:g}_lambda_{penalty:g}"] = agree(
                    twe_distance(cx, cy, nu=nu, lmbda=penalty), plain.twe(p, q, nu, penalty), "twe"
                )
        for gamma in (1.0, 0.1):
            out[f"tslearn_soft_dtw_gamma_{gamma:g}"] = [
                agree(soft_dtw(s, t, gamma=gamma), plain.soft_dtw(s.tolist(), t.tolist(), gamma), "soft")
                for s, t in ((x, y), (x, x), (y, y))
            ]
        cases.append({"x": p, "y": q, "values": out})
    head = {
        "versions": versions("aeon", "dtaidistance", "tslearn", "numba"),
        "layout": "x and y are lists of steps, a step is a list of channels; aeon takes them transposed",
        "calls": calls,
    }
    write("series.json", head, cases=cases)


# --- mixed.json --------------------------------------------------------------

COLUMNS = ["age", "income", "balance", "depth", "constant", "city", "grade", "member", "urgent"]
KINDS = ["number"] * 5 + ["category"] * 2 + ["boolean"] * 2
COLUMN_WEIGHTS = [1.0, 2.0, 0.5, 1.0, 1.0, 3.0, 1.0, 0.25, 1.0]


def mixed():
    import gower
    import pandas as pd
    from scipy.spatial.distance import hamming, jaccard
    from scipy.stats import wasserstein_distance
    from sklearn.metrics.pairwise import additive_chi2_kernel

    rng = np.random.default_rng(0)
    count = 30
    table = pd.DataFrame({
        "age": rng.integers(18, 90, count).astype(float),
        "income": np.round(rng.lognormal(10, 0.7, count), 2),
        "balance": np.round(rng.normal(0, 500, count), 2),
        "depth": np.round(-10 - rng.exponential(20, count), 2),
        "constant": np.full(count, 7.5),
        "city": rng.choice(["Rome", "Oslo", "Lima", "Kyoto"], count),
        "grade": rng.choice(["a", "b", "c"], count, p=[0.6, 0.3, 0.1]),
        "member": rng.random(count) < 0.5,
        "urgent": rng.random(count) < 0.1,
    })[COLUMNS]  # fmt: skip
    rows = [[v.item() if hasattr(v, "item") else v for v in row] for row in table.itertuples(index=False)]
    is_number = [kind == "number" for kind in KINDS]
    triangle = np.triu_indices(count, 1)

    def from_gower(weights):
        matrix = gower.gower_matrix(
            table, cat_features=[not number for number in is_number], weight=np.array(weights)
        )
        expected = plain.gower(rows, is_number, weights)
        for i, j, formula in zip(*triangle, expected):
            agree(matrix[i, j], formula, "gower", tolerance=2e-6)  # the package works in 32 bits
        return [float(v) for v in matrix[triangle]], expected

    ones = [1.0] * len(COLUMNS)
    peer, exact = from_gower(ones)
    peer_weighted, exact_weighted = from_gower(COLUMN_WEIGHTS)
    holes = rng.random((count, len(COLUMNS))) < 0.12
    holes[0], holes[1] = [True] * 5 + [False] * 4, [False] * 5 + [True] * 4  # nothing in common
    gaps = [[None if h else v for v, h in zip(row, hole)] for row, hole in zip(rows, holes)]

    vectors = []
    for number in range(24):
        n = int(rng.integers(1, 24))
        u, v = (rng.poisson(1.5, n).tolist() for _ in range(2))
        u[int(rng.integers(n))] += 1  # a histogram is never empty
        v[int(rng.integers(n))] += 1
        if number % 2:
            u, v = ([round(c / sum(h), 6) for c in h] for h in (u, v))
        share = 0.0 if number == 0 else rng.random()
        s, t = ((rng.random(n) < share).tolist() for _ in range(2))
        a, b = (rng.integers(0, 4, n).tolist() for _ in range(2))
        vectors.append({
            "u": u,
            "v": v,
            "chi2": agree(-additive_chi2_kernel([u], [v])[0, 0], plain.chi2(u, v), "chi2") + 0.0,
            "wasserstein": agree(
                wasserstein_distance(range(n), range(n), u, v), plain.wasserstein(u, v), "wasserstein"
            ),
            "s": [int(x) for x in s],
            "t": [int(x) for x in t],
            "jaccard": agree(jaccard(s, t), plain.jaccard(s, t), "jaccard"),
            "hamming_binary": agree(hamming(s, t), plain.hamming(s, t), "hamming"),
            "a": a,
            "b": b,
            "hamming": agree(hamming(a, b), plain.hamming(a, b), "hamming"),
        })  # fmt: skip

    head = {
        "versions": versions("gower", "pandas", "scipy", "scikit-learn"),
        "columns": dict(zip(COLUMNS, KINDS)),
        "weights": dict(zip(COLUMNS, COLUMN_WEIGHTS)),
        "calls": {
            "gower": "gower.gower_matrix(table, cat_features=[kind is not number]), 32-bit: compare to 2e-6",
            "gower_weighted": "the same with weight=weights",
            "plain": "golden_plain.gower(rows, ...): the same distances in 64 bits",
            "plain_weighted": "the same with weights",
            "plain_missing": "golden_plain.gower(golden_plain.filled(rows_missing), ...): a missing value is the lower "
            "median of its column, or its most frequent value. No peer",
            "plain_missing_weighted": "the same with weights",
            "chi2": "-sklearn.metrics.pairwise.additive_chi2_kernel([u], [v])[0, 0] = "
            "sum of (u - v)^2 / (u + v), 0 where u + v = 0",
            "wasserstein": "scipy.stats.wasserstein_distance(range(n), range(n), u, v): weights scaled to sum 1",
            "jaccard": "scipy.spatial.distance.jaccard(s, t), s and t boolean; 0 when both are all false",
            "hamming_binary": "scipy.spatial.distance.hamming(s, t): share of places that differ",
            "hamming": "scipy.spatial.distance.hamming(a, b), a and b category codes",
        },
        "order": "upper triangles, row by row: (0,1), (0,2), ..., (28,29)",
    }
    write(
        "mixed.json",
        head,
        rows=rows,
        rows_missing=gaps,
        gower=peer,
        gower_weighted=peer_weighted,
        plain=exact,
        plain_weighted=exact_weighted,
        plain_missing=plain.gower(plain.filled(gaps, is_number), is_number, ones),
        plain_missing_weighted=plain.gower(plain.filled(gaps, is_number), is_number, COLUMN_WEIGHTS),
        vectors=vectors,
    )


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    strings()
    blosum()
    mixed()
    series()
