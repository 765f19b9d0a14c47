//! Columns of data frames, interpreted by the same rules as files.

use eocc_core::{AnySamples, Layout};
use eocc_data::{
    CellFault, Cells, Column, DataError, Dataset, Fault, FieldFault, FieldType, Missing, ModelReader,
    NoFeature, Notation, Note, ReadError, ReadRequest, Reading, Table, Values,
};
use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::exception;
use crate::samples::Samples;

/// The name of the data in messages.
const SOURCE: &str = "X";

/// A column as given by Python: its name, its values, its levels if it is an ordered category, and a mark for special
/// values: `moments` are numbers of seconds since 1970, `raw` are texts as in a file without types or numbers, `words`
/// are texts that are never numbers.
pub(crate) type GivenColumn<'py> = (String, Bound<'py, PyAny>, Option<Vec<String>>, Option<String>);

/// The result for a column: its name, type and role, and the reason for the role.
pub(crate) type SchemaColumn = (String, String, &'static str, &'static str);

/// Numbers in `raw` columns are written in the notation that the texts among them are read in.
fn column(
    name: String,
    values: &Bound<'_, PyAny>,
    special: Option<&str>,
    notation: Option<Notation>,
) -> PyResult<Column> {
    if special == Some("raw") {
        let decimal = notation.map_or('.', Notation::decimal).to_string();
        let text = |value: PyResult<Bound<'_, PyAny>>| -> PyResult<String> {
            let value = value?;
            Ok(match value.extract::<String>() {
                Ok(text) => text,
                Err(_) => value.str()?.extract::<String>()?.replace('.', &decimal),
            })
        };
        let cells = Cells::raw(values.try_iter()?.map(text).collect::<PyResult<Vec<String>>>()?);
        return Ok(Column::new(name, Values::Cells(cells)));
    }
    if let Ok(samples) = values.cast::<Samples>() {
        return Ok(Column::samples(name, samples.get().set.clone()));
    }
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, f64>>() {
        let numbers = numbers.as_array().to_vec();
        return Ok(if special == Some("moments") {
            Column::moments_or_nan(name, numbers)
        } else {
            Column::numbers_or_nan(name, numbers)
        });
    }
    if let Ok(numbers) = values.extract::<PyReadonlyArray1<'_, i64>>() {
        return Ok(Column::new(name, Values::Integer(numbers.as_array().to_vec())));
    }
    if let Ok(truths) = values.extract::<Vec<Option<bool>>>() {
        return Ok(Column::truths_or_missing(name, &truths));
    }
    let texts = values.extract::<Vec<Option<String>>>()?;
    let cells =
        if special == Some("words") { Cells::texts_or_missing(texts) } else { Cells::of_frame(&texts) };
    Ok(Column::new(name, Values::Cells(cells)))
}

/// Columns for the library, and the types they bring.
fn given(
    columns: Vec<GivenColumn<'_>>,
    is_named: bool,
    notation: Option<Notation>,
) -> PyResult<(Table, Vec<(String, FieldType)>)> {
    let (mut given, mut types) = (Vec::with_capacity(columns.len()), Vec::new());
    for (name, values, levels, special) in columns {
        if let Some(levels) = levels {
            types.push((name.clone(), FieldType::Ordered(levels)));
        }
        given.push(column(name, &values, special.as_deref(), notation)?);
    }
    let table = Table::of_columns(SOURCE, given, is_named).map_err(|error| refusal(&error.into()))?;
    Ok((table, types))
}

/// How to read the columns of a frame.
pub(crate) struct FrameRequest {
    /// Whether the names come from the frame.
    pub(crate) is_named: bool,
    /// Types by name, as in the option `--types`.
    pub(crate) types: Vec<(String, String)>,
    /// Make rows of a mixed table even from numbers only.
    pub(crate) mixed: bool,
    /// The treatment of missing values.
    pub(crate) missing: Option<Missing>,
}

/// The result of reading columns: the samples, the result for each column, the rows of the samples if not all, and
/// warnings for the user.
pub(crate) type Made = (Samples, Vec<SchemaColumn>, Option<Vec<usize>>, Vec<String>);

/// The treatment of missing values with this name, as on the command line.
pub(crate) fn missing_named(word: &str) -> PyResult<Missing> {
    Ok(match word {
        "distance" => Missing::Distance,
        "impute" => Missing::Impute,
        "drop" => Missing::Drop,
        "error" => Missing::Error,
        other => {
            return Err(PyValueError::new_err(format!(
                "missing is '{other}', but must be None, 'distance', 'impute', 'drop' or 'error'"
            )));
        }
    })
}

/// Decisions of a reader that a user may want to change, in words; the results for columns are in the schema.
pub(crate) fn doubts(notes: &[Note]) -> Vec<String> {
    let doubt = |note: &Note| match note {
        Note::DayOrMonth { column, example } => Some(format!(
            "column '{column}': {example} is read with the month first; types={{'{column}': 'date:day-first'}} if the day comes first"
        )),
        Note::Zones { column, example } => Some(format!(
            "column '{column}': some moments name a time zone; those without one, such as {example}, are read as UTC"
        )),
        Note::Thousands { column, example } => Some(format!(
            "column '{column}': {example} is read with a decimal point; remove the points if they separate thousands"
        )),
        Note::NumbersAmongWords { column, numbers, values, example } => Some(format!(
            "column '{column}' holds words, since '{example}' is not a number, though {numbers} of its {values} values are numbers; \
             pandas.read_csv takes na_values=['{example}'] if that means missing"
        )),
        Note::LostZeros { column, example } => Some(format!(
            "column '{column}': {example} has fewer digits than most; pandas.read_csv drops zeros at the start unless \
             dtype={{'{column}': str}}"
        )),
        Note::Sentinel { column, value, count } => Some(format!(
            "column '{column}' is {value} in {count} rows, far from all other values, and read as a number; use NaN if that \
             stands for a missing value"
        )),
        Note::RowsLeftOut { count, of } => {
            Some(format!("{count} of {of} rows have missing values and are left out"))
        }
        Note::UnevenTimes { count, of, series, gap } => Some(format!(
            "{count} of {of} series do not have equally spaced times, such as '{series}': {} passes from {} to {}, usually {}; \
             only the order of times counts",
            gap.length, gap.from, gap.to, gap.usual
        )),
        Note::WindowGap { column, gap } => Some(format!(
            "windows span a gap of {} in '{column}', from {} to {}, where {} is usual; only the order of rows counts",
            gap.length, gap.from, gap.to, gap.usual
        )),
        _ => None,
    };
    notes.iter().filter_map(doubt).collect()
}

