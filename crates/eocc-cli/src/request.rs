//! From the command line to requests: what to read, and the parameters for learning.

use std::path::Path;

use anyhow::Result;
use eocc_core::model::MAX_WIDTH;
use eocc_core::{
    AnyDissimilarity, AnyModel, AnySamples, Error, OneClass, Preset, Scoring, SearchKind, Settings,
    ValidParams,
};
use eocc_data::{
    Budget, Dataset, FieldType, Format, Missing, ModelReader, NoFeature, Notation, Note, ReadOptions,
    ReadRequest, SeriesLayout, WindowShape, Windows,
};
use serde_json::{Value, json};

use crate::cli::{
    InputFormat, LearnArgs, MissingName, PresetName, ReadArgs, ScoringName, SearchName, WindowAs,
};
use crate::output::{counted, shortened};
use crate::say;

/// Measures of mixed rows, which are used for numbers only if requested by name.
const MIXED_MEASURES: [&str; 2] = ["gower", "heom"];
/// Columns of one type that a message lists individually.
const MAX_NAMED: usize = 12;

/// The read request given by the options common to all commands.
pub(crate) fn read_request(
    args: &ReadArgs,
    id: Option<&String>,
    dissimilarity: Option<&str>,
) -> Result<ReadRequest> {
    let budget = args.memory.map_or_else(Budget::default, Budget::of_bytes);
    let format = args.input.and_then(|f| match f {
        InputFormat::SeriesWide | InputFormat::SeriesLong => None,
        InputFormat::Csv => Some(Format::Csv),
        InputFormat::Npy => Some(Format::Npy),
        InputFormat::Npz => Some(Format::Npz),
        InputFormat::Jsonl => Some(Format::JsonLines),
        InputFormat::Parquet => Some(Format::Parquet),
        InputFormat::Arrow => Some(Format::Arrow),
        InputFormat::Fasta => Some(Format::Fasta),
        InputFormat::Fastq => Some(Format::Fastq),
        InputFormat::Ts => Some(Format::Ts),
        InputFormat::Lines => Some(Format::Lines),
    });
    let parse = |text: &String| {
        FieldType::assignment(text)
            .map_err(|e| Error::parameter("types", format!("`{text}` ({e})"), "COL=TYPE"))
    };
    let mut types: Vec<(String, FieldType)> =
        args.types.iter().map(parse).collect::<eocc_core::Result<_>>()?;
    types.extend(id.map(|column| (column.clone(), FieldType::Id)));
    Ok(ReadRequest {
        options: ReadOptions {
            format,
            header: args.header,
            delimiter: args.delimiter,
            encoding: args.encoding,
            fallback: None,
            notation: notation(args)?,
            comment: args.comment,
            budget: budget.until(crate::interrupt::is_interrupted),
        },
        series: match args.input {
            Some(InputFormat::SeriesWide) => Some(SeriesLayout::Wide),
            Some(InputFormat::SeriesLong) => Some(SeriesLayout::Long),
            _ => None,
        },
        windows: windows(args)?,
        columns: args.columns.clone(),
        drop: args.drop.clone(),
        types,
        mixed: dissimilarity.is_some_and(|name| MIXED_MEASURES.contains(&name)),
        mask: args.mask,
        na: args.na.clone(),
        ..ReadRequest::default()
    })
}

/// How one long series is cut into windows, if requested.
fn windows(args: &ReadArgs) -> Result<Option<Windows>> {
    let Some(length) = args.window_of else { return Ok(None) };
    if let Some(format) =
        args.input.filter(|f| matches!(f, InputFormat::SeriesWide | InputFormat::SeriesLong))
    {
        let allowed = "left out with --window-of, which takes one series with a row for each time";
        return Err(Error::parameter("input", format!("{format:?}"), allowed).into());
    }
    let shape = match args.window_as {
        WindowAs::Series => WindowShape::Series,
        WindowAs::Summary => WindowShape::Summary,
        WindowAs::Lags => WindowShape::Lags,
    };
    let windows = Windows::new(length, args.step, shape)?;
    Ok(Some(Windows { time: args.time.clone(), ..windows }))
}

