//! Models over HTTP, by the [Open Inference Protocol](https://github.com/kserve/open-inference-protocol).
//!
//! A request goes through these modules, in this order:
//!
//! ```text
//! connection ─ http (token, limits) ─ body bytes ─ queue ─ a worker: body ─ samples ─ model ─ answer ─ bytes
//! ```
//!
//! Tokio threads only move bytes. All computation (parsing, scoring, writing the response) runs on a fixed number of
//! worker threads, which take requests from one queue. A worker batches small requests for the same model and judges
//! them in one pass; each response contains the decisions on its own rows, which equal those of `eocc score`.
//!
//! [`start`] runs a server; [`Server::router`] is the same without a socket.

mod answer;
mod body;
mod config;
mod connection;
mod explain;
mod fault;
mod handles;
mod http;
mod log;
mod metrics;
mod monitor;
mod openapi;
mod queue;
mod registry;
mod served;
mod server;
mod tensor;
mod watch;
mod worker;

pub use config::{Batching, Config, Limits, ModelSource, MonitorSource};
pub use fault::StartError;
pub use handles::usable_connections;
pub use log::Log;
pub use server::{Server, Stop, start};
