//! The inputs: small valid files, and files that were once found to be hostile, in `testdata/fuzz`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::targets::Target;

/// The folder of all corpora.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/fuzz")
}

/// The corpus of a target: its own valid files, and those in its folder, sorted by name.
pub fn corpus(target: &Target) -> Result<Vec<Vec<u8>>> {
    let mut all = (target.seeds)();
    let folder = folder().join(target.name);
    if folder.is_dir() {
        let mut paths: Vec<PathBuf> = fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
        paths.sort_unstable();
        for path in paths {
            all.push(fs::read(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(all)
}
