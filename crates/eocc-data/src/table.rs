//! A table: named columns of equal length, and the locations of their rows.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;
use std::sync::OnceLock;

use eocc_core::parallel;
use eocc_core::spelling::nearest;

use crate::cell::{Cell, CellFault};
use crate::cells::Cells;
use crate::column::{Column, Values};
use crate::dataset::ReadRequest;
use crate::error::{DataError, Fault};
use crate::field_fault::FieldFault;
use crate::matching;
use crate::notation::Notation;
use crate::shown::shown;

/// Minimum number of rows for which several threads pay off.
const MIN_PARALLEL: usize = 4096;

/// Columns of equal length, from a file or a data frame.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<Column>,
    has_header: bool,
    rows: usize,
    places: Places,
    /// Why parts of the file are not among the columns; used in messages about missing columns.
    left_out: Vec<String>,
    /// The first columns as time steps, if the file is an array of three dimensions.
    steps: Option<Steps>,
    /// Whether each row is a line of text.
    are_lines: bool,
    /// A hash of each row, and how many equal an earlier one, computed on demand.
    repeated: OnceLock<(Vec<u64>, usize)>,
}

/// The locations of the rows of a table in its file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// Name of the file, or what messages call it.
    pub(crate) source: String,
    /// The number of the first row in the file, from 0.
    pub(crate) first: usize,
    /// Line of each row, from 1; empty for files without lines.
    pub(crate) lines: Vec<usize>,
    /// The number of each row in the file; empty if none is left out.
    picked: Vec<usize>,
    /// The files it was joined from, each with its first row; empty for a single file.
    files: Vec<(usize, String)>,
    /// The names of the rows, if the format has them.
    names: Option<Vec<String>>,
}

/// Some rows of a file: those that form a table, if any, and the others by their number among all of them, with their
/// errors.
pub(crate) type SomeRows = (Option<Table>, Vec<(usize, DataError)>);

/// Columns that are time steps, each with one or more channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) time: usize,
    pub(crate) channels: usize,
    /// Whether the columns of a channel are adjacent, rather than those of a time step.
    pub(crate) by_channel: bool,
}

impl Steps {
    /// How many columns there are.
    pub(crate) fn columns(self) -> usize {
        self.time * self.channels
    }

    /// Number of the column of this time step and channel.
    pub(crate) fn column(self, time: usize, channel: usize) -> usize {
        if self.by_channel { channel * self.time + time } else { time * self.channels + channel }
    }
}

/// The names `x0`, `x1`, … of columns without names.
pub(crate) fn numbered(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("x{column}")).collect()
}

fn picked<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
    if values.is_empty() { Vec::new() } else { rows.iter().map(|&row| values[row].clone()).collect() }
}

impl Places {
    /// The number of a row in the file, from 0; for several files, counted through all.
    fn number(&self, row: usize) -> usize {
        self.picked.get(row).copied().unwrap_or(self.first + row)
    }

    fn pick(&self, rows: &[usize]) -> Self {
        Self {
            source: self.source.clone(),
            first: self.first,
            lines: picked(&self.lines, rows),
            picked: rows.iter().map(|&row| self.number(row)).collect(),
            files: self.files.clone(),
            names: self.names.as_ref().map(|names| picked(names, rows)),
        }
    }

    fn part(&self, rows: Range<usize>) -> Self {
        fn slice<T: Clone>(values: &[T], rows: &Range<usize>) -> Vec<T> {
            values.get(rows.clone()).map(<[T]>::to_vec).unwrap_or_default()
        }
        Self {
            source: self.source.clone(),
            first: self.first + rows.start,
            lines: slice(&self.lines, &rows),
            picked: slice(&self.picked, &rows),
            files: self.files.clone(),
            names: self.names.as_ref().map(|names| slice(names, &rows)),
        }
    }
}

impl Table {
    /// A table of in-memory columns. `source` is what messages call it; `has_names` is false if the columns have no
    /// names of their own, and then none of them is taken for a key.
    pub fn of_columns(source: &str, columns: Vec<Column>, has_names: bool) -> Result<Self, DataError> {
        let rows = columns.first().map_or(0, Column::len);
        if rows == 0 {
            return Err(DataError::new(source, Fault::NoRows { columns: columns.len() }));
        }
        if let Some((at, column)) = columns.iter().enumerate().find(|(_, column)| column.len() != rows) {
            let reason = format!("column {at} has {} rows, but column 0 has {rows}", column.len());
            return Err(DataError::new(source, Fault::Malformed { format: "table", reason }));
        }
        if let Some((first, second)) = duplicate(columns.iter().map(|column| column.name.as_str())) {
            let name = columns[second].name.clone();
            return Err(DataError::new(source, Fault::DuplicateName { name, first, second }));
        }
        Ok(Self {
            columns,
            has_header: has_names,
            rows,
            places: Places { source: source.to_owned(), ..Places::default() },
            left_out: Vec::new(),
            steps: None,
            are_lines: false,
            repeated: OnceLock::new(),
        })
    }

