use std::io::Write as _;

use super::*;
use eocc_core::graphs::ValueRef;

const LETTER: &str = r#"<?xml version="1.0"?>
<!DOCTYPE gxl SYSTEM "http://www.gupro.de/GXL/gxl-1.0.dtd">
<gxl><graph id="A" edgeids="false" edgemode="undirected">
<node id="_0"><attr name="x"><float>0.5</float></attr><attr name="s"><string>a &amp; b</string></attr></node>
<node id="_1"><attr name="x"><float>1e1</float></attr><attr name="s"><string>&#99;</string></attr></node>
<edge from="_0" to="_1"><attr name="v"><tup><int>1</int><float>2.5</float></tup></attr></edge>
</graph></gxl>"#;

fn gxl(body: &str) -> String {
    format!("<gxl><graph id=\"A\" edgemode=\"undirected\">{body}</graph></gxl>")
}

fn message(name: &str, text: &str) -> String {
    read_graph_bytes(name, text.as_bytes()).unwrap_err().to_string()
}

/// A compressed archive of these files.
fn packed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, content) in files {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        entry(&mut tar, header, content.len() as u64, content.as_bytes());
    }
    tar.extend([0; 1024]);
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&tar).unwrap();
    gz.finish().unwrap()
}

/// Appends an entry that claims this size; written manually, since the crate refuses to write names like `../x`.
fn entry(tar: &mut Vec<u8>, mut header: [u8; 512], size: u64, content: &[u8]) {
    header[100..107].copy_from_slice(b"0000644");
    header[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    header[257..263].copy_from_slice(b"ustar\0");
    header[263..265].copy_from_slice(b"00");
    header[156] = b'0';
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|b| u32::from(*b)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    tar.extend(header);
    tar.extend(content);
    tar.resize(tar.len().next_multiple_of(512), 0);
}

#[test]
fn gxl_is_read_with_all_kinds_of_values() {
    let set = read_graph_bytes("folder/a.gxl", LETTER.as_bytes()).unwrap();
    let g = &set.graphs.graphs()[0];
    assert_eq!((g.name(), g.vertices(), g.edges()), ("a.gxl", 2, &[(0, 1)][..]));
    assert!(!g.schema().directed);
    assert_eq!(g.vertex_value(0, 0), ValueRef::Text("a & b"));
    assert_eq!(g.vertex_value(1, 0), ValueRef::Text("c"));
    assert_eq!(g.vertex_value(1, 1), ValueRef::Number(10.0));
    assert_eq!(g.edge_value(0, 0), ValueRef::Vector(&[1.0, 2.5]));
}

#[test]
fn numbers_that_are_letters_are_texts() {
    // As in the IAM set Protein; one of the sequences parses as NaN.
    let node =
        |id: &str, s: &str| format!("<node id=\"{id}\"><attr name=\"sequence\"><int>{s}</int></attr></node>");
    let text = gxl(&(node("1", "TPEEAL") + &node("2", "NAN")));
    let set = read_graph_bytes("p.gxl", text.as_bytes()).unwrap();
    assert_eq!(set.graphs.graphs()[0].vertex_value(1, 0), ValueRef::Text("NAN"));
}

#[test]
fn faults_name_file_and_place() {
    assert_eq!(
        message("a.gxl", &gxl("<node id=\"0\"/>\n<edge from=\"0\" to=\"9\"/>")),
        "a.gxl: not a readable GXL file: line 2: the edge ends at the vertex \"9\", which does not exist"
    );
    assert!(message("a.gxl", &gxl("<node/>")).contains("line 1: <node> has no attribute `id`"));
    assert!(
        message("a.gxl", &gxl("<node id=\"0\"/><node id=\"0\"/>"))
            .contains("the vertex \"0\" is there twice")
    );
    let nan = gxl("<node id=\"0\"><attr name=\"x\"><float>NaN</float></attr></node>");
    assert!(message("a.gxl", &nan).contains("graph `a.gxl`, vertex `0`: the attribute `x` is NaN"));
    let twice = gxl("<node id=\"0\"/><node id=\"1\"/><edge from=\"0\" to=\"1\"/><edge from=\"1\" to=\"0\"/>");
    assert!(message("a.gxl", &twice).contains("edges 1 and 2 both join `1` and `0`"));
    assert!(message("a.gxl", "<gxl>").contains("the file ends inside of the element \"gxl\""));
    assert!(message("a.gxl", "<gxl></oops>").contains("line 1"));
    assert!(message("a.gxl", "words").contains("there is no element in it"));
    assert!(message("a.gxl", "<gxl/>").contains("there is no element <graph> in it"));
    assert!(message("a.gxl", &gxl("<node id=\"&bomb;\"/>")).contains("line 1"));
    assert!(message("a.zzz", "x").contains("the extension is none of"));
    let e = read_graph_bytes("a.gxl", b"<gxl>\n\xff</gxl>").unwrap_err().to_string();
    assert!(e.contains("line 2: not valid UTF-8"), "{e}");
}

#[test]
fn bombs_do_not_go_off() {
    let laughs = "<?xml version=\"1.0\"?><!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]>\
                  <gxl><graph id=\"&lol2;\"/></gxl>";
    assert!(message("a.gxl", laughs).contains("declares entities, which are not expanded"));
    let node = "<node id=\"0\"><attr name=\"s\"><string>&lol;</string></attr></node>";
    assert!(message("a.gxl", &gxl(node)).contains("the entity \"lol\" is not expanded"));
    let deep = "<a>".repeat(1_000_000);
    assert!(message("a.gxl", &deep).contains("nested more than 64 deep"));
    assert!(message("a.json", &"[".repeat(1_000_000)).contains("recursion limit"));
    let many = (0..100_000).map(|i| format!("<node id=\"{i}\"/>")).collect::<Vec<_>>().concat();
    assert!(
        message("a.gxl", &gxl(&many))
            .contains("a graph has more than 2048 vertices, the maximum for an edit distance")
    );
}

#[test]
fn archives_are_read_with_their_lists() {
    let train = "<GraphCollection><grec><print file=\"a.gxl\" class=\"A\"/></grec></GraphCollection>";
    let all = "<GraphCollection><grec><print file=\"a.gxl\" class=\"A\"/><print file=\"b.gxl\" class=\"B\"/></grec>\
               </GraphCollection>";
    let files = [
        ("set/b.gxl", LETTER),
        ("set/a.gxl", LETTER),
        ("set/c.gxl", LETTER),
        ("set/README.txt", "read me"),
        ("set/test.cxl", all),
        ("set/train.cxl", train),
    ];
    let bytes = packed(&files);
    let set = read_graph_bytes("set.tar.gz", &bytes).unwrap();
    let names: Vec<&str> = set.graphs.graphs().iter().map(eocc_core::graphs::LabelledGraph::name).collect();
    assert_eq!(names, ["a.gxl", "b.gxl"]);
    assert_eq!(set.classes, [Some("A".to_owned()), Some("B".to_owned())]);
    assert_eq!(set.splits, [Some("train".to_owned()), Some("test".to_owned())]);
    assert_eq!(set.left_out, ["c.gxl"]);
    assert_eq!(set.one_class("A").unwrap(), (vec![0], vec![1]));
    assert_eq!(set.one_class("B").unwrap(), (vec![1], vec![]));
    let e = set.one_class("C").unwrap_err().to_string();
    assert!(e.ends_with("no graph has the class \"C\"; the classes are \"A\", \"B\""), "{e}");
    // The same from a folder, and from a single list.
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(folder.path().join(file_name(name)), content).unwrap();
    }
    assert_eq!(read_graphs(folder.path()).unwrap().splits, set.splits);
    let listed = read_graphs(&folder.path().join("train.cxl")).unwrap();
    assert_eq!((listed.graphs.graphs().len(), &listed.splits[0]), (1, &Some("train".to_owned())));
    // Every truncation is an error or a smaller set, never a panic.
    for end in (0..bytes.len()).step_by(7) {
        let _ = read_graph_bytes("set.tar.gz", &bytes[..end]);
    }
}

