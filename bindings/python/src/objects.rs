//! Objects known only to Python, as a kind of samples: compared by a Python function, stored only by pickle.

use std::sync::Arc;

use eocc_core::dissimilarity::Entry;
use eocc_core::error::ModelFault;
use eocc_core::file::Contents;
use eocc_core::{Kinds, Layout, Result, SampleKind, SampleSet};
use pyo3::prelude::*;
use serde_json::Value;

/// Any Python object. In an `Arc`, since cloning a reference needs the interpreter lock and cloning this does not.
pub(crate) type Object = Arc<Py<PyAny>>;

/// A set of them.
#[derive(Clone)]
pub(crate) struct Objects(pub(crate) Vec<Object>);

impl SampleSet for Objects {
    type Item = Object;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn sample(&self, i: usize) -> &Object {
        &self.0[i]
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self(self.0.select(indices))
    }
}

impl SampleKind for Objects {
    const NAME: &'static str = "objects";
    const KEY: &'static str = "objects";

    fn catalogue() -> &'static [Entry<Object>] {
        &[]
    }

    fn layout(&self) -> Layout {
        Layout::Opaque
    }

    /// Nothing: pickle stores the objects next to the model.
    fn write(&self, _name: &str, _out: &mut Contents) -> Value {
        Value::Null
    }

    fn read(_name: &str, _contents: &Contents, _meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let text = "the model is of objects that only Python knows; unpickle the estimator";
        Err(ModelFault::Unsupported(text.into()).into())
    }
}
