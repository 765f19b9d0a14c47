//! Unpacking of gzip and zstd while reading, with a limit on the output.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;

use crate::error::Fault;
use crate::guard::guarded;

/// Output bytes per compressed byte, in addition to [`SLACK`]. Tables and sequences as text stay below 20.
const MAX_PER_BYTE: u64 = 200;
const SLACK: u64 = 16 << 20;

/// The compression of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Packing {
    Gzip,
    Zstd,
}

impl Packing {
    /// The compression indicated by the first bytes; no text starts like this. A zstd file may begin with a skippable
    /// frame.
    pub(crate) fn detect(start: &[u8]) -> Option<Self> {
        match start {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The content of a compressed file, which may have several concatenated members; `size` is its size, if known.
    pub(crate) fn reader<'a>(
        self,
        packed: impl Read + Send + 'a,
        size: Option<u64>,
    ) -> Result<impl Read + Send + 'a, Fault> {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { inner: packed, taken: Arc::clone(&taken) };
        let inner: Box<dyn Read + Send + 'a> = match self {
            Self::Gzip => Box::new(Members::new(BufReader::new(counted))),
            Self::Zstd => zstd_reader(counted)?,
        };
        Ok(Unpacked { inner, packing: self, taken, size: size.unwrap_or(0), given: 0 })
    }
}

#[cfg(feature = "columnar")]
fn zstd_reader<'a>(packed: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>, Fault> {
    let decoder = zstd::stream::read::Decoder::new(packed);
    Ok(Box::new(decoder.map_err(|cause| Fault::Io { doing: "read", cause })?))
}

#[cfg(not(feature = "columnar"))]
fn zstd_reader<'a>(_: impl Read + Send + 'a) -> Result<Box<dyn Read + Send + 'a>, Fault> {
    Err(Fault::FeatureOff { format: "zstd", feature: "columnar" })
}

/// The concatenated members of a gzip file. Zeros after a member are skipped, as gzip does: tapes and disks add
/// padding.
struct Members<R> {
    part: Option<GzDecoder<R>>,
    /// Zeros that were skipped.
    padding: u64,
}

impl<R: BufRead> Members<R> {
    fn new(packed: R) -> Self {
        Self { part: Some(GzDecoder::new(packed)), padding: 0 }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(part) = &mut self.part {
            let read = part.read(out)?;
            if read > 0 || out.is_empty() {
                return Ok(read);
            }
            let Some(mut rest) = self.part.take().map(GzDecoder::into_inner) else { break };
            loop {
                let some = rest.fill_buf()?;
                let zeros = some.iter().take_while(|byte| **byte == 0).count();
                let has_more = some.len() > zeros;
                if has_more {
                    rest.consume(zeros);
                    self.part = Some(GzDecoder::new(rest));
                    break;
                }
                if zeros == 0 {
                    return Ok(0);
                }
                self.padding += zeros as u64;
                if self.padding > SLACK {
                    return Err(io::Error::other(format!("more than {SLACK} zeros follow its content")));
                }
                rest.consume(zeros);
            }
        }
        Ok(0)
    }
}

/// Counts the bytes that are read.
struct Counted<R> {
    inner: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.taken.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A reader of a compressed file that stops when the output is implausibly large.
struct Unpacked<'a> {
    inner: Box<dyn Read + Send + 'a>,
    packing: Packing,
    /// Compressed bytes read so far.
    taken: Arc<AtomicU64>,
    /// Compressed size, or 0 if unknown.
    size: u64,
    /// Bytes returned so far.
    given: u64,
}

impl Read for Unpacked<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let format = self.packing.name();
        let damaged = |reason: String| {
            let reason = format!("{reason}; it is cut off or damaged, fetch it again");
            io::Error::other(Fault::Malformed { format, reason })
        };
        let inner = &mut self.inner;
        let read = guarded(|| Ok(inner.read(out))).map_err(damaged)?.map_err(|cause| match cause.kind() {
            // Both libraries report a content error like this; anything else comes from the system.
            io::ErrorKind::InvalidInput
            | io::ErrorKind::InvalidData
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::Other => damaged(cause.to_string()),
            _ => cause,
        })?;
        self.given += read as u64;
        let packed = self.size.max(self.taken.load(Ordering::Relaxed));
        let most = packed.saturating_mul(MAX_PER_BYTE).saturating_add(SLACK);
        if self.given > most {
            return Err(io::Error::other(Fault::Inflated { packed, most }));
        }
        Ok(read)
    }
}