#[test]
fn hostile_archives_are_refused() {
    let refused =
        |files: &[(&str, &str)]| read_graph_bytes("x.tar.gz", &packed(files)).unwrap_err().to_string();
    assert!(refused(&[("../a.gxl", LETTER)]).contains("\"../a.gxl\" leads outside"));
    assert!(refused(&[("/etc/a.gxl", LETTER)]).contains("leads outside"));
    assert!(refused(&[("p/a.gxl", LETTER), ("q/a.gxl", LETTER)]).contains("have the same file name"));
    assert!(refused(&[("readme.txt", "x")]).contains("there is no graph in it"));
    let missing = "<c><print file=\"z.gxl\" class=\"A\"/></c>";
    assert!(
        refused(&[("a.gxl", LETTER), ("train.cxl", missing)])
            .contains("lists \"z.gxl\", which does not exist")
    );
    let classes = "<c><print file=\"a.gxl\" class=\"A\"/></c>";
    let others = "<c><print file=\"a.gxl\" class=\"B\"/></c>";
    assert!(
        refused(&[("a.gxl", LETTER), ("train.cxl", classes), ("test.cxl", others)])
            .contains("but another list gives it \"")
    );
    // As many bytes as the format can claim.
    let mut header = [0_u8; 512];
    header[..5].copy_from_slice(b"a.gxl");
    let mut tar = Vec::new();
    entry(&mut tar, header, (1 << 33) - 1, b"<gxl/>");
    let e = read_graph_bytes("x.tar", &tar).unwrap_err().to_string();
    assert!(e.contains("claims 8589934591 bytes, but at most "), "{e}");
    let mut tar = Vec::new();
    entry(&mut tar, header, 1 << 29, b"<gxl/>");
    assert!(read_graph_bytes("x.tar", &tar).is_err());
}

