//! Every kind of samples in every form of body, concurrently: each response equals that of an idle server.
//!
//! `forms.rs` compares those with `eocc score`.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use eocc_data::ReadRequest;
use serde_json::{Value, json};

use crate::support::{Running, csv, fit, numbers};

/// A request, and the response of an idle server.
struct Asked {
    path: String,
    kind: &'static str,
    body: Vec<u8>,
    answer: Vec<u8>,
}

fn json_lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

fn mixed(i: usize) -> String {
    format!("{},{},2024-0{}-1{}\n", i * 7 % 31, ["red", "green", "blue"][i % 3], i % 9 + 1, i % 10)
}

fn series(i: usize) -> Value {
    let wave = (0..20 + i % 3).map(|t| ((t + i % 5) as f64 / 3.0).sin() + (i * t % 7) as f64 / 50.0);
    json!({ "series": wave.collect::<Vec<f64>>() })
}

fn graph(i: usize) -> Value {
    let nodes: Vec<Value> =
        (0..4 + i % 3).map(|v| json!({ "id": v, "symbol": (["C", "N", "O"][(v + i) % 3]) })).collect();
    let links: Vec<Value> = (1..nodes.len()).map(|v| json!({ "source": v - 1, "target": v })).collect();
    json!({ "nodes": nodes, "links": links })
}

fn text(i: usize) -> String {
    format!("Dear {}, it is {} now.", ["Ann", "Bob"][i % 2], "x".repeat(i % 7))
}

/// A model of each kind.
fn models(folder: &std::path::Path) -> Vec<PathBuf> {
    let lines = |one: fn(usize) -> Value, count: usize| json_lines(&(0..count).map(one).collect::<Vec<_>>());
    let table = "size,color,day\n".to_owned() + &(0..60).map(mixed).collect::<String>();
    let texts: String = (0..50).map(|i| text(i) + "\n").collect();
    [
        ("numbers.csv", csv(&numbers(1, 80))),
        ("mixed.csv", table),
        ("texts.txt", texts),
        ("series.jsonl", lines(series, 40)),
        ("graphs.jsonl", lines(graph, 24)),
    ]
    .into_iter()
    .map(|(name, text)| {
        let data = folder.join(name);
        std::fs::write(&data, text).unwrap();
        let model = data.with_extension("eocc");
        fit(&data, &model, &ReadRequest::default());
        model
    })
    .collect()
}

/// Requests of all kinds, in all forms, of one row and of many.
fn requests() -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let mut all: Vec<(&str, &str, Vec<u8>)> = Vec::new();
    for (turn, count) in [1, 3, 70, 300].into_iter().enumerate() {
        let rows = numbers(50 + turn as u64, count);
        let mut json =
            |model, value: Value| all.push((model, "application/json", value.to_string().into_bytes()));
        let tensor = |name: &str, kind: &str, data: Value| json!({ "name": name, "datatype": kind, "shape": [count], "data": data });
        json(
            "numbers",
            json!({ "inputs": [{ "name": "x", "datatype": "FP64", "shape": [count, 3], "data": rows }] }),
        );
        let column = |at: usize| json!(rows.iter().map(|row| row[at]).collect::<Vec<_>>());
        let columns =
            [tensor("b", "FP64", column(1)), tensor("a", "FP64", column(0)), tensor("c", "FP64", column(2))];
        json("numbers", json!({ "inputs": columns }));
        json("numbers", json!({ "rows": rows }));
        let of = |one: fn(usize) -> Value| (turn..turn + count).map(one).collect::<Vec<Value>>();
        let few = |one: fn(usize) -> Value| (turn..turn + count.min(20)).map(one).collect::<Vec<Value>>();
        let color = |i| json!(["red", "green", "mauve"][i % 3]);
        let inputs = [
            tensor("color", "BYTES", json!(of(color))),
            tensor("size", "FP64", json!(of(|i| json!(i % 40)))),
            tensor("day", "BYTES", json!(of(|i| json!(format!("2024-0{}-07", i % 9 + 1))))),
        ];
        json("mixed", json!({ "inputs": inputs }));
        json("texts", json!(few(|i| json!(text(i * 3)))));
        json("series", json!(few(|i| series(i + 11))));
        json("graphs", json!({ "rows": few(|i| graph(i + 7)) }));
        all.push(("numbers", "text/csv", csv(&rows).into_bytes()));
        let table = "size,color,day\n".to_owned() + &(turn..turn + count).map(mixed).collect::<String>();
        all.push(("mixed", "text/csv", table.into_bytes()));
        all.push(("series", "application/x-ndjson", json_lines(&few(series)).into_bytes()));
    }
    all
}

#[test]
fn answers_under_load_are_those_given_when_idle() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::serving(&models(folder.path()));
    let asked: Vec<Asked> = requests()
        .into_iter()
        .map(|(model, kind, body)| {
            let path = format!("/v2/models/{model}/infer");
            let answer = server.post(&path, kind, &body);
            assert_eq!(answer.status, 200, "{path} {kind}: {}", answer.text());
            Asked { path, kind, body, answer: answer.body }
        })
        .collect();
    let (asked, address) = (Arc::new(asked), server.address);
    let threads: Vec<_> = (0..12)
        .map(|number| {
            let asked = Arc::clone(&asked);
            thread::spawn(move || {
                let mut client = crate::support::Client::new(address);
                // Each sends all of them, in its own order.
                for i in 0..asked.len() {
                    let one = &asked[(i * 7 + number * 5) % asked.len()];
                    let answer = client.ask("POST", &one.path, &[("content-type", one.kind)], &one.body);
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    assert!(answer.body == one.answer, "{} {}: {}", one.path, one.kind, answer.text());
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(server.metric("eocc_panics_total").abs() < 0.5);
}
