//! The public API of the library, one line per item, compared with the recorded one.
//!
//! Cargo's tools for this take many minutes to compile; the listing is made from rustdoc's JSON, which the stable
//! compiler writes if it is made to behave like a nightly one.

mod documented;
mod listing;
mod text;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, anyhow, bail};

use self::documented::Documented;
use self::listing::Face;
use crate::step::Steps;
use crate::{root, target};

/// The crate whose API is recorded.
const FACADE: &str = "eocc";
/// The record.
const FILE: &str = "docs/api/eocc.txt";
/// The environment variable by which this program knows that cargo runs it as rustdoc.
const AS_RUSTDOC: &str = "XTASK_AS_RUSTDOC";

/// Compares the public items with the recorded ones, or records them.
pub(crate) fn chore(bless: bool) -> Result<()> {
    Steps::default().run("documentation", &mut document()?)?;
    if !bless {
        return check();
    }
    let file = root()?.join(FILE);
    fs::create_dir_all(file.parent().context("the record has no folder")?)?;
    fs::write(&file, list()?).context(FILE)
}

/// The command that lets rustdoc describe all libraries of the workspace, with the lints of a normal run.
pub(crate) fn document() -> Result<Command> {
    let mut cargo = Command::new("cargo");
    cargo
        .args(["doc", "--workspace", "--all-features", "--lib", "--no-deps", "--quiet"])
        .env("RUSTDOC", crate::program()?)
        .env(AS_RUSTDOC, "1")
        .env("RUSTDOCFLAGS", "-D warnings -Z unstable-options --output-format json");
    Ok(cargo)
}

/// Compares the latest description of the public items with the record.
pub(crate) fn check() -> Result<()> {
    let found = list()?;
    let known = fs::read_to_string(root()?.join(FILE)).unwrap_or_default();
    let differences = differences(&known, &found);
    if differences.is_empty() {
        return Ok(());
    }
    let broken = differences.iter().any(|d| d.starts_with('-'));
    let remedy = if broken {
        "A line that is gone breaks programs that use it. If it is meant: raise the version in Cargo.toml (the middle number \
         before 1.0), say so in CHANGELOG.md, and run `cargo xtask api --bless`."
    } else {
        "Nothing is gone. If the new items are meant to be public: run `cargo xtask api --bless`."
    };
    bail!("the public items of {FACADE} are not those of {FILE}:\n  {}\n{remedy}", differences.join("\n  "))
}

/// The removed lines, with a minus, and the new ones, with a plus.
fn differences(known: &str, found: &str) -> Vec<String> {
    let (known, found): (BTreeSet<&str>, BTreeSet<&str>) = (known.lines().collect(), found.lines().collect());
    let gone = known.difference(&found).map(|line| format!("- {line}"));
    gone.chain(found.difference(&known).map(|line| format!("+ {line}"))).collect()
}

/// The public items of the facade, sorted.
fn list() -> Result<String> {
    let documented = Documented::load(&target()?.join("doc"), FACADE)?;
    let Face { mut lines, unnamed } = listing::face(&documented)?;
    if !unnamed.is_empty() {
        let remedy = format!("export it from {FACADE}, or make what mentions it private");
        bail!("signatures of {FACADE} mention what users cannot name:\n  {}\n{remedy}", unnamed.join("\n  "));
    }
    lines.sort();
    lines.dedup();
    Ok(lines.join("\n") + "\n")
}

/// Runs rustdoc in place of this program, with unstable features enabled, if cargo requested it. That way only
/// rustdoc gets them: with the variable set for all of cargo, half the dependencies would be compiled again.
pub(crate) fn rustdoc() -> Option<Result<()>> {
    std::env::var_os(AS_RUSTDOC)?;
    let mut rustdoc = Command::new("rustdoc");
    rustdoc.args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1");
    Some(match rustdoc.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(anyhow!("rustdoc failed")),
        Err(e) => Err(e).context("rustdoc could not be started"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_gone_comes_before_what_is_new() {
        assert_eq!(differences("a\nb\n", "b\nc\n"), ["- a", "+ c"]);
        assert!(differences("a\n", "a\n").is_empty());
    }
}
