//! The order of the modules of `eocc-core`: each uses only those above it in the code map of ARCHITECTURE.md, except
//! for the exceptions listed there with a reason. An exception that is no longer needed is an error, too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};

use crate::root;

const DOCUMENT: &str = "ARCHITECTURE.md";
const HEADING: &str = "## Code map of `eocc-core`";
const SOURCE: &str = "crates/eocc-core/src";

/// A module that uses another.
type Edge = (String, String);

/// Compares the code with the document.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let document = std::fs::read_to_string(root.join(DOCUMENT)).context(DOCUMENT)?;
    let map = Map::read(&document)?;
    let source = root.join(SOURCE);
    let lib = std::fs::read_to_string(source.join("lib.rs")).context("lib.rs")?;
    let mut edges = BTreeMap::new();
    collect(&source, &source, &exports(&lib), &mut edges)?;
    let faults = map.faults(&modules(&lib), &edges);
    if faults.is_empty() {
        eprintln!("{} modules, {} exceptions", map.order.len(), map.exceptions.len());
        return Ok(());
    }
    bail!("the modules of eocc-core are not as {DOCUMENT} says:\n  {}", faults.join("\n  "))
}

/// The order of the modules, and the exceptions to it.
#[derive(Debug, Default, PartialEq)]
struct Map {
    order: Vec<String>,
    exceptions: BTreeSet<Edge>,
}

impl Map {
    /// Table rows begin with modules in backticks; an exception is a line ``- `a` uses `b`: reason``.
    fn read(document: &str) -> Result<Self> {
        let (_, rest) = document.split_once(HEADING).with_context(|| format!("no heading `{HEADING}`"))?;
        let section = rest.split("\n## ").next().unwrap_or_default();
        let mut map = Self::default();
        for line in section.lines() {
            if let Some(row) = line.strip_prefix("| `") {
                let modules = row.split('|').next().unwrap_or_default();
                let names = modules.split(',').map(|name| name.trim_matches([' ', '`', '/']));
                // `model/committee/` is a part of `model`.
                map.order.extend(names.filter(|name| !name.contains('/')).map(str::to_owned));
            } else if let Some(exception) = line.strip_prefix("- `") {
                let Some((edge, reason)) = exception.split_once("`: ") else { continue };
                let Some((from, to)) = edge.split_once("` uses `") else { continue };
                if reason.trim().is_empty() {
                    bail!("the exception `{from}` uses `{to}` has no reason");
                }
                map.exceptions.insert((from.to_owned(), to.to_owned()));
            }
        }
        Ok(map)
    }

    fn faults(&self, modules: &BTreeSet<String>, edges: &BTreeMap<Edge, String>) -> Vec<String> {
        let place = |name: &String| self.order.iter().position(|module| module == name);
        let mut faults = Vec::new();
        for module in modules {
            match self.order.iter().filter(|name| *name == module).count() {
                1 => {}
                0 => faults.push(format!("`{module}` is not in the code map")),
                _ => faults.push(format!("`{module}` is in the code map more than once")),
            }
        }
        for name in self.order.iter().filter(|name| !modules.contains(*name)) {
            faults.push(format!("`{name}` is in the code map, but there is no such module"));
        }
        let is_backward = |(from, to): &Edge| match (place(from), place(to)) {
            (Some(from), Some(to)) => to > from,
            _ => false,
        };
        for (edge, file) in edges.iter().filter(|(edge, _)| is_backward(edge)) {
            if !self.exceptions.contains(edge) {
                faults.push(format!("`{}` uses `{}`, which comes after it ({file})", edge.0, edge.1));
            }
        }
        for edge in &self.exceptions {
            if !(edges.contains_key(edge) && is_backward(edge)) {
                faults.push(format!("`{}` uses `{}` is no longer an exception: strike it", edge.0, edge.1));
            }
        }
        faults
    }
}

/// The modules that `lib.rs` declares.
fn modules(lib: &str) -> BTreeSet<String> {
    let declared = lib.lines().filter_map(|line| line.strip_suffix(';')?.split_once("mod "));
    declared
        .filter(|(before, _)| before.is_empty() || before.starts_with("pub"))
        .map(|(_, name)| name.into())
        .collect()
}

/// The module of each name that `lib.rs` exports.
fn exports(lib: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for item in lib.split("pub use ").skip(1) {
        let item = item.split(';').next().unwrap_or_default();
        let Some((module, names)) = item.split_once("::") else { continue };
        for name in names.trim_matches(['{', '}']).split([',', '{', '}']) {
            found.insert(name.trim().to_owned(), module.to_owned());
        }
    }
    found
}

