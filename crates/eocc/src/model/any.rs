//! A model whose type of samples is known only when its file is read.
//!
//! A new type of samples is one line in `stored_types!` and one in [`with_model!`](crate::with_model).

use std::path::Path;

use serde_json::json;

use super::file::Contents;
use super::{Model, Store};
use crate::error::{ModelFault, Result};
use crate::sample::{AnySamples, stored_types};
use crate::with_samples;

macro_rules! any_model {
    ($($(#[$doc:meta])* $name:ident($samples:ty),)*) => {
        /// A model of any of the types of samples that can be stored.
        pub enum AnyModel {
            $($(#[$doc])* $name(Model<$samples>),)*
        }

        impl AnyModel {
            /// From file contents.
            pub fn from_contents(contents: &Contents) -> Result<Self> {
                let kind = contents.meta.get("kind").and_then(|k| k.as_str()).unwrap_or("nothing");
                $(if kind == <$samples>::KIND {
                    return Model::from_contents(contents).map(Self::$name);
                })*
                let text = format!("the model is of {kind}, which this program does not know");
                Err(ModelFault::Unsupported(text).into())
            }
        }

        $(impl From<Model<$samples>> for AnyModel {
            fn from(model: Model<$samples>) -> Self {
                Self::$name(model)
            }
        })*
    };
}

stored_types!(any_model);

impl AnySamples {
    /// The name of their type, as in model files.
    pub fn kind(&self) -> &'static str {
        fn kind<X: Store>(_: &X) -> &'static str {
            X::KIND
        }
        with_samples!(self, samples => kind(samples))
    }

    /// As contents of a file, to send them to another machine. Rows of precomputed dissimilarities are left behind.
    pub fn to_contents(&self) -> Contents {
        let mut out = Contents::default();
        let samples = with_samples!(self, samples => samples.write("samples", &mut out));
        out.meta = json!({ "kind": self.kind(), "samples": samples });
        out
    }

    /// Reads them back.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        fn read<X: Store>(contents: &Contents) -> Option<Result<X>> {
            (contents.meta["kind"] == X::KIND)
                .then(|| X::read("samples", contents, &contents.meta["samples"]))
        }
        let sets = [
            read(contents).map(|r| r.map(Self::Vectors)),
            read(contents).map(|r| r.map(Self::Texts)),
            read(contents).map(|r| r.map(Self::Series)),
            read(contents).map(|r| r.map(Self::Mixed)),
            read(contents).map(|r| r.map(Self::Records)),
            read(contents).map(|r| r.map(Self::Graphs)),
        ];
        let unknown = || Err(ModelFault::Unsupported("these are no samples that can be read".into()).into());
        sets.into_iter().flatten().next().unwrap_or_else(unknown)
    }
}

/// Does the same with whatever model it is: `with_model!(any, model => expression)`.
#[macro_export]
macro_rules! with_model {
    ($any:expr, $model:ident => $body:expr) => {
        match $any {
            $crate::AnyModel::Vectors($model) => $body,
            $crate::AnyModel::Precomputed($model) => $body,
            $crate::AnyModel::Texts($model) => $body,
            $crate::AnyModel::Series($model) => $body,
            $crate::AnyModel::Mixed($model) => $body,
            $crate::AnyModel::Records($model) => $body,
            $crate::AnyModel::Graphs($model) => $body,
        }
    };
}

impl AnyModel {
    /// Loads a model file, whatever it is of.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_contents(&Contents::load(path)?)
    }

    /// Everything needed to score, as file contents.
    pub fn to_contents(&self) -> Result<Contents> {
        with_model!(self, model => model.to_contents())
    }
}
