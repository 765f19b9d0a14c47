//! The header of a NPY file: type, order and shape.

use super::literal::{Literal, dictionary};
use crate::budget::{CELL, COLUMN};
use crate::table::Steps;

/// Maximum length of a header, in bytes. `NumPy` itself writes about 100, and refuses more than 10,000.
pub(crate) const MAX_HEADER: usize = 1 << 16;

/// The element type of an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ElementType {
    Boolean,
    Signed,
    Unsigned,
    Float,
    /// Texts of 32-bit code points, padded with zeros.
    Wide,
    /// Texts of bytes, padded with zeros.
    Bytes,
}

/// A header that was read.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    /// Where the data starts.
    pub(crate) length: usize,
    pub(crate) kind: ElementType,
    /// Bytes per element; not zero.
    pub(crate) item: usize,
    pub(crate) big_endian: bool,
    pub(crate) fortran: bool,
    pub(crate) shape: Vec<u64>,
}

impl Header {
    /// Reads the header at the start of a file.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let length = Self::end(bytes)?;
        let start = if bytes[6] == 1 { 10 } else { 12 };
        let text = bytes.get(start..length).ok_or("the file ends within the header")?;
        let text = std::str::from_utf8(text).map_err(|_| "the header is not text")?;
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        for (key, value) in dictionary(text)? {
            match (key.as_str(), value) {
                ("descr", Literal::Text(text)) if descr.is_none() => descr = Some(text),
                ("descr", Literal::List) => {
                    return Err(
                        "the array has a structured type; save its fields as separate arrays in a NPZ file"
                            .into(),
                    );
                }
                ("fortran_order", Literal::Boolean(value)) if fortran.is_none() => fortran = Some(value),
                ("shape", Literal::Tuple(value)) if shape.is_none() => shape = Some(value),
                _ => return Err(format!("the header has an unexpected entry {}", crate::shown::shown(&key))),
            }
        }
        let (Some(descr), Some(fortran), Some(shape)) = (descr, fortran, shape) else {
            return Err("the header must have all of 'descr', 'fortran_order' and 'shape'".into());
        };
        let (kind, item, big_endian) = element(&descr)?;
        Ok(Self { length, kind, item, big_endian, fortran, shape })
    }

    /// Where the header of a file ends, according to its first twelve bytes.
    pub(crate) fn end(bytes: &[u8]) -> Result<usize, String> {
        const CUT: &str = "the file ends within the header";
        if !bytes.starts_with(b"\x93NUMPY") {
            return Err("it does not start as an array does".into());
        }
        let end = match (bytes.get(6).ok_or(CUT)?, bytes.get(7).ok_or(CUT)?) {
            (1, 0) => {
                let size = bytes.get(8..10).ok_or(CUT)?;
                10 + usize::from(u16::from_le_bytes([size[0], size[1]]))
            }
            (2 | 3, 0) => {
                let size = bytes.get(8..12).ok_or(CUT)?;
                12 + u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize
            }
            (major, minor) => return Err(format!("version {major}.{minor} of the format is not known")),
        };
        if end > MAX_HEADER + 12 {
            return Err(format!("the header claims to be {end} bytes long, more than {MAX_HEADER}"));
        }
        Ok(end)
    }

    /// Rows and columns of the resulting table; for three dimensions, the last two are columns.
    pub(crate) fn table_shape(&self) -> Result<(usize, usize), String> {
        let size = |extent: u64| {
            usize::try_from(extent)
                .map_err(|_| format!("the array has an extent of {extent}, which is too large"))
        };
        match self.shape[..] {
            [] => Err("the array is a single value, not a table".into()),
            [rows] => Ok((size(rows)?, 1)),
            [rows, columns] => Ok((size(rows)?, size(columns)?)),
            [rows, time, channels] => {
                let columns = time.checked_mul(channels).ok_or("the array is too large")?;
                Ok((size(rows)?, size(columns)?))
            }
            _ => Err(format!(
                "the array has {} dimensions, but a table has at most 2, and a set of series 3; reshape it before saving",
                self.shape.len()
            )),
        }
    }

    /// Memory of the table: numbers take eight bytes, whatever their size in the file.
    pub(crate) fn table_size(&self, rows: usize, width: usize) -> u64 {
        let cell = match (self.kind, self.item) {
            (ElementType::Boolean, _) => 1,
            (ElementType::Float, 2 | 4) => 4,
            (ElementType::Wide | ElementType::Bytes, item) => CELL + item as u64,
            _ => 8,
        };
        let cells = (rows as u64).saturating_mul(width as u64).saturating_mul(cell);
        cells.saturating_add((width as u64).saturating_mul(COLUMN))
    }

    /// The columns as time steps, if there are three dimensions: samples, time, channels.
    pub(crate) fn steps(&self) -> Option<Steps> {
        let [_, time, channels] = self.shape[..] else { return None };
        let (time, channels) = (usize::try_from(time).ok()?, usize::try_from(channels).ok()?);
        Some(Steps { time, channels, by_channel: self.fortran })
    }

    /// How many bytes of data must follow the header.
    pub(crate) fn data_size(&self) -> Result<usize, String> {
        let size = self.shape.iter().try_fold(self.item as u64, |size, extent| size.checked_mul(*extent));
        size.and_then(|size| usize::try_from(size).ok())
            .ok_or_else(|| format!("the array's shape {:?} is too large", self.shape))
    }
}

