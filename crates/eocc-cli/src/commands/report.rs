//! `eocc report`: a model and its decisions as a page to look at.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::{AnyModel, AnySamples, AnyStream, Decision, Error};
use eocc_data::{Dataset, ReadRequest, atomic_write};
use eocc_report::findings::Finding;
use eocc_report::outliers::mean_shares;
use eocc_report::report::{FeatureShare, Why, compares_training};
use eocc_report::stream::StreamReport;
use eocc_report::why::Reasons;
use eocc_report::{NewSamples, ReportData};
use rayon::prelude::*;
use serde_json::Value;

use crate::cli::{ModelDataArgs, ReportArgs};
use crate::judging::{never_rejects, reject_at};
use crate::output::{SHORT_STYLE, STYLE, counted};
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{request, say};

/// Nearest nominals listed on a page.
const NEAREST: usize = 5;
/// Maximum length of all texts next to nearest nominals together, and minimum and maximum length of each.
const MATCHED_TOTAL: usize = 1_200_000;
const MATCHED: std::ops::RangeInclusive<usize> = 240..=4000;
/// Maximum length of a value or a name on the page.
const LETTERS: usize = 80;
/// Neighbors used for the shares of features.
const NEAREST_SHARED: usize = 10;
/// Findings at the top of a page, and the minimum number of samples to search for them.
pub(crate) const MAX_FINDINGS: usize = 20;
const MIN_LOOKED_AT: usize = 10;

pub(crate) fn run(args: &ReportArgs) -> Result<ExitCode> {
    let inputs = Inputs::default()
        .with("model", &args.of.model)
        .with_optional("data", args.of.data.as_ref())
        .with_optional("labels", args.of.labels.as_ref())
        .with_optional("fit", args.fit.as_ref());
    inputs.refuse("output", &args.output)?;
    outputs::refuse_same(&[("output", Some(&args.output))])?;
    let stages = args.fit.as_deref().map(stages).transpose()?.unwrap_or_default();
    let model = request::load(&args.of.model)?;
    let mut judged = scored_data(&model, &args.of)?;
    if let (Some(share), Some(judged)) = (args.reject, &mut judged) {
        if let Some(warning) = never_rejects(&model, share) {
            say::warning(&warning);
        }
        reject_at(Some(share), &mut judged.decisions);
    }
    let title = args.title.clone().unwrap_or_else(|| title(&args.of));
    let mut data = report_data(&model, &title, judged.as_ref())?;
    data.stages = stages;
    // A plain model has none.
    data.stream = AnyStream::load(&args.of.model)
        .ok()
        .and_then(|stream| StreamReport::new(stream.seen(), stream.history(), &stream.events()));
    write(&args.output, &data)
}

/// The requested new samples, and the model's decisions about them.
pub(crate) struct ScoredData {
    pub(crate) data: Dataset,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) is_nominal: Option<Vec<bool>>,
}

/// Reads and judges the data, if given.
pub(crate) fn scored_data(model: &AnyModel, args: &ModelDataArgs) -> Result<Option<ScoredData>> {
    let Some(path) = &args.data else {
        if args.label.is_some() || args.labels.is_some() || !args.nominal.is_empty() {
            let allowed = "given together with DATA, whose samples are labelled";
            return Err(Error::parameter("label", "given", allowed).into());
        }
        return Ok(None);
    };
    let read = ReadRequest {
        label: args.label.clone(),
        labels: args.labels.clone(),
        ..request::read_request(&args.read, args.id.as_ref(), None)?
    };
    let data = request::read_like(path, request::model_reader(model, path, args.missing, read)?)?;
    let bar = Bar::new();
    let decisions = model.decide_with(&data.samples, model.params().scoring, &bar);
    let decisions =
        decisions.map_err(|e| anyhow::Error::new(data.located(e)).context(data.source.clone()))?;
    drop(bar);
    let is_nominal = if args.nominal.is_empty() {
        None
    } else {
        let nominal = data.nominal(&args.nominal)?;
        Some((0..data.count()).map(|i| nominal.binary_search(&i).is_ok()).collect())
    };
    Ok(Some(ScoredData { data, decisions, is_nominal }))
}

