//! A table: named columns of equal length.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use eocc_core::spelling::nearest;

use crate::cell::{Cell, CellFault};
use crate::column::{Column, TextCells, Values};
use crate::error::{DataError, Fault};
use crate::matching;

/// A table as read from a file.
#[derive(Debug)]
pub struct Table {
    source: String,
    names: Vec<String>,
    has_header: bool,
    columns: Vec<Column>,
    rows: usize,
    /// Line of each row, from 1; empty for files that have no lines.
    lines: Vec<usize>,
    /// The row of the file that the first row here is, from 0.
    first_row: usize,
    /// The row here of each row, before some were left out; empty while all are there.
    picked: Vec<usize>,
    /// Why parts of the file are not among the columns, for the message about a missing column.
    left_out: Vec<String>,
    /// The first columns as time steps, if the file is an array of three dimensions.
    steps: Option<Steps>,
    /// The files that it was joined from, each with its first row; empty if it is one file.
    files: Vec<(usize, String)>,
}

/// Columns that are time steps, each with one or more channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Steps {
    pub(crate) time: usize,
    pub(crate) channels: usize,
    /// Whether the columns of a channel stand together, rather than those of a time step.
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

/// The names `x0`, `x1`, … of columns that have none.
pub(crate) fn numbered(columns: usize) -> Vec<String> {
    (0..columns).map(|column| format!("x{column}")).collect()
}

impl Table {
    /// Puts a table together; the columns are of equal length by construction of the readers, which is checked again.
    pub(crate) fn new(source: &str, names: Vec<String>, columns: Vec<Column>) -> Result<Self, DataError> {
        let rows = columns.first().map_or(0, Column::len);
        if rows == 0 {
            return Err(DataError::new(source, Fault::NoRows { columns: columns.len() }));
        }
        if let Some((at, column)) = columns.iter().enumerate().find(|(_, column)| column.len() != rows) {
            let reason = format!("column {at} has {} rows, but column 0 has {rows}", column.len());
            return Err(DataError::new(source, Fault::Malformed { format: "table", reason }));
        }
        if let Some((first, second)) = duplicate(&names) {
            let name = names[second].clone();
            return Err(DataError::new(source, Fault::DuplicateName { name, first, second }));
        }
        Ok(Self {
            source: source.to_owned(),
            names,
            has_header: true,
            columns,
            rows,
            lines: Vec::new(),
            first_row: 0,
            picked: Vec::new(),
            left_out: Vec::new(),
            steps: None,
            files: Vec::new(),
        })
    }

    pub(crate) fn with_header(mut self, has_header: bool) -> Self {
        self.has_header = has_header;
        self
    }

    pub(crate) fn with_lines(mut self, lines: Vec<usize>) -> Self {
        self.lines = lines;
        self
    }

    pub(crate) fn with_left_out(mut self, left_out: Vec<String>) -> Self {
        self.left_out = left_out;
        self
    }

    /// The same as a part of a larger file, after so many rows and lines.
    pub(crate) fn moved(mut self, rows: usize, lines: isize) -> Self {
        self.first_row += rows;
        self.lines.iter_mut().for_each(|line| *line = line.saturating_add_signed(lines));
        self
    }

    /// These rows only.
    pub(crate) fn part(&self, rows: std::ops::Range<usize>) -> Self {
        Self {
            source: self.source.clone(),
            names: self.names.clone(),
            has_header: self.has_header,
            columns: self.columns.iter().map(|column| column.part(rows.clone())).collect(),
            rows: rows.len(),
            lines: self.lines.get(rows.clone()).map(<[usize]>::to_vec).unwrap_or_default(),
            first_row: self.first_row + rows.start,
            picked: self.picked.get(rows.clone()).map(<[usize]>::to_vec).unwrap_or_default(),
            left_out: self.left_out.clone(),
            steps: self.steps,
            files: self.files.clone(),
        }
    }

    /// One table of several: the columns of the first, which the others must have by name.
    pub(crate) fn join(source: &str, tables: Vec<Self>) -> Result<Self, DataError> {
        let mut tables = tables.into_iter();
        let Some(mut all) = tables.next() else { return Err(DataError::new(source, Fault::NothingMatches)) };
        let first = std::mem::replace(&mut all.source, source.to_owned());
        all.files.push((0, first.clone()));
        let known: HashSet<String> = all.names.iter().cloned().collect();
        for table in tables {
            let elsewhere = |file: &str, column: &String, other: &str| {
                let (column, other) = (column.clone(), other.to_owned());
                DataError::new(file, Fault::ColumnElsewhere { column, other })
            };
            if let Some(extra) = table.names.iter().find(|name| !known.contains(*name)) {
                return Err(elsewhere(&first, extra, &table.source));
            }
            let mut others: HashMap<String, Column> = table.names.into_iter().zip(table.columns).collect();
            for (name, column) in all.names.iter().zip(&mut all.columns) {
                let found = others.remove(name).ok_or_else(|| elsewhere(&table.source, name, &first))?;
                column.append(found).map_err(|(there, here)| {
                    let (column, other) = (name.clone(), first.clone());
                    DataError::new(&table.source, Fault::TypeElsewhere { column, here, there, other })
                })?;
            }
            all.files.push((all.rows, table.source));
            all.rows += table.rows;
            all.lines.extend(table.lines);
            all.has_header &= table.has_header;
            all.steps = all.steps.filter(|steps| table.steps == Some(*steps));
        }
        Ok(all)
    }

