//! Judging samples batch by batch, past rows that cannot be judged.

use std::collections::BTreeMap;

use anyhow::Result;
use eocc_core::{AnyModel, Decision, Layout, Scoring};
use eocc_data::{Batch, Batches, Dataset, FieldType, Missing, ReadError, ReadRequest};

use crate::cli::OnBadRow;
use crate::output::counted;
use crate::progress::Bar;
use crate::{request, say};

/// Judges batch by batch.
pub(crate) struct Judge<'a> {
    model: &'a AnyModel,
    layout: Layout,
    read: ReadRequest,
    scoring: Scoring,
    on_bad_row: OnBadRow,
    bar: Bar,
    /// Whether samples have names, as the first batch says, and the column they are from.
    has_names: Option<bool>,
    name_column: Option<String>,
    /// Names of the columns that are carried along.
    kept: Vec<String>,
    /// Whether no training sample lacks a value, and how many new ones do.
    is_complete: bool,
    lacking: usize,
    /// Rows with words that training did not have: by column, how many, and the first of the words.
    unknown: BTreeMap<String, (usize, String)>,
}

/// Some rows: those that were judged, and those that could not be, both in order.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) good: Vec<Good>,
    pub(crate) bad: Vec<Bad>,
}

/// Rows that were judged.
pub(crate) struct Good {
    pub(crate) data: Dataset,
    pub(crate) decisions: Vec<Decision>,
    /// The row of the file that the first row of the batch is.
    pub(crate) first: usize,
}

/// A row that could not be judged.
pub(crate) struct Bad {
    pub(crate) row: usize,
    pub(crate) message: String,
    pub(crate) batch: Batch,
    /// Its name and the cells that are carried along, if it can be read that far.
    pub(crate) name: String,
    pub(crate) kept: Vec<String>,
}

/// A fault of one row, past which one may go on.
#[derive(Debug)]
pub(crate) struct BadRow(pub(crate) ReadError);

impl std::fmt::Display for BadRow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for BadRow {}

impl<'a> Judge<'a> {
    pub(crate) fn new(
        model: &'a AnyModel,
        read: ReadRequest,
        scoring: Scoring,
        on_bad_row: OnBadRow,
    ) -> Self {
        let (layout, bar) = (model.layout(), Bar::new());
        let is_complete = model.reference().first_missing().is_none();
        Self {
            model,
            layout,
            read,
            scoring,
            on_bad_row,
            bar,
            has_names: None,
            name_column: None,
            kept: Vec::new(),
            is_complete,
            lacking: 0,
            unknown: BTreeMap::new(),
        }
    }

    /// Says what new samples have that training had not: that they lack values, and other words.
    pub(crate) fn say_what_is_new(&self) {
        if self.lacking > 0 {
            let rows = counted(self.lacking, "sample");
            say::note(&format!(
                "{rows} lacked a value, which no training sample does (--missing impute to judge them by the rest)"
            ));
        }
        for (column, (count, word)) in &self.unknown {
            let rows = counted(*count, "sample");
            say::note(&format!(
                "{rows} had a word in `{column}` that training did not have, such as `{word}`"
            ));
        }
    }

    fn watch(&mut self, data: &Dataset) {
        if self.is_complete {
            self.lacking += data.samples.rows_with_missing().len();
        }
        for (column, count, word) in data.samples.unknown_levels(&self.layout) {
            self.unknown.entry(column).or_insert((0, word)).0 += count;
        }
    }

    /// Whether samples have names.
    pub(crate) fn has_names(&self) -> bool {
        self.has_names == Some(true)
    }

    /// The next batch; nothing at the end.
    pub(crate) fn next(&mut self, batches: &mut Batches) -> Result<Option<Judged>> {
        let Some(batch) = batches.next()? else { return Ok(None) };
        let mut judged = Judged::default();
        self.judge(&batch, &mut judged)?;
        Ok(Some(judged))
    }

    /// Judges a batch; one that holds a bad row is divided until that row is alone, unless it is to stop all.
    fn judge(&mut self, batch: &Batch, judged: &mut Judged) -> Result<()> {
        let error = match self.read(batch) {
            Ok(data) => match self.model.decide_with(&data.samples, self.scoring, &self.bar) {
                Ok(decisions) => {
                    self.watch(&data);
                    judged.good.push(Good { data, decisions, first: batch.rows().start });
                    return Ok(());
                }
                Err(error) if error.is_cancelled() => return Err(error.into()),
                Err(error) => anyhow::Error::new(error).context(data.source),
            },
            Err(error) if !error.is_of_row() => return Err(error.into()),
            Err(error) => anyhow::Error::new(BadRow(error)),
        };
        if self.on_bad_row == OnBadRow::Error {
            return Err(error);
        }
        match batch.halves() {
            Some(halves) => halves.iter().try_for_each(|half| self.judge(half, judged)),
            None if batch.rows().is_empty() => Err(error),
            None => {
                judged.bad.push(self.bad(batch, format!("{error:#}")));
                Ok(())
            }
        }
    }

    fn bad(&self, batch: &Batch, message: String) -> Bad {
        let columns: Vec<String> = self.name_column.iter().chain(&self.kept).cloned().collect();
        let mut cells = batch.cells(&columns).into_iter().next().unwrap_or_default().into_iter();
        let name = self.name_column.as_ref().and_then(|_| cells.next()).unwrap_or_default();
        Bad { row: batch.rows().start, message, batch: batch.clone(), name, kept: cells.collect() }
    }

    /// Reads a batch in the form of the model's samples. What the first batch says of the columns holds for all.
    fn read(&mut self, batch: &Batch) -> std::result::Result<Dataset, ReadError> {
        let mut data = batch.read_for_model(&self.layout, &self.read)?;
        if self.read.missing == Some(Missing::Impute) {
            data.samples = data.samples.filled(&self.model.reference())?;
        }
        match self.has_names {
            None => self.learn(&data),
            Some(true) if data.names.is_none() => data.names = Some(vec![String::new(); data.count()]),
            Some(true) => {}
            Some(false) => data.names = None,
        }
        Ok(data)
    }

    /// Takes what the first batch says of the columns.
    fn learn(&mut self, data: &Dataset) {
        request::show(&data.notes);
        self.has_names = Some(data.names.is_some());
        self.kept = data.kept.iter().map(|column| column.name.clone()).collect();
        // Later objects of a file may have other fields.
        self.read.keep.clone_from(&self.kept);
        self.name_column.clone_from(&data.name_column);
        let is_known = |name: &String| self.read.types.iter().any(|(known, _)| known == name);
        if let Some(name) = data.name_column.clone().filter(|name| !is_known(name)) {
            self.read.types.push((name, FieldType::Id));
        }
        // The model does not say what its column is called.
        if matches!(self.layout, Layout::Text | Layout::Series | Layout::Graph) {
            self.read.columns.clone_from(&data.columns);
        }
    }
}
