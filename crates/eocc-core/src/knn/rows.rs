//! Work on the rows of a search, wherever it runs: what a fit requests from a cluster, and what each machine
//! computes.

use super::landmarks::LandmarkIndex;
use crate::dissimilarity::{Dissimilarity, Index as _, Prepared, Query, RowWork, RowsFound};
use crate::error::{Error, Result};
use crate::parallel;
use crate::sample::Sample;
use crate::select::kth_and_nearest;

/// Rows per task.
const ROWS: usize = 16;

/// Samples prepared for some work.
pub(crate) enum RowSearch<S: ?Sized> {
    Columns { measure: Box<dyn Dissimilarity<S>>, of: Vec<u32> },
    NearAndFar { among: Vec<u32>, prepared: Box<dyn Prepared<S>>, k: usize, ring: usize },
    Nearest { among: Vec<u32>, index: Box<LandmarkIndex<S>>, k: usize, visits: usize },
}

impl<S: ?Sized + Sample> RowSearch<S> {
    /// Prepares all samples of a fit. The request comes from another machine and is checked.
    pub(crate) fn new(measure: &dyn Dissimilarity<S>, samples: &[&S], work: RowWork) -> Result<Self> {
        let picked = |which: &[u32]| -> Result<Vec<&S>> {
            which
                .iter()
                .map(|&i| {
                    samples.get(i as usize).copied().ok_or_else(|| {
                        Error::input(format!(
                            "sample {i} is requested, but there are {} samples",
                            samples.len()
                        ))
                    })
                })
                .collect()
        };
        Ok(match work {
            RowWork::Columns { of } => {
                picked(&of)?;
                Self::Columns { measure: measure.boxed(), of }
            }
            RowWork::NearAndFar { among, k, ring } => {
                let prepared = measure.prepare(&picked(&among)?);
                if k >= among.len() || ring >= among.len() {
                    return Err(Error::input(format!(
                        "there are only {} samples to look among",
                        among.len()
                    )));
                }
                Self::NearAndFar { among, prepared, k, ring }
            }
            RowWork::Nearest { among, landmarks, points, k, visits } => {
                let some = picked(&among)?;
                let is_place = |place: &u32| (*place as usize) < some.len();
                let is_whole = points.len() == some.len() * landmarks.len();
                if landmarks.is_empty() || !landmarks.iter().all(is_place) || !is_whole || k >= some.len() {
                    return Err(Error::input("the landmarks do not fit the samples"));
                }
                let prepared = measure.prepare(&some);
                let index =
                    LandmarkIndex::with_points(measure, &some, some.len(), prepared, landmarks, points);
                Self::Nearest { among, index: Box::new(index), k, visits }
            }
        })
    }

    /// Does the work for these rows, which must be valid sample indices.
    pub(crate) fn find(&self, samples: &[&S], rows: &[u32]) -> Result<RowsFound> {
        if let Some(bad) = rows.iter().find(|row| **row as usize >= samples.len()) {
            return Err(Error::input(format!(
                "row {bad} is requested, but there are {} samples",
                samples.len()
            )));
        }
        if let Self::Columns { measure, of } = self {
            return Ok(RowsFound {
                indices: Vec::new(),
                numbers: columns(measure.as_ref(), of, samples, rows),
            });
        }
        let each: Vec<(Vec<u32>, Vec<f64>)> =
            parallel::try_map(rows.len(), ROWS, &|at| self.find_one(samples, rows[at]))?;
        let mut found = RowsFound::default();
        for (indices, numbers) in each {
            found.indices.extend(indices);
            found.numbers.extend(numbers);
        }
        Ok(found)
    }

    fn find_one(&self, samples: &[&S], row: u32) -> Result<(Vec<u32>, Vec<f64>)> {
        let one = samples[row as usize];
        let found = match self {
            Self::Columns { .. } => (Vec::new(), Vec::new()),
            Self::NearAndFar { among, prepared, k, ring } => {
                let mut distances = vec![0.0; among.len()];
                prepared.fill(one, 0..among.len(), &mut distances);
                check(row, &distances)?;
                let (far, near) = kth_and_nearest(&mut distances, *k, *ring, among.binary_search(&row).ok());
                (near.into_iter().map(|at| among[at as usize]).collect(), vec![far])
            }
            Self::Nearest { among, index, k, visits } => {
                let skip = among.binary_search(&row).ok().map(|at| at as u32);
                let query = Query { k: *k, skip, visits: *visits, close: 0.0 };
                let found = index.nearest(one, &query).found;
                found.into_iter().map(|(at, d)| (among[at as usize], d)).unzip()
            }
        };
        check(row, &found.1)?;
        Ok(found)
    }
}

/// The dissimilarities of some samples to rows, row after row.
fn columns<S: ?Sized + Sample>(
    measure: &dyn Dissimilarity<S>,
    of: &[u32],
    samples: &[&S],
    rows: &[u32],
) -> Vec<f64> {
    let some: Vec<&S> = rows.iter().map(|&row| samples[row as usize]).collect();
    let prepared = measure.prepare(&some);
    let each: Vec<Vec<f64>> = parallel::map(of.len(), 1, &|c| {
        let mut column = vec![0.0; rows.len()];
        prepared.fill(samples[of[c] as usize], 0..rows.len(), &mut column);
        column
    });
    (0..rows.len()).flat_map(|row| each.iter().map(move |column| column[row])).collect()
}

/// Fails if a distance is negative or not finite.
pub(crate) fn check(row: u32, distances: &[f64]) -> Result<()> {
    if crate::kernel::are_distances(distances) {
        return Ok(());
    }
    match distances.iter().find(|v| !(v.is_finite() && **v >= 0.0)) {
        None => Ok(()),
        Some(value) => Err(Error::input(format!(
            "a dissimilarity of sample {row} is {value}, but must be finite and not negative"
        ))),
    }
}
