//! One file per command.

pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod distances;
pub(crate) mod evaluate;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod outliers;
pub(crate) mod score;
