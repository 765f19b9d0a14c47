//! `streams`: what is claimed of streams, measured on synthetic ones: false alarms, rejected shares, delays, new regions, bursts,
//! concepts that come back, memory.

mod alarms;
mod data;
mod regions;
mod robustness;

use anyhow::Result;
use eocc_core::stream::{Stream, StreamParams};
use eocc_core::{OneClass, Vectors};
use rayon::prelude::*;

use crate::cli::{StreamPart, StreamsArgs};

/// Makes the report.
pub fn run(args: &StreamsArgs) -> Result<Option<String>> {
    let mut report = String::from(
        "# Streams\n\nWritten by `cargo run --release -p eocc-lab -- streams`. All streams are synthetic and seeded. Unless a table says \
         otherwise, parameters have their default values: a window of 512, a warm-up of 256, `guard`, and one expected false alarm per \
         10,000 observations.\n",
    );
    for part in StreamPart::ALL {
        if args.parts.is_empty() || args.parts.contains(&part) {
            eprintln!("{}", part.name());
            let text = match part {
                StreamPart::False => alarms::without_a_change(args)?,
                StreamPart::Dependence => alarms::serial_dependence(args)?,
                StreamPart::Delays => alarms::delays(args)?,
                StreamPart::Regions => regions::new_regions(args)?,
                StreamPart::Bursts => robustness::bursts_and_returns(args)?,
                StreamPart::Memory => robustness::memory(args)?,
            };
            report.push('\n');
            report.push_str(&text);
        }
    }
    match &args.output {
        Some(path) => {
            eocc_core::atomic::atomic_write(path, |file| file.write_all(report.as_bytes()))?;
            Ok(None)
        }
        None => Ok(Some(report)),
    }
}

/// The parameters of all runs but for the share to reject.
fn params(reject: f64, seed: u64) -> StreamParams {
    let mut params = StreamParams::default();
    params.one_class = OneClass::default().reject(reject).seed(seed);
    params
}

fn started(params: StreamParams) -> Result<Stream<Vectors>> {
    Ok(Stream::<Vectors>::new(params)?)
}

/// One result for each seed, on all threads.
fn each<T: Send>(runs: usize, of: impl Fn(u64) -> Result<T> + Sync) -> Result<Vec<T>> {
    (0..runs as u64).into_par_iter().map(&of).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
