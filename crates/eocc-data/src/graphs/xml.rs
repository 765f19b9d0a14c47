//! A walk over XML that trusts nothing: no custom entities, limited nesting, and a line for every error.

use std::collections::{HashMap, HashSet};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::malformed;
use crate::budget::Meter;
use crate::error::{DataError, Fault};
use crate::shown::shown;

/// Maximum nesting depth; graphs need eight.
const DEEPEST: usize = 64;

/// Memory of an element, of the names in it and of what they become.
const ELEMENT: u64 = 160;
const PER_BYTE: u64 = 4;

/// An element of the document.
pub(super) enum Step {
    /// It begins, with its attributes.
    Begin(String, HashMap<String, String>),
    /// It ends, with the text directly in it.
    End(String, String),
}

/// Calls `visit` with every element and its line; its errors are reported with the line.
pub(super) fn walk(
    name: &str,
    format: &'static str,
    bytes: &[u8],
    meter: &mut Meter,
    mut visit: impl FnMut(Step, usize) -> Result<(), String>,
) -> Result<(), DataError> {
    let text = std::str::from_utf8(bytes).map_err(|e| {
        let line = 1 + lines(&bytes[..e.valid_up_to()]);
        let reason = format!("line {line}: not valid UTF-8 text; save it as UTF-8");
        malformed(name, format, reason)
    })?;
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(text);
    let (mut line, mut counted) = (1, 0);
    let mut open: Vec<(String, String)> = Vec::new();
    let mut has_root = false;
    loop {
        let event = reader.read_event();
        let at = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(text.len());
        line += lines(&text.as_bytes()[counted.min(at)..at]);
        counted = at;
        let fail = |reason: String| malformed(name, format, format!("line {line}: {reason}"));
        let event = event.map_err(|e| fail(e.to_string()))?;
        // Errors detected late, such as a missing end, bring their own line.
        let placed = |reason: String| {
            if reason.starts_with("line ") { malformed(name, format, reason) } else { fail(reason) }
        };
        let mut step = |step: Step| visit(step, line).map_err(placed);
        match event {
            Event::Start(element) => {
                if open.len() == DEEPEST {
                    return Err(fail(format!("elements are nested more than {DEEPEST} deep")));
                }
                refuse_second_root(has_root, &open).map_err(fail)?;
                count(meter, &element).map_err(|fault| DataError::new(name, fault))?;
                let (tag, attributes) = parts(&element).map_err(fail)?;
                has_root = true;
                open.push((tag.clone(), String::new()));
                step(Step::Begin(tag, attributes))?;
            }
            Event::Empty(element) => {
                refuse_second_root(has_root, &open).map_err(fail)?;
                count(meter, &element).map_err(|fault| DataError::new(name, fault))?;
                let (tag, attributes) = parts(&element).map_err(fail)?;
                has_root = true;
                step(Step::Begin(tag.clone(), attributes))?;
                step(Step::End(tag, String::new()))?;
            }
            Event::End(_) => {
                if let Some((tag, text)) = open.pop() {
                    step(Step::End(tag, text))?;
                }
            }
            Event::Text(text) => add(&mut open, &text.xml10_content()),
            Event::CData(text) => add(&mut open, &text.xml10_content()),
            Event::GeneralRef(entity) => {
                let known = match &*entity.xml10_content() {
                    "amp" => Some('&'),
                    "lt" => Some('<'),
                    "gt" => Some('>'),
                    "quot" => Some('"'),
                    "apos" => Some('\''),
                    _ => entity.resolve_char_ref().map_err(|e| fail(e.to_string()))?,
                };
                let Some(letter) = known else {
                    let name = shown(&entity.xml10_content());
                    return Err(fail(format!("the entity {name} is not expanded; write what it stands for")));
                };
                add(&mut open, letter.encode_utf8(&mut [0; 4]));
            }
            Event::DocType(text) => {
                if text.xml10_content().contains("<!ENTITY") {
                    return Err(fail(
                        "the file declares entities, which are not expanded; remove them".into(),
                    ));
                }
            }
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
            Event::Eof => {
                if let Some((tag, _)) = open.last() {
                    return Err(fail(format!("the file ends inside of the element {}", shown(tag))));
                }
                if !has_root {
                    return Err(fail("there is no element in it".into()));
                }
                return Ok(());
            }
        }
    }
}

/// Counts the memory of an element and of what its text may become.
fn count(meter: &mut Meter, element: &BytesStart<'_>) -> Result<(), Fault> {
    meter.take(ELEMENT.saturating_add(PER_BYTE.saturating_mul(element.len() as u64)))
}

/// A document is one element; anything after it would be taken for a part of it.
fn refuse_second_root(has_root: bool, open: &[(String, String)]) -> Result<(), String> {
    if has_root && open.is_empty() {
        return Err("a second document begins; there may be only one in a file".to_owned());
    }
    Ok(())
}

/// Number of line ends.
fn lines(bytes: &[u8]) -> usize {
    bytes.split(|b| *b == b'\n').count() - 1
}

fn add(open: &mut [(String, String)], text: &str) {
    if let Some((_, own)) = open.last_mut() {
        own.push_str(text);
    }
}

fn parts(element: &BytesStart<'_>) -> Result<(String, HashMap<String, String>), String> {
    let tag = element.local_name().as_ref().to_owned();
    let (mut attributes, mut keys) = (HashMap::new(), HashSet::new());
    // Duplicates are detected here, as the library compares each with all others.
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|e| e.to_string())?;
        let value =
            attribute.normalized_value(quick_xml::XmlVersion::Implicit1_0).map_err(|e| e.to_string())?;
        let key = attribute.key.as_ref().to_owned();
        if !keys.insert(key.clone()) {
            return Err(format!("the attribute {} is given twice", shown(&key)));
        }
        attributes.insert(attribute.key.local_name().as_ref().to_owned(), value.into_owned());
    }
    Ok((tag, attributes))
}
