//! Words to avoid: documents, help texts, messages and comments must not use what `xtask/words-to-avoid.md` lists.
//!
//! The lists are the tables below `## Words to avoid` in that file. The second column of a row holds phrases in
//! backquotes; what is in backquotes after `but not` is allowed even though it contains one of them. A phrase
//! matches whole words, in any case unless it has a capital letter; `…` at its end stands for any ending. The first
//! table applies to text that users read, the second also to comments. The third lists names that nothing may be
//! defined by, each after its keyword: `fn`, `const` or `type`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::root;

const FILE: &str = "xtask/words-to-avoid.md";
const HEADING: &str = "## Words to avoid";
const IN_COMMENTS: &str = "### Also in comments";
const IN_NAMES: &str = "### In names";

/// Documents that keep the wording of their date, or that are generated.
const NOT_READ: [&str; 3] = ["docs/research/", "docs/results/", "docs/api/"];

/// Crates whose messages only contributors see.
const INTERNAL: [&str; 3] = ["crates/eocc-lab/", "crates/eocc-fuzz/", "crates/eocc-oracle/"];

/// Checks all tracked documents and sources.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let list = fs::read_to_string(root.join(FILE)).context(FILE)?;
    let Lists { everywhere, comments, names } = lists(&list)?;
    let mut faults = Vec::new();
    for name in tracked(&root)? {
        let part = Part::of_file(&name);
        let language = Language::of_file(&name);
        if part.is_none() && language.is_none() {
            continue;
        }
        let Ok(text) = fs::read_to_string(root.join(&name)) else { continue };
        let defined = language.into_iter().flat_map(|language| definitions(&text, language));
        let mut found: Vec<Fault> = defined.filter_map(|defined| defined.fault(&names)).collect();
        if let Some(part) = part {
            found.extend(uses(part, &name, &text, &everywhere, &comments));
        }
        found.sort();
        found.dedup();
        faults
            .extend(found.iter().map(|f| format!("{name}:{}: `{}`: write {}", f.line, f.phrase, f.instead)));
    }
    if faults.is_empty() {
        let (phrases, names) = (everywhere.len(), names.len());
        eprintln!("{phrases} phrases and {names} names to avoid, and none is used");
        return Ok(());
    }
    bail!("{} uses of words to avoid ({FILE}):\n  {}", faults.len(), faults.join("\n  "))
}

/// The words to avoid that are used in a file.
fn uses(part: Part, name: &str, text: &str, everywhere: &[Word], comments: &[Word]) -> Vec<Fault> {
    let words = if part == Part::Code { comments } else { everywhere };
    let read = part.text(name, text);
    let mut found: Vec<Fault> = words.iter().flat_map(|word| word.faults(&read)).collect();
    if part == Part::Code {
        let messages = Text::new(&literals(text));
        let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
        let is_shown = !is_test && !INTERNAL.iter().any(|folder| name.starts_with(folder));
        let words = everywhere.iter().filter(|_| is_shown);
        found.extend(words.flat_map(|word| word.faults(&messages)));
    }
    found
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
                // The list itself holds what to avoid.
                let end = if name == FILE { text.find(HEADING) } else { None };
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

/// A language in which names are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Rust,
    Python,
}

impl Language {
    fn of_file(name: &str) -> Option<Self> {
        let ends = |suffix| name.ends_with(suffix);
        if name == "xtask/src/words.rs" {
            None
        } else if ends(".rs") {
            Some(Self::Rust)
        } else if name.starts_with("bindings/python/python/eocc/") && ends(".py") {
            Some(Self::Python)
        } else {
            None
        }
    }

    /// The keyword of the glossary for a keyword of the language that precedes the name of a definition.
    fn keyword(self, word: &str) -> Option<&'static str> {
        match (self, word) {
            (Self::Rust, "fn") | (Self::Python, "def") => Some("fn"),
            (Self::Rust, "const" | "static") => Some("const"),
            (Self::Rust, "struct" | "enum" | "union" | "trait" | "type") | (Self::Python, "class") => {
                Some("type")
            }
            _ => None,
        }
    }

    fn comment(self) -> &'static str {
        match self {
            Self::Rust => "//",
            Self::Python => "#",
        }
    }
}

/// A definition in a source: a keyword of the glossary, and the name.
#[derive(Debug, PartialEq, Eq)]
struct Definition<'a> {
    line: usize,
    keyword: &'static str,
    name: &'a str,
}

impl Definition<'_> {
    fn fault(&self, avoided: &[Word]) -> Option<Fault> {
        let phrase = format!("{} {}", self.keyword, self.name);
        let is_meant =
            |word: &&Word| word.phrase == phrase || word.is_prefix && phrase.starts_with(&word.phrase);
        let instead = avoided.iter().find(is_meant)?.instead.clone();
        Some(Fault { line: self.line, phrase, instead })
    }
}

