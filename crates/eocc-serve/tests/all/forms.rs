//! Whatever the form of the body, the answers equal those of `eocc score` for the same rows, bit for bit.

use std::path::Path;

use eocc_core::AnyModel;
use eocc_data::ReadRequest;
use serde_json::{Value, json};

use crate::support::{Answer, Row, Running, bits, csv, decisions, fit, model_of_numbers, numbers, scored};

const INFER: &str = "/v2/models/m/infer";

/// Rows of a response with rows.
fn of_rows(answer: &Answer) -> Vec<Row> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.value()["rows"].as_array().unwrap().iter().map(of_row).collect()
}

fn of_row(row: &Value) -> Row {
    Row {
        score: row["score"].as_f64().unwrap(),
        membership: row["membership"].as_f64().unwrap(),
        accepted: row["accepted"].as_bool().unwrap(),
        region: row["region"].as_u64().unwrap() as usize,
        p_value: row["p_value"].as_f64().unwrap(),
    }
}

/// A folder with data in a file, a model of it, and a server of the model.
struct Case {
    folder: tempfile::TempDir,
    model: AnyModel,
    server: Running,
}

fn case(name: &str, text: &str) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join(name);
    std::fs::write(&data, text).unwrap();
    let path = folder.path().join("m.eocc");
    let model = fit(&data, &path, &ReadRequest::default());
    let server = Running::serving(&[path]);
    Case { folder, model, server }
}

impl Case {
    /// The program's results for new data in a file.
    fn expected(&self, name: &str, text: impl AsRef<[u8]>) -> Vec<Row> {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        scored(&self.model, Path::new(&path))
    }

    fn rows(&self, rows: &Value) -> Vec<Row> {
        let plain = of_rows(&self.server.json(INFER, rows));
        assert_eq!(bits(&plain), bits(&of_rows(&self.server.json(INFER, &json!({ "rows": rows })))));
        plain
    }
}

#[test]
fn numbers_in_every_form() {
    let folder = tempfile::tempdir().unwrap();
    let (path, model) = model_of_numbers(folder.path(), "m", 1);
    let server = Running::serving(&[path]);
    let rows = numbers(2, 40);
    let file = folder.path().join("new.csv");
    std::fs::write(&file, csv(&rows)).unwrap();
    let expected = bits(&scored(&model, &file));
    // One tensor, flat and nested.
    let flat: Vec<f64> = rows.iter().flatten().copied().collect();
    for data in [json!(flat), json!(rows)] {
        let input = json!({ "name": "x", "datatype": "FP64", "shape": [40, 3], "data": data });
        let answer = server.json(INFER, &json!({ "id": "42", "inputs": [input] }));
        assert_eq!(answer.value()["id"], "42");
        assert_eq!(bits(&decisions(&answer)), expected);
    }
    // One input per column, in another order, with one that is unknown to the model.
    let column = |name: &str, at: usize| {
        let data: Vec<f64> = rows.iter().map(|row| row[at]).collect();
        json!({ "name": name, "datatype": "FP64", "shape": [40], "data": data })
    };
    let other = json!({ "name": "note", "datatype": "BYTES", "shape": [40], "data": vec!["x"; 40] });
    let inputs = [column("c", 2), other, column("a", 0), column("b", 1)];
    assert_eq!(bits(&decisions(&server.json(INFER, &json!({ "inputs": inputs })))), expected);
    // Rows: objects, and lists.
    let objects: Vec<Value> = rows.iter().map(|[a, b, c]| json!({ "b": b, "a": a, "c": c })).collect();
    assert_eq!(bits(&of_rows(&server.json(INFER, &json!(objects)))), expected);
    assert_eq!(bits(&of_rows(&server.json(INFER, &json!({ "rows": rows })))), expected);
    assert_eq!(bits(&of_rows(&server.json(INFER, &json!({ "instances": rows })))), expected);
    // Pretty JSON has line breaks between the parts of a row.
    let pretty = serde_json::to_vec_pretty(&json!(objects)).unwrap();
    assert_eq!(bits(&of_rows(&server.post(INFER, "application/json", &pretty))), expected);
    // CSV, and JSON Lines.
    let answer = server.post(INFER, "text/csv; charset=utf-8", csv(&rows).as_bytes());
    assert!(
        answer.text().starts_with("row,score,membership,accepted,region,p_value\n0,"),
        "{}",
        answer.text()
    );
    let lines: String = objects.iter().map(|row| format!("{row}\n")).collect();
    let answer = server.post(INFER, "application/x-ndjson", lines.as_bytes());
    let found: Vec<Row> =
        answer.text().lines().map(|line| of_row(&serde_json::from_str(line).unwrap())).collect();
    assert_eq!(bits(&found), expected);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let version = server.get("/v2/models/m").value()["versions"][0].as_str().unwrap().to_owned();
    assert_eq!(answer.header("eocc-model-version"), Some(version.as_str()));
    // The same from a tensor, in a requested form.
    let input = json!({ "name": "x", "datatype": "FP64", "shape": [40, 3], "data": flat });
    let body = json!({ "inputs": [input] }).to_string();
    let asked = [("content-type", "application/json"), ("accept", "text/csv")];
    let answer = server.client().ask("POST", INFER, &asked, body.as_bytes());
    assert_eq!(answer.text(), server.post(INFER, "text/csv", csv(&rows).as_bytes()).text());
}

