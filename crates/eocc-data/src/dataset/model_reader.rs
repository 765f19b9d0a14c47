//! Samples in the form of a model's, without guessing types again.

use std::sync::Arc;

use eocc_core::{AnyModel, AnySamples, Layout};

use super::bad_rows::BadRows;
use super::build::{Numbers, samples_like};
use super::plan::{Plan, wanted_columns};
use super::series_tables::{Unfolded, unfold};
use super::training::complete_rows;
use super::windows::{Cutter, Windows};
use super::{Dataset, Missing, ReadError, ReadRequest};
use crate::mask::masked;
use crate::table::Table;
use crate::typed::{Types, convert};

/// At most this many objects at the start of a file may miss a field that later ones have.
const FEW_OBJECTS: usize = 10;

/// Makes samples in the form of a model's from one table after another: batches of a file, a stream, or a data
/// engine. Decisions about columns are made for the first table and hold for all.
///
/// Cloning is cheap. A clone made before the first table makes its own decisions.
#[derive(Debug, Clone)]
pub struct ModelReader {
    layout: Arc<Layout>,
    request: ReadRequest,
    /// The samples of the model, used to impute missing values.
    reference: Option<AnySamples>,
    plan: Option<Plan>,
    /// Windows of a long series continue from one table to the next.
    windows: Cutter,
}

/// The result of reading a table.
#[derive(Debug)]
pub struct RowsRead {
    /// The samples, if any.
    pub data: Option<Dataset>,
    /// The rows that did not yield a sample, in order; always empty unless [`ReadRequest::skip_bad_rows`] is set.
    pub bad: Vec<BadRow>,
}

/// A row that cannot be read.
#[derive(Debug)]
pub struct BadRow {
    /// Its row number in the file, from 0.
    pub row: usize,
    /// The error.
    pub error: ReadError,
    /// Its name, and the cells of the columns that are carried along, if these can be read.
    pub name: Option<String>,
    /// See [`BadRow::name`].
    pub kept: Vec<String>,
}

impl ModelReader {
    /// Reads in this form.
    pub fn new(layout: Layout, request: ReadRequest) -> Self {
        Self { layout: Arc::new(layout), request, reference: None, plan: None, windows: Cutter::default() }
    }

    /// Reads in the form of a model, and imputes missing values from its samples if requested.
    pub fn from_model(model: &AnyModel, request: ReadRequest) -> Self {
        let reference = (request.missing == Some(Missing::Impute)).then(|| model.reference());
        Self { reference, ..Self::new(model.layout(), request) }
    }

    /// Leaves missing values as they are, for the caller to impute.
    #[must_use]
    pub fn without_imputing(self) -> Self {
        Self { reference: None, ..self }
    }

    /// How to read the tables.
    pub fn request(&self) -> &ReadRequest {
        &self.request
    }

    /// The form of the samples.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The samples of a table.
    pub fn read(&mut self, table: &Table) -> Result<RowsRead, ReadError> {
        if let Some(windows) = &self.request.windows {
            let mut cutter = std::mem::take(&mut self.windows);
            let read = self.read_windows(&mut cutter, table, windows);
            self.windows = cutter;
            return read;
        }
        let mut plan = self.plan.take();
        let read = self.read_with(&mut plan, table);
        self.plan = plan;
        read
    }

    /// The samples of a table independently of earlier tables, so that a reader can be shared among threads.
    pub fn read_alone(&self, table: &Table) -> Result<RowsRead, ReadError> {
        match &self.request.windows {
            Some(windows) => self.read_windows(&mut Cutter::default(), table, windows),
            None => self.read_with(&mut None, table),
        }
    }

    /// The samples of a table, with a plan made for its columns.
    #[cfg(feature = "columnar")]
    pub(super) fn read_by(&self, plan: &Plan, table: &Table) -> Result<RowsRead, ReadError> {
        self.by_plan(plan, &table.as_asked(&self.request), &self.request)
    }

    /// The samples of a table, with the plan of earlier tables or a new one that is stored for later ones.
    fn read_with(&self, known: &mut Option<Plan>, table: &Table) -> Result<RowsRead, ReadError> {
        let asked = table.as_asked(&self.request);
        let table = asked.as_ref();
        let mut early = BadRows::new(self.request.skip_bad_rows);
        let unfolded = unfold(table, &self.request, &mut early)?;
        let mut bad: Vec<BadRow> = early
            .into_rows()
            .map(|(row, error)| BadRow { row: table.row_number(row), error, name: None, kept: Vec::new() })
            .collect();
        let Some(Unfolded { table, request, notes, .. }) = unfolded else {
            return Ok(RowsRead { data: None, bad });
        };
        let is_unfolded = matches!(request, std::borrow::Cow::Owned(_));
        let plan = match known.take().filter(|_| !is_unfolded) {
            Some(plan) => plan,
            None => Plan::for_model(&table, &self.layout, &request)?,
        };
        let read = self.by_plan(plan.for_table(&table)?.as_ref(), &table, &request);
        *known = Some(plan);
        let RowsRead { data, bad: more } = read?;
        bad.extend(more);
        bad.sort_by_key(|bad| bad.row);
        Ok(RowsRead { data: data.map(|data| data.with_notes(notes)), bad })
    }

