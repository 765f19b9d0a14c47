//! Parts of a search for neighbors that may be done elsewhere, by the machines of a cluster, say: work on one row at a time, whose
//! result is small.

use crate::error::Result;

/// What is to be found for each of some rows, given all samples of a fit. Samples are named by their index.
#[derive(Debug, Clone, PartialEq)]
pub enum RowWork {
    /// The dissimilarities of these samples to it.
    Columns {
        /// The samples.
        of: Vec<u32>,
    },
    /// The distance to its `k`-th nearest of the samples `among`, counted from 0, itself left out; and the `ring` nearest.
    NearAndFar {
        /// The samples, ascending.
        among: Vec<u32>,
        /// Which distance.
        k: usize,
        /// How many of the nearest.
        ring: usize,
    },
    /// Its `k` nearest of the samples `among`, itself left out, by an index of landmarks.
    Nearest {
        /// The samples, ascending.
        among: Vec<u32>,
        /// Which of them are landmarks, by their place among them.
        landmarks: Vec<u32>,
        /// The dissimilarities of each of them to all landmarks, one after another.
        points: Vec<f64>,
        /// How many.
        k: usize,
        /// How many samples a search may look at; [`Query::ALL`](super::Query::ALL): as many as it takes.
        visits: usize,
    },
}

/// What was found: for each row as many indices and as many numbers, row after row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowsFound {
    /// Indices of samples.
    pub indices: Vec<u32>,
    /// Dissimilarities.
    pub numbers: Vec<f64>,
}

impl RowWork {
    /// How many indices and how many numbers are found for a row.
    pub fn widths(&self) -> (usize, usize) {
        match self {
            Self::Columns { of } => (0, of.len()),
            Self::NearAndFar { ring, .. } => (*ring, 1),
            Self::Nearest { k, .. } => (*k, *k),
        }
    }
}

/// Whoever does such work.
pub trait Elsewhere: Send + Sync {
    /// Does it for these rows, or for all samples. What is found must be exactly what would be found here.
    fn rows(&self, work: &RowWork, rows: Option<&[u32]>) -> Result<RowsFound>;
}
