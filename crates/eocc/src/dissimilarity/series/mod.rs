//! Dissimilarities of time series.

mod bounds;
mod channels;
mod dtw;
mod elastic;
mod warp;

use super::{Catalogue, Entry};
use crate::params::Preset;
use crate::sample::{Series, SeriesSet};

pub use dtw::Dtw;
pub use elastic::{Elastic, ElasticMeasure};
pub use warp::Local;

impl Catalogue for SeriesSet {
    fn catalogue() -> &'static [Entry<Series>] {
        &[dtw::ENTRY, elastic::ERP, elastic::MSM, elastic::TWE, elastic::SOFT_DTW]
    }

    fn preset_settings(preset: Preset, _measure: &str) -> &'static [(&'static str, &'static str)] {
        // Channels have units; `default` must not depend on them.
        match preset {
            Preset::Default => &[("scaling", "standard")],
            Preset::Paper => &[],
        }
    }
}
