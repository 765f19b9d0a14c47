//! Text in encodings other than UTF-8, converted while being read.

use std::io::{self, Cursor, Read};
use std::str::FromStr;

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

use crate::error::Fault;

/// A text encoding, by any of its names in the Encoding Standard of the web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextEncoding(&'static Encoding);

/// No encoding has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "no encoding has this name; some that have are utf-8, utf-16, windows-1252, latin1, iso-8859-15, shift_jis and gb18030"
)]
pub struct UnknownEncoding;

impl FromStr for TextEncoding {
    type Err = UnknownEncoding;

    fn from_str(name: &str) -> Result<Self, UnknownEncoding> {
        Encoding::for_label(name.as_bytes()).map(Self).ok_or(UnknownEncoding)
    }
}

impl TextEncoding {
    /// The encoding with this byte-order mark.
    pub(crate) fn of_mark(start: &[u8]) -> Option<Self> {
        Encoding::for_bom(start).map(|(encoding, _)| Self(encoding))
    }

    pub(crate) fn is_utf8(self) -> bool {
        self.0 == UTF_8
    }

    /// Whether ASCII text is the same in it.
    pub(crate) fn has_ascii(self) -> bool {
        self.0.is_ascii_compatible()
    }

    /// The name of the encoding in the Encoding Standard, in which Latin-1 is windows-1252.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

/// How many bytes are decoded at a time.
const CHUNK: usize = 8 << 10;

/// Converts another encoding to UTF-8; a byte-order mark overrides the given encoding, and is removed.
pub(crate) struct Decoded<R> {
    inner: R,
    decoder: Decoder,
    encoding: TextEncoding,
    /// Bytes that were read; those from `at` on are not yet decoded.
    raw: Vec<u8>,
    at: usize,
    is_at_end: bool,
    /// Decoded text; that from `given` on is not yet returned.
    text: Vec<u8>,
    given: usize,
    /// The current line, from 1.
    line: usize,
}

impl<R: Read> Decoded<R> {
    pub(crate) fn new(inner: R, encoding: TextEncoding) -> Self {
        let decoder = encoding.0.new_decoder();
        let (raw, text) = (Vec::new(), Vec::new());
        Self { inner, decoder, encoding, raw, at: 0, is_at_end: false, text, given: 0, line: 1 }
    }

    /// Decodes what was read; reads more only if nothing of it is left.
    fn refill(&mut self) -> io::Result<()> {
        if self.at == self.raw.len() && !self.is_at_end {
            self.raw.resize(CHUNK, 0);
            let read = self.inner.read(&mut self.raw).inspect_err(|_| self.raw.clear())?;
            self.raw.truncate(read);
            self.at = 0;
            self.is_at_end = read == 0;
        }
        // No byte expands to more than three, and a few may be held back.
        self.text.resize(3 * CHUNK + 16, 0);
        self.given = 0;
        let (result, read, written) = self.decoder.decode_to_utf8_without_replacement(
            &self.raw[self.at..],
            &mut self.text,
            self.is_at_end,
        );
        self.at += read;
        self.text.truncate(written);
        self.line += self.text.split(|byte| *byte == b'\n').count() - 1;
        match result {
            DecoderResult::Malformed(..) => {
                let fault = Fault::Undecodable { line: self.line, encoding: self.encoding.name() };
                Err(io::Error::other(fault))
            }
            DecoderResult::InputEmpty | DecoderResult::OutputFull => Ok(()),
        }
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        // A piece may yield nothing yet, such as half a letter.
        while self.given == self.text.len() {
            if self.is_at_end && self.at == self.raw.len() {
                return Ok(0);
            }
            self.refill()?;
        }
        let count = out.len().min(self.text.len() - self.given);
        out[..count].copy_from_slice(&self.text[self.given..][..count]);
        self.given += count;
        Ok(count)
    }
}

/// Text in UTF-8, or in another encoding that has ASCII if its first letter beyond ASCII is not UTF-8.
pub(crate) struct Either<R> {
    encoding: TextEncoding,
    /// `None` once it is read by `decoded`.
    inner: Option<R>,
    decoded: Option<Decoded<io::Chain<Cursor<Vec<u8>>, R>>>,
    is_utf8: bool,
    /// Bytes that were read to decide, and are not yet returned.
    held: Cursor<Vec<u8>>,
    line: usize,
}

impl<R: Read> Either<R> {
    pub(crate) fn new(inner: R, encoding: TextEncoding) -> Self {
        let (inner, decoded, held) = (Some(inner), None, Cursor::default());
        Self { encoding, inner, decoded, is_utf8: false, held, line: 1 }
    }

