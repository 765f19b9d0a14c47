//! JSON Lines: one object, or one array of values, per line; or a single array of objects, over any number of lines.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::budget::Meter;
use crate::cells::{CellKind, Cells};
use crate::column::{Column, Values};
use crate::csv::decode;
use crate::error::{DataError, Fault};
use crate::format::starts_array_of_objects;
use crate::table::{SomeRows, Table, numbered};

/// A table may have this many cells per cell written in the file, plus [`SLACK`].
const SPARSEST: usize = 1000;
const SLACK: usize = 10_000_000;

/// Bytes for an object's entry in an array.
const PER_OBJECT: u64 = 64;

/// Reads a table from JSON Lines; columns are in the order in which their names first appear.
pub(crate) fn read(name: &str, bytes: &[u8], mut meter: Meter) -> Result<Table, DataError> {
    let text = decode(bytes).map_err(|fault| DataError::new(name, fault))?;
    if starts_array_of_objects(text.as_bytes())
        && let Some(objects) = objects_of(text, &mut meter).map_err(|fault| DataError::new(name, fault))?
    {
        let mut builder = Builder::new(meter);
        for (line, object) in objects {
            builder.line(line, object).map_err(|fault| DataError::new(name, fault))?;
        }
        return builder.finish(name);
    }
    let (table, bad) = read_some(name, text, 0, meter)?;
    match bad.into_iter().next() {
        Some((_, fault)) => Err(fault),
        None => table.ok_or_else(|| DataError::new(name, Fault::Empty)),
    }
}

/// The objects of a single array with their lines; `None` if there are several arrays, one per line.
fn objects_of<'a>(text: &'a str, meter: &mut Meter) -> Result<Option<Vec<(usize, &'a str)>>, Fault> {
    meter.take(PER_OBJECT * text.bytes().filter(|byte| *byte == b'{').count() as u64)?;
    let values: Vec<&RawValue> = match serde_json::from_str(text) {
        Ok(values) => values,
        Err(error) if error.classify() == serde_json::error::Category::Syntax && is_lines(text) => {
            return Ok(None);
        }
        Err(error) => {
            let reason = format!("{error}; the file starts with an array of objects");
            return Err(Fault::Json { line: error.line(), column: error.column(), reason });
        }
    };
    let (mut line, mut seen) = (1, 0);
    let place = |value: &&RawValue| {
        let start = value.get().as_ptr() as usize - text.as_ptr() as usize;
        line += text[seen..start].matches('\n').count();
        seen = start;
        line
    };
    let lines: Vec<usize> = values.iter().map(place).collect();
    Ok(Some(lines.into_iter().zip(values.iter().map(|value| value.get())).collect()))
}

/// Whether the first line is complete JSON, so that others may follow.
fn is_lines(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    serde_json::from_str::<&RawValue>(first.trim()).is_ok()
}

/// Like [`read`], for text after this many lines of its file, skipping lines that cannot be read: these are returned by
/// their number among the lines that are not blank, with their errors.
pub(crate) fn read_some(
    name: &str,
    text: &str,
    lines_before: usize,
    meter: Meter,
) -> Result<SomeRows, DataError> {
    let mut builder = Builder::new(meter);
    let (mut rows, mut bad) = (0, Vec::new());
    for (at, line) in text.split('\n').enumerate() {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        match builder.line(lines_before + at + 1, line) {
            Ok(()) => {}
            Err(fault) if fault.is_of_row() => {
                builder.take_back();
                bad.push((rows, DataError::new(name, fault)));
            }
            Err(fault) => return Err(DataError::new(name, fault)),
        }
        rows += 1;
    }
    let table = if builder.lines.is_empty() { None } else { Some(builder.finish(name)?) };
    Ok((table, bad))
}

/// Fields of an object that is itself a graph in node-link form, which are not split into columns.
const PARTS_OF_GRAPH: [&str; 6] = ["nodes", "links", "edges", "directed", "multigraph", "graph"];
/// The column of such graphs.
const GRAPH: &str = "graph";

/// Whether an object is a graph: it has a list of nodes, and one of links or edges.
fn is_graph(fields: &[(String, &RawValue)]) -> bool {
    let has = |name: &str| fields.iter().any(|(key, value)| key == name && value.get().starts_with('['));
    has("nodes") && (has("links") || has("edges"))
}

