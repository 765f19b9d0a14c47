//! The content of a report as plain data: computed once, then shown as a page, as pictures, or in Python.

mod labelled;
mod landmarks;
mod map;
mod packed;
mod sampling;
mod thresholds;
mod words;

use eocc_core::jensen::DescentStep;
use eocc_core::region::Centrality;
use eocc_core::{AnyModel, AnySamples, Decision, Observer, Result};
use serde::Serialize;

use crate::findings::Finding;
use crate::kernel_density::KernelDensity;
use crate::stream::StreamReport;

pub use labelled::{Confusion, Labelled, Mistake};
pub use map::{Map, compares_training};
pub(crate) use packed::base64;
pub use packed::{Indices, Numbers};
pub use thresholds::Slider;
pub use words::{cut, number};

/// Only this many of the largest regions get their own curve.
pub const MAX_CURVES: usize = 24;
/// Number of points of a density curve.
const STEPS: usize = 160;
/// Maximum number of stored evaluations of a search; if there are more, the best of each run.
const MAX_EVALUATIONS: usize = 2000;

/// New samples to show next to the training samples.
#[derive(Debug, Clone, Copy)]
pub struct NewSamples<'a> {
    /// The samples, in the form of the model's.
    pub samples: &'a AnySamples,
    /// The decisions about them.
    pub decisions: &'a [Decision],
    /// The row of the file that each comes from.
    pub rows: &'a [usize],
    /// Their names, if any.
    pub names: Option<&'a [String]>,
    /// Whether each is nominal, if known.
    pub is_nominal: Option<&'a [bool]>,
}

/// The content of a report.
#[derive(Debug, Clone, Serialize)]
pub struct ReportData {
    /// The heading.
    pub title: String,
    /// How the model was trained, and what to expect of a new sample.
    pub sentences: Vec<String>,
    /// Facts of the model, by name and value.
    pub facts: Vec<(String, String)>,
    /// The parts left out, and why.
    pub notes: Vec<String>,
    /// The most unusual samples, similar ones together; empty if not requested.
    #[serde(skip)]
    pub findings: Vec<Finding>,
    /// The mean share of each feature in the explanations of the rejected samples, largest first; empty if not
    /// requested.
    #[serde(skip)]
    pub importance: Vec<(String, f64)>,
    /// The stream over time, if the model follows one.
    #[serde(skip)]
    pub stream: Option<StreamReport>,
    /// Whether the differences are of closeness (`paper`) or of scores.
    pub is_closeness: bool,
    /// The regions, largest first.
    pub regions: Vec<RegionData>,
    /// All samples: first the training samples, then the new ones.
    pub samples: SampleColumns,
    /// How many of them are training samples.
    pub training: usize,
    /// The drawn samples.
    pub map: Map,
    /// Why each sample of the map is judged as it is; empty if not requested.
    pub why: Vec<Why>,
    /// The densities of the differences of the largest regions.
    pub density: Vec<DensityCurve>,
    /// How many would be accepted at other thresholds.
    pub slider: Slider,
    /// Comparison with labels.
    pub labelled: Option<Labelled>,
    /// Parameters of the dissimilarity by name: the weight of each feature.
    pub weights: Vec<(String, f64)>,
    /// The views of a committee and their weights.
    pub views: Vec<(String, f64)>,
    /// The descent over `k`.
    pub descent: Vec<DescentStep>,
    /// The `k` it led to.
    pub neighbors: usize,
    /// The objective of every evaluation of the search.
    pub search: Vec<f64>,
    /// Time and memory by stage, if the caller knows them: name and words.
    pub stages: Vec<(String, String)>,
}

/// A region.
#[derive(Debug, Clone, Serialize)]
pub struct RegionData {
    /// Its number of training samples.
    pub size: usize,
    /// `t`, the difference at which membership is `exp(-1/2)`.
    pub threshold: f64,
}

