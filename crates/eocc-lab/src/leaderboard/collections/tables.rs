//! Collections of tables of numbers.

use std::path::Path;

use anyhow::Result;
use eocc_core::{Kind, Vectors};
use eocc_eval::{Protocol, RunOptions, Standardize};

use super::{Collection, Found, absent, cross_validation, files, is_wanted, seeds, stem};
use crate::cli::LeaderboardArgs;
use crate::data::vectors;
use crate::half_split::HalfSplit;

/// A folder of tables.
pub(super) struct Source {
    /// Name of the folder.
    folder: &'static str,
    title: &'static str,
    /// Whether it is split as in the paper, by cross-validation.
    has_folds: bool,
}

const fn source(folder: &'static str, title: &'static str, has_folds: bool) -> Source {
    Source { folder, title, has_folds }
}

/// All of them.
pub(super) const SOURCES: [Source; 4] = [
    source("adbench", "ADBench", false),
    source("uci", "UCI", true),
    source("embeddings", "Embeddings", false),
    source("keel", "KEEL", false),
];

impl Source {
    /// Reads the tables of the folder: NPZ files with `y` of 0 and 1, CSV files with a column `label` of `target` and
    /// `outlier`.
    pub(super) fn read(&self, folder: &Path, args: &LeaderboardArgs) -> Result<Found> {
        let mut files = files(&folder.join(self.folder), &[".npz", ".csv"])?;
        // The same tables with gaps, for other purposes.
        files.retain(|f| !stem(f).ends_with("_missing"));
        if files.is_empty() {
            return Ok(absent(self.title, &format!("`{0}/*.npz` or `{0}/*.csv`", self.folder)));
        }
        files.retain(|f| is_wanted(&stem(f), args));
        // A comparator on raw units would lose because of them. `default` learns its own scales.
        let options = RunOptions {
            standardize: Standardize::WithoutOwnScales,
            seed: args.seed,
            ..RunOptions::default()
        };
        let read = |path: &Path| {
            let is_npz = path.extension().is_some_and(|e| e == "npz");
            let (label, nominal) = if is_npz { ("y", "0") } else { ("label", "target") };
            vectors(path, label, nominal, stem(path), &options)
        };
        let (protocol_in_words, protocol) = if self.has_folds && args.contamination.is_none() {
            cross_validation(args)
        } else {
            half_split(args)
        };
        Ok(Found::Read(Collection {
            name: self.folder,
            title: self.title,
            protocol_in_words,
            kind: Kind::new::<Vectors>(),
            sets: files.iter().map(|f| read(f)).collect::<Result<_>>()?,
            shown: files.iter().map(|f| without_number(&stem(f)).to_owned()).collect(),
            protocol,
        }))
    }
}

fn half_split(args: &LeaderboardArgs) -> (String, Box<dyn Protocol>) {
    let protocol = HalfSplit {
        repeats: args.repeats,
        max_train: args.most,
        max_test: args.most_tests,
        contamination: args.contamination.unwrap_or(0.0),
        seed: args.seed,
    };
    let share = match args.contamination {
        Some(share) => format!(" plus outliers ({share} of the training samples)"),
        None => String::new(),
    };
    let words = format!(
        "trained on half of the nominals (at most {}){share}, tested on the rest and the outliers (at most {} of each); {}",
        args.most,
        args.most_tests,
        seeds(args)
    );
    (words, Box::new(protocol))
}

/// The name of a set without its leading number.
fn without_number(name: &str) -> &str {
    name.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
}
