//! `eocc plot`: pictures of a model for a paper.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::Error;
use eocc_data::atomic_write;
use eocc_report::{Figure, ReportData, outlined, pdf, png};

use super::report::{scored_data, title, without_reasons};
use crate::cli::{PlotArgs, PlotName};
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::request;

/// Width of a bitmap in pixels: a column of 88 mm at 300 dpi.
const PIXELS: u32 = 1039;

pub(crate) fn run(args: &PlotArgs) -> Result<ExitCode> {
    let inputs = Inputs::default()
        .with("model", &args.of.model)
        .with_optional("data", args.of.data.as_ref())
        .with_optional("labels", args.of.labels.as_ref());
    inputs.refuse("output", &args.output)?;
    outputs::refuse_same(&[("output", Some(&args.output))])?;
    let extension = outputs::extension(&args.output).unwrap_or_default();
    if !["svg", "png", "pdf"].contains(&extension.as_str()) {
        let allowed = "a .svg, .png or .pdf file";
        return Err(Error::parameter("output", args.output.display(), allowed).into());
    }
    if args.what == PlotName::Roc && (args.of.data.is_none() || args.of.nominal.is_empty()) {
        let allowed = "given with DATA, --nominal, and --label or --labels, which say what is nominal";
        return Err(Error::parameter("what", "roc", allowed).into());
    }
    let model = request::load(&args.of.model)?;
    let judged = scored_data(&model, &args.of)?;
    let bar = Bar::new();
    let data = without_reasons(&model, &title(&args.of), judged.as_ref(), &bar)?;
    drop(bar);
    draw(&data, args.what, &args.output, &extension)?;
    Ok(ExitCode::SUCCESS)
}

fn draw(data: &ReportData, what: PlotName, path: &Path, extension: &str) -> Result<()> {
    let (what, missing) = match what {
        PlotName::Map => (
            Figure::Map,
            "no map: it was fitted on a matrix, and its file does not keep the dissimilarities between training samples",
        ),
        PlotName::Density => (Figure::Density, "no regions"),
        PlotName::Weights => (Figure::Weights, "a dissimilarity without weights"),
        PlotName::Descent => {
            (Figure::Descent, "no record of the descent: it was fitted by an earlier version")
        }
        PlotName::Roc => (Figure::Roc, "no labels"),
    };
    let svg = data.picture(what).ok_or_else(|| Error::input(format!("the model has {missing}")))?;
    let bytes = match extension {
        "png" => png(&svg, PIXELS)?,
        "pdf" => pdf(&svg, &data.title)?,
        _ => outlined(&svg, &data.title)?.into_bytes(),
    };
    atomic_write(path, |w| w.write_all(&bytes))?;
    Ok(())
}
