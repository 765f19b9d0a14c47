//! Curves: the descent over `k`, and the ROC.

use eocc_core::jensen::DescentStep;

use super::page;
use crate::axes::Axes;
use crate::report::Labelled;
use crate::scale::extent;
use crate::style::{GRID, PALETTE, Text};
use crate::svg::{PathData, Svg};

/// The objective at each `k`, with the chosen one marked.
pub(super) fn descent(steps: &[DescentStep], chosen: usize) -> Option<String> {
    if steps.is_empty() {
        return None;
    }
    let points: Vec<[f64; 2]> = steps.iter().map(|s| [s.neighbors as f64, s.eta]).collect();
    Some(page("Objective against the number of neighbors", 250.0, |svg, area| {
        let along = |axis: usize| extent(points.iter().map(|p| p[axis]), 0.08);
        let axes = Axes::within(area, along(0), along(1));
        axes.draw(svg, ["number of neighbors k", "objective η"]);
        line(svg, &axes, &points, PALETTE[0]);
        for &point in &points {
            let is_chosen = (point[0] - chosen as f64).abs() < 0.5;
            if let Some(at) = axes.position(point) {
                let (radius, fill) = if is_chosen { (5.0, PALETTE[1]) } else { (2.4, PALETTE[0]) };
                svg.circle(at, radius, fill);
            }
        }
    }))
}

/// The ROC curve with its area.
pub(super) fn roc(labelled: &Labelled) -> String {
    page("ROC curve", 320.0, |svg, area| {
        let axes = Axes::within(area, [0.0, 1.0], [0.0, 1.0]);
        axes.draw(svg, ["fraction of nominals rejected", "fraction of outliers rejected"]);
        line(svg, &axes, &[[0.0, 0.0], [1.0, 1.0]], GRID);
        line(svg, &axes, &labelled.roc, PALETTE[0]);
        let at = [axes.plot.right() - 8.0, axes.plot.bottom() - 10.0];
        let auc = if labelled.auc.is_finite() { format!("AUC = {:.4}", labelled.auc) } else { String::new() };
        svg.text(at, Text::HEADING.anchored("end"), &auc);
    })
}

fn line(svg: &mut Svg, axes: &Axes, points: &[[f64; 2]], stroke: &str) {
    let path = PathData::through(points.iter().filter_map(|&p| axes.position(p)));
    svg.element(
        "path",
        &[
            ("d", path.as_str().into()),
            ("fill", "none".into()),
            ("stroke", stroke.into()),
            ("stroke-width", 1.8.into()),
        ],
    );
}