#[test]
fn other_types_of_numbers_are_read_as_the_array_would_be() {
    let case =
        case("d.csv", &(0..60).map(|i| format!("{},{}\n", i * 7 % 31, i * 5 % 23)).collect::<String>());
    let ask = |kind: &str, data: Value| {
        let input = json!({ "name": "x", "datatype": kind, "shape": [2, 2], "data": data });
        bits(&decisions(&case.server.json(INFER, &json!({ "inputs": [input] }))))
    };
    let whole = bits(&case.expected("whole.csv", "3,4\n20,1\n"));
    for kind in ["INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "FP32", "FP64"] {
        assert_eq!(ask(kind, json!([3, 4, 20, 1])), whole, "{kind}");
    }
    // A tenth in 32 bits is a different number.
    let tenth = f64::from(0.1_f32);
    let expected = bits(&case.expected("single.csv", format!("{tenth},4\n20,1\n")));
    assert_eq!(ask("FP32", json!([0.1, 4, 20, 1])), expected);
    assert_ne!(ask("FP64", json!([0.1, 4, 20, 1])), expected);
    for (kind, data, words) in [
        ("INT8", json!([3, 4, 200, 1]), "200 does not fit INT8"),
        ("UINT8", json!([3, 4, 256, 1]), "256 does not fit UINT8"),
        ("INT64", json!([3, 4, 2.5, 1]), "floating point"),
        ("UINT64", json!([3, 4, -2, 1]), "invalid value"),
        ("FP32", json!([3, 4, 1e300, 1]), "does not fit FP32"),
        ("FP64", json!([3, 4, "x", 1]), "invalid type"),
        ("FP64", json!([3, 4, 1]), "the shape [2, 2] does not hold the 3 values"),
        ("FP64", json!([[[3], [4]], [[1], [2]]]), "nested deeper"),
        ("FP16", json!([3, 4, 1, 1]), "the datatype `FP16` is not one of"),
        ("BYTES", json!(["3", "4", "1", "1"]), "one input per column"),
        ("INT64", json!([3, 4, null, 1]), "value 2 is null"),
    ] {
        let input = json!({ "name": "x", "datatype": kind, "shape": [2, 2], "data": data });
        let answer = case.server.json(INFER, &json!({ "inputs": [input] }));
        assert_eq!((answer.status, answer.code().as_str()), (400, "body"), "{kind}");
        assert!(answer.text().contains(words), "{kind}: {}", answer.text());
    }
}

