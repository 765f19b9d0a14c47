//! Judges samples batch by batch, skipping rows that cannot be judged.

use std::sync::Arc;

use anyhow::Result;
use eocc_core::{AnyModel, Decision, Scoring};
use eocc_data::{
    Batch, Batches, Dataset, DriftWatch, ModelReader, Note, Novelties, Novelty, ReadError, ReadRequest,
    RowsRead,
};

use crate::cli::OnBadRow;
use crate::output::{counted, number};
use crate::progress::Bar;
use crate::{request, say};

/// Judges batch by batch.
pub(crate) struct Judge<'a> {
    model: &'a AnyModel,
    reader: ModelReader,
    scoring: Scoring,
    /// The reject rate, if it is not that of the model.
    reject: Option<f64>,
    on_bad_row: OnBadRow,
    bar: Bar,
    /// Whether any row could be read so far, and whether rows have names, according to the model or the first of
    /// them.
    has_read: bool,
    has_names: bool,
    /// Novelties of the samples compared with training.
    novelties: Novelties,
    /// Compares them with the training samples.
    drift: DriftWatch,
}

/// Some rows: the judged ones, and those that could not be judged, both in order.
#[derive(Default)]
pub(crate) struct Judged {
    pub(crate) good: Vec<ScoredRows>,
    pub(crate) bad: Vec<SkippedRow>,
    /// The header of their file, if it is a text file.
    pub(crate) header: Option<Arc<Vec<u8>>>,
}

/// Rows that were judged.
pub(crate) struct ScoredRows {
    pub(crate) data: Dataset,
    pub(crate) decisions: Vec<Decision>,
}

/// A row that could not be scored.
pub(crate) struct SkippedRow {
    pub(crate) row: usize,
    pub(crate) message: String,
    /// The error of reading it; `None` if the model refused it.
    pub(crate) error: Option<ReadError>,
    /// Its text, if the file is a text file.
    pub(crate) text: Option<Vec<u8>>,
    /// Its name and the cells that are carried along, if these can be read.
    pub(crate) name: Option<String>,
    pub(crate) kept: Vec<String>,
}

