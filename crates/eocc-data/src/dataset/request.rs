//! A read request, and the notes about a reader's decisions.

use std::path::PathBuf;

use super::series_tables::SeriesLayout;
use super::windows::Windows;
use crate::field_type::FieldType;
use crate::read::ReadOptions;

/// How a file is to be read, and the roles of its columns.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub struct ReadRequest {
    /// Format, header and delimiter.
    pub options: ReadOptions,
    /// The layout of time series in the table, if it holds any.
    pub series: Option<SeriesLayout>,
    /// The table is one long series, whose windows are the samples.
    pub windows: Option<Windows>,
    /// The columns to use, by name or number; all if empty.
    pub columns: Vec<String>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Types of columns that are not guessed.
    pub types: Vec<(String, FieldType)>,
    /// The column of the classes.
    pub label: Option<String>,
    /// A file with the class of each sample.
    pub labels: Option<PathBuf>,
    /// The column of the splits.
    pub split: Option<String>,
    /// Only the rows of these classes are read, so that errors in other rows do not matter; all if empty.
    pub only: Vec<String>,
    /// Make rows of a mixed table even if all columns are numeric and complete.
    pub mixed: bool,
    /// The treatment of missing values. By default, missing numbers, texts and the like are an error, and those in
    /// rows of a mixed table stay missing.
    pub missing: Option<Missing>,
    /// Values that mean missing in any column, besides the usual words: `-9999`, `unknown`. Numbers are compared as
    /// numbers.
    pub na: Vec<String>,
    /// The name column in similar data, used if it exists and nothing else is requested.
    pub id: Option<String>,
    /// Similar data had no names: do not look for any, unless `types` gives their column.
    pub unnamed: bool,
    /// The sample column in similar data, used if it exists and nothing else is requested.
    pub column: Option<String>,
    /// Columns to carry along unchanged, by name or number. `all` means every column.
    pub keep: Vec<String>,
    /// Numbers, addresses and hexadecimal words in texts are masked; see [`crate::masked`].
    pub mask: bool,
    /// The table is a matrix of dissimilarities.
    pub precomputed: bool,
    /// Rows that cannot be read in the form of a model are left out and reported, instead of the first being an
    /// error.
    pub skip_bad_rows: bool,
    /// See [`Dataset::header`](super::Dataset::header): that of the training samples.
    pub header: Vec<String>,
    /// See [`Dataset::spacing`](super::Dataset::spacing): that of the training samples.
    pub spacing: Option<f64>,
}

/// The treatment of missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// They are an error.
    Error,
    /// Their rows are left out.
    Drop,
    /// They are imputed by the typical value: the median, or the most frequent level. A missing text is empty.
    Impute,
    /// They stay missing, for the measure to handle. A missing text is empty.
    Distance,
}

impl Missing {
    /// Whether the samples may have missing values.
    pub(super) fn allows_missing(request: Option<Self>) -> bool {
        matches!(request, Some(Self::Impute | Self::Distance))
    }

    /// Whether a missing text or graph is an empty one.
    pub(super) fn allow_empty(request: Option<Self>) -> bool {
        request.is_some_and(|missing| missing != Self::Error)
    }
}

/// A decision that a reader made by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// How all columns of a table with names were read: the type of each in words, or why it is not a feature.
    Columns(Vec<(String, String)>),
    /// A table whose rows may be the steps of time series.
    LongSeries {
        /// The column whose values repeat.
        key: String,
        /// The column whose numbers rise within each of them.
        time: String,
    },
    /// The columns of a table in long form.
    SeriesColumns {
        /// The names of the series.
        id: String,
        /// The times.
        time: String,
        /// The values.
        value: String,
        /// The channels, if there are several.
        channel: Option<String>,
    },
    /// Series with times that are not as far apart as usual.
    UnevenTimes {
        /// How many series.
        count: usize,
        /// Of how many.
        of: usize,
        /// The first of them.
        series: String,
        /// Where it differs.
        gap: Gap,
    },
    /// Windows that span rows whose times are not as far apart as usual.
    WindowGap {
        /// The column of the times.
        column: String,
        /// The first such rows.
        gap: Gap,
    },
    /// The time steps of a wide table were in another order, and were put in that of the training samples.
    StepsInOrder,
    /// The time steps of a wide table are not those of the training samples.
    OtherSteps {
        /// Those that are missing.
        missing: Vec<String>,
        /// Those that are new.
        new: Vec<String>,
    },
    /// The column with the names of the rows of a matrix.
    RowNames {
        /// Its name.
        column: String,
    },
    /// Columns that the model does not know and that were left out.
    ColumnsLeftOut(Vec<String>),
    /// A column that was automatically excluded from the features.
    NoFeature {
        /// Its name.
        column: String,
        /// Why it is not a feature.
        why: NoFeature,
        /// The type it would have as a feature.
        kind: &'static str,
    },
    /// A column of dates that was automatically split into the features time elapsed, hour and weekday.
    Date {
        /// Its name.
        column: String,
    },
    /// Ambiguous dates that were read with the month first.
    DayOrMonth {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// Timestamps, some with a time zone and some without; the latter were read as UTC.
    Zones {
        /// The column.
        column: String,
        /// One without a zone.
        example: String,
    },
    /// Numbers whose point may be a thousands separator, but was read as a decimal point.
    Thousands {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// A number far from all others, which may mean missing but was read as a number.
    Sentinel {
        /// The column.
        column: String,
        /// The number.
        value: String,
        /// How often it occurs.
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
    /// Rows without a class, left out because only some classes were requested.
    Unlabelled {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Rows with missing values that were left out.
    RowsLeftOut {
        /// How many.
        count: usize,
        /// Of how many.
        of: usize,
    },
    /// Windows of a long series that have missing values and were left out.
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
    /// Files of a set that are not in any list and were left out.
    FilesLeftOut {
        /// The set.
        source: String,
        /// How many files.
        count: usize,
    },
}

/// Two successive times that are not as far apart as usual, in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The first.
    pub from: String,
    /// The second.
    pub to: String,
    /// How far apart they are: a number, or a duration.
    pub length: String,
    /// How far apart times usually are.
    pub usual: String,
}

/// Why a column is not a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoFeature {
    /// Its name indicates names or keys of the samples.
    KeyByName,
    /// Its name indicates keys of groups of rows.
    KeyOfGroups,
    /// Its values look like keys: integers that repeat far less than by chance, or distinct texts with digits.
    KeyByLook,
    /// Its values are sorted dates, as in a log: new samples lie after all of them.
    DatesInOrder,
    /// Its name indicates classes, and it has few values; or it is the target of a regression.
    Classes,
    /// It holds free text in less than half of the rows.
    MostlyEmpty,
    /// Its name indicates a day, month or year, and all rows have the same one.
    ConstantCalendar,
}

impl NoFeature {
    /// The reason, in words that follow the name of the column.
    pub fn words(self) -> &'static str {
        match self {
            Self::KeyByName => "names the samples",
            Self::KeyOfGroups => "names what several rows belong to",
            Self::KeyByLook => "looks like a key",
            Self::DatesInOrder => "looks like a timestamp (sorted dates)",
            Self::Classes => "seems to hold what is to be predicted",
            Self::MostlyEmpty => "holds text in less than half of the rows",
            Self::ConstantCalendar => "is the same in all rows and changes with the next samples",
        }
    }
}
