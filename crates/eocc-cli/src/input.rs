//! From the command line to samples and parameters.

use std::path::Path;

use anyhow::{Result, bail};
use eocc::{
    Catalogue, Error, Matrix, OneClassParams, Precomputed, Preset, Prototypes, Representation, SampleSet,
    Scoring, SearchKind, Settings, Threshold, ValidParams, Vectors, with_samples,
};
use eocc_data::{Content, DataError, Fault, FieldType, FieldValues, Fields, Format, ReadOptions, Table};

use crate::cli::{InputFormat, LearnArgs, PresetName, ReadArgs, ScoringName, SearchName};
use crate::samples::{self, Samples, Shape};

/// How the file is to be read.
fn options(args: &ReadArgs) -> ReadOptions {
    let format = args.input.map(|f| match f {
        InputFormat::Csv => Format::Csv,
        InputFormat::Npy => Format::Npy,
        InputFormat::Npz => Format::Npz,
        InputFormat::Jsonl => Format::JsonLines,
        InputFormat::Parquet => Format::Parquet,
        InputFormat::Fasta => Format::Fasta,
        InputFormat::Ts => Format::Ts,
    });
    ReadOptions { format, header: args.header, delimiter: args.delimiter }
}

fn types(args: &ReadArgs) -> Result<Vec<(String, FieldType)>> {
    let parse = |text: &String| {
        FieldType::assignment(text)
            .map_err(|e| Error::parameter("types", format!("`{text}` ({e})"), "COL=TYPE").into())
    };
    args.types.iter().map(parse).collect()
}

/// What a command needs to know of a file besides its samples.
pub(crate) struct Asked<'a> {
    pub(crate) label: Option<&'a str>,
    pub(crate) labels: Option<&'a Path>,
    pub(crate) split: Option<&'a str>,
    /// The dissimilarity that was named, if one was.
    pub(crate) dissimilarity: Option<&'a str>,
    pub(crate) precomputed: bool,
}

/// A file as samples, and what is known of each.
pub(crate) struct Data {
    pub(crate) source: String,
    pub(crate) samples: Samples,
    /// Names, or numbers of the rows.
    pub(crate) names: Vec<String>,
    /// Whether the names are more than numbers.
    pub(crate) is_named: bool,
    pub(crate) classes: Option<Vec<String>>,
    pub(crate) splits: Option<Vec<String>>,
    /// Samples that must not serve as others: where a file has splits, only nominal samples train, and what else is in
    /// `train` stays out.
    pub(crate) left_out: Vec<usize>,
}

impl Data {
    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// Indices of the samples of the nominal class.
    pub(crate) fn nominal(&self, nominal: Option<&str>) -> Result<Vec<usize>> {
        let Some(classes) = &self.classes else {
            if let Some(value) = nominal {
                bail!(Error::parameter(
                    "nominal",
                    value,
                    "given together with the column of the classes (--label)"
                ));
            }
            return Ok((0..self.count()).collect());
        };
        let seen = || {
            let mut seen: Vec<&str> = Vec::new();
            for class in classes {
                if !seen.contains(&class.as_str()) {
                    seen.push(class);
                }
            }
            let more = if seen.len() > 10 { ", …" } else { "" };
            format!("one of the classes {}{more}", seen[..seen.len().min(10)].join(", "))
        };
        let Some(value) = nominal else { bail!(Error::parameter("nominal", "not given", seen())) };
        let mut found: Vec<usize> =
            (0..classes.len()).filter(|&i| classes[i].trim() == value.trim()).collect();
        if found.is_empty()
            && let Ok(number) = value.trim().parse::<f64>()
        {
            // Only if no text is equal, numbers are compared, so that `1` finds `1.0`.
            let is_equal = |c: &String| c.trim().parse::<f64>().is_ok_and(|c| (c - number).abs() == 0.0);
            found = (0..classes.len()).filter(|&i| is_equal(&classes[i])).collect();
        }
        if found.is_empty() {
            bail!(Error::parameter("nominal", format!("`{value}`"), seen()));
        }
        Ok(found)
    }
}

/// Columns named so hold the names of the samples.
const NAMES: [&str; 2] = ["name", "id"];

/// Reads a file as samples. Of the rows only the nominal ones are looked at if `nominal` is given, so that a fault in
/// another does not stand in the way.
pub(crate) fn read(path: &Path, asked: &Asked, nominal: Option<&str>, args: &ReadArgs) -> Result<Data> {
    let mut data = if eocc_data::is_graphs(path) {
        of_graphs(path, asked)?
    } else {
        match eocc_data::read_content(path, &options(args))? {
            Content::Table(table) => of_table(table, asked, nominal, args)?,
            Content::Fields(fields) => of_fields(fields, asked, args)?,
        }
    };
    if let Some(labels) = asked.labels {
        let labels = eocc_data::read_labels(labels)?;
        data.classes = Some(eocc_data::labels_for(&data.names, &labels)?);
    }
    Ok(data)
}

