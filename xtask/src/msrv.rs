//! The minimum Rust version: whether it is consistent, and tested as far as the machine allows.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use semver::Version;

use crate::metadata::{Package, version};
use crate::root;

/// Checks that all members declare the same version, that it suffices for every dependency, and that it is not above
/// the compiler's. A lint, `clippy::incompatible_msrv`, checks our own code; if that exact toolchain is installed, it
/// must build the workspace.
pub(crate) fn check(packages: &[Package]) -> Result<()> {
    let declared = declared(packages)?;
    let asked = packages.iter().filter(|p| p.rust_version.as_ref().is_some_and(|v| *v > declared));
    let asked: Vec<String> = asked.map(|p| format!("{} {}", p.name, p.version)).collect();
    if !asked.is_empty() {
        bail!(
            "rust-version is {declared}, but {} need more; take older ones or raise rust-version in Cargo.toml",
            asked.join(", ")
        );
    }
    let compiler = compiler()?;
    if compiler < declared {
        bail!("this is Rust {compiler}, but {declared} is needed; run `rustup update`");
    }
    let minimum = format!("{}.{}", declared.major, declared.minor);
    if (compiler.major, compiler.minor) == (declared.major, declared.minor) {
        eprintln!("   Rust {minimum}, the minimum, runs all that follows");
    } else if is_installed(&minimum) {
        build_with(&minimum)?;
    } else {
        eprintln!(
            "   Rust {minimum}, the minimum, is not installed (`rustup toolchain install {minimum}`): checked are what the \
             dependencies declare and, by clippy, the library functions we call"
        );
    }
    Ok(())
}

/// The version that all members declare.
fn declared(packages: &[Package]) -> Result<Version> {
    let mut declared: Option<&Version> = None;
    for member in packages.iter().filter(|p| p.is_member) {
        let own =
            member.rust_version.as_ref().with_context(|| format!("{} has no rust-version", member.name))?;
        if declared.get_or_insert(own) != &own {
            bail!("the rust-version of {} is not that of the other members", member.name);
        }
    }
    declared.cloned().context("the workspace has no members")
}

/// The version of the compiler in use.
fn compiler() -> Result<Version> {
    let said = Command::new("rustc").arg("--version").output().context("rustc could not be started")?;
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    let number = said.split_whitespace().nth(1).context("rustc does not tell its version")?;
    // A nightly of a version includes all of it.
    version(number.split('-').next().unwrap_or(number))
}

fn is_installed(toolchain: &str) -> bool {
    let listed = Command::new("rustup").args(["toolchain", "list"]).output();
    let listed = listed.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    listed.lines().any(|line| line.starts_with(&format!("{toolchain}-")))
}

fn build_with(toolchain: &str) -> Result<()> {
    let words = ["run", toolchain, "cargo", "check", "--workspace", "--all-targets", "--quiet", "--locked"];
    // A separate folder: two compilers would undo each other's work.
    let target = root()?.join("target").join(format!("rust-{toolchain}"));
    let status = Command::new("rustup")
        .args(words)
        .env("CARGO_TARGET_DIR", target)
        .current_dir(root()?)
        .status()
        .context("rustup could not be started")?;
    if !status.success() {
        bail!("the workspace does not build with Rust {toolchain}");
    }
    Ok(())
}
