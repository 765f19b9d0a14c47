"""Shared by the tests: data, the program, and fits."""

import os
import shutil
import sys
from pathlib import Path

# Before SciPy is imported: otherwise scikit-learn skips one of its checks.
os.environ.setdefault("SCIPY_ARRAY_API", "1")
# By default, Spark starts workers with the Python on the path.
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
DATA = Path(os.environ.get("EOCC_DATA", ROOT.parent / "shared" / "data"))
#: The UCI sets of the paper; the column `label` says `target` or `outlier`.
UCI = [
    "abalone",
    "arrhythmia",
    "biomed",
    "breast_original",
    "breast_prognostic",
    "diabetes",
    "ecoli",
    "liver",
]


def data(name: str) -> Path:
    """The path of a data set; skips the test with a message if it is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is absent: set EOCC_DATA to the folder of the data sets")
    return path


@pytest.fixture(scope="session")
def program() -> str:
    """The program, as built by `cargo xtask test`."""
    found = os.environ.get("EOCC_PROGRAM") or shutil.which("eocc")
    if not found:
        pytest.skip("the program eocc is absent: set EOCC_PROGRAM to its path")
    return found


@pytest.fixture
def nominal() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(200, 4))


@pytest.fixture
def fresh() -> np.ndarray:
    return np.random.default_rng(2).normal(scale=2.0, size=(50, 4))


def block(a: np.ndarray, b: np.ndarray) -> float:
    """The city block distance, as a metric that can be pickled."""
    return float(np.abs(a - b).sum())


def lengths(a: str, b: str) -> float:
    return float(abs(len(a) - len(b)))


def words(n: int = 60, seed: int = 0) -> list[str]:
    """Words of some letters in some order."""
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("abcd"), size=rng.integers(4, 9))) for _ in range(n)]


def series(n: int = 40, seed: int = 0, channels: int = 2) -> list[np.ndarray]:
    """Noisy waves of different lengths, time x channels."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(15, 25, size=n)
    return [np.sin(np.linspace(0, 6, m))[:, None] + 0.2 * rng.normal(size=(m, channels)) for m in lengths]


def graphs(n: int = 30, seed: int = 0) -> list:
    """Small rings with labels on vertices and edges."""
    networkx = pytest.importorskip("networkx")
    rng = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        g = networkx.cycle_graph(int(rng.integers(4, 8)))
        for v in g.nodes:
            g.nodes[v].update(symbol=str(rng.choice(["C", "N", "O"])), charge=float(rng.normal()))
        for a, b in g.edges:
            g.edges[a, b]["valence"] = int(rng.integers(1, 3))
        out.append(g)
    return out
