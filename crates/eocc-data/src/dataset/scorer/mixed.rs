//! Columns of a mixed table as rows with the codes of a model's levels, a block at a time, without typed columns in
//! between: a word costs one lookup instead of a text of its own.
//!
//! Only plain arrays are read here. A batch with anything else, or with a value that is not as expected, is read cell
//! by cell, which gives the same answers and reports errors.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::cast::AsArray as _;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{
    Array, BooleanArray, LargeStringArray, PrimitiveArray, RecordBatch, StringArray, StringViewArray,
};
use arrow_schema::{DataType, TimeUnit};
use eocc_core::parallel;
use eocc_core::sample::{ColumnKind, DateValue, MixedColumn, UNKNOWN_LEVEL};

use super::super::{Missing, ReadRequest};
use crate::arrow::unit_seconds;
use crate::date::{self, DAY};
use crate::field_type::FieldType;
use crate::typed::word_of_text;

/// Rows per task, and rows that are filled column by column before the next: these stay in the fastest cache.
const ROWS: usize = 2048;
const TILE: usize = 128;
/// Numbers up to here are what a table can hold, and integers up to there are exact as 64-bit floats.
const LARGEST: f64 = 1e150;
const EXACT: u64 = 1 << 53;
/// Texts that were looked up last.
const REMEMBERED: usize = 256;

/// Where the cells of a model's columns come from.
pub(super) struct MixedSources {
    sources: Vec<Source>,
    /// Columns of the model.
    width: usize,
    /// Whether NaN is a missing value rather than an error.
    allows_nan: bool,
    week: Week,
}

/// A column of the batch, by its place among the features, and what is made of it.
struct Source {
    feature: usize,
    cells: Cells,
}

/// The cells made of a column, and the columns of the model that they belong to.
enum Cells {
    Number(usize),
    Truth(usize),
    Words(usize, Words),
    Dates(Vec<(usize, DateValue)>),
}

/// The codes of words.
struct Words(HashMap<String, f64>);

impl Words {
    /// For the levels of a model. Those that no text is read as have no code.
    fn new(levels: &[String]) -> Self {
        let is_read = |level: &&String| word_of_text(level).as_ref() == Some(*level);
        let codes = levels.iter().zip(0_u32..).map(|(level, code)| (level, f64::from(code)));
        Self(codes.filter(|(level, _)| is_read(level)).map(|(level, code)| (level.clone(), code)).collect())
    }

    /// The code of a text; NaN if it means that the value is missing.
    fn code(&self, text: &str) -> f64 {
        let known = |word: &str| self.0.get(word).copied();
        known(text).unwrap_or_else(|| match word_of_text(text) {
            None => f64::NAN,
            Some(word) => known(&word).unwrap_or(UNKNOWN_LEVEL),
        })
    }
}

/// The codes of the texts looked up last: words repeat, and most are short.
struct Remembered<'t>(Vec<(&'t str, f64)>);

impl<'t> Remembered<'t> {
    fn new(rows: usize) -> Self {
        // The empty text means that a value is missing.
        Self(vec![("", f64::NAN); rows.next_power_of_two().min(REMEMBERED)])
    }

    fn code(&mut self, words: &Words, text: &'t str) -> f64 {
        let bytes = text.as_bytes();
        let ends = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(first), Some(last)) => {
                u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(32)
            }
            _ => bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)),
        };
        let mixed = (ends ^ (bytes.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let count = self.0.len();
        let slot = &mut self.0[(mixed >> 32) as usize & (count - 1)];
        if slot.0 != text {
            *slot = (text, words.code(text));
        }
        slot.1
    }
}

