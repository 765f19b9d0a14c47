//! Steps of a chore: programs and checks run from the root of the workspace, each timed.

use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};

use crate::root;

/// The steps run so far, and how long they took.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    took: Vec<(String, Duration)>,
    /// Whether to buffer the output of programs until they are done, so that two lanes don't mix it.
    is_buffered: bool,
}

impl Steps {
    /// Runs `cargo` with these words, split at blanks.
    pub(crate) fn cargo(&mut self, name: &str, words: &str) -> Result<()> {
        self.run(name, Command::new("cargo").args(words.split_whitespace()))
    }

    /// Runs a program from the root of the workspace. The step fails if the program does.
    pub(crate) fn run(&mut self, name: &str, command: &mut Command) -> Result<()> {
        let args: Vec<_> = command.get_args().map(|a| a.to_string_lossy().into_owned()).collect();
        let program = command.get_program().to_string_lossy().into_owned();
        let title = format!("== {name}: {program} {}", args.join(" "));
        let is_buffered = self.is_buffered;
        self.time(name, || {
            let command = command.current_dir(root()?);
            let context = || format!("{program} could not be started");
            let status = if is_buffered {
                let Output { status, stdout, stderr } = command.output().with_context(context)?;
                eprint!("{title}\n{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
                status
            } else {
                eprintln!("{title}");
                command.status().with_context(context)?
            };
            if !status.success() {
                bail!("{name} failed");
            }
            Ok(())
        })
    }

    /// Runs a check implemented here.
    pub(crate) fn check(&mut self, name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        eprintln!("== {name}");
        self.time(name, || check().with_context(|| format!("{name} failed")))
    }

    /// Runs two lanes of steps in parallel, both to their end, and fails if one of them does. The first shows its output
    /// as it comes, the second step by step.
    pub(crate) fn side_by_side(
        &mut self,
        one: impl FnOnce(&mut Steps) -> Result<()> + Send,
        other: impl FnOnce(&mut Steps) -> Result<()> + Send,
    ) -> Result<()> {
        let (mut first, mut second) = (Self::default(), Self { is_buffered: true, ..Self::default() });
        let results = thread::scope(|scope| {
            let handle = scope.spawn(|| one(&mut first));
            let other = other(&mut second);
            [handle.join().unwrap_or_else(|_| Err(anyhow!("a step panicked"))), other]
        });
        let in_parallel = |(name, took): (String, Duration)| (format!("{name} (in parallel)"), took);
        self.took.extend(first.took.into_iter().map(in_parallel));
        self.took.extend(second.took.into_iter().map(in_parallel));
        results.into_iter().collect()
    }

    fn time(&mut self, name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
        let start = Instant::now();
        let result = work();
        self.took.push((name.to_owned(), start.elapsed()));
        result
    }

    /// One line per step, and one for the whole run with its duration.
    pub(crate) fn table(&self, total: Duration) -> String {
        let width = self.took.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(5);
        let line = |name: &str, took: Duration| format!("{name:<width$} {:>7.1} s\n", took.as_secs_f64());
        let mut table: String = self.took.iter().map(|(name, took)| line(name, *took)).collect();
        table += &line("total", total);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lanes_run_to_their_end_and_one_failure_fails_the_whole() {
        let mut steps = Steps::default();
        let done = steps.side_by_side(
            |lane| lane.check("bad", || bail!("no")),
            |lane| {
                lane.check("slow", || {
                    thread::sleep(Duration::from_millis(20));
                    Ok(())
                })
            },
        );
        assert!(done.is_err());
        let table = steps.table(Duration::from_secs(1));
        assert!(table.contains("bad (in parallel)") && table.contains("slow (in parallel)"), "{table}");
    }
}
