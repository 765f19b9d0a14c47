//! Graph edit distance: compared with brute force, with `NetworkX`, and its laws.

use std::sync::LazyLock;

use eocc_core::dissimilarity::ged::{Costs, Limits, Method, Metric, Weighted};
use eocc_core::dissimilarity::{Dissimilarity, GraphEdit, SearchCache, Settings};
use eocc_core::graphs::{GraphInput, Graphs, LabelledGraph, Value, ValueRef};
use eocc_core::random::Random;
use eocc_core::{AnyModel, Model, OneClass, Preset, Representation, SampleKind, SampleSet, Silent};
use eocc_oracle::edit::{EditCosts, Plain, distance};
use proptest::prelude::*;

/// A random graph with all kinds of attributes, some missing; sometimes with a loop.
fn random_input(random: &mut Random, name: usize, most: usize, directed: bool) -> GraphInput {
    let mut g = GraphInput::new(format!("g{name}"), directed);
    let n = random.below(most + 1);
    for v in 0..n {
        let mut attributes = vec![
            ("x", Value::Number(random.range(0.0, 3.0))),
            ("y", Value::Number(random.range(0.0, 3.0))),
            ("type", Value::text(["a", "b"][random.below(2)])),
            ("place", Value::Vector(vec![random.normal(), random.normal()])),
        ];
        let length = random.below(5);
        attributes
            .push(("word", Value::Text((0..length).map(|_| ['k', 'l', 'm'][random.below(3)]).collect())));
        attributes.retain(|_| random.below(8) > 0);
        g.vertex(v.to_string(), attributes);
    }
    for u in 0..n {
        for v in if directed { 0..n } else { u..n } {
            if random.uniform() < if u == v { 0.1 } else { 0.4 } {
                let both = random.below(2) + 1;
                let mut attributes = vec![("frequency", Value::Number(both as f64))];
                for i in 0..both {
                    let name = ["type0", "type1"][i];
                    attributes.push((name, Value::text(["s", "t"][random.below(2)])));
                }
                attributes.push(("width", Value::Number(random.below(3) as f64)));
                g.edge(u, v, attributes);
            }
        }
    }
    g
}

fn random_graphs(seed: u64, count: usize, most: usize, directed: bool) -> Graphs {
    let mut random = Random::new(seed);
    let all = (0..count).map(|i| random_input(&mut random, i, most, directed)).collect();
    Graphs::new(all).expect("sound graphs")
}

fn measure(costs: &str, graphs: &Graphs, seed: u64) -> GraphEdit {
    let costs = match costs {
        "letter" => Costs::Letter,
        "grec" => Costs::Grec,
        _ => Costs::Schema(eocc_core::dissimilarity::ged::SchemaCosts::default()),
    };
    let mut d = GraphEdit::new(costs).normalize(false);
    d.learn(&graphs.refs(), &[]).expect("learned");
    let mut random = Random::new(seed);
    let p: Vec<f64> = d.parameters().iter().map(|p| random.range(p.low, p.high)).collect();
    d.set(&p);
    d
}

/// The costs again, from their definition.
struct Literal<'a> {
    a: &'a LabelledGraph,
    b: &'a LabelledGraph,
    costs: &'a Costs,
}

fn value<'a>(g: &'a LabelledGraph, vertex: bool, at: usize, name: &str) -> ValueRef<'a> {
    let list = if vertex { &g.schema().vertex } else { &g.schema().edge };
    match list.iter().position(|a| a.name == name) {
        None => ValueRef::Missing,
        Some(i) if vertex => g.vertex_value(at, i),
        Some(i) => g.edge_value(at, i),
    }
}

fn levenshtein(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut table = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            table[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let substituted = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                substituted.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
            };
        }
    }
    table[a.len()][b.len()] as f64
}

