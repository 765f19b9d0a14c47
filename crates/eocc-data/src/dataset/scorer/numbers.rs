//! Plain numeric columns as rows, a block at a time: the only copy between a batch and the model.

use std::ops::Range;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use eocc_core::parallel;

/// Rows per task, and rows that are filled column by column before the next: these stay in the fastest cache.
const ROWS: usize = 4096;
const TILE: usize = 128;
/// Integers up to here are exact as 64-bit floats.
const EXACT: i64 = 1 << 53;

/// The values of a column, in place.
enum Numbers<'a> {
    F64(&'a [f64]),
    F32(&'a [f32]),
    I64(&'a [i64]),
    I32(&'a [i32]),
    I16(&'a [i16]),
    I8(&'a [i8]),
    U32(&'a [u32]),
    U16(&'a [u16]),
    U8(&'a [u8]),
}

/// Columns of numbers, all of them finite.
pub(super) struct NumberColumns<'a> {
    columns: Vec<Numbers<'a>>,
    rows: usize,
}

impl<'a> NumberColumns<'a> {
    /// These columns; `None` if a value is missing, not finite, would be rounded, or is not of a plain type. Those are
    /// read cell by cell, which also reports the error.
    pub(super) fn from_batch(batch: &'a RecordBatch, places: &[usize]) -> Option<Self> {
        let columns: Vec<Numbers<'a>> =
            places.iter().map(|&place| plain(batch.column(place).as_ref())).collect::<Option<_>>()?;
        (!columns.is_empty()).then_some(Self { columns, rows: batch.num_rows() })
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    /// These rows, one after another: in `room`, or borrowed if a single column already has this layout.
    pub(super) fn block<'r>(&self, rows: Range<usize>, room: &'r mut Vec<f64>) -> &'r [f64]
    where
        'a: 'r,
    {
        if let [Numbers::F64(one)] = self.columns.as_slice() {
            return &one[rows];
        }
        let width = self.columns.len();
        room.resize(width * rows.len(), 0.0);
        parallel::for_each_chunk(room, ROWS * width, &|chunk, out| {
            for (tile, out) in out.chunks_mut(TILE * width).enumerate() {
                let start = rows.start + chunk * ROWS + tile * TILE;
                for (c, column) in self.columns.iter().enumerate() {
                    column.scatter(start, out.len() / width, &mut out[c..], width);
                }
            }
        });
        room
    }
}

/// Branch-free.
fn are_finite<T>(values: &[T], is_finite: impl Fn(&T) -> bool) -> bool {
    values.iter().filter(|value| !is_finite(value)).count() == 0
}

fn plain(array: &dyn Array) -> Option<Numbers<'_>> {
    use DataType as T;
    if array.null_count() > 0 {
        return None;
    }
    Some(match array.data_type() {
        T::Float64 => {
            let values: &[f64] = array.as_primitive::<Float64Type>().values();
            return are_finite(values, |value| value.is_finite()).then_some(Numbers::F64(values));
        }
        T::Float32 => {
            let values: &[f32] = array.as_primitive::<Float32Type>().values();
            return are_finite(values, |value| value.is_finite()).then_some(Numbers::F32(values));
        }
        T::Int64 => {
            let values = array.as_primitive::<Int64Type>().values();
            if values.iter().filter(|value| !(-EXACT..=EXACT).contains(*value)).count() > 0 {
                return None;
            }
            Numbers::I64(values)
        }
        T::Int32 => Numbers::I32(array.as_primitive::<Int32Type>().values()),
        T::Int16 => Numbers::I16(array.as_primitive::<Int16Type>().values()),
        T::Int8 => Numbers::I8(array.as_primitive::<Int8Type>().values()),
        T::UInt32 => Numbers::U32(array.as_primitive::<UInt32Type>().values()),
        T::UInt16 => Numbers::U16(array.as_primitive::<UInt16Type>().values()),
        T::UInt8 => Numbers::U8(array.as_primitive::<UInt8Type>().values()),
        _ => return None,
    })
}

impl Numbers<'_> {
    /// Writes `count` values from `start` on to every `width`-th position.
    fn scatter(&self, start: usize, count: usize, out: &mut [f64], width: usize) {
        fn each<T: Copy>(values: &[T], out: &mut [f64], width: usize, of: impl Fn(T) -> f64) {
            for (value, out) in values.iter().zip(out.iter_mut().step_by(width)) {
                *out = of(*value);
            }
        }
        let rows = start..start + count;
        match self {
            Self::F64(values) => each(&values[rows], out, width, |value| value),
            Self::F32(values) => each(&values[rows], out, width, f64::from),
            Self::I64(values) => each(&values[rows], out, width, |value| value as f64),
            Self::I32(values) => each(&values[rows], out, width, f64::from),
            Self::I16(values) => each(&values[rows], out, width, f64::from),
            Self::I8(values) => each(&values[rows], out, width, f64::from),
            Self::U32(values) => each(&values[rows], out, width, f64::from),
            Self::U16(values) => each(&values[rows], out, width, f64::from),
            Self::U8(values) => each(&values[rows], out, width, f64::from),
        }
    }
}
