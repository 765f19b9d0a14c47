//! One column of a file or a data frame, carried along, or to be written.

use std::borrow::Cow;
use std::ops::Range;

use eocc_core::AnySamples;

use crate::cell::Cell;
use crate::cells::Cells;
use crate::date;
use crate::field_type::FieldType;
use crate::notation::Notation;
use crate::series::Series;
use crate::shown::counted;

/// A named column: its values, which of them are missing, and its type once decided.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its name.
    pub name: String,
    values: Values,
    /// One per row; empty if nothing is missing.
    missing: Vec<bool>,
    /// The type, if the format or a reader has decided it; otherwise it is guessed from the values.
    kind: Option<FieldType>,
}

/// The values of a column. Placeholders at missing values do not count.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Values {
    /// Cells as in their file or frame, all with types or none.
    Cells(Cells),
    /// Booleans.
    Boolean(Vec<bool>),
    /// Integers, which a float may not hold exactly.
    Integer(Vec<i64>),
    /// Unsigned integers.
    Unsigned(Vec<u64>),
    /// Numbers.
    Float(Vec<f64>),
    /// 32-bit numbers.
    Single(Vec<f32>),
    /// Timestamps in seconds since the start of 1970 UTC.
    Time(Vec<f64>),
    /// Words, each given by the index of its level.
    Levels {
        /// The words: sorted as texts, or from low to high.
        levels: Vec<String>,
        /// The level index of each value.
        codes: Vec<u32>,
    },
    /// Time series: sample, then time, then channel. Finite, at least one step long, all with the same channels.
    Series(Vec<Series>),
    /// Complete samples, from a program.
    Samples(AnySamples),
}

/// Calls for every kind of vector in [`Values`]; other kinds are handled first.
macro_rules! with_vector {
    ($values:expr, $all:ident => $of_vector:expr, $($pattern:pat => $other:expr),+ $(,)?) => {
        match $values {
            $($pattern => $other,)+
            Values::Boolean($all) => Values::Boolean($of_vector),
            Values::Integer($all) => Values::Integer($of_vector),
            Values::Unsigned($all) => Values::Unsigned($of_vector),
            Values::Float($all) => Values::Float($of_vector),
            Values::Single($all) => Values::Single($of_vector),
            Values::Time($all) => Values::Time($of_vector),
            Values::Series($all) => Values::Series($of_vector),
        }
    };
}

fn picked<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
    rows.iter().map(|&row| values[row].clone()).collect()
}

fn extend<T: Clone>(own: &mut Vec<T>, other: &[T]) -> bool {
    own.extend_from_slice(other);
    true
}

impl Values {
    fn len(&self) -> usize {
        match self {
            Self::Cells(cells) => cells.len(),
            Self::Boolean(values) => values.len(),
            Self::Integer(values) => values.len(),
            Self::Unsigned(values) => values.len(),
            Self::Float(values) | Self::Time(values) => values.len(),
            Self::Single(values) => values.len(),
            Self::Levels { codes, .. } => codes.len(),
            Self::Series(values) => values.len(),
            Self::Samples(samples) => samples.count(),
        }
    }

