//! A model that is being served, and its metadata.

use std::path::Path;
use std::sync::Arc;

use eocc_core::file::Contents;
use eocc_core::{AnyModel, Error, Layout, Result};
use eocc_data::{ModelReader, ReadRequest};
use serde_json::{Value, json};

use crate::metrics::ModelMetrics;

/// Digits of the checksum in the name of a version.
const VERSION_DIGITS: usize = 12;

/// One version of a model, ready to serve.
pub(crate) struct Served {
    pub(crate) name: String,
    /// The first digits of the checksum in the model file.
    pub(crate) version: String,
    pub(crate) model: AnyModel,
    /// Cloned for each request, so that requests do not affect each other's column roles.
    pub(crate) reader: ModelReader,
    pub(crate) metrics: Arc<ModelMetrics>,
}

impl Served {
    /// Loads a model file.
    pub(crate) fn load(name: &str, path: &Path, metrics: Arc<ModelMetrics>) -> Result<Self> {
        let contents = Contents::load(path)?;
        let model = AnyModel::from_contents(&contents)?;
        let mut version = contents.digest();
        version.truncate(VERSION_DIGITS);
        // With the name of a file of rows, which the bodies of requests resemble.
        let reader =
            ModelReader::for_model(&model, ReadRequest::default(), Some(Path::new("request.jsonl")))?;
        if matches!(reader.layout(), Layout::Opaque) {
            return Err(Error::input("the model has a custom dissimilarity; only Python can score with it"));
        }
        Ok(Self { name: name.to_owned(), version, model, reader, metrics })
    }

    /// Whether answers have a name column, as in `eocc score`.
    pub(crate) fn has_names(&self) -> bool {
        !self.model.names().is_empty()
    }

    /// The metadata of the protocol, and additional information.
    pub(crate) fn metadata(&self) -> Value {
        let mut outputs: Vec<Value> = Vec::new();
        if self.has_names() {
            outputs.push(tensor("name", "BYTES", &[-1]));
        }
        let kinds = [("score", "FP64"), ("membership", "FP64"), ("accepted", "BOOL"), ("region", "INT64")];
        outputs.extend(kinds.iter().map(|(name, kind)| tensor(name, kind, &[-1])));
        outputs.push(tensor("p_value", "FP64", &[-1]));
        json!({
            "name": self.name,
            "versions": [self.version],
            "platform": "eocc",
            "inputs": inputs(self.reader.layout(), self.model.reference().features()),
            "outputs": outputs,
            "parameters": {
                "kind": self.model.kind().name(),
                "training_samples": self.model.summary().samples,
                "regions": self.model.regions().len(),
                // The smallest accepted score.
                "offset": self.model.boundary(),
            },
        })
    }
}

fn tensor(name: &str, datatype: &str, shape: &[i64]) -> Value {
    json!({ "name": name, "datatype": datatype, "shape": shape })
}

/// The inputs of a model of this form: one per column, or one tensor.
fn inputs(layout: &Layout, features: usize) -> Vec<Value> {
    let width = i64::try_from(features).unwrap_or(-1);
    match (layout, layout.single_column()) {
        (Layout::Numbers(names), _) if names.is_empty() => vec![tensor("rows", "FP64", &[-1, width])],
        (Layout::Dissimilarities(count), _) => {
            vec![tensor("dissimilarities", "FP64", &[-1, i64::try_from(*count).unwrap_or(-1)])]
        }
        (_, Some("series")) => vec![tensor("series", "FP64", &[-1, -1])],
        (_, Some(kind)) => vec![tensor(kind, "BYTES", &[-1])],
        (layout, None) => {
            let datatype = |kind| if kind == "number" { "FP64" } else { "BYTES" };
            let all = layout.named_columns().into_iter();
            all.map(|(name, kind)| tensor(name, datatype(kind), &[-1])).collect()
        }
    }
}