/// The functions, constants and types that a source defines.
fn definitions(source: &str, language: Language) -> impl Iterator<Item = Definition<'_>> {
    source.lines().zip(1..).flat_map(move |(line, number)| {
        let code = line.split(language.comment()).next().unwrap_or_default();
        let words: Vec<&str> = code.split_whitespace().collect();
        let pairs: Vec<_> = words.windows(2).map(|pair| (pair[0], pair[1])).collect();
        pairs.into_iter().filter_map(move |(keyword, name)| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            let name = &name[..name.find(|c| !is_part(c)).unwrap_or(name.len())];
            let keyword = language.keyword(keyword).filter(|_| !name.is_empty())?;
            Some(Definition { line: number, keyword, name })
        })
    })
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

/// The tables of the glossary.
struct Lists {
    /// Phrases for text that users read, those of `comments` included.
    everywhere: Vec<Word>,
    /// Phrases for comments as well.
    comments: Vec<Word>,
    /// Keywords and names of definitions.
    names: Vec<Word>,
}

fn lists(list: &str) -> Result<Lists> {
    let (_, section) = list.split_once(HEADING).with_context(|| format!("no heading `{HEADING}`"))?;
    let section = section.split("\n## ").next().unwrap_or_default();
    let (first, second) =
        section.split_once(IN_COMMENTS).with_context(|| format!("no heading `{IN_COMMENTS}`"))?;
    let (second, third) = second.split_once(IN_NAMES).with_context(|| format!("no heading `{IN_NAMES}`"))?;
    let (comments, names) = (words(second), words(third));
    let mut everywhere = words(first);
    everywhere.extend(comments.iter().cloned());
    if everywhere.len() == comments.len() || comments.is_empty() || names.is_empty() {
        bail!("{FILE} lists no words to avoid");
    }
    let is_definition = |word: &Word| {
        let (keyword, name) = word.phrase.split_once(' ').unwrap_or_default();
        matches!(keyword, "fn" | "const" | "type") && !name.is_empty()
    };
    if let Some(word) = names.iter().find(|word| !is_definition(word)) {
        bail!("{FILE}: `{}` is not a name after `fn`, `const` or `type`", word.phrase);
    }
    Ok(Lists { everywhere, comments, names })
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

/// The texts between backquotes.
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

### In names

| write | not |
|---|---|
| `new` | `fn of` |
| `MAX_…` | `const MOST`, `const LEAST_…` |
| a noun | `type Scratch` |

## Next

| a | `b` |
";

    fn found(words: &[Word], text: &str) -> Vec<(usize, String)> {
        let text = Text::new(text);
        words.iter().flat_map(|word| word.faults(&text)).map(|f| (f.line, f.phrase)).collect()
    }

    #[test]
    fn planted_words_are_found_where_they_are() {
        let Lists { everywhere: all, comments, names } = lists(LIST).unwrap();
        assert_eq!((all.len(), comments.len(), names.len()), (4, 1, 4));
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
        let all = lists(LIST).unwrap().everywhere;
        assert_eq!(found(&all, &literals(source)), [(4, "is no".to_owned()), (6, "found out".to_owned())]);
    }

    #[test]
    fn defined_names_are_found_and_used_ones_are_not() {
        let names = lists(LIST).unwrap().names;
        let found = |source: &str, language| -> Vec<(usize, String)> {
            let defined = definitions(source, language);
            defined.filter_map(|d| d.fault(&names)).map(|f| (f.line, f.phrase)).collect()
        };
        let source = "pub(crate) const fn of<'a>(x: &'a u8) {}\n    fn of_row() { X::of(); } // no fn of here\n\
                      const MOST: u8 = 1; static MOST: u8 = 2; const MOST_ROWS: u8 = 3; const LEAST_ROWS: u8 = 4;\nfn MOST() {}\nenum Scratch {}\ntype Scratch;\n\
                      struct Scratched(fn (u8));\n// trait Scratch\n";
        let expected = [
            (1, "fn of"),
            (3, "const MOST"),
            (3, "const MOST"),
            (3, "const LEAST_ROWS"),
            (5, "type Scratch"),
            (6, "type Scratch"),
        ];
        assert_eq!(found(source, Language::Rust), expected.map(|(line, phrase)| (line, phrase.to_owned())));
        let source = "class Scratch:\n    def of(self):  # def of\n        fn of\n";
        let expected = [(1, "type Scratch"), (2, "fn of")];
        assert_eq!(found(source, Language::Python), expected.map(|(line, phrase)| (line, phrase.to_owned())));
    }

    #[test]
    fn a_name_without_a_keyword_is_a_fault() {
        assert!(lists(&LIST.replace("`fn of`", "`of`")).is_err());
        assert!(lists(&LIST.replace("`type Scratch`", "`struct Scratch`")).is_err());
    }

    #[test]
    fn a_file_without_a_list_is_a_fault() {
        assert!(lists("# Glossary\n").is_err());
        assert!(lists("## Words to avoid\n### Also in comments\n").is_err());
    }
}