/// The name without `.gz`, `.zst` or `.zstd`, which indicates the format inside.
pub(crate) fn inner_name(name: &str) -> &str {
    let stem = |end: &str| {
        let (stem, found) = name.split_at_checked(name.len().checked_sub(end.len())?)?;
        found.eq_ignore_ascii_case(end).then_some(stem)
    };
    [".gz", ".zst", ".zstd"].into_iter().find_map(stem).unwrap_or(name)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write as _;

    use super::*;

    pub(crate) fn gzip(content: &[u8]) -> Vec<u8> {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        writer.write_all(content).unwrap();
        writer.finish().unwrap()
    }

    type Pack = fn(&[u8]) -> Vec<u8>;

    #[cfg(feature = "columnar")]
    fn packers() -> Vec<Pack> {
        vec![gzip, |content| zstd::encode_all(content, 3).unwrap()]
    }

    #[cfg(not(feature = "columnar"))]
    fn packers() -> Vec<Pack> {
        vec![gzip]
    }

    fn unpack(bytes: &[u8]) -> Result<Vec<u8>, String> {
        let mut content = Vec::new();
        let packing = Packing::detect(bytes).ok_or("not packed")?;
        let mut reader = packing.reader(bytes, None).map_err(|fault| fault.to_string())?;
        reader.read_to_end(&mut content).map_err(|error| error.to_string())?;
        Ok(content)
    }

    #[test]
    fn parts_are_joined() {
        for pack in packers() {
            let bytes = [pack(b"a,b\n"), pack(b"1,2\n")].concat();
            assert_eq!(unpack(&bytes).unwrap(), b"a,b\n1,2\n");
        }
    }

    #[test]
    fn zeros_behind_gzip_are_skipped_and_all_else_is_not() {
        let (one, two) = (gzip(b"a,b\n"), gzip(b"1,2\n"));
        let padded = |zeros: usize, rest: &[u8]| [&one, &vec![0; zeros][..], rest].concat();
        for zeros in [1, 511, 100_000] {
            assert_eq!(unpack(&padded(zeros, b"")).unwrap(), b"a,b\n");
            assert_eq!(unpack(&padded(zeros, &two)).unwrap(), b"a,b\n1,2\n");
            assert!(unpack(&padded(zeros, b"rest")).is_err());
        }
        assert!(unpack(&padded(20 << 20, b"")).unwrap_err().contains("zeros follow"));
    }

    #[cfg(feature = "columnar")]
    #[test]
    fn frames_to_be_skipped_are_skipped() {
        let skipped = [&b"\x51\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd::encode_all(&b"a\n"[..], 3).unwrap()];
        assert_eq!(unpack(&skipped.concat()).unwrap(), b"a\n");
    }

    #[test]
    fn bombs_and_damage_are_refused() {
        for pack in packers() {
            let bomb = pack(&vec![0; 40 << 20]);
            let message = unpack(&bomb).unwrap_err();
            assert!(message.contains("unpacks to more than"), "{message}");
            let whole = pack(b"a,b\n1,2\n");
            for length in 0..whole.len() {
                assert!(unpack(&whole[..length]).is_err(), "{length}");
            }
            assert!(unpack(&whole[..whole.len() - 1]).unwrap_err().contains("cut off or damaged"));
        }
    }

    #[cfg(not(feature = "columnar"))]
    #[test]
    fn a_packing_left_out_of_the_build_is_named() {
        assert!(unpack(b"\x28\xb5\x2f\xfd").unwrap_err().contains("cargo feature `columnar`"));
    }

    #[test]
    fn names_lose_their_end() {
        assert_eq!(inner_name("a.csv.GZ"), "a.csv");
        assert_eq!(inner_name("a.csv.zst"), "a.csv");
        assert_eq!(inner_name("a.csv"), "a.csv");
        assert_eq!(inner_name("é"), "é");
    }
}