#[test]
fn graphml_is_read_with_defaults() {
    let text = r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="color" attr.type="string"><default>yellow</default></key>
<key id="d1" for="edge" attr.name="weight" attr.type="double"/>
<graph id="G" edgedefault="directed"><node id="n0"><data key="d0">green</data></node><node id="n1"/>
<edge source="n1" target="n0"><data key="d1">1.5</data></edge></graph></graphml>"#;
    let set = read_graph_bytes("g.graphml", text.as_bytes()).unwrap();
    let g = &set.graphs.graphs()[0];
    assert!(g.schema().directed);
    assert_eq!(
        (g.vertex_value(0, 0), g.vertex_value(1, 0)),
        (ValueRef::Text("green"), ValueRef::Text("yellow"))
    );
    assert_eq!((g.edges(), g.edge_value(0, 0)), (&[(1, 0)][..], ValueRef::Number(1.5)));
    let wrong = text.replace("target=\"n0\"", "target=\"n7\"");
    assert!(message("g.graphml", &wrong).contains("line 5: the edge ends at the vertex \"n7\""));
    assert!(
        message("g.graphml", &text.replace("key=\"d1\"", "key=\"d9\"")).contains("\"d9\" is not declared")
    );
}

#[test]
fn node_link_is_read_alone_in_lists_and_in_lines() {
    let one =
        r#"{"directed": false, "graph": {"class": "c"}, "nodes": [{"id": 1, "x": 2, "v": [1, 2]}, {"id": "b",
        "x": null, "t": true}], "links": [{"source": "b", "target": 1, "w": 0.5}]}"#
            .replace('\n', " ");
    let set = read_graph_bytes("a.json", one.as_bytes()).unwrap();
    let g = &set.graphs.graphs()[0];
    assert_eq!((g.name(), g.edges(), &set.classes[0]), ("a.json", &[(1, 0)][..], &Some("c".to_owned())));
    assert_eq!((g.vertex_value(1, 0), g.vertex_value(1, 2)), (ValueRef::Text("true"), ValueRef::Missing));
    let two = read_graph_bytes("a.json", format!("[{one}, {one}]").as_bytes()).unwrap();
    assert_eq!(two.graphs.graphs()[1].name(), "a.json#2");
    let lines = format!("{{\"name\": \"first\", \"label\": 3, \"molecule\": {one}}}\n\n{one}\n");
    let set = read_graph_bytes("a.jsonl", lines.as_bytes()).unwrap();
    assert_eq!(set.graphs.graphs()[0].name(), "a.jsonl#first");
    assert_eq!(set.classes[0], Some("3".to_owned()));
    let wrong = one.replace("\"target\": 1", "\"target\": 9");
    assert_eq!(
        message("a.json", &wrong),
        "a.json: not a readable JSON node-link file: graph 1: link 1: the edge ends at the vertex \"9\", which does \
         not exist"
    );
    assert!(
        message("a.jsonl", "{\"x\": 1}\n").contains("line 1, column 1: the line has no field with a graph")
    );
    assert!(message("a.json", "{\"nodes\": [], \"links\": [").contains("line 1, column"));
}
