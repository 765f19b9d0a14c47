//! Unpacking of gzip, with a limit on how much may come out.

use std::io::Read;

use crate::error::Fault;
use crate::guard::guarded;

/// A packed byte may give this many bytes, and the file [`SLACK`] more. Tables and sequences as text stay below 20.
const MOST_PER_BYTE: u64 = 200;
const SLACK: u64 = 16 << 20;
/// No file gives more than this.
const MAX_UNPACKED: u64 = 8 << 30;

/// Whether the content is gzip; no text starts with these bytes.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b")
}

/// Unpacks a file, which may be of several parts one after the other.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Fault> {
    let most = (bytes.len() as u64).saturating_mul(MOST_PER_BYTE).saturating_add(SLACK).min(MAX_UNPACKED);
    let mut content = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(most + 1);
    guarded(|| reader.read_to_end(&mut content).map_err(|error| error.to_string())).map_err(|reason| {
        let reason = format!("{reason}; it is cut off or damaged, fetch it again");
        Fault::Malformed { format: "gzip", reason }
    })?;
    if content.len() as u64 > most {
        return Err(Fault::Inflated { packed: bytes.len() as u64, most });
    }
    Ok(content)
}

/// The name without `.gz`, which tells the format of what is inside.
pub(crate) fn inner_name(name: &str) -> &str {
    match name.len().checked_sub(3).and_then(|at| name.split_at_checked(at)) {
        Some((stem, end)) if end.eq_ignore_ascii_case(".gz") => stem,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn parts_are_joined() {
        let bytes = [packed(b"a,b\n"), packed(b"1,2\n")].concat();
        assert!(is_gzip(&bytes));
        assert_eq!(unpack(&bytes).unwrap(), b"a,b\n1,2\n");
    }

    #[test]
    fn bombs_and_damage_are_refused() {
        let bomb = packed(&vec![0; 40 << 20]);
        let message = unpack(&bomb).unwrap_err().to_string();
        assert!(message.contains("unpacks to more than"), "{message}");
        let whole = packed(b"a,b\n1,2\n");
        for length in 0..whole.len() {
            assert!(unpack(&whole[..length]).is_err() || length == 0);
        }
    }

    #[test]
    fn names_lose_their_end() {
        assert_eq!(inner_name("a.csv.GZ"), "a.csv");
        assert_eq!(inner_name("a.csv"), "a.csv");
        assert_eq!(inner_name("é"), "é");
    }
}
