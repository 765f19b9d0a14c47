//! The roles of a table's columns: for training, by the request and by fixed rules; for a model, in its form.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use eocc_core::sample::{ColumnKind, DateValue, MixedColumn};
use eocc_core::{Error, Layout};

use super::roles::{self, Roles};
use super::rules::names_keys;
use super::{NoFeature, Note, ReadError, ReadRequest, of_source};
use crate::cell::{Cell, CellFault};
use crate::date::DayMonth;
use crate::error::DataError;
use crate::field_type::FieldType;
use crate::guess::guess;
use crate::table::Table;

/// Requests that every column be carried along.
const ALL: &str = "all";
/// The class column of a typed format such as TS, unless another is given.
const CLASS: &str = "class";
/// And the target of a regression.
const TARGET: &str = "target";
/// The cells that show what a column holds.
const FEW_CELLS: usize = 100;

/// The roles of a table's columns, by number.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// The names of all columns of the table that this was decided for.
    columns: Vec<String>,
    /// The columns that form the samples, in order.
    pub(super) features: Vec<usize>,
    /// The columns with the names of the samples, with their classes, and with their splits.
    pub(super) name: Option<usize>,
    pub(super) classes: Option<usize>,
    pub(super) split: Option<usize>,
    /// Columns that are carried along.
    pub(super) kept: Vec<usize>,
    /// The types that are not guessed, by name or number.
    pub(super) types: Vec<(String, FieldType)>,
    /// Decisions that were not requested.
    pub(super) notes: Vec<Note>,
}

impl Plan {
    fn new(table: &Table, request: &ReadRequest) -> Result<Self, DataError> {
        let column = |name: &Option<String>| name.as_ref().map(|name| table.column(name)).transpose();
        let class = || table.find(CLASS).filter(|_| table.is_typed());
        Ok(Self {
            columns: table.names().into_iter().map(str::to_owned).collect(),
            features: Vec::new(),
            name: None,
            classes: column(&request.label)?.or_else(class),
            split: column(&request.split)?,
            kept: kept(table, &request.keep)?,
            types: request.types.clone(),
            notes: Vec::new(),
        })
    }

    /// All of these columns are features, in this order and with these types; there is no other information about the
    /// rows.
    #[cfg(feature = "columnar")]
    pub(super) fn of_features(columns: Vec<String>, types: Vec<(String, FieldType)>) -> Self {
        Self {
            features: (0..columns.len()).collect(),
            columns,
            name: None,
            classes: None,
            split: None,
            kept: Vec::new(),
            types,
            notes: Vec::new(),
        }
    }

    /// The roles of the columns for training samples.
    pub(super) fn for_training(table: &Table, request: &ReadRequest) -> Result<Self, ReadError> {
        let mut plan = Self::new(table, request)?;
        let mut columns = chosen(table, plan.classes, request)?;
        columns.retain(|column| Some(*column) != plan.split);
        if request.precomputed {
            plan.take_row_names(table, &mut columns, table.rows(), request)?;
            plan.features = columns;
        } else if table.is_typed() {
            plan.leave_out_target(table, &mut columns, request);
            plan.features = columns;
        } else {
            let Roles { features, name, notes } = roles::assign(table, columns, request)?;
            (plan.features, plan.name, plan.notes) = (features, name, notes);
        }
        if plan.features.is_empty() {
            return Err(nothing_left(table));
        }
        Ok(plan)
    }

    /// The target of a regression is not a feature, just like a class.
    fn leave_out_target(&mut self, table: &Table, columns: &mut Vec<usize>, request: &ReadRequest) {
        let target = columns.iter().position(|&column| table.name(column) == TARGET);
        if let Some(at) = target.filter(|_| request.columns.is_empty() && columns.len() > 1) {
            let column = &table.columns()[columns.remove(at)];
            let (name, kind) = (column.name.clone(), column.type_name());
            self.notes.push(Note::NoFeature { column: name, why: NoFeature::Classes, kind });
        }
    }

