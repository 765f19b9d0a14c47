//! `default` with one thing changed, and neighbours at other numbers: the rows by which `default` was chosen.
//!
//! Each is one switch of the library, so that the leaderboard says what every part of `default` is worth.

use eocc::centrality::Centrality;
use eocc::membership::Scale;
use eocc::params::{Comparison, Dimension, Representation, Unit};
use eocc::{Members, OneClassParams, SearchKind};

use crate::KNnMean;
use crate::classifier::Learner;
use crate::registry::{Change, Make, Method, Origin, line};

const fn variant(name: &'static str, title: &'static str, change: Change, summary: &'static str) -> Method {
    line(name, title, Origin::Variant, Make::Changed(change), summary)
}

const fn measured(
    name: &'static str,
    title: &'static str,
    measure: &'static str,
    settings: &'static [&'static str],
    summary: &'static str,
) -> Method {
    let change = Change { measure: Some((measure, settings)), params: |_| {}, members: None };
    variant(name, title, change, summary)
}

const fn changed(
    name: &'static str,
    title: &'static str,
    params: fn(&mut OneClassParams),
    summary: &'static str,
) -> Method {
    variant(name, title, Change { measure: None, params, members: None }, summary)
}

const fn averaged(
    name: &'static str,
    title: &'static str,
    members: Members,
    params: fn(&mut OneClassParams),
    summary: &'static str,
) -> Method {
    variant(name, title, Change { measure: None, params, members: Some(members) }, summary)
}

const fn neighbors(name: &'static str, title: &'static str, make: fn() -> Box<dyn Learner>) -> Method {
    line(name, title, Origin::Variant, Make::Dissimilarities(make), "mean distance to so many of the nearest")
}

/// Rows of the leaderboard beside the classifiers of the comparison.
#[rustfmt::skip]
pub const VARIANTS: &[Method] = &[
    measured("euclidean-standard", "default, Euclidean, z-scores", "euclidean", &["scaling=standard"], "one view: standard deviations"),
    measured("euclidean-robust", "default, Euclidean, robust", "euclidean", &["scaling=robust"], "one view: interquartile ranges"),
    measured("manhattan-robust", "default, Manhattan, robust", "manhattan", &["scaling=robust"], "the first part of the blend alone"),
    measured("manhattan-central", "default, Manhattan, central range", "manhattan", &["scaling=central"], "the second part of the blend alone"),
    measured("manhattan-rank", "default, Manhattan, ranks", "manhattan", &["scaling=rank"], "each value by its place among the nominals"),
    measured("mahalanobis", "default, Mahalanobis", "mahalanobis", &[], "whitened by the full covariance"),
    changed("embedding", "default, embedded", |p| p.representation = Representation::Embedding, "in the dissimilarity space, as the paper"),
    changed("geodesic", "default, geodesic", |p| p.centrality = Centrality::Geodesic, "closeness by shortest paths, as the paper"),
    changed("locality-0", "default, locality 0", |p| p.locality = 0.0, "edges measured alike everywhere"),
    changed("locality-0.5", "default, locality 0.5", |p| p.locality = 0.5, "edges in more of the local scale"),
    changed("unit-0.1", "default, unit 0.1", |p| p.unit = Unit::MeanEdge(0.1), "the nearest counts nearly alone"),
    changed("unit-1", "default, unit 1", |p| p.unit = Unit::MeanEdge(1.0), "all neighbours count much alike"),
    changed("units", "default, three units", |p| p.centrality = Centrality::Rings, "the mean at three units, from 0.05 to 1"),
    changed("neighbors-graph", "default, k of the graph", |p| p.neighbors = None, "as many neighbours as the entropy chooses for the graph"),
    changed("neighbors-5", "default, 5 neighbours", |p| p.neighbors = Some(5), "a smaller ring"),
    changed("neighbors-20", "default, 20 neighbours", |p| p.neighbors = Some(20), "a larger ring"),
    changed("membership", "default, by membership", |p| { p.scale = Scale::Linear; p.comparison = Comparison::Membership; }, "the paper's difference, not the logarithm"),
    changed("membership-log", "default, by log-membership", |p| p.comparison = Comparison::Membership, "regions compete by membership, differences of logarithms"),
    changed("dimension", "default, intrinsic dimension", |p| p.dimension = Dimension::Intrinsic, "in the entropy, in place of the number of samples"),
    changed("suspicion-0", "default, suspicion 0", |p| p.suspicion = 0.0, "all training samples are trusted alike"),
    changed("suspicion-1.5", "default, suspicion 1.5", |p| p.suspicion = 1.5, "what may be a clump of others is trusted still less"),
    changed("search", "default, genetic search", |p| { p.search = SearchKind::Genetic; p.evaluations = 20; }, "weights of features by the entropic objective"),
    averaged("halves", "default, mean of 8 halves", Members::Halves(8), |_| {}, "scores averaged over random halves of the features"),
    averaged("population", "default, mean of a population", Members::Population(8), |p| { p.search = SearchKind::Genetic; p.evaluations = 20; }, "scores averaged over the best 8 of 20 weightings by the entropic objective"),
    neighbors("k-nn-mean-1", "k-NN mean, k = 1", || Box::new(KNnMean { neighbors: 1 })),
    neighbors("k-nn-mean-2", "k-NN mean, k = 2", || Box::new(KNnMean { neighbors: 2 })),
    neighbors("k-nn-mean-3", "k-NN mean, k = 3", || Box::new(KNnMean { neighbors: 3 })),
    neighbors("k-nn-mean-10", "k-NN mean, k = 10", || Box::new(KNnMean { neighbors: 10 })),
    neighbors("k-nn-mean-20", "k-NN mean, k = 20", || Box::new(KNnMean { neighbors: 20 })),
];