/// The form of the lines.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Objects,
    Arrays,
}

struct Builder {
    meter: Meter,
    shape: Option<Shape>,
    names: Vec<String>,
    places: HashMap<String, usize>,
    columns: Vec<Cells>,
    lines: Vec<usize>,
    /// Cells that are in the file.
    written: usize,
    /// Cells that are not.
    padded: usize,
}

impl Builder {
    fn new(meter: Meter) -> Self {
        Self {
            meter,
            shape: None,
            names: Vec::new(),
            places: HashMap::new(),
            columns: Vec::new(),
            lines: Vec::new(),
            written: 0,
            padded: 0,
        }
    }

    fn line(&mut self, number: usize, line: &str) -> Result<(), Fault> {
        // The text of the cells, and that of the line while it is parsed.
        self.meter.cells(1, line.len() as u64)?;
        let fault = |error: serde_json::Error| explain(number, line, &error);
        let refuse = |reason: &str| {
            let column = 1 + line.len() - line.trim_start().len();
            Err(Fault::Json { line: number, column, reason: reason.to_owned() })
        };
        let shape = match line.trim_start().as_bytes().first() {
            Some(b'{') => Shape::Objects,
            Some(b'[') => Shape::Arrays,
            _ => return refuse("each line must be a JSON object such as {\"a\": 1}, or an array of values"),
        };
        if *self.shape.get_or_insert(shape) != shape {
            return refuse("objects and arrays are mixed; make all lines one or the other");
        }
        match shape {
            Shape::Objects => {
                let Object(mut fields) = serde_json::from_str(line).map_err(fault)?;
                if is_graph(&fields) {
                    fields.retain(|(key, _)| !PARTS_OF_GRAPH.contains(&key.as_str()));
                    fields.push((GRAPH.to_owned(), serde_json::from_str(line).map_err(fault)?));
                }
                for (key, value) in fields {
                    let column = self.column_index(key)?;
                    if self.columns[column].len() > self.lines.len() {
                        let reason =
                            format!("the field {} is given twice", crate::shown::shown(&self.names[column]));
                        return refuse(&reason);
                    }
                    let padded = self.lines.len() - self.columns[column].len();
                    self.meter.cells(padded as u64 + 1, 0)?;
                    self.padded += padded;
                    self.check_sparsity(self.padded)?;
                    self.cell(column, value).map_err(|error| within(number, line, value, &error))?;
                }
            }
            Shape::Arrays => {
                let values: Vec<&RawValue> = serde_json::from_str(line).map_err(fault)?;
                if let Some(&first) = self.lines.first()
                    && values.len() != self.columns.len()
                {
                    let (found, expected) = (values.len(), self.columns.len());
                    return Err(Fault::Ragged { line: number, found, expected, first, hint: String::new() });
                }
                self.meter.cells(values.len() as u64, 0)?;
                if self.lines.is_empty() {
                    self.meter.columns(values.len() as u64)?;
                }
                self.columns.resize_with(values.len(), Cells::default);
                for (column, value) in values.into_iter().enumerate() {
                    self.cell(column, value).map_err(|error| within(number, line, value, &error))?;
                }
            }
        }
        self.lines.push(number);
        Ok(())
    }

    /// Removes the cells of a line that cannot be read.
    fn take_back(&mut self) {
        self.columns.iter_mut().for_each(|cells| cells.truncate(self.lines.len()));
        if self.lines.is_empty() {
            self.shape = None;
        }
    }

    fn column_index(&mut self, key: String) -> Result<usize, Fault> {
        if let Some(place) = self.places.get(&key) {
            return Ok(*place);
        }
        self.meter.columns(1)?;
        self.names.push(key.clone());
        self.columns.push(Cells::default());
        self.places.insert(key, self.names.len() - 1);
        Ok(self.names.len() - 1)
    }

    fn cell(&mut self, column: usize, value: &RawValue) -> Result<(), serde_json::Error> {
        let cells = &mut self.columns[column];
        self.written += 1;
        // Rows since the last one with this field have no value for it.
        cells.pad(self.lines.len());
        let raw = value.get();
        match raw.as_bytes().first() {
            Some(b'"') => cells.push(CellKind::Text, &serde_json::from_str::<String>(raw)?),
            Some(b't' | b'f') => cells.push(CellKind::Boolean, raw),
            Some(b'n') => cells.push(CellKind::Missing, ""),
            Some(b'{' | b'[') => {
                // Raw values are scanned, not parsed; later readers must be able to parse the value.
                serde_json::from_str::<Distinct>(raw)?;
                cells.push(CellKind::Json, raw);
            }
            _ => cells.push(CellKind::Decimal, raw),
        }
        Ok(())
    }

