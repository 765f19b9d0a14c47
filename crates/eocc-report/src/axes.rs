//! A pair of axes: frame, grid, ticks and names.

use crate::scale::{Linear, Ticks, ticks};
use crate::style::{FRAME, GRID, Text};
use crate::svg::Svg;

/// A rectangle on the page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Upper edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

impl Area {
    /// The right edge.
    pub fn right(&self) -> f64 {
        self.x + self.width
    }

    /// The lower edge.
    pub fn bottom(&self) -> f64 {
        self.y + self.height
    }
}

/// Two scales and the plot area they span.
#[derive(Debug, Clone, PartialEq)]
pub struct Axes {
    /// The plot area, where data are drawn.
    pub plot: Area,
    /// Rightwards.
    pub x: Linear,
    /// Upwards.
    pub y: Linear,
    x_ticks: Ticks,
    y_ticks: Ticks,
}

/// Space below the plot for tick labels and the name of the axis.
const BELOW: f64 = 44.0;
/// Space left of the tick labels for the name of the axis.
const NAME: f64 = 24.0;
/// Space between tick label and frame.
const GAP: f64 = 7.0;

impl Axes {
    /// Axes that fill an area, including their labels.
    pub fn within(area: Area, x_domain: [f64; 2], y_domain: [f64; 2]) -> Self {
        let y_ticks = ticks(y_domain, 6);
        let left = NAME + GAP + widest(&y_ticks);
        // The last label may protrude to the right by half its width.
        let right = widest(&ticks(x_domain, 6)) / 2.0;
        let plot = Area {
            x: area.x + left,
            y: area.y,
            width: (area.width - left - right).max(1.0),
            height: (area.height - BELOW).max(1.0),
        };
        Self {
            plot,
            x: Linear { domain: x_domain, range: [plot.x, plot.right()] },
            y: Linear { domain: y_domain, range: [plot.bottom(), plot.y] },
            x_ticks: fitting(x_domain, plot.width),
            y_ticks,
        }
    }

    /// Where a data point is drawn; `None` if it is not finite.
    pub fn position(&self, point: [f64; 2]) -> Option<[f64; 2]> {
        let place = [self.x.at(point[0]), self.y.at(point[1])];
        place.iter().all(|value| value.is_finite()).then_some(place)
    }

    /// Draws grid, frame, tick labels and names; data are drawn on top.
    pub fn draw(&self, svg: &mut Svg, names: [&str; 2]) {
        let Area { x, y, width, height } = self.plot;
        for (&value, label) in self.x_ticks.values.iter().zip(&self.x_ticks.labels) {
            let at = self.x.at(value);
            svg.line([at, y], [at, y + height], GRID, 1.0);
            svg.text([at, y + height + 17.0], Text::SMALL, label);
        }
        for (&value, label) in self.y_ticks.values.iter().zip(&self.y_ticks.labels) {
            let at = self.y.at(value);
            svg.line([x, at], [x + width, at], GRID, 1.0);
            svg.text([x - GAP, at + 4.0], Text::SMALL.anchored("end"), label);
        }
        svg.element(
            "rect",
            &[
                ("x", x.into()),
                ("y", y.into()),
                ("width", width.into()),
                ("height", height.into()),
                ("fill", "none".into()),
                ("stroke", FRAME.into()),
            ],
        );
        let below = [x + width / 2.0, y + height + 38.0];
        svg.text(below, Text::AXIS, &Text::AXIS.fitted(names[0], width));
        let beside = [x - GAP - widest(&self.y_ticks) - 9.0, y + height / 2.0];
        svg.text(beside, Text::AXIS.upright(), &Text::AXIS.fitted(names[1], height));
    }
}

fn widest(ticks: &Ticks) -> f64 {
    ticks.labels.iter().map(|label| Text::SMALL.width(label)).fold(0.0, f64::max)
}

/// As many ticks as fit next to one another, up to seven.
fn fitting(domain: [f64; 2], width: f64) -> Ticks {
    let mut most = 7;
    loop {
        let ticks = ticks(domain, most);
        if most <= 1 || (widest(&ticks) + 10.0) * ticks.labels.len() as f64 <= width {
            return ticks;
        }
        most -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Area = Area { x: 10.0, y: 20.0, width: 300.0, height: 200.0 };

    #[test]
    fn corners_of_the_domain_are_corners_of_the_plot() {
        let axes = Axes::within(AREA, [0.0, 2.0], [-1.0, 1.0]);
        assert_eq!(axes.position([0.0, -1.0]), Some([axes.plot.x, axes.plot.bottom()]));
        assert_eq!(axes.position([2.0, 1.0]), Some([axes.plot.right(), axes.plot.y]));
        assert_eq!(axes.position([f64::NAN, 1.0]), None);
    }

    #[test]
    fn labels_stay_inside_the_area_however_long() {
        for domain in [[0.0, 1.0], [-123_456.0, 999_999.0], [1e9, 1e9 + 10.0], [1e-9, 2e-9]] {
            let axes = Axes::within(AREA, domain, domain);
            let widest_y = widest(&axes.y_ticks);
            assert!(axes.plot.x - GAP - widest_y >= AREA.x);
            let total: f64 = axes.x_ticks.labels.iter().map(|label| Text::SMALL.width(label)).sum();
            assert!(total < axes.plot.width || axes.x_ticks.labels.len() <= 1, "{domain:?}");
        }
    }
}
