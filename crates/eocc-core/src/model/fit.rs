//! Fitting: the measure learns, the plan is made, a judge is trained, and if its measure overfits the training
//! samples, it is calibrated by folds. The steps of each judge are in `closeness/fit.rs` and `committee/fit.rs`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::answer::{judge_all, require_complete};
use super::closeness::ClosenessJudge;
use super::committee::CommitteeJudge;
use super::judge::{JudgeKind, Task};
use super::planning::{Size, TableSize};
use super::{Model, Origin, Summary, TrainingRecord};
use crate::dissimilarity::{Dissimilarity, View};
use crate::error::{Error, ErrorKind, InputFault, ParameterFault, Remedy, Result};
use crate::kinds::SampleKind;
use crate::observer::{Observer, Progress, Silent};
use crate::parallel;
use crate::params::{OneClass, Preset};
use crate::plan::Plan;
use crate::sample::{Sample, SampleSet};
use crate::synthesis::{SearchKind, StopReason};

/// Minimum number of training samples: `k = 1` and the lists of `k + 1` need three.
pub const MIN_SAMPLES: usize = 3;
/// Folds of the training set that calibrate a model whose measure overfits the training samples.
const FOLDS: usize = 10;
/// Beyond this many features, use a third of the folds.
const MANY_FEATURES: usize = 200;
/// Numbers of samples for which it is calibrated by folds: with fewer, too little is left to learn from without a
/// fold; with more, it makes no difference.
const CALIBRATED_BY_FOLDS: std::ops::RangeInclusive<usize> = 20..=2000;
/// Comparisons timed to estimate how long one takes; the second number if the first is too fast to measure.
const TIMED: [usize; 2] = [32, 1024];
const LEAST_SECONDS: f64 = 1e-4;
/// How often they are timed, unless that takes long.
const TIMES: usize = 4;
const LONG_SECONDS: f64 = 1e-2;

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
            Preset::Paper => self.fit_judge::<ClosenessJudge<X>, X>(samples, measure, observer),
            Preset::Default => self.fit_judge::<CommitteeJudge<X>, X>(samples, measure, observer),
        }
    }

    /// The committee of `default` without its panels, the subsets of columns and the relations between them. A stream
    /// learns this from its window: views can be updated as samples come and go, panels cannot.
    pub fn fit_without_panels<X: SampleSet>(
        &self,
        samples: &X,
        measure: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Model<X>> {
        self.fit_with_panels::<CommitteeJudge<X>, X>(samples, measure, false, observer)
    }

    /// Like [`fit_with`](Self::fit_with), with this judge instead of the preset's.
    pub fn fit_judge<J: JudgeKind<X>, X: SampleSet>(
        &self,
        samples: &X,
        measure: Box<dyn Dissimilarity<X::Item>>,
        observer: &dyn Observer,
    ) -> Result<Model<X>> {
        self.fit_with_panels::<J, X>(samples, measure, true, observer)
    }

    fn fit_with_panels<J: JudgeKind<X>, X: SampleSet>(
        &self,
        samples: &X,
        measure: Box<dyn Dissimilarity<X::Item>>,
        panels: bool,
        observer: &dyn Observer,
    ) -> Result<Model<X>> {
        let params = self.clone().check()?;
        require_complete(samples)?;
        let template = measure.boxed();
        let mut model = train::<J, X>(&params, samples, measure, panels, observer)?;
        // Ask the measure after it has learned: whether records need folds depends on their parts.
        let folds = folds(&params, samples, model.dissimilarity());
        if folds > 0 {
            let scores =
                scores_of_folds::<J, X>(&params, samples, template.as_ref(), folds, panels, observer)?;
            model.judge.recalibrate(scores);
        }
        Ok(model)
    }
}

/// Lets the measure learn, makes a plan, and trains the judge.
fn train<J: JudgeKind<X>, X: SampleSet>(
    params: &OneClass,
    samples: &X,
    measure: Box<dyn Dissimilarity<X::Item>>,
    panels: bool,
    observer: &dyn Observer,
) -> Result<Model<X>> {
    let measure = learned(params, samples, measure)?;
    let folds = folds(params, samples, measure.as_ref());
    let plan = Plan::new(params, &size(samples, measure.as_ref(), folds))?;
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
    J::fit(Task { samples, measure, origin, observer, panels })
}

