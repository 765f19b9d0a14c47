//! Wrong requests get a clear status and do not affect others.

use std::io::Read as _;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use eocc_serve::{Batching, Config, Limits};
use serde_json::json;

use crate::support::{Client, Running, config, model_of_numbers, numbers};

const INFER: &str = "/v2/models/m/infer";

fn with(change: impl FnOnce(&mut Config)) -> (tempfile::TempDir, Running) {
    let folder = tempfile::tempdir().unwrap();
    let mut settings = config(&[model_of_numbers(folder.path(), "m", 1).0]);
    change(&mut settings);
    let server = Running::new(settings);
    (folder, server)
}

fn is_well(server: &Running) {
    let answer = server.json(INFER, &json!([[0.9, 0.4, 0.2]]));
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[test]
fn tokens_are_asked_for() {
    let token = "a-token-of-some-length";
    let (_folder, server) = with(|config| config.token = Some(token.to_owned()));
    let ask = |header: Option<String>, path: &str| {
        let headers: Vec<(&str, &str)> =
            header.iter().map(|value| ("authorization", value.as_str())).collect();
        server.client().ask("GET", path, &headers, b"")
    };
    for path in ["/v2", "/v2/models/m", "/metrics", "/openapi.json", "/nothing"] {
        let missing = ask(None, path);
        assert_eq!((missing.status, missing.code().as_str()), (401, "token"), "{path}");
        assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
        for wrong in [
            "Bearer",
            "Bearer x",
            "Basic YTpi",
            "Bearer a-token-of-some-lengtH",
            "Bearer a-token-of-some-length2",
        ] {
            assert_eq!(ask(Some(wrong.to_owned()), path).status, 401, "{path} {wrong}");
        }
    }
    assert_eq!(ask(Some(format!("Bearer {token}")), "/v2/models/m").status, 200);
    assert_eq!(ask(Some(format!("bearer  {token}")), "/metrics").status, 200);
    // Health checks do not need the token.
    assert_eq!((ask(None, "/v2/health/live").status, ask(None, "/v2/health/ready").status), (200, 200));
    // The token is in no line of the log.
    let log = server.finish();
    assert!(log.iter().all(|line| !line.to_string().contains(token)));
}

#[test]
fn pages_of_other_sites_are_refused() {
    let (_folder, server) = with(|_| {});
    let ask = |origin: &str| {
        server.client().ask("POST", "/v2/repository/models/m/unload", &[("origin", origin)], b"").status
    };
    assert_eq!((ask("https://evil.example"), ask("null"), ask("http://localhost:99")), (403, 403, 403));
    is_well(&server);
    // The client's `host` is this.
    assert_eq!(ask("http://localhost"), 200);
}

#[test]
fn missing_models_and_unknown_requests_are_reported() {
    let (_folder, server) = with(|_| {});
    for (method, path, status, code) in [
        ("GET", "/", 404, "unknown"),
        ("GET", "/v2/models/n", 404, "unknown"),
        ("POST", "/v2/models/n/infer", 404, "unknown"),
        ("GET", INFER, 405, "method"),
        ("DELETE", "/v2", 405, "method"),
        ("POST", INFER, 400, "body"),
    ] {
        let answer = server.client().ask(method, path, &[], b"");
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{method} {path}");
    }
    // Addresses that are not text, and repeated parameters.
    for (path, status, code) in [
        ("/v2/models/%ff/infer", 404, "unknown"),
        ("/v2/models/m/explain?nearest=1&nearest=2", 400, "parameter"),
        ("/v2/models/m/explain?nearest=%ff", 400, "parameter"),
    ] {
        let answer = server.client().ask("POST", path, &[], b"[[1, 2, 3]]");
        assert_eq!((answer.status, answer.code().as_str()), (status, code), "{path}");
    }
    let ask =
        |headers: &[(&str, &str)], body: &str| server.client().ask("POST", INFER, headers, body.as_bytes());
    let one = "[[1, 2, 3]]";
    assert_eq!(ask(&[("content-type", "application/xml")], one).status, 415);
    assert_eq!(ask(&[("content-encoding", "gzip")], one).status, 415);
    assert_eq!(ask(&[("accept", "image/png")], one).status, 406);
    assert_eq!(ask(&[("accept", "image/png, */*;q=0.1")], one).status, 200);
    for (body, words) in [
        ("", "the body is empty"),
        ("{", "not a JSON request"),
        ("[]", "`rows` is empty"),
        ("{}", "needs either `inputs`"),
        ("7", "not a JSON request"),
        ("{\"inputs\": []}", "`inputs` is empty"),
        ("{\"inputs\": [], \"rows\": []}", "needs either `inputs`"),
        ("{\"rows\": 7}", "`rows` must be a list"),
        ("{\"rows\": [7]}", "each line must be a JSON object"),
        ("[[1, 2]]", "fitted on 3 features, but the samples have 2"),
        ("[[1, 2, \"x\"]]", "row 0, column"),
        ("[{\"d\": 1, \"e\": 2, \"f\": \"x\"}]", "request: row 0, column"),
        ("[[1, 2, 3], [1, 2]]", "request"),
        ("[[1, 2, NaN]]", "not a JSON request"),
        ("\u{0}", "not a JSON request"),
    ] {
        let answer = ask(&[], body);
        assert_eq!(answer.status, 400, "{body}: {}", answer.text());
        assert!(answer.text().contains(words), "{body}: {}", answer.text());
        assert!(!answer.text().contains("line 1)"), "{body}: {}", answer.text());
    }
    is_well(&server);
}

#[test]
fn limits_are_kept() {
    let (_folder, server) = with(|config| {
        config.limits = Limits { body: 2000, rows: 10, ..Limits::default() };
    });
    let many = json!(numbers(1, 11)).to_string();
    assert!(many.len() < 2000);
    for (kind, body) in [
        ("application/json", many.clone()),
        ("application/x-ndjson", "[1,2,3]\n".repeat(11)),
        ("text/csv", "a,b,c\n".to_owned() + &"1,2,3\n".repeat(11)),
        (
            "application/json",
            json!({ "inputs": [{ "name": "x", "datatype": "FP64", "shape": [11, 3], "data": vec![1; 33] }] })
                .to_string(),
        ),
    ] {
        let answer = server.post(INFER, kind, body.as_bytes());
        assert_eq!((answer.status, answer.code().as_str()), (413, "limit"), "{kind}");
        assert!(answer.text().contains("at most 10"), "{}", answer.text());
    }
    let large = vec![b' '; 2001];
    let answer = server.post(INFER, "application/json", &large);
    assert_eq!((answer.status, answer.code().as_str()), (413, "limit"));
    // A body without a declared size.
    let mut client = server.client();
    client
        .send(format!("POST {INFER} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n").as_bytes())
        .unwrap();
    for _ in 0..3 {
        let _ = client.send(&[b"3e8\r\n", &[b' '; 1000][..], b"\r\n"].concat());
    }
    assert_eq!(client.answer().unwrap().status, 413);
    // A huge declared size.
    let mut client = server.client();
    client
        .send(
            format!("POST {INFER} HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999\r\n\r\n").as_bytes(),
        )
        .unwrap();
    assert_eq!(client.answer().unwrap().status, 413);
    // A small body that would become a large table.
    let sparse = json!({ "inputs": [{ "name": "x", "datatype": "FP64", "shape": [4_000_000_000_u64, 4_000_000_000_u64], "data": [1] }] });
    assert_eq!(server.json(INFER, &sparse).status, 400);
    is_well(&server);
}

#[test]
fn too_many_at_once_are_asked_to_retry() {
    let (_folder, server) = with(|config| {
        config.limits.queue = 2;
        config.workers = 1;
        config.batching = Batching { delay: Duration::ZERO, requests: 1 };
    });
    let body = json!({ "rows": numbers(1, 2000) }).to_string();
    let address = server.address;
    let threads: Vec<_> = (0..12)
        .map(|_| {
            let body = body.clone();
            thread::spawn(move || {
                let answer = Client::new(address).ask("POST", INFER, &[], body.as_bytes());
                if answer.status == 429 {
                    assert_eq!((answer.code().as_str(), answer.header("retry-after")), ("busy", Some("1")));
                }
                answer.status
            })
        })
        .collect();
    let statuses: Vec<u16> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(statuses.iter().all(|status| [200, 429].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&200) && statuses.contains(&429), "{statuses:?}");
    is_well(&server);
}

#[test]
fn slow_and_silent_clients_hold_up_nobody() {
    let (_folder, server) = with(|config| {
        config.limits.client_timeout = Duration::from_millis(300);
        config.limits.timeout = Duration::from_millis(600);
        config.limits.connections = 40;
    });
    // Connections that send nothing, half a head, and half a body.
    let starts =
        ["", "POST /v2/mod", &format!("POST {INFER} HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n[[1,")];
    let mut slow: Vec<Client> = (0..30).map(|_| server.client()).collect();
    for (client, start) in slow.iter_mut().zip(starts.iter().cycle()) {
        client.send(start.as_bytes()).unwrap();
    }
    for _ in 0..20 {
        is_well(&server);
    }
    // Connections beyond the limit are refused with a message.
    let more: Vec<TcpStream> = (0..30).map(|_| TcpStream::connect(server.address).unwrap()).collect();
    let refused = more.into_iter().filter(|stream| {
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
        let mut text = String::new();
        let _ = stream.take(1000).read_to_string(&mut text);
        text.starts_with("HTTP/1.1 503 ") && text.contains("retry-after: 1") && text.trim_end().ends_with('}')
    });
    assert!(refused.count() >= 15);
    // Slow connections are closed, those with a late body after a response.
    let statuses: Vec<Option<u16>> =
        slow.iter_mut().map(|client| client.answer().ok().map(|answer| answer.status)).collect();
    for (status, start) in statuses.iter().zip(starts.iter().cycle()) {
        let expected = if start.contains("content-length") { Some(408) } else { None };
        assert!(
            *status == expected || (start.contains("mod") && *status == Some(408)),
            "{start:?}: {status:?}"
        );
    }
    is_well(&server);
    assert!(server.metric("eocc_refused_connections_total") >= 15.0);
}

#[test]
fn a_client_that_does_not_take_its_answer_is_let_go() {
    let (_folder, server) = with(|config| config.limits.client_timeout = Duration::from_millis(300));
    let body = json!({ "rows": numbers(1, 20_000) }).to_string();
    let request = format!("POST {INFER} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut client = server.client();
    // Several responses of megabytes, none of which is read.
    for _ in 0..3 {
        let _ = client.send(request.as_bytes());
    }
    is_well(&server);
    while server.metric("eocc_connections") > 1.5 {
        thread::sleep(Duration::from_millis(20));
    }
    is_well(&server);
}

#[test]
fn bytes_of_any_kind_get_an_answer_or_a_closed_door() {
    let (_folder, server) = with(|config| config.limits.client_timeout = Duration::from_millis(200));
    let mut state = 7_u64;
    let mut byte = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    for kind in
        ["application/json", "application/x-ndjson", "text/csv", "application/vnd.apache.arrow.stream"]
    {
        for length in 0..40 {
            let noise: Vec<u8> = (0..length * 3).map(|_| byte()).collect();
            let status = server.post(INFER, kind, &noise).status;
            // Some noise parses as a table of one column.
            assert!([200, 400, 413].contains(&status), "{kind}: {status} for {noise:?}");
            assert!(status != 200, "{kind} {noise:?}");
        }
    }
    // Valid bodies except for some bytes.
    let good = json!({ "inputs": [{ "name": "x", "datatype": "FP64", "shape": [2, 3], "data": [1, 2, 3, 4, 5, 6] }] }).to_string();
    for at in 0..good.len() {
        for new in [byte(), b'"', b'[', b'9', 0] {
            let mut body = good.clone().into_bytes();
            body[at] = new;
            let status = server.post(INFER, "application/json", &body).status;
            assert!([200, 400, 413].contains(&status), "{status}: {}", String::from_utf8_lossy(&body));
        }
    }
    // Deep nesting neither overflows the stack nor takes long.
    let deep = [vec![b'['; 200_000], vec![b']'; 200_000]].concat();
    assert_eq!(server.post(INFER, "application/json", &deep).status, 400);
    let deep = format!(
        "{{\"inputs\": [{{\"name\": \"x\", \"datatype\": \"FP64\", \"shape\": [1], \"data\": {}}}]}}",
        String::from_utf8(deep).unwrap()
    );
    assert_eq!(server.post(INFER, "application/json", deep.as_bytes()).status, 400);
    for length in 0..60 {
        let mut client = server.client();
        let noise: Vec<u8> = (0..length * 5).map(|_| byte()).collect();
        let _ = client.send(&noise);
        let _ = client.send(b"\r\n\r\n");
    }
    is_well(&server);
    assert!(server.metric("eocc_panics_total").abs() < 0.5);
}

#[test]
fn what_was_begun_is_finished_when_the_server_stops() {
    let (_folder, server) = with(|config| config.workers = 1);
    let body = json!({ "rows": numbers(1, 3000) }).to_string();
    let mut busy: Vec<Client> = (0..6).map(|_| server.client()).collect();
    for client in &mut busy {
        let head = format!("POST {INFER} HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n", body.len());
        client.send(&[head.as_bytes(), body.as_bytes()].concat()).unwrap();
    }
    let mut idle = server.client();
    // All have been accepted once one of them is answered.
    assert_eq!(busy[0].answer().unwrap().status, 200);
    server.stopper().stop();
    for client in &mut busy[1..] {
        let answer = client.answer().unwrap();
        assert!(answer.status == 200 || answer.code() == "stopping", "{}", answer.text());
    }
    assert!(idle.answer().is_err());
    let address = server.address;
    let log = server.finish();
    assert_eq!(log.last().unwrap()["event"], "stopped");
    assert!(TcpStream::connect(address).is_err());
}
