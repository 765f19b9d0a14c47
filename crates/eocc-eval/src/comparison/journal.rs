//! Results on disk, one per line, so that a stopped run can be resumed.
//!
//! The first line describes the run; every other line is one [`Record`] with a checksum of it and of the settings, so
//! that neither a modified line nor one of another run is taken for a result. A line is written whole and reaches the
//! disk before the next; a line truncated by a crash is dropped when the file is opened again.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use eocc_core::{Error, Remedy, Result};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::Record;
use crate::data_set::fingerprint;

/// Version of the format.
const FORMAT: u32 = 2;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    /// Identifies the file format.
    #[serde(rename = "eocc.journal")]
    format: u32,
    /// Everything that results depend on, except the data, as written by the caller: seed, folds, measure.
    settings: String,
}

/// A line after the header.
#[derive(Debug, Serialize, Deserialize)]
struct Line<'a> {
    sum: String,
    /// As written, since that is what the checksum covers.
    #[serde(borrow)]
    result: &'a RawValue,
}

/// The checksum of a result of a run with these settings.
fn checksum(settings: &str, result: &str) -> String {
    fingerprint(&[settings.as_bytes(), result.as_bytes()])
}

/// A result as a line.
fn line(settings: &str, record: &Record) -> serde_json::Result<String> {
    let text = serde_json::to_string(record)?;
    let result: &RawValue = serde_json::from_str(&text)?;
    let line = Line { sum: checksum(settings, result.get()), result };
    Ok(format!("{}\n", serde_json::to_string(&line)?))
}

/// The result on a line, or the error in it.
fn result(settings: &str, line: &[u8]) -> std::result::Result<Record, String> {
    let line: Line = serde_json::from_slice(line).map_err(|e| e.to_string())?;
    if line.sum != checksum(settings, line.result.get()) {
        return Err("its checksum does not match".to_owned());
    }
    serde_json::from_str(line.result.get()).map_err(|e| e.to_string())
}

/// A growing file of results.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    settings: String,
    file: Mutex<File>,
}

impl Journal {
    /// Opens or creates the file; returns its results. Fails if it belongs to a run with other settings, if it is not
    /// a journal, or if another run is writing to it.
    pub fn open(path: &Path, settings: &str) -> Result<(Self, Vec<Record>)> {
        let io = |e| Error::io(path, e);
        let header = Header { format: FORMAT, settings: settings.to_owned() };
        let options = OpenOptions::new().read(true).append(true).create(true).clone();
        let mut file = options.open(path).map_err(io)?;
        // Ignore file systems without locks.
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let message = format!("{}: another run is writing to this journal; wait for it", path.display());
            return Err(Error::input_with(message, Remedy::OtherJournal));
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io)?;
        // Anything after the last line break was truncated.
        let whole = text.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let records = if whole == 0 && text.len() < 4096 {
            file.set_len(0).map_err(io)?;
            let line = serde_json::to_string(&header).map_err(|e| Error::input(e.to_string()))?;
            file.write_all(format!("{line}\n").as_bytes()).map_err(io)?;
            Vec::new()
        } else {
            let records = read(path, &text[..whole], &header)?;
            if whole < text.len() {
                file.set_len(whole as u64).map_err(io)?;
            }
            records
        };
        file.seek(SeekFrom::End(0)).map_err(io)?;
        Ok((Self { path: path.to_owned(), settings: header.settings, file: Mutex::new(file) }, records))
    }

    /// Removes a journal, whatever its settings; fails if the file is something else. Does nothing if there is none.
    pub fn forget(path: &Path) -> Result<()> {
        let text = match std::fs::read(path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            Err(e) => return Err(Error::io(path, e)),
        };
        let first = text.split(|b| *b == b'\n').next().unwrap_or_default();
        if !text.is_empty() && serde_json::from_slice::<Header>(first).is_err() {
            return Err(not_a_journal(path));
        }
        std::fs::remove_file(path).map_err(|e| Error::io(path, e))
    }

    /// Adds a result; it is on the disk when this returns.
    pub fn add(&self, record: &Record) -> Result<()> {
        let line = line(&self.settings, record).map_err(|e| Error::input(e.to_string()))?;
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|e| Error::io(&self.path, e))
    }
}

fn not_a_journal(path: &Path) -> Error {
    let message = format!("{}: this file is not a journal of results", path.display());
    Error::input_with(message, Remedy::OtherJournal)
}

