//! `eocc fit`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use eocc_core::model::Summary;
use eocc_core::{AnyModel, AnySamples, NeighborSearch, SearchKind, StopReason, ValidParams};
use eocc_data::{Dataset, Output, ReadRequest, Reading, decision_columns};
use eocc_report::outliers::{RareWord, rare_words, repetition};
use serde_json::{Value, json};

use crate::cli::FitArgs;
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::progress::{Bar, Stage};
use crate::{interrupt, output, request, say, stdout, terminal};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode> {
    let params = request::params(&args.learn, &args.read)?;
    if args.output.as_os_str() == "-" {
        return Err(
            eocc_core::Error::parameter("output", "-", "a file; standard output is for the summary").into()
        );
    }
    let inputs = Inputs::default()
        .with("data", &args.data)
        .with_optional("labels", args.labels.as_ref())
        .with_settings(&args.learn.settings);
    inputs.refuse("output", &args.output)?;
    if args.json && eocc_core::atomic::is_stdout(&args.output) {
        let allowed = "a file, as --json prints the summary to standard output";
        return Err(eocc_core::Error::parameter("output", args.output.display(), allowed).into());
    }
    if let Some(scores) = &args.scores {
        inputs.refuse("scores", scores)?;
        outputs::table_format(Some(scores), None)?;
    }
    outputs::refuse_same(&[("output", Some(&args.output)), ("scores", args.scores.as_deref())])?;
    // Before the work, not after it.
    let folder = eocc_core::atomic::folder_of(&args.output);
    if !folder.is_dir() {
        let missing =
            std::io::Error::new(std::io::ErrorKind::NotFound, "the folder does not exist, create it first");
        return Err(eocc_core::Error::io(&args.output, missing).into());
    }
    let read = ReadRequest {
        label: args.label.clone(),
        labels: args.labels.clone(),
        // Rows that are not nominal are not even parsed, unless the classes come from another file.
        only: if args.labels.is_none() { args.nominal.clone() } else { Vec::new() },
        precomputed: args.learn.precomputed,
        missing: request::missing(&args.learn),
        keep: args.keep.clone(),
        ..request::read_request(&args.read, args.id.as_ref(), args.learn.dissimilarity.as_deref())?
    };
    let read = request::to_learn(read, &args.learn);
    let data = request::read(&args.data, &read)?;
    let reading = Reading::new(&read, &data);
    let nominal = data.nominal(&args.nominal)?;
    let data = if nominal.len() == data.count() { data } else { data.select(&nominal) };
    fit(args, &params, data, &reading)
}

