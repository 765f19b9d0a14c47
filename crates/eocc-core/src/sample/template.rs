//! Messages without their variable parts.

/// The shortest word of the letters a to f that counts as a hexadecimal number.
const MIN_HEX: usize = 8;

/// A message with numbers, addresses and hexadecimal words replaced by `#`, so that messages that differ only in
/// these become equal: a log line becomes the template that produced it.
///
/// Any word with a digit is such a part, and so are eight or more letters from a to f; parts separated only by
/// punctuation are merged, as in an address or a time.
///
/// ```
/// use eocc_core::sample::template;
///
/// assert_eq!(template("Failed password for root from 10.0.0.7 port 4711"), "Failed password for root from # port #");
/// assert_eq!(template("blk_-1608999687919862906 at 0x7ffe, 12:30:05"), "# at #, #");
/// ```
pub fn template(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    // Punctuation since the last variable part, if nothing else followed.
    let mut between: Option<String> = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        rest = after;
        match &mut between {
            Some(marks) if !is_word && !part.contains(char::is_whitespace) => marks.push_str(part),
            Some(_) if is_word && is_variable(part) => between = Some(String::new()),
            before => {
                masked.push_str(&before.take().unwrap_or_default());
                if is_word && is_variable(part) {
                    // Whatever is joined to it by an underscore belongs to it.
                    while masked.ends_with('_')
                        || (masked.ends_with('-') && masked[..masked.len() - 1].ends_with('_'))
                    {
                        let start =
                            masked.trim_end_matches(['_', '-']).trim_end_matches(char::is_alphanumeric).len();
                        masked.truncate(start);
                    }
                    masked.push('#');
                    *before = Some(String::new());
                } else {
                    masked.push_str(part);
                }
            }
        }
    }
    masked.push_str(&between.unwrap_or_default());
    masked
}

fn is_variable(word: &str) -> bool {
    let is_hex = word.len() >= MIN_HEX && word.bytes().all(|b| b.is_ascii_hexdigit());
    is_hex || word.contains(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_addresses_and_hexadecimal_words_are_masked() {
        for (text, expected) in [
            ("", ""),
            ("no variable part.", "no variable part."),
            ("session opened for user root by (uid=0)", "session opened for user root by (uid=#)"),
            ("from 221.230.128.214, port 22.", "from #, port #."),
            ("took 3.5 ms, 12 of 30", "took # ms, # of #"),
            ("object deadbeef is bad", "object # is bad"),
            ("facade is a word", "facade is a word"),
            ("12:30:05.123 start", "# start"),
            ("größe 5 äöü", "größe # äöü"),
        ] {
            assert_eq!(template(text), expected, "{text}");
        }
        // A template is its own template.
        let once = template("a 1.2.3.4 b_77 0xff (5)");
        assert_eq!(template(&once), once);
    }
}