    /// Refuses a small file that has a different field in each line, and would need quadratic memory.
    fn check_sparsity(&self, cells: usize) -> Result<(), Fault> {
        if cells <= self.written.saturating_mul(SPARSEST).saturating_add(SLACK) {
            return Ok(());
        }
        let (rows, width) = (self.lines.len(), self.columns.len());
        let reason = format!(
            "its {rows} first lines have {width} different fields and share few; give lines the same fields"
        );
        Err(Fault::Malformed { format: "JSON Lines", reason })
    }

    fn finish(mut self, name: &str) -> Result<Table, DataError> {
        let (rows, width) = (self.lines.len(), self.columns.len());
        self.check_sparsity(rows.saturating_mul(width)).map_err(|fault| DataError::new(name, fault))?;
        let padded = rows.saturating_mul(width).saturating_sub(self.written + self.padded);
        self.meter.cells(padded as u64, 0).map_err(|fault| DataError::new(name, fault))?;
        let has_header = self.shape == Some(Shape::Objects);
        let names = if has_header { self.names } else { numbered(width) };
        let complete = |mut cells: Cells| {
            cells.pad(rows);
            Column::from(Values::Cells(cells))
        };
        let columns = self.columns.into_iter().map(complete).collect();
        Ok(Table::new(name, names, columns)?.with_header(has_header).with_lines(self.lines))
    }
}

/// The fields of an object in order, with their values as written.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> serde::Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Object(fields))
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// Any value, which is discarded; an object in it with two fields of the same name is an error, as it is ambiguous.
struct Distinct;