#[test]
fn mixed_columns_with_words_dates_and_gaps() {
    let row = |i: usize| {
        let (size, word) = (i * 7 % 31, ["red", "green", "blue"][i % 3]);
        format!("{size},{word},{},2024-0{}-1{}\n", ["true", "false"][i % 2], i % 9 + 1, i % 10)
    };
    let text: String = ["size,color,is_new,day\n".to_owned()].into_iter().chain((0..60).map(row)).collect();
    let case = case("d.csv", &text);
    let new = "size,color,is_new,day\n3,red,true,2024-03-11\n,violet,false,2024-05-02\n200,,true,\n";
    let expected = bits(&case.expected("new.csv", new));
    let column = |name: &str, kind: &str, data: Value| json!({ "name": name, "datatype": kind, "shape": [3], "data": data });
    let inputs = [
        column("size", "FP64", json!([3, null, 200])),
        column("color", "BYTES", json!(["red", "violet", null])),
        column("is_new", "BOOL", json!([true, false, true])),
        column("day", "BYTES", json!(["2024-03-11", "2024-05-02", null])),
    ];
    assert_eq!(bits(&decisions(&case.server.json(INFER, &json!({ "inputs": inputs })))), expected);
    let rows = json!([
        { "size": 3, "color": "red", "is_new": true, "day": "2024-03-11" },
        { "color": "violet", "is_new": false, "day": "2024-05-02", "size": null },
        { "size": 200, "is_new": true },
    ]);
    assert_eq!(bits(&case.rows(&rows)), expected);
    assert_eq!(case.server.post(INFER, "text/csv", new.as_bytes()).text().lines().count(), 4);
    let metadata = case.server.get("/v2/models/m").value();
    let kinds: Vec<(&str, &str)> = metadata["inputs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|input| (input["name"].as_str().unwrap(), input["datatype"].as_str().unwrap()))
        .collect();
    assert!(kinds.contains(&("size", "FP64")) && kinds.contains(&("color", "BYTES")), "{kinds:?}");
}

#[test]
fn strings() {
    let text: String = (0..50)
        .map(|i| format!("Dear {}, it is {} now.\n", ["Ann", "Bob"][i % 2], "x".repeat(i % 7)))
        .collect();
    let case = case("d.txt", &text);
    let new = ["Dear Ann, it is xx now.", "DROP TABLE letters; -- \"quoted\"", "Dear Bob, it is xxxxxx now."];
    let expected = bits(&case.expected("new.txt", new.join("\n") + "\n"));
    assert_eq!(bits(&case.rows(&json!(new))), expected);
    let objects: Vec<Value> = new.iter().map(|text| json!({ "text": text })).collect();
    assert_eq!(bits(&case.rows(&json!(objects))), expected);
    let input = json!({ "name": "text", "datatype": "BYTES", "shape": [3], "data": new });
    assert_eq!(bits(&decisions(&case.server.json(INFER, &json!({ "inputs": [input] })))), expected);
    // One by one, in separate requests.
    for (one, expected) in new.iter().zip(&expected) {
        assert_eq!(bits(&case.rows(&json!([one]))), [*expected]);
    }
}

#[test]
fn time_series() {
    let wave = |i: usize, length: usize| -> Vec<f64> {
        (0..length).map(|t| ((t + i % 5) as f64 / 3.0).sin() + (i * t % 7) as f64 / 50.0).collect()
    };
    let lines = |all: &[Vec<f64>]| -> String {
        all.iter().map(|one| json!({ "series": one }).to_string() + "\n").collect()
    };
    let training: Vec<Vec<f64>> = (0..40).map(|i| wave(i, 20 + i % 3)).collect();
    let case = case("d.jsonl", &lines(&training));
    let new = [wave(3, 20), wave(50, 20), vec![9.0; 20]];
    let expected = bits(&case.expected("new.jsonl", lines(&new)));
    assert_eq!(bits(&case.rows(&json!(new))), expected);
    let objects: Vec<Value> = new.iter().map(|one| json!({ "series": one })).collect();
    assert_eq!(bits(&case.rows(&json!(objects))), expected);
    let texts: Vec<String> = new.iter().map(|one| json!(one).to_string()).collect();
    let input = json!({ "name": "series", "datatype": "BYTES", "shape": [3], "data": texts });
    assert_eq!(bits(&decisions(&case.server.json(INFER, &json!({ "inputs": [input] })))), expected);
    let input = json!({ "name": "series", "datatype": "FP64", "shape": [3, 20, 1], "data": new });
    assert_eq!(bits(&decisions(&case.server.json(INFER, &json!({ "inputs": [input] })))), expected);
}

#[test]
fn graphs() {
    let graph = |i: usize| {
        let nodes: Vec<Value> =
            (0..4 + i % 3).map(|v| json!({ "id": v, "symbol": (["C", "N", "O"][(v + i) % 3]) })).collect();
        let links: Vec<Value> = (1..nodes.len())
            .map(|v| json!({ "source": v - 1, "target": v, "bond": 1 + (v + i) % 2 }))
            .collect();
        json!({ "nodes": nodes, "links": links })
    };
    let lines = |all: &[Value]| -> String { all.iter().map(|one| format!("{one}\n")).collect() };
    let training: Vec<Value> = (0..24).map(graph).collect();
    let case = case("d.jsonl", &lines(&training));
    let odd = json!({ "nodes": (0..9).map(|v| json!({ "id": v, "symbol": "X" })).collect::<Vec<_>>(), "links": [] });
    let new = [graph(30), odd, graph(7)];
    let expected = bits(&case.expected("new.jsonl", lines(&new)));
    let answer = case.server.json(INFER, &json!({ "rows": new }));
    assert_eq!(bits(&of_rows(&answer)), expected);
    let texts: Vec<String> = new.iter().map(Value::to_string).collect();
    let input = json!({ "name": "graph", "datatype": "BYTES", "shape": [3], "data": texts });
    assert_eq!(bits(&decisions(&case.server.json(INFER, &json!({ "inputs": [input] })))), expected);
}
