//! One file per command, and the plan of `distances`.

pub(crate) mod announce;
pub(crate) mod columns;
pub(crate) mod compare;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod distances;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod man;
pub(crate) mod monitor;
pub(crate) mod outliers;
pub(crate) mod plot;
pub(crate) mod proteins;
pub(crate) mod report;
pub(crate) mod score;
pub(crate) mod serve;
