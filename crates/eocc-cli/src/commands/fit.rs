//! `eocc fit`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use eocc_core::model::Summary;
use eocc_core::{AnyModel, AnySamples, SearchKind, StopReason, Trained, ValidParams};
use eocc_data::ReadRequest;
use serde_json::{Value, json};

use crate::cli::FitArgs;
use crate::output::counted;
use crate::outputs::Inputs;
use crate::progress::Bar;
use crate::{exit_code, output, request};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode> {
    let params = request::params(&args.learn)?;
    if args.output.as_os_str() == "-" {
        return Err(eocc_core::Error::parameter(
            "output",
            "-",
            "a file; standard output tells about the fit",
        )
        .into());
    }
    Inputs::default()
        .with("data", &args.data)
        .with_optional("labels", args.labels.as_ref())
        .with_settings(&args.learn.settings)
        .refuse("output", &args.output)?;
    // Before the work, not after it.
    let folder = eocc_core::atomic::folder_of(&args.output);
    if !folder.is_dir() {
        let missing =
            std::io::Error::new(std::io::ErrorKind::NotFound, "the folder does not exist, create it first");
        return Err(eocc_core::Error::io(&args.output, missing).into());
    }
    let data = request::read(
        &args.data,
        &ReadRequest {
            label: args.label.clone(),
            labels: args.labels.clone(),
            // Rows that are not nominal are not even looked at, unless the classes come from another file.
            only: if args.labels.is_none() { args.nominal.clone() } else { Vec::new() },
            precomputed: args.learn.precomputed,
            missing: request::takes_missing(&args.learn),
            ..request::read_request(&args.read, args.learn.dissimilarity.as_deref())?
        },
    )?;
    let nominal = data.nominal(&args.nominal)?;
    let samples = if nominal.len() == data.count() { data.samples } else { data.samples.select(&nominal) };
    fit(args, &params, &samples, &data.source)
}

fn fit(args: &FitArgs, params: &ValidParams, samples: &AnySamples, source: &str) -> Result<ExitCode> {
    let measure = request::measure(samples, &args.learn)?;
    let start = Instant::now();
    let bar = Bar::new();
    let trained =
        samples.fit(params, measure, &bar).map_err(|e| anyhow::Error::new(e).context(source.to_owned()))?;
    drop(bar);
    let seconds = start.elapsed().as_secs_f64();
    trained.model.save(&args.output)?;
    for warning in &trained.warnings {
        eprintln!("warning: {warning}");
    }
    if args.json {
        output::json(&summary(&trained, seconds))?;
    } else {
        text(args, &trained, seconds)?;
    }
    if trained.stop == StopReason::Cancelled {
        eprintln!("interrupted: the best model so far is in {}", args.output.display());
        return Ok(ExitCode::from(exit_code::INTERRUPTED));
    }
    Ok(ExitCode::SUCCESS)
}

fn summary(trained: &Trained<AnyModel>, seconds: f64) -> Value {
    let mut value = describe(&trained.model);
    value["seconds"] = json!(seconds);
    value["warnings"] = json!(trained.warnings);
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

/// What the search did, in words.
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

fn text(args: &FitArgs, trained: &Trained<AnyModel>, seconds: f64) -> Result<()> {
    let model = &trained.model;
    let s = model.summary();
    let sizes: Vec<usize> = model.regions().iter().map(eocc_core::region::Region::size).collect();
    output::pairs(&[
        ("samples", in_words(model)),
        ("preset", format!("{}, {}", model.params().preset.name(), model.measure().name())),
        ("graph", format!("k = {}, eta = {}", s.neighbors, output::number(s.eta))),
        (
            "regions",
            format!("{} of {} samples", counted(sizes.len(), "region"), output::shortened(&sizes, 8)),
        ),
        ("trimmed", trimmed(model)),
        ("search", search(model.params().search, s)),
        ("model", format!("{} ({:.2} s)", args.output.display(), seconds)),
    ])
}

/// The training samples that count as nobody's neighbour, in words.
pub(crate) fn trimmed(model: &AnyModel) -> String {
    match model.trimmed() {
        [] => "none".to_owned(),
        some => format!("{}, far out: {}", counted(some.len(), "sample"), output::shortened(some, 8)),
    }
}

/// How many samples of what a model was fitted on.
pub(crate) fn in_words(model: &AnyModel) -> String {
    let s = model.summary();
    match s.features {
        0 => format!("{} {}", s.samples, model.kind().name()),
        features => format!("{} with {}", s.samples, counted(features, "feature")),
    }
}