/// Graphs, with the classes and splits of their lists.
fn of_graphs(path: &Path, asked: &Asked) -> Result<Data> {
    let source = path.display().to_string();
    if let Some(label) = asked.label {
        let allowed = "left out: graphs have their classes from a CXL list, or from a file (--labels)";
        bail!(Error::parameter("label", label, allowed));
    }
    let set = eocc_data::read_graphs(path)?;
    if !set.left_out.is_empty() {
        eprintln!("note: {}: {} files are in no list and left out", source, set.left_out.len());
    }
    let names = set.graphs.graphs().iter().map(|g| g.name().to_owned()).collect();
    let known = |all: &[Option<String>]| -> Option<Vec<String>> {
        all.iter().any(Option::is_some).then(|| all.iter().map(|c| c.clone().unwrap_or_default()).collect())
    };
    let (classes, all_splits) = (known(&set.classes), known(&set.splits));
    let is_train = |s: &String| s.eq_ignore_ascii_case("train");
    let train =
        all_splits.iter().flatten().enumerate().filter(|(_, s)| is_train(s)).map(|(i, _)| i).collect();
    let splits = match asked.split {
        Some("split") => all_splits,
        Some(other) => {
            bail!(Error::parameter("split", other, "`split` for graphs, which have it from their lists"))
        }
        None => None,
    };
    let left_out = if splits.is_some() { Vec::new() } else { train };
    Ok(Data {
        source,
        samples: Samples::Graphs(set.graphs),
        names,
        is_named: true,
        classes,
        splits,
        left_out,
    })
}

fn numbers_of(rows: usize) -> Vec<String> {
    (0..rows).map(|row| row.to_string()).collect()
}

/// A format that types its fields itself; the field `class` holds the classes unless another is named.
fn of_fields(fields: Fields, asked: &Asked, args: &ReadArgs) -> Result<Data> {
    eocc_data::check_types(&fields, &types(args)?)?;
    let (rows, source) = (fields.rows(), fields.source().to_owned());
    let is_named = fields.names().is_some();
    let names = fields.names().map_or_else(|| numbers_of(rows), <[String]>::to_vec);
    let label = match asked.label {
        Some(label) => Some(fields.field(label)?),
        None => fields.fields().iter().position(|f| f.name == "class"),
    };
    let classes = label.map(|l| words(&fields.fields()[l].values));
    let splits = asked.split.map(|s| fields.field(s)).transpose()?.map(|s| words(&fields.fields()[s].values));
    let find = |names: &[String]| names.iter().map(|n| fields.field(n)).collect::<Result<Vec<_>, _>>();
    let drop = find(&args.drop)?;
    let chosen =
        if args.columns.is_empty() { (0..fields.fields().len()).collect() } else { find(&args.columns)? };
    let chosen: Vec<usize> = chosen.into_iter().filter(|c| Some(*c) != label && !drop.contains(c)).collect();
    let samples = samples::of_fields(&fields.take(&chosen), false)?;
    Ok(Data { source, samples, names, is_named, classes, splits, left_out: Vec::new() })
}

/// A field as words, for classes.
fn words(values: &FieldValues) -> Vec<String> {
    match values {
        FieldValues::Categories { levels, codes } | FieldValues::Ordered { levels, codes } => {
            let word = |c: &Option<u32>| c.and_then(|c| levels.get(c as usize)).cloned().unwrap_or_default();
            codes.iter().map(word).collect()
        }
        FieldValues::Texts(texts) => texts.clone(),
        FieldValues::Numbers(all) => {
            all.iter().map(|v| v.map_or_else(String::new, |v| v.to_string())).collect()
        }
        FieldValues::Booleans(all) => {
            all.iter().map(|v| v.map_or_else(String::new, |v| v.to_string())).collect()
        }
        _ => vec![String::new(); values.len()],
    }
}

