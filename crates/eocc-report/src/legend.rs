//! The legend of regions with their sizes.

use crate::style::{Text, marker};
use crate::svg::Svg;

/// Height of one row.
pub const ROW: f64 = 24.0;
/// More regions than this share one entry, so that a shattered model does not fill the page.
const MAX_ENTRIES: usize = 24;

/// Entries laid out in rows.
#[derive(Debug, Clone)]
pub struct Legend {
    rows: Vec<Vec<(Option<usize>, String)>>,
    column: f64,
}

impl Legend {
    /// A legend of regions, counted from 0 as in decisions, at most `width` wide; `sizes` are their numbers of
    /// samples.
    pub fn of_regions(sizes: &[usize], width: f64) -> Self {
        let mut entries: Vec<(Option<usize>, String)> = Vec::new();
        for (region, size) in sizes.iter().enumerate().take(MAX_ENTRIES) {
            entries.push((Some(region), format!("region {region} (n = {size})")));
        }
        if sizes.len() > MAX_ENTRIES {
            let samples: usize = sizes[MAX_ENTRIES..].iter().sum();
            entries.push((None, format!("{} more (n = {samples})", sizes.len() - MAX_ENTRIES)));
        }
        let widest = entries.iter().map(|entry| Text::SMALL.width(&entry.1)).fold(0.0, f64::max);
        let column = widest + 26.0;
        let per_row = ((width / column).floor() as usize).max(1);
        Self { rows: entries.chunks(per_row).map(<[_]>::to_vec).collect(), column }
    }

    /// The height of all rows.
    pub fn height(&self) -> f64 {
        self.rows.len() as f64 * ROW
    }

    /// Draws the legend with its upper left corner at `at`.
    pub fn draw(&self, svg: &mut Svg, at: [f64; 2]) {
        for (i, row) in self.rows.iter().enumerate() {
            for (j, (region, words)) in row.iter().enumerate() {
                let (x, y) = (at[0] + j as f64 * self.column, at[1] + (i as f64 + 0.5) * ROW);
                if let Some(region) = region {
                    marker(svg, [x + 6.0, y], 5.0, *region);
                }
                svg.text([x + 16.0, y + 4.0], Text::SMALL.anchored("start"), words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_regions_fit_a_page_and_a_hundred_are_summed_up() {
        assert!(Legend::of_regions(&[60; 8], 1150.0).height() <= ROW);
        let legend = Legend::of_regions(&[3; 100], 1150.0);
        assert!(legend.height() <= 4.0 * ROW);
        let mut svg = Svg::new(10.0, 10.0, "");
        legend.draw(&mut svg, [0.0, 0.0]);
        assert!(svg.finish().contains("76 more (n = 228)"));
    }

    #[test]
    fn no_regions_no_rows() {
        assert!(Legend::of_regions(&[], 100.0).height() < 1e-9);
    }
}
