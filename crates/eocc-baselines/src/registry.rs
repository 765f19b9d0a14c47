//! All classifiers by name: one line each.

use eocc_core::spelling::suggestion;
use eocc_core::{AnyDissimilarity, Error, Kind, OneClass, Preset, Result, Scoring, Settings, ValidParams};

use crate::classifier::{Classifier, Learner, OfDissimilarities, OfVectors};
use crate::eocc_classifier::EoccClassifier;
use crate::{
    AutoEncoder, Chameleon, DteNp, Eocc1, Eocc2, Gauss, IsolationForest, KCentres, KMeans, KNn, KNnMean, Lof,
    Lpdd, Mixture, Mpm, MstCd, NaiveParzen, OneNn, Parzen, Pca, Som, Svdd,
};

/// The input that a classifier learns from.
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
    /// Not in the paper, but a likely alternative for users.
    Peer,
}

/// A classifier by name.
pub struct Method {
    /// Name on the command line.
    pub name: &'static str,
    /// Name in tables; that of the paper, if any.
    pub title: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// A one-line description.
    pub summary: &'static str,
    /// How it is made.
    pub recipe: Recipe,
}

/// How a classifier is made, whatever the type of the samples.
pub enum Recipe {
    /// A learner from vectors of numbers.
    Vectors(fn() -> Box<dyn Learner>),
    /// A learner from dissimilarities.
    Dissimilarities(fn() -> Box<dyn Learner>),
    /// Any other classifier of vectors of numbers.
    Classifier(fn() -> Box<dyn Classifier>),
    /// EOCC-MI as a preset, with something changed.
    Preset {
        /// The preset.
        preset: Preset,
        /// A dissimilarity instead of the requested one: its name and settings.
        dissimilarity: Option<NamedMeasure>,
        /// Changes parameters.
        change: fn(&mut OneClass),
    },
    /// EOCC-MI with these parameters.
    Params {
        /// The parameters; the seed is that of the run.
        params: Box<ValidParams>,
        /// A dissimilarity instead of the requested one: its name and settings.
        dissimilarity: Option<NamedMeasure>,
        /// How to score, if the parameters do not decide it.
        scoring: Option<Scoring>,
    },
}

/// A dissimilarity: its name and settings, as `key=value`.
pub type NamedMeasure = (&'static str, &'static [&'static str]);

/// Options for every classifier: the dissimilarity.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Name of the dissimilarity; by default the first in the catalogue.
    pub dissimilarity: Option<String>,
    /// Its settings.
    pub settings: Settings,
}

/// A default learner in a box.
fn learner<L: Learner + Default + 'static>() -> Box<dyn Learner> {
    Box::new(L::default())
}

const fn line(
    name: &'static str,
    title: &'static str,
    origin: Origin,
    recipe: Recipe,
    summary: &'static str,
) -> Method {
    Method { name, title, origin, summary, recipe }
}

const fn preset(preset: Preset) -> Recipe {
    Recipe::Preset { preset, dissimilarity: None, change: |_| {} }
}

use Origin::{Ours, Paper, Peer};
use Recipe::{Dissimilarities as D, Vectors as V};

