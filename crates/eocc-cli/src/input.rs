//! From the command line to samples and parameters.

use std::path::Path;

use anyhow::{Result, bail};
use eocc::{
    Catalogue, Error, Matrix, OneClassParams, Precomputed, Preset, Prototypes, Representation, SampleSet,
    Scoring, SearchKind, Settings, Threshold, ValidParams, Vectors,
};
use eocc_data::{DataError, Fault, Format, ReadOptions, Table};

use crate::cli::{InputFormat, LearnArgs, PresetName, ReadArgs, ScoringName, SearchName};

/// Reads the file.
pub(crate) fn table(path: &Path, args: &ReadArgs) -> Result<Table> {
    let format = args.input.map(|f| match f {
        InputFormat::Csv => Format::Csv,
        InputFormat::Npy => Format::Npy,
        InputFormat::Npz => Format::Npz,
        InputFormat::Jsonl => Format::JsonLines,
        InputFormat::Parquet => Format::Parquet,
    });
    Ok(eocc_data::read(path, &ReadOptions { format, header: args.header, delimiter: args.delimiter })?)
}

/// The columns that are features: the chosen ones, or all but the label and the dropped ones.
pub(crate) fn features(table: &Table, label: Option<usize>, args: &ReadArgs) -> Result<Vec<usize>> {
    let find = |names: &[String]| names.iter().map(|n| table.column(n)).collect::<Result<Vec<_>, _>>();
    let drop = find(&args.drop)?;
    let chosen =
        if args.columns.is_empty() { (0..table.names().len()).collect() } else { find(&args.columns)? };
    let features: Vec<usize> =
        chosen.into_iter().filter(|c| Some(*c) != label && !drop.contains(c)).collect();
    if features.is_empty() {
        bail!(Error::input(format!("{}: no column is left to learn from", table.source())));
    }
    Ok(features)
}

/// These rows of these columns as vectors, named if the file has names.
pub(crate) fn vectors(table: &Table, columns: &[usize], rows: Option<&[usize]>) -> Result<Vectors> {
    let (matrix, names) = numbers(table, columns, rows)?;
    Ok(Vectors::with_names(matrix, names)?)
}

fn numbers(table: &Table, columns: &[usize], rows: Option<&[usize]>) -> Result<(Matrix, Vec<String>)> {
    let values = match rows {
        Some(rows) => table.numbers_of_rows(columns, rows),
        None => table.numbers(columns),
    };
    let values = values.map_err(hint)?;
    let count = rows.map_or(table.rows(), <[usize]>::len);
    let names = if table.has_header() {
        columns.iter().map(|&c| table.names()[c].clone()).collect()
    } else {
        Vec::new()
    };
    Ok((Matrix::new(values, count, columns.len()), names))
}

/// Adds which option leaves out a faulty column.
fn hint(error: DataError) -> anyhow::Error {
    match error.fault() {
        Fault::Cell { column, .. } => {
            let hint = format!("(--drop {column}, or --label {column} if it holds the classes)");
            anyhow::anyhow!("{error} {hint}")
        }
        _ => error.into(),
    }
}

/// The table as dissimilarities: square for fitting, any number of rows for scoring.
pub(crate) fn precomputed(table: &Table, columns: &[usize], square: bool) -> Result<Precomputed> {
    let (matrix, _) = numbers(table, columns, None)?;
    let made = if square { Precomputed::square(matrix) } else { Precomputed::rectangular(matrix) };
    made.map_err(|e| anyhow::Error::new(e).context(table.source().to_owned()))
}

/// Samples of any type that the program reads.
pub(crate) enum Samples {
    Vectors(Vectors),
    Precomputed(Precomputed),
}

/// Does the same with samples of whatever type.
#[macro_export]
macro_rules! with_samples {
    ($any:expr, $samples:ident => $body:expr) => {
        match $any {
            $crate::input::Samples::Vectors($samples) => $body,
            $crate::input::Samples::Precomputed($samples) => $body,
        }
    };
}

/// Samples to learn from, and which of the table's rows are nominal.
pub(crate) struct Labelled {
    pub(crate) samples: Samples,
    /// Indices of nominal samples among `samples`.
    pub(crate) nominal: Vec<usize>,
}

