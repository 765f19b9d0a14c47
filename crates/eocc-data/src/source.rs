//! Where bytes come from: a file or standard input, unpacked and made UTF-8 while it is read.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::error::{DataError, Fault};
use crate::format;
use crate::read::ReadOptions;
use crate::text_encoding::{Decoded, TextEncoding};
use crate::unpack::Packing;

/// No packed file is unpacked to more than this, if all of it is held in memory.
const MAX_UNPACKED: u64 = 8 << 30;
/// As many first bytes tell how a file is packed, whether it is text, and a byte-order mark.
const START: usize = 8;

/// The content of a file or of standard input, read as it comes: unpacked if it is packed with gzip or zstd, and text as
/// UTF-8 if it has another encoding.
///
/// Nothing is read ahead of what is asked for but the first few bytes, so that lines of a pipe come when they are written.
/// A fault of the content is an [`io::Error`]; [`Source::fault`] makes of it what any reader reports.
pub struct Source {
    name: String,
    is_packed: bool,
    reader: Box<dyn Read + Send>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Opens a file, or standard input if the path is `-`.
pub fn open_source(path: &Path, options: &ReadOptions) -> Result<Source, DataError> {
    if path.as_os_str() == "-" {
        return Source::new("standard input", io::stdin(), None, options);
    }
    let name = path.display().to_string();
    // Asked first, because some systems open a directory and fail only later, with a less clear message.
    if path.is_dir() {
        return Err(DataError::new(&name, Fault::Directory));
    }
    let file = File::open(path).map_err(|cause| DataError::io(&name, "read", cause))?;
    let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    Source::new(&name, file, size, options)
}

impl Source {
    fn new(
        name: &str,
        reader: impl Read + Send + 'static,
        size: Option<u64>,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let (is_packed, reader) =
            plain(reader, size, options).map_err(|cause| DataError::io(name, "read", cause))?;
        Ok(Self { name: name.to_owned(), is_packed, reader })
    }

    /// The name of the file as it was given, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What went wrong while reading.
    pub fn fault(&self, cause: io::Error) -> DataError {
        DataError::io(&self.name, "read", cause)
    }

    /// The name, and all that is left to read.
    pub fn read_whole(mut self) -> Result<(String, Vec<u8>), DataError> {
        let most = if self.is_packed { MAX_UNPACKED } else { u64::MAX - 1 };
        let mut content = Vec::new();
        let read = self.reader.by_ref().take(most + 1).read_to_end(&mut content);
        if let Err(cause) = read {
            return Err(self.fault(cause));
        }
        if content.len() as u64 > most {
            return Err(DataError::new(&self.name, Fault::TooMuch { most }));
        }
        Ok((self.name, content))
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reader.read(out)
    }
}

/// The content of a file that is in memory already, unpacked and as UTF-8.
pub(crate) fn plain_bytes<'a>(
    name: &str,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<Cow<'a, [u8]>, DataError> {
    if Packing::of(bytes).is_none() && encoding(bytes, options).is_none() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut content = Vec::new();
    plain(bytes, Some(bytes.len() as u64), options)
        .and_then(|(_, reader)| reader.take(MAX_UNPACKED + 1).read_to_end(&mut content))
        .map_err(|cause| DataError::io(name, "read", cause))?;
    if content.len() as u64 > MAX_UNPACKED {
        return Err(DataError::new(name, Fault::TooMuch { most: MAX_UNPACKED }));
    }
    Ok(Cow::Owned(content))
}

/// Whether the bytes are packed, and what they are without that and as UTF-8.
fn plain<'a>(
    bytes: impl Read + Send + 'a,
    size: Option<u64>,
    options: &ReadOptions,
) -> io::Result<(bool, Box<dyn Read + Send + 'a>)> {
    let (start, bytes) = with_start(bytes)?;
    let Some(packing) = Packing::of(&start) else { return Ok((false, utf8(&start, bytes, options))) };
    let (start, bytes) = with_start(packing.reader(bytes, size).map_err(io::Error::other)?)?;
    Ok((true, utf8(&start, bytes, options)))
}

/// Text as UTF-8, all else as it is.
fn utf8<'a>(start: &[u8], bytes: impl Read + Send + 'a, options: &ReadOptions) -> Box<dyn Read + Send + 'a> {
    match encoding(start, options) {
        Some(encoding) => Box::new(Decoded::new(bytes, encoding)),
        None => Box::new(bytes),
    }
}

/// The encoding of what starts so, if it is text that is not UTF-8.
fn encoding(start: &[u8], options: &ReadOptions) -> Option<TextEncoding> {
    let marked = TextEncoding::of_mark(start);
    if marked.is_none() && format::binary(start).is_some() {
        return None;
    }
    marked.or(options.encoding).filter(|encoding| !encoding.is_utf8())
}

/// The first bytes, and a reader that still gives them.
fn with_start<'a>(mut bytes: impl Read + Send + 'a) -> io::Result<(Vec<u8>, impl Read + Send + 'a)> {
    let mut start = Vec::with_capacity(START);
    bytes.by_ref().take(START as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unpack::tests::gzip;

    fn source(content: &'static [u8]) -> Source {
        Source::new("a.csv", content, None, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn what_is_not_packed_stays_as_it_is() {
        for content in [&b""[..], b"a", b"a,b\n1,2\n"] {
            assert_eq!(source(content).read_whole().unwrap(), ("a.csv".to_owned(), content.to_vec()));
        }
    }

    #[test]
    fn faults_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv.gz");
        let bytes = gzip(b"a,b\n1,2\n");
        std::fs::write(&path, &bytes).unwrap();
        let open = || open_source(&path, &ReadOptions::default()).unwrap();
        assert_eq!(open().read_whole().unwrap().1, b"a,b\n1,2\n");
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let error = open().read_whole().unwrap_err();
        assert!(error.to_string().contains("not a readable gzip file: "), "{error}");
        assert!(!error.is_io());
    }

    #[test]
    fn lines_come_as_they_are_written() {
        /// Gives one line at each call, and fails when it is asked for more than there is.
        struct Pipe(Vec<&'static [u8]>);
        impl Read for Pipe {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let line = self.0.pop().ok_or(io::ErrorKind::WouldBlock)?;
                out[..line.len()].copy_from_slice(line);
                Ok(line.len())
            }
        }
        // The first bytes may come in pieces.
        let pipe = Pipe(vec![b"1,2\n", b",b\n", b"a"]);
        let mut source = Source::new("pipe", pipe, None, &ReadOptions::default()).unwrap();
        let mut all: Vec<u8> = Vec::new();
        let mut buffer = [0; 64];
        while let Ok(count) = source.read(&mut buffer) {
            all.extend(&buffer[..count]);
        }
        assert_eq!(all, b"a,b\n1,2\n");
    }
}
