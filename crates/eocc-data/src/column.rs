//! The cells of one column, kept compactly.

use crate::cell::Cell;

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
}

impl TextCells {
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
        }
    }

    fn cell(&self, row: usize) -> Cell<'_> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let text = &self.buffer[start..self.ends[row]];
        match self.kinds.get(row) {
            None => Cell::Raw(text),
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