    /// The file that a row is of, and the number of the row in it.
    pub(crate) fn origin(&self, row: usize) -> (&str, usize) {
        let row = self.first_row + self.picked.get(row).copied().unwrap_or(row);
        match self.files.partition_point(|(start, _)| *start <= row).checked_sub(1).map(|at| &self.files[at])
        {
            Some((start, file)) => (file, row - start),
            None => (&self.source, row),
        }
    }

    /// How many rows each file has that it was joined from; none if it is one file.
    pub(crate) fn rows_of_files(&self) -> Vec<usize> {
        let ends = self.files.iter().skip(1).map(|(start, _)| *start).chain([self.rows]);
        self.files.iter().zip(ends).map(|((start, _), end)| end - start).collect()
    }

    /// Names of the rows of a table that was joined: the file and the number of the row in it.
    pub(crate) fn row_names(&self) -> Option<Vec<String>> {
        if self.files.is_empty() {
            return None;
        }
        let short = |path: &str| {
            std::path::Path::new(path)
                .file_name()
                .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
        };
        let shorts: Vec<String> = self.files.iter().map(|(_, file)| short(file)).collect();
        let is_unique = duplicate(&shorts).is_none();
        let name = |row: usize| {
            let (file, own) = self.origin(row);
            if is_unique { format!("{}:{own}", short(file)) } else { format!("{file}:{own}") }
        };
        Some((0..self.rows).map(name).collect())
    }

    pub(crate) fn with_steps(mut self, steps: Option<Steps>) -> Self {
        self.steps = steps;
        self
    }

    pub(crate) fn steps(&self) -> Option<Steps> {
        self.steps
    }

    /// Where a row stands, in words.
    pub(crate) fn place(&self, row: usize) -> String {
        let (file, own) = self.origin(row);
        let file = if self.files.is_empty() { String::new() } else { format!("{file}, ") };
        match self.line(row) {
            Some(line) => format!("{file}row {own} (line {line})"),
            None => format!("{file}row {own}"),
        }
    }

    /// These rows only, in the order given.
    pub(crate) fn pick(mut self, rows: &[usize]) -> Self {
        self.columns.iter_mut().for_each(|column| *column = column.pick(rows));
        self.picked = rows.iter().map(|&row| self.picked.get(row).copied().unwrap_or(row)).collect();
        if !self.lines.is_empty() {
            self.lines = rows.iter().map(|&row| self.lines[row]).collect();
        }
        self.rows = rows.len();
        self
    }

    /// With a column of missing values for each of these names that it does not have.
    pub(crate) fn with_columns(mut self, names: &[String]) -> Self {
        for name in names {
            if !self.names.contains(name) {
                let mut cells = TextCells::default();
                cells.pad(self.rows);
                self.names.push(name.clone());
                self.columns.push(Column::new(Values::Text(cells)));
            }
        }
        self
    }

    /// Name of the file, or `standard input`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Number of rows; at least one.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names of the columns; at least one, and all different.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the names come from the file, rather than being `x0`, `x1`, ….
    pub fn has_header(&self) -> bool {
        self.has_header
    }

    /// Line of a row in the file, from 1, if the file has lines.
    pub fn line(&self, row: usize) -> Option<usize> {
        self.lines.get(row).copied()
    }

    /// Number of the column of this name or, if no column has that name, of this number, from 0.
    pub fn column(&self, name: &str) -> Result<usize, DataError> {
        if let Some(found) = self.names.iter().position(|known| known == name) {
            return Ok(found);
        }
        if let Some(number) = name.trim().parse::<usize>().ok().filter(|number| *number < self.names.len()) {
            return Ok(number);
        }
        let suggestion = nearest(name, self.names.iter().map(String::as_str)).map(str::to_owned);
        let (names, left_out) = (self.names.clone(), self.left_out.clone());
        Err(self.fault(Fault::NoColumn { given: name.to_owned(), names, suggestion, left_out }))
    }

    /// These columns only, in the order given; one that is asked for twice comes once.
    ///
    /// # Panics
    ///
    /// If there is no such column, or none is asked for.
    #[must_use]
    pub fn select(mut self, columns: &[usize]) -> Self {
        assert!(!columns.is_empty(), "a table needs at least one column");
        let mut all: Vec<Option<(String, Column)>> =
            self.names.into_iter().zip(self.columns).map(Some).collect();
        (self.names, self.columns) = columns.iter().filter_map(|number| all[*number].take()).unzip();
        self
    }

