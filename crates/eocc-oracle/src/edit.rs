//! Graph edit distance by trying every vertex map.

/// The costs of edits. `None` makes a deletion or an insertion.
pub trait EditCosts {
    /// Vertex `u` of the first graph to vertex `v` of the second.
    fn vertex(&self, u: Option<usize>, v: Option<usize>) -> f64;

    /// Edge number `e` of the first graph to edge number `f` of the second.
    fn edge(&self, e: Option<usize>, f: Option<usize>) -> f64;
}

/// A graph without labels, which only the costs know.
#[derive(Debug, Clone)]
pub struct Plain {
    /// Number of vertices.
    pub vertices: usize,
    /// Ends of the edges.
    pub edges: Vec<(usize, usize)>,
}

/// The cost of a map: each vertex of `a` to a vertex of `b`, or deleted.
pub fn cost(a: &Plain, b: &Plain, directed: bool, costs: &dyn EditCosts, map: &[Option<usize>]) -> f64 {
    let mut sum = 0.0;
    for (u, &v) in map.iter().enumerate() {
        sum += costs.vertex(Some(u), v);
    }
    for v in 0..b.vertices {
        if !map.contains(&Some(v)) {
            sum += costs.vertex(None, Some(v));
        }
    }
    let mut met = vec![false; b.edges.len()];
    for (e, &(from, to)) in a.edges.iter().enumerate() {
        let mut image = None;
        if let (Some(x), Some(y)) = (map[from], map[to]) {
            image = b.edges.iter().position(|&f| f == (x, y) || (!directed && f == (y, x)));
        }
        if let Some(f) = image {
            met[f] = true;
        }
        sum += costs.edge(Some(e), image);
    }
    for (f, met) in met.iter().enumerate() {
        if !met {
            sum += costs.edge(None, Some(f));
        }
    }
    sum
}

/// A table of costs, so that trying thousands of maps does not compute each thousands of times.
struct Table {
    vertex: Vec<Vec<f64>>,
    edge: Vec<Vec<f64>>,
}

impl Table {
    fn new(a: &Plain, b: &Plain, costs: &dyn EditCosts) -> Self {
        // The last row and column stand for nothing; nothing to nothing is never looked up.
        let table = |rows: usize, columns: usize, cost: &dyn Fn(Option<usize>, Option<usize>) -> f64| {
            let at = |i: usize, most: usize| (i < most).then_some(i);
            let entry = |i, j| match (at(i, rows), at(j, columns)) {
                (None, None) => 0.0,
                (i, j) => cost(i, j),
            };
            (0..=rows).map(|i| (0..=columns).map(|j| entry(i, j)).collect()).collect()
        };
        Self {
            vertex: table(a.vertices, b.vertices, &|u, v| costs.vertex(u, v)),
            edge: table(a.edges.len(), b.edges.len(), &|e, f| costs.edge(e, f)),
        }
    }
}

fn entry(table: &[Vec<f64>], i: Option<usize>, j: Option<usize>) -> f64 {
    let row = &table[i.unwrap_or(table.len() - 1)];
    row[j.unwrap_or(row.len() - 1)]
}

impl EditCosts for Table {
    fn vertex(&self, u: Option<usize>, v: Option<usize>) -> f64 {
        entry(&self.vertex, u, v)
    }

    fn edge(&self, e: Option<usize>, f: Option<usize>) -> f64 {
        entry(&self.edge, e, f)
    }
}

/// The smallest cost over all maps: from 6 vertices to 6, there are 13 327.
pub fn distance(a: &Plain, b: &Plain, directed: bool, costs: &dyn EditCosts) -> f64 {
    let costs = &Table::new(a, b, costs);
    let mut best = f64::INFINITY;
    let mut map = Vec::new();
    try_all(a, b, directed, costs, &mut map, &mut best);
    best
}

fn try_all(
    a: &Plain,
    b: &Plain,
    directed: bool,
    costs: &dyn EditCosts,
    map: &mut Vec<Option<usize>>,
    best: &mut f64,
) {
    if map.len() == a.vertices {
        *best = best.min(cost(a, b, directed, costs, map));
        return;
    }
    for v in (0..b.vertices).map(Some).chain([None]) {
        if v.is_none() || !map.contains(&v) {
            map.push(v);
            try_all(a, b, directed, costs, map, best);
            map.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every insertion and deletion costs 1, every substitution 0.
    struct Unit;

    impl EditCosts for Unit {
        fn vertex(&self, u: Option<usize>, v: Option<usize>) -> f64 {
            f64::from(u8::from(u.is_none() || v.is_none()))
        }

        fn edge(&self, e: Option<usize>, f: Option<usize>) -> f64 {
            f64::from(u8::from(e.is_none() || f.is_none()))
        }
    }

    #[test]
    fn matches_hand_computation() {
        let path = Plain { vertices: 3, edges: vec![(0, 1), (1, 2)] };
        let triangle = Plain { vertices: 3, edges: vec![(0, 1), (1, 2), (2, 0)] };
        let nothing = Plain { vertices: 0, edges: Vec::new() };
        assert!((distance(&path, &triangle, false, &Unit) - 1.0).abs() < 1e-12);
        assert!((distance(&path, &nothing, false, &Unit) - 5.0).abs() < 1e-12);
        // A path one way, and one with an edge reversed: both edges of the second must leave the middle vertex.
        let turned = Plain { vertices: 3, edges: vec![(1, 0), (1, 2)] };
        assert!((distance(&path, &turned, true, &Unit) - 2.0).abs() < 1e-12);
        assert!(distance(&path, &turned, false, &Unit).abs() < 1e-12);
    }
}
