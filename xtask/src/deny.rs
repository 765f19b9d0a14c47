//! Checks dependencies: licenses, sources and versions, by the rules in `deny.toml`.
//!
//! The file is cargo-deny's, so `cargo deny check` reads it too. The part of it that needs no network is checked here:
//! cargo-deny takes many minutes to compile, and the test command must install all it needs.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use semver::VersionReq;
use toml::{Table, Value};

use crate::license;
use crate::metadata::{Package, version};
use crate::root;

const FILE: &str = "deny.toml";
/// The lock file of the coverage-guided fuzzers, and the licenses of the packages that only they use.
const FUZZ: &str = "fuzz/Cargo.lock";
const FUZZ_LICENSES: [(&str, &str); 2] =
    [("arbitrary", "MIT OR Apache-2.0"), ("libfuzzer-sys", "(MIT OR Apache-2.0) AND NCSA")];

/// Checks all packages against `deny.toml`.
pub(crate) fn check(packages: &[Package]) -> Result<()> {
    let text = fs::read_to_string(root()?.join(FILE)).context(FILE)?;
    let rules: Table = text.parse().context(FILE)?;
    let mut faults = Vec::new();
    let lock: Table = fs::read_to_string(root()?.join(FUZZ)).context(FUZZ)?.parse().context(FUZZ)?;
    let of_fuzz = of_fuzz(&lock, packages, &mut faults)?;
    for some in [packages, &of_fuzz] {
        faults.extend(licenses(&rules, some)?);
        faults.extend(sources(some));
        faults.extend(banned(&rules, some)?);
    }
    faults.extend(duplicates(&rules, packages)?);
    if !faults.is_empty() {
        bail!("{} faults by {FILE}:\n  {}", faults.len(), faults.join("\n  "));
    }
    advisories()
}

/// The packages that only the fuzzers use; all others must be those of the workspace.
fn of_fuzz(lock: &Table, packages: &[Package], faults: &mut Vec<String>) -> Result<Vec<Package>> {
    let mut found = Vec::new();
    for locked in lock.get("package").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| locked.get(key).and_then(Value::as_str);
        let (name, number) = (text("name").unwrap_or_default(), text("version").unwrap_or_default());
        let version = version(number).with_context(|| format!("{FUZZ}: {name}"))?;
        let is_shared = packages.iter().any(|p| p.name == name && p.version == version);
        if is_shared || text("source").is_none() {
            continue;
        }
        match FUZZ_LICENSES.iter().find(|known| known.0 == name) {
            Some((_, license)) => found.push(Package {
                name: name.to_owned(),
                version,
                license: Some((*license).to_owned()),
                source: text("source").map(str::to_owned),
                rust_version: None,
                is_member: false,
            }),
            None => faults.push(format!("{FUZZ} has {name} {number}, which the workspace does not use")),
        }
    }
    Ok(found)
}

fn licenses(rules: &Table, packages: &[Package]) -> Result<Vec<String>> {
    let general = words(rules, "licenses", "allow");
    let mut faults = Vec::new();
    for package in packages {
        let mut allowed = general.clone();
        for exception in tables(rules, "licenses", "exceptions") {
            if Spec::parse(exception)?.matches(package) {
                allowed.extend(strings(exception.get("allow")));
            }
        }
        let Some(license) = &package.license else {
            faults.push(format!("{} {} states no license", package.name, package.version));
            continue;
        };
        if !license::is_allowed(license, &|name| allowed.contains(&name))? {
            faults.push(format!("{} {}: license {license} is not allowed", package.name, package.version));
        }
    }
    Ok(faults)
}

fn sources(packages: &[Package]) -> Vec<String> {
    // The index of cargo's own registry, by either protocol.
    let known = |source: &str| source.starts_with("registry+") && source.ends_with("/crates.io-index");
    let strange = |p: &&Package| p.source.as_ref().is_some_and(|s| !known(s));
    let fault = |p: &Package| {
        format!("{} {}: unknown source {}", p.name, p.version, p.source.as_deref().unwrap_or(""))
    };
    packages.iter().filter(strange).map(fault).collect()
}

/// Packages that must not be used at all, or not in these versions.
fn banned(rules: &Table, packages: &[Package]) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    for ban in tables(rules, "bans", "deny") {
        let spec = Spec::parse(ban)?;
        let reason = ban.get("reason").and_then(Value::as_str).unwrap_or("no reason given");
        for package in packages.iter().filter(|p| spec.matches(p)) {
            faults.push(format!("{} {} is banned: {reason}", package.name, package.version));
        }
    }
    Ok(faults)
}

/// Packages in several versions, except for listed ones; and entries of the list that are not needed.
fn duplicates(rules: &Table, packages: &[Package]) -> Result<Vec<String>> {
    let mut versions: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in packages {
        versions.entry(&package.name).or_default().push(package);
    }
    let skipped = tables(rules, "bans", "skip").into_iter().map(Spec::parse).collect::<Result<Vec<_>>>()?;
    let mut faults = Vec::new();
    for (name, found) in &versions {
        let rest = found.iter().filter(|p| !skipped.iter().any(|s| s.matches(p))).count();
        if rest > 1 {
            let found: Vec<String> = found.iter().map(|p| p.version.to_string()).collect();
            faults.push(format!("{name} is there in several versions: {}", found.join(", ")));
        }
    }
    for spec in &skipped {
        let several = versions.get(spec.name).is_some_and(|found| found.len() > 1);
        if !several || !packages.iter().any(|p| spec.matches(p)) {
            faults.push(format!("bans.skip lists {}, which is there once or not at all", spec.name));
        }
    }
    Ok(faults)
}

