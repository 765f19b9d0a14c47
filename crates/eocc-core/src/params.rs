//! All parameters and their defaults: the only home of both. `parameters` has their names and what they do.

use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, ParameterFault, Result};
use crate::prototypes::Prototypes;
use crate::synthesis::SearchKind;

/// A named set of parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Follows the paper.
    Paper,
    /// The best classifier we know how to build from the same ideas.
    #[default]
    Default,
}

impl Preset {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Paper => "paper",
            Self::Default => "default",
        }
    }

    /// The preset with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Paper, Self::Default].into_iter().find(|p| p.name() == name)
    }
}

/// Where the graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Representation {
    /// In the dissimilarity space of all samples up to [`EMBEDDING_LIMIT`], of a random subset beyond.
    Embedding,
    /// In the dissimilarity space of these prototypes.
    Prototypes(Prototypes),
    /// On the dissimilarity itself, without an embedding.
    Direct,
}

/// Up to here every sample is a prototype unless told otherwise.
pub const EMBEDDING_LIMIT: usize = 3000;

/// Fewest samples that a search for neighbors may look at.
pub const MIN_VISITS: usize = 64;

impl Representation {
    /// Its kind, in a word.
    fn name(self) -> &'static str {
        match self {
            Self::Embedding => "an embedding",
            Self::Prototypes(_) => "given",
            Self::Direct => "none",
        }
    }

    /// The prototypes for `n` samples; `None` if direct.
    pub fn prototypes(self, n: usize) -> Option<Prototypes> {
        match self {
            Self::Direct => None,
            Self::Prototypes(p) => Some(p),
            Self::Embedding if n <= EMBEDDING_LIMIT => Some(Prototypes::All),
            Self::Embedding => Some(Prototypes::Random(EMBEDDING_LIMIT)),
        }
    }
}

/// When a sample is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Threshold {
    /// If its difference is at most the region's percentile `t`, the paper's rule.
    Percentile,
    /// If its p-value exceeds this fraction, the nominal samples that may be rejected.
    Reject(f64),
    /// If its p-value exceeds those of the fraction of training samples that are expected to be outliers.
    Contamination,
}

/// How samples are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scoring {
    /// The newcomer joins each region's graph, which is redone.
    Exact,
    /// The graph stays as it was trained.
    Fast,
}

impl Scoring {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Fast => "fast",
        }
    }

    /// The scoring with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Exact, Self::Fast].into_iter().find(|s| s.name() == name)
    }
}

/// Parameters of the classifier, not yet checked. Start from a preset.
///
/// ```
/// use eocc_core::{OneClass, Preset};
/// let params = OneClass::new(Preset::Default).reject(0.01).seed(7).check()?;
/// # Ok::<(), eocc_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OneClass {
    /// The preset these parameters started from.
    pub preset: Preset,
    /// Where the graph is built.
    pub representation: Representation,
    /// The order of the entropy, in (0, 1).
    pub alpha: f64,
    /// The percentile `l` of the differences, in [0, 100].
    pub percentile: f64,
    /// When a sample is accepted.
    pub threshold: Threshold,
    /// The search over `p`.
    pub search: SearchKind,
    /// The search stops at an objective of `tau`.
    pub tau: f64,
    /// The search stops after this many evaluations.
    pub evaluations: usize,
    /// How samples are scored.
    pub scoring: Scoring,
    /// The fraction of outliers expected among the training samples, in [0, 1/2]. Twice as many are trimmed, that is,
    /// excluded as neighbors; 2 % if `None`. The preset `paper` trims none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contamination: Option<f64>,
    /// How many training samples a neighbor search may examine, at least [`MIN_VISITS`]; `None`: all of them, or about two
    /// thousand of many ([`Plan`](crate::Plan)). The preset `paper` examines all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visits: Option<usize>,
    /// Seed of all randomness.
    pub seed: u64,
    /// Most memory to use, in bytes; `None`: three quarters of what is available.
    #[serde(skip)]
    pub memory: Option<u64>,
}

impl Default for OneClass {
    fn default() -> Self {
        Self::new(Preset::Default)
    }
}

