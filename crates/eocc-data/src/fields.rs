//! Typed fields: the column-wise form that every reader can yield.

use crate::date::{self, DayMonth};
use eocc_core::spelling::nearest;

use crate::error::{DataError, Fault};
use crate::shown::shown;

/// Samples, each with a value in every field.
///
/// There is at least one field and one sample, and all fields have a value for each sample.
#[derive(Debug, Clone, PartialEq)]
pub struct Fields {
    source: String,
    rows: usize,
    names: Option<Vec<String>>,
    /// Line of each row, from 1; empty for files that have no lines.
    lines: Vec<usize>,
    /// Row of the file for each row here; empty while they are the same.
    origins: Vec<usize>,
    /// Whether each is a line of text.
    are_lines: bool,
    all: Vec<Field>,
}

/// One field of all samples.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its values, one for each sample.
    pub values: FieldValues,
}

/// The values of a field.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FieldValues {
    /// Finite numbers, or `None` where missing.
    Numbers(Vec<Option<f64>>),
    /// Truth values, or `None` where missing.
    Booleans(Vec<Option<bool>>),
    /// Words without an order.
    Categories {
        /// The words, sorted as texts.
        levels: Vec<String>,
        /// Number of the word, or `None` where missing.
        codes: Vec<Option<u32>>,
    },
    /// Words with an order.
    Ordered {
        /// The words, from low to high.
        levels: Vec<String>,
        /// Number of the word, or `None` where missing.
        codes: Vec<Option<u32>>,
    },
    /// Dates and moments.
    Dates {
        /// Seconds since the start of 1970 UTC, or `None` where missing.
        seconds: Vec<Option<f64>>,
        /// How a day and a month are told apart.
        order: DayMonth,
    },
    /// Texts.
    Texts(Vec<String>),
    /// Time series: sample, then time, then channel. Finite, of length one or more, all with the same channels.
    Series(Vec<Vec<Vec<f64>>>),
    /// Graphs, each the text of a JSON object; only that it is an object is known here.
    Graphs(Vec<String>),
}

impl Fields {
    /// Puts fields together; the readers see to it that all have `rows` values.
    pub(crate) fn new(source: &str, rows: usize, fields: Vec<Field>) -> Self {
        debug_assert!(fields.iter().all(|field| field.values.len() == rows), "fields differ in length");
        Self {
            source: source.to_owned(),
            rows,
            names: None,
            lines: Vec::new(),
            origins: Vec::new(),
            are_lines: false,
            all: fields,
        }
    }

    pub(crate) fn with_names(mut self, names: Vec<String>) -> Self {
        self.names = Some(names);
        self
    }

    /// The same, each of them a line of text.
    pub(crate) fn of_lines(mut self) -> Self {
        self.are_lines = true;
        self
    }

    pub(crate) fn are_lines(&self) -> bool {
        self.are_lines
    }

    pub(crate) fn with_lines(mut self, lines: Vec<usize>) -> Self {
        self.lines = lines;
        self
    }

    /// Name of the file, or `standard input`.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Number of samples.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names of the samples, if the format gives them names; all different as read.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// The fields, in the order of the file.
    pub fn fields(&self) -> &[Field] {
        &self.all
    }

    /// Number of the field of this name or, if no field has that name, of this number, from 0.
    pub fn field(&self, name: &str) -> Result<usize, DataError> {
        if let Some(found) = self.all.iter().position(|field| field.name == name) {
            return Ok(found);
        }
        if let Some(number) = name.trim().parse::<usize>().ok().filter(|number| *number < self.all.len()) {
            return Ok(number);
        }
        let names: Vec<String> = self.all.iter().map(|field| field.name.clone()).collect();
        let suggestion = nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
        let fault = Fault::NoColumn { given: name.to_owned(), names, suggestion, left_out: Vec::new() };
        Err(DataError::new(&self.source, fault))
    }