    /// A table from names and columns.
    pub(crate) fn new(source: &str, names: Vec<String>, columns: Vec<Column>) -> Result<Self, DataError> {
        let named = names.into_iter().zip(columns).map(|(name, column)| column.named(name));
        Self::of_columns(source, named.collect(), true)
    }

    /// Other columns with the same rows.
    pub(crate) fn with(&self, columns: Vec<Column>) -> Self {
        Self {
            columns,
            has_header: self.has_header,
            rows: self.rows,
            places: self.places.clone(),
            left_out: Vec::new(),
            steps: None,
            are_lines: self.are_lines,
            repeated: OnceLock::new(),
        }
    }

    pub(crate) fn with_header(mut self, has_header: bool) -> Self {
        self.has_header = has_header;
        self
    }

    pub(crate) fn with_lines(mut self, lines: Vec<usize>) -> Self {
        self.places.lines = lines;
        self
    }

    /// This table as a part of a larger file, with its first row at this number.
    pub(crate) fn starting_at(mut self, row: usize) -> Self {
        self.places.first = row;
        self
    }

    /// This table with these row numbers in the file.
    pub(crate) fn with_row_numbers(mut self, numbers: Vec<usize>) -> Self {
        self.places.picked = numbers;
        self
    }

    /// This table with row names.
    pub(crate) fn with_row_names(mut self, names: Option<Vec<String>>) -> Self {
        self.places.names = names;
        self
    }

    /// This table, each row of which is a line of text.
    pub(crate) fn of_lines(mut self) -> Self {
        self.are_lines = true;
        self
    }

    pub(crate) fn are_lines(&self) -> bool {
        self.are_lines
    }

    pub(crate) fn with_left_out(mut self, left_out: Vec<String>) -> Self {
        self.left_out = left_out;
        self
    }

    pub(crate) fn with_steps(mut self, steps: Option<Steps>) -> Self {
        self.steps = steps;
        self
    }

    pub(crate) fn steps(&self) -> Option<Steps> {
        self.steps
    }

    /// Whether the format declares the types of all columns.
    pub(crate) fn is_typed(&self) -> bool {
        self.columns.iter().all(|column| column.kind().is_some())
    }

    /// Joins tables: with the columns of the first, which the others must have by name.
    pub(crate) fn join(source: &str, tables: Vec<Self>) -> Result<Self, DataError> {
        let mut tables = tables.into_iter();
        let Some(mut all) = tables.next() else { return Err(DataError::new(source, Fault::NothingMatches)) };
        let first = std::mem::replace(&mut all.places.source, source.to_owned());
        all.places.files.push((0, first.clone()));
        let known: HashSet<String> = all.names().into_iter().map(str::to_owned).collect();
        for table in tables {
            let elsewhere = |file: &str, column: &str, other: &str| {
                let (column, other) = (column.to_owned(), other.to_owned());
                DataError::new(file, Fault::ColumnElsewhere { column, other })
            };
            if let Some(extra) = table.names().into_iter().find(|name| !known.contains(*name)) {
                return Err(elsewhere(&first, extra, table.source()));
            }
            let file = table.places.source;
            let mut others: HashMap<String, Column> =
                table.columns.into_iter().map(|column| (column.name.clone(), column)).collect();
            for column in &mut all.columns {
                let found =
                    others.remove(&column.name).ok_or_else(|| elsewhere(&file, &column.name, &first))?;
                column.append(&found).map_err(|(there, here)| {
                    let (column, other) = (column.name.clone(), first.clone());
                    DataError::new(&file, Fault::TypeElsewhere { column, here, there, other })
                })?;
            }
            all.places.files.push((all.rows, file));
            all.rows += table.rows;
            all.places.lines.extend(table.places.lines);
            all.has_header &= table.has_header;
            all.steps = all.steps.filter(|steps| table.steps == Some(*steps));
        }
        Ok(all)
    }

