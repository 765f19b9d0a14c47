use eocc_baselines::{KNnMean, Origin, Recipe};
use eocc_core::Silent;

use super::*;
use crate::experiment::{Scores, SplitRunner};
use crate::protocol::CrossValidation;

/// A data set whose classifiers score by a formula; the one called `bad` fails in fold 1, the one called `ill`
/// panics.
struct Formula(Vec<usize>, Vec<usize>);

impl Experiment for Formula {
    fn name(&self) -> &'static str {
        "formula"
    }

    fn fingerprint(&self) -> &'static str {
        "f"
    }

    fn nominal(&self) -> &[usize] {
        &self.0
    }

    fn outliers(&self) -> &[usize] {
        &self.1
    }

    fn prepare<'a>(&'a self, split: &'a Split) -> Result<Box<SplitRunner<'a>>> {
        Ok(Box::new(move |method: &Method, _: &dyn Observer| {
            if method.name == "bad" && split.fold == 1 {
                return Err(Error::input("no"));
            }
            assert!(method.name != "ill", "on purpose");
            let score = |v: &usize| ((v * 7919 + method.name.len() * split.train.len()) % 101) as f64;
            Ok(Scores {
                rejected: None,
                nominal: split.nominal.iter().map(score).collect(),
                outliers: split.outliers.iter().map(score).collect(),
                fit_seconds: 1.0,
                score_seconds: 2.0,
            })
        }))
    }
}

fn sets() -> Vec<Box<dyn Experiment>> {
    vec![Box::new(Formula((0..20).collect(), (50..57).collect()))]
}

fn method(name: &'static str) -> Method {
    let recipe = Recipe::Dissimilarities(|| Box::new(KNnMean::default()));
    Method { name, title: name, origin: Origin::Peer, summary: "", recipe }
}

const PROTOCOL: CrossValidation = CrossValidation { repeats: 2, folds: 3, seed: 1 };

#[test]
fn failures_are_results_and_the_rest_goes_on() {
    let (sets, methods) = (sets(), ["good", "bad", "ill"].map(method));
    let methods: Vec<&Method> = methods.iter().collect();
    let all = Comparison::new(&sets, &methods, &PROTOCOL, OnFailure::Record).unwrap();
    let results = all.run(Vec::new(), 2, &Silent, |_, _| Ok(true)).unwrap();
    assert_eq!(results.len(), all.total());
    let failed: Vec<(&str, usize)> = results
        .iter()
        .filter(|r| matches!(r.outcome, Outcome::Failed(_)))
        .map(|r| (r.method.as_str(), r.fold))
        .collect();
    assert_eq!(
        failed,
        [("bad", 1), ("bad", 1), ("ill", 0), ("ill", 1), ("ill", 2), ("ill", 0), ("ill", 1), ("ill", 2)]
    );
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let (sets, methods) = (sets(), ["a", "bb", "bad"].map(method));
    let methods: Vec<&Method> = methods.iter().collect();
    let all = Comparison::new(&sets, &methods, &PROTOCOL, OnFailure::Record).unwrap();
    let whole = all.run(Vec::new(), 1, &Silent, |_, _| Ok(true)).unwrap();
    assert_eq!(whole, all.run(Vec::new(), 4, &Silent, |_, _| Ok(true)).unwrap());
    let kept = Mutex::new(Vec::new());
    let stopped = all.run(Vec::new(), 2, &Silent, |record, count| {
        kept.lock().unwrap().push(record.clone());
        Ok(count < 7)
    });
    assert!(stopped.unwrap_err().is_cancelled());
    let kept = kept.into_inner().unwrap();
    assert!(kept.len() >= 7 && kept.len() < all.total());
    let fresh = AtomicUsize::new(0);
    let resumed = all.run(kept.clone(), 2, &Silent, |_, _| {
        fresh.fetch_add(1, Ordering::Relaxed);
        Ok(true)
    });
    assert_eq!(resumed.unwrap(), whole);
    assert_eq!(fresh.into_inner(), all.total() - kept.len());
}

#[test]
fn a_fault_of_the_keeper_ends_the_run() {
    let (sets, a) = (sets(), method("a"));
    let methods = [&a];
    let all = Comparison::new(&sets, &methods, &PROTOCOL, OnFailure::Record).unwrap();
    let e = all.run(Vec::new(), 2, &Silent, |_, _| Err(Error::input("disk full"))).unwrap_err();
    assert_eq!(e.to_string(), "disk full");
}

#[test]
fn an_evaluation_is_the_same_on_any_number_of_threads_and_its_faults_come_through() {
    let run = |name, threads, goes_on: bool| {
        let set = sets().remove(0);
        evaluate(set, &method(name), &PROTOCOL, threads, &Silent, |_, _| goes_on)
    };
    let cell = run("good", 1, true).unwrap();
    assert_eq!(cell, run("good", 4, true).unwrap());
    assert_eq!((cell.repeats.len(), cell.folds), (2, 6));
    assert_eq!(run("bad", 2, true).unwrap_err().to_string(), "no");
    assert!(run("good", 2, false).unwrap_err().is_cancelled());
}
