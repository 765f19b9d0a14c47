//! Where the data sets for research are, and how they are read.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use eocc_core::{Error, Matrix, Vectors};
use eocc_data::ReadOptions;
use eocc_eval::{Experiment, LabelledSamples, RunOptions};

/// Possible folders of the data: the given one, or the default ones.
pub(crate) fn places(given: Option<&Path>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = given.map(Path::to_owned).into_iter().collect();
    if given.is_none() {
        places.extend(std::env::var_os("EOCC_DATA").map(PathBuf::from));
        places.extend(["../shared/data", "data"].map(PathBuf::from));
    }
    places
}

/// The table in a file, with all columns but the labels as features.
pub(crate) fn vectors(
    path: &Path,
    label: &str,
    nominal: &str,
    name: String,
    options: &RunOptions,
) -> Result<Box<dyn Experiment>> {
    let table = eocc_data::read(path, &ReadOptions::default())?;
    let label = table.column(label)?;
    let nominal = table.matching(label, nominal)?;
    let outliers = (0..table.rows()).filter(|i| nominal.binary_search(i).is_err()).collect();
    let columns: Vec<usize> = (0..table.names().len()).filter(|c| *c != label).collect();
    let samples = Vectors::new(Matrix::new(table.numbers(&columns)?, table.rows(), columns.len()))?.into();
    let content = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    Ok(LabelledSamples { name, content, samples, nominal, outliers, test: None }.experiment(options)?)
}

/// Writes a report as Markdown to a file, or returns it for printing.
pub(crate) fn write_report(text: String, output: Option<&Path>) -> Result<Option<String>> {
    let Some(path) = output else { return Ok(Some(text)) };
    eocc_data::atomic_write(path, |w| writeln!(w, "{text}"))?;
    Ok(None)
}

/// The first folder that has all of the files; otherwise an error with what is missing, and where to get it.
pub(crate) fn folder_with(places: &[PathBuf], files: &[&str], origin: &str) -> Result<PathBuf> {
    let missing =
        |place: &Path| files.iter().filter(|file| !place.join(file).is_file()).copied().collect::<Vec<_>>();
    if let Some(place) = places.iter().find(|p| missing(p).is_empty()) {
        return Ok(place.clone());
    }
    let Some(first) = places.first() else { bail!(Error::input("no folder to look in")) };
    bail!(Error::input(format!(
        "files are missing in {}: {}; get them from their public source ({origin}), or name another folder with --data",
        first.display(),
        missing(first).join(", ")
    )))
}
