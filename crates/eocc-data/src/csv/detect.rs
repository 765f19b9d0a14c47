//! Guesses about delimited text: the delimiter, and whether there is a header.

use super::Dialect;
use super::lex::{Lexer, Room};
use crate::cell::{self, is_missing};
use crate::notation::Notation;
use crate::read::ReadOptions;

/// How many lines and rows a guess uses.
const SAMPLE: usize = 50;
/// How much of a text a guess uses, in bytes. Lines may be of any length, and a part of a line takes many bytes per
/// byte of text.
const LOOK: usize = 1 << 21;

/// The first lines of a text, as many as a guess uses; if the first is too long, the parts at its start.
fn start(text: &str) -> &str {
    if text.len() <= LOOK {
        return text;
    }
    let start = &text.as_bytes()[..LOOK];
    let last = |marks: &[u8]| start.iter().rposition(|byte| marks.contains(byte));
    let end = last(b"\n\r").map(|at| at + 1).or_else(|| last(b",;\t| ")).unwrap_or(LOOK);
    let end = (0..=end).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

/// The delimiter of a text.
///
/// A candidate is *even* if it splits all of the first lines into the same number of parts, more than one; quoted
/// text does not count. The even candidate with the most parts wins; on a tie, the first of tab, comma, semicolon,
/// bar. But the comma loses if it is the decimal comma of parts that are all numbers, and is not a candidate if the
/// given notation has commas and nothing is quoted. If none is even, the most frequent one wins, so that the uneven
/// line is reported; if none occurs, runs of blanks delimit, provided they are even and each line but the first has a
/// number. Otherwise there is only one column.
pub(super) fn delimiter(text: &str, comment: Option<u8>, notation: Option<Notation>) -> u8 {
    let text = start(text);
    let lines = sample(text, comment);
    let looks_numeric = |part: &str| cell::looks_numeric(part, notation);
    let is_quoted = lines.iter().any(|line| line.contains('"'));
    let may_delimit = |mark: u8| match notation {
        Some(notation) if mark == b',' => is_quoted || !notation.has_commas(),
        Some(notation) if mark == b' ' => !notation.has_blanks(),
        _ => true,
    };
    let parts = |delimiter: u8| lines.iter().map(move |line| split(line, delimiter).len());
    let even = |delimiter: u8| {
        let mut parts = parts(delimiter);
        let first = parts.next().unwrap_or(0);
        (first > 1 && parts.all(|count| count == first)).then_some(first)
    };
    let numeric = |delimiter: u8| {
        lines
            .iter()
            .skip(1)
            .all(|line| split(line, delimiter).iter().all(|part| is_missing(part) || looks_numeric(part)))
    };
    // The last of equal maxima wins, hence the order.
    let best = [b'|', b';', b',', b'\t']
        .into_iter()
        .filter(|candidate| may_delimit(*candidate) && even(*candidate).is_some())
        .max_by_key(|c| even(*c));
    if let Some(found) = best {
        // A decimal comma in every cell yields more parts than the delimiter.
        return [b'\t', b';', b'|']
            .into_iter()
            .find(|other| found == b',' && even(*other).is_some() && numeric(*other))
            .unwrap_or(found);
    }
    let frequent = [b'|', b';', b'\t', b',']
        .into_iter()
        .filter(|candidate| may_delimit(*candidate))
        .map(|candidate| (parts(candidate).map(|count| count - 1).sum::<usize>(), candidate))
        .max_by_key(|(count, _)| *count);
    match frequent {
        Some((1.., candidate)) => candidate,
        _ if may_delimit(b' ') && blanks_delimit(&lines, notation) => b' ',
        // One that does not occur, so that numbers with commas stay whole.
        _ if !may_delimit(b',') => b';',
        _ => b',',
    }
}

/// Whether a text is a table rather than independent lines.
///
/// It is one if most parts between the delimiters are numbers, even if lines differ in length, which is then an
/// error; or if tabs, semicolons or bars split all lines evenly; or commas, none of which is followed by a blank as
/// in a sentence.
pub(crate) fn is_table(text: &str, options: &ReadOptions) -> bool {
    let text = start(text);
    let delimiter = delimiter(text, options.comment, options.notation);
    let lines = sample(text, options.comment);
    let looks_numeric = |part: &str| cell::looks_numeric(part, options.notation);
    // The first line may be a header.
    let below = if lines.len() > 1 { &lines[1..] } else { &lines[..] };
    let parts: Vec<&str> = below
        .iter()
        .flat_map(|line| split(line, delimiter))
        .filter(|part| delimiter != b' ' || !part.is_empty())
        .collect();
    let numbers = parts.iter().filter(|part| looks_numeric(part)).count();
    if numbers * 2 > parts.len() || (numbers * 2 == parts.len() && delimiter != b' ') {
        return true;
    }
    let width = lines.first().map_or(0, |line| split(line, delimiter).len());
    let is_even = width > 1 && lines.iter().all(|line| split(line, delimiter).len() == width);
    let is_prose =
        || lines.iter().any(|line| split(line, b',').iter().skip(1).any(|part| part.starts_with(' ')));
    match delimiter {
        b'\t' | b';' | b'|' => is_even,
        b',' => is_even && !is_prose(),
        _ => false,
    }
}

fn blanks_delimit(lines: &[&str], notation: Option<Notation>) -> bool {
    let mut counts = lines.iter().map(|line| line.split_whitespace().count());
    let first = counts.next().unwrap_or(0);
    let has_number = |line: &&str| line.split_whitespace().any(|part| cell::looks_numeric(part, notation));
    let after_header = if lines.len() > 1 { &lines[1..] } else { lines };
    first > 1 && counts.all(|count| count == first) && after_header.iter().all(has_number)
}

/// Scans a text and tracks what is quoted.
///
/// The delimiter is not known yet, so a quote counts as opening after any of them, or after the quote that it
/// doubles, but not within a word, where it is just a letter, as in `5" pipe`.
#[derive(Default)]
struct Quotes {
    inside: bool,
    last: Option<u8>,
}

impl Quotes {
    /// Takes the next byte and returns whether it is quoted.
    fn holds(&mut self, byte: u8) -> bool {
        if byte == b'"' {
            let opens = self.last.is_none_or(|last| b",;\t| \r\n\"".contains(&last));
            self.inside = !self.inside && opens;
        }
        self.last = Some(byte);
        self.inside
    }
}

/// The first lines that are neither blank nor comments; a quoted line end does not end a line.
fn sample(text: &str, comment: Option<u8>) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut quotes = Quotes::default();
    for (at, byte) in text.bytes().enumerate().chain([(text.len(), b'\n')]) {
        // A quote in a comment opens nothing.
        let is_comment = comment.is_some() && text.as_bytes().get(start).copied() == comment;
        if is_comment && !matches!(byte, b'\n' | b'\r') {
            continue;
        }
        let quoted = quotes.holds(byte);
        match byte {
            b'\n' | b'\r' if !quoted || at == text.len() => {
                if !is_comment && !text[start..at].trim().is_empty() {
                    lines.push(&text[start..at]);
                }
                start = (at + 1).min(text.len());
            }
            _ => {}
        }
        if lines.len() == SAMPLE {
            break;
        }
    }
    lines
}

