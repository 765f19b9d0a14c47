//! Zip archives of `NumPy` arrays.

use std::io::{Cursor, Read};

use crate::column::Column;
use crate::error::{DataError, Fault};
use crate::guard::guarded;
use crate::npy::{self, Header};
use crate::shown::{list, shown};
use crate::table::{Table, numbered};

/// No deflated byte gives more than this many bytes, by the design of the format: what claims more is lying.
const MOST_PER_BYTE: u64 = 1032;

/// An array of the archive whose header was read, but not its data.
struct Array {
    index: usize,
    name: String,
    header: Header,
    rows: usize,
    width: usize,
}

/// Reads a table from the content of a NPZ file.
///
/// The 2-D array gives the columns `x0`, `x1`, …, a 3-D array those of time steps; each other array with one value for each row gives a column with its
/// own name. Of several 2-D arrays the one named `X`, `x` or `data` is taken, or the only one with more than one
/// column. Arrays that do not fit are left out, which the message about a missing column says.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    let fail = |reason| DataError::new(name, Fault::Malformed { format: "NPZ", reason });
    let (arrays, mut left_out) = guarded(|| headers(bytes)).map_err(fail)?;
    let matrix = choose(&arrays).map_err(fail)?;
    let Some(rows) = matrix.map_or_else(|| arrays.first(), |at| arrays.get(at)).map(|array| array.rows)
    else {
        let detail: String = left_out.iter().flat_map(|note| ["; ", note]).collect();
        return Err(fail(format!("there is no array in it that makes a table{detail}")));
    };
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    // The matrix first, then the single columns in the order of the archive.
    let others = (0..arrays.len()).filter(|at| Some(*at) != matrix);
    for at in matrix.into_iter().chain(others) {
        let array = &arrays[at];
        let is_matrix = Some(at) == matrix;
        if !is_matrix && (array.width != 1 || array.rows != rows) {
            let shape = &array.header.shape;
            if matrix.is_none() {
                let first = shown(&arrays[0].name);
                let reason = format!(
                    "array {} has shape {shape:?}, but array {first} has {rows} rows; save arrays of equal length",
                    shown(&array.name)
                );
                return Err(fail(reason));
            }
            left_out.push(format!(
                "array {} was left out: its shape {shape:?} does not fit {rows} rows",
                shown(&array.name)
            ));
            continue;
        }
        let read = guarded(|| load(bytes, array))
            .map_err(|reason| fail(format!("array {}: {reason}", shown(&array.name))))?;
        columns.extend(read);
        if is_matrix { names.extend(numbered(array.width)) } else { names.push(array.name.clone()) }
    }
    let has_header = matrix.is_none() || columns.len() > arrays[matrix.unwrap_or(0)].width;
    let steps = matrix.and_then(|at| arrays[at].header.steps());
    Ok(Table::new(name, names, columns)?.with_header(has_header).with_left_out(left_out).with_steps(steps))
}

/// The arrays that can be columns, and remarks about the others.
fn headers(bytes: &[u8]) -> Result<(Vec<Array>, Vec<String>), String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let (mut arrays, mut left_out) = (Vec::new(), Vec::new());
    let mut promised: u64 = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let path = entry.name().map_err(|error| error.to_string())?.into_owned();
        let Some(name) = path.strip_suffix(".npy") else {
            left_out.push(format!("entry {} was left out: it is not an array", shown(&path)));
            continue;
        };
        let inside = |reason: String| format!("array {}: {reason}", shown(name));
        let start = header_bytes(&mut entry).map_err(inside)?;
        let shaped = Header::parse(&start).and_then(|header| Ok((header.table_shape()?, header)));
        let ((rows, width), header) = match shaped {
            Ok(shaped) => shaped,
            Err(reason) => {
                left_out.push(format!("array {} was left out: {reason}", shown(name)));
                continue;
            }
        };
        let size = header.data_size().map_err(inside)? as u64;
        promised = promised.saturating_add(size);
        if size > entry.compressed_size().saturating_mul(MOST_PER_BYTE) {
            return Err(inside(format!(
                "its header promises {size} bytes, more than its {} compressed bytes can hold",
                entry.compressed_size()
            )));
        }
        arrays.push(Array { index, name: name.to_owned(), header, rows, width });
    }
    // Entries may overlap, so that each is possible but not all of them.
    if promised > (bytes.len() as u64).saturating_mul(MOST_PER_BYTE) {
        return Err(format!("its arrays promise {promised} bytes, more than the file can hold"));
    }
    Ok((arrays, left_out))
}

/// Unpacks no more than the header of an array.
fn header_bytes(entry: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut start = Vec::new();
    let mut read = |limit: usize, start: &mut Vec<u8>| {
        let missing = limit.saturating_sub(start.len()) as u64;
        entry.by_ref().take(missing).read_to_end(start).map_err(|error| error.to_string())
    };
    read(12, &mut start)?;
    // The length is checked against the longest header before it is trusted.
    read(Header::end(&start)?, &mut start)?;
    Ok(start)
}

/// Which array, if any, gives the numbered columns.
fn choose(arrays: &[Array]) -> Result<Option<usize>, String> {
    let flat: Vec<usize> = (0..arrays.len()).filter(|at| arrays[*at].header.shape.len() > 1).collect();
    let wide: Vec<usize> = flat.iter().copied().filter(|at| arrays[*at].width != 1).collect();
    if let [only] = flat[..] {
        return Ok(Some(only));
    }
    let named =
        ["X", "x", "data"].iter().find_map(|name| flat.iter().copied().find(|at| arrays[*at].name == *name));
    match (named, &wide[..]) {
        (Some(found), _) => Ok(Some(found)),
        (None, [only]) => Ok(Some(*only)),
        (None, []) => Ok(None),
        (None, _) => {
            let names: Vec<String> = wide.iter().map(|at| arrays[*at].name.clone()).collect();
            Err(format!(
                "there are several arrays of two or three dimensions ({}); name the one with the samples X",
                list(&names)
            ))
        }
    }
}

fn load(bytes: &[u8], array: &Array) -> Result<Vec<Column>, String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string())?;
    let mut entry = archive.by_index(array.index).map_err(|error| error.to_string())?;
    let size = array.header.data_size()?;
    if size == 0 {
        return Err(format!("it is empty: its shape is {:?}", array.header.shape));
    }
    let mut data = Vec::new();
    // One byte more than promised, so that more is noticed; the vector grows with what there is, not with promises.
    let limit = array.header.length as u64 + size as u64 + 1;
    entry.by_ref().take(limit).read_to_end(&mut data).map_err(|error| error.to_string())?;
    let data = data.get(array.header.length..).unwrap_or_default();
    if data.len() != size {
        return Err(format!("its header promises {size} bytes of data, but there are {}", {
            if data.len() > size { "more".to_owned() } else { data.len().to_string() }
        }));
    }
    npy::columns(&array.header, data)
}

#[cfg(test)]
mod tests;
