//! One cell of a table, and the number or text it represents.

use std::borrow::Cow;

use crate::notation::Notation;
use crate::shown::shown;
use crate::write::number_text;

/// One cell, with the type its file gives it.
///
/// A CSV file has only [`Cell::Raw`] text, which is a number, a label or missing depending on the context. The other
/// formats declare the type of a cell, and a text that happens to spell a number is then not a number.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Cell<'a> {
    /// No value: a JSON or Parquet null, or a field that the line does not have.
    Missing,
    /// The text of a cell in a file without types.
    Raw(&'a str),
    /// A raw cell in a file that uses another number notation.
    Noted(&'a str, Notation),
    /// A text, declared as such.
    Text(&'a str),
    /// A number as the file writes it in decimal digits.
    Decimal(&'a str),
    /// A boolean.
    Boolean(bool),
    /// A signed integer.
    Integer(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A 64-bit float.
    Float(f64),
    /// A 32-bit float.
    Single(f32),
    /// A moment: seconds since the start of 1970 UTC.
    Time(f64),
    /// An array or object, as JSON text that is known to be valid.
    Json(&'a str),
}

/// Why a cell is not a finite number. The message shows the cell and says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CellFault {
    /// Missing, or a word for missing.
    #[error("the value is missing{}; fill it in, or leave out the row or the column", spelled(.0))]
    Missing(String),
    /// Some other text.
    #[error("{} is not a number; correct it, or leave out the column", shown(.0))]
    NotANumber(String),
    /// A number with a decimal comma.
    #[error("{} is not a number: it seems to have a decimal comma; write a decimal point", shown(.0))]
    DecimalComma(String),
    /// A number with thousands separators or a decimal comma: `1,000` is ambiguous.
    #[error("{} is not a number: write {} if the comma separates thousands{}", shown(.0), .0.replace(',', ""), or_decimal(.0))]
    Thousands(String),
    /// A number, but not in the notation given for the file.
    #[error("{} is not a number in the notation that was given, though it is in another; correct it, or say how numbers are written", shown(.0))]
    OtherNotation(String),
    /// A text in a format that distinguishes numbers from texts.
    #[error("{} is text, not a number; store it as a number, or leave out the column", shown(.0))]
    Text(String),
    /// Not a number, in the sense of IEEE 754.
    #[error("the value is NaN; replace it by a number, or leave out the row or the column")]
    Nan,
    /// Infinite, or too large for a 64-bit float.
    #[error("{} is infinite as a 64-bit float; replace it by a finite number, or leave out the row or the column", shown(.0))]
    Infinite(String),
    /// An integer that a float would round.
    #[error("{} is an integer that a 64-bit float cannot hold exactly; if it is an identifier, leave out the column", shown(.0))]
    Inexact(String),
    /// An array or object.
    #[error("{} is an array or object, not a number; leave out the column", shown(.0))]
    Nested(String),
}

/// The alternative reading of a number with one comma.
fn or_decimal(text: &str) -> String {
    if has_decimal_comma(text) {
        format!(", or {} if it is a decimal comma", text.replacen(',', ".", 1))
    } else {
        String::new()
    }
}

fn spelled(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" ({})", shown(text)) }
}

/// The words of a JSON list of words, separated by blanks; `None` if it contains anything else.
pub(crate) fn listed_words(json: &str) -> Option<String> {
    let words: Vec<Cow<'_, str>> = serde_json::from_str(json).ok()?;
    Some(words.join(" "))
}

/// Integers up to here are exact as 64-bit floats.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl<'a> Cell<'a> {
    /// The cell as text. Integers print without a decimal point, floats with the fewest digits that read back to the
    /// same value, a missing cell as the empty text.
    pub fn text(self) -> Cow<'a, str> {
        match self {
            Cell::Missing => Cow::Borrowed(""),
            Cell::Raw(text)
            | Cell::Noted(text, _)
            | Cell::Text(text)
            | Cell::Decimal(text)
            | Cell::Json(text) => Cow::Borrowed(text),
            Cell::Boolean(true) => Cow::Borrowed("true"),
            Cell::Boolean(false) => Cow::Borrowed("false"),
            Cell::Integer(value) => Cow::Owned(value.to_string()),
            Cell::Unsigned(value) => Cow::Owned(value.to_string()),
            Cell::Float(value) => Cow::Owned(number_text(value)),
            // Via the 32-bit float, for which 0.1 has a short text.
            Cell::Single(value) => Cow::Owned(value.to_string()),
            Cell::Time(seconds) => Cow::Owned(crate::date::text(seconds)),
        }
    }

    /// The cell as a finite number; booleans are 0 and 1.
    pub fn number(self) -> Result<f64, CellFault> {
        match self {
            Cell::Missing => Err(CellFault::Missing(String::new())),
            Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) if is_missing(text) => {
                Err(CellFault::Missing(text.trim().to_owned()))
            }
            Cell::Raw(text) | Cell::Decimal(text) => parse(text.trim()),
            Cell::Noted(text, notation) => parse_noted(text.trim(), notation),
            Cell::Text(text) => Err(CellFault::Text(text.to_owned())),
            Cell::Json(text) => Err(CellFault::Nested(text.to_owned())),
            Cell::Boolean(value) => Ok(f64::from(u8::from(value))),
            Cell::Integer(value) => exact(value.into()),
            Cell::Unsigned(value) => exact(value.into()),
            Cell::Float(value) | Cell::Time(value) => finite(value, || self.text().into_owned()),
            Cell::Single(value) => finite(value.into(), || self.text().into_owned()),
        }
    }

    /// Whether a cell is missing where words are expected: null, NaN, or a text that means missing among words, in
    /// files with and without types.
    pub(crate) fn is_missing_word(self) -> bool {
        match self {
            Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) => is_missing_word(text),
            cell => cell.is_missing(),
        }
    }

    /// Whether a text, `none` or `?`, may be a missing number or a word, which only the rest of its column can
    /// decide.
    pub(crate) fn is_marker(self) -> bool {
        match self {
            Cell::Raw(text) | Cell::Noted(text, _) | Cell::Text(text) => {
                is_missing(text) && !is_missing_word(text)
            }
            _ => false,
        }
    }

    /// Whether the cell is missing: null, NaN, or, in a file without types, an empty cell or a word for missing.
    pub fn is_missing(self) -> bool {
        match self {
            Cell::Missing => true,
            Cell::Raw(text) | Cell::Noted(text, _) => is_missing(text),
            Cell::Float(value) | Cell::Time(value) => value.is_nan(),
            Cell::Single(value) => value.is_nan(),
            _ => false,
        }
    }
}

