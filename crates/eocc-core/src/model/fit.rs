//! Fitting: the measure learns, a plan is made, and a judge is trained. Some measures overfit the training samples, so
//! that new samples look farther away. The judge is then calibrated by cross-validation. The steps of each judge are in
//! `closeness/fit.rs` and `committee/fit.rs`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::answer::{judge_all, require_complete};
use super::closeness::ClosenessJudge;
use super::committee::CommitteeJudge;
use super::judge::{JudgeKind, Task};
use super::planning::{EXACT_COMPARED, NEAREST, NEAREST_TRIMMED, SUBSET, Size, Spared, TableSize};
use super::{Model, Origin, Summary, TrainingRecord};
use crate::dissimilarity::{Dissimilarity, View};
use crate::error::{Error, ErrorKind, InputFault, ParameterFault, Remedy, Result};
use crate::kinds::SampleKind;
use crate::knn::{MIN_BOUNDED, work_by_bounds};
use crate::observer::{Observer, Progress, Silent};
use crate::parallel;
use crate::params::{OneClass, Preset};
use crate::plan::Plan;
use crate::sample::{Sample, SampleSet};
use crate::synthesis::{SearchKind, StopReason};

/// Minimum number of training samples: even for `k = 1`, each sample's list holds `k + 1 = 2` others.
pub const MIN_SAMPLES: usize = 3;
/// Number of folds for calibration.
const FOLDS: usize = 10;
/// Beyond this many features, use a third of the folds.
const MANY_FEATURES: usize = 200;
/// Calibrate by folds for these numbers of samples: with fewer, a fold leaves too few to train on; with more, the
/// effect is negligible.
const FOLD_CALIBRATION_SAMPLES: std::ops::RangeInclusive<usize> = 20..=2000;
/// How many comparisons to time; the larger count is used if the smaller one finishes too fast to measure.
const TIMED_COMPARISONS: [usize; 2] = [32, 1024];
/// A shorter run is too fast to measure.
const MIN_RUN_SECONDS: f64 = 1e-4;
/// Number of timing runs.
const TIMING_RUNS: usize = 4;
/// A run this long is not repeated.
const LONG_RUN_SECONDS: f64 = 1e-2;

impl OneClass {
    /// Fits a model to `samples` with the default measure of the preset for their kind.
    pub fn fit<X: SampleKind>(&self, samples: &X) -> Result<Model<X>> {
        let measure = X::measure(self.preset, None, &crate::Settings::default())?;
        self.fit_with(samples, measure, &Silent)
    }

