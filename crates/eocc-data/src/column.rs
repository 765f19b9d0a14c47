//! The cells of one column, kept compactly.

use crate::cell::Cell;
use crate::notation::Notation;

/// What a piece of text in a [`TextCells`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Missing,
    Text,
    Decimal,
    Boolean,
    Json,
}

/// Many texts in one buffer: cell `i` ends at `ends[i]`, where the next one starts.
#[derive(Debug, Default)]
pub(crate) struct TextCells {
    buffer: String,
    ends: Vec<usize>,
    /// One for each cell, or none at all when the file has no types.
    kinds: Vec<Kind>,
    /// How the numbers of a file without types are written, if not as usual.
    notation: Option<Notation>,
}

impl TextCells {
    /// No cells yet, of a file without types whose numbers are in this notation.
    pub(crate) fn noted(notation: Option<Notation>) -> Self {
        Self { notation, ..Self::default() }
    }

    /// Appends a cell of a file without types. Not to be mixed with [`TextCells::push`].
    pub(crate) fn push_raw(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len());
    }

    /// Appends a cell that the file declares to be of this kind.
    pub(crate) fn push(&mut self, kind: Kind, text: &str) {
        self.push_raw(text);
        self.kinds.push(kind);
    }

    /// Appends missing cells until there are `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        let rows = rows.max(self.ends.len());
        self.ends.resize(rows, self.buffer.len());
        self.kinds.resize(rows, Kind::Missing);
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let end = |row: usize| if row == 0 { 0 } else { self.ends[row - 1] };
        let (from, to) = (end(rows.start), end(rows.end));
        Self {
            buffer: self.buffer[from..to].to_owned(),
            ends: self.ends[rows.clone()].iter().map(|end| end - from).collect(),
            kinds: self.kinds.get(rows).map(<[Kind]>::to_vec).unwrap_or_default(),
            notation: self.notation,
        }
    }

    fn pick(&self, rows: &[usize]) -> Self {
        let mut all = Self { notation: self.notation, ..Self::default() };
        for &row in rows {
            let start = if row == 0 { 0 } else { self.ends[row - 1] };
            all.push_raw(&self.buffer[start..self.ends[row]]);
            all.kinds.extend(self.kinds.get(row));
        }
        all
    }

    /// Appends all cells of another file without types, or of another one with types.
    fn append(&mut self, other: &Self) -> bool {
        let is_alike = self.kinds.is_empty() == other.kinds.is_empty() && self.notation == other.notation;
        if is_alike {
            let start = self.buffer.len();
            self.buffer.push_str(&other.buffer);
            self.ends.extend(other.ends.iter().map(|end| start + end));
            self.kinds.extend(&other.kinds);
        }
        is_alike
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let text = &self.buffer[start..self.ends[row]];
        match self.kinds.get(row) {
            None => self.notation.map_or(Cell::Raw(text), |notation| Cell::Noted(text, notation)),
            Some(Kind::Missing) => Cell::Missing,
            Some(Kind::Text) => Cell::Text(text),
            Some(Kind::Decimal) => Cell::Decimal(text),
            Some(Kind::Boolean) => Cell::Boolean(text == "true"),
            Some(Kind::Json) => Cell::Json(text),
        }
    }
}

/// The values of one column, in the type of its file.
#[derive(Debug)]
pub(crate) enum Values {
    Text(TextCells),
    Boolean(Vec<bool>),
    Integer(Vec<i64>),
    Unsigned(Vec<u64>),
    Float(Vec<f64>),
    Single(Vec<f32>),
    /// Seconds since the start of 1970 UTC.
    Time(Vec<f64>),
}

fn extend<T: Copy>(own: &mut Vec<T>, other: &[T]) -> bool {
    own.extend_from_slice(other);
    true
}

