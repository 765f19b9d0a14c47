//! Writers of results.

mod atomic;
mod batches;
mod npy;
mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod text;

use std::io::{self, Write};
use std::path::PathBuf;

pub use atomic::atomic_write;
pub use batches::{BatchError, write_batches};
pub use npy::write_npy;
pub(crate) use number::number_text;

use crate::error::{DataError, Fault};
use crate::table::duplicate;

/// A format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutFormat {
    /// Comma-separated text with a header.
    Csv,
    /// One JSON object on each line. Numbers that are not finite, which JSON lacks, become `null`.
    JsonLines,
    /// Apache Parquet; an error unless built with the cargo feature `parquet`.
    Parquet,
}

/// Where results go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file; see [`atomic_write`].
    Path(PathBuf),
}

/// A column to write.
#[derive(Debug, Clone, PartialEq)]
pub struct OutColumn {
    /// Its name.
    pub name: String,
    /// Its cells.
    pub values: OutValues,
    /// Which of them are not there, if any.
    pub missing: Vec<bool>,
}

/// The cells of a column to write.
#[derive(Debug, Clone, PartialEq)]
pub enum OutValues {
    /// Whole numbers.
    Integer(Vec<i64>),
    /// Numbers; in text, each has the fewest digits that read back to the same bits.
    Number(Vec<f64>),
    /// Truth values, `true` and `false` in text.
    Boolean(Vec<bool>),
    /// Texts.
    Text(Vec<String>),
}

impl OutValues {
    fn len(&self) -> usize {
        match self {
            Self::Integer(values) => values.len(),
            Self::Number(values) => values.len(),
            Self::Boolean(values) => values.len(),
            Self::Text(values) => values.len(),
        }
    }
}

impl OutColumn {
    /// A column of this name with these cells.
    pub fn new(name: impl Into<String>, values: OutValues) -> Self {
        Self { name: name.into(), values, missing: Vec::new() }
    }

    /// Adds the cells of a column below; false if they are of another type.
    pub fn extend(&mut self, other: &Self) -> bool {
        let before = self.values.len();
        match (&mut self.values, &other.values) {
            (OutValues::Integer(all), OutValues::Integer(some)) => all.extend_from_slice(some),
            (OutValues::Number(all), OutValues::Number(some)) => all.extend_from_slice(some),
            (OutValues::Boolean(all), OutValues::Boolean(some)) => all.extend_from_slice(some),
            (OutValues::Text(all), OutValues::Text(some)) => all.extend_from_slice(some),
            _ => return false,
        }
        if !self.missing.is_empty() || !other.missing.is_empty() {
            self.missing.resize(before, false);
            self.missing.extend_from_slice(&other.missing);
            self.missing.resize(self.values.len(), false);
        }
        true
    }

    /// Whether the cell of a row is not there.
    fn is_missing(&self, row: usize) -> bool {
        self.missing.get(row) == Some(&true)
    }

    /// Puts a text in the place of a cell that is not there; nothing happens in a column of other values.
    pub fn set_text(&mut self, row: usize, text: &str) {
        if let (OutValues::Text(values), Some(missing)) = (&mut self.values, self.missing.get_mut(row)) {
            text.clone_into(&mut values[row]);
            *missing = false;
        }
    }

    /// The same with rows put in between: the row at each of these places, ascending, is not there.
    #[must_use]
    pub fn with_gaps(mut self, places: &[usize]) -> Self {
        fn spread<T: Clone + Default>(values: Vec<T>, places: &[usize]) -> Vec<T> {
            let (mut values, mut all) = (values.into_iter(), Vec::new());
            for &place in places {
                all.extend(values.by_ref().take(place - all.len()));
                all.push(T::default());
            }
            all.extend(values);
            all
        }
        self.missing.resize(self.values.len(), false);
        self.values = match self.values {
            OutValues::Integer(values) => OutValues::Integer(spread(values, places)),
            OutValues::Number(values) => OutValues::Number(spread(values, places)),
            OutValues::Boolean(values) => OutValues::Boolean(spread(values, places)),
            OutValues::Text(values) => OutValues::Text(spread(values, places)),
        };
        self.missing = spread(self.missing, places);
        for &place in places {
            self.missing[place] = true;
        }
        self
    }

