//! The routes, and what every request passes before them.

use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use axum::Router;
use axum::body::{Body, HttpBody as _};
use axum::extract::{FromRequestParts, MatchedPath, Path, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;
use tokio::time::timeout_at;

use crate::body::Form;
use crate::explain::MAX_NEAREST;
use crate::fault::{Fault, Refusal};
use crate::log::Level;
use crate::openapi;
use crate::queue::{Ask, Job, Reply};
use crate::server::Server;

/// Gives the version of the model that answered, even if the response is not JSON.
const VERSION_HEADER: HeaderName = HeaderName::from_static("eocc-model-version");
const JSON: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "application/json")];

type Answer = Result<Response, Fault>;

/// All routes.
pub(crate) fn routes() -> Vec<(&'static str, MethodRouter<Arc<Server>>)> {
    vec![
        ("/v2", get(server_metadata)),
        ("/v2/health/live", get(live)),
        ("/v2/health/ready", get(ready)),
        ("/v2/models/{model}", get(model_metadata)),
        ("/v2/models/{model}/versions/{version}", get(model_metadata)),
        ("/v2/models/{model}/ready", get(model_ready)),
        ("/v2/models/{model}/versions/{version}/ready", get(model_ready)),
        ("/v2/models/{model}/infer", post(infer)),
        ("/v2/models/{model}/versions/{version}/infer", post(infer)),
        ("/v2/models/{model}/explain", post(explain)),
        ("/v2/models/{model}/versions/{version}/explain", post(explain)),
        ("/v2/repository/index", post(index)),
        ("/v2/repository/models/{model}/load", post(load)),
        ("/v2/repository/models/{model}/unload", post(unload)),
        ("/metrics", get(metrics)),
        ("/openapi.json", get(document)),
    ]
}

/// The routes with all layers that requests pass before them.
pub(crate) fn router(server: &Arc<Server>) -> Router {
    let all = routes().into_iter().fold(Router::new(), |router, (path, method)| router.route(path, method));
    all.fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(server), pass))
        .with_state(Arc::clone(server))
}

async fn unknown_route(request: Request) -> Fault {
    let path = request.uri().path();
    Fault::unknown(format!("there is nothing at `{path}`; /openapi.json lists what there is"))
}

async fn wrong_method(request: Request) -> Fault {
    let (method, path) = (request.method(), request.uri().path());
    Fault::method(format!("`{path}` does not take {method}; /openapi.json says what it takes"))
}

/// The log entry of an answered request.
#[derive(Clone)]
struct AnsweredRequest {
    rows: usize,
    version: String,
}

/// Counts, checks and logs every request.
async fn pass(
    State(server): State<Arc<Server>>,
    path: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let route = path.as_ref().and_then(|path| routes_name(path.as_str())).unwrap_or("other");
    let (method, address) = (request.method().clone(), request.uri().path().to_owned());
    server.metrics.in_flight.fetch_add(1, Ordering::Relaxed);
    let in_flight = InFlight(&server);
    let is_health = route.starts_with("/v2/health/");
    let allowed = check_origin(request.headers()).and_then(|()| match &server.token {
        Some(token) if !is_health => check_token(token, request.headers()),
        _ => Ok(()),
    });
    let mut response = match allowed {
        Ok(()) => next.run(request).await,
        Err(fault) => fault.into_response(),
    };
    drop(in_flight);
    let (took, status) = (started.elapsed(), response.status());
    server.metrics.request(route, status.as_u16(), took);
    let refusal = response.extensions_mut().remove::<Refusal>();
    if let Some(refusal) = &refusal {
        server.metrics.refused(refusal.code);
    }
    let is_failed = status.is_client_error() || status.is_server_error();
    let is_looked_at = is_health || route == "/metrics";
    if is_failed || (server.config.logs_requests && !is_looked_at) {
        let mut fields = json!({
            "method": method.as_str(),
            "path": shortened(&address),
            "status": status.as_u16(),
            "ms": (took.as_secs_f64() * 1e6).round() / 1e3,
        });
        if let Some(AnsweredRequest { rows, version }) = response.extensions_mut().remove::<AnsweredRequest>()
        {
            fields["rows"] = json!(rows);
            fields["version"] = json!(version);
        }
        if let Some(refusal) = refusal {
            fields["code"] = json!(refusal.code);
            fields["error"] = json!(shortened(&refusal.message));
        }
        server.log.write(if status.is_server_error() { Level::Warn } else { Level::Info }, "request", fields);
    }
    response
}