impl Values {
    /// What the values are, in words.
    fn name(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Boolean(_) => "truth values",
            Self::Integer(_) | Self::Unsigned(_) => "integers",
            Self::Float(_) | Self::Single(_) => "floats",
            Self::Time(_) => "dates",
        }
    }

    /// The values as floats, if they are numbers and none of them is rounded.
    fn floats(&self) -> Option<Vec<f64>> {
        match self {
            Self::Text(_) | Self::Boolean(_) | Self::Time(_) => None,
            Self::Integer(all) => all.iter().map(|value| Cell::Integer(*value).number().ok()).collect(),
            Self::Unsigned(all) => all.iter().map(|value| Cell::Unsigned(*value).number().ok()).collect(),
            Self::Float(all) => Some(all.clone()),
            Self::Single(all) => Some(all.iter().map(|value| f64::from(*value)).collect()),
        }
    }
}

/// One column.
#[derive(Debug)]
pub(crate) struct Column {
    values: Values,
    /// One for each row, or none at all when nothing is missing.
    missing: Vec<bool>,
}

impl Column {
    pub(crate) fn new(values: Values) -> Self {
        Self { values, missing: Vec::new() }
    }

    /// A column whose value does not count where `missing` is set.
    pub(crate) fn with_missing(values: Values, missing: Vec<bool>) -> Self {
        let missing = if missing.contains(&true) { missing } else { Vec::new() };
        Self { values, missing }
    }

    /// The same, where the rows that are marked are missing too.
    #[cfg(feature = "arrow")]
    pub(crate) fn and_missing(self, also: Vec<bool>) -> Self {
        let own = |row: usize| self.missing.get(row) == Some(&true);
        let missing = also.into_iter().enumerate().map(|(row, also)| also || own(row)).collect();
        Self::with_missing(self.values, missing)
    }

    pub(crate) fn len(&self) -> usize {
        match &self.values {
            Values::Text(cells) => cells.len(),
            Values::Boolean(values) => values.len(),
            Values::Integer(values) => values.len(),
            Values::Unsigned(values) => values.len(),
            Values::Float(values) | Values::Time(values) => values.len(),
            Values::Single(values) => values.len(),
        }
    }

