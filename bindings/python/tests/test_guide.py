"""The guide works: each page runs block by block, in its own folder."""

import ast
import json
import re
import subprocess
import sys

import pytest
from conftest import ROOT

GUIDE = ROOT / "docs" / "guide"
PAGES = sorted(GUIDE.glob("*.md")) + [ROOT / "bindings" / "python" / "README.md"]
NOTEBOOKS = sorted((GUIDE / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^```python([^\n]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
@pytest.mark.filterwarnings("ignore")
def test_page(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    names = {"__name__": "guide"}
    for found in BLOCK.finditer(text):
        # At its line in the page, so that a failure points there.
        line = text.count("\n", 0, found.start()) + 1
        code = "\n" * line + found.group(2)
        tree = ast.parse(code, str(page))
        needed = re.search(r"needs=(\w+)", found.group(1))
        if needed:
            pytest.importorskip(needed.group(1), reason=f"{needed.group(1)} is absent: `cargo xtask engines` installs it")
        if "script" in found.group(1):
            # As a user would run it: on its own, in a file.
            (tmp_path / "script.py").write_text(found.group(2), encoding="utf-8")
            done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, timeout=240)
            assert done.returncode == 0, done.stderr
        elif "no-run" not in found.group(1):
            exec(compile(tree, str(page), "exec"), names)


def test_links_lead_somewhere():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, tmp_path):
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    pictures = [o for o in outputs if "image/png" in json.dumps(o)]
    assert len(pictures) >= 2


def test_there_are_two_notebooks():
    assert len(NOTEBOOKS) == 2
