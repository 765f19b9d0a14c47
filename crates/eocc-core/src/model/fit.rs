//! Fitting: from samples to a model, stage by stage in the order of the paper. First the scorer, then its calibration.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rayon::prelude::*;

use super::answer::require_complete;
use super::build_regions::{regions_by_closeness, regions_by_score};
use super::record::TrainingRecord;
use super::span::{Spanned, neighbors, span};
use super::{Model, Scales, Scorer, Space, Summary, TrainedGraph};
use crate::calibration::Calibration;
use crate::committee::{self, Learned};
use crate::dissimilarity::{Dissimilarity, SearchCache, View};
use crate::error::{Error, ErrorKind, InputFault, ParameterFault, Remedy, Result};
use crate::jensen::{Descent, Objective};
use crate::kinds::SampleKind;
use crate::knn::KnnLists;
use crate::observer::{Observer, Progress, Silent};
use crate::params::{OneClass, Preset, Threshold, ValidParams};
use crate::plan::{EXACT, Plan, Size, search_sizes};
use crate::region::ordered_members;
use crate::sample::{Sample, SampleSet};
use crate::synthesis::{Found, SearchKind, StopReason, Stopping, search};

/// Fewest samples to learn from: `k = 1` and the lists of `k + 1` need three.
pub const MIN_SAMPLES: usize = 3;
/// Folds of the training set by which a model is calibrated whose measure fits the training samples too well.
const FOLDS: usize = 10;
/// Beyond this many features a third of the folds must do.
const MANY_FEATURES: usize = 200;
/// Numbers of samples with which it is calibrated by folds: with fewer, too little is left to learn from without a
/// fold; with more, it makes no difference.
const CALIBRATED_BY_FOLDS: std::ops::RangeInclusive<usize> = 20..=2000;

/// Comparisons by which it is told how long one takes.
const TIMED: usize = 32;

/// A model and how it was found.
#[non_exhaustive]
pub struct Trained<M> {
    /// The model.
    pub model: M,
    /// The objective of every evaluation, in order.
    pub history: Vec<f64>,
    /// The parameters `p` of every evaluation.
    pub tried: Vec<Vec<f64>>,
    /// Why the search stopped.
    pub stop: StopReason,
    /// What the user should know: small samples, and the like.
    pub warnings: Vec<String>,
}

impl<M> Trained<M> {
    /// The same with another form of the model.
    pub fn map<N>(self, change: impl FnOnce(M) -> N) -> Trained<N> {
        let Self { model, history, tried, stop, warnings } = self;
        Trained { model: change(model), history, tried, stop, warnings }
    }
}

/// A scorer, and the scores of its training samples as if they were new.
struct Fitted<X: SampleSet> {
    scorer: Scorer<X>,
    as_new: Vec<f64>,
}

impl OneClass {
    /// Fits a model of `samples` under the measure that the preset takes for their kind.
    pub fn fit<X: SampleKind>(&self, samples: &X) -> Result<Model<X>> {
        let measure = X::measure(self.preset, None, &crate::Settings::default())?;
        Ok(self.clone().check()?.fit(samples, measure)?.model)
    }
}

