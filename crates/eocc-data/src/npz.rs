//! Zip archives of `NumPy` arrays.

use std::collections::HashSet;
use std::io::{Cursor, Read};

use crate::budget::Meter;
use crate::column::Column;
use crate::error::{DataError, Fault, ReadFailure};
use crate::guard::guarded;
use crate::npy::{self, Header};
use crate::shown::{list, shown};
use crate::table::{Table, numbered};

/// No deflated byte can expand to more than this many bytes, by design of the format: a larger claim is false.
const MAX_PER_BYTE: u64 = 1032;

type Archive<'a> = zip::ZipArchive<Cursor<&'a [u8]>>;

/// An array of the archive whose header has been read, but not its data.
struct Array {
    index: usize,
    name: String,
    header: Header,
    rows: usize,
    width: usize,
}

/// Reads a table from the content of a NPZ file.
///
/// The 2-D array gives the columns `x0`, `x1`, …, a 3-D array those of time steps; each other array with one value
/// per row gives a column with its own name. If there are several 2-D arrays, the one named `X`, `x` or `data` is
/// used, or the only one with more than one column. Arrays that do not fit are left out; the message about a missing
/// column mentions them.
pub(crate) fn read(name: &str, bytes: &[u8], mut meter: Meter) -> Result<Table, DataError> {
    table(name, bytes, &mut meter).map_err(|stop| match stop {
        Refusal::Archive(stop) => DataError::new(name, stop.fault("NPZ")),
        Refusal::Table(error) => error,
    })
}

/// Why there is no table: for the archive, or for its columns.
enum Refusal {
    Archive(ReadFailure),
    Table(DataError),
}

impl<T: Into<ReadFailure>> From<T> for Refusal {
    fn from(stop: T) -> Self {
        Self::Archive(stop.into())
    }
}

fn table(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<Table, Refusal> {
    // Opened once, since that reads all entries.
    let mut archive =
        guarded(|| zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| error.to_string()))?;
    check_names(bytes, archive.central_directory_start())?;
    let (arrays, mut left_out) = guarded(|| headers(&mut archive, bytes, meter))?;
    let matrix = choose(&arrays)?;
    let Some(rows) = matrix.map_or_else(|| arrays.first(), |at| arrays.get(at)).map(|array| array.rows)
    else {
        let detail: String = left_out.iter().flat_map(|note| ["; ", note]).collect();
        return Err(format!("there is no array in it that makes a table{detail}").into());
    };
    let (mut names, mut columns) = (Vec::new(), Vec::new());
    // The matrix first, then the single columns in archive order.
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
                return Err(reason.into());
            }
            left_out.push(format!(
                "array {} was left out: its shape {shape:?} does not fit {rows} rows",
                shown(&array.name)
            ));
            continue;
        }
        if array.header.steps().is_none() {
            meter.width((columns.len() + array.width) as u64)?;
        }
        meter.take(array.header.table_size(array.rows, array.width))?;
        let read = guarded(|| load(&mut archive, array, meter.left())).map_err(|reason: ReadFailure| {
            reason.map(|words| format!("array {}: {words}", shown(&array.name)))
        })?;
        columns.extend(read);
        if is_matrix { names.extend(numbered(array.width)) } else { names.push(array.name.clone()) }
    }
    let has_header = matrix.is_none() || columns.len() > arrays[matrix.unwrap_or(0)].width;
    let steps = matrix.and_then(|at| arrays[at].header.steps());
    let table = Table::new(name, names, columns).map_err(Refusal::Table)?;
    Ok(table.with_header(has_header).with_left_out(left_out).with_steps(steps))
}

/// Refuses two entries of the same name, of which the library would use the last: walks through the directory at the
/// end.
fn check_names(bytes: &[u8], start: u64) -> Result<(), String> {
    const HEAD: usize = 46;
    let mut seen = HashSet::new();
    let mut rest = usize::try_from(start).ok().and_then(|start| bytes.get(start..)).unwrap_or_default();
    while let Some(head) = rest.get(..HEAD).filter(|head| head.starts_with(b"PK\x01\x02")) {
        let length = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let (name, extra, comment) = (length(28), length(30), length(32));
        let Some(entry) = rest.get(HEAD..HEAD + name) else { break };
        if !seen.insert(entry) {
            return Err(format!("the entry {} is in it twice", shown(&String::from_utf8_lossy(entry))));
        }
        rest = rest.get(HEAD + name + extra + comment..).unwrap_or_default();
    }
    Ok(())
}

/// The arrays that can be columns, and remarks about the others.
fn headers(
    archive: &mut Archive<'_>,
    bytes: &[u8],
    meter: &mut Meter,
) -> Result<(Vec<Array>, Vec<String>), ReadFailure> {
    let (mut arrays, mut left_out) = (Vec::new(), Vec::new());
    let mut promised: u64 = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|error| error.to_string())?;
        let path = entry.name().map_err(|error| error.to_string())?.into_owned();
        meter.columns(1)?;
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
        if size > entry.compressed_size().saturating_mul(MAX_PER_BYTE) {
            let reason = format!(
                "its header promises {size} bytes, more than its {} compressed bytes can hold",
                entry.compressed_size()
            );
            return Err(inside(reason).into());
        }
        arrays.push(Array { index, name: name.to_owned(), header, rows, width });
    }
    // Entries may overlap, so that each is possible but not all of them.
    if promised > (bytes.len() as u64).saturating_mul(MAX_PER_BYTE) {
        return Err(format!("its arrays promise {promised} bytes, more than the file can hold").into());
    }
    Ok((arrays, left_out))
}

/// Unpacks only the header of an array.
fn header_bytes(entry: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut start = Vec::new();
    let mut read = |limit: usize, start: &mut Vec<u8>| {
        let missing = limit.saturating_sub(start.len()) as u64;
        entry.by_ref().take(missing).read_to_end(start).map_err(|error| error.to_string())
    };
    read(12, &mut start)?;
    // The length is checked against the maximum before it is trusted.
    read(Header::end(&start)?, &mut start)?;
    Ok(start)
}

/// The array that gives the numbered columns, if any.
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

fn load(archive: &mut Archive<'_>, array: &Array, left: u64) -> Result<Vec<Column>, ReadFailure> {
    let mut entry = archive.by_index(array.index).map_err(|error| error.to_string())?;
    let size = array.header.data_size()?;
    if size == 0 {
        return Err(format!("it is empty: its shape is {:?}", array.header.shape).into());
    }
    // While unpacking, it coexists with the resulting table.
    if size as u64 > left {
        return Err(Fault::Memory { needed: size as u64, limit: left }.into());
    }
    let mut data = Vec::new();
    // One byte more than promised, to notice excess; the vector grows with the actual data, not with promises.
    let limit = array.header.length as u64 + size as u64 + 1;
    entry.by_ref().take(limit).read_to_end(&mut data).map_err(|error| error.to_string())?;
    let data = data.get(array.header.length..).unwrap_or_default();
    if data.len() != size {
        let found = if data.len() > size { "more".to_owned() } else { data.len().to_string() };
        return Err(format!("its header promises {size} bytes of data, but there are {found}").into());
    }
    Ok(npy::columns(&array.header, data)?)
}

#[cfg(test)]
mod tests;
