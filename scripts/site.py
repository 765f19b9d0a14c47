"""Builds the documentation site and checks its links.

    python scripts/site.py             # target/site/html, with llms.txt
    python scripts/site.py --rustdoc   # also runs cargo doc and includes it
    python scripts/site.py --serve     # also serves it on this machine, so that the search works
    python scripts/site.py --browser   # also opens every page at 390 and 1280 pixels (Node.js, Chromium, playwright-core)

The Markdown files of the repository are the pages, under their own paths. Two pages are generated: the Python API from
docstrings and the Rust API from the documentation of the crate `eocc`. The site loads nothing from the network.
Zensical is installed into target/site/venv unless this Python has it.
"""

import argparse
import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import venv
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
SITE = TARGET / "site"
PAGES, HTML = SITE / "pages", SITE / "html"
FENCE = re.compile(r"^(\s*)```(.*)$")
LINK = re.compile(r"\]\(<?([^)\s>]+)>?[^)]*\)")
PYTHON = ROOT / "bindings/python/python/eocc"
# Wide tables scroll on their own, so that pages fit a phone.
STYLE = """\
.md-typeset table:not([class]) { display: block; overflow-x: auto; max-width: 100%; }
.md-typeset table:not([class]) :is(th, td) { min-width: 0; padding: 0.5em 0.8em; }
.md-typeset pre { overflow-x: auto; }
.md-typeset table code { word-break: normal; overflow-wrap: normal; }
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rustdoc", action="store_true", help="build the Rust documentation and include it")
    parser.add_argument("--serve", action="store_true", help="serve the site on 127.0.0.1:8000 until Ctrl-C")
    parser.add_argument("--browser", action="store_true", help="open every page in Chromium")
    options = parser.parse_args()
    config = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
    listed = list(nav_pages(config["nav"]))

    for folder in (PAGES, HTML):
        shutil.rmtree(folder, ignore_errors=True)
    PAGES.mkdir(parents=True)
    copy_pages(listed)
    write("api/python.md", python_api())
    write("api/rust.md", rust_api(options.rustdoc))
    write("assets/site.css", STYLE)
    shutil.copy(ROOT / "zensical.toml", SITE / "zensical.toml")
    subprocess.run([*zensical(), "build", "--clean"], cwd=SITE, check=True, stdout=subprocess.DEVNULL)
    if options.rustdoc:
        subprocess.run(["cargo", "doc", "-p", "eocc", "--no-deps"], cwd=ROOT, check=True)
        shutil.copytree(TARGET / "doc", HTML / "rust", dirs_exist_ok=True)
    (HTML / "llms.txt").write_text(llms(config), "utf-8")

    faults = check(listed)
    for fault in faults:
        print(fault, file=sys.stderr)
    pages = sum(1 for _ in HTML.rglob("*.html"))
    print(f"{HTML}: {pages} pages, {len(faults)} faults")
    if options.browser and not faults:
        return open_in_browser()
    if options.serve:
        subprocess.run([sys.executable, "-m", "http.server", "8000", "--bind", "127.0.0.1", "--directory", HTML])
    return 1 if faults else 0


def nav_pages(nav: list) -> "list[tuple[str, str]]":
    """The pages of the navigation, with their titles."""
    for entry in nav:
        if isinstance(entry, str):
            yield "", entry
            continue
        for title, value in entry.items():
            if isinstance(value, str):
                yield title, value
            else:
                yield from ((name or title, page) for name, page in nav_pages(value))


def copy_pages(listed: "list[tuple[str, str]]") -> None:
    """Copies the listed pages, what they link to, and what that links to."""
    waiting = [page for _, page in listed if not page.startswith("api/")]
    seen = set(waiting)
    while waiting:
        page = waiting.pop()
        source = ROOT / page
        if source.suffix != ".md":
            target = PAGES / page
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
            continue
        text = source.read_text("utf-8")
        write(page, for_site(text))
        for link in LINK.findall(without_code(text)):
            path = urlsplit(link)
            if path.scheme or not path.path:
                continue
            found = (source.parent / unquote(path.path)).resolve()
            if found.is_file() and found.is_relative_to(ROOT):
                name = str(found.relative_to(ROOT))
                if name not in seen:
                    seen.add(name)
                    waiting.append(name)


def write(page: str, text: str) -> None:
    path = PAGES / page
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def without_code(text: str) -> str:
    """The text without fenced blocks and inline code."""
    lines, fenced = [], False
    for line in text.splitlines():
        if FENCE.match(line):
            fenced = not fenced
        elif not fenced:
            lines.append(re.sub(r"`[^`]*`", "", line))
    return "\n".join(lines)


def for_site(text: str) -> str:
    """Markdown for Zensical: words after a language, such as `python no-run`, are for the tests and removed, and
    lists need a blank line before them."""
    lines, fenced = [], False
    for line in text.splitlines():
        fence = FENCE.match(line)
        if fence:
            fenced = not fenced
            words = fence[2].split()
            if fenced and len(words) > 1 and "title=" not in fence[2]:
                line = f"{fence[1]}```{words[0]}"
        item = re.match(r"([-*]|\d+\.) ", line)
        if item and not fenced and lines and lines[-1] and not re.match(r"\s*([-*]|\d+\.) |\s", lines[-1]):
            lines.append("")
        lines.append(line)
    return "\n".join(lines) + "\n"


def python_api() -> str:
    """The public names of the package, from the syntax trees of its modules."""
    parts = ["# Python API", "", "Generated from the docstrings. The [guide](../docs/guide/README.md) has examples that run.", ""]
    init = ast.parse((PYTHON / "__init__.py").read_text("utf-8"))
    homes = {
        alias.name: node.module
        for node in init.body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    listed = next(
        node.value for node in init.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"  # type: ignore[attr-defined]
    )
    modules: dict[str, dict[str, ast.AST]] = {}

    def definitions(module: str) -> dict[str, ast.AST]:
        if module not in modules:
            found: dict[str, ast.AST] = {}
            for suffix in (".py", ".pyi"):
                path = PYTHON / f"{module}{suffix}"
                if path.exists():
                    for node in ast.parse(path.read_text("utf-8")).body:
                        if isinstance(node, ast.ClassDef | ast.FunctionDef):
                            found[node.name] = node
            modules[module] = found
        return modules[module]

    everything: dict[str, ast.AST] = {}
    for path in PYTHON.glob("*.py"):
        everything |= definitions(path.stem)
    names = sorted(ast.literal_eval(listed), key=lambda name: (name != "EntropicOneClass", name))
    wanted = [("eocc", name, definitions(homes[name])) for name in names]
    modules_of_users = ["pyod", "river", "client", "distributed"]
    modules_of_users += [f"engines/{path.stem}" for path in sorted((PYTHON / "engines").glob("[a-z]*.py"))]
    for path in modules_of_users:
        found = definitions(path)
        module = "eocc." + path.replace("/", ".")
        wanted += [(module, name, found) for name in found if not name.startswith("_")]
    for module, name, found in wanted:
        node = found.get(name)
        if node is None:
            continue
        parts += [f"## `{module}.{name}`", "", *signature(node), *docstring(node), ""]
        if isinstance(node, ast.ClassDef):
            parts += [*fields(node), ""]
            for method in methods(node, everything):
                parts += [f"### `{name}.{method.name}`", "", *signature(method), *docstring(method), ""]
    return "\n".join(parts) + "\n"


def methods(node: ast.ClassDef, everything: "dict[str, ast.AST]") -> "list[ast.FunctionDef]":
    """The public methods of a class and of its bases in this package; for overloads the last, which has the body."""
    found: dict[str, ast.FunctionDef] = {}
    for base in node.bases:
        parent = everything.get(base.id) if isinstance(base, ast.Name) else None
        if isinstance(parent, ast.ClassDef):
            found |= {method.name: method for method in methods(parent, everything)}
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and not item.name.startswith("_") and ast.get_docstring(item):
            found[item.name] = item
    return list(found.values())


def fields(node: ast.ClassDef) -> "list[str]":
    """The fields of a data class or named tuple, each with the string below it."""
    found = []
    for item, after in zip(node.body, [*node.body[1:], None], strict=True):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not item.target.id.startswith("_"):
            is_text = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
            text = " ".join(str(after.value.value).split()) if is_text else ""  # type: ignore[union-attr]
            found.append(f"- `{item.target.id}` (`{ast.unparse(item.annotation)}`)" + (f": {text}" if text else ""))
    return found


def signature(node: ast.AST) -> "list[str]":
    if isinstance(node, ast.ClassDef):
        start = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "__init__"), None)
        if start is None:
            return []
        node, name = start, node.name
    else:
        name = node.name  # type: ignore[attr-defined]
    arguments = ast.unparse(node.args)  # type: ignore[attr-defined]
    arguments = re.sub(r"^self(, )?", "", arguments)
    text = f"{name}({arguments})"
    if len(text) > 100:
        text = f"{name}(\n" + "".join(f"    {one},\n" for one in split_arguments(arguments)) + ")"
    return ["```python", text, "```", ""]


def split_arguments(text: str) -> "list[str]":
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += letter in "[({"
        depth -= letter in "])}"
        if letter == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    return [*parts, text[start:].strip()]


def docstring(node: ast.AST) -> "list[str]":
    """A NumPy docstring as Markdown."""
    text = ast.get_docstring(node) or ""  # type: ignore[arg-type]
    text = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", text).replace("``", "`")
    lines, out, section = text.splitlines(), [], ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if at + 1 < len(lines) and line and re.fullmatch(r"-{3,}", lines[at + 1].strip()):
            section = line.strip()
            out += ["", f"**{section}**", ""]
            at += 2
            continue
        if line.startswith(">>> "):
            block = []
            while at < len(lines) and lines[at].strip():
                block.append(lines[at])
                at += 1
            out += ["", "```pycon", *block, "```", ""]
            continue
        if section in ("Parameters", "Attributes", "Returns", "Raises", "Yields", "See Also") and line and not line.startswith(" "):
            name, _, kind = line.partition(" : ")
            body = []
            while at + 1 < len(lines) and lines[at + 1].startswith("    "):
                at += 1
                body.append(lines[at].strip())
            label = f"`{name.strip()}`" + (f" ({kind.strip()})" if kind else "")
            out.append(f"- {label}" + (f": {' '.join(body)}" if body else ""))
        else:
            out.append(line)
        at += 1
    return out


def rust_api(has_docs: bool) -> str:
    """The tour in the documentation of the crate `eocc`."""
    source = (ROOT / "crates/eocc/src/lib.rs").read_text("utf-8")
    lines = [line[3:].removeprefix(" ") for line in source.splitlines() if line.startswith("//!")]
    out, fenced = [], False
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
            out.append("```rust" if fenced else "```")
        elif fenced:
            if not re.match(r"#( |$)", line):
                out.append(line)
        else:
            # Links to items do not work outside of rustdoc.
            line = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", line)
            line = re.sub(r"\[([a-z]+)\]\([a-z:_]+\)", r"\1", line)
            out.append("#" + line if line.startswith("#") else line)
    text = "# Rust API\n\n"
    text += "[Every item](../rust/eocc/index.html), as rustdoc has it.\n\n" if has_docs else (
        "`cargo doc -p eocc --no-deps --open` shows every item.\n\n"
    )
    return text + "\n".join(out) + "\n"


def llms(config: dict) -> str:
    """A list of the pages for language models (https://llmstxt.org)."""
    lines = [f"# {config['site_name']}", "", f"> {config['site_description']}", ""]
    for entry in config["nav"]:
        for title, value in entry.items():
            lines += [f"## {title}", ""]
            for name, page in nav_pages([value] if isinstance(value, str) else value):
                lines.append(f"- [{name or title}]({html_name(page)}): {first_sentence(PAGES / page)}")
            lines.append("")
    return "\n".join(lines)


def first_sentence(page: Path) -> str:
    """The first sentence of prose in a page."""
    paragraph = []
    prose = re.sub(r"^(\s*)```.*?^\s*```$", "", page.read_text("utf-8"), flags=re.M | re.S)
    for line in prose.replace("`", "").splitlines():
        if line.strip() and not line.startswith(("#", "|", "!", "- ", "<", ">")):
            paragraph.append(line.strip())
        elif paragraph:
            break
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph))
    # Not after an initial.
    return re.split(r"(?<=[^A-Z]\.) ", text)[0].rstrip(":")