/// The content of a report, including reasons.
pub(crate) fn report_data(model: &AnyModel, title: &str, judged: Option<&ScoredData>) -> Result<ReportData> {
    let bar = Bar::new();
    let mut data = without_reasons(model, title, judged, &bar)?;
    data.why = reasons(model, judged, &data, &bar)?;
    data.findings = findings(model, judged, &bar)?;
    let reference = model.reference();
    let samples = judged.map_or(&reference, |judged| &judged.data.samples);
    if judged.is_some() || compares_training(model) {
        data.importance = mean_shares(model, samples, NEAREST_SHARED, &bar)?;
    }
    Ok(data)
}

/// The page of `outliers`: the training samples with these decisions, including reasons.
pub(crate) fn outliers_data(model: &AnyModel, title: &str, decisions: &[Decision]) -> Result<ReportData> {
    let bar = Bar::new();
    let mut data = ReportData::of_outliers(model, title, decisions, &bar)?;
    data.why = reasons(model, None, &data, &bar)?;
    data.importance = mean_shares(model, &model.reference(), NEAREST_SHARED, &bar)?;
    Ok(data)
}

/// The most unusual of the new samples, or of the training samples: the rejected ones, and a few in any case.
fn findings(model: &AnyModel, judged: Option<&ScoredData>, bar: &Bar) -> Result<Vec<Finding>> {
    let reference = model.reference();
    let training = model.training_decisions();
    let (samples, decisions) = match judged {
        Some(judged) => (&judged.data.samples, &judged.decisions),
        None => (&reference, &training),
    };
    // The model may hold fewer samples than it was fitted on, or nothing to compare them by.
    if samples.count() != decisions.len() || (judged.is_none() && !compares_training(model)) {
        return Ok(Vec::new());
    }
    let title = |i: usize| {
        let row = judged.map_or(i, |judged| judged.data.row(i));
        let name = match judged {
            Some(judged) => judged.data.names.as_ref().map(|names| &names[i]),
            None => model.names().get(i),
        };
        name.map_or_else(|| format!("row {row}"), |name| format!("{name} (row {row})"))
    };
    let rejected = decisions.iter().filter(|decision| !decision.accepted).count();
    let mut order: Vec<usize> = (0..decisions.len()).collect();
    order.sort_by(|&a, &b| decisions[a].score.total_cmp(&decisions[b].score));
    order.truncate(rejected.max(MIN_LOOKED_AT));
    let judged = eocc_report::findings::DecidedSamples { samples, decisions, title: &title };
    Ok(judged.findings(model, &order, MAX_FINDINGS, SHORT_STYLE, bar)?)
}

/// Like [`findings`], without reasons, which plots do not show.
pub(crate) fn without_reasons(
    model: &AnyModel,
    title: &str,
    judged: Option<&ScoredData>,
    bar: &Bar,
) -> Result<ReportData> {
    let rows: Vec<usize> =
        judged.map(|j| (0..j.data.count()).map(|i| j.data.row(i)).collect()).unwrap_or_default();
    let new = judged.map(|j| NewSamples {
        samples: &j.data.samples,
        decisions: &j.decisions,
        rows: &rows,
        names: j.data.names.as_deref(),
        is_nominal: j.is_nominal.as_deref(),
    });
    Ok(ReportData::new(model, title, new, bar)?)
}

