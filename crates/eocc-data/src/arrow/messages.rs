//! Checks of the messages of a stream before they are used: the reader trusts every length.

use arrow_ipc::{Buffer, Endianness, Message, MessageHeader, RecordBatch, root_as_message};

use super::STREAM;
use crate::error::{Fault, ReadFailure};

/// Output bytes per compressed byte, in addition to [`SLACK`].
const MAX_PER_BYTE: u64 = 200;
const SLACK: u64 = 16 << 20;
/// Rows per byte of booleans.
const ROWS_PER_BYTE: u64 = 8;
/// Length of the size prefix before compressed values.
const PREFIX: u64 = 8;

/// Fails if a length points outside the stream, or compressed values claim an implausible size.
pub(super) fn check(stream: &[u8], allowed: u64) -> Result<(), ReadFailure> {
    let most = (stream.len() as u64).saturating_mul(MAX_PER_BYTE).saturating_add(SLACK);
    let (mut rest, mut claimed) = (stream, 0_u64);
    let mut is_first = true;
    loop {
        let (length, behind) = match rest {
            [] if !is_first => return Ok(()),
            _ => {
                let behind = rest.strip_prefix(STREAM).unwrap_or(rest);
                let (length, behind) = behind.split_first_chunk::<4>().ok_or("the file is cut off")?;
                (i32::from_le_bytes(*length), behind)
            }
        };
        // A zero length ends the stream; in a file, the index of its messages follows.
        if length == 0 && !is_first {
            return Ok(());
        }
        let (head, behind) = usize::try_from(length)
            .ok()
            .and_then(|length| behind.split_at_checked(length))
            .ok_or("a message is longer than the file")?;
        let message = root_as_message(head).map_err(|error| format!("a message is damaged: {error}"))?;
        let (body, behind) = usize::try_from(message.bodyLength())
            .ok()
            .and_then(|length| behind.split_at_checked(length))
            .ok_or("the values of a message are longer than the file")?;
        claimed = claimed.saturating_add(values(&message, body)?);
        if claimed > most {
            let reason =
                format!("its values claim more than {most} bytes, though it has only {}", stream.len());
            return Err(reason.into());
        }
        if claimed > allowed {
            return Err(Fault::Memory { needed: claimed, limit: allowed }.into());
        }
        (rest, is_first) = (behind, false);
    }
}

/// How many bytes the values of a message claim to be.
fn values(message: &Message<'_>, body: &[u8]) -> Result<u64, String> {
    let batch = match message.header_type() {
        MessageHeader::Schema => {
            let schema = message.header_as_schema().ok_or("the schema is damaged")?;
            return match schema.endianness() {
                Endianness::Little => Ok(0),
                _ => Err("its numbers have the highest byte first, which is not read".to_owned()),
            };
        }
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        _ => return Err("it has a message that is not part of a table".to_owned()),
    };
    let batch = batch.ok_or("a message is damaged")?;
    let mut claimed = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        claimed = claimed.saturating_add(size(&batch, buffer, body)?);
    }
    // Columns without values, only nulls, may have any length.
    let rows = u64::try_from(batch.length()).map_err(|_| "it has less than no rows")?;
    if rows > claimed.saturating_mul(ROWS_PER_BYTE) {
        return Err(format!("it claims {rows} rows, but has only {claimed} bytes of values for them"));
    }
    for node in batch.nodes().into_iter().flatten() {
        let length = u64::try_from(node.length()).map_err(|_| "a column has less than no rows")?;
        if length > claimed.saturating_mul(ROWS_PER_BYTE) {
            return Err(format!("a column claims {length} values, which do not fit into {claimed} bytes"));
        }
    }
    Ok(claimed)
}

/// How many bytes a buffer claims to hold.
fn size(batch: &RecordBatch<'_>, buffer: &Buffer, body: &[u8]) -> Result<u64, String> {
    const OUTSIDE: &str = "values lie outside of their message";
    let start = usize::try_from(buffer.offset()).map_err(|_| OUTSIDE)?;
    let length = usize::try_from(buffer.length()).map_err(|_| OUTSIDE)?;
    let bytes = body.get(start..).and_then(|rest| rest.get(..length)).ok_or(OUTSIDE)?;
    if batch.compression().is_none() || bytes.is_empty() {
        return Ok(length as u64);
    }
    let prefix = bytes.first_chunk::<8>().ok_or("packed values are cut off")?;
    match i64::from_le_bytes(*prefix) {
        // Not compressed after all.
        -1 => Ok(length as u64 - PREFIX),
        claimed => {
            u64::try_from(claimed).map_err(|_| "packed values claim to be less than nothing".to_owned())
        }
    }
}