fn of_table(table: Table, asked: &Asked, nominal: Option<&str>, args: &ReadArgs) -> Result<Data> {
    let column = |name: Option<&str>| name.map(|n| table.column(n)).transpose();
    let (label, split) = (column(asked.label)?, column(asked.split)?);
    let text = |c: usize| table.text(c).map(|t| t.trim().to_owned()).collect::<Vec<_>>();
    let classes = label.map(text);
    let splits = split.map(text);
    let source = table.source().to_owned();
    let mut columns = features(&table, label, args)?;
    columns.retain(|c| Some(*c) != split);
    let rows = match (label, nominal) {
        (Some(label), Some(value)) => Some(table.matching(label, value)?),
        _ => None,
    };
    if asked.precomputed {
        let samples = Samples::Precomputed(precomputed(&table, &columns, true)?);
        let names = numbers_of(table.rows());
        return Ok(Data { source, samples, names, is_named: false, classes, splits, left_out: Vec::new() });
    }
    let picked = |all: Option<Vec<String>>| match (&rows, all) {
        (Some(rows), Some(all)) => Some(rows.iter().map(|&r| all[r].clone()).collect()),
        (_, all) => all,
    };
    let types = types(args)?;
    let is_mixed = matches!(asked.dissimilarity, Some("gower" | "heom"));
    // Numbers first: a table of them is what most files are.
    let fault = match (is_mixed || !types.is_empty(), vectors(&table, &columns, rows.as_deref())) {
        (false, Ok(samples)) => {
            let names = numbers_of(samples.count());
            let (classes, splits) = (picked(classes), picked(splits));
            return Ok(Data {
                source,
                samples: Samples::Vectors(samples),
                names,
                is_named: false,
                classes,
                splits,
                left_out: Vec::new(),
            });
        }
        (false, Err(fault)) => Some(fault),
        (true, _) => None,
    };
    // Names of the samples are no feature.
    let name =
        columns.iter().copied().find(|&c| columns.len() > 1 && NAMES.contains(&table.names()[c].as_str()));
    let names = name.filter(|_| args.columns.is_empty()).map(text);
    if names.is_some() {
        columns.retain(|c| Some(*c) != name);
    }
    let is_named = names.is_some();
    let kept = table.select(&columns);
    let fields = match (eocc_data::typed(kept, &types), fault) {
        (Ok(fields), fault) => {
            let is_numeric = fields.fields().iter().all(|f| matches!(f.values, FieldValues::Numbers(_)));
            match fault {
                // Numbers, of which some are missing.
                Some(fault) if is_numeric => {
                    return Err(fault.context("missing values are taken by --dissimilarity gower and heom"));
                }
                _ => fields,
            }
        }
        (Err(fault), None) => return Err(fault.into()),
        (Err(typed), Some(fault)) => return Err(if is_nested(&typed) { typed.into() } else { fault }),
    };
    let names = names.unwrap_or_else(|| numbers_of(fields.rows()));
    show(&fields);
    let fields = match &rows {
        Some(rows) => fields.select_rows(rows),
        None => fields,
    };
    let samples = samples::of_fields(&fields, is_mixed)?;
    let names = picked(Some(names)).unwrap_or_default();
    Ok(Data {
        source,
        samples,
        names,
        is_named,
        classes: picked(classes),
        splits: picked(splits),
        left_out: Vec::new(),
    })
}

/// Whether a fault is of a series, text or graph rather than of a number.
fn is_nested(error: &DataError) -> bool {
    !matches!(error.fault(), Fault::Field { why: eocc_data::FieldFault::Number(_), .. })
}

/// Says what was made of the columns.
fn show(fields: &Fields) {
    let described: Vec<String> =
        fields.describe().into_iter().take(12).map(|(name, kind)| format!("{name}: {kind}")).collect();
    let more = fields.fields().len().saturating_sub(described.len());
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    eprintln!("columns: {}{more} (other types: --types COL=TYPE)", described.join("; "));
}

/// Reads samples of this shape, with what is known of each.
pub(crate) fn read_as(path: &Path, shape: &Shape, asked: &Asked, args: &ReadArgs) -> Result<Data> {
    if eocc_data::is_graphs(path) {
        return of_graphs(path, asked);
    }
    let (mut names, mut is_named, mut classes) = (None, false, None);
    let content = eocc_data::read_content(path, &options(args))?;
    match &content {
        Content::Fields(fields) => {
            let label = match asked.label {
                Some(label) => Some(fields.field(label)?),
                None => fields.fields().iter().position(|f| f.name == "class"),
            };
            classes = label.map(|l| words(&fields.fields()[l].values));
            is_named = fields.names().is_some();
            names = fields.names().map(<[String]>::to_vec);
        }
        Content::Table(table) => {
            let text = |c: usize| table.text(c).map(|t| t.trim().to_owned()).collect::<Vec<_>>();
            classes = asked.label.map(|l| table.column(l)).transpose()?.map(text).or(classes);
            let numeric = matches!(shape, Shape::Vectors(_) | Shape::Precomputed);
            if let Some(c) = table.names().iter().position(|n| !numeric && NAMES.contains(&n.as_str())) {
                names = Some(text(c));
                is_named = true;
            }
        }
    }
    let (source, samples) = like(content, shape, asked.label, args)?;
    let count = with_samples!(&samples, samples => samples.count());
    let names = names.unwrap_or_else(|| numbers_of(count));
    if let Some(labels) = asked.labels {
        classes = Some(eocc_data::labels_for(&names, &eocc_data::read_labels(labels)?)?);
    }
    Ok(Data { source, samples, names, is_named, classes, splits: None, left_out: Vec::new() })
}