/// The dissimilarity after learning from `samples`; fails if either cannot be fitted.
fn learned<X: SampleSet>(
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
            allowed: "symmetric for a graph built on it directly; make its costs equal both ways".into(),
            remedy: Some(Remedy::UsePrototypes),
        }
        .into());
    }
    // Parameters that may be searched start within their range.
    let p: Vec<f64> = measure.parameters().iter().map(|p| p.value).collect();
    measure.set(&p);
    Ok(measure)
}

/// Number of folds that calibrate a measure that brings training samples closer to each other than to new ones; 0 if the
/// measure needs none.
fn folds<X: SampleSet>(params: &OneClass, samples: &X, measure: &dyn Dissimilarity<X::Item>) -> usize {
    let by_folds = measure.properties().needs_fold_calibration
        && params.search == SearchKind::None
        && CALIBRATED_BY_FOLDS.contains(&samples.count());
    if !by_folds {
        return 0;
    }
    // Correlations of many features are slow.
    if samples.features() > MANY_FEATURES { FOLDS / 3 } else { FOLDS }
}

/// The score of every training sample from a judge whose graph and measure have not seen its fold.
fn scores_of_folds<J: JudgeKind<X>, X: SampleSet>(
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
        let model = self::train::<J, X>(params, &samples.select(&train), measure.boxed(), panels, &watch)?;
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
        for (place, score) in scores.into_iter().enumerate() {
            all[place * folds + fold] = score;
        }
    }
    Ok(all)
}

/// The sizes a plan depends on.
fn size<X: SampleSet>(samples: &X, measure: &dyn Dissimilarity<X::Item>, folds: usize) -> Size {
    let refs = samples.refs();
    let views = measure.views(&refs);
    let n = samples.count();
    let is_slow = |view: &&View<X::Item>| !view.measure.is_cheap_per_row();
    let widths: Vec<usize> = views.iter().filter_map(|view| view.measure.index_width()).collect();
    let has_rows_alone = |view: &&View<X::Item>| !is_slow(view) && view.measure.index_width().is_none();
    let table_width = widths.iter().copied().max();
    Size {
        samples: n,
        width: table_width.filter(|_| widths.len() == views.len()),
        table: TableSize { views: widths.len(), width: table_width.unwrap_or(0) },
        slow_views: views.iter().filter(is_slow).count(),
        bytes: samples.bytes() / n,
        seconds: seconds_of_comparison(measure, &refs),
        row_seconds: views
            .iter()
            .filter(has_rows_alone)
            .map(|view| seconds_of_comparison(view.measure.as_ref(), &refs))
            .sum(),
        folds,
    }
}

/// How long a comparison takes: times a few evenly spaced ones, and more if these are too fast to measure.
fn seconds_of_comparison<S: ?Sized + Sample>(measure: &dyn Dissimilarity<S>, samples: &[&S]) -> f64 {
    let n = samples.len();
    let mut seconds = 0.0;
    for count in TIMED.map(|count| count.min(n)) {
        let some: Vec<&S> = (0..count).map(|t| samples[t * n / count]).collect();
        let prepared = measure.prepare(&some);
        let mut out = vec![0.0; count];
        let mut timed = || {
            let start = Instant::now();
            prepared.fill(samples[n / 2], 0..count, &mut out);
            start.elapsed().as_secs_f64()
        };
        // The first is slower, and any may be interrupted.
        let mut fastest = timed();
        for _ in 1..TIMES {
            if fastest < LONG_SECONDS {
                fastest = fastest.min(timed());
            }
        }
        seconds = fastest / count as f64;
        if fastest >= LEAST_SECONDS {
            break;
        }
    }
    seconds
}

/// Passes cancellation on, but no progress: the stages of a fold are not stages of the whole.
struct CancelOnly<'a>(&'a dyn Observer);

impl Observer for CancelOnly<'_> {
    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn is_abandoned(&self) -> bool {
        self.0.is_abandoned()
    }
}
