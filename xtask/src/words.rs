//! Words to avoid: documents, help texts, messages and comments must not use what the glossary lists.
//!
//! The lists are the tables below `## Words to avoid` in `docs/glossary.md`. The second column of a row holds phrases
//! in backquotes; what is in backquotes after `but not` is allowed even though it contains one of them. A phrase
//! matches whole words, in any case unless it has a capital letter; `…` at its end stands for any ending. The first
//! table applies to text that users read, the second also to comments.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::root;

const GLOSSARY: &str = "docs/glossary.md";
const HEADING: &str = "## Words to avoid";
const IN_COMMENTS: &str = "### Also in comments";

/// Documents that keep the wording of their date, or that are generated.
const NOT_READ: [&str; 3] = ["docs/research/", "docs/results/", "docs/api/"];

/// Crates whose messages only contributors see.
const INTERNAL: [&str; 3] = ["crates/eocc-lab/", "crates/eocc-fuzz/", "crates/eocc-oracle/"];

/// Checks all tracked documents and sources.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let glossary = fs::read_to_string(root.join(GLOSSARY)).context(GLOSSARY)?;
    let (everywhere, comments) = lists(&glossary)?;
    let mut faults = Vec::new();
    for name in tracked(&root)? {
        let Some(part) = Part::of_file(&name) else { continue };
        let Ok(text) = fs::read_to_string(root.join(&name)) else { continue };
        let words = if part == Part::Code { &comments } else { &everywhere };
        let mut found: Vec<Fault> =
            words.iter().flat_map(|word| word.faults(&part.text(&name, &text))).collect();
        if part == Part::Code {
            let messages = Text::new(&literals(&text));
            let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
            let is_shown = !is_test && !INTERNAL.iter().any(|folder| name.starts_with(folder));
            let words = everywhere.iter().filter(|_| is_shown);
            found.extend(words.flat_map(|word| word.faults(&messages)));
        }
        found.sort();
        found.dedup();
        faults
            .extend(found.iter().map(|f| format!("{name}:{}: `{}`: write {}", f.line, f.phrase, f.instead)));
    }
    if faults.is_empty() {
        eprintln!("{} phrases to avoid, and none is used", everywhere.len());
        return Ok(());
    }
    bail!("{} uses of words to avoid ({GLOSSARY}):\n  {}", faults.len(), faults.join("\n  "))
}

fn tracked(root: &Path) -> Result<Vec<String>> {
    let listed = Command::new("git").args(["ls-files", "-z"]).current_dir(root).output();
    let listed = listed.context("git could not be started")?;
    if !listed.status.success() {
        bail!("the files cannot be listed: {}", String::from_utf8_lossy(&listed.stderr).trim());
    }
    let names = String::from_utf8(listed.stdout).context("a file's name is not Unicode")?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

/// How a file is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Prose outside of code.
    Document,
    /// All of it: help texts and Python modules.
    Whole,
    /// Messages by the first list, everything by the second.
    Code,
}

impl Part {
    fn of_file(name: &str) -> Option<Self> {
        let ends = |suffix| name.ends_with(suffix);
        if NOT_READ.iter().any(|folder| name.starts_with(folder)) || name == "xtask/src/words.rs" {
            None
        } else if ends(".md") {
            Some(Self::Document)
        } else if name.starts_with("crates/eocc-cli/src/cli/")
            || name.starts_with("crates/eocc-cli/tests/snapshots/")
            || (name.starts_with("bindings/python/python/eocc/") && (ends(".py") || ends(".pyi")))
        {
            Some(Self::Whole)
        } else if ends(".rs") && (name.contains("/src/") || name.contains("/tests/")) {
            Some(Self::Code)
        } else {
            None
        }
    }

    fn text(self, name: &str, text: &str) -> Text {
        match self {
            Self::Document => {
                // The glossary may list what to avoid.
                let end = if name == GLOSSARY { text.find(HEADING) } else { None };
                Text::new(&prose(&text[..end.unwrap_or(text.len())]))
            }
            Self::Whole | Self::Code => Text::new(text),
        }
    }
}