    /// These rows of it.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        fn picked<T: Clone>(values: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| values[row].clone()).collect()
        }
        let values = match &self.values {
            OutValues::Integer(values) => OutValues::Integer(picked(values, rows)),
            OutValues::Number(values) => OutValues::Number(picked(values, rows)),
            OutValues::Boolean(values) => OutValues::Boolean(picked(values, rows)),
            OutValues::Text(values) => OutValues::Text(picked(values, rows)),
        };
        let missing = if self.missing.is_empty() { Vec::new() } else { picked(&self.missing, rows) };
        Self { name: self.name.clone(), values, missing }
    }
}

/// Writes columns of equal length, with different names, as a table.
pub fn write(columns: &[OutColumn], format: OutFormat, to: &Output) -> Result<(), DataError> {
    let name = match to {
        Output::Stdout => "standard output".to_owned(),
        Output::Path(path) => path.display().to_string(),
    };
    check(columns, format).map_err(|fault| DataError::new(&name, fault))?;
    let table = |writer: &mut (dyn Write + Send)| match format {
        OutFormat::Csv => text::csv(columns, writer),
        OutFormat::JsonLines => text::json_lines(columns, writer),
        #[cfg(feature = "parquet")]
        OutFormat::Parquet => parquet::write(columns, writer),
        #[cfg(not(feature = "parquet"))]
        OutFormat::Parquet => Err(io::ErrorKind::Unsupported.into()),
    };
    match to {
        Output::Stdout => to_stdout(table).map_err(|cause| DataError::io(&name, "written", cause)),
        Output::Path(path) => atomic_write(path, table),
    }
}

fn to_stdout(content: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> io::Result<()> {
    let mut writer = io::BufWriter::new(io::stdout());
    content(&mut writer)?;
    writer.flush()
}

fn check(columns: &[OutColumn], format: OutFormat) -> Result<(), Fault> {
    let refuse = |reason: String| Err(Fault::BadOutput { reason });
    if format == OutFormat::Parquet && !cfg!(feature = "parquet") {
        return Err(Fault::FeatureOff { format: "Parquet", feature: "parquet" });
    }
    let Some(first) = columns.first() else {
        return refuse("there are no columns".to_owned());
    };
    if let Some(other) = columns.iter().find(|column| column.values.len() != first.values.len()) {
        return refuse(format!(
            "column {:?} has {} rows, but column {:?} has {}",
            other.name,
            other.values.len(),
            first.name,
            first.values.len()
        ));
    }
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    match duplicate(&names) {
        Some((first, second)) => Err(Fault::DuplicateName { name: names[second].clone(), first, second }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_refused() {
        let path = Output::Path(PathBuf::from("never.csv"));
        let column = |name: &str, rows| OutColumn::new(name, OutValues::Integer(vec![0; rows]));
        let message = |columns: &[OutColumn]| write(columns, OutFormat::Csv, &path).unwrap_err().to_string();
        assert_eq!(message(&[]), "never.csv: cannot be written: there are no columns");
        assert!(
            message(&[column("a", 1), column("b", 2)])
                .contains("column \"b\" has 2 rows, but column \"a\" has 1")
        );
        assert!(message(&[column("a", 1), column("a", 1)]).contains("both named \"a\""));
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn a_format_left_out_of_the_build_is_named() {
        let column = OutColumn::new("a", OutValues::Integer(vec![0]));
        let error = write(&[column], OutFormat::Parquet, &Output::Stdout).unwrap_err();
        assert!(error.to_string().contains("cargo feature `parquet`"));
    }
}