impl OneClass {
    /// The parameters of a preset.
    pub fn new(preset: Preset) -> Self {
        let paper = Self {
            preset,
            representation: Representation::Embedding,
            alpha: 0.5,
            percentile: 50.0,
            threshold: Threshold::Percentile,
            search: SearchKind::Genetic,
            tau: 0.05,
            // Five generations; the paper does not say. More only follows the objective further from accuracy (docs/research).
            evaluations: 100,
            scoring: Scoring::Exact,
            contamination: None,
            visits: None,
            seed: 0,
            memory: None,
        };
        match preset {
            Preset::Paper => paper,
            Preset::Default => Self {
                representation: Representation::Direct,
                threshold: Threshold::Reject(0.05),
                search: SearchKind::None,
                scoring: Scoring::Fast,
                ..paper
            },
        }
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Accepts to lose this share of nominal samples.
    #[must_use]
    pub fn reject(mut self, share: f64) -> Self {
        self.threshold = Threshold::Reject(share);
        self
    }

    /// Expects this share of outliers among the training samples, and rejects as many of them unless another share is
    /// [set](Self::reject) afterwards.
    #[must_use]
    pub fn contamination(mut self, share: f64) -> Self {
        self.contamination = Some(share);
        if share > 0.0 {
            self.threshold = Threshold::Contamination;
        }
        self
    }

    /// Sets the search.
    #[must_use]
    pub fn search(mut self, search: SearchKind) -> Self {
        self.search = search;
        self
    }

    /// Sets where the graph is built.
    #[must_use]
    pub fn representation(mut self, representation: Representation) -> Self {
        self.representation = representation;
        self
    }

    /// Checks everything that can be checked without data; lists every fault, not the first.
    pub fn check(self) -> Result<ValidParams> {
        let mut faults = Vec::new();
        let mut require = |holds: bool, name: &str, given: String, allowed: &str| {
            if !holds {
                faults.push(ParameterFault {
                    name: name.into(),
                    given,
                    allowed: allowed.into(),
                    remedy: None,
                });
            }
        };
        let open = |v: f64| v > 0.0 && v < 1.0;
        require(open(self.alpha), "alpha", self.alpha.to_string(), "in (0, 1)");
        require(
            (0.0..=100.0).contains(&self.percentile),
            "percentile",
            self.percentile.to_string(),
            "in [0, 100]",
        );
        if let Threshold::Reject(r) = self.threshold {
            require(open(r), "reject", r.to_string(), "a fraction in (0, 1)");
        }
        require(self.tau >= 0.0, "tau", self.tau.to_string(), "a number of at least 0");
        require(self.evaluations > 0, "evaluations", self.evaluations.to_string(), "at least 1");
        if let Some(share) = self.contamination {
            let allowed = "a fraction in [0, 0.5]";
            require((0.0..=0.5).contains(&share), "contamination", share.to_string(), allowed);
        }
        if let Some(visits) = self.visits {
            require(visits >= MIN_VISITS, "visits", visits.to_string(), "`all` or at least 64");
        }
        if self.threshold == Threshold::Contamination {
            let is_given = self.contamination.is_some_and(|share| share > 0.0);
            require(is_given, "contamination", "nothing".into(), "given, if it is the threshold");
        }
        if let Representation::Prototypes(p) = self.representation {
            require(p.count(usize::MAX) > 0, "prototypes", "0".into(), "`all` or at least 1");
        }
        if self.preset == Preset::Default && self.representation != Representation::Direct {
            require(
                false,
                "prototypes",
                self.representation.name().into(),
                "left out with the preset `default`, which compares samples directly",
            );
        }
        if faults.is_empty() { Ok(ValidParams(self)) } else { Err(ErrorKind::Parameter(faults).into()) }
    }
}

/// Checked parameters: the only ones that can fit.
#[derive(Debug, Clone, PartialEq)]
pub struct ValidParams(OneClass);

impl std::ops::Deref for ValidParams {
    type Target = OneClass;

    fn deref(&self) -> &OneClass {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_valid_and_all_faults_are_listed() {
        for preset in [Preset::Paper, Preset::Default] {
            assert!(OneClass::new(preset).check().is_ok());
            assert_eq!(Preset::named(preset.name()), Some(preset));
        }
        let mut p = OneClass::new(Preset::Paper).reject(1.5);
        p.alpha = 1.0;
        p.percentile = f64::NAN;
        let e = p.check().unwrap_err();
        assert_eq!(
            e.to_string(),
            "alpha is 1, but must be in (0, 1); percentile is NaN, but must be in [0, 100]; \
             reject is 1.5, but must be a fraction in (0, 1)"
        );
    }
}
