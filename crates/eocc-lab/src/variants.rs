//! `default` with a single part or with one thing changed, and other numbers of neighbors, so that the leaderboard
//! shows the value of every part of `default`.

use eocc_baselines::{KNnMean, Learner, METHODS, Method, Origin, Recipe, named_among};
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
    let (origin, summary) = (Origin::Peer, "mean distance to that many nearest samples");
    Method { name, title, origin, summary, recipe: Recipe::Dissimilarities(make) }
}

/// Rows of the leaderboard in addition to the classifiers of the comparison.
#[rustfmt::skip]
pub static VARIANTS: &[Method] = &[
    measured("robust-view", "default, robust view alone", "views", &["only=robust"], "multiples of the quartiles' width, Manhattan"),
    measured("rank-view", "default, rank view alone", "views", &["only=rank"], "normal scores of ranks, Euclidean"),
    measured("half-way-view", "default, half-way view alone", "views", &["only=half-way"], "between own and common deviation, Euclidean"),
    measured("euclidean-standard", "default, Euclidean, z-scores", "euclidean", &["scaling=standard"], "one measure in place of the views: that of k-NN mean"),
    changed("trusting", "default, nothing trimmed", |p| p.contamination = Some(0.0), "all training samples are trusted"),
    changed("wary", "default, 10 % trimmed", |p| p.contamination = Some(0.05), "as if every twentieth training sample were an outlier"),
    changed("search", "default, genetic search", |p| { p.search = SearchKind::Genetic; p.evaluations = 20; }, "weights of features by the entropic objective"),
    neighbors("k-nn-mean-1", "k-NN mean, k = 1", || Box::new(KNnMean { neighbors: 1 })),
    neighbors("k-nn-mean-10", "k-NN mean, k = 10", || Box::new(KNnMean { neighbors: 10 })),
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
                method.classifier(eocc_core::Kind::new::<Vectors>(), &Options::default()).is_ok(),
                "{}",
                method.name
            );
        }
        assert_eq!(named(&["variants".to_owned(), "lof".to_owned()]).unwrap().len(), VARIANTS.len() + 1);
    }
}
