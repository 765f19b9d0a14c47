//! `eocc man`.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory as _;
use clap_mangen::Man;
use eocc_core::Error;

use crate::cli::{Cli, ManArgs};

pub(crate) fn run(args: &ManArgs) -> Result<ExitCode> {
    let pages = pages();
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        for (name, command) in pages {
            let text = rendered(command)?;
            eocc_data::atomic_write(&folder.join(format!("{name}.1")), |out| out.write_all(&text))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = args.command.as_ref().map_or_else(|| "eocc".to_owned(), |command| format!("eocc-{command}"));
    let names: Vec<String> = pages.iter().skip(1).map(|(name, _)| name["eocc-".len()..].to_owned()).collect();
    let Some((_, page)) = pages.into_iter().find(|(name, _)| *name == wanted) else {
        let given = args.command.clone().unwrap_or_default();
        return Err(Error::parameter("command", given, format!("one of {}", names.join(", "))).into());
    };
    crate::stdout::open()?.write_all(&rendered(page)?)?;
    Ok(ExitCode::SUCCESS)
}

/// The program and its commands, each with the name of its page.
fn pages() -> Vec<(String, clap::Command)> {
    let mut program = Cli::command();
    // Completes the commands' names and adds the global options.
    program.build();
    let named = |command: &clap::Command| (format!("eocc-{}", command.get_name()), command.clone());
    let commands: Vec<_> =
        program.get_subcommands().filter(|command| command.get_name() != "help").map(named).collect();
    [("eocc".to_owned(), program)].into_iter().chain(commands).collect()
}

fn rendered(command: clap::Command) -> Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command).render(&mut text)?;
    Ok(text)
}