    /// Decides by bytes from the first letter beyond ASCII on; reads more if the letter is not complete.
    fn decide(inner: &mut R, letter: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            let Err(fault) = std::str::from_utf8(letter) else { return Ok(true) };
            // The first letter decides.
            if fault.valid_up_to() > 0 {
                return Ok(true);
            }
            if fault.error_len().is_some() || inner.by_ref().take(1).read_to_end(letter)? == 0 {
                return Ok(false);
            }
        }
    }
}

impl<R: Read> Read for Either<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if let Some(decoded) = &mut self.decoded {
            return decoded.read(out);
        }
        let held = self.held.read(out)?;
        let Some(inner) = self.inner.as_mut().filter(|_| held == 0) else { return Ok(held) };
        let count = inner.read(out)?;
        if self.is_utf8 {
            return Ok(count);
        }
        let Some(at) = out[..count].iter().position(|byte| !byte.is_ascii()) else {
            self.line += out[..count].split(|byte| *byte == b'\n').count() - 1;
            return Ok(count);
        };
        let mut letter = out[at..count].to_vec();
        self.is_utf8 = Self::decide(inner, &mut letter)?;
        if self.is_utf8 {
            self.held = Cursor::new(letter.split_off(count - at));
            return Ok(count);
        }
        self.line += out[..at].split(|byte| *byte == b'\n').count() - 1;
        let rest = self.inner.take().map(|inner| Cursor::new(letter).chain(inner));
        self.decoded = rest.map(|rest| Decoded { line: self.line, ..Decoded::new(rest, self.encoding) });
        if at > 0 { Ok(at) } else { self.read(out) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_in_utf8_or_the_other_encoding() {
        struct Few<'a>(&'a [u8], usize);
        impl Read for Few<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let (now, later) = self.0.split_at(self.0.len().min(self.1).min(out.len()));
                self.0 = later;
                out[..now.len()].copy_from_slice(now);
                Ok(now.len())
            }
        }
        let text = "name,kind\nM\u{fc}ller,\u{fc}ber\n1,\u{e9}\n";
        let latin: Vec<u8> = text.chars().map(|c| c as u8).collect();
        for step in [1, 2, 3, 7, 100] {
            for bytes in [text.as_bytes(), &latin, b"a,b\n", b""] {
                let mut found = String::new();
                let mut reader = Either::new(Few(bytes, step), "latin1".parse().unwrap());
                reader.read_to_string(&mut found).unwrap();
                let expected = if bytes.is_ascii() { std::str::from_utf8(bytes).unwrap() } else { text };
                assert_eq!(found, expected, "{step}");
            }
        }
        let mut cut = Either::new(&b"a\nb\n\x81\xff"[..], "shift_jis".parse().unwrap());
        let fault = cut.read_to_string(&mut String::new()).unwrap_err();
        assert!(fault.to_string().starts_with("line 3: the bytes are not text in Shift_JIS"), "{fault}");
    }

    /// Decodes bytes that arrive a few at a time.
    fn decoded(bytes: &[u8], name: &str) -> Result<String, String> {
        struct Few<'a>(&'a [u8]);
        impl Read for Few<'_> {
            fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
                let (now, later) = self.0.split_at(self.0.len().min(3));
                self.0 = later;
                out[..now.len()].copy_from_slice(now);
                Ok(now.len())
            }
        }
        let mut text = String::new();
        let mut reader = Decoded::new(Few(bytes), name.parse().unwrap());
        reader.read_to_string(&mut text).map_err(|error| error.to_string())?;
        Ok(text)
    }

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn encodings_are_decoded() {
        let text = "größe;naïve\n1,5;\u{1F600}\n".repeat(2000);
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes = utf16(&format!("\u{feff}{text}"), to_bytes);
            assert_eq!(TextEncoding::of_mark(&bytes).map(TextEncoding::is_utf8), Some(false));
            // Whatever encoding was given.
            assert_eq!(decoded(&bytes, "latin1").unwrap(), text);
        }
        assert_eq!(decoded(b"caf\xe9 \x80", "windows-1252").unwrap(), "café €");
        assert_eq!(decoded(b"caf\xe9", "iso-8859-1").unwrap(), "café");
        assert_eq!(decoded(b"\xa4", "iso-8859-15").unwrap(), "€");
        assert_eq!(decoded(b"", "latin1").unwrap(), "");
    }

    #[test]
    fn faults_name_line_and_encoding() {
        let message = decoded(b"a\nb\n\x81\xff\n", "shift_jis").unwrap_err();
        assert_eq!(message, "line 3: the bytes are not text in Shift_JIS; say which encoding the file has");
        // Half a letter at the end.
        assert!(decoded(b"a\0\n\0\x3d\xd8", "utf-16le").unwrap_err().starts_with("line 2: "));
        assert!("klingon".parse::<TextEncoding>().is_err());
    }
}
