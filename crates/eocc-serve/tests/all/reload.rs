//! Models that are replaced, damaged, unloaded and reloaded, while requests arrive.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use eocc_serve::{Config, ModelSource};
use serde_json::{Value, json};

use crate::support::{Client, Running, bits, config, decisions, model_of_numbers, numbers};

const INFER: &str = "/v2/models/m/infer";

/// Replaces a file atomically.
fn replace(from: &Path, to: &Path) {
    let beside = to.with_extension("new");
    std::fs::copy(from, &beside).unwrap();
    std::fs::rename(&beside, to).unwrap();
}

/// Waits until a condition holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn entry(server: &Running) -> Value {
    server.post("/v2/repository/index", "application/json", b"").value()[0].clone()
}

#[test]
fn models_are_replaced_under_load_without_a_wrong_or_lost_answer() {
    let folder = tempfile::tempdir().unwrap();
    let made =
        [("v1", 1), ("v2", 2), ("v3", 3)].map(|(name, seed)| model_of_numbers(folder.path(), name, seed));
    let live = folder.path().join("m.eocc");
    replace(&made[0].0, &live);
    let server = Running::serving(std::slice::from_ref(&live));
    let rows = numbers(9, 4);
    let body =
        json!({ "inputs": [{ "name": "x", "datatype": "FP64", "shape": [4, 3], "data": rows }] }).to_string();
    // The answers of each version, by its name.
    let mut expected = Vec::new();
    for (path, _) in &made {
        replace(path, &live);
        server.post("/v2/repository/models/m/load", "application/json", b"");
        let answer = server.post(INFER, "application/json", body.as_bytes());
        let version = answer.header("eocc-model-version").unwrap().to_owned();
        expected.push((version, bits(&decisions(&answer))));
    }
    assert!(expected[0] != expected[1] && expected[1] != expected[2]);
    let (expected, is_done) = (Arc::new(expected), Arc::new(AtomicBool::new(false)));
    let (address, body) = (server.address, Arc::new(body));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (expected, is_done, body) = (Arc::clone(&expected), Arc::clone(&is_done), Arc::clone(&body));
            thread::spawn(move || {
                let mut client = Client::new(address);
                let mut seen = std::collections::HashSet::new();
                while !is_done.load(Ordering::Relaxed) {
                    let answer = client.ask("POST", INFER, &[], body.as_bytes());
                    let version = answer.header("eocc-model-version").unwrap().to_owned();
                    let (_, right) = expected.iter().find(|(known, _)| *known == version).unwrap();
                    assert_eq!(bits(&decisions(&answer)), *right);
                    assert_eq!(answer.value()["model_version"], json!(version));
                    seen.insert(version);
                }
                seen.len()
            })
        })
        .collect();
    for turn in 0..40 {
        replace(&made[turn % 3].0, &live);
        let (version, _) = &expected[turn % 3];
        until("the new model answers", || entry(&server)["version"] == json!(version));
    }
    is_done.store(true, Ordering::Relaxed);
    for thread in threads {
        assert_eq!(thread.join().unwrap(), 3);
    }
    assert!(server.metric("eocc_model_loads_total{model=\"m\"}") >= 40.0);
}

#[test]
fn a_damaged_file_is_refused_and_the_old_model_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (good, _) = model_of_numbers(folder.path(), "good", 1);
    let live = folder.path().join("m.eocc");
    replace(&good, &live);
    let server = Running::serving(std::slice::from_ref(&live));
    let before = entry(&server);
    let bytes = std::fs::read(&good).unwrap();
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    for (turn, damaged) in [&bytes[..bytes.len() / 2], &flipped, b"", b"not a model"].into_iter().enumerate()
    {
        std::fs::write(folder.path().join("damaged"), damaged).unwrap();
        replace(&folder.path().join("damaged"), &live);
        until("it is refused", || server.metric("eocc_model_refused_total{model=\"m\"}") > turn as f64 + 0.5);
        let now = entry(&server);
        assert_eq!((&now["version"], &now["state"]), (&before["version"], &json!("READY")));
        let reason = now["reason"].as_str().unwrap();
        assert!(
            reason.starts_with("the version before still answers, since the file is refused: "),
            "{reason}"
        );
        assert_eq!(server.json(INFER, &json!([[1, 2, 3]])).status, 200);
        assert_eq!(server.get("/v2/health/ready").status, 200);
        let answer = server.post("/v2/repository/models/m/load", "application/json", b"");
        assert_eq!((answer.status, answer.code().as_str()), (422, "model_file"), "{}", answer.text());
    }
    assert!((server.metric("eocc_model_file_refused{model=\"m\"}") - 1.0).abs() < 0.5);
    // A removed file is no reason to stop serving.
    std::fs::remove_file(&live).unwrap();
    thread::sleep(Duration::from_millis(50));
    assert_eq!(server.json(INFER, &json!([[1, 2, 3]])).status, 200);
    replace(&good, &live);
    until("it is well again", || entry(&server)["reason"] == "");
    assert!(server.metric("eocc_model_file_refused{model=\"m\"}").abs() < 0.5);
    let log = server.finish();
    assert!(
        log.iter().any(|line| line["event"] == "model_refused" && line["still_answers"] == before["version"])
    );
}

#[test]
fn models_are_unloaded_and_loaded() {
    let folder = tempfile::tempdir().unwrap();
    let models = ["m", "n"].map(|name| model_of_numbers(folder.path(), name, 1).0);
    let server = Running::serving(&models);
    assert_eq!(server.post("/v2/repository/models/m/unload", "application/json", b"{}").status, 200);
    let answer = server.json(INFER, &json!([[1, 2, 3]]));
    assert_eq!(
        (answer.status, answer.code().as_str(), answer.header("retry-after")),
        (503, "model", Some("1"))
    );
    assert!(answer.text().contains("it was unloaded"));
    assert_eq!(server.json("/v2/models/n/infer", &json!([[1, 2, 3]])).status, 200);
    assert_eq!(server.get("/v2/models/m/ready").status, 503);
    // It stays unloaded, whatever happens to the file.
    replace(&models[1], &models[0]);
    thread::sleep(Duration::from_millis(50));
    assert_eq!((&entry(&server)["state"], &entry(&server)["version"]), (&json!("UNAVAILABLE"), &Value::Null));
    assert_eq!(server.post("/v2/repository/models/m/load", "application/json", b"").status, 200);
    assert_eq!(server.json(INFER, &json!([[1, 2, 3]])).status, 200);
    assert_eq!(server.post("/v2/repository/models/x/load", "application/json", b"").status, 404);
}

#[test]
fn a_folder_of_models_is_served_as_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    let made = tempfile::tempdir().unwrap();
    let (one, _) = model_of_numbers(made.path(), "one", 1);
    replace(&one, &folder.path().join("one.eocc"));
    std::fs::write(folder.path().join("broken.eocc"), b"?").unwrap();
    std::fs::write(folder.path().join("notes.txt"), b"?").unwrap();
    let source = ModelSource { name: None, path: folder.path().to_owned() };
    let server = Running::new(Config { models: vec![source], ..config(&[]) });
    assert_eq!(server.json("/v2/models/one/infer", &json!([[1, 2, 3]])).status, 200);
    // It reports which one is not available.
    assert_eq!(server.get("/v2/health/ready").status, 503);
    assert_eq!(entry(&server)["name"], "broken");
    replace(&one, &folder.path().join("two.eocc"));
    replace(&one, &folder.path().join("broken.eocc"));
    until("all answer", || {
        server.get("/v2/health/ready").status == 200 && server.get("/v2/models/two").status == 200
    });
}
