//! The configuration of a server.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use eocc_report::why::Style;

/// Everything a server is given when it starts.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The models to serve.
    pub models: Vec<ModelSource>,
    /// The monitors to run, one model each.
    pub monitors: Vec<MonitorSource>,
    /// The token required as `Authorization: Bearer …`; if `None`, everyone has access.
    pub token: Option<String>,
    /// Limits on requests.
    pub limits: Limits,
    /// How requests are batched.
    pub batching: Batching,
    /// Threads that parse and score.
    pub workers: usize,
    /// How often model files are checked for a new version.
    pub poll: Duration,
    /// How long requests may take to finish once a shutdown is requested.
    pub drain: Duration,
    /// Whether every request is logged, or only failures.
    pub logs_requests: bool,
    /// The format of numbers and dates in explanations.
    pub style: Style,
}

/// A model, or a folder of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSource {
    /// The name in addresses; by default that of the file.
    pub name: Option<String>,
    /// A model file, or a folder whose `.eocc` files are all served.
    pub path: PathBuf,
}

/// A monitor of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitorSource {
    /// The model; optional if there is only one.
    pub model: Option<String>,
    /// The file of its state. If the file exists, the monitor resumes from it; the state is saved there.
    pub path: PathBuf,
}

/// Limits on requests.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum body size in bytes.
    pub body: usize,
    /// Maximum number of rows in a body.
    pub rows: usize,
    /// Maximum bytes of bodies held at the same time.
    pub buffered: usize,
    /// Maximum number of requests that wait for a worker.
    pub queue: usize,
    /// Maximum number of connections.
    pub connections: usize,
    /// How long a request may take, from its first byte to its response.
    pub timeout: Duration,
    /// How long a client may take to send the head of a request, how long an idle connection stays open, and how long
    /// a client may stall its response.
    pub client_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body: 16 << 20,
            rows: 100_000,
            buffered: 256 << 20,
            queue: 256,
            connections: 8192,
            timeout: Duration::from_secs(30),
            client_timeout: Duration::from_secs(10),
        }
    }
}

/// How requests are batched.
#[derive(Debug, Clone, Copy)]
pub struct Batching {
    /// How long a request may wait for others to join it. If zero, only requests that are already waiting are
    /// batched.
    pub delay: Duration,
    /// Maximum number of requests that are judged together.
    pub requests: usize,
}

impl Default for Batching {
    fn default() -> Self {
        Self { delay: Duration::ZERO, requests: 64 }
    }
}
