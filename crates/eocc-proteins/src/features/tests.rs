use super::*;
use crate::contact::{ContactRange, ContactVertex};
use crate::structure::{Chain, Remarks, Residue, Structure};

fn graph(vertices: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> ContactGraph {
    let vertex =
        |i: usize| ContactVertex { name: i.to_string(), letter: 'A', position: [i as f64, 0.0, 0.0] };
    ContactGraph {
        name: "g".to_owned(),
        chains: 1,
        vertices: (0..vertices).map(vertex).collect(),
        edges: edges.into_iter().map(|(a, b)| (a, b, 5.0)).collect(),
    }
}

fn assert_close(found: f64, want: f64, what: &str) {
    assert!((found - want).abs() <= 1e-9 * want.abs().max(1.0), "{what}: {found}, expected {want}");
}

#[test]
fn a_complete_graph_in_closed_form() {
    let n = 7.0;
    let f = GraphFeatures::of(&graph(7, (0..7).flat_map(|a| (0..a).map(move |b| (a, b))))).unwrap();
    assert_close(f.edges, 21.0, "edges");
    assert_close(f.average_degree, 6.0, "degree");
    assert_close(f.clustering, 1.0, "clustering");
    assert_close(f.path_length, 1.0, "path length");
    assert_close(f.closeness, 1.0, "closeness");
    assert_close(f.betweenness, 0.0, "betweenness");
    assert_close(f.spectral_radius, n - 1.0, "spectral radius");
    assert_close(f.energy, 2.0 * (n - 1.0), "energy");
    assert_close(f.laplacian_energy, 2.0 * (n - 1.0), "Laplacian energy");
    // Eigenvalues 0 and n / (n - 1); the first eigenvector is constant, so that no heat is lost.
    assert_close(f.heat_trace, 1.0 + (n - 1.0) * (-n / (n - 1.0)).exp(), "heat trace");
    assert_close(f.heat_content, n, "heat content");
    assert_close(f.modularity, 0.0, "modularity");
    // Points 0 … 6 on a line: variance (n^2 - 1) / 12.
    assert_close(f.radius_of_gyration, 2.0, "radius of gyration");
}

#[test]
fn a_star_in_closed_form() {
    let f = GraphFeatures::of(&graph(10, (1..10).map(|i| (0, i)))).unwrap();
    assert_close(f.betweenness, 1.0, "betweenness");
    assert_close(f.spectral_radius, 3.0, "spectral radius");
    assert_close(f.energy, 6.0, "energy");
    assert_close(f.path_length, (9.0 + 36.0 * 2.0) / 45.0, "path length");
    assert_close(f.closeness, (1.0 + 9.0 * 9.0 / 17.0) / 10.0, "closeness");
    // Eigenvalues 0, 1 (eight times) and 2.
    assert_close(f.heat_trace, 1.0 + 8.0 * (-1.0_f64).exp() + (-2.0_f64).exp(), "heat trace");
    // The two vectors that see all vertices: (1, ±1/3, …) / sqrt 2, and the sum over vertices of each.
    let along = |sign: f64| ((3.0 + sign * 9.0) / (3.0 * 2.0_f64.sqrt())).powi(2);
    assert_close(f.heat_content, along(1.0) + along(-1.0) * (-2.0_f64).exp(), "heat content");
}

#[test]
fn graphs_with_little_in_them_have_finite_features() {
    for g in [graph(0, []), graph(1, []), graph(2, [(0, 1)]), graph(3, []), graph(5, [(0, 1), (2, 3)])] {
        let f = GraphFeatures::of(&g).unwrap();
        assert!(f.values().iter().all(|v| v.is_finite()), "{f:?}");
    }
    // Heat stays on vertices without edges.
    assert_close(GraphFeatures::of(&graph(3, [])).unwrap().heat_content, 3.0, "heat content");
    assert_close(GraphFeatures::of(&graph(3, [])).unwrap().heat_trace, 3.0, "heat trace");
}

#[test]
fn too_large_a_graph_is_refused_by_name() {
    let e = GraphFeatures::of(&graph(MAX_FEATURE_VERTICES + 1, [])).unwrap_err().to_string();
    assert!(e.contains("`g` has 8193 residues, but features are computed for at most 8192"), "{e}");
}

/// Values of `NetworkX`, made by `scripts/golden/proteins.py`.
#[test]
fn networkx_agrees() {
    let text = include_str!("../../../../testdata/golden/proteins.json");
    let golden: serde_json::Value = serde_json::from_str(text).unwrap();
    let cases = golden["graphs"].as_array().unwrap();
    assert!(cases.len() >= 5);
    for case in cases {
        let number = |v: &serde_json::Value| v.as_f64().unwrap();
        let position = |p: &serde_json::Value| [number(&p[0]), number(&p[1]), number(&p[2])];
        let residue = |(i, p): (usize, &serde_json::Value)| Residue {
            id: i.to_string(),
            letter: 'A',
            position: position(p),
        };
        let residues = case["positions"].as_array().unwrap().iter().enumerate().map(residue).collect();
        let structure = Structure {
            name: case["name"].as_str().unwrap().to_owned(),
            chains: vec![Chain { name: "A".to_owned(), residues }],
            remarks: Remarks::default(),
        };
        let graph = ContactGraph::new(&structure, ContactRange::default()).unwrap();
        let f = GraphFeatures::of(&graph).unwrap();
        for (name, value) in GraphFeatures::NAMES.iter().zip(f.values()) {
            if let Some(want) = case["features"][*name].as_f64() {
                assert_close(value, want, &format!("{} {name}", structure.name));
            }
        }
        // Parts are found by heuristics: ours are no worse than those of the greedy one, by more than a little.
        let greedy = number(&case["greedy_modularity"]);
        assert!(f.modularity >= greedy - 0.02, "{}: {} {greedy}", structure.name, f.modularity);
        // And its modularity is counted alike.
        let sparse = SparseGraph::from(&graph);
        let part: Vec<usize> =
            case["partition"].as_array().unwrap().iter().map(|p| p.as_u64().unwrap() as usize).collect();
        assert_close(modularity(&sparse, &part), number(&case["modularity_of_partition"]), "modularity");
        let order: Vec<u64> =
            case["spectral_order"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap()).collect();
        let found: Vec<u64> = crate::spectral_order(&sparse).into_iter().map(|v| v as u64).collect();
        assert_eq!(found, order, "{}", structure.name);
    }
}
