//! `eocc explain`: why samples are judged as they are.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::{AnyModel, Decision, Error};
use eocc_data::{Batches, DataError, Dataset, Fault, ModelReader, ReadError, ReadRequest};
use eocc_report::report::Why;
use eocc_report::why::Reasons;
use serde_json::Value;

use crate::cli::{ExplainArgs, OnBadRow};
use crate::judging::{BadRow, Judge, ScoredRows, skipping};
use crate::output::{self, counted, number};
use crate::progress::Bar;
use crate::{request, say};

pub(crate) fn run(args: &ExplainArgs) -> Result<ExitCode> {
    let model = request::load(&args.model)?;
    let read = ReadRequest { label: args.label.clone(), ..request::read_request(&args.read, None, None)? };
    let read = skipping(read, args.on_bad_row.unwrap_or(OnBadRow::Skip));
    let reader = request::model_reader(&model, &args.data, args.missing, read)?;
    let (chosen, totals) = chosen(args, &model, reader)?;
    let reasons = Reasons::new(&model, output::STYLE);
    let bar = Bar::new();
    for (at, Chosen { data, decision }) in chosen.iter().enumerate() {
        let explained = model.explain(&data.samples, args.nearest.max(1), &bar);
        let explained =
            explained.map_err(|e| anyhow::Error::new(data.located(e)).context(data.source.clone()))?;
        let Some(explanation) = explained.first() else { continue };
        let one = One { data, decision, why: reasons.why(&data.samples, explanation) };
        if args.json {
            output::json(&one.as_json())?;
        } else {
            output::line(&format!("{}{}", if at > 0 { "\n" } else { "" }, one.as_text()))?;
        }
    }
    drop(bar);
    if args.row.is_empty() && args.id.is_empty() {
        let all = counted(totals.judged, "sample");
        say::line(&format!("{} of {all} rejected, {} explained", totals.rejected, chosen.len()));
    }
    if let Some(first) = &totals.first_bad {
        let all = counted(totals.judged + totals.bad, "row");
        say::warning(&format!("{} of {all} could not be scored; the first: {first}", totals.bad));
    }
    Ok(ExitCode::SUCCESS)
}

/// Rows that a message lists.
const MAX_ROWS: usize = 8;

/// A sample to explain.
struct Chosen {
    data: Dataset,
    decision: Decision,
}

#[derive(Default)]
struct Totals {
    judged: usize,
    rejected: usize,
    /// The row of each.
    rows: Vec<usize>,
    /// How many rows could not be scored, and the error of the first.
    bad: usize,
    first_bad: Option<String>,
}

/// The samples to explain: the requested ones, or the rejected ones, most suspicious first.
fn chosen(args: &ExplainArgs, model: &AnyModel, reader: ModelReader) -> Result<(Vec<Chosen>, Totals)> {
    let mut batches = Batches::open(&args.data, reader.request())?;
    let on_bad_row = args.on_bad_row.unwrap_or(OnBadRow::Skip);
    let mut judge = Judge::new(model, reader, model.params().scoring, on_bad_row).rejecting(args.reject);
    let (mut chosen, mut totals): (Vec<Chosen>, _) = (Vec::new(), Totals::default());
    let is_asked = !args.row.is_empty() || !args.id.is_empty();
    while let Some(judged) = judge.next(&mut batches)? {
        for bad in judged.bad {
            let is_named = bad.name.as_ref().is_some_and(|name| args.id.contains(name));
            if args.row.contains(&bad.row) || is_named {
                return Err(Error::input(bad.message).into());
            }
            if let (None, Some(error)) = (args.on_bad_row, bad.error)
                && is_of_encoding(&error)
            {
                return Err(BadRow(error).into());
            }
            totals.bad += 1;
            totals.first_bad.get_or_insert(bad.message);
        }
        for ScoredRows { data, decisions } in judged.good {
            totals.judged += decisions.len();
            totals.rows.extend((0..decisions.len()).map(|i| data.row(i)));
            totals.rejected += decisions.iter().filter(|d| !d.accepted).count();
            let is_wanted = |i: &usize| {
                let is_named = || args.row.contains(&data.row(*i)) || has_name(&data, *i, &args.id);
                if is_asked { is_named() } else { !decisions[*i].accepted }
            };
            let wanted = (0..decisions.len()).filter(is_wanted);
            chosen.extend(wanted.map(|i| Chosen { data: data.select(&[i]), decision: decisions[i] }));
        }
        if !is_asked {
            chosen.sort_by(|a, b| a.decision.score.total_cmp(&b.decision.score));
            chosen.truncate(args.top);
        }
    }
    let is_absent = |row: &&usize| !chosen.iter().any(|c| c.data.row(0) == **row);
    if let Some(row) = args.row.iter().find(is_absent) {
        let (file, rows) = (args.data.display(), &totals.rows);
        // The row of a window is its first one.
        let allowed = if totals.bad > 0 || rows.iter().copied().eq(0..totals.judged) {
            format!("a row of {file}, which has {}", counted(totals.judged, "row"))
        } else {
            format!("the first row of a sample of {file}: {}", output::shortened(rows, MAX_ROWS))
        };
        return Err(Error::parameter("row", row, allowed).into());
    }
    let is_absent =
        |name: &&String| !chosen.iter().any(|c| has_name(&c.data, 0, std::slice::from_ref(*name)));
    if let Some(name) = args.id.iter().find(is_absent) {
        let allowed = format!("the name of a sample of {}", args.data.display());
        return Err(Error::parameter("id", format!("`{name}`"), allowed).into());
    }
    Ok((chosen, totals))
}

/// Whether the text is in another encoding than expected, which concerns all rows.
fn is_of_encoding(error: &ReadError) -> bool {
    matches!(error.data().map(DataError::fault), Some(Fault::NotUtf8 { .. } | Fault::Undecodable { .. }))
}

/// Whether a sample has one of these names; without names, its number is its name.
fn has_name(data: &Dataset, sample: usize, names: &[String]) -> bool {
    match &data.names {
        Some(own) => names.contains(&own[sample]),
        None => names.contains(&data.row(sample).to_string()),
    }
}

/// One sample to explain.
struct One<'a> {
    data: &'a Dataset,
    decision: &'a Decision,
    why: Why,
}

impl One<'_> {
    fn title(&self) -> String {
        let row = format!("row {}", self.data.row(0));
        match &self.data.names {
            Some(names) => format!("{row}, {}", names[0]),
            None => row,
        }
    }

    fn as_text(&self) -> String {
        let d = self.decision;
        let verdict = if d.accepted { "accepted" } else { "rejected" };
        let mut lines = vec![format!(
            "{}: {verdict}, p-value {}, score {}, region {}",
            self.title(),
            number(d.p_value),
            number(d.score),
            d.region
        )];
        lines.extend(self.why.lines(number).into_iter().map(|line| format!("  {line}")));
        lines.join("\n")
    }

    fn as_json(&self) -> Value {
        let name = self.data.names.as_ref().map(|names| names[0].as_str());
        self.why.as_json(self.data.row(0), name, self.decision)
    }
}
