//! `eocc completions`.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;

use crate::cli::{Cli, CompletionsArgs};

pub(crate) fn run(args: &CompletionsArgs) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "eocc", &mut script);
    crate::stdout::open()?.write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
