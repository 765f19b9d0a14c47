//! Inputs of the Open Inference Protocol: one tensor, or one per column.
//!
//! A tensor is read like an NPY file of the same array, so that there is one rule for the meaning of its axes.

use std::fmt;

use eocc_data::{Column, Format, ReadOptions, Table, Values, read_bytes};
use serde::Deserialize;
use serde::de::Deserializer;
use serde_json::value::RawValue;

use crate::body::SOURCE;
use crate::fault::Fault;

/// Maximum number of axes of a tensor.
const MAX_AXES: usize = 8;

/// One input of a request.
#[derive(Deserialize)]
pub(crate) struct Input<'a> {
    name: String,
    shape: Vec<u64>,
    datatype: String,
    #[serde(borrow)]
    data: &'a RawValue,
}

/// Types of values, as the protocol names them.
#[derive(Clone, Copy, PartialEq)]
enum Datatype {
    Bool,
    Signed(u32),
    Unsigned(u32),
    Single,
    Double,
    Bytes,
}

impl Datatype {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "BOOL" => Self::Bool,
            "INT8" => Self::Signed(8),
            "INT16" => Self::Signed(16),
            "INT32" => Self::Signed(32),
            "INT64" => Self::Signed(64),
            "UINT8" => Self::Unsigned(8),
            "UINT16" => Self::Unsigned(16),
            "UINT32" => Self::Unsigned(32),
            "UINT64" => Self::Unsigned(64),
            "FP32" => Self::Single,
            "FP64" => Self::Double,
            "BYTES" => Self::Bytes,
            _ => return None,
        })
    }
}

