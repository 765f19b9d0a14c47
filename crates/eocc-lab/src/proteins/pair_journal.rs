//! A slow matrix of dissimilarities: rows are stored in a file as they come, and a stopped run is resumed.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;

use anyhow::{Result, bail};
use eocc_baselines::Stopwatch;
use eocc_core::dissimilarity::ged::Bounds;
use eocc_core::{Error, Matrix};
use serde::{Deserialize, Serialize};

/// The dissimilarities of a sample to later ones.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct KnownRow {
    row: usize,
    /// Seconds of processor time that it took.
    processor_seconds: f64,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// A description of the values.
    matrix: String,
    samples: usize,
}

/// Bounds of all dissimilarities of a set.
#[derive(Debug, Clone, Default)]
pub struct BoundsMatrix {
    /// Upper bounds, symmetric: the dissimilarities.
    pub upper: Matrix,
    /// Lower bounds; equal to the upper ones if a dissimilarity is exact.
    pub lower: Matrix,
    /// Seconds of processor time that all rows took.
    pub processor_seconds: f64,
}

impl BoundsMatrix {
    /// Mean of upper minus lower bounds over all pairs, relative to the upper ones.
    pub fn mean_gap(&self) -> f64 {
        let n = self.upper.rows();
        let pairs = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
        let gaps: Vec<f64> = pairs
            .map(|(i, j)| {
                let (low, high) = (self.lower.row(i)[j], self.upper.row(i)[j]);
                if high > 0.0 { (high - low) / high } else { 0.0 }
            })
            .collect();
        gaps.iter().sum::<f64>() / gaps.len().max(1) as f64
    }
}

/// The matrix of `n` samples, described by `key`; `row` computes the bounds of a sample to each later one.
pub fn bounds_matrix(
    path: &Path,
    key: &str,
    n: usize,
    mut row: impl FnMut(usize) -> eocc_core::Result<Vec<Bounds>>,
) -> Result<BoundsMatrix> {
    let header = Header { matrix: key.to_owned(), samples: n };
    let mut known = read(path, &header)?;
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(|e| Error::io(path, e))?;
    let mut write = |line: String| -> Result<()> {
        let written = file.write_all(line.as_bytes()).and_then(|()| file.write_all(b"\n"));
        Ok(written.and_then(|()| file.sync_data()).map_err(|e| Error::io(path, e))?)
    };
    if known.is_none() {
        write(serde_json::to_string(&header)?)?;
    }
    let known = known.get_or_insert_with(Vec::new);
    let mut is_known = vec![false; n];
    for row in known.iter() {
        is_known[row.row] = true;
    }
    if known.len() > 1 {
        eprintln!("{} of {n} rows are in {} already", known.len(), path.display());
    }
    for i in (0..n).filter(|&i| !is_known[i]) {
        let watch = Stopwatch::start();
        let bounds = row(i)?;
        let new = KnownRow {
            row: i,
            processor_seconds: watch.seconds(),
            lower: bounds.iter().map(|b| b.lower).collect(),
            upper: bounds.iter().map(|b| b.upper).collect(),
        };
        write(serde_json::to_string(&new)?)?;
        known.push(new);
    }
    let (mut upper, mut lower) = (Matrix::zeros(n, n), Matrix::zeros(n, n));
    for row in known.iter() {
        for (k, (low, high)) in row.lower.iter().zip(&row.upper).enumerate() {
            let (i, j) = (row.row, row.row + 1 + k);
            (upper.row_mut(i)[j], upper.row_mut(j)[i]) = (*high, *high);
            (lower.row_mut(i)[j], lower.row_mut(j)[i]) = (*low, *low);
        }
    }
    Ok(BoundsMatrix { upper, lower, processor_seconds: known.iter().map(|r| r.processor_seconds).sum() })
}

/// The rows in a file; a truncated last line is removed. `None` if there is no file.
fn read(path: &Path, header: &Header) -> Result<Option<Vec<KnownRow>>> {
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => bail!(Error::io(path, e)),
    };
    let mut reader = BufReader::new(&file);
    let (mut line, mut end, mut rows) = (String::new(), 0_u64, None);
    while reader.read_line(&mut line).map_err(|e| Error::io(path, e))? > 0 && line.ends_with('\n') {
        let fault = |what: String| Error::input(format!("{}: {what}; remove it", path.display()));
        match &mut rows {
            None => {
                let found: Header = serde_json::from_str(&line).map_err(|e| fault(e.to_string()))?;
                if found != *header {
                    bail!(fault(format!("it holds another matrix ({})", found.matrix)));
                }
                rows = Some(Vec::new());
            }
            Some(rows) => {
                let row: KnownRow = serde_json::from_str(&line).map_err(|e| fault(e.to_string()))?;
                let is_whole = row.row < header.samples
                    && row.upper.len() == header.samples - row.row - 1
                    && row.lower.len() == row.upper.len();
                if !is_whole {
                    bail!(fault(format!("row {} has the wrong length", row.row)));
                }
                rows.push(row);
            }
        }
        end += line.len() as u64;
        line.clear();
    }
    file.set_len(end).map_err(|e| Error::io(path, e))?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(path: &Path, stop_at: usize, calls: &mut usize) -> Result<BoundsMatrix> {
        bounds_matrix(path, "of numbers", 4, |i| {
            if i == stop_at {
                return Err(Error::input("stopped"));
            }
            *calls += 1;
            Ok((i + 1..4).map(|j| Bounds { lower: 0.0, upper: (j - i) as f64 }).collect())
        })
    }

    #[test]
    fn a_run_that_was_stopped_goes_on_where_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.jsonl");
        let mut calls = 0;
        assert!(run(&path, 2, &mut calls).is_err());
        // As if the machine had stopped in the middle of a line.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.push_str("{\"row\": 2, \"sec");
        std::fs::write(&path, text).unwrap();
        let matrix = run(&path, 9, &mut calls).unwrap();
        assert_eq!(calls, 4);
        assert!((matrix.upper.row(3)[0] - 3.0).abs() < 1e-15 && (matrix.mean_gap() - 1.0).abs() < 1e-15);
        assert!(bounds_matrix(&path, "of words", 4, |_| Ok(Vec::new())).is_err());
    }
}
