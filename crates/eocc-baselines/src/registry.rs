//! All classifiers by name: one line each.

use eocc::{Catalogue, Error, Members, OneClassParams, Preset, Result, Settings};

use crate::classifier::{Learner, OfDissimilarities, OfVectors, OneClass};
use crate::own::Own;
use crate::{
    AutoEncoder, Chameleon, DteNp, Eocc1, Eocc2, Gauss, IsolationForest, KCentres, KMeans, KNn, KNnMean, Lof,
    Lpdd, Mixture, Mpm, MstCd, NaiveParzen, OneNn, Parzen, Pca, Som, Svdd,
};

/// What a classifier learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Vectors of numbers.
    Vectors,
    /// Dissimilarities among samples of any type.
    Dissimilarities,
}

/// Where a classifier comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// EOCC-MI.
    Ours,
    /// A row of the paper's table.
    Paper,
    /// Not in the paper, but what users would take otherwise.
    Peer,
    /// `default` with one thing changed, or a peer with another parameter: what the research compares.
    Variant,
}

/// A classifier by name.
pub struct Method {
    /// Name on the command line.
    pub name: &'static str,
    /// Name in tables, as in the paper where it is there.
    pub title: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// What it is, in a line.
    pub summary: &'static str,
    pub(crate) make: Make,
}

pub(crate) enum Make {
    Vectors(fn() -> Box<dyn Learner>),
    Dissimilarities(fn() -> Box<dyn Learner>),
    Own(Preset),
    Changed(Change),
}

/// `default` with one thing changed.
pub(crate) struct Change {
    /// Another measure, with its settings.
    pub(crate) measure: Option<(&'static str, &'static [&'static str])>,
    /// Other parameters.
    pub(crate) params: fn(&mut OneClassParams),
    /// Many models in place of one.
    pub(crate) members: Option<Members>,
}

/// What else a classifier is made from: the measure that the user asks for.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the measure; the first of the catalogue unless given.
    pub dissimilarity: Option<String>,
    /// Its settings.
    pub settings: Settings,
}

/// A default learner in a box.
fn learner<L: Learner + Default + 'static>() -> Box<dyn Learner> {
    Box::new(L::default())
}

pub(crate) const fn line(
    name: &'static str,
    title: &'static str,
    origin: Origin,
    make: Make,
    summary: &'static str,
) -> Method {
    Method { name, title, origin, summary, make }
}

use Make::{Dissimilarities as D, Own as O, Vectors as V};
use Origin::{Ours, Paper, Peer};

/// Every classifier, in the order of the paper's table.
pub const METHODS: &[Method] = &[
    line(
        "default",
        "EOCC-MI default",
        Ours,
        O(Preset::Default),
        "the best we know to build from the paper's ideas",
    ),
    line("paper", "EOCC-MI", Ours, O(Preset::Paper), "the paper to the letter"),
    line("eocc-1", "EOCC-1", Paper, D(learner::<Eocc1>), "spanning tree, entropy and modularity, centroids"),
    line("eocc-2", "EOCC-2", Paper, D(learner::<Eocc2>), "the same, chosen by cross-validation"),
    line("gauss", "Gauss", Paper, V(learner::<Gauss>), "one normal density"),
    line("mixture", "MoG", Paper, V(learner::<Mixture>), "mixture of Gaussians"),
    line("naive-parzen", "Naïve Parzen", Paper, V(learner::<NaiveParzen>), "kernel density of each feature"),
    line("parzen", "Parzen", Paper, D(learner::<Parzen>), "kernel density"),
    line("k-means", "k-Means", Paper, V(learner::<KMeans>), "distance to the nearest of five means"),
    line("1-nn", "1-NN", Paper, D(learner::<OneNn>), "distance to the nearest, over its own to its nearest"),
    line("k-nn", "k-NN", Paper, D(learner::<KNn>), "distance to the k-th nearest, k by leave-one-out"),
    line(
        "auto-encoder",
        "Auto-encoder",
        Paper,
        V(learner::<AutoEncoder>),
        "error of a network that repeats its input",
    ),
    line("pca", "PCA", Paper, V(learner::<Pca>), "distance to the principal subspace"),
    line("som", "SOM", Paper, V(learner::<Som>), "distance to a self-organising map"),
    line("mst_cd", "MST_CD", Paper, D(learner::<MstCd>), "distance to the minimum spanning tree"),
    line("k-centres", "k-Centres", Paper, D(learner::<KCentres>), "distance to the nearest of five centres"),
    line("svdd", "SVDD", Paper, D(learner::<Svdd>), "support vector data description"),
    line("mpm", "MPM", Paper, D(learner::<Mpm>), "minimax probability machine"),
    line("lpdd", "LPDD", Paper, D(learner::<Lpdd>), "linear programming dissimilarity description"),
    line("chameleon", "CHAMELEON", Paper, D(learner::<Chameleon>), "distance to clusters of a kNN graph"),
    line(
        "isolation-forest",
        "Isolation forest",
        Peer,
        V(learner::<IsolationForest>),
        "depth in random trees",
    ),
    line("lof", "LOF", Peer, D(learner::<Lof>), "local outlier factor"),
    line("dte-np", "DTE-NP", Peer, D(learner::<DteNp>), "mean squared distance to the five nearest"),
    line("k-nn-mean", "k-NN mean", Peer, D(learner::<KNnMean>), "mean distance to the five nearest"),
];

