//! Bursts, shifts that nobody confirms, concepts that come back, and memory.

use std::fmt::Write as _;

use anyhow::Result;
use eocc_core::random::Random;
use eocc_core::stream::{EventKind, Observed, Policy};

use super::data::{self, Rows};
use super::{each, mean, params, started};
use crate::cli::StreamsArgs;

fn three_modes(n: usize, seed: u64) -> Rows {
    let mut random = Random::new(seed);
    let centers = [[0.0, 0.0, 0.0], [7.0, 0.0, 0.0], [0.0, 7.0, 0.0]];
    (0..n).map(|_| centers[random.below(3)].iter().map(|c| c + random.normal()).collect()).collect()
}

fn share(observed: &[Observed], is: impl Fn(&Observed) -> bool) -> f64 {
    observed.iter().filter(|o| is(o)).count() as f64 / observed.len() as f64
}

/// The samples that `guard` rejects, and those that return.
pub(super) fn bursts_and_returns(args: &StreamsArgs) -> Result<String> {
    let runs = (args.runs / 10).max(2);
    let burst = each(runs, |seed| {
        let mut rows = three_modes(2400, seed);
        let mut random = Random::new(900 + seed);
        for row in &mut rows[1400..1800] {
            *row = [3.5, 3.5, 5.0].iter().map(|c| c + 0.1 * random.normal()).collect();
        }
        let observed = started(params(0.02, seed))?.observe_all(&data::vectors(&rows)?)?;
        Ok([
            share(&observed[1400..1800], |o| !o.accepted),
            share(&observed[1400..1800], |o| o.learned),
            share(&observed[1800..], |o| !o.accepted),
        ])
    })?;
    let column = |found: &[[f64; 3]], k: usize| mean(&found.iter().map(|f| f[k]).collect::<Vec<_>>());
    let mut text = format!(
        "## Bursts, shifts and returns\n\nFor each case, there are {runs} streams with three modes in 3 columns; the reject rate is \
         0.02.\n\nOf a burst of 400 nearly equal outliers under `guard`, {:.3} are rejected and {:.3} learned; of the nominals after it, {:.3} \
         are rejected.\n\nThe next table is for a shift of one column under `guard` that nobody confirms, over the 1,000 observations after \
         the change:\n\n| deviations | rejected | in the last 200 |\n|---|---|---|\n",
        column(&burst, 0),
        column(&burst, 1),
        column(&burst, 2)
    );
    for by in [3.0, 4.0, 5.0, 6.0, 8.0, 20.0] {
        let found = each(runs, |seed| {
            let mut rows = three_modes(2400, 100 + seed);
            rows[1400..].iter_mut().for_each(|row| row[2] += by);
            let observed = started(params(0.02, seed))?.observe_all(&data::vectors(&rows)?)?;
            Ok([share(&observed[1400..], |o| !o.accepted), share(&observed[2200..], |o| !o.accepted), 0.0])
        })?;
        writeln!(text, "| {by} | {:.3} | {:.3} |", column(&found, 0), column(&found, 1))?;
    }
    let returns = each(runs, |seed| {
        let mut rows = three_modes(3600, 200 + seed);
        for row in rows[900..1800].iter_mut().chain([]) {
            row[0] += 5.0;
            row[2] += 3.0;
        }
        for row in &mut rows[2700..] {
            row[0] += 5.0;
            row[2] += 3.0;
        }
        let mut parameters = params(0.01, seed);
        parameters.policy = Policy::Follow;
        let mut stream = started(parameters)?;
        stream.observe_all(&data::vectors(&rows)?)?;
        let count = |kind: EventKind| stream.events().filter(|e| e.kind == kind).count() as f64;
        Ok([count(EventKind::Alarm), count(EventKind::Adapted), count(EventKind::Recurred)])
    })?;
    writeln!(
        text,
        "\nIf a concept is followed by another one, and both return, `follow` has on average {:.2} alarms, {:.2} adaptations and {:.2} \
         recognized returns; 3, 1 and 2 are right.",
        column(&returns, 0),
        column(&returns, 1),
        column(&returns, 2)
    )?;
    Ok(text)
}

/// Whether a long stream takes more memory than a short one.
pub(super) fn memory(args: &StreamsArgs) -> Result<String> {
    let mut text = String::from(
        "## Memory\n\nThis is one stream of 5 columns. Resident memory is that of the whole process.\n\n| observations | saved \
         state, bytes | resident, MB |\n|---|---|---|\n",
    );
    let mut stream = started(params(0.01, 0))?;
    let mut random = Random::new(1);
    let (mut seen, mut next) = (0_u64, 10_000_u64);
    while seen < args.observations {
        let rows: Rows = (0..1000).map(|_| (0..5).map(|_| random.normal()).collect()).collect();
        stream.observe_all(&data::vectors(&rows)?)?;
        seen = stream.seen();
        if seen >= next {
            let bytes = stream.to_contents()?.to_bytes().len();
            let resident = resident_megabytes().map_or_else(|| "–".to_owned(), |mb| format!("{mb:.1}"));
            writeln!(text, "| {seen} | {bytes} | {resident} |")?;
            next *= 10;
        }
    }
    text.push_str(GROWTH);
    Ok(text)
}

/// Why the state grows.
const GROWTH: &str = "
The growth has bounds: the state lists up to 512 periods of history, the latest 1,024 events, and the samples and earlier windows that \
open questions and returns of old concepts need (8 of each). Everything else has the size of the window.
";

fn resident_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}