    /// The roles of the columns for samples in a model's form.
    pub(super) fn for_model(
        table: &Table,
        layout: &Layout,
        request: &ReadRequest,
    ) -> Result<Self, ReadError> {
        let mut plan = Self::new(table, request)?;
        let label = request.label.as_ref().map(|name| table.column(name)).transpose()?;
        if table.is_typed() {
            let dropped: Vec<usize> = request.drop.iter().filter_map(|name| table.find(name)).collect();
            let is_feature = |column: &usize| Some(*column) != label && !dropped.contains(column);
            plan.features = (0..table.width()).filter(is_feature).collect();
            plan.types = Vec::new();
            return Ok(plan);
        }
        let mut columns = chosen(table, label, request)?;
        let wanted = wanted_columns(layout);
        match layout {
            Layout::Dissimilarities(count) => {
                plan.take_row_names(table, &mut columns, *count, request)?;
                columns = plan.in_order_of_matrix(table, columns, &request.header)?;
            }
            // The model does not know the name of its column.
            layout if layout.single_column().is_some() => {
                let found = roles::assign(table, columns.clone(), request)?;
                let others: Vec<usize> =
                    columns.iter().copied().filter(|c| !found.features.contains(c)).collect();
                let by_name = found.name.filter(|&c| !request.unnamed && names_keys(table, c));
                plan.name = roles::name_among(table, &others, request).or(by_name);
                (columns, plan.notes) = (found.features, found.notes);
                let usual = request.column.as_ref().filter(|_| request.columns.is_empty());
                if let Some(usual) =
                    usual.and_then(|name| table.find(name)).filter(|usual| columns.contains(usual))
                {
                    columns = vec![usual];
                }
                if let (Layout::Text, [one]) = (layout, &columns[..]) {
                    refuse_graphs(table, *one, request)?;
                }
            }
            Layout::Numbers(names) if names.is_empty() => {}
            _ => {
                let dropped: Vec<usize> =
                    request.drop.iter().filter_map(|name| table.column(name).ok()).collect();
                let is_wanted = |column: usize| wanted.iter().any(|(name, _)| table.name(column) == *name);
                let others: Vec<usize> = (0..table.width())
                    .filter(|&c| Some(c) != label && !is_wanted(c) && !dropped.contains(&c))
                    .collect();
                plan.name = roles::name_among(table, &others, request);
            }
        }
        plan.features = match layout {
            Layout::Numbers(names) => plan.in_order(table, names, columns)?,
            _ if wanted.is_empty() => columns,
            _ => wanted.iter().map(|(name, _)| table.column(name)).collect::<Result<_, _>>()?,
        };
        plan.give_types(table, layout, wanted);
        Ok(plan)
    }

    /// The model's features in the model's order, if the table has them all by name; columns unknown to the model are
    /// left out and reported. Otherwise the columns as they are, for the model to accept or refuse.
    fn in_order(
        &mut self,
        table: &Table,
        names: &[String],
        mut columns: Vec<usize>,
    ) -> Result<Vec<usize>, DataError> {
        let all = table.places();
        // Some of them: the others are missing, whatever else the file has.
        if table.has_header() && names.iter().any(|name| all.contains_key(name.as_str())) {
            let mut unknown = names.iter().filter(|name| !all.contains_key(name.as_str()));
            unknown.try_for_each(|name| table.column(name).map(|_| ()))?;
        }
        if names.is_empty() {
            return Ok(columns);
        }
        // The names appear in the output: they are not left out.
        columns.retain(|column| Some(*column) != self.name);
        // Text of another width has lost its header, rather than its columns.
        if !table.has_header() && table.line(0).is_some() && columns.len() != names.len() {
            names.iter().try_for_each(|name| table.column(name).map(|_| ()))?;
        }
        let places: HashMap<&str, usize> =
            columns.iter().map(|&column| (table.name(column), column)).collect();
        let found: Option<Vec<usize>> = names.iter().map(|name| places.get(name.as_str()).copied()).collect();
        let Some(found) = found.filter(|_| table.has_header()) else { return Ok(columns) };
        let wanted: HashSet<&str> = names.iter().map(String::as_str).collect();
        let is_extra = |column: &&usize| !wanted.contains(table.name(**column));
        let extra: Vec<String> =
            columns.iter().filter(is_extra).map(|&column| table.name(column).to_owned()).collect();
        if !extra.is_empty() {
            self.notes.push(Note::ColumnsLeftOut(extra));
        }
        Ok(found)
    }

