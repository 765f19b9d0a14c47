//! The form of samples: what a reader must find in a file, or a binding in an object, to make samples of the same
//! form.

use crate::sample::MixedColumn;

/// The form of the samples of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// Numbers only, complete: names of the features, if any.
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
    /// Parts by name, each with its own form.
    Parts(Vec<(String, Layout)>),
    /// Something only its creator knows.
    Opaque,
}
