//! Files, with the readers and rules of the command line.

use std::path::PathBuf;

use eocc_data::{
    DataError, Dataset, Fault, FieldType, Format, Missing, ModelReader, Notation, ReadError, ReadOptions,
    ReadRequest, Reading, SeriesLayout, TextEncoding, WindowShape, Windows,
};
use pyo3::exceptions::{PyFileNotFoundError, PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::columns::{SchemaColumn, doubts, needed, schema};
use crate::error::exception;
use crate::model::Model;
use crate::samples::Samples;

/// How to read a file, as on the command line.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FileRequest {
    format: Option<String>,
    header: Option<bool>,
    delimiter: Option<char>,
    encoding: Option<String>,
    decimal: Option<char>,
    thousands: Option<char>,
    columns: Vec<String>,
    drop: Vec<String>,
    types: Vec<(String, String)>,
    na: Vec<String>,
    label: Option<String>,
    labels: Option<PathBuf>,
    window_of: Option<usize>,
    step: Option<usize>,
    window_as: String,
    time: Option<String>,
}

/// Samples, their names and classes if known, and the results for the columns.
type Read = (Samples, Option<Vec<String>>, Option<Vec<String>>, Vec<SchemaColumn>, Vec<String>);

/// Reads a file; in the form of the samples of a model, if one is given.
#[pyfunction]
#[pyo3(signature = (path, request, model=None))]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    request: FileRequest,
    model: Option<&Bound<'_, Model>>,
) -> PyResult<Read> {
    let request = request.checked()?;
    let types = request.types.clone();
    let (data, reading) = if let Some(model) = model {
        let model = model.get().inner();
        let reader = ModelReader::for_model(model, request, Some(&path));
        let mut reader = reader.map_err(|e| exception(&e))?;
        (py.detach(|| Dataset::read_for_model(&path, &mut reader)), Reading::default())
    } else {
        let request = ReadRequest { missing: Some(Missing::Distance), ..request };
        let data = py.detach(|| Dataset::read(&path, &request));
        let reading = data.as_ref().map(|data| Reading::new(&request, data)).unwrap_or_default();
        (data, reading)
    };
    let data = data.map_err(|error| refusal(&error, &path))?;
    let mut names: Vec<String> = needed(&data.samples.layout()).into_iter().map(|column| column.0).collect();
    names.extend(data.notes.iter().filter_map(|note| match note {
        eocc_data::Note::NoFeature { column, .. } => Some(column.clone()),
        _ => None,
    }));
    let schema = schema(&names, &data, &types);
    let doubts = doubts(&data.notes);
    let samples = Samples { set: data.samples, names: data.names.clone(), reading };
    Ok((samples, data.names, data.classes, schema, doubts))
}

impl FileRequest {
    fn checked(self) -> PyResult<ReadRequest> {
        let (format, series) = self.format.map_or(Ok((None, None)), |name| input_named(&name))?;
        let delimiter = self.delimiter.map(|letter| {
            u8::try_from(letter).map_err(|_| {
                PyValueError::new_err(format!("delimiter is {letter:?}, but must be an ASCII character"))
            })
        });
        let encoding = self.encoding.map(|name| {
            let found: Result<TextEncoding, _> = name.parse();
            found.map_err(|e| PyValueError::new_err(format!("encoding is '{name}': {e}")))
        });
        let notation = (self.decimal.is_some() || self.thousands.is_some()).then(|| {
            Notation::new(self.decimal, self.thousands).map_err(|_| {
                PyValueError::new_err(
                    "decimal must be '.' or ',', and thousands another one of . , ' _ or a blank",
                )
            })
        });
        let types = self.types.into_iter().map(|(name, text)| {
            let kind: Result<FieldType, _> = text.parse();
            let kind = kind.map_err(|e| PyValueError::new_err(format!("types['{name}']: {e}")))?;
            Ok((name, kind))
        });
        let options = ReadOptions {
            format,
            header: self.header,
            delimiter: delimiter.transpose()?,
            encoding: encoding.transpose()?,
            notation: notation.transpose()?,
            ..ReadOptions::default()
        };
        let windows = match self.window_of {
            Some(length) => {
                let shape = shape_named(&self.window_as)?;
                let windows = Windows::new(length, self.step, shape).map_err(|e| exception(&e))?;
                Some(Windows { time: self.time, ..windows })
            }
            None => None,
        };
        Ok(ReadRequest {
            options,
            series,
            windows,
            columns: self.columns,
            drop: self.drop,
            types: types.collect::<PyResult<_>>()?,
            na: self.na,
            label: self.label,
            labels: self.labels,
            ..ReadRequest::default()
        })
    }
}

/// The form of a window, as in the option `--window-as`.
fn shape_named(name: &str) -> PyResult<WindowShape> {
    match name {
        "series" => Ok(WindowShape::Series),
        "summary" => Ok(WindowShape::Summary),
        "lags" => Ok(WindowShape::Lags),
        _ => Err(PyValueError::new_err(format!(
            "window_as is '{name}', but must be 'series', 'summary' or 'lags'"
        ))),
    }
}

/// The meaning of this name in the option `--input`: a format, or the layout of time series in a table.
fn input_named(name: &str) -> PyResult<(Option<Format>, Option<SeriesLayout>)> {
    let format = match name {
        "csv" => Format::Csv,
        "npy" => Format::Npy,
        "npz" => Format::Npz,
        "jsonl" => Format::JsonLines,
        "parquet" => Format::Parquet,
        "arrow" => Format::Arrow,
        "fasta" => Format::Fasta,
        "fastq" => Format::Fastq,
        "ts" => Format::Ts,
        "lines" => Format::Lines,
        "series-wide" => return Ok((None, Some(SeriesLayout::Wide))),
        "series-long" => return Ok((None, Some(SeriesLayout::Long))),
        _ => {
            return Err(PyValueError::new_err(format!(
                "format is '{name}', but must be csv, npy, npz, jsonl, parquet, arrow, fasta, fastq, ts, lines, series-wide or \
                 series-long; graphs are recognized by their files"
            )));
        }
    };
    Ok((Some(format), None))
}

/// Errors of the system are an `OSError`, all others a `ValueError` that names the file.
fn refusal(error: &ReadError, path: &std::path::Path) -> PyErr {
    match (error, error.data().map(DataError::fault)) {
        (_, Some(Fault::NotFound)) => {
            PyFileNotFoundError::new_err(format!("{}: no such file", path.display()))
        }
        (_, Some(Fault::Directory | Fault::Io { .. })) => PyOSError::new_err(error.to_string()),
        (_, Some(Fault::Memory { .. })) => PyMemoryError::new_err(error.to_string()),
        (ReadError::Request(fault), _) => exception(fault),
        _ => PyValueError::new_err(error.to_string()),
    }
}
