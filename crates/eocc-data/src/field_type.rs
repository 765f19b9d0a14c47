//! The type of a field, and its notation: `category`, `ordered:low<mid<high`.

use std::fmt;
use std::str::FromStr;

use crate::date::DayMonth;
use crate::shown::shown;
use eocc_core::spelling::nearest;

/// The type of a field's values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldType {
    /// Finite numbers; may be missing.
    Number,
    /// Booleans; may be missing.
    Boolean,
    /// Unordered words; may be missing.
    Category,
    /// Ordered words, from low to high; may be missing.
    Ordered(Vec<String>),
    /// Texts, compared letter by letter.
    Text,
    /// Time series of one or more channels.
    Series,
    /// Graphs.
    Graph,
    /// Dates and timestamps; may be missing. With the order of day and month in `3/4/2024`, or `None` to detect it.
    Date(Option<DayMonth>),
    /// Times of day, which are circular; may be missing.
    Time,
    /// Keys: the names of the samples, which are not features.
    Id,
    /// Ignored.
    Ignore,
}

/// Why a text is not a type of a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldTypeError {
    /// No type has this name.
    #[error(
        "no type {}{}; the types are number, boolean, category, ordered:low<mid<high, date, time, text, series, graph, id, ignore",
        shown(.given),
        suggestion.map(|s| format!(" (did you mean {s}?)")).unwrap_or_default()
    )]
    Unknown {
        /// What was given.
        given: String,
        /// A similar name.
        suggestion: Option<&'static str>,
    },
    /// The levels of an ordered type are fewer than two, empty or not distinct.
    #[error("{}: {reason}; write at least two different levels from low to high, as in ordered:low<mid<high", shown(.given))]
    Levels {
        /// What was given.
        given: String,
        /// What is wrong.
        reason: String,
    },
    /// There is no `=` between column and type.
    #[error("{} has no `=`; write column=type, as in size=ordered:S<M<L", shown(.given))]
    NoAssignment {
        /// What was given.
        given: String,
    },
}

const NAMES: [&str; 10] =
    ["number", "boolean", "category", "date", "time", "text", "series", "graph", "id", "ignore"];
/// A date with the day first, or with the month first.
const DAY_FIRST: &str = "date:day-first";
const MONTH_FIRST: &str = "date:month-first";

impl FieldType {
    /// The name without the levels.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Category => "category",
            Self::Ordered(_) => "ordered",
            Self::Text => "text",
            Self::Series => "series",
            Self::Graph => "graph",
            Self::Date(_) => "date",
            Self::Time => "time",
            Self::Id => "id",
            Self::Ignore => "ignore",
        }
    }

    /// Reads `column=type`. The name of the column ends at the first `=` followed by a type.
    ///
    /// ```
    /// use eocc_data::FieldType;
    ///
    /// assert_eq!(FieldType::assignment("kind=category")?, ("kind".to_owned(), FieldType::Category));
    /// # Ok::<(), eocc_data::FieldTypeError>(())
    /// ```
    pub fn assignment(text: &str) -> Result<(String, Self), FieldTypeError> {
        let mut first = None;
        for (at, _) in text.match_indices('=') {
            match text[at + 1..].parse() {
                Ok(kind) => return Ok((text[..at].trim().to_owned(), kind)),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| FieldTypeError::NoAssignment { given: text.to_owned() }))
    }
}

impl FromStr for FieldType {
    type Err = FieldTypeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        match text.to_ascii_lowercase().as_str() {
            "number" => return Ok(Self::Number),
            "boolean" => return Ok(Self::Boolean),
            "category" => return Ok(Self::Category),
            "text" => return Ok(Self::Text),
            "time" => return Ok(Self::Time),
            "series" => return Ok(Self::Series),
            "graph" => return Ok(Self::Graph),
            "date" => return Ok(Self::Date(None)),
            DAY_FIRST => return Ok(Self::Date(Some(DayMonth::DayFirst))),
            MONTH_FIRST => return Ok(Self::Date(Some(DayMonth::MonthFirst))),
            "id" => return Ok(Self::Id),
            "ignore" => return Ok(Self::Ignore),
            "ordered" => return Err(levels_fault(text, "the levels are not given")),
            _ => {}
        }
        match text.split_once(':') {
            Some((name, rest)) if name.trim().eq_ignore_ascii_case("ordered") => levels(text, rest),
            _ => {
                let suggestion = nearest(text, NAMES);
                Err(FieldTypeError::Unknown { given: text.to_owned(), suggestion })
            }
        }
    }
}

fn levels(text: &str, rest: &str) -> Result<FieldType, FieldTypeError> {
    let levels: Vec<String> = rest.split('<').map(|level| level.trim().to_owned()).collect();
    if levels.len() < 2 {
        return Err(levels_fault(text, "there is only one level"));
    }
    if levels.iter().any(String::is_empty) {
        return Err(levels_fault(text, "a level is empty"));
    }
    if let Some((_, twice)) = crate::table::duplicate(levels.iter().map(String::as_str)) {
        return Err(levels_fault(text, &format!("the level {} is given twice", shown(&levels[twice]))));
    }
    Ok(FieldType::Ordered(levels))
}

fn levels_fault(given: &str, reason: &str) -> FieldTypeError {
    FieldTypeError::Levels { given: given.to_owned(), reason: reason.to_owned() }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Self::Date(Some(DayMonth::DayFirst)) => DAY_FIRST,
            Self::Date(Some(DayMonth::MonthFirst)) => MONTH_FIRST,
            _ => self.name(),
        };
        f.write_str(name)?;
        if let Self::Ordered(levels) = self {
            write!(f, ":{}", levels.join("<"))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        FieldType::assignment(text).unwrap_err().to_string()
    }

    #[test]
    fn types_are_written_as_they_are_read() {
        for text in [
            "number",
            "boolean",
            "category",
            "text",
            "series",
            "graph",
            "date",
            "time",
            "date:day-first",
            "date:month-first",
            "id",
            "ignore",
            "ordered:low<mid<high",
        ] {
            assert_eq!(text.parse::<FieldType>().unwrap().to_string(), text);
        }
        let levels = vec!["S".to_owned(), "XL".to_owned()];
        assert_eq!(" Ordered: S < XL ".parse(), Ok(FieldType::Ordered(levels)));
    }

    #[test]
    fn columns_may_have_equal_signs() {
        assert_eq!(FieldType::assignment("a=b=text").unwrap().0, "a=b");
        let (name, kind) = FieldType::assignment("size=ordered:a=1<a=2").unwrap();
        assert_eq!((name.as_str(), kind.to_string().as_str()), ("size", "ordered:a=1<a=2"));
    }

    #[test]
    fn faults_are_explained() {
        assert!(
            message("a=catgory").starts_with("no type \"catgory\" (did you mean category?); the types are")
        );
        assert!(message("a").contains("has no `=`"));
        assert!(message("a=ordered").contains("levels are not given"));
        assert!(message("a=ordered:x").contains("only one level"));
        assert!(message("a=ordered:x<").contains("a level is empty"));
        assert!(message("a=ordered:x<y<x").contains("\"x\" is given twice"));
    }
}