    /// The windows that end in a table.
    fn read_windows(
        &self,
        cutter: &mut Cutter,
        table: &Table,
        windows: &Windows,
    ) -> Result<RowsRead, ReadError> {
        let asked = table.as_asked(&self.request);
        let table = asked.as_ref();
        let mut early = BadRows::new(self.request.skip_bad_rows);
        let cut = cutter.cut(table, windows, &self.request, &mut early)?;
        let bad_row = |(row, error)| BadRow { row, error, name: None, kept: Vec::new() };
        let mut bad: Vec<BadRow> = early.into_rows().map(bad_row).collect();
        let Some(cut) = cut else { return Ok(RowsRead { data: None, bad }) };
        let plan = Plan::for_model(&cut.table, &self.layout, &cut.request)?;
        let RowsRead { data, bad: more } = self.by_plan(&plan, &cut.table, &cut.request)?;
        bad.extend(more);
        bad.sort_by_key(|bad| bad.row);
        Ok(RowsRead { data: data.map(|data| data.with_notes(cut.notes)), bad })
    }

    /// Like [`read`](Self::read), for objects; fields that only other objects of the file have are missing values.
    /// Only with few objects, or after others, can that be distinguished from a wrong name.
    pub fn read_objects(&mut self, table: Table) -> Result<RowsRead, ReadError> {
        let known: Vec<String> = match &self.plan {
            Some(plan) => plan.needed(),
            None if table.rows() >= FEW_OBJECTS => Vec::new(),
            None => {
                let wanted = wanted_columns(&self.layout).into_iter().map(|(name, _)| name);
                wanted.chain(self.request.keep.iter().filter(|name| *name != "all").cloned()).collect()
            }
        };
        let has_some = known.iter().any(|name| table.find(name).is_some());
        if has_some { self.read(&table.with_columns(&known)) } else { self.read(&table) }
    }

    fn by_plan(&self, plan: &Plan, table: &Table, request: &ReadRequest) -> Result<RowsRead, ReadError> {
        let (columns, count) = (plan.features.as_slice(), table.rows());
        let mut bad = BadRows::new(request.skip_bad_rows);
        let rows = complete_rows(table, columns, &plan.types, None, request.missing, &mut bad)?;
        let mut rows = bad.others(rows, count);
        let samples = match self.layout.as_ref() {
            _ if rows.as_ref().is_some_and(Vec::is_empty) => None,
            Layout::Numbers(_) if !table.is_typed() => {
                let accepts_missing = Missing::allows_missing(request.missing);
                let numbers = Numbers { table, columns, rows: rows.as_deref(), accepts_missing };
                let vectors = numbers.vectors(&mut bad)?;
                rows = bad.others(rows, count);
                (bad.count() < count).then(|| vectors.into())
            }
            Layout::Dissimilarities(_) if !table.is_typed() => {
                let numbers = Numbers { table, columns, rows: rows.as_deref(), accepts_missing: false };
                let dissimilarities = numbers.precomputed(false, &mut bad)?;
                rows = bad.others(rows, count);
                (bad.count() < count).then(|| dissimilarities.into())
            }
            layout => Self::typed(plan, table, request, layout, &mut rows, &mut bad)?,
        };
        let data = match samples {
            None => None,
            Some(samples) => {
                let samples = match &self.reference {
                    Some(reference) => samples.filled(reference)?,
                    None => samples,
                };
                let samples = if request.mask { masked(&samples)? } else { samples };
                Some(plan.dataset(table, samples).of_rows(table, rows, count - bad.count()))
            }
        };
        let cell = |row: usize, column: usize| table.columns()[column].text(row).trim().to_owned();
        let bad = bad.into_rows().map(|(row, error)| BadRow {
            row: table.row_number(row),
            error,
            name: plan.name.map(|column| cell(row, column)),
            kept: plan.kept.iter().map(|&column| cell(row, column)).collect(),
        });
        Ok(RowsRead { data, bad: bad.collect() })
    }

    /// Samples of columns that are given types first. Rows that turn out to be bad are removed from `rows`.
    fn typed(
        plan: &Plan,
        table: &Table,
        request: &ReadRequest,
        layout: &Layout,
        rows: &mut Option<Vec<usize>>,
        bad: &mut BadRows,
    ) -> Result<Option<AnySamples>, ReadError> {
        let types = Types::resolve(table, &plan.types, &plan.features, rows.as_deref())?;
        let picked = rows.as_ref().map(|rows| table.pick(rows));
        let allow_empty = Missing::allow_empty(request.missing);
        let mut own = BadRows::new(request.skip_bad_rows);
        let picked = picked.as_ref().unwrap_or(table);
        let typed = convert(picked, &types, &plan.features, allow_empty, &mut own)?;
        let good = own.others(None, typed.rows());
        let mut samples = None;
        if own.count() < typed.rows() {
            let typed = good.as_ref().map(|good| typed.pick(good)).unwrap_or(typed);
            let mut late = BadRows::new(request.skip_bad_rows);
            samples = Some(samples_like(&typed, layout, &mut late)?);
            for (row, fault) in late.into_rows() {
                own.add_sample(good.as_ref().map_or(row, |good| good[row]), fault)?;
            }
        }
        let place = rows.clone();
        for (row, fault) in own.into_rows() {
            bad.add_sample(place.as_ref().map_or(row, |rows| rows[row]), fault)?;
        }
        *rows = bad.others(rows.take(), table.rows());
        Ok(samples)
    }
}
