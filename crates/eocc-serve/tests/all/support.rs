//! Models, a server on a free port, and a client that can misbehave.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use eocc_core::{AnyModel, AnySamples, Decision, OneClass, Preset, Settings, Silent};
use eocc_data::{Batches, Dataset, ModelReader, ReadRequest, Reading};
use eocc_report::why::Style;
use eocc_serve::{Batching, Config, Limits, Log, ModelSource, Stop, start};
use serde_json::Value;

/// Fits a model to a file like `eocc fit`, and saves it.
pub(crate) fn fit(data: &Path, model: &Path, request: &ReadRequest) -> AnyModel {
    let read = Dataset::read(data, request).unwrap();
    let params = OneClass::new(Preset::Default).check().unwrap();
    let measure = read.samples.measure(Preset::Default, None, &Settings::default()).unwrap();
    let mut fitted = read.samples.train(&params, measure, &Silent).unwrap();
    if let Some(names) = &read.names {
        fitted.set_names(names.clone()).unwrap();
    }
    Reading::new(request, &read).keep_in(&mut fitted);
    fitted.save(model).unwrap();
    fitted
}

/// Numbers like those of a small machine, reproducible by seed.
pub(crate) fn numbers(seed: u64, rows: usize) -> Vec<[f64; 3]> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..rows).map(|_| [next() + next(), 3.0 * next() - 1.0, next() * next()]).collect()
}

pub(crate) fn csv(rows: &[[f64; 3]]) -> String {
    let line = |[a, b, c]: &[f64; 3]| format!("{a},{b},{c}\n");
    ["a,b,c\n".to_owned()].into_iter().chain(rows.iter().map(line)).collect()
}

/// A model of numbers in a folder, as `NAME.eocc`.
pub(crate) fn model_of_numbers(folder: &Path, name: &str, seed: u64) -> (PathBuf, AnyModel) {
    let data = folder.join(format!("{name}.csv"));
    std::fs::write(&data, csv(&numbers(seed, 80))).unwrap();
    let path = folder.join(format!("{name}.eocc"));
    let model = fit(&data, &path, &ReadRequest::default());
    (path, model)
}

/// A decision, from the library or from a response.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) score: f64,
    pub(crate) membership: f64,
    pub(crate) accepted: bool,
    pub(crate) region: usize,
    pub(crate) p_value: f64,
}

impl From<Decision> for Row {
    fn from(Decision { score, membership, accepted, region, p_value, .. }: Decision) -> Self {
        Self { score, membership, accepted, region, p_value }
    }
}

/// The library's decisions on samples.
pub(crate) fn decided(model: &AnyModel, samples: &AnySamples) -> Vec<Row> {
    model.decide_all(samples).unwrap().into_iter().map(Row::from).collect()
}

/// The decisions of `eocc score` on a file: the loop of the program, without its output.
pub(crate) fn scored(model: &AnyModel, data: &Path) -> Vec<Row> {
    let mut reader = ModelReader::for_model(model, ReadRequest::default(), Some(data)).unwrap();
    let mut batches = Batches::open(data, reader.request()).unwrap();
    let mut all = Vec::new();
    while let Some(mut batch) = batches.next().unwrap() {
        let data = batch.read(&mut reader).unwrap().data.unwrap();
        all.extend(decided(model, &data.samples));
    }
    all
}

/// A log that can be read.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    log: Lines,
}

pub(crate) fn config(models: &[PathBuf]) -> Config {
    let style = Style { number: |value| value.to_string(), date: eocc_data::date_text };
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        models: models.iter().map(|path| ModelSource { name: None, path: path.clone() }).collect(),
        monitors: Vec::new(),
        token: None,
        limits: Limits::default(),
        batching: Batching::default(),
        workers: 2,
        poll: Duration::from_millis(5),
        drain: Duration::from_secs(20),
        logs_requests: true,
        style,
    }
}