    /// Adds the rows of another table of the same file, which has the same columns.
    pub(crate) fn append(&mut self, other: &Self) -> Result<(), DataError> {
        self.repeated = OnceLock::new();
        let numbers = |table: &Self| (0..table.rows).map(|row| table.row_number(row)).collect::<Vec<usize>>();
        let follows = self.places.picked.is_empty()
            && other.places.picked.is_empty()
            && self.places.first + self.rows == other.places.first;
        if !follows {
            let mut all = numbers(self);
            all.extend(numbers(other));
            self.places.picked = all;
        }
        for c in 0..self.columns.len() {
            let found = &other.columns[other.column(&self.columns[c].name)?];
            let column = &mut self.columns[c];
            column.append(found).map_err(|(there, here)| {
                let (column, source) = (column.name.clone(), self.places.source.clone());
                DataError::new(&source, Fault::TypeElsewhere { column, here, there, other: source.clone() })
            })?;
        }
        self.rows += other.rows;
        self.places.lines.extend(&other.places.lines);
        Ok(())
    }

    /// The number of a row in the file, from 0; for several files, counted through all.
    pub(crate) fn row_number(&self, row: usize) -> usize {
        self.places.number(row)
    }

    /// Whether row numbers in the file differ from those here.
    pub(crate) fn is_part(&self) -> bool {
        self.places.first > 0 || !self.places.picked.is_empty()
    }

    /// The file of a row, and the number of the row in it.
    pub(crate) fn origin(&self, row: usize) -> (&str, usize) {
        let row = self.row_number(row);
        let files = &self.places.files;
        match files.partition_point(|(start, _)| *start <= row).checked_sub(1).map(|at| &files[at]) {
            Some((start, file)) => (file, row - start),
            None => (self.source(), row),
        }
    }

    /// The number of rows from each file that it was joined from; empty for a single file.
    pub(crate) fn rows_of_files(&self) -> Vec<usize> {
        // It has only some of the rows: where files begin is unknown.
        if !self.places.picked.is_empty() {
            return Vec::new();
        }
        let files = &self.places.files;
        let ends = files.iter().skip(1).map(|(start, _)| *start).chain([self.rows]);
        files.iter().zip(ends).map(|((start, _), end)| end - start).collect()
    }