/// The number notation, if given.
fn notation(args: &ReadArgs) -> Result<Option<Notation>> {
    if args.decimal.is_none() && args.thousands.is_none() {
        return Ok(None);
    }
    let allowed =
        "`.` or `,` for the decimal mark, and another one of `.` `,` `'` `_` or a blank for thousands";
    let given = |mark: Option<char>| mark.map_or_else(|| "not given".to_owned(), |mark| format!("`{mark}`"));
    let both = format!("{} and {}", given(args.decimal), given(args.thousands));
    let found = Notation::new(args.decimal, args.thousands);
    Ok(Some(found.map_err(|_| Error::parameter("decimal, thousands", both, allowed))?))
}

/// The treatment of missing values in learning: the measure of `default` accepts them, even in numbers, without a
/// requested mixed table; the paper has no missing texts and the like either.
pub(crate) fn missing(args: &LearnArgs) -> Option<Missing> {
    args.missing.map(missing_named).or(is_views(args).then_some(Missing::Distance))
}

/// Whether rows of tables are compared in views.
fn is_views(args: &LearnArgs) -> bool {
    let is_default = matches!(args.preset, PresetName::Default);
    is_default && args.dissimilarity.as_deref().is_none_or(|name| name == "views")
}

/// The request of a fit: a table that is wider than a model keeps is refused by its header, unless columns are chosen.
pub(crate) fn to_learn(read: ReadRequest, args: &LearnArgs) -> ReadRequest {
    let is_table = read.columns.is_empty() && read.series.is_none() && read.windows.is_none();
    if !is_table || args.precomputed || !is_views(args) {
        return read;
    }
    // These are not features.
    let beside = read.drop.len() + read.keep.len() + read.types.len() + usize::from(read.label.is_some());
    let budget = read.options.budget.with_most_columns(MAX_WIDTH + beside);
    ReadRequest { options: ReadOptions { budget, ..read.options }, ..read }
}

/// Reads new samples for a model like its training samples, unless the command line differs.
pub(crate) fn model_reader(
    model: &AnyModel,
    path: &Path,
    missing: Option<MissingName>,
    read: ReadRequest,
) -> Result<ModelReader> {
    let request = ReadRequest { missing: missing.map(missing_named), ..read };
    Ok(ModelReader::for_model(model, request, Some(path))?)
}

pub(crate) fn missing_named(name: MissingName) -> Missing {
    match name {
        MissingName::Distance => Missing::Distance,
        MissingName::Impute => Missing::Impute,
        MissingName::Drop => Missing::Drop,
        MissingName::Error => Missing::Error,
    }
}

/// Reads a file and reports the decisions.
pub(crate) fn read(path: &Path, request: &ReadRequest) -> Result<Dataset> {
    let data = Dataset::read(path, request)?;
    show(&data.notes);
    Ok(data)
}

/// Reads a file in the form of other samples and reports the decisions.
pub(crate) fn read_like(path: &Path, mut reader: ModelReader) -> Result<Dataset> {
    let data = Dataset::read_for_model(path, &mut reader)?;
    show(&data.notes);
    Ok(data)
}

