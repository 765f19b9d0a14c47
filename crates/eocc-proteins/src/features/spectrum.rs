//! Eigenvalues of the symmetric matrices of a graph.

use crate::sparse::SparseGraph;

/// A matrix of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GraphMatrix {
    /// 1 where there is an edge.
    Adjacency,
    /// Degrees minus adjacency.
    Laplacian,
    /// `I - D^(-1/2) A D^(-1/2)`; the row of a vertex without edges is 0.
    NormalizedLaplacian,
}

/// All eigenvalues, in ascending order.
pub(super) fn eigenvalues(graph: &SparseGraph, matrix: GraphMatrix) -> Vec<f64> {
    let n = graph.vertices();
    let degree = |v: usize| graph.degree(v) as f64;
    let mut a = vec![0.0; n * n];
    for v in 0..n {
        a[v * n + v] = match matrix {
            GraphMatrix::Adjacency => 0.0,
            GraphMatrix::Laplacian => degree(v),
            GraphMatrix::NormalizedLaplacian => f64::from(u8::from(graph.degree(v) > 0)),
        };
        for &w in graph.neighbors(v) {
            a[v * n + w as usize] = match matrix {
                GraphMatrix::Adjacency => 1.0,
                GraphMatrix::Laplacian => -1.0,
                GraphMatrix::NormalizedLaplacian => -1.0 / (degree(v) * degree(w as usize)).sqrt(),
            };
        }
    }
    let (diagonal, below) = tridiagonal(a, n);
    by_rotations(&diagonal, &below).unwrap_or_else(|| by_bisection(&diagonal, &below))
}

/// Householder's reduction to a tridiagonal matrix with the same eigenvalues: its diagonal, and the entries below it.
///
/// Row by row from the last, on the lower triangle; J. Wilkinson, C. Reinsch, "Handbook for Automatic Computation" II,
/// contribution II/2, without the vectors.
fn tridiagonal(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut diagonal, mut below) = (vec![0.0; n], vec![0.0; n.saturating_sub(1)]);
    let mut product = vec![0.0; n];
    for i in (1..n).rev() {
        diagonal[i] = a[i * n + i];
        let (rows, last) = a.split_at_mut(i * n);
        let u = &mut last[..i];
        let norm = u.iter().map(|x| x * x).sum::<f64>().sqrt();
        let off: f64 = u[..i - 1].iter().map(|x| x.abs()).sum();
        if off == 0.0 {
            below[i - 1] = u[i - 1];
            continue;
        }
        let g = if u[i - 1] > 0.0 { -norm } else { norm };
        below[i - 1] = g;
        let h = norm * norm - u[i - 1] * g;
        u[i - 1] -= g;
        // p = A u / h on the leading part, of which the lower triangle is kept.
        let p = &mut product[..i];
        p.fill(0.0);
        for j in 0..i {
            let row = &rows[j * n..j * n + j];
            let uj = u[j];
            let mut sum = rows[j * n + j] * uj;
            for ((x, uk), pk) in row.iter().zip(&*u).zip(p.iter_mut()) {
                sum += x * uk;
                *pk += x * uj;
            }
            p[j] += sum;
        }
        let mut along = 0.0;
        for (x, uk) in p.iter_mut().zip(&*u) {
            *x /= h;
            along += *x * uk;
        }
        let half = along / (h + h);
        for (x, uk) in p.iter_mut().zip(&*u) {
            *x -= half * uk;
        }
        // A <- A - u q' - q u'.
        for j in 0..i {
            let (uj, qj) = (u[j], p[j]);
            for ((x, uk), qk) in rows[j * n..=j * n + j].iter_mut().zip(&*u).zip(&*p) {
                *x -= uj * qk + qj * uk;
            }
        }
    }
    if n > 0 {
        diagonal[0] = a[0];
    }
    (diagonal, below)
}

