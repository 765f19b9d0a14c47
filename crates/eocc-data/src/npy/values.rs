//! The data of a NPY file, as columns.

use super::header::{ElementType, Header};
use crate::cells::{CellKind, Cells};
use crate::column::{Column, Values};

/// The columns of a 1-D or 2-D array. `data` has the size promised by the header.
pub(crate) fn columns(header: &Header, data: &[u8]) -> Result<Vec<Column>, String> {
    let (rows, width) = header.table_shape()?;
    (0..width)
        .map(|column| Ok(Column::from(values(header, Items { header, data, rows, width, column })?)))
        .collect()
}

/// The elements of one column, as bytes.
struct Items<'a> {
    header: &'a Header,
    data: &'a [u8],
    rows: usize,
    width: usize,
    column: usize,
}

impl<'a> Items<'a> {
    fn bytes(&self, row: usize) -> &'a [u8] {
        let index =
            if self.header.fortran { self.column * self.rows + row } else { row * self.width + self.column };
        &self.data[index * self.header.item..][..self.header.item]
    }

    /// The elements as unsigned integers of the element's size, least significant byte first whatever the order in
    /// the file.
    fn bits(&self) -> impl Iterator<Item = u64> {
        (0..self.rows).map(|row| {
            let bytes = self.bytes(row);
            let shift = |sum: u64, byte: &u8| (sum << 8) | u64::from(*byte);
            if self.header.big_endian {
                bytes.iter().fold(0, shift)
            } else {
                bytes.iter().rev().fold(0, shift)
            }
        })
    }
}

fn values(header: &Header, items: Items) -> Result<Values, String> {
    let unused = 64 - 8 * header.item.min(8);
    Ok(match (header.kind, header.item) {
        (ElementType::Boolean, _) => Values::Boolean(items.bits().map(|bits| bits != 0).collect()),
        // Shifted up and down again, to repeat the sign bit.
        (ElementType::Signed, _) => {
            Values::Integer(items.bits().map(|bits| (bits << unused).cast_signed() >> unused).collect())
        }
        (ElementType::Unsigned, 8) => Values::Unsigned(items.bits().collect()),
        (ElementType::Unsigned, _) => Values::Integer(items.bits().map(u64::cast_signed).collect()),
        (ElementType::Float, 8) => Values::Float(items.bits().map(f64::from_bits).collect()),
        (ElementType::Float, 4) => {
            Values::Single(items.bits().map(|bits| f32::from_bits(bits as u32)).collect())
        }
        (ElementType::Float, _) => Values::Single(items.bits().map(|bits| half(bits as u16)).collect()),
        (ElementType::Wide | ElementType::Bytes, _) => {
            let mut cells = Cells::default();
            let decode = if header.kind == ElementType::Wide { wide } else { narrow };
            for row in 0..items.rows {
                let text = decode(items.bytes(row), header.big_endian).ok_or_else(|| {
                    format!("row {row} of column {} holds a string that is not valid text", items.column)
                })?;
                cells.push(CellKind::Text, &text);
            }
            Values::Cells(cells)
        }
    })
}

fn wide(bytes: &[u8], big_endian: bool) -> Option<String> {
    let points = bytes.chunks_exact(4).map(|four| {
        let four = [four[0], four[1], four[2], four[3]];
        if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    });
    let text: Option<String> = points.map(char::from_u32).collect();
    text.map(|text| text.trim_end_matches('\0').to_owned())
}

fn narrow(bytes: &[u8], _: bool) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(text.trim_end_matches('\0').to_owned())
}

/// A 16-bit float: one sign bit, five exponent bits, ten fraction bits. All of them are exact as 32-bit floats.
fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(bits & 0x3ff);
    match (bits >> 10) & 0x1f {
        0 => sign * fraction * 2f32.powi(-24),
        0x1f if fraction > 0.0 => f32::NAN,
        0x1f => sign * f32::INFINITY,
        exponent => sign * (1024.0 + fraction) * 2f32.powi(i32::from(exponent) - 25),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_have_their_values() {
        let pairs = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 5.960_464_5e-8),
            (0x0400, 6.103_515_6e-5),
            (0x3555, 0.333_251_95),
            (0x7c00, f32::INFINITY),
            (0x8000, -0.0),
        ];
        for (bits, value) in pairs {
            assert_eq!(half(bits).to_bits(), f32::to_bits(value), "{bits:x}");
        }
        assert!(half(0x7e00).is_nan());
    }
}
