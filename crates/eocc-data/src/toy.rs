//! The four data sets of the paper's figure [LA17, fig. 3], regenerated from a seed.

use eocc_core::random::Random;

/// A small data set with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Toy {
    /// A short name, suitable for a file.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// How many regions are visible.
    pub regions: usize,
    /// The samples.
    pub rows: Vec<Vec<f64>>,
}

/// All four, in the order of the figure.
pub fn paper_figure(seed: u64) -> Vec<Toy> {
    vec![three_blobs(seed), uniform_square(seed), crescent_and_moon(seed), two_gaussians(seed)]
}

/// Three round clusters, well apart.
pub fn three_blobs(seed: u64) -> Toy {
    let mut r = Random::stream(seed, 11);
    let centers = [[0.0, 0.0], [10.0, 0.0], [5.0, 9.0]];
    let rows = centers
        .iter()
        .flat_map(|c| {
            (0..60).map(|_| c.iter().map(|x| x + 0.8 * r.normal()).collect()).collect::<Vec<Vec<f64>>>()
        })
        .collect();
    Toy { name: "three-blobs", title: "Three blobs", regions: 3, rows }
}

/// A square without structure.
pub fn uniform_square(seed: u64) -> Toy {
    let mut r = Random::stream(seed, 12);
    let rows = (0..200).map(|_| vec![r.uniform(), r.uniform()]).collect();
    Toy { name: "uniform-square", title: "Uniform square", regions: 1, rows }
}

/// A crescent around a full moon: clusters of very different shapes.
pub fn crescent_and_moon(seed: u64) -> Toy {
    let mut r = Random::stream(seed, 13);
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for _ in 0..150 {
        let (angle, radius) = (r.range(0.6, 1.4) * std::f64::consts::PI, r.range(4.0, 5.0));
        rows.push(vec![radius * angle.cos(), radius * angle.sin()]);
    }
    for _ in 0..100 {
        // Uniform on a disc.
        let (angle, radius) = (r.range(0.0, std::f64::consts::TAU), 1.3 * r.uniform().sqrt());
        rows.push(vec![radius * angle.cos(), radius * angle.sin()]);
    }
    Toy { name: "crescent-and-moon", title: "Crescent and full moon", regions: 2, rows }
}

/// Two normal clusters in 100 dimensions.
pub fn two_gaussians(seed: u64) -> Toy {
    let mut r = Random::stream(seed, 14);
    let rows = (0..200)
        .map(|i| {
            let center = if i < 100 { 0.0 } else { 1.5 };
            (0..100).map(|_| center + r.normal()).collect()
        })
        .collect();
    Toy { name: "two-gaussians-100d", title: "Two Gaussians in 100 dimensions", regions: 2, rows }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_sets() {
        assert_eq!(paper_figure(3), paper_figure(3));
        assert_ne!(paper_figure(3), paper_figure(4));
        let sizes: Vec<usize> = paper_figure(0).iter().map(|t| t.rows.len()).collect();
        assert_eq!(sizes, [180, 200, 250, 200]);
    }
}
