//! False alarms and delays.

use std::fmt::Write as _;

use anyhow::Result;
use eocc_core::random::Random;
use eocc_core::stream::{AlarmRate, EventKind, Stream, StreamParams};
use eocc_core::{Texts, Vectors};

use super::data::{self, Change, Rows};
use super::{each, mean, median, params, started};
use crate::cli::StreamsArgs;

/// Observations of a stream without a change.
const LONG: usize = 4000;

/// How many streams without a change alarm.
pub(super) fn without_a_change(args: &StreamsArgs) -> Result<String> {
    let mut text = format!(
        "## False alarms\n\nThis is the fraction of {} streams without a change in which an alarm is raised within {LONG} observations. \
         The bound is 0.40; with `--ever 0.05`, it is 0.05 for streams of any length.\n\n| stream | fraction with an alarm |\n|---|---|\n",
        args.runs
    );
    let rate = StreamParams::default().alarm_rate;
    let numbers = |rate: AlarmRate, rows: &(dyn Fn(u64) -> Rows + Sync)| -> Result<f64> {
        let alarms = each(args.runs, |seed| {
            let mut parameters = params(0.01, seed);
            parameters.alarm_rate = rate;
            let mut stream = started(parameters)?;
            let observed = stream.observe_all(&data::vectors(&rows(seed))?)?;
            Ok(f64::from(u8::from(observed.iter().any(|o| o.alarm.is_some()))))
        })?;
        Ok(mean(&alarms))
    };
    let n = 256 + LONG;
    for columns in [1, 5, 20] {
        let share = numbers(rate, &|seed| data::normals(n, columns, 10_000 + seed))?;
        writeln!(text, "| independent, {columns} columns | {share:.3} |")?;
    }
    let ever = numbers(AlarmRate::Ever(0.05), &|seed| data::normals(n, 5, 10_000 + seed))?;
    writeln!(text, "| independent, 5 columns, `--ever 0.05` | {ever:.3} |")?;
    let ties = numbers(rate, &|seed| {
        let mut random = Random::new(20_000 + seed);
        (0..n).map(|_| vec![(3.0 * random.uniform()).floor(), (5.0 * random.normal()).round()]).collect()
    })?;
    writeln!(text, "| ties: two columns of few values | {ties:.3} |")?;
    let constant = numbers(rate, &|seed| {
        let rows = data::normals(n, 2, 30_000 + seed).into_iter();
        rows.map(|row| vec![row[0], 5.0, row[1], 0.0]).collect()
    })?;
    writeln!(text, "| two of four columns are constant | {constant:.3} |")?;
    let modes = numbers(rate, &|seed| data::changing(Change::NoneOfModes, 5, n, 0, seed))?;
    writeln!(text, "| three modes, 5 columns | {modes:.3} |")?;
    let strings = each(args.runs, |seed| {
        let mut parameters = params(0.01, seed);
        (parameters.window, parameters.warm_up) = (128, 128);
        let mut stream = Stream::<Texts>::new(parameters)?;
        let observed = stream.observe_all(&Texts::new(data::words(128 + LONG, seed))?)?;
        Ok(f64::from(u8::from(observed.iter().any(|o| o.alarm.is_some()))))
    })?;
    writeln!(text, "| strings, window 128 | {:.3} |", mean(&strings))?;
    Ok(text)
}

/// Rejected shares and false alarms where observations depend on those before.
pub(super) fn serial_dependence(args: &StreamsArgs) -> Result<String> {
    let runs = (args.runs / 10).clamp(8, 40);
    let mut text = format!(
        "## Serial dependence\n\nColumns follow an autoregression of order 1. There are {runs} streams with 5 columns and 5,000 observations \
         after the warm-up; the reject rate is 0.02. The goal, for coefficients up to 0.9, is a mean rejected fraction from 0.015 \
         to 0.025 (single streams vary) and at most 1 alarm per 10,000.\n\n| coefficient | rejected | in single streams | alarms per 10,000 | step |\n|---|---|---|---|---|\n"
    );
    for coefficient in [0.0, 0.3, 0.5, 0.6, 0.9, 0.99] {
        let found = each(runs, |seed| {
            let mut stream = started(params(0.02, seed))?;
            let rows = data::autoregressive(5256, 5, coefficient, 40_000 + seed);
            let observed = stream.observe_all(&data::vectors(&rows)?)?;
            let rejected = observed[256..].iter().filter(|o| !o.accepted).count() as f64 / 5000.0;
            let alarms = stream.events().filter(|event| event.kind == EventKind::Alarm).count();
            Ok((rejected, alarms as f64 * 2.0, stream.step() as f64))
        })?;
        let shares: Vec<f64> = found.iter().map(|f| f.0).collect();
        let (low, high) = shares.iter().fold((1.0_f64, 0.0_f64), |(l, h), s| (l.min(*s), h.max(*s)));
        let alarms = mean(&found.iter().map(|f| f.1).collect::<Vec<_>>());
        let step = median(found.iter().map(|f| f.2).collect());
        writeln!(
            text,
            "| {coefficient} | {:.4} | {low:.4} to {high:.4} | {alarms:.2} | {step} |",
            mean(&shares)
        )?;
    }
    Ok(text)
}

