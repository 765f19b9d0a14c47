//! `eocc demo`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::dissimilarity::Minkowski;
use eocc_core::{AnyModel, Model, OneClass, Preset, Silent, Vectors};
use eocc_data::toy::{Toy, paper_figure};
use eocc_data::{Column, OutFormat, Output, Values, atomic_write};
use eocc_report::{CAN_RENDER, ReportData, png};

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
        let model = params.fit_with(&samples, Box::new(Minkowski::euclidean()), &bar)?;
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
        draw(&args.output, &toy, model)?;
        write_data(&args.output, &toy)?;
    }
    output::table(&["data set", "samples", "features", "k", "regions", "eta"], &rows)?;
    let folder = args.output.display();
    terminal::say(&format!("\nPictures and data are in {folder}. Next, on your own data or on these:"));
    terminal::say(&format!("  eocc fit {folder}/three-blobs.csv -o blobs.eocc"));
    terminal::say(&format!("  eocc score blobs.eocc {folder}/uniform-square.csv"));
    Ok(ExitCode::SUCCESS)
}

fn draw(folder: &Path, toy: &Toy, model: Model<Vectors>) -> Result<()> {
    let data = ReportData::new(&AnyModel::new(model), toy.title, None, &Silent)?;
    let svg = data.figure(toy.title);
    let path = |extension: &str| folder.join(format!("{}.{extension}", toy.name));
    atomic_write(&path("svg"), |w| w.write_all(svg.as_bytes()))?;
    if CAN_RENDER {
        let image = png(&svg, WIDTH)?;
        atomic_write(&path("png"), |w| w.write_all(&image))?;
    }
    Ok(())
}

fn write_data(folder: &Path, toy: &Toy) -> Result<()> {
    let columns: Vec<Column> = (0..toy.rows[0].len())
        .map(|c| Column::new(format!("x{c}"), Values::Float(toy.rows.iter().map(|r| r[c]).collect())))
        .collect();
    let path = folder.join(format!("{}.csv", toy.name));
    Ok(eocc_data::write(&columns, OutFormat::Csv, &Output::Path(path))?)
}
