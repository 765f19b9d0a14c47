//! Sequences of vectors: time series with one or more channels, of equal or unequal lengths.

use super::{SampleSet, facts, nothing_to_join};
use crate::error::{Error, Result};

/// Maximum length of a series, in time steps: comparing two of this length takes seconds, not hours.
pub const MAX_SERIES_LENGTH: usize = 1 << 17;

/// One time series: at least one time step, at least one channel, all finite.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The values of one time step after another.
    values: Vec<f64>,
    channels: usize,
}

impl Series {
    /// From the values of one time step after another, `channels` each.
    pub fn new(values: Vec<f64>, channels: usize) -> Result<Self> {
        if channels == 0 || values.is_empty() || !values.len().is_multiple_of(channels) {
            return Err(Error::input(format!(
                "a series of {} values does not make whole time steps of {channels} channels, at least one",
                values.len()
            )));
        }
        if values.len() / channels > MAX_SERIES_LENGTH {
            return Err(Error::input(format!(
                "the series has {} time steps, but at most {MAX_SERIES_LENGTH} are supported; cut it or sample it down",
                values.len() / channels
            )));
        }
        if let Some(at) = values.iter().position(|v| v.is_nan() || v.abs() > 1e150) {
            return Err(Error::input(format!(
                "time step {}, channel {}: the value is {}, but must be finite (and at most 1e150); fill the gap or \
                 leave out the series",
                at / channels,
                at % channels,
                values[at]
            )));
        }
        Ok(Self { values, channels })
    }

    /// With one channel.
    pub fn univariate(values: Vec<f64>) -> Result<Self> {
        Self::new(values, 1)
    }

    /// Number of time steps; at least 1.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.values.len() / self.channels
    }

    /// Number of channels; at least 1.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The values of one time step after another.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The time steps.
    pub fn steps(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.channels)
    }
}

/// Time series with the same channels.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesSet {
    items: Vec<Series>,
    names: Vec<String>,
}

impl SeriesSet {
    /// Checks and takes series; the channels are named by number.
    pub fn new(items: Vec<Series>) -> Result<Self> {
        let channels = items.first().map_or(0, Series::channels);
        if let Some((i, other)) = items.iter().enumerate().find(|(_, s)| s.channels != channels) {
            return Err(Error::input(format!(
                "series {i} has {} channels, but series 0 has {channels}; all must have the same",
                other.channels
            )));
        }
        Ok(Self { items, names: (0..channels).map(|c| format!("channel{c}")).collect() })
    }

    /// Number of channels.
    pub fn channels(&self) -> usize {
        self.names.len()
    }
}

impl SampleSet for SeriesSet {
    type Item = Series;

    fn count(&self) -> usize {
        self.items.len()
    }

    fn sample(&self, i: usize) -> &Series {
        &self.items[i]
    }

    fn bytes(&self) -> usize {
        self.items.iter().map(|series| 64 + 8 * series.values.len()).sum()
    }

    fn select(&self, indices: &[usize]) -> Self {
        Self { items: indices.iter().map(|&i| self.items[i].clone()).collect(), names: self.names.clone() }
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        Some(facts::hash_of_list(&self.items[i].values))
    }

    fn joined(sets: &[&Self]) -> Result<Self> {
        let first = sets.iter().find(|set| set.channels() > 0).or(sets.first());
        let first = first.ok_or_else(nothing_to_join)?;
        sets.iter().try_for_each(|set| first.accepts(set))?;
        let items = sets.iter().flat_map(|set| set.items.iter().cloned()).collect();
        Ok(Self { items, names: first.names.clone() })
    }

    fn feature_names(&self) -> &[String] {
        &self.names
    }

    fn accepts(&self, others: &Self) -> Result<()> {
        if others.items.is_empty() || self.channels() == others.channels() {
            return Ok(());
        }
        Err(Error::input(format!(
            "the model is of series with {} channels, but the samples have {}",
            self.channels(),
            others.channels()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named_with_their_place() {
        let say = |values: &[f64], channels| Series::new(values.to_vec(), channels).unwrap_err().to_string();
        assert!(say(&[], 1).contains("0 values"));
        assert!(say(&[1.0, 2.0, 3.0], 2).contains("3 values"));
        assert!(say(&[1.0, 2.0, f64::NAN, 3.0], 2).starts_with("time step 1, channel 0: the value is NaN"));
        let ragged = vec![Series::univariate(vec![1.0]).unwrap(), Series::new(vec![1.0, 2.0], 2).unwrap()];
        assert!(SeriesSet::new(ragged).unwrap_err().to_string().starts_with("series 1 has 2 channels"));
    }
}
