//! `eocc compare`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use eocc::{Error, SampleSet, Settings, with_samples};
use eocc_baselines::{Options, named};
use eocc_eval::{CrossValidation, DataSet, Experiment};

use crate::cli::CompareArgs;
use crate::comparing::{Plan, draw, notes, render};
use crate::input::Asked;
use crate::{exit_code, input, output};

pub(crate) fn run(args: &CompareArgs) -> Result<ExitCode> {
    let methods: Vec<&str> = named(&args.methods)?.iter().map(|m| m.name).collect();
    let mut settings = Settings::default();
    for text in &args.settings {
        settings.parse(text)?;
    }
    let options = Options { dissimilarity: args.dissimilarity.clone(), settings };
    let names = names(&args.data);
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    for (path, name) in args.data.iter().zip(names) {
        sets.push(data_set(args, path, name, &options)?);
    }
    let plan = Plan {
        sets: &sets,
        methods: &methods,
        protocol: CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.seed }.into(),
        settings: described(args),
        journal: args.journal.as_deref(),
        restart: args.restart,
        prefix: "eocc-compare",
    };
    let Some(summary) = plan.run()? else { return Ok(ExitCode::from(exit_code::INTERRUPTED)) };
    output::line(&render(&summary, args.format))?;
    for note in notes(&summary) {
        eprintln!("failed: {note}");
    }
    if let Some(folder) = &args.plots {
        draw(&summary, folder)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What every result depends on, but the data and the method.
fn described(args: &CompareArgs) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let mut parts = vec![
        format!("eocc {version}"),
        format!("label {}", args.label.as_deref().unwrap_or("of the file")),
        format!("nominal {}", args.nominal),
        format!("folds {}", args.folds),
        format!("seed {}", args.seed),
    ];
    let flags = [(args.standardize, "standardize"), (args.precomputed, "precomputed")];
    parts.extend(flags.iter().filter(|f| f.0).map(|f| f.1.to_owned()));
    for (name, values) in [
        ("dissimilarity", args.dissimilarity.as_slice()),
        ("set", &args.settings),
        ("columns", &args.read.columns),
        ("drop", &args.read.drop),
    ] {
        if !values.is_empty() {
            parts.push(format!("{name} {}", values.join(" ")));
        }
    }
    parts.join(", ")
}

fn data_set(args: &CompareArgs, path: &Path, name: String, options: &Options) -> Result<Box<dyn Experiment>> {
    if path == Path::new("-") {
        bail!(Error::parameter("data", "`-`", "files: standard input cannot be read again to resume a run"));
    }
    let asked = Asked {
        label: args.label.as_deref(),
        labels: args.labels.as_deref(),
        split: None,
        dissimilarity: args.dissimilarity.as_deref(),
        precomputed: args.precomputed,
    };
    let data = input::read(path, &asked, None, &args.read)?;
    let nominal = data.nominal(Some(&args.nominal))?;
    // What must not serve as others is left out from the start.
    let is_kept = |i: &usize| nominal.binary_search(i).is_ok() || !data.left_out.contains(i);
    let kept: Vec<usize> = (0..data.count()).filter(is_kept).collect();
    let nominal = (0..kept.len()).filter(|&i| nominal.binary_search(&kept[i]).is_ok()).collect();
    let content = digest_of(path)?;
    Ok(with_samples!(data.samples, samples => {
        let (options, standardize) = (options.clone(), args.standardize);
        let samples = if kept.len() == samples.count() { samples } else { samples.select(&kept) };
        Box::new(DataSet::new(name, &content, samples, nominal, options, standardize, args.seed)?)
    }))
}

/// The bytes that tell one data set from another: of a folder, those of all its files in order of their names.
fn digest_of(path: &Path) -> Result<Vec<u8>> {
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

/// Names of data sets: their files without folder and extension, or as they were given where that is not unique.
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
