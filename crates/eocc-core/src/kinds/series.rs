//! Time series.

use serde_json::{Value, json};

use super::{AnyDissimilarity, Kinds, Layout, SampleKind};
use crate::dissimilarity::matched::{Differences, steps};
use crate::dissimilarity::{Entry, series};
use crate::error::Result;
use crate::file::{Contents, damaged, lengths};
use crate::params::Preset;
use crate::sample::{SampleSet, Series, SeriesSet};

impl SampleKind for SeriesSet {
    const NAME: &'static str = "time series";
    const KEY: &'static str = "series";

    fn catalogue() -> &'static [Entry<Series>] {
        series::CATALOGUE
    }

    fn preset_settings(preset: Preset, _measure: &str) -> &'static [(&'static str, &'static str)] {
        // Channels have units, on which `default` must not depend.
        match preset {
            Preset::Default => &[("scaling", "standard")],
            Preset::Paper => &[],
        }
    }

    fn layout(&self) -> Layout {
        Layout::Series
    }

    fn differences(
        &self,
        i: usize,
        others: &Self,
        j: usize,
        _measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences> {
        steps(self.sample(i), others.sample(j)).map(Differences::Steps)
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let lengths: Vec<u32> = self.refs().iter().map(|s| s.len() as u32).collect();
        let values: Vec<f64> = self.refs().iter().flat_map(|s| s.values().iter().copied()).collect();
        out.put_u32(&format!("{name}.lengths"), &[lengths.len()], &lengths);
        out.put_f64(name, &[values.len() / self.channels().max(1), self.channels()], &values);
        json!({})
    }

    fn read(name: &str, contents: &Contents, _meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let values = contents.matrix(name)?;
        let mut rest = values.values();
        let mut items = Vec::new();
        for length in lengths(&format!("{name}.lengths"), contents, values.rows(), 1)? {
            let (own, others) = rest.split_at(length * values.columns());
            items.push(Series::new(own.to_vec(), values.columns()).map_err(|e| damaged(e.to_string()))?);
            rest = others;
        }
        Self::new(items).map_err(|e| damaged(e.to_string()))
    }
}