pub use crate::variants::VARIANTS;

impl Method {
    /// What it learns from.
    pub fn needs(&self) -> Needs {
        if matches!(self.make, Make::Vectors(_)) { Needs::Vectors } else { Needs::Dissimilarities }
    }

    /// The classifier for samples of type `X`.
    pub fn classifier<X: Catalogue>(&self, options: &Options) -> Result<Box<dyn OneClass<X>>> {
        Ok(match self.make {
            Make::Vectors(make) => Box::new(OfVectors(make())),
            Make::Dissimilarities(make) => Box::new(OfDissimilarities(make())),
            Make::Own(preset) => {
                let measure = X::measure(preset, options.dissimilarity.as_deref(), &options.settings)?;
                Box::new(Own::<X> { params: OneClassParams::new(preset), measure, members: None })
            }
            Make::Changed(ref change) => {
                let (name, settings) = match change.measure {
                    None => (options.dissimilarity.as_deref(), options.settings.clone()),
                    Some((name, texts)) => {
                        let mut settings = Settings::default();
                        texts.iter().try_for_each(|text| settings.parse(text))?;
                        (Some(name), settings)
                    }
                };
                let mut params = OneClassParams::new(Preset::Default);
                (change.params)(&mut params);
                let measure = X::measure(Preset::Default, name, &settings)?;
                Box::new(Own::<X> { params, measure, members: change.members })
            }
        })
    }
}

/// The classifier with this name; case, `-` and `_` do not matter.
pub fn method(name: &str) -> Result<&'static Method> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let is_named = |m: &&Method| plain(m.name) == plain(name) || plain(m.title) == plain(name);
    METHODS.iter().chain(VARIANTS).find(is_named).ok_or_else(|| {
        let names: Vec<_> = METHODS.iter().map(|m| m.name).collect();
        Error::parameter("method", format!("`{name}`"), format!("all or one of {}", names.join(", ")))
    })
}

/// The classifiers with these names, or all of them for `all`, and all variants for `variants`; in the order of
/// [`METHODS`] and [`VARIANTS`], each once. A name after `-` is left out.
pub fn named(names: &[String]) -> Result<Vec<&'static Method>> {
    let (mut wanted, mut unwanted): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for name in names {
        match name.to_lowercase().as_str() {
            "all" => wanted.extend(METHODS.iter().map(|m| m.name)),
            "variants" => wanted.extend(VARIANTS.iter().map(|m| m.name)),
            _ => match name.strip_prefix('-') {
                Some(name) => unwanted.push(method(name)?.name),
                None => wanted.push(method(name)?.name),
            },
        }
    }
    wanted.retain(|name| !unwanted.contains(name));
    if wanted.is_empty() {
        return Err(Error::parameter("methods", "empty", "all, or names separated by commas"));
    }
    Ok(METHODS.iter().chain(VARIANTS).filter(|m| wanted.contains(&m.name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        for name in ["mst_cd", "MST-CD", "MST_CD"] {
            assert_eq!(method(name).unwrap().title, "MST_CD");
        }
        assert_eq!(method("EOCC-MI").unwrap().name, "paper");
        let e = method("knn").err().unwrap().to_string();
        assert!(e.starts_with("method is `knn`, but must be all or one of default, paper, eocc-1"), "{e}");
        let some = named(&["lof".to_owned(), "gauss".to_owned(), "LOF".to_owned()]).unwrap();
        assert_eq!(some.iter().map(|m| m.name).collect::<Vec<_>>(), ["gauss", "lof"]);
        assert_eq!(named(&["all".to_owned()]).unwrap().len(), METHODS.len());
        let most = named(&["all".to_owned(), "-paper".to_owned()]).unwrap();
        assert_eq!(most.len(), METHODS.len() - 1);
        assert!(most.iter().all(|m| m.name != "paper"));
        assert!(named(&[]).is_err() && named(&["lof".to_owned(), "-lof".to_owned()]).is_err());
    }

    #[test]
    fn the_papers_rows_are_all_there() {
        assert_eq!(METHODS.iter().filter(|m| m.origin == Paper).count(), 18);
        let names: std::collections::BTreeSet<_> = METHODS.iter().map(|m| m.name).collect();
        assert_eq!(names.len(), METHODS.len());
    }
}
