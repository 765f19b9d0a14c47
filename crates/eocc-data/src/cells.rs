//! Cells as text, stored compactly.

use std::collections::HashMap;

use crate::cell::{Cell, is_missing, looks_numeric};
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
    /// The number notation of texts, if it is not the usual one.
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

    /// Texts of a data frame. If they seem to be numbers that were not read as such, they are read as in a file
    /// without types: with `?` for missing ones, with commas, or with a few words among many different numbers.
    pub fn of_frame<T: AsRef<str>>(texts: &[Option<T>]) -> Self {
        if are_meant_as_numbers(texts.iter().flatten().map(|text| text.as_ref().trim())) {
            Self::raw(texts.iter().map(|text| text.as_ref().map_or("", AsRef::as_ref)))
        } else {
            Self::texts_or_missing(texts.iter().map(Option::as_ref))
        }
    }

    /// The same with numbers in this notation, unless another one is known.
    pub(crate) fn in_notation(&self, notation: Notation) -> Option<Self> {
        self.notation.is_none().then(|| Self { notation: Some(notation), ..self.clone() })
    }

    /// A cell of a column of numbers, where a text may be a number.
    pub(crate) fn number_cell(&self, row: usize) -> Cell<'_> {
        match (self.cell(row), self.notation) {
            (Cell::Text(text), None) => Cell::Raw(text),
            (Cell::Text(text), Some(notation)) => Cell::Noted(text, notation),
            (cell, _) => cell,
        }
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

/// Whether texts, without surrounding blanks, seem to be numbers that were not read as such.
fn are_meant_as_numbers<'a>(texts: impl Iterator<Item = &'a str>) -> bool {
    let mut distinct: HashMap<&str, usize> = HashMap::new();
    texts.for_each(|text| *distinct.entry(text).or_default() += 1);
    let count = |is_one: &dyn Fn(&str) -> bool| -> usize {
        distinct.iter().filter(|(text, _)| is_one(text)).map(|(_, count)| count).sum()
    };
    let has_digits = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let is_plain = |text: &str| has_digits(text) && text.parse::<f64>().is_ok();
    let all = count(&|_| true);
    let markers = count(&|text| !text.is_empty() && is_missing(text));
    let plain = count(&is_plain);
    let are_different = distinct.len() * 10 >= all * 9;
    if plain + markers == all {
        // Digits alone may be codes.
        return markers > 0 || are_different && distinct.keys().any(|text| text.contains('.'));
    }
    let commas = count(&|text| has_digits(text) && !is_plain(text) && looks_numeric(text, None));
    let is_most = (plain + commas) * 2 >= all - markers;
    is_most && (commas > 0 || are_different)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_a_frame_are_numbers_if_they_look_like_numbers_that_were_not_read() {
        for (texts, is_meant) in [
            (&["1.5", "2", "?"][..], true),
            (&["1.5", "2.5", "3.5"], true),
            (&["1,5", "2,5", "2,5"], true),
            (&["1.234,5", "n/a", "7"], true),
            (&["1", "2", "3"], false),
            (&["1.5", "1.5", "1.5"], false),
            (&["1", "2", "3", "four"], true),
            (&["1", "1", "1", "four"], false),
            (&["red", "blue", "1,5"], false),
            (&["inf", "nan"], false),
        ] {
            let texts: Vec<Option<&str>> = texts.iter().copied().map(Some).collect();
            let cells = Cells::of_frame(&texts);
            let expected =
                if is_meant { Cell::Raw(texts[0].unwrap()) } else { Cell::Text(texts[0].unwrap()) };
            assert_eq!(cells.cell(0), expected, "{texts:?}");
        }
    }
}
