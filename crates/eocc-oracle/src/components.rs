//! Connected components, by breadth-first search.

use std::collections::VecDeque;

use crate::graph::Graph;

/// The connected components of a graph: the vertices of each ascending, the components ordered by smallest vertex.
pub fn components(graph: &Graph) -> Vec<Vec<usize>> {
    let mut is_seen = vec![false; graph.len()];
    let mut components = Vec::new();
    for start in 0..graph.len() {
        if is_seen[start] {
            continue;
        }
        is_seen[start] = true;
        let mut component = Vec::new();
        let mut queue = VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            component.push(v);
            for &(u, _) in &graph[v] {
                if !is_seen[u] {
                    is_seen[u] = true;
                    queue.push_back(u);
                }
            }
        }
        component.sort_unstable();
        components.push(component);
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(n: usize, edges: &[(usize, usize)]) -> Graph {
        let mut graph = vec![Vec::new(); n];
        for &(i, j) in edges {
            graph[i].push((j, 1.0));
            graph[j].push((i, 1.0));
        }
        graph
    }

    #[test]
    fn two_interleaved_paths_and_a_lone_vertex() {
        let components = components(&graph(6, &[(0, 4), (4, 2), (5, 1)]));
        assert_eq!(components, [vec![0, 2, 4], vec![1, 5], vec![3]]);
    }

    #[test]
    fn no_vertices_no_components() {
        assert!(components(&Vec::new()).is_empty());
    }
}
