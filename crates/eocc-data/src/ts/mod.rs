//! The `.ts` format of the UCR/UEA archive of time series.

mod case;
mod header;

use std::collections::HashSet;

use crate::column::{Column, Values};
use crate::csv::decode;
use crate::error::{DataError, Fault};
use crate::field_type::FieldType;
use crate::lines::lines;
use crate::series::Series;
use crate::shown::{counted, list, shown};
use crate::table::Table;

use header::{Header, Label, Line};

/// Reads time series: a field `series` and, if the header declares a label, a field `class` or `target`.
///
/// The levels of the class are all those declared in the header, so that training and test files have the same; a
/// class `?` is missing. Lines that start with `#` or `%` are comments. Time stamps are dropped if they are equally
/// spaced, and are an error otherwise, as is a missing value.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
    let cases = parse(bytes).map_err(|fault| DataError::new(name, fault))?;
    cases.finish(name)
}

fn parse(bytes: &[u8]) -> Result<Cases, Fault> {
    let text = decode(bytes)?;
    let mut header = Header::default();
    let mut cases: Option<Cases> = None;
    for (number, line) in lines(text) {
        let fail = |reason| Fault::Line { line: number, reason };
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        match &mut cases {
            Some(cases) => cases.line(number, line).map_err(fail)?,
            None if line.starts_with('@') => {
                if header.line(line).map_err(fail)? == Line::Data {
                    cases = Some(Cases::new(header.clone()));
                }
            }
            None => {
                let reason =
                    format!("{} stands before the line `@data`; add that line after the header", shown(line));
                return Err(fail(reason));
            }
        }
    }
    let malformed = |reason: &str| Fault::Malformed { format: "TS", reason: reason.to_owned() };
    let cases = cases.ok_or_else(|| malformed("there is no line `@data`"))?;
    if cases.series.is_empty() {
        return Err(malformed("there are no series after the line `@data`"));
    }
    Ok(cases)
}

/// The data lines read so far.
struct Cases {
    header: Header,
    declared: HashSet<String>,
    series: Vec<Series>,
    lines: Vec<usize>,
    classes: Vec<Option<String>>,
    targets: Vec<Option<f64>>,
}

impl Cases {
    fn new(header: Header) -> Self {
        let declared = match &header.label {
            Label::Class(declared) => declared.iter().cloned().collect(),
            _ => HashSet::new(),
        };
        let (series, lines, classes, targets) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { header, declared, series, lines, classes, targets }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let mut parts = case::parts(line);
        match &self.header.label {
            // Some programs end every channel with a colon, with nothing after the last one.
            Label::Nothing => {
                if parts.len() > 1 && parts.last().is_some_and(|part| part.trim().is_empty()) {
                    parts.pop();
                }
            }
            Label::Class(declared) => {
                let class = class(last(&mut parts)?, declared, &self.declared)?;
                self.classes.push(class);
            }
            Label::Target => {
                let text = last(&mut parts)?;
                let target = crate::cell::Cell::Raw(text).number();
                self.targets.push(match target {
                    Ok(value) => Some(value),
                    Err(crate::cell::CellFault::Missing(_)) => None,
                    Err(_) => return Err(format!("the target {} is not a finite number", shown(text))),
                });
            }
        }
        let channels = parts
            .into_iter()
            .enumerate()
            .map(|(at, text)| case::channel(text, at, self.header.time_stamps))
            .collect::<Result<Vec<_>, _>>()?;
        self.check(&channels)?;
        let length = channels.first().map_or(0, Vec::len);
        self.series.push((0..length).map(|at| channels.iter().map(|values| values[at]).collect()).collect());
        self.lines.push(number);
        Ok(())
    }

    /// Compares the channels with each other, with the header and with the first line.
    fn check(&self, channels: &[Vec<f64>]) -> Result<(), String> {
        let length = channels.first().map_or(0, Vec::len);
        if let Some((at, other)) = channels.iter().enumerate().find(|(_, values)| values.len() != length) {
            return Err(format!(
                "channel {at} has {}, but channel 0 has {length}; all channels of a line must have the same",
                counted(other.len(), "value")
            ));
        }
        let (expected, whence) = match (self.header.dimensions, self.series.first(), self.lines.first()) {
            (Some(declared), ..) => (declared, "the header declares".to_owned()),
            (None, Some(series), Some(line)) => (series[0].len(), format!("line {line} has")),
            _ => (channels.len(), String::new()),
        };
        if channels.len() != expected {
            let hint = if self.header.label == Label::Nothing && channels.len() == expected + 1 {
                "; if the last one is a class, declare @classLabel true"
            } else {
                ""
            };
            let found = counted(channels.len(), "channel");
            return Err(format!("the line has {found}, but {whence} {expected}{hint}"));
        }
        if !self.header.is_equal_length() {
            return Ok(());
        }
        let (expected, whence) = match (self.header.length, self.series.first(), self.lines.first()) {
            (Some(declared), ..) => (declared, "the header declares".to_owned()),
            (None, Some(series), Some(line)) => (series.len(), format!("line {line} has")),
            _ => (length, String::new()),
        };
        if length != expected {
            return Err(format!(
                "the series has {}, but {whence} {expected}; correct it, or declare @equalLength false",
                counted(length, "value")
            ));
        }
        Ok(())
    }

    fn finish(self, name: &str) -> Result<Table, DataError> {
        let mut columns = vec![Column::new("series", Values::Series(self.series)).of_type(FieldType::Series)];
        match self.header.label {
            Label::Nothing => {}
            Label::Class(declared) => columns.push(categories("class", declared, &self.classes)),
            Label::Target => {
                let values = self.targets.into_iter().map(|target| target.unwrap_or(f64::NAN)).collect();
                columns.push(Column::new("target", Values::Float(values)).of_type(FieldType::Number));
            }
        }
        Ok(Table::of_columns(name, columns, true)?.with_lines(self.lines))
    }
}

