//! Weights as bars.

use super::{WIDTH, small};
use crate::style::{INK, MUTED, PALETTE, Text};
use crate::svg::Svg;

/// Maximum number of bars.
const MAX_BARS: usize = 24;
const ROW: f64 = 18.0;
/// Space for names, and for numbers.
const NAMES: f64 = 120.0;
const VALUES: f64 = 52.0;

/// Weights of the features, largest first.
pub(super) fn weights(all: &[(String, f64)]) -> Option<String> {
    let mut shown: Vec<&(String, f64)> = all.iter().filter(|w| w.1.is_finite()).collect();
    if shown.is_empty() {
        return None;
    }
    shown.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    let more = shown.len().saturating_sub(MAX_BARS);
    shown.truncate(MAX_BARS);
    let largest = shown.iter().map(|w| w.1.abs()).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let rows = shown.len() + usize::from(more > 0);
    let mut svg = Svg::new(WIDTH, 26.0 + ROW * rows as f64 + 6.0, "Weights of the features");
    svg.text([WIDTH / 2.0, 16.0], Text::AXIS, "weights of the features");
    let room = WIDTH - NAMES - VALUES - 12.0;
    for (row, (name, value)) in shown.iter().enumerate() {
        let y = 26.0 + ROW * row as f64;
        let name = Text::SMALL.fitted(name, NAMES - 8.0);
        let style = Text { fill: INK, ..Text::SMALL.anchored("end") };
        svg.text([NAMES, y + 12.0], style, &name);
        let width = room * value.abs() / largest;
        let bar = [
            ("x", (NAMES + 6.0).into()),
            ("y", (y + 2.0).into()),
            ("width", width.into()),
            ("height", (ROW - 5.0).into()),
            ("fill", PALETTE[0].into()),
        ];
        svg.element("rect", &bar);
        svg.text(
            [NAMES + 12.0 + width, y + 12.0],
            Text { fill: MUTED, ..Text::SMALL.anchored("start") },
            &format!("{value:.3}"),
        );
    }
    if more > 0 {
        small(
            &mut svg,
            [NAMES + 6.0, 26.0 + ROW * MAX_BARS as f64 + 12.0],
            &format!("and {more} smaller ones"),
        );
    }
    Some(svg.finish())
}
