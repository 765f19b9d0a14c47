//! The four models of the paper's figure, one of eight regions and one of a single region of 500 samples, as SVG and PNG.
//!
//! `cargo run -p eocc-report --example figure -- <directory>`

use std::path::Path;

use eocc_core::Matrix;
use eocc_core::linear::{symmetric_eigen, upright};
use eocc_oracle::paper::Reference;
use eocc_oracle::{graph, toy};
use eocc_report::{ModelPicture, png};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let circle: Vec<Vec<f64>> = (0..8_u32)
        .map(|i| f64::from(i) * std::f64::consts::TAU / 8.0)
        .map(|angle| vec![20.0 * angle.cos(), 20.0 * angle.sin()])
        .collect();
    let sets = [
        ("three-blobs", toy::three_blobs(60, 1)),
        ("uniform-square", toy::uniform_square(150, 1)),
        ("crescent-and-disc", toy::crescent_and_disc(80, 1)),
        ("hundred-dimensions", toy::two_in_hundred_dimensions(75, 1)),
        ("eight-regions", toy::blobs(&circle, 40, 1.0, 1)),
        ("five-hundred", toy::blobs(&[vec![0.0, 0.0]], 500, 300.0, 1)),
    ];
    for (name, samples) in sets {
        draw(Path::new(&directory), name, &samples)?;
    }
    Ok(())
}

fn draw(directory: &Path, name: &str, samples: &[Vec<f64>]) -> Result<(), Box<dyn std::error::Error>> {
    let model = Reference::fit(samples, &vec![1.0; samples[0].len()], 0.5, 50.0);
    let mut region = vec![0; samples.len()];
    for (i, component) in model.components.iter().enumerate() {
        for &v in component {
            region[v] = i;
        }
    }
    let is_plane = samples[0].len() == 2;
    let points =
        if is_plane { samples.iter().map(|x| [x[0], x[1]]).collect() } else { first_two_components(samples) };
    let thresholds: Vec<f64> = model.regions.iter().map(|region| region.t).collect();
    let subtitle = format!(
        "{} samples, {} features, k = {}, η = {:.3}, regions: {}",
        samples.len(),
        samples[0].len(),
        model.k,
        model.eta,
        thresholds.len()
    );
    let svg = ModelPicture {
        title: name,
        subtitle: &subtitle,
        points: &points,
        edges: &graph::edges(&model.graph()),
        region: &region,
        membership: &model.training_memberships(),
        differences: &model.training_differences(),
        thresholds: &thresholds,
        axis_names: if is_plane {
            ["x", "y"]
        } else {
            ["first principal component", "second principal component"]
        },
    }
    .svg();
    std::fs::write(directory.join(format!("{name}.svg")), &svg)?;
    std::fs::write(directory.join(format!("{name}.png")), png(&svg, 1200)?)?;
    Ok(())
}

/// The coordinates of every row along the two directions of largest variance.
fn first_two_components(rows: &[Vec<f64>]) -> Vec<[f64; 2]> {
    let (n, q) = (rows.len() as f64, rows[0].len());
    let mean: Vec<f64> = (0..q).map(|f| rows.iter().map(|row| row[f]).sum::<f64>() / n).collect();
    let centered: Vec<Vec<f64>> =
        rows.iter().map(|row| row.iter().zip(&mean).map(|(x, m)| x - m).collect()).collect();
    let covariance = |i: usize, j: usize| centered.iter().map(|row| row[i] * row[j]).sum::<f64>() / n;
    let matrix = Matrix::new((0..q * q).map(|at| covariance(at / q, at % q)).collect(), q, q);
    let (_, directions) = symmetric_eigen(matrix);
    let along = |row: &[f64], rank: usize| {
        let direction = upright(directions.row(rank).to_vec());
        row.iter().zip(direction).map(|(x, d)| x * d).sum()
    };
    centered.iter().map(|row| [along(row, 0), along(row, 1)]).collect()
}
