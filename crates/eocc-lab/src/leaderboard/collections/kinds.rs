//! Strings, series and graphs from many sources: files `kinds/KIND_NAME.jsonl.gz` with a field `class`. The largest
//! classes are nominal in turn.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Result;
use eocc_baselines::Options;
use eocc_core::{Error, Graphs, Kind, SeriesSet, Settings, Texts};
use eocc_data::{Dataset, FieldType, ReadRequest};
use eocc_eval::{Experiment, LabelledSamples, RunOptions};

use super::{Collection, Found, absent, files, is_wanted, seeds, without_contamination};
use crate::cli::LeaderboardArgs;
use crate::half_split::HalfSplit;

/// Maximum number of classes of a set that are nominal in turn, and the minimum number of samples of such a class.
const MAX_CLASSES: usize = 3;
const MIN_NOMINALS: usize = 40;
/// Minimum number of samples of other classes.
const MIN_OUTLIERS: usize = 10;
/// A class that is never nominal: rare events in a log.
const RARE: &str = "rare";
/// Maximum number of samples to train on, and to test on from either side.
const MAX_TRAIN: usize = 250;
const MAX_TESTS: usize = 200;

const ENDINGS: [&str; 2] = [".jsonl.gz", ".jsonl"];

/// Files of one kind, and the dissimilarity for all classifiers.
pub(super) struct Source {
    name: &'static str,
    title: &'static str,
    /// The prefix of the file names.
    prefix: &'static str,
    setting: Option<(&'static str, &'static str)>,
    kind: fn() -> Kind,
}

/// All of them.
pub(super) const SOURCES: [Source; 4] = [
    Source {
        name: "kinds-strings",
        title: "More strings",
        prefix: "strings_",
        setting: None,
        kind: Kind::new::<Texts>,
    },
    Source {
        name: "kinds-strings-plain",
        title: "More strings, plain Levenshtein",
        prefix: "strings_",
        setting: Some(("normalize", "false")),
        kind: Kind::new::<Texts>,
    },
    Source {
        name: "kinds-series",
        title: "More series",
        prefix: "series_",
        setting: Some(("scaling", "standard")),
        kind: Kind::new::<SeriesSet>,
    },
    Source {
        name: "kinds-graphs",
        title: "More graphs",
        prefix: "graphs_",
        setting: None,
        kind: Kind::new::<Graphs>,
    },
];

impl Source {
    /// Reads the files.
    pub(super) fn read(&self, folder: &Path, args: &LeaderboardArgs) -> Result<Found> {
        if let Some(left_out) = without_contamination(self.title, args) {
            return Ok(left_out);
        }
        let mut files = files(&folder.join("kinds"), &ENDINGS)?;
        files.retain(|f| self.set_name(f).is_some());
        if files.is_empty() {
            return Ok(absent(self.title, &format!("`kinds/{}*.jsonl.gz`", self.prefix)));
        }
        let (mut sets, mut shown) = (Vec::new(), Vec::new());
        for file in &files {
            let name = self.set_name(file).unwrap_or_default();
            if is_wanted(&name, args) {
                for set in self.one_for_each_class(file, &name, args.seed)? {
                    sets.push(set);
                    shown.push(name.clone());
                }
            }
        }
        let protocol = HalfSplit {
            repeats: args.repeats,
            max_train: MAX_TRAIN,
            max_test: MAX_TESTS,
            contamination: 0.0,
            seed: args.seed,
        };
        let protocol_in_words = format!(
            "trained on half of a class (at most {MAX_TRAIN}), tested on the rest and the other classes (at most {MAX_TESTS} of \
             each); the {MAX_CLASSES} largest classes are nominal in turn, and their mean counts; {}",
            seeds(args)
        );
        Ok(Found::Read(Collection {
            name: self.name,
            title: self.title,
            protocol_in_words,
            kind: (self.kind)(),
            sets,
            shown,
            protocol: Box::new(protocol),
        }))
    }

    /// The name of the set in a file; `None` if it is of another kind.
    fn set_name(&self, file: &Path) -> Option<String> {
        let name = file.file_name()?.to_str()?.strip_prefix(self.prefix)?;
        ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).map(str::to_owned)
    }

    fn one_for_each_class(&self, file: &PathBuf, name: &str, seed: u64) -> Result<Vec<Box<dyn Experiment>>> {
        let types =
            if self.prefix == "strings_" { vec![("text".to_owned(), FieldType::Text)] } else { Vec::new() };
        let request = ReadRequest { label: Some("class".to_owned()), types, ..ReadRequest::default() };
        let data = Dataset::read(file, &request)?;
        let content = std::fs::read(file).map_err(|e| Error::io(file, e))?;
        let mut settings = Settings::default();
        if let Some((key, value)) = self.setting {
            settings.insert(key, value);
        }
        let dissimilarity = Options { dissimilarity: None, settings };
        let options = RunOptions { dissimilarity, seed, ..RunOptions::default() };
        let classes = data.classes.as_deref().unwrap_or_default();
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for class in classes {
            *counts.entry(class).or_default() += 1;
        }
        let can_be_nominal = |(class, count): &(&String, usize)| {
            *class != RARE && *count >= MIN_NOMINALS && classes.len() - count >= MIN_OUTLIERS
        };
        let mut largest: Vec<(&String, usize)> = counts.into_iter().filter(can_be_nominal).collect();
        largest.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        largest.truncate(MAX_CLASSES);
        let set = |(class, _): (&String, usize)| -> Result<Box<dyn Experiment>> {
            let (nominal, outliers) = (0..classes.len()).partition(|&i| classes[i] == *class);
            let labelled = LabelledSamples {
                name: format!("{name}, class {class}"),
                content: content.clone(),
                samples: data.samples.clone(),
                nominal,
                outliers,
                test: None,
            };
            Ok(labelled.experiment(&options)?)
        };
        largest.into_iter().map(set).collect()
    }
}
