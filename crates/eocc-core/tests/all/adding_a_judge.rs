//! How to add a judge: an `impl` of `Judge` and `JudgeKind`, here from outside of the library. This one follows a
//! stream: it has a window of samples, goes on learning, and stores its progress.

use std::collections::VecDeque;

use crate::support::{normals, vectors};
use eocc_core::dissimilarity::Minkowski;
use eocc_core::file::Contents;
use eocc_core::model::{
    self as judge, Graph, Judge, JudgeKind, Judged, Judges, Judgment, Reasons, Reference, Stored, Task,
};
use eocc_core::region::Centrality;
use eocc_core::{
    AnyModel, AnySamples, Calibration, Error, Kinds, Model, OneClass, Result, SampleSet, Scoring, Silent,
    Texts, Vectors,
};
use serde_json::{Value, json};

/// Judges by the distance to the nearest of the latest samples.
struct Window<X: SampleSet> {
    reference: Reference<X>,
    /// The scores of the latest samples when they were new, oldest first; they calibrate new ones.
    scores: VecDeque<f64>,
    calibration: Calibration,
    graph: Graph,
    /// Samples seen so far.
    time: u64,
}

impl<X: SampleSet> Window<X> {
    /// Minus the distance to the nearest sample, optionally excluding one.
    fn score(&self, sample: &X::Item, without: Option<usize>) -> f64 {
        let samples = self.reference.samples();
        let others = (0..samples.count()).filter(|i| Some(*i) != without);
        let distances = others.map(|i| self.reference.measure().between(sample, samples.sample(i)));
        -distances.fold(f64::INFINITY, f64::min)
    }

    fn judgment(score: f64) -> Judgment {
        Judgment { score, membership: score.exp(), region: 0, is_central: score > -1.0 }
    }

    /// Judges the last of `samples` and puts it in place of the first. All others are those of the window.
    fn observe(&mut self, samples: &X) -> f64 {
        let last = samples.count() - 1;
        let score = self.score(samples.sample(last), None);
        let kept: Vec<usize> = (1..=last).collect();
        self.reference = Reference::new(samples.select(&kept), self.reference.measure().boxed());
        self.scores.pop_front();
        self.scores.push_back(score);
        self.calibration = Calibration::new(self.scores.iter().copied().collect());
        self.time += 1;
        score
    }
}

impl<X: SampleSet> Judge<X> for Window<X> {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn describe(&self) -> String {
        "the nearest of the latest samples".to_owned()
    }

    fn reference(&self) -> &Reference<X> {
        &self.reference
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn judge(&self, samples: &[&X::Item], _scoring: Scoring) -> Result<Judged> {
        let judgments = samples.iter().map(|one| Self::judgment(self.score(one, None))).collect();
        Ok(Judged { judgments, measured: samples.len() * self.reference.samples().count() })
    }

    fn training(&self) -> Vec<Judgment> {
        let samples = self.reference.samples();
        let own = |i: usize| Self::judgment(self.score(samples.sample(i), Some(i)));
        (0..samples.count()).map(own).collect()
    }

    fn recalibrate(&mut self, scores: Vec<f64>) {
        self.calibration = Calibration::new(scores);
    }

    fn reasons(&self, _sample: &X::Item, _count: usize) -> Result<Reasons> {
        Ok(Reasons::default())
    }

    fn central_boundary(&self) -> f64 {
        -1.0
    }

    fn graph(&self) -> &Graph {
        &self.graph
    }

    fn write(&self, out: &mut Contents) -> Result<Value> {
        let scores: Vec<f64> = self.scores.iter().copied().collect();
        out.put_f64("window.scores", &[scores.len()], &scores);
        Ok(json!({ "time": self.time }))
    }
}

impl<X: SampleSet> JudgeKind<X> for Window<X> {
    const NAME: &'static str = "window";

    fn train(task: Task<'_, X>) -> Result<Model<X>> {
        let Task { samples, measure, origin, observer, .. } = task;
        assert!(!observer.is_cancelled());
        let mut window = Self {
            reference: Reference::new(samples.clone(), measure),
            scores: VecDeque::new(),
            calibration: Calibration::default(),
            graph: Graph::default(),
            time: samples.count() as u64,
        };
        window.scores = window.training().iter().map(|judgment| judgment.score).collect();
        window.calibration = Calibration::new(window.scores.iter().copied().collect());
        Ok(Model::new(window, origin))
    }

