//! Connections: their number, duration and end.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep, timeout};

use crate::log::Level;
use crate::server::Server;

/// The response to a client beyond the limit; nothing of its request is read.
const TOO_MANY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
    connection: close\r\ncontent-length: 67\r\n\r\n{\"error\":\"there are too many connections\",\"code\":\"connections\"}    \n";
/// How long such a client may take to receive it.
const REFUSAL: Duration = Duration::from_millis(200);
/// How long to wait when the system has no handles left.
const PAUSE: Duration = Duration::from_millis(20);
/// Maximum size of the head of a request.
const MAX_HEAD: usize = 64 << 10;

/// Accepts connections until a shutdown is requested, then waits for open ones, within their limits.
pub(crate) async fn accept_all(server: &Arc<Server>, listener: TcpListener, mut stop: watch::Receiver<bool>) {
    let most = server.config.limits.connections;
    let places = Arc::new(Semaphore::new(most));
    let service = TowerToHyperService::new(server.router());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                server.log.write(Level::Warn, "accept", json!({ "error": error.to_string() }));
                sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            server.metrics.refused_connections.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(refuse(stream));
            continue;
        };
        let _ = stream.set_nodelay(true);
        let (server, service, stop) = (Arc::clone(server), service.clone(), stop.clone());
        tokio::spawn(async move {
            server.metrics.connections.fetch_add(1, Ordering::Relaxed);
            serve(&server, stream, service, stop).await;
            server.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(place);
        });
    }
    drop(listener);
    server.log.write(Level::Info, "stopping", json!({ "connections": most - places.available_permits() }));
    let most = u32::try_from(most).unwrap_or(u32::MAX);
    if timeout(server.config.drain, places.acquire_many(most)).await.is_err() {
        server.log.write(
            Level::Warn,
            "stopped_early",
            json!({ "error": "requests took too long to finish" }),
        );
    }
}

async fn refuse(mut stream: TcpStream) {
    let _ = timeout(REFUSAL, async {
        stream.write_all(TOO_MANY.as_bytes()).await?;
        stream.shutdown().await
    })
    .await;
}

async fn serve(
    server: &Server,
    stream: TcpStream,
    service: TowerToHyperService<axum::Router>,
    mut stop: watch::Receiver<bool>,
) {
    let patience = server.config.limits.client_timeout;
    let io = TokioIo::new(Impatient::new(stream, patience));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience)
            .max_buf_size(MAX_HEAD)
            .serve_connection(io, service)
    );
    // A client that disconnects, or does not send HTTP, has received all it can be sent.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.wait_for(|stop| *stop) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

/// A stream that gives up if its client stalls a write for too long.
struct Impatient {
    stream: TcpStream,
    patience: Duration,
    /// When to give up, while a write is pending.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn new(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, patience, stalled: None }
    }

    /// Tracks the result of a write.
    fn watched<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let until = Instant::now() + self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Impatient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watched(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
