//! Static pictures of a report, for a paper: one column wide, in the same colors as the page.

mod bars;
mod curves;
mod map;

use crate::axes::Area;
use crate::legend::Legend;
use crate::model_picture::ModelPicture;
use crate::panels::{self, Curve};
use crate::report::ReportData;
use crate::style::Text;
use crate::svg::Svg;

/// Width of a page in its own units. At 88 mm, a column of most journals, letters of 12 units are 8 points high.
pub const WIDTH: f64 = 360.0;
/// Space around the page.
const MARGIN: f64 = 6.0;

/// The pictures that can be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Samples in two dimensions, and their graph.
    Map,
    /// Density of the differences by region, with thresholds.
    Density,
    /// Weights of the features.
    Weights,
    /// The objective against `k` along the descent.
    Descent,
    /// The ROC curve; only with labels.
    Roc,
}

impl ReportData {
    /// A picture one column wide, as SVG; `None` if there is nothing to draw.
    pub fn picture(&self, what: Figure) -> Option<String> {
        match what {
            Figure::Map => (!self.map.is_empty()).then(|| self.map_picture()),
            Figure::Density => Some(self.density_picture()),
            Figure::Weights => bars::weights(&self.weights),
            Figure::Descent => curves::descent(&self.descent, self.neighbors),
            Figure::Roc => self.labelled.as_ref().map(curves::roc),
        }
    }

    /// The map on its own, small and without axes, for a notebook.
    pub fn small_map(&self) -> String {
        let (width, height) = (320.0, 220.0);
        let mut svg = Svg::new(width, height, &format!("Map of the samples of {}", self.title));
        if !self.map.is_empty() {
            map::draw_bare(
                &mut svg,
                Area { x: 6.0, y: 6.0, width: width - 12.0, height: height - 12.0 },
                self,
            );
        }
        svg.finish()
    }

    /// The paper's figure: data, graph and density side by side.
    pub fn figure(&self, title: &str) -> String {
        let count = self.map.training.min(self.map.x.0.len());
        let places = |values: &[f64]| values[..count].to_vec();
        let (x, y) = (places(&self.map.x.0), places(&self.map.y.0));
        let points: Vec<[f64; 2]> = x.into_iter().zip(y).map(|(x, y)| [x, y]).collect();
        let drawn: Vec<usize> = self.map.sample.0[..count].iter().map(|&i| i as usize).collect();
        let edges: Vec<(usize, usize)> =
            self.map.edges.0.chunks_exact(2).map(|e| (e[0] as usize, e[1] as usize)).collect();
        let of = |values: &[f64]| -> Vec<f64> { drawn.iter().map(|&i| values[i]).collect() };
        let region: Vec<usize> = drawn.iter().map(|&i| self.samples.region.0[i] as usize).collect();
        let thresholds: Vec<f64> = self.regions.iter().map(|r| r.threshold).collect();
        let eta = self.descent.iter().find(|step| step.neighbors == self.neighbors).map(|step| step.eta);
        let regions = self.regions.len();
        let subtitle = format!(
            "{} samples, k = {}, {regions} region{}{}",
            self.training,
            self.neighbors,
            if regions == 1 { "" } else { "s" },
            eta.map_or_else(String::new, |eta| format!(", eta = {eta:.4}"))
        );
        let picture = ModelPicture {
            title,
            subtitle: &subtitle,
            points: &points,
            edges: &edges,
            region: &region,
            membership: &of(&self.samples.membership.0),
            differences: &of(&self.samples.difference.0),
            thresholds: &thresholds,
            axis_names: [&self.map.axes[0], &self.map.axes[1]],
        };
        picture.svg()
    }

    fn map_picture(&self) -> String {
        let sizes: Vec<usize> = self.regions.iter().map(|r| r.size).collect();
        let legend = Legend::of_regions(&sizes, WIDTH - 2.0 * MARGIN);
        let plot = 310.0;
        let mut svg = Svg::new(WIDTH, plot + 24.0 + legend.height() + MARGIN, "Map of the samples");
        map::draw(
            &mut svg,
            Area { x: MARGIN, y: MARGIN, width: WIDTH - 2.0 * MARGIN, height: plot - MARGIN },
            self,
        );
        map::key(&mut svg, [MARGIN, plot + 12.0], self);
        legend.draw(&mut svg, [MARGIN, plot + 24.0]);
        svg.finish()
    }

    fn density_picture(&self) -> String {
        let sizes: Vec<usize> = self.regions.iter().map(|r| r.size).collect();
        let legend = Legend::of_regions(&sizes, WIDTH - 2.0 * MARGIN);
        let height = 270.0;
        let mut svg = Svg::new(WIDTH, height + legend.height() + MARGIN, "Density of the differences");
        let own = self.slider.boundaries.get(self.slider.own);
        let curve = |region: usize| Curve {
            region,
            values: (0..self.training)
                .filter(|&i| self.samples.region.0[i] as usize == region)
                .map(|i| self.samples.difference.0[i])
                .collect(),
            threshold: own.and_then(|all| all.get(region)).copied(),
        };
        let curves: Vec<Curve> = (0..self.density.len()).map(curve).collect();
        let name = if self.is_closeness { panels::OF_CLOSENESS } else { panels::OF_SCORE };
        let area = Area { x: MARGIN, y: 0.0, width: WIDTH - 2.0 * MARGIN, height };
        panels::density_of(&mut svg, area, "", name, &curves);
        legend.draw(&mut svg, [MARGIN, height]);
        svg.finish()
    }
}

/// A page with one plot.
fn page(title: &str, height: f64, draw: impl FnOnce(&mut Svg, Area)) -> String {
    let mut svg = Svg::new(WIDTH, height, title);
    draw(&mut svg, Area { x: MARGIN, y: MARGIN, width: WIDTH - 2.0 * MARGIN, height: height - 2.0 * MARGIN });
    svg.finish()
}

/// Small text to the right of `at`.
fn small(svg: &mut Svg, at: [f64; 2], words: &str) {
    svg.text(at, Text::SMALL.anchored("start"), words);
}
