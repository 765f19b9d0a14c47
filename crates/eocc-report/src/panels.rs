//! The three plots of the paper's figure `[LA17, fig. 3]`, each drawn into an area of a page.
//!
//! Points, memberships and regions are matched by position; a point without a region belongs to the first, one
//! without a membership has 0.

use crate::axes::{Area, Axes};
use crate::kernel_density::KernelDensity;
use crate::scale::extent;
use crate::style::{Text, color, marker};
use crate::svg::{PathData, Svg};

/// Space above a plot for its heading.
const HEADING: f64 = 32.0;
/// Number of points at which curves are sampled.
const STEPS: usize = 240;
/// Maximum number of rows of ticks below the curves.
const MAX_ROWS: usize = 8;

/// Draws points, with color and shape by region.
pub fn scatter(
    svg: &mut Svg,
    area: Area,
    heading: &str,
    axis_names: [&str; 2],
    points: &[[f64; 2]],
    region: &[usize],
) {
    let plot = below_heading(svg, area, heading);
    let axes = point_axes(plot, points);
    axes.draw(svg, axis_names);
    let radius = largest_radius(points.len()) * 0.75;
    svg.open(&[("stroke", "#ffffff".into()), ("stroke-width", 0.6.into()), ("fill-opacity", 0.85.into())]);
    for (i, &point) in points.iter().enumerate() {
        if let Some(place) = axes.position(point) {
            marker(svg, place, radius, region.get(i).copied().unwrap_or(0));
        }
    }
    svg.close();
}

/// The input of [`graph`].
#[derive(Debug, Clone, Copy)]
pub struct GraphPlot<'a> {
    /// One per vertex.
    pub points: &'a [[f64; 2]],
    /// Pairs of vertices; pairs out of range are ignored.
    pub edges: &'a [(usize, usize)],
    /// Memberships in `[0, 1]`.
    pub membership: &'a [f64],
    /// The region of each vertex.
    pub region: &'a [usize],
}

/// Draws a graph: the radius of a vertex grows with its membership.
pub fn graph(svg: &mut Svg, area: Area, heading: &str, axis_names: [&str; 2], data: GraphPlot<'_>) {
    let plot = below_heading(svg, area, heading);
    let largest = largest_radius(data.points.len());
    let axes = point_axes(plot, data.points);
    axes.draw(svg, axis_names);
    size_key(svg, [axes.plot.right(), area.y + 14.0], largest);

    let places: Vec<Option<[f64; 2]>> = data.points.iter().map(|&point| axes.position(point)).collect();
    // One path for all edges: crossings stay light gray, and the file stays small.
    let mut path = PathData::new();
    for &(i, j) in data.edges {
        if let (Some(Some(from)), Some(Some(to))) = (places.get(i), places.get(j)) {
            path.move_to(*from).line_to(*to);
        }
    }
    let opacity = if data.edges.len() > 1500 { 0.2 } else { 0.35 };
    svg.element(
        "path",
        &[
            ("d", path.as_str().into()),
            ("fill", "none".into()),
            ("stroke", "#555555".into()),
            ("stroke-width", 0.7.into()),
            ("stroke-opacity", opacity.into()),
        ],
    );

    let membership = |i: usize| data.membership.get(i).copied().filter(|mu| mu.is_finite()).unwrap_or(0.0);
    let mut order: Vec<usize> = (0..places.len()).collect();
    // Large ones first, so that small ones are not hidden.
    order.sort_by(|&a, &b| membership(b).total_cmp(&membership(a)).then(a.cmp(&b)));
    svg.open(&[("stroke", "#ffffff".into()), ("stroke-width", 0.6.into()), ("fill-opacity", 0.9.into())]);
    for i in order {
        if let Some(place) = places[i] {
            svg.circle(
                place,
                radius(membership(i), largest),
                color(data.region.get(i).copied().unwrap_or(0)),
            );
        }
    }
    svg.close();
}

/// The differences of one region and its threshold.
#[derive(Debug, Clone)]
pub struct Curve {
    /// The region, which gives the color.
    pub region: usize,
    /// `chi* - chi(v)` of its vertices.
    pub values: Vec<f64>,
    /// The threshold `t`, if any.
    pub threshold: Option<f64>,
}

/// Draws the density of the differences of every region, each value as a tick below its curve, and a dashed line at
/// each threshold.
pub fn density(svg: &mut Svg, area: Area, heading: &str, curves: &[Curve]) {
    density_of(svg, area, heading, OF_CLOSENESS, curves);
}

/// The differences of the paper's classifier.
pub const OF_CLOSENESS: &str = "difference to the largest closeness";
/// The differences of a committee.
pub const OF_SCORE: &str = "difference to the highest score";

