//! The `eocc` program. Data goes to standard output, everything else to standard error.
#![warn(clippy::print_stderr)] // only `terminal` prints

mod cli;
mod commands;
mod exit_code;
mod facts;
mod hint;
mod interrupt;
mod judging;
mod monitor;
mod output;
mod outputs;
mod progress;
mod request;
mod say;
mod stdout;
mod terminal;
mod threads;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    if cli.quiet {
        say::nothing();
    }
    interrupt::install();
    threads::start(cli.threads);
    // An internal error must not look like an error of the user.
    let result = std::panic::catch_unwind(|| run(cli.command));
    match result {
        Ok(Ok(code)) => code,
        Ok(Err(e)) => exit_code::report(&e),
        Err(_) => exit_code::internal(),
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Fit(args) => commands::fit::run(&args),
        Command::Score(args) => commands::score::run(&args),
        Command::Monitor(args) => commands::monitor::run(&args),
        Command::Outliers(args) => commands::outliers::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Columns(args) => commands::columns::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Report(args) => commands::report::run(&args),
        Command::Plot(args) => commands::plot::run(&args),
        Command::Evaluate(args) => commands::evaluate::run(&args),
        Command::Distances(args) => commands::distances::run(&args),
        Command::Compare(args) => commands::compare::run(&args),
        Command::Proteins(args) => commands::proteins::run(&args),
        Command::Demo(args) => commands::demo::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
        Command::Man(args) => commands::man::run(&args),
    }
}
