//! `eocc score`: reads, judges and writes in batches, in order, so that input of any length passes through.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::atomic::PendingFile;
use eocc_core::{AnyModel, Decision, Error, Layout, Scoring};
use eocc_data::{
    Batch, BatchError, Batches, Dataset, FieldType, OutColumn, OutValues, Output, ReadError, ReadRequest,
    write_batches,
};

use super::decisions::{decision_columns, integers};
use crate::cli::{OnBadRow, ScoreArgs};
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{request, say};

pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode> {
    let inputs = Inputs::default().with("data", &args.data).with("model", &args.model);
    for (option, path) in [("output", &args.output), ("bad-rows", &args.bad_rows)] {
        if let Some(path) = path {
            inputs.refuse(option, path)?;
        }
    }
    // Before the work, not after it.
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    let model = request::load(&args.model)?;
    let read = ReadRequest {
        label: args.label.clone(),
        missing: request::missing_for(&model, args.missing),
        keep: args.keep.clone(),
        ..request::read_request(&args.read, args.id.as_ref(), None)?
    };
    let mut batches = Batches::open(&args.data, &read)?;
    let mut judge = Judge {
        layout: model.layout(),
        scoring: args.scoring.map_or(model.params().scoring, request::scoring),
        model: &model,
        read,
        on_bad_row: args.on_bad_row,
        bar: Bar::new(),
        has_names: None,
        totals: Totals::default(),
        bad: BadRows::new(args.bad_rows.as_deref())?,
    };
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    let written = write_batches(format, &to, || judge.next(&mut batches));
    let Judge { bar, totals, bad, .. } = judge;
    drop(bar);
    match written {
        Ok(()) => {}
        Err(BatchError::Next(error)) => return Err(error),
        Err(BatchError::Write(error)) => return Err(error.into()),
    }
    say::line(&format!("{} of {} rejected", totals.rejected, counted(totals.judged, "sample")));
    if let Some(first) = &bad.first {
        say::warning(&format!("{} could not be judged; the first: {first}", counted(bad.count, "row")));
    }
    bad.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// What has been judged so far.
#[derive(Default)]
struct Totals {
    judged: usize,
    rejected: usize,
}

/// Judges batch by batch.
struct Judge<'a> {
    model: &'a AnyModel,
    layout: Layout,
    read: ReadRequest,
    scoring: Scoring,
    on_bad_row: OnBadRow,
    bar: Bar,
    /// Whether samples have names, as the first batch says.
    has_names: Option<bool>,
    totals: Totals,
    bad: BadRows,
}

/// Some rows that were judged, and those of them that could not be.
#[derive(Default)]
struct Judged {
    parts: Vec<(Dataset, Vec<Decision>, usize)>,
    /// Row in the file and what is wrong, ascending.
    bad: Vec<(usize, String)>,
}

