//! Everything a change must pass, cheap checks first.

use std::process::Command;
use std::thread;

use anyhow::{Context as _, Result, bail};

use crate::metadata::Package;
use crate::step::Steps;
use crate::{api, deny, features, links, metadata, msrv, python};

/// Runs all checks until one fails, and says how long each took.
pub(crate) fn test() -> Result<()> {
    timed(|steps| {
        // Before the work, not after it.
        component("fmt", "rustfmt")?;
        component("clippy", "clippy")?;
        let interpreter = python::interpreter()?;
        thread::scope(|scope| {
            // It waits for the network more than it computes.
            let environment = scope.spawn(|| python::environment(&interpreter));
            let packages = metadata::packages()?;
            quick(steps, &packages)?;
            rust(steps, &packages)?;
            let join = || environment.join().unwrap_or_else(|_| bail!("a panic"));
            let mut python = None;
            steps.check("waiting for the environment of the Python package", || {
                python = Some(join()?);
                Ok(())
            })?;
            python::test(steps, &python.context("there is no environment")?)
        })
    })
}

/// Runs only the tests of the Python package.
pub(crate) fn python() -> Result<()> {
    timed(|steps| {
        let environment = python::environment(&python::interpreter()?)?;
        python::test(steps, &environment)
    })
}

/// Runs the program beside others from a thousand rows to a million.
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

fn timed(work: impl FnOnce(&mut Steps) -> Result<()>) -> Result<()> {
    let mut steps = Steps::default();
    let result = work(&mut steps);
    eprint!("{}", steps.table());
    result
}

/// What takes seconds.
fn quick(steps: &mut Steps, packages: &[Package]) -> Result<()> {
    steps.cargo("format", "fmt --all --check")?;
    steps.check("links", links::check)?;
    steps.check("dependencies", || deny::check(packages))?;
    steps.check("minimum Rust version", || msrv::check(packages))
}

/// What compiles. All with all features: so each step finds what those before it have compiled.
fn rust(steps: &mut Steps, packages: &[Package]) -> Result<()> {
    steps.cargo("lints", "clippy --workspace --all-targets --all-features --quiet -- -D warnings")?;
    steps.check("combinations of features", || {
        let mut steps = Steps::default();
        features::lints(packages).iter().try_for_each(|words| steps.cargo("features", words))
    })?;
    steps.run("documentation", &mut api::document()?)?;
    steps.check("public items", api::check)?;
    // Without nextest the plain runner does the same, only slower.
    let runner = if has("nextest") { "nextest run" } else { "test --lib --bins --tests" };
    steps.cargo("tests", &format!("{runner} --workspace --all-features"))?;
    steps.cargo("examples in the documentation", "test --workspace --all-features --doc --quiet")
}

/// Builds each set of features of each member by itself.
pub(crate) fn features_alone() -> Result<()> {
    let checks = features::checks_alone(&metadata::packages()?);
    timed(|steps| checks.iter().try_for_each(|words| steps.cargo(words, words)))
}

/// Whether cargo has this subcommand.
fn has(subcommand: &str) -> bool {
    Command::new("cargo").args([subcommand, "--version"]).output().is_ok_and(|o| o.status.success())
}

/// Demands a component of the toolchain.
fn component(subcommand: &str, name: &str) -> Result<()> {
    if !has(subcommand) {
        bail!("`cargo {subcommand}` is needed and not there; install it with `rustup component add {name}`");
    }
    Ok(())
}