fn differs(w: &Weighted, x: ValueRef<'_>, y: ValueRef<'_>) -> f64 {
    match (w.metric, x, y) {
        (_, ValueRef::Missing, ValueRef::Missing) => 0.0,
        (_, ValueRef::Missing, _) | (_, _, ValueRef::Missing) => 1.0,
        (Metric::Category, x, y) => f64::from(u8::from(x != y)),
        (Metric::Number, ValueRef::Number(x), ValueRef::Number(y)) => (x - y).abs() / w.unit,
        (Metric::Number, ValueRef::Vector(x), ValueRef::Vector(y)) => {
            x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt() / w.unit
        }
        (Metric::Text, ValueRef::Text(x), ValueRef::Text(y)) => {
            let longer = x.chars().count().max(y.chars().count()).max(1) as f64;
            levenshtein(x, y) / longer
        }
        other => panic!("{other:?}"),
    }
}

impl Literal<'_> {
    fn weighted(&self, list: &[Weighted], vertex: bool, i: usize, j: usize) -> f64 {
        let sum: f64 = list
            .iter()
            .map(|w| {
                let (x, y) = (value(self.a, vertex, i, &w.name), value(self.b, vertex, j, &w.name));
                w.weight * differs(w, x, y)
            })
            .sum();
        if list.is_empty() { 0.0 } else { sum / list.len() as f64 }
    }

    fn euclid(&self, u: usize, v: usize, weight: f64, absent: f64) -> f64 {
        let place = |g, v| match (value(g, true, v, "x"), value(g, true, v, "y")) {
            (ValueRef::Number(x), ValueRef::Number(y)) => Some((x, y)),
            _ => None,
        };
        match (place(self.a, u), place(self.b, v)) {
            (Some(p), Some(q)) => weight * (p.0 - q.0).hypot(p.1 - q.1),
            (None, None) => 0.0,
            _ => absent,
        }
    }

    fn bag(g: &LabelledGraph, e: usize) -> (f64, Vec<String>) {
        let ValueRef::Number(f) = value(g, false, e, "frequency") else { panic!("frequency") };
        let all = (0..f as usize).map(|i| value(g, false, e, &format!("type{i}")).to_string()).collect();
        (f, all)
    }
}

impl EditCosts for Literal<'_> {
    fn vertex(&self, u: Option<usize>, v: Option<usize>) -> f64 {
        match (self.costs, u, v) {
            (Costs::Letter, Some(u), Some(v)) => self.euclid(u, v, 0.75, 1.35),
            (Costs::Letter, ..) => 0.675,
            (Costs::Grec, Some(u), Some(v)) => {
                if value(self.a, true, u, "type") == value(self.b, true, v, "type") {
                    self.euclid(u, v, 0.5, 90.0)
                } else {
                    90.0
                }
            }
            (Costs::Grec, ..) => 45.0,
            (Costs::Schema(s), Some(u), Some(v)) => s.balance * self.weighted(&s.vertex, true, u, v),
            (Costs::Schema(s), ..) => s.balance * s.vertex_constant,
            _ => panic!("no such costs here"),
        }
    }

    fn edge(&self, e: Option<usize>, f: Option<usize>) -> f64 {
        match (self.costs, e, f) {
            (Costs::Letter, Some(_), Some(_)) => 0.0,
            (Costs::Letter, ..) => 0.425,
            (Costs::Grec, Some(e), Some(f)) => {
                let ((p, x), (q, mut y)) = (Self::bag(self.a, e), Self::bag(self.b, f));
                let mut common = 0.0;
                for t in x {
                    if let Some(at) = y.iter().position(|u| *u == t) {
                        y.remove(at);
                        common += 1.0;
                    }
                }
                7.5 * (p + q - 2.0 * common)
            }
            (Costs::Grec, Some(e), None) => 7.5 * Self::bag(self.a, e).0,
            (Costs::Grec, None, Some(f)) => 7.5 * Self::bag(self.b, f).0,
            (Costs::Schema(s), Some(e), Some(f)) => {
                (1.0 - s.balance) * self.weighted(&s.edge, false, e, f).min(2.0 * s.edge_constant)
            }
            (Costs::Schema(s), ..) => (1.0 - s.balance) * s.edge_constant,
            _ => panic!("no such costs here"),
        }
    }
}

