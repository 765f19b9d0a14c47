//! The map as a picture.

use super::small;
use crate::axes::{Area, Axes};
use crate::report::ReportData;
use crate::scale::extent;
use crate::style::{Text, color};
use crate::svg::{PathData, Svg};

/// Draws the map with its axes.
pub(super) fn draw(svg: &mut Svg, area: Area, data: &ReportData) {
    let axes = axes(area, data);
    axes.draw(svg, [&data.map.axes[0], &data.map.axes[1]]);
    samples(svg, data, |i| axes.position([data.map.x.0[i], data.map.y.0[i]]));
}

/// Draws the map without axes.
pub(super) fn draw_bare(svg: &mut Svg, area: Area, data: &ReportData) {
    let [x, y] = extents(data);
    let along = |value: f64, [low, high]: [f64; 2], size: f64| (value - low) / (high - low) * size;
    samples(svg, data, |i| {
        let right = along(data.map.x.0[i], x, area.width);
        let up = along(data.map.y.0[i], y, area.height);
        let place = [area.x + right, area.bottom() - up];
        place.iter().all(|v| v.is_finite()).then_some(place)
    });
}

fn extents(data: &ReportData) -> [[f64; 2]; 2] {
    [&data.map.x, &data.map.y].map(|values| extent(values.0.iter().copied(), 0.05))
}

fn axes(area: Area, data: &ReportData) -> Axes {
    let [x, y] = extents(data);
    Axes::within(area, x, y)
}

fn samples(svg: &mut Svg, data: &ReportData, place: impl Fn(usize) -> Option<[f64; 2]>) {
    let count = data.map.sample.0.len();
    let places: Vec<Option<[f64; 2]>> = (0..count).map(place).collect();
    let mut path = PathData::new();
    for edge in data.map.edges.0.chunks_exact(2) {
        let ends = [edge[0], edge[1]].map(|i| places.get(i as usize).copied().flatten());
        if let [Some(from), Some(to)] = ends {
            path.move_to(from).line_to(to);
        }
    }
    svg.element(
        "path",
        &[
            ("d", path.as_str().into()),
            ("fill", "none".into()),
            ("stroke", "#555555".into()),
            ("stroke-width", 0.4.into()),
            ("stroke-opacity", 0.22.into()),
        ],
    );
    let has_new = count > data.map.training;
    let largest = (60.0 / (count.max(1) as f64).sqrt()).clamp(1.8, 4.5);
    // The most suspicious last, on top; training samples below new ones.
    let score = |i: usize| data.samples.score.0[data.map.sample.0[i] as usize];
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| {
        let is_new = |i: usize| i >= data.map.training;
        is_new(a).cmp(&is_new(b)).then(score(b).total_cmp(&score(a))).then(a.cmp(&b))
    });
    for i in order {
        let Some(at) = places[i] else { continue };
        let sample = data.map.sample.0[i] as usize;
        let degree = data.samples.membership.0[sample];
        let degree = if degree.is_finite() { degree.clamp(0.0, 1.0) } else { 0.0 };
        let is_pale = has_new && i < data.map.training;
        let radius = (0.9 + (largest - 0.9) * degree) * if is_pale { 0.6 } else { 1.0 };
        let is_accepted = data.samples.accepted.as_bytes().get(sample) == Some(&b'1');
        let is_hollow = data.samples.label.as_bytes().get(sample) == Some(&b'o');
        let opacity = if is_pale { 0.45 } else { 0.9 };
        let own = color(data.samples.region.0[sample] as usize);
        marker(svg, at, radius, own, (is_accepted, is_hollow), opacity);
    }
}

/// A circle for accepted samples, a triangle for rejected ones; hollow if labelled as an outlier.
fn marker(
    svg: &mut Svg,
    at: [f64; 2],
    radius: f64,
    own: &str,
    (is_accepted, is_hollow): (bool, bool),
    opacity: f64,
) {
    let (fill, stroke, width) = if is_hollow { ("#ffffff", own, 1.0) } else { (own, "#ffffff", 0.4) };
    let style = [
        ("fill", fill.into()),
        ("stroke", stroke.into()),
        ("stroke-width", width.into()),
        ("fill-opacity", opacity.into()),
    ];
    if is_accepted {
        let place = [("cx", at[0].into()), ("cy", at[1].into()), ("r", radius.into())];
        return svg.element("circle", &[&place[..], &style[..]].concat());
    }
    let r = radius.max(2.2);
    let mut path = PathData::new();
    path.move_to([at[0], at[1] - 1.3 * r])
        .line_to([at[0] + 1.2 * r, at[1] + 0.9 * r])
        .line_to([at[0] - 1.2 * r, at[1] + 0.9 * r])
        .close();
    svg.element("path", &[&[("d", path.as_str().into())][..], &style[..]].concat());
}

/// A key for the shapes.
pub(super) fn key(svg: &mut Svg, at: [f64; 2], data: &ReportData) {
    let has_outliers = data.samples.label.contains('o');
    let mut signs = vec![((true, false), "accepted"), ((false, false), "rejected")];
    if has_outliers {
        signs.push(((true, true), "labelled outlier"));
    }
    let mut x = at[0];
    for (sign, words) in signs {
        marker(svg, [x + 6.0, at[1]], 4.0, "#666666", sign, 0.9);
        small(svg, [x + 15.0, at[1] + 4.0], words);
        x += 15.0 + Text::SMALL.width(words) + 14.0;
    }
}
