//! Cargo's metadata about the workspace and all its dependencies.

use std::process::Command;

use anyhow::{Context as _, Result, bail};
use semver::Version;
use serde_json::Value;

use crate::root;

/// One package: a member of the workspace or a dependency.
#[derive(Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: Version,
    /// The license as an SPDX expression, if it is stated.
    pub(crate) license: Option<String>,
    /// Its source; `None` for a folder of this repository.
    pub(crate) source: Option<String>,
    /// The minimum compiler version it declares, if any.
    pub(crate) rust_version: Option<Version>,
    /// Whether it belongs to the workspace.
    pub(crate) is_member: bool,
}

/// All packages of the lock file, on every platform, sorted by name and version.
pub(crate) fn packages() -> Result<Vec<Package>> {
    let listed = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--all-features", "--locked"])
        .current_dir(root()?)
        .output()
        .context("cargo could not be started")?;
    if !listed.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&listed.stderr).trim());
    }
    let all: Value = serde_json::from_slice(&listed.stdout).context("cargo metadata did not print JSON")?;
    let members = &all["workspace_members"];
    let mut packages = Vec::new();
    for package in all["packages"].as_array().context("cargo metadata lists no packages")? {
        let text = |key: &str| package[key].as_str().map(str::to_owned);
        let name = text("name").context("a package has no name")?;
        packages.push(Package {
            version: version(&text("version").unwrap_or_default())
                .with_context(|| format!("the version of {name}"))?,
            license: text("license"),
            source: text("source"),
            rust_version: text("rust_version")
                .map(|v| version(&v))
                .transpose()
                .with_context(|| format!("the rust-version of {name}"))?,
            is_member: members.as_array().is_some_and(|m| m.contains(&package["id"])),
            name,
        });
    }
    packages.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(packages)
}

/// A version, whose last numbers may be missing.
pub(crate) fn version(text: &str) -> Result<Version> {
    let zeros = ".0".repeat(2usize.saturating_sub(text.matches('.').count()));
    Version::parse(&format!("{text}{zeros}")).with_context(|| format!("`{text}` is not a version"))
}
