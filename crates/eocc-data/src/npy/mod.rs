//! `NumPy` arrays in the format of `numpy.lib.format`, versions 1 to 3.

mod header;
mod literal;
mod values;

pub(crate) use header::Header;
pub(crate) use values::columns;

use crate::budget::Meter;
use crate::error::{DataError, Fault};
use crate::table::{Table, numbered};

/// Reads a table from the content of a NPY file; a 1-D array is one column, and a 3-D array a table of time steps.
pub(crate) fn read(name: &str, bytes: &[u8], mut meter: Meter) -> Result<Table, DataError> {
    let fail = |reason| DataError::new(name, Fault::Malformed { format: "NPY", reason });
    let header = Header::parse(bytes).map_err(fail)?;
    let (rows, width) = header.table_shape().map_err(fail)?;
    let size = header.data_size().map_err(fail)?;
    let data = &bytes[header.length..];
    if data.len() != size {
        let relation =
            if data.len() < size { "is the file cut off?" } else { "is there more than one array?" };
        let found = data.len();
        return Err(fail(format!(
            "the header promises {size} bytes of data, but {found} follow it; {relation}"
        )));
    }
    if rows == 0 || width == 0 {
        return Err(DataError::new(name, Fault::NoRows { columns: width }));
    }
    if header.steps().is_none() {
        meter.width(width as u64).map_err(|fault| DataError::new(name, fault))?;
    }
    meter.take(header.table_size(rows, width)).map_err(|fault| DataError::new(name, fault))?;
    let columns = columns(&header, data).map_err(fail)?;
    Ok(Table::new(name, numbered(width), columns)?.with_header(false).with_steps(header.steps()))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::cell::Cell;

    fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
        super::read(name, bytes, Budget::default().meter(Some(bytes.len() as u64)))
    }

    /// A NPY file with this header and data.
    pub(crate) fn npy(descr: &str, fortran: bool, shape: &str, data: &[u8]) -> Vec<u8> {
        let fortran = if fortran { "True" } else { "False" };
        let dict = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dict.len() as u16).to_le_bytes());
        bytes.extend(dict.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn message(bytes: &[u8]) -> String {
        read("a.npy", bytes).unwrap_err().to_string()
    }

    fn numbers(bytes: &[u8]) -> Vec<f64> {
        let table = read("a.npy", bytes).unwrap();
        table.numbers(&(0..table.names().len()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn every_number_type_is_read() {
        for (descr, data) in [
            ("|i1", vec![1, 0xfe]),
            ("|u1", vec![1, 254]),
            ("<i2", vec![1, 0, 0xfe, 0xff]),
            (">i2", vec![0, 1, 0xff, 0xfe]),
            ("<f2", vec![0, 0x3c, 0, 0xc0]),
            (">f4", [1f32, -2.0].iter().flat_map(|x| x.to_be_bytes()).collect()),
            ("<f8", [1f64, -2.0].iter().flat_map(|x| x.to_le_bytes()).collect()),
            (">i8", [1i64, -2].iter().flat_map(|x| x.to_be_bytes()).collect()),
        ] {
            let expected = if descr == "|u1" { [1.0, 254.0] } else { [1.0, -2.0] };
            assert_eq!(numbers(&npy(descr, false, "(2,)", &data)), expected, "{descr}");
        }
        assert_eq!(numbers(&npy("|b1", false, "(2,)", &[0, 1])), [0.0, 1.0]);
        let big = npy("<u8", false, "(1,)", &u64::MAX.to_le_bytes());
        let table = read("a.npy", &big).unwrap();
        assert_eq!(table.cell(0, 0), Cell::Unsigned(u64::MAX));
        assert!(table.numbers(&[0]).is_err());
    }

    #[test]
    fn both_orders_are_read() {
        assert_eq!(
            numbers(&npy("|u1", false, "(2, 3)", &[1, 2, 3, 4, 5, 6])),
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        );
        assert_eq!(numbers(&npy("|u1", true, "(2, 3)", &[1, 4, 2, 5, 3, 6])), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn three_dimensions_are_time_steps() {
        for (fortran, data) in [(false, [1, 2, 3, 4, 5, 6, 7, 8]), (true, [1, 5, 3, 7, 2, 6, 4, 8])] {
            let table = read("a.npy", &npy("|u1", fortran, "(2, 2, 2)", &data)).unwrap();
            let steps = table.steps().unwrap();
            let cell = |row, time, channel| table.cell(row, steps.column(time, channel)).number().unwrap();
            let all: Vec<f64> = (0..8).map(|i| cell(i / 4, i / 2 % 2, i % 2)).collect();
            assert_eq!(all, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        }
    }

    #[test]
    fn strings_are_text() {
        let wide: Vec<u8> = ['é', '\0', 'a', 'b'].iter().flat_map(|c| (*c as u32).to_le_bytes()).collect();
        let table = read("a.npy", &npy("<U2", false, "(2,)", &wide)).unwrap();
        assert_eq!(table.text(0).collect::<Vec<_>>(), ["é", "ab"]);
        let table = read("a.npy", &npy("|S3", false, "(2,)", b"ab\0cde")).unwrap();
        assert_eq!(table.text(0).collect::<Vec<_>>(), ["ab", "cde"]);
        assert!(message(&npy("<U1", false, "(1,)", &[0, 0, 0x11, 0])).contains("row 0"));
    }

    #[test]
    fn what_is_not_supported_is_named() {
        assert!(message(&npy("|O", false, "(2,)", b"")).contains("pickled Python objects"));
        assert!(message(&npy("<c16", false, "(2,)", b"")).contains("complex numbers"));
        assert!(message(&npy("<M8[ns]", false, "(2,)", b"")).contains("dates"));
        assert!(message(&npy("<f8", false, "(2, 2, 2, 1)", &[0; 64])).contains("4 dimensions"));
        assert!(message(&npy("<f8", false, "()", &[0; 8])).contains("a single value"));
        assert!(message(&npy("<U0", false, "(99999999999,)", &[])).contains("type '<U0'"));
        assert_eq!(message(&npy("<f8", false, "(0, 3)", &[])), "a.npy: has 3 columns but no rows of data");
    }

    #[test]
    fn what_would_be_too_large_is_refused() {
        let bytes = npy("|u1", false, "(100, 10)", &[1; 1000]);
        let error = super::read("a.npy", &bytes, Budget::of_bytes(9_000).meter(None)).unwrap_err();
        assert!(error.is_memory(), "{error}");
        assert!(super::read("a.npy", &bytes, Budget::of_bytes(20_000).meter(None)).is_ok());
    }

    #[test]
    fn promises_that_cannot_be_kept_are_refused() {
        let short = message(&npy("<f8", false, "(3,)", &[0; 8]));
        assert!(short.contains("promises 24 bytes of data, but 8 follow"), "{short}");
        assert!(message(&npy("<f8", false, "(4611686018427387904, 8)", &[])).contains("too large"));
        assert!(message(&npy("<f8", false, "(99999999999, 99)", &[])).contains("is the file cut off?"));
        assert!(message(&npy("<f8", false, "(1,)", &[0; 16])).contains("more than one array"));
    }
}