impl ValidParams {
    /// Fits a model of `samples` under `dissimilarity`.
    pub fn fit<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    ) -> Result<Trained<Model<X>>> {
        self.fit_watched(samples, dissimilarity, &Silent)
    }

    /// The same, watched: `observer` sees the progress and may stop the search, which then returns the best so far.
    pub fn fit_watched<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Trained<Model<X>>> {
        require_complete(samples)?;
        let template = dissimilarity.boxed();
        let mut trained = self.fit_scorer(samples, dissimilarity, observer)?;
        let scorer = &trained.model.scorer;
        // Asked of the measure that has learned: what records need depends on their parts.
        let by_folds = scorer.dissimilarity.properties().needs_fold_calibration
            && self.search == SearchKind::None
            && CALIBRATED_BY_FOLDS.contains(&samples.count());
        if by_folds {
            let scores = self.scores_of_folds(samples, template.as_ref(), observer)?;
            trained.model.scorer.take_scores(&scores);
            trained.model.as_new = scores;
        }
        Ok(trained
            .map(|fitted| Model { scorer: fitted.scorer, calibration: Calibration::new(fitted.as_new) }))
    }

    /// The score of every training sample under a scorer that has seen nothing of its fold: neither its graph nor its
    /// measure.
    fn scores_of_folds<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: &dyn Dissimilarity<X::Item>,
        observer: &dyn Observer,
    ) -> Result<Vec<f64>> {
        // Correlations of many features take their time.
        let folds = if samples.features() > MANY_FEATURES { FOLDS / 3 } else { FOLDS };
        let done = AtomicUsize::new(0);
        let of_fold = |fold: usize| {
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..samples.count()).partition(|i| i % folds == fold);
            if observer.is_cancelled() {
                return Err(ErrorKind::Cancelled.into());
            }
            let watch = OfFold(observer);
            let fitted = self.fit_scorer(&samples.select(&train), dissimilarity.boxed(), &watch)?.model;
            let scorer = fitted.scorer;
            let test = samples.select(&test);
            let conformed = scorer.reference().conform(&test)?;
            let scored = scorer.score_all(&conformed.refs(), self.scoring, &watch)?;
            let scores = scored.iter().map(|of_region| scorer.score(of_region)).collect();
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            observer.progress(&Progress::Stage { name: "calibration", done, total: folds });
            Ok(scores)
        };
        let of_folds: Vec<Result<Vec<f64>>> = (0..folds).into_par_iter().map(of_fold).collect();
        let mut all = vec![0.0; samples.count()];
        for (fold, scores) in of_folds.into_iter().enumerate() {
            for (place, score) in scores?.into_iter().enumerate() {
                all[place * folds + fold] = score;
            }
        }
        Ok(all)
    }

    /// Learns the dissimilarity, searches its parameters and builds the regions.
    fn fit_scorer<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Trained<Fitted<X>>> {
        let mut dissimilarity = self.learned(samples, dissimilarity)?;
        let n = samples.count();
        let refs = samples.refs();
        let plan = Plan::new(self, &size(samples, dissimilarity.as_ref()))?;
        observer.progress(&Progress::Planned(&plan));
        let sizes = search_sizes(self, n);
        let stopping = Stopping { tau: self.tau, evaluations: self.evaluations, stages: sizes.len() };
        let parameters = dissimilarity.parameters();
        let mut searched = Searched::default();
        let mut found = search(self.search, &parameters, stopping, self.seed, observer, |p, stage| {
            dissimilarity.set(p);
            if self.spans_only_kept() {
                return Ok((0.0, None));
            }
            searched.choose(self, &refs, sizes[stage], dissimilarity.as_ref());
            let spanned = searched.span(self, &refs, dissimilarity.as_ref(), observer)?;
            Ok((spanned.admissible_eta(), Some(spanned)))
        })?;
        dissimilarity.set(&found.p);
        // What was cancelled is the search; the best so far is finished, unless nobody waits for it.
        let finishing = Finishing { inner: observer, ignore: found.stop == StopReason::Cancelled };
        if !self.spans_only_kept() {
            searched.choose(self, &refs, n, dissimilarity.as_ref());
            // A search on some of the samples has found `p`, not the graph of all.
            if self.preset == Preset::Paper && sizes.len() > 1 {
                found.value = Some(searched.span(self, &refs, dissimilarity.as_ref(), &finishing)?);
            }
        }
        let prototypes = searched.prototypes;
        let (mut history, tried, stop) = (found.history.clone(), found.tried.clone(), found.stop);
        let model = match self.preset {
            Preset::Paper => {
                self.by_closeness(samples, dissimilarity, prototypes, found, plan, &finishing)?
            }
            Preset::Default => {
                self.by_committee(samples, dissimilarity, (found.history, stop), plan, &finishing)?
            }
        };
        if self.spans_only_kept() {
            history = vec![model.scorer.graph.summary.eta];
        }
        let warnings = warnings(self, n);
        Ok(Trained { model, history, tried, stop, warnings })
    }

    /// A committee without a search spans its graph among the samples it keeps, and no other.
    fn spans_only_kept(&self) -> bool {
        self.preset == Preset::Default && self.search == SearchKind::None
    }

    /// The paper's scorer on the graph that the search found.
    fn by_closeness<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        prototypes: Option<Vec<usize>>,
        found: Found<Option<Spanned>>,
        mut plan: Plan,
        observer: &dyn Observer,
    ) -> Result<Fitted<X>> {
        let Some(spanned) = found.value else {
            return Err(Error::input("the search found no graph"));
        };
        let space = match (prototypes, spanned.points) {
            (Some(indices), Some(points)) => Space::Embedded { prototypes: samples.select(&indices), points },
            _ => Space::Direct { samples: samples.clone() },
        };
        let lists = Arc::new(spanned.lists.truncated(spanned.objective.neighbors));
        let members = ordered_members(&spanned.partition);
        let regions = regions_by_closeness(self, &lists, members, &mut plan, observer)?;
        let scales = Scales { bound: spanned.bound, unit: 1.0, ring_size: spanned.objective.neighbors };
        let summary = summary(samples, &spanned.objective, found.history.len(), found.stop);
        let record = TrainingRecord::new(spanned.steps, found.history, found.stop);
        let graph = TrainedGraph { params: (**self).clone(), plan, lists, regions, scales, summary, record };
        let (ready, views) = (OnceLock::new(), OnceLock::new());
        let scorer = Scorer { dissimilarity, space, graph, committee: None, ready, views };
        let as_new = scorer.training().iter().map(|of_region| scorer.score(of_region)).collect();
        Ok(Fitted { scorer, as_new })
    }

    /// The scorer of `default`: a committee of views, and regions on the graph of the first.
    fn by_committee<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: Box<dyn Dissimilarity<X::Item>>,
        (history, stop): (Vec<f64>, StopReason),
        mut plan: Plan,
        observer: &dyn Observer,
    ) -> Result<Fitted<X>> {
        let refs = samples.refs();
        let width = |kept: usize| neighbors(self.preset, kept).1 + 1;
        let Learned { mut committee, lists, as_new, recall } = committee::learn(
            &refs,
            dissimilarity.as_ref(),
            self.contamination,
            plan.neighbors.visits(),
            width,
            observer,
        )?;
        plan.recall = recall;
        let kept = committee.kept.len();
        let among_kept = lists_of(&lists, &committee.kept, width(kept));
        let descent = Descent::new(&among_kept, self.alpha, kept)?;
        let (objective, steps) = descent.descend_recorded(neighbors(self.preset, kept).0);
        let named = |part: Vec<u32>| part.into_iter().map(|v| committee.kept[v as usize]).collect();
        let members: Vec<Vec<u32>> =
            ordered_members(descent.partition(objective.neighbors)).into_iter().map(named).collect();
        committee.take_regions(&members, &lists);
        drop(descent);
        drop(among_kept);
        // Of many samples the nearest will do: the lists are for pictures, and files must be read fast.
        let width = if kept > EXACT { committee.ring_size } else { objective.neighbors };
        let lists = Arc::new(lists.truncated(width.min(objective.neighbors)));
        let scores: Vec<f64> = committee.oddity.iter().map(|o| -o).collect();
        let regions = regions_by_score(self, &lists, members, &scores);
        let scales = Scales { bound: 1.0, unit: 1.0, ring_size: committee.ring_size };
        let summary = summary(samples, &objective, history.len(), stop);
        let record = TrainingRecord::new(steps, history, stop);
        let graph = TrainedGraph { params: (**self).clone(), plan, lists, regions, scales, summary, record };
        let (ready, views) = (OnceLock::new(), OnceLock::new());
        let space = Space::Direct { samples: samples.clone() };
        let scorer = Scorer { dissimilarity, space, graph, committee: Some(committee), ready, views };
        Ok(Fitted { scorer, as_new: as_new.into_iter().map(|oddity| -oddity).collect() })
    }

    /// What the dissimilarity is after learning from `samples`; fails if they or it cannot be fitted.
    fn learned<X: SampleSet>(
        &self,
        samples: &X,
        mut dissimilarity: Box<dyn Dissimilarity<X::Item>>,
    ) -> Result<Box<dyn Dissimilarity<X::Item>>> {
        let n = samples.count();
        if n < MIN_SAMPLES {
            return Err(InputFault::TooFew { found: n, needed: MIN_SAMPLES }.into());
        }
        let refs = samples.refs();
        dissimilarity.learn(&refs, samples.feature_names())?;
        for (i, sample) in refs.iter().enumerate() {
            dissimilarity.check(sample).map_err(|e| Error::input(format!("sample {i}: {e}")))?;
        }
        if self.representation.prototypes(n).is_none() && !dissimilarity.properties().symmetric {
            return Err(ParameterFault {
                name: "dissimilarity".into(),
                given: dissimilarity.name().into(),
                allowed: "symmetric for a graph built on it directly; make its costs equal both ways".into(),
                remedy: Some(Remedy::UsePrototypes),
            }
            .into());
        }
        Ok(dissimilarity)
    }

    /// One evaluation of the objective under a learned dissimilarity as it stands, for benches.
    #[doc(hidden)]
    pub fn evaluate<X: SampleSet>(&self, samples: &X, d: &dyn Dissimilarity<X::Item>) -> Result<Objective> {
        let refs = samples.refs();
        let prototypes = self.representation.prototypes(refs.len()).map(|p| p.select(&refs, d, self.seed));
        Ok(span(self, &refs, prototypes.as_deref(), d, &mut SearchCache::default(), &Silent)?.objective)
    }
}

