//! The figures of the study, like those of the paper.

use std::path::Path;

use anyhow::Result;
use eocc_core::Error;
use eocc_proteins::GraphFeatures;
use eocc_report::axes::{Area, Axes};
use eocc_report::kernel_density::KernelDensity;
use eocc_report::style::{Text, color, marker};
use eocc_report::svg::{PathData, Svg};
use eocc_report::{panels, png};

use super::{CLASSES, Study};

/// Size of a page with two plots.
const WIDTH: f64 = 1100.0;
const HEIGHT: f64 = 500.0;
const MARGIN: f64 = 24.0;
const TOP: f64 = 66.0;

/// Two components of each protein that has a structure.
pub struct Components {
    /// Principal components.
    pub pca: Vec<[f64; 2]>,
    /// Components of kernel PCA.
    pub kernel: Vec<[f64; 2]>,
    /// The class of each protein.
    pub class: Vec<usize>,
}

/// The content of the figures.
pub struct Figures<'a> {
    /// The proteins.
    pub study: &'a Study,
    /// Their components.
    pub components: &'a Components,
    /// Mean weights of the features for each nominal class.
    pub weights: &'a [Vec<f64>; 2],
}

impl Figures<'_> {
    /// Writes each figure as SVG and PNG into a folder.
    pub fn write(&self, folder: &Path) -> Result<()> {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let figures = [
            ("proteins-solubility", self.solubility()),
            ("proteins-components", self.components()),
            ("proteins-weights", self.weights()),
        ];
        for (name, svg) in figures {
            let bitmap = png(&svg, WIDTH as u32)?;
            eocc_data::atomic_write(&folder.join(format!("{name}.svg")), |w| w.write_all(svg.as_bytes()))?;
            eocc_data::atomic_write(&folder.join(format!("{name}.png")), |w| w.write_all(&bitmap))?;
        }
        Ok(())
    }

    /// Density of the solubility of all proteins, and the sorted solubility of those of the two classes.
    pub fn solubility(&self) -> String {
        let mut svg = page("Solubility of the E. coli proteins");
        let area = headed(&mut svg, 0, &format!("(a) density, {} proteins", self.study.solubility.len()));
        let density = KernelDensity::new(self.study.solubility.iter().copied(), 0.01);
        let curve: Vec<[f64; 2]> =
            (0..=200).map(|i| f64::from(i) / 200.0).map(|x| [x, density.at(x)]).collect();
        let top = curve.iter().map(|p| p[1]).fold(0.0, f64::max);
        let axes = Axes::within(area, [0.0, 1.0], [0.0, 1.06 * top]);
        axes.draw(&mut svg, ["normalized solubility", "density"]);
        let path = PathData::through(curve.iter().map(|&[x, y]| [axes.x.at(x), axes.y.at(y)]));
        svg.element(
            "path",
            &[
                ("d", path.as_str().into()),
                ("fill", "none".into()),
                ("stroke", color(0).into()),
                ("stroke-width", 1.8.into()),
            ],
        );
        let mut proteins: Vec<(f64, usize)> =
            self.study.proteins.iter().map(|p| (p.solubility, p.class)).collect();
        proteins.sort_by(|a, b| a.0.total_cmp(&b.0));
        let area = headed(&mut svg, 1, &format!("(b) the {} proteins of the two classes", proteins.len()));
        let axes = Axes::within(area, [0.0, proteins.len() as f64], [0.0, 1.0]);
        axes.draw(&mut svg, ["proteins in the order of their solubility", "normalized solubility"]);
        for (i, (solubility, class)) in proteins.iter().enumerate() {
            svg.circle([axes.x.at(i as f64), axes.y.at(*solubility)], 1.6, color(*class));
        }
        legend(&mut svg);
        svg.finish()
    }

    /// First two components of PCA and of kernel PCA.
    pub fn components(&self) -> String {
        let mut svg = page("First two components of the fifteen features");
        let names = ["first component", "second component"];
        let c = &self.components;
        panels::scatter(&mut svg, area(0), "(a) PCA", names, &c.pca, &c.class);
        panels::scatter(&mut svg, area(1), "(b) kernel PCA", names, &c.kernel, &c.class);
        legend(&mut svg);
        svg.finish()
    }

    /// Mean weights of the fifteen features for both nominal classes.
    pub fn weights(&self) -> String {
        let mut svg = page("Mean weights of the features that `paper` learns");
        for (class, weights) in self.weights.iter().enumerate() {
            let area = headed(&mut svg, class, &format!("nominal: {}", CLASSES[class]));
            let room = 130.0;
            let row = area.height / weights.len().max(1) as f64;
            let width = area.width - room - 50.0;
            for (i, (name, weight)) in GraphFeatures::NAMES.iter().zip(weights).enumerate() {
                let y = area.y + i as f64 * row;
                let text = Text::SMALL.anchored("end");
                svg.text([area.x + room - 8.0, y + 0.5 * row + 4.0], text, &name.replace('_', " "));
                svg.element(
                    "rect",
                    &[
                        ("x", (area.x + room).into()),
                        ("y", (y + 0.15 * row).into()),
                        ("width", (width * weight.clamp(0.0, 1.0)).into()),
                        ("height", (0.7 * row).into()),
                        ("fill", color(class).into()),
                    ],
                );
                let at = [area.x + room + width * weight.clamp(0.0, 1.0) + 6.0, y + 0.5 * row + 4.0];
                svg.text(at, Text::SMALL.anchored("start"), &format!("{weight:.2}"));
            }
        }
        svg.finish()
    }
}

fn page(title: &str) -> Svg {
    let mut svg = Svg::new(WIDTH, HEIGHT, title);
    svg.text([MARGIN, MARGIN + 16.0], Text::TITLE, title);
    svg
}

/// One of the two halves of a page.
fn area(half: usize) -> Area {
    let width = (WIDTH - 3.0 * MARGIN) / 2.0;
    Area { x: MARGIN + half as f64 * (width + MARGIN), y: TOP, width, height: HEIGHT - TOP - 44.0 }
}

/// The plot area below a heading.
fn headed(svg: &mut Svg, half: usize, heading: &str) -> Area {
    let area = area(half);
    svg.text([area.x, area.y + 18.0], Text::HEADING, heading);
    Area { y: area.y + 32.0, height: area.height - 32.0, ..area }
}

/// A key for the colors.
fn legend(svg: &mut Svg) {
    let mut x = MARGIN + 6.0;
    let y = HEIGHT - 22.0;
    for (class, name) in CLASSES.iter().enumerate() {
        marker(svg, [x, y], 5.0, class);
        svg.text([x + 12.0, y + 4.0], Text::SMALL.anchored("start"), name);
        x += 34.0 + Text::SMALL.width(name);
    }
}
