//! From the body of a request to samples.

use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use eocc_core::Layout;
use eocc_data::{Budget, Dataset, Format, ReadOptions, RowsRead, Table, read_bytes};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fault::Fault;
use crate::served::Served;
use crate::tensor::{self, Input};

/// The name of the body in messages.
pub(crate) const SOURCE: &str = "request";
/// Memory allowed for reading a body, at least and per byte.
const MIN_MEMORY: u64 = 64 << 20;
const MEMORY_PER_BYTE: u64 = 100;

/// The format of a body or a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// JSON: in a request, inputs of the protocol or plain rows; in a response, outputs of the protocol.
    Json,
    /// JSON, with plain rows.
    Rows,
    /// One JSON object per line.
    JsonLines,
    Csv,
    Arrow,
}

/// The media types, with the usual one of each form first.
const MEDIA_TYPES: [(&str, Form); 7] = [
    ("application/json", Form::Json),
    ("application/x-ndjson", Form::JsonLines),
    ("application/jsonl", Form::JsonLines),
    ("text/csv", Form::Csv),
    ("application/vnd.apache.arrow.stream", Form::Arrow),
    ("application/vnd.apache.arrow.file", Form::Arrow),
    // The default of `curl -d` for any body.
    ("application/x-www-form-urlencoded", Form::Json),
];

impl Form {
    pub(crate) fn media_type(self) -> &'static str {
        let form = if self == Self::Rows { Self::Json } else { self };
        MEDIA_TYPES.iter().find(|(_, own)| *own == form).map_or("application/json", |(name, _)| name)
    }

    /// The form of a body.
    pub(crate) fn of_request(headers: &HeaderMap) -> Result<Self, Fault> {
        if let Some(encoding) = headers.get(CONTENT_ENCODING).filter(|encoding| *encoding != "identity") {
            let encoding = String::from_utf8_lossy(encoding.as_bytes());
            return Err(Fault::media_type(format!(
                "the content encoding `{encoding}` is not read; send the body as it is"
            )));
        }
        let Some(given) = headers.get(CONTENT_TYPE) else { return Ok(Self::Json) };
        let given = String::from_utf8_lossy(given.as_bytes());
        let plain = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let known = MEDIA_TYPES.iter().find(|(name, _)| *name == plain).map(|(_, form)| *form);
        let form = known.filter(|form| *form != Self::Arrow || cfg!(feature = "columnar"));
        form.ok_or_else(|| {
            let names: Vec<&str> = MEDIA_TYPES.iter().map(|(name, _)| *name).collect();
            Fault::media_type(format!(
                "the content type `{given}` is not read; send one of {}",
                names.join(", ")
            ))
        })
    }

    /// The form of the response, if the request specifies one.
    pub(crate) fn of_answer(headers: &HeaderMap) -> Result<Option<Self>, Fault> {
        let Some(given) = headers.get(ACCEPT) else { return Ok(None) };
        let given = String::from_utf8_lossy(given.as_bytes()).to_ascii_lowercase();
        let types = given.split(',').map(|one| one.split(';').next().unwrap_or_default().trim());
        let mut takes_any = false;
        for one in types {
            // Lower preferences of the client are ignored.
            if matches!(one, "*/*" | "application/*") {
                takes_any = true;
            } else if let Some((_, form)) = MEDIA_TYPES.iter().find(|(name, _)| *name == one)
                && (*form != Self::Arrow || cfg!(feature = "columnar"))
            {
                return Ok(Some(*form));
            }
        }
        if takes_any {
            return Ok(None);
        }
        Err(Fault::not_acceptable(format!(
            "no answer can be given as `{given}`; accept application/json, application/x-ndjson, text/csv or application/vnd.apache.arrow.stream"
        )))
    }
}

/// The content of a request.
pub(crate) struct Question {
    pub(crate) data: Dataset,
    /// The form of response that matches the request.
    pub(crate) form: Form,
    /// The sender's name for the request.
    pub(crate) id: Option<String>,
    /// The requested outputs; all if none is named.
    pub(crate) outputs: Vec<String>,
}

/// A JSON body.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    inputs: Option<Vec<Input<'a>>>,
    #[serde(borrow, alias = "instances")]
    rows: Option<&'a RawValue>,
    id: Option<String>,
    #[serde(default)]
    outputs: Vec<RequestedOutput>,
}

#[derive(Deserialize)]
struct RequestedOutput {
    name: String,
}

