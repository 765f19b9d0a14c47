//! From an array of Arrow to a column.

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

use crate::cell::Cell;
use crate::column::{Column, Kind, TextCells, Values};

/// Seconds of a day.
const DAY: f64 = 86_400.0;

/// The values of an array in the type that is nearest to theirs.
pub(super) fn column(array: &dyn Array) -> Result<Column, String> {
    use DataType as T;
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
            let plain = arrow_select::take::take(all.values(), all.keys(), None)
                .map_err(|error| error.to_string())?;
            return column(plain.as_ref());
        }
        _ => return texts(array),
    };
    let missing = (0..array.len()).map(|row| array.is_null(row)).collect();
    Ok(Column::with_missing(values, missing))
}

fn each<T: ArrowPrimitiveType, V>(array: &dyn Array, of: impl Fn(T::Native) -> V) -> Vec<V> {
    array.as_primitive::<T>().values().iter().map(|value| of(*value)).collect()
}

/// Counts of a unit of time as seconds.
fn seconds<T: ArrowPrimitiveType<Native = i64>>(array: &dyn Array, unit: TimeUnit) -> Vec<f64> {
    let parts = match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    };
    // Whole seconds apart, so that no digit of theirs is lost.
    each::<T, _>(array, |count| {
        count.div_euclid(parts) as f64 + count.rem_euclid(parts) as f64 / parts as f64
    })
}

/// Texts, decimals, lists as JSON, and nothing at all.
fn texts(array: &dyn Array) -> Result<Column, String> {
    use DataType as T;
    type Text<'a> = Box<dyn Fn(usize) -> Result<(Kind, String), String> + 'a>;
    let of: Text<'_> = match array.data_type() {
        T::Null => Box::new(|_| Ok((Kind::Missing, String::new()))),
        T::Utf8 => Box::new(|row| Ok((Kind::Text, array.as_string::<i32>().value(row).to_owned()))),
        T::LargeUtf8 => Box::new(|row| Ok((Kind::Text, array.as_string::<i64>().value(row).to_owned()))),
        T::Utf8View => Box::new(|row| Ok((Kind::Text, array.as_string_view().value(row).to_owned()))),
        T::Decimal128(..) => {
            let all = array.as_primitive::<arrow_array::types::Decimal128Type>();
            Box::new(|row| Ok((Kind::Decimal, all.value_as_string(row))))
        }
        T::List(_) => Box::new(|row| json(array.as_list::<i32>().value(row))),
        T::LargeList(_) => Box::new(|row| json(array.as_list::<i64>().value(row))),
        T::FixedSizeList(..) => Box::new(|row| json(array.as_fixed_size_list().value(row))),
        other => {
            return Err(format!(
                "it has the type {other}, which is not read; leave it out of the file, or convert it"
            ));
        }
    };
    let mut cells = TextCells::default();
    for row in 0..array.len() {
        let (kind, text) = if array.is_null(row) { (Kind::Missing, String::new()) } else { of(row)? };
        cells.push(kind, &text);
    }
    Ok(Column::new(Values::Text(cells)))
}

/// A list as JSON.
fn json(list: ArrayRef) -> Result<(Kind, String), String> {
    let values = column(list.as_ref())?;
    let item = |row: usize| match values.cell(row) {
        cell if cell.is_missing() => "null".to_owned(),
        Cell::Text(text) => serde_json::Value::from(text).to_string(),
        cell => cell.text().into_owned(),
    };
    let items: Vec<String> = (0..values.len()).map(item).collect();
    Ok((Kind::Json, format!("[{}]", items.join(","))))
}