    /// Names of the rows, if the format has them; for rows of several files, the file and the number of the row in
    /// it.
    pub fn row_names(&self) -> Option<Vec<String>> {
        if self.places.names.is_some() {
            return self.places.names.clone();
        }
        if self.places.files.is_empty() {
            return None;
        }
        let short = |path: &str| {
            std::path::Path::new(path)
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let shorts: Vec<String> = self.places.files.iter().map(|(_, file)| short(file)).collect();
        let is_unique = duplicate(shorts.iter().map(String::as_str)).is_none();
        let name = |row: usize| {
            let (file, own) = self.origin(row);
            if is_unique { format!("{}:{own}", short(file)) } else { format!("{file}:{own}") }
        };
        Some((0..self.rows).map(name).collect())
    }

    /// The location of a row, for messages: `row 3 (line 5)`, or `sample "P1" (line 7)`.
    pub fn location(&self, row: usize) -> String {
        let line = self.line(row).map(|line| format!(" (line {line})")).unwrap_or_default();
        if let Some(name) = self.places.names.as_ref().and_then(|names| names.get(row)) {
            return format!("sample {}{line}", shown(name));
        }
        let (file, own) = self.origin(row);
        let file = if self.places.files.is_empty() { String::new() } else { format!("{file}, ") };
        format!("{file}row {own}{line}")
    }

    /// These rows only.
    pub(crate) fn part(&self, rows: Range<usize>) -> Self {
        let columns = self.columns.iter().map(|column| column.part(rows.clone())).collect();
        Self {
            rows: rows.len(),
            places: self.places.part(rows),
            left_out: self.left_out.clone(),
            steps: self.steps,
            ..self.with(columns)
        }
    }

    /// These rows only, in the order given. Levels are unchanged, and [`Table::location`] still gives the location in
    /// the file.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        Self {
            columns: self.columns.iter().map(|column| column.pick(rows)).collect(),
            has_header: self.has_header,
            rows: rows.len(),
            places: self.places.pick(rows),
            left_out: self.left_out.clone(),
            steps: self.steps,
            are_lines: self.are_lines,
            repeated: OnceLock::new(),
        }
    }

    /// Adds a column of missing values for each of these names that it does not have.
    pub(crate) fn with_columns(mut self, names: &[String]) -> Self {
        self.repeated = OnceLock::new();
        for name in names {
            if self.columns.iter().all(|column| column.name != *name) {
                let mut cells = Cells::default();
                cells.pad(self.rows);
                self.columns.push(Column::new(name, Values::Cells(cells)));
            }
        }
        self
    }

    /// This table with the notation of numbers and the marks of missing values that a request gives.
    pub(crate) fn as_asked(&self, request: &ReadRequest) -> Cow<'_, Self> {
        let noted = request.options.notation.and_then(|notation| self.in_notation(notation));
        let table = noted.map_or(Cow::Borrowed(self), Cow::Owned);
        match table.without_values(&request.na) {
            Some(marked) => Cow::Owned(marked),
            None => table,
        }
    }

    /// This table with numbers in this notation, where its columns have none; `None` if nothing changes.
    fn in_notation(&self, notation: Notation) -> Option<Self> {
        let noted: Vec<Option<Column>> =
            self.columns.iter().map(|column| column.in_notation(notation)).collect();
        if noted.iter().all(Option::is_none) {
            return None;
        }
        let columns = self.columns.iter().zip(noted);
        let columns = columns.map(|(own, noted)| noted.unwrap_or_else(|| own.clone())).collect();
        Some(Self { columns, ..self.clone() })
    }

    /// This table with these values replaced by missing ones; `None` if none occurs.
    fn without_values(&self, values: &[String]) -> Option<Self> {
        if values.is_empty() {
            return None;
        }
        let numbers: Vec<f64> = values.iter().filter_map(|value| Cell::Raw(value).number().ok()).collect();
        let is_one = |cell: Cell<'_>| {
            values.iter().any(|value| cell.text().trim() == value.trim())
                || cell.number().is_ok_and(|own| numbers.iter().any(|n| (n - own).abs() <= 0.0))
        };
        let of_column = |column: &Column| -> Vec<bool> {
            if column.has_cells() { column.cells().map(is_one).collect() } else { Vec::new() }
        };
        let missing: Vec<Vec<bool>> = self.columns.iter().map(of_column).collect();
        if !missing.iter().flatten().any(|is_missing| *is_missing) {
            return None;
        }
        let mut table = self.clone();
        table.repeated = OnceLock::new();
        let columns = table.columns.into_iter().zip(missing);
        let marked = |(column, missing): (Column, Vec<bool>)| {
            if missing.is_empty() { column } else { column.with_missing(missing) }
        };
        table.columns = columns.map(marked).collect();
        Some(table)
    }

    /// This table without line numbers, for when these would mean nothing in a message.
    #[must_use]
    pub fn without_lines(mut self) -> Self {
        self.places.lines = Vec::new();
        self
    }

    /// How many of some columns a task takes: all, if there are so few rows that waking a thread takes longer.
    pub(crate) fn columns_per_task(&self, columns: usize) -> usize {
        if self.rows < MIN_PARALLEL { columns } else { 1 }
    }

    /// Name of the file, or `standard input`.
    pub fn source(&self) -> &str {
        &self.places.source
    }

    /// Number of rows; at least one.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns; at least one.
    pub fn width(&self) -> usize {
        self.columns.len()
    }

    /// The columns, with distinct names.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The distinct names of the columns.
    pub fn names(&self) -> Vec<&str> {
        self.columns.iter().map(|column| column.name.as_str()).collect()
    }

    /// The name of a column.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn name(&self, column: usize) -> &str {
        &self.columns[column].name
    }

    /// Whether the names come from the file, rather than being `x0`, `x1`, ….
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// Line of a row in the file, from 1, if the file has lines.
    pub fn line(&self, row: usize) -> Option<usize> {
        self.places.lines.get(row).copied()
    }

    /// Number of the column with exactly this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The numbers of all columns by name, for many lookups; of equal names, the first.
    pub(crate) fn places(&self) -> HashMap<&str, usize> {
        self.columns.iter().enumerate().rev().map(|(place, column)| (column.name.as_str(), place)).collect()
    }

    /// Number of the column with this name or, if there is none, of the column with this number, from 0.
    pub fn column(&self, name: &str) -> Result<usize, DataError> {
        if let Some(found) = self.find(name) {
            return Ok(found);
        }
        if let Some(number) = name.trim().parse::<usize>().ok().filter(|number| *number < self.width()) {
            return Ok(number);
        }
        let suggestion = nearest(name, self.names()).map(str::to_owned);
        let (names, left_out) =
            (self.names().into_iter().map(str::to_owned).collect(), self.left_out.clone());
        Err(self.fault(Fault::NoColumn { given: name.to_owned(), names, suggestion, left_out }))
    }

    /// The columns with these names or numbers.
    pub(crate) fn find_all(&self, names: &[String]) -> Result<Vec<usize>, DataError> {
        names.iter().map(|name| self.column(name)).collect()
    }

    /// These columns only, in the order given; duplicates are removed.
    ///
    /// # Panics
    ///
    /// If there is no such column, or the list is empty.
    #[must_use]
    pub fn select(mut self, columns: &[usize]) -> Self {
        assert!(!columns.is_empty(), "a table needs at least one column");
        let mut all: Vec<Option<Column>> = self.columns.into_iter().map(Some).collect();
        self.columns = columns.iter().filter_map(|number| all[*number].take()).collect();
        self.repeated = OnceLock::new();
        self
    }

    /// How many rows equal an earlier one, ignoring blanks around cells.
    pub(crate) fn repeated_rows(&self) -> usize {
        self.repeated().1
    }

    /// A hash of each row, ignoring blanks around cells.
    pub(crate) fn row_hashes(&self) -> &[u64] {
        &self.repeated().0
    }

    /// Computed once, since every column may need it. If threads are about to ask for it, ask before them: they work on
    /// it together, and must not wait for each other.
    fn repeated(&self) -> &(Vec<u64>, usize) {
        self.repeated.get_or_init(|| {
            let hash = |row: usize| {
                let mut hasher = DefaultHasher::new();
                self.columns.iter().for_each(|column| column.cell(row).text().trim().hash(&mut hasher));
                hasher.finish()
            };
            let hashes = parallel::map(self.rows, 4096, &hash);
            let mut distinct = hashes.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let repeated = self.rows - distinct.len();
            (hashes, repeated)
        })
    }

    /// One cell.
    ///
    /// # Panics
    ///
    /// If there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        self.columns[column].cell(row)
    }

    /// The cells of a column as text, such as labels. See [`Cell::text`].
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn text(&self, column: usize) -> impl Iterator<Item = Cow<'_, str>> {
        let column = &self.columns[column];
        (0..self.rows).map(|row| column.text(row))
    }

    /// The texts of a column without surrounding blanks.
    pub(crate) fn words(&self, column: usize) -> Vec<String> {
        self.text(column).map(|text| text.trim().to_owned()).collect()
    }

    /// The rows whose cell equals `value`, in order; at least one.
    ///
    /// Texts are compared without surrounding blanks. Only if no text is equal, numbers are compared, so that `1`
    /// finds `1.0`.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn matching(&self, column: usize, value: &str) -> Result<Vec<usize>, DataError> {
        let column = &self.columns[column];
        let rows = matching::rows(column.cells(), value);
        if rows.is_empty() {
            let (name, values) = (column.name.clone(), matching::tally(column.cells()));
            return Err(self.fault(Fault::NoMatch { column: name, value: value.to_owned(), values }));
        }
        Ok(rows)
    }

    /// The rows whose cell equals any of these values, in order; each value by the rules of [`Table::matching`] or,
    /// if no row has it, each value of the comma-separated list it contains.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn matching_any(&self, column: usize, values: &[impl AsRef<str>]) -> Result<Vec<usize>, DataError> {
        let column = &self.columns[column];
        matching::rows_of_any(column.cells(), values).map_err(|value| {
            let (name, values) = (column.name.clone(), matching::tally(column.cells()));
            self.fault(Fault::NoMatch { column: name, value, values })
        })
    }

    /// The cells of these columns as finite numbers, one row after the other.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn numbers(&self, columns: &[usize]) -> Result<Vec<f64>, DataError> {
        let mut values = Vec::with_capacity(columns.len() * self.rows);
        for row in 0..self.rows {
            self.push_numbers(row, columns, false, &mut values)?;
        }
        Ok(values)
    }

    /// As [`Table::numbers`], for these rows only, in the order given.
    ///
    /// # Panics
    ///
    /// If there is no such row or column.
    pub fn numbers_of_rows(&self, columns: &[usize], rows: &[usize]) -> Result<Vec<f64>, DataError> {
        let mut values = Vec::with_capacity(columns.len() * rows.len());
        for &row in rows {
            self.push_numbers(row, columns, false, &mut values)?;
        }
        Ok(values)
    }

    /// Appends the numbers of a row; NaN for missing ones, if allowed.
    pub(crate) fn push_numbers(
        &self,
        row: usize,
        columns: &[usize],
        accepts_missing: bool,
        values: &mut Vec<f64>,
    ) -> Result<(), DataError> {
        for &column in columns {
            let cell = self.columns[column].number_cell(row);
            match cell.number() {
                Ok(value) => values.push(value),
                Err(_) if accepts_missing && cell.is_missing() => values.push(f64::NAN),
                Err(why) => return Err(self.cell_fault(row, column, why)),
            }
        }
        Ok(())
    }

    /// The fault of a missing cell.
    pub(crate) fn missing(&self, row: usize, column: usize) -> DataError {
        let why = CellFault::Missing(self.cell(row, column).text().trim().to_owned());
        self.cell_fault(row, column, why)
    }

    fn cell_fault(&self, row: usize, column: usize, why: CellFault) -> DataError {
        let text = self.cell(row, column).text().into_owned();
        let (file, own) = self.origin(row);
        let (line, column) = (self.line(row), self.name(column).to_owned());
        DataError::new(file, Fault::Cell { row: own, line, column, text, why })
    }

    /// The fault of a cell that does not fit its type.
    pub(crate) fn field_fault(&self, row: usize, column: usize, why: FieldFault) -> DataError {
        let (file, own) = self.origin(row);
        let (line, column) = (self.line(row), self.name(column).to_owned());
        DataError::new(file, Fault::Field { row: own, line, column, why })
    }

    /// Each column with its type in words, such as `category, 3 levels`, to show how a file was read.
    pub fn describe(&self) -> Vec<(String, String)> {
        self.columns.iter().map(|column| (column.name.clone(), column.describe())).collect()
    }

    fn fault(&self, fault: Fault) -> DataError {
        DataError::new(self.source(), fault)
    }
}