/// Removes the label from the end of a line.
fn last<'a>(parts: &mut Vec<&'a str>) -> Result<&'a str, String> {
    match parts.pop() {
        Some(label) if !parts.is_empty() => Ok(label.trim()),
        _ => {
            Err("there is no label; write it after the series and a colon, as the header declares".to_owned())
        }
    }
}

/// The class on a line, one of the `declared` ones, which are also in `known` for fast lookup.
fn class(label: &str, declared: &[String], known: &HashSet<String>) -> Result<Option<String>, String> {
    if known.contains(label) {
        return Ok(Some(label.to_owned()));
    }
    match label {
        "" => Err("the class is empty; write it after the last colon, or `?` if it is not known".to_owned()),
        "?" => Ok(None),
        _ if declared.is_empty() => Ok(Some(label.to_owned())),
        _ => Err(format!(
            "the class {} is not among those that @classLabel declares, {}; correct it, or add it there",
            shown(label),
            list(declared)
        )),
    }
}

/// Classes as words, with all declared classes as levels.
fn categories(name: &str, declared: Vec<String>, classes: &[Option<String>]) -> Column {
    let mut levels = declared;
    levels.extend(classes.iter().flatten().cloned());
    levels.sort_unstable();
    levels.dedup();
    let code = |class: &Option<String>| levels.binary_search(class.as_ref()?).ok().map(|found| found as u32);
    let codes: Vec<Option<u32>> = classes.iter().map(code).collect();
    let missing = codes.iter().map(Option::is_none).collect();
    let codes = codes.into_iter().map(Option::unwrap_or_default).collect();
    Column::new(name, Values::Levels { levels, codes }).of_type(FieldType::Category).with_missing(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "# A comment\n@problemName T\n@timeStamps false\n@univariate false\n@dimensions 2\n\
                          @equalLength true\n@seriesLength 3\n@classLabel true b a\n@data\n";

    fn message(text: &str) -> String {
        read("t.ts", text.as_bytes()).unwrap_err().to_string()
    }

    fn with(line: &str) -> String {
        message(&format!("{HEADER}1,2,3:4,5,6:a\n{line}\n"))
    }

    #[test]
    fn channels_and_classes_are_read() {
        let text = format!("{HEADER}1,2,3:4,5,6:b\r\n\n# note\n7,8,9:0,0,0:?\n");
        let fields = read("t.ts", text.as_bytes()).unwrap();
        let steps = |values: &[[f64; 2]]| values.iter().map(|step| step.to_vec()).collect::<Vec<_>>();
        let first = steps(&[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
        let second = steps(&[[7.0, 0.0], [8.0, 0.0], [9.0, 0.0]]);
        let Values::Series(series) = fields.columns()[0].values() else { panic!("no series") };
        assert_eq!(*series, [first, second]);
        assert_eq!(fields.columns()[1].describe(), "category, 2 levels, 1 missing");
        assert_eq!(fields.text(1).collect::<Vec<_>>(), ["b", ""]);
        assert_eq!((fields.row_names(), fields.location(1)), (None, "row 1 (line 13)".to_owned()));
    }

    #[test]
    fn targets_and_series_alone() {
        let fields = read("t", b"@targetLabel true\n@data\n1,2:0.5\n3:?\n").unwrap();
        assert_eq!(fields.columns()[1].numbers(), [Some(0.5), None]);
        let fields =
            read("t", b"@timeStamps true\n@data\n(0,1),(1,2)\n(0,1):(0,3)\n").unwrap_err().to_string();
        assert_eq!(
            fields,
            "t: line 4: the line has 2 channels, but line 3 has 1; if the last one is a class, declare \
             @classLabel true"
        );
    }

    #[test]
    fn faults_say_where_they_are() {
        assert!(
            with("1,?,3:4,5,6:a").starts_with("t.ts: line 11: channel 0, position 1: the value is missing;")
        );
        assert!(with("1,2,3:4,nan,6:a").contains("line 11: channel 1, position 1: \"nan\" is not a finite"));
        assert!(with("1,2,3:4,5:a").contains("channel 1 has 2 values, but channel 0 has 3"));
        assert!(with("1,2:4,5:a").contains("the series has 2 values, but the header declares 3"));
        assert!(
            message("@seriesLength 2\n@data\n1,2\n1\n")
                .contains("line 4: the series has 1 value, but the header")
        );
        assert!(
            message("@equalLength true\n@data\n1,2\n1\n")
                .contains("but line 3 has 2; correct it, or declare")
        );
        assert!(with("1,2,3:a").contains("the line has 1 channel, but the header declares 2"));
        assert!(
            with("1,2,3:4,5,6:c")
                .contains("the class \"c\" is not among those that @classLabel declares, \"b\"")
        );
        assert!(with("1,2,3").contains("there is no label"));
        assert!(with("1,2,3:4,5,6:").contains("the class is empty"));
        assert!(with("::a").contains("channel 0 is empty"));
    }

    #[test]
    fn faults_of_the_header() {
        assert!(
            message("@problemName T\n1,2\n")
                .starts_with("t.ts: line 2: \"1,2\" stands before the line `@data`")
        );
        assert!(message("@problemName T\n").contains("no line `@data`"));
        assert!(message(HEADER).contains("no series after the line `@data`"));
        assert!(message("@univariate maybe\n").starts_with("t.ts: line 1: @univariate is \"maybe\""));
        assert!(message("").contains("no line `@data`"));
    }
}