    /// These rows of it.
    pub(crate) fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let values = match &self.values {
            Values::Text(cells) => Values::Text(cells.part(rows.clone())),
            Values::Boolean(values) => Values::Boolean(values[rows.clone()].to_vec()),
            Values::Integer(values) => Values::Integer(values[rows.clone()].to_vec()),
            Values::Unsigned(values) => Values::Unsigned(values[rows.clone()].to_vec()),
            Values::Float(values) => Values::Float(values[rows.clone()].to_vec()),
            Values::Single(values) => Values::Single(values[rows.clone()].to_vec()),
            Values::Time(values) => Values::Time(values[rows.clone()].to_vec()),
        };
        Self { values, missing: self.missing.get(rows).map(<[bool]>::to_vec).unwrap_or_default() }
    }

    /// These rows of it, in the order given.
    pub(crate) fn pick(&self, rows: &[usize]) -> Self {
        fn of<T: Copy>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row]).collect()
        }
        let values = match &self.values {
            Values::Text(cells) => Values::Text(cells.pick(rows)),
            Values::Boolean(values) => Values::Boolean(of(values, rows)),
            Values::Integer(values) => Values::Integer(of(values, rows)),
            Values::Unsigned(values) => Values::Unsigned(of(values, rows)),
            Values::Float(values) => Values::Float(of(values, rows)),
            Values::Single(values) => Values::Single(of(values, rows)),
            Values::Time(values) => Values::Time(of(values, rows)),
        };
        let missing = if self.missing.is_empty() { Vec::new() } else { of(&self.missing, rows) };
        Self { values, missing }
    }

    /// Appends the rows of another column; else what this and what the other one holds. Integers and floats become floats.
    pub(crate) fn append(&mut self, other: Self) -> Result<(), (&'static str, &'static str)> {
        let (own, rows) = (self.len(), other.len());
        if !self.missing.is_empty() || !other.missing.is_empty() {
            self.missing.resize(own, false);
            self.missing.extend(&other.missing);
            self.missing.resize(own + rows, false);
        }
        let names = (self.values.name(), other.values.name());
        let is_joined = match (&mut self.values, &other.values) {
            (Values::Text(own), Values::Text(other)) => own.append(other),
            (Values::Boolean(own), Values::Boolean(other)) => extend(own, other),
            (Values::Integer(own), Values::Integer(other)) => extend(own, other),
            (Values::Unsigned(own), Values::Unsigned(other)) => extend(own, other),
            (Values::Float(own), Values::Float(other)) | (Values::Time(own), Values::Time(other)) => {
                extend(own, other)
            }
            (Values::Single(own), Values::Single(other)) => extend(own, other),
            (own, other) => match (own.floats(), other.floats()) {
                (Some(first), Some(second)) => {
                    *own = Values::Float([first, second].concat());
                    true
                }
                _ => false,
            },
        };
        if is_joined { Ok(()) } else { Err(names) }
    }

    pub(crate) fn cell(&self, row: usize) -> Cell<'_> {
        if self.missing.get(row) == Some(&true) {
            return Cell::Missing;
        }
        match &self.values {
            Values::Text(cells) => cells.cell(row),
            Values::Boolean(values) => Cell::Boolean(values[row]),
            Values::Integer(values) => Cell::Integer(values[row]),
            Values::Unsigned(values) => Cell::Unsigned(values[row]),
            Values::Float(values) => Cell::Float(values[row]),
            Values::Single(values) => Cell::Single(values[row]),
            Values::Time(values) => Cell::Time(values[row]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_share_a_buffer() {
        let mut cells = TextCells::default();
        for text in ["a", "", "bc"] {
            cells.push_raw(text);
        }
        let column = Column::new(Values::Text(cells));
        assert_eq!((0..3).map(|row| column.cell(row)).collect::<Vec<_>>(), ["a", "", "bc"].map(Cell::Raw));
    }

    #[test]
    fn columns_are_joined() {
        let mut column = Column::new(Values::Integer(vec![1, 2]));
        column.append(Column::with_missing(Values::Integer(vec![3, 0]), vec![false, true])).unwrap();
        column.append(Column::new(Values::Single(vec![0.5]))).unwrap();
        let cells: Vec<Cell<'_>> = (0..5).map(|row| column.cell(row)).collect();
        assert_eq!(
            cells,
            [Cell::Float(1.0), Cell::Float(2.0), Cell::Float(3.0), Cell::Missing, Cell::Float(0.5)]
        );
        let truth = Column::new(Values::Boolean(vec![true]));
        assert_eq!(column.append(truth).unwrap_err(), ("floats", "truth values"));
        let texts = |words: &[&str]| {
            let mut cells = TextCells::default();
            for word in words {
                cells.push_raw(word);
            }
            Column::new(Values::Text(cells))
        };
        let mut column = texts(&["a", ""]);
        column.append(texts(&["bc"])).unwrap();
        assert_eq!([0, 1, 2].map(|row| column.cell(row)), ["a", "", "bc"].map(Cell::Raw));
        // An integer that a float would round.
        let mut column = Column::new(Values::Integer(vec![i64::MAX]));
        assert!(column.append(Column::new(Values::Float(vec![0.5]))).is_err());
    }

    #[test]
    fn kinds_are_kept_and_gaps_are_missing() {
        let mut cells = TextCells::default();
        cells.pad(1);
        cells.push(Kind::Decimal, "1.0");
        cells.push(Kind::Boolean, "true");
        cells.push(Kind::Json, "[1]");
        cells.pad(5);
        let column = Column::new(Values::Text(cells));
        assert_eq!(column.len(), 5);
        let cells: Vec<_> = (0..5).map(|row| column.cell(row)).collect();
        let expected =
            [Cell::Missing, Cell::Decimal("1.0"), Cell::Boolean(true), Cell::Json("[1]"), Cell::Missing];
        assert_eq!(cells, expected);
    }
}
