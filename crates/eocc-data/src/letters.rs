//! Sequences that differ in how they are written: in lower case, with gaps, or with U in place of T. For a measure of
//! strings, these are other letters.

use eocc_core::{AnySamples, SampleSet as _, Texts};

/// Minimum number of letters to recognize a string as a sequence.
const MIN_SEQUENCE: usize = 10;
/// Gaps of alignments, and the end of a translation.
const GAPS: [u8; 3] = *b"-.*";
/// Nucleotides, in either case.
const NUCLEOTIDES: &[u8] = b"ACGTUN";

/// What sets some sequences apart from others of the same letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Writing {
    /// They have lower-case letters, and the others none.
    LowerCase,
    /// They have no lower-case letters, and the others have.
    UpperCase,
    /// They have gaps.
    Gaps,
    /// They are RNA, and the others DNA.
    Rna,
    /// They are DNA, and the others RNA.
    Dna,
}

impl Writing {
    /// What is to be said about new samples that are written differently from those of training.
    pub fn of_new(self) -> &'static str {
        match self {
            Self::LowerCase => {
                "had lower-case letters where training has upper case, which are different letters"
            }
            Self::UpperCase => {
                "had upper-case letters where training has lower case, which are different letters"
            }
            Self::Gaps => {
                "had gaps (`-`, `.` or `*` inside), which no training sample has and which count as letters"
            }
            Self::Rna => {
                "had the letters of RNA, but the training samples are DNA: U and T are different letters"
            }
            Self::Dna => {
                "had the letters of DNA, but the training samples are RNA: U and T are different letters"
            }
        }
    }
}

/// How a sequence is written.
#[derive(Debug, Clone, Copy, Default)]
struct Sequence {
    has_lower: bool,
    has_gaps: bool,
    /// Its letters, as bits, regardless of case.
    letters: u32,
}

fn bit(letter: u8) -> u32 {
    1 << (letter.to_ascii_uppercase() - b'A')
}

impl Sequence {
    /// `None` for a text that is not a sequence.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim_end_matches('*');
        let mut found = Self::default();
        let mut count = 0;
        for byte in text.bytes() {
            match byte {
                _ if GAPS.contains(&byte) => found.has_gaps = true,
                _ if byte.is_ascii_alphabetic() => {
                    found.has_lower |= byte.is_ascii_lowercase();
                    found.letters |= bit(byte);
                    count += 1;
                }
                _ => return None,
            }
        }
        (count >= MIN_SEQUENCE).then_some(found)
    }

    fn has(self, letter: u8) -> bool {
        self.letters & bit(letter) != 0
    }

    fn is_nucleic(self) -> bool {
        self.letters & !NUCLEOTIDES.iter().fold(0, |all, letter| all | bit(*letter)) == 0
    }

    fn is_dna(self) -> bool {
        self.is_nucleic() && self.has(b'T') && !self.has(b'U')
    }

    fn is_rna(self) -> bool {
        self.is_nucleic() && self.has(b'U') && !self.has(b'T')
    }
}

/// Whether a text has the letters of DNA or RNA only, besides gaps.
pub(crate) fn is_nucleic(text: &str) -> bool {
    Sequence::parse(text).is_some_and(Sequence::is_nucleic)
}

/// The sequences among samples; `None` unless nearly all are.
fn sequences(samples: &AnySamples) -> Option<Vec<Sequence>> {
    let texts = samples.downcast_ref::<Texts>()?;
    let found: Vec<Sequence> = (0..texts.count()).filter_map(|i| Sequence::parse(texts.sample(i))).collect();
    (!found.is_empty() && found.len() * 5 >= texts.count() * 4).then_some(found)
}

fn letters(sequences: &[Sequence], of: impl Fn(&Sequence) -> bool) -> u32 {
    sequences.iter().filter(|one| of(one)).fold(0, |all, one| all | one.letters)
}

/// How some sequences among these samples are written differently from most, and how many; nothing if the samples are
/// not sequences.
pub fn different_writing(samples: &AnySamples) -> Vec<(Writing, usize)> {
    let Some(all) = sequences(samples) else { return Vec::new() };
    let count = |is_such: &dyn Fn(&Sequence) -> bool| all.iter().filter(|one| is_such(one)).count();
    let mut found = Vec::new();
    let lower = count(&|one| one.has_lower);
    let is_lower_rare = 2 * lower <= all.len();
    let rare = letters(&all, |one| one.has_lower == is_lower_rare);
    if lower > 0 && lower < all.len() && rare & !letters(&all, |one| one.has_lower != is_lower_rare) == 0 {
        let upper = all.len() - lower;
        found.push(if is_lower_rare { (Writing::LowerCase, lower) } else { (Writing::UpperCase, upper) });
    }
    // Hosts and words with hyphens are not sequences.
    if let gaps @ 1.. = count(&|one| one.has_gaps && !one.has_lower) {
        found.push((Writing::Gaps, gaps));
    }
    let (dna, rna) = (count(&|one| one.is_dna()), count(&|one| one.is_rna()));
    if dna > 0 && rna > 0 && 2 * (dna + rna) >= all.len() {
        found.push(if rna <= dna { (Writing::Rna, rna) } else { (Writing::Dna, dna) });
    }
    found
}