    /// These fields only, in the order given; one that is asked for twice comes once.
    ///
    /// # Panics
    ///
    /// If there is no such field.
    #[must_use]
    pub fn take(mut self, wanted: &[usize]) -> Self {
        let mut fields: Vec<Option<Field>> = self.all.into_iter().map(Some).collect();
        self.all = wanted.iter().filter_map(|number| fields[*number].take()).collect();
        self
    }

    /// These samples only, in the order given. Levels stay as they are, and [`Fields::place`] still tells the place in
    /// the file.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn select_rows(&self, rows: &[usize]) -> Self {
        let select = |field: &Field| Field { name: field.name.clone(), values: field.values.select(rows) };
        Self {
            source: self.source.clone(),
            rows: rows.len(),
            names: self.names.as_deref().map(|names| picked(names, rows)),
            lines: if self.lines.is_empty() { Vec::new() } else { picked(&self.lines, rows) },
            origins: rows.iter().map(|row| self.origin(*row)).collect(),
            are_lines: self.are_lines,
            all: self.all.iter().map(select).collect(),
        }
    }

    /// The same as a part of a larger file, after so many rows and lines.
    pub(crate) fn moved(mut self, rows: usize, lines: isize) -> Self {
        self.origins = (0..self.rows).map(|row| self.origin(row) + rows).collect();
        self.lines.iter_mut().for_each(|line| *line = line.saturating_add_signed(lines));
        self
    }

    /// Where a sample stands in the file, for messages: `row 3 (line 5)`, or `sample "P1" (line 7)`.
    pub fn place(&self, row: usize) -> String {
        let line = self.lines.get(row).map(|line| format!(" (line {line})")).unwrap_or_default();
        match self.names.as_ref().and_then(|names| names.get(row)) {
            Some(name) => format!("sample {}{line}", shown(name)),
            None => format!("row {}{line}", self.origin(row)),
        }
    }

    fn origin(&self, row: usize) -> usize {
        self.origins.get(row).copied().unwrap_or(row)
    }

    /// Each field with its type in words, such as `category, 3 levels`, to show what was made of a file.
    pub fn describe(&self) -> Vec<(String, String)> {
        self.all.iter().map(|field| (field.name.clone(), field.values.describe())).collect()
    }
}

impl FieldValues {
    /// Number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(values) | Self::Dates { seconds: values, .. } => values.len(),
            Self::Booleans(values) => values.len(),
            Self::Categories { codes, .. } | Self::Ordered { codes, .. } => codes.len(),
            Self::Texts(values) | Self::Graphs(values) => values.len(),
            Self::Series(values) => values.len(),
        }
    }

    /// Whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many values are missing.
    pub fn missing(&self) -> usize {
        match self {
            Self::Numbers(values) | Self::Dates { seconds: values, .. } => absent(values),
            Self::Booleans(values) => absent(values),
            Self::Categories { codes, .. } | Self::Ordered { codes, .. } => absent(codes),
            Self::Texts(_) | Self::Graphs(_) | Self::Series(_) => 0,
        }
    }

    /// The name of the type, as [`crate::FieldType::name`] gives it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Numbers(_) => "number",
            Self::Booleans(_) => "boolean",
            Self::Categories { .. } => "category",
            Self::Ordered { .. } => "ordered",
            Self::Dates { .. } => "date",
            Self::Texts(_) => "text",
            Self::Series(_) => "series",
            Self::Graphs(_) => "graph",
        }
    }

    fn select(&self, rows: &[usize]) -> Self {
        match self {
            Self::Numbers(values) => Self::Numbers(picked(values, rows)),
            Self::Booleans(values) => Self::Booleans(picked(values, rows)),
            Self::Categories { levels, codes } => {
                Self::Categories { levels: levels.clone(), codes: picked(codes, rows) }
            }
            Self::Ordered { levels, codes } => {
                Self::Ordered { levels: levels.clone(), codes: picked(codes, rows) }
            }
            Self::Dates { seconds, order } => Self::Dates { seconds: picked(seconds, rows), order: *order },
            Self::Texts(values) => Self::Texts(picked(values, rows)),
            Self::Series(values) => Self::Series(picked(values, rows)),
            Self::Graphs(values) => Self::Graphs(picked(values, rows)),
        }
    }

    fn describe(&self) -> String {
        let mut words = vec![self.type_name().to_owned()];
        match self {
            Self::Categories { levels, .. } | Self::Ordered { levels, .. } => {
                words.push(counted(levels.len(), "level"));
            }
            Self::Series(series) => {
                let channels = series.first().and_then(|steps| steps.first()).map_or(0, Vec::len);
                let shortest = series.iter().map(Vec::len).min().unwrap_or(0);
                let longest = series.iter().map(Vec::len).max().unwrap_or(0);
                words.push(counted(channels, "channel"));
                words.push(if longest > shortest {
                    format!("length {shortest} to {longest}")
                } else {
                    format!("length {shortest}")
                });
            }
            Self::Dates { seconds, .. } => {
                let known = || seconds.iter().flatten();
                let ends = known().copied().reduce(f64::min).zip(known().copied().reduce(f64::max));
                words.extend(ends.map(|(low, high)| format!("{} to {}", date::text(low), date::text(high))));
            }
            Self::Numbers(_) | Self::Booleans(_) | Self::Texts(_) | Self::Graphs(_) => {}
        }
        match self.missing() {
            0 => {}
            all if all == self.len() => words.push("all missing".to_owned()),
            some => words.push(format!("{some} missing")),
        }
        words.join(", ")
    }
}

