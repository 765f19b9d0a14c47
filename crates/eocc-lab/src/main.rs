//! The `eocc-lab` program. Reports go to standard output, everything else to standard error.
//!
//! It does not handle Ctrl-C: every result is in its journal before the next begins, and the same command resumes
//! from there.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser as _;
use eocc_lab::cli::{Cli, Command};
use eocc_lab::{benchmark, leaderboard, reproduce, streams};

fn main() -> ExitCode {
    let cli = Cli::parse();
    // The first call wins; there cannot have been an earlier one.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(cli.threads.unwrap_or(0)).build_global();
    match run(&cli.command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e:#}");
            let is_usage = e.downcast_ref::<eocc_core::Error>().is_some_and(eocc_core::Error::is_parameter);
            // As in the program `eocc`: the command line or the data are at fault.
            ExitCode::from(if is_usage { 2 } else { 3 })
        }
    }
}

fn run(command: &Command) -> Result<()> {
    let report = match command {
        Command::Benchmark(args) => benchmark::run(args)?,
        Command::Leaderboard(args) => leaderboard::run(args)?,
        Command::Reproduce(args) => reproduce::run(args)?,
        Command::Streams(args) => streams::run(args)?,
    };
    if let Some(text) = report {
        writeln!(std::io::stdout().lock(), "{text}")?;
    }
    Ok(())
}
