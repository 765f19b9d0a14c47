//! Models over HTTP, by the [Open Inference Protocol](https://github.com/kserve/open-inference-protocol).
//!
//! A request goes through these modules, in this order:
//!
//! ```text
//! connection ─ http (token, limits) ─ body bytes ─ queue ─ a worker: body ─ samples ─ model ─ answer ─ bytes
//! ```
//!
//! Tokio threads only move bytes. Whatever computes (parsing, scoring, writing the answer) runs on a fixed number of worker
//! threads, which take requests from one queue. A worker takes small requests for the same model together and has the model
//! judge them in one pass; each answer is made of the decisions on its own rows, and equals what `eocc score` says of them.
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
