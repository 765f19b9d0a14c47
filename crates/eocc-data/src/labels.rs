//! Small CSV files next to the data: labels of samples, and pairs of samples.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use crate::csv;
use crate::error::{DataError, Fault};
use crate::format::Format;
use crate::read::{ReadOptions, format_of, load};
use crate::shown::{counted, shown};
use crate::source::Whole;

/// Two samples by name, and the line they are on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The first sample.
    pub a: String,
    /// The second sample.
    pub b: String,
    /// Line in the file, from 1.
    pub line: usize,
}

/// Reads labels, `name,label` on each line; names are unique.
///
/// The first line is a header if it is `name`, `id` or `sample`, then `label` or `class`, in any case. With a header,
/// further columns are allowed and ignored. The delimiter is the first of comma, tab and semicolon that occurs in the
/// first line. Blanks around names and labels are ignored.
pub fn read_labels(path: &Path) -> Result<Vec<(String, String)>, DataError> {
    let Whole { name, bytes, .. } = load(path, &ReadOptions::default())?;
    labels_of_bytes(&name, &bytes)
}

fn labels_of_bytes(name: &str, bytes: &[u8]) -> Result<Vec<(String, String)>, DataError> {
    let pairs = columns(name, bytes, ["name", "label"], "name,label", |first, second| {
        is_any(first, &["name", "id", "sample"]) && is_any(second, &["label", "class"])
    })?;
    let mut seen: HashMap<&str, usize> = HashMap::with_capacity(pairs.len());
    for pair in &pairs {
        if let Some(first) = seen.insert(&pair.a, pair.line) {
            let fault = Fault::DuplicateSample { name: pair.a.clone(), first, second: pair.line };
            return Err(DataError::new(name, fault));
        }
    }
    Ok(pairs.into_iter().map(|pair| (pair.a, pair.b)).collect())
}

/// Like [`labels_for`], but errors name the file of the labels.
pub(crate) fn labels_of_file(
    path: &Path,
    names: &[String],
    labels: &[(String, String)],
) -> Result<Vec<String>, DataError> {
    labels_for(names, labels).map_err(|error| DataError::new(&path.display().to_string(), error.into_fault()))
}

/// The label of each sample. Labels of other samples are ignored; if a sample has none, the message gives their
/// number.
pub fn labels_for(names: &[String], labels: &[(String, String)]) -> Result<Vec<String>, DataError> {
    let fail = |fault| Err(DataError::new("labels", fault));
    let mut known: HashMap<&str, &str> = HashMap::with_capacity(labels.len());
    for (name, label) in labels {
        if let Some(first) = known.insert(name, label) {
            let (name, first, second) = (name.clone(), first.to_owned(), label.clone());
            return fail(Fault::TwoLabels { name, first, second });
        }
    }
    let found: Option<Vec<String>> =
        names.iter().map(|name| known.get(name.as_str()).map(|label| (*label).to_owned())).collect();
    if let Some(found) = found {
        return Ok(found);
    }
    let samples: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut others = labels.iter().map(|(name, _)| name).filter(|name| !samples.contains(name.as_str()));
    let example = others.next().cloned();
    let unused = usize::from(example.is_some()) + others.count();
    let mut without = names.iter().filter(|name| !known.contains_key(name.as_str()));
    let name = without.next().cloned().unwrap_or_default();
    fail(Fault::NoLabel { name, others: without.count(), unused, example, labels: labels.len() })
}

/// Reads pairs of samples, `a,b` on each line.
///
/// The first line is a header if it is `a`, then `b`, in any case; everything else is as for [`read_labels`].
pub fn read_pairs(path: &Path) -> Result<Vec<Pair>, DataError> {
    let Whole { name, bytes, .. } = load(path, &ReadOptions::default())?;
    pairs_of_bytes(&name, &bytes)
}

fn pairs_of_bytes(name: &str, bytes: &[u8]) -> Result<Vec<Pair>, DataError> {
    let is_header = |first: &str, second: &str| is_any(first, &["a"]) && is_any(second, &["b"]);
    columns(name, bytes, ["first sample", "second sample"], "a,b", is_header)
}

fn is_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
}

