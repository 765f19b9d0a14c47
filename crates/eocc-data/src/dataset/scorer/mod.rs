//! Scoring Arrow record batches: the function behind every data engine.

mod answers;
mod features;
mod mixed;
mod numbers;

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use arrow_array::RecordBatch;
use arrow_schema::{Fields, SchemaRef};
use eocc_core::{
    AnyModel, AnySamples, Decision, Error, Layout, Matrix, MixedTable, Observer, Progress, SampleSet as _,
    Silent, Vectors,
};

use super::{ModelReader, ReadError, ReadRequest, RowsRead, SeriesLayout, of_source};
use crate::arrow::batch_columns;
use crate::column::Column;
use crate::table::Table;
use answers::answer;
use features::Features;
use numbers::NumberColumns;

/// The name of a batch in messages.
const SOURCE: &str = "the batch";
/// Number of schemas whose columns are cached. Engines send one or two.
const MAX_SCHEMAS: usize = 16;
/// Rows that are copied from columns and scored at a time: enough for all threads, few enough for a cache.
const BLOCK: usize = if cfg!(test) { 50 } else { 1 << 15 };
/// Neighbors used for reasons.
const NEAREST: usize = 10;

/// The columns of answers besides `score`, `p_value`, `accepted` and `region`, and the treatment of rows that cannot
/// be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScoreOptions {
    /// Adds the column `membership`.
    pub membership: bool,
    /// Adds the column `reasons`: for each rejected row, the features that make it odd and their shares, largest
    /// first. It is null for accepted rows. An explanation takes about as long as a score.
    pub reasons: bool,
    /// Rows that cannot be read get nulls instead of failing the batch.
    pub skip_bad_rows: bool,
}

impl ScoreOptions {
    /// With or without the column `membership`.
    #[must_use]
    pub fn membership(self, membership: bool) -> Self {
        Self { membership, ..self }
    }

    /// With or without the column `reasons`.
    #[must_use]
    pub fn reasons(self, reasons: bool) -> Self {
        Self { reasons, ..self }
    }

    /// Whether rows that cannot be read get nulls.
    #[must_use]
    pub fn skip_bad_rows(self, skip_bad_rows: bool) -> Self {
        Self { skip_bad_rows, ..self }
    }
}

/// Scores Arrow record batches with a model: one row in, one row out, in order.
///
/// Columns are matched by name, in any order; columns that the model does not know are ignored. A model of strings,
/// series or graphs takes the column it was fitted on, the only column, or the only one of a suitable type. Values
/// are read like those of the training samples (see [`Reading`](crate::Reading)), and the answers equal those of
/// `eocc score` bit for bit.
///
/// A scorer may be shared by any number of threads. It computes on the rayon pool of the calling thread, or without
/// one inside [`eocc_core::parallel::on_this_thread`].
///
/// ```
/// use std::sync::Arc;
///
/// use arrow_array::{ArrayRef, Float64Array, RecordBatch};
/// use eocc_core::{OneClass, Preset, Settings, Silent};
/// use eocc_data::{BatchScorer, Dataset, ReadOptions, ReadRequest, ScoreOptions, read_bytes};
///
/// let rows: String = (0..40).map(|i| format!("{},{}\n", i % 7, i % 5)).collect();
/// let table = read_bytes("t.csv", format!("a,b\n{rows}").as_bytes(), &ReadOptions::default())?;
/// let samples = Dataset::of_table(&table, &ReadRequest::default())?.samples;
/// let measure = samples.measure(Preset::Default, None, &Settings::default())?;
/// let model = samples.train(&OneClass::new(Preset::Default).check()?, measure, &Silent)?;
///
/// let scorer = BatchScorer::new(Arc::new(model))?;
/// let column = |values: Vec<f64>| Arc::new(Float64Array::from(values)) as ArrayRef;
/// let batch = RecordBatch::try_from_iter([("b", column(vec![2.0, 90.0])), ("a", column(vec![3.0, 80.0]))])?;
/// let answers = scorer.score(&batch, ScoreOptions::default())?;
/// assert_eq!(answers.num_rows(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BatchScorer {
    model: Arc<AnyModel>,
    /// Its plan is never used: features are found by schema.
    reader: ModelReader,
    skipping: ModelReader,
    /// The columns of the schemas seen so far.
    known: RwLock<Vec<(Fields, Arc<Features>)>>,
}

/// The rows of a batch that could be read, and the model's results for them.
struct Judged {
    /// The position of each in the batch; `None` for all rows.
    rows: Option<Vec<usize>>,
    decisions: Vec<Decision>,
    /// The reasons of the rejected ones.
    reasons: Vec<Option<String>>,
}

/// Part of a batch, for whoever watches the whole of it.
struct Block<'a> {
    observer: &'a dyn Observer,
    start: usize,
    count: usize,
}

