//! Why a cell does not fit the type of its field.

use crate::cell::CellFault;
use crate::shown::{counted, list, shown};

/// Why a cell does not fit the type of its field. The message shows the value and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FieldFault {
    /// Not a finite number.
    #[error("{0}, or give the column another type")]
    Number(CellFault),
    /// A column of mostly numbers has another value in it.
    #[error(
        "{} is not a number, but {numbers} of the {values} values of the column are; correct it, or say which type \
         the column has, as in {column}=category",
        shown(.text)
    )]
    ChangesType {
        /// The first value that is not a number.
        text: Box<str>,
        /// Values without letters or digits, such as `-` and `?`, and `none`: they may mean missing.
        marks: Box<[String]>,
        /// How many values are numbers.
        numbers: usize,
        /// How many values there are, without missing ones.
        values: usize,
        /// Name of the column.
        column: Box<str>,
    },
    /// Numbers with a sign or a unit, which are neither numbers nor words.
    #[error(
        "{} is a number with {} next to it, like most of column {}; remove that, or give the column a type",
        shown(.text),
        shown(.affix),
        shown(.column)
    )]
    Affixed {
        /// The first of them.
        text: String,
        /// What precedes or follows the number.
        affix: String,
        /// Name of the column.
        column: String,
    },
    /// Arrays, objects and plain values in one column.
    #[error("{} is {found}, but the column starts with {expected}; give all rows the same kind of value", shown(.text))]
    Mixed {
        /// The first value of another kind.
        text: String,
        /// Its kind.
        found: &'static str,
        /// The kind of the first value.
        expected: &'static str,
    },
    /// A missing value of a type that does not allow them.
    #[error("the {kind} is missing{}; fill it in, or leave out the row", if text.is_empty() { String::new() } else { format!(" ({})", shown(.text)) })]
    Missing {
        /// What is missing: a text, a series, a graph.
        kind: &'static str,
        /// The word for missing, if there is one.
        text: String,
    },
    /// Not a value of the type.
    #[error("{} is not {expected}; correct it, or give the column another type", shown(.text))]
    NotA {
        /// The value.
        text: String,
        /// What it should be.
        expected: &'static str,
    },
    /// Not one of the levels.
    #[error("{} is not one of the levels {}; correct it, or add it to the levels", shown(.text), list(.levels))]
    NoLevel {
        /// The value.
        text: String,
        /// The existing levels.
        levels: Vec<String>,
    },
    /// A series without a single time step.
    #[error("the series has no time step; it needs at least one, so leave out the row")]
    EmptySeries,
    /// A value within a series that is not a finite number.
    #[error("time step {step}{}: {} is not a finite number; fill it in, or leave out the row", channel.map(|c| format!(", channel {c}")).unwrap_or_default(), shown(.text))]
    SeriesValue {
        /// Time step, from 0.
        step: usize,
        /// Channel, from 0, if the series has several.
        channel: Option<usize>,
        /// What is there instead.
        text: String,
    },
    /// A different number of channels than before.
    #[error("time step {step} has {}, but {} has {expected}; all must have the same, at least one", counted(*found, "channel"), first.as_ref().map_or_else(|| "time step 0".to_owned(), Clone::clone))]
    Channels {
        /// Time step, from 0.
        step: usize,
        /// How many channels it has.
        found: usize,
        /// How many there should be.
        expected: usize,
        /// The series that decides it, or `None` for this series' first time step.
        first: Option<String>,
    },
}
