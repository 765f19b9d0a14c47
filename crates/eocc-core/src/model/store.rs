//! A model to and from the contents of a file. Whatever is read is checked: a file with a valid checksum can still
//! be made by anyone.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::file::{Contents, damaged};
use super::record::TrainingRecord;
use super::stored_committee::StoredCommittee;
use super::{Model, Scales, Scorer, Space, Summary, TrainedGraph};
use crate::calibration::Calibration;
use crate::committee::Committee;
use crate::dissimilarity::Dissimilarity;
use crate::error::{ModelFault, Result};
use crate::kinds::{Kinds, SampleKind};
use crate::knn::KnnLists;
use crate::matrix::Matrix;
use crate::membership::{Membership, Scale};
use crate::numbers::{from_tensors, to_tensors};
use crate::params::{OneClass, Preset};
use crate::plan::{EXACT, MIN_SOURCES, Plan};
use crate::region::Region;
use crate::sample::SampleSet;

/// What format 1 says of the paper's classifier and of no other: parameters that had other values once.
fn constants_of_paper() -> Value {
    json!({
        "dimension": "embedding",
        "neighbors": null,
        "centrality": "geodesic",
        "unit": "bounded",
        "locality": 0.0,
        "suspicion": 0.0,
        "scale": "linear",
        "comparison": "membership",
    })
}

/// Weights of edges, which format 1 has.
const EDGE_WEIGHTS: &str = "regions.weights";

#[derive(Serialize, Deserialize)]
struct Meta {
    kind: String,
    params: OneClass,
    dissimilarity: String,
    state: Value,
    samples: Value,
    scales: Scales,
    summary: Summary,
    written_by: String,
    #[serde(default, skip_serializing_if = "is_exact")]
    plan: Plan,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    committee: Option<StoredCommittee>,
    /// Files of earlier versions have none.
    #[serde(default, skip_serializing_if = "TrainingRecord::is_empty")]
    record: TrainingRecord,
}

/// Whether a plan is what it is where nothing is said.
fn is_exact(plan: &Plan) -> bool {
    plan.is_exact()
}

impl Meta {
    fn of(contents: &Contents) -> Result<Self> {
        let meta: Self = serde_json::from_value(contents.meta.clone())
            .map_err(|e| damaged(format!("the description of the model is not readable: {e}")))?;
        let params = &contents.meta["params"];
        let differs = |(key, value): (&String, &Value)| &params[key] != value;
        let is_earlier = match meta.params.preset {
            Preset::Paper => constants_of_paper().as_object().is_some_and(|all| all.iter().any(differs)),
            Preset::Default => meta.committee.is_none(),
        };
        if is_earlier {
            let text = "it was fitted by an earlier version, whose classifier is no more; fit it again";
            return Err(ModelFault::Unsupported(text.into()).into());
        }
        Ok(meta)
    }
}

impl<X: SampleSet> Model<X> {
    /// Everything but the samples that new ones are compared with, which the caller keeps. A dissimilarity of the
    /// user leaves no more than its name.
    pub fn to_parts(&self) -> Result<Contents> {
        self.contents("", Value::Null, Contents::default())
    }

    fn contents(&self, kind: &str, samples: Value, mut out: Contents) -> Result<Contents> {
        let graph = &self.scorer.graph;
        let state = self.dissimilarity().state().unwrap_or_default();
        let meta = Meta {
            kind: kind.into(),
            params: graph.params.clone(),
            dissimilarity: self.dissimilarity().name().into(),
            state: to_tensors(state, "state", &mut out),
            samples,
            scales: graph.scales,
            summary: graph.summary,
            written_by: concat!("eocc ", env!("CARGO_PKG_VERSION")).into(),
            plan: graph.plan,
            committee: self.scorer.committee.as_ref().map(|c| StoredCommittee::of(c, &mut out)),
            record: graph.record.clone(),
        };
        out.meta = serde_json::to_value(meta).map_err(|e| ModelFault::Unsupported(e.to_string()))?;
        if let (Preset::Paper, Value::Object(constants)) = (graph.params.preset, constants_of_paper()) {
            for (key, value) in constants {
                out.meta["params"][key] = value;
            }
        }
        let (n, k) = (graph.lists.points(), graph.lists.width());
        out.put_u32("lists.neighbors", &[n, k], graph.lists.all_neighbors());
        out.put_f64("lists.lengths", &[n, k], graph.lists.all_lengths());
        out.put_f64("calibration", &[n], self.calibration.scores());
        if let Space::Embedded { points, .. } = &self.scorer.space {
            out.put_f64("points", &[points.rows(), points.columns()], points.values());
        }
        let training = self.scorer.training();
        let region_of: Vec<u32> = training.iter().map(|t| t.region as u32).collect();
        let log_chi: Vec<f64> = training.iter().map(|t| t.log_chi).collect();
        let of_region = |r: &Region| [r.fuzzy.log_largest, r.fuzzy.threshold];
        let fuzzy: Vec<f64> = graph.regions.iter().flat_map(of_region).collect();
        out.put_u32("regions.of", &[n], &region_of);
        out.put_f64("regions.log_closeness", &[n], &log_chi);
        if self.scorer.committee.is_none() {
            out.put_f64(EDGE_WEIGHTS, &[n], &vec![1.0; n]);
        }
        out.put_f64("regions.membership", &[graph.regions.len(), 2], &fuzzy);
        Ok(out)
    }

