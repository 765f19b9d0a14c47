//! Errors, as a status and one JSON object.

use std::path::{Path, PathBuf};

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use eocc_core::Error;
use eocc_data::ReadError;
use serde_json::json;

/// Why a server cannot start.
#[derive(Debug)]
pub struct StartError {
    /// The file at fault, if the error does not name it.
    pub file: Option<PathBuf>,
    /// What is wrong.
    pub error: Error,
}

impl StartError {
    /// An error about a file, which the message may name already.
    pub(crate) fn of_file(file: &Path, error: Error) -> Self {
        Self { file: (!error.is_io()).then(|| file.to_owned()), error }
    }
}

impl From<Error> for StartError {
    fn from(error: Error) -> Self {
        Self { file: None, error }
    }
}

/// Why a request is refused.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) status: StatusCode,
    /// A code for programs, which is stable while the message may change.
    pub(crate) code: &'static str,
    /// What is wrong, where, and what to do.
    pub(crate) message: String,
    /// Seconds after which a retry makes sense.
    pub(crate) retry_after: Option<u32>,
}

impl Fault {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None }
    }

    /// The body cannot be parsed.
    pub(crate) fn body(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "body", message)
    }

    /// The rows cannot be judged by the model.
    pub(crate) fn rows(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "rows", message)
    }

    /// A parameter in the address is wrong.
    pub(crate) fn parameter(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "parameter", message)
    }

    pub(crate) fn token(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "token", message)
    }

    pub(crate) fn origin(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "origin", message)
    }

    pub(crate) fn unknown(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "unknown", message)
    }

    pub(crate) fn method(message: impl Into<String>) -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method", message)
    }

    pub(crate) fn media_type(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "media_type", message)
    }

    pub(crate) fn not_acceptable(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "accept", message)
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "limit", message)
    }

    pub(crate) fn slow_client(message: impl Into<String>) -> Self {
        Self::new(StatusCode::REQUEST_TIMEOUT, "slow_client", message)
    }

    /// The server is overloaded.
    pub(crate) fn busy(message: impl Into<String>) -> Self {
        Self { retry_after: Some(1), ..Self::new(StatusCode::TOO_MANY_REQUESTS, "busy", message) }
    }

    /// The server, or the model, is temporarily unavailable.
    pub(crate) fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        Self { retry_after: Some(1), ..Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message) }
    }

    /// The file of a model cannot be loaded.
    pub(crate) fn model_file(message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "model_file", message)
    }

    /// An internal error.
    pub(crate) fn internal() -> Self {
        let message =
            "this is a fault of eocc, not of your request; please report it with the log of the server";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }
}

impl From<ReadError> for Fault {
    fn from(error: ReadError) -> Self {
        let is_memory = error.data().is_some_and(eocc_data::DataError::is_memory)
            || error.library().is_some_and(eocc_core::Error::is_memory);
        if is_memory { Self::too_large(error.to_string()) } else { Self::rows(error.to_string()) }
    }
}

impl From<eocc_data::DataError> for Fault {
    fn from(error: eocc_data::DataError) -> Self {
        if error.is_memory() { Self::too_large(error.to_string()) } else { Self::body(error.to_string()) }
    }
}

impl From<eocc_core::Error> for Fault {
    fn from(error: eocc_core::Error) -> Self {
        match error {
            e if e.is_cancelled() => {
                Self::unavailable("timeout", "the request took too long and was given up")
            }
            e if e.is_memory() => Self::too_large(format!("request: {e}")),
            e => Self::rows(format!("request: {e}")),
        }
    }
}

impl IntoResponse for Fault {
    fn into_response(self) -> Response {
        let body = json!({ "error": self.message, "code": self.code }).to_string();
        let mut response = (self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.extensions_mut().insert(Refusal { code: self.code, message: self.message });
        response
    }
}

/// The log entry of a refused request.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) code: &'static str,
    pub(crate) message: String,
}