/// Why each sample of the map is judged as it is. Training samples that the model does not hold have no reasons.
fn reasons(model: &AnyModel, judged: Option<&ScoredData>, data: &ReportData, bar: &Bar) -> Result<Vec<Why>> {
    let reasons = Reasons::new(model, STYLE);
    let drawn: Vec<usize> = data.map.sample.0.iter().map(|&i| i as usize).collect();
    let (training, new) = drawn.split_at(data.map.training);
    let new: Vec<usize> = new.iter().map(|i| i - data.training).collect();
    let letters = (MATCHED_TOTAL / drawn.len().max(1)).clamp(*MATCHED.start(), *MATCHED.end());
    let of = |samples: &AnySamples| -> Result<Vec<Why>> {
        let explained = model.explain(samples, NEAREST, bar)?;
        let why = |(i, explanation): (usize, &eocc_core::Explanation)| {
            let Why { features, nearest, matched } = reasons.why(&samples.select(&[i]), explanation);
            let share = |f: FeatureShare| FeatureShare {
                name: shortened(&f.name, LETTERS),
                share: rounded(f.share),
                value: shortened(&f.value, LETTERS),
                usual: shortened(&f.usual, LETTERS),
            };
            Why {
                features: features.into_iter().map(share).collect(),
                nearest: nearest
                    .iter()
                    .map(|(name, far)| (shortened(name, LETTERS), rounded(*far)))
                    .collect(),
                matched: matched.map(|text| shortened(&text, letters)),
            }
        };
        Ok(explained.par_iter().enumerate().map(|(i, e)| why((i, e))).collect())
    };
    let reference = model.reference();
    let mut all = if reference.count() == data.training && compares_training(model) {
        of(&reference.select(training))?
    } else {
        vec![Why::default(); training.len()]
    };
    if let Some(judged) = judged {
        all.extend(of(&judged.data.samples.select(&new))?);
    }
    Ok(all)
}

/// A text without its middle, if it is long.
fn shortened(text: &str, most: usize) -> String {
    eocc_report::report::cut(text, most)
}

/// A number with a useful number of digits, which makes the page shorter.
fn rounded(value: f64) -> f64 {
    format!("{value:.6e}").parse().unwrap_or(value)
}

/// The stages of a fit, from the output of `eocc fit --json`.
fn stages(path: &Path) -> Result<Vec<(String, String)>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|e| Error::input(format!("{}: not what `eocc fit --json` prints: {e}", path.display())))?;
    let mut stages = Vec::new();
    for stage in value["stages"].as_array().into_iter().flatten() {
        if let (Some(name), Some(seconds)) = (stage["name"].as_str(), stage["seconds"].as_f64()) {
            let peak = stage["peak"].as_f64().map(|bytes| format!(", at most {:.1} MB by then", bytes / 1e6));
            stages.push((name.to_owned(), format!("{seconds:.3} s{}", peak.unwrap_or_default())));
        }
    }
    if let Some(seconds) = value["seconds"].as_f64() {
        stages.push(("the fit as a whole".to_owned(), format!("{seconds:.3} s")));
    }
    for (key, name) in [("planned", "memory, as planned"), ("peak", "memory, at its peak")] {
        if let Some(bytes) = value["memory"][key].as_f64() {
            stages.push((name.to_owned(), format!("{:.1} MB", bytes / 1e6)));
        }
    }
    if stages.is_empty() {
        let text = format!("{}: not what `eocc fit --json` prints: no seconds and no memory", path.display());
        return Err(Error::input(text).into());
    }
    Ok(stages)
}

/// A heading with the names of the files.
pub(crate) fn title(args: &ModelDataArgs) -> String {
    let model = file_name(&args.model);
    match args.data.as_deref().map(file_name) {
        Some(data) => format!("{model} and {data}"),
        None => model,
    }
}

/// The name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Writes the page and reports its content.
pub(crate) fn write(path: &Path, data: &ReportData) -> Result<ExitCode> {
    let page = data.to_html()?;
    atomic_write(path, |w| w.write_all(page.as_bytes()))?;
    let samples = counted(data.samples.accepted.len(), "sample");
    say::line(&format!("{}: {samples}, {:.1} MB", path.display(), page.len() as f64 / 1e6));
    Ok(ExitCode::SUCCESS)
}