/// Which module uses which, with the first file that does. Tests may use anything.
fn collect(
    source: &Path,
    folder: &Path,
    exports: &BTreeMap<String, String>,
    edges: &mut BTreeMap<Edge, String>,
) -> Result<()> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    for path in paths {
        let file = path.strip_prefix(source)?.to_string_lossy().replace('\\', "/");
        if path.is_dir() {
            collect(source, &path, exports, edges)?;
        } else if path.extension().is_some_and(|e| e == "rs")
            && !file.ends_with("tests.rs")
            && file != "lib.rs"
        {
            let module = file.split('/').next().unwrap_or_default().trim_end_matches(".rs").to_owned();
            for used in uses(&std::fs::read_to_string(&path)?, exports) {
                if used != module {
                    edges.entry((module.clone(), used)).or_insert_with(|| file.clone());
                }
            }
        }
    }
    Ok(())
}

/// The modules that a file names after `crate::`.
fn uses(text: &str, exports: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in without_tests(text) {
        let line = line.split("//").next().unwrap_or_default();
        for path in line.split("crate::").skip(1) {
            let name: String = path.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.insert(exports.get(&name).cloned().unwrap_or(name));
        }
    }
    found.remove("");
    found
}

/// The lines outside of items for tests, which end at the indentation at which they start.
fn without_tests(text: &str) -> Vec<&str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut kept = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim() == "#[cfg(test)]" {
            let is_last = |other: &&str| indent(other) == indent(line) && other.ends_with(['}', ';', ',']);
            lines.by_ref().find(is_last);
        } else {
            kept.push(line);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
## Code map of `eocc-core`

- `knn` uses `model`: an example.

| module | job |
|---|---|
| `error`, `matrix` | both |
| `knn/` | lists |
| `model/` | all |
| `model/committee/` | a part |

## Elsewhere

- `a` uses `b`: not here
| `b` | not here |
";

    fn edge(from: &str, to: &str) -> (Edge, String) {
        ((from.into(), to.into()), format!("{from}.rs"))
    }

    fn names(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_map_is_read_from_its_section() {
        let map = Map::read(DOCUMENT).unwrap();
        assert_eq!(map.order, ["error", "matrix", "knn", "model"]);
        assert_eq!(map.exceptions, BTreeSet::from([("knn".into(), "model".into())]));
    }

    #[test]
    fn backward_edges_stale_exceptions_and_unknown_modules_are_faults() {
        let map = Map::read(DOCUMENT).unwrap();
        let known = names(&["error", "matrix", "knn", "model"]);
        let sound = BTreeMap::from([edge("knn", "matrix"), edge("knn", "model"), edge("model", "knn")]);
        assert_eq!(map.faults(&known, &sound), Vec::<String>::new());
        let backward = BTreeMap::from([edge("matrix", "knn"), edge("knn", "model")]);
        assert_eq!(map.faults(&known, &backward), ["`matrix` uses `knn`, which comes after it (matrix.rs)"]);
        assert_eq!(map.faults(&known, &BTreeMap::new()).len(), 1, "the exception is stale");
        let other = names(&["error", "matrix", "knn", "extra"]);
        assert_eq!(map.faults(&other, &sound).len(), 2, "one is missing, one too many");
    }

    #[test]
    fn uses_are_found_in_code_and_resolved() {
        let lib =
            "pub mod knn;\nmod plan;\npub use knn::KnnLists;\npub use sample::{\n    Part, Texts,\n};\n";
        assert_eq!(modules(lib), names(&["knn", "plan"]));
        let exports = exports(lib);
        let text = "//! crate::nothing\nuse crate::error::Result;\nfn f() { crate::KnnLists::g(crate::plan::H) }\n\
                    type T = crate::Texts; // crate::none\n#[cfg(test)]\nmod tests { use crate::random; }";
        assert_eq!(uses(text, &exports), names(&["error", "knn", "plan", "sample"]));
        let text = "#[cfg(test)]\npub(crate) use crate::random::Random;\nuse crate::error::Result;\n\
                    impl A {\n    #[cfg(test)]\n    fn f() {\n        crate::random::g();\n    }\n\n\
                    \x20   fn h(a: crate::plan::H) {}\n}\n";
        assert_eq!(uses(text, &exports), names(&["error", "plan"]));
    }
}