    /// The kind of the values in words.
    fn name(&self) -> &'static str {
        match self {
            Self::Cells(_) | Self::Levels { .. } => "text",
            Self::Boolean(_) => "truth values",
            Self::Integer(_) | Self::Unsigned(_) => "integers",
            Self::Float(_) | Self::Single(_) => "floats",
            Self::Time(_) => "dates",
            Self::Series(_) => "series",
            Self::Samples(_) => "samples",
        }
    }

    /// The values as floats, if they are numbers and none needs rounding.
    fn floats(&self) -> Option<Vec<f64>> {
        match self {
            Self::Integer(all) => all.iter().map(|value| Cell::Integer(*value).number().ok()).collect(),
            Self::Unsigned(all) => all.iter().map(|value| Cell::Unsigned(*value).number().ok()).collect(),
            Self::Float(all) => Some(all.clone()),
            Self::Single(all) => Some(all.iter().map(|value| f64::from(*value)).collect()),
            _ => None,
        }
    }

    fn pick(&self, rows: &[usize]) -> Self {
        with_vector!(self, all => picked(all, rows),
            Self::Cells(cells) => Self::Cells(cells.pick(rows)),
            Self::Levels { levels, codes } => Self::Levels { levels: levels.clone(), codes: picked(codes, rows) },
            Self::Samples(samples) => Self::Samples(samples.select(rows)),
        )
    }

    fn part(&self, rows: Range<usize>) -> Self {
        with_vector!(self, all => all[rows].to_vec(),
            Self::Cells(cells) => Self::Cells(cells.part(rows)),
            Self::Levels { levels, codes } => Self::Levels { levels: levels.clone(), codes: codes[rows].to_vec() },
            Self::Samples(samples) => Self::Samples(samples.select(&rows.collect::<Vec<_>>())),
        )
    }

    /// Appends values of the same type; returns false if the types differ.
    fn append(&mut self, other: &Self) -> bool {
        match (self, other) {
            (Self::Cells(own), Self::Cells(other)) => own.append(other),
            (Self::Boolean(own), Self::Boolean(other)) => extend(own, other),
            (Self::Integer(own), Self::Integer(other)) => extend(own, other),
            (Self::Unsigned(own), Self::Unsigned(other)) => extend(own, other),
            (Self::Float(own), Self::Float(other)) | (Self::Time(own), Self::Time(other)) => {
                extend(own, other)
            }
            (Self::Single(own), Self::Single(other)) => extend(own, other),
            (Self::Series(own), Self::Series(other)) => extend(own, other),
            (own, other) => match (own.floats(), other.floats()) {
                (Some(first), Some(second)) => {
                    *own = Self::Float([first, second].concat());
                    true
                }
                _ => false,
            },
        }
    }
}

impl From<Values> for Column {
    /// A column without a name.
    fn from(values: Values) -> Self {
        Self { name: String::new(), values, missing: Vec::new(), kind: None }
    }
}

impl Column {
    /// A column with this name and these values.
    pub fn new(name: impl Into<String>, values: Values) -> Self {
        Self { name: name.into(), ..Self::from(values) }
    }

    /// A column of texts.
    pub fn texts<T: AsRef<str>>(name: impl Into<String>, texts: impl IntoIterator<Item = T>) -> Self {
        Self::new(name, Values::Cells(Cells::texts(texts)))
    }

    /// A column of numbers; NaN is missing.
    pub fn numbers_or_nan(name: impl Into<String>, values: Vec<f64>) -> Self {
        let missing = values.iter().map(|value| value.is_nan()).collect();
        Self::new(name, Values::Float(values)).with_missing(missing)
    }

    /// A column of timestamps in seconds since the start of 1970 UTC; NaN is missing.
    pub fn moments_or_nan(name: impl Into<String>, seconds: Vec<f64>) -> Self {
        let missing = seconds.iter().map(|value| value.is_nan()).collect();
        Self::new(name, Values::Time(seconds)).with_missing(missing)
    }

    /// A column of booleans, some of which may be missing.
    pub fn truths_or_missing(name: impl Into<String>, values: &[Option<bool>]) -> Self {
        let missing = values.iter().map(Option::is_none).collect();
        let values = values.iter().map(|value| *value == Some(true)).collect();
        Self::new(name, Values::Boolean(values)).with_missing(missing)
    }

    /// A column of complete samples: texts, series or graphs.
    pub fn samples(name: impl Into<String>, samples: AnySamples) -> Self {
        let kind = samples.layout().single_column().and_then(|kind| kind.parse().ok());
        let kind = kind.unwrap_or(FieldType::Series);
        Self::new(name, Values::Samples(samples)).of_type(kind)
    }

    /// A column of integers, none of them close to the largest.
    pub fn counts(name: impl Into<String>, counts: impl IntoIterator<Item = usize>) -> Self {
        let whole = |count| i64::try_from(count).unwrap_or(i64::MAX);
        Self::new(name, Values::Integer(counts.into_iter().map(whole).collect()))
    }