/// Decremented also if the client goes away and the request is dropped.
struct InFlight<'a>(&'a Server);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.metrics.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The name of a route in metrics, which must not depend on the request.
fn routes_name(path: &str) -> Option<&'static str> {
    static NAMES: LazyLock<Vec<&'static str>> =
        LazyLock::new(|| routes().into_iter().map(|(route, _)| route).collect());
    NAMES.iter().copied().find(|route| *route == path)
}

/// The start of an untrusted text.
fn shortened(text: &str) -> String {
    const MAX_SHOWN: usize = 300;
    let mut start: String = text.chars().take(MAX_SHOWN).collect();
    if start.len() < text.len() {
        start.push('…');
    }
    start
}

/// Pages from other sites must not use the browser of an authorized user.
fn check_origin(headers: &HeaderMap) -> Result<(), Fault> {
    let Some(origin) = headers.get(header::ORIGIN) else { return Ok(()) };
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes).unwrap_or_default();
    let own =
        origin.as_bytes().splitn(2, |byte| *byte == b'/').nth(1).and_then(|rest| rest.strip_prefix(b"/"));
    if own == Some(host) && !host.is_empty() {
        return Ok(());
    }
    let origin = String::from_utf8_lossy(origin.as_bytes());
    Err(Fault::origin(format!(
        "requests from pages of `{}` are refused; ask from a program",
        shortened(&origin)
    )))
}

/// The digest of a token, for constant-time comparison.
pub(crate) fn token_digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn check_token(expected: &[u8; 32], headers: &HeaderMap) -> Result<(), Fault> {
    let Some(given) = headers.get(header::AUTHORIZATION) else {
        return Err(Fault::token("the token is missing; send `Authorization: Bearer TOKEN`"));
    };
    let given = given.to_str().unwrap_or_default();
    let token = given.split_once(' ').filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    let Some((_, token)) = token else {
        return Err(Fault::token("the header `Authorization` is not `Bearer TOKEN`"));
    };
    let given = token_digest(token.trim());
    let difference = given.iter().zip(expected).fold(0, |all, (a, b)| all | (a ^ b));
    if difference == 0 { Ok(()) } else { Err(Fault::token("the token is wrong")) }
}

fn json_answer(value: &Value) -> Response {
    (JSON, value.to_string()).into_response()
}

async fn server_metadata() -> Response {
    json_answer(&json!({
        "name": "eocc",
        "version": env!("CARGO_PKG_VERSION"),
        "extensions": ["model_repository", "explain"],
    }))
}

async fn live() -> Response {
    json_answer(&json!({ "live": true }))
}

async fn ready(State(server): State<Arc<Server>>) -> Answer {
    if server.is_stopping() {
        return Err(Fault::unavailable("stopping", "the server is stopping"));
    }
    if !server.registry.is_ready() {
        return Err(Fault::unavailable("model", "a model does not answer; /v2/repository/index says why"));
    }
    Ok(json_answer(&json!({ "ready": true })))
}

/// The model in an address, and the version if given.
#[derive(Deserialize)]
struct Which {
    model: String,
    version: Option<String>,
}

impl<S: Send + Sync> FromRequestParts<S> for Which {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let which = Path::<Self>::from_request_parts(parts, state).await;
        which
            .map(|Path(which)| which)
            .map_err(|e| Fault::unknown(format!("the address cannot be read: {}", e.body_text())))
    }
}

impl Which {
    fn find(&self, server: &Server) -> Result<Arc<crate::served::Served>, Fault> {
        let served = server.registry.served(&self.model)?;
        match &self.version {
            Some(version) if *version != served.version => Err(Fault::unknown(format!(
                "the model `{}` has no version `{version}`; it is served in version `{}`",
                self.model, served.version
            ))),
            _ => Ok(served),
        }
    }
}

async fn model_metadata(State(server): State<Arc<Server>>, which: Which) -> Answer {
    Ok(json_answer(&which.find(&server)?.metadata()))
}

async fn model_ready(State(server): State<Arc<Server>>, which: Which) -> Answer {
    which.find(&server)?;
    Ok(json_answer(&json!({ "name": which.model, "ready": true })))
}

async fn infer(State(server): State<Arc<Server>>, which: Which, request: Request) -> Answer {
    ask(&server, &which, Ask::Infer, request).await
}

/// Default number of nearest training samples to name.
const NEAREST: usize = 5;

/// The number of nearest training samples requested in the query of an address.
fn nearest(query: Option<&str>) -> Result<usize, Fault> {
    let mut given = query.unwrap_or_default().split('&').filter_map(|pair| pair.strip_prefix("nearest="));
    let Some(text) = given.next() else { return Ok(NEAREST) };
    if given.next().is_some() {
        return Err(Fault::parameter("nearest is given twice; give it once"));
    }
    text.parse().ok().filter(|count| (1..=MAX_NEAREST).contains(count)).ok_or_else(|| {
        Fault::parameter(format!("nearest is `{}`, but must be in 1..={MAX_NEAREST}", shortened(text)))
    })
}

