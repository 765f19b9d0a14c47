//! `eocc score`: reads, judges and writes in batches, in order, so that input of any length can be processed.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::atomic::PendingFile;
use eocc_core::{AnyModel, Error};
use eocc_data::{
    BatchError, Batches, Column, Dataset, Output, ReadRequest, Reading, Values, add_kept, decision_columns,
    write_batches,
};

use crate::cli::{OnBadRow, ScoreArgs};
use crate::judging::{Judge, Judged, ScoredRows, SkippedRow, skipping};
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::{exit_code, request, say};

pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode> {
    let inputs = Inputs::default().with("data", &args.data).with("model", &args.model);
    for (option, path) in [("output", &args.output), ("bad-rows", &args.bad_rows)] {
        if let Some(path) = path {
            inputs.refuse(option, path)?;
        }
    }
    outputs::refuse_same(&[("output", args.output.as_deref()), ("bad-rows", args.bad_rows.as_deref())])?;
    // Before the work, not after it.
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    outputs::refuse_closed(&to)?;
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    let model = request::load(&args.model)?;
    let read = ReadRequest {
        label: args.label.clone(),
        keep: args.keep.clone(),
        ..request::read_request(&args.read, args.id.as_ref(), None)?
    };
    let read = skipping(read, args.on_bad_row);
    let reader = request::model_reader(&model, &args.data, args.missing, read)?;
    let mut batches = Batches::open(&args.data, reader.request())?;
    if let Some(path) = args.bad_rows.as_ref().filter(|_| !batches.is_text()) {
        let allowed = "left out: only rows of text can be written as they are";
        return Err(Error::parameter("bad-rows", path.display(), allowed).into());
    }
    let scoring = args.scoring.map_or(model.params().scoring, request::scoring);
    let mut judge = Judge::new(&model, reader, scoring, args.on_bad_row).rejecting(args.reject);
    let mut totals = Totals::default();
    let mut bad = BadRows::new(args.bad_rows.as_deref())?;
    let is_shown = outputs::is_shown(&to, args.format);
    let mut is_empty = true;
    let written = write_batches(format, &to, || -> Result<Option<Vec<Column>>> {
        loop {
            let Some(judged) = judge.next(&mut batches)? else {
                // Without any rows, write at least the header.
                return Ok(std::mem::take(&mut is_empty).then(|| no_rows(args, &model, judge.has_names())));
            };
            let header = judged.header.clone().unwrap_or_default();
            judged.bad.iter().try_for_each(|row| bad.add(row, &header))?;
            totals.add(&judged);
            let columns = columns(args, &model, judge.has_names(), judged);
            // Nothing may be left of a batch.
            if !columns.is_empty() {
                is_empty = false;
                return Ok(Some(if is_shown { outputs::shown(columns) } else { columns }));
            }
        }
    });
    judge.report_novelties();
    match written {
        Ok(()) => {}
        Err(BatchError::Next(error)) => return Err(error),
        Err(BatchError::Write(error)) => return Err(error.into()),
    }
    if let (0, Some(first)) = (totals.judged, &bad.first) {
        return Err(Error::input(format!("no row could be judged; the first: {first}")).into());
    }
    say::line(&format!("{} of {} rejected", totals.rejected, counted(totals.judged, "sample")));
    judge.say_what_moved();
    drop(judge);
    if let Some(first) = &bad.first {
        say::warning(&format!("{} could not be scored; the first: {first}", counted(bad.count, "row")));
    }
    let skipped = bad.count;
    bad.finish()?;
    let is_failure = args.fail_if_rejected && (totals.rejected > 0 || skipped > 0);
    Ok(if is_failure { ExitCode::from(exit_code::REJECTED) } else { ExitCode::SUCCESS })
}

/// The columns that are always present, without rows.
fn no_rows(args: &ScoreArgs, model: &AnyModel, has_names: bool) -> Vec<Column> {
    let mut nothing = Dataset::from(model.reference().select(&[]));
    nothing.names = has_names.then(Vec::new);
    let mut columns = decision_columns(&nothing, &[]);
    let is_cut = Reading::of_model(model).is_ok_and(|reading| reading.windows().is_some());
    let times = if is_cut { vec!["start", "end"] } else { Vec::new() };
    let kept = args.keep.iter().map(String::as_str).filter(|name| *name != "all");
    add_kept(
        &mut columns,
        times.into_iter().chain(kept).map(|name| Column::texts(name, Vec::<String>::new())),
    );
    columns
}

/// The results so far.
#[derive(Default)]
struct Totals {
    judged: usize,
    rejected: usize,
}

