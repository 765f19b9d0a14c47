//! Time series: sets with a training file and a test file, with every class nominal in turn.

use std::path::Path;

use anyhow::Result;
use eocc_baselines::Options;
use eocc_core::{Error, Kind, SampleSet as _, SeriesSet, Settings};
use eocc_data::{Dataset, ReadRequest};
use eocc_eval::{Experiment, LabelledSamples, Protocol, RunOptions, Split};

use super::{Collection, Found, absent, files, is_wanted, without_contamination};
use crate::cli::LeaderboardArgs;

const TITLE: &str = "Series";
const TRAIN: &str = "_TRAIN.ts";
const TEST: &str = "_TEST.ts";

/// Reads the sets.
pub(super) fn read(folder: &Path, args: &LeaderboardArgs) -> Result<Found> {
    if let Some(left_out) = without_contamination(TITLE, args) {
        return Ok(left_out);
    }
    let folder = folder.join("ts");
    let names: Vec<String> = files(&folder, &[TRAIN])?.iter().filter_map(|f| set_name(f)).collect();
    if names.is_empty() {
        return Ok(absent(TITLE, &format!("`ts/*{TRAIN}`")));
    }
    let (mut sets, mut shown) = (Vec::new(), Vec::new());
    for name in names.iter().filter(|name| is_wanted(name, args)) {
        for set in one_for_each_class(&folder, name, args.seed)? {
            sets.push(set);
            shown.push(name.clone());
        }
    }
    Ok(Found::Read(Collection {
        name: "series",
        title: TITLE,
        protocol_in_words:
            "trained on the training file, tested on the test file; every class is nominal in turn, and the mean over \
                            the classes counts"
                .to_owned(),
        kind: Kind::new::<SeriesSet>(),
        sets,
        shown,
        protocol: Box::new(TrainFirst),
    }))
}

/// The name of the set of this training file.
fn set_name(file: &Path) -> Option<String> {
    Some(file.file_name()?.to_str()?.strip_suffix(TRAIN)?.to_owned())
}

/// A data set for each class of the training file.
fn one_for_each_class(folder: &Path, name: &str, seed: u64) -> Result<Vec<Box<dyn Experiment>>> {
    let paths = [TRAIN, TEST].map(|end| folder.join(format!("{name}{end}")));
    let (train, test) = (labelled(&paths[0])?, labelled(&paths[1])?);
    let mut content = Vec::new();
    for path in &paths {
        content.extend(std::fs::read(path).map_err(|e| Error::io(path, e))?);
    }
    // The scaling of `default`, for all: with unscaled channels, the others would lose because of units.
    let mut settings = Settings::default();
    settings.insert("scaling", "standard");
    let options = RunOptions {
        dissimilarity: Options { dissimilarity: None, settings },
        seed,
        ..RunOptions::default()
    };
    let mut classes = train.1.clone();
    classes.sort_unstable();
    classes.dedup();
    let set = |class: &String| -> Result<Box<dyn Experiment>> {
        let of = |(_, classes): &(SeriesSet, Vec<String>), wanted: bool| -> Vec<usize> {
            (0..classes.len()).filter(|&i| (classes[i] == *class) == wanted).collect()
        };
        // In the order of the protocol: to train on, outliers, nominals to test on.
        let parts = [(&train, of(&train, true)), (&test, of(&test, false)), (&test, of(&test, true))];
        let items = parts.iter().flat_map(|(from, rows)| rows.iter().map(|&i| from.0.sample(i).clone()));
        let [trained, outliers, tested] = parts.each_ref().map(|part| part.1.len());
        let labelled = LabelledSamples {
            name: format!("{name}, class {class}"),
            content: content.clone(),
            samples: SeriesSet::new(items.collect())?.into(),
            nominal: (0..trained).chain(trained + outliers..trained + outliers + tested).collect(),
            outliers: (trained..trained + outliers).collect(),
            test: None,
        };
        Ok(labelled.experiment(&options)?)
    };
    classes.iter().map(set).collect()
}

/// The series of a file and their classes.
fn labelled(path: &Path) -> Result<(SeriesSet, Vec<String>)> {
    let data = Dataset::read(path, &ReadRequest::default())?;
    let needed = || Error::input(format!("{}: there must be series with classes", path.display()));
    let series = data.samples.downcast_ref::<SeriesSet>().ok_or_else(needed)?.clone();
    Ok((series, data.classes.ok_or_else(needed)?))
}

/// The only split of samples in this order: nominals to train on, outliers, nominals to test on.
struct TrainFirst;

impl Protocol for TrainFirst {
    fn splits(&self, nominal: &[usize], outliers: &[usize]) -> eocc_core::Result<Vec<Split>> {
        let first = outliers.first().copied().unwrap_or(usize::MAX);
        let (train, test): (Vec<usize>, Vec<usize>) = nominal.iter().partition(|&&i| i < first);
        if train.is_empty() || test.is_empty() {
            return Err(Error::input(
                "a class must have samples to train on, and the test file samples of it and of others",
            ));
        }
        Ok(vec![Split { repeat: 0, fold: 0, train, nominal: test, outliers: outliers.to_vec() }])
    }

    fn key(&self) -> String {
        "training file and test file".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nominals_before_the_outliers_train() {
        let split = &TrainFirst.splits(&[0, 1, 4], &[2, 3]).unwrap()[0];
        assert_eq!(
            (&split.train[..], &split.nominal[..], &split.outliers[..]),
            (&[0, 1][..], &[4][..], &[2, 3][..])
        );
        for (nominal, outliers) in [(&[0, 1][..], &[2][..]), (&[0, 1], &[]), (&[3], &[2])] {
            assert!(TrainFirst.splits(nominal, outliers).is_err());
        }
    }
}
