//! The judge of `default`: a committee of the views of a measure, three scores in each, and of panels of further scores. Their
//! tails are combined by their root mean square.
//!
//! No single distance is best on all data, and from nominals alone nobody can tell which one is; but the tails of the
//! scores add up where distances do not (docs/research/2026-11-16-views.md). Every training sample is scored as if it were
//! new: left out of the lists and of all that the measure learned. These scores are what tails are taken against, and
//! the oddities are what p-values are taken from.
//!
//! `fit` is the training as a whole, `learn` what the committee learns, `verdict` what it says of a new sample.

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
pub(crate) use window::{Judged, Newcomer, WindowCommittee};

/// Weight of the tail of features in which all training samples agree, relative to that of all other tails together.
const CHANGE: f64 = 2.0 / 9.0;
/// Nearest that count in the first score: of samples that may hold an outlier here and there, and of such that are known to.
pub(crate) const FEW: [usize; 2] = [2, 5];

/// Position of a training sample in the list of kept samples followed by the trimmed ones; not its index. Training uses only the
/// kept part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place(pub(crate) u32);

impl Place {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a committee has learned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Committee {
    /// The training samples that count as neighbors, ascending.
    pub(crate) kept: Vec<u32>,
    /// All others, ascending.
    pub(crate) trimmed: Vec<u32>,
    /// How many of the nearest count.
    pub(crate) ring_size: usize,
    /// How many count in the first score.
    pub(crate) few: usize,
    /// How many training samples a search for neighbors may look at.
    pub(crate) visits: usize,
    /// A member for each view.
    pub(crate) members: Vec<Member>,
    /// A member for each panel.
    pub(crate) panels: Vec<PanelMember>,
    pub(crate) changes: Changes,
    /// Whether a new sample that equals a training sample is taken for it. Where many training samples are equal, it is like any
    /// other.
    pub(crate) recognizes_copies: bool,
    /// The oddity that each training sample gets when it is scored again. P-values are not taken from these.
    pub(crate) oddity: Vec<f64>,
    /// The region of each training sample; of one that was trimmed, that of its nearest.
    pub(crate) region_of: Vec<u32>,
}

/// What a committee has learned of one view.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) weight: f64,
    pub(crate) locality: Locality,
    /// Of each score, those of the kept samples.
    pub(crate) references: [References; SCORES],
}

impl Member {
    /// The mean of the squared tails of a new sample.
    fn squares(&self, scores: &[f64; SCORES]) -> f64 {
        let square = |(r, s): (&References, &f64)| r.tail(*s).powi(2);
        self.references.iter().zip(scores).map(square).sum::<f64>() / SCORES as f64
    }

    /// The same of a kept sample with scores in place of its own.
    fn squares_in_place_of(&self, own: &[f64; SCORES], scores: &[f64; SCORES]) -> f64 {
        let pairs = self.references.iter().zip(own.iter().zip(scores));
        pairs.map(|(r, (own, s))| r.tail_in_place_of(*own, *s).powi(2)).sum::<f64>() / SCORES as f64
    }
}

impl Committee {
    /// Number of training samples.
    pub(crate) fn samples(&self) -> usize {
        self.kept.len() + self.trimmed.len()
    }

    /// Assigns the regions: puts each training sample into that of its nearest kept sample, or its own.
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

    /// The index of the training sample in this place.
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
