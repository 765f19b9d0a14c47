//! What a server is asked to do.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use eocc_report::why::Style;

/// Everything a server is told when it starts.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The models to serve.
    pub models: Vec<ModelSource>,
    /// The monitors to run, of one model each.
    pub monitors: Vec<MonitorSource>,
    /// What a request must show as `Authorization: Bearer …`; anyone may ask if there is none.
    pub token: Option<String>,
    /// How much is let in.
    pub limits: Limits,
    /// How requests are put together.
    pub batching: Batching,
    /// Threads that parse and score.
    pub workers: usize,
    /// How often model files are looked at for a new version.
    pub poll: Duration,
    /// How long requests may take to finish once the server is asked to stop.
    pub drain: Duration,
    /// Whether every request is logged, or only those that fail.
    pub logs_requests: bool,
    /// How explanations write numbers and dates.
    pub style: Style,
}

/// A model, or a folder of models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelSource {
    /// The name in addresses; that of the file unless given.
    pub name: Option<String>,
    /// A model file, or a folder whose `.eocc` files are all served.
    pub path: PathBuf,
}

/// A monitor of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MonitorSource {
    /// The model; may be left out if there is only one.
    pub model: Option<String>,
    /// The file of its state. It goes on from there if the file exists, and is saved there.
    pub path: PathBuf,
}

/// How much is let in.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The largest body in bytes.
    pub body: usize,
    /// The most rows in a body.
    pub rows: usize,
    /// The most bytes of bodies that are held at once.
    pub buffered: usize,
    /// The most requests that wait for a worker.
    pub queue: usize,
    /// The most connections.
    pub connections: usize,
    /// How long a request may take, from its first byte to its answer.
    pub timeout: Duration,
    /// How long a client may take to send the head of a request, how long an idle connection is kept, and how long a client may
    /// refuse to take its answer.
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

/// How requests are put together.
#[derive(Debug, Clone, Copy)]
pub struct Batching {
    /// How long a request may wait for others to join it. With none, only requests that already wait are taken together.
    pub delay: Duration,
    /// The most requests that are judged together.
    pub requests: usize,
}

impl Default for Batching {
    fn default() -> Self {
        Self { delay: Duration::ZERO, requests: 64 }
    }
}
