use super::*;
use crate::file::Contents;

fn pair_of(attributes: [(&str, Value); 2]) -> GraphInput {
    let mut g = GraphInput::new("g", false);
    let [a, b] = attributes;
    let (p, q) = (g.vertex("p", [a]), g.vertex("q", [b]));
    g.edge(p, q, []);
    g
}

fn message(graphs: Vec<GraphInput>) -> String {
    Graphs::new(graphs).unwrap_err().to_string()
}

#[test]
fn faults_are_named_with_graph_place_and_remedy() {
    let sound = || pair_of([("x", Value::Number(1.0)), ("x", Value::Number(2.0))]);
    assert_eq!(
        message(vec![pair_of([("x", Value::Number(1.0)), ("x", Value::Number(f64::NAN))])]),
        "graph `g`, vertex `q`: the attribute `x` is NaN, but must be finite; correct it, or leave the attribute out"
    );
    assert_eq!(
        message(vec![pair_of([("x", Value::Number(1.0)), ("x", Value::text("one"))])]),
        "graph `g`, vertex `q`: the attribute `x` is text, but a number in graph `g`, vertex `p`; give it the same \
         kind everywhere"
    );
    let mut parallel = sound();
    parallel.edge(1, 0, []);
    assert_eq!(
        message(vec![parallel.clone()]),
        "graph `g`: edges 1 and 2 both join `q` and `p`; merge parallel edges into one, with a number for how many \
         they are"
    );
    // If directed, an edge differs from its reverse.
    parallel.directed = true;
    assert!(Graphs::new(vec![parallel.clone()]).is_ok());
    assert_eq!(
        message(vec![parallel, sound()]),
        "graph `g` is undirected, but graph `g` is directed; make all graphs of a set alike"
    );
    let mut dangling = sound();
    dangling.edge(0, 7, []);
    assert_eq!(message(vec![dangling]), "graph `g`, edge 2: its end is vertex 7, but there are 2 vertices");
    let mut large = GraphInput::new("large", false);
    large.vertices = vec![(String::new(), Vec::new()); 100_000];
    assert_eq!(
        message(vec![large]),
        "graph `large` has 100000 vertices, but an edit distance supports at most 2048; leave it out or split it"
    );
}

#[test]
fn values_come_back_and_may_be_missing() {
    let mut g = GraphInput::new("g", false);
    g.vertex("p", [("x", Value::Number(1.5)), ("v", Value::Vector(vec![1.0, 2.0]))]);
    g.vertex("q", [("t", Value::text("word")), ("x", Value::Missing)]);
    g.edge(0, 0, []);
    let graphs = Graphs::new(vec![g]).unwrap();
    let names: Vec<&str> = graphs.schema().vertex.iter().map(|a| a.name.as_str()).collect();
    assert_eq!(names, ["t", "v", "x"]);
    let one = graphs.sample(0);
    assert_eq!(one.vertex_value(0, 0), ValueRef::Missing);
    assert_eq!(one.vertex_value(0, 1), ValueRef::Vector(&[1.0, 2.0]));
    assert_eq!(one.vertex_value(0, 2), ValueRef::Number(1.5));
    assert_eq!(one.vertex_value(1, 0), ValueRef::Text("word"));
    assert_eq!(one.vertex_value(1, 2), ValueRef::Missing);
    assert_eq!((one.name(), one.vertex_name(1), one.edges()), ("g", "q", &[(0, 0)][..]));
}

#[test]
fn other_graphs_are_accepted_if_kinds_agree() {
    let set = |value: Value, directed| {
        let mut g = GraphInput::new("g", directed);
        g.vertex("p", [("x", value)]);
        Graphs::new(vec![g]).unwrap()
    };
    let model = set(Value::Number(1.0), false);
    assert!(model.accepts(&set(Value::Missing, false)).is_ok());
    assert_eq!(
        model.accepts(&set(Value::text("a"), false)).unwrap_err().to_string(),
        "the graphs are not like the model's: the attribute `x` of their vertices is text, but was a number in training"
    );
    assert!(model.accepts(&set(Value::Number(1.0), true)).is_err());
}

#[test]
fn what_a_file_claims_is_checked() {
    let mut g = GraphInput::new("g", false);
    g.vertex("p", [("x", Value::Number(1.5)), ("v", Value::Vector(vec![1.0, 2.0]))]);
    g.vertex("q", [("t", Value::text("word"))]);
    g.edge(0, 1, [("w", Value::Number(1.0))]);
    let graphs = Graphs::new(vec![g, GraphInput::new("empty", false)]).unwrap();
    let mut contents = Contents::default();
    let meta = graphs.write_tensors("samples", &mut contents);
    let again = Graphs::read_tensors("samples", &contents, &meta).unwrap();
    assert_eq!(again.schema(), graphs.schema());
    assert_eq!(again.sample(0).vertex_value(1, 0), ValueRef::Text("word"));
    assert_eq!(again.sample(0).vertex_value(1, 1), ValueRef::Missing);
    let read = |change: &dyn Fn(&mut Contents)| {
        let mut contents = contents.clone();
        change(&mut contents);
        Graphs::read_tensors("samples", &contents, &meta).unwrap_err()
    };
    let changes: [&dyn Fn(&mut Contents); 7] = [
        &|c| c.put_u32("samples.sizes", &[2, 2], &[u32::MAX, 1, 0, 0]),
        &|c| c.put_u32("samples.sizes", &[2, 2], &[1, 1, 1, 0]),
        &|c| c.put_u32("samples.edges", &[1, 2], &[0, 9]),
        &|c| c.put_u32("samples.vertices", &[2], &[0, 999]),
        &|c| c.put_u32("samples.vertex.0", &[2], &[0, 999]),
        &|c| c.put_f64("samples.vertex.2", &[2], &[f64::NAN, 0.0]),
        &|c| c.put_u32("samples.vertex.2.missing", &[1], &[77]),
    ];
    for change in changes {
        assert!(read(change).is_model_file());
    }
}