/// Element type, size and byte order of a type such as `<f8`.
fn element(descr: &str) -> Result<(ElementType, usize, bool), String> {
    let quoted = crate::shown::shown(descr).replace('"', "'");
    let unknown = || format!("arrays of type {quoted} are not supported; save the array as float64");
    let (order, rest) = match descr.chars().next() {
        Some(order @ ('<' | '>' | '|' | '=')) => (order, &descr[1..]),
        _ => ('=', descr),
    };
    let big_endian = order == '>';
    let mut letters = rest.chars();
    let letter = letters.next().ok_or_else(unknown)?;
    let explained = match letter {
        'O' => {
            Some("pickled Python objects, which are never loaded; save numbers as float64, labels as strings")
        }
        'c' => Some("complex numbers; save real and imaginary parts as columns"),
        'M' | 'm' => Some("dates or times; save them as numbers or as strings"),
        'V' => Some("raw bytes; save the array as float64"),
        _ => None,
    };
    if let Some(what) = explained {
        return Err(format!("the array (type {quoted}) holds {what}"));
    }
    let size = letters.as_str().parse::<u32>().map_err(|_| unknown())? as usize;
    match (letter, size) {
        ('b', 1) => Ok((ElementType::Boolean, 1, big_endian)),
        ('i', 1 | 2 | 4 | 8) => Ok((ElementType::Signed, size, big_endian)),
        ('u', 1 | 2 | 4 | 8) => Ok((ElementType::Unsigned, size, big_endian)),
        ('f', 2 | 4 | 8) => Ok((ElementType::Float, size, big_endian)),
        // A zero-size type would allow any number of rows in no bytes.
        ('U', 1..) => Ok((ElementType::Wide, size.checked_mul(4).ok_or_else(unknown)?, big_endian)),
        ('S' | 'a', 1..) => Ok((ElementType::Bytes, size, big_endian)),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_two_and_three_have_longer_lengths() {
        let dict = b"{'descr':'<f4','fortran_order':False,'shape':(1,)}";
        for version in [2, 3] {
            let mut bytes = vec![0x93, b'N', b'U', b'M', b'P', b'Y', version, 0];
            bytes.extend((dict.len() as u32).to_le_bytes());
            bytes.extend(dict);
            let header = Header::parse(&bytes).unwrap();
            assert_eq!((header.length, header.item, header.kind), (bytes.len(), 4, ElementType::Float));
        }
        assert!(Header::parse(b"\x93NUMPY\x04\x00\x00\x00\x00\x00").unwrap_err().contains("version 4.0"));
        assert!(Header::parse(b"\x93NUMPY\x02\x00\xff\xff\xff\xff").unwrap_err().contains("claims to be"));
        assert!(Header::parse(b"\x93NUMPY\x01\x00\x10\x00{").unwrap_err().contains("ends within"));
    }

    #[test]
    fn types_are_checked() {
        assert_eq!(element("<i4"), Ok((ElementType::Signed, 4, false)));
        assert_eq!(element(">U3"), Ok((ElementType::Wide, 12, true)));
        for descr in ["", "<", "<f16", "<i3", "f", "<é8", "|b2", "<U0", "<U-1", "<f8x"] {
            assert!(element(descr).is_err(), "{descr}");
        }
    }
}