/// The parts of a line between unquoted delimiters.
fn split(line: &str, delimiter: u8) -> Vec<&str> {
    let mut quotes = Quotes::default();
    line.split(|letter: char| {
        // A character outside ASCII is neither quote nor delimiter.
        let byte = u8::try_from(letter).unwrap_or(b'x');
        !quotes.holds(byte) && byte == delimiter
    })
    .collect()
}

/// Whether the first row holds names; the rule is in the documentation of `ReadOptions::header`.
pub(super) fn header(text: &str, dialect: Dialect) -> bool {
    let looks_numeric = |cell: &str| cell::looks_numeric(cell, dialect.notation);
    let (text, mut lexer) = (start(text).as_bytes(), Lexer::new(dialect, 0));
    let mut rows: Vec<Vec<String>> = Vec::new();
    while rows.len() <= SAMPLE
        && let Ok(Some(record)) = lexer.next(text, true, Room::UNLIMITED)
    {
        rows.extend(lexer.cells(text, record).map(|cells| cells.map(str::to_owned).collect()));
    }
    let Some((first, below)) = rows.split_first() else {
        return false;
    };
    let is_text = |cell: &str| !is_missing(cell) && !looks_numeric(cell);
    let goes_on_with_number = |column: usize| {
        below
            .iter()
            .filter_map(|row| row.get(column))
            .find(|cell| !is_missing(cell))
            .is_some_and(|cell| looks_numeric(cell))
    };
    if first.iter().enumerate().any(|(column, cell)| is_text(cell) && goes_on_with_number(column)) {
        return true;
    }
    if !below.is_empty() && (is_frame(first) || are_numbered(first, below) || are_years(first, below)) {
        return true;
    }
    let comes_again = |column: usize, cell: &str| {
        below.iter().any(|row| row.get(column).is_some_and(|other| other == cell))
    };
    // Programs that number rows leave the name of that column empty.
    let is_index = |column: usize, cell: &str| {
        column == 0
            && first.len() > 1
            && cell.trim().is_empty()
            && !below.is_empty()
            && below.iter().all(|row| row.first().is_some_and(|own| !own.trim().is_empty()))
    };
    let is_name = |column: usize, cell: &str| is_text(cell) && !comes_again(column, cell);
    let mut names: Vec<&str> = first.iter().map(|name| name.trim()).collect();
    names.sort_unstable();
    names.windows(2).all(|pair| pair[0] != pair[1])
        && first.iter().enumerate().all(|(column, cell)| is_name(column, cell) || is_index(column, cell))
}

