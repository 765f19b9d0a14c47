//! Options that several commands share: how to read data, and how to learn.

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use eocc_core::parameters::help;
use eocc_data::TextEncoding;

/// How to read the data.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// Format of the data, or the layout of time series in a table; detected from the file by default.
    #[arg(long, value_name = "FORMAT", help_heading = "Reading")]
    pub(crate) input: Option<InputFormat>,
    /// Use only these columns, by name or number, separated by commas.
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) columns: Vec<String>,
    /// Leave out these columns.
    #[arg(long, value_name = "COLS", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) drop: Vec<String>,
    /// Types of columns, such as `size=number` or `grade=ordered:low<mid<high`; detected and printed by default. The types are
    /// number, boolean, category, ordered, date, time, text, series and graph; `id` names the samples, `ignore` drops a column.
    #[arg(long, value_name = "COL=TYPE", value_delimiter = ',', help_heading = "Reading")]
    pub(crate) types: Vec<String>,
    /// Whether the first row of a CSV file holds names (true) or data (false); detected by default.
    #[arg(long, value_name = "BOOL", help_heading = "Reading")]
    pub(crate) header: Option<bool>,
    /// The delimiter of a CSV file, `tab` for a tab; detected by default.
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = delimiter)]
    pub(crate) delimiter: Option<u8>,
    /// The encoding of text, such as `windows-1252`, `latin1` or `shift_jis`; by default UTF-8, or UTF-16 with a byte-order mark. The
    /// model remembers it for text that is not UTF-8.
    #[arg(long, value_name = "NAME", help_heading = "Reading")]
    pub(crate) encoding: Option<TextEncoding>,
    /// The decimal mark of numbers in a CSV file, `.` (default) or `,`.
    #[arg(long, value_name = "CHAR", help_heading = "Reading")]
    pub(crate) decimal: Option<char>,
    /// The thousands separator in a CSV file: `.`, `,`, `'`, `_` or `space`; none by default.
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = thousands)]
    pub(crate) thousands: Option<char>,
    /// Skip lines of a CSV or text file that start with this character.
    #[arg(long, value_name = "CHAR", help_heading = "Reading", value_parser = comment)]
    pub(crate) comment: Option<u8>,
    /// Further values that mean missing, in any column, separated by commas, such as `-9999` or `unknown`; the model remembers
    /// them. Empty cells and NA, NaN, null and the like are always missing.
    #[arg(
        long,
        value_name = "VALUES",
        value_delimiter = ',',
        allow_hyphen_values = true,
        help_heading = "Reading"
    )]
    pub(crate) na: Vec<String>,
    /// Mask numbers, addresses and hexadecimal words in texts, so that log lines are compared by their template; the model
    /// remembers it.
    #[arg(long, help_heading = "Reading")]
    pub(crate) mask: bool,
    /// The data is one long series, with a row per time and a column per channel: each window of ROWS rows is a sample. Scores
    /// come with the start and end of each window; the model remembers the option.
    #[arg(long, value_name = "ROWS", help_heading = "One long series")]
    pub(crate) window_of: Option<usize>,
    /// Rows from the start of one window to the next; half a window by default.
    #[arg(long, value_name = "ROWS", requires = "window_of", help_heading = "One long series")]
    pub(crate) step: Option<usize>,
    /// What a window becomes.
    #[arg(
        long,
        value_enum,
        value_name = "SHAPE",
        default_value = "series",
        requires = "window_of",
        help_heading = "One long series"
    )]
    pub(crate) window_as: WindowAs,
    /// The column with the times; by default, detected by its name or because it holds dates.
    #[arg(long, value_name = "COL", requires = "window_of", help_heading = "One long series")]
    pub(crate) time: Option<String>,
    /// Memory limit for reading and fitting, such as `2GB` or `500MB`; work that would need more is refused before it starts. By
    /// default, three quarters of the free memory; for reading a file, at most 200 times its size or, if larger, 192 MiB.
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
    Fastq,
    Ts,
    Lines,
    /// Time series in a table, one row per series.
    SeriesWide,
    /// Time series in a table, one row per value: id, time, value and optionally channel.
    SeriesLong,
}

