//! FASTQ: named sequences with a quality for each letter.

use crate::csv::decode;
use crate::error::{DataError, Fault};
use crate::fasta;
use crate::lines::lines;
use crate::shown::shown;
use crate::table::Table;

/// Reads sequences from FASTQ: a line `@name description`, the sequence, a line that starts with `+`, and one quality
/// for each letter. Sequence and qualities may take several lines.
///
/// The qualities are counted and left out. Everything else is as for FASTA.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    let text = decode(bytes).and_then(as_fasta).map_err(|fault| DataError::new(name, fault))?;
    fasta::read(name, text.as_bytes())
}

/// The sequences as FASTA, each on the lines it is on in the file.
fn as_fasta(text: &str) -> Result<String, Fault> {
    let mut out = String::with_capacity(text.len());
    let mut lines = lines(text);
    while let Some((number, header)) = lines.next() {
        let fail = |line: usize, reason: String| Err(Fault::Line { line, reason });
        if header.trim().is_empty() {
            out.push('\n');
            continue;
        }
        let Some(title) = header.strip_prefix('@') else {
            let reason = format!("{} must be the start of a record, `@name`", shown(header));
            return fail(number, reason);
        };
        let name = shown(title.split_whitespace().next().unwrap_or_default());
        out.extend([">", title, "\n"]);
        let mut letters = 0;
        loop {
            match lines.next() {
                None => {
                    return fail(number, format!("the record {name} has no line `+`; is the file cut off?"));
                }
                Some((_, line)) if line.starts_with('+') => break,
                Some((line, text)) if text.starts_with(['>', ';']) => {
                    return fail(
                        line,
                        format!("{} in the sequence {name} is not a residue", shown(&text[..1])),
                    );
                }
                Some((_, line)) => {
                    letters += count(line);
                    out.extend([line, "\n"]);
                }
            }
        }
        out.push('\n');
        let mut qualities = 0;
        while qualities < letters {
            let Some((_, line)) = lines.next() else { break };
            qualities += count(line);
            out.push('\n');
        }
        if qualities != letters {
            let reason =
                format!("the record {name} has {letters} letters, but {qualities} qualities; is it damaged?");
            return fail(number, reason);
        }
    }
    Ok(out)
}

fn count(line: &str) -> usize {
    line.chars().filter(|letter| !letter.is_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        read("r.fq", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn records_are_read_without_their_qualities() {
        let text = "@r1 1:N:0\nACgt\n+\n@III\n\n@r2\r\nAC\r\nGT\r\n+r2\r\n+I\r\n;>\r\n@r3\nN\n+\n@\n";
        let table = read("r.fq", text.as_bytes()).unwrap();
        assert_eq!(table.row_names().unwrap(), ["r1", "r2", "r3"]);
        assert_eq!(table.text(0).collect::<Vec<_>>(), ["ACGT", "ACGT", "N"]);
        assert_eq!(table.location(1), "sample \"r2\" (line 6)");
    }

    #[test]
    fn faults_say_where_they_are() {
        assert!(message("@a\nACGT\n").starts_with("r.fq: line 1: the record \"a\" has no line `+`"));
        assert!(message("@a\nACGT\n+\nIII").contains("has 4 letters, but 3 qualities"));
        assert!(message("@a\nACGT\n+\nIIIII\n").contains("has 4 letters, but 5 qualities"));
        assert!(message("@a\nAC\n+\nII\nACGT\n").starts_with("r.fq: line 5: \"ACGT\" must be the start"));
        assert!(message("@a\nA\n>b\n+\nI\n").starts_with("r.fq: line 3: \">\" in the sequence \"a\""));
        assert!(message("@a\n\n+\n\n@b\nA\n+\nI\n").starts_with("r.fq: line 1: the sequence \"a\" is empty"));
        assert!(message("@ \nA\n+\nI\n").contains("no name; write one after `>` or `@`"));
        assert!(message("\n").contains("is empty"));
    }
}
