//! The project's chores, one command each: `cargo xtask test`, `cargo xtask bench`, `cargo xtask reproduce`.

mod api;
mod browser;
mod deny;
mod features;
mod layers;
mod licence;
mod links;
mod metadata;
mod msrv;
mod python;
mod sbom;
mod step;
mod test;
mod twice;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};

use crate::step::Steps;

const HELP: &str = "\
Usage: cargo xtask <COMMAND>

  test         everything a change must pass: format, links, dependencies, lints, features, tests, documentation, public
               items, the Python package, the report in a browser
  browser      the report's scripts and its pages in a real browser, which the former includes
  python       the last part of that: builds the wheel in an environment of its own and tests it
  api          compares the public items of the library with docs/api/eocc.txt; --bless records them
  links        looks for dead links in the documents
  layers       checks that modules of the core use only those above them in ARCHITECTURE.md
  deny         checks licences, sources and versions of the dependencies against deny.toml
  features     builds each set of features of each member without the rest of the workspace
  fuzz         feeds the readers and the model file with hostile inputs; --minutes N, 10 unless given
  sbom         writes what the program is made of to target/eocc.cdx.json, in the format of CycloneDX
  twice        names what the wheel makes cargo compile again although the tests have compiled it
  bench        all benches; each prints its slow twin and the ratio
  bench scale  a thousand rows to a million beside other programs, into docs/results; an hour
  reproduce    the paper's tables, ours beside the printed figures, into docs/results";

fn main() -> ExitCode {
    if let Some(done) = api::rustdoc() {
        return code(done);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    code(match args.as_slice() {
        ["test"] => test::test(),
        ["python"] => test::python(),
        ["browser"] => test::browser(),
        ["api"] => api::chore(false),
        ["api", "--bless"] => api::chore(true),
        ["links"] => links::check(),
        ["layers"] => layers::check(),
        ["deny"] => metadata::packages().and_then(|packages| deny::check(&packages)),
        ["features"] => test::features_alone(),
        ["twice"] => twice::packages().map(|names| eprintln!("compiled twice: {names:?}")),
        ["fuzz", rest @ ..] => fuzz(rest),
        ["sbom"] => sbom::write(),
        ["bench", "scale"] => test::scale(),
        ["bench"] => Steps::default().cargo("benches", "bench --workspace"),
        ["reproduce"] => reproduce(),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    })
}

fn code(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn reproduce() -> Result<()> {
    // One repeat: exact scoring of the preset `paper` on Abalone takes minutes for each fold.
    let common = "run --release --quiet -p eocc-lab -- reproduce";
    let mut steps = Steps::default();
    steps.cargo(
        "the UCI table",
        &format!("{common} uci --repeats 1 --output docs/results/uci.md --plots docs/results"),
    )?;
    steps.cargo("the IAM table", &format!("{common} iam --repeats 1 --output docs/results/iam.md"))
}

/// Optimised, as the figures are; an input that is answered badly is written to the present folder.
fn fuzz(words: &[&str]) -> Result<()> {
    let words = ["run --release --quiet -p eocc-fuzz --"].iter().chain(words).copied().collect::<Vec<_>>();
    Steps::default().cargo("hostile inputs", &words.join(" "))
}

/// The root of the workspace.
fn root() -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the workspace has no root")?.to_owned())
}

/// Where cargo builds.
fn target() -> Result<PathBuf> {
    let root = root()?;
    Ok(std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder)))
}
