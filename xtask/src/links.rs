//! Dead links: every relative link of a tracked Markdown file must lead to a file, and its anchor to a heading.

use std::collections::HashMap;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::root;

/// Checks all tracked Markdown files. Addresses on the network are left alone.
pub(crate) fn check() -> Result<()> {
    let root = root()?;
    let listed = Command::new("git").args(["ls-files", "-z", "*.md"]).current_dir(&root).output();
    let listed = listed.context("git could not be started")?;
    if !listed.status.success() {
        bail!("the documents cannot be listed: {}", String::from_utf8_lossy(&listed.stderr).trim());
    }
    let names = String::from_utf8(listed.stdout).context("a document's name is not Unicode")?;
    // A file may be tracked and yet deleted in the working tree.
    let files: Vec<PathBuf> =
        names.split_terminator('\0').map(PathBuf::from).filter(|f| root.join(f).exists()).collect();
    let mut anchors = HashMap::new();
    for file in &files {
        let text = fs::read_to_string(root.join(file)).with_context(|| file.display().to_string())?;
        anchors.insert(file.clone(), (headings(&text), links(&text)));
    }
    let mut dead = Vec::new();
    for file in &files {
        for (line, link) in &anchors[file].1 {
            if let Some(fault) = fault(&root, file, link, |f| anchors.get(f).map(|a| a.0.as_slice())) {
                dead.push(format!("{}:{line}: {link}: {fault}", file.display()));
            }
        }
    }
    if dead.is_empty() {
        return Ok(());
    }
    bail!("{} dead links:\n  {}", dead.len(), dead.join("\n  "))
}

/// What is wrong with a link of this file, if anything.
fn fault<'a>(
    root: &Path,
    file: &Path,
    link: &str,
    anchors: impl Fn(&Path) -> Option<&'a [String]>,
) -> Option<String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = match path {
        "" => file.to_owned(),
        _ => match tidy(&file.parent().unwrap_or(Path::new("")).join(path)) {
            Some(target) => target,
            None => return Some("leads out of the repository".to_owned()),
        },
    };
    if !root.join(&target).exists() {
        return Some("no such file".to_owned());
    }
    match anchors(&target) {
        Some(known) if !anchor.is_empty() && !known.iter().any(|a| a == anchor) => {
            Some(format!("no heading of {} has this anchor", target.display()))
        }
        _ => None,
    }
}

/// The path without `.` and `..`; nothing if it leaves the repository.
fn tidy(path: &Path) -> Option<PathBuf> {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !tidy.pop() {
                    return None;
                }
            }
            other => tidy.push(other),
        }
    }
    Some(tidy)
}

/// The lines of a document outside fenced code, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(i, line)| {
        let fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        fenced ^= fence;
        (!fenced && !fence).then_some((i + 1, line))
    })
}

/// The targets of `[text](target)`, `![text](target)` and `[text]: target`, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let line = without_code(line);
        let mut rest = line.as_str();
        while let Some(at) = rest.find("](") {
            rest = &rest[at + 2..];
            let Some(end) = rest.find(')') else { break };
            // A title may follow the target.
            let target = rest[..end].split_whitespace().next().unwrap_or_default();
            found.push((number, target.trim_matches(['<', '>']).to_owned()));
        }
        if let Some((name, target)) = line.split_once("]: ")
            && name.starts_with('[')
            && !name.starts_with("[^")
        {
            let target = target.split_whitespace().next().unwrap_or_default();
            found.push((number, target.trim_matches(['<', '>']).to_owned()));
        }
    }
    found
}

/// The line without what stands between backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("")
}

/// The anchors of a document's headings, as GitHub makes them: repeated ones get a number.
fn headings(text: &str) -> Vec<String> {
    let mut anchors: Vec<String> = Vec::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let anchor: String = title
            .trim()
            .chars()
            .filter_map(|c| match c {
                ' ' => Some('-'),
                '-' | '_' => Some(c),
                c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
                _ => None,
            })
            .collect();
        let mut numbered = anchor.clone();
        let mut count = 0;
        while anchors.contains(&numbered) {
            count += 1;
            numbered = format!("{anchor}-{count}");
        }
        anchors.push(numbered);
    }
    anchors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_code() {
        let text = "[a](b.md) and `[no](c.md)`, ![p](p.png \"title\")\n```\n[no](d.md)\n```\n[r]: <e.md>\n";
        let targets: Vec<String> = links(text).into_iter().map(|(_, t)| t).collect();
        assert_eq!(targets, ["b.md", "p.png", "e.md"]);
    }

    #[test]
    fn anchors_are_those_of_github() {
        let text = "# Where to start reading\n## `fit`, and why?\n## Words\n## Words\n#no heading\n";
        assert_eq!(headings(text), ["where-to-start-reading", "fit-and-why", "words", "words-1"]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let root = root().unwrap();
        let anchors = |_: &Path| Some([].as_slice());
        let fault = |link: &str| fault(&root, Path::new("docs/any-data.md"), link, anchors);
        assert_eq!(fault("https://example.org/nothing"), None);
        assert_eq!(fault("../README.md"), None);
        assert_eq!(fault("no-such.md").as_deref(), Some("no such file"));
        assert_eq!(fault("../../elsewhere.md").as_deref(), Some("leads out of the repository"));
        assert!(fault("../README.md#nowhere").is_some());
    }
}
