//! Suggestions for misspelled names.

/// The name closest to the given one, if it differs only by case, by blanks or by a typo or two.
pub fn nearest<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.trim().to_lowercase();
    let length = given.chars().count();
    let allowed = match length {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    names
        .into_iter()
        // The distance is at least the difference in length, so most names need no table.
        .filter(|name| name.chars().count().abs_diff(length) <= allowed)
        .map(|name| (edits(&given, &name.trim().to_lowercase()), name))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, name)| name)
}

/// How many letters to insert, delete, replace, or swap with their neighbor, to turn one text into the other.
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

/// The question to add to an unknown name, or nothing if no name is close: ` (did you mean `k-nn`?)`.
pub fn suggestion<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    nearest(given, names).map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_nearly_right_are_found() {
        let names = ["label", "width"];
        assert_eq!(nearest("lable", names), Some("label"));
        assert_eq!(nearest("LABEL", names), Some("label"));
        assert_eq!(nearest("length", names), None);
        assert_eq!(nearest("y", names), None);
        assert_eq!(suggestion("Widht", names), " (did you mean `width`?)");
        assert_eq!(suggestion("depth", names), "");
    }

    #[test]
    fn edits_are_counted() {
        for (a, b, count) in [("", "", 0), ("ab", "ba", 1), ("kitten", "sitting", 3), ("abc", "", 3)] {
            assert_eq!(edits(a, b), count, "{a} {b}");
        }
    }
}
