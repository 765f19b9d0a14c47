//! The figures of a comparison: mean values with intervals, mean ranks with intervals, and critical differences.

use crate::{RankPicture, ReportError, png};

/// Width of the bitmaps in pixels.
const WIDTH: u32 = 1400;

/// The results of a comparison of classifiers over several data sets.
#[derive(Debug, Clone, Copy)]
pub struct RankingFigures<'a> {
    /// The classifiers.
    pub names: &'a [&'a str],
    /// Number of data sets.
    pub sets: usize,
    /// Level of the tests.
    pub alpha: f64,
    /// Mean AUC of each classifier.
    pub means: &'a [f64],
    /// Half the width of the interval around a mean (Tukey).
    pub half_width: f64,
    /// Mean rank of each classifier; 1 is best.
    pub mean_ranks: &'a [f64],
    /// The difference beyond which mean ranks differ (Nemenyi).
    pub critical_difference: f64,
}

impl RankingFigures<'_> {
    /// The figures as SVG, by name: `anova`, `friedman` and `critical-difference`.
    pub fn svg(&self) -> [(&'static str, String); 3] {
        let sets = format!("{} data sets, level {}", self.sets, self.alpha);
        let means = RankPicture {
            title: "Mean AUC, two-way ANOVA",
            subtitle: &format!("{sets}; intervals that do not overlap differ (Tukey)"),
            axis_name: "mean AUC",
            names: self.names,
            values: self.means,
            half_width: self.half_width,
            is_larger_better: true,
        };
        let ranks = RankPicture {
            title: "Mean ranks, Friedman",
            subtitle: &format!("{sets}; intervals that do not overlap differ (Nemenyi)"),
            axis_name: "mean rank",
            names: self.names,
            values: self.mean_ranks,
            half_width: 0.5 * self.critical_difference,
            is_larger_better: false,
        };
        let subtitle = format!("{sets}; bars join those that do not differ (Nemenyi)");
        let joined = RankPicture { subtitle: &subtitle, ..ranks };
        [
            ("anova", means.intervals()),
            ("friedman", ranks.intervals()),
            ("critical-difference", joined.critical_difference()),
        ]
    }

    /// The figures as files, each as SVG and, if this build can render it, as PNG: names and contents.
    pub fn files(&self) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
        let mut files = Vec::new();
        for (name, svg) in self.svg() {
            if crate::CAN_RENDER {
                files.push((format!("{name}.png"), png(&svg, WIDTH)?));
            }
            files.push((format!("{name}.svg"), svg.into_bytes()));
        }
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_name_the_classifiers_and_equal_classifiers_are_not_an_error() {
        for (half_width, critical_difference) in [(0.02, 0.7), (0.0, 0.0)] {
            let figures = RankingFigures {
                names: &["Gauss", "LOF"],
                sets: 3,
                alpha: 0.05,
                means: &[0.9, 0.9],
                half_width,
                mean_ranks: &[1.5, 1.5],
                critical_difference,
            };
            for (name, svg) in figures.svg() {
                assert!(svg.contains(">Gauss<") && svg.contains("3 data sets, level 0.05"), "{name}");
                assert!(!svg.contains("NaN"), "{name}");
            }
            assert_eq!(figures.files().unwrap().len(), 6);
        }
    }
}
