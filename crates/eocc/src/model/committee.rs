//! Several models of the same samples, each with parameters `p` of its own, that answer with their mean score.
//!
//! The objective says little about accuracy, so that there is no reason to trust the `p` with the smallest alone; and a
//! genetic search has a population of them at its end. `default` does without: DESIGN.md has what it gains and loses.

use super::Model;
use crate::dissimilarity::{Dissimilarity, Parameter};
use crate::error::{Error, Result};
use crate::observer::Silent;
use crate::params::{OneClassParams, ValidParams};
use crate::random::Random;
use crate::sample::SampleSet;
use crate::synthesis::SearchKind;

/// Which `p` the members have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// So many random halves of the parameters as they stand, the others at their lowest (for weights of features: feature
    /// bagging, Lazarevic and Kumar 2005).
    Halves(usize),
    /// So many of all that the search tried, those with the smallest objectives.
    Population(usize),
}

/// Models that answer together.
pub struct Committee<X: SampleSet> {
    models: Vec<Model<X>>,
}

impl ValidParams {
    /// Fits a committee. A dissimilarity without parameters has one member.
    pub fn fit_committee<X: SampleSet>(
        &self,
        samples: &X,
        dissimilarity: &dyn Dissimilarity<X::Item>,
        members: Members,
    ) -> Result<Committee<X>> {
        let (Members::Halves(count) | Members::Population(count)) = members;
        if count == 0 {
            return Err(Error::parameter("members", 0, "at least 1"));
        }
        // Learnt once for all: the members differ in `p` only.
        let learnt = self.learnt(samples, dissimilarity.boxed())?;
        let ps = match members {
            Members::Halves(_) => halves(&learnt.parameters(), count, self.seed),
            Members::Population(_) if self.search == SearchKind::None => {
                let name = self.search.name();
                return Err(Error::parameter(
                    "search",
                    name,
                    "genetic, differential or cma, for its population",
                ));
            }
            Members::Population(_) => {
                let searched = self.fit_learnt(samples, learnt.boxed(), &Silent)?;
                best(&searched.history, &searched.tried, count)
            }
        };
        let fixed = OneClassParams { search: SearchKind::None, ..(**self).clone() }.check()?;
        let of = |p: &Vec<f64>| {
            let mut own = learnt.boxed();
            own.set(p);
            Ok(fixed.fit_learnt(samples, own, &Silent)?.model)
        };
        Ok(Committee { models: ps.iter().map(of).collect::<Result<_>>()? })
    }
}

/// `count` times a random half of the parameters as they stand, the others at their lowest; the one empty `p` if there
/// are none.
fn halves(standing: &[Parameter], count: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Random::stream(seed, 5);
    let mut half = || {
        let mut order: Vec<usize> = (0..standing.len()).collect();
        random.shuffle(&mut order);
        let mut p: Vec<f64> = standing.iter().map(|q| q.low).collect();
        for &f in &order[..standing.len().div_ceil(2)] {
            p[f] = standing[f].value;
        }
        p
    };
    (0..if standing.is_empty() { 1 } else { count }).map(|_| half()).collect()
}

/// The `count` parameters with the smallest objectives, each once; of equals, the first.
fn best(objectives: &[f64], tried: &[Vec<f64>], count: usize) -> Vec<Vec<f64>> {
    let mut order: Vec<usize> = (0..tried.len()).collect();
    order.sort_by(|&a, &b| objectives[a].total_cmp(&objectives[b]));
    let mut kept: Vec<Vec<f64>> = Vec::new();
    for i in order {
        if kept.len() < count && !kept.contains(&tried[i]) {
            kept.push(tried[i].clone());
        }
    }
    kept
}

impl<X: SampleSet> Committee<X> {
    /// Its members.
    pub fn models(&self) -> &[Model<X>] {
        &self.models
    }

    /// The mean score of every sample over the members.
    pub fn scores(&self, samples: &X) -> Result<Vec<f64>> {
        let mut means = vec![0.0; samples.count()];
        for model in &self.models {
            for (mean, decision) in means.iter_mut().zip(model.decide_all(samples)?) {
                *mean += decision.score / self.models.len() as f64;
            }
        }
        Ok(means)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::Minkowski;
    use crate::{Preset, Vectors};

    fn samples(n: usize, seed: u64) -> Vectors {
        let mut r = Random::new(seed);
        let rows: Vec<[f64; 5]> = (0..n).map(|_| std::array::from_fn(|_| r.normal())).collect();
        Vectors::from_rows(&rows).unwrap()
    }

    fn weights(committee: &Committee<Vectors>) -> Vec<Vec<f64>> {
        let of = |m: &Model<Vectors>| m.dissimilarity().parameters().iter().map(|p| p.value).collect();
        committee.models().iter().map(of).collect()
    }

    #[test]
    fn halves_are_of_the_features_and_scores_their_mean() {
        let (train, test) = (samples(60, 1), samples(9, 2));
        let params = OneClassParams::new(Preset::Default).seed(3).check().unwrap();
        let committee = params.fit_committee(&train, &Minkowski::euclidean(), Members::Halves(4)).unwrap();
        let all = weights(&committee);
        assert_eq!(all.len(), 4);
        for p in &all {
            // Three of five.
            let mut sorted = p.clone();
            sorted.sort_by(f64::total_cmp);
            assert_eq!(sorted, [0.0, 0.0, 1.0, 1.0, 1.0]);
        }
        assert!(all.iter().any(|p| *p != all[0]), "not all the same");
        let scores = committee.scores(&test).unwrap();
        for (i, score) in scores.iter().enumerate() {
            let own = committee.models().iter().map(|m| m.decide_all(&test).unwrap()[i].score);
            assert!((score - own.sum::<f64>() / 4.0).abs() < 1e-12);
        }
        let again = params.fit_committee(&train, &Minkowski::euclidean(), Members::Halves(4)).unwrap();
        assert_eq!(again.scores(&test).unwrap(), scores);
    }

    #[test]
    fn a_population_has_the_best_of_the_search_first() {
        let train = samples(40, 4);
        let mut params = OneClassParams::new(Preset::Default).search(SearchKind::Genetic);
        (params.evaluations, params.tau) = (30, 0.0);
        let params = params.check().unwrap();
        let trained = params.fit(&train, Box::new(Minkowski::euclidean())).unwrap();
        let committee =
            params.fit_committee(&train, &Minkowski::euclidean(), Members::Population(5)).unwrap();
        let found: Vec<f64> = trained.model.dissimilarity().parameters().iter().map(|p| p.value).collect();
        let all = weights(&committee);
        assert_eq!((all.len(), &all[0]), (5, &found));
        let eta: Vec<f64> = committee.models().iter().map(|m| m.summary().eta).collect();
        assert_eq!(eta[0].to_bits(), trained.model.summary().eta.to_bits());
        assert_eq!(
            best(&[0.3, 0.1, 0.3, 0.2], &[vec![1.0], vec![2.0], vec![1.0], vec![3.0]], 9),
            [[2.0], [3.0], [1.0]]
        );
    }

    #[test]
    fn what_makes_no_committee_is_told() {
        let params = OneClassParams::new(Preset::Default).check().unwrap();
        let fault =
            |m| params.fit_committee(&samples(20, 5), &Minkowski::euclidean(), m).err().unwrap().to_string();
        assert_eq!(fault(Members::Halves(0)), "members is 0, but must be at least 1");
        assert!(fault(Members::Population(3)).starts_with("search is none, but must be genetic"));
    }
}
