//! The parameters of a stream.

use serde::{Deserialize, Serialize};

use super::detector::AlarmRate;
use crate::error::{ErrorKind, ParameterFault, Result};
use crate::params::{OneClass, Preset, Threshold};

/// Minimum size of the window: after a change it must hold enough to learn from.
pub const MIN_WINDOW: usize = 64;
/// Minimum number of samples of the warm-up.
pub const MIN_WARM_UP: usize = 20;

/// What happens when the stream has changed for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// It is reported, and a person decides. Samples odder than the nominals were while the threshold settled (in the first window after
    /// the warm-up, or the first few under serial dependence) are never learned without confirmation. Drift that stays below that is
    /// learned and reported.
    #[default]
    Guard,
    /// Lasting changes are learned.
    Follow,
}

impl Policy {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::Follow => "follow",
        }
    }

    /// The policy with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Guard, Self::Follow].into_iter().find(|p| p.name() == name)
    }

    /// How far the threshold may rise per window, as a fraction of its height.
    pub(super) fn rise(self) -> f64 {
        match self {
            Self::Guard => 0.0,
            Self::Follow => 0.25,
        }
    }
}

/// Parameters of a stream, not yet checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct StreamParams {
    /// Parameters of the classifier that is fitted on the window, of the preset `default`. Their seed is also that of the stream.
    pub one_class: OneClass,
    /// Number of accepted samples in the window, at least [`MIN_WINDOW`].
    pub window: usize,
    /// Number of samples that are learned without being judged, at least [`MIN_WARM_UP`] and at most a window.
    pub warm_up: usize,
    /// What happens when the stream has changed for good.
    pub policy: Policy,
    /// How rare false alarms are.
    pub alarm_rate: AlarmRate,
    /// How many observations after a change the decision is made whether it lasts, at least 16. Bursts of up to half this length are
    /// distinguished from lasting changes.
    pub settle: usize,
    /// Observations between two refreshes of the model; `None`: an eighth of the window, at least 8.
    pub refresh: Option<usize>,
    /// Only one in this many observations enters the change test; `None`: as serial dependence requires.
    pub step: Option<usize>,
    /// Whether missing values are replaced by the typical values of the window before a sample is judged; otherwise the measure
    /// handles them. Those of the warm-up are replaced at its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub impute: bool,
}

impl Default for StreamParams {
    fn default() -> Self {
        Self {
            one_class: OneClass::default().reject(0.01),
            window: 512,
            warm_up: 256,
            policy: Policy::Guard,
            alarm_rate: AlarmRate::PerObservation(1e-4),
            settle: 64,
            refresh: None,
            step: None,
            impute: false,
        }
    }
}

impl StreamParams {
    /// Checks everything that can be checked without data; lists every fault.
    pub fn check(&self) -> Result<()> {
        self.one_class.clone().check()?;
        let mut faults = Vec::new();
        let mut require = |holds: bool, name: &str, given: String, allowed: String| {
            if !holds {
                faults.push(ParameterFault { name: name.into(), given, allowed, remedy: None });
            }
        };
        let preset = self.one_class.preset;
        require(
            preset == Preset::Default,
            "preset",
            preset.name().into(),
            "`default`, whose committee can follow a stream".into(),
        );
        require(
            self.one_class.threshold != Threshold::Percentile,
            "threshold",
            "a percentile".into(),
            "a share to reject or the contamination".into(),
        );
        let window = self.window;
        require(
            (MIN_WINDOW..=1 << 20).contains(&window),
            "window",
            window.to_string(),
            format!("from {MIN_WINDOW} to {}", 1 << 20),
        );
        require(
            (MIN_WARM_UP..=window).contains(&self.warm_up),
            "warm_up",
            self.warm_up.to_string(),
            format!("at least {MIN_WARM_UP} and at most the window, {window}"),
        );
        let settle = self.settle;
        let allowed = format!("at least 16 and at most half of the window, {}", window / 2);
        require(settle >= 16 && settle <= window / 2, "settle", settle.to_string(), allowed);
        let (name, rate) = match self.alarm_rate {
            AlarmRate::PerObservation(rate) => ("alarm_rate", rate),
            AlarmRate::Ever(rate) => ("ever", rate),
        };
        require(rate > 0.0 && rate < 1.0, name, rate.to_string(), "in (0, 1)".into());
        for (name, value) in [("refresh", self.refresh), ("step", self.step)] {
            require(value != Some(0), name, "0".into(), "at least 1".into());
        }
        if faults.is_empty() { Ok(()) } else { Err(ErrorKind::Parameter(faults).into()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_faults_are_listed() {
        assert!(StreamParams::default().check().is_ok());
        let mut params = StreamParams { window: 10, settle: 0, step: Some(0), ..StreamParams::default() };
        params.alarm_rate = AlarmRate::Ever(0.0);
        let text = params.check().unwrap_err().to_string();
        for name in ["window is 10", "warm_up is 256", "settle is 0", "ever is 0", "step is 0"] {
            assert!(text.contains(name), "{text}");
        }
        params = StreamParams { one_class: OneClass::new(Preset::Paper), ..StreamParams::default() };
        assert!(params.check().unwrap_err().to_string().contains("preset is paper"));
    }
}
