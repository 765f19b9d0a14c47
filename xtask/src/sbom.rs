//! What the program is made of, in the format of `CycloneDX` 1.5: every package that is linked into `eocc`, with its version and
//! licence, so that it can be held against advisories without building anything.

use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::{root, target};

/// Where it is written, below the folder that cargo builds in.
const FILE: &str = "eocc.cdx.json";

/// Writes the list.
pub(crate) fn write() -> Result<()> {
    let done = Command::new("cargo")
        .args(["tree", "-p", "eocc-cli", "--edges", "normal", "--prefix", "none", "--no-dedupe"])
        .args(["--format", "{p}|{l}"])
        .current_dir(root()?)
        .output()?;
    ensure!(done.status.success(), "cargo tree: {}", String::from_utf8_lossy(&done.stderr));
    let list = list(&String::from_utf8(done.stdout)?)?;
    let path = target()?.join(FILE);
    std::fs::create_dir_all(target()?)?;
    std::fs::write(&path, format!("{list:#}\n"))?;
    eprintln!("   {} packages in {}", list["components"].as_array().map_or(0, Vec::len), path.display());
    Ok(())
}

/// The list of what a tree of packages names.
fn list(tree: &str) -> Result<Value> {
    let mut lines: Vec<&str> = tree.lines().filter(|line| !line.is_empty()).collect();
    let program = component(lines.first().context("the tree is empty")?)?;
    lines.remove(0);
    lines.sort_unstable();
    lines.dedup();
    let components = lines.into_iter().map(component).collect::<Result<Vec<_>>>()?;
    Ok(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": program },
        "components": components,
    }))
}

/// A line such as `serde v1.0.0|MIT OR Apache-2.0`, perhaps with a path or a remark behind the version.
fn component(line: &str) -> Result<Value> {
    let (package, licence) =
        line.split_once('|').with_context(|| format!("a line without a licence: {line}"))?;
    let mut words = package.split_whitespace();
    let (name, version) = (words.next().context("a line without a name")?, words.next().unwrap_or_default());
    let version = version.trim_start_matches('v');
    Ok(json!({
        "type": if name == "eocc-cli" { "application" } else { "library" },
        "name": name,
        "version": version,
        "purl": format!("pkg:cargo/{name}@{version}"),
        "licenses": [{ "expression": licence }],
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_becomes_a_list() {
        let tree =
            "eocc-cli v0.1.0 (here)|MIT\nserde v1.0.2|MIT OR Apache-2.0\nserde v1.0.2|MIT OR Apache-2.0\n\n";
        let list = list(tree).unwrap();
        assert_eq!(list["metadata"]["component"]["type"], "application");
        assert_eq!(list["components"].as_array().unwrap().len(), 1);
        assert_eq!(list["components"][0]["purl"], "pkg:cargo/serde@1.0.2");
        assert!(component("no licence").is_err());
    }
}
