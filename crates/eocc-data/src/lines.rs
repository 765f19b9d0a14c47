//! The lines of a text.

/// The lines with their numbers, from 1, without their line ends: `
/// `, `\r
/// `, or `\r` in a text without any `
/// `.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let end = if text.contains('\r') && !text.contains('\n') { '\r' } else { '\n' };
    text.split(end).enumerate().map(|(at, line)| (at + 1, line.strip_suffix('\r').unwrap_or(line)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_three_kinds() {
        for text in ["a\n\nb", "a\r\n\r\nb", "a\r\rb"] {
            assert_eq!(lines(text).collect::<Vec<_>>(), [(1, "a"), (2, ""), (3, "b")]);
        }
    }
}
