//! Texts from files, prepared for messages: quoted, escaped, shortened.

use std::fmt::Write as _;

/// Maximum length of a text, in characters.
const MAX_LENGTH: usize = 60;
/// Maximum number of listed items.
const MAX_LISTED: usize = 20;
/// Maximum number of distinct values.
const MAX_VALUES: usize = 10;

/// The text in double quotes, with control characters escaped so that a message stays on one line.
pub(crate) fn shown(text: &str) -> String {
    let mut out = String::from("\"");
    for (place, letter) in text.chars().enumerate() {
        if place == MAX_LENGTH {
            out.push('…');
            break;
        }
        match letter {
            '\'' => out.push('\''),
            _ => out.extend(letter.escape_debug()),
        }
    }
    out.push('"');
    out
}

/// The names, separated by commas; the first few if there are many.
pub(crate) fn list(names: &[String]) -> String {
    let mut out = names.iter().take(MAX_LISTED).map(|name| shown(name)).collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED {
        let _ = write!(out, " and {} more", names.len() - MAX_LISTED);
    }
    if names.is_empty() { "none".to_owned() } else { out }
}

/// The values with their counts, in the order given; the first few if there are many.
pub(crate) fn counts(values: &[(String, usize)]) -> String {
    let mut out = values
        .iter()
        .take(MAX_VALUES)
        .map(|(value, count)| format!("{} ({count})", shown(value)))
        .collect::<Vec<_>>()
        .join(", ");
    if values.len() > MAX_VALUES {
        let _ = write!(out, " and {} more", values.len() - MAX_VALUES);
    }
    if values.is_empty() { "none".to_owned() } else { out }
}

/// A count with its noun: `1 cell`, `2 cells`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_shortened() {
        assert_eq!(shown("it's\na \"b\""), r#""it's\na \"b\"""#);
        assert_eq!(shown(&"x".repeat(100)).chars().count(), MAX_LENGTH + 3);
    }

    #[test]
    fn long_lists_end_in_a_count() {
        let names: Vec<String> = (0..25).map(|i| format!("x{i}")).collect();
        assert!(list(&names).ends_with("\"x19\" and 5 more"));
        let values: Vec<(String, usize)> = (0..12).map(|i| (i.to_string(), 1)).collect();
        assert!(counts(&values).ends_with("\"9\" (1) and 2 more"));
    }
}