/// All samples, column by column.
#[derive(Debug, Clone, Default, Serialize)]
pub struct SampleColumns {
    /// The row of the file, or the index among the training samples; empty if they are in order, each from 0.
    pub row: Indices,
    /// Names; empty if no sample has one, or if they would make up most of the page.
    pub name: Vec<String>,
    /// Scores.
    pub score: Numbers,
    /// Degrees of membership.
    pub membership: Numbers,
    /// P-values.
    pub p_value: Numbers,
    /// Differences to the most central sample of the region; for our own pictures only, since they follow from the
    /// others.
    #[serde(skip)]
    pub difference: Numbers,
    /// Regions.
    pub region: Indices,
    /// `1` for each accepted sample, `0` for the others.
    pub accepted: String,
    /// `n` for each sample labelled nominal, `o` for outliers, `-` for those without a label.
    pub label: String,
    /// Indices of the trimmed training samples.
    pub trimmed: Indices,
}

/// Why a sample is judged as it is.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Why {
    /// The features with the largest shares.
    pub features: Vec<FeatureShare>,
    /// Names of the nearest nominals and their distances.
    pub nearest: Vec<(String, f64)>,
    /// How the sample differs from the nearest of them: aligned strings, steps of series, edits of graphs.
    pub matched: Option<String>,
}

/// The share of a feature in a decision.
#[derive(Debug, Clone, Serialize)]
pub struct FeatureShare {
    /// Its name.
    pub name: String,
    /// Its share, in [0, 1].
    pub share: f64,
    /// The value of the sample.
    pub value: String,
    /// The usual values among the nominals.
    pub usual: String,
}

/// The density of the differences in a region.
#[derive(Debug, Clone, Serialize)]
pub struct DensityCurve {
    /// Which region.
    pub region: usize,
    /// Differences, ascending from 0.
    pub x: Vec<f64>,
    /// The density there.
    pub y: Vec<f64>,
}

impl ReportData {
    /// Describes a model, and new samples if given. `title` is for the heading.
    pub fn new(
        model: &AnyModel,
        title: &str,
        new: Option<NewSamples<'_>>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        Self::with_training(model, title, &model.training_decisions(), new, observer)
    }

    /// Describes a model whose training samples are under examination themselves, as in a search for outliers: the
    /// page shows these decisions about them.
    pub fn of_outliers(
        model: &AnyModel,
        title: &str,
        decisions: &[Decision],
        observer: &dyn Observer,
    ) -> Result<Self> {
        Self::with_training(model, title, decisions, None, observer)
    }

    fn with_training(
        model: &AnyModel,
        title: &str,
        training: &[Decision],
        new: Option<NewSamples<'_>>,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut decisions = training.to_vec();
        decisions.extend(new.iter().flat_map(|new| new.decisions).copied());
        let differences: Vec<f64> =
            decisions.iter().enumerate().map(|(i, d)| thresholds::difference(model, i, d)).collect();
        let is_nominal = new.and_then(|new| new.is_nominal);
        let labelled = new.zip(is_nominal).map(|(new, is_nominal)| {
            Labelled::new(new.decisions, is_nominal, training.len(), model.boundary())
        });
        let keep = labelled.iter().flat_map(|l| l.mistakes.iter().map(|m| m.sample));
        let drawn = sampling::Drawn::new(&decisions, training.len(), &keep.collect::<Vec<_>>());
        let map = Map::new(model, new.map(|new| new.samples), &drawn, observer)?;
        let slider = Slider::new(model, &decisions, &differences, is_nominal);
        let mut notes = drawn.notes(training.len(), decisions.len());
        notes.extend(map.note());
        let samples = columns(model, new, &decisions, &differences, &mut notes);
        let parameters = model.parameters();
        Ok(Self {
            title: title.to_owned(),
            sentences: words::sentences(model),
            facts: words::facts(model),
            notes,
            findings: Vec::new(),
            importance: Vec::new(),
            is_closeness: model.centrality() == Centrality::Closeness,
            regions: regions(model),
            density: density(model, training, &differences),
            samples,
            training: training.len(),
            map,
            why: Vec::new(),
            slider,
            labelled,
            weights: parameters.into_iter().map(|p| (p.name, p.value)).collect(),
            views: model.views(),
            descent: model.record().descent.clone(),
            neighbors: model.summary().neighbors,
            search: thinned(&model.record().search),
            stages: Vec::new(),
            stream: None,
        })
    }