/// A text in lower case and in its original case, with single blanks between words, and the line of each byte.
struct Text {
    cased: String,
    lower: String,
    lines: Vec<usize>,
}

impl Text {
    fn new(text: &str) -> Self {
        let mut cased = String::new();
        let mut lines = Vec::new();
        for (at, line) in text.lines().enumerate() {
            // Comments and literals continue on the next line.
            let words =
                line.trim().trim_start_matches("//!").trim_start_matches("///").trim_start_matches("//");
            for word in words.trim_end_matches('\\').split_whitespace() {
                cased.push_str(word);
                cased.push(' ');
                lines.resize(cased.len(), at + 1);
            }
            if line.trim().is_empty() {
                cased.push('\n');
                lines.push(at + 1);
            }
        }
        // Equal lengths: only ASCII changes.
        let lower = cased.to_ascii_lowercase();
        Self { cased, lower, lines }
    }
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fault {
    line: usize,
    phrase: String,
    instead: String,
}

/// A phrase to avoid.
#[derive(Debug, Clone, PartialEq)]
struct Word {
    phrase: String,
    is_prefix: bool,
    is_cased: bool,
    allowed: Vec<String>,
    instead: String,
}

impl Word {
    fn faults(&self, text: &Text) -> Vec<Fault> {
        let searched = if self.is_cased { &text.cased } else { &text.lower };
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let starts = searched.match_indices(&self.phrase).map(|(at, _)| at);
        starts
            .filter(|&at| {
                let (before, after) = (&searched[..at], &searched[at + self.phrase.len()..]);
                !before.ends_with(is_part)
                    && (self.is_prefix || !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
                    && !self
                        .allowed
                        .iter()
                        .any(|allowed| is_within(&text.lower, allowed, at, self.phrase.len()))
            })
            .map(|at| Fault {
                line: text.lines[at],
                phrase: self.phrase.clone(),
                instead: self.instead.clone(),
            })
            .collect()
    }
}

/// Whether the text at this position is part of an allowed phrase.
fn is_within(text: &str, allowed: &str, at: usize, length: usize) -> bool {
    let mut first = at.saturating_sub(allowed.len());
    while !text.is_char_boundary(first) {
        first -= 1;
    }
    text[first..]
        .match_indices(allowed)
        .map(|(found, _)| first + found)
        .take_while(|found| *found <= at)
        .any(|found| found + allowed.len() >= at + length)
}

/// The phrases for text that users read, and those for comments as well.
fn lists(glossary: &str) -> Result<(Vec<Word>, Vec<Word>)> {
    let (_, section) = glossary.split_once(HEADING).with_context(|| format!("no heading `{HEADING}`"))?;
    let section = section.split("\n## ").next().unwrap_or_default();
    let (first, second) =
        section.split_once(IN_COMMENTS).with_context(|| format!("no heading `{IN_COMMENTS}`"))?;
    let comments = words(second);
    let mut everywhere = words(first);
    everywhere.extend(comments.iter().cloned());
    if everywhere.len() == comments.len() || comments.is_empty() {
        bail!("{GLOSSARY} lists no words to avoid");
    }
    Ok((everywhere, comments))
}

fn words(section: &str) -> Vec<Word> {
    let mut found = Vec::new();
    for row in section.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let &[instead, not] = cells.as_slice() else { continue };
        let (avoided, allowed) = not.split_once("but not").unwrap_or((not, ""));
        let allowed: Vec<String> = quoted(allowed).map(str::to_lowercase).collect();
        for phrase in quoted(avoided) {
            let (phrase, is_prefix) = phrase.strip_suffix('…').map_or((phrase, false), |start| (start, true));
            found.push(Word {
                is_cased: phrase.chars().any(char::is_uppercase),
                phrase: phrase.to_owned(),
                is_prefix,
                allowed: allowed.clone(),
                instead: instead.to_owned(),
            });
        }
    }
    found
}

/// What is between backquotes.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// A document without code; line numbers are preserved.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut is_fenced = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        is_fenced ^= is_fence;
        if !is_fenced && !is_fence {
            let parts: Vec<&str> = line.split('`').step_by(2).collect();
            out.push_str(&parts.join("_"));
        } else {
            // So that no phrase spans it.
            out.push('_');
        }
        out.push('\n');
    }
    out
}