    /// One cell.
    ///
    /// # Panics
    ///
    /// If there is no such row or column.
    pub fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        self.columns[column].cell(row)
    }

    /// The cells of a column as text, for instance labels. See [`Cell::text`].
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn text(&self, column: usize) -> impl Iterator<Item = Cow<'_, str>> {
        let column = &self.columns[column];
        (0..self.rows).map(|row| column.cell(row).text())
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
        let cells = (0..self.rows).map(|row| self.cell(row, column));
        let rows = matching::rows(cells.clone(), value);
        if rows.is_empty() {
            return Err(self.fault(Fault::NoMatch {
                column: self.names[column].clone(),
                value: value.to_owned(),
                values: matching::tally(cells),
            }));
        }
        Ok(rows)
    }

    /// The rows whose cell equals any of these values, in order; each value by the rules of [`Table::matching`], or, if no row
    /// has it, each of the values that it lists with commas between them.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn matching_any(&self, column: usize, values: &[impl AsRef<str>]) -> Result<Vec<usize>, DataError> {
        let cells = (0..self.rows).map(|row| self.cell(row, column));
        matching::rows_of_any(cells.clone(), values).map_err(|value| {
            let (column, values) = (self.names[column].clone(), matching::tally(cells));
            self.fault(Fault::NoMatch { column, value, values })
        })
    }

    /// The cells of these columns as finite numbers, one row after the other.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn numbers(&self, columns: &[usize]) -> Result<Vec<f64>, DataError> {
        self.gather(columns, 0..self.rows)
    }

    /// As [`Table::numbers`], for these rows only, in the order given.
    ///
    /// # Panics
    ///
    /// If there is no such row or column.
    pub fn numbers_of_rows(&self, columns: &[usize], rows: &[usize]) -> Result<Vec<f64>, DataError> {
        self.gather(columns, rows.iter().copied())
    }

    /// As [`Table::numbers`], NaN where a value is missing.
    ///
    /// # Panics
    ///
    /// If there is no such column.
    pub fn numbers_or_nan(&self, columns: &[usize]) -> Result<Vec<f64>, DataError> {
        self.gather_or(columns, 0..self.rows, |cell| cell.is_missing().then_some(f64::NAN))
    }

    /// The fault of a missing cell.
    pub(crate) fn missing(&self, row: usize, column: usize) -> DataError {
        let why = CellFault::Missing(self.cell(row, column).text().trim().to_owned());
        self.cell_fault(row, column, why)
    }

    fn cell_fault(&self, row: usize, column: usize, why: CellFault) -> DataError {
        let text = self.cell(row, column).text().into_owned();
        let (file, own) = self.origin(row);
        let (line, column) = (self.line(row), self.names[column].clone());
        DataError::new(file, Fault::Cell { row: own, line, column, text, why })
    }

    fn gather(
        &self,
        columns: &[usize],
        rows: impl ExactSizeIterator<Item = usize>,
    ) -> Result<Vec<f64>, DataError> {
        self.gather_or(columns, rows, |_| None)
    }

    /// The numbers of cells, or what `instead` has for them.
    fn gather_or(
        &self,
        columns: &[usize],
        rows: impl ExactSizeIterator<Item = usize>,
        instead: impl Fn(Cell<'_>) -> Option<f64>,
    ) -> Result<Vec<f64>, DataError> {
        let mut values = Vec::with_capacity(columns.len() * rows.len());
        for row in rows {
            for &column in columns {
                let cell = self.cell(row, column);
                match cell.number() {
                    Ok(value) => values.push(value),
                    Err(why) => match instead(cell) {
                        Some(value) => values.push(value),
                        None => return Err(self.cell_fault(row, column, why)),
                    },
                }
            }
        }
        Ok(values)
    }

    fn fault(&self, fault: Fault) -> DataError {
        DataError::new(&self.source, fault)
    }
}

/// The first two places with the same name.
pub(crate) fn duplicate(names: &[String]) -> Option<(usize, usize)> {
    let mut seen = HashMap::with_capacity(names.len());
    names.iter().enumerate().find_map(|(second, name)| Some((seen.insert(name, second)?, second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let label = Column::new(Values::Integer(vec![1, 0, 1]));
        let size = Column::new(Values::Float(vec![0.5, f64::NAN, 2.0]));
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
        assert_eq!((table.names(), table.rows()), (&["size".to_owned()][..], 3));
        assert_eq!(table.cell(0, 0), Cell::Float(0.5));
    }

    #[test]
    fn names_must_differ() {
        let columns = vec![Column::new(Values::Integer(vec![1])), Column::new(Values::Integer(vec![1]))];
        let error = Table::new("t", vec!["a".into(), "a".into()], columns).unwrap_err();
        assert_eq!(error.to_string(), "t: columns 0 and 1 are both named \"a\"; rename one of them");
    }
}
