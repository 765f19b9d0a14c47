//! The judge of `default`: a committee of the views of a measure, with three scores each, and panels of further
//! scores. Their tails are combined by the root mean square.
//!
//! No single distance is best on all data, and nominals alone cannot tell which one is; but tails of scores can be
//! added where distances cannot (docs/research/2026-11-16-views.md). Every training sample is scored as if it were
//! new: left out of the lists and of everything the measure learned. Tails are taken against these scores, and
//! p-values against the resulting oddities.
//!
//! `fit` is the whole training, `learn` the committee's part of it, and `verdict` scores a new sample.

mod fit;
mod judge;
mod learn;
mod neighbors;
mod objective;
mod panel;
mod scores;
mod store;
mod tail;
mod trim;
mod verdict;
mod window;

use crate::knn::KnnLists;

pub use judge::CommitteeJudge;
use panel::PanelMember;
use scores::{Locality, SCORES};
use tail::{Changes, References};
use verdict::PreparedViews;
pub(crate) use window::{Newcomer, WindowCommittee, WindowJudged};

/// Weight of the tail of features that are constant in training, relative to that of all other tails together.
const CHANGE: f64 = 2.0 / 9.0;
/// Nearest samples in the first score, for training samples without known outliers.
pub(crate) const NEAREST_CLEAN: usize = 2;
/// Nearest samples in the first score, for training samples known to contain outliers.
pub(crate) const NEAREST_CONTAMINATED: usize = 5;

/// Position of a training sample in the list of kept samples followed by the trimmed ones; not its index. Training uses only the
/// kept part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) u32);

impl Place {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A fitted committee.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Committee {
    /// The training samples that count as neighbors, ascending.
    pub(crate) kept: Vec<u32>,
    /// The trimmed training samples, ascending.
    pub(crate) trimmed: Vec<u32>,
    /// How many of the nearest samples the scores use.
    pub(crate) ring_size: usize,
    /// How many of them the first score uses.
    pub(crate) few: usize,
    /// How many training samples a neighbor search may examine.
    pub(crate) visits: usize,
    /// One member per view.
    pub(crate) members: Vec<Member>,
    /// One member per panel.
    pub(crate) panels: Vec<PanelMember>,
    pub(crate) changes: Changes,
    /// Whether a new sample that equals a training sample is taken to be that sample. If many training samples are
    /// equal, it is treated like any other.
    pub(crate) recognizes_copies: bool,
    /// The oddity of each training sample when it is scored again. P-values are not taken from these.
    pub(crate) oddity: Vec<f64>,
    /// The region of each training sample; for a trimmed one, that of its nearest neighbor.
    pub(crate) region_of: Vec<u32>,
}

/// A view as a member of a committee, with what was learned about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) locality: Locality,
    /// For each score, the scores of the kept samples.
    pub(crate) references: [References; SCORES],
}

impl Member {
    /// The mean squared tail of a new sample.
    fn squares(&self, scores: &[f64; SCORES]) -> f64 {
        let square = |(r, s): (&References, &f64)| r.tail(*s).powi(2);
        self.references.iter().zip(scores).map(square).sum::<f64>() / SCORES as f64
    }

    /// Like `squares`, for a kept sample, with these scores in place of its own.
    fn squares_in_place_of(&self, own: &[f64; SCORES], scores: &[f64; SCORES]) -> f64 {
        let pairs = self.references.iter().zip(own.iter().zip(scores));
        pairs.map(|(r, (own, s))| r.tail_leaving_out(*own, *s).powi(2)).sum::<f64>() / SCORES as f64
    }
}

impl Committee {
    /// Number of training samples.
    pub(crate) fn samples(&self) -> usize {
        self.kept.len() + self.trimmed.len()
    }

    /// Assigns each training sample to its own region, or to that of its nearest kept sample.
    pub(crate) fn assign_regions(&mut self, members: &[Vec<u32>], lists: &KnnLists) {
        for (region, vertices) in (0..).zip(members) {
            for &v in vertices {
                self.region_of[v as usize] = region;
            }
        }
        for &v in &self.trimmed {
            self.region_of[v as usize] = self.region_of[lists.neighbors(v as usize, 1)[0] as usize];
        }
    }

    /// The index of the training sample at this place.
    fn sample_at(&self, place: Place) -> u32 {
        let at = place.index();
        if at < self.kept.len() { self.kept[at] } else { self.trimmed[at - self.kept.len()] }
    }

    /// The sum of all weights.
    fn weights(&self) -> f64 {
        let panels = self.panels.iter().map(|p| p.weight);
        self.members.iter().map(|m| m.weight).chain(panels).sum()
    }
}
