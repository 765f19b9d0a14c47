//! Where bytes come from: a file or standard input, unpacked and converted to UTF-8 while being read.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use crate::budget::Meter;
use crate::error::{DataError, Fault};
use crate::format::{self, Format};
use crate::read::ReadOptions;
use crate::text_encoding::{Decoded, Either, TextEncoding};
use crate::unpack::{Packing, inner_name};
use crate::waiting::Waiting;

/// The number of first bytes that indicate compression, text, and a byte-order mark.
pub(crate) const START: usize = 8;
/// Bytes read at a time.
const CHUNK: u64 = 1 << 20;

/// The content of a file or of standard input, read incrementally: unpacked if compressed with gzip or zstd, and text
/// converted to UTF-8.
///
/// Only the first few bytes are read ahead, so that lines of a pipe arrive when they are written. A fault of the
/// content is an [`io::Error`]; [`Source::fault`] turns it into the error that any reader reports.
pub struct Source {
    name: String,
    /// Compressed size of the file; unknown for a pipe.
    size: Option<u64>,
    options: ReadOptions,
    reader: Box<dyn Read + Send>,
}

/// The whole content of a file.
pub(crate) struct Whole {
    /// The given name of the file, or `standard input`.
    pub(crate) name: String,
    /// The content, unpacked and as UTF-8.
    pub(crate) bytes: Vec<u8>,
    /// How to read that, with the rest of the budget.
    pub(crate) options: ReadOptions,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Opens a file, or standard input if the path is `-`.
pub fn open_source(path: &Path, options: &ReadOptions) -> Result<Source, DataError> {
    if path.as_os_str() == "-" {
        return Source::waiting("standard input", || Ok(io::stdin()), options);
    }
    let name = path.display().to_string();
    // Checked first, because some systems open a directory and fail only later, with a less clear message.
    if path.is_dir() {
        return Err(DataError::new(&name, Fault::Directory));
    }
    // Opening a pipe may block, too.
    if path.metadata().is_ok_and(|metadata| !metadata.is_file()) {
        let path = path.to_owned();
        return Source::waiting(&name, move || File::open(path), options);
    }
    let file = File::open(path).map_err(|cause| DataError::io(&name, "read", cause))?;
    let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
    Source::new(&name, file, size, options)
}

impl Source {
    /// For sources that may block: reads on a separate thread if reading can be cancelled.
    fn waiting<R: Read + Send + 'static>(
        name: &str,
        open: impl FnOnce() -> io::Result<R> + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let fail = |cause| DataError::io(name, "read", cause);
        if options.budget.can_stop() {
            return Self::new(name, Waiting::new(open, options.budget).map_err(fail)?, None, options);
        }
        Self::new(name, open().map_err(fail)?, None, options)
    }

    /// Compressed size of the file; unknown for a pipe.
    pub(crate) fn size(&self) -> Option<u64> {
        self.size
    }

    /// Checks the start of the content against its format.
    pub(crate) fn first_look(&self, start: &[u8]) -> Result<(), DataError> {
        first_look(&self.name, start, &self.options).map_err(|fault| DataError::new(&self.name, fault))
    }

    fn new(
        name: &str,
        reader: impl Read + Send + 'static,
        size: Option<u64>,
        options: &ReadOptions,
    ) -> Result<Self, DataError> {
        let reader = plain(reader, size, options).map_err(|cause| DataError::io(name, "read", cause))?;
        Ok(Self { name: name.to_owned(), size, options: options.clone(), reader })
    }

    /// The given name of the file, or `standard input`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The error of a failed read.
    pub fn fault(&self, cause: io::Error) -> DataError {
        DataError::io(&self.name, "read", cause)
    }

    /// The rest of the content, within the budget.
    pub fn into_bytes(self) -> Result<Vec<u8>, DataError> {
        Ok(self.read_whole()?.bytes)
    }

    /// The rest of the content, and how to parse it.
    pub(crate) fn read_whole(mut self) -> Result<Whole, DataError> {
        let mut bytes = Vec::new();
        let meter = self.options.budget.meter(self.size);
        let name = &self.name;
        let is_possible = |start: &[u8]| first_look(name, start, &self.options);
        read_within(&mut self.reader, &mut bytes, self.size, meter, is_possible)
            .map_err(|cause| DataError::io(name, "read", cause))?;
        let budget = self.options.budget.after_reading(self.size, bytes.len() as u64);
        Ok(Whole { name: self.name, bytes, options: ReadOptions { budget, ..self.options } })
    }
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.reader.read(out)
    }
}

/// Appends everything that a reader returns, within the budget; `is_possible` checks the first bytes.
fn read_within(
    reader: &mut impl Read,
    bytes: &mut Vec<u8>,
    size: Option<u64>,
    mut meter: Meter,
    is_possible: impl Fn(&[u8]) -> Result<(), Fault>,
) -> io::Result<()> {
    if let Some(needed) = size.filter(|size| *size > meter.left()) {
        return Err(io::Error::other(Fault::Memory { needed, limit: meter.left() }));
    }
    let mut is_first = true;
    loop {
        // Once more at the end, where nothing comes.
        let read = reader.by_ref().take(CHUNK).read_to_end(bytes)?;
        // At the end, too: if cancelled, we may have only half of it.
        meter.take(read as u64).map_err(io::Error::other)?;
        if read == 0 {
            return Ok(());
        }
        if is_first {
            is_possible(bytes).map_err(io::Error::other)?;
            // Not by doubling, which temporarily holds twice the file; a wrong size is at worst refused.
            let rest = size.unwrap_or(0).min(meter.left()).saturating_sub(read as u64);
            if bytes.try_reserve(usize::try_from(rest).unwrap_or(0)).is_err() {
                let needed = size.unwrap_or(0);
                return Err(io::Error::other(Fault::Memory { needed, limit: meter.left() }));
            }
            is_first = false;
        }
    }
}

