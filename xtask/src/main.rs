//! The project's chores, one command each: `cargo xtask test`, `cargo xtask bench`, `cargo xtask reproduce`.

mod api;
mod browser;
mod deny;
mod figures;
mod layers;
mod license;
mod links;
mod metadata;
mod msrv;
mod python;
mod step;
mod test;
mod words;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;

use anyhow::{Context as _, Result};

use crate::step::Steps;

const HELP: &str = "\
Usage: cargo xtask <COMMAND>

  test         everything a change must pass: format, links, dependencies, tests, the Python package, the report in a
               browser, lints, documentation, public items
  browser      only the report's scripts and pages in a real browser
  python       only the tests of the Python package
  engines      the tests of all data engines, Spark and Ray among them, in an environment with all of them
  wheel        builds the wheel as users get it and tries it in an empty environment
  alone        checks that each crate builds by itself with its features off
  api          compares the public items of the library with docs/api/eocc.txt; --bless records them
  links        finds dead links in the documents
  figures      checks that the figures of the README are those of the pages that measured them
  layers       checks that modules of the core use only those above them in ARCHITECTURE.md
  words        finds words to avoid, as xtask/words-to-avoid.md lists them, in documents, help texts, messages and comments
  deny         checks licenses, sources and versions of the dependencies against deny.toml
  fuzz         feeds hostile inputs to the readers and the model file; --minutes N (default 10)
  coverage-fuzz  the same targets under libFuzzer, led by coverage; --seconds N for each (default 60)
  attack       forged models, damaged inputs, hostile files, kills, p-values and payloads in pages, as a table; --share S
               runs this fraction of each class
  doubling     counts instructions for inputs and for twice as much of them: no reader, measure or command may grow faster
               than it should; needs valgrind, takes half an hour
  soak         the program in a loop, under a memory limit and with injected faults; --minutes N (default 10);
               --continue FILE --seed N adds up the counts of several runs
  bench        runs all benches; each prints its slow twin and the ratio
  bench scale  a thousand rows to a million next to other programs, into docs/results; takes an hour
  reproduce    the paper's tables, ours next to the published figures, into docs/results";

/// The file of this program, recorded at the start: the tests' build replaces it, and then the path would refer to a
/// deleted file.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

fn main() -> ExitCode {
    if let Ok(path) = std::env::current_exe() {
        PROGRAM.get_or_init(|| path);
    }
    if let Some(done) = api::rustdoc() {
        return code(done);
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    code(match args.as_slice() {
        ["test"] => test::test(),
        ["python"] => test::python(),
        ["engines"] => test::engines(),
        ["browser"] => test::browser(),
        ["api"] => api::chore(false),
        ["api", "--bless"] => api::chore(true),
        ["links"] => links::check(),
        ["figures"] => figures::check(),
        ["layers"] => layers::check(),
        ["words"] => words::check(),
        ["deny"] => metadata::packages().and_then(|packages| deny::check(&packages)),
        ["wheel"] => test::wheel(),
        ["alone"] => test::alone(),
        ["fuzz", rest @ ..] => fuzz(rest),
        ["coverage-fuzz"] => test::coverage_fuzz("60"),
        ["coverage-fuzz", "--seconds", seconds] => test::coverage_fuzz(seconds),
        ["doubling"] => test::doubling(),
        ["attack", options @ ..] => test::attack(options),
        ["soak", options @ ..] => test::soak(options),
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
    // One repeat: exact scoring of the preset `paper` on Abalone takes minutes per fold.
    let common = "run --release --quiet -p eocc-lab -- reproduce";
    let mut steps = Steps::default();
    steps.cargo(
        "the UCI table",
        &format!("{common} uci --repeats 1 --output docs/results/uci.md --plots docs/results"),
    )?;
    steps.cargo("the IAM table", &format!("{common} iam --repeats 1 --output docs/results/iam.md"))
}

/// Optimized, since the numbers are; an input with a wrong result is written to the current folder.
fn fuzz(words: &[&str]) -> Result<()> {
    let words = ["run --release --quiet -p eocc-fuzz --"].iter().chain(words).copied().collect::<Vec<_>>();
    Steps::default().cargo("hostile inputs", &words.join(" "))
}

/// The file of this program.
fn program() -> Result<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path).context("the path of this program is not known")
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
