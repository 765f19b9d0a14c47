//! A model whose type of samples is known only when its file is read.
//!
//! A new type of samples is one line in [`AnyModel`] and one in [`with_model!`](crate::with_model).

use std::path::Path;

use super::file::Contents;
use super::{Model, Store};
use crate::error::{ModelFault, Result};
use crate::graphs::Graphs;
use crate::sample::{Precomputed, Vectors};

/// A model of any of the types of samples that can be stored.
pub enum AnyModel {
    /// Of vectors of numbers.
    Vectors(Model<Vectors>),
    /// Of precomputed dissimilarities.
    Precomputed(Model<Precomputed>),
    /// Of labelled graphs.
    Graphs(Model<Graphs>),
}

/// Does the same with whatever model it is: `with_model!(any, model => expression)`.
#[macro_export]
macro_rules! with_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            $crate::AnyModel::Vectors($model) => $body,
            $crate::AnyModel::Precomputed($model) => $body,
            $crate::AnyModel::Graphs($model) => $body,
        }
    };
}

impl AnyModel {
    /// Loads a model file, whatever it is of.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_contents(&Contents::load(path)?)
    }

    /// From file contents.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        let kind = contents.meta.get("kind").and_then(|k| k.as_str()).unwrap_or("nothing");
        if kind == Vectors::KIND {
            Model::from_contents(contents).map(Self::Vectors)
        } else if kind == Precomputed::KIND {
            Model::from_contents(contents).map(Self::Precomputed)
        } else if kind == Graphs::KIND {
            Model::from_contents(contents).map(Self::Graphs)
        } else {
            Err(ModelFault::Unsupported(format!("the model is of {kind}, which this program does not know"))
                .into())
        }
    }
}

impl From<Model<Vectors>> for AnyModel {
    fn from(model: Model<Vectors>) -> Self {
        Self::Vectors(model)
    }
}

impl From<Model<Precomputed>> for AnyModel {
    fn from(model: Model<Precomputed>) -> Self {
        Self::Precomputed(model)
    }
}

impl From<Model<Graphs>> for AnyModel {
    fn from(model: Model<Graphs>) -> Self {
        Self::Graphs(model)
    }
}