fn read(path: &Path, text: &[u8], header: &Header) -> Result<Vec<Record>> {
    let mut lines = (1..).zip(text.split(|b| *b == b'\n')).filter(|(_, line)| !line.is_empty());
    let first = lines.next().map_or(&[][..], |(_, line)| line);
    let first: Header = serde_json::from_slice(first).map_err(|_| not_a_journal(path))?;
    if first.format != header.format {
        let message = format!(
            "{}: the journal has format {}, but this program writes {FORMAT}",
            path.display(),
            first.format
        );
        return Err(Error::input_with(message, Remedy::OtherOrFreshJournal));
    }
    if first.settings != header.settings {
        let message = format!(
            "{}: the journal belongs to a run with other settings ({}); this run has ({})",
            path.display(),
            first.settings,
            header.settings
        );
        return Err(Error::input_with(message, Remedy::OtherOrFreshJournal));
    }
    let mut told = HashSet::new();
    let parse = |(number, line): (usize, &[u8])| {
        let record = result(&header.settings, line).and_then(|record| {
            // A duplicate result would change every mean.
            let what = (record.set.clone(), record.method.clone(), record.repeat, record.fold);
            if told.insert(what) { Ok(record) } else { Err("an earlier line has the same split".to_owned()) }
        });
        record.map_err(|reason| {
            let message = format!("{}: line {number} is damaged ({reason}); remove it", path.display());
            Error::input_with(message, Remedy::FreshJournal)
        })
    };
    lines.map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::Outcome;

    fn record(fold: usize) -> Record {
        let outcome = Outcome::Scored {
            auc: 0.1 + 0.2,
            auc_error: None,
            average_precision: 1.0 / 3.0,
            fit_seconds: 1e-7,
            score_seconds: 3.25,
            rejected: None,
            scored: 7,
        };
        Record { set: "s".to_owned(), method: "m".to_owned(), repeat: 0, fold, outcome }
    }

    #[test]
    fn what_was_added_is_read_back_to_the_bit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let (journal, known) = Journal::open(&path, "seed 1").unwrap();
        assert!(known.is_empty());
        let failed = Record { outcome: Outcome::Failed("no \"luck\"\n".to_owned()), ..record(1) };
        journal.add(&record(0)).unwrap();
        journal.add(&failed).unwrap();
        drop(journal);
        let (_, known) = Journal::open(&path, "seed 1").unwrap();
        assert_eq!(known, [record(0), failed]);
    }

    #[test]
    fn every_truncation_keeps_the_whole_lines_and_can_be_continued() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let (journal, _) = Journal::open(&path, "a").unwrap();
        (0..3).for_each(|fold| journal.add(&record(fold)).unwrap());
        drop(journal);
        let text = std::fs::read(&path).unwrap();
        for length in 0..=text.len() {
            std::fs::write(&path, &text[..length]).unwrap();
            let lines = text[..length].split(|b| *b == b'\n').count() - 1;
            let (journal, known) = Journal::open(&path, "a").unwrap();
            assert_eq!(known.len(), lines.saturating_sub(1), "cut at {length}");
            journal.add(&record(9)).unwrap();
            drop(journal);
            let (_, known) = Journal::open(&path, "a").unwrap();
            assert_eq!(known.last(), Some(&record(9)));
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let (journal, _) = Journal::open(&path, "a").unwrap();
        (0..2).for_each(|fold| journal.add(&record(fold)).unwrap());
        drop(journal);
        let text = std::fs::read(&path).unwrap();
        // The last line break may be lost: then the line before it counts as truncated.
        for at in 0..text.len() - 1 {
            for value in [text[at] ^ 1, text[at] ^ 0x10, b'0', b'9', b' ', b'\n'] {
                if value == text[at] {
                    continue;
                }
                let mut damaged = text.clone();
                damaged[at] = value;
                std::fs::write(&path, &damaged).unwrap();
                if let Ok((_, known)) = Journal::open(&path, "a") {
                    panic!("byte {at} as {value}: {known:?}");
                }
            }
        }
    }

    #[test]
    fn a_result_counts_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let (journal, _) = Journal::open(&path, "a").unwrap();
        (0..2).for_each(|fold| journal.add(&record(fold)).unwrap());
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        let twice = format!("{text}\n{}\n", text.lines().nth(1).unwrap());
        std::fs::write(&path, twice).unwrap();
        let e = Journal::open(&path, "a").unwrap_err().to_string();
        assert!(e.contains("line 5 is damaged (an earlier line has the same split)"), "{e}");
    }

    #[test]
    fn results_of_another_run_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let paths = ["one.jsonl", "two.jsonl"].map(|name| folder.path().join(name));
        for (path, settings) in paths.iter().zip(["seed 1", "seed 2"]) {
            let (journal, _) = Journal::open(path, settings).unwrap();
            journal.add(&record(0)).unwrap();
        }
        let [one, two] = paths.each_ref().map(|path| std::fs::read_to_string(path).unwrap());
        let mixed = format!("{one}{}\n", two.lines().nth(1).unwrap());
        std::fs::write(&paths[0], mixed).unwrap();
        let e = Journal::open(&paths[0], "seed 1").unwrap_err().to_string();
        assert!(e.contains("line 3 is damaged (its checksum does not match)"), "{e}");
    }

    #[test]
    fn strangers_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        drop(Journal::open(&path, "seed 1").unwrap());
        let e = Journal::open(&path, "seed 2").unwrap_err().to_string();
        assert!(e.contains("other settings (seed 1); this run has (seed 2)"), "{e}");
        let (_held, _) = Journal::open(&path, "seed 1").unwrap();
        let e = Journal::open(&path, "seed 1").unwrap_err().to_string();
        assert!(e.contains("another run is writing"), "{e}");
        std::fs::write(folder.path().join("data.csv"), "a,b\n1,2\n").unwrap();
        let e = Journal::open(&folder.path().join("data.csv"), "seed 1").unwrap_err().to_string();
        assert!(e.contains("not a journal"), "{e}");
        assert!(Journal::forget(&folder.path().join("data.csv")).is_err());
        let kept = std::fs::read_to_string(folder.path().join("data.csv")).unwrap();
        assert_eq!(kept, "a,b\n1,2\n");
        Journal::forget(&path).unwrap();
        Journal::forget(&path).unwrap();
        assert!(!path.exists());
    }
}
