//! Arrays of `NumPy`.

use std::path::Path;

use super::atomic_write;
use crate::error::{DataError, Fault};

/// Writes `rows` times `columns` numbers, one row after the other, as a 2-D array of 64-bit floats.
pub fn write_npy(path: &Path, rows: usize, columns: usize, values: &[f64]) -> Result<(), DataError> {
    if rows.checked_mul(columns) != Some(values.len()) {
        let reason =
            format!("{rows} rows of {columns} columns need another number of values than {}", values.len());
        return Err(DataError::new(&path.display().to_string(), Fault::BadOutput { reason }));
    }
    atomic_write(path, |writer| {
        let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
        // Magic, version and length take 10 bytes, the line end takes one; the data starts at a multiple of 64.
        let padding = (64 - (10 + dict.len() + 1) % 64) % 64;
        let length = (dict.len() + padding + 1) as u16;
        writer.write_all(b"\x93NUMPY\x01\x00")?;
        writer.write_all(&length.to_le_bytes())?;
        writeln!(writer, "{dict}{:padding$}", "")?;
        for value in values {
            writer.write_all(&value.to_le_bytes())?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read};

    #[test]
    fn what_is_written_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        write_npy(&path, 2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, -0.0]).unwrap();
        assert_eq!(std::fs::read(&path).unwrap().len(), 128 + 48);
        let table = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(table.numbers(&[0, 1, 2]).unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, -0.0]);
        assert!(write_npy(&path, 2, 2, &[1.0]).unwrap_err().to_string().contains("need another number"));
    }
}
