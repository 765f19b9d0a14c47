//! Running the program.
#![allow(clippy::unwrap_used)] // helpers of tests

pub(crate) mod collections;

use std::path::Path;
use std::process::Command;

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit code.
    pub(crate) code: i32,
    /// Standard output.
    #[allow(dead_code)] // not every test file needs it
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

/// Runs in `folder` with these words, split at blanks.
pub(crate) fn run(folder: &Path, words: &str) -> Run {
    let done = Command::new(env!("CARGO_BIN_EXE_eocc-lab"))
        .current_dir(folder)
        .args(words.split_whitespace())
        .output()
        .unwrap();
    Run {
        code: done.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// Runs and expects success.
#[allow(dead_code)]
pub(crate) fn ok(folder: &Path, words: &str) -> Run {
    let done = run(folder, words);
    assert_eq!(done.code, 0, "{words}\n{}", done.err);
    done
}
