//! Step 13: the membership of a test sample, and the decision.

use super::region::Region;
use super::{Reference, within};
use crate::closeness::membership;
use crate::knn;

/// The result for one sample. `chi`, `chi_star`, `t` and `diff` are those of the winning component.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    /// `mu(x) = max_i mu_i(x)` `[LA17, eq. 12]`.
    pub membership: f64,
    /// `mu_i(x)` for every component.
    pub memberships: Vec<f64>,
    /// `j`, the component with the largest membership, ties by index.
    pub component: usize,
    /// Whether `diff <= t` in component `j` `[LA17, eq. 13]`.
    pub accepted: bool,
    /// The closeness of the sample.
    pub chi: f64,
    /// The largest closeness.
    pub chi_star: f64,
    /// The threshold.
    pub t: f64,
    /// The difference of the sample to the largest closeness, at least 0.
    pub diff: f64,
}

/// The values of the sample in one component.
struct InComponent {
    chi: f64,
    chi_star: f64,
    t: f64,
    diff: f64,
}

impl Reference {
    /// Exact scoring: the sample joins each component in turn as its last vertex, and everything is recomputed.
    ///
    /// Adding a vertex may cut a component in two, since it can displace the neighbor that held the parts together;
    /// unreachable vertices add nothing to the closeness.
    pub fn exact(&self, x: &[f64]) -> Scored {
        let to_all = self.distances_to(x);
        decide(self.components.iter().map(|vertices| {
            let n = vertices.len();
            let mut distances = within(&self.distances, vertices);
            for (row, &v) in distances.iter_mut().zip(vertices) {
                row.push(to_all[v]);
            }
            let mut last: Vec<f64> = vertices.iter().map(|&v| to_all[v]).collect();
            last.push(0.0);
            distances.push(last);

            let region = Region::new(&distances, self.k.min(n), self.percentile);
            InComponent {
                chi: region.chi[n],
                chi_star: region.chi_star,
                t: region.t,
                diff: region.differences[n],
            }
        }))
    }

    /// The score exactly as in the paper: the lists of all points, including the sample, are recomputed from the
    /// points themselves, while [`exact`](Self::exact) looks up the distances among the training samples.
    pub fn exact_from_points(&self, x: &[f64]) -> Scored {
        let own = self.embed(x);
        decide(self.components.iter().map(|vertices| {
            let n = vertices.len();
            let mut points: Vec<Vec<f64>> = vertices.iter().map(|&v| self.embedding[v].clone()).collect();
            points.push(own.clone());
            let region = Region::new(&knn::distances(&points), self.k.min(n), self.percentile);
            InComponent {
                chi: region.chi[n],
                chi_star: region.chi_star,
                t: region.t,
                diff: region.differences[n],
            }
        }))
    }

    /// Fast scoring: graph, `chi*` and `t` stay as trained, and the sample reaches `u` through its `k*` nearest:
    /// `d(x, u) = min_v (|xv| + d(v, u))`.
    ///
    /// The sample may then be more central than every vertex. In exact scoring it would be `chi*` itself, so its
    /// difference counts as 0.
    pub fn fast(&self, x: &[f64]) -> Scored {
        let to_all = self.distances_to(x);
        decide(self.components.iter().zip(&self.regions).map(|(vertices, region)| {
            let n = vertices.len();
            let to_vertices: Vec<f64> = vertices.iter().map(|&v| to_all[v]).collect();
            let nearest = knn::list_to(&to_vertices, self.k.min(n));
            let mut chi = 0.0;
            for u in 0..n {
                let d = nearest
                    .iter()
                    .map(|&v| to_vertices[v] + region.paths[v][u])
                    .fold(f64::INFINITY, f64::min);
                chi += (-d).exp2();
            }
            let chi_star = region.chi_star;
            InComponent { chi, chi_star, t: region.t, diff: (chi_star - chi).max(0.0) }
        }))
    }

    /// Euclidean distances in the embedding from a sample to all training samples.
    fn distances_to(&self, x: &[f64]) -> Vec<f64> {
        let point = self.embed(x);
        self.embedding.iter().map(|row| knn::euclidean(row, &point)).collect()
    }
}

/// The largest membership over the components, and the decision there.
fn decide(components: impl Iterator<Item = InComponent>) -> Scored {
    let values: Vec<InComponent> = components.collect();
    let memberships: Vec<f64> = values.iter().map(|value| membership(value.diff, value.t)).collect();
    let mut j = 0;
    for i in 1..memberships.len() {
        if memberships[i] > memberships[j] {
            j = i;
        }
    }
    let InComponent { chi, chi_star, t, diff } = values[j];
    Scored {
        membership: memberships[j],
        memberships,
        component: j,
        accepted: diff <= t,
        chi,
        chi_star,
        t,
        diff,
    }
}