/// Reads the samples that a model is to score.
pub(crate) fn read_like(
    path: &Path,
    shape: &Shape,
    label: Option<&str>,
    args: &ReadArgs,
) -> Result<(String, Samples)> {
    if eocc_data::is_graphs(path) {
        let graphs = eocc_data::read_graphs(path)?.graphs;
        return Ok((path.display().to_string(), Samples::Graphs(graphs)));
    }
    like(eocc_data::read_content(path, &options(args))?, shape, label, args)
}

fn like(content: Content, shape: &Shape, label: Option<&str>, args: &ReadArgs) -> Result<(String, Samples)> {
    let table = match content {
        Content::Fields(fields) => {
            let label = label.map(|l| fields.field(l)).transpose()?;
            let kept: Vec<usize> = (0..fields.fields().len()).filter(|c| Some(*c) != label).collect();
            let source = fields.source().to_owned();
            return Ok((source, shape.samples(&fields.take(&kept))?));
        }
        Content::Table(table) => table,
    };
    let label = label.map(|l| table.column(l)).transpose()?;
    let source = table.source().to_owned();
    let columns = features(&table, label, args)?;
    let samples = match shape {
        Shape::Vectors(names) => Samples::Vectors(vectors(&table, &in_order(names, &table, &columns), None)?),
        Shape::Precomputed => Samples::Precomputed(precomputed(&table, &columns, false)?),
        shape => {
            let wanted = shape.columns();
            let mut given = types(args)?;
            let columns = if wanted.is_empty() {
                // A single column holds what the model is of, however few words it has.
                if let [one] = columns.as_slice() {
                    let kind = match shape {
                        Shape::Text => FieldType::Text,
                        Shape::Graphs => FieldType::Graph,
                        _ => FieldType::Series,
                    };
                    given.push((table.names()[*one].clone(), kind));
                }
                columns
            } else {
                given.extend(wanted.iter().cloned());
                wanted.iter().map(|(name, _)| table.column(name)).collect::<Result<_, _>>()?
            };
            let fields = eocc_data::typed(table.select(&columns), &given)?;
            shape.samples(&fields)?
        }
    };
    Ok((source, samples))
}

/// The model's features in the model's order, if the table has them all by name; columns that the model does not know
/// are left out and named. Else the columns as they are, for the model to accept or refuse.
fn in_order(names: &[String], table: &Table, columns: &[usize]) -> Vec<usize> {
    let find = |name: &String| columns.iter().copied().find(|&c| table.names()[c] == *name);
    let found: Option<Vec<usize>> = names.iter().map(find).collect();
    match found {
        Some(found) if table.has_header() && !found.is_empty() => {
            let extra: Vec<String> = columns
                .iter()
                .filter(|c| !found.contains(c))
                .map(|&c| format!("`{}`", table.names()[c]))
                .collect();
            if !extra.is_empty() {
                eprintln!("note: not features of the model, left out: {}", extra.join(", "));
            }
            found
        }
        _ => columns.to_vec(),
    }
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
    params.suspicion = args.suspicion.unwrap_or(params.suspicion);
    if let Some(share) = args.reject {
        params.threshold = Threshold::Reject(share);
    }
    if args.direct {
        params.representation = Representation::Direct;
    }
    if let Some(text) = &args.prototypes {
        params.representation = Representation::Prototypes(Prototypes::named(text)?);
    }
    Ok(params.check()?)
}

/// The settings that the command line gives.
pub(crate) fn settings(texts: &[String]) -> Result<Settings> {
    let mut settings = Settings::default();
    for text in texts {
        settings.parse(text)?;
    }
    Ok(settings)
}

/// The measure that the command line asks for.
pub(crate) fn measure<X: Catalogue>(args: &LearnArgs) -> Result<Box<dyn eocc::Dissimilarity<X::Item>>> {
    Ok(X::measure(preset(args.preset), args.dissimilarity.as_deref(), &settings(&args.settings)?)?)
}