fn plain(g: &LabelledGraph) -> Plain {
    Plain {
        vertices: g.vertices(),
        edges: g.edges().iter().map(|&(a, b)| (a as usize, b as usize)).collect(),
    }
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

proptest! {
    #![proptest_config(crate::support::cases(60))]

    /// The exact distance equals that of trying all maps of up to 6 vertices, with random costs, directed or not; the
    /// others bound it.
    #[test]
    fn exact_equals_brute_force_and_the_bounds_hold(seed: u64, directed: bool, kind in 0..3_usize) {
        let graphs = random_graphs(seed, 5, 6, directed);
        let d = measure(["letter", "grec", "schema"][kind], &graphs, seed);
        for i in 0..5 {
            for j in 0..i {
                let (a, b) = (graphs.sample(i), graphs.sample(j));
                let literal = Literal { a, b, costs: d.costs() };
                let (pa, pb) = (plain(a), plain(b));
                let best = distance(&pa, &pb, directed, &literal);
                for method in Method::ALL {
                    let d = d.clone().method(method);
                    let bounds = d.bounds(a, b);
                    prop_assert!(bounds.lower <= best + 1e-9, "{method:?}: {bounds:?}, {best}");
                    prop_assert!(bounds.upper >= best - 1e-9, "{method:?}: {bounds:?}, {best}");
                    let path = d.path(a, b);
                    let again = eocc_oracle::edit::cost(&pa, &pb, directed, &literal, &path.map);
                    prop_assert!(is_near(again, bounds.upper), "{method:?}: {again} {bounds:?}");
                    prop_assert!(is_near(path.cost(), bounds.upper), "{method:?}: {} {bounds:?}", path.cost());
                    if method == Method::Exact {
                        prop_assert!(is_near(bounds.upper, best) && is_near(bounds.lower, best), "{bounds:?} {best}");
                    }
                }
            }
        }
    }

    /// Larger graphs: the order of the methods, symmetry bit for bit, and prepared sides give the same.
    #[test]
    fn methods_are_ordered_and_symmetric(seed: u64, directed: bool, kind in 0..3_usize) {
        let graphs = random_graphs(seed, 3, 14, directed);
        let d = measure(["letter", "grec", "schema"][kind], &graphs, seed).starts(3);
        for i in 0..3 {
            for j in 0..3 {
                let (a, b) = (graphs.sample(i), graphs.sample(j));
                let by = |method| d.clone().method(method).bounds(a, b);
                let (bipartite, refine, ipfp) = (by(Method::Bipartite), by(Method::Refine), by(Method::Ipfp));
                prop_assert!(refine.upper <= bipartite.upper + 1e-9 && ipfp.upper <= refine.upper + 1e-9);
                prop_assert!(refine.lower <= ipfp.upper + 1e-9);
                for method in [Method::BranchFast, Method::Bipartite, Method::Refine, Method::Ipfp] {
                    for normalize in [false, true] {
                        let d = d.clone().method(method).normalize(normalize);
                        let value = d.between(a, b);
                        prop_assert!(value.is_finite() && value >= 0.0 && (!normalize || value <= 1.0));
                        prop_assert_eq!(value.to_bits(), d.between(b, a).to_bits());
                        prop_assert!(i != j || value.abs() < 1e-300);
                        let mut out = [0.0];
                        d.prepare(&[b]).fill(a, 0..1, &mut out);
                        prop_assert_eq!(out[0].to_bits(), value.to_bits());
                    }
                }
            }
        }
    }

    /// What a search caches and what a set of graphs shares changes no bit: using cached shapes, texts and branches
    /// under different constants equals measuring each pair from scratch.
    #[test]
    fn what_is_kept_changes_no_bit(seed: u64, directed: bool) {
        let graphs = random_graphs(seed, 16, 6, directed);
        let mut d = measure("schema", &graphs, seed);
        let refs = graphs.refs();
        let mut random = Random::new(seed);
        let mut kept = SearchCache::default();
        for method in [Method::Refine, Method::Bipartite, Method::BranchFast] {
            d = d.method(method);
            let p: Vec<f64> = d.parameters().iter().map(|p| random.range(p.low, p.high)).collect();
            d.set(&p);
            let prepared = d.prepare_cached(&refs, &mut kept);
            let shared = d.prepare(&refs);
            let mut rows = vec![vec![0.0; 16]; 3];
            for i in 0..16 {
                prepared.fill(refs[i], 0..16, &mut rows[0]);
                prepared.fill_prepared(i, refs[i], 0..16, &mut rows[1]);
                shared.fill(refs[i], 0..16, &mut rows[2]);
                for (j, other) in refs.iter().enumerate() {
                    let fresh = d.between(refs[i], other).to_bits();
                    for row in &rows {
                        prop_assert_eq!(row[j].to_bits(), fresh, "{:?} {} {}", method, i, j);
                    }
                }
            }
        }
    }

    /// The same with preset costs, and graphs from outside whose branches the set does not have.
    #[test]
    fn newcomers_are_measured_as_alone(seed: u64, directed: bool, kind in 0..2_usize) {
        let graphs = random_graphs(seed, 40, 5, directed);
        let d = measure(["letter", "grec"][kind], &graphs, seed);
        let refs = graphs.refs();
        let (new, many) = refs.split_at(10);
        let prepared = d.prepare(many);
        let mut row = vec![0.0; 30];
        for one in new {
            prepared.fill(one, 0..30, &mut row);
            for (value, other) in row.iter().zip(many) {
                prop_assert_eq!(value.to_bits(), d.between(one, other).to_bits());
            }
        }
    }

    /// Neighbors found with bounds equal those of measuring everything, including ties.
    #[test]
    fn bounds_never_cost_a_neighbor(seed: u64, k in 1..8_usize) {
        let graphs = random_graphs(seed, 25, 5, false);
        let d = measure("letter", &graphs, seed).normalize(seed % 2 == 0);
        let refs = graphs.refs();
        let prepared = d.prepare(&refs);
        let mut row = vec![0.0; 25];
        for i in 0..25_u32 {
            let among: Vec<u32> = (0..25).filter(|&j| j != i).collect();
            prepared.fill(refs[i as usize], 0..25, &mut row);
            let nearest = prepared.nearest(refs[i as usize], &among, k).expect("bounds");
            prop_assert_eq!(nearest.found, eocc_core::knn::nearest(&row, k, Some(i as usize)));
            prop_assert!(nearest.measured <= 24);
        }
    }
}

/// Distances by `graph_edit_distance` of `NetworkX`; versions are in the file, `scripts/golden/graph_edit.py` makes it.
#[test]
fn exact_equals_networkx_on_a_hundred_pairs() {
    static GOLDEN: LazyLock<serde_json::Value> = LazyLock::new(|| {
        let text = include_str!("../../../../testdata/golden/graph_edit.json");
        serde_json::from_str(text).expect("golden values")
    });
    let graph = |value: &serde_json::Value, directed: bool| {
        let mut g = GraphInput::new("golden", directed);
        let attributes = |v: &serde_json::Value| -> Vec<(String, Value)> {
            let object = v.as_object().expect("an object");
            object.iter().map(|(k, v)| (k.clone(), Value::Number(v.as_f64().expect("a number")))).collect()
        };
        for (i, node) in value["nodes"].as_array().expect("nodes").iter().enumerate() {
            g.vertices.push((i.to_string(), attributes(node)));
        }
        for link in value["links"].as_array().expect("links") {
            let end = |i: usize| link[i].as_u64().expect("an index") as usize;
            g.edges.push((end(0), end(1), attributes(&link[2])));
        }
        g
    };
    let exact = |pair: &serde_json::Value| {
        let directed = pair["directed"].as_bool().expect("a flag");
        let both = vec![graph(&pair["a"], directed), graph(&pair["b"], directed)];
        let graphs = Graphs::new(both).expect("graphs");
        let costs = if pair["costs"] == "letter" { Costs::Letter } else { Costs::Aids };
        let d = GraphEdit::new(costs).normalize(false).method(Method::Exact);
        let bounds = d.bounds(graphs.sample(0), graphs.sample(1));
        assert!(is_near(bounds.lower, bounds.upper), "{bounds:?}: {pair}");
        bounds.upper
    };
    let pairs = GOLDEN["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 100);
    for pair in pairs {
        assert!(is_near(exact(pair), pair["distance"].as_f64().expect("a distance")), "{pair}");
    }
    // Where NetworkX misses the minimum, ours equals that of trying all maps.
    for pair in GOLDEN["missed"].as_array().expect("pairs") {
        let smallest = pair["smallest"].as_f64().expect("a distance");
        assert!(is_near(exact(pair), smallest) && smallest < pair["distance"].as_f64().expect("a distance"));
    }
}

#[test]
fn without_vertices_or_edges_the_value_is_defined() {
    let empty = GraphInput::new("empty", false);
    let mut dots = GraphInput::new("dots", false);
    dots.vertex("a", [("x", Value::Number(0.0)), ("y", Value::Number(0.0))]);
    dots.vertex("b", [("x", Value::Number(3.0)), ("y", Value::Number(4.0))]);
    let graphs = Graphs::new(vec![empty.clone(), dots, empty]).expect("graphs");
    for method in Method::ALL {
        let d = GraphEdit::new(Costs::Letter).method(method);
        let between = |i, j| d.between(graphs.sample(i), graphs.sample(j));
        assert!((between(0, 1) - 1.0).abs() < 1e-12, "{method:?}");
        assert!(between(0, 2).abs() < 1e-12);
        let plain = d.clone().normalize(false);
        assert!((plain.between(graphs.sample(0), graphs.sample(1)) - 1.35).abs() < 1e-12);
    }
}

#[test]
fn exact_stops_at_its_limits_with_bounds() {
    let graphs = random_graphs(3, 20, 40, false);
    let d = measure("schema", &graphs, 1).method(Method::Exact).starts(1);
    let mut large = graphs.graphs().iter().filter(|g| g.vertices() > 15);
    let (Some(a), Some(b)) = (large.next(), large.next()) else { panic!("no large graphs") };
    for limits in [Limits { steps: 50, seconds: None }, Limits { steps: u64::MAX, seconds: Some(0.05) }] {
        let bounds = d.clone().limits(limits).bounds(a, b);
        assert!(bounds.lower > 0.0 && bounds.lower < bounds.upper, "{bounds:?}");
    }
}

/// Hundreds of vertices: every method finishes, `exact` with bounds.
#[test]
fn large_graphs_come_back() {
    let mut random = Random::new(9);
    let mut ring = |name: &str, n: usize| {
        let mut g = GraphInput::new(name, false);
        for v in 0..n {
            g.vertex(v.to_string(), [("chem", Value::Number(random.below(4) as f64))]);
        }
        for v in 0..n {
            g.edge(v, (v + 1) % n, [("valence", Value::Number(1.0))]);
        }
        g
    };
    let graphs = Graphs::new(vec![ring("a", 200), ring("b", 190)]).expect("graphs");
    for method in Method::ALL {
        let d = GraphEdit::new(Costs::Aids).method(method).starts(2);
        let pairs = d.bounds_of_pairs(&graphs.refs(), &[(0, 1), (1, 0)], &eocc_core::Silent).expect("bounds");
        assert_eq!(pairs[0], pairs[1]);
        assert!(
            pairs[0].lower > 0.0 && pairs[0].lower <= pairs[0].upper && pairs[0].upper < 0.5,
            "{pairs:?}"
        );
    }
}

#[test]
fn the_explanation_names_vertices_and_costs() {
    let mut a = GraphInput::new("a", false);
    let (p, q) =
        (a.vertex("p", [("chem", Value::Number(1.0))]), a.vertex("q", [("chem", Value::Number(2.0))]));
    a.edge(p, q, [("valence", Value::Number(1.0))]);
    let mut b = GraphInput::new("b", false);
    b.vertex("r", [("chem", Value::Number(2.0))]);
    let graphs = Graphs::new(vec![a, b]).expect("graphs");
    let path = GraphEdit::new(Costs::Aids).path(graphs.sample(0), graphs.sample(1));
    assert_eq!(
        path.to_string(),
        "vertex p deleted: 2.75\nvertex q -> r: 0\nedge p - q deleted: 0.825\n\
         total: 3.575 (no way is cheaper than 3.575; deleting and inserting everything: 9.075)"
    );
}

/// Letters drawn from two shapes; enough to learn from.
fn letters(seed: u64, count: usize) -> Graphs {
    let mut random = Random::new(seed);
    let all = (0..count).map(|i| {
        let mut g = GraphInput::new(format!("letter{i}"), false);
        let corners: &[(f64, f64)] = if i % 3 == 0 {
            &[(0.0, 0.0), (1.0, 3.0), (2.0, 0.0)]
        } else {
            &[(0.0, 3.0), (2.0, 3.0), (1.0, 3.0), (1.0, 0.0)]
        };
        for (v, (x, y)) in corners.iter().enumerate() {
            let (x, y) = (x + 0.2 * random.normal(), y + 0.2 * random.normal());
            g.vertex(format!("_{v}"), [("x", Value::Number(x)), ("y", Value::Number(y))]);
        }
        for v in 1..corners.len() {
            g.edge(v - 1, v, []);
        }
        g
    });
    Graphs::new(all.collect()).expect("graphs")
}

#[test]
fn models_of_graphs_are_fitted_saved_and_loaded() {
    let (train, new) = (letters(1, 40), letters(2, 9));
    // With `ipfp`, neighbors are found by bounds even among small graphs.
    for (preset, method) in
        [(Preset::Paper, "refine"), (Preset::Default, "refine"), (Preset::Default, "ipfp")]
    {
        let mut settings = Settings::default();
        settings.insert("costs", "letter");
        settings.insert("method", method);
        let d = Graphs::measure(preset, Some("ged"), &settings).expect("a measure");
        let model =
            OneClass::new(preset).check().expect("sound").fit_with(&train, d, &Silent).expect("fitted");
        let decisions = model.decide_all(&new).expect("decisions");
        let contents = model.to_contents().expect("contents");
        let again: Model<Graphs> = Model::from_contents(&contents).expect("loaded");
        assert_eq!(again.decide_all(&new).expect("decisions"), decisions);
        assert!(AnyModel::from_contents(&contents).is_ok_and(|m| m.downcast_ref::<Graphs>().is_some()));
    }
}

#[test]
fn a_search_over_the_schema_runs_and_finds_parameters() {
    let train = letters(4, 30);
    let d = Graphs::measure(Preset::Paper, None, &Settings::default()).expect("a measure");
    let mut params = OneClass::new(Preset::Paper);
    (params.tau, params.evaluations) = (0.0, 25);
    let model = params
        .representation(Representation::Embedding)
        .check()
        .expect("sound")
        .fit_with(&train, d, &Silent)
        .expect("fitted");
    let names: Vec<String> = model.dissimilarity().parameters().into_iter().map(|p| p.name).collect();
    assert_eq!(names, ["vertex.x", "vertex.y", "vertex", "edge", "balance"]);
    assert_eq!(model.record().search.len(), 25);
}

#[test]
fn settings_are_checked_and_presets_say_what_they_miss() {
    let make = |text: &str| {
        let mut settings = Settings::default();
        settings.parse(text).expect("key=value");
        Graphs::measure(Preset::Default, Some("ged"), &settings)
    };
    let message = |text: &str| make(text).err().expect("refused").to_string();
    assert_eq!(message("costs=money"), "costs is `money`, but must be letter, aids, grec, protein or schema");
    assert_eq!(
        message("method=magic"),
        "method is `magic`, but must be branch-fast, bipartite, refine, ipfp or exact"
    );
    assert!(message("color=red").starts_with("setting is `color`, but must be one of `costs`, `method`"));
    let train = letters(1, 5);
    let mut d = make("costs=protein").expect("a measure");
    assert_eq!(
        d.learn(&train.refs(), &[]).expect_err("refused").to_string(),
        "costs=protein compare the attribute `type` of vertices, but the graphs have `x`, `y`; choose other costs or \
         costs=schema"
    );
    let mut d = make("vertex.z=number").expect("a measure");
    assert_eq!(
        d.learn(&train.refs(), &[]).expect_err("refused").to_string(),
        "setting is `vertex.z`, but must be one of vertex.x, vertex.y for these graphs"
    );
}
