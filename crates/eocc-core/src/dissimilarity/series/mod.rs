//! Dissimilarities of time series.

mod bounds;
mod channels;
mod dtw;
mod elastic;
mod warp;

use super::Entry;
use crate::sample::Series;

pub use dtw::Dtw;
pub use elastic::{Elastic, ElasticMeasure};
pub use warp::Local;

/// The measures of time series.
pub(crate) const CATALOGUE: &[Entry<Series>] =
    &[dtw::ENTRY, elastic::ERP, elastic::MSM, elastic::TWE, elastic::SOFT_DTW];
