//! Plain numeric columns as rows: the only copy between a batch and the model.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use eocc_core::parallel;

/// Rows per task.
const ROWS: usize = 4096;
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

/// The numbers of these columns, row by row; `None` if one is missing, not finite, would be rounded, or is not of a
/// plain type. Those are read cell by cell, which also reports the error.
pub(super) fn rows<'a>(batch: &'a RecordBatch, places: &[usize]) -> Option<Cow<'a, [f64]>> {
    let columns: Vec<Numbers<'a>> =
        places.iter().map(|&place| plain(batch.column(place).as_ref())).collect::<Option<_>>()?;
    if let [Numbers::F64(one)] = columns.as_slice() {
        return are_finite(one).then_some(Cow::Borrowed(*one));
    }
    let width = columns.len();
    let mut rows = vec![0.0; width * batch.num_rows()];
    let is_plain = AtomicBool::new(true);
    parallel::for_each_chunk(&mut rows, ROWS * width, &|chunk, out| {
        let start = chunk * ROWS;
        for (c, column) in columns.iter().enumerate() {
            column.scatter(start, out.len() / width, &mut out[c..], width);
        }
        if !are_finite(out) {
            is_plain.store(false, Ordering::Relaxed);
        }
    });
    (width > 0 && is_plain.into_inner()).then_some(Cow::Owned(rows))
}

/// Branch-free.
fn are_finite(values: &[f64]) -> bool {
    values.iter().filter(|value| !value.is_finite()).count() == 0
}

fn plain(array: &dyn Array) -> Option<Numbers<'_>> {
    use DataType as T;
    if array.null_count() > 0 {
        return None;
    }
    Some(match array.data_type() {
        T::Float64 => Numbers::F64(array.as_primitive::<Float64Type>().values()),
        T::Float32 => Numbers::F32(array.as_primitive::<Float32Type>().values()),
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
