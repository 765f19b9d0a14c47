//! Finding values in a column, and suggestions for misspelled names.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::cell::Cell;

/// The rows whose text equals `value`; if there are none, those whose number does.
pub(crate) fn rows<'a>(cells: impl Iterator<Item = Cell<'a>> + Clone, value: &str) -> Vec<usize> {
    let value = value.trim();
    let pick = |same: &dyn Fn(Cell<'a>) -> bool| -> Vec<usize> {
        cells.clone().enumerate().filter(|(_, cell)| same(*cell)).map(|(row, _)| row).collect()
    };
    let by_text = pick(&|cell| cell.text().trim() == value);
    if !by_text.is_empty() {
        return by_text;
    }
    match Cell::Raw(value).number() {
        Ok(number) => pick(&|cell| {
            cell.number().is_ok_and(|given| given.total_cmp(&number).is_eq() || is_zero(given, number))
        }),
        Err(_) => Vec::new(),
    }
}

/// The rows whose text equals any of these values, in order. A value without rows is split at its commas; a piece
/// without rows is an error.
pub(crate) fn rows_of_any<'a>(
    cells: impl Iterator<Item = Cell<'a>> + Clone,
    values: &[impl AsRef<str>],
) -> Result<Vec<usize>, String> {
    let mut all = Vec::new();
    for value in values.iter().map(AsRef::as_ref) {
        let whole = rows(cells.clone(), value);
        if !whole.is_empty() {
            all.extend(whole);
            continue;
        }
        for piece in value.split(',') {
            match rows(cells.clone(), piece) {
                found if found.is_empty() => return Err(piece.trim().to_owned()),
                found => all.extend(found),
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Zero has two bit patterns, but is one label.
fn is_zero(a: f64, b: f64) -> bool {
    a.abs().to_bits() == 0 && b.abs().to_bits() == 0
}

/// The distinct texts with their counts, most frequent first, ties by text.
pub(crate) fn tally<'a>(cells: impl Iterator<Item = Cell<'a>>) -> Vec<(String, usize)> {
    let mut counts: HashMap<Cow<'a, str>, usize> = HashMap::new();
    for cell in cells {
        *counts.entry(trimmed(cell.text())).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> =
        counts.into_iter().map(|(text, count)| (text.into_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

fn trimmed(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_before_number() {
        let cells = ["1", "1.0", "01"].map(Cell::Raw);
        assert_eq!(rows(cells.iter().copied(), "1"), [0]);
        assert_eq!(rows(cells.iter().copied(), "1.00"), [0, 1, 2]);
        assert!(rows(cells.iter().copied(), "one").is_empty());
        assert_eq!(rows([Cell::Float(-0.0)].into_iter(), "0"), [0]);
        assert_eq!(rows([Cell::Boolean(true), Cell::Boolean(false)].into_iter(), "1"), [0]);
        assert_eq!(rows([Cell::Unsigned(u64::MAX)].into_iter(), "18446744073709551615"), [0]);
    }

    #[test]
    fn several_values_are_found() {
        let cells = ["a", "b", "a,b", "c", "2"].map(Cell::Raw);
        let found = |values: &[&str]| rows_of_any(cells.iter().copied(), values);
        assert_eq!(found(&["a,b"]).unwrap(), [2]);
        assert_eq!(found(&["c, a"]).unwrap(), [0, 3]);
        assert_eq!(found(&["c,a", "a,b", "a"]).unwrap(), [0, 2, 3]);
        assert_eq!(found(&["b,2.0"]).unwrap(), [1, 4]);
        assert_eq!(found(&["a,x"]).unwrap_err(), "x");
    }
}
