//! The files that match a pattern.
//!
//! A folder given by name is entered even if it is a link; a match of a wildcard is entered only if it is a folder
//! itself. A link to a folder may lead back to where the search began, and two of them would be followed in every
//! order.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use glob::Pattern;

/// One part of a pattern between separators.
enum Part {
    Name(String),
    Some(Pattern),
    /// `**`: any folders, or none.
    Any,
}

/// All matches of the pattern that are not folders, sorted by path; an error in the pattern as text.
pub(crate) fn matching(pattern: &str) -> Result<io::Result<Vec<PathBuf>>, String> {
    // Compiling the whole pattern locates errors, and applies rules that span parts.
    Pattern::new(pattern).map_err(|error| error.msg.to_owned())?;
    let (root, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (PathBuf::from("/"), rest),
        None => (PathBuf::new(), pattern),
    };
    let mut parts = Vec::new();
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let next = match part {
            "**" => Part::Any,
            _ if part.contains(['*', '?', '[']) => {
                Part::Some(Pattern::new(part).map_err(|error| error.msg.to_owned())?)
            }
            _ => Part::Name(part.to_owned()),
        };
        // Two in a row mean the same as one, but would find everything twice.
        if !(matches!(next, Part::Any) && matches!(parts.last(), Some(Part::Any))) {
            parts.push(next);
        }
    }
    let mut found = Vec::new();
    let walked = walk(&root, &parts, &mut found).map(|()| {
        found.sort_unstable();
        found.dedup();
        found
    });
    Ok(walked)
}

fn walk(folder: &Path, parts: &[Part], found: &mut Vec<PathBuf>) -> io::Result<()> {
    let Some((part, rest)) = parts.split_first() else { return Ok(()) };
    match part {
        Part::Name(name) => {
            let path = folder.join(name);
            if !rest.is_empty() {
                return if path.is_dir() { walk(&path, rest, found) } else { Ok(()) };
            }
            if fs::symlink_metadata(&path).is_ok() && !path.is_dir() {
                found.push(path);
            }
            Ok(())
        }
        Part::Some(pattern) => {
            for (name, path) in entries(folder)? {
                if !pattern.matches(&name) {
                    continue;
                }
                if !rest.is_empty() {
                    if is_folder(&path) {
                        walk(&path, rest, found)?;
                    }
                } else if !path.is_dir() {
                    found.push(path);
                }
            }
            Ok(())
        }
        Part::Any => {
            // At the end of a pattern it matches folders, which are not read.
            walk(folder, rest, found)?;
            for (_, path) in entries(folder)? {
                if is_folder(&path) {
                    walk(&path, parts, found)?;
                }
            }
            Ok(())
        }
    }
}

/// Whether this is a folder, not a link to one.
fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// The entries of a folder, with names as text.
fn entries(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut found = Vec::new();
    for entry in fs::read_dir(listed)? {
        let name = entry?.file_name();
        found.push((name.to_string_lossy().into_owned(), folder.join(&name)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("a/b/c")).unwrap();
        fs::create_dir_all(at("d")).unwrap();
        fs::create_dir_all(at(".h")).unwrap();
        for name in ["x.csv", "a/y.csv", "a/b/z.csv", "a/b/c/w.csv", "d/v.txt", ".h/u.csv", "a/.t.csv"] {
            fs::write(at(name), "1\n").unwrap();
        }
        folder
    }

    #[test]
    fn patterns_find_what_the_library_finds() {
        let folder = tree();
        for pattern in [
            "*.csv",
            "*/*.csv",
            "**/*.csv",
            "a/**/*.csv",
            "**/**/*.csv",
            "a/b/*",
            "*/b/c/w.csv",
            "?.csv",
            "[xyz].csv",
            "**/b/*.csv",
            "a/**",
            "none*",
            "a/./y*.csv",
            "a/../x*.csv",
            "d/*.txt",
            "a/b/../*.csv",
            "**/c/../*.csv",
        ] {
            let whole = format!("{}/{pattern}", folder.path().display());
            let mut plain: Vec<PathBuf> =
                glob::glob(&whole).unwrap().map(|path| path.unwrap()).filter(|path| !path.is_dir()).collect();
            plain.sort_unstable();
            plain.dedup();
            assert_eq!(matching(&whole).unwrap().unwrap(), plain, "{pattern}");
        }
        assert!(matching("a***").is_err() && matching("[").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_folders_are_entered_by_name_only() {
        use std::os::unix::fs::symlink;
        let folder = tree();
        let at = |name: &str| folder.path().join(name);
        // Two ways back: there would be a million million paths of forty steps.
        symlink(".", at("round")).unwrap();
        symlink("..", at("a/up")).unwrap();
        symlink("a/y.csv", at("link.csv")).unwrap();
        let found = |pattern: &str| {
            let whole = format!("{}/{pattern}", folder.path().display());
            let base = folder.path();
            let names = matching(&whole).unwrap().unwrap().into_iter();
            names.map(|path| path.strip_prefix(base).unwrap().display().to_string()).collect::<Vec<_>>()
        };
        let all = [".h/u.csv", "a/.t.csv", "a/b/c/w.csv", "a/b/z.csv", "a/y.csv", "link.csv", "x.csv"];
        assert_eq!(found("**/*.csv"), all);
        assert_eq!(found("*/x.csv"), Vec::<String>::new());
        assert_eq!(found("round/x.cs*"), ["round/x.csv"]);
    }
}