/// Every classifier, in the order of the paper's table.
pub static METHODS: &[Method] = &[
    line(
        "default",
        "EOCC-MI default",
        Ours,
        preset(Preset::Default),
        "the best we know to build from the paper's ideas",
    ),
    line("paper", "EOCC-MI", Ours, preset(Preset::Paper), "the paper's own method"),
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
    line("som", "SOM", Paper, V(learner::<Som>), "distance to a self-organizing map"),
    line("mst_cd", "MST_CD", Paper, D(learner::<MstCd>), "distance to the minimum spanning tree"),
    line("k-centres", "k-Centres", Paper, D(learner::<KCentres>), "distance to the nearest of five centers"),
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

impl Method {
    /// EOCC-MI with these parameters, optionally with a different scoring.
    pub fn with_params(params: ValidParams, scoring: Option<Scoring>) -> Self {
        let recipe = Recipe::Params { params: Box::new(params), dissimilarity: None, scoring };
        line("eocc", "EOCC-MI with these parameters", Ours, recipe, "parameters of the user's")
    }

    /// The input that it learns from.
    pub fn needs(&self) -> Needs {
        match self.recipe {
            Recipe::Vectors(_) | Recipe::Classifier(_) => Needs::Vectors,
            _ => Needs::Dissimilarities,
        }
    }

    /// The preset it is based on, if it is EOCC-MI.
    pub fn preset(&self) -> Option<Preset> {
        match &self.recipe {
            Recipe::Vectors(_) | Recipe::Dissimilarities(_) | Recipe::Classifier(_) => None,
            Recipe::Preset { preset, .. } => Some(*preset),
            Recipe::Params { params, .. } => Some(params.preset),
        }
    }

    /// Whether it learns its own scales of features, as `default` does. The others use features in their units,
    /// including `paper`.
    pub fn has_own_scales(&self) -> bool {
        self.preset() == Some(Preset::Default)
    }

    /// The classifier for samples of this kind.
    pub fn classifier(&self, kind: Kind, options: &Options) -> Result<Box<dyn Classifier>> {
        Ok(self.classifier_with(self.dissimilarity(kind, options)?))
    }

    /// The classifier with this unfitted dissimilarity, if it is EOCC-MI; any other is unchanged.
    pub fn classifier_with(&self, dissimilarity: AnyDissimilarity) -> Box<dyn Classifier> {
        let (params, scoring) = match &self.recipe {
            Recipe::Vectors(make) => return Box::new(OfVectors(make())),
            Recipe::Dissimilarities(make) => return Box::new(OfDissimilarities(make())),
            Recipe::Classifier(make) => return make(),
            Recipe::Preset { preset, change, .. } => {
                let mut params = OneClass::new(*preset);
                change(&mut params);
                (params, None)
            }
            Recipe::Params { params, scoring, .. } => (OneClass::clone(params), *scoring),
        };
        Box::new(EoccClassifier { params, dissimilarity, scoring })
    }

    /// The dissimilarity that it uses, unfitted. Classifiers other than EOCC-MI use that of the preset `paper`, which
    /// leaves features in their units.
    pub fn dissimilarity(&self, kind: Kind, options: &Options) -> Result<AnyDissimilarity> {
        let preset = self.preset().unwrap_or(Preset::Paper);
        let own = match &self.recipe {
            Recipe::Vectors(_) | Recipe::Dissimilarities(_) | Recipe::Classifier(_) => None,
            Recipe::Preset { dissimilarity, .. } | Recipe::Params { dissimilarity, .. } => *dissimilarity,
        };
        if let Some((name, texts)) = own {
            let mut settings = Settings::default();
            texts.iter().try_for_each(|text| settings.parse(text))?;
            return kind.measure(preset, Some(name), &settings);
        }
        kind.measure(preset, options.dissimilarity.as_deref(), &options.settings)
    }
}

/// The classifier with this name; case, `-` and `_` do not matter.
pub fn method(name: &str) -> Result<&'static Method> {
    find(name, &[METHODS])
}

fn find<'a>(name: &str, groups: &[&'a [Method]]) -> Result<&'a Method> {
    let plain = |text: &str| text.to_lowercase().replace(['_', ' '], "-");
    let is_named = |m: &&Method| plain(m.name) == plain(name) || plain(m.title) == plain(name);
    groups.iter().copied().flatten().find(is_named).ok_or_else(|| {
        let names: Vec<_> = METHODS.iter().map(|m| m.name).collect();
        let known = groups.iter().copied().flatten().map(|m| m.name);
        let given = format!("`{name}`{}", suggestion(name, known));
        Error::parameter("method", given, format!("all or one of {}", names.join(", ")))
    })
}

/// The classifiers with these names, or all of them for `all`; in the order of [`METHODS`], each once. A name after
/// `-` is excluded.
pub fn named(names: &[String]) -> Result<Vec<&'static Method>> {
    named_among(names, &[("all", METHODS)])
}

/// Like [`named`], with more classifiers than [`METHODS`]: groups, each with the name of the whole group.
pub fn named_among<'a>(names: &[String], groups: &[(&str, &'a [Method])]) -> Result<Vec<&'a Method>> {
    let all: Vec<&[Method]> = groups.iter().map(|g| g.1).collect();
    let (mut wanted, mut unwanted): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for name in names {
        if let Some((_, group)) = groups.iter().find(|g| g.0.eq_ignore_ascii_case(name)) {
            wanted.extend(group.iter().map(|m| m.name));
        } else if let Some(name) = name.strip_prefix('-') {
            unwanted.push(find(name, &all)?.name);
        } else {
            wanted.push(find(name, &all)?.name);
        }
    }
    wanted.retain(|name| !unwanted.contains(name));
    if wanted.is_empty() {
        return Err(Error::parameter("methods", "empty", "all, or names separated by commas"));
    }
    Ok(all.into_iter().flatten().filter(|m| wanted.contains(&m.name)).collect())
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
        assert!(
            e.starts_with(
                "method is `knn` (did you mean `k-nn`?), but must be all or one of default, paper, eocc-1"
            ),
            "{e}"
        );
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