    fn read(stored: Stored<'_, X>) -> Result<Self> {
        let Stored { contents, learned, reference, calibration, .. } = stored;
        let time = learned["time"].as_u64().ok_or_else(|| Error::input("the time is missing"))?;
        let scores = contents.f64s("window.scores")?.0.into();
        Ok(Self { reference, scores, calibration, graph: Graph::default(), time })
    }
}

/// The latest samples of a stream, and the next.
fn windows(rows: &[Vec<f64>], width: usize) -> impl Iterator<Item = Vectors> {
    rows.windows(width + 1).map(vectors)
}

#[test]
fn a_judge_from_outside_is_fitted_scores_goes_on_learning_and_comes_back_from_a_file() {
    let rows = normals(80, 3, 5);
    let measure = || Box::new(Minkowski::euclidean());
    let train = vectors(&rows[..40]);
    let params = OneClass::default().reject(0.05);
    let mut model = judge::train::<Window<_>, _>(&params, &train, measure(), &Silent).unwrap();
    let (near, far) = (model.decide(&[0.1, 0.0, 0.0]).unwrap(), model.decide(&[9.0; 3]).unwrap());
    assert!(near.accepted && !far.accepted && near.p_value > far.p_value);
    // Its own training samples are not their own neighbors.
    let own: Vec<f64> = model.training_decisions().iter().map(|d| d.score).collect();
    assert!(own.iter().all(|score| *score < 0.0));
    assert!(model.regions().is_empty() && model.lists().points() == 0 && model.views().is_empty());

    let follow = |model: &mut Model<_>, from: usize, to: usize| -> Vec<f64> {
        let window = model.judge_mut::<Window<_>>().unwrap();
        windows(&rows[from - 40..to], 40).map(|samples| window.observe(&samples)).collect()
    };
    let first = follow(&mut model, 40, 60);
    let contents = Contents::from_bytes(&model.to_contents().unwrap().to_bytes()).unwrap();
    let e = Model::<Vectors>::from_contents(&contents).err().unwrap();
    assert!(e.is_model_file() && e.to_string().contains("window"), "{e}");
    let known = Judges::default().with::<Window<_>>();
    let mut loaded = Model::from_contents_of(&contents, &Kinds::default(), &known).unwrap();
    assert_eq!(loaded.judge::<Window<_>>().unwrap().time, 60);
    // It resumes as if it had never stopped, and as if everything had arrived at the same time.
    let rest = follow(&mut loaded, 60, 80);
    assert_eq!(rest, follow(&mut model, 60, 80));
    let mut fresh = judge::train::<Window<_>, _>(&params, &train, measure(), &Silent).unwrap();
    assert_eq!(follow(&mut fresh, 40, 80), [first, rest].concat());
    let tests = vectors(&normals(30, 3, 6));
    let decisions = loaded.decide_all(&tests).unwrap();
    assert_eq!(decisions, fresh.decide_all(&tests).unwrap());
    // With samples of a kind known only at run time, it works like any other model.
    let any = AnyModel::new(loaded);
    assert_eq!(any.decide_all(&AnySamples::new(tests)).unwrap(), decisions);
    // It says what it judges by: having no views does not make it the paper's closeness.
    assert_eq!(any.judged_by(), "the nearest of the latest samples");
    assert_eq!((any.centrality(), any.views().len()), (Centrality::Score, 0));
    assert_eq!(any.to_contents().unwrap().to_bytes(), fresh.to_contents().unwrap().to_bytes());
}

#[test]
fn a_judge_from_outside_comes_back_and_goes_on_where_samples_are_known_only_at_run_time() {
    let rows = normals(60, 3, 7);
    let params = OneClass::default();
    let measure = Box::new(Minkowski::euclidean());
    let train = vectors(&rows[..40]);
    let mut model = AnyModel::new(judge::train::<Window<_>, _>(&params, &train, measure, &Silent).unwrap());
    model.set_names((0..40).map(|i| format!("row {i}")).collect()).unwrap();
    let contents = Contents::from_bytes(&model.to_contents().unwrap().to_bytes()).unwrap();
    let e = AnyModel::from_contents(&contents).err().unwrap();
    assert!(e.is_model_file() && e.to_string().contains("`window`"), "{e}");
    // Registered for samples of another kind, it is unknown for these.
    let others = Kinds::default().with_judge::<Texts, Window<Texts>>();
    assert!(AnyModel::from_contents_of(&contents, &others).is_err());
    let kinds = others.with_judge::<Vectors, Window<Vectors>>();
    let mut loaded = AnyModel::from_contents_of(&contents, &kinds).unwrap();
    assert_eq!(loaded.names()[39], "row 39");
    assert!(loaded.downcast_mut::<Texts>().is_none());

    let follow = |model: &mut AnyModel| -> Vec<f64> {
        let window = model.downcast_mut::<Vectors>().unwrap().judge_mut::<Window<_>>().unwrap();
        windows(&rows, 40).map(|samples| window.observe(&samples)).collect()
    };
    assert_eq!(follow(&mut loaded), follow(&mut model));
    let tests = AnySamples::new(vectors(&normals(30, 3, 8)));
    assert_eq!(loaded.decide_all(&tests).unwrap(), model.decide_all(&tests).unwrap());
    assert_eq!(loaded.to_contents().unwrap().to_bytes(), model.to_contents().unwrap().to_bytes());
    // The judges of the library are known as before.
    let plain = crate::support::fit(OneClass::default(), &rows).to_contents().unwrap();
    assert!(AnyModel::from_contents_of(&plain, &kinds).is_ok());
}

#[test]
fn the_judges_of_the_library_are_known_by_their_names() {
    let contents = crate::support::fit(OneClass::default(), &normals(30, 2, 1)).to_contents().unwrap();
    assert_eq!(contents.meta["judge"], "committee");
    let centrality = |params| crate::support::fit(params, &normals(30, 2, 1)).centrality();
    assert_eq!(centrality(OneClass::default()), Centrality::Score);
    assert_eq!(centrality(crate::support::paper()), Centrality::Closeness);
    let contents = crate::support::fit(crate::support::paper(), &normals(30, 2, 1)).to_contents().unwrap();
    assert_eq!(contents.meta["judge"], "closeness");
    assert!(!contents.has("regions.weights") && !contents.has("committee.oddity"));
}

#[test]
fn format_1_is_refused_with_a_remedy() {
    let mut bytes = Contents::default().to_bytes();
    let key = b"eocc.format\":\"";
    let at = bytes.windows(key.len()).position(|w| w == key).unwrap() + key.len();
    bytes[at] = b'1';
    let e = Contents::from_bytes(&bytes).unwrap_err();
    assert!(e.is_model_file(), "{e}");
    assert!(e.to_string().ends_with("this model format is no longer supported; refit the model"), "{e}");
}
