//! Columns of numbers in JSON: little-endian bytes in base64, which is short, fast to read, and exact.

use serde::{Serialize, Serializer};

/// Numbers, eight bytes each.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Numbers(pub Vec<f64>);

/// Indices, four bytes each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Indices(pub Vec<u32>);

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&base64(self.0.iter().flat_map(|v| v.to_le_bytes())))
    }
}

impl Serialize for Indices {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&base64(self.0.iter().flat_map(|v| v.to_le_bytes())))
    }
}

/// Bytes in the alphabet of RFC 4648, with padding.
pub(crate) fn base64(bytes: impl IntoIterator<Item = u8>) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = bytes.into_iter();
    let mut text = String::new();
    while let Some(first) = bytes.next() {
        let (second, third) = (bytes.next(), bytes.next());
        let group =
            u32::from(first) << 16 | u32::from(second.unwrap_or(0)) << 8 | u32::from(third.unwrap_or(0));
        let letter = |shift: u32| char::from(LETTERS[(group >> shift & 63) as usize]);
        text.push(letter(18));
        text.push(letter(12));
        text.push(if second.is_some() { letter(6) } else { '=' });
        text.push(if third.is_some() { letter(0) } else { '=' });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(bytes.bytes()), text);
        }
    }
}
