//! Mutations, reproducible by seed.

use eocc_core::random::Random;

/// Numbers at which lengths and signs overflow.
const NUMBERS: [u64; 10] =
    [0, 1, 0x7f, 0x80, 0xff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];
/// Tokens of the text formats.
const WORDS: [&[u8]; 24] = [
    b",",
    b"\n",
    b"\"",
    b"\r",
    b";",
    b"\t",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"<",
    b"/>",
    b"&#0;",
    b"NaN",
    b"-inf",
    b"1e999",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\0",
    b"null",
    b"<node id=\"0\"/>",
    b"@data\n",
    b">a\n",
];
/// Maximum number of mutations per input.
const MAX_MUTATIONS: usize = 6;
/// Maximum size of an input.
const LONGEST: usize = 1 << 16;

/// Makes inputs from a corpus.
pub struct Mutator<'a> {
    corpus: &'a [Vec<u8>],
    random: Random,
}

impl<'a> Mutator<'a> {
    /// From these inputs, of which there must be at least one, with this seed.
    pub fn new(corpus: &'a [Vec<u8>], seed: u64) -> Self {
        Self { corpus, random: Random::new(seed) }
    }

    fn below(&mut self, count: usize) -> usize {
        if count == 0 { 0 } else { self.random.below(count) }
    }

    /// The next input.
    pub fn next_input(&mut self) -> Vec<u8> {
        let first = self.below(self.corpus.len());
        let mut input = self.corpus.get(first).cloned().unwrap_or_default();
        for _ in 0..=self.below(MAX_MUTATIONS) {
            self.damage(&mut input);
        }
        input.truncate(LONGEST);
        input
    }

    fn damage(&mut self, input: &mut Vec<u8>) {
        let at = self.below(input.len());
        let length = 1 + self.below(16).min(input.len().saturating_sub(at + 1));
        let end = (at + length).min(input.len());
        match self.below(9) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << self.random.below(8);
                }
            }
            1 => {
                let value = self.below(256) as u8;
                if let Some(byte) = input.get_mut(at) {
                    *byte = value;
                }
            }
            2 => {
                input.drain(at..end);
            }
            3 => {
                // A length or a count, in either byte order and several widths.
                let mut bytes = NUMBERS[self.below(NUMBERS.len())].to_le_bytes();
                if self.below(2) == 1 {
                    bytes.reverse();
                }
                let width = 1 << self.below(4);
                for (byte, value) in input.iter_mut().skip(at).zip(bytes.into_iter().take(width)) {
                    *byte = value;
                }
            }
            4 => {
                let word = WORDS[self.below(WORDS.len())];
                input.splice(at..at, word.iter().copied());
            }
            5 => {
                // A piece repeated many times.
                let piece = input[at..end].to_vec();
                let times = 1 + self.below(64);
                input.splice(at..at, piece.repeat(times));
            }
            6 => input.truncate(at),
            7 => {
                // The rest of another input.
                let other = self.below(self.corpus.len());
                let rest = self.corpus.get(other).cloned().unwrap_or_default();
                let from = self.below(rest.len());
                input.truncate(at);
                input.extend_from_slice(&rest[from..]);
            }
            _ => {
                // Two pieces are swapped.
                let other = self.below(input.len());
                for step in 0..length {
                    if at + step < input.len() && other + step < input.len() {
                        input.swap(at + step, other + step);
                    }
                }
            }
        }
    }
}