/// The first two columns, which hold `what`, without the header, for which an example is given.
fn columns(
    name: &str,
    bytes: &[u8],
    what: [&str; 2],
    example: &str,
    is_header: impl Fn(&str, &str) -> bool,
) -> Result<Vec<Pair>, DataError> {
    let options = ReadOptions { format: Some(Format::Csv), ..ReadOptions::default() };
    format_of(name, bytes, &options)?;
    let first_line =
        bytes.split(|byte| matches!(byte, b'\n' | b'\r')).find(|line| !line.trim_ascii().is_empty());
    let delimiter = [b',', b'\t', b';']
        .into_iter()
        .find(|delimiter| first_line.is_some_and(|line| line.contains(delimiter)))
        .unwrap_or(b',');
    let options = ReadOptions { header: Some(false), delimiter: Some(delimiter), ..options };
    let table = csv::read(name, bytes, &options, options.budget.meter(Some(bytes.len() as u64)))?;
    let fail = |row: usize, reason: String| {
        Err(DataError::new(name, Fault::Line { line: table.line(row).unwrap_or(row + 1), reason }))
    };
    let width = table.names().len();
    let has_header = width >= 2 && is_header(&table.cell(0, 0).text(), &table.cell(0, 1).text());
    if width != 2 && !(has_header && width > 2) {
        return fail(
            0,
            format!(
                "it has {}, but two are needed; write {example}, or a header that starts so",
                counted(width, "column")
            ),
        );
    }
    let mut pairs = Vec::with_capacity(table.rows());
    for row in usize::from(has_header)..table.rows() {
        let [a, b] = [0, 1].map(|column| table.cell(row, column).text().trim().to_owned());
        for (text, what) in [(&a, what[0]), (&b, what[1])] {
            if text.is_empty() {
                let whose = if what == "label" { format!(" of {}", shown(&a)) } else { String::new() };
                return fail(row, format!("the {what}{whose} is missing; fill it in, or leave out the line"));
            }
        }
        pairs.push(Pair { a, b, line: table.line(row).unwrap_or(row + 1) });
    }
    if pairs.is_empty() {
        return Err(DataError::new(name, Fault::NoRows { columns: width }));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<(String, String)> {
        labels_of_bytes("l.csv", text.as_bytes()).unwrap()
    }

    fn message(text: &str) -> String {
        labels_of_bytes("l.csv", text.as_bytes()).unwrap_err().to_string()
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn a_header_is_optional() {
        let expected: Vec<(String, String)> = vec![("p".into(), "x".into()), ("q".into(), "y".into())];
        for text in [
            "p,x\nq,y\n",
            "name,label\np,x\nq,y\n",
            " ID ; Class\r\np;x\r\n q;y",
            "sample\tlabel\tn\np\tx\t1\nq\ty\t2\n",
        ] {
            assert_eq!(labels(text), expected, "{text:?}");
        }
        assert_eq!(labels("sp|P1|X,1\n")[0], ("sp|P1|X".to_owned(), "1".to_owned()));
    }

    #[test]
    fn faults_of_the_file() {
        assert_eq!(
            message("name,label\np,x\nq,y\np,z\n"),
            "l.csv: the samples on lines 2 and 4 are both named \"p\"; rename one of them, or leave one out"
        );
        assert!(message("name,label\np,\n").starts_with("l.csv: line 2: the label of \"p\" is missing;"));
        assert!(message("p,x\n,y\n").starts_with("l.csv: line 2: the name is missing;"));
        assert!(message("p,x,1\n").starts_with("l.csv: line 1: it has 3 columns, but two are needed;"));
        assert!(message("p,x\nq\n").contains("line 2 has 1 cell,"));
        assert!(message("name,label\n").contains("no rows"));
        assert!(message("").contains("is empty"));
        assert!(message("\u{0}").contains("zero byte"));
    }

    #[test]
    fn labels_go_to_their_samples() {
        let labels = labels("p,x\nq,y\nr,x\n");
        assert_eq!(labels_for(&words(&["r", "q"]), &labels).unwrap(), ["x", "y"]);
        let message = labels_for(&words(&["p", "s", "t"]), &labels).unwrap_err().to_string();
        assert_eq!(
            message,
            "labels: the sample \"s\" and 1 more have no label, while 2 of the 3 labels are of no sample here, such as that of \"q\"; compare \
             the names, or leave out what has no label"
        );
        let twice = [("p".to_owned(), "x".to_owned()), ("p".to_owned(), "y".to_owned())];
        let message = labels_for(&words(&["p"]), &twice).unwrap_err().to_string();
        assert_eq!(message, "labels: the sample \"p\" has two labels, \"x\" and \"y\"; leave one out");
    }

    #[test]
    fn pairs_keep_their_lines() {
        let pairs = pairs_of_bytes("p.csv", b"a,b,upper\np,q,1\n\nq,r,2\n").unwrap();
        let pair = |a: &str, b: &str, line| Pair { a: a.into(), b: b.into(), line };
        assert_eq!(pairs, [pair("p", "q", 2), pair("q", "r", 4)]);
        assert_eq!(pairs_of_bytes("p.csv", b"p,q\n").unwrap(), [pair("p", "q", 1)]);
        let message = pairs_of_bytes("p.csv", b"p,q\nr,\n").unwrap_err().to_string();
        assert!(message.starts_with("p.csv: line 2: the second sample is missing"), "{message}");
    }
}
