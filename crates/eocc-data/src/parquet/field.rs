//! Values of Parquet columns.

use parquet::basic::{ConvertedType, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::record::Field;
use parquet::schema::types::Type;
use serde_json::Value;

use crate::budget::Meter;
use crate::cells::{CellKind, Cells};
use crate::column::{Column, Values};
use crate::error::Fault;

/// A value in one of the column types.
enum Item {
    Boolean(bool),
    Integer(i64),
    Unsigned(u64),
    Float(f64),
    Single(f32),
    Time(f64),
    Text(CellKind, String),
}

/// The value of a field; `None` for a null.
fn item(field: &Field) -> Option<Item> {
    Some(match field {
        Field::Null => return None,
        Field::Bool(value) => Item::Boolean(*value),
        Field::Byte(value) => Item::Integer((*value).into()),
        Field::Short(value) => Item::Integer((*value).into()),
        Field::Int(value) => Item::Integer((*value).into()),
        Field::Long(value) => Item::Integer(*value),
        Field::UByte(value) => Item::Integer((*value).into()),
        Field::UShort(value) => Item::Integer((*value).into()),
        Field::UInt(value) => Item::Integer((*value).into()),
        Field::ULong(value) => Item::Unsigned(*value),
        Field::Float16(value) => Item::Single((*value).into()),
        Field::Float(value) => Item::Single(*value),
        Field::Double(value) => Item::Float(*value),
        // As digits, so that a label keeps them all; as a number it is rounded once.
        Field::Decimal(_) => Item::Text(CellKind::Decimal, field.to_string()),
        Field::Str(value) => Item::Text(CellKind::Text, value.clone()),
        Field::Bytes(value) => Item::Text(CellKind::Text, bytes_text(value.data())),
        // Seconds, whatever the unit in the file: since 1970 for dates and timestamps, since midnight for times of
        // day.
        Field::Date(days) => Item::Time(f64::from(*days) * SECONDS_PER_DAY),
        Field::TimeMillis(value) => Item::Float(seconds((*value).into(), 1_000)),
        Field::TimeMicros(value) => Item::Float(seconds(*value, 1_000_000)),
        Field::TimestampMillis(value) => Item::Time(seconds(*value, 1_000)),
        Field::TimestampMicros(value) => Item::Time(seconds(*value, 1_000_000)),
        Field::Group(_) | Field::ListInternal(_) | Field::MapInternal(_) => {
            Item::Text(CellKind::Json, json(field).to_string())
        }
    })
}

const SECONDS_PER_DAY: f64 = 86_400.0;

/// Fractions of a second as seconds; whole seconds are exact.
fn seconds(value: i64, parts: i64) -> f64 {
    value.div_euclid(parts) as f64 + value.rem_euclid(parts) as f64 / parts as f64
}

/// Bytes that are not declared as text often are text; otherwise they are shown in hexadecimal.
fn bytes_text(bytes: &[u8]) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut text = String::with_capacity(2 + 2 * bytes.len());
    text.push_str("0x");
    for byte in bytes {
        text.extend([byte >> 4, byte & 0xf].map(|half| char::from(b"0123456789abcdef"[usize::from(half)])));
    }
    text
}

/// A nested value as JSON; numbers that are not finite, which JSON does not have, become null.
fn json(field: &Field) -> Value {
    match field {
        Field::Group(row) => {
            Value::Object(row.get_column_iter().map(|(name, field)| (name.clone(), json(field))).collect())
        }
        Field::ListInternal(list) => Value::Array(list.elements().iter().map(json).collect()),
        Field::MapInternal(map) => {
            let key = |field: &Field| match json(field) {
                Value::String(text) => text,
                other => other.to_string(),
            };
            Value::Object(map.entries().iter().map(|(name, field)| (key(name), json(field))).collect())
        }
        _ => match item(field) {
            None => Value::Null,
            Some(Item::Boolean(value)) => value.into(),
            Some(Item::Integer(value)) => value.into(),
            Some(Item::Unsigned(value)) => value.into(),
            Some(Item::Float(value) | Item::Time(value)) => value.into(),
            Some(Item::Single(value)) => value.into(),
            Some(Item::Text(_, text)) => text.into(),
        },
    }
}

/// A column under construction; its type is that of its first value.
#[derive(Default)]
pub(super) struct Builder {
    values: Option<Values>,
    missing: Vec<bool>,
    /// The meaning of integers that are nanoseconds, which the row reader does not support: a timestamp or a time of
    /// day.
    nanoseconds: Option<fn(f64) -> Item>,
}

impl Builder {
    /// The builder of a column of this type.
    pub(super) fn for_column(column: &Type) -> Self {
        let nanoseconds: Option<fn(f64) -> Item> = match column.get_basic_info().logical_type_ref() {
            Some(LogicalType::Timestamp(time)) if time.unit == TimeUnit::NANOS => Some(Item::Time),
            Some(LogicalType::Time(time)) if time.unit == TimeUnit::NANOS => Some(Item::Float),
            _ => None,
        };
        Self { nanoseconds, ..Self::default() }
    }

