//! Finding values in a column, and names that are nearly right.

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

/// The rows whose text equals any of these values, in order. A value that no row has is cut at its commas, and each piece is
/// a value; one that no row has is the error.
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

/// Zero has two bit patterns, which are the same label.
fn is_zero(a: f64, b: f64) -> bool {
    a.abs().to_bits() == 0 && b.abs().to_bits() == 0
}

/// The distinct texts with their counts, most frequent first, then in order of text.
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

/// The name that differs least from the one given, if it differs by case, by blanks or by a slip or two.
pub(crate) fn nearest<'a>(given: &str, names: &'a [String]) -> Option<&'a str> {
    let given = given.trim().to_lowercase();
    let length = given.chars().count();
    let allowed = match length {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    names
        .iter()
        // The distance is at least the difference in length, so most names need no table.
        .filter(|name| name.chars().count().abs_diff(length) <= allowed)
        .map(|name| (edits(&given, &name.trim().to_lowercase()), name.as_str()))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// How many letters to insert, delete, replace, or swap with their neighbour, to turn one text into the other.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let mut best = replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1);
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    best = best.min(table[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    table[a.len()][b.len()]
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

    #[test]
    fn names_nearly_right_are_found() {
        let names = ["label".to_owned(), "width".to_owned()];
        assert_eq!(nearest("lable", &names), Some("label"));
        assert_eq!(nearest("LABEL", &names), Some("label"));
        assert_eq!(nearest("length", &names), None);
        assert_eq!(nearest("y", &names), None);
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in [("", "", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("abc", "", 3)] {
            assert_eq!(edits(a, b), count, "{a} {b}");
        }
    }
}
