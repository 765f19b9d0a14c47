//! `eocc compare`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use eocc_baselines::{Options, named};
use eocc_core::Error;
use eocc_data::ReadRequest;
use eocc_eval::interval::newcombe;
use eocc_eval::{
    ALPHA, CrossValidation, Experiment, JournaledComparison, LabelledSamples, RunOptions, Standardize,
    Summary, TableFormat,
};
use eocc_report::{RankPicture, RankingFigures};

use crate::cli::{CompareArgs, TableFormatName};
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{interrupt, output, request, terminal};

/// Width of a bitmap in pixels.
const PICTURE_WIDTH: u32 = 1400;

pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    if let Some(journal) = &args.journal {
        let inputs =
            Inputs::default().with_optional("labels", args.labels.as_ref()).with_settings(&args.settings);
        let inputs = args.data.iter().fold(inputs, |inputs, path| inputs.with("data", path));
        inputs.refuse("journal", journal)?;
        let pictures: Vec<PathBuf> = args.plots.iter().flat_map(|folder| pictures(folder)).collect();
        let pictures = pictures.iter().map(|path| ("plots", Some(path.as_path())));
        outputs::refuse_same(&pictures.chain([("journal", Some(journal.as_path()))]).collect::<Vec<_>>())?;
    }
    let methods = named(&args.methods)?;
    let settings = request::settings(&args.settings)?;
    let options = RunOptions {
        dissimilarity: Options { dissimilarity: args.dissimilarity.clone(), settings },
        standardize: if args.standardize { Standardize::All } else { Standardize::None },
        recompute: false,
        known: None,
        seed: args.seed,
    };
    let names = names(&args.data);
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    for (path, name) in args.data.iter().zip(names) {
        sets.push(data_set(args, path, name, &options)?);
    }
    let comparison = JournaledComparison {
        sets: &sets,
        methods: &methods,
        protocol: &CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.seed },
        settings: &described(args),
        journal: args.journal.as_deref(),
        prefix: "eocc-compare",
        restart: args.restart,
    };
    let bar = Bar::new();
    let result = comparison.run(rayon::current_num_threads(), &bar);
    drop(bar);
    let summary = match result {
        Ok(summary) => summary,
        Err(e) if e.is_cancelled() => {
            terminal::say(&format!(
                "stopped; the same command resumes it (results are in {})",
                comparison.path().display()
            ));
            return Ok(ExitCode::from(interrupt::code()));
        }
        Err(e) => return Err(e.into()),
    };
    output::line(&summary.render(format(args.format)))?;
    for (set, reason, titles) in summary.inapplicable() {
        terminal::say(&format!("not applicable: {} on {set}: {reason}", titles.join(", ")));
    }
    for failure in summary.failures() {
        terminal::say(&format!("failed: {failure}"));
    }
    if let Some(folder) = &args.plots {
        draw(&summary, &sets, folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn format(name: TableFormatName) -> TableFormat {
    match name {
        TableFormatName::Table => TableFormat::Text,
        TableFormatName::Csv => TableFormat::Csv,
        TableFormatName::Markdown => TableFormat::Markdown,
        TableFormatName::Latex => TableFormat::Latex,
        TableFormatName::Json => TableFormat::Json,
    }
}

/// The AUC of each classifier on a single data set, as a picture.
fn auc_picture(summary: &Summary, set: &dyn Experiment) -> Option<String> {
    let (name, nominals, outliers) = (set.name(), set.nominal().len(), set.outliers().len());
    let known = summary.titles.iter().zip(&summary.cells).filter_map(|(title, cells)| {
        let cell = cells.first()?.as_ref().ok()?;
        Some((title.as_str(), cell.auc))
    });
    let (names, values): (Vec<&str>, Vec<f64>) = known.unzip();
    let ends: Vec<[f64; 2]> = values
        .iter()
        .map(|auc| {
            let interval = newcombe(*auc, nominals, outliers);
            [interval.low, interval.high]
        })
        .collect();
    let subtitle = format!(
        "{name}: {nominals} nominal samples, {outliers} outliers; 95 % intervals of each by itself (Newcombe)"
    );
    let picture = RankPicture {
        title: "AUC",
        subtitle: &subtitle,
        axis_name: "AUC",
        names: &names,
        values: &values,
        half_width: 0.0,
        is_larger_better: true,
    };
    (!names.is_empty()).then(|| picture.with_intervals(&ends))
}

/// The files that [`draw`] may write.
fn pictures(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let names = ["auc", "anova", "friedman", "critical-difference"].into_iter();
    names.flat_map(move |name| ["svg", "png"].map(|end| folder.join(format!("{name}.{end}"))))
}

/// Draws the AUC on one data set, or the ranking figures of several; reports if there are too few classifiers.
fn draw(summary: &Summary, sets: &[Box<dyn Experiment>], folder: &Path) -> Result<()> {
    if let [set] = sets {
        let Some(svg) = auc_picture(summary, set.as_ref()) else {
            terminal::say("no pictures: no method has a result");
            return Ok(());
        };
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        eocc_data::atomic_write(&folder.join("auc.svg"), |w| w.write_all(svg.as_bytes()))?;
        if eocc_report::CAN_RENDER {
            let png = eocc_report::png(&svg, PICTURE_WIDTH)?;
            eocc_data::atomic_write(&folder.join("auc.png"), |w| w.write_all(&png))?;
        }
        terminal::say(&format!("auc is drawn in {}", folder.display()));
        return Ok(());
    }
    let ranking = match summary.ranking() {
        Ok(ranking) => ranking,
        Err(e) => {
            terminal::say(&format!("no pictures: {e}"));
            return Ok(());
        }
    };
    let names: Vec<&str> = summary.titles.iter().map(String::as_str).collect();
    let files = RankingFigures {
        names: &names,
        sets: ranking.sets,
        alpha: ALPHA,
        means: &ranking.anova.means,
        half_width: ranking.anova.half_width,
        mean_ranks: &ranking.friedman.mean_ranks,
        critical_difference: ranking.friedman.critical_difference,
    }
    .files()?;
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    for (name, bytes) in files {
        eocc_data::atomic_write(&folder.join(name), |w| w.write_all(&bytes))?;
    }
    terminal::say(&format!("anova, friedman and critical-difference are drawn in {}", folder.display()));
    Ok(())
}

/// How the data are read and compared, in words: everything a result depends on, except the data and the method.
fn described(args: &CompareArgs) -> String {
    let read = &args.read;
    let mut parts = vec![
        format!("label {}", args.label.as_deref().unwrap_or("of the file")),
        format!("nominal {}", args.nominal.join(" ")),
    ];
    let flags = [(args.standardize, "standardize"), (args.precomputed, "precomputed")];
    parts.extend(flags.iter().filter(|f| f.0).map(|f| f.1.to_owned()));
    for (name, values) in [
        ("dissimilarity", args.dissimilarity.as_slice()),
        ("set", &args.settings),
        ("columns", &read.columns),
        ("drop", &read.drop),
        ("types", &read.types),
    ] {
        if !values.is_empty() {
            parts.push(format!("{name} {}", values.join(" ")));
        }
    }
    parts.extend(read.input.map(|format| format!("input {format:?}").to_lowercase()));
    parts.extend(read.header.map(|header| format!("header {header}")));
    parts.extend(read.delimiter.map(|byte| format!("delimiter {:?}", char::from(byte))));
    parts.extend(read.decimal.map(|mark| format!("decimal {mark:?}")));
    parts.extend(read.thousands.map(|mark| format!("thousands {mark:?}")));
    parts.extend(read.comment.map(|byte| format!("comment {:?}", char::from(byte))));
    parts.extend(read.encoding.map(|encoding| format!("encoding {}", encoding.name())));
    parts.join(", ")
}

fn data_set(
    args: &CompareArgs,
    path: &Path,
    name: String,
    options: &RunOptions,
) -> Result<Box<dyn Experiment>> {
    if path == Path::new("-") {
        bail!(Error::parameter("data", "`-`", "files: standard input cannot be read again to resume a run"));
    }
    let read = ReadRequest {
        label: args.label.clone(),
        labels: args.labels.clone(),
        precomputed: args.precomputed,
        ..request::read_request(&args.read, None, args.dissimilarity.as_deref())?
    };
    let data = request::read(path, &read)?;
    let nominal = data.nominal(&args.nominal)?;
    let outliers = data.outliers(&nominal);
    let (content, samples) = (content_of(path)?, data.samples);
    Ok(LabelledSamples { name, content, samples, nominal, outliers, test: None }.experiment(options)?)
}

/// The bytes that identify a data set: for a folder, those of all its files in order of their names.
fn content_of(path: &Path) -> Result<Vec<u8>> {
    if let Some(set) = eocc_data::table_files(path)? {
        let mut all = Vec::new();
        for file in &set.files {
            all.extend(std::fs::read(file).map_err(|e| Error::io(file, e))?);
        }
        return Ok(all);
    }
    if !path.is_dir() {
        return Ok(std::fs::read(path).map_err(|e| Error::io(path, e))?);
    }
    let mut files: Vec<std::path::PathBuf> = std::fs::read_dir(path)
        .and_then(|entries| entries.map(|e| e.map(|e| e.path())).collect())
        .map_err(|e| Error::io(path, e))?;
    files.sort();
    let mut all = Vec::new();
    for file in files.iter().filter(|f| f.is_file()) {
        all.extend(std::fs::read(file).map_err(|e| Error::io(file, e))?);
    }
    Ok(all)
}

/// Names of data sets: their files without folder and extension, or as given if that is not unique.
fn names(paths: &[std::path::PathBuf]) -> Vec<String> {
    let stem =
        |p: &std::path::PathBuf| p.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let stems: Vec<String> = paths.iter().map(stem).collect();
    let is_unique = |s: &String| stems.iter().filter(|t| *t == s).count() == 1;
    let name = |(path, stem): (&std::path::PathBuf, &String)| {
        if is_unique(stem) { stem.clone() } else { path.display().to_string() }
    };
    paths.iter().zip(&stems).map(name).collect()
}
