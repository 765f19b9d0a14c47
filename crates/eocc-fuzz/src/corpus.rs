//! The inputs: small valid files; files that were once found to be hostile, in `testdata/fuzz`; and inputs that
//! coverage-guided fuzzing found to reach other branches, in `testdata/fuzz/kept`.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flate2::read::GzDecoder;

use crate::targets::Target;

/// The folder of all corpora.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fuzz")
}

/// The corpus of a target: its own valid files, those in its folder, and those in its archive, sorted by name.
pub fn corpus(target: &Target) -> Result<Vec<Vec<u8>>> {
    let mut all = (target.seeds)();
    let own = folder().join(target.name);
    if own.is_dir() {
        let mut paths: Vec<PathBuf> = fs::read_dir(&own)?.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            all.push(fs::read(&path).with_context(|| path.display().to_string())?);
        }
    }
    all.extend(kept(&folder().join("kept").join(format!("{}.tar.gz", target.name)))?);
    Ok(all)
}

/// The inputs in an archive that `scripts/coverage_fuzz.sh keep` writes; none if there is no such file.
fn kept(path: &Path) -> Result<Vec<Vec<u8>>> {
    let mut all = Vec::new();
    if !path.exists() {
        return Ok(all);
    }
    let context = || path.display().to_string();
    let file = File::open(path).with_context(context)?;
    for entry in tar::Archive::new(GzDecoder::new(file)).entries().with_context(context)? {
        let mut entry = entry.with_context(context)?;
        if entry.header().entry_type().is_file() {
            let mut input = Vec::new();
            entry.read_to_end(&mut input).with_context(context)?;
            all.push(input);
        }
    }
    Ok(all)
}
