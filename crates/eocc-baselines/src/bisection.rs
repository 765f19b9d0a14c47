//! Bisects a weighted graph into parts of similar size with little weight between them.

/// An undirected graph: for each vertex, its neighbors and the weights of the edges.
pub(crate) type Graph = Vec<Vec<(u32, f64)>>;

/// Minimum fraction of the vertices in a part, as in CHAMELEON.
const MIN_SHARE: f64 = 0.25;
/// Number of starting vertices; the best result counts.
const STARTS: usize = 4;

/// A cut.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cut {
    /// Which side each vertex is on.
    pub(crate) side: Vec<bool>,
    /// Sum of the weights between the sides.
    pub(crate) weight: f64,
    /// Number of edges between them.
    pub(crate) edges: usize,
}

/// A cut of small weight: parts are grown from a few vertices and improved by moving vertices one by one (C.
/// Fiduccia, R. Mattheyses, DAC 1982). `None` for fewer than two vertices.
pub(crate) fn bisect(graph: &Graph) -> Option<Cut> {
    let n = graph.len();
    if n < 2 {
        return None;
    }
    let mut best: Option<Cut> = None;
    for s in 0..STARTS.min(n) {
        let mut side = grown(graph, s * n / STARTS.min(n));
        while improve(graph, &mut side) {}
        let cut = measure(graph, side);
        if best.as_ref().is_none_or(|b| cut.weight < b.weight) {
            best = Some(cut);
        }
    }
    best
}

/// Half of the vertices, each time adding the one most connected to those added and least to the rest.
fn grown(graph: &Graph, start: usize) -> Vec<bool> {
    let n = graph.len();
    let mut side = vec![false; n];
    let mut gain: Vec<f64> = graph.iter().map(|edges| -edges.iter().map(|e| e.1).sum::<f64>()).collect();
    let mut touched = vec![false; n];
    let mut next = start;
    for _ in 0..n / 2 {
        side[next] = true;
        for &(u, w) in &graph[next] {
            gain[u as usize] += 2.0 * w;
            touched[u as usize] = true;
        }
        // Unconnected vertices come last: the next component is started only when this one is used up.
        let better = |a: usize, b: usize| (touched[a], gain[a]) > (touched[b], gain[b]);
        let Some(first) = (0..n).find(|&v| !side[v]) else { break };
        next = (first + 1..n).filter(|&v| !side[v]).fold(first, |b, v| if better(v, b) { v } else { b });
    }
    side
}

/// One pass: every vertex is moved once, best first, and the best state on the way is restored. False if nothing was
/// gained.
fn improve(graph: &Graph, side: &mut [bool]) -> bool {
    let n = graph.len();
    let least = ((n as f64 * MIN_SHARE).ceil() as usize).max(1);
    let mut gain: Vec<f64> = (0..n)
        .map(|v| graph[v].iter().map(|&(u, w)| if side[u as usize] == side[v] { -w } else { w }).sum())
        .collect();
    let mut sizes = [side.iter().filter(|s| !**s).count(), side.iter().filter(|s| **s).count()];
    let mut moved = vec![false; n];
    let (mut order, mut total, mut best) = (Vec::new(), 0.0, (1e-9, 0));
    for _ in 0..n {
        let may = |v: usize| !moved[v] && sizes[usize::from(side[v])] > least;
        let Some(first) = (0..n).find(|&v| may(v)) else { break };
        let v = (first + 1..n).filter(|&v| may(v)).fold(first, |b, v| if gain[v] > gain[b] { v } else { b });
        moved[v] = true;
        sizes[usize::from(side[v])] -= 1;
        side[v] = !side[v];
        sizes[usize::from(side[v])] += 1;
        total += gain[v];
        gain[v] = -gain[v];
        for &(u, w) in &graph[v] {
            gain[u as usize] += if side[u as usize] == side[v] { -2.0 * w } else { 2.0 * w };
        }
        order.push(v);
        if total > best.0 {
            best = (total, order.len());
        }
    }
    for &v in &order[best.1..] {
        side[v] = !side[v];
    }
    best.1 > 0
}

fn measure(graph: &Graph, side: Vec<bool>) -> Cut {
    let (mut weight, mut edges) = (0.0, 0);
    for (v, list) in graph.iter().enumerate() {
        for &(u, w) in list.iter().filter(|e| (e.0 as usize) < v && side[e.0 as usize] != side[v]) {
            debug_assert!((u as usize) < v);
            weight += w;
            edges += 1;
        }
    }
    Cut { side, weight, edges }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two complete graphs of these sizes, joined by one light edge.
    fn barbell(a: usize, b: usize) -> Graph {
        let n = a + b;
        let mut graph: Graph = vec![Vec::new(); n];
        for (i, edges) in graph.iter_mut().enumerate() {
            let same = (0..n).filter(|&j| j != i && (i < a) == (j < a));
            edges.extend(same.map(|j| (j as u32, 1.0)));
        }
        graph[0].push((a as u32, 0.5));
        graph[a].push((0, 0.5));
        graph
    }

    #[test]
    fn the_bar_is_cut() {
        for (a, b) in [(5, 5), (4, 8), (9, 6)] {
            let cut = bisect(&barbell(a, b)).unwrap();
            assert!((cut.weight - 0.5).abs() < 1e-12 && cut.edges == 1, "{a} {b}: {cut:?}");
            assert!(cut.side[..a].iter().all(|s| *s == cut.side[0]));
        }
        assert!(bisect(&vec![Vec::new()]).is_none());
    }

    #[test]
    fn parts_keep_a_quarter() {
        // One leaf on a clique of 8: cutting it off would be lightest, but leaves one vertex of nine.
        let mut graph = barbell(8, 1);
        graph[8] = vec![(0, 0.5)];
        let cut = bisect(&graph).unwrap();
        let ones = cut.side.iter().filter(|s| **s).count();
        assert!((3..=6).contains(&ones), "{cut:?}");
    }
}