impl Totals {
    fn add(&mut self, judged: &Judged) {
        for ScoredRows { decisions, .. } in &judged.good {
            self.judged += decisions.len();
            self.rejected += decisions.iter().filter(|d| !d.accepted).count();
        }
    }
}

/// One row per sample, including the bad ones if these are reported.
fn columns(args: &ScoreArgs, model: &AnyModel, has_names: bool, judged: Judged) -> Vec<Column> {
    let mut all: Vec<Column> = Vec::new();
    for ScoredRows { mut data, mut decisions } in judged.good {
        if args.rejected {
            let rejected: Vec<usize> = (0..decisions.len()).filter(|&i| !decisions[i].accepted).collect();
            data = data.select(&rejected);
            decisions.retain(|d| !d.accepted);
        }
        if has_names && data.names.is_none() {
            data.names = Some(vec![String::new(); decisions.len()]);
        }
        let columns = decision_columns(&data, &decisions);
        if all.is_empty() {
            all = columns;
        } else {
            // From one file, and so of the same types.
            all.iter_mut().zip(&columns).for_each(|(all, some)| all.append(some).unwrap_or_default());
        }
    }
    if args.on_bad_row == OnBadRow::Report {
        if all.is_empty() {
            let mut nothing = Dataset::from(model.reference().select(&[]));
            nothing.names = has_names.then(Vec::new);
            all = decision_columns(&nothing, &[]);
        }
        with_bad(&mut all, &judged.bad, has_names);
    }
    all
}

/// With a row for each bad one, and a column with the errors.
fn with_bad(all: &mut Vec<Column>, bad: &[SkippedRow], has_names: bool) {
    let Values::Integer(rows) = all[0].values() else { return };
    let mut merged: Vec<(usize, Option<&SkippedRow>)> =
        rows.iter().map(|row| (*row as usize, None)).collect();
    merged.extend(bad.iter().map(|bad| (bad.row, Some(bad))));
    merged.sort_by_key(|(row, _)| *row);
    let of_bad = || merged.iter().enumerate().filter_map(|(at, (_, bad))| Some((at, (*bad)?)));
    let carried = bad.iter().map(|bad| bad.kept.len()).max().unwrap_or(0);
    let from = all.len() - carried.min(all.len());
    for (c, column) in all.iter_mut().enumerate() {
        let text = |bad: &'_ SkippedRow| match c {
            1 if has_names => Some(bad.name.clone().unwrap_or_default()),
            _ => c.checked_sub(from).and_then(|k| bad.kept.get(k)).cloned(),
        };
        let texts: Vec<(usize, Option<String>)> = of_bad().map(|(at, bad)| (at, text(bad))).collect();
        let gaps: Vec<(usize, Option<&str>)> =
            texts.iter().map(|(at, text)| (*at, text.as_deref())).collect();
        *column = column.with_gaps(&gaps);
    }
    all[0] = Column::counts("row", merged.iter().map(|(row, _)| *row));
    if let Some(taken) = all.iter_mut().find(|column| column.name == "error") {
        "input_error".clone_into(&mut taken.name);
    }
    let message = |bad: Option<&SkippedRow>| bad.map(|bad| bad.message.clone()).unwrap_or_default();
    all.push(Column::texts("error", merged.iter().map(|(_, bad)| message(*bad))));
}

/// Rows that could not be scored, as they are in the input.
struct BadRows {
    file: Option<(PendingFile, PathBuf)>,
    count: usize,
    first: Option<String>,
}

impl BadRows {
    fn new(path: Option<&Path>) -> Result<Self> {
        let file = match path {
            None => None,
            Some(path) => {
                let file = PendingFile::create(path).map_err(|e| Error::io(path, e))?;
                Some((file, path.to_owned()))
            }
        };
        Ok(Self { file, count: 0, first: None })
    }

    fn add(&mut self, bad: &SkippedRow, header: &[u8]) -> Result<()> {
        if let (Some((file, path)), Some(rows)) = (&mut self.file, &bad.text) {
            let header: &[u8] = if self.count == 0 { header } else { &[] };
            let end: &[u8] = if rows.ends_with(b"\n") { b"" } else { b"\n" };
            let written = [header, rows, end].into_iter().try_for_each(|bytes| file.write_all(bytes));
            written.map_err(|e| Error::io(path, e))?;
        }
        self.count += 1;
        self.first.get_or_insert_with(|| bad.message.clone());
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let Some((file, path)) = self.file else { return Ok(()) };
        Ok(file.finish().map_err(|e| Error::io(&path, e))?)
    }
}
