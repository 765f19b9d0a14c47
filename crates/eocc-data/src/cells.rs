//! Cells as text, stored compactly.

use crate::cell::Cell;
use crate::notation::Notation;

/// The kind of a piece of text in [`Cells`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    Missing,
    Text,
    Decimal,
    Boolean,
    Json,
}

/// Many texts in one buffer: cell `i` ends at `ends[i]`, where the next one starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cells {
    buffer: String,
    ends: Vec<usize>,
    /// One per cell; empty if the file has no types.
    kinds: Vec<CellKind>,
    /// The number notation of a file without types, if it is not the usual one.
    notation: Option<Notation>,
}

impl Cells {
    /// Cells of a file without types, where `1` is a number and an empty one is missing.
    pub fn raw<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push_raw(text.as_ref()));
        all
    }

    /// Texts, none of which is a number.
    pub fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::texts_or_missing(texts.into_iter().map(Some))
    }

    /// Like `texts`, some of which may be missing.
    pub fn texts_or_missing<T: AsRef<str>>(texts: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut all = Self::default();
        for text in texts {
            match text {
                Some(text) => all.push(CellKind::Text, text.as_ref()),
                None => all.push(CellKind::Missing, ""),
            }
        }
        all
    }

    /// Empty, for a file without types whose numbers are in this notation.
    pub(crate) fn noted(notation: Option<Notation>) -> Self {
        Self { notation, ..Self::default() }
    }

    /// Appends a cell of a file without types. Not to be mixed with [`Cells::push`].
    pub(crate) fn push_raw(&mut self, text: &str) {
        self.buffer.push_str(text);
        self.ends.push(self.buffer.len());
    }

    /// Appends a cell that the file declares to be of this kind.
    pub(crate) fn push(&mut self, kind: CellKind, text: &str) {
        self.push_raw(text);
        self.kinds.push(kind);
    }

    /// Appends missing cells until there are `rows`.
    pub(crate) fn pad(&mut self, rows: usize) {
        let rows = rows.max(self.ends.len());
        self.ends.resize(rows, self.buffer.len());
        self.kinds.resize(rows, CellKind::Missing);
    }

    /// Removes the cells after these rows.
    pub(crate) fn truncate(&mut self, rows: usize) {
        self.ends.truncate(rows);
        self.kinds.truncate(rows);
        self.buffer.truncate(self.ends.last().copied().unwrap_or(0));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn part(&self, rows: std::ops::Range<usize>) -> Self {
        let end = |row: usize| if row == 0 { 0 } else { self.ends[row - 1] };
        let (from, to) = (end(rows.start), end(rows.end));
        Self {
            buffer: self.buffer[from..to].to_owned(),
            ends: self.ends[rows.clone()].iter().map(|end| end - from).collect(),
            kinds: self.kinds.get(rows).map(<[CellKind]>::to_vec).unwrap_or_default(),
            notation: self.notation,
        }
    }

    pub(crate) fn pick(&self, rows: &[usize]) -> Self {
        let mut all = Self { notation: self.notation, ..Self::default() };
        for &row in rows {
            let start = if row == 0 { 0 } else { self.ends[row - 1] };
            all.push_raw(&self.buffer[start..self.ends[row]]);
            all.kinds.extend(self.kinds.get(row));
        }
        all
    }

    /// Appends all cells of another file, if both or neither have types.
    pub(crate) fn append(&mut self, other: &Self) -> bool {
        let is_alike = self.kinds.is_empty() == other.kinds.is_empty() && self.notation == other.notation;
        if is_alike {
            let start = self.buffer.len();
            self.buffer.push_str(&other.buffer);
            self.ends.extend(other.ends.iter().map(|end| start + end));
            self.kinds.extend(&other.kinds);
        }
        is_alike
    }

    pub(crate) fn cell(&self, row: usize) -> Cell<'_> {
        let start = if row == 0 { 0 } else { self.ends[row - 1] };
        let text = &self.buffer[start..self.ends[row]];
        match self.kinds.get(row) {
            None => self.notation.map_or(Cell::Raw(text), |notation| Cell::Noted(text, notation)),
            Some(CellKind::Missing) => Cell::Missing,
            Some(CellKind::Text) => Cell::Text(text),
            Some(CellKind::Decimal) => Cell::Decimal(text),
            Some(CellKind::Boolean) => Cell::Boolean(text == "true"),
            Some(CellKind::Json) => Cell::Json(text),
        }
    }
}