    /// Takes the column with the names of a matrix's rows away from its columns: a requested one, or the first if it
    /// holds words, or has the name of a key and is one too many.
    fn take_row_names(
        &mut self,
        table: &Table,
        columns: &mut Vec<usize>,
        count: usize,
        request: &ReadRequest,
    ) -> Result<(), DataError> {
        for (name, kind) in &request.types {
            let column = table.column(name)?;
            if matches!(kind, FieldType::Id | FieldType::Ignore) {
                columns.retain(|other| *other != column);
            }
            if *kind == FieldType::Id {
                self.name = Some(column);
            }
        }
        let [first, _, ..] = columns[..] else { return Ok(()) };
        if self.name.is_some() || !request.columns.is_empty() || table.is_typed() {
            return Ok(());
        }
        let is_word =
            |cell: Cell<'_>| matches!(cell.number(), Err(CellFault::NotANumber(_) | CellFault::Text(_)));
        let is_extra = columns.len() == count + 1 && table.has_header() && names_keys(table, first);
        if is_extra || table.columns()[first].cells().all(is_word) {
            columns.remove(0);
            self.name = Some(first);
            self.notes.push(Note::RowNames { column: table.name(first).to_owned() });
        }
        Ok(())
    }

    /// The columns of a matrix in the order of the training samples, if both have names.
    fn in_order_of_matrix(
        &mut self,
        table: &Table,
        columns: Vec<usize>,
        header: &[String],
    ) -> Result<Vec<usize>, ReadError> {
        if header.is_empty() || !table.has_header() || columns.len() < header.len() {
            return Ok(columns);
        }
        let places: HashMap<&str, usize> =
            columns.iter().map(|&column| (table.name(column).trim(), column)).collect();
        let place = |name: &String| {
            places.get(name.trim()).copied().ok_or_else(|| {
                of_source(table.source())(Error::input(format!(
                    "the model was fitted on a sample `{}`, but the matrix has no such column; name the columns as in \
                     training, or leave out the names",
                    name.trim()
                )))
            })
        };
        let found = header.iter().map(place).collect::<Result<Vec<usize>, _>>()?;
        let used: HashSet<usize> = found.iter().copied().collect();
        let extra: Vec<String> = (columns.iter().filter(|column| !used.contains(column)))
            .map(|&column| table.name(column).to_owned())
            .collect();
        if !extra.is_empty() {
            self.notes.push(Note::ColumnsLeftOut(extra));
        }
        Ok(found)
    }

    /// The types required by the form.
    fn give_types(&mut self, table: &Table, layout: &Layout, wanted: Vec<(String, FieldType)>) {
        // A single column has the type of the model, however few words it contains.
        if wanted.is_empty()
            && let ([one], Some(kind)) = (self.features.as_slice(), field_type(layout))
        {
            self.types.push((table.name(*one).to_owned(), kind));
        }
        self.types.extend(wanted);
        // Types may be given for columns that the model does not have.
        let (all, features) = (table.places(), self.features.iter().copied().collect::<HashSet<usize>>());
        let column = |name: &str| all.get(name).copied().or_else(|| table.column(name).ok());
        let is_feature = |name: &str| column(name).is_some_and(|column| features.contains(&column));
        self.types.retain(|(name, _)| is_feature(name));
        // A column of complete samples has its own type.
        let is_fixed = |name: &str| column(name).is_some_and(|c| table.columns()[c].kind().is_some());
        self.types.retain(|(name, _)| !is_fixed(name));
    }

    /// This plan for another table of the same file, whose columns may be in a different order.
    pub(super) fn for_table(&self, table: &Table) -> Result<Cow<'_, Self>, DataError> {
        if table.width() == self.columns.len()
            && table.columns().iter().zip(&self.columns).all(|(a, b)| a.name == *b)
        {
            return Ok(Cow::Borrowed(self));
        }
        let places: HashMap<&str, usize> =
            table.columns().iter().enumerate().map(|(place, column)| (column.name.as_str(), place)).collect();
        let place = |column: &usize| {
            let name = self.columns[*column].as_str();
            places.get(name).copied().map_or_else(|| table.column(name), Ok)
        };
        let all = |columns: &[usize]| columns.iter().map(place).collect::<Result<Vec<_>, _>>();
        let one = |column: &Option<usize>| column.as_ref().map(place).transpose();
        Ok(Cow::Owned(Self {
            columns: table.names().into_iter().map(str::to_owned).collect(),
            features: all(&self.features)?,
            name: one(&self.name)?,
            classes: one(&self.classes)?,
            split: one(&self.split)?,
            kept: all(&self.kept)?,
            types: self.types.clone(),
            notes: Vec::new(),
        }))
    }

    /// The names of the columns that every part of a file must have.
    pub(super) fn needed(&self) -> Vec<String> {
        let all = self.features.iter().chain(&self.name).chain(&self.classes).chain(&self.kept);
        all.map(|&column| self.columns[column].clone()).collect()
    }
}

