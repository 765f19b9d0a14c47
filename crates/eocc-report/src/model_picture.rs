//! The paper's figure of a model: data, graph, and density of differences side by side `[LA17, fig. 3]`.

use crate::axes::Area;
use crate::legend::Legend;
use crate::panels::{self, Curve, GraphPlot};
use crate::style::Text;
use crate::svg::Svg;

/// Width of the page.
const WIDTH: f64 = 1200.0;
/// Space around the page.
const MARGIN: f64 = 24.0;
/// Space between panels.
const GUTTER: f64 = 22.0;
/// Height of a panel, including heading and axis names.
const PANEL: f64 = 400.0;

/// A trained model, reduced to what is drawn. Samples are identified by position in the slices.
#[derive(Debug, Clone, Copy)]
pub struct ModelPicture<'a> {
    /// The heading of the picture.
    pub title: &'a str,
    /// The subtitle.
    pub subtitle: &'a str,
    /// Where the samples are drawn: two features, or two principal components.
    pub points: &'a [[f64; 2]],
    /// The edges of the graph, each pair once.
    pub edges: &'a [(usize, usize)],
    /// The region of each sample, from 0.
    pub region: &'a [usize],
    /// The membership of each sample.
    pub membership: &'a [f64],
    /// `chi* - chi(v)` of each sample in its region.
    pub differences: &'a [f64],
    /// The threshold `t` of each region.
    pub thresholds: &'a [f64],
    /// The names of the two coordinates.
    pub axis_names: [&'a str; 2],
}

impl ModelPicture<'_> {
    /// The picture as SVG text, 1200 pixels wide.
    pub fn svg(&self) -> String {
        let inner = WIDTH - 2.0 * MARGIN;
        let sizes = self.sizes();
        let legend = Legend::of_regions(&sizes, inner);
        let top = MARGIN + 56.0;
        let height = top + PANEL + 10.0 + legend.height() + MARGIN / 2.0;
        let mut svg = Svg::new(WIDTH, height, self.title);
        svg.text([MARGIN, MARGIN + 16.0], Text::TITLE, &Text::TITLE.fitted(self.title, inner));
        svg.text([MARGIN, MARGIN + 38.0], Text::SUBTITLE, &Text::SUBTITLE.fitted(self.subtitle, inner));

        let width = (inner - 2.0 * GUTTER) / 3.0;
        let area = |i: usize| Area { x: MARGIN + i as f64 * (width + GUTTER), y: top, width, height: PANEL };
        panels::scatter(&mut svg, area(0), "(a) data", self.axis_names, self.points, self.region);
        let graph = GraphPlot {
            points: self.points,
            edges: self.edges,
            membership: self.membership,
            region: self.region,
        };
        panels::graph(&mut svg, area(1), "(b) graph", self.axis_names, graph);
        panels::density(&mut svg, area(2), "(c) differences", &self.curves(sizes.len()));
        legend.draw(&mut svg, [MARGIN, top + PANEL + 10.0]);
        svg.finish()
    }

    /// The number of samples in each region; a region may be empty.
    fn sizes(&self) -> Vec<usize> {
        let regions = self.region.iter().map(|&region| region + 1).max().unwrap_or(0);
        let mut sizes = vec![0; regions.max(self.thresholds.len())];
        for &region in self.region {
            sizes[region] += 1;
        }
        sizes
    }

    fn curves(&self, regions: usize) -> Vec<Curve> {
        (0..regions)
            .map(|region| Curve {
                region,
                values: self
                    .differences
                    .iter()
                    .zip(self.region)
                    .filter(|pair| *pair.1 == region)
                    .map(|pair| *pair.0)
                    .collect(),
                threshold: self.thresholds.get(region).copied(),
            })
            .collect()
    }
}
