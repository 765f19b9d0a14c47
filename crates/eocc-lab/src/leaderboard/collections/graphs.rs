//! Graphs: the IAM sets of the paper.

use std::path::Path;

use anyhow::Result;
use eocc_core::{Graphs, Kind};
use eocc_eval::RunOptions;

use super::{Collection, Found, absent, cross_validation, is_wanted, without_contamination};
use crate::cli::LeaderboardArgs;
use crate::iam::{GraphSource, SETS};

const TITLE: &str = "Graphs";

/// Reads the available sets.
pub(super) fn read(folder: &Path, args: &LeaderboardArgs) -> Result<Found> {
    if let Some(left_out) = without_contamination(TITLE, args) {
        return Ok(left_out);
    }
    let present: Vec<&GraphSource> = SETS.iter().filter(|s| folder.join(s.file).is_file()).collect();
    if present.is_empty() {
        let files: Vec<String> = SETS.iter().map(|s| format!("`{}`", s.file)).collect();
        return Ok(absent(TITLE, &files.join(", ")));
    }
    let (mut sets, mut shown) = (Vec::new(), Vec::new());
    for source in present.into_iter().filter(|s| is_wanted(s.name(), args)) {
        let mut labelled = source.read(folder, args.seed)?;
        source.name().clone_into(&mut labelled.name);
        let dissimilarity = source.dissimilarity();
        let options = RunOptions { dissimilarity, seed: args.seed, ..RunOptions::default() };
        sets.push(labelled.experiment(&options)?);
        shown.push(source.name().to_owned());
    }
    let (protocol_in_words, protocol) = cross_validation(args);
    Ok(Found::Read(Collection {
        name: "graphs",
        title: TITLE,
        protocol_in_words,
        kind: Kind::new::<Graphs>(),
        sets,
        shown,
        protocol,
    }))
}