/// Whether a text means a missing value where words are expected: exactly those texts for which pandas does so when
/// it reads a file. So a file and its data frame have the same missing values. `none` and `?` are words.
pub(crate) fn is_missing_word(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || ["NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "None", "<NA>", "#N/A", "NaT"].contains(&text)
}

/// Whether a text means a missing value where numbers are expected: an empty text, `NA`, `N/A`, `NaN`, `null`,
/// `None`, `?`, `#N/A`, `<NA>` or `NaT`, in any case.
pub(crate) fn is_missing(text: &str) -> bool {
    let text = text.trim();
    text.is_empty()
        || ["na", "n/a", "nan", "null", "none", "?", "#n/a", "<na>", "nat"]
            .iter()
            .any(|word| text.eq_ignore_ascii_case(word))
}

/// Whether a text is meant as a number, possibly with a decimal comma. Used for detecting headers and delimiters, not
/// values.
pub(crate) fn looks_numeric(text: &str, notation: Option<Notation>) -> bool {
    let text = text.trim();
    if let Some(notation) = notation
        && parse_noted(text, notation).is_ok()
    {
        return true;
    }
    text.parse::<f64>().is_ok()
        || has_decimal_comma(text)
        || has_thousands(text)
        || has_points_and_comma(text)
}

/// Whether points split the digits before a decimal comma into groups of three.
fn has_points_and_comma(text: &str) -> bool {
    let plain = Notation::new(Some(','), Some('.')).ok().and_then(|notation| notation.plain(text));
    text.contains('.') && text.contains(',') && plain.is_some_and(|plain| plain.parse::<f64>().is_ok())
}

/// Whether commas split the digits before the decimal point into groups of three.
fn has_thousands(text: &str) -> bool {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut groups = whole.split(',');
    let first = groups.next().unwrap_or_default();
    let mut rest = groups.peekable();
    digits(first)
        && first.len() <= 3
        && digits(fraction)
        && rest.peek().is_some()
        && rest.all(|group| group.len() == 3 && digits(group))
}

fn has_decimal_comma(text: &str) -> bool {
    text.matches(',').count() == 1 && text.replacen(',', ".", 1).parse::<f64>().is_ok()
}

fn parse(text: &str) -> Result<f64, CellFault> {
    match text.parse::<f64>() {
        Ok(value) if value.abs() >= EXACT => match text.parse::<i128>() {
            // Decimal fractions are rounded as everywhere; a long integer is an identifier.
            Ok(whole) => exact(whole),
            Err(_) => finite(value, || text.to_owned()),
        },
        Ok(value) => finite(value, || text.to_owned()),
        Err(_) if has_thousands(text) => Err(CellFault::Thousands(text.to_owned())),
        Err(_) if has_decimal_comma(text) || has_points_and_comma(text) => {
            Err(CellFault::DecimalComma(text.to_owned()))
        }
        Err(_) => Err(CellFault::NotANumber(text.to_owned())),
    }
}

fn parse_noted(text: &str, notation: Notation) -> Result<f64, CellFault> {
    match notation.plain(text) {
        Some(plain) => parse(&plain).map_err(|fault| match fault {
            CellFault::NotANumber(_) => CellFault::NotANumber(text.to_owned()),
            fault => fault,
        }),
        None if looks_numeric(text, None) => Err(CellFault::OtherNotation(text.to_owned())),
        None => Err(CellFault::NotANumber(text.to_owned())),
    }
}

fn finite(value: f64, text: impl FnOnce() -> String) -> Result<f64, CellFault> {
    if value.is_nan() {
        Err(CellFault::Nan)
    } else if value.is_infinite() {
        Err(CellFault::Infinite(text()))
    } else {
        Ok(value)
    }
}

fn exact(value: i128) -> Result<f64, CellFault> {
    let float = value as f64;
    if float as i128 == value { Ok(float) } else { Err(CellFault::Inexact(value.to_string())) }
}

#[cfg(test)]
#[allow(clippy::float_cmp)] // The values are exact.
mod tests {
    use super::*;

    #[test]
    fn raw_text_is_a_number_when_it_reads_as_one() {
        for (text, value) in [("1", 1.0), (" -2.5 ", -2.5), ("+3e2", 300.0), (".5", 0.5), ("1e16", 1e16)] {
            assert_eq!(Cell::Raw(text).number(), Ok(value), "{text}");
        }
    }

    #[test]
    fn words_for_nothing_are_missing() {
        for text in ["", "  ", "NA", "na", "NaN", "NULL", "?", "None", "n/a"] {
            assert!(matches!(Cell::Raw(text).number(), Err(CellFault::Missing(_))), "{text}");
            assert!(Cell::Raw(text).is_missing());
        }
        assert_eq!(Cell::Text("NA").number(), Err(CellFault::Missing("NA".into())));
        assert_eq!(Cell::Text("1").number(), Err(CellFault::Text("1".into())));
    }

    #[test]
    fn words_for_nothing_among_words_are_those_of_pandas() {
        for (text, is_missing, is_marker) in [
            ("", true, false),
            ("NA", true, false),
            ("None", true, false),
            ("none", false, true),
            ("?", false, true),
            ("na", false, true),
            ("red", false, false),
        ] {
            for cell in [Cell::Raw(text), Cell::Text(text)] {
                assert_eq!((cell.is_missing_word(), cell.is_marker()), (is_missing, is_marker), "{text}");
            }
        }
    }

    #[test]
    fn faults_are_distinguished() {
        assert_eq!(Cell::Raw("1,5").number(), Err(CellFault::DecimalComma("1,5".into())));
        assert_eq!(Cell::Raw("3.037,50").number(), Err(CellFault::DecimalComma("3.037,50".into())));
        assert_eq!(Cell::Raw("one").number(), Err(CellFault::NotANumber("one".into())));
        assert_eq!(Cell::Raw("-inf").number(), Err(CellFault::Infinite("-inf".into())));
        assert_eq!(Cell::Raw("1e400").number(), Err(CellFault::Infinite("1e400".into())));
        assert_eq!(Cell::Raw("-nan").number(), Err(CellFault::Nan));
        assert_eq!(Cell::Float(f64::NAN).number(), Err(CellFault::Nan));
        assert!(matches!(Cell::Json("[1]").number(), Err(CellFault::Nested(_))));
    }

    #[test]
    fn numbers_follow_the_notation() {
        let german = Notation::new(Some(','), Some('.')).unwrap();
        for (text, expected) in [
            (" 1.234,5 ", Ok(1234.5)),
            ("-0,25", Ok(-0.25)),
            ("", Err(CellFault::Missing(String::new()))),
            ("1.5", Err(CellFault::OtherNotation("1.5".into()))),
            ("1,2,3", Err(CellFault::NotANumber("1,2,3".into()))),
            ("eins", Err(CellFault::NotANumber("eins".into()))),
        ] {
            assert_eq!(Cell::Noted(text, german).number(), expected, "{text}");
        }
        assert_eq!(Cell::Noted("1.234", german).text(), "1.234");
    }

    #[test]
    fn integers_are_never_rounded() {
        assert_eq!(Cell::Integer(1 << 53).number(), Ok(EXACT));
        assert_eq!(Cell::Integer(i64::MIN).number(), Ok(-9_223_372_036_854_775_808.0));
        assert!(matches!(Cell::Integer((1 << 53) + 1).number(), Err(CellFault::Inexact(_))));
        assert!(matches!(Cell::Unsigned(u64::MAX).number(), Err(CellFault::Inexact(_))));
        assert!(matches!(Cell::Raw("9007199254740993").number(), Err(CellFault::Inexact(_))));
        assert_eq!(Cell::Unsigned(u64::MAX).text(), "18446744073709551615");
    }

    #[test]
    fn texts_are_short() {
        assert_eq!(Cell::Float(3.0).text(), "3");
        assert_eq!(Cell::Single(0.1).text(), "0.1");
        assert_eq!(Cell::Boolean(true).text(), "true");
        assert_eq!(Cell::Float(1e300).text(), "1e300");
    }
}