/// Like [`density`], with a name for the differences.
pub fn density_of(svg: &mut Svg, area: Area, heading: &str, name: &str, curves: &[Curve]) {
    let plot = below_heading(svg, area, heading);
    let numbers = curves.iter().flat_map(|curve| curve.values.iter().copied().chain(curve.threshold));
    let largest = numbers.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let densities: Vec<KernelDensity> = curves
        .iter()
        .map(|curve| KernelDensity::new(curve.values.iter().copied(), 0.015 * largest))
        .collect();

    // Wide enough for the last kernel to fade out.
    let reach = |density: &KernelDensity| {
        density.values().iter().map(|v| v + 3.5 * density.bandwidth()).fold(0.0, f64::max)
    };
    let end = densities.iter().map(reach).fold(1.02 * largest, f64::max);
    let xs: Vec<f64> = (0..=STEPS).map(|i| end * i as f64 / STEPS as f64).collect();
    let heights: Vec<Vec<f64>> = densities.iter().map(|d| xs.iter().map(|&x| d.at(x)).collect()).collect();
    let top = heights.iter().flatten().copied().fold(0.0, f64::max);
    let top = if top > 0.0 { 1.06 * top } else { 1.0 };
    // A strip below zero holds the ticks of the values, one row per region, shared if there are many.
    let rows = curves.len().clamp(1, MAX_ROWS);
    let strip = (0.02 * rows as f64).max(0.04) * top;
    let axes = Axes::within(plot, [0.0, end], [-strip, top]);
    axes.draw(svg, [name, "density"]);
    threshold_key(svg, [axes.plot.right(), area.y + 14.0]);

    // Many overlapping fills would turn to mud.
    let opacity = (0.36 / curves.len() as f64).min(0.16);
    for ((i, curve), heights) in curves.iter().enumerate().zip(&heights) {
        if densities[i].values().is_empty() {
            continue;
        }
        fill_and_line(svg, &axes, &xs, heights, curve.region, opacity);
        let height = strip / rows as f64;
        let from = -height * (i % rows) as f64;
        rug(svg, &axes, densities[i].values(), [from - 0.1 * height, from - 0.9 * height], curve.region);
    }
    for curve in curves {
        if let Some(t) = curve.threshold.filter(|t| t.is_finite()) {
            threshold_line(
                svg,
                [axes.x.at(t), axes.plot.y],
                [axes.x.at(t), axes.y.at(0.0)],
                color(curve.region),
            );
        }
    }
}

fn fill_and_line(svg: &mut Svg, axes: &Axes, xs: &[f64], heights: &[f64], region: usize, opacity: f64) {
    let mut line = PathData::new();
    line.move_to([axes.x.at(xs[0]), axes.y.at(heights[0])]);
    for (&x, &height) in xs.iter().zip(heights).skip(1) {
        line.line_to([axes.x.at(x), axes.y.at(height)]);
    }
    let mut fill = line.clone();
    fill.line_to([axes.plot.right(), axes.y.at(0.0)]).line_to([axes.plot.x, axes.y.at(0.0)]).close();
    let color = color(region);
    svg.element(
        "path",
        &[("d", fill.as_str().into()), ("fill", color.into()), ("fill-opacity", opacity.into())],
    );
    svg.element(
        "path",
        &[
            ("d", line.as_str().into()),
            ("fill", "none".into()),
            ("stroke", color.into()),
            ("stroke-width", 1.8.into()),
        ],
    );
}

fn rug(svg: &mut Svg, axes: &Axes, values: &[f64], ends: [f64; 2], region: usize) {
    let mut path = PathData::new();
    for &value in values {
        let x = axes.x.at(value);
        path.move_to([x, axes.y.at(ends[0])]).line_to([x, axes.y.at(ends[1])]);
    }
    svg.element(
        "path",
        &[
            ("d", path.as_str().into()),
            ("stroke", color(region).into()),
            ("stroke-width", 0.8.into()),
            ("stroke-opacity", 0.6.into()),
        ],
    );
}

fn threshold_line(svg: &mut Svg, from: [f64; 2], to: [f64; 2], stroke: &str) {
    svg.open(&[("stroke-dasharray", "5 4".into())]);
    svg.line(from, to, stroke, 1.6);
    svg.close();
}

/// The heading, and the rest of the area below it.
fn below_heading(svg: &mut Svg, area: Area, heading: &str) -> Area {
    svg.text([area.x, area.y + 18.0], Text::HEADING, &Text::HEADING.fitted(heading, area.width));
    Area { y: area.y + HEADING, height: area.height - HEADING, ..area }
}

fn point_axes(area: Area, points: &[[f64; 2]]) -> Axes {
    let along = |axis: usize| extent(points.iter().map(|point| point[axis]), 0.06);
    Axes::within(area, along(0), along(1))
}

/// With fewer points, they may be larger.
fn largest_radius(points: usize) -> f64 {
    (70.0 / (points.max(1) as f64).sqrt()).clamp(3.0, 5.5)
}

fn radius(membership: f64, largest: f64) -> f64 {
    1.2 + (largest - 1.2) * membership.clamp(0.0, 1.0)
}

/// A key for the sizes of vertices, right-aligned at `at`.
fn size_key(svg: &mut Svg, at: [f64; 2], largest: f64) {
    let mut x = at[0];
    for (membership, label) in [(1.0, "1"), (0.5, "0.5"), (0.0, "0")] {
        svg.text([x, at[1] + 4.0], Text::SMALL.anchored("end"), label);
        x -= Text::SMALL.width(label) + 3.0 + largest;
        svg.circle([x, at[1]], radius(membership, largest), "#888888");
        x -= largest + 6.0;
    }
    svg.text([x, at[1] + 4.0], Text::SMALL.anchored("end"), "membership");
}

/// A key for the dashed lines, right-aligned at `at`.
fn threshold_key(svg: &mut Svg, at: [f64; 2]) {
    let label = "threshold t";
    svg.text([at[0], at[1] + 4.0], Text::SMALL.anchored("end"), label);
    let x = at[0] - Text::SMALL.width(label) - 6.0;
    threshold_line(svg, [x - 24.0, at[1]], [x, at[1]], "#666666");
}