/// Reads a body for a model, up to this many rows.
pub(crate) fn read(served: &Served, form: Form, body: &[u8], max_rows: usize) -> Result<Question, Fault> {
    let mut reader = served.reader.clone();
    let options = ReadOptions {
        format: None,
        budget: Budget::of_bytes((body.len() as u64).saturating_mul(MEMORY_PER_BYTE).max(MIN_MEMORY)),
        ..reader.request().options.clone()
    };
    let (mut id, mut outputs, mut answer) = (None, Vec::new(), form);
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(Fault::body("the body is empty; send rows to judge"));
    }
    let read = match form {
        Form::Json | Form::Rows => {
            let text =
                std::str::from_utf8(body).map_err(|e| Fault::body(format!("the body is not UTF-8: {e}")))?;
            let envelope = if text.trim_start().starts_with('[') {
                let rows = serde_json::from_str(text).map_err(|e| not_json(&e))?;
                Envelope { inputs: None, rows: Some(rows), id: None, outputs: Vec::new() }
            } else {
                serde_json::from_str(text).map_err(|e| not_json(&e))?
            };
            id = envelope.id;
            outputs = envelope.outputs.into_iter().map(|output| output.name).collect();
            match (envelope.inputs, envelope.rows) {
                (Some(inputs), None) => {
                    let table = tensor::table(&inputs, &options)?;
                    within(table.rows(), max_rows)?;
                    reader.read(&table)?
                }
                (None, Some(rows)) => {
                    answer = Form::Rows;
                    let is_unfolded = reader.request().series.is_some();
                    let lines = lines(rows, reader.layout(), is_unfolded, max_rows)?;
                    let table = read_as(Format::JsonLines, lines.as_bytes(), &options)?.without_lines();
                    reader.read_objects(table)?
                }
                _ => {
                    return Err(Fault::body(
                        "the body needs either `inputs`, as the Open Inference Protocol has them, or `rows`, a list of rows",
                    ));
                }
            }
        }
        Form::JsonLines => {
            let table = read_as(Format::JsonLines, body, &options)?;
            within(table.rows(), max_rows)?;
            reader.read_objects(table)?
        }
        Form::Csv | Form::Arrow => {
            let format = if form == Form::Csv { Format::Csv } else { Format::Arrow };
            let table = read_as(format, body, &options)?;
            within(table.rows(), max_rows)?;
            reader.read(&table)?
        }
    };
    let RowsRead { data, .. } = read;
    let data = data.ok_or_else(|| Fault::rows("the request has no rows to judge"))?;
    Ok(Question { data, form: answer, id, outputs })
}

fn read_as(format: Format, bytes: &[u8], options: &ReadOptions) -> Result<Table, Fault> {
    Ok(read_bytes(SOURCE, bytes, &ReadOptions { format: Some(format), ..options.clone() })?)
}

fn not_json(error: &serde_json::Error) -> Fault {
    Fault::body(format!("the body is not a JSON request: {error}"))
}

fn within(rows: usize, max_rows: usize) -> Result<(), Fault> {
    if rows <= max_rows {
        return Ok(());
    }
    Err(Fault::too_large(format!(
        "the request has {rows} rows, but at most {max_rows} are taken; send them in parts"
    )))
}

/// Plain rows as JSON Lines, which have a reader. Complete samples become a field.
fn lines(rows: &RawValue, layout: &Layout, is_unfolded: bool, max_rows: usize) -> Result<String, Fault> {
    let items: Vec<&RawValue> = serde_json::from_str(rows.get())
        .map_err(|e| Fault::body(format!("`rows` must be a list of rows: {e}")))?;
    if items.is_empty() {
        return Err(Fault::rows("`rows` is empty; send at least one row to judge"));
    }
    within(items.len(), max_rows)?;
    let mut text = String::with_capacity(rows.get().len() + 16 * items.len());
    for item in items {
        let item = item.get();
        let field = match (layout.single_column(), item.as_bytes().first()) {
            (Some("text"), Some(b'"')) => Some("text"),
            (Some("series"), Some(b'[')) if !is_unfolded => Some("series"),
            _ => None,
        };
        // A line break between parts of a value becomes a blank; within a text it is escaped.
        let flat = item.replace(['\n', '\r'], " ");
        match field {
            Some(name) => text.extend(["{\"", name, "\":", &flat, "}\n"]),
            None => text.extend([&flat, "\n"]),
        }
    }
    Ok(text)
}