    /// From [parts](Self::to_parts), the samples that new ones are compared with, and the dissimilarity.
    pub fn from_parts(
        contents: &Contents,
        reference: X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    ) -> Result<Self> {
        let meta = Meta::of(contents)?;
        let params = meta.params.clone().check().map_err(|e| damaged(e.to_string()))?;
        let n = meta.summary.samples;
        let space = space(contents, reference, n, &params)?;
        let lists = Arc::new(lists(contents, n, &meta.summary)?);
        let scales = meta.scales;
        let is_length = |v: f64| v > 0.0 && v.is_normal();
        if !is_length(scales.bound)
            || !is_length(scales.unit)
            || scales.ring_size == 0
            || (scales.ring_size > lists.width() && meta.committee.is_none())
        {
            return Err(damaged("the scales are out of range".into()));
        }
        let committee = match &meta.committee {
            Some(stored) => Some(stored.read(contents, n, &dissimilarity.views(), &meta.plan)?),
            None => None,
        };
        let is_ring = committee.as_ref().is_none_or(|c| c.ring_size == scales.ring_size);
        if !is_ring || (committee.is_none() && !are_ones(contents, n)?) {
            return Err(damaged("the scales are out of range".into()));
        }
        if meta.plan.closeness.sources().is_some_and(|count| count < MIN_SOURCES) {
            return Err(damaged("the plan is out of range".into()));
        }
        if !meta.record.is_possible(n) {
            return Err(damaged("the record of the training is out of range".into()));
        }
        let regions = regions(contents, &lists, committee.as_ref(), meta.plan.closeness.sources())?;
        let calibration = contents.f64s("calibration")?.0;
        if calibration.len() != n || !calibration.is_sorted() || calibration.iter().any(|s| !s.is_finite()) {
            return Err(damaged("the calibration is out of order".into()));
        }
        let graph = TrainedGraph {
            params: (*params).clone(),
            plan: meta.plan,
            lists,
            regions,
            scales,
            summary: meta.summary,
            record: meta.record,
        };
        let (ready, views) = (OnceLock::new(), OnceLock::new());
        let scorer = Scorer { dissimilarity, space, graph, committee, ready, views };
        let model = Self { scorer, calibration: Calibration::new(calibration) };
        model.check_dissimilarity()?;
        Ok(model)
    }

    fn check_dissimilarity(&self) -> Result<()> {
        let reference = self.reference();
        let fits = |i: usize| self.dissimilarity().check(reference.sample(i)).is_ok();
        let fits = (0..reference.count()).into_par_iter().with_min_len(1024).all(fits);
        if fits { Ok(()) } else { Err(damaged("the dissimilarity does not fit the samples".into())) }
    }
}

impl<X: SampleKind> Model<X> {
    /// Everything needed to score, as file contents. A custom dissimilarity is known by its name only: such
    /// a model is read [with the function at hand](Self::from_contents_with).
    pub fn to_contents(&self) -> Result<Contents> {
        let mut out = Contents::default();
        let samples = self.reference().write("samples", &mut out);
        self.contents(X::NAME, samples, out)
    }

    /// Saves the model atomically: a killed save leaves the old file.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.to_contents()?.save(path)
    }

    /// Loads a model of samples of this type.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_contents(&Contents::load(path)?)
    }

    /// From file contents.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        Self::from_contents_of(contents, &Kinds::default())
    }

    /// The same; parts of records are of these kinds.
    pub(crate) fn from_contents_of(contents: &Contents, kinds: &Kinds) -> Result<Self> {
        Self::read_with(contents, kinds, None)
    }

    /// From file contents, with the custom dissimilarity that the model was fitted with.
    pub fn from_contents_with(contents: &Contents, custom: Box<dyn Dissimilarity<X::Item>>) -> Result<Self> {
        Self::read_with(contents, &Kinds::default(), Some(custom))
    }

    fn read_with(
        contents: &Contents,
        kinds: &Kinds,
        custom: Option<Box<dyn Dissimilarity<X::Item>>>,
    ) -> Result<Self> {
        let meta = Meta::of(contents)?;
        if meta.kind != X::NAME {
            let text = format!("the model is of {}, not of {}", meta.kind, X::NAME);
            return Err(ModelFault::Unsupported(text).into());
        }
        let dissimilarity = || match custom {
            Some(custom) => Ok(custom),
            None => from_tensors(meta.state.clone(), contents, |state| {
                X::restore_measure(&meta.dissimilarity, state, kinds)
            }),
        };
        // Both are large.
        let (dissimilarity, reference) =
            rayon::join(dissimilarity, || X::read("samples", contents, &meta.samples, kinds));
        let dissimilarity = dissimilarity?;
        Self::from_parts(contents, reference?, dissimilarity)
    }
}

