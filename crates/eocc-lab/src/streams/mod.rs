//! `streams`: what is claimed of streams, measured on synthetic ones: false alarms, rejected shares, delays, new regions, bursts,
//! concepts that come back, memory.

mod alarms;
mod comparisons;
mod data;
mod regions;
mod robustness;

use anyhow::Result;
use eocc_core::stream::{Stream, StreamParams};
use eocc_core::{OneClass, Vectors};
use rayon::prelude::*;

use crate::cli::{StreamPart, StreamsArgs};

/// Makes the report. Of a page that exists already, only the sections of these parts are replaced.
pub fn run(args: &StreamsArgs) -> Result<Option<String>> {
    let old = args.output.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
    let mut report = old.unwrap_or_else(|| HEAD.to_owned());
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
                StreamPart::Comparisons => comparisons::comparisons()?,
            };
            report = with_section(&report, &text);
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

const HEAD: &str = "# Streams

Written by `cargo run --release -p eocc-lab -- streams --runs 200`, one part after another (`--parts`). All streams are synthetic and \
seeded. Unless a table says otherwise, parameters have their default values: a window of 512, a warm-up of 256, `guard`, and one \
expected false alarm per 10,000 observations. The window is fitted like `fit` does, but without panels.
";

/// What follows is written by a script.
const MARK: &str = "\n<!--";

/// The page with this section in place of the one with the same title; a new one comes last.
fn with_section(page: &str, section: &str) -> String {
    let title = format!("\n{}\n", section.lines().next().unwrap_or_default());
    let end_of = |from: usize| {
        let ends = ["\n## ", MARK].map(|end| page[from..].find(end).map_or(page.len(), |at| from + at));
        ends[0].min(ends[1])
    };
    let (start, end) = match page.find(&title) {
        Some(start) => (start, end_of(start + title.len())),
        None => [page.find(MARK).unwrap_or(page.len()); 2].into(),
    };
    format!(
        "{}\n{}\n{}",
        page[..start].trim_end_matches('\n').to_owned() + "\n",
        section.trim_end(),
        &page[end..]
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_takes_the_place_of_the_old_one() {
        let page = "# P\n\nHead.\n\n## A\n\nold\n\n## B\n\nby hand\n\n<!-- script -->\n\n## C\n";
        let new = with_section(page, "## A\n\nnew\n");
        assert_eq!(new, page.replace("old", "new"));
        assert_eq!(with_section(&new, "## A\n\nnew"), new);
        let last = with_section(page, "## D\n\nmore\n");
        assert_eq!(last, page.replace("by hand\n", "by hand\n\n## D\n\nmore\n"));
        assert_eq!(with_section("# P\n", "## A\n\nx\n"), "# P\n\n## A\n\nx\n");
    }
}
