//! The five IAM sets of graphs: their nominal classes, the graphs that are used, and the published edit costs.

use std::path::Path;

use anyhow::Result;
use eocc_baselines::Options;
use eocc_core::random::Random;
use eocc_core::{Error, Settings};
use eocc_eval::LabelledSamples;

/// A set of graphs, and which of them the paper counts.
pub(crate) struct GraphSource {
    pub(crate) acronym: &'static str,
    pub(crate) file: &'static str,
    nominal: &'static str,
    costs: &'static str,
    /// Nominal graphs in the paper; if there are more, a random subset.
    max_nominal: usize,
    /// Whether graphs of other classes in `train` are used.
    all: bool,
}

/// The counts are the paper's as far as known: nominal graphs of all splits (half of them for A), outliers of all
/// splits for A and G (for G the paper has 17 fewer, and we do not know which), otherwise those outside of `train`.
pub(crate) const SETS: [GraphSource; 5] = [
    GraphSource {
        acronym: "A",
        file: "iam/AIDS.tar.gz",
        nominal: "a",
        costs: "aids",
        max_nominal: 200,
        all: true,
    },
    GraphSource {
        acronym: "G",
        file: "iam/GREC.tar.gz",
        nominal: "1",
        costs: "grec",
        max_nominal: 50,
        all: true,
    },
    GraphSource {
        acronym: "L-L",
        file: "iam/Letter-LOW.tar.gz",
        nominal: "A",
        costs: "letter",
        max_nominal: 150,
        all: false,
    },
    GraphSource {
        acronym: "L-H",
        file: "iam/Letter-HIGH.tar.gz",
        nominal: "A",
        costs: "letter",
        max_nominal: 150,
        all: false,
    },
    GraphSource {
        acronym: "P",
        file: "iam/Protein.tar.gz",
        nominal: "1",
        costs: "protein",
        max_nominal: 100,
        all: false,
    },
];

impl GraphSource {
    /// The name of the set, as in its file.
    pub(crate) fn name(&self) -> &'static str {
        self.file.trim_start_matches("iam/").trim_end_matches(".tar.gz")
    }

    /// The graphs that are used, under the acronym of the set.
    pub(crate) fn read(&self, folder: &Path, seed: u64) -> Result<LabelledSamples> {
        let path = folder.join(self.file);
        let set = eocc_data::read_graphs(&path)?;
        let (mut nominal, mut outliers) = set.one_class(self.nominal)?;
        if nominal.len() > self.max_nominal {
            Random::new(seed).shuffle(&mut nominal);
            nominal.truncate(self.max_nominal);
            nominal.sort_unstable();
        }
        if self.all {
            let is_outlier = |i: &usize| set.classes[*i].as_deref() != Some(self.nominal);
            outliers = (0..set.classes.len()).filter(is_outlier).collect();
        }
        let content = std::fs::read(&path).map_err(|e| Error::io(&path, e))?;
        let (name, samples) = (self.acronym.to_owned(), set.graphs.into());
        Ok(LabelledSamples { name, content, samples, nominal, outliers, test: None })
    }

    /// Graph edit distance with the published costs.
    pub(crate) fn dissimilarity(&self) -> Options {
        let mut settings = Settings::default();
        settings.insert("costs", self.costs);
        Options { dissimilarity: Some("ged".into()), settings }
    }
}
