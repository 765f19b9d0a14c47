//! The plan of a fit: what it will do and what that takes, known before it starts. `model/planning.rs` makes it.

use serde::{Deserialize, Serialize};

/// Beyond this many samples, closeness is estimated and less is stored per sample.
pub(crate) const EXACT: usize = 1 << 14;
/// Minimum number of vertices that closeness is estimated from.
pub(crate) const MIN_SOURCES: usize = 16;

/// The steps of a fit, and the resources that they take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// How neighbors are found.
    pub neighbors: NeighborSearch,
    /// The fraction of true neighbors found, estimated on some training samples; 1 if the search is exact.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub recall: f64,
    /// How closeness is computed, with the preset `paper`.
    #[serde(default)]
    pub closeness: Closeness,
    /// The relative error of an estimated closeness at 95 % confidence.
    #[serde(default)]
    pub closeness_error: f64,
    /// Maximum bytes that the fit needs in addition to the samples.
    #[serde(skip)]
    pub memory: u64,
    /// How long it takes, roughly, without a search.
    #[serde(skip)]
    pub seconds: f64,
    /// How long a search with all its evaluations takes, roughly; most end sooner.
    #[serde(skip)]
    pub search_seconds: f64,
}

/// How neighbors are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum NeighborSearch {
    /// All samples are examined, or the others are provably farther away.
    #[default]
    Exact,
    /// A sample is compared with this many others: for tables, those in the closest leaves of a tree; for other
    /// measures, landmarks first, and then those the landmarks predict to be close.
    Visits(usize),
}

impl NeighborSearch {
    /// How many samples a search may examine.
    pub(crate) fn visits(self) -> usize {
        match self {
            Self::Exact => usize::MAX,
            Self::Visits(visits) => visits,
        }
    }
}

/// How closeness is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Closeness {
    /// By the shortest paths to all vertices.
    #[default]
    Exact,
    /// By the shortest paths to this many vertices, in regions that have more.
    Sources(usize),
}

impl Closeness {
    /// How many vertices it is estimated from.
    pub(crate) fn sources(self) -> Option<usize> {
        match self {
            Self::Exact => None,
            Self::Sources(count) => Some(count),
        }
    }
}

impl Plan {
    /// Whether nothing is approximate.
    pub fn is_exact(&self) -> bool {
        self.neighbors == NeighborSearch::Exact && self.closeness == Closeness::Exact
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            neighbors: NeighborSearch::Exact,
            recall: 1.0,
            closeness: Closeness::Exact,
            closeness_error: 0.0,
            memory: 0,
            seconds: 0.0,
            search_seconds: 0.0,
        }
    }
}

fn one() -> f64 {
    1.0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_one(share: &f64) -> bool {
    *share >= 1.0
}
