//! Dynamic time warping: the least sum of local costs along a path that matches every time step of each series with
//! at least one of the other, in order (Sakoe and Chiba 1978).
//!
//! The local cost is the weighted Euclidean distance of two time steps; the weights of the channels are `p`.
//! Normalized, the sum is divided by the number of matches on the path.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::settings::{setting, word};
use super::super::sight::SeriesSight;
use super::super::{Dissimilarity, Entry, Parameter, Prepared, Settings, Sight};
use super::bounds::Envelopes;
use super::channels::Channels;
use super::warp::{Group, LANES, Local, Warping};
use crate::error::{Error, Result};
use crate::sample::Series;

/// Dynamic time warping.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dtw {
    channels: Channels,
    local: Local,
    /// Half-width of the Sakoe–Chiba band as a fraction of the longer series; `None` for all paths.
    band: Option<f64>,
    normalize: bool,
}

impl Default for Dtw {
    fn default() -> Self {
        Self { channels: Channels::default(), local: Local::Euclidean, band: None, normalize: true }
    }
}

impl Dtw {
    /// The sum along the path (`normalize = false`) or its mean, with or without a band.
    pub fn new(local: Local, band: Option<f64>, normalize: bool) -> Result<Self> {
        if let Some(band) = band
            && !(0.0..=1.0).contains(&band)
        {
            return Err(Error::parameter("band", band.to_string(), "in [0, 1]"));
        }
        Ok(Self { channels: Channels::default(), local, band, normalize })
    }

    fn warping(&self) -> Warping {
        Warping { local: self.local, band: self.band, by_steps: self.normalize }
    }
}

impl Dissimilarity<Series> for Dtw {
    fn name(&self) -> &'static str {
        "dtw"
    }

    fn sight(&self) -> Option<Box<dyn Sight<Series>>> {
        Some(Box::new(SeriesSight::default()))
    }

    fn between(&self, a: &Series, b: &Series) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    fn learn(&mut self, samples: &[&Series], names: &[String]) -> Result<()> {
        self.channels.learn(samples, names);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        self.channels.parameters()
    }

    fn set(&mut self, p: &[f64]) {
        self.channels.set(p);
    }

    fn check(&self, sample: &Series) -> Result<()> {
        self.channels.check(sample)
    }

    fn state(&self) -> Option<Value> {
        serde_json::to_value(self).ok()
    }

    fn settings(&self) -> Vec<(String, String)> {
        let mut all = vec![
            setting("local", word(&self.local)),
            setting("normalize", self.normalize),
            setting("scaling", self.channels.scaling()),
        ];
        all.extend(self.band.map(|band| setting("band", band)));
        all
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<Series>> {
        Box::new(self.clone())
    }

    fn prepare(&self, many: &[&Series]) -> Box<dyn Prepared<Series>> {
        let width = many.first().map_or(1, |s| s.channels());
        let values: Vec<Vec<f64>> = many.iter().map(|s| self.channels.map(s)).collect();
        let mut order: Vec<usize> = (0..many.len()).collect();
        order.sort_by_key(|&i| values[i].len());
        let group = |places: &[usize]| {
            Group::new(&places.iter().map(|&i| values[i].as_slice()).collect::<Vec<_>>(), width)
        };
        let groups = order.chunks(LANES).map(group).collect();
        let envelopes = Envelopes::new(&values, width, self.band);
        Box::new(Many { d: self.clone(), width, values, order, groups, envelopes })
    }

    fn effort(&self, sample: &Series) -> usize {
        sample.len()
    }

    fn has_bounds(&self) -> bool {
        true
    }
}

/// Series in groups of similar lengths, and each series with its envelope.
struct Many {
    d: Dtw,
    width: usize,
    values: Vec<Vec<f64>>,
    order: Vec<usize>,
    groups: Vec<Group>,
    envelopes: Envelopes,
}

impl Prepared<Series> for Many {
    fn fill(&self, one: &Series, range: Range<usize>, out: &mut [f64]) {
        let one = self.d.channels.map(one);
        let mut cells = Vec::new();
        for (group, places) in self.groups.iter().zip(self.order.chunks(LANES)) {
            if places.iter().any(|i| range.contains(i)) {
                let found = self.d.warping().distances(&one, group, &mut cells);
                for (&i, value) in places.iter().zip(found).filter(|(i, _)| range.contains(i)) {
                    out[i - range.start] = value;
                }
            }
        }
    }

    fn fill_some(&self, one: &Series, which: &[usize], out: &mut [f64]) {
        let one = self.d.channels.map(one);
        let mut cells = Vec::new();
        for (which, out) in which.chunks(LANES).zip(out.chunks_mut(LANES)) {
            let members: Vec<&[f64]> = which.iter().map(|&i| self.values[i].as_slice()).collect();
            let group = Group::new(&members, self.width);
            for (o, value) in out.iter_mut().zip(self.d.warping().distances(&one, &group, &mut cells)) {
                *o = value;
            }
        }
    }

    fn lower_bounds(&self, one: &Series, out: &mut [f64]) -> bool {
        let one = self.d.channels.map(one);
        self.envelopes.bounds(&one, &self.values, &self.d.warping(), out);
        true
    }
}

fn make(settings: &Settings) -> Result<Box<dyn Dissimilarity<Series>>> {
    settings.only("dtw", &["band", "local", "normalize", "scaling"])?;
    let local = settings.get("local", Local::NAMES)?.unwrap_or_default();
    let band: Option<f64> = settings.get("band", "a number in [0, 1]")?;
    let mut d = Dtw::new(local, band, settings.truth("normalize", true)?)?;
    d.channels = Channels::from_settings(settings)?;
    Ok(Box::new(d))
}

pub(super) const ENTRY: Entry<Series> = Entry {
    name: "dtw",
    summary: "dynamic time warping; settings: band (fraction of the length), local (euclidean, squared), normalize, \
              scaling",
    make,
    restore: |state| {
        super::super::restored(state, |mut d: Dtw| {
            let is_sound = d.channels.restore() && Dtw::new(d.local, d.band, d.normalize).is_ok();
            is_sound.then(|| d.boxed())
        })
    },
};
