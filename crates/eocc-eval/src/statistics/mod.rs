//! Are the differences between classifiers significant? The tests of the paper's ranking figure and one more.
//!
//! Most take a table with one row per data set and one column per classifier; larger values are better. Wilcoxon's
//! test and the corrected t-test compare two columns.

mod anova;
mod corrected_t;
mod friedman;
mod studentized_range;
mod wilcoxon;

use eocc_core::{Error, Result};

pub use anova::{Anova, two_way_anova};
pub use corrected_t::{CorrectedT, corrected_t};
pub use friedman::{Friedman, friedman, mean_ranks, ranks};
pub use studentized_range::{cumulative, quantile};
pub use wilcoxon::{Wilcoxon, wilcoxon};

/// The numbers of data sets and of classifiers; fails unless there are at least two of each and all values are
/// finite.
fn shape(table: &[Vec<f64>]) -> Result<(usize, usize)> {
    let k = table.first().map_or(0, Vec::len);
    if table.len() < 2 || k < 2 {
        return Err(Error::input(format!(
            "the test needs at least 2 data sets and 2 classifiers, but has {} and {k}",
            table.len()
        )));
    }
    if table.iter().any(|row| row.len() != k || row.iter().any(|v| !v.is_finite())) {
        return Err(Error::input("the test needs a finite value for every classifier on every data set"));
    }
    Ok((table.len(), k))
}