/// Eigenvalues of a tridiagonal matrix, in ascending order, by rotations with implicit shifts (QL; Handbook, contribution
/// II/4). `None` if one does not settle, which has not been seen.
fn by_rotations(diagonal: &[f64], below: &[f64]) -> Option<Vec<f64>> {
    const ROUNDS: usize = 60;
    let n = diagonal.len();
    let mut d = diagonal.to_vec();
    let mut e = below.to_vec();
    e.push(0.0);
    let is_small =
        |d: &[f64], e: &[f64], m: usize| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs());
    for l in 0..n {
        let mut rounds = 0;
        loop {
            let m = (l..n - 1).find(|&m| is_small(&d, &e, m)).unwrap_or(n - 1);
            if m == l {
                break;
            }
            rounds += 1;
            if rounds > ROUNDS {
                return None;
            }
            let g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = g.hypot(1.0);
            let mut g = d[m] - d[l] + e[l] / (g + r.copysign(g));
            let (mut sine, mut cosine, mut p) = (1.0, 1.0, 0.0);
            let mut is_split = false;
            for i in (l..m).rev() {
                let (f, b) = (sine * e[i], cosine * e[i]);
                let r = f.hypot(g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    is_split = true;
                    break;
                }
                (sine, cosine) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * sine + 2.0 * cosine * b;
                p = sine * r;
                d[i + 1] = g + p;
                g = cosine * r - b;
            }
            if !is_split {
                d[l] -= p;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
    d.sort_by(f64::total_cmp);
    Some(d)
}

/// The same by bisection on the number of those below a bound (Sturm's sequence): slower, but it always ends.
fn by_bisection(diagonal: &[f64], below: &[f64]) -> Vec<f64> {
    let n = diagonal.len();
    let reach = |i: usize| {
        let left = if i > 0 { below[i - 1].abs() } else { 0.0 };
        left + below.get(i).map_or(0.0, |x| x.abs())
    };
    let low = (0..n).map(|i| diagonal[i] - reach(i)).fold(f64::INFINITY, f64::min);
    let high = (0..n).map(|i| diagonal[i] + reach(i)).fold(f64::NEG_INFINITY, f64::max);
    let scale = low.abs().max(high.abs()).max(f64::MIN_POSITIVE);
    let squares: Vec<f64> = below.iter().map(|x| x * x).collect();
    let mut values = vec![0.0; n];
    // Intervals with the numbers of eigenvalues below their ends; each is halved until it is as narrow as rounding.
    let mut open = vec![(low - 1e-15 * scale, high + 1e-15 * scale, 0, n)];
    while let Some((a, b, first, last)) = open.pop() {
        if first >= last {
            continue;
        }
        let middle = 0.5 * (a + b);
        if b - a <= 4e-15 * scale || middle <= a || middle >= b {
            values[first..last].fill(middle);
            continue;
        }
        let count = count_below(diagonal, &squares, middle, scale).clamp(first, last);
        open.push((a, middle, first, count));
        open.push((middle, b, count, last));
    }
    values
}

/// How many eigenvalues are below `x`: the negative terms of Sturm's sequence.
fn count_below(diagonal: &[f64], squares: &[f64], x: f64, scale: f64) -> usize {
    let tiny = f64::EPSILON * f64::EPSILON * scale;
    let mut count = 0;
    let mut q = 1.0_f64;
    for (i, d) in diagonal.iter().enumerate() {
        let from_before = if i == 0 { 0.0 } else { squares[i - 1] / q };
        q = d - x - from_before;
        if q.abs() < tiny {
            q = -tiny;
        }
        count += usize::from(q < 0.0);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: &[f64], b: &[f64]) {
        assert_eq!(a.len(), b.len());
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-10, "{a:?}\n{b:?}");
        }
    }

    fn sorted(mut values: Vec<f64>) -> Vec<f64> {
        values.sort_by(f64::total_cmp);
        values
    }

    #[test]
    fn closed_forms() {
        let n = 30;
        let turn = |k: usize| 2.0 * std::f64::consts::PI * k as f64 / n as f64;
        let ring = SparseGraph::new(n, (0..n as u32).map(|i| (i, (i + 1) % n as u32)));
        close(
            &eigenvalues(&ring, GraphMatrix::Adjacency),
            &sorted((0..n).map(|k| 2.0 * turn(k).cos()).collect()),
        );
        close(
            &eigenvalues(&ring, GraphMatrix::Laplacian),
            &sorted((0..n).map(|k| 2.0 - 2.0 * turn(k).cos()).collect()),
        );
        close(
            &eigenvalues(&ring, GraphMatrix::NormalizedLaplacian),
            &sorted((0..n).map(|k| 1.0 - turn(k).cos()).collect()),
        );
        // A star: adjacency ±sqrt(n - 1), normalised Laplacian 0, 1, …, 1, 2.
        let star = SparseGraph::new(10, (1..10).map(|i| (0, i)));
        let mut want = vec![0.0; 10];
        (want[0], want[9]) = (-3.0, 3.0);
        close(&eigenvalues(&star, GraphMatrix::Adjacency), &want);
        let mut want = vec![1.0; 10];
        (want[0], want[9]) = (0.0, 2.0);
        close(&eigenvalues(&star, GraphMatrix::NormalizedLaplacian), &want);
    }

    #[test]
    fn rotations_and_bisection_agree() {
        let mut r = eocc_core::random::Random::new(2);
        for n in [1, 2, 3, 40] {
            let diagonal: Vec<f64> = (0..n).map(|_| r.normal()).collect();
            // Some parts come apart.
            let below: Vec<f64> = (1..n).map(|i| if i % 7 == 0 { 0.0 } else { r.normal() }).collect();
            close(&by_rotations(&diagonal, &below).unwrap(), &by_bisection(&diagonal, &below));
        }
    }

    #[test]
    fn traces_of_powers_are_kept() {
        let mut r = eocc_core::random::Random::new(5);
        let n = 60_u32;
        let pairs: Vec<(u32, u32)> = (0..n).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        let graph = SparseGraph::new(n as usize, pairs.into_iter().filter(|_| r.normal() > 1.0));
        let values = eigenvalues(&graph, GraphMatrix::Adjacency);
        let moment = |k: i32| values.iter().map(|v| v.powi(k)).sum::<f64>();
        // Closed walks: none of length 1, two for each edge of length 2, six for each triangle of length 3.
        let triangles: usize = (0..n as usize)
            .flat_map(|a| graph.neighbors(a).iter().map(move |&b| (a, b as usize)))
            .map(|(a, b)| graph.neighbors(a).iter().filter(|c| graph.neighbors(b).contains(c)).count())
            .sum();
        assert!(moment(1).abs() < 1e-9);
        assert!((moment(2) - 2.0 * graph.edges() as f64).abs() < 1e-8);
        assert!((moment(3) - triangles as f64).abs() < 1e-7);
    }

    #[test]
    fn graphs_of_no_and_of_lone_vertices() {
        assert!(eigenvalues(&SparseGraph::new(0, []), GraphMatrix::Adjacency).is_empty());
        for m in [GraphMatrix::Adjacency, GraphMatrix::Laplacian, GraphMatrix::NormalizedLaplacian] {
            close(&eigenvalues(&SparseGraph::new(3, []), m), &[0.0; 3]);
        }
    }
}
