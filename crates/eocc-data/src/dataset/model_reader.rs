//! Samples in the form of a model's, so that types are not guessed anew.

use eocc_core::{AnyModel, AnySamples, Layout};

use super::bad_rows::BadRows;
use super::build::{Numbers, samples_like};
use super::plan::{Plan, wanted_columns};
use super::series_tables::{Unfolded, unfold};
use super::training::complete_rows;
use super::{Dataset, Missing, ReadError, ReadRequest};
use crate::mask::masked;
use crate::table::Table;
use crate::typed::{Types, convert};

/// So few objects at the start of a file may lack a field that later ones have.
const FEW_OBJECTS: usize = 10;

/// Makes samples in the form of a model's of one table after the other: those of a file in batches, of a stream, or of an
/// engine. What the first says of the columns holds for all.
#[derive(Debug)]
pub struct ModelReader {
    layout: Layout,
    request: ReadRequest,
    /// The samples of the model, by which what is missing is filled.
    reference: Option<AnySamples>,
    plan: Option<Plan>,
}

/// What was made of a table.
#[derive(Debug)]
pub struct RowsRead {
    /// The samples, if there are any.
    pub data: Option<Dataset>,
    /// The rows of which none could be made, in order; none unless [`ReadRequest::skip_bad_rows`] asks for them.
    pub bad: Vec<BadRow>,
}

/// A row that cannot be read.
#[derive(Debug)]
pub struct BadRow {
    /// The row of the file, from 0.
    pub row: usize,
    /// What is wrong with it.
    pub error: ReadError,
    /// Its name, and the cells of the columns that are carried along, if it can be read that far.
    pub name: Option<String>,
    /// See [`BadRow::name`].
    pub kept: Vec<String>,
}

impl ModelReader {
    /// Reads in this form.
    pub fn new(layout: Layout, request: ReadRequest) -> Self {
        Self { layout, request, reference: None, plan: None }
    }

    /// Reads in the form of a model, and fills what is missing by its samples if that is asked for.
    pub fn of(model: &AnyModel, request: ReadRequest) -> Self {
        let reference = (request.missing == Some(Missing::Impute)).then(|| model.reference());
        Self { reference, ..Self::new(model.layout(), request) }
    }

    /// What is asked of the tables.
    pub fn request(&self) -> &ReadRequest {
        &self.request
    }

    /// The form of the samples.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The samples of a table.
    pub fn read(&mut self, table: &Table) -> Result<RowsRead, ReadError> {
        let mut early = BadRows::new(self.request.skip_bad_rows);
        let unfolded = unfold(table, &self.request, &mut early)?;
        let mut bad: Vec<BadRow> = early
            .into_rows()
            .map(|(row, error)| BadRow { row: table.row_number(row), error, name: None, kept: Vec::new() })
            .collect();
        let Some(Unfolded { table, request, notes }) = unfolded else {
            return Ok(RowsRead { data: None, bad });
        };
        let is_unfolded = matches!(request, std::borrow::Cow::Owned(_));
        let plan = match self.plan.take().filter(|_| !is_unfolded) {
            Some(plan) => plan,
            None => Plan::for_model(&table, &self.layout, &request)?,
        };
        let read = self.by_plan(plan.for_table(&table)?.as_ref(), &table, &request);
        self.plan = Some(plan);
        let RowsRead { data, bad: more } = read?;
        bad.extend(more);
        bad.sort_by_key(|bad| bad.row);
        Ok(RowsRead { data: data.map(|data| data.with_notes(notes)), bad })
    }

    /// The same of objects, which may lack fields that others of their file have: these are then missing. Only of few objects,
    /// or where others came before, can that be told from a name that is wrong.
    pub(crate) fn read_objects(&mut self, table: Table) -> Result<RowsRead, ReadError> {
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
        let samples = match &self.layout {
            _ if rows.as_ref().is_some_and(Vec::is_empty) => None,
            Layout::Numbers(_) if !table.is_typed() => {
                let lets_missing_in = Missing::is_let_in(request.missing);
                let numbers = Numbers { table, columns, rows: rows.as_deref(), lets_missing_in };
                let vectors = numbers.vectors(&mut bad)?;
                rows = bad.others(rows, count);
                (bad.count() < count).then(|| vectors.into())
            }
            Layout::Dissimilarities(_) if !table.is_typed() => {
                let numbers = Numbers { table, columns, rows: rows.as_deref(), lets_missing_in: false };
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

    /// Samples of columns that are first given types. Rows that turn out to be bad are taken off `rows`.
    fn typed(
        plan: &Plan,
        table: &Table,
        request: &ReadRequest,
        layout: &Layout,
        rows: &mut Option<Vec<usize>>,
        bad: &mut BadRows,
    ) -> Result<Option<AnySamples>, ReadError> {
        let types = Types::of(table, &plan.types, &plan.features, rows.as_deref())?;
        let picked = rows.as_ref().map(|rows| table.pick(rows));
        let lets_empty_in = Missing::lets_empty_in(request.missing);
        let mut own = BadRows::new(request.skip_bad_rows);
        let picked = picked.as_ref().unwrap_or(table);
        let typed = convert(picked, &types, &plan.features, lets_empty_in, &mut own)?;
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