    /// Appends a field. All fields of a column have the same type; any other would count as missing.
    pub(super) fn push(&mut self, field: &Field, meter: &mut Meter) -> Result<(), Fault> {
        let rows = self.missing.len();
        let item = match (field, self.nanoseconds) {
            (Field::Long(value), Some(of_seconds)) => Some(of_seconds(seconds(*value, 1_000_000_000))),
            (field, _) => item(field),
        };
        let Some(item) = item else {
            self.missing.push(true);
            return meter.take(0);
        };
        meter.take(if let Item::Text(_, text) = &item { text.len() as u64 } else { 0 })?;
        let values = self.values.get_or_insert_with(|| match item {
            Item::Boolean(_) => Values::Boolean(Vec::new()),
            Item::Integer(_) => Values::Integer(Vec::new()),
            Item::Unsigned(_) => Values::Unsigned(Vec::new()),
            Item::Float(_) => Values::Float(Vec::new()),
            Item::Single(_) => Values::Single(Vec::new()),
            Item::Time(_) => Values::Time(Vec::new()),
            Item::Text(..) => Values::Cells(Cells::default()),
        });
        fill(values, rows);
        let mut same_type = true;
        match (values, item) {
            (Values::Boolean(values), Item::Boolean(value)) => values.push(value),
            (Values::Integer(values), Item::Integer(value)) => values.push(value),
            (Values::Unsigned(values), Item::Unsigned(value)) => values.push(value),
            (Values::Single(values), Item::Single(value)) => values.push(value),
            (Values::Float(values), Item::Float(value)) | (Values::Time(values), Item::Time(value)) => {
                values.push(value);
            }
            (Values::Cells(cells), Item::Text(kind, text)) => cells.push(kind, &text),
            _ => same_type = false,
        }
        self.missing.push(!same_type);
        Ok(())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }

    /// Like [`Builder::finish`], for a part of a column of this type: without values, it gets the type of the other
    /// parts.
    pub(super) fn finish_as(mut self, column: &Type) -> Column {
        if self.values.is_none() {
            self.values = Some(no_values(column, self.nanoseconds));
        }
        self.finish()
    }

    pub(super) fn finish(self) -> Column {
        let mut values = self.values.unwrap_or_else(|| Values::Cells(Cells::default()));
        fill(&mut values, self.missing.len());
        Column::from(values).with_missing(self.missing)
    }
}

/// An empty collection for the values of a column of this type.
fn no_values(column: &Type, nanoseconds: Option<fn(f64) -> Item>) -> Values {
    let text = || Values::Cells(Cells::default());
    let info = column.get_basic_info();
    // Nested values are text; nothing is known about a column of type null.
    let is_unknown = matches!(info.logical_type_ref(), Some(LogicalType::Unknown));
    if !column.is_primitive()
        || is_unknown
        || (info.has_repetition() && info.repetition() == Repetition::REPEATED)
    {
        return text();
    }
    match (column.get_physical_type(), info.converted_type()) {
        (Physical::BOOLEAN, _) => Values::Boolean(Vec::new()),
        (Physical::FLOAT, _) => Values::Single(Vec::new()),
        (Physical::DOUBLE, _) | (_, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => {
            Values::Float(Vec::new())
        }
        (Physical::INT96, _)
        | (_, ConvertedType::DATE | ConvertedType::TIMESTAMP_MILLIS | ConvertedType::TIMESTAMP_MICROS) => {
            Values::Time(Vec::new())
        }
        (_, ConvertedType::UINT_64) => Values::Unsigned(Vec::new()),
        (Physical::FIXED_LEN_BYTE_ARRAY, _) if info.logical_type_ref() == Some(&LogicalType::Float16) => {
            Values::Single(Vec::new())
        }
        (_, ConvertedType::DECIMAL) | (Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY, _) => text(),
        (Physical::INT32 | Physical::INT64, _) => match nanoseconds.map(|of_seconds| of_seconds(0.0)) {
            None => Values::Integer(Vec::new()),
            Some(Item::Time(_)) => Values::Time(Vec::new()),
            Some(_) => Values::Float(Vec::new()),
        },
    }
}

/// Fills placeholders in for missing values, which are never read.
fn fill(values: &mut Values, rows: usize) {
    match values {
        Values::Boolean(values) => values.resize(rows, false),
        Values::Integer(values) => values.resize(rows, 0),
        Values::Unsigned(values) => values.resize(rows, 0),
        Values::Float(values) | Values::Time(values) => values.resize(rows, 0.0),
        Values::Single(values) => values.resize(rows, 0.0),
        Values::Cells(cells) => cells.pad(rows),
        // Not among the types of Parquet columns.
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use parquet::data_type::Decimal;
    use parquet::record::Row;

    use super::*;
    use crate::budget::Budget;
    use crate::cell::Cell;

    #[test]
    fn columns_take_the_type_of_their_values() {
        let column = |fields: &[Field]| {
            let mut builder = Builder::default();
            for field in fields {
                builder.push(field, &mut Budget::default().meter(None)).unwrap();
            }
            builder.finish()
        };
        let numbers = column(&[Field::Null, Field::Int(3), Field::Null]);
        assert_eq!(
            (0..3).map(|row| numbers.cell(row)).collect::<Vec<_>>(),
            [Cell::Missing, Cell::Integer(3), Cell::Missing]
        );
        let empty = column(&[Field::Null, Field::Null]);
        assert_eq!((empty.len(), empty.cell(1)), (2, Cell::Missing));
        let price = column(&[Field::Decimal(Decimal::from_i64(-12345, 10, 2))]);
        assert_eq!(price.cell(0), Cell::Decimal("-123.45"));
        let date = column(&[Field::Date(0)]);
        assert_eq!(date.cell(0), Cell::Time(0.0));
        let moments = [Field::TimestampMillis(-1_500), Field::TimestampMicros(-1_500_000)]
            .map(|moment| column(&[moment]));
        assert!(moments.iter().all(|moment| moment.cell(0) == Cell::Time(-1.5)));
        let group =
            Row::new(vec![("a".to_owned(), Field::Int(1)), ("b".to_owned(), Field::Double(f64::NAN))]);
        assert_eq!(column(&[Field::Group(group)]).cell(0), Cell::Json("{\"a\":1,\"b\":null}"));
        assert_eq!(bytes_text(&[0xff, 1]), "0xff01");
    }
}