/// The string literals of a source that contain a blank, before its tests; line numbers are preserved.
fn literals(source: &str) -> String {
    let mut out = String::new();
    let mut rest = source.split("#[cfg(test)]").next().unwrap_or_default();
    while let Some(at) = rest.find(['"', '\'', '/']) {
        let (before, from) = rest.split_at(at);
        out.extend(before.chars().filter(|c| *c == '\n'));
        let end = match from.as_bytes() {
            [b'"', ..] => {
                let is_raw = before.ends_with('#');
                let end = if is_raw {
                    from.find("\"#").map_or(from.len(), |end| end + 1)
                } else {
                    literal_end(from)
                };
                let text = from[1..end].trim_end_matches('"');
                if text.contains(' ') {
                    // Each literal is its own sentence.
                    out.push_str("_ ");
                    out.push_str(&text.replace("\\n", "  ").replace("\\\"", "_"));
                    out.push_str(" _");
                }
                out.extend(text.chars().filter(|c| *c == '\n' && !text.contains(' ')));
                end
            }
            [b'/', b'/', ..] => from.find('\n').unwrap_or(from.len()),
            // A character, not a lifetime.
            [b'\'', b'\\', ..] => {
                from[2..].find('\'').map_or(from.len(), |end| end + 3).max(4).min(from.len())
            }
            [b'\'', b'"', b'\'', ..] => 3,
            _ => 1,
        };
        rest = &from[end..];
    }
    out
}

/// Where a literal that starts here ends.
fn literal_end(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
## Words to avoid

| write | not |
|---|---|
| is not a | `is no` but not `is no longer` |
| detected | `found out` |
| ties are broken by index | `Of equal` |

### Also in comments

| write | not |
|---|---|
| neighbor | `neighbour…` |

## Next

| a | `b` |
";

    fn found(words: &[Word], text: &str) -> Vec<(usize, String)> {
        let text = Text::new(text);
        words.iter().flat_map(|word| word.faults(&text)).map(|f| (f.line, f.phrase)).collect()
    }

    #[test]
    fn planted_words_are_found_where_they_are() {
        let (all, comments) = lists(LIST).unwrap();
        assert_eq!((all.len(), comments.len()), (4, 1));
        let text = prose(
            "It is\nno table. `found out`\n\n```\nis no\n```\nIt is no longer found\n  out, the Neighbours; of equal size.\n",
        );
        let expected = [(1, "is no"), (7, "found out"), (8, "neighbour")];
        assert_eq!(found(&all, &text), expected.map(|(line, phrase)| (line, phrase.to_owned())));
        assert_eq!(found(&comments, &text), [(8, "neighbour".to_owned())]);
        assert_eq!(found(&all, "Of equal distances").len(), 1);
        assert_eq!(found(&all, "k-neighbours, unfound out-of-date, this is not").len(), 0);
    }

    #[test]
    fn literals_are_read_and_comments_are_not() {
        let source = "// \"is no\" here\nlet a = \"x\"; let c = '\"';\nlet b = \"it \\\"is\\\" no \\\n  table is \\\n  no good\";\n\
                      fn f<'a>(x: &'a str) { g(\"found out\") }\n#[cfg(test)]\nmod tests { const A: &str = \"it is no\"; }";
        let (all, _) = lists(LIST).unwrap();
        assert_eq!(found(&all, &literals(source)), [(4, "is no".to_owned()), (6, "found out".to_owned())]);
    }

    #[test]
    fn a_glossary_without_a_list_is_a_fault() {
        assert!(lists("# Glossary\n").is_err());
        assert!(lists("## Words to avoid\n### Also in comments\n").is_err());
    }
}
