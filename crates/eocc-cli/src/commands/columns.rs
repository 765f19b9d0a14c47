//! `eocc columns`: how each column of a file would be read, why, and which option changes it.

use std::process::ExitCode;

use anyhow::Result;
use eocc_data::{DataError, Dataset, Fault, FieldType, Missing, Note, ReadRequest};
use serde_json::json;

use crate::cli::ColumnsArgs;
use crate::hint::hint;
use crate::output::{self, counted};
use crate::{request, say};

/// The output about a column.
struct Line {
    column: String,
    read_as: String,
    why: String,
    change: String,
}

pub(crate) fn run(args: &ColumnsArgs) -> Result<ExitCode> {
    let read = ReadRequest {
        label: args.label.clone(),
        missing: Some(Missing::Distance),
        ..request::read_request(&args.read, args.id.as_ref(), None)?
    };
    let (data, faults) = readable(args, read)?;
    let mut lines = lines(&data);
    for line in &mut lines {
        if let Some(fault) = faults.iter().find(|fault| fault.column == line.column) {
            "unreadable".clone_into(&mut line.read_as);
            line.why.clone_from(&fault.why);
            line.change.clone_from(&fault.change);
        }
    }
    if args.json {
        for Line { column, read_as, why, change } in &lines {
            output::line(
                &json!({ "column": column, "read_as": read_as, "why": why, "change": change }).to_string(),
            )?;
        }
    } else if lines.is_empty() {
        match crate::facts::attributes(&data.samples).as_slice() {
            [] => output::line("no columns with names")?,
            attributes => output::pairs(attributes)?,
        }
    } else {
        let cells = |l: &Line| vec![l.column.clone(), l.read_as.clone(), l.why.clone(), l.change.clone()];
        let rows: Vec<Vec<String>> = lines.iter().map(cells).collect();
        output::left_table(&["column", "read as", "why", "to change it"], &rows)?;
    }
    say::line(&format!("{} {}", data.count(), data.samples.kind().name()));
    Ok(ExitCode::SUCCESS)
}

/// Reads the file without the columns that have an unreadable cell, which are returned with their faults.
fn readable(args: &ColumnsArgs, mut read: ReadRequest) -> Result<(Dataset, Vec<Unreadable>)> {
    let mut faults: Vec<Unreadable> = Vec::new();
    let mut first = None;
    loop {
        let error = match Dataset::read(&args.data, &read) {
            Ok(data) => return Ok((data, faults)),
            Err(error) => error,
        };
        let found = error.data().and_then(Unreadable::from_error);
        let error = anyhow::Error::new(error);
        // Standard input can be read only once.
        let Some(found) = found.filter(|_| args.data.as_os_str() != "-") else {
            return Err(first.unwrap_or(error));
        };
        if faults.iter().any(|fault| fault.column == found.column) {
            return Err(first.unwrap_or(error));
        }
        let hint = hint(&error).unwrap_or_default();
        let change = hint.trim_start_matches('(').trim_end_matches(')').to_owned();
        first.get_or_insert(error);
        // The requested type is at fault, or none was requested.
        read.types.retain(|(column, _)| *column != found.column);
        read.types.push((found.column.clone(), FieldType::Ignore));
        faults.push(Unreadable { change, ..found });
    }
}

/// A column with an unreadable cell.
struct Unreadable {
    column: String,
    why: String,
    change: String,
}

impl Unreadable {
    fn from_error(error: &DataError) -> Option<Self> {
        let (column, row, line, why) = match error.fault() {
            Fault::Cell { column, row, line, why, .. } => (column, row, line, why.to_string()),
            Fault::Field { column, row, line, why } => (column, row, line, why.to_string()),
            _ => return None,
        };
        let place = line.map_or_else(|| format!("row {row}"), |line| format!("line {line}"));
        Some(Self { column: column.clone(), why: format!("{place}: {why}"), change: String::new() })
    }
}

fn lines(data: &Dataset) -> Vec<Line> {
    let columns = data.notes.iter().find_map(|note| match note {
        Note::Columns(columns) => Some(columns.as_slice()),
        _ => None,
    });
    columns.unwrap_or_default().iter().map(|(name, words)| line(data, name, words)).collect()
}

/// The output about one column, from the reader's description.
fn line(data: &Dataset, name: &str, words: &str) -> Line {
    let of_type = |kind: &str| format!("--types {}", request::assigned(name, kind));
    let (kind, details) = words.split_once(", ").unwrap_or((words, ""));
    let mut line = Line {
        column: name.to_owned(),
        read_as: kind.to_owned(),
        why: match kind {
            "number" => "all values are numbers",
            "category" => "words that repeat",
            "boolean" => "truth values",
            "date" => "dates: the time passed, the hour and the weekday count",
            "time" => "times of day",
            "text" => "texts that differ",
            "series" => "lists of numbers",
            "graph" => "graphs",
            _ => "",
        }
        .to_owned(),
        change: format!("--types {}, --drop {}", request::assigned(name, "TYPE"), request::quoted(name)),
    };
    if !details.is_empty() && !line.why.is_empty() {
        line.why = format!("{}; {details}", line.why);
    }
    let add = |why: &mut String, more: String| *why = format!("{why}; {more}");
    for note in &data.notes {
        match note {
            Note::NoFeature { column, why, kind } if column == name => {
                "not a feature".clone_into(&mut line.read_as);
                why.words().clone_into(&mut line.why);
                line.change = of_type(kind);
            }
            Note::DayOrMonth { column, example } if column == name => {
                add(&mut line.why, format!("{example} is read with the month first"));
                line.change = of_type("date:day-first");
            }
            Note::Thousands { column, example } if column == name => {
                add(&mut line.why, format!("{example} is read with a decimal point"));
                "--thousands .".clone_into(&mut line.change);
            }
            Note::Zones { column, example } if column == name => {
                add(&mut line.why, format!("{example}, without a time zone, is read as UTC"));
            }
            Note::Sentinel { column, value, count } if column == name => {
                add(&mut line.why, format!("{value} in {}", counted(*count, "row")));
                line.change = format!("--na {value}");
            }
            _ => {}
        }
    }
    if line.why.is_empty() {
        // As requested on the command line.
        "not a feature".clone_into(&mut line.read_as);
        words.clone_into(&mut line.why);
        line.change = String::new();
    }
    line
}