/// What a window of a long series becomes.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum WindowAs {
    /// A time series.
    Series,
    /// A row of numbers, for each channel its mean, deviation, minimum, maximum, slope and roughness.
    Summary,
    /// A row with all its values.
    Lags,
}

/// How to learn.
#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// A named set of parameters: `default`, the most accurate, or `paper`, which follows Livi and Alippi (2017).
    #[arg(long, value_enum, default_value = "default", help_heading = "Learning")]
    pub(crate) preset: PresetName,
    #[arg(long, value_name = "R", value_parser = fraction, help_heading = "Learning", help = help("reject"))]
    pub(crate) reject: Option<f64>,
    #[arg(long, value_name = "C", value_parser = fraction, help_heading = "Learning", help = help("contamination"))]
    pub(crate) contamination: Option<f64>,
    /// What to do with missing values: let the dissimilarity handle them, impute the median or the most frequent word, drop
    /// their rows, or stop. By default, views, gower and heom handle them; with other dissimilarities they are an error.
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Learning")]
    pub(crate) missing: Option<MissingName>,
    /// The dissimilarity; chosen from the type of data by default. All are listed at the end of `eocc fit --help`.
    #[arg(long, value_name = "NAME", help_heading = "Learning")]
    pub(crate) dissimilarity: Option<String>,
    /// A setting of the dissimilarity, such as `scaling=standard` (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE", help_heading = "Learning")]
    pub(crate) settings: Vec<String>,
    /// The data is a square matrix of dissimilarities.
    #[arg(long, help_heading = "Learning")]
    pub(crate) precomputed: bool,
    /// Seed of all randomness.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Learning")]
    pub(crate) seed: u64,
    #[arg(long, value_name = "N|all", value_parser = visits, help_heading = "Learning", help = help("visits"))]
    pub(crate) visits: Option<usize>,
    #[arg(long, value_name = "L", help_heading = "Advanced learning", help = help("percentile"))]
    pub(crate) percentile: Option<f64>,
    #[arg(long, value_enum, value_name = "SEARCH", help_heading = "Advanced learning", help = help("search"))]
    pub(crate) search: Option<SearchName>,
    #[arg(long, value_name = "N", help_heading = "Advanced learning", help = help("evaluations"))]
    pub(crate) evaluations: Option<usize>,
    #[arg(long, value_name = "TAU", help_heading = "Advanced learning", help = help("tau"))]
    pub(crate) tau: Option<f64>,
    #[arg(long, value_name = "A", help_heading = "Advanced learning", help = help("alpha"))]
    pub(crate) alpha: Option<f64>,
    #[arg(long, value_name = "all|N", help_heading = "Advanced learning", help = help("prototypes"))]
    pub(crate) prototypes: Option<String>,
    /// Build the graph on the dissimilarity itself, without an embedding; `default` always does.
    #[arg(long, conflicts_with = "prototypes", help_heading = "Advanced learning")]
    pub(crate) direct: bool,
}

/// A number, which is not a percentage.
pub(super) fn fraction(text: &str) -> Result<f64, String> {
    let percent = text.trim().strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    match (text.parse::<f64>(), percent) {
        (Ok(number), _) => Ok(number),
        (_, Some(percent)) => Err(format!("write {}", percent / 100.0)),
        _ => Err("must be a number".to_owned()),
    }
}

/// A fraction of the nominal samples.
/// A file to write; `-` is standard output.
pub(super) fn output() -> impl TypedValueParser<Value = PathBuf> {
    let path = |text| if text == "-" { PathBuf::from("/dev/stdout") } else { PathBuf::from(text) };
    OsStringValueParser::new().map(path)
}

pub(super) fn share(text: &str) -> Result<f64, String> {
    if text.trim().ends_with('%') {
        return fraction(text);
    }
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

/// What happens to missing values.
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
