"""Types: the stubs match the built module, and the facade conforms to them."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["mypy.stubtest", "eocc._eocc", "--ignore-disjoint-bases"],
        ["mypy", "--config-file", str(ROOT / "pyproject.toml"), "-p", "eocc"],
    ],
    ids=["stubtest", "mypy"],
)
def test_types(command, tmp_path):
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", *command], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed():
    import eocc

    assert (Path(eocc.__file__).parent / "py.typed").exists()
