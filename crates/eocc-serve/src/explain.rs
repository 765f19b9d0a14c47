//! Why samples are judged as they are, in the form of `eocc explain --json`.

use eocc_core::Observer;
use eocc_report::why::{Reasons, Style};
use serde_json::{Value, json};

use crate::body::Question;
use crate::fault::Fault;
use crate::served::Served;

/// Maximum number of rows explained at a time: each is compared with every training sample, in words.
pub(crate) const MAX_ROWS: usize = 1000;
/// Maximum number of nearest training samples that are named.
pub(crate) const MAX_NEAREST: usize = 100;

/// The explanations of all rows of a request.
pub(crate) fn explain(
    served: &Served,
    question: &Question,
    nearest: usize,
    style: Style,
    observer: &dyn Observer,
) -> Result<Vec<u8>, Fault> {
    let (model, data) = (&served.model, &question.data);
    let decisions = model.decide_with(&data.samples, model.params().scoring, observer)?;
    let explanations = model.explain(&data.samples, nearest, observer)?;
    let reasons = Reasons::new(model, style);
    let rows: Vec<Value> = decisions
        .iter()
        .zip(&explanations)
        .enumerate()
        .map(|(row, (decision, explanation))| {
            let why = reasons.why(&data.samples.select(&[row]), explanation);
            why.as_json(data.row(row), data.names.as_ref().map(|names| names[row].as_str()), decision)
        })
        .collect();
    let mut answer =
        json!({ "model_name": served.name, "model_version": served.version, "explanations": rows });
    if let Some(id) = &question.id {
        answer["id"] = json!(id);
    }
    Ok(answer.to_string().into_bytes())
}
