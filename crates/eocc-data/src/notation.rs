//! The notation of numbers in a text file.

use std::borrow::Cow;

/// The decimal mark of numbers, and their thousands separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Notation {
    decimal: char,
    thousands: Option<char>,
}

/// Characters that are equal, or that also occur in numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the decimal mark is {decimal:?} and thousands are separated by {thousands:?}; the decimal mark must be '.' or ',', and the other one of '.' ',' ''' '_' or a blank"
)]
pub struct NotationError {
    decimal: char,
    thousands: char,
}

/// Blanks that programs write as thousands separators, so that lines do not break there.
const BLANKS: [char; 4] = [' ', '\u{a0}', '\u{2009}', '\u{202f}'];

impl Notation {
    /// The notation with this decimal mark, `.` or `,`, and this thousands separator, `.`, `,`, `'`, `_` or a blank.
    /// If only the thousands separator is given and is a point, the decimal mark is a comma.
    pub fn new(decimal: Option<char>, thousands: Option<char>) -> Result<Self, NotationError> {
        let decimal = decimal.unwrap_or(if thousands == Some('.') { ',' } else { '.' });
        let is_known = thousands.is_none_or(|mark| matches!(mark, '.' | ',' | '\'' | '_' | ' '));
        if !matches!(decimal, '.' | ',') || !is_known || thousands == Some(decimal) {
            return Err(NotationError { decimal, thousands: thousands.unwrap_or(decimal) });
        }
        Ok(Self { decimal, thousands })
    }

    /// The decimal mark.
    pub fn decimal(self) -> char {
        self.decimal
    }

    /// The thousands separator, if any.
    pub fn thousands(self) -> Option<char> {
        self.thousands
    }

    /// Whether numbers may contain commas.
    pub(crate) fn has_commas(self) -> bool {
        self.decimal == ',' || self.thousands == Some(',')
    }

    /// Whether numbers may contain blanks.
    pub(crate) fn has_blanks(self) -> bool {
        self.thousands == Some(' ')
    }

    /// A number with a decimal point and without separators; `None` if the text has a mark where this notation allows
    /// none. Other errors are not checked.
    pub(crate) fn plain(self, text: &str) -> Option<Cow<'_, str>> {
        let (whole, fraction) = match text.split_once(self.decimal) {
            Some((whole, fraction)) => (whole, Some(fraction)),
            None => (text, None),
        };
        let is_separator = |letter: char| match self.thousands {
            Some(' ') => BLANKS.contains(&letter),
            Some('\'') => matches!(letter, '\'' | '\u{2019}'),
            mark => mark == Some(letter),
        };
        if fraction.is_some_and(|fraction| fraction.contains(['.', ',']) || fraction.contains(is_separator)) {
            return None;
        }
        let joined: Cow<'_, str> = if whole.contains(is_separator) {
            if !has_groups_of_three(whole, is_separator) {
                return None;
            }
            Cow::Owned(whole.replace(is_separator, ""))
        } else if whole.contains(['.', ',']) {
            return None;
        } else {
            Cow::Borrowed(whole)
        };
        Some(match fraction {
            None => joined,
            Some(_) if self.decimal == '.' && matches!(joined, Cow::Borrowed(_)) => Cow::Borrowed(text),
            Some(fraction) => Cow::Owned(format!("{joined}.{fraction}")),
        })
    }
}

/// Whether separators split digits into groups of three, the first of which may be shorter.
fn has_groups_of_three(whole: &str, is_separator: impl Fn(char) -> bool) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let whole = whole.strip_prefix(['-', '+']).unwrap_or(whole);
    let mut groups = whole.split(is_separator);
    let first = groups.next().unwrap_or_default();
    digits(first) && first.len() <= 3 && groups.all(|group| group.len() == 3 && digits(group))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(decimal: char, thousands: Option<char>, text: &str) -> Option<String> {
        Notation::new(Some(decimal), thousands).unwrap().plain(text).map(Cow::into_owned)
    }

    #[test]
    fn numbers_lose_their_marks() {
        for (decimal, thousands, text, expected) in [
            (',', None, "1,5", Some("1.5")),
            (',', None, "-1,5e3", Some("-1.5e3")),
            (',', None, "7", Some("7")),
            (',', None, "1.5", None),
            (',', None, "1,5,2", None),
            (',', Some('.'), "1.234.567,5", Some("1234567.5")),
            (',', Some('.'), "1.5", None),
            (',', Some('.'), "12.34,5", None),
            (',', Some(' '), "1 234,5", Some("1234.5")),
            (',', Some(' '), "1\u{202f}234", Some("1234")),
            ('.', Some(','), "1,234.5", Some("1234.5")),
            ('.', Some(','), "-12,345", Some("-12345")),
            ('.', Some(','), "1,5", None),
            ('.', Some('\''), "1'234.5", Some("1234.5")),
            ('.', Some('\''), "1.5", Some("1.5")),
            ('.', Some('\''), "1.234'5", None),
            ('.', Some(','), "word", Some("word")),
        ] {
            assert_eq!(plain(decimal, thousands, text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn marks_must_differ() {
        assert!(Notation::new(Some(','), Some(',')).is_err());
        assert!(Notation::new(Some(';'), None).is_err());
        assert!(Notation::new(None, Some('x')).is_err());
        assert_eq!(Notation::new(None, Some('.')).unwrap().decimal(), ',');
        assert_eq!(Notation::new(None, Some(',')).unwrap().decimal(), '.');
    }
}