/// The inputs of a request as a table.
pub(crate) fn table(inputs: &[Input<'_>], options: &ReadOptions) -> Result<Table, Fault> {
    match inputs {
        _ if inputs.iter().any(|input| input.shape.len() > MAX_AXES) => Err(Fault::body(format!(
            "an input has more than {MAX_AXES} axes; rows of numbers have 2, series 2 or 3"
        ))),
        [] => Err(Fault::body("`inputs` is empty; give one tensor, or one input per column")),
        [one] if one.shape.len() > 1 && !one.is_column() => one.tensor(options),
        columns => {
            let columns = columns.iter().map(Input::column).collect::<Result<Vec<Column>, Fault>>()?;
            Ok(Table::of_columns(SOURCE, columns, true)?)
        }
    }
}

impl Input<'_> {
    fn fault(&self, reason: impl fmt::Display) -> Fault {
        Fault::body(format!("input `{}`: {reason}", self.name))
    }

    /// Whether each row has a single value, including shapes with a second axis of length one.
    fn is_column(&self) -> bool {
        matches!(self.shape.as_slice(), [_] | [_, 1]) && self.datatype == "BYTES"
    }

    fn datatype(&self) -> Result<Datatype, Fault> {
        Datatype::named(&self.datatype).ok_or_else(|| {
            self.fault(format!(
                "the datatype `{}` is not one of BOOL, INT8 to INT64, UINT8 to UINT64, FP32, FP64, BYTES",
                self.datatype
            ))
        })
    }

    /// The number of values in the shape, which must equal the number found in the data.
    fn count(&self, found: usize) -> Result<(), Fault> {
        let expected = self.shape.iter().try_fold(1_u64, |all, &axis| all.checked_mul(axis));
        if expected == Some(found as u64) {
            return Ok(());
        }
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        Err(self
            .fault(format!("the shape [{}] does not hold the {found} values in `data`", shape.join(", "))))
    }

    /// The values in row-major order, whether or not they are nested.
    fn values<T: Value>(&self) -> Result<Vec<T>, Fault> {
        let mut values = Vec::new();
        collect(self.data.get(), self.shape.len(), &mut values)
            .map_err(|e| self.fault(format!("`data`: {e}")))?;
        self.count(values.len())?;
        Ok(values)
    }

    fn tensor(&self, options: &ReadOptions) -> Result<Table, Fault> {
        let (kind, data) = match self.datatype()? {
            Datatype::Double => ("<f8", bytes(&self.values()?, |v: Number| v.0.to_le_bytes())),
            Datatype::Single => {
                let values: Vec<Number> = self.values()?;
                let singles = values.iter().map(|v| self.single(v.0)).collect::<Result<Vec<f32>, Fault>>()?;
                ("<f4", bytes(&singles, f32::to_le_bytes))
            }
            Datatype::Signed(bits) => {
                let whole = self.whole(bits)?;
                self.none_missing(&whole)?;
                ("<i8", bytes(&whole, |v| v.unwrap_or_default().to_le_bytes()))
            }
            Datatype::Unsigned(bits) => {
                let whole = self.whole_unsigned(bits)?;
                self.none_missing(&whole)?;
                ("<u8", bytes(&whole, |v| v.unwrap_or_default().to_le_bytes()))
            }
            Datatype::Bool => {
                let truths: Vec<Option<bool>> = self.values()?;
                self.none_missing(&truths)?;
                ("<i8", bytes(&truths, |v| i64::from(v == Some(true)).to_le_bytes()))
            }
            Datatype::Bytes => {
                return Err(self.fault("BYTES come as one input per column, each of the shape [rows]"));
            }
        };
        let shape: Vec<String> = self.shape.iter().map(u64::to_string).collect();
        let header =
            format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({},), }}\n", shape.join(", "));
        let length = u16::try_from(header.len()).map_err(|_| self.fault("the shape has too many axes"))?;
        let file = [b"\x93NUMPY\x01\x00", &length.to_le_bytes()[..], header.as_bytes(), &data].concat();
        let options = ReadOptions { format: Some(Format::Npy), ..options.clone() };
        Ok(read_bytes(SOURCE, &file, &options)?)
    }

    fn column(&self) -> Result<Column, Fault> {
        if !matches!(self.shape.as_slice(), [_] | [_, 1]) {
            return Err(self.fault("one of several inputs must be a column, of the shape [rows]"));
        }
        let column = match self.datatype()? {
            Datatype::Double => {
                let values: Vec<Number> = self.values()?;
                Column::numbers_or_nan(&self.name, values.into_iter().map(|v| v.0).collect())
            }
            Datatype::Single => {
                let values: Vec<Number> = self.values()?;
                let missing = values.iter().map(|v| v.0.is_nan()).collect();
                let singles = values.iter().map(|v| self.single(v.0)).collect::<Result<_, _>>()?;
                Column::new(&self.name, Values::Single(singles)).with_missing(missing)
            }
            Datatype::Signed(bits) => {
                let values = self.whole(bits)?;
                let missing = values.iter().map(Option::is_none).collect();
                let values = values.into_iter().map(Option::unwrap_or_default).collect();
                Column::new(&self.name, Values::Integer(values)).with_missing(missing)
            }
            Datatype::Unsigned(bits) => {
                let values = self.whole_unsigned(bits)?;
                let missing = values.iter().map(Option::is_none).collect();
                let values = values.into_iter().map(Option::unwrap_or_default).collect();
                Column::new(&self.name, Values::Unsigned(values)).with_missing(missing)
            }
            Datatype::Bool => Column::truths_or_missing(&self.name, &self.values()?),
            Datatype::Bytes => {
                let texts: Vec<Option<String>> = self.values()?;
                let missing = texts.iter().map(Option::is_none).collect();
                Column::texts(&self.name, texts.into_iter().map(Option::unwrap_or_default))
                    .with_missing(missing)
            }
        };
        Ok(column)
    }

    fn single(&self, value: f64) -> Result<f32, Fault> {
        let single = value as f32;
        if single.is_infinite() {
            Err(self.fault(format!("{value} does not fit FP32; send FP64")))
        } else {
            Ok(single)
        }
    }

    fn whole(&self, bits: u32) -> Result<Vec<Option<i64>>, Fault> {
        let values: Vec<Option<i64>> = self.values()?;
        let fits = |v: i64| bits == 64 || v >> (bits - 1) == 0 || v >> (bits - 1) == -1;
        match values.iter().flatten().find(|v| !fits(**v)) {
            Some(value) => Err(self.fault(format!("{value} does not fit {}; send INT64", self.datatype))),
            None => Ok(values),
        }
    }

    fn whole_unsigned(&self, bits: u32) -> Result<Vec<Option<u64>>, Fault> {
        let values: Vec<Option<u64>> = self.values()?;
        match values.iter().flatten().find(|v| bits < 64 && **v >> bits != 0) {
            Some(value) => Err(self.fault(format!("{value} does not fit {}; send UINT64", self.datatype))),
            None => Ok(values),
        }
    }

    fn none_missing<T>(&self, values: &[Option<T>]) -> Result<(), Fault> {
        match values.iter().position(Option::is_none) {
            Some(at) => Err(self.fault(format!("value {at} is null; send FP64, or one input per column"))),
            None => Ok(()),
        }
    }
}

fn bytes<T: Copy, const N: usize>(values: &[T], of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| of(value)).collect()
}

/// A value of a tensor.
trait Value: for<'de> Deserialize<'de> {}

/// A number; `null` is NaN.
#[derive(Clone, Copy)]
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::NAN)))
    }
}

impl Value for Number {}
impl Value for Option<i64> {}
impl Value for Option<u64> {}
impl Value for Option<bool> {}
impl Value for Option<String> {}

/// Collects the values of nested lists, up to this depth.
fn collect<T: Value>(text: &str, depth: usize, values: &mut Vec<T>) -> Result<(), serde_json::Error> {
    let is_nested = text.bytes().skip(1).find(|byte| !byte.is_ascii_whitespace()) == Some(b'[');
    if !is_nested {
        values.extend(serde_json::from_str::<Vec<T>>(text)?);
        return Ok(());
    }
    if depth < 2 {
        return Err(serde::de::Error::custom("lists are nested deeper than the shape has axes"));
    }
    let lists: Vec<&RawValue> = serde_json::from_str(text)?;
    lists.into_iter().try_for_each(|list| collect(list.get(), depth - 1, values))
}
