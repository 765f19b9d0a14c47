//! What is asked of a file, and what a reader tells of its decisions.

use std::path::PathBuf;

use super::series_tables::SeriesLayout;
use super::windows::Windows;
use crate::field_type::FieldType;
use crate::read::ReadOptions;

/// How a file is to be read, and which of its columns are what.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct ReadRequest {
    /// Format, header and delimiter.
    pub options: ReadOptions,
    /// How time series stand in the table, if it holds such.
    pub series: Option<SeriesLayout>,
    /// The table is one long series, of which windows are the samples.
    pub windows: Option<Windows>,
    /// The columns to use, by name or number; all if empty.
    pub columns: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Types of columns that are not to be guessed.
    pub types: Vec<(String, FieldType)>,
    /// The column of the classes.
    pub label: Option<String>,
    /// A file with the class of each sample.
    pub labels: Option<PathBuf>,
    /// The column of the splits.
    pub split: Option<String>,
    /// Only the rows of these classes are read, so that a fault in another row does not stand in the way; all if empty.
    pub only: Vec<String>,
    /// Rows of a mixed table also where all columns are numbers, none of them missing.
    pub mixed: bool,
    /// What becomes of missing values. Unless said: those of numbers, texts and the like are a fault, those of rows of
    /// a mixed table are kept.
    pub missing: Option<Missing>,
    /// Values that stand for a missing one in any column, besides the usual words: `-9999`, `unknown`. Numbers are compared as such.
    pub na: Vec<String>,
    /// The column of the names in other data like this, if it is there and nothing else is said.
    pub id: Option<String>,
    /// Other data like this had no names: none are looked for, unless `types` name their column.
    pub unnamed: bool,
    /// The column that is the samples in other data like this, if it is there and nothing else is said.
    pub column: Option<String>,
    /// Columns to carry along, by name or number: they come with the samples as they are. `all` is every column.
    pub keep: Vec<String>,
    /// Numbers, addresses and hexadecimal words in texts are masked; see [`crate::masked`].
    pub mask: bool,
    /// The table is a matrix of dissimilarities.
    pub precomputed: bool,
    /// Rows that cannot be read in the form of a model are left out and told of, rather than the first ending all.
    pub skip_bad_rows: bool,
}

/// What becomes of missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// They are a fault.
    Error,
    /// Their rows are left out.
    Drop,
    /// They become what is usual: the median, or the most frequent level. A missing text is empty.
    Impute,
    /// They stay missing, for the measure to treat as it does. A missing text is empty.
    Distance,
}

impl Missing {
    /// Whether the samples may lack values.
    pub(super) fn is_let_in(request: Option<Self>) -> bool {
        matches!(request, Some(Self::Impute | Self::Distance))
    }

    /// Whether a missing text or graph is an empty one.
    pub(super) fn lets_empty_in(request: Option<Self>) -> bool {
        request.is_some_and(|missing| missing != Self::Error)
    }
}

/// What a reader decided by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// What was made of all columns of a table with names: of each its type in words, or why it is no feature.
    Columns(Vec<(String, String)>),
    /// Columns that the model does not know and that were left out.
    ColumnsLeftOut(Vec<String>),
    /// A column that is no feature, though nobody said so.
    NoFeature {
        /// Its name.
        column: String,
        /// Why it is none.
        why: NoFeature,
        /// The type it would have as a feature.
        kind: &'static str,
    },
    /// A column of dates, whose time passed, hour and weekday are features, though nobody said so.
    Date {
        /// Its name.
        column: String,
    },
    /// Dates that may be read two ways, and were read with the month first.
    DayOrMonth {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// Moments of which some have a time zone and some have none; the latter were read as UTC.
    Zones {
        /// The column.
        column: String,
        /// One without a zone.
        example: String,
    },
    /// Numbers whose point may stand after the thousands, and was read as a decimal point.
    Thousands {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// A number far from all others, which may stand for a missing value but was read as a number.
    Sentinel {
        /// The column.
        column: String,
        /// The number.
        value: String,
        /// How often it comes.
        count: usize,
    },
    /// A column of texts, as a data frame has them, of which at least half are numbers: a file with the same values is refused.
    NumbersAmongWords {
        /// The column.
        column: String,
        /// How many values are numbers.
        numbers: usize,
        /// How many values there are.
        values: usize,
        /// One that is no number.
        example: String,
    },
    /// Codes in digits that are read as numbers were, so that zeros at their start may be lost: some have fewer digits than most.
    LostZeros {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// Rows that have no class, and were left out where those of some classes were asked for.
    Unlabelled {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Rows that lack values and were left out.
    RowsLeftOut {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Windows of a long series that lack values and were left out.
    WindowsLeftOut {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Several files were read as one table.
    Files {
        /// The folder or pattern.
        source: String,
        /// How many files.
        count: usize,
        /// How many files of other kinds were left out.
        left_out: usize,
    },
    /// Files of a set that are in no list and were left out.
    FilesLeftOut {
        /// The set.
        source: String,
        /// How many files.
        count: usize,
    },
}

/// Why a column is no feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoFeature {
    /// Its name says that it holds the names or keys of the samples.
    KeyByName,
    /// Its name says that it holds keys, of things that have several rows each.
    KeyOfGroups,
    /// Its values look like keys: whole numbers that repeat far less than chance has them, or texts with digits that are all
    /// different.
    KeyByLook,
    /// Its values are dates in order, as those of a log are: new samples lie after all of them.
    DatesInOrder,
    /// Its name says that it holds classes, and it has few values; or it is the target of a regression.
    Classes,
    /// It holds free text, in less than half of the rows.
    MostlyEmpty,
    /// Its name is that of a day, month or year, and all rows are of the same one.
    ConstantCalendar,
}

impl NoFeature {
    /// The reason in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::KeyByName => "names the samples",
            Self::KeyOfGroups => "names what several rows belong to",
            Self::KeyByLook => "looks like a key",
            Self::DatesInOrder => "dates in order",
            Self::Classes => "what is to be predicted",
            Self::MostlyEmpty => "mostly empty text",
            Self::ConstantCalendar => "the same in all rows, and another in the next file",
        }
    }
}