/// The first two positions with the same name.
pub(crate) fn duplicate<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<(usize, usize)> {
    let mut seen = HashMap::new();
    names.into_iter().enumerate().find_map(|(second, name)| Some((seen.insert(name, second)?, second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let label = Column::from(Values::Integer(vec![1, 0, 1]));
        let size = Column::from(Values::Float(vec![0.5, f64::NAN, 2.0]));
        Table::new("t.npz", vec!["label".into(), "size".into()], vec![label, size]).unwrap()
    }

    #[test]
    fn columns_go_by_name_then_number() {
        let table = table();
        assert_eq!(table.column("size").unwrap(), 1);
        assert_eq!(table.column("0").unwrap(), 0);
        let message = table.column("Label").unwrap_err().to_string();
        assert_eq!(
            message,
            "t.npz: no column \"Label\" (did you mean \"label\"?); the columns are \"label\", \"size\""
        );
        assert!(table.column("2").is_err());
    }

    #[test]
    fn numbers_come_row_by_row() {
        let table = table();
        assert_eq!(table.numbers_of_rows(&[1, 0], &[2, 0]).unwrap(), [2.0, 1.0, 0.5, 1.0]);
        let message = table.numbers(&[0, 1]).unwrap_err().to_string();
        assert!(message.starts_with("t.npz: row 1, column \"size\": the value is NaN"), "{message}");
    }

    #[test]
    fn labels_match_as_text_or_number() {
        let table = table();
        assert_eq!(table.matching(0, "1").unwrap(), [0, 2]);
        assert_eq!(table.matching(0, " 1.0 ").unwrap(), [0, 2]);
        let message = table.matching(0, "2").unwrap_err().to_string();
        assert_eq!(
            message,
            "t.npz: no row has \"2\" in column \"label\"; its values are \"1\" (2), \"0\" (1)"
        );
        assert_eq!(table.text(0).collect::<Vec<_>>(), ["1", "0", "1"]);
    }

    #[test]
    fn columns_are_selected() {
        let table = table().select(&[1, 1]);
        assert_eq!((table.names(), table.rows()), (vec!["size"], 3));
        assert_eq!(table.cell(0, 0), Cell::Float(0.5));
    }

    #[test]
    fn names_must_differ() {
        let columns = vec![Column::from(Values::Integer(vec![1])), Column::from(Values::Integer(vec![1]))];
        let error = Table::new("t", vec!["a".into(), "a".into()], columns).unwrap_err();
        assert_eq!(error.to_string(), "t: columns 0 and 1 are both named \"a\"; rename one of them");
    }
}