/// What a plan depends on.
fn size<X: SampleSet>(samples: &X, measure: &dyn Dissimilarity<X::Item>) -> Size {
    let views = measure.views();
    let n = samples.count();
    let is_slow = |view: &&View<X::Item>| !view.measure.fills_rows_fast();
    // A few comparisons, evenly spaced, to tell how long one takes.
    let some: Vec<&X::Item> = (0..TIMED).map(|t| samples.sample(t * n / TIMED)).collect();
    let prepared = measure.prepare(&some);
    let mut out = [0.0; TIMED];
    // Once before: the first takes longer.
    prepared.fill(samples.sample(0), 0..TIMED, &mut out);
    let start = Instant::now();
    prepared.fill(samples.sample(n / 2), 0..TIMED, &mut out);
    Size {
        samples: n,
        width: views
            .iter()
            .map(|view| view.measure.index_width())
            .collect::<Option<Vec<_>>>()
            .and_then(|w| w.into_iter().max()),
        views: views.len(),
        slow_views: views.iter().filter(is_slow).count(),
        bytes: samples.bytes() / n,
        seconds: start.elapsed().as_secs_f64() / TIMED as f64,
    }
}

/// The samples that a search evaluates `p` on.
#[derive(Default)]
struct Searched {
    indices: Vec<usize>,
    /// Which of them are prototypes; `None`: the graph is on the dissimilarity itself.
    prototypes: Option<Vec<usize>>,
    cache: SearchCache,
}

