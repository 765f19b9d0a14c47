//! Where records end in text that comes bit by bit.

/// How the text is cut into records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Every line is one.
    Lines,
    /// Lines with delimiters; what is in quotes may go over several.
    Quoted {
        /// The delimiter, after which a quote opens.
        delimiter: u8,
        /// What starts a line that is no record.
        comment: Option<u8>,
    },
    /// From one line that starts with `>` to the next.
    Fasta,
}

/// A record: where it starts and ends in the text, its end of line included, and its line, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) line: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Where a quote opens.
    Start,
    Plain,
    Quoted,
    /// After a quote within quotes, which closes them unless another follows.
    Closing,
}

/// Finds records as the text grows.
#[derive(Debug)]
pub(super) struct Scanner {
    rule: Rule,
    state: State,
    /// How much has been looked at.
    at: usize,
    /// Where the record that is not complete starts, and its line.
    start: usize,
    start_line: usize,
    line: usize,
    is_comment: bool,
}

impl Scanner {
    pub(super) fn new(rule: Rule) -> Self {
        Self { rule, state: State::Start, at: 0, start: 0, start_line: 0, line: 0, is_comment: false }
    }

    /// The records that are complete in `text`, which starts with all that was shown before. Blank ones and comments are
    /// not counted, but lie between the others.
    pub(super) fn complete(&mut self, text: &[u8], found: &mut Vec<Record>) {
        while let Some(&byte) = text.get(self.at) {
            self.step(byte, text, found);
            self.at += 1;
        }
    }

    fn step(&mut self, byte: u8, text: &[u8], found: &mut Vec<Record>) {
        if let Rule::Quoted { delimiter, comment } = self.rule {
            let is_first = self.at == self.start;
            self.is_comment = (is_first && comment == Some(byte)) || (self.is_comment && !is_first);
            self.state = match (self.state, byte) {
                _ if self.is_comment => State::Plain,
                (State::Quoted, b'"') => State::Closing,
                (State::Start | State::Closing, b'"') | (State::Quoted, _) => State::Quoted,
                (_, byte) if byte == delimiter => State::Start,
                _ => State::Plain,
            };
        }
        if self.rule == Rule::Fasta {
            self.line += usize::from(byte == b'\n');
            // A record is known to be complete when the next one starts.
            if byte == b'>' && self.at > self.start && text[self.at - 1] == b'\n' {
                self.finish(self.at, text, found);
            }
        } else if byte == b'\n' {
            self.line += 1;
            if self.state != State::Quoted {
                self.finish(self.at + 1, text, found);
            }
        }
    }

    /// The last record, where nothing follows.
    pub(super) fn last(&mut self, text: &[u8], found: &mut Vec<Record>) {
        if self.start < text.len() {
            self.line += 1;
            self.finish(text.len(), text, found);
        }
    }

    fn finish(&mut self, end: usize, text: &[u8], found: &mut Vec<Record>) {
        let lines = text[self.start..end].split(|byte| *byte == b'\n');
        let is_blank = |line: &[u8]| {
            let line = line.trim_ascii();
            line.is_empty() || (self.rule == Rule::Fasta && line[0] == b';')
        };
        if !lines.into_iter().all(is_blank) && !self.is_comment {
            found.push(Record { start: self.start, end, line: self.start_line });
        }
        (self.start, self.start_line) = (end, self.line);
        (self.state, self.is_comment) = (State::Start, false);
    }

    /// The line, from 0, of a record whose quote is open though nothing follows.
    pub(super) fn open_quote(&self) -> Option<usize> {
        (self.state == State::Quoted && self.line > self.start_line).then_some(self.start_line)
    }

    /// Lines seen so far.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// Where the record starts that is not complete yet.
    pub(super) fn pending(&self) -> usize {
        self.start
    }

    /// Forgets this much of the text, which must have been complete.
    pub(super) fn forget(&mut self, length: usize) {
        self.at -= length;
        self.start -= length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Rule = Rule::Quoted { delimiter: b',', comment: Some(b'#') };

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
        let csv = "a,b\n\n# \"no\n1,\"x\ny\"\n2,5\" pipe\n3,\"a\"\"\n\"\n 4,5";
        let lines = "a\n\n \"b\nc";
        let fasta = ">p one\nAC\n\nDE\n>q\n\n;note\nFG\n";
        for step in 1..=csv.len() {
            let found = cut(CSV, csv, step);
            let expected =
                [("a,b", 0), ("1,\"x\ny\"", 3), ("2,5\" pipe", 5), ("3,\"a\"\"\n\"", 6), (" 4,5", 8)];
            assert_eq!(found, expected.map(|(text, line)| (text.to_owned(), line)), "{step}");
            let found = cut(Rule::Lines, lines, step);
            assert_eq!(found, [("a", 0), (" \"b", 2), ("c", 3)].map(|(t, l)| (t.to_owned(), l)), "{step}");
            let found = cut(Rule::Fasta, fasta, step);
            let expected = [(">p one\nAC\n\nDE", 0), (">q\n\n;note\nFG", 4)];
            assert_eq!(found, expected.map(|(t, l)| (t.to_owned(), l)), "{step}");
        }
    }
}