fn picked<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|row| values[*row].clone()).collect()
}

fn absent<T>(values: &[Option<T>]) -> usize {
    values.iter().filter(|value| value.is_none()).count()
}

fn counted(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Fields {
        let size = FieldValues::Numbers(vec![Some(1.0), None, Some(3.0)]);
        let kind = FieldValues::Categories {
            levels: vec!["a".into(), "b".into()],
            codes: vec![Some(0), Some(1), None],
        };
        let wave = FieldValues::Series(vec![vec![vec![1.0]], vec![vec![1.0], vec![2.0]], vec![vec![1.0]]]);
        let field = |name: &str, values| Field { name: name.into(), values };
        Fields::new("t.csv", 3, vec![field("size", size), field("kind", kind), field("wave", wave)])
            .with_lines(vec![2, 3, 5])
    }

    #[test]
    fn fields_go_by_name_then_number() {
        let fields = fields();
        assert_eq!((fields.field("kind").unwrap(), fields.field("2").unwrap()), (1, 2));
        let message = fields.field("Size").unwrap_err().to_string();
        assert!(message.starts_with("t.csv: no column \"Size\" (did you mean \"size\"?)"), "{message}");
    }

    #[test]
    fn types_are_described() {
        let words: Vec<String> = fields().describe().into_iter().map(|(_, words)| words).collect();
        assert_eq!(
            words,
            ["number, 1 missing", "category, 2 levels, 1 missing", "series, 1 channel, length 1 to 2"]
        );
    }

    #[test]
    fn rows_keep_their_place() {
        let some = fields().take(&[1, 0, 1]).select_rows(&[2, 1]);
        assert_eq!(
            some.fields().iter().map(|field| field.name.as_str()).collect::<Vec<_>>(),
            ["kind", "size"]
        );
        assert_eq!(some.fields()[1].values, FieldValues::Numbers(vec![Some(3.0), None]));
        assert_eq!((some.rows(), some.place(0)), (2, "row 2 (line 5)".to_owned()));
        assert_eq!(some.select_rows(&[1]).place(0), "row 1 (line 3)");
        let named = fields().with_names(vec!["p".into(), "q".into(), "r".into()]).select_rows(&[2]);
        assert_eq!(named.place(0), "sample \"r\" (line 5)");
    }
}
