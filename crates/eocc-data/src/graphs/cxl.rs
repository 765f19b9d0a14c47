//! CXL lists of the IAM sets: the class of each file; the split is the name of the list.

use super::xml::{Step, walk};
use super::{file_name, malformed};
use crate::budget::Meter;
use crate::error::DataError;

/// A line of a list.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    pub(super) file: String,
    pub(super) class: String,
    pub(super) split: String,
}

/// Reads a list.
pub(super) fn read(name: &str, bytes: &[u8], meter: &mut Meter) -> Result<Vec<Listed>, DataError> {
    let stem = file_name(name).to_ascii_lowercase();
    let stem = stem.rsplit(": ").next().unwrap_or(&stem).trim_end_matches(".cxl").to_owned();
    let split = if stem == "validation" { "valid".to_owned() } else { stem };
    let mut all = Vec::new();
    walk(name, "CXL", bytes, meter, |step, _| {
        if let Step::Begin(tag, mut given) = step
            && tag == "print"
        {
            let mut needed =
                |key: &str| given.remove(key).ok_or_else(|| format!("<print> has no attribute `{key}`"));
            all.push(Listed { file: needed("file")?, class: needed("class")?, split: split.clone() });
        }
        Ok(())
    })?;
    if all.is_empty() {
        return Err(malformed(name, "CXL", "there is no element <print> in it".into()));
    }
    Ok(all)
}