impl Observer for Block<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        match progress {
            Progress::Stage { name, done, .. } => {
                self.observer.progress(&Progress::Stage { name, done: self.start + done, total: self.count });
            }
            other => self.observer.progress(other),
        }
    }

    fn is_cancelled(&self) -> bool {
        self.observer.is_cancelled()
    }

    fn is_abandoned(&self) -> bool {
        self.observer.is_abandoned()
    }
}

impl std::fmt::Debug for BatchScorer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BatchScorer").field("reader", &self.reader).finish_non_exhaustive()
    }
}

impl BatchScorer {
    /// A scorer that reads batches like the training samples of the model.
    pub fn new(model: Arc<AnyModel>) -> Result<Self, Error> {
        Self::with_request(model, ReadRequest::default())
    }

    /// Like [`new`](Self::new), with missing values and types read according to `request`.
    pub fn with_request(model: Arc<AnyModel>, request: ReadRequest) -> Result<Self, Error> {
        let skipping = ReadRequest { skip_bad_rows: true, ..request.clone() };
        let reader = ModelReader::for_model(&model, request, None)?;
        if reader.request().series == Some(SeriesLayout::Long) {
            return Err(Error::input(
                "the model was fitted on series with a row for each value, but a batch has a row for each sample; gather the \
                 values of each series into a list and fit the model on those",
            ));
        }
        let skipping = ModelReader::for_model(&model, skipping, None)?;
        Ok(Self { model, reader, skipping, known: RwLock::default() })
    }

    /// The model.
    pub fn model(&self) -> &Arc<AnyModel> {
        &self.model
    }

    /// The columns of the answers.
    pub fn schema(options: ScoreOptions) -> SchemaRef {
        answers::schema(options)
    }

    /// The columns that the model reads, by name; empty if it has no names for them.
    pub fn columns(&self) -> Vec<String> {
        super::plan::wanted_columns(self.reader.layout()).into_iter().map(|(name, _)| name).collect()
    }

    /// The model's answer for each row.
    pub fn score(&self, batch: &RecordBatch, options: ScoreOptions) -> Result<RecordBatch, ReadError> {
        self.score_watched(batch, options, &Silent)
    }

    /// Like [`score`](Self::score), reporting to the observer.
    pub fn score_watched(
        &self,
        batch: &RecordBatch,
        options: ScoreOptions,
        observer: &dyn Observer,
    ) -> Result<RecordBatch, ReadError> {
        let judged = self.judge(batch, options, observer)?;
        answer(judged, batch.num_rows(), options)
    }

    /// The decisions on all rows, none of which may be bad.
    pub fn decide(&self, batch: &RecordBatch, observer: &dyn Observer) -> Result<Vec<Decision>, ReadError> {
        Ok(self.judge(batch, ScoreOptions::default(), observer)?.decisions)
    }

    /// The rows of a batch as samples, none of which may be bad.
    pub fn samples(&self, batch: &RecordBatch) -> Result<AnySamples, ReadError> {
        let features = self.features(batch)?;
        let RowsRead { data, bad } = self.read(batch, &features, false)?;
        match (data, bad.into_iter().next()) {
            (_, Some(bad)) => Err(bad.error),
            (Some(data), None) => Ok(data.samples),
            (None, None) => Ok(self.model.reference().select(&[])),
        }
    }

    fn judge(
        &self,
        batch: &RecordBatch,
        options: ScoreOptions,
        observer: &dyn Observer,
    ) -> Result<Judged, ReadError> {
        let features = self.features(batch)?;
        if batch.num_rows() == 0 {
            return Ok(Judged { rows: None, decisions: Vec::new(), reasons: Vec::new() });
        }
        let fault = of_source(SOURCE);
        let scoring = self.model.params().scoring;
        let plain = matches!(self.reader.layout(), Layout::Numbers(_))
            .then(|| NumberColumns::from_batch(batch, &features.places))
            .flatten();
        if let (Some(columns), Some(model)) = (plain, self.model.downcast_ref::<Vectors>()) {
            let (width, count) = (features.places.len(), columns.rows());
            let (mut decisions, mut room) = (Vec::with_capacity(count), Vec::new());
            for start in (0..count).step_by(BLOCK) {
                let values = columns.block(start..count.min(start + BLOCK), &mut room);
                let rows: Vec<&[f64]> = values.chunks_exact(width).collect();
                let block = Block { observer, start, count };
                decisions.extend(model.decide_refs(&rows, scoring, &block).map_err(&fault)?);
            }
            let samples = || {
                let values = columns.block(0..count, &mut room).to_vec();
                let names = model.reference().feature_names().to_vec();
                Vectors::with_names(Matrix::new(values, count, width), names)
                    .map(|vectors| Cow::Owned(vectors.into()))
            };
            let reasons = self.reasons(&decisions, samples, options, observer).map_err(&fault)?;
            return Ok(Judged { rows: None, decisions, reasons });
        }
        if let Some(judged) = self.judge_mixed(batch, &features, options, observer)? {
            return Ok(judged);
        }
        let RowsRead { data, bad } = self.read(batch, &features, options.skip_bad_rows)?;
        if let Some(bad) = bad.into_iter().next().filter(|_| !options.skip_bad_rows) {
            return Err(bad.error);
        }
        let Some(data) = data else {
            return Ok(Judged { rows: Some(Vec::new()), decisions: Vec::new(), reasons: Vec::new() });
        };
        let decisions = self.model.decide_with(&data.samples, scoring, observer).map_err(&fault)?;
        let samples = || Ok(Cow::Borrowed(&data.samples));
        let reasons = self.reasons(&decisions, samples, options, observer).map_err(&fault)?;
        Ok(Judged { rows: data.rows, decisions, reasons })
    }