/// An error of one row, which may be skipped.
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
        reader: ModelReader,
        scoring: Scoring,
        on_bad_row: OnBadRow,
    ) -> Self {
        Self {
            model,
            reader,
            scoring,
            reject: None,
            on_bad_row,
            bar: Bar::new(),
            has_read: false,
            has_names: !model.names().is_empty(),
            novelties: Novelties::new(model),
            drift: DriftWatch::new(model),
        }
    }

    /// Reports how the samples differ from the training samples, and what to do about it.
    pub(crate) fn say_what_moved(&self) {
        let found = self.drift.found();
        for drift in &found {
            say::warning(&drift.to_string());
        }
        if !found.is_empty() {
            say::note(
                "if this is how nominal samples are now, fit the model on some of them; `eocc monitor` follows such changes",
            );
        }
    }

    /// With this reject rate, if given, instead of that of the model.
    pub(crate) fn rejecting(self, reject: Option<f64>) -> Self {
        let Some(share) = reject else { return self };
        if let Some(warning) = never_rejects(self.model, share) {
            say::warning(&warning);
        }
        Self { reject, drift: self.drift.rejecting(share), ..self }
    }

    /// Reports what is new in the samples compared with training.
    pub(crate) fn report_novelties(&self) {
        for novelty in self.novelties.found() {
            match novelty {
                Novelty::Missing { count } => say::note(&format!(
                    "{} had missing values, which no training sample has (--missing impute fills them in)",
                    counted(count, "sample")
                )),
                Novelty::Word { column, count, word } => say::note(&format!(
                    "{} had a word in `{column}` that training did not have, such as `{word}`",
                    counted(count, "sample")
                )),
                Novelty::Attribute { side, name, count } => say::note(&format!(
                    "{} had no attribute `{name}` of {side}, which all training graphs have",
                    counted(count, "graph")
                )),
                Novelty::Nucleotides { count } => say::note(&format!(
                    "{} had only the letters of DNA or RNA, but the training samples are proteins",
                    counted(count, "sample")
                )),
                Novelty::Label { side, name, count, word } => say::note(&format!(
                    "{} had {side} with the {name} `{word}`, which no training graph has",
                    counted(count, "graph")
                )),
                Novelty::Range { side, name, count, value, usual: [low, high] } => say::note(&format!(
                    "{} had {side} with a {name} far outside of training, such as {} (there {} to {})",
                    counted(count, "graph"),
                    number(value),
                    number(low),
                    number(high)
                )),
                Novelty::Writing { writing, count } => {
                    say::note(&format!("{} {}", counted(count, "sample"), writing.of_new()));
                }
                _ => {}
            }
        }
    }

    /// Whether the output has a name column: as for the training samples, whatever the file.
    pub(crate) fn has_names(&self) -> bool {
        self.has_names
    }

    /// The next batch; `None` at the end.
    pub(crate) fn next(&mut self, batches: &mut Batches) -> Result<Option<Judged>> {
        let Some(mut batch) = batches.next()? else { return Ok(None) };
        let RowsRead { data, bad } = batch.read(&mut self.reader).map_err(|error| {
            if error.is_of_row() { anyhow::Error::new(BadRow(error)) } else { error.into() }
        })?;
        let mut judged = Judged { header: batch.header(), ..Judged::default() };
        for bad in bad {
            let message = bad.error.to_string();
            let text = text_of(&batch, bad.row);
            let (error, name, kept) = (Some(bad.error), bad.name, bad.kept);
            judged.bad.push(SkippedRow { row: bad.row, message, error, text, name, kept });
        }
        if let Some(data) = data {
            if !self.has_read {
                request::show(&data.notes);
                self.has_names |= data.names.is_some();
                self.has_read = true;
            } else if let Some(gap) = data.notes.iter().find(|note| matches!(note, Note::WindowGap { .. })) {
                request::show(std::slice::from_ref(gap));
            }
            self.judge(data, &batch, &mut judged)?;
            judged.bad.sort_by_key(|bad| bad.row);
        }
        Ok(Some(judged))
    }

    /// Judges samples; unless errors are fatal, those that the model refuses are set aside.
    fn judge(&mut self, data: Dataset, batch: &Batch, judged: &mut Judged) -> Result<()> {
        let said = |fault| anyhow::Error::new(data.located(fault)).context(data.source.clone());
        let is_fatal = self.on_bad_row == OnBadRow::Error || batch.rows().is_empty();
        let each = if is_fatal {
            let all = self.model.decide_with(&data.samples, self.scoring, &self.bar);
            all.map(|all| all.into_iter().map(Ok).collect())
        } else {
            self.model.decide_each(&data.samples, self.scoring, &self.bar)
        };
        let each: Vec<Result<Decision, String>> = match each {
            Ok(each) => {
                let (source, error) = (&data.source, anyhow::Error::new);
                let message = |i, fault| format!("{source}: {}: {:#}", data.location(i), error(fault));
                each.into_iter().enumerate().map(|(i, one)| one.map_err(|fault| message(i, fault))).collect()
            }
            Err(fault) if fault.is_cancelled() => return Err(fault.into()),
            Err(fault) if is_fatal => return Err(said(fault)),
            // What is wrong with all of them is wrong with each.
            Err(fault) => vec![Err(format!("{:#}", said(fault))); data.count()],
        };
        let (mut good, mut decisions) = (Vec::with_capacity(each.len()), Vec::with_capacity(each.len()));
        for (i, decided) in each.into_iter().enumerate() {
            match decided {
                Ok(decision) => {
                    good.push(i);
                    decisions.push(decision);
                }
                Err(message) => {
                    let row = data.row(i);
                    let kept = data.kept.iter().map(|column| column.text(i).trim().to_owned()).collect();
                    let name = data.names.as_ref().map(|names| names[i].clone());
                    let text = text_of(batch, row);
                    judged.bad.push(SkippedRow { row, message, error: None, text, name, kept });
                }
            }
        }
        if good.is_empty() {
            return Ok(());
        }
        let data = if good.len() == data.count() { data } else { data.select(&good) };
        reject_at(self.reject, &mut decisions);
        self.novelties.add(&data.samples);
        let answers = decisions.iter().map(|d| (d.p_value, d.accepted));
        self.drift.add(self.model, &data.samples, answers);
        judged.good.push(ScoredRows { data, decisions });
        Ok(())
    }
}

/// Decides again at this reject rate, if given.
pub(crate) fn reject_at(share: Option<f64>, decisions: &mut [Decision]) {
    let Some(share) = share else { return };
    for decision in decisions {
        decision.accepted = decision.p_value > share;
    }
}

/// A warning if no p-value is small enough to be rejected at this rate.
pub(crate) fn never_rejects(model: &AnyModel, share: f64) -> Option<String> {
    let n = model.summary().samples;
    let smallest = 1.0 / (n as f64 + 1.0);
    (share < smallest).then(|| {
        format!(
            "with {n} training samples no p-value is below {smallest:.4}, so nothing can be rejected at {share}; at least {} are \
             needed for that",
            (1.0 / share).ceil() as usize - 1
        )
    })
}

fn text_of(batch: &Batch, row: usize) -> Option<Vec<u8>> {
    batch.text_of(row).map(<[u8]>::to_vec)
}

/// Whether rows that cannot be judged are skipped.
pub(crate) fn skipping(read: ReadRequest, on_bad_row: OnBadRow) -> ReadRequest {
    ReadRequest { skip_bad_rows: on_bad_row != OnBadRow::Error, ..read }
}