    /// As JSON text; numbers that are not finite are `null`.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

fn regions(model: &AnyModel) -> Vec<RegionData> {
    let region =
        |r: &eocc_core::region::Region| RegionData { size: r.size(), threshold: r.membership().threshold };
    model.regions().iter().map(region).collect()
}

/// Names that take more than this many bytes are left out.
const MAX_NAMES: usize = 1_500_000;
/// Maximum length of a stored name.
const MAX_NAME: usize = 120;

fn columns(
    model: &AnyModel,
    new: Option<NewSamples<'_>>,
    decisions: &[Decision],
    differences: &[f64],
    notes: &mut Vec<String>,
) -> SampleColumns {
    let training = model.summary().samples;
    let numbers = |f: fn(&Decision) -> f64| Numbers(decisions.iter().map(f).collect());
    let rows = (0..training).chain(new.iter().flat_map(|new| new.rows).copied());
    let label = |is_nominal: &bool| if *is_nominal { 'n' } else { 'o' };
    let labels: String = match new.and_then(|new| new.is_nominal) {
        Some(known) => std::iter::repeat_n('-', training).chain(known.iter().map(label)).collect(),
        None => "-".repeat(decisions.len()),
    };
    let mut name = Vec::new();
    let new_names = new.and_then(|new| new.names);
    if !model.names().is_empty() || new_names.is_some() {
        let own = |i: usize| model.names().get(i).map_or("", String::as_str);
        let of_new = |i: usize| new_names.and_then(|names| names.get(i)).map_or("", String::as_str);
        let all = (0..training).map(own).chain((0..decisions.len() - training).map(of_new));
        name = all.map(|text| words::cut(text, MAX_NAME)).collect();
        if name.iter().map(String::len).sum::<usize>() > MAX_NAMES {
            name = Vec::new();
            notes.push("The names of the samples are left out, since they would make up most of this page; samples are identified by their rows.".into());
        }
    }
    let in_order = (0..training).chain(0..decisions.len() - training);
    let rows: Vec<usize> = rows.collect();
    let rows = if rows.iter().copied().eq(in_order) { Vec::new() } else { rows };
    SampleColumns {
        row: Indices(rows.into_iter().map(|row| row as u32).collect()),
        name,
        score: numbers(|d| d.score),
        membership: numbers(|d| d.membership),
        p_value: numbers(|d| d.p_value),
        difference: Numbers(differences.to_vec()),
        region: Indices(decisions.iter().map(|d| d.region as u32).collect()),
        accepted: decisions.iter().map(|d| if d.accepted { '1' } else { '0' }).collect(),
        label: labels,
        trimmed: Indices(model.trimmed().to_vec()),
    }
}

/// The densities of the differences of the training samples, by region, at common points.
fn density(model: &AnyModel, training: &[Decision], differences: &[f64]) -> Vec<DensityCurve> {
    let mut values = vec![Vec::new(); model.regions().len()];
    for (d, &difference) in training.iter().zip(differences) {
        if let Some(of_region) = values.get_mut(d.region) {
            of_region.push(difference);
        }
    }
    values.truncate(MAX_CURVES);
    let finite = values.iter().flatten().copied().filter(|v| v.is_finite());
    let largest = finite.fold(0.0, f64::max);
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let curve = |(region, values): (usize, Vec<f64>)| {
        let density = KernelDensity::new(values, 0.015 * largest);
        let x: Vec<f64> = (0..=STEPS).map(|i| 1.05 * largest * i as f64 / STEPS as f64).collect();
        let y = x.iter().map(|&x| density.at(x)).collect();
        DensityCurve { region, x, y }
    };
    values.into_iter().enumerate().map(curve).collect()
}

/// The evaluations of a search; if there are many, the best of each run.
fn thinned(history: &[f64]) -> Vec<f64> {
    let run = history.len().div_ceil(MAX_EVALUATIONS).max(1);
    history.chunks(run).map(|some| some.iter().copied().fold(f64::INFINITY, f64::min)).collect()
}

/// A decision to modify: only a model makes them.
#[cfg(test)]
fn any_decision() -> Decision {
    let samples = eocc_core::Vectors::from_rows(&[[0.0], [1.0], [2.5], [4.0]].map(Vec::from)).unwrap();
    let model = eocc_core::OneClass::new(eocc_core::Preset::Default).fit(&samples).unwrap();
    model.training_decisions()[0]
}
