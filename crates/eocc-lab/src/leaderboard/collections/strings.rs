//! Strings: the E. coli proteins of the paper, soluble among insoluble ones and vice versa.

use std::path::Path;

use anyhow::Result;
use eocc_core::{Error, Kind, Texts};
use eocc_data::{Dataset, FieldType, ReadRequest};
use eocc_eval::{LabelledSamples, RunOptions};

use super::{Collection, Found, absent, cross_validation, is_wanted, without_contamination};
use crate::cli::LeaderboardArgs;

const TITLE: &str = "Strings";
const FILE: &str = "esol/esol_sequences.csv";
/// Each is nominal once, with the other as outliers. Proteins in between are not used.
const CLASSES: [&str; 2] = ["insoluble", "soluble"];

/// Reads the sequences.
pub(super) fn read(folder: &Path, args: &LeaderboardArgs) -> Result<Found> {
    if let Some(left_out) = without_contamination(TITLE, args) {
        return Ok(left_out);
    }
    let path = folder.join(FILE);
    if !path.is_file() {
        return Ok(absent(TITLE, &format!("`{FILE}`")));
    }
    let request = ReadRequest {
        columns: vec!["sequence".to_owned()],
        types: vec![("sequence".to_owned(), FieldType::Text)],
        label: Some("class".to_owned()),
        ..ReadRequest::default()
    };
    let data = Dataset::read(&path, &request)?;
    let content = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
    let rows = CLASSES.map(|class| data.nominal(&[class]));
    let [insoluble, soluble] = rows;
    let rows = [insoluble?, soluble?];
    let options = RunOptions { seed: args.seed, ..RunOptions::default() };
    let (mut sets, mut shown) = (Vec::new(), Vec::new());
    for (i, name) in CLASSES.into_iter().enumerate().filter(|(_, name)| is_wanted(name, args)) {
        let labelled = LabelledSamples {
            name: name.to_owned(),
            content: content.clone(),
            samples: data.samples.clone(),
            nominal: rows[i].clone(),
            outliers: rows[1 - i].clone(),
            test: None,
        };
        sets.push(labelled.experiment(&options)?);
        shown.push(name.to_owned());
    }
    let (protocol_in_words, protocol) = cross_validation(args);
    Ok(Found::Read(Collection {
        name: "strings",
        title: TITLE,
        protocol_in_words,
        kind: Kind::new::<Texts>(),
        sets,
        shown,
        protocol,
    }))
}