/// The delay of the prototype, in the order of [`Change::ALL`]: with 5 % of streams without a change alarming, and by the
/// rate.
const PROTOTYPE: [(usize, [Option<f64>; 8]); 3] = [
    (5, [Some(48.0), Some(501.0), Some(37.0), Some(37.0), Some(9.0), Some(20.0), Some(47.0), Some(48.0)]),
    (20, [Some(93.0), Some(767.0), Some(12.0), Some(14.0), Some(5.0), Some(23.0), Some(48.0), Some(93.0)]),
    (1, [Some(26.0), Some(389.0), Some(100.0), Some(154.0), None, Some(22.0), Some(49.0), Some(26.0)]),
];

/// How long after a change the alarm comes.
pub(super) fn delays(args: &StreamsArgs) -> Result<String> {
    let (runs, nulls) = (30.min(args.runs), args.runs.min(120));
    let mut text = format!(
        "## Delays\n\nThe window is 1,000, and the change comes 1,500 observations after it. Cells have the median delay over {runs} streams, \
         and the fraction of streams without an alarm within 2,500 observations (*missed*). *At 5 %* uses the threshold at which 5 % of \
         {nulls} streams without a change raise an alarm within {LONG} observations, as in the measurements of the prototype. *By the \
         rate* uses one false alarm per 10,000, without any tuning.\n"
    );
    let mut later = Vec::new();
    for (columns, prototype) in PROTOTYPE {
        let null = |seed: u64| {
            let change = if seed.is_multiple_of(2) { Change::None } else { Change::NoneOfModes };
            let rows = data::changing(change, columns, 1000 + LONG, 0, 5000 + seed);
            Ok(levels(&rows)?.into_iter().fold(0.0, f64::max))
        };
        let mut largest = each(nulls, null)?;
        largest.sort_unstable_by(f64::total_cmp);
        let tuned = largest[(0.95 * nulls as f64) as usize];
        writeln!(
            text,
            "\n### {columns} columns\n\nBy the rate, {:.3} of the streams without a change raise an alarm. At 5 %, the rate is {:.1e}.\n\n| change | at 5 % | missed | \
             prototype | by the rate | missed |\n|---|---|---|---|---|---|",
            largest.iter().filter(|l| **l >= 1e4).count() as f64 / nulls as f64,
            1.0 / tuned
        )?;
        for (change, known) in Change::ALL.into_iter().zip(prototype) {
            if columns == 1 && change == Change::Correlation {
                continue;
            }
            let found = each(runs, |seed| {
                let levels = levels(&data::changing(change, columns, 2500, 2500, seed))?;
                let delay = |threshold: f64| {
                    let after = &levels[1500..];
                    after.iter().position(|level| *level >= threshold).map_or(f64::INFINITY, |at| at as f64)
                };
                Ok((delay(tuned), delay(1e4)))
            })?;
            let show = |delays: Vec<f64>| {
                let missed = delays.iter().filter(|d| d.is_infinite()).count() as f64 / delays.len() as f64;
                (median(delays), missed)
            };
            let (at, missed_at) = show(found.iter().map(|f| f.0).collect());
            let (by, missed_by) = show(found.iter().map(|f| f.1).collect());
            if let Some(known) = known.filter(|known| at > 1.2 * known) {
                later.push(format!("{} in {columns} columns ({at} instead of {known})", change.name()));
            }
            let known = known.map_or_else(|| "–".to_owned(), |k| format!("{k}"));
            writeln!(
                text,
                "| {} | {at} | {missed_at:.2} | {known} | {by} | {missed_by:.2} |",
                change.name()
            )?;
        }
    }
    let except =
        if later.is_empty() { String::new() } else { format!(", except for these: {}", later.join("; ")) };
    writeln!(
        text,
        "\nAt 5 %, delays are within 20 % of the prototype's, or shorter{except}. The threshold is estimated from {nulls} streams here \
         and from fewer there. Medians of {runs} streams vary; the same changes in other streams are [below](#delays-next-to-other-detectors)."
    )?;
    Ok(text)
}

/// The statistic of the alarm after each observation that follows a warm-up of 1,000. No alarm is ever raised.
fn levels(rows: &Rows) -> Result<Vec<f64>> {
    const NEVER: f64 = 1e-300;
    let mut parameters = params(0.01, 0);
    (parameters.window, parameters.warm_up) = (1000, 1000);
    parameters.alarm_rate = AlarmRate::PerObservation(NEVER);
    // Alarms depend only on the frozen reference, not on what is learned.
    parameters.refresh = Some(rows.len());
    let mut stream: Stream<Vectors> = started(parameters)?;
    stream.observe_all(&data::vectors(&rows[..1000])?)?;
    let rest = data::vectors(&rows[1000..])?;
    let level = |row: usize| {
        stream.observe(&rest, row)?;
        Ok(stream.alarm_level() / NEVER)
    };
    (0..rows.len() - 1000).map(level).collect()
}