fn fit(args: &FitArgs, params: &ValidParams, data: Dataset, reading: &Reading) -> Result<ExitCode> {
    let (samples, source) = (&data.samples, &data.source);
    let measure = request::measure(samples, &args.learn)?;
    let start = Instant::now();
    let bar = Bar::new();
    let mut model = samples
        .train(params, measure, &bar)
        .map_err(|e| anyhow::Error::new(data.located(e)).context(source.clone()))?;
    reading.keep_in(&mut model);
    if let Some(names) = &data.names {
        model.set_names(names.clone())?;
    }
    let decisions = match &args.scores {
        Some(_) => model.decide_with(samples, params.scoring, &bar)?,
        None => Vec::new(),
    };
    let (planned, stages) = (bar.planned_memory(), bar.stages());
    drop(bar);
    let seconds = start.elapsed().as_secs_f64();
    interrupt::finishing();
    model.save(&args.output)?;
    if let Some(path) = &args.scores {
        let columns = decision_columns(&data, &decisions);
        let format = outputs::table_format(Some(path), None)?;
        eocc_data::write(&columns, format, &Output::Path(path.clone()))?;
    }
    for warning in &model.warnings() {
        say::warning(warning);
    }
    if let Some(warning) = repetition(&data.samples) {
        say::warning(&warning);
    }
    if let changes @ [_, ..] = constant(&data.samples).as_slice() {
        say::note(&constant_note(changes));
    }
    crate::facts::notes(&data.samples, &model, &args.learn.settings);
    for RareWord { column, word, count } in rare_words(&model) {
        say::note(&format!(
            "`{column}` is `{word}` in {count} of {} samples, which are trimmed because they lie far out: \
             new samples like them will be rejected (--contamination 0 if all are nominal)",
            model.summary().samples
        ));
    }
    if args.json {
        output::json(&summary(&model, &data, seconds, (planned, &stages)))?;
    } else if !say::is_quiet() && !stdout::is_closed() {
        text(args, &model, &data, seconds)?;
    }
    if model.summary().stop == StopReason::Cancelled {
        terminal::say(&format!("interrupted: the best model so far is in {}", args.output.display()));
        return Ok(ExitCode::from(interrupt::code()));
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(model: &AnyModel, data: &Dataset, seconds: f64, (planned, stages): (u64, &[Stage])) -> Value {
    let mut value = describe(model);
    value["duplicates"] = json!(data.samples.duplicates());
    value["rows_with_missing"] = json!(data.samples.rows_with_missing().len());
    value["constant"] = json!(constant(&data.samples));
    value["seconds"] = json!(seconds);
    let stage = |s: &Stage| json!({ "name": s.name, "seconds": s.seconds, "peak": s.peak });
    value["stages"] = stages.iter().map(stage).collect();
    value["planned_seconds"] = json!(model.plan().seconds);
    value["memory"] = json!({ "planned": planned, "peak": eocc_core::memory::in_use().1 });
    value["warnings"] = json!(model.warnings());
    value
}

/// The facts of a model that `fit --json` and `inspect --json` share.
pub(crate) fn describe(model: &AnyModel) -> Value {
    let (s, p) = (model.summary(), model.params());
    let parameters = model.parameters();
    let direct = p.representation.prototypes(s.samples).is_none();
    json!({
        "preset": p.preset.name(),
        "samples": s.samples,
        "features": s.features,
        "dissimilarity": model.measure().name(),
        "direct": direct,
        "prototypes": if direct { 0 } else { model.prototypes() },
        "k": s.neighbors,
        "plan": model.plan(),
        "regions": model.regions().iter().map(eocc_core::region::Region::size).collect::<Vec<_>>(),
        "views": model.views().into_iter().map(|(name, weight)| json!({ "name": name, "weight": weight })).collect::<Vec<_>>(),
        "contamination": p.contamination,
        "trimmed": model.trimmed(),
        "eta": s.eta,
        "jensen": s.jensen,
        "alpha": p.alpha,
        "weights": parameters.iter().map(|p| p.value).collect::<Vec<_>>(),
        "search": { "name": p.search.name(), "evaluations": s.evaluations, "stop": s.stop.name() },
    })
}

/// A description of the search.
pub(crate) fn search(kind: SearchKind, summary: &Summary) -> String {
    match summary.stop {
        StopReason::NoSearch => "none".to_owned(),
        stop => format!(
            "{}, {}, stopped: {}",
            kind.name(),
            counted(summary.evaluations, "evaluation"),
            stop.name()
        ),
    }
}

/// The features that are constant in all samples, by name.
fn constant(samples: &AnySamples) -> Vec<String> {
    let name = |f: usize| samples.feature_names().get(f).cloned().unwrap_or_else(|| format!("x{f}"));
    samples.constant_features().into_iter().map(name).collect()
}

/// How new samples that differ in constant features are treated.
fn constant_note(names: &[String]) -> String {
    let (verb, listed) = match names {
        [one] => ("has", format!("`{one}`")),
        some => {
            ("have", output::shortened(&some.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>(), 8))
        }
    };
    let dropped = request::quoted(&names.join(","));
    format!(
        "{listed} {verb} one value in all samples: a new sample with another value is likely to be rejected (--drop {dropped} if \
         it may change)"
    )
}

/// Notes about the samples, as pairs of a name and a text; empty if all is well.
fn facts(data: &Dataset) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(equal @ 1..) = data.samples.duplicates() {
        let equal = if equal == 1 { "1 sample equals".to_owned() } else { format!("{equal} samples equal") };
        facts.push(("duplicates", format!("{equal} an earlier one")));
    }
    if let holes @ 1.. = data.samples.rows_with_missing().len() {
        let gaps = if holes == 1 { "1 sample has".to_owned() } else { format!("{holes} samples have") };
        facts.push(("missing", format!("{gaps} missing values")));
    }
    let constant = constant(&data.samples);
    if !constant.is_empty() {
        facts.push(("constant", output::shortened(&constant, 8)));
    }
    facts
}

fn text(args: &FitArgs, model: &AnyModel, data: &Dataset, seconds: f64) -> Result<()> {
    let s = model.summary();
    let sizes: Vec<usize> = model.regions().iter().map(eocc_core::region::Region::size).collect();
    let features = match data.samples.feature_names() {
        // Channels of series are not features.
        names if names.is_empty() || data.samples.feature(0).is_none() => Vec::new(),
        names => vec![("features", output::shortened(names, 12))],
    };
    let mut rows = vec![("samples", in_words(model))];
    rows.extend(features);
    rows.extend(crate::facts::attributes(&data.samples));
    rows.extend(facts(data));
    rows.extend([
        ("preset", format!("{}, {}", model.params().preset.name(), crate::facts::measure_of(model))),
        ("graph", graph(model)),
        (
            "regions",
            format!("{} of {} samples", counted(sizes.len(), "region"), output::shortened(&sizes, 8)),
        ),
        ("trimmed", trimmed(model)),
        ("search", search(model.params().search, s)),
        ("model", format!("{} ({:.2} s)", args.output.display(), seconds)),
    ]);
    if eocc_core::atomic::is_stdout(&args.output) {
        // The model has been written already.
        terminal::say(&output::pairs_text(&rows));
        return Ok(());
    }
    output::pairs(&rows)
}

/// A description of the graph of a model.
fn graph(model: &AnyModel) -> String {
    let s = model.summary();
    let found = match model.plan().neighbors {
        NeighborSearch::Visits(_) => {
            format!(
                ", {:.1} % of the true neighbors found by an approximate search (--visits all for an exact one)",
                100.0 * model.plan().recall
            )
        }
        _ => String::new(),
    };
    format!("k = {}, eta = {}{found}", s.neighbors, output::number(s.eta))
}

/// A description of the trimmed training samples.
pub(crate) fn trimmed(model: &AnyModel) -> String {
    match model.trimmed() {
        [] => "none".to_owned(),
        some => {
            let name = |i: &u32| model.names().get(*i as usize).cloned().unwrap_or_else(|| i.to_string());
            let names: Vec<String> = some.iter().map(name).collect();
            format!("{}, far out: {}", counted(some.len(), "sample"), output::shortened(&names, 8))
        }
    }
}

/// The number and kind of samples a model was fitted on.
pub(crate) fn in_words(model: &AnyModel) -> String {
    let s = model.summary();
    match s.features {
        0 => format!("{} {}", s.samples, model.kind().name()),
        features => format!("{} with {}", s.samples, counted(features, "feature")),
    }
}
