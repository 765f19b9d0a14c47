//! Finds the ends of records in text that arrives incrementally, except for CSV, which is lexed.

use crate::csv::Record;

/// How the text is cut into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every line is a record.
    Lines {
        /// The prefix of a line that is not a record.
        comment: Option<u8>,
    },
    /// From one line that starts with `>` to the next.
    Fasta,
}

/// Finds records as the text grows.
#[derive(Debug)]
pub(super) struct Scanner {
    rule: Rule,
    /// How much has been scanned.
    at: usize,
    /// Where the incomplete record starts, and its line.
    start: usize,
    start_line: usize,
    line: usize,
}

impl Scanner {
    pub(super) fn new(rule: Rule) -> Self {
        Self { rule, at: 0, start: 0, start_line: 1, line: 1 }
    }

    /// The complete records in `text`, which starts with everything passed before. Blank records and comments are
    /// skipped.
    pub(super) fn complete(&mut self, text: &[u8], found: &mut Vec<Record>) {
        while let Some(&byte) = text.get(self.at) {
            self.line += usize::from(byte == b'\n');
            let is_end = match self.rule {
                Rule::Lines { .. } if byte == b'\n' => Some(self.at + 1),
                // A record is known to be complete when the next one starts.
                Rule::Fasta if byte == b'>' && self.at > self.start && text[self.at - 1] == b'\n' => {
                    Some(self.at)
                }
                _ => None,
            };
            if let Some(end) = is_end {
                self.finish(end, text, found);
            }
            self.at += 1;
        }
    }

    /// The last record, which nothing follows.
    pub(super) fn last(&mut self, text: &[u8], found: &mut Vec<Record>) {
        if self.start < text.len() {
            self.finish(text.len(), text, found);
        }
    }

    fn finish(&mut self, end: usize, text: &[u8], found: &mut Vec<Record>) {
        let lines = text[self.start..end].split(|byte| *byte == b'\n');
        let is_nothing = |line: &[u8]| match self.rule {
            Rule::Lines { comment } => {
                line.trim_ascii().is_empty() || (comment.is_some() && line.first().copied() == comment)
            }
            Rule::Fasta => line.trim_ascii().first().is_none_or(|first| *first == b';'),
        };
        if !lines.into_iter().all(is_nothing) {
            found.push(Record { start: self.start, end, line: self.start_line });
        }
        (self.start, self.start_line) = (end, self.line);
    }

    /// The current line, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Where the incomplete record starts.
    pub(super) fn pending(&self) -> usize {
        self.start
    }

    /// Drops this much of the text, which must be complete.
    pub(super) fn forget(&mut self, length: usize) {
        self.at -= length;
        self.start -= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(rule: Rule, text: &str, step: usize) -> Vec<(String, usize)> {
        let mut scanner = Scanner::new(rule);
        let (mut seen, mut found) = (Vec::new(), Vec::new());
        for piece in text.as_bytes().chunks(step) {
            seen.extend_from_slice(piece);
            scanner.complete(&seen, &mut found);
        }
        scanner.last(&seen, &mut found);
        found.iter().map(|r| (text[r.start..r.end].trim_end().to_owned(), r.line)).collect()
    }

    #[test]
    fn records_do_not_depend_on_how_the_text_comes() {
        let lines = "a\n\n#no\n \"b\nc";
        let fasta = ">p one\nAC\n\nDE\n>q\n\n;note\nFG\n";
        for step in 1..=fasta.len() {
            let found = cut(Rule::Lines { comment: Some(b'#') }, lines, step);
            assert_eq!(found, [("a", 1), (" \"b", 4), ("c", 5)].map(|(t, l)| (t.to_owned(), l)), "{step}");
            let found = cut(Rule::Fasta, fasta, step);
            let expected = [(">p one\nAC\n\nDE", 1), (">q\n\n;note\nFG", 5)];
            assert_eq!(found, expected.map(|(t, l)| (t.to_owned(), l)), "{step}");
        }
    }
}
