//! Running the program as a user would.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

/// The program, ready to be started in `folder`.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_eocc"));
    command.current_dir(folder);
    command
}

/// Runs with these words, split at blanks, and this standard input.
pub(crate) fn run_with(folder: &Path, words: &str, input: &[u8]) -> Run {
    let mut child = program(folder)
        .args(words.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let done = std::thread::scope(|scope| {
        // On another thread, since the program may write before it has read everything, or exit without reading it.
        scope.spawn(move || {
            let _ = stdin.write_all(input);
        });
        child.wait_with_output().unwrap()
    });
    Run {
        code: done.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&done.stdout).into_owned(),
        err: String::from_utf8_lossy(&done.stderr).into_owned(),
    }
}

/// Runs with these words.
#[allow(dead_code)] // not every test file needs it
pub(crate) fn run(folder: &Path, words: &str) -> Run {
    run_with(folder, words, b"")
}

/// Runs and expects success.
#[allow(dead_code)]
pub(crate) fn ok(folder: &Path, words: &str) -> Run {
    let done = run(folder, words);
    assert_eq!(done.code, 0, "{words}\n{}", done.err);
    done
}

/// A CSV file of two Gaussian-like classes, 60 `good` around the origin and 20 `bad` around (6, 6), without any
/// random generator: a low-discrepancy sequence.
#[allow(dead_code)]
pub(crate) fn classes(folder: &Path) -> PathBuf {
    let mut text = String::from("a,b,class\n");
    let row = |i: usize, shift: f64, class: &str| {
        let t = |p: f64| (i as f64 * p).fract();
        format!("{:.6},{:.6},{class}\n", shift + 2.0 * t(0.754_877_666), shift + 2.0 * t(0.569_840_290))
    };
    for i in 1..=60 {
        text += &row(i, 0.0, "good");
    }
    for i in 1..=20 {
        text += &row(i, 6.0, "bad");
    }
    let path = folder.join("classes.csv");
    std::fs::write(&path, text).unwrap();
    path
}

/// Everything in the JSON result of a comparison except the times.
pub(crate) fn without_times(text: &str) -> serde_json::Value {
    let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
    for result in value["results"].as_array_mut().unwrap() {
        let result = result.as_object_mut().unwrap();
        result.remove("fit_seconds");
        result.remove("seconds_per_1000_scores");
    }
    value
}
