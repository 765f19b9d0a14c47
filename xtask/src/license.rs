//! License texts in every published crate; and SPDX expressions: whether an allowed license can be chosen.

use std::fs;

use anyhow::{Context as _, Result, bail};

use crate::root;

/// The license texts, of which each published crate and the Python package have a copy.
const TEXTS: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Checks that packages contain the license texts themselves, not links or paths to them.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let mut folders = vec![root.join("bindings/python")];
    for entry in fs::read_dir(root.join("crates")).context("crates")? {
        let folder = entry?.path();
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if !manifest.is_empty() && !manifest.contains("publish = false") {
            folders.push(folder);
        }
    }
    for text in TEXTS {
        let original = fs::read(root.join(text)).context(text)?;
        for folder in &folders {
            let copy = folder.join(text);
            if fs::read(&copy).ok().as_ref() != Some(&original) {
                bail!("{} is not a copy of {text}", copy.strip_prefix(&root).unwrap_or(&copy).display());
            }
        }
    }
    Ok(())
}

/// Whether the expression can be satisfied with allowed licenses alone. `/`, as written by old packages, means `OR`.
pub(crate) fn is_allowed(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words, allowed };
    let answer = parser.any()?;
    match parser.words {
        [] => Ok(answer),
        [word, ..] => bail!("`{expression}` is not an SPDX expression: `{word}` is out of place"),
    }
}

struct Parser<'a> {
    words: &'a [&'a str],
    allowed: &'a dyn Fn(&str) -> bool,
}

impl Parser<'_> {
    /// `A OR B …`, which binds more weakly than `AND`.
    fn any(&mut self) -> Result<bool> {
        let mut answer = self.all()?;
        while self.take("OR") {
            // Both sides must be parsed, whatever the first one gives.
            answer |= self.all()?;
        }
        Ok(answer)
    }

    /// `A AND B …`
    fn all(&mut self) -> Result<bool> {
        let mut answer = self.one()?;
        while self.take("AND") {
            answer &= self.one()?;
        }
        Ok(answer)
    }

    /// `( … )`, `A` or `A WITH exception`.
    fn one(&mut self) -> Result<bool> {
        let [word, rest @ ..] = self.words else { bail!("an SPDX expression ends too early") };
        self.words = rest;
        if *word == "(" {
            let answer = self.any()?;
            if !self.take(")") {
                bail!("an SPDX expression has no closing parenthesis");
            }
            return Ok(answer);
        }
        if let ["WITH", exception, rest @ ..] = self.words {
            self.words = rest;
            return Ok((self.allowed)(&format!("{word} WITH {exception}")));
        }
        Ok((self.allowed)(word))
    }

    fn take(&mut self, wanted: &str) -> bool {
        match self.words {
            [word, rest @ ..] if *word == wanted => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_mean_what_spdx_says() {
        let mit = |expression: &str| is_allowed(expression, &|license| license == "MIT").unwrap();
        assert!(mit("MIT"));
        assert!(mit("MIT/Apache-2.0"));
        assert!(mit("Apache-2.0 OR MIT"));
        assert!(mit("(MIT OR Zlib) AND MIT"));
        assert!(!mit("MIT AND Zlib"));
        assert!(mit("MIT OR Zlib AND GPL-3.0"));
        assert!(!mit("MIT WITH LLVM-exception"));
        assert!(!mit("GPL-3.0-only"));
    }

    #[test]
    fn faulty_expressions_are_rejected() {
        for faulty in ["", "MIT OR", "(MIT", "MIT Zlib", "MIT)"] {
            assert!(is_allowed(faulty, &|_| true).is_err(), "{faulty}");
        }
    }
}
