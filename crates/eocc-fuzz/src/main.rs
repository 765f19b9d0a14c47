//! Runs all targets for some minutes, and reports the results: `cargo xtask fuzz --minutes N`.

use std::alloc::System;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use cap::Cap;
use eocc_fuzz::{Finding, Limits, Report, TARGETS, Target, run};

#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

const HELP: &str = "\
Usage: eocc-fuzz [--minutes N] [--inputs N] [--seed N] [TARGET]...

Feeds every target, or those named, with inputs until N minutes or N inputs are over, divided equally among them. Inputs that
are answered badly are written to the present folder.";

fn main() -> Result<ExitCode> {
    let mut args = std::env::args().skip(1);
    let (mut minutes, mut inputs, mut seed, mut names) = (10.0, u64::MAX, 1, Vec::new());
    while let Some(word) = args.next() {
        let mut value = || args.next().with_context(|| format!("{word} needs a number"));
        match word.as_str() {
            "--minutes" => minutes = value()?.parse().context("--minutes")?,
            "--inputs" => inputs = value()?.parse().context("--inputs")?,
            "--seed" => seed = value()?.parse().context("--seed")?,
            "--help" => {
                writeln!(std::io::stderr(), "{HELP}")?;
                return Ok(ExitCode::SUCCESS);
            }
            _ => names.push(word),
        }
    }
    let chosen: Vec<&Target> = TARGETS
        .iter()
        .filter(|target| names.is_empty() || names.iter().any(|name| name == target.name))
        .collect();
    anyhow::ensure!(
        !chosen.is_empty(),
        "no such target; there are {}",
        TARGETS.iter().map(|t| t.name).collect::<Vec<_>>().join(", ")
    );
    let share = chosen.len() as u32;
    let limits =
        Limits { inputs: inputs / u64::from(share), time: Duration::from_secs_f64(60.0 * minutes) / share };
    let mut out = std::io::stdout();
    writeln!(out, "| target | inputs | accepted | MB | slowest, ms | findings |\n|---|---|---|---|---|---|")?;
    let (mut all, mut bad) = (0, 0);
    for target in chosen {
        let report = run(target, seed, limits, &|| ALLOCATED.max_allocated())?;
        writeln!(out, "{}", row(target, &report))?;
        out.flush()?;
        for (number, finding) in report.findings.iter().enumerate() {
            keep(target, number, finding)?;
        }
        (all, bad) = (all + report.inputs, bad + report.findings.len());
    }
    writeln!(
        out,
        "\n{all} inputs, {bad} findings, at most {} MB held",
        ALLOCATED.max_allocated() / 1_000_000
    )?;
    Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn row(target: &Target, report: &Report) -> String {
    format!(
        "| {} | {} | {} | {:.0} | {:.0} | {} |",
        target.name,
        report.inputs,
        report.accepted,
        report.bytes as f64 / 1e6,
        report.slowest.as_secs_f64() * 1e3,
        report.findings.len()
    )
}

/// Writes an input that failed, to become part of the corpus once it is understood.
fn keep(target: &Target, number: usize, finding: &Finding) -> Result<()> {
    let name = format!("found-{}-{number}", target.name);
    std::fs::write(Path::new(&name), &finding.input)?;
    writeln!(std::io::stderr(), "{name}: {}", finding.what)?;
    Ok(())
}
