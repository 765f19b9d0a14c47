//! Options that several commands share: how to read data, and how to learn.

use clap::{Args, ValueEnum};
use eocc_core::parameters::help;
use eocc_data::TextEncoding;

/// How to read the data.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Format of the data, or how time series stand in a table; found out from the file unless given.
    #[arg(long, value_name = "FORMAT", help_heading = "Reading")]
    pub(crate) input: Option<InputFormat>,
    /// Use only these columns, by name or number, separated by commas.
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) columns: Vec<String>,
    /// Leave out these columns.
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) drop: Vec<String>,
    /// Types of columns, such as `size=number` or `grade=ordered:low<mid<high`; guessed and shown unless given. The types
    /// are number, boolean, category, ordered, date, text, series, graph; id for the names of the samples, ignore to leave out.
    #[arg(long, value_name = "COL=TYPE", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) types: Vec<String>,
    /// The first row of a CSV file holds names (true) or data (false); found out unless given.
    #[arg(long, value_name = "BOOL", help_heading = "Reading")]
    pub(crate) header: Option<bool>,
    /// The delimiter of a CSV file; found out unless given. `tab` for a tab.
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// The encoding of text, such as `windows-1252`, `latin1` or `shift_jis`; UTF-8 unless given, or UTF-16 by its mark.
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) encoding: Option<TextEncoding>,
    /// The decimal mark of numbers in a CSV file, `.` or `,`; a point unless given.
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    pub(crate) decimal: Option<char>,
    /// What separates thousands in a CSV file: `.`, `,`, `'`, `_` or `space`; nothing unless given.
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = thousands)]
    pub(crate) thousands: Option<char>,
    /// Skip lines of a CSV file, or of strings line by line, that start with this character.
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = comment)]
    pub(crate) comment: Option<u8>,
    /// Values that stand for a missing one in any column, separated by commas, such as `-9999` or `unknown`; the model keeps
    /// them. Empty cells and NA, NaN, null and the like always do.
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Reading"
    )]
    pub(crate) na: Vec<String>,
    /// Mask numbers, addresses and hexadecimal words in texts, so that log lines are compared by what wrote them; the model
    /// keeps it.
    #[arg(long, help_heading = "Reading")]
    pub(crate) mask: bool,
    /// The data is one long series, a row for each time and a column for each channel: every window of this many rows is a
    /// sample. Answers say when it starts and ends; the model keeps it.
    #[arg(long, value_name = "ROWS", help_heading = "One long series")]
    pub(crate) window_of: Option<usize>,
    /// Rows from the start of one window to that of the next; half a window unless given.
    #[arg(long, value_name = "ROWS", requires = "window_of", help_heading = "One long series")]
    pub(crate) step: Option<usize>,
    /// What a window is as a sample.
    #[arg(
        long,
        value_enum,
        value_name = "SHAPE",
        default_value = "series",
        requires = "window_of",
        help_heading = "One long series"
    )]
    pub(crate) window_as: WindowAs,
    /// The column of the times; found by its name, or because it holds dates, unless given.
    #[arg(long, value_name = "COL", requires = "window_of", help_heading = "One long series")]
    pub(crate) time: Option<String>,
    /// Most memory to use, such as `2GB` or `500MB`, for what a file becomes and for learning from it: what would need more is
    /// refused before it starts. Unless given, three quarters of what is free, and for a file 200 times its size, or 192 MiB.
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Reading")]
    pub(crate) memory: Option<u64>,
}

fn thousands(text: &str) -> Result<char, String> {
    match text {
        "space" => Ok(' '),
        text => text.parse().map_err(|_| "must be a single character or `space`".to_owned()),
    }
}

fn comment(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("must be a single ASCII character".to_owned()),
    }
}

fn delimiter(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ => Err("must be a single ASCII character or `tab`".to_owned()),
    }
}