async fn explain(State(server): State<Arc<Server>>, which: Which, request: Request) -> Answer {
    let nearest = nearest(request.uri().query())?;
    ask(&server, &which, Ask::Explain { nearest }, request).await
}

/// Reads the body, passes the request to a worker, and waits for the response.
async fn ask(server: &Arc<Server>, which: &Which, ask: Ask, request: Request) -> Answer {
    let deadline = Instant::now() + server.config.limits.timeout;
    let form = Form::of_request(request.headers())?;
    let answer = match ask {
        Ask::Infer => Form::of_answer(request.headers())?,
        Ask::Explain { .. } => None,
    };
    // Before the body is read in vain.
    which.find(server)?;
    let read = timeout_at(deadline.into(), collect(server, request.into_body())).await;
    let (body, _held) = read.unwrap_or_else(|_| {
        let seconds = server.config.limits.timeout.as_secs_f64();
        Err(Fault::slow_client(format!(
            "the body did not arrive within {seconds} seconds; send it faster, or in parts"
        )))
    })?;
    // The current version answers, not that at the start of the request.
    let served = which.find(server)?;
    let (reply, answered) = oneshot::channel();
    let version = served.version.clone();
    server.queue.push(Job { served, ask, form, answer, body, queued: Instant::now(), deadline, reply })?;
    let too_slow = || {
        let seconds = server.config.limits.timeout.as_secs_f64();
        Fault::unavailable(
            "timeout",
            format!("the rows were not judged within {seconds} seconds; send fewer at once"),
        )
    };
    let Reply { body, form, rows } = match timeout_at(deadline.into(), answered).await {
        Ok(Ok(answered)) => answered?,
        Ok(Err(_)) if Instant::now() < deadline => return Err(Fault::internal()),
        Ok(Err(_)) | Err(_) => return Err(too_slow()),
    };
    let mut response = ([(header::CONTENT_TYPE, form.media_type())], body).into_response();
    if let Ok(value) = HeaderValue::from_str(&version) {
        response.headers_mut().insert(VERSION_HEADER, value);
    }
    response.extensions_mut().insert(AnsweredRequest { rows, version });
    Ok(response)
}

/// Bytes of bodies held for a request.
struct Held<'a> {
    server: &'a Server,
    bytes: usize,
}

impl Held<'_> {
    fn add(&mut self, bytes: usize) -> Result<(), Fault> {
        self.bytes += bytes;
        let before = self.server.buffered.fetch_add(bytes, Ordering::Relaxed);
        if before + bytes > self.server.config.limits.buffered {
            return Err(Fault::unavailable(
                "buffer",
                "the server holds too many bodies; try again in a second",
            ));
        }
        Ok(())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.server.buffered.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The whole body, if it is not too large.
async fn collect(server: &Server, mut body: Body) -> Result<(Bytes, Held<'_>), Fault> {
    let most = server.config.limits.body;
    let too_large =
        || Fault::too_large(format!("the body is larger than {most} bytes; send the rows in parts"));
    let mut held = Held { server, bytes: 0 };
    if body.size_hint().lower() > most as u64 {
        return Err(too_large());
    }
    let mut all = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| Fault::body(format!("the body ended too early: {e}")))?;
        let Ok(part) = frame.into_data() else { continue };
        if all.len() + part.len() > most {
            return Err(too_large());
        }
        held.add(part.len())?;
        all.extend_from_slice(&part);
    }
    Ok((all.freeze(), held))
}

async fn index(State(server): State<Arc<Server>>) -> Response {
    json_answer(&server.registry.index())
}

async fn load(State(server): State<Arc<Server>>, which: Which) -> Answer {
    let loaded = tokio::task::spawn_blocking(move || server.registry.load_again(&which.model)).await;
    loaded.unwrap_or_else(|_| Err(Fault::internal()))?;
    Ok((StatusCode::OK, JSON, "{}").into_response())
}

async fn unload(State(server): State<Arc<Server>>, which: Which) -> Answer {
    server.registry.unload(&which.model)?;
    Ok((StatusCode::OK, JSON, "{}").into_response())
}

async fn metrics(State(server): State<Arc<Server>>) -> Response {
    let text =
        server.metrics.text(&server.registry.states(), &server.monitors.drifts(), server.log.dropped());
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}

async fn document() -> Response {
    (JSON, openapi::DOCUMENT).into_response()
}
