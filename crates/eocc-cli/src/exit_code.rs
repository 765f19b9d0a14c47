//! The exit codes, documented in `--help`, and the last line a failing run prints.

use std::process::ExitCode;

use eocc_data::{DataError, ReadError};

use crate::hint::hint;
use crate::terminal;

/// A sample was rejected, and this was to be reported.
pub(crate) const REJECTED: u8 = 1;
/// A parameter is out of range; clap uses the same code for a faulty command line.
const USAGE: u8 = 2;
/// The data cannot be used.
const DATA: u8 = 3;
/// The model file cannot be used.
const MODEL: u8 = 4;
/// A file cannot be read or written.
const FILES: u8 = 5;
/// The run would not fit in memory.
pub(crate) const MEMORY: u8 = 6;
/// An internal error of the program.
pub(crate) const INTERNAL: u8 = 70;
/// Stopped by Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;
/// Stopped because its terminal was closed: 128 plus the number of the signal.
pub(crate) const HUNG_UP: u8 = 129;
/// Stopped by TERM.
pub(crate) const TERMINATED: u8 = 143;

/// Prints the error on standard error, and returns the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    let is_interrupted = crate::interrupt::is_interrupted();
    if is_closed_pipe(error) {
        // The reader of our output has seen enough, like `head`; or Ctrl-C ended it, too.
        return if is_interrupted { ExitCode::from(crate::interrupt::code()) } else { ExitCode::SUCCESS };
    }
    let hint = hint(error).map_or_else(String::new, |hint| format!(" {hint}"));
    terminal::say(&format!("error: {error:#}{hint}"));
    let code = match code(error) {
        // Ctrl-C has also ended the writer of our input, so we have only half of it.
        DATA if is_interrupted => crate::interrupt::code(),
        code => code,
    };
    ExitCode::from(code)
}

fn code(error: &anyhow::Error) -> u8 {
    let read = error.downcast_ref::<ReadError>();
    if let Some(e) = error.downcast_ref::<eocc_core::Error>().or_else(|| read.and_then(ReadError::library)) {
        return match e {
            e if e.is_parameter() => USAGE,
            e if e.is_model_file() => MODEL,
            e if e.is_io() => FILES,
            e if e.is_memory() => MEMORY,
            e if e.is_cancelled() => crate::interrupt::code(),
            _ => DATA,
        };
    }
    if let Some(e) = error.downcast_ref::<DataError>().or_else(|| read.and_then(ReadError::data)) {
        return match e {
            e if e.is_io() => FILES,
            e if e.is_memory() => MEMORY,
            e if e.is_cancelled() => crate::interrupt::code(),
            _ => DATA,
        };
    }
    if error.downcast_ref::<std::io::Error>().is_some() {
        return FILES;
    }
    DATA
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<DataError>().is_some_and(DataError::is_closed_pipe)
        || error.downcast_ref::<std::io::Error>().is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
}

/// After a panic, whose message has been printed.
pub(crate) fn internal() -> ExitCode {
    terminal::say("error: this is a fault of eocc, not of your data; please report it with the lines above");
    ExitCode::from(INTERNAL)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::{DATA, FILES, HUNG_UP, INTERNAL, INTERRUPTED, MEMORY, MODEL, REJECTED, TERMINATED, USAGE};
    use crate::cli::Cli;

    #[test]
    fn the_help_lists_every_code() {
        let help = Cli::command().render_long_help().to_string();
        let codes = help.lines().skip_while(|line| *line != "Exit codes:").skip(1);
        let listed: Vec<u8> = codes.map_while(|line| line.split_whitespace().next()?.parse().ok()).collect();
        let mut known =
            [0, REJECTED, USAGE, DATA, MODEL, FILES, MEMORY, INTERNAL, INTERRUPTED, HUNG_UP, TERMINATED];
        known.sort_unstable();
        assert_eq!(listed, known);
    }
}
