//! How classifiers rank: values with intervals, and the critical-difference diagram.

use crate::scale::{Linear, extent, ticks};
use crate::style::{FRAME, GRID, INK, MUTED, PALETTE, Text};
use crate::svg::Svg;

/// Classifiers with a value each, and the difference beyond which two of them differ.
#[derive(Debug, Clone, Copy)]
pub struct RankPicture<'a> {
    /// The title.
    pub title: &'a str,
    /// The subtitle.
    pub subtitle: &'a str,
    /// Name of the values.
    pub axis_name: &'a str,
    /// The classifiers.
    pub names: &'a [&'a str],
    /// A value for each.
    pub values: &'a [f64],
    /// Two classifiers differ if their values are more than twice this apart.
    pub half_width: f64,
    /// Whether larger values are better; otherwise smaller ones are, as with ranks.
    pub is_larger_better: bool,
}

const WIDTH: f64 = 900.0;
const MARGIN: f64 = 24.0;
const HEAD: f64 = 78.0;
const ROW: f64 = 24.0;

impl RankPicture<'_> {
    /// Indices from best to worst; ties keep their order.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.names.len().min(self.values.len())).collect();
        order.sort_by(|&a, &b| {
            let by_value = self.values[a].total_cmp(&self.values[b]);
            if self.is_larger_better { by_value.reverse() } else { by_value }
        });
        order
    }

    fn head(&self, height: f64) -> Svg {
        let mut svg = Svg::new(WIDTH, height, self.title);
        svg.text([MARGIN, 34.0], Text::TITLE, self.title);
        svg.text([MARGIN, 56.0], Text::SUBTITLE, self.subtitle);
        svg
    }

    /// One row per classifier, best first, with its value and interval. Those whose interval overlaps that of the
    /// best are colored like it.
    pub fn intervals(&self) -> String {
        let ends: Vec<[f64; 2]> =
            self.values.iter().map(|v| [v - self.half_width, v + self.half_width]).collect();
        self.with_intervals(&ends)
    }

    /// The picture with an interval for each classifier, not necessarily symmetric about its value.
    pub fn with_intervals(&self, ends: &[[f64; 2]]) -> String {
        let order = self.order();
        let names = order.iter().map(|&i| Text::SMALL.width(self.names[i]));
        let left = MARGIN + names.fold(60.0, f64::max) + 12.0;
        let bottom = HEAD + ROW * order.len() as f64 + 6.0;
        let mut svg = self.head(bottom + 58.0);
        let domain = extent(ends.iter().flatten().copied(), 0.03);
        // The best to the right, whichever direction is better.
        let range = if self.is_larger_better { [left, WIDTH - MARGIN] } else { [WIDTH - MARGIN, left] };
        let x = Linear { domain, range };
        let marks = ticks(domain, 9);
        for (value, label) in marks.values.iter().zip(&marks.labels) {
            svg.line([x.at(*value), HEAD], [x.at(*value), bottom], GRID, 1.0);
            svg.text([x.at(*value), bottom + 18.0], Text::SMALL, label);
        }
        svg.line([left, bottom], [WIDTH - MARGIN, bottom], FRAME, 1.0);
        svg.text([0.5 * (left + WIDTH - MARGIN), bottom + 42.0], Text::AXIS, self.axis_name);
        let best = order.first().map_or([0.0; 2], |&i| ends[i]);
        for (place, &i) in order.iter().enumerate() {
            let y = HEAD + ROW * (place as f64 + 0.5);
            let value = self.values[i];
            let meets_best = ends[i][0] <= best[1] && best[0] <= ends[i][1];
            let color = if meets_best { PALETTE[0] } else { PALETTE[1] };
            svg.text([left - 12.0, y + 4.0], Text::SMALL.anchored("end"), self.names[i]);
            let [from, to] = ends[i].map(|end| x.at(end));
            svg.line([from, y], [to, y], color, 2.0);
            for end in [from, to] {
                svg.line([end, y - 4.0], [end, y + 4.0], color, 2.0);
            }
            svg.circle([x.at(value), y], 4.5, color);
        }
        svg.finish()
    }

    /// The diagram of J. Demšar (JMLR 7, 2006): the classifiers along an axis, and bars that join those which do not differ.
    pub fn critical_difference(&self) -> String {
        let order = self.order();
        let bars = self.groups(&order);
        let half = order.len().div_ceil(2);
        let axis = HEAD + 48.0;
        let first = axis + 14.0 + 10.0 * bars.len() as f64 + 18.0;
        let mut svg = self.head(first + ROW * half as f64 + 16.0);
        let names = order.iter().map(|&i| Text::SMALL.width(self.names[i]));
        let side = MARGIN + names.fold(60.0, f64::max) + 52.0;
        let [low, high] = extent(self.values.iter().copied(), 0.02);
        // Space for the critical difference itself, to the same scale.
        let domain = [low, high.max(low + 2.0 * self.half_width)];
        let range = if self.is_larger_better { [WIDTH - side, side] } else { [side, WIDTH - side] };
        let x = Linear { domain, range };
        // The length of the critical difference.
        let length = (x.at(2.0 * self.half_width) - x.at(0.0)).abs();
        let y = HEAD + 4.0;
        svg.line([side, y], [side + length, y], INK, 2.0);
        for end in [side, side + length] {
            svg.line([end, y - 4.0], [end, y + 4.0], INK, 2.0);
        }
        let label = format!("critical difference {:.2}", 2.0 * self.half_width);
        svg.text([side + length + 8.0, y + 4.0], Text::SMALL.anchored("start"), &label);
        svg.line([side, axis], [WIDTH - side, axis], INK, 1.5);
        let marks = ticks(domain, 10);
        for (value, label) in marks.values.iter().zip(&marks.labels) {
            svg.line([x.at(*value), axis - 5.0], [x.at(*value), axis], INK, 1.0);
            svg.text([x.at(*value), axis - 10.0], Text::SMALL, label);
        }
        for (b, &(from, to)) in bars.iter().enumerate() {
            let y = axis + 14.0 + 10.0 * b as f64;
            let ends = [self.values[order[from]], self.values[order[to]]].map(|v| x.at(v));
            svg.line([ends[0].min(ends[1]) - 4.0, y], [ends[0].max(ends[1]) + 4.0, y], PALETTE[0], 4.0);
        }
        for (place, &i) in order.iter().enumerate() {
            // The better half to the left, outermost first; the worse half to the right.
            let (is_left, row) = if place < half { (true, place) } else { (false, order.len() - 1 - place) };
            let y = first + ROW * (row as f64 + 0.5);
            let at = x.at(self.values[i]);
            let end = if is_left { side - 44.0 } else { WIDTH - side + 44.0 };
            svg.line([at, axis], [at, y], MUTED, 0.8);
            svg.line([at, y], [end, y], MUTED, 0.8);
            let anchor = if is_left { "end" } else { "start" };
            let shift = if is_left { -6.0 } else { 6.0 };
            svg.text([end + shift, y + 4.0], Text::SMALL.anchored(anchor), self.names[i]);
            let value = format!("{:.2}", self.values[i]);
            let inner = if is_left { end + 4.0 } else { end - 4.0 };
            let anchor = if is_left { "start" } else { "end" };
            svg.text([inner, y - 3.0], Text::SMALL.anchored(anchor), &value);
        }
        svg.finish()
    }

    /// The longest runs of classifiers that do not differ, by first and last position; runs inside longer ones are
    /// omitted.
    fn groups(&self, order: &[usize]) -> Vec<(usize, usize)> {
        let mut groups: Vec<(usize, usize)> = Vec::new();
        for from in 0..order.len() {
            let is_near = |to: &usize| {
                (self.values[order[*to]] - self.values[order[from]]).abs() <= 2.0 * self.half_width
            };
            let to = (from..order.len()).take_while(is_near).last().unwrap_or(from);
            if to > from && groups.last().is_none_or(|g| to > g.1) {
                groups.push((from, to));
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture<'a>(names: &'a [&'a str], values: &'a [f64], half_width: f64) -> RankPicture<'a> {
        let (title, subtitle, axis_name) = ("ranks", "three sets", "mean rank");
        RankPicture { title, subtitle, axis_name, names, values, half_width, is_larger_better: false }
    }

    #[test]
    fn groups_are_the_longest_runs_without_a_difference() {
        let names = ["a", "b", "c", "d", "e"];
        let values = [4.0, 1.0, 2.0, 2.5, 8.0];
        let p = picture(&names, &values, 0.8);
        let order = p.order();
        assert_eq!(order, [1, 2, 3, 0, 4]);
        assert_eq!(p.groups(&order), [(0, 2), (2, 3)]);
    }

    #[test]
    fn all_names_and_the_difference_are_drawn() {
        let names = ["Gauss", "SVDD", "a < b"];
        let p = picture(&names, &[1.2, 2.0, 2.8], 0.5);
        for svg in [p.intervals(), p.critical_difference()] {
            assert!(svg.contains(">Gauss<") && svg.contains(">SVDD<") && svg.contains(">a &lt; b<"), "{svg}");
            assert_eq!(crate::png(&svg, 300).is_ok(), crate::CAN_RENDER);
        }
        assert!(p.critical_difference().contains("critical difference 1.00"));
        assert_eq!(p.intervals().matches("<circle").count(), 3);
    }

    #[test]
    fn nothing_to_draw_is_not_an_error() {
        let p = picture(&[], &[], 0.5);
        assert!(p.intervals().starts_with("<svg") && p.critical_difference().starts_with("<svg"));
    }
}
