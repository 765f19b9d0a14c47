//! `eocc fit`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use eocc::model::Summary;
use eocc::{Model, SampleSet, SearchKind, StopReason, Store, Trained, with_samples};
use serde_json::{Value, json};

use crate::cli::FitArgs;
use crate::progress::Bar;
use crate::{exit_code, input, output};

pub(crate) fn run(args: &FitArgs) -> Result<ExitCode> {
    let params = input::params(&args.learn)?;
    if args.output.as_os_str() == "-" {
        return Err(
            eocc::Error::parameter("output", "-", "a file; standard output tells about the fit").into()
        );
    }
    // Before the work, not after it.
    let folder = eocc::atomic::folder_of(&args.output);
    if !folder.is_dir() {
        let missing =
            std::io::Error::new(std::io::ErrorKind::NotFound, "the folder does not exist, create it first");
        return Err(eocc::Error::io(&args.output, missing).into());
    }
    let asked = input::Asked {
        label: args.label.as_deref(),
        labels: args.labels.as_deref(),
        split: None,
        dissimilarity: args.learn.dissimilarity.as_deref(),
        precomputed: args.learn.precomputed,
    };
    // Rows that are not nominal are not even looked at, unless the classes come from elsewhere.
    let early = args.nominal.as_deref().filter(|_| args.labels.is_none());
    let data = input::read(&args.data, &asked, early, &args.read)?;
    let nominal = data.nominal(args.nominal.as_deref())?;
    let count = data.count();
    with_samples!(data.samples, samples => {
        let all = nominal.len() == count;
        fit(args, &params, &if all { samples } else { samples.select(&nominal) }, &data.source)
    })
}

fn fit<X: Store>(args: &FitArgs, params: &eocc::ValidParams, samples: &X, source: &str) -> Result<ExitCode> {
    let measure = input::measure::<X>(&args.learn)?;
    let start = Instant::now();
    let bar = Bar::new();
    let trained = params
        .fit_watched(samples, measure, &bar)
        .map_err(|e| anyhow::Error::new(e).context(source.to_owned()))?;
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

fn summary<X: SampleSet>(trained: &Trained<X>, seconds: f64) -> Value {
    let mut value = describe(&trained.model);
    value["seconds"] = json!(seconds);
    value["warnings"] = json!(trained.warnings);
    value
}

/// The facts of a model that `fit --json` and `inspect --json` share.
pub(crate) fn describe<X: SampleSet>(model: &Model<X>) -> Value {
    let (s, p) = (model.summary(), model.params());
    let parameters = model.dissimilarity().parameters();
    let direct = p.representation.prototypes(s.samples).is_none();
    json!({
        "preset": p.preset.name(),
        "samples": s.samples,
        "features": s.features,
        "dissimilarity": model.dissimilarity().name(),
        "direct": direct,
        "prototypes": if direct { 0 } else { model.prototypes() },
        "k": s.neighbors,
        "regions": model.regions().iter().map(eocc::region::Region::size).collect::<Vec<_>>(),
        "eta": s.eta,
        "jensen": s.jensen,
        "alpha": p.alpha,
        "weights": parameters.iter().map(|p| p.value).collect::<Vec<_>>(),
        "search": { "name": p.search.name(), "evaluations": s.evaluations, "stop": s.stop.name() },
    })
}

/// What the search did, in words.
pub(crate) fn search(kind: SearchKind, summary: &Summary) -> String {
    let noun = if summary.evaluations == 1 { "evaluation" } else { "evaluations" };
    match summary.stop {
        StopReason::NoSearch => "none".to_owned(),
        stop => format!("{}, {} {noun}, stopped: {}", kind.name(), summary.evaluations, stop.name()),
    }
}

fn text<X: SampleSet>(args: &FitArgs, trained: &Trained<X>, seconds: f64) -> Result<()> {
    let model = &trained.model;
    let s = model.summary();
    let sizes: Vec<usize> = model.regions().iter().map(eocc::region::Region::size).collect();
    let noun = if sizes.len() == 1 { "region" } else { "regions" };
    output::pairs(&[
        ("samples", samples_in_words(s)),
        ("preset", format!("{}, {}", model.params().preset.name(), model.dissimilarity().name())),
        ("graph", format!("k = {}, eta = {}", s.neighbors, output::number(s.eta))),
        ("regions", format!("{} {noun} of {} samples", sizes.len(), output::shortened(&sizes, 8))),
        ("search", search(model.params().search, s)),
        ("model", format!("{} ({:.2} s)", args.output.display(), seconds)),
    ])
}

fn samples_in_words(summary: &Summary) -> String {
    match summary.features {
        0 => summary.samples.to_string(),
        features => format!("{} with {features} features", summary.samples),
    }
}