impl MixedSources {
    /// For the columns of a model, when the features with these names are read as these types; `None` if something
    /// else than usual is asked for.
    pub(super) fn for_columns(
        columns: &[MixedColumn],
        names: &[String],
        types: &[(String, FieldType)],
        request: &ReadRequest,
    ) -> Option<Self> {
        let is_usual = matches!(request.missing, None | Some(Missing::Distance))
            && request.na.is_empty()
            && request.windows.is_none()
            && !request.mask;
        if !is_usual {
            return None;
        }
        let mut sources: Vec<Source> = Vec::with_capacity(names.len());
        for (c, column) in columns.iter().enumerate() {
            let name = column.source();
            let feature = names.iter().position(|other| other == name)?;
            let kind = types.iter().find(|(other, _)| other == name).map(|(_, kind)| kind)?;
            let cells = match (&column.kind, kind) {
                (ColumnKind::Number, FieldType::Number) => Cells::Number(c),
                (ColumnKind::Boolean, FieldType::Category) => Cells::Truth(c),
                (ColumnKind::Category(levels) | ColumnKind::Ordered(levels), FieldType::Category) => {
                    Cells::Words(c, Words::new(levels))
                }
                (ColumnKind::Date(part), FieldType::Date(_)) => {
                    let known = sources.iter_mut().find(|source| source.feature == feature);
                    if let Some(Source { cells: Cells::Dates(parts), .. }) = known {
                        parts.push((c, part.value));
                        continue;
                    }
                    Cells::Dates(vec![(c, part.value)])
                }
                _ => return None,
            };
            sources.push(Source { feature, cells });
        }
        let allows_nan = Missing::allow_empty(request.missing);
        Some(Self { sources, width: columns.len(), allows_nan, week: Week::new() })
    }

    /// The columns of a batch, whose features are at these places; `None` if they are not all of a plain type.
    pub(super) fn columns<'a>(
        &'a self,
        batch: &'a RecordBatch,
        places: &[usize],
    ) -> Option<MixedColumns<'a>> {
        let plain = |source: &'a Source| {
            let array = batch.column(*places.get(source.feature)?).as_ref();
            PlainColumn::from_array(&source.cells, array)
        };
        let columns = self.sources.iter().map(plain).collect::<Option<_>>()?;
        Some(MixedColumns { columns, sources: self })
    }
}

/// The columns of a batch that samples are made of.
pub(super) struct MixedColumns<'a> {
    columns: Vec<PlainColumn<'a>>,
    sources: &'a MixedSources,
}

impl MixedColumns<'_> {
    /// The cells of these rows, one row after another; `None` if a value is not as expected.
    pub(super) fn block(&self, rows: Range<usize>) -> Option<Vec<f64>> {
        let width = self.sources.width;
        let mut cells = vec![0.0; width * rows.len()];
        let is_sound = AtomicBool::new(true);
        parallel::for_each_chunk(&mut cells, ROWS * width, &|chunk, out| {
            let count = out.len() / width;
            let mut remembered: Vec<Remembered<'_>> =
                self.columns.iter().map(|column| column.remembered(count)).collect();
            for (tile, out) in out.chunks_mut(TILE * width).enumerate() {
                let start = rows.start + chunk * ROWS + tile * TILE;
                let some = start..start + out.len() / width;
                let mut out = Rows { cells: out, width };
                for (column, remembered) in self.columns.iter().zip(&mut remembered) {
                    if !column.write(some.clone(), &mut out, remembered, self.sources) {
                        is_sound.store(false, Ordering::Relaxed);
                    }
                }
            }
        });
        is_sound.into_inner().then_some(cells)
    }
}

/// Rows to be filled.
struct Rows<'o> {
    cells: &'o mut [f64],
    width: usize,
}

impl Rows<'_> {
    /// The cells of a column.
    fn column(&mut self, column: usize) -> impl Iterator<Item = &mut f64> {
        self.cells[column..].iter_mut().step_by(self.width)
    }
}