/// Checks the start of the content against its format before reading the rest, which may be endless.
fn first_look(name: &str, start: &[u8], options: &ReadOptions) -> Result<(), Fault> {
    let format = options.format.or_else(|| Format::of_extension(Path::new(inner_name(name))));
    match format {
        Some(Format::Npy | Format::Npz | Format::Parquet | Format::Arrow) => Ok(()),
        _ if format::binary(start).is_some() => Ok(()),
        _ => match start.iter().position(|byte| *byte == 0) {
            Some(offset) => {
                let line = start[..offset].split(|byte| *byte == b'\n').count();
                Err(Fault::ZeroByte { line, offset })
            }
            None => Ok(()),
        },
    }
}

/// The content of a file that is already in memory, unpacked and as UTF-8, and how to parse it.
pub(crate) fn plain_bytes<'a>(
    name: &str,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Cow<'a, [u8]>, ReadOptions), DataError> {
    let is_plain = encoding(bytes, options).is_none() && fallback(bytes, options).is_none();
    if Packing::detect(bytes).is_none() && is_plain {
        return Ok((Cow::Borrowed(bytes), options.clone()));
    }
    let size = Some(bytes.len() as u64);
    let mut content = Vec::new();
    plain(bytes, size, options)
        .and_then(|mut reader| {
            read_within(&mut reader, &mut content, None, options.budget.meter(size), |_| Ok(()))
        })
        .map_err(|cause| DataError::io(name, "read", cause))?;
    let budget = options.budget.after_reading(size, content.len() as u64);
    Ok((Cow::Owned(content), ReadOptions { budget, ..options.clone() }))
}

/// The bytes, unpacked and as UTF-8.
fn plain<'a>(
    bytes: impl Read + Send + 'a,
    size: Option<u64>,
    options: &ReadOptions,
) -> io::Result<Box<dyn Read + Send + 'a>> {
    let (start, bytes) = with_start(bytes)?;
    let Some(packing) = Packing::detect(&start) else { return Ok(utf8(&start, bytes, options)) };
    let (start, bytes) = with_start(packing.reader(bytes, size).map_err(io::Error::other)?)?;
    Ok(utf8(&start, bytes, options))
}

/// Text as UTF-8, everything else unchanged.
fn utf8<'a>(start: &[u8], bytes: impl Read + Send + 'a, options: &ReadOptions) -> Box<dyn Read + Send + 'a> {
    match (encoding(start, options), fallback(start, options)) {
        (Some(encoding), _) => Box::new(Decoded::new(bytes, encoding)),
        (None, Some(encoding)) => Box::new(Either::new(bytes, encoding)),
        (None, None) => Box::new(bytes),
    }
}

/// The encoding of content with this start where it is not UTF-8, if it is text.
fn fallback(start: &[u8], options: &ReadOptions) -> Option<TextEncoding> {
    options.fallback.filter(|encoding| encoding.has_ascii() && format::binary(start).is_none())
}

/// The encoding of content with this start, if it is text other than UTF-8.
fn encoding(start: &[u8], options: &ReadOptions) -> Option<TextEncoding> {
    let marked = TextEncoding::of_mark(start);
    if marked.is_none() && format::binary(start).is_some() {
        return None;
    }
    marked.or(options.encoding).filter(|encoding| !encoding.is_utf8())
}

/// The first bytes, and a reader that still returns them.
fn with_start<'a>(mut bytes: impl Read + Send + 'a) -> io::Result<(Vec<u8>, impl Read + Send + 'a)> {
    let mut start = Vec::with_capacity(START);
    bytes.by_ref().take(START as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::unpack::tests::gzip;

    fn source(content: &'static [u8]) -> Source {
        Source::new("a.csv", content, None, &ReadOptions::default()).unwrap()
    }

    #[test]
    fn what_is_not_packed_stays_as_it_is() {
        for content in [&b""[..], b"a", b"a,b\n1,2\n"] {
            let whole = source(content).read_whole().unwrap();
            assert_eq!((whole.name.as_str(), whole.bytes.as_slice()), ("a.csv", content));
        }
    }

    #[test]
    fn faults_are_those_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv.gz");
        let bytes = gzip(b"a,b\n1,2\n");
        std::fs::write(&path, &bytes).unwrap();
        let open = || open_source(&path, &ReadOptions::default()).unwrap();
        assert_eq!(open().read_whole().unwrap().bytes, b"a,b\n1,2\n");
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let error = open().read_whole().map(|whole| whole.name).unwrap_err();
        assert!(error.to_string().contains("not a readable gzip file: "), "{error}");
        assert!(!error.is_io());
    }

    #[test]
    fn what_has_no_end_is_refused() {
        let whole = |name: &str, reader: io::Repeat| {
            let source = Source::new(name, reader, None, &ReadOptions::default()).unwrap();
            source.read_whole().map(|whole| whole.name).unwrap_err()
        };
        assert!(matches!(whole("a.csv", io::repeat(0)).fault(), Fault::ZeroByte { line: 1, offset: 0 }));
        let options = ReadOptions { budget: Budget::of_bytes(1 << 22), ..ReadOptions::default() };
        let endless = Source::new("pipe", io::repeat(b'7'), None, &options).unwrap();
        let error = endless.read_whole().map(|whole| whole.name).unwrap_err();
        assert!(error.is_memory(), "{error}");
    }

    #[test]
    fn lines_come_as_they_are_written() {
        /// Returns one line per call, and fails when more than available is requested.
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
