//! Fifteen features of a contact graph.

mod communities;
mod paths;
mod spectrum;

use eocc_core::{Error, ErrorKind, Result};

use crate::contact::ContactGraph;
use crate::sparse::SparseGraph;
use crate::structure::distance;
use communities::{communities, modularity};
use paths::{clustering, path_features};
use spectrum::{GraphMatrix, eigenvalues};

/// Maximum number of vertices of a graph for its features: computing the spectra takes cubic time.
pub const MAX_FEATURE_VERTICES: usize = 8192;

/// Seconds per cubed number of vertices: three spectra of `4 / 3 n^3` operations, at about four operations per
/// nanosecond.
const SECONDS_PER_CUBE: f64 = 1e-9;

/// The time at which heat trace and heat content are evaluated.
pub const HEAT_TIME: f64 = 1.0;

/// Fifteen features of a contact graph: size and shape of the protein, and the topology of its contacts.
///
/// The first seven are named in the paper `[LA17, sec. V-B]`; the others are standard. If a graph has too few
/// vertices or edges for a feature to be meaningful, the feature is 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraphFeatures {
    /// Number of vertices: residues.
    pub vertices: f64,
    /// Number of chains.
    pub chains: f64,
    /// Radius of gyration in Å: root mean square distance of the Cα atoms from their center.
    pub radius_of_gyration: f64,
    /// Modularity of the communities found.
    pub modularity: f64,
    /// Mean number of neighbors.
    pub average_degree: f64,
    /// `sum_i exp(-l_i t)` over the eigenvalues `l_i` of the normalized Laplacian, at `t = 1`.
    pub heat_trace: f64,
    /// `sum_uv exp(-t L)_uv`, the sum of the heat kernel of the normalized Laplacian, at `t = 1`.
    pub heat_content: f64,
    /// Number of edges: contacts.
    pub edges: f64,
    /// Mean fraction of pairs of neighbors that are neighbors themselves.
    pub clustering: f64,
    /// Characteristic path length: mean number of steps between two connected vertices.
    pub path_length: f64,
    /// Mean closeness centrality.
    pub closeness: f64,
    /// Largest betweenness centrality of a vertex.
    pub betweenness: f64,
    /// Largest eigenvalue of the adjacency matrix.
    pub spectral_radius: f64,
    /// Sum of the magnitudes of the eigenvalues of the adjacency matrix.
    pub energy: f64,
    /// `sum_i |m_i - average degree|` over the eigenvalues `m_i` of the Laplacian.
    pub laplacian_energy: f64,
}

impl GraphFeatures {
    /// Their names, in order.
    pub const NAMES: [&'static str; 15] = [
        "vertices",
        "chains",
        "radius_of_gyration",
        "modularity",
        "average_degree",
        "heat_trace",
        "heat_content",
        "edges",
        "clustering",
        "path_length",
        "closeness",
        "betweenness",
        "spectral_radius",
        "energy",
        "laplacian_energy",
    ];

    /// The features of a contact graph of at most [`MAX_FEATURE_VERTICES`] vertices.
    pub fn compute(contacts: &ContactGraph) -> Result<Self> {
        Self::compute_unless(contacts, &|| false)
    }

    /// Like [`compute`](Self::compute), cancelled when `stop` returns true; it is checked frequently.
    pub fn compute_unless(contacts: &ContactGraph, stop: &dyn Fn() -> bool) -> Result<Self> {
        let n = contacts.vertices.len();
        if n > MAX_FEATURE_VERTICES {
            return Err(Error::input(format!(
                "`{}` has {n} residues, but features are computed for at most {MAX_FEATURE_VERTICES}",
                contacts.name
            )));
        }
        let graph = SparseGraph::from(contacts);
        let positions: Vec<[f64; 3]> = contacts.vertices.iter().map(|v| v.position).collect();
        let average_degree = if n > 0 { 2.0 * graph.edges() as f64 / n as f64 } else { 0.0 };
        let cancelled = || Error::from(ErrorKind::Cancelled);
        let spectrum = |matrix| eigenvalues(&graph, matrix, stop).ok_or_else(cancelled);
        let adjacency = spectrum(GraphMatrix::Adjacency)?;
        let laplacian = spectrum(GraphMatrix::Laplacian)?;
        let normalized = spectrum(GraphMatrix::NormalizedLaplacian)?;
        let paths = path_features(&graph, stop).ok_or_else(cancelled)?;
        Ok(Self {
            vertices: n as f64,
            chains: contacts.chains as f64,
            radius_of_gyration: radius_of_gyration(&positions),
            modularity: modularity(&graph, &communities(&graph)),
            average_degree,
            heat_trace: normalized.iter().map(|l| (-l * HEAT_TIME).exp()).sum(),
            heat_content: heat_content(&graph),
            edges: graph.edges() as f64,
            clustering: clustering(&graph),
            path_length: paths.mean_length,
            closeness: paths.closeness,
            betweenness: paths.betweenness,
            spectral_radius: adjacency.last().copied().unwrap_or(0.0).max(0.0),
            energy: adjacency.iter().map(|v| v.abs()).sum(),
            laplacian_energy: laplacian.iter().map(|v| (v - average_degree).abs()).sum(),
        })
    }

    /// Estimated seconds for these features of a graph with this many vertices on one core of a common machine: the
    /// time is cubic.
    pub fn seconds(vertices: usize) -> f64 {
        (vertices as f64).powi(3) * SECONDS_PER_CUBE
    }

    /// Their values, in the order of the names.
    pub fn values(&self) -> [f64; 15] {
        [
            self.vertices,
            self.chains,
            self.radius_of_gyration,
            self.modularity,
            self.average_degree,
            self.heat_trace,
            self.heat_content,
            self.edges,
            self.clustering,
            self.path_length,
            self.closeness,
            self.betweenness,
            self.spectral_radius,
            self.energy,
            self.laplacian_energy,
        ]
    }
}

fn radius_of_gyration(positions: &[[f64; 3]]) -> f64 {
    if positions.is_empty() {
        return 0.0;
    }
    let n = positions.len() as f64;
    let mut center = [0.0; 3];
    for p in positions {
        for (c, x) in center.iter_mut().zip(p) {
            *c += x / n;
        }
    }
    (positions.iter().map(|&p| distance(p, center).powi(2)).sum::<f64>() / n).sqrt()
}

/// `1' exp(-t L) 1` with `L = E - S`, where `S = D^(-1/2) A D^(-1/2)` and `E` is the identity without the vertices
/// that have no edge: their heat stays. By the series `exp(-t) sum_k t^k / k! S^k`, which converges fast since `S`
/// has no eigenvalue larger than 1.
fn heat_content(graph: &SparseGraph) -> f64 {
    const TERMS: i32 = 60;
    let n = graph.vertices();
    let root: Vec<f64> = (0..n).map(|v| (graph.degree(v).max(1) as f64).sqrt()).collect();
    let lone = (0..n).filter(|&v| graph.degree(v) == 0).count() as f64;
    let mut x: Vec<f64> = (0..n).map(|v| f64::from(u8::from(graph.degree(v) > 0))).collect();
    let mut weight = (-HEAT_TIME).exp();
    let mut content = lone;
    for k in 1..=TERMS {
        content += weight * x.iter().sum::<f64>();
        let scaled: Vec<f64> = x.iter().zip(&root).map(|(x, r)| x / r).collect();
        for v in 0..n {
            x[v] = graph.neighbors(v).iter().map(|&w| scaled[w as usize]).sum::<f64>() / root[v];
        }
        weight *= HEAT_TIME / f64::from(k);
    }
    content
}

#[cfg(test)]
mod tests;