/// Whether the weights of edges, which format 1 has, are what they always are now.
fn are_ones(contents: &Contents, n: usize) -> Result<bool> {
    let weights = contents.f64s(EDGE_WEIGHTS)?.0;
    Ok(weights.len() == n && weights.iter().all(|w| (w - 1.0).abs() < f64::EPSILON))
}

fn space<X: SampleSet>(contents: &Contents, reference: X, n: usize, params: &OneClass) -> Result<Space<X>> {
    if n < super::MIN_SAMPLES || reference.count() == 0 {
        return Err(damaged("there are too few samples".into()));
    }
    if params.representation.prototypes(n).is_none() {
        if reference.count() != n {
            return Err(damaged("the number of samples is wrong".into()));
        }
        return Ok(Space::Direct { samples: reference });
    }
    let points = contents.matrix("points")?;
    if points.rows() != n || points.columns() != reference.count() {
        return Err(damaged("the embedding has another shape than the samples".into()));
    }
    Ok(Space::Embedded { prototypes: reference, points })
}

fn lists(contents: &Contents, n: usize, summary: &Summary) -> Result<KnnLists> {
    let (neighbors, shape) = contents.u32s("lists.neighbors")?;
    let lengths = contents.matrix("lists.lengths")?;
    let k = lengths.columns();
    // Large models keep fewer than were spanned.
    let is_width = k == summary.neighbors || (n > EXACT && k < summary.neighbors);
    if !is_width || shape != [n, k] || (lengths.rows(), lengths.columns()) != (n, k) || k == 0 || k >= n {
        return Err(damaged("the lists of neighbours have another shape than the samples".into()));
    }
    for i in 0..n {
        let row = lengths.row(i);
        let own = &neighbors[i * k..(i + 1) * k];
        if own.iter().any(|&j| j as usize >= n || j as usize == i) || row[0] < 0.0 || !row.is_sorted() {
            return Err(damaged(format!("the neighbours of sample {i} are out of range")));
        }
    }
    Ok(KnnLists::new(neighbors, lengths.into_values(), k))
}

fn regions(
    contents: &Contents,
    lists: &Arc<KnnLists>,
    committee: Option<&Committee>,
    sources: Option<usize>,
) -> Result<Vec<Region>> {
    let n = lists.points();
    let region_of = contents.u32s("regions.of")?.0;
    let log_chi = contents.f64s("regions.log_closeness")?.0;
    let fuzzy: Matrix = contents.matrix("regions.membership")?;
    let count = fuzzy.rows();
    let out = |what: &str| Err(damaged(format!("the regions are out of range: {what}")));
    if region_of.len() != n
        || log_chi.len() != n
        || fuzzy.columns() != 2
        || log_chi.iter().any(|c| c.is_nan() || *c == f64::INFINITY)
        || (committee.is_some() && log_chi.iter().any(|c| !c.is_finite()))
    {
        return out("their shape");
    }
    let mut trimmed = vec![false; n];
    for &v in committee.iter().flat_map(|c| &c.trimmed) {
        trimmed[v as usize] = true;
    }
    let is_trimmed = |v: usize| trimmed[v];
    let mut members = vec![Vec::new(); count];
    for (v, &r) in region_of.iter().enumerate() {
        let neighbors = lists.neighbors(v, lists.width());
        match members.get_mut(r as usize) {
            Some(_) if is_trimmed(v) => continue,
            Some(m) => m.push(v as u32),
            None => return out("a number"),
        }
        if neighbors.iter().any(|&w| region_of[w as usize] != r || is_trimmed(w as usize)) {
            return out("an edge leaves one");
        }
    }
    if count == 0 || members.iter().any(Vec::is_empty) {
        return out("one is empty");
    }
    // What a membership is measured by must be what it is: else differences are infinite, or none.
    let is_largest = |(r, vertices): (usize, &Vec<u32>)| {
        let largest = vertices.iter().map(|&v| log_chi[v as usize]).fold(f64::NEG_INFINITY, f64::max);
        largest.total_cmp(&fuzzy.row(r)[0]).is_eq()
    };
    if !members.iter().enumerate().all(is_largest) {
        return out("a membership");
    }
    // Closeness is a sum of shares of one sample each, of which there are no more than samples.
    if committee.is_none() && log_chi.iter().any(|c| *c > (n as f64).log2() + 1.0) {
        return out("a closeness");
    }
    let scale = if committee.is_some() { Scale::Logarithmic } else { Scale::Linear };
    let region = |(r, vertices): (usize, Vec<u32>)| {
        let log_chi = vertices.iter().map(|&v| log_chi[v as usize]).collect();
        let fuzzy = Membership { scale, log_largest: fuzzy.row(r)[0], threshold: fuzzy.row(r)[1].max(0.0) };
        Region::new(vertices, lists.clone(), log_chi, fuzzy).with_sources(sources)
    };
    Ok(members.into_iter().enumerate().map(region).collect())
}