impl<'de> serde::Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Distinct;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_bool<E>(self, _: bool) -> Result<Distinct, E> {
                Ok(Distinct)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Distinct, E> {
                Ok(Distinct)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Distinct, E> {
                Ok(Distinct)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Distinct, E> {
                Ok(Distinct)
            }
            fn visit_str<E>(self, _: &str) -> Result<Distinct, E> {
                Ok(Distinct)
            }
            fn visit_unit<E>(self) -> Result<Distinct, E> {
                Ok(Distinct)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<Distinct, A::Error> {
                while values.next_element::<Distinct>()?.is_some() {}
                Ok(Distinct)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Distinct, A::Error> {
                let mut keys = HashSet::new();
                while let Some(key) = map.next_key::<String>()? {
                    if keys.contains(&key) {
                        let reason = format!("the field {} is given twice", crate::shown::shown(&key));
                        return Err(serde::de::Error::custom(reason));
                    }
                    keys.insert(key);
                    map.next_value::<Distinct>()?;
                }
                Ok(Distinct)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

/// Checks that the text is JSON in which no object has two fields of the same name.
pub(crate) fn check_distinct(text: &[u8]) -> Result<(), serde_json::Error> {
    serde_json::from_slice::<Distinct>(text).map(|Distinct| ())
}

/// The fault for a line that does not parse.
fn explain(number: usize, line: &str, error: &serde_json::Error) -> Fault {
    let column = error.column().max(1);
    // Python writes these words, which are not JSON; the parser stops at them or after their first letter.
    let near = &line.as_bytes()[column.saturating_sub(3).min(line.len())..];
    let near = &near[..near.len().min(12)];
    let word = ["NaN", "Infinity"]
        .into_iter()
        .find(|word| near.windows(word.len()).any(|part| part == word.as_bytes()));
    let reason = if let Some(word) = word {
        format!("{word} is not JSON; write null for a missing value, or leave the line out")
    } else if error.is_eof() {
        "the line ends within a value; JSON Lines needs each value on one line".to_owned()
    } else {
        format!("not valid JSON: {}", plain(error))
    };
    Fault::Json { line: number, column, reason }
}

/// The fault for a value that is only found wrong on closer inspection.
fn within(number: usize, line: &str, value: &RawValue, error: &serde_json::Error) -> Fault {
    // The value is a slice of the line, so its position follows from its address.
    let start = (value.get().as_ptr() as usize).saturating_sub(line.as_ptr() as usize);
    let column = (start + error.column().max(1)).min(line.len());
    Fault::Json { line: number, column, reason: format!("not valid JSON: {}", plain(error)) }
}

/// The parser's message without its own location.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split(" at line ").next().unwrap_or(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::cell::Cell;

    fn read(name: &str, bytes: &[u8]) -> Result<Table, DataError> {
        super::read(name, bytes, Budget::default().meter(Some(bytes.len() as u64)))
    }

    fn table(text: &str) -> Table {
        read("t.jsonl", text.as_bytes()).unwrap()
    }

    fn message(text: &str) -> String {
        read("t.jsonl", text.as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn objects_make_columns() {
        let table = table("{\"a\": 1, \"b\": \"x\\ny\"}\r\n\n{\"b\": null, \"c\": true}\n{\"a\": 2.50}\n");
        assert_eq!(table.names(), ["a", "b", "c"]);
        assert_eq!(table.text(0).collect::<Vec<_>>(), ["1", "", "2.50"]);
        assert_eq!(table.text(1).collect::<Vec<_>>(), ["x\ny", "", ""]);
        assert_eq!(table.cell(1, 2), Cell::Boolean(true));
        assert_eq!(table.numbers_of_rows(&[0], &[0, 2]).unwrap(), [1.0, 2.5]);
        let missing = table.numbers(&[0]).unwrap_err().to_string();
        assert!(
            missing.starts_with("t.jsonl: row 1 (line 3), column \"a\": the value is missing;"),
            "{missing}"
        );
    }

    #[test]
    fn arrays_make_numbered_columns() {
        let table = table("[1, 2]\n[3, 4]\n");
        assert_eq!(table.names(), ["x0", "x1"]);
        assert!(!table.has_header());
        assert_eq!(table.numbers(&[0, 1]).unwrap(), [1.0, 2.0, 3.0, 4.0]);
        assert!(message("[1, 2]\n[3]\n").contains("line 2 has 1 cell, but line 1 has 2"));
        assert!(message("[]\n").contains("no rows") || message("[]\n").contains("0 column"));
    }

    #[test]
    fn nested_values_and_long_numbers_are_kept() {
        let table = table("{\"g\": {\"edges\": [[0, 1]]}, \"id\": 123456789012345678901234567890}\n");
        assert_eq!(table.cell(0, 0), Cell::Json("{\"edges\": [[0, 1]]}"));
        assert_eq!(table.text(1).collect::<Vec<_>>(), ["123456789012345678901234567890"]);
        assert!(table.numbers(&[0]).unwrap_err().to_string().contains("is an array or object"));
        assert!(table.numbers(&[1]).unwrap_err().to_string().contains("exactly"));
    }

    #[test]
    fn faults_say_where_they_are() {
        assert!(
            message("{\"a\": 1}\n{\"a\" 1}\n")
                .starts_with("t.jsonl: line 2, column 6: not valid JSON: expected")
        );
        assert!(
            message("{\"a\": NaN}\n").contains("NaN is not JSON; write null"),
            "{}",
            message("{\"a\": NaN}\n")
        );
        assert!(message("{\"a\": -Infinity}\n").contains("Infinity is not JSON"));
        assert!(message("3\n").contains("must be a JSON object"));
        assert!(message("{\"a\": 1}\n[1]\n").contains("mixed"));
        assert!(message("[\n 1,\n").contains("each value on one line"));
        assert!(message("{\"a\": 1, \"a\": 2}").contains("the field \"a\" is given twice"));
        assert!(
            message("{\"a\": {\"b\": [{\"c\": 1, \"c\": 2}]}}").contains("the field \"c\" is given twice")
        );
        assert!(message("{\"a\": \"\\ud800\"}").starts_with("t.jsonl: line 1, column "));
        assert!(
            message(&format!("{{\"a\": {}{}}}", "[".repeat(1000), "]".repeat(1000))).contains("recursion")
        );
        assert!(message("\n\n").contains("is empty"));
    }

    #[test]
    fn lines_that_share_no_fields_are_refused() {
        let text = (0..20_000).map(|i| format!("{{\"f{i}\": 1}}")).collect::<Vec<_>>().join("\n");
        assert!(message(&text).contains("different fields and share few"));
    }
}
