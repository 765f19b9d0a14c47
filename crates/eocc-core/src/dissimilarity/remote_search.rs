//! Parts of a neighbor search that other machines can compute: work on one row at a time with a small result.

use crate::error::Result;

/// The result that is wanted for each of some rows, given all samples of a fit. Samples are given by index.
#[derive(Debug, Clone, PartialEq)]
pub enum RowWork {
    /// The dissimilarities of these samples to the row.
    Columns {
        /// The samples.
        of: Vec<u32>,
    },
    /// The distance to its `k`-th nearest of the samples `among`, counted from 0, itself excluded; and the `ring`
    /// nearest.
    NearAndFar {
        /// The samples, ascending.
        among: Vec<u32>,
        /// The rank of the distance.
        k: usize,
        /// How many of the nearest to return.
        ring: usize,
    },
    /// Its `k` nearest of the samples `among`, itself excluded, by a landmark index.
    Nearest {
        /// The samples, ascending.
        among: Vec<u32>,
        /// Which of them are landmarks, by position in `among`.
        landmarks: Vec<u32>,
        /// The dissimilarities of each of them to all landmarks, concatenated.
        points: Vec<f64>,
        /// How many to return.
        k: usize,
        /// How many samples a search may examine; [`Query::ALL`](super::Query::ALL) means no limit.
        visits: usize,
    },
}

/// The result: the same number of indices and of numbers for each row, row after row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowsFound {
    /// Indices of samples.
    pub indices: Vec<u32>,
    /// Dissimilarities.
    pub numbers: Vec<f64>,
}

impl RowWork {
    /// How many indices and how many numbers each row has.
    pub fn widths(&self) -> (usize, usize) {
        match self {
            Self::Columns { of } => (0, of.len()),
            Self::NearAndFar { ring, .. } => (*ring, 1),
            Self::Nearest { k, .. } => (*k, *k),
        }
    }
}

/// Workers that do such work.
pub trait RemoteSearch: Send + Sync {
    /// Does the work for these rows, or for all samples. The result must be exactly what would be computed here.
    fn rows(&self, work: &RowWork, rows: Option<&[u32]>) -> Result<RowsFound>;
}