    /// Like `judge`, for rows of a mixed table in plain columns; `None` if they have to be read cell by cell.
    fn judge_mixed(
        &self,
        batch: &RecordBatch,
        features: &Features,
        options: ScoreOptions,
        observer: &dyn Observer,
    ) -> Result<Option<Judged>, ReadError> {
        let Some(model) = self.model.downcast_ref::<MixedTable>() else { return Ok(None) };
        let columns = features.mixed.as_ref().and_then(|mixed| mixed.columns(batch, &features.places));
        let Some(columns) = columns else { return Ok(None) };
        let fault = of_source(SOURCE);
        let (count, scoring) = (batch.num_rows(), self.model.params().scoring);
        let takes_missing = model.dissimilarity().properties().takes_missing;
        let (mut decisions, mut reasons) = (Vec::with_capacity(count), Vec::new());
        for start in (0..count).step_by(BLOCK) {
            let Some(cells) = columns.block(start..count.min(start + BLOCK)) else { return Ok(None) };
            if !takes_missing && cells.iter().any(|cell| cell.is_nan()) {
                return Ok(None);
            }
            let table = model.reference().like(cells).map_err(&fault)?;
            let block = Block { observer, start, count };
            let judged = model.decide_refs(&table.refs(), scoring, &block).map_err(&fault)?;
            let samples = || Ok(Cow::Owned(table.into()));
            reasons.extend(self.reasons(&judged, samples, options, observer).map_err(&fault)?);
            decisions.extend(judged);
        }
        Ok(Some(Judged { rows: None, decisions, reasons }))
    }

    /// The columns that form the samples.
    fn features(&self, batch: &RecordBatch) -> Result<Arc<Features>, ReadError> {
        let fields = &batch.schema_ref().fields;
        let find = |known: &[(Fields, Arc<Features>)]| {
            known.iter().find(|(other, _)| other == fields).map(|(_, features)| Arc::clone(features))
        };
        if let Some(found) = find(&self.known.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(found);
        }
        let expected = self.model.summary().features;
        let found =
            Arc::new(Features::resolve(fields, self.reader.layout(), self.reader.request(), expected)?);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if find(&known).is_none() {
            // Evicts the oldest, which is recreated if it comes back.
            if known.len() == MAX_SCHEMAS {
                known.remove(0);
            }
            known.push((fields.clone(), Arc::clone(&found)));
        }
        Ok(found)
    }

    /// Samples via columns of cells, whatever the types.
    fn read(
        &self,
        batch: &RecordBatch,
        features: &Features,
        skip_bad_rows: bool,
    ) -> Result<RowsRead, ReadError> {
        if batch.num_rows() == 0 {
            return Ok(RowsRead { data: None, bad: Vec::new() });
        }
        let columns: Vec<Column> = batch_columns(SOURCE, batch, &features.places)?
            .into_iter()
            .zip(&features.names)
            .map(|(column, name)| column.named(name))
            .collect();
        let table = Table::of_columns(SOURCE, columns, true)?;
        let reader = if skip_bad_rows { &self.skipping } else { &self.reader };
        match &features.plan {
            Some(plan) => reader.read_by(plan, &table),
            None => reader.read_alone(&table),
        }
    }

    /// Why rows are rejected.
    fn reasons<'a>(
        &self,
        decisions: &[Decision],
        samples: impl FnOnce() -> Result<Cow<'a, AnySamples>, Error>,
        options: ScoreOptions,
        observer: &dyn Observer,
    ) -> Result<Vec<Option<String>>, Error> {
        let mut reasons = vec![None; if options.reasons { decisions.len() } else { 0 }];
        let rejected: Vec<usize> = (0..reasons.len()).filter(|&i| !decisions[i].accepted).collect();
        let names = if rejected.is_empty() { Vec::new() } else { self.model.share_names() };
        if names.is_empty() {
            return Ok(reasons);
        }
        let chosen = samples()?.select(&rejected);
        for (&i, explanation) in rejected.iter().zip(self.model.explain(&chosen, NEAREST, observer)?) {
            reasons[i] = Some(answers::words(&names, &explanation.shares));
        }
        Ok(reasons)
    }
}

#[cfg(test)]
mod tests;
