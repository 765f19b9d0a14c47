//! From decisions to the body of a response.

use std::borrow::Cow;

use eocc_core::Decision;
use eocc_data::{Column, OutFormat, Values, decision_columns, write_bytes};
use serde::Serialize;
use serde_json::json;

use crate::body::{Form, Question};
use crate::fault::Fault;
use crate::served::Served;

/// The response to a request, in an allowed or requested form.
pub(crate) fn write(
    served: &Served,
    question: &mut Question,
    form: Form,
    decisions: &[Decision],
) -> Result<Vec<u8>, Fault> {
    let data = &mut question.data;
    if served.has_names() && data.names.is_none() {
        data.names = Some(vec![String::new(); decisions.len()]);
    }
    let columns = decision_columns(data, decisions);
    match form {
        Form::Csv => Ok(write_bytes(&columns, OutFormat::Csv)?),
        Form::JsonLines => Ok(write_bytes(&columns, OutFormat::JsonLines)?),
        Form::Rows => rows(served, &columns),
        #[cfg(feature = "columnar")]
        Form::Arrow => Ok(eocc_data::arrow_stream(&columns)?),
        #[cfg(not(feature = "columnar"))]
        Form::Arrow => Err(Fault::internal()),
        Form::Json => outputs(served, question, &columns),
    }
}

/// The columns of `eocc score` as a list of rows.
fn rows(served: &Served, columns: &[Column]) -> Result<Vec<u8>, Fault> {
    let mut lines = write_bytes(columns, OutFormat::JsonLines)?;
    lines.pop();
    let start = json!({ "model_name": served.name, "model_version": served.version }).to_string();
    let mut body = start.into_bytes();
    body.pop();
    body.extend_from_slice(b",\"rows\":[");
    // Line breaks within texts are escaped.
    body.extend(lines.iter().map(|&byte| if byte == b'\n' { b',' } else { byte }));
    body.extend_from_slice(b"]}\n");
    Ok(body)
}

/// The columns as outputs of the protocol; the rows of the answers match those of the request.
fn outputs(served: &Served, question: &Question, columns: &[Column]) -> Result<Vec<u8>, Fault> {
    let columns = &columns[1..];
    let wanted: Vec<&Column> = if question.outputs.is_empty() {
        columns.iter().collect()
    } else {
        let find = |name: &String| {
            columns.iter().find(|column| column.name == *name).ok_or_else(|| {
                let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
                Fault::body(format!("there is no output `{name}`; the outputs are {}", names.join(", ")))
            })
        };
        question.outputs.iter().map(find).collect::<Result<_, _>>()?
    };
    let response = Response {
        model_name: &served.name,
        model_version: &served.version,
        id: question.id.as_deref(),
        outputs: wanted.into_iter().map(Output::new).collect(),
    };
    serde_json::to_vec(&response).map_err(|_| Fault::internal())
}

#[derive(Serialize)]
struct Response<'a> {
    model_name: &'a str,
    model_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    outputs: Vec<Output<'a>>,
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    datatype: &'static str,
    shape: [usize; 1],
    data: Data<'a>,
}

/// Values of an output. Numbers that are not finite, which JSON does not have, become `null`.
#[derive(Serialize)]
#[serde(untagged)]
enum Data<'a> {
    Float(&'a [f64]),
    Boolean(&'a [bool]),
    Integer(&'a [i64]),
    Texts(Vec<Cow<'a, str>>),
}

impl<'a> Output<'a> {
    fn new(column: &'a Column) -> Self {
        let (datatype, data) = match column.values() {
            Values::Float(values) => ("FP64", Data::Float(values)),
            Values::Boolean(values) => ("BOOL", Data::Boolean(values)),
            Values::Integer(values) => ("INT64", Data::Integer(values)),
            _ => ("BYTES", Data::Texts((0..column.len()).map(|row| column.text(row)).collect())),
        };
        Self { name: &column.name, datatype, shape: [column.len()], data }
    }
}
