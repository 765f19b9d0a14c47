//! The two ranking figures of a comparison.

use std::path::Path;

use anyhow::Result;
use eocc_data::atomic_write;
use eocc_eval::Summary;
use eocc_eval::statistics::{friedman, two_way_anova};
use eocc_report::{RankPicture, png};

use super::table::{ALPHA, title};

/// Width of the pictures in pixels.
const WIDTH: u32 = 1400;

/// Draws `anova` and `friedman` into a folder, as SVG and PNG. Says so if there are too few data sets or classifiers.
pub(crate) fn draw(summary: &Summary, folder: &Path) -> Result<()> {
    let table = summary.table();
    let (anova, by_rank) = match (two_way_anova(&table, ALPHA), friedman(&table, ALPHA)) {
        (Ok(a), Ok(f)) => (a, f),
        (Err(e), _) | (_, Err(e)) => {
            eprintln!("no pictures: {e}");
            return Ok(());
        }
    };
    std::fs::create_dir_all(folder).map_err(|e| eocc::Error::io(folder, e))?;
    let names: Vec<&str> = summary.methods.iter().map(|m| title(m)).collect();
    let sets = format!("{} data sets, level {ALPHA}", table.len());
    let means = RankPicture {
        title: "Mean AUC, two-way ANOVA",
        subtitle: &format!("{sets}; intervals that do not overlap differ (Tukey)"),
        axis_name: "mean AUC",
        names: &names,
        values: &anova.means,
        half_width: anova.half_width,
        is_larger_better: true,
    };
    let ranks = RankPicture {
        title: "Mean ranks, Friedman",
        subtitle: &format!("{sets}; intervals that do not overlap differ (Nemenyi)"),
        axis_name: "mean rank",
        names: &names,
        values: &by_rank.mean_ranks,
        half_width: 0.5 * by_rank.critical_difference,
        is_larger_better: false,
    };
    let subtitle = format!("{sets}; bars join those that do not differ (Nemenyi)");
    let joined = RankPicture { subtitle: &subtitle, ..ranks };
    for (name, svg) in [
        ("anova", means.intervals()),
        ("friedman", ranks.intervals()),
        ("critical-difference", joined.critical_difference()),
    ] {
        let image = png(&svg, WIDTH)?;
        atomic_write(&folder.join(format!("{name}.svg")), |w| w.write_all(svg.as_bytes()))?;
        atomic_write(&folder.join(format!("{name}.png")), |w| w.write_all(&image))?;
    }
    eprintln!("anova, friedman and critical-difference are drawn in {}", folder.display());
    Ok(())
}
