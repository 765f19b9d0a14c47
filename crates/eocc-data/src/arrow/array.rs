//! Converts an Arrow array to a column.

use std::borrow::Cow;

use arrow_array::array::AnyDictionaryArray;
use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, DurationMicrosecondType, DurationMillisecondType,
    DurationNanosecondType, DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef};
use arrow_schema::{DataType, TimeUnit};

use crate::budget::Meter;
use crate::cell::Cell;
use crate::cells::{CellKind, Cells};
use crate::column::{Column, Values};
use crate::error::ReadFailure;

/// Seconds per day.
const DAY: f64 = 86_400.0;

/// The values of an array in the closest type.
pub(super) fn column(array: &dyn Array, meter: &mut Meter) -> Result<Column, ReadFailure> {
    use DataType as T;
    meter.cells(array.len() as u64, 0)?;
    let values = match array.data_type() {
        T::Boolean => {
            let all = array.as_boolean();
            Values::Boolean((0..all.len()).map(|row| all.value(row)).collect())
        }
        T::Int8 => Values::Integer(each::<Int8Type, _>(array, i64::from)),
        T::Int16 => Values::Integer(each::<Int16Type, _>(array, i64::from)),
        T::Int32 => Values::Integer(each::<Int32Type, _>(array, i64::from)),
        T::Int64 => Values::Integer(each::<Int64Type, _>(array, |value| value)),
        T::UInt8 => Values::Integer(each::<UInt8Type, _>(array, i64::from)),
        T::UInt16 => Values::Integer(each::<UInt16Type, _>(array, i64::from)),
        T::UInt32 => Values::Integer(each::<UInt32Type, _>(array, i64::from)),
        T::UInt64 => Values::Unsigned(each::<UInt64Type, _>(array, |value| value)),
        T::Float16 => Values::Single(each::<Float16Type, _>(array, f32::from)),
        T::Float32 => Values::Single(each::<Float32Type, _>(array, |value| value)),
        T::Float64 => Values::Float(each::<Float64Type, _>(array, |value| value)),
        T::Date32 => Values::Time(each::<Date32Type, _>(array, |days| f64::from(days) * DAY)),
        T::Date64 => Values::Time(seconds::<Date64Type>(array, TimeUnit::Millisecond)),
        T::Timestamp(unit, _) => Values::Time(match unit {
            TimeUnit::Second => seconds::<TimestampSecondType>(array, *unit),
            TimeUnit::Millisecond => seconds::<TimestampMillisecondType>(array, *unit),
            TimeUnit::Microsecond => seconds::<TimestampMicrosecondType>(array, *unit),
            TimeUnit::Nanosecond => seconds::<TimestampNanosecondType>(array, *unit),
        }),
        T::Duration(unit) => Values::Float(match unit {
            TimeUnit::Second => seconds::<DurationSecondType>(array, *unit),
            TimeUnit::Millisecond => seconds::<DurationMillisecondType>(array, *unit),
            TimeUnit::Microsecond => seconds::<DurationMicrosecondType>(array, *unit),
            TimeUnit::Nanosecond => seconds::<DurationNanosecondType>(array, *unit),
        }),
        // Seconds since midnight.
        T::Time32(TimeUnit::Second) => Values::Float(each::<Time32SecondType, _>(array, f64::from)),
        T::Time32(_) => {
            Values::Float(each::<Time32MillisecondType, _>(array, |value| f64::from(value) / 1e3))
        }
        T::Time64(TimeUnit::Microsecond) => {
            Values::Float(seconds::<Time64MicrosecondType>(array, TimeUnit::Microsecond))
        }
        T::Time64(_) => Values::Float(seconds::<Time64NanosecondType>(array, TimeUnit::Nanosecond)),
        T::Dictionary(..) => {
            let all = array.as_any_dictionary();
            return picked(&column(all.values().as_ref(), meter)?, all, meter);
        }
        _ => return texts(array, meter),
    };
    let missing = (0..array.len()).map(|row| array.is_null(row)).collect();
    Ok(Column::from(values).with_missing(missing))
}

