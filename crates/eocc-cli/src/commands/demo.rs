//! `eocc demo`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::dissimilarity::Minkowski;
use eocc_core::{Model, OneClass, Preset, Vectors};
use eocc_data::toy::{Toy, paper_figure};
use eocc_data::{OutColumn, OutFormat, OutValues, Output, atomic_write};
use eocc_report::{ModelPicture, first_two_components, png};

use crate::cli::DemoArgs;
use crate::progress::Bar;
use crate::{output, terminal};

/// Width of the pictures in pixels.
const WIDTH: u32 = 1500;

pub(crate) fn run(args: &DemoArgs) -> Result<ExitCode> {
    std::fs::create_dir_all(&args.output).map_err(|e| eocc_core::Error::io(&args.output, e))?;
    let params = OneClass::new(Preset::Paper).seed(args.seed).check()?;
    let mut rows = Vec::new();
    for toy in paper_figure(args.seed) {
        let samples = Vectors::from_rows(&toy.rows)?;
        let bar = Bar::new();
        let model = params.fit_watched(&samples, Box::new(Minkowski::euclidean()), &bar)?.model;
        drop(bar);
        let s = model.summary();
        rows.push(vec![
            toy.title.to_owned(),
            s.samples.to_string(),
            samples.matrix().columns().to_string(),
            s.neighbors.to_string(),
            model.regions().len().to_string(),
            output::number(s.eta),
        ]);
        draw(&args.output, &toy, &model)?;
        write_data(&args.output, &toy)?;
    }
    output::table(&["data set", "samples", "features", "k", "regions", "eta"], &rows)?;
    let folder = args.output.display();
    terminal::say(&format!("\nPictures and data are in {folder}. Next, on your own data or on these:"));
    terminal::say(&format!("  eocc fit {folder}/three-blobs.csv -o blobs.eocc"));
    terminal::say(&format!("  eocc score blobs.eocc {folder}/uniform-square.csv"));
    Ok(ExitCode::SUCCESS)
}

fn draw(folder: &Path, toy: &Toy, model: &Model<Vectors>) -> Result<()> {
    let points: Vec<[f64; 2]> = if toy.rows[0].len() == 2 {
        toy.rows.iter().map(|r| [r[0], r[1]]).collect()
    } else {
        first_two_components(&toy.rows)
    };
    let axis_names =
        if toy.rows[0].len() == 2 { ["x0", "x1"] } else { ["first component", "second component"] };
    let n = points.len();
    let (region, membership): (Vec<usize>, Vec<f64>) = model.training_memberships().into_iter().unzip();
    let mut differences = vec![0.0; n];
    for &v in model.trimmed() {
        let fuzzy = model.regions()[region[v as usize]].membership();
        differences[v as usize] = fuzzy.difference(model.training_scores()[v as usize]);
    }
    let mut edges = Vec::new();
    for part in model.regions() {
        for (local, &v) in part.vertices().iter().enumerate() {
            differences[v as usize] = part.membership().difference(part.log_closeness()[local]);
            let graph = part.graph().graph();
            edges.extend(
                graph
                    .edges(local)
                    .filter(|e| e.0 as usize > local)
                    .map(|e| (v as usize, part.vertices()[e.0 as usize] as usize)),
            );
        }
    }
    let thresholds: Vec<f64> = model.regions().iter().map(|r| r.membership().threshold).collect();
    let s = model.summary();
    let subtitle = format!(
        "{n} samples, k = {}, {} regions, eta = {}",
        s.neighbors,
        thresholds.len(),
        output::number(s.eta)
    );
    let picture = ModelPicture {
        title: toy.title,
        subtitle: &subtitle,
        points: &points,
        edges: &edges,
        region: &region,
        membership: &membership,
        differences: &differences,
        thresholds: &thresholds,
        axis_names,
    };
    let svg = picture.svg();
    let image = png(&svg, WIDTH)?;
    let path = |extension: &str| folder.join(format!("{}.{extension}", toy.name));
    atomic_write(&path("svg"), |w| w.write_all(svg.as_bytes()))?;
    atomic_write(&path("png"), |w| w.write_all(&image))?;
    Ok(())
}

fn write_data(folder: &Path, toy: &Toy) -> Result<()> {
    let columns: Vec<OutColumn> = (0..toy.rows[0].len())
        .map(|c| OutColumn::new(format!("x{c}"), OutValues::Number(toy.rows.iter().map(|r| r[c]).collect())))
        .collect();
    let path = folder.join(format!("{}.csv", toy.name));
    Ok(eocc_data::write(&columns, OutFormat::Csv, &Output::Path(path))?)
}