/// Reads the columns of a frame as samples.
pub(crate) fn samples(columns: Vec<GivenColumn<'_>>, asked: FrameRequest) -> PyResult<Made> {
    let (table, mut types) = given(columns, asked.is_named, None)?;
    for (name, text) in asked.types {
        let kind: FieldType =
            text.parse().map_err(|e| PyValueError::new_err(format!("types['{name}']: {e}")))?;
        types.retain(|(other, _)| *other != name);
        types.push((name, kind));
    }
    let names: Vec<String> = table.names().into_iter().map(str::to_owned).collect();
    let (missing, rows) = (asked.missing, table.rows());
    let request = ReadRequest { types, mixed: asked.mixed, missing, ..ReadRequest::default() };
    let data = Dataset::of_table(&table, &request).map_err(|error| refusal(&error))?;
    let schema = schema(&names, &data, &request.types);
    let reading = Reading::new(&request, &data);
    let kept = (data.count() < rows).then(|| (0..data.count()).map(|i| data.row(i)).collect());
    let doubts = doubts(&data.notes);
    Ok((Samples { set: data.samples, names: data.names, reading }, schema, kept, doubts))
}

/// Reads columns as samples in the form of others.
pub(crate) fn samples_like(columns: Vec<GivenColumn<'_>>, reader: &ModelReader) -> PyResult<AnySamples> {
    let (table, _) = given(columns, true, reader.request().options.notation)?;
    let made = Dataset::of_table_alone(&table, reader).map_err(|error| refusal(&error))?;
    Ok(made.samples)
}

/// The results for these columns.
pub(crate) fn schema(names: &[String], data: &Dataset, types: &[(String, FieldType)]) -> Vec<SchemaColumn> {
    let features = needed(&data.samples.layout());
    let describe = |name: &String| {
        let note = data.notes.iter().find_map(|note| match note {
            Note::NoFeature { column, why, kind } if column == name => Some((*why, *kind)),
            _ => None,
        });
        if let Some((why, kind)) = note {
            let role = match why {
                NoFeature::Classes => "classes",
                NoFeature::MostlyEmpty | NoFeature::ConstantCalendar => "ignored",
                _ => "key",
            };
            let why = why.words();
            return (name.clone(), kind.to_owned(), role, why);
        }
        let told = types.iter().find(|(other, _)| other == name).map(|(_, kind)| kind);
        match told {
            Some(FieldType::Id) => return (name.clone(), "id".to_owned(), "key", "types says so"),
            Some(FieldType::Ignore) => {
                return (name.clone(), "ignore".to_owned(), "ignored", "types says so");
            }
            _ => {}
        }
        let found = features.iter().find(|(other, _)| other == name).map(|(_, kind)| *kind);
        let is_numbers = matches!(data.samples.layout(), Layout::Numbers(_));
        let only = || data.samples.layout().single_column().or(is_numbers.then_some("number"));
        let kind = found.or_else(only).unwrap_or_default();
        (name.clone(), kind.to_owned(), "feature", "")
    };
    names.iter().map(describe).collect()
}

/// The columns that form samples of this form, by name and type; empty if they have no names.
pub(crate) fn needed(layout: &Layout) -> Vec<(String, &'static str)> {
    layout.named_columns().into_iter().map(|(name, kind)| (name.to_owned(), kind)).collect()
}

/// The exception, with the names for rows and columns used in Python.
pub(crate) fn refusal(error: &ReadError) -> PyErr {
    match (error.library(), error.data().map(DataError::fault)) {
        (Some(error), _) => exception(error),
        (None, Some(Fault::Cell { column, row, why: CellFault::Missing(_) | CellFault::Nan, .. })) => {
            PyValueError::new_err(format!(
                "column '{column}' of X, row {row}: the value is missing (NaN); fill it in, leave out the row or the \
                 column, or use what takes missing values: metric=\"auto\" with preset=\"default\", or metric=\"gower\""
            ))
        }
        (None, Some(Fault::Cell { column, row, why, .. })) => {
            PyValueError::new_err(format!("column '{column}' of X, row {row}: {why}"))
        }
        (None, Some(Fault::Field { column, row, why, .. })) => {
            let help = match why {
                FieldFault::ChangesType { .. } => "; types={...} of the estimator says it",
                _ => "",
            };
            PyValueError::new_err(format!("column '{column}' of X, row {row}: {why}{help}"))
        }
        (None, Some(Fault::NoColumn { given, .. })) => {
            PyValueError::new_err(format!("X has no column '{given}', which the model was fitted on"))
        }
        _ => PyValueError::new_err(error.to_string()),
    }
}
