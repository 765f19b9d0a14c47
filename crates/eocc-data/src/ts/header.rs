//! The header of a `.ts` file: lines such as `@univariate true`.

use crate::shown::shown;

/// The label that follows the series on each data line.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Label {
    Nothing,
    /// A class; one of these, if any are declared.
    Class(Vec<String>),
    /// A number.
    Target,
}

/// The declarations of the header.
#[derive(Debug, Clone)]
pub(super) struct Header {
    pub(super) time_stamps: bool,
    /// Number of channels, if declared.
    pub(super) dimensions: Option<usize>,
    /// Whether all series have the same length, if declared.
    pub(super) equal_length: Option<bool>,
    pub(super) length: Option<usize>,
    pub(super) label: Label,
}

impl Default for Header {
    fn default() -> Self {
        Self { time_stamps: false, dimensions: None, equal_length: None, length: None, label: Label::Nothing }
    }
}

/// A line of the header.
#[derive(Debug, PartialEq)]
pub(super) enum Line {
    Declaration,
    Data,
}

impl Header {
    /// Whether all series must have the same length; declaring the length implies it.
    pub(super) fn is_equal_length(&self) -> bool {
        self.equal_length.unwrap_or(self.length.is_some())
    }

    /// Takes a line that starts with `@`; keys and booleans may be in any case.
    pub(super) fn line(&mut self, line: &str) -> Result<Line, String> {
        let mut words = line.split_whitespace();
        let key = words.next().unwrap_or_default();
        let mut values = words.clone();
        let first = values.next();
        match key.to_ascii_lowercase().as_str() {
            "@data" => return Ok(Line::Data),
            // Declared missing values are allowed; actual missing values are not supported.
            "@problemname" => {}
            "@missing" => drop(truth(key, first)?),
            "@timestamps" => self.time_stamps = truth(key, first)?,
            "@univariate" => {
                if truth(key, first)? {
                    self.dimensions = Some(1);
                }
            }
            "@dimensions" | "@dimension" => self.dimensions = Some(count(key, first)?),
            "@equallength" => self.equal_length = Some(truth(key, first)?),
            "@serieslength" => self.length = Some(count(key, first)?),
            "@classlabel" => {
                self.label = if truth(key, first)? {
                    Label::Class(values.map(str::to_owned).collect())
                } else {
                    Label::Nothing
                };
            }
            "@targetlabel" => self.label = if truth(key, first)? { Label::Target } else { Label::Nothing },
            _ => {
                return Err(format!(
                    "{} is not a key of the format; correct it, or make the line a comment with `#`",
                    shown(key)
                ));
            }
        }
        Ok(Line::Declaration)
    }
}

fn truth(key: &str, word: Option<&str>) -> Result<bool, String> {
    match word {
        Some(word) if word.eq_ignore_ascii_case("true") => Ok(true),
        Some(word) if word.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(format!("{key} is {}, but must be true or false", shown(word.unwrap_or_default()))),
    }
}

fn count(key: &str, word: Option<&str>) -> Result<usize, String> {
    let word = word.unwrap_or_default();
    word.parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| format!("{key} is {}, but must be a number of one or more", shown(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_in_any_case() {
        let mut header = Header::default();
        for line in [
            "@ProblemName A b",
            "@TIMESTAMPS True",
            "@dimensions 3",
            "@seriesLength 7",
            "@classLabel true x y",
        ] {
            assert_eq!(header.line(line), Ok(Line::Declaration));
        }
        assert!(header.time_stamps);
        assert_eq!((header.dimensions, header.length), (Some(3), Some(7)));
        assert_eq!(header.label, Label::Class(vec!["x".into(), "y".into()]));
        assert_eq!(header.line("@DATA"), Ok(Line::Data));
    }

    #[test]
    fn faults_are_explained() {
        let message = |line: &str| Header::default().line(line).unwrap_err();
        assert!(message("@univariat true").starts_with("\"@univariat\" is not a key"));
        assert_eq!(message("@univariate"), "@univariate is \"\", but must be true or false");
        assert!(message("@dimensions 0").starts_with("@dimensions is \"0\", but must be"));
    }
}
