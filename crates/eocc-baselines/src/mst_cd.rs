//! `MST_CD`: the minimum spanning tree as a class descriptor.

use eocc_core::Result;
use eocc_core::mst::spanning_tree;

use crate::classifier::{Learner, Rule, TrainingTable};

/// The distance to the nearest edge of the minimum spanning tree of the nominal samples: `mst_dd` of `dd_tools`
/// (P. Juszczak et al., Neurocomputing 72, 2009).
///
/// From dissimilarities alone: with `a = d(x, u)`, `b = d(x, v)`, `c = d(u, v)`, the foot of `x` on the edge `uv` lies
/// `t = (a^2 - b^2 + c^2) / (2 c)` from `u`; inside the edge the distance is `sqrt(a^2 - t^2)`, else the smaller of `a` and
/// `b`. For Euclidean distances this is the distance to the segment.
#[derive(Debug, Clone, Copy, Default)]
pub struct MstCd;

impl Learner for MstCd {
    fn learn(&self, training: &TrainingTable<'_>) -> Result<Box<dyn Rule>> {
        training.require(2)?;
        let edges = spanning_tree(training.table.rows(), |v, row| row.copy_from_slice(training.table.row(v)));
        Ok(Box::new(move |row: &[f64]| {
            let to_edge = |(u, v, c): (usize, usize, f64)| {
                let (a2, b2) = (row[u] * row[u], row[v] * row[v]);
                let t = (a2 - b2 + c * c) / (2.0 * c);
                if c > 0.0 && t > 0.0 && t < c { (a2 - t * t).max(0.0) } else { a2.min(b2) }
            };
            let squares = edges.iter().map(|e| to_edge((e.from, e.to, e.length)));
            -squares.fold(f64::INFINITY, f64::min).sqrt()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_core::Matrix;

    #[test]
    fn distances_to_an_angle_of_two_edges() {
        // The tree of (0,0), (4,0), (4,3) has the edges along y = 0 and x = 4.
        let at = [[0.0, 0.0], [4.0, 0.0], [4.0, 3.0_f64]];
        let d = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
        let square = Matrix::new(at.iter().flat_map(|a| at.map(|b| d(*a, b))).collect(), 3, 3);
        let rule = MstCd.learn(&TrainingTable { table: &square, features: 2, seed: 0 }).unwrap();
        for (x, want) in
            [([2.0, 1.0], 1.0), ([-3.0, 4.0], 5.0), ([5.5, 1.0], 1.5), ([4.0, 5.0], 2.0), ([1.0, 0.0], 0.0)]
        {
            let score = rule.score(&at.map(|a| d(x, a)));
            assert!((score + want).abs() < 1e-9, "{x:?}: {score}");
        }
    }
}
