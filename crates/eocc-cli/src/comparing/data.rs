//! Data sets of comparisons on vectors: where they are, and how they are read.

use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc::{Error, Matrix, Vectors};
use eocc_baselines::Options;
use eocc_data::ReadOptions;
use eocc_eval::{DataSet, Experiment};

/// Where the data may be: as given, or the usual places.
pub(crate) fn places(given: Option<&Path>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = given.map(Path::to_owned).into_iter().collect();
    if given.is_none() {
        places.extend(std::env::var_os("EOCC_DATA").map(PathBuf::from));
        places.extend(["../shared/data", "data"].map(PathBuf::from));
    }
    places
}

/// The table in a file, all columns but that of the labels as features.
pub(crate) fn vectors(
    path: &Path,
    label: &str,
    nominal: &str,
    name: String,
    standardize: bool,
    seed: u64,
) -> Result<Box<dyn Experiment>> {
    let table = eocc_data::read(path, &ReadOptions::default())?;
    let label = table.column(label)?;
    let rows = table.matching(label, nominal)?;
    let columns: Vec<usize> = (0..table.names().len()).filter(|c| *c != label).collect();
    let samples = Vectors::new(Matrix::new(table.numbers(&columns)?, table.rows(), columns.len()))?;
    let content = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    Ok(Box::new(DataSet::new(name, &content, samples, rows, Options::default(), standardize, seed)?))
}