/// Refuses a column of graphs for a model of strings, unless it is said to hold text.
fn refuse_graphs(table: &Table, column: usize, request: &ReadRequest) -> Result<(), ReadError> {
    let is_told = request.types.iter().any(|(name, _)| table.column(name).is_ok_and(|told| told == column));
    let cells: Vec<Cell<'_>> = table.columns()[column].cells().take(FEW_CELLS).collect();
    if !is_told && matches!(guess(table.name(column), &cells), Ok(FieldType::Graph)) {
        let text =
            format!("the model was fitted on strings, but column `{}` holds graphs", table.name(column));
        return Err(of_source(table.source())(Error::input(text)));
    }
    Ok(())
}

fn nothing_left(table: &Table) -> ReadError {
    of_source(table.source())(Error::input("no column is left to learn from"))
}

/// The columns that may be features: the chosen ones, or all, except for the label and the dropped ones.
fn chosen(table: &Table, label: Option<usize>, request: &ReadRequest) -> Result<Vec<usize>, ReadError> {
    let drop = table.find_all(&request.drop)?;
    let mut columns = match request.columns.as_slice() {
        [] => (0..table.width()).collect(),
        some => table.find_all(some)?,
    };
    columns.retain(|column| Some(*column) != label && !drop.contains(column));
    if columns.is_empty() { Err(nothing_left(table)) } else { Ok(columns) }
}

/// The columns that are carried along.
fn kept(table: &Table, asked: &[String]) -> Result<Vec<usize>, DataError> {
    match asked {
        [one] if one == ALL && table.find(one).is_none() => Ok((0..table.width()).collect()),
        some => table.find_all(some),
    }
}

/// The type of a column with complete samples of this form.
pub(super) fn field_type(layout: &Layout) -> Option<FieldType> {
    layout.single_column()?.parse().ok()
}

/// The columns that a form needs, by name, with their types; empty if it has no names for them.
pub(super) fn wanted_columns(layout: &Layout) -> Vec<(String, FieldType)> {
    let of_column = |column: &MixedColumn, all: &[MixedColumn]| {
        let kind = match &column.kind {
            ColumnKind::Number => FieldType::Number,
            ColumnKind::Date(part) => {
                let has_day = |other: &MixedColumn| matches!(&other.kind, ColumnKind::Date(p) if p.of == part.of && p.value == DateValue::Elapsed);
                if !all.iter().any(has_day) {
                    return (part.of.clone(), FieldType::Time);
                }
                let order = if part.day_first { DayMonth::DayFirst } else { DayMonth::MonthFirst };
                return (part.of.clone(), FieldType::Date(Some(order)));
            }
            // By their names: unknown levels are allowed, and differ from all.
            ColumnKind::Boolean | ColumnKind::Category(_) | ColumnKind::Ordered(_) => FieldType::Category,
        };
        (column.name.clone(), kind)
    };
    match layout {
        Layout::Numbers(names) => names.iter().map(|name| (name.clone(), FieldType::Number)).collect(),
        Layout::Columns(columns) => {
            // The features of a date come from one column.
            let mut wanted: Vec<_> = columns.iter().map(|column| of_column(column, columns)).collect();
            wanted.dedup();
            wanted
        }
        Layout::Parts(parts) => {
            let of_part = |(name, layout): &(String, Layout)| match field_type(layout) {
                Some(kind) => vec![(name.clone(), kind)],
                None => wanted_columns(layout),
            };
            parts.iter().flat_map(of_part).collect()
        }
        _ => Vec::new(),
    }
}