/// Whether this is how pandas writes the header of a table without names: an empty cell, then 0, 1, 2, ….
fn is_frame(first: &[String]) -> bool {
    first.len() > 1
        && first[0].is_empty()
        && first.iter().skip(1).enumerate().all(|(number, cell)| *cell == number.to_string())
}

/// Whether the first row counts 0, 1, 2, … or 1, 2, 3, … over columns at least one of which has fractional numbers:
/// the names of an array's columns.
fn are_numbered(first: &[String], below: &[Vec<String>]) -> bool {
    let counts_from =
        |start: usize| first.iter().enumerate().all(|(at, cell)| cell.trim() == (start + at).to_string());
    let is_fraction = |cell: &str| cell.trim().parse::<f64>().is_ok_and(|value| value.fract().abs() > 0.0);
    first.len() > 2
        && (counts_from(0) || counts_from(1))
        && below.iter().filter(|row| row.iter().any(|cell| is_fraction(cell))).count() * 2 > below.len()
}

/// Years that occur as names of columns.
const YEARS: std::ops::RangeInclusive<i64> = 1800..=2199;

/// Whether the first row counts years, in equal steps up or down and perhaps after some names, over columns with
/// other content: at most one number in ten below is itself a year.
fn are_years(first: &[String], below: &[Vec<String>]) -> bool {
    let year = |cell: &str| cell.trim().parse::<i64>().ok().filter(|year| YEARS.contains(year));
    let skipped = first.iter().take_while(|cell| cell.trim().parse::<f64>().is_err()).count();
    let Some(years) = first.iter().skip(skipped).map(|cell| year(cell)).collect::<Option<Vec<i64>>>() else {
        return false;
    };
    let step = match years[..] {
        [one, two, ..] => two - one,
        _ => return false,
    };
    let cells = || below.iter().flat_map(|row| row.iter().skip(skipped)).filter(|cell| !is_missing(cell));
    step != 0
        && years.windows(2).all(|pair| pair[1] - pair[0] == step)
        && cells().filter(|cell| year(cell).is_some()).count() * 10 <= cells().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_found() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("1,5;2,5;3,5\n4,5;5,5;6,5\n", b';'),
            ("1,5|2,5\n4,5|5,5\n", b'|'),
            ("a\tb\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("sp|P1|X,1,2\nsp|P2|Y,3,4\n", b','),
            ("\"a;b\",c\n\"d;e\",1\n", b','),
            ("\"x;y\nz;w\",c\n\"d;e\",1\n", b','),
            ("size;kind\n5\" pipe;a,b\n6;c\n", b';'),
            ("\"a\"\"b;c\",1\n\"d\",2\n", b','),
            ("a b  c\n1  2 3\n", b' '),
            ("1 2\n3 4", b' '),
            ("hello world\ngood bye\n", b','),
            ("1,2\n3\n", b','),
            ("a\n1\n", b','),
        ] {
            assert_eq!(char::from(delimiter(text, None, None)), char::from(expected), "{text:?}");
        }
    }

    #[test]
    fn numbers_with_commas_are_not_cut() {
        let notation = |decimal, thousands| Some(Notation::new(Some(decimal), thousands).unwrap());
        for (text, notation, expected) in [
            ("a\n1,5\n2,5\n", notation(',', None), b';'),
            ("1,5\n2,5\n", notation(',', None), b';'),
            ("1,5 2,5\n3,5 4,5\n", notation(',', None), b' '),
            ("\"1,5\",\"2,5\"\n\"3,5\",\"4,5\"\n", notation(',', None), b','),
            ("1.000,5;2\n2,5;3\n", notation(',', Some('.')), b';'),
            ("1 000;2\n2 000;3\n", notation('.', Some(' ')), b';'),
            ("1 000\n2 000\n", notation('.', Some(' ')), b','),
            ("1 000,5\n2 000,5\n", notation(',', Some(' ')), b';'),
        ] {
            assert_eq!(char::from(delimiter(text, None, notation)), char::from(expected), "{text:?}");
        }
        assert_eq!(delimiter("# a;b \" c;d\na,b\n#x;y\n1,2\n", Some(b'#'), None), b',');
    }

    #[test]
    fn headers_are_found() {
        let header =
            |text: &str, delimiter: u8| header(text, Dialect { delimiter, comment: None, notation: None });
        for (text, expected) in [
            ("a,b\n1,2\n", true),
            ("1,2\n3,4\n", false),
            ("1,2,yes\n3,4,no\n", false),
            ("a,b,label\n,2,yes\n1,2,no\n", true),
            ("name,kind\nann,x\nbob,y\n", true),
            ("ann,x\nbob,y\nann,z\n", false),
            ("a,a\nb,c\n", false),
            ("a,b\n", true),
            ("NA,1\n2,3\n", false),
            (",0,1\n0,5,6\n", true),
            (",a,b\n0,5,6\n", true),
            (",a,b\n1,x,y\n2,z,y\n", true),
            (",a,b\n1,x,y\n,z,y\n", false),
            ("2019,2020\n1.5,3\n2,4\n", true),
            (",2021,2020\nann,3,7\nbob,2,4\n", true),
            ("2019,2020\n2021,2022\n", false),
            ("2019,2017\n12,30\n", true),
            ("2019,2020,2050\n12,30,1\n", false),
            ("1850,12\n3,4\n", false),
            ("2019\n3\n", false),
        ] {
            assert_eq!(header(text, b','), expected, "{text:?}");
        }
        assert!(!header("1,5;2,5\n3,5;4,5\n", b';'));
    }
    #[test]
    fn tables_and_lines_are_distinguished() {
        for (text, expected) in [
            ("a,b\n1,2\n", true),
            ("1\n2\n3\n", true),
            ("1 2\n3 4\n", true),
            ("1,2\n3\n", true),
            ("name\tkind\nann\tx\n", true),
            ("name,kind\nann,x\n", true),
            ("ann,3\nbob,4\n", true),
            ("hello, world\ngood, bye\n", false),
            ("one\ntwo, three\nfour\n", false),
            ("kitten\nsitting\n", false),
            ("item 1\nitem 2\nitem 3\n", false),
            ("CC(=O)O\nc1ccccc1\n", false),
            ("kitten", false),
        ] {
            assert_eq!(is_table(text, &ReadOptions::default()), expected, "{text:?}");
        }
    }
}
