//! The units that make up a string.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The unit in which strings are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes of the UTF-8 text.
    Bytes,
    /// Unicode scalar values.
    #[default]
    Chars,
    /// Words, separated by white space.
    Tokens,
}

impl Unit {
    /// All names, for messages.
    pub const NAMES: &'static str = "bytes, chars or tokens";

    /// Calls `f` with every symbol of the string. A token is its 64-bit hash (`SipHash` with fixed keys): two
    /// different words collide with a probability of 2^-64.
    pub(super) fn for_each(self, text: &str, mut f: impl FnMut(u64)) {
        match self {
            Self::Bytes => text.bytes().for_each(|b| f(u64::from(b))),
            Self::Chars => text.chars().for_each(|c| f(u64::from(c))),
            Self::Tokens => text.split_whitespace().for_each(|word| {
                let mut hasher = DefaultHasher::new();
                word.hash(&mut hasher);
                f(hasher.finish());
            }),
        }
    }

    /// The string as a sequence of symbols.
    pub fn symbols(self, text: &str) -> Vec<u64> {
        let mut symbols = Vec::with_capacity(text.len());
        self.for_each(text, |symbol| symbols.push(symbol));
        symbols
    }

    /// How many symbols the string has.
    pub fn length(self, text: &str) -> usize {
        match self {
            Self::Bytes => text.len(),
            Self::Chars => text.chars().count(),
            Self::Tokens => text.split_whitespace().count(),
        }
    }
}

impl FromStr for Unit {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        match name {
            "bytes" => Ok(Self::Bytes),
            "chars" => Ok(Self::Chars),
            "tokens" => Ok(Self::Tokens),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_count_differently() {
        let text = "naïve  naïve x";
        assert_eq!(Unit::Bytes.symbols(text).len(), 16);
        assert_eq!(Unit::Chars.symbols(text).len(), 14);
        let tokens = Unit::Tokens.symbols(text);
        assert_eq!(tokens.len(), 3);
        assert!(
            [Unit::Bytes, Unit::Chars, Unit::Tokens].iter().all(|u| u.symbols(text).len() == u.length(text))
        );
        assert_eq!(tokens[0], tokens[1]);
        assert_ne!(tokens[0], tokens[2]);
    }
}