/// A column of a plain type, and what is made of it.
enum PlainColumn<'a> {
    F64(usize, &'a PrimitiveArray<Float64Type>),
    F32(usize, &'a PrimitiveArray<Float32Type>),
    I64(usize, &'a PrimitiveArray<Int64Type>),
    I32(usize, &'a PrimitiveArray<Int32Type>),
    I16(usize, &'a PrimitiveArray<Int16Type>),
    I8(usize, &'a PrimitiveArray<Int8Type>),
    U32(usize, &'a PrimitiveArray<UInt32Type>),
    U16(usize, &'a PrimitiveArray<UInt16Type>),
    U8(usize, &'a PrimitiveArray<UInt8Type>),
    Truths(usize, &'a BooleanArray),
    Words(usize, &'a Words, Texts<'a>),
    Dates(&'a [(usize, DateValue)], Moments<'a>),
}

impl<'a> PlainColumn<'a> {
    fn from_array(cells: &'a Cells, array: &'a dyn Array) -> Option<Self> {
        use DataType as T;
        Some(match (cells, array.data_type()) {
            (Cells::Number(c), T::Float64) => Self::F64(*c, array.as_primitive()),
            (Cells::Number(c), T::Float32) => Self::F32(*c, array.as_primitive()),
            (Cells::Number(c), T::Int64) => Self::I64(*c, array.as_primitive()),
            (Cells::Number(c), T::Int32) => Self::I32(*c, array.as_primitive()),
            (Cells::Number(c), T::Int16) => Self::I16(*c, array.as_primitive()),
            (Cells::Number(c), T::Int8) => Self::I8(*c, array.as_primitive()),
            (Cells::Number(c), T::UInt32) => Self::U32(*c, array.as_primitive()),
            (Cells::Number(c), T::UInt16) => Self::U16(*c, array.as_primitive()),
            (Cells::Number(c), T::UInt8) => Self::U8(*c, array.as_primitive()),
            (Cells::Truth(c), T::Boolean) => Self::Truths(*c, array.as_boolean()),
            (Cells::Words(c, words), _) => Self::Words(*c, words, Texts::from_array(array)?),
            (Cells::Dates(parts), _) => Self::Dates(parts, Moments::from_array(array)?),
            _ => return None,
        })
    }

    /// Room for the words of this many rows, if it has words.
    fn remembered(&self, rows: usize) -> Remembered<'a> {
        if matches!(self, Self::Words(..)) { Remembered::new(rows) } else { Remembered(Vec::new()) }
    }

    /// Writes the cells of these rows; whether all values are as expected.
    fn write(
        &self,
        rows: Range<usize>,
        out: &mut Rows<'_>,
        remembered: &mut Remembered<'a>,
        sources: &MixedSources,
    ) -> bool {
        let allows_nan = sources.allows_nan;
        let whole = |value: i64| (value as f64, value.unsigned_abs() <= EXACT);
        // NaN is not below anything.
        let real = |value: f64| (value, value.abs() <= LARGEST || (allows_nan && value.is_nan()));
        match self {
            Self::F64(c, array) => numbers(array, rows, out.column(*c), real),
            Self::F32(c, array) => numbers(array, rows, out.column(*c), |v| real(f64::from(v))),
            Self::I64(c, array) => numbers(array, rows, out.column(*c), whole),
            Self::I32(c, array) => numbers(array, rows, out.column(*c), |v| (f64::from(v), true)),
            Self::I16(c, array) => numbers(array, rows, out.column(*c), |v| (f64::from(v), true)),
            Self::I8(c, array) => numbers(array, rows, out.column(*c), |v| (f64::from(v), true)),
            Self::U32(c, array) => numbers(array, rows, out.column(*c), |v| (f64::from(v), true)),
            Self::U16(c, array) => numbers(array, rows, out.column(*c), |v| (f64::from(v), true)),
            Self::U8(c, array) => numbers(array, rows, out.column(*c), |v| (f64::from(v), true)),
            Self::Truths(c, array) => {
                for (row, out) in rows.zip(out.column(*c)) {
                    *out = if array.is_null(row) { f64::NAN } else { f64::from(u8::from(array.value(row))) };
                }
                true
            }
            Self::Words(c, words, texts) => {
                let mut out = out.column(*c);
                texts.each(rows, &mut |text| {
                    if let Some(out) = out.next() {
                        *out = text.map_or(f64::NAN, |text| remembered.code(words, text));
                    }
                });
                true
            }
            Self::Dates(parts, moments) => {
                let seconds = moments.seconds(rows);
                let week = &sources.week;
                for &(c, part) in *parts {
                    for (out, seconds) in out.column(c).zip(&seconds) {
                        *out = week.value(*seconds, part);
                    }
                }
                true
            }
        }
    }
}

/// Writes the numbers of these rows, NaN where one is missing; whether all of the others are sound.
fn numbers<'o, T: ArrowPrimitiveType>(
    array: &PrimitiveArray<T>,
    rows: Range<usize>,
    out: impl Iterator<Item = &'o mut f64>,
    of: impl Fn(T::Native) -> (f64, bool),
) -> bool {
    let mut is_sound = true;
    let values = &array.values()[rows.clone()];
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => {
            for (out, value) in out.zip(values) {
                let (value, is_expected) = of(*value);
                *out = value;
                is_sound &= is_expected;
            }
        }
        Some(nulls) => {
            for ((row, out), value) in rows.zip(out).zip(values) {
                let (value, is_expected) = of(*value);
                let is_null = nulls.is_null(row);
                *out = if is_null { f64::NAN } else { value };
                is_sound &= is_null || is_expected;
            }
        }
    }
    is_sound
}

/// An array of texts, or of keys of texts.
enum Texts<'a> {
    Small(&'a StringArray),
    Large(&'a LargeStringArray),
    View(&'a StringViewArray),
    /// The text of each row by its place; `None` if it is missing.
    Keys(Vec<Option<u32>>, Box<Texts<'a>>),
}

impl<'a> Texts<'a> {
    fn from_array(array: &'a dyn Array) -> Option<Self> {
        use DataType as T;
        Some(match array.data_type() {
            T::Utf8 => Self::Small(array.as_string()),
            T::LargeUtf8 => Self::Large(array.as_string()),
            T::Utf8View => Self::View(array.as_string_view()),
            T::Dictionary(..) => {
                let all = array.as_any_dictionary();
                let texts = Self::from_array(all.values().as_ref())?;
                // Keys of nulls may be anything.
                if all.values().is_empty() || matches!(texts, Self::Keys(..)) {
                    return None;
                }
                let nulls = all.keys();
                let key = |(row, key): (usize, usize)| (!nulls.is_null(row)).then_some(key as u32);
                Self::Keys(all.normalized_keys().into_iter().enumerate().map(key).collect(), Box::new(texts))
            }
            _ => return None,
        })
    }

    /// Calls `see` with the text of each row, `None` for a missing one.
    fn each(&self, rows: Range<usize>, see: &mut dyn FnMut(Option<&'a str>)) {
        match self {
            Self::Small(array) => rows.for_each(|row| see(array.is_valid(row).then(|| array.value(row)))),
            Self::Large(array) => rows.for_each(|row| see(array.is_valid(row).then(|| array.value(row)))),
            Self::View(array) => rows.for_each(|row| see(array.is_valid(row).then(|| array.value(row)))),
            Self::Keys(keys, texts) => {
                for key in &keys[rows] {
                    match key {
                        None => see(None),
                        Some(key) => texts.each(*key as usize..*key as usize + 1, see),
                    }
                }
            }
        }
    }
}

/// An array of dates or moments.
enum Moments<'a> {
    Days(&'a PrimitiveArray<Date32Type>),
    DaysInMilliseconds(&'a PrimitiveArray<Date64Type>),
    Seconds(&'a PrimitiveArray<TimestampSecondType>),
    Milliseconds(&'a PrimitiveArray<TimestampMillisecondType>),
    Microseconds(&'a PrimitiveArray<TimestampMicrosecondType>),
    Nanoseconds(&'a PrimitiveArray<TimestampNanosecondType>),
}

impl<'a> Moments<'a> {
    fn from_array(array: &'a dyn Array) -> Option<Self> {
        use DataType as T;
        Some(match array.data_type() {
            T::Date32 => Self::Days(array.as_primitive()),
            T::Date64 => Self::DaysInMilliseconds(array.as_primitive()),
            T::Timestamp(TimeUnit::Second, _) => Self::Seconds(array.as_primitive()),
            T::Timestamp(TimeUnit::Millisecond, _) => Self::Milliseconds(array.as_primitive()),
            T::Timestamp(TimeUnit::Microsecond, _) => Self::Microseconds(array.as_primitive()),
            T::Timestamp(TimeUnit::Nanosecond, _) => Self::Nanoseconds(array.as_primitive()),
            _ => return None,
        })
    }

    /// Seconds since 1970 of these rows; NaN where one is missing.
    fn seconds(&self, rows: Range<usize>) -> Vec<f64> {
        fn converted<T: ArrowPrimitiveType>(
            array: &PrimitiveArray<T>,
            rows: Range<usize>,
            seconds: impl Fn(T::Native) -> f64,
        ) -> Vec<f64> {
            let mut all = vec![0.0; rows.len()];
            numbers(array, rows, all.iter_mut(), |value| (seconds(value), true));
            all
        }
        match self {
            Self::Days(array) => converted(array, rows, |days| f64::from(days) * DAY),
            Self::DaysInMilliseconds(array) => converted(array, rows, unit_seconds::<1_000>),
            Self::Seconds(array) => converted(array, rows, unit_seconds::<1>),
            Self::Milliseconds(array) => converted(array, rows, unit_seconds::<1_000>),
            Self::Microseconds(array) => converted(array, rows, unit_seconds::<1_000_000>),
            Self::Nanoseconds(array) => converted(array, rows, unit_seconds::<1_000_000_000>),
        }
    }
}

/// The coordinates of the days of the week, which are only seven.
struct Week([[f64; 2]; 7]);

impl Week {
    fn new() -> Self {
        // 1970 began on a Thursday; the week begins on the Monday before.
        let of_day = |day: usize| {
            let seconds = (day as f64 - 3.0) * DAY;
            [DateValue::WeekdaySine, DateValue::WeekdayCosine].map(|part| date::value(seconds, part))
        };
        Self(std::array::from_fn(of_day))
    }

    /// As [`date::value`]; NaN for a missing date.
    fn value(&self, seconds: f64, part: DateValue) -> f64 {
        let place = match part {
            DateValue::WeekdaySine => 0,
            DateValue::WeekdayCosine => 1,
            _ => return date::value(seconds, part),
        };
        let days = seconds / DAY + 3.0;
        // Before that week, zeros have a sign.
        if (0.0..1e9).contains(&days) {
            // Rounding may move the last instants of a day, so the day is found as it is there.
            let floor = (seconds / DAY).floor();
            return self.0[(floor + 3.0) as usize % 7][place];
        }
        date::value(seconds, part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weekdays_are_those_of_single_dates() {
        let week = Week::new();
        for i in -30_000..30_000_i32 {
            let seconds = f64::from(i) * 8_641.7;
            for seconds in [seconds, (f64::from(i) * DAY).next_down(), f64::from(i) * DAY] {
                for part in [DateValue::WeekdaySine, DateValue::WeekdayCosine, DateValue::Elapsed] {
                    let expected = date::value(seconds, part);
                    assert_eq!(week.value(seconds, part).to_bits(), expected.to_bits(), "{seconds} {part:?}");
                }
            }
        }
        assert!(week.value(f64::NAN, DateValue::WeekdaySine).is_nan());
    }

    #[test]
    fn words_are_remembered_as_they_are_looked_up() {
        let levels: Vec<String> = (0..3000).map(|i| format!("level number {i}")).collect();
        let words = Words::new(&[&levels[..], &["a".into(), "7".into(), "7.0".into(), "NA".into()]].concat());
        let mut remembered = Remembered::new(100);
        let texts = ["", " ", "a", " a ", "7", "7.00", "7.0", "NA", "new", "naïve naïve", "level number 7"];
        for round in 0..2000 {
            let text = texts[round % texts.len()];
            for text in [text, &levels[round * 7 % levels.len()]] {
                assert_eq!(remembered.code(&words, text).to_bits(), words.code(text).to_bits(), "{text}");
            }
        }
        assert_eq!(
            ["a", " a", "7.00", "7", "new"].map(|t| words.code(t) as i64),
            [3000, 3000, 3001, 3001, -1]
        );
        assert!(words.code("NA").is_nan() && words.code(" ").is_nan());
    }
}
