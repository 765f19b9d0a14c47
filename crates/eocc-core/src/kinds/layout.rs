//! The form of samples: what a reader must find in a file, or a binding in an object, to make samples like those.

use crate::sample::MixedColumn;

/// What samples of a kind are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Numbers only, none missing: names of the features, if they have any.
    Numbers(Vec<String>),
    /// Columns of several types, some cells of which may be missing.
    Columns(Vec<MixedColumn>),
    /// One text each.
    Text,
    /// One time series each.
    Series,
    /// One labelled graph each.
    Graph,
    /// Dissimilarities to this many training samples each.
    Dissimilarities(usize),
    /// Parts by name, each with a form of its own.
    Parts(Vec<(String, Layout)>),
    /// Something only its maker knows.
    Opaque,
}
