//! Steps of a chore: programs and checks run from the root of the workspace, each with the time it took.

use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::root;

/// What has been done so far, and how long it took.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    took: Vec<(String, Duration)>,
}

impl Steps {
    /// Runs `cargo` with these words, split at blanks.
    pub(crate) fn cargo(&mut self, name: &str, words: &str) -> Result<()> {
        self.run(name, Command::new("cargo").args(words.split_whitespace()))
    }

    /// Runs a program from the root of the workspace; a failure of it is one of the step.
    pub(crate) fn run(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let args: Vec<_> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        let program = command.get_program().to_string_lossy().into_owned();
        eprintln!("== {name}: {program} {}", args.join(" "));
        self.time(name, || {
            let status = command
                .current_dir(root()?)
                .status()
                .with_context(|| format!("{program} could not be started"))?;
            if !status.success() {
                bail!("{name} failed");
            }
            Ok(())
        })
    }

    /// Runs a check of our own.
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        eprintln!("== {name}");
        self.time(name, || check().with_context(|| format!("{name} failed")))
    }

    fn time(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let start = Instant::now();
        let result = work();
        self.took.push((name.to_owned(), start.elapsed()));
        result
    }

    /// A line for each step, and one for all.
    pub(crate) fn table(&self) -> String {
        let width = self.took.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(5);
        let line = |name: &str, took: Duration| format!("{name:<width$} {:>7.1} s\n", took.as_secs_f64());
        let mut table: String = self.took.iter().map(|(name, took)| line(name, *took)).collect();
        table += &line("total", self.took.iter().map(|(_, took)| *took).sum());
        table
    }
}
