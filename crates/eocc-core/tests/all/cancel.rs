//! Cancelling a run: how much is still done after the cancellation. Work is counted, not time.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use eocc_core::{Matrix, Observer, Progress};
use eocc_core::{OneClass, Preset, SampleKind as _, Scoring, SearchKind, Settings, Silent, Vectors};

/// Cancels at the first evaluation of the search, and counts what comes later.
#[derive(Default)]
struct AtFirstEvaluation {
    /// Whether the best result so far is still wanted.
    wants_best: bool,
    is_set: AtomicBool,
    stages_after: AtomicUsize,
}

impl Observer for AtFirstEvaluation {
    fn progress(&self, progress: &Progress<'_>) {
        match progress {
            Progress::Evaluation { .. } => self.is_set.store(true, Ordering::SeqCst),
            Progress::Stage { .. } if self.is_set.load(Ordering::SeqCst) => {
                self.stages_after.fetch_add(1, Ordering::SeqCst);
            }
            _ => {}
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
    }

    fn is_abandoned(&self) -> bool {
        !self.wants_best && self.is_cancelled()
    }
}

/// Cancels after this many checks.
struct AfterLooks {
    allowed: usize,
    looks: AtomicUsize,
}

impl Observer for AfterLooks {
    fn is_cancelled(&self) -> bool {
        self.looks.fetch_add(1, Ordering::SeqCst) >= self.allowed
    }
}

/// One cloud, so that the paper's graph is one region.
fn cloud(n: usize) -> Vectors {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        f64::from((state >> 40) as u32) / f64::from(1_u32 << 24)
    };
    Vectors::with_names(Matrix::new((0..n * 3).map(|_| next()).collect(), n, 3), Vec::new()).unwrap()
}

fn paper() -> OneClass {
    let mut params = OneClass::new(Preset::Paper);
    params.search = SearchKind::Genetic;
    params.evaluations = 50;
    params.tau = 0.0;
    params
}

#[test]
fn an_abandoned_search_is_not_finished() {
    let samples = cloud(600);
    let measure = || Vectors::measure(Preset::Paper, Some("euclidean"), &Settings::default()).unwrap();
    let params = paper().check().unwrap();
    let watch = AtFirstEvaluation::default();
    let error = params.fit_with(&samples, measure(), &watch).map(|_| ()).unwrap_err();
    assert!(error.is_cancelled(), "{error}");
    // The closeness of 600 vertices would have been reported twice.
    assert_eq!(watch.stages_after.load(Ordering::SeqCst), 0);
    // If the best result so far is wanted, it is returned.
    let watch = AtFirstEvaluation { wants_best: true, ..AtFirstEvaluation::default() };
    let model = params.fit_with(&samples, measure(), &watch).unwrap();
    assert_eq!(model.summary().evaluations, 1);
    assert!(watch.stages_after.load(Ordering::SeqCst) > 0);
}

#[test]
fn all_shortest_paths_are_left_at_the_next_source() {
    let samples = cloud(600);
    let mut params = OneClass::new(Preset::Paper);
    params.search = SearchKind::None;
    let measure = Vectors::measure(Preset::Paper, Some("euclidean"), &Settings::default()).unwrap();
    let model = params.check().unwrap().fit_with(&samples, measure, &Silent).unwrap();
    for scoring in [Scoring::Exact, Scoring::Fast] {
        let watch = AfterLooks { allowed: 5, looks: AtomicUsize::new(0) };
        let error = model.decide_with(&samples, scoring, &watch).unwrap_err();
        assert!(error.is_cancelled(), "{error}");
        // Far fewer than the 600 sources: each thread checks at most once more for each piece it is working on.
        let looks = watch.looks.load(Ordering::SeqCst);
        assert!(looks < 300, "{looks} looks");
    }
}
