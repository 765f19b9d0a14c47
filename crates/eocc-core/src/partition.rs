//! Partitions of the vertices: the connected components of the kNN graph [LA17, sec. III-B].

use crate::knn::KnnLists;

/// A partition of `0..n` into parts, numbered by their smallest vertex.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    part: Vec<u32>,
    sizes: Vec<usize>,
}

impl Partition {
    /// From labels of the vertices, each less than the number of vertices; parts are renumbered by their smallest
    /// vertex.
    pub fn from_labels(labels: &[u32]) -> Self {
        const NONE: u32 = u32::MAX;
        let largest = labels.iter().copied().max().map_or(0, |l| l as usize + 1);
        let mut number = vec![NONE; largest];
        let mut sizes: Vec<usize> = Vec::new();
        let part = labels
            .iter()
            .map(|&label| {
                let id = &mut number[label as usize];
                if *id == NONE {
                    *id = sizes.len() as u32;
                    sizes.push(0);
                }
                sizes[*id as usize] += 1;
                *id
            })
            .collect();
        Self { part, sizes }
    }

    /// The components of the graph in which `i` and `j` are joined if either is among the `k` nearest of the other.
    pub fn connected_components(lists: &KnnLists, k: usize) -> Self {
        let mut sets = DisjointSets::new(lists.points());
        for i in 0..lists.points() {
            for &j in lists.neighbors(i, k) {
                sets.join(i as u32, j);
            }
        }
        Self::from_labels(&sets.labels())
    }

    /// The components for every `k` in `1..=largest`, by adding the edges of one `k` after another.
    pub fn of_each(lists: &KnnLists, largest: usize) -> Vec<Self> {
        let mut sets = DisjointSets::new(lists.points());
        (1..=largest)
            .map(|k| {
                for i in 0..lists.points() {
                    sets.join(i as u32, lists.neighbors(i, k)[k - 1]);
                }
                Self::from_labels(&sets.labels())
            })
            .collect()
    }

    /// Part of vertex `v`.
    pub fn part(&self, v: usize) -> usize {
        self.part[v] as usize
    }

    /// Number of vertices of each part.
    pub fn sizes(&self) -> &[usize] {
        &self.sizes
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.sizes.len()
    }

    /// Number of vertices.
    pub fn vertices(&self) -> usize {
        self.part.len()
    }

    /// The vertices of each part, ascending.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let mut members: Vec<Vec<u32>> = self.sizes.iter().map(|&s| Vec::with_capacity(s)).collect();
        for (v, &p) in self.part.iter().enumerate() {
            members[p as usize].push(v as u32);
        }
        members
    }
}

/// Union by size with path halving.
struct DisjointSets {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl DisjointSets {
    fn new(n: usize) -> Self {
        Self { parent: (0..n as u32).collect(), size: vec![1; n] }
    }

    fn root(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            self.parent[v as usize] = self.parent[self.parent[v as usize] as usize];
            v = self.parent[v as usize];
        }
        v
    }

    fn join(&mut self, a: u32, b: u32) {
        let (mut a, mut b) = (self.root(a), self.root(b));
        if a == b {
            return;
        }
        if self.size[a as usize] < self.size[b as usize] {
            std::mem::swap(&mut a, &mut b);
        }
        self.parent[b as usize] = a;
        self.size[a as usize] += self.size[b as usize];
    }

    fn labels(&mut self) -> Vec<u32> {
        (0..self.parent.len() as u32).map(|v| self.root(v)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn::nearest_of_points;
    use crate::matrix::Matrix;

    #[test]
    fn components_merge_as_k_grows() {
        let points = Matrix::new(vec![0.0, 1.0, 10.0, 11.0], 4, 1);
        let lists = nearest_of_points(&points, 2);
        let parts = Partition::of_each(&lists, 2);
        assert_eq!(parts[0].members(), [vec![0, 1], vec![2, 3]]);
        assert_eq!(parts[1].parts(), 1);
        assert_eq!(parts[0], Partition::connected_components(&lists, 1));
        assert_eq!(parts[1], Partition::connected_components(&lists, 2));
    }
}