def html_name(page: str) -> str:
    path = Path(page)
    return str(path.with_name("index.html") if path.name == "README.md" else path.with_suffix(".html"))


class Links(HTMLParser):
    """The anchors of a page, its links, and what it loads."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: "list[tuple[str, str | None]]") -> None:
        found = {name: value or "" for name, value in attrs}
        if "id" in found:
            self.anchors.add(found["id"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        for name in ("src", "href"):
            if name in found and (tag in ("script", "img", "source", "iframe") or (tag == "link" and found.get("rel") != "canonical")):
                self.loaded.append(found[name])


def check(listed: "list[tuple[str, str]]") -> "list[str]":
    """The errors of the site: dead links, dead anchors, and external resources."""
    parsed: dict[Path, Links] = {}
    for path in HTML.rglob("*.html"):
        if HTML / "rust" in path.parents:
            continue
        links = Links()
        links.feed(path.read_text("utf-8"))
        parsed[path.resolve()] = links
    faults = [f"{page}: listed, but not built" for _, page in listed if not (HTML / html_name(page)).exists()]
    names = {page for _, page in listed}
    written = [path.relative_to(ROOT).as_posix() for folder in ("guide", "results") for path in (ROOT / "docs" / folder).rglob("*.md")]
    faults += [f"{page}: not in the navigation of zensical.toml" for page in sorted(written) if page not in names]
    for path, links in parsed.items():
        # Served from the root of any host.
        if path.name == "404.html":
            continue
        name = path.relative_to(HTML.resolve())
        faults += [f"{name}: loads {one} from the network" for one in links.loaded if urlsplit(one).netloc]
        for link in dict.fromkeys(links.links + links.loaded):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.exists():
                faults.append(f"{name}: {link}: no such file")
            elif parts.fragment and target in parsed and unquote(parts.fragment) not in parsed[target].anchors:
                if parts.fragment not in ("__codelineno", "__skip"):
                    faults.append(f"{name}: {link}: no such anchor")
    return faults


def zensical() -> "list[str]":
    """The command, installed if it is missing."""
    if importlib.util.find_spec("zensical"):
        return [sys.executable, "-m", "zensical"]
    folder = SITE / "venv"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = ROOT / "scripts/requirements-site.txt"
    mark = folder / "installed.txt"
    if not mark.exists() or mark.read_text("utf-8") != wanted.read_text("utf-8"):
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", wanted], check=True)
        shutil.copy(wanted, mark)
    return [str(python), "-m", "zensical"]


def open_in_browser() -> int:
    """Opens every page on a phone and on a desktop, and checks for errors and for pages that are too wide."""
    packages = SITE / "browser"
    packages.mkdir(exist_ok=True)
    if not (packages / "node_modules/playwright-core").is_dir():
        shutil.copy(ROOT / "crates/eocc-report/tests/browser/package.json", packages / "package.json")
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=packages, check=True)
    script = ROOT / "scripts/site_browser.cjs"
    environment = os.environ | {"EOCC_NODE_PACKAGES": str(packages), "EOCC_SITE": str(HTML)}
    return subprocess.run(["node", script], env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
