//! What the wheel makes cargo compile again although the tests have compiled it, since the two ask for other features.
//!
//! Minutes hang on it, and nothing else shows it: one more feature somewhere below, and the matrix product and all above it are
//! there twice.

use std::collections::{BTreeSet, HashSet};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::root;

/// The features that the wheel of the tests is built with.
pub(crate) const WHEEL: &str = "shared,eocc-data/arrow,eocc-data/parquet,eocc-data/zstd,eocc-report/default";

/// The packages that are compiled twice.
pub(crate) fn packages() -> Result<BTreeSet<String>> {
    let tests = Graph::of("test --workspace --all-features --no-run")?;
    let wheel =
        Graph::of(&format!("build --lib --manifest-path bindings/python/Cargo.toml --features {WHEEL}"))?;
    let known: HashSet<String> = (0..tests.units.len()).map(|unit| tests.fingerprint(unit)).collect();
    let packages: HashSet<&str> = (0..tests.units.len()).map(|unit| tests.package(unit)).collect();
    let again = (0..wheel.units.len()).filter(|&unit| !known.contains(&wheel.fingerprint(unit)));
    // What only the wheel needs is compiled once.
    Ok(again
        .map(|unit| wheel.package(unit))
        .filter(|package| packages.contains(package))
        .map(str::to_owned)
        .collect())
}

/// What cargo would compile.
struct Graph {
    units: Vec<Value>,
}

impl Graph {
    fn of(words: &str) -> Result<Self> {
        let asked = Command::new("cargo")
            .args(words.split(' '))
            .args(["--unit-graph", "-Z", "unstable-options"])
            // Leave to use what is unstable; nothing is compiled.
            .env("RUSTC_BOOTSTRAP", "1")
            .current_dir(root()?)
            .output()
            .context("cargo could not be started")?;
        if !asked.status.success() {
            bail!("cargo shows no units: {}", String::from_utf8_lossy(&asked.stderr).trim());
        }
        let mut graph: Value = serde_json::from_slice(&asked.stdout)?;
        match graph["units"].take() {
            Value::Array(units) => Ok(Self { units }),
            _ => bail!("cargo shows no units"),
        }
    }

    /// The package, such as `eocc#0.1.0` or `crates.io-index#faer@0.24.4`.
    fn package(&self, unit: usize) -> &str {
        let id = self.units[unit]["pkg_id"].as_str().unwrap_or_default();
        id.rsplit('/').next().unwrap_or_default()
    }

    /// What decides whether two units are one: package, target, profile, features, and the same of all below.
    fn fingerprint(&self, unit: usize) -> String {
        let mut open = vec![unit];
        let mut seen = BTreeSet::new();
        let mut all = BTreeSet::new();
        while let Some(unit) = open.pop() {
            if !seen.insert(unit) {
                continue;
            }
            let v = &self.units[unit];
            let mut profile = v["profile"].clone();
            // `test` and `dev` are the same in all but name.
            profile["name"] = Value::Null;
            let parts =
                [&v["pkg_id"], &v["target"]["name"], &v["mode"], &v["features"], &v["platform"], &profile];
            all.insert(parts.map(Value::to_string).join(" "));
            let below = v["dependencies"].as_array().into_iter().flatten();
            open.extend(below.filter_map(|d| d["index"].as_u64()).map(|index| index as usize));
        }
        // The unit itself first, so that two with the same set below are not taken for each other.
        let own = &self.units[unit];
        format!("{} {} {all:?}", own["pkg_id"], own["target"])
    }
}
