//! A server, from its models to its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use axum::Router;
use eocc_core::Error;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::runtime::Builder;
use tokio::sync::watch;

use crate::config::Config;
use crate::connection::accept_all;
use crate::fault::StartError;
use crate::http::{router, token_digest};
use crate::log::{Level, Log};
use crate::metrics::Metrics;
use crate::monitor::Monitors;
use crate::queue::Queue;
use crate::registry::Registry;
use crate::worker::Work;

/// Maximum number of threads that move bytes.
const IO_THREADS: usize = 4;

/// State shared by all requests.
pub struct Server {
    pub(crate) config: Config,
    pub(crate) token: Option<[u8; 32]>,
    pub(crate) registry: Arc<Registry>,
    pub(crate) queue: Arc<Queue>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) log: Log,
    pub(crate) monitors: Arc<Monitors>,
    /// Bytes of bodies currently held.
    pub(crate) buffered: AtomicUsize,
    is_stopping: AtomicBool,
    stop: watch::Sender<bool>,
}

/// Stops a server. Clones stop the same one.
#[derive(Clone)]
pub struct Stop(Arc<Server>);

impl Stop {
    /// No new connections are accepted, open ones finish what they have begun, and the server ends.
    pub fn stop(&self) {
        self.0.is_stopping.store(true, Ordering::SeqCst);
        self.0.stop.send_replace(true);
    }
}

impl Server {
    /// Loads the models and starts the workers, but does not listen.
    pub fn new(config: Config, log: Log) -> Result<Arc<Self>, StartError> {
        let metrics = Arc::new(Metrics::default());
        let registry = Arc::new(Registry::load(&config.models, Arc::clone(&metrics), log.clone())?);
        let monitors = Arc::new(Monitors::start(&config.monitors, &registry, &log)?);
        let queue = Arc::new(Queue::new(config.limits.queue, config.batching, Arc::clone(&metrics)));
        let server = Arc::new(Self {
            token: config.token.as_deref().map(token_digest),
            registry,
            queue,
            metrics,
            log,
            monitors,
            buffered: AtomicUsize::new(0),
            is_stopping: AtomicBool::new(false),
            stop: watch::Sender::new(false),
            config,
        });
        let judging = Arc::new(AtomicUsize::new(0));
        for number in 0..server.config.workers.max(1) {
            let work = Work {
                queue: Arc::clone(&server.queue),
                metrics: Arc::clone(&server.metrics),
                log: server.log.clone(),
                monitors: Arc::clone(&server.monitors),
                max_rows: server.config.limits.rows,
                style: server.config.style,
                judging: Arc::clone(&judging),
            };
            let thread = thread::Builder::new().name(format!("worker-{number}"));
            thread
                .spawn(move || work.run())
                .map_err(|e| Error::input(format!("a thread cannot be started: {e}")))?;
        }
        Ok(server)
    }

    /// The routes without a socket, for a program that has its own.
    pub fn router(self: &Arc<Self>) -> Router {
        router(self)
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::SeqCst)
    }
}

/// Serves until stopped. `started` is called once it listens, with the address and a handle to stop it.
pub fn start(config: Config, log: Log, started: impl FnOnce(SocketAddr, Stop)) -> Result<(), StartError> {
    let fault = |e: std::io::Error, what: &str| Error::input(format!("{what}: {e}"));
    let listen = config.listen;
    let server = Server::new(config, log.clone())?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let runtime = Builder::new_multi_thread()
        .worker_threads(cores.min(IO_THREADS))
        .enable_all()
        .build()
        .map_err(|e| fault(e, "the server cannot be started"))?;
    let (watching, stop_watching) = mpsc::channel();
    let (registry, poll) = (Arc::clone(&server.registry), server.config.poll);
    let watcher = thread::Builder::new().name("watch".to_owned());
    watcher
        .spawn(move || crate::watch::watch(&registry, poll, &stop_watching))
        .map_err(|e| fault(e, "a thread cannot be started"))?;
    let served = runtime.block_on(async {
        let listener = TcpListener::bind(listen).await.map_err(|e| {
            Error::parameter("listen", listen, format!("an address that is free and may be used ({e})"))
        })?;
        let address = listener.local_addr().map_err(|e| fault(e, "the address is not known"))?;
        let models: Vec<String> = server.registry.states().into_iter().map(|state| state.name).collect();
        log.write(Level::Info, "listening", json!({ "address": address.to_string(), "models": models }));
        started(address, Stop(Arc::clone(&server)));
        accept_all(&server, listener, server.stop.subscribe()).await;
        Ok(())
    });
    server.queue.close();
    server.monitors.stop();
    drop(watching);
    log.write(Level::Info, "stopped", json!({}));
    log.flush();
    runtime.shutdown_background();
    served
}