impl Judge<'_> {
    /// The decisions of the next batch as columns.
    fn next(&mut self, batches: &mut Batches) -> Result<Option<Vec<OutColumn>>> {
        loop {
            let Some(batch) = batches.next()? else { return Ok(None) };
            let mut judged = Judged::default();
            self.judge(&batch, &mut judged)?;
            let columns = self.columns(judged);
            // All rows may be bad, and none of them to be told of.
            if !columns.is_empty() {
                return Ok(Some(columns));
            }
        }
    }

    /// Judges a batch; one that holds a bad row is divided until that row is alone, unless it is to stop all.
    fn judge(&mut self, batch: &Batch, judged: &mut Judged) -> Result<()> {
        let error = match self.read(batch) {
            Ok(data) => match self.model.decide_with(&data.samples, self.scoring, &self.bar) {
                Ok(decisions) => {
                    judged.parts.push((data, decisions, batch.rows().start));
                    return Ok(());
                }
                Err(error) if error.is_cancelled() => return Err(error.into()),
                Err(error) => anyhow::Error::new(error).context(data.source),
            },
            Err(error) if !error.is_of_row() => return Err(error.into()),
            Err(error) => error.into(),
        };
        if self.on_bad_row == OnBadRow::Error {
            return Err(error);
        }
        match batch.halves() {
            Some(halves) => halves.iter().try_for_each(|half| self.judge(half, judged)),
            None if batch.rows().is_empty() => Err(error),
            None => {
                let message = format!("{error:#}");
                self.bad.add(batch, &message)?;
                judged.bad.push((batch.rows().start, message));
                Ok(())
            }
        }
    }

    /// Reads a batch in the form of the model's samples. What the first batch says of the columns holds for all.
    fn read(&mut self, batch: &Batch) -> std::result::Result<Dataset, ReadError> {
        let mut data = batch.read_for_model(&self.layout, &self.read)?;
        if self.read.missing == Some(eocc_data::Missing::Impute) {
            data.samples = data.samples.filled(&self.model.reference())?;
        }
        if self.has_names.is_none() {
            request::show(&data.notes);
            self.has_names = Some(data.names.is_some());
            let is_known = |name: &String| self.read.types.iter().any(|(known, _)| known == name);
            if let Some(name) = data.name_column.clone().filter(|name| !is_known(name)) {
                self.read.types.push((name, FieldType::Id));
            }
            // The model does not say what its column is called.
            if matches!(self.layout, Layout::Text | Layout::Series | Layout::Graph) {
                self.read.columns.clone_from(&data.columns);
            }
        }
        Ok(data)
    }

    /// A row each, with gaps for bad ones if these are to be told of.
    fn columns(&mut self, judged: Judged) -> Vec<OutColumn> {
        let has_names = self.has_names == Some(true);
        let mut all: Vec<OutColumn> = Vec::new();
        for (mut data, decisions, first) in judged.parts {
            self.totals.judged += decisions.len();
            self.totals.rejected += decisions.iter().filter(|d| !d.accepted).count();
            data.names = match data.names {
                names if has_names => names.or_else(|| Some(vec![String::new(); decisions.len()])),
                _ => None,
            };
            let columns = decision_columns(&data, &decisions, first);
            if all.is_empty() {
                all = columns;
            } else {
                all.iter_mut().zip(&columns).for_each(|(all, some)| {
                    all.extend(some);
                });
            }
        }
        if self.on_bad_row == OnBadRow::Report {
            self.with_bad(&mut all, &judged.bad);
        }
        all
    }

    /// With a row for each bad one, and a column that says what is wrong.
    fn with_bad(&self, all: &mut Vec<OutColumn>, bad: &[(usize, String)]) {
        if all.is_empty() {
            // The columns of nothing: those that are always there.
            let mut nothing = Dataset::from(self.model.reference().select(&[]));
            nothing.names = (self.has_names == Some(true)).then(Vec::new);
            *all = decision_columns(&nothing, &[], 0);
        }
        let OutValues::Integer(rows) = &all[0].values else { return };
        let mut merged: Vec<(i64, Option<&String>)> = rows.iter().map(|row| (*row, None)).collect();
        merged.extend(bad.iter().map(|(row, message)| (*row as i64, Some(message))));
        merged.sort_by_key(|(row, _)| *row);
        let places: Vec<usize> = merged
            .iter()
            .enumerate()
            .filter(|(_, (_, message))| message.is_some())
            .map(|(at, _)| at)
            .collect();
        let rows = merged.iter().map(|(row, _)| *row as usize).collect();
        let messages =
            merged.iter().map(|(_, message)| message.map(String::clone).unwrap_or_default()).collect();
        for column in all.iter_mut() {
            *column = column.clone().with_gaps(&places);
        }
        all[0] = OutColumn::new("row", integers(rows));
        all.push(OutColumn::new("error", OutValues::Text(messages)));
    }
}

/// Rows that could not be judged, as they are in the input.
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

    fn add(&mut self, batch: &Batch, message: &str) -> Result<()> {
        if let (Some((file, path)), Some((header, rows))) = (&mut self.file, batch.text()) {
            let header = if self.count == 0 { header } else { &[] };
            let end: &[u8] = if rows.ends_with(b"\n") { b"" } else { b"\n" };
            let written = [header, rows, end].into_iter().try_for_each(|bytes| file.write_all(bytes));
            written.map_err(|e| Error::io(path, e))?;
        }
        self.count += 1;
        self.first.get_or_insert_with(|| message.to_owned());
        Ok(())
    }

    fn finish(self) -> Result<()> {
        let Some((file, path)) = self.file else { return Ok(()) };
        Ok(file.finish().map_err(|e| Error::io(&path, e))?)
    }
}