/// Counts new sequences that are written differently from those of training.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct WritingWatch {
    /// The letters of the training sequences, and those of them with and without lower case.
    letters: u32,
    has_lower: bool,
    has_upper: bool,
    has_gaps: bool,
    are_dna: bool,
    are_rna: bool,
    found: Vec<(Writing, usize)>,
}

impl WritingWatch {
    /// `None` if the training samples are not sequences.
    pub(crate) fn new(training: &AnySamples) -> Option<Self> {
        let all = sequences(training)?;
        let any = |is_such: &dyn Fn(&Sequence) -> bool| all.iter().any(is_such);
        let (has_dna, has_rna) = (any(&|one| one.is_dna()), any(&|one| one.is_rna()));
        Some(Self {
            letters: letters(&all, |_| true),
            has_lower: any(&|one| one.has_lower),
            has_upper: any(&|one| !one.has_lower),
            has_gaps: any(&|one| one.has_gaps),
            are_dna: has_dna && !any(&|one| one.has(b'U')),
            are_rna: has_rna && !any(&|one| one.has(b'T')),
            found: Vec::new(),
        })
    }

    /// Examines more samples.
    pub(crate) fn add(&mut self, samples: &Texts) {
        for one in (0..samples.count()).filter_map(|i| Sequence::parse(samples.sample(i))) {
            let other_case = match one.has_lower {
                true if !self.has_lower => Some(Writing::LowerCase),
                false if !self.has_upper => Some(Writing::UpperCase),
                _ => None,
            };
            // U and T may be exchanged besides.
            let thymine = bit(b'T') | bit(b'U');
            let others = if self.letters & thymine == 0 { self.letters } else { self.letters | thymine };
            if let Some(other_case) = other_case.filter(|_| one.letters & !others == 0) {
                self.count(other_case);
            }
            if one.has_gaps && !self.has_gaps && (!one.has_lower || self.has_lower) {
                self.count(Writing::Gaps);
            }
            if self.are_dna && one.is_rna() {
                self.count(Writing::Rna);
            }
            if self.are_rna && one.is_dna() {
                self.count(Writing::Dna);
            }
        }
    }

    fn count(&mut self, writing: Writing) {
        match self.found.iter_mut().find(|(known, _)| *known == writing) {
            Some((_, count)) => *count += 1,
            None => self.found.push((writing, 1)),
        }
    }

    /// What was found, and in how many samples.
    pub(crate) fn found(&self) -> &[(Writing, usize)] {
        &self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(all: &[&str]) -> AnySamples {
        Texts::new(all.iter().map(ToString::to_string).collect()).unwrap().into()
    }

    #[test]
    fn sequences_are_compared_with_the_others() {
        let dna = "ACGTACGTTGCA";
        let of = |more: &[&str]| different_writing(&texts(&[&[dna; 8], more].concat()));
        assert_eq!(of(&["acgtacgtTG"]), [(Writing::LowerCase, 1)]);
        assert_eq!(of(&["ACGT--ACGTAC", "acg"]), [(Writing::Gaps, 1)]);
        assert_eq!(of(&["ACGUACGUUGCA"]), [(Writing::Rna, 1)]);
        assert_eq!(of(&["ACGTACGTTGCA*", "not a sequence"]), []);
        // Other letters, and words.
        assert_eq!(of(&["lmnlmnlmnlmn"]), []);
        assert_eq!(different_writing(&texts(&["Some words", "in lower case"])), []);
        assert_eq!(different_writing(&texts(&["www.example.com", "mail.example.com"])), []);
        let upper = |count: usize| [&["acgtacgtacgt"; 4][..], &["ACGTACGTACGT"; 4][..count]].concat();
        assert_eq!(different_writing(&texts(&upper(2))), [(Writing::UpperCase, 2)]);
        assert_eq!(different_writing(&texts(&upper(0))), []);
    }

    #[test]
    fn new_sequences_are_compared_with_training() {
        let of = |training: &str, new: &[&str]| {
            let mut watch = WritingWatch::new(&texts(&[training; 5]))?;
            watch.add(texts(new).downcast_ref().unwrap());
            Some(watch.found().to_vec())
        };
        let new = ["acgtacgtac", "ACGT-ACGTACG", "ACGUACGUACGU", "ACGTACGTAC", "word", "kvlkvlkvlkvl"];
        let all = vec![(Writing::LowerCase, 1), (Writing::Gaps, 1), (Writing::Rna, 1)];
        assert_eq!(of("ACGTACGTACGT", &new), Some(all));
        assert_eq!(of("ACGUACGUACGU", &new[..1]), Some(vec![(Writing::LowerCase, 1), (Writing::Dna, 1)]));
        assert_eq!(of("a few words", &new), None);
    }
}
