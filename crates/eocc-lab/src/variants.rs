//! `default` with one thing changed, and neighbours at other numbers: the rows by which `default` was chosen.
//!
//! Each is one switch of the library, so that the leaderboard says what every part of `default` is worth.

use eocc_baselines::{KNnMean, Learner, METHODS, Method, Origin, Recipe, named_among};
use eocc_core::centrality::Centrality;
use eocc_core::membership::Scale;
use eocc_core::params::{RegionSelection, Representation, Unit};
use eocc_core::{OneClass, Preset, Result, SearchKind};

const fn variant(name: &'static str, title: &'static str, recipe: Recipe, summary: &'static str) -> Method {
    Method { name, title, origin: Origin::Ours, summary, recipe }
}

const fn measured(
    name: &'static str,
    title: &'static str,
    dissimilarity: &'static str,
    settings: &'static [&'static str],
    summary: &'static str,
) -> Method {
    let dissimilarity = Some((dissimilarity, settings));
    variant(name, title, Recipe::Preset { preset: Preset::Default, dissimilarity, change: |_| {} }, summary)
}

const fn changed(
    name: &'static str,
    title: &'static str,
    change: fn(&mut OneClass),
    summary: &'static str,
) -> Method {
    variant(name, title, Recipe::Preset { preset: Preset::Default, dissimilarity: None, change }, summary)
}

const fn neighbors(name: &'static str, title: &'static str, make: fn() -> Box<dyn Learner>) -> Method {
    let (origin, summary) = (Origin::Peer, "mean distance to so many of the nearest");
    Method { name, title, origin, summary, recipe: Recipe::Dissimilarities(make) }
}

/// Rows of the leaderboard in addition to the classifiers of the comparison.
#[rustfmt::skip]
pub static VARIANTS: &[Method] = &[
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
    changed("neighbors-graph", "default, k of the graph", |p| p.neighbors = None, "as many neighbours as the entropy chooses for the graph"),
    changed("neighbors-5", "default, 5 neighbours", |p| p.neighbors = Some(5), "a smaller ring"),
    changed("neighbors-20", "default, 20 neighbours", |p| p.neighbors = Some(20), "a larger ring"),
    changed("membership", "default, by membership", |p| { p.scale = Scale::Linear; p.region_selection = RegionSelection::Membership; }, "the paper's difference, not the logarithm"),
    changed("suspicion-0", "default, suspicion 0", |p| p.suspicion = 0.0, "all training samples are trusted alike"),
    changed("suspicion-1.5", "default, suspicion 1.5", |p| p.suspicion = 1.5, "what may be a clump of outliers is trusted still less"),
    changed("search", "default, genetic search", |p| { p.search = SearchKind::Genetic; p.evaluations = 20; }, "weights of features by the entropic objective"),
    neighbors("k-nn-mean-1", "k-NN mean, k = 1", || Box::new(KNnMean { neighbors: 1 })),
    neighbors("k-nn-mean-2", "k-NN mean, k = 2", || Box::new(KNnMean { neighbors: 2 })),
    neighbors("k-nn-mean-3", "k-NN mean, k = 3", || Box::new(KNnMean { neighbors: 3 })),
    neighbors("k-nn-mean-10", "k-NN mean, k = 10", || Box::new(KNnMean { neighbors: 10 })),
    neighbors("k-nn-mean-20", "k-NN mean, k = 20", || Box::new(KNnMean { neighbors: 20 })),
];

/// Classifiers by name: `all` for those of the comparison, `variants` for these.
pub fn named(names: &[String]) -> Result<Vec<&'static Method>> {
    named_among(names, &[("all", METHODS), ("variants", VARIANTS)])
}

/// Whether this is the name of a variant.
pub fn is_variant(name: &str) -> bool {
    VARIANTS.iter().any(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_baselines::Options;
    use eocc_core::Vectors;

    #[test]
    fn variants_have_names_of_their_own_and_can_be_made() {
        let names: std::collections::BTreeSet<_> = METHODS.iter().chain(VARIANTS).map(|m| m.name).collect();
        assert_eq!(names.len(), METHODS.len() + VARIANTS.len());
        for method in VARIANTS {
            assert!(
                method.classifier(eocc_core::Kind::of::<Vectors>(), &Options::default()).is_ok(),
                "{}",
                method.name
            );
        }
        assert_eq!(named(&["variants".to_owned(), "lof".to_owned()]).unwrap().len(), VARIANTS.len() + 1);
    }
}