    /// This column with this name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// This column with values also missing where `missing` is set.
    #[must_use]
    pub fn with_missing(mut self, missing: Vec<bool>) -> Self {
        let own = std::mem::take(&mut self.missing);
        let either = |(row, also): (usize, bool)| also || own.get(row) == Some(&true);
        let all: Vec<bool> = missing.into_iter().enumerate().map(either).collect();
        self.missing = if all.contains(&true) { all } else { Vec::new() };
        self
    }

    /// This column, declared to be of this type, which its values must already have.
    pub(crate) fn of_type(self, kind: FieldType) -> Self {
        Self { kind: Some(kind), ..self }
    }

    /// The type, if decided; complete samples have the type of their kind.
    pub(crate) fn kind(&self) -> Option<&FieldType> {
        self.kind.as_ref()
    }

    /// The values. Placeholders at missing values do not count.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether each value is a complete sample rather than a cell of one: a text, a series, a graph.
    pub(crate) fn is_special(&self) -> bool {
        matches!(self.values, Values::Series(_) | Values::Samples(_))
            || matches!(self.kind, Some(FieldType::Text | FieldType::Graph))
    }

    /// These rows, in the order given.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn pick(&self, rows: &[usize]) -> Self {
        let missing = if self.missing.is_empty() { Vec::new() } else { picked(&self.missing, rows) };
        Self { name: self.name.clone(), values: self.values.pick(rows), missing, kind: self.kind.clone() }
    }

    /// These rows.
    pub(crate) fn part(&self, rows: Range<usize>) -> Self {
        let missing = self.missing.get(rows.clone()).map(<[bool]>::to_vec).unwrap_or_default();
        Self { name: self.name.clone(), values: self.values.part(rows), missing, kind: self.kind.clone() }
    }

    /// Appends the rows of another column; on failure, returns the kinds of both. Integers and floats become floats.
    pub fn append(&mut self, other: &Self) -> Result<(), (&'static str, &'static str)> {
        let (own, rows) = (self.len(), other.len());
        let names = (self.values.name(), other.values.name());
        if !self.values.append(&other.values) {
            return Err(names);
        }
        if !self.missing.is_empty() || !other.missing.is_empty() {
            self.missing.resize(own, false);
            self.missing.extend(&other.missing);
            self.missing.resize(own + rows, false);
        }
        Ok(())
    }

    /// The value of a row as a cell. A series or a complete sample has none: its cell counts as missing.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    pub fn cell(&self, row: usize) -> Cell<'_> {
        if self.is_gap(row) {
            return Cell::Missing;
        }
        match &self.values {
            Values::Cells(cells) => cells.cell(row),
            Values::Boolean(values) => Cell::Boolean(values[row]),
            Values::Integer(values) => Cell::Integer(values[row]),
            Values::Unsigned(values) => Cell::Unsigned(values[row]),
            Values::Float(values) => Cell::Float(values[row]),
            Values::Single(values) => Cell::Single(values[row]),
            Values::Time(values) => Cell::Time(values[row]),
            Values::Levels { levels, codes } => Cell::Text(&levels[codes[row] as usize]),
            Values::Series(_) | Values::Samples(_) => Cell::Missing,
        }
    }

    /// The value of a row of a column of numbers as a cell: a text may be a number, in the notation of its file.
    pub(crate) fn number_cell(&self, row: usize) -> Cell<'_> {
        match &self.values {
            Values::Cells(cells) if !self.is_gap(row) => cells.number_cell(row),
            _ => match self.cell(row) {
                Cell::Text(text) => Cell::Raw(text),
                cell => cell,
            },
        }
    }

    /// The same with numbers in this notation, if its cells have none; `None` if nothing changes.
    pub(crate) fn in_notation(&self, notation: Notation) -> Option<Self> {
        let Values::Cells(cells) = &self.values else { return None };
        Some(Self { values: Values::Cells(cells.in_notation(notation)?), ..self.clone() })
    }

    /// The cells of all rows.
    pub fn cells(&self) -> impl ExactSizeIterator<Item = Cell<'_>> + Clone {
        (0..self.len()).map(|row| self.cell(row))
    }

    /// Whether the value of a row is missing.
    pub fn is_missing(&self, row: usize) -> bool {
        self.has_cells() && self.cell(row).is_missing()
    }

    /// Whether the values are cells, rather than series or samples.
    pub(crate) fn has_cells(&self) -> bool {
        !matches!(self.values, Values::Series(_) | Values::Samples(_))
    }

    /// Whether the value of a row is marked as missing, whatever its placeholder.
    pub fn is_gap(&self, row: usize) -> bool {
        self.missing.get(row) == Some(&true)
    }

    /// The value of a row as text, see [`Cell::text`]; a series as JSON.
    pub fn text(&self, row: usize) -> Cow<'_, str> {
        match &self.values {
            Values::Series(all) => Cow::Owned(format!("{:?}", all[row])),
            _ => self.cell(row).text(),
        }
    }

    /// How many values are missing.
    pub fn missing(&self) -> usize {
        (0..self.len()).filter(|&row| self.is_missing(row)).count()
    }

    /// The level index or the number of each row; `None` if missing.
    pub(crate) fn numbers(&self) -> Vec<Option<f64>> {
        let number = |row: usize| match &self.values {
            Values::Levels { codes, .. } => Some(f64::from(codes[row])),
            _ => self.cell(row).number().ok(),
        };
        (0..self.len()).map(|row| number(row).filter(|_| !self.is_missing(row))).collect()
    }

    /// The form in which it is carried along into results: numbers and booleans unchanged, everything else as text.
    /// Empty cells of a file without types are empty texts.
    pub(crate) fn carried(&self) -> Self {
        let values = match &self.values {
            Values::Boolean(_) | Values::Integer(_) | Values::Float(_) => {
                return Self { kind: None, ..self.clone() };
            }
            Values::Single(all) => Values::Float(all.iter().map(|value| f64::from(*value)).collect()),
            _ => return Self::texts(self.name.clone(), (0..self.len()).map(|row| self.text(row))),
        };
        Self { name: self.name.clone(), values, missing: self.missing.clone(), kind: None }
    }

    /// The carried-along form with rows inserted: the row at each of these positions, ascending, gets its text if the
    /// column is a text column, and is missing otherwise.
    #[must_use]
    pub fn with_gaps(&self, gaps: &[(usize, Option<&str>)]) -> Self {
        fn spread<T: Clone + Default>(own: &[T], gaps: &[(usize, Option<&str>)]) -> Vec<T> {
            let mut all = Vec::with_capacity(own.len() + gaps.len());
            let mut own = own.iter().cloned();
            for (place, _) in gaps {
                all.extend(own.by_ref().take(place - all.len()));
                all.push(T::default());
            }
            all.extend(own);
            all
        }
        let mut column = self.carried();
        column.missing.resize(column.len(), false);
        let mut missing = spread(&column.missing, gaps);
        let values = match &column.values {
            Values::Boolean(all) => Values::Boolean(spread(all, gaps)),
            Values::Integer(all) => Values::Integer(spread(all, gaps)),
            Values::Float(all) => Values::Float(spread(all, gaps)),
            _ => {
                let own: Vec<Cow<'_, str>> = (0..column.len()).map(|row| column.text(row)).collect();
                let mut all = spread(&own, gaps);
                for (place, text) in gaps {
                    all[*place] = Cow::Borrowed(text.unwrap_or_default());
                }
                Values::Cells(Cells::texts(all))
            }
        };
        let is_text = matches!(values, Values::Cells(_));
        for (place, text) in gaps {
            missing[*place] = text.is_none() || !is_text;
        }
        Self::new(self.name.clone(), values).with_missing(missing)
    }

    /// The type in words, such as `category, 3 levels`, to show how a column was read.
    pub(crate) fn describe(&self) -> String {
        let mut words = vec![self.type_name().to_owned()];
        match &self.values {
            Values::Levels { levels, .. } => words.push(counted(levels.len(), "level")),
            Values::Series(series) => {
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
            Values::Time(_) => {
                let known = || self.numbers().into_iter().flatten();
                let ends = known().reduce(f64::min).zip(known().reduce(f64::max));
                // For times of day without a date.
                let is_time = self.kind == Some(FieldType::Time);
                let text = |s: f64| match date::text(s).split_once('T') {
                    Some((_, time)) if is_time => time.to_owned(),
                    None if is_time => "00:00:00".to_owned(),
                    _ => date::text(s),
                };
                words.extend(ends.map(|(low, high)| format!("{} to {}", text(low), text(high))));
            }
            _ => {}
        }
        match self.missing() {
            0 => {}
            all if all == self.len() => words.push("all missing".to_owned()),
            some => words.push(format!("{some} missing")),
        }
        words.join(", ")
    }

    /// The name of the type, as [`FieldType::name`] gives it.
    pub fn type_name(&self) -> &'static str {
        match (&self.kind, &self.values) {
            (Some(kind), _) => kind.name(),
            (None, Values::Boolean(_)) => "boolean",
            (None, Values::Integer(_) | Values::Unsigned(_) | Values::Float(_) | Values::Single(_)) => {
                "number"
            }
            (None, Values::Time(_)) => "date",
            (None, Values::Levels { .. }) => "category",
            (None, Values::Series(_)) => "series",
            (None, Values::Cells(_) | Values::Samples(_)) => "text",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::CellKind;

    #[test]
    fn texts_share_a_buffer() {
        let mut cells = Cells::default();
        for text in ["a", "", "bc"] {
            cells.push_raw(text);
        }
        let column = Column::from(Values::Cells(cells));
        assert_eq!((0..3).map(|row| column.cell(row)).collect::<Vec<_>>(), ["a", "", "bc"].map(Cell::Raw));
    }

    #[test]
    fn columns_are_joined() {
        let mut column = Column::from(Values::Integer(vec![1, 2]));
        column.append(&Column::from(Values::Integer(vec![3, 0])).with_missing(vec![false, true])).unwrap();
        column.append(&Column::from(Values::Single(vec![0.5]))).unwrap();
        let cells: Vec<Cell<'_>> = (0..5).map(|row| column.cell(row)).collect();
        assert_eq!(
            cells,
            [Cell::Float(1.0), Cell::Float(2.0), Cell::Float(3.0), Cell::Missing, Cell::Float(0.5)]
        );
        let truth = Column::from(Values::Boolean(vec![true]));
        assert_eq!(column.append(&truth).unwrap_err(), ("floats", "truth values"));
        let texts = |words: &[&str]| {
            let mut cells = Cells::default();
            for word in words {
                cells.push_raw(word);
            }
            Column::from(Values::Cells(cells))
        };
        let mut column = texts(&["a", ""]);
        column.append(&texts(&["bc"])).unwrap();
        assert_eq!([0, 1, 2].map(|row| column.cell(row)), ["a", "", "bc"].map(Cell::Raw));
        // An integer that a float would round.
        let mut column = Column::from(Values::Integer(vec![i64::MAX]));
        assert!(column.append(&Column::from(Values::Float(vec![0.5]))).is_err());
    }

    #[test]
    fn kinds_are_kept_and_gaps_are_missing() {
        let mut cells = Cells::default();
        cells.pad(1);
        cells.push(CellKind::Decimal, "1.0");
        cells.push(CellKind::Boolean, "true");
        cells.push(CellKind::Json, "[1]");
        cells.pad(5);
        let column = Column::from(Values::Cells(cells));
        assert_eq!(column.len(), 5);
        let cells: Vec<_> = (0..5).map(|row| column.cell(row)).collect();
        let expected =
            [Cell::Missing, Cell::Decimal("1.0"), Cell::Boolean(true), Cell::Json("[1]"), Cell::Missing];
        assert_eq!(cells, expected);
    }
}
