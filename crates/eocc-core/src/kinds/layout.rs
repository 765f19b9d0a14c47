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

impl Layout {
    /// The type of the only column that samples of this form take: `text`, `series` or `graph`.
    pub fn single_column(&self) -> Option<&'static str> {
        match self {
            Self::Text => Some("text"),
            Self::Series => Some("series"),
            Self::Graph => Some("graph"),
            _ => None,
        }
    }

    /// The columns that form the samples, by name and type; empty if they have no names. A date is one column.
    pub fn named_columns<'a>(&'a self) -> Vec<(&'a str, &'static str)> {
        match self {
            Self::Numbers(names) => names.iter().map(|name| (name.as_str(), "number")).collect(),
            Self::Columns(columns) => {
                let mut all: Vec<_> = columns.iter().map(|one| (one.source(), one.kind.name())).collect();
                all.dedup();
                all
            }
            Self::Parts(parts) => {
                let of_part = |(name, layout): &'a (String, Self)| match layout.single_column() {
                    Some(kind) => vec![(name.as_str(), kind)],
                    None => layout.named_columns(),
                };
                parts.iter().flat_map(of_part).collect()
            }
            _ => Vec::new(),
        }
    }
}
