//! The monitor in the background: it sees the requests, reports changes, and resumes.

use std::thread;
use std::time::Duration;

use eocc_serve::{Config, MonitorSource};
use serde_json::json;

use crate::support::{Running, config, model_of_numbers, numbers};

fn seen(server: &Running) -> f64 {
    server.metric("eocc_drift_rows_total{model=\"m\"}")
}

/// Sends rows, and waits until the monitor has seen them.
fn ask(server: &Running, rows: &[[f64; 3]]) {
    let before = seen(server);
    assert_eq!(server.json("/v2/models/m/infer", &json!({ "rows": rows })).status, 200);
    while seen(server) < before + rows.len() as f64 - 0.5 {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn drift_is_reported_and_the_state_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = model_of_numbers(folder.path(), "m", 1);
    let state = folder.path().join("state.eocc");
    let monitors = vec![MonitorSource { model: None, path: state.clone() }];
    let settings = Config { monitors, ..config(&[path]) };
    let server = Running::new(settings.clone());
    let start = seen(&server);
    for turn in 0..10 {
        ask(&server, &numbers(100 + turn, 30));
    }
    assert!(!server.metrics().contains("kind=\"alarm\""), "{}", server.metrics());
    let before = seen(&server);
    assert!((before - start - 300.0).abs() < 0.5);
    server.finish();
    // It resumes.
    let server = Running::new(settings);
    assert!((seen(&server) - before).abs() < 0.5);
    for turn in 0..20 {
        let moved: Vec<[f64; 3]> =
            numbers(300 + turn, 30).iter().map(|[a, b, c]| [a + 1.5, *b, *c]).collect();
        ask(&server, &moved);
    }
    assert!(server.metric("eocc_drift_events_total{model=\"m\",kind=\"alarm\"}") > 0.5);
    let log = server.finish();
    let event = log.iter().find(|line| line["event"] == "drift").unwrap();
    assert_eq!((&event["model"], &event["drift"]["kind"]), (&json!("m"), &json!("alarm")));
    assert!(event["advice"].is_string() || event["advice"].is_array(), "{event}");
}

#[test]
fn a_state_that_is_none_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = model_of_numbers(folder.path(), "m", 1);
    let start = |path: std::path::PathBuf, model: Option<&str>| {
        let monitors = vec![MonitorSource { model: model.map(str::to_owned), path }];
        let settings = Config { monitors, ..config(&[folder.path().join("m.eocc")]) };
        eocc_serve::Server::new(settings, eocc_serve::Log::new(Box::new(std::io::sink())))
            .map(|_| ())
            .unwrap_err()
            .error
            .to_string()
    };
    // A model is not a state.
    assert!(start(path, None).contains("start a stream from it"));
    assert!(start(folder.path().join("no/such/state.eocc"), None).contains("no/such"));
    assert!(start(folder.path().join("state.eocc"), Some("n")).contains("there is no model `n`"));
}

#[test]
fn a_state_that_cannot_be_saved_is_reported_and_stops_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = model_of_numbers(folder.path(), "m", 1);
    let place = folder.path().join("states");
    std::fs::create_dir(&place).unwrap();
    let monitors = vec![MonitorSource { model: None, path: place.join("state.eocc") }];
    let server = Running::new(Config { monitors, ..config(&[path]) });
    // Like a full disk: nothing can be written there any longer.
    std::fs::remove_dir_all(&place).unwrap();
    ask(&server, &numbers(7, 30));
    ask(&server, &numbers(8, 30));
    let log = server.finish();
    let failed = log.iter().find(|line| line["event"] == "monitor").unwrap();
    assert_eq!((&failed["level"], &failed["model"]), (&json!("error"), &json!("m")), "{failed}");
}
