//! The project's chores, one command each: `cargo xtask test`, `cargo xtask bench`, `cargo xtask reproduce`.

mod python;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

const HELP: &str = "\
Usage: cargo xtask <COMMAND>

  test       everything a change must pass: format, lints, tests, documentation, the Python package
  python     the last part of that: builds the wheel in an environment of its own and tests it
  bench      all benches; each prints its slow twin and the ratio
  reproduce  the paper's tables, ours beside the printed figures, into docs/results";

fn main() -> ExitCode {
    let command = std::env::args().nth(1).unwrap_or_default();
    let result = match command.as_str() {
        "test" => test(),
        "python" => python::test(),
        "bench" => bench(),
        "reproduce" => reproduce(),
        _ => {
            eprintln!("{HELP}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask: {e:#}");
            ExitCode::FAILURE
        }
    }
}

fn test() -> Result<()> {
    // Before the work, not after it.
    python::interpreter()?;
    if has("fmt") {
        step("format", "cargo", &["fmt", "--all", "--check"], &[])?;
    }
    // The lints first: what they compile is needed by nothing else, but they fail fastest.
    if has("clippy") {
        step(
            "lints",
            "cargo",
            &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"],
            &[],
        )?;
    }
    // Without nextest the plain runner does the same, only slower.
    let runner: &[&str] = if has("nextest") {
        &["nextest", "run", "--workspace"]
    } else {
        &["test", "--workspace", "--lib", "--bins", "--tests"]
    };
    step("tests", "cargo", runner, &[])?;
    step("examples in the documentation", "cargo", &["test", "--workspace", "--doc", "--quiet"], &[])?;
    step(
        "documentation",
        "cargo",
        &["doc", "--workspace", "--no-deps", "--quiet"],
        &[("RUSTDOCFLAGS", "-D warnings")],
    )?;
    python::test()
}

fn bench() -> Result<()> {
    step("benches", "cargo", &["bench", "--workspace"], &[])
}

fn reproduce() -> Result<()> {
    // One repeat: exact scoring of the preset `paper` on Abalone takes minutes for each fold.
    let common = "run --release --quiet -- reproduce";
    let uci = format!("{common} uci --repeats 1 --output docs/results/uci.md --plots docs/results");
    let iam = format!("{common} iam --repeats 1 --output docs/results/iam.md");
    step("the UCI table", "cargo", &uci.split(' ').collect::<Vec<_>>(), &[])?;
    step("the IAM table", "cargo", &iam.split(' ').collect::<Vec<_>>(), &[])
}

/// Whether cargo has this subcommand.
fn has(subcommand: &str) -> bool {
    Command::new("cargo").args([subcommand, "--version"]).output().is_ok_and(|o| o.status.success())
}

/// The root of the workspace.
fn root() -> Result<PathBuf> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the workspace has no root")?.to_owned())
}

/// Runs one step from the root of the workspace, and says how long it took.
fn step(name: &str, program: &str, args: &[&str], variables: &[(&str, &str)]) -> Result<()> {
    eprintln!("== {name}: {program} {}", args.join(" "));
    let start = Instant::now();
    let status = Command::new(program)
        .args(args)
        .envs(variables.iter().copied())
        .current_dir(root()?)
        .status()
        .with_context(|| format!("{program} could not be started"))?;
    if !status.success() {
        bail!("{name} failed");
    }
    eprintln!("== {name}: done in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}