    /// Fits a model to `samples` with `measure`. The observer sees the progress and may stop a search, which then
    /// returns the best result so far.
    pub fn fit_with<X: SampleSet>(
        &self,
        samples: &X,
        measure: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Model<X>> {
        match self.preset {
            Preset::Paper => train::<ClosenessJudge<X>, X>(self, samples, measure, observer),
            Preset::Default => train::<CommitteeJudge<X>, X>(self, samples, measure, observer),
        }
    }

    /// Fits the committee of `default` without panels (subsets of columns, and relations between them). Streams use
    /// this for their window, because views can be updated as samples come and go, but panels cannot.
    #[doc(hidden)]
    pub fn fit_without_panels<X: SampleSet>(
        &self,
        samples: &X,
        measure: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Model<X>> {
        calibrated::<CommitteeJudge<X>, X>(self, samples, measure, false, observer)
    }
}

/// Like [`OneClass::fit_with`], with this judge instead of the preset's.
pub fn train<J: JudgeKind<X>, X: SampleSet>(
    params: &OneClass,
    samples: &X,
    measure: Box<dyn Dissimilarity<X::Item>>,
    observer: &dyn Observer,
) -> Result<Model<X>> {
    calibrated::<J, X>(params, samples, measure, true, observer)
}

/// Trains a judge, and calibrates it by cross-validation if its measure needs that.
fn calibrated<J: JudgeKind<X>, X: SampleSet>(
    params: &OneClass,
    samples: &X,
    measure: Box<dyn Dissimilarity<X::Item>>,
    panels: bool,
    observer: &dyn Observer,
) -> Result<Model<X>> {
    let params = params.clone().check()?;
    require_complete(samples)?;
    let template = measure.boxed();
    let mut model = trained::<J, X>(&params, samples, measure, panels, observer)?;
    // Use the fitted measure here: for records, the answer depends on the parts.
    let folds = folds(&params, samples, model.dissimilarity());
    if folds > 0 {
        let scores =
            cross_validated_scores::<J, X>(&params, samples, template.as_ref(), folds, panels, observer)?;
        model.judge.recalibrate(scores);
    }
    Ok(model)
}

/// Fits the measure, makes a plan, and trains the judge.
fn trained<J: JudgeKind<X>, X: SampleSet>(
    params: &OneClass,
    samples: &X,
    measure: Box<dyn Dissimilarity<X::Item>>,
    panels: bool,
    observer: &dyn Observer,
) -> Result<Model<X>> {
    let measure = learn_measure(params, samples, measure)?;
    let folds = folds(params, samples, measure.as_ref());
    let plan = Plan::new(params, &size(params, samples, measure.as_ref(), folds))?;
    observer.progress(&Progress::Planned(&plan));
    let summary = Summary {
        samples: samples.count(),
        features: samples.features(),
        neighbors: 0,
        eta: 1.0,
        jensen: 0.0,
        evaluations: 0,
        stop: StopReason::NoSearch,
    };
    let origin = Origin { params: params.clone(), plan, summary, record: TrainingRecord::default() };
    J::train(Task { samples, measure, origin, observer, panels })
}

/// Lets the measure learn from `samples`; fails if there are too few, or the measure is not defined for them.
fn learn_measure<X: SampleSet>(
    params: &OneClass,
    samples: &X,
    mut measure: Box<dyn Dissimilarity<X::Item>>,
) -> Result<Box<dyn Dissimilarity<X::Item>>> {
    let n = samples.count();
    if n < MIN_SAMPLES {
        return Err(InputFault::TooFew { found: n, needed: MIN_SAMPLES }.into());
    }
    let refs = samples.refs();
    measure.learn(&refs, samples.feature_names())?;
    for (i, sample) in refs.iter().enumerate() {
        measure.check(sample).map_err(|e| Error::input(format!("sample {i}: {e}")))?;
    }
    if params.representation.prototypes(n).is_none() && !measure.properties().symmetric {
        return Err(ParameterFault {
            name: "dissimilarity".into(),
            given: measure.name().into(),
            allowed:
                "symmetric if the graph is built without prototypes; use equal insertion and deletion costs"
                    .into(),
            remedy: Some(Remedy::UsePrototypes),
        }
        .into());
    }
    // Clamps the initial values of tunable parameters to their ranges.
    let p: Vec<f64> = measure.parameters().iter().map(|p| p.value).collect();
    measure.set(&p);
    Ok(measure)
}

/// The number of folds for calibration; 0 if the measure needs none, if a search is enabled, or if the number of
/// samples is out of range.
fn folds<X: SampleSet>(params: &OneClass, samples: &X, measure: &dyn Dissimilarity<X::Item>) -> usize {
    let by_folds = measure.properties().needs_fold_calibration
        && params.search == SearchKind::None
        && FOLD_CALIBRATION_SAMPLES.contains(&samples.count());
    if !by_folds {
        return 0;
    }
    // Measures of many features are slow to fit.
    if samples.features() > MANY_FEATURES { FOLDS / 3 } else { FOLDS }
}

/// Scores each training sample with a judge and measure fitted without its fold.
fn cross_validated_scores<J: JudgeKind<X>, X: SampleSet>(
    params: &OneClass,
    samples: &X,
    measure: &dyn Dissimilarity<X::Item>,
    folds: usize,
    panels: bool,
    observer: &dyn Observer,
) -> Result<Vec<f64>> {
    let done = AtomicUsize::new(0);
    let of_fold = |fold: usize| {
        let (test, train): (Vec<usize>, Vec<usize>) = (0..samples.count()).partition(|i| i % folds == fold);
        if observer.is_cancelled() {
            return Err(ErrorKind::Cancelled.into());
        }
        let watch = CancelOnly(observer);
        let model = trained::<J, X>(params, &samples.select(&train), measure.boxed(), panels, &watch)?;
        let test = samples.select(&test);
        let conformed = model.reference().conform(&test)?;
        let judgments = judge_all(model.judge.as_ref(), &conformed.refs(), params.scoring, &watch)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        observer.progress(&Progress::Stage { name: "calibration", done, total: folds });
        Ok(judgments.iter().map(|judgment| judgment.score).collect())
    };
    let of_folds: Vec<Vec<f64>> = parallel::try_map(folds, 1, &of_fold)?;
    let mut all = vec![0.0; samples.count()];
    for (fold, scores) in of_folds.into_iter().enumerate() {
        for (index_in_fold, score) in scores.into_iter().enumerate() {
            all[index_in_fold * folds + fold] = score;
        }
    }
    Ok(all)
}

/// The sizes a plan depends on.
pub(super) fn size<X: SampleSet>(
    params: &OneClass,
    samples: &X,
    measure: &dyn Dissimilarity<X::Item>,
    folds: usize,
) -> Size {
    let refs = samples.refs();
    let views = measure.views(&refs);
    let n = samples.count();
    let is_slow = |view: &&View<X::Item>| !view.measure.is_cheap_per_row();
    let widths: Vec<usize> = views.iter().filter_map(|view| view.measure.index_width()).collect();
    let has_rows_alone = |view: &&View<X::Item>| !is_slow(view) && view.measure.index_width().is_none();
    let table_width = widths.iter().copied().max();
    let seconds_of = |view: &View<X::Item>| time_comparison(view.measure.as_ref(), &refs);
    let seconds = time_comparison(measure, &refs);
    let has_no_index = |view: &&View<X::Item>| view.measure.index(&refs[..1], 1).is_none();
    let slow_views = views.iter().filter(is_slow).count();
    let is_exact =
        params.preset == Preset::Default && params.visits.map_or(n <= EXACT_COMPARED, |visits| visits >= n);
    let spared_by_bounds = |view: &View<X::Item>| pruned_search_cost(view.measure.as_ref(), &refs);
    Size {
        samples: n,
        width: table_width.filter(|_| widths.len() == views.len()),
        table: TableSize { views: widths.len(), width: table_width.unwrap_or(0) },
        slow_views,
        spared: views.iter().find(is_slow).filter(|_| slow_views == 1 && is_exact).and_then(spared_by_bounds),
        // A single slow view is the measure itself.
        slow_seconds: if slow_views == 1 {
            seconds
        } else {
            views.iter().filter(is_slow).map(seconds_of).sum()
        },
        landmark_views: views.iter().filter(has_no_index).count(),
        bytes: samples.bytes() / n,
        seconds,
        row_views: views.iter().filter(has_rows_alone).count(),
        row_seconds: views.iter().filter(has_rows_alone).map(seconds_of).sum(),
        folds,
    }
}

/// The cost of a neighbor search pruned by the lower bounds of this measure, estimated on a few samples; `None` if
/// pruning does not pay off.
fn pruned_search_cost<S: ?Sized + Sample>(measure: &dyn Dissimilarity<S>, samples: &[&S]) -> Option<Spared> {
    let n = samples.len();
    if !measure.has_bounds() || n < MIN_BOUNDED {
        return None;
    }
    let prepared = measure.prepare(samples);
    let all: Vec<u32> = (0..n as u32).collect();
    let (compared, seconds) = work_by_bounds(samples, prepared.as_ref(), &all, NEAREST)?;
    let count = n.min(SUBSET);
    let some: Vec<u32> = (0..count).map(|i| (i * n / count) as u32).collect();
    let trimming = work_by_bounds(samples, prepared.as_ref(), &some, NEAREST_TRIMMED)?;
    Some(Spared { compared: compared + trimming.0, seconds: seconds + trimming.1 })
}

/// How long a comparison takes: times a few evenly spaced ones, and more if these are too fast to measure.
fn time_comparison<S: ?Sized + Sample>(measure: &dyn Dissimilarity<S>, samples: &[&S]) -> f64 {
    let n = samples.len();
    let mut seconds = 0.0;
    for count in TIMED_COMPARISONS.map(|count| count.min(n)) {
        let some: Vec<&S> = (0..count).map(|t| samples[t * n / count]).collect();
        let prepared = measure.prepare(&some);
        let mut out = vec![0.0; count];
        let mut timed = || {
            let start = Instant::now();
            prepared.fill(samples[n / 2], 0..count, &mut out);
            start.elapsed().as_secs_f64()
        };
        // The first run is slower, and any may be interrupted, so the fastest counts.
        let mut fastest = timed();
        for _ in 1..TIMING_RUNS {
            if fastest < LONG_RUN_SECONDS {
                fastest = fastest.min(timed());
            }
        }
        seconds = fastest / count as f64;
        if fastest >= MIN_RUN_SECONDS {
            break;
        }
    }
    seconds
}

/// Forwards cancellation but not progress, since a fold's stages would confuse the overall progress.
struct CancelOnly<'a>(&'a dyn Observer);

impl Observer for CancelOnly<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }
}
