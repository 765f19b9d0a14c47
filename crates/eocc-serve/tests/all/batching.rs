//! However many requests arrive at the same time, each gets the answers for its own rows.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use eocc_core::{AnyModel, AnySamples, Matrix, Scoring, Silent, Vectors};
use eocc_serve::Batching;
use serde_json::json;

use crate::support::{Client, Row, Running, bits, config, decided, decisions, model_of_numbers, numbers};

fn samples(rows: &[[f64; 3]]) -> AnySamples {
    let matrix = Matrix::new(rows.concat(), rows.len(), 3);
    AnySamples::new(Vectors::with_names(matrix, ["a", "b", "c"].map(str::to_owned).to_vec()).unwrap())
}

fn rows(decisions: Vec<eocc_core::Decision>) -> Vec<Row> {
    decisions.into_iter().map(Row::from).collect()
}

#[test]
fn sets_judged_together_get_what_each_gets_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (_, model) = model_of_numbers(folder.path(), "m", 3);
    let sets: Vec<AnySamples> = (0..30).map(|i| samples(&numbers(100 + i, 1 + i as usize % 7))).collect();
    let scoring: Scoring = model.params().scoring;
    for (set, together) in sets.iter().zip(model.decide_together(&sets, scoring, &Silent)) {
        assert_eq!(bits(&rows(together.unwrap())), bits(&decided(&model, set)));
    }
    // A request that cannot be judged fails alone.
    let wide = AnySamples::new(Vectors::new(Matrix::new(vec![0.0; 4], 1, 4)).unwrap());
    let sets = [sets[0].clone(), wide, sets[1].clone()];
    let together = model.decide_together(&sets, scoring, &Silent);
    assert_eq!(together.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(bits(&rows(together[2].as_ref().unwrap().clone())), bits(&decided(&model, &sets[2])));
}

/// Many clients, each with its own rows, some of them wrong, for two models.
fn storm(batching: Batching, clients: u64, requests: u64) {
    let folder = tempfile::tempdir().unwrap();
    let made: Vec<(PathBuf, AnyModel)> = ["one", "two"]
        .into_iter()
        .zip(1..)
        .map(|(name, seed)| model_of_numbers(folder.path(), name, seed))
        .collect();
    let paths: Vec<PathBuf> = made.iter().map(|(path, _)| path.clone()).collect();
    let models: Arc<HashMap<&str, AnyModel>> =
        Arc::new(["one", "two"].into_iter().zip(made.into_iter().map(|(_, model)| model)).collect());
    let server = Running::new(eocc_serve::Config { batching, logs_requests: false, ..config(&paths) });
    let address = server.address;
    let threads: Vec<_> = (0..clients)
        .map(|number| {
            let models = Arc::clone(&models);
            thread::spawn(move || {
                let mut client = Client::new(address);
                for i in 0..requests {
                    let seed = number * 1_000_003 + i;
                    let name = if seed % 3 == 0 { "two" } else { "one" };
                    let rows = numbers(seed, 1 + (seed % 5) as usize);
                    let path = format!("/v2/models/{name}/infer");
                    let id = format!("{number}-{i}");
                    if seed % 11 == 0 {
                        // In the same batch as others, without affecting them.
                        let answer =
                            client.ask("POST", &path, &[], json!([["x", 1, 2]]).to_string().as_bytes());
                        assert_eq!(answer.status, 400);
                        continue;
                    }
                    let input =
                        json!({ "name": "x", "datatype": "FP64", "shape": [rows.len(), 3], "data": rows });
                    let body = json!({ "id": id, "inputs": [input] }).to_string();
                    let answer = client.ask("POST", &path, &[], body.as_bytes());
                    let expected = decided(&models[name], &samples(&rows));
                    assert_eq!(bits(&decisions(&answer)), bits(&expected), "{id}");
                    let value = answer.value();
                    assert_eq!((&value["id"], &value["model_name"]), (&json!(id), &json!(name)));
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    if batching.delay > Duration::ZERO {
        // They were in fact judged together.
        let (batches, together) =
            (server.metric("eocc_batch_requests_count"), server.metric("eocc_batch_requests_sum"));
        assert!(together > 1.5 * batches, "{together} requests in {batches} batches");
    }
    assert!(server.metric("eocc_panics_total").abs() < 0.5);
}

#[test]
fn nothing_is_mixed_up_when_requests_wait_for_each_other() {
    storm(Batching { delay: Duration::from_millis(3), requests: 16 }, 16, 60);
}

#[test]
fn nothing_is_mixed_up_when_they_do_not() {
    storm(Batching::default(), 16, 60);
    storm(Batching { delay: Duration::ZERO, requests: 1 }, 4, 30);
}