impl Running {
    pub(crate) fn new(config: Config) -> Self {
        let log = Lines::default();
        let out = Log::new(Box::new(log.clone()));
        let (sender, receiver) = channel();
        let thread = thread::spawn(move || {
            start(config, out, |address, stop| sender.send((address, stop)).unwrap()).unwrap();
        });
        let (address, stop) = receiver.recv().unwrap();
        Self { address, stop, thread: Some(thread), log }
    }

    pub(crate) fn serving(models: &[PathBuf]) -> Self {
        Self::new(config(models))
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.address)
    }

    pub(crate) fn post(&self, path: &str, kind: &str, body: &[u8]) -> Answer {
        self.client().ask("POST", path, &[("content-type", kind)], body)
    }

    pub(crate) fn json(&self, path: &str, body: &Value) -> Answer {
        self.post(path, "application/json", body.to_string().as_bytes())
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.client().ask("GET", path, &[], b"")
    }

    pub(crate) fn metrics(&self) -> String {
        self.get("/metrics").text()
    }

    /// The value of a metric, given its line without the value.
    pub(crate) fn metric(&self, series: &str) -> f64 {
        let text = self.metrics();
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {series} in\n{text}")).parse().unwrap()
    }

    pub(crate) fn stopper(&self) -> Stop {
        self.stop.clone()
    }

    /// Stops it, waits for the end, and returns the log.
    pub(crate) fn finish(mut self) -> Vec<Value> {
        self.end();
        let text = self.log.0.lock().unwrap().clone();
        text.split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .collect()
    }

    fn end(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A connection that is reused.
pub(crate) struct Client {
    connection: BufReader<TcpStream>,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|e| panic!("{e}: {}", self.text()))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The code of an error, after a check of its form.
    pub(crate) fn code(&self) -> String {
        let value = self.value();
        assert!(value["error"].as_str().is_some_and(|text| !text.is_empty()), "{value}");
        value["code"].as_str().unwrap().to_owned()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        Self { connection: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.connection.get_mut().write_all(bytes)
    }

    pub(crate) fn ask(&mut self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.send(&[head.as_bytes(), body].concat()).unwrap();
        self.answer().unwrap()
    }

    pub(crate) fn answer(&mut self) -> std::io::Result<Answer> {
        let (mut status, mut headers) = (0, Vec::new());
        loop {
            let mut line = String::new();
            if self.connection.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end();
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().unwrap();
            } else if let Some((name, value)) = line.split_once(':') {
                headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
            } else if line.is_empty() && status != 100 {
                break;
            }
        }
        let length =
            headers.iter().find(|(name, _)| name == "content-length").map_or(0, |(_, v)| v.parse().unwrap());
        let mut body = vec![0; length];
        self.connection.read_exact(&mut body)?;
        Ok(Answer { status, headers, body })
    }
}

/// The decisions in a response with outputs of the protocol.
pub(crate) fn decisions(answer: &Answer) -> Vec<Row> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    let value = answer.value();
    let column = |name: &str| {
        let outputs = value["outputs"].as_array().unwrap();
        outputs.iter().find(|output| output["name"] == name).unwrap()["data"].as_array().unwrap().clone()
    };
    let float = |value: &Value| value.as_f64().unwrap();
    let [score, membership, accepted, region, p_value] =
        ["score", "membership", "accepted", "region", "p_value"].map(column);
    (0..score.len())
        .map(|i| Row {
            score: float(&score[i]),
            membership: float(&membership[i]),
            accepted: accepted[i].as_bool().unwrap(),
            region: region[i].as_u64().unwrap() as usize,
            p_value: float(&p_value[i]),
        })
        .collect()
}

/// Decisions as bits, for exact comparison.
pub(crate) fn bits(decisions: &[Row]) -> Vec<(u64, u64, bool, usize, u64)> {
    let bits =
        |d: &Row| (d.score.to_bits(), d.membership.to_bits(), d.accepted, d.region, d.p_value.to_bits());
    decisions.iter().map(bits).collect()
}
