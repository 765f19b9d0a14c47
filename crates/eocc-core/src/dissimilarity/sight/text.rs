//! Strings: trigrams, the length of a string, and the kinds of its letters.

use std::collections::HashSet;

use super::{Bag, Sight};

/// Letters per part.
const LETTERS: usize = 3;
/// Codes for the start and the end of a string.
const START: u64 = 2;
const END: u64 = 3;
/// Bits per letter.
const BITS: u32 = 21;

/// The bag and summary of a string.
pub(crate) struct TextSight;

impl Sight<str> for TextSight {
    fn bag(&self, one: &str) -> Bag {
        let mut letters = vec![START];
        letters.extend(one.chars().map(u64::from));
        letters.push(END);
        let number = |part: &[u64]| part.iter().fold(0, |number, letter| number << BITS | letter);
        let parts: Vec<u64> = letters.windows(LETTERS.min(letters.len())).map(number).collect();
        Bag::new(&mut [parts])
    }

    fn summary(&self, one: &str) -> Vec<f64> {
        let count = one.chars().count();
        let share =
            |is: &dyn Fn(char) -> bool| one.chars().filter(|c| is(*c)).count() as f64 / count.max(1) as f64;
        let different: HashSet<char> = one.chars().collect();
        vec![
            (count as f64).ln_1p(),
            share(&char::is_lowercase),
            share(&char::is_uppercase),
            share(&char::is_numeric),
            share(&char::is_whitespace),
            share(&|c| !c.is_alphanumeric() && !c.is_whitespace()),
            different.len() as f64 / count.max(1) as f64,
        ]
    }

    fn values(&self, one: &str) -> Vec<f64> {
        let mut values = self.summary(one);
        values[0] = one.chars().count() as f64;
        values
    }

    fn names(&self) -> Vec<String> {
        let names = [
            "whole string",
            "letter sequences",
            "length",
            "lower-case letters",
            "upper-case letters",
            "digits",
            "spaces",
            "punctuation",
            "different letters",
        ];
        names.map(str::to_owned).to_vec()
    }
}