/// The database of advisories is in a git repository: only cargo-deny, if it is installed, can query it.
fn advisories() -> Result<()> {
    let deny = |words: &[&str]| -> Result<bool> {
        let done = Command::new("cargo").arg("deny").args(words).current_dir(root()?).output()?;
        if !done.status.success() && words[0] == "check" {
            eprint!("{}", String::from_utf8_lossy(&done.stderr));
        }
        Ok(done.status.success())
    };
    if !deny(&["--version"])? {
        eprintln!(
            "   advisories: only those that {FILE} lists; cargo-deny, which knows all, is not installed"
        );
    } else if !deny(&["fetch", "db"])? {
        eprintln!("   advisories: only those that {FILE} lists; the database cannot be reached");
    } else if !deny(&["check", "--disable-fetch", "advisories"])? {
        bail!("there are advisories against our dependencies");
    }
    Ok(())
}

/// A package by name, optionally with a version, in the notation of cargo-deny: `name`, `name@1.2.3` or
/// `name:>=1,<1.2.3`.
struct Spec<'a> {
    name: &'a str,
    versions: VersionReq,
}

impl<'a> Spec<'a> {
    fn parse(entry: &'a Table) -> Result<Self> {
        let text =
            entry.get("crate").and_then(Value::as_str).context("an entry of deny.toml has no `crate`")?;
        let (name, versions) = if let Some((name, version)) = text.split_once('@') {
            (name, VersionReq::parse(&format!("={version}")))
        } else if let Some((name, versions)) = text.split_once(':') {
            (name, VersionReq::parse(versions))
        } else {
            (text, Ok(VersionReq::STAR))
        };
        Ok(Self { name, versions: versions.with_context(|| format!("deny.toml: `{text}`"))? })
    }

    fn matches(&self, package: &Package) -> bool {
        self.name == package.name && self.versions.matches(&package.version)
    }
}

fn words<'a>(rules: &'a Table, section: &str, key: &str) -> Vec<&'a str> {
    strings(rules.get(section).and_then(|s| s.get(key)))
}

fn strings(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn tables<'a>(rules: &'a Table, section: &str, key: &str) -> Vec<&'a Table> {
    let list = rules.get(section).and_then(|s| s.get(key)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, number: &str, license: &str, source: &str) -> Package {
        Package {
            name: name.to_owned(),
            version: version(number).unwrap(),
            license: Some(license.to_owned()),
            source: Some(source.to_owned()),
            rust_version: None,
            is_member: false,
        }
    }

    #[test]
    fn each_kind_of_fault_is_found() {
        let rules: Table = r#"
            [licenses]
            allow = ["MIT"]
            exceptions = [{ crate = "fonts", allow = ["OFL-1.1"] }]
            [bans]
            deny = [{ crate = "leaky:<1.2", reason = "it leaks" }]
            skip = [{ crate = "twin:<2" }, { crate = "alone" }]
        "#
        .parse()
        .unwrap();
        let packages = [
            package("fonts", "1", "MIT AND OFL-1.1", "registry+here/crates.io-index"),
            package("leaky", "1.1", "OFL-1.1", "git+there"),
            package("twin", "1", "MIT", "registry+here/crates.io-index"),
            package("twin", "2", "MIT", "registry+here/crates.io-index"),
            package("triple", "1", "MIT", "registry+here/crates.io-index"),
            package("triple", "2", "MIT", "registry+here/crates.io-index"),
        ];
        assert_eq!(licenses(&rules, &packages).unwrap(), ["leaky 1.1.0: license OFL-1.1 is not allowed"]);
        assert_eq!(sources(&packages), ["leaky 1.1.0: unknown source git+there"]);
        assert_eq!(banned(&rules, &packages).unwrap(), ["leaky 1.1.0 is banned: it leaks"]);
        assert_eq!(
            duplicates(&rules, &packages).unwrap(),
            [
                "triple is there in several versions: 1.0.0, 2.0.0",
                "bans.skip lists alone, which is there once or not at all"
            ]
        );
    }

    #[test]
    fn the_fuzzers_use_the_packages_of_the_workspace_and_few_others() {
        let lock: Table = r#"
            [[package]]
            name = "eocc-fuzz"
            version = "0.1.0"
            [[package]]
            name = "twin"
            version = "1.0.0"
            source = "registry+here/crates.io-index"
            [[package]]
            name = "twin"
            version = "2.0.0"
            source = "registry+here/crates.io-index"
            [[package]]
            name = "libfuzzer-sys"
            version = "0.4.1"
            source = "git+there"
        "#
        .parse()
        .unwrap();
        let packages = [package("twin", "1", "MIT", "registry+here/crates.io-index")];
        let mut faults = Vec::new();
        let found = of_fuzz(&lock, &packages, &mut faults).unwrap();
        assert_eq!(faults, ["fuzz/Cargo.lock has twin 2.0.0, which the workspace does not use"]);
        assert_eq!(sources(&found), ["libfuzzer-sys 0.4.1: unknown source git+there"]);
        let rules: Table = "[licenses]\nallow = [\"MIT\"]".parse().unwrap();
        assert_eq!(licenses(&rules, &found).unwrap().len(), 1);
    }
}