/// Reports the decisions of a reader.
pub(crate) fn show(notes: &[Note]) {
    for note in notes {
        match note {
            Note::Columns(columns) => {
                say::line(&format!("columns: {} (other types: --types COL=TYPE)", described(columns)));
            }
            Note::SeriesColumns { id, time, value, channel } => {
                let channel = channel.as_ref().map_or_else(String::new, |name| format!(", channel `{name}`"));
                say::line(&format!("series: id `{id}`, time `{time}`, value `{value}`{channel}"));
            }
            Note::UnevenTimes { count, of, series, gap } => say::note(&format!(
                "{count} of {of} series {} times that are not equally spaced, such as `{series}`: {} passes from {} to {}, \
                 usually {} (only the order of times counts)",
                if *count == 1 { "has" } else { "have" },
                gap.length,
                gap.from,
                gap.to,
                gap.usual
            )),
            Note::WindowGap { column, gap } => say::note(&format!(
                "windows span a gap of {} in `{column}`, from {} to {}, where {} is usual (only the order of rows counts)",
                gap.length, gap.from, gap.to, gap.usual
            )),
            Note::StepsInOrder => {
                say::note(
                    "the time steps are in another order than in training, and are put in that order by name",
                );
            }
            Note::OtherSteps { missing, new } => {
                let listed = |words: &str, names: &[String]| {
                    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                    (!names.is_empty()).then(|| format!("{words} {}", shortened(&names, MAX_NAMED)))
                };
                let both = [listed("without", missing), listed("with the new", new)];
                say::warning(&format!(
                    "the columns are not the time steps of training: {}; the values are read in their order",
                    both.into_iter().flatten().collect::<Vec<_>>().join(", ")
                ));
            }
            Note::RowNames { column } => say::note(&format!("`{column}` names the samples")),
            Note::ColumnsLeftOut(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                say::note(&format!("not features of the model, left out: {}", names.join(", ")));
            }
            Note::LongSeries { key, time } => say::note(&format!(
                "`{time}` rises within each `{key}`: looks like time series in long form (--input series-long if each `{key}` is \
                 a sample)"
            )),
            Note::NoFeature { column, why, kind } => say::note(&no_feature(column, *why, kind)),
            Note::Date { column } => say::note(&format!(
                "`{column}` holds dates: the time passed, the hour and the weekday are features (--types {} to leave it out)",
                assigned(column, "ignore")
            )),
            Note::DayOrMonth { column, example } => say::note(&format!(
                "`{column}`: {example} is read with the month first (--types {} if the day comes first)",
                assigned(column, "date:day-first")
            )),
            Note::Zones { column, example } => say::note(&format!(
                "`{column}`: some moments name a time zone; those without one, such as {example}, are read as UTC"
            )),
            Note::Thousands { column, example } => say::note(&format!(
                "`{column}`: {example} is read with a decimal point (--thousands . if the point separates thousands)"
            )),
            Note::NumbersAmongWords { column, numbers, values, example } => say::note(&format!(
                "`{column}` holds words, since `{example}` is not a number, though {numbers} of its {values} values are numbers (--na {} if \
                 that means missing)",
                quoted(example)
            )),
            Note::LostZeros { column, example } => say::note(&format!(
                "`{column}`: {example} has fewer digits than most; if zeros at the start were lost, new samples that have them will \
                 be unknown"
            )),
            Note::Sentinel { column, value, count } => say::note(&format!(
                "`{column}` is {value} in {}, far from all other values, and read as a number (--na {value} if that stands for \
                 a missing value)",
                counted(*count, "row")
            )),
            Note::Unlabelled { count, of } => {
                say::note(&format!("{count} of {of} rows have no class and are left out"));
            }
            Note::RowsLeftOut { count, of } => {
                say::note(&format!("{count} of {of} rows have missing values and are left out"));
            }
            Note::WindowsLeftOut { count, of } => {
                say::note(&format!("{count} of {of} windows have missing values and are left out"));
            }
            Note::Files { source, count, left_out } => {
                let others = match left_out {
                    0 => String::new(),
                    others => format!("; {} left out", counted(*others, "other file")),
                };
                say::note(&format!("{source}: {} read as one table{others}", counted(*count, "file")));
            }
            Note::FilesLeftOut { source, count } => {
                say::note(&format!("{source}: {count} files are in no list and left out"));
            }
            _ => {}
        }
    }
}

/// Reports how many samples have no class, if classes decide their role.
pub(crate) fn show_unlabelled(data: &Dataset) {
    let count = data.classes.iter().flatten().filter(|class| class.is_empty()).count();
    if count > 0 {
        show(&[Note::Unlabelled { count, of: data.count() }]);
    }
}

