//! Everything a change must pass, cheap checks first.

use std::process::Command;
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::metadata::Package;
use crate::step::Steps;
use crate::{api, browser, deny, figures, layers, license, links, metadata, msrv, python, words};

/// Builds everything that the tests need at once: with other targets or features, cargo would compile shared crates
/// again.
pub(crate) const BUILD: &str = "build --workspace --all-features --lib --bins --tests --examples --quiet";

/// Runs all checks until one fails, and prints how long each took.
pub(crate) fn test() -> Result<()> {
    timed(|steps| {
        // Before the work, not after it.
        component("fmt", "rustfmt")?;
        component("clippy", "clippy")?;
        let interpreter = python::interpreter()?;
        thread::scope(|scope| {
            // These wait for the network more than they compute.
            let environment = scope.spawn(|| python::environment(&interpreter));
            let tools = scope.spawn(browser::tools);
            let packages = metadata::packages()?;
            quick(steps, &packages)?;
            steps.cargo("build", BUILD)?;
            // Without nextest, the standard runner does the same, only slower.
            let runner = if has("nextest") { "nextest run" } else { "test --lib --bins --tests" };
            let python = environment.join().unwrap_or_else(|_| bail!("a panic"));
            let tools = tools.join().unwrap_or_else(|_| bail!("a panic"));
            // Python's tests run on one core, so something else must keep the others busy.
            steps.side_by_side(
                |lane| {
                    lane.cargo("tests", &format!("{runner} --workspace --all-features"))?;
                    browser::test(lane, tools?)
                },
                |lane| {
                    static_checks(lane)?;
                    python::test(lane, &python.context("the environment of the Python package")?)
                },
            )
        })
    })
}

/// Runs only the tests of the report in a browser.
pub(crate) fn browser() -> Result<()> {
    timed(|steps| {
        steps.cargo("build", BUILD)?;
        browser::test(steps, browser::tools()?)
    })
}

/// Runs only the tests of the Python package.
pub(crate) fn python() -> Result<()> {
    timed(|steps| {
        let environment = python::environment(&python::interpreter()?)?;
        steps.cargo("build", BUILD)?;
        python::test(steps, &environment)
    })
}

/// Runs the tests of all data engines.
pub(crate) fn engines() -> Result<()> {
    timed(|steps| {
        let environment = python::engines_environment(&python::interpreter()?)?;
        steps.cargo("build", BUILD)?;
        python::test_engines(steps, &environment)
    })
}

/// Builds the wheel for users and tries it in an empty environment.
pub(crate) fn wheel() -> Result<()> {
    timed(|steps| {
        let environment = python::environment(&python::interpreter()?)?;
        python::wheel(steps, &environment)
    })
}

/// Compares the program with others, from a thousand rows to a million.
pub(crate) fn scale() -> Result<()> {
    timed(|steps| {
        let environment = python::environment(&python::interpreter()?)?;
        let mut pip = Command::new(&environment);
        steps.run("pynndescent", pip.args(["-m", "pip", "install", "--quiet", "pynndescent==0.7.0"]))?;
        steps.cargo("the program", "build --release -p eocc-cli")?;
        let program = crate::target()?.join("release").join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
        let mut script = Command::new(&environment);
        steps.run("scale", script.arg("scripts/scale.py").arg(program).arg("docs/results/scale"))
    })
}

/// Runs the program in a loop, with faults; the script takes the options.
pub(crate) fn soak(options: &[&str]) -> Result<()> {
    timed(|steps| {
        let environment = python::environment(&python::interpreter()?)?;
        steps.cargo("the program and the package", "build --release -p eocc-cli -p eocc-python")?;
        let release = crate::target()?.join("release");
        let program = release.join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
        let mut script = Command::new(environment);
        script.env("PYTHONPATH", python::assemble(&release)?);
        steps.run("soak", script.arg("scripts/soak.py").arg(program).args(options))
    })
}

/// How the work of readers, measures and commands grows with their input, in instructions.
pub(crate) fn doubling() -> Result<()> {
    timed(|steps| {
        steps.cargo("the program", "build --release -p eocc-cli")?;
        let program = crate::target()?.join("release").join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
        // With pyarrow, for Parquet and Arrow.
        let mut script = Command::new(python::environment(&python::interpreter()?)?);
        steps.run("doubling", script.arg("scripts/doubling.py").arg(program))
    })
}

/// Runs all attacks on the program, and prints their table. The payloads in pages run first, in a browser.
pub(crate) fn attack(options: &[&str]) -> Result<()> {
    timed(|steps| {
        let payloads = browser::payloads()?;
        if payloads.exists() {
            std::fs::remove_file(&payloads).with_context(|| payloads.display().to_string())?;
        }
        steps.cargo("build", BUILD)?;
        browser::test(steps, browser::tools()?)?;
        steps.cargo("the program", "build --release -p eocc-cli")?;
        let program = crate::target()?.join("release").join(format!("eocc{}", std::env::consts::EXE_SUFFIX));
        let mut script = Command::new(python::interpreter()?);
        script.arg("scripts/attack").arg(program).arg("--payloads").arg(payloads);
        steps.run("attacks", script.args(options))
    })
}

/// Runs each target under libFuzzer for this many seconds.
pub(crate) fn coverage_fuzz(seconds: &str) -> Result<()> {
    timed(|steps| {
        let mut script = Command::new("sh");
        script.env("EOCC_FUZZ_FOLDER", crate::target()?.join("coverage-fuzz"));
        steps.run("inputs led by coverage", script.args(["scripts/coverage_fuzz.sh", seconds]))
    })
}

/// Builds each crate on its own with its features off, as a dependent project would.
pub(crate) fn alone() -> Result<()> {
    let packages = metadata::packages()?;
    timed(|steps| {
        packages.iter().filter(|p| p.is_member).try_for_each(|member| {
            let words = format!("check --quiet --package {} --no-default-features", member.name);
            steps.cargo(&member.name, &words)
        })
    })
}

fn timed(work: impl FnOnce(&mut Steps) -> Result<()>) -> Result<()> {
    let start = Instant::now();
    let mut steps = Steps::default();
    let result = work(&mut steps);
    eprint!("{}", steps.table(start.elapsed()));
    result
}

/// Checks that take seconds.
fn quick(steps: &mut Steps, packages: &[Package]) -> Result<()> {
    steps.cargo("format", "fmt --all --check")?;
    steps.check("links", links::check)?;
    steps.check("figures", figures::check)?;
    steps.check("layers", layers::check)?;
    steps.check("words", words::check)?;
    steps.check("licenses", license::check)?;
    steps.check("dependencies", || deny::check(packages))?;
    steps.check("minimum Rust version", || msrv::check(packages))
}

/// Checks that read the code and run almost nothing.
fn static_checks(steps: &mut Steps) -> Result<()> {
    steps.cargo("lints", "clippy --workspace --all-targets --all-features --quiet -- -D warnings")?;
    steps.run("documentation", &mut api::document()?)?;
    steps.check("public items", api::check)?;
    steps.cargo("examples in the documentation", "test --workspace --all-features --doc --quiet")
}

/// Whether cargo has this subcommand.
fn has(subcommand: &str) -> bool {
    Command::new("cargo").args([subcommand, "--version"]).output().is_ok_and(|o| o.status.success())
}

/// Demands a component of the toolchain.
fn component(subcommand: &str, name: &str) -> Result<()> {
    if !has(subcommand) {
        bail!("`cargo {subcommand}` is missing; install it with `rustup component add {name}`");
    }
    Ok(())
}
