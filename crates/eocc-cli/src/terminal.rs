//! Text for people, and the only functions that print it. Names and cells come from untrusted files, and a terminal
//! executes control sequences; so all printed text is [`Visible`].

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

/// Text whose control characters are made visible; line ends stay.
pub(crate) struct Visible<'a>(pub(crate) &'a str);

/// A text on one line, as for a cell of a table: line ends are made visible, too.
pub(crate) struct OneLine<'a>(pub(crate) &'a str);

impl fmt::Display for Visible<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| shown(f, letter, letter == '\n' || letter == '\t'))
    }
}

impl fmt::Display for OneLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| shown(f, letter, false))
    }
}

fn shown(f: &mut fmt::Formatter<'_>, letter: char, stays: bool) -> fmt::Result {
    if is_command(letter) && !stays { write!(f, "{}", letter.escape_default()) } else { f.write_char(letter) }
}

/// Whether a terminal acts on this character, or reorders others because of it.
fn is_command(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Prints a line on standard error; if that is closed, the line is lost.
pub(crate) fn say(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", Visible(text));
}

/// Prints a line on standard output; a closed pipe is an error like any other, and handled as one.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut out = crate::stdout::open()?.lock();
    writeln!(out, "{}", Visible(text))?;
    out.flush()
}

/// Prints a JSON value on one line. Control characters occur only in its strings, where they can be escaped.
pub(crate) fn print_json(value: &serde_json::Value) -> io::Result<()> {
    let mut text = String::new();
    for letter in value.to_string().chars() {
        if is_command(letter) {
            let _ = write!(text, "\\u{:04x}", u32::from(letter));
        } else {
            text.push(letter);
        }
    }
    print(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_to_the_terminal_are_shown() {
        let text = "a\u{1b}[31mb\u{9b}2J\u{7}\r\n\u{202e}c\té";
        assert_eq!(Visible(text).to_string(), "a\\u{1b}[31mb\\u{9b}2J\\u{7}\\r\n\\u{202e}c\té");
        for mark in ['\u{61c}', '\u{200e}', '\u{200f}', '\u{2067}'] {
            assert_eq!(OneLine(&format!("a{mark}b")).to_string(), format!("a{}b", mark.escape_unicode()));
        }
        assert_eq!(OneLine("a\nb").to_string(), "a\\nb");
    }
}
