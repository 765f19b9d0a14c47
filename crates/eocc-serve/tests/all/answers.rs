//! The server's information about itself and its models, and explanations.

use serde_json::{Value, json};

use crate::support::{Running, config, model_of_numbers, numbers};

#[test]
fn the_protocol_is_spoken() {
    let folder = tempfile::tempdir().unwrap();
    let models = ["one", "two"].map(|name| model_of_numbers(folder.path(), name, name.len() as u64).0);
    let server = Running::serving(&models);
    assert_eq!(server.get("/v2").value()["name"], "eocc");
    assert_eq!(server.get("/v2/health/live").status, 200);
    assert_eq!(server.get("/v2/health/ready").status, 200);
    let metadata = server.get("/v2/models/two").value();
    assert_eq!((&metadata["name"], &metadata["platform"]), (&json!("two"), &json!("eocc")));
    assert_eq!(metadata["inputs"][1], json!({ "name": "b", "datatype": "FP64", "shape": [-1] }));
    let outputs: Vec<&Value> = metadata["outputs"].as_array().unwrap().iter().map(|o| &o["name"]).collect();
    assert_eq!(outputs, ["score", "membership", "accepted", "region", "p_value"]);
    let version = metadata["versions"][0].as_str().unwrap();
    assert_eq!(server.get(&format!("/v2/models/two/versions/{version}/ready")).status, 200);
    let answer = server.get("/v2/models/two/versions/7");
    assert_eq!((answer.status, answer.code().as_str()), (404, "unknown"));
    assert!(answer.text().contains(&format!("it is served in version `{version}`")));
    let index = server.post("/v2/repository/index", "application/json", b"").value();
    assert_eq!(index[1], json!({ "name": "two", "version": version, "state": "READY", "reason": "" }));
    assert_eq!(server.get("/openapi.json").value()["openapi"], "3.1.0");
    // HEAD is GET without a body.
    let mut client = server.client();
    client.send(b"HEAD /v2/health/live HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
}

#[test]
fn outputs_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::serving(&[model_of_numbers(folder.path(), "m", 1).0]);
    let input = json!({ "name": "x", "datatype": "FP64", "shape": [1, 3], "data": [1, 2, 3] });
    let ask = |name: &str| {
        server.json("/v2/models/m/infer", &json!({ "inputs": [input], "outputs": [{ "name": name }] }))
    };
    let value = ask("p_value").value();
    assert_eq!(value["outputs"].as_array().unwrap().len(), 1);
    assert_eq!(
        (&value["outputs"][0]["name"], &value["outputs"][0]["shape"]),
        (&json!("p_value"), &json!([1]))
    );
    let answer = ask("pvalue");
    assert_eq!(answer.status, 400);
    assert!(
        answer.text().contains("there is no output `pvalue`; the outputs are score, membership"),
        "{}",
        answer.text()
    );
}

#[test]
fn explanations_are_those_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let (path, model) = model_of_numbers(folder.path(), "m", 1);
    let settings = config(&[path]);
    let style = settings.style;
    let server = Running::new(settings);
    let rows = numbers(5, 3);
    let value = server.json("/v2/models/m/explain?nearest=3", &json!({ "rows": rows, "id": "why" })).value();
    assert_eq!(value["id"], "why");
    let reasons = eocc_report::why::Reasons::new(&model, style);
    for (row, explanation) in value["explanations"].as_array().unwrap().iter().enumerate() {
        let matrix = eocc_core::Matrix::new(rows[row].to_vec(), 1, 3);
        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let sample = eocc_core::AnySamples::new(eocc_core::Vectors::with_names(matrix, names).unwrap());
        let decision = model.decide_all(&sample).unwrap()[0];
        let explained = model.explain(&sample, 3, &eocc_core::Silent).unwrap();
        let expected = reasons.why(&sample, &explained[0]).as_json(row, None, &decision);
        assert_eq!(*explanation, expected);
        assert_eq!(explanation["nearest"].as_array().unwrap().len(), 3);
    }
    for wrong in ["0", "101", "x", "-1"] {
        let answer = server.json(&format!("/v2/models/m/explain?nearest={wrong}"), &json!([[1, 2, 3]]));
        assert_eq!((answer.status, answer.code().as_str()), (400, "parameter"), "{wrong}");
    }
}

#[test]
fn what_happens_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let server = Running::serving(&[model_of_numbers(folder.path(), "m", 1).0]);
    let rows = json!([[0.9, 0.4, 0.2], [500, 500, 500], [-9, 50, 3]]);
    for _ in 0..4 {
        assert_eq!(server.json("/v2/models/m/infer", &rows).status, 200);
    }
    assert_eq!(server.json("/v2/models/m/infer", &json!([["x", 1, 2]])).status, 400);
    let route = "route=\"/v2/models/{model}/infer\"";
    assert!((server.metric(&format!("eocc_requests_total{{{route},status=\"200\"}}")) - 4.0).abs() < 0.5);
    assert!((server.metric(&format!("eocc_requests_total{{{route},status=\"400\"}}")) - 1.0).abs() < 0.5);
    assert!((server.metric("eocc_errors_total{reason=\"rows\"}") - 1.0).abs() < 0.5);
    assert!((server.metric(&format!("eocc_request_seconds_count{{{route}}}")) - 5.0).abs() < 0.5);
    assert!((server.metric("eocc_rows_total{model=\"m\"}") - 12.0).abs() < 0.5);
    let rejected = server.metric("eocc_rows_rejected_total{model=\"m\"}");
    assert!(rejected >= 8.0, "{rejected}");
    assert!((server.metric("eocc_rejected_share{model=\"m\"}") - rejected / 12.0).abs() < 1e-9);
    assert!((server.metric("eocc_p_value_count{model=\"m\"}") - 12.0).abs() < 0.5);
    assert!((server.metric("eocc_batch_rows_count") - 4.0).abs() < 0.5);
    // The request for the metrics itself.
    assert!((server.metric("eocc_requests_in_flight") - 1.0).abs() < 0.5);
    // Every series has a type, and every line is a comment or a number.
    let text = server.metrics();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').unwrap();
        assert!(value.parse::<f64>().is_ok(), "{line}");
        let name = series.split('{').next().unwrap();
        let base =
            ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
        let is_typed = |name: &str| text.contains(&format!("# TYPE {name} "));
        assert!(is_typed(name) || is_typed(base), "{line}");
    }
    let log = server.finish();
    let requests: Vec<&Value> = log.iter().filter(|line| line["event"] == "request").collect();
    assert_eq!(requests.len(), 5, "{log:?}");
    assert_eq!((&requests[0]["rows"], &requests[0]["status"]), (&json!(3), &json!(200)));
    assert_eq!((&requests[4]["code"], &requests[4]["status"]), (&json!("rows"), &json!(400)));
    assert_eq!(log.last().unwrap()["event"], "stopped");
}