/// The roles of columns, with adjacent ones of the same type combined.
fn described(columns: &[(String, String)]) -> String {
    let alike = columns.chunk_by(|a, b| a.1 == b.1);
    let words = alike.map(|group| {
        let names: Vec<&str> = group.iter().map(|(name, _)| name.as_str()).collect();
        let names = match names.as_slice() {
            [first, .., last] if names.len() > MAX_NAMED => format!("{first} … {last} ({})", names.len()),
            names => names.join(", "),
        };
        format!("{names}: {}", group[0].1)
    });
    words.collect::<Vec<String>>().join("; ")
}

/// `COL=TYPE`, quoted for a shell.
pub(crate) fn assigned(column: &str, kind: &str) -> String {
    quoted(&format!("{column}={kind}"))
}

/// A word, quoted for a shell if necessary.
pub(crate) fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_-=.:/@%+,".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// Why a column is not a feature, and the option that makes it one.
fn no_feature(column: &str, why: NoFeature, kind: &str) -> String {
    let label = if why == NoFeature::Classes {
        format!("--label {} if these are classes, ", quoted(column))
    } else {
        String::new()
    };
    let reason = why.words();
    format!("`{column}` {reason} and is not a feature ({label}--types {} to use it)", assigned(column, kind))
}

/// Refuses a path without a file, in plain words.
pub(crate) fn require_file(path: &Path) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    Err(Error::io(path, std::io::Error::new(std::io::ErrorKind::NotFound, "no such file")).into())
}

/// Loads a model; an error names the file.
pub(crate) fn load(path: &Path) -> Result<AnyModel> {
    require_file(path)?;
    AnyModel::load(path).map_err(|e| match e {
        e if e.is_io() => e.into(),
        e => anyhow::Error::new(e).context(path.display().to_string()),
    })
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

/// The parameters given on the command line.
pub(crate) fn params(args: &LearnArgs, read: &ReadArgs) -> Result<ValidParams> {
    Ok(unchecked_params(args, read)?.check()?)
}

/// Like [`params`], not checked yet.
pub(crate) fn unchecked_params(args: &LearnArgs, read: &ReadArgs) -> Result<OneClass> {
    let mut params = OneClass::new(preset(args.preset)).seed(args.seed);
    let search = args.search.map(|search| match search {
        SearchName::None => SearchKind::None,
        SearchName::Genetic => SearchKind::Genetic,
    });
    let number = |value: Option<f64>| value.map(number_or_text);
    let prototypes = args.prototypes.as_deref().or(args.direct.then_some("direct"));
    let given = [
        ("search", search.map(|search| json!(search.name()))),
        ("evaluations", args.evaluations.map(|count| json!(count))),
        ("tau", number(args.tau)),
        ("alpha", number(args.alpha)),
        ("percentile", number(args.percentile)),
        ("contamination", number(args.contamination)),
        ("reject", number(args.reject)),
        ("prototypes", prototypes.map(|text| json!(text))),
        ("visits", args.visits.map(|count| json!(count))),
    ];
    for (name, value) in given {
        value.map_or(Ok(()), |value| params.set(name, &value))?;
    }
    params.memory = read.memory;
    Ok(params)
}

/// A number; NaN and infinity, which are allowed in no parameter, as texts that messages show.
fn number_or_text(value: f64) -> Value {
    if value.is_finite() { json!(value) } else { json!(value.to_string()) }
}

/// The settings given on the command line.
pub(crate) fn settings(texts: &[String]) -> Result<Settings> {
    let mut settings = Settings::default();
    for text in texts {
        settings.parse(text)?;
    }
    Ok(settings)
}

/// The measure given on the command line.
pub(crate) fn measure(samples: &AnySamples, args: &LearnArgs) -> Result<AnyDissimilarity> {
    let settings = settings(&args.settings)?;
    Ok(samples.measure(preset(args.preset), args.dissimilarity.as_deref(), &settings)?)
}