/// Reads everything a fit or an evaluation needs. Rows that are not nominal are read only if `others` are wanted, so
/// that a fault in one of them does not stand in the way of a fit.
pub(crate) fn labelled(
    path: &Path,
    label: Option<&str>,
    nominal: Option<&str>,
    others: bool,
    learn: &LearnArgs,
    read: &ReadArgs,
) -> Result<Labelled> {
    let table = table(path, read)?;
    let label = label.map(|l| table.column(l)).transpose()?;
    let nominal = match (label, nominal) {
        (Some(label), Some(value)) => Some(table.matching(label, value)?),
        (Some(label), None) => bail!(Error::parameter(
            "nominal",
            "not given",
            format!("one of the values of column `{}`: {}", table.names()[label], values(&table, label))
        )),
        (None, _) => None,
    };
    let columns = features(&table, label, read)?;
    let all: Vec<usize> = (0..table.rows()).collect();
    if learn.precomputed {
        let samples = precomputed(&table, &columns, true)?;
        return Ok(Labelled { samples: Samples::Precomputed(samples), nominal: nominal.unwrap_or(all) });
    }
    if others {
        let samples = vectors(&table, &columns, None)?;
        return Ok(Labelled { samples: Samples::Vectors(samples), nominal: nominal.unwrap_or(all) });
    }
    let samples = vectors(&table, &columns, nominal.as_deref())?;
    let nominal = (0..samples.count()).collect();
    Ok(Labelled { samples: Samples::Vectors(samples), nominal })
}

fn values(table: &Table, column: usize) -> String {
    let mut seen: Vec<String> = Vec::new();
    for text in table.text(column) {
        if !seen.iter().any(|s| *s == text) {
            seen.push(text.into_owned());
        }
        if seen.len() > 10 {
            seen.truncate(10);
            seen.push("…".to_owned());
            break;
        }
    }
    seen.join(", ")
}

pub(crate) fn preset(name: PresetName) -> Preset {
    match name {
        PresetName::Paper => Preset::Paper,
        PresetName::Default => Preset::Default,
    }
}

pub(crate) fn scoring(name: ScoringName) -> Scoring {
    match name {
        ScoringName::Exact => Scoring::Exact,
        ScoringName::Fast => Scoring::Fast,
    }
}

/// The parameters that the command line asks for.
pub(crate) fn params(args: &LearnArgs) -> Result<ValidParams> {
    let mut params = OneClassParams::new(preset(args.preset)).seed(args.seed);
    if let Some(search) = args.search {
        params.search = match search {
            SearchName::None => SearchKind::None,
            SearchName::Genetic => SearchKind::Genetic,
            SearchName::Differential => SearchKind::Differential,
            SearchName::Cma => SearchKind::Cma,
        };
    }
    params.evaluations = args.evaluations.unwrap_or(params.evaluations);
    params.tau = args.tau.unwrap_or(params.tau);
    params.alpha = args.alpha.unwrap_or(params.alpha);
    params.percentile = args.percentile.unwrap_or(params.percentile);
    if let Some(share) = args.reject {
        params.threshold = Threshold::Reject(share);
    }
    if args.direct {
        params.representation = Representation::Direct;
    }
    if let Some(text) = &args.prototypes {
        params.representation = Representation::Prototypes(prototypes(text)?);
    }
    Ok(params.check()?)
}

fn prototypes(text: &str) -> Result<Prototypes> {
    let fault = || Error::parameter("prototypes", format!("`{text}`"), "`all`, a number, or `farthest:N`");
    let number = |t: &str| t.parse::<usize>().map_err(|_| fault());
    Ok(match text.strip_prefix("farthest:") {
        Some(rest) => Prototypes::FarthestFirst(number(rest)?),
        None if text == "all" => Prototypes::All,
        None => Prototypes::Random(number(text)?),
    })
}

/// The measure that the command line asks for.
pub(crate) fn measure<X: Catalogue>(args: &LearnArgs) -> Result<Box<dyn eocc::Dissimilarity<X::Item>>> {
    let mut settings = Settings::default();
    for text in &args.settings {
        settings.parse(text)?;
    }
    Ok(X::measure(preset(args.preset), args.dissimilarity.as_deref(), &settings)?)
}