/// Dictionary values given by their keys; the values may be long, and occur often.
fn picked(values: &Column, keys: &dyn AnyDictionaryArray, meter: &mut Meter) -> Result<Column, ReadFailure> {
    let missing: Vec<bool> = (0..keys.len()).map(|row| keys.keys().is_null(row)).collect();
    if values.is_empty() {
        let mut cells = Cells::default();
        cells.pad(keys.len());
        return Ok(Column::from(Values::Cells(cells)).with_missing(missing));
    }
    let rows = keys.normalized_keys();
    for &row in &rows {
        if let Cell::Text(text) | Cell::Decimal(text) | Cell::Json(text) = values.cell(row) {
            meter.take(text.len() as u64)?;
        }
    }
    Ok(values.pick(&rows).with_missing(missing))
}

fn each<T: ArrowPrimitiveType, V>(array: &dyn Array, of: impl Fn(T::Native) -> V) -> Vec<V> {
    array.as_primitive::<T>().values().iter().map(|value| of(*value)).collect()
}

/// Counts of a time unit as seconds.
fn seconds<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array, unit: TimeUnit) -> Vec<f64> {
    match unit {
        TimeUnit::Second => each::<T, _>(array, unit_seconds::<1>),
        TimeUnit::Millisecond => each::<T, _>(array, unit_seconds::<1_000>),
        TimeUnit::Microsecond => each::<T, _>(array, unit_seconds::<1_000_000>),
        TimeUnit::Nanosecond => each::<T, _>(array, unit_seconds::<1_000_000_000>),
    }
}

/// A count of a unit as seconds, of which there are `PARTS` in one: known to the compiler, which then does without a
/// division.
pub(crate) fn unit_seconds<const PARTS: i64>(count: i64) -> f64 {
    // Whole seconds separately, so that none of their digits is lost.
    count.div_euclid(PARTS) as f64 + count.rem_euclid(PARTS) as f64 / PARTS as f64
}

/// Texts, decimals, lists as JSON, and nulls.
fn texts(array: &dyn Array, meter: &mut Meter) -> Result<Column, ReadFailure> {
    use DataType as T;
    type Text<'a> = Box<dyn Fn(usize, &mut Meter) -> Result<(CellKind, Cow<'a, str>), ReadFailure> + 'a>;
    let text = |text| Ok((CellKind::Text, Cow::Borrowed(text)));
    let of: Text<'_> = match array.data_type() {
        T::Null => Box::new(|_, _| Ok((CellKind::Missing, Cow::Borrowed("")))),
        T::Utf8 => Box::new(move |row, _| text(array.as_string::<i32>().value(row))),
        T::LargeUtf8 => Box::new(move |row, _| text(array.as_string::<i64>().value(row))),
        T::Utf8View => Box::new(move |row, _| text(array.as_string_view().value(row))),
        T::Decimal128(..) => {
            let all = array.as_primitive::<arrow_array::types::Decimal128Type>();
            Box::new(|row, _| Ok((CellKind::Decimal, all.value_as_string(row).into())))
        }
        T::List(_) => Box::new(|row, meter| json(array.as_list::<i32>().value(row), meter)),
        T::LargeList(_) => Box::new(|row, meter| json(array.as_list::<i64>().value(row), meter)),
        T::FixedSizeList(..) => Box::new(|row, meter| json(array.as_fixed_size_list().value(row), meter)),
        other => {
            let reason = format!(
                "it has the type {other}, which is not read; leave it out of the file, or convert it"
            );
            return Err(reason.into());
        }
    };
    let mut cells = Cells::default();
    for row in 0..array.len() {
        let (kind, text) =
            if array.is_null(row) { (CellKind::Missing, Cow::Borrowed("")) } else { of(row, meter)? };
        meter.take(text.len() as u64)?;
        cells.push(kind, &text);
    }
    Ok(Column::from(Values::Cells(cells)))
}

/// A list as JSON.
fn json<'a>(list: ArrayRef, meter: &mut Meter) -> Result<(CellKind, Cow<'a, str>), ReadFailure> {
    let values = column(list.as_ref(), meter)?;
    let item = |row: usize| match values.cell(row) {
        cell if cell.is_missing() => "null".to_owned(),
        Cell::Text(text) => serde_json::Value::from(text).to_string(),
        cell => cell.text().into_owned(),
    };
    let items: Vec<String> = (0..values.len()).map(item).collect();
    Ok((CellKind::Json, format!("[{}]", items.join(",")).into()))
}