/// A format of input.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum InputFormat {
    Csv,
    Npy,
    Npz,
    Jsonl,
    Parquet,
    Arrow,
    Fasta,
    Ts,
    Lines,
    /// Time series in a table, a row each.
    SeriesWide,
    /// Time series in a table, a row for each value: id, time, value and perhaps channel.
    SeriesLong,
}

/// What a window of a long series is as a sample.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WindowAs {
    /// A time series, compared as those are.
    Series,
    /// A row of numbers for each channel: mean, deviation, smallest, largest, slope, roughness.
    Summary,
    /// A row of all its values.
    Lags,
}

/// How to learn.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// A named set of parameters: the paper to the letter, or the best we know.
    #[arg(long, value_enum, default_value = "default", help_heading = "Learning")]
    pub(crate) preset: PresetName,
    /// The dissimilarity; chosen from the type of data unless given. See `eocc fit --help`.
    #[arg(long, value_name = "NAME", help_heading = "Learning")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity, such as `scaling=standard`. May be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Learning")]
    pub(crate) settings: Vec<String>,
    #[arg(long, value_enum, value_name = "SEARCH", help_heading = "Learning", help = help("search"))]
    pub(crate) search: Option<SearchName>,
    #[arg(long, value_name = "N", help_heading = "Learning", help = help("evaluations"))]
    pub(crate) evaluations: Option<usize>,
    #[arg(long, value_name = "TAU", help_heading = "Learning", help = help("tau"))]
    pub(crate) tau: Option<f64>,
    #[arg(long, value_name = "A", help_heading = "Learning", help = help("alpha"))]
    pub(crate) alpha: Option<f64>,
    #[arg(long, value_name = "L", help_heading = "Learning", help = help("percentile"))]
    pub(crate) percentile: Option<f64>,
    #[arg(long, value_name = "R", help_heading = "Learning", help = help("reject"))]
    pub(crate) reject: Option<f64>,
    #[arg(long, value_name = "C", help_heading = "Learning", help = help("contamination"))]
    pub(crate) contamination: Option<f64>,
    #[arg(long, value_name = "all|N", help_heading = "Learning", help = help("prototypes"))]
    pub(crate) prototypes: Option<String>,
    /// Build the graph on the dissimilarity itself, without an embedding; `default` always does.
    #[arg(long, conflicts_with = "prototypes", help_heading = "Learning")]
    pub(crate) direct: bool,
    /// What to do with missing values: leave them to the dissimilarity, put the usual value in their place (the median, the
    /// most frequent word), leave out their rows, or stop. Left to `views`, the choice of `default`, and to gower and heom
    /// unless given; others stop.
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Learning")]
    pub(crate) missing: Option<MissingName>,
    /// The data is a square matrix of dissimilarities among the samples.
    #[arg(long, help_heading = "Learning")]
    pub(crate) precomputed: bool,
    #[arg(long, value_name = "N|all", value_parser = visits, help_heading = "Learning", help = help("visits"))]
    pub(crate) visits: Option<usize>,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Learning")]
    pub(crate) seed: u64,
}

/// A share of nominal samples.
pub(super) fn share(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("must be a number above 0 and below 1".to_owned()),
    }
}

fn visits(text: &str) -> Result<usize, String> {
    match text {
        "all" => Ok(usize::MAX),
        text => text.parse().map_err(|_| "must be `all` or a number of samples".to_owned()),
    }
}

/// Bytes, from a number and perhaps a unit.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(at);
    let unit = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1_048_576.0,
        "gib" => 1_073_741_824.0,
        _ => f64::NAN,
    };
    match number.parse::<f64>() {
        Ok(number) if number * unit >= 1.0 => Ok((number * unit) as u64),
        _ => Err("must be a number of bytes, or one with a unit, such as `2GB` or `500MB`".to_owned()),
    }
}

/// What becomes of missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MissingName {
    Distance,
    Impute,
    Drop,
    Error,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum PresetName {
    Paper,
    Default,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum SearchName {
    None,
    Genetic,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ScoringName {
    Exact,
    Fast,
}