impl Searched {
    /// Takes `size` of the samples, evenly spaced, and the prototypes among them.
    fn choose<S: ?Sized + Sample>(
        &mut self,
        params: &OneClass,
        samples: &[&S],
        size: usize,
        d: &dyn Dissimilarity<S>,
    ) {
        if self.indices.len() == size {
            return;
        }
        self.indices = (0..size).map(|i| i * samples.len() / size).collect();
        let some: Vec<&S> = self.indices.iter().map(|&i| samples[i]).collect();
        self.prototypes = params.representation.prototypes(size).map(|p| p.select(&some, d, params.seed));
        self.cache = SearchCache::default();
    }

    /// The graph of these samples.
    fn span<S: ?Sized + Sample>(
        &mut self,
        params: &OneClass,
        samples: &[&S],
        d: &dyn Dissimilarity<S>,
        observer: &dyn Observer,
    ) -> Result<Spanned> {
        let some: Vec<&S> = self.indices.iter().map(|&i| samples[i]).collect();
        span(params, &some, self.prototypes.as_deref(), d, &mut self.cache, observer)
    }
}

fn summary<X: SampleSet>(
    samples: &X,
    objective: &Objective,
    evaluations: usize,
    stop: StopReason,
) -> Summary {
    Summary {
        samples: samples.count(),
        features: samples.features(),
        neighbors: objective.neighbors,
        eta: objective.eta,
        jensen: objective.jensen,
        evaluations,
        stop,
    }
}

/// The lists of some samples cut to `width`, in their own numbers; all neighbours must be among them.
fn lists_of(lists: &KnnLists, some: &[u32], width: usize) -> KnnLists {
    let mut number = vec![0_u32; lists.points()];
    for (&v, own) in some.iter().zip(0..) {
        number[v as usize] = own;
    }
    let neighbors = some.iter().flat_map(|&v| lists.neighbors(v as usize, width));
    let neighbors = neighbors.map(|&w| number[w as usize]).collect();
    let lengths = some.iter().flat_map(|&v| lists.lengths(v as usize, width).iter().copied()).collect();
    KnnLists::new(neighbors, lengths, width)
}

impl<X: SampleSet> Scorer<X> {
    /// Takes these scores for those of the training samples, found by models that have not seen them.
    fn take_scores(&mut self, scores: &[f64]) {
        let Some(committee) = &mut self.committee else { return };
        committee.oddity = scores.iter().map(|s| -s).collect();
        let params = self.graph.params.clone();
        let members = self.graph.regions.iter().map(|r| r.vertices.clone()).collect();
        self.graph.regions = regions_by_score(&params, &self.graph.lists, members, scores);
    }
}

fn warnings(params: &OneClass, n: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if let Threshold::Reject(share) = params.threshold {
        let smallest = 1.0 / (n as f64 + 1.0);
        if share < smallest {
            let needed = (1.0 / share).ceil() as usize - 1;
            warnings.push(format!(
                "with {n} samples no p-value is below {smallest:.4}, so nothing can be rejected at {share}; \
                 at least {needed} samples are needed for that"
            ));
        }
    }
    warnings
}

/// Passes progress on, and ignores cancellation if told to.
struct Finishing<'a> {
    inner: &'a dyn Observer,
    ignore: bool,
}

impl Observer for Finishing<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.inner.progress(progress);
    }

    fn is_cancelled(&self) -> bool {
        self.is_abandoned() || (!self.ignore && self.inner.is_cancelled())
    }

    fn is_abandoned(&self) -> bool {
        self.inner.is_abandoned()
    }
}

/// Passes cancellation on, but no progress: the stages of a fold are no stages of the whole.
struct OfFold<'a>(&'a dyn Observer);

impl Observer for OfFold<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }
}
