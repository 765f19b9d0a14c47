//! Columns of data frames: handed to the rules that the program reads files by.

use eocc_core::{AnySamples, Layout};
use eocc_data::{
    ColumnValues, DataError, Fault, FieldType, ReadError, columns_for_layout, samples_of_columns,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::exception;
use crate::samples::Samples;

/// How messages call the data.
const SOURCE: &str = "X";

/// A column as Python gives it: its name, its values, and its levels if it is an ordered category.
pub(crate) type GivenColumn<'py> = (String, Bound<'py, PyAny>, Option<Vec<String>>);

fn values(column: &Bound<'_, PyAny>) -> PyResult<ColumnValues> {
    if let Ok(samples) = column.cast::<Samples>() {
        return Ok(ColumnValues::Samples(samples.get().set.clone()));
    }
    if let Ok(numbers) = column.extract::<PyReadonlyArray1<'_, f64>>() {
        return Ok(ColumnValues::Numbers(numbers.as_array().to_vec()));
    }
    if let Ok(truths) = column.extract::<Vec<Option<bool>>>() {
        return Ok(ColumnValues::Booleans(truths));
    }
    Ok(ColumnValues::Texts(column.extract::<Vec<Option<String>>>()?))
}

/// The samples that columns make; `layout` is what a model expects, `mixed` asks for a mixed table also of numbers only.
pub(crate) fn samples(
    columns: Vec<GivenColumn<'_>>,
    layout: Option<&Layout>,
    mixed: bool,
) -> PyResult<AnySamples> {
    let (mut given, mut types) = (Vec::with_capacity(columns.len()), Vec::new());
    for (name, column, levels) in columns {
        if let Some(levels) = levels {
            types.push((name.clone(), FieldType::Ordered(levels)));
        }
        given.push((name, values(&column)?));
    }
    let made = match layout {
        Some(layout) => columns_for_layout(SOURCE, given, layout),
        None => samples_of_columns(SOURCE, given, &types, mixed),
    };
    made.map_err(|error| refusal(&error))
}

/// Rows and columns are called as Python users know them.
fn refusal(error: &ReadError) -> PyErr {
    match (error.library(), error.data().map(DataError::fault)) {
        (Some(error), _) => exception(error),
        (None, Some(Fault::Field { column, row, why, .. })) => {
            PyValueError::new_err(format!("column '{column}' of X, row {row}: {why}"))
        }
        (None, Some(Fault::NoColumn { given, .. })) => {
            PyValueError::new_err(format!("X has no column '{given}', which the model was fitted on"))
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}
