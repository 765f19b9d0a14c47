//! The small part of Python's literals used in the header of an NPY file.

/// A value in the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Literal {
    Text(String),
    Boolean(bool),
    Tuple(Vec<u64>),
    /// A list; its content does not matter, since it describes an unsupported type.
    List,
}

/// Reads a dictionary with text keys, strictly: nothing is evaluated, and only blanks may follow.
pub(super) fn dictionary(text: &str) -> Result<Vec<(String, Literal)>, String> {
    let mut scanner = Scanner { rest: text };
    let mut entries = Vec::new();
    scanner.expect('{')?;
    while !scanner.take('}') {
        let key = scanner.text()?;
        scanner.expect(':')?;
        entries.push((key, scanner.literal()?));
        if !scanner.take(',') {
            scanner.expect('}')?;
            break;
        }
    }
    scanner.skip_blanks();
    if scanner.rest.is_empty() { Ok(entries) } else { Err(scanner.unexpected("nothing")) }
}

struct Scanner<'a> {
    rest: &'a str,
}

impl Scanner<'_> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n']);
    }

    fn take(&mut self, letter: char) -> bool {
        self.skip_blanks();
        let Some(rest) = self.rest.strip_prefix(letter) else {
            return false;
        };
        self.rest = rest;
        true
    }

    fn expect(&mut self, letter: char) -> Result<(), String> {
        if self.take(letter) { Ok(()) } else { Err(self.unexpected(&format!("'{letter}'"))) }
    }

    fn unexpected(&self, wanted: &str) -> String {
        let found: String = self.rest.chars().take(12).collect();
        format!("the header has {} where {wanted} is expected", crate::shown::shown(&found))
    }

    fn text(&mut self) -> Result<String, String> {
        let quote = if self.take('\'') {
            '\''
        } else if self.take('"') {
            '"'
        } else {
            return Err(self.unexpected("a quote"));
        };
        match self.rest.split_once(quote) {
            Some((text, rest)) if !text.contains('\\') => {
                self.rest = rest;
                Ok(text.to_owned())
            }
            _ => Err(self.unexpected("a text with its closing quote")),
        }
    }

    fn literal(&mut self) -> Result<Literal, String> {
        self.skip_blanks();
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(Literal::Boolean(value));
            }
        }
        match self.rest.chars().next() {
            Some('(') => self.tuple(),
            Some('[') => self.list(),
            _ => self.text().map(Literal::Text),
        }
    }

    fn tuple(&mut self) -> Result<Literal, String> {
        self.expect('(')?;
        let mut numbers = Vec::new();
        while !self.take(')') {
            self.skip_blanks();
            let digits = self.rest.len() - self.rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let (number, rest) = self.rest.split_at(digits);
            if number.is_empty() {
                return Err(self.unexpected("a whole number"));
            }
            numbers.push(
                number.parse().map_err(|_| format!("the header's shape has {number}, which is too large"))?,
            );
            // Python 2 wrote long integers with this suffix.
            self.rest = rest.strip_prefix('L').unwrap_or(rest);
            if !self.take(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(Literal::Tuple(numbers))
    }

    fn list(&mut self) -> Result<Literal, String> {
        let mut depth = 0_usize;
        for (at, letter) in self.rest.char_indices() {
            match letter {
                '[' => depth += 1,
                ']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = &self.rest[at + 1..];
                return Ok(Literal::List);
            }
        }
        Err(self.unexpected("a list with its closing bracket"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read() {
        let entries =
            dictionary("{'descr': '<f8', \"shape\": (3L, 4), 'e': (), 'b':True, 'l': [('a', '<f8')], }  \n")
                .unwrap();
        let values: Vec<Literal> = entries.into_iter().map(|(_, value)| value).collect();
        let expected = [
            Literal::Text("<f8".into()),
            Literal::Tuple(vec![3, 4]),
            Literal::Tuple(vec![]),
            Literal::Boolean(true),
            Literal::List,
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "{",
            "{'a'}",
            "{'a': 1}",
            "{'a': (1,2}",
            "{'a': (-1,)}",
            "{'a': __import__('os')}",
            "{'a': True} x",
            "{'a': 'b",
            "{'a': [}",
            "{'a': (1 2)}",
            "{'a': (99999999999999999999,)}",
            "{'a': True 'b': True}",
        ] {
            assert!(dictionary(text).is_err(), "{text}");
        }
    }
}
