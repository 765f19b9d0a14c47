//! From the results of folds to a table of classifiers by data sets.

use eocc_baselines::Method;
use eocc_core::Result as EoccResult;

use super::{Outcome, Record};
use crate::experiment::{Experiment, Rejected};
use crate::statistics::{Anova, Friedman, friedman, two_way_anova};

/// Level of the tests.
pub const ALPHA: f64 = 0.05;

/// One classifier on one data set.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Mean AUC over repeats.
    pub auc: f64,
    /// Mean AUC of each repeat over its folds.
    pub repeats: Vec<f64>,
    /// Standard deviation over repeats; 0 for a single one.
    pub deviation: f64,
    /// Standard deviation over all folds; 0 for a single one.
    pub fold_deviation: f64,
    /// Mean standard error (`DeLong`) of the AUC of a fold.
    pub error: Option<f64>,
    /// Mean average precision.
    pub average_precision: f64,
    /// Mean seconds of processor time to fit.
    pub fit_seconds: f64,
    /// Mean seconds of processor time to score all test samples of a split.
    pub score_seconds: f64,
    /// Mean seconds of processor time to score a thousand samples.
    pub seconds_per_thousand: f64,
    /// Number of folds.
    pub folds: usize,
    /// The result of the classifier's threshold on the test samples, if it has one.
    pub at_threshold: Option<AtThreshold>,
}

/// How often samples are rejected.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtThreshold {
    /// Fraction of the outliers that are rejected, over all folds and repeats.
    pub detection_rate: f64,
    /// Fraction of the nominal samples that are rejected, over all folds and repeats.
    pub false_alarm_rate: f64,
    /// Number of outliers, each counted once.
    pub outliers: usize,
    /// Number of nominal samples, each counted once.
    pub nominals: usize,
}

impl AtThreshold {
    /// From the counts of all splits, each with its repeat. An outlier is tested in every fold, a nominal sample in one fold of
    /// each repeat.
    fn from_counts(counts: &[(usize, Rejected)]) -> Option<Self> {
        let sum = |of: fn(&Rejected) -> usize| counts.iter().map(|(_, count)| of(count)).sum::<usize>();
        let repeats = counts.iter().map(|(repeat, _)| *repeat).max()? + 1;
        let in_repeat = |repeat: usize| {
            counts.iter().filter(|(own, _)| *own == repeat).map(|(_, count)| count.of_nominal).sum::<usize>()
        };
        Some(Self {
            detection_rate: sum(|c| c.outliers) as f64 / sum(|c| c.of_outliers) as f64,
            false_alarm_rate: sum(|c| c.nominal) as f64 / sum(|c| c.of_nominal) as f64,
            outliers: counts.iter().map(|(_, count)| count.of_outliers).max()?,
            nominals: (0..repeats).map(in_repeat).max()?,
        })
    }
}

/// Whether a classifier cannot be used on the samples, according to its error.
pub(crate) fn is_inapplicable(reason: &str) -> bool {
    reason.starts_with("this classifier needs ")
}

/// All classifiers on all data sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Names of the data sets, in order.
    pub sets: Vec<String>,
    /// Names of the classifiers, in order.
    pub methods: Vec<String>,
    /// Their names in tables.
    pub titles: Vec<String>,
    /// `cells[method][set]`: the result, or the error.
    pub cells: Vec<Vec<Result<Cell, String>>>,
}

impl Summary {
    /// Summarizes results.
    pub fn new(records: &[Record], sets: &[Box<dyn Experiment + '_>], methods: &[&Method]) -> Self {
        let cell = |method: &Method, set: &dyn Experiment| {
            let is_of = |r: &&Record| r.method == method.name && r.set == set.fingerprint();
            Cell::from_records(&records.iter().filter(is_of).collect::<Vec<_>>())
        };
        Self {
            sets: sets.iter().map(|s| s.name().to_owned()).collect(),
            methods: methods.iter().map(|m| m.name.to_owned()).collect(),
            titles: methods.iter().map(|m| m.title.to_owned()).collect(),
            cells: methods.iter().map(|m| sets.iter().map(|s| cell(m, s.as_ref())).collect()).collect(),
        }
    }

    /// The classifiers that do not apply to a data set, with the reason: the set, the reason, their names.
    pub fn inapplicable(&self) -> Vec<(&str, &str, Vec<&str>)> {
        let mut found: Vec<(&str, &str, Vec<&str>)> = Vec::new();
        for (s, set) in self.sets.iter().enumerate() {
            for (title, row) in self.titles.iter().zip(&self.cells) {
                let Some(Err(reason)) = row.get(s) else { continue };
                if !is_inapplicable(reason) {
                    continue;
                }
                match found.iter_mut().find(|(of, why, _)| of == set && why == reason) {
                    Some((.., titles)) => titles.push(title),
                    None => found.push((set, reason, vec![title])),
                }
            }
        }
        found
    }

    /// Why other cells are empty, one line each.
    pub fn failures(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (title, row) in self.titles.iter().zip(&self.cells) {
            for (set, cell) in self.sets.iter().zip(row) {
                if let Err(reason) = cell
                    && !is_inapplicable(reason)
                {
                    lines.push(format!("{title} on {set}: {reason}"));
                }
            }
        }
        lines
    }

    /// The results of the statistical tests; an error if there are too few data sets or classifiers.
    pub fn ranking(&self) -> EoccResult<Ranking> {
        let table = self.table();
        Ok(Ranking {
            sets: table.len(),
            anova: two_way_anova(&table, ALPHA)?,
            friedman: friedman(&table, ALPHA)?,
        })
    }

    /// AUC of each classifier on each data set, with one row per data set, as the tests require. A missing value is
    /// replaced by the mean of its data set, as in the paper; data sets without any value are left out.
    pub fn table(&self) -> Vec<Vec<f64>> {
        let mut table = Vec::new();
        for s in 0..self.sets.len() {
            let values: Vec<Option<f64>> =
                self.cells.iter().map(|m| m[s].as_ref().ok().map(|c| c.auc)).collect();
            let known: Vec<f64> = values.iter().filter_map(|v| *v).collect();
            if !known.is_empty() {
                let mean = known.iter().sum::<f64>() / known.len() as f64;
                table.push(values.into_iter().map(|v| v.unwrap_or(mean)).collect());
            }
        }
        table
    }
}

/// Whether the classifiers differ by more than chance, at level [`ALPHA`].
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Number of data sets.
    pub sets: usize,
    /// By their values.
    pub anova: Anova,
    /// By their ranks.
    pub friedman: Friedman,
}

impl Cell {
    /// From the results of one classifier on one data set; the error if it failed anywhere.
    pub fn from_records(records: &[&Record]) -> Result<Self, String> {
        let mut repeats: Vec<(f64, f64)> = Vec::new();
        let (mut errors, mut precision, mut fit, mut score, mut rate) = (Vec::new(), 0.0, 0.0, 0.0, 0.0);
        let (mut aucs, mut counts) = (Vec::new(), Vec::new());
        for r in records {
            match &r.outcome {
                Outcome::Failed(reason) => return Err(reason.clone()),
                Outcome::Scored {
                    auc,
                    auc_error,
                    average_precision,
                    fit_seconds,
                    score_seconds,
                    scored,
                    rejected,
                } => {
                    counts.extend(rejected.map(|rejected| (r.repeat, rejected)));
                    repeats.resize(repeats.len().max(r.repeat + 1), (0.0, 0.0));
                    aucs.push(*auc);
                    repeats[r.repeat].0 += auc;
                    repeats[r.repeat].1 += 1.0;
                    errors.extend(*auc_error);
                    precision += average_precision;
                    fit += fit_seconds;
                    score += score_seconds;
                    rate += 1000.0 * score_seconds / *scored as f64;
                }
            }
        }
        let folds = records.len() as f64;
        let means: Vec<f64> = repeats.iter().filter(|r| r.1 > 0.0).map(|r| r.0 / r.1).collect();
        if means.is_empty() {
            return Err("not run".to_owned());
        }
        Ok(Self {
            auc: means.iter().sum::<f64>() / means.len() as f64,
            deviation: deviation(&means),
            repeats: means,
            fold_deviation: deviation(&aucs),
            error: (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64),
            average_precision: precision / folds,
            fit_seconds: fit / folds,
            score_seconds: score / folds,
            seconds_per_thousand: rate / folds,
            folds: records.len(),
            at_threshold: AtThreshold::from_counts(&counts),
        })
    }
}

/// The standard deviation; 0 for a single value.
fn deviation(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    if n > 1.0 { (squares / (n - 1.0)).sqrt() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(method: &str, repeat: usize, fold: usize, auc: f64) -> Record {
        let outcome = Outcome::Scored {
            auc,
            auc_error: Some(0.1),
            average_precision: 0.5,
            fit_seconds: 1.0,
            score_seconds: 0.5,
            scored: 250,
            rejected: Some(Rejected { nominal: 1, of_nominal: 50, outliers: 150 + fold, of_outliers: 200 }),
        };
        Record { set: "s".to_owned(), method: method.to_owned(), repeat, fold, outcome }
    }

    #[test]
    fn means_and_deviations_match_hand_computation() {
        let mut records = vec![
            record("a", 0, 0, 0.6),
            record("a", 0, 1, 0.8),
            record("a", 1, 0, 0.9),
            record("a", 1, 1, 0.9),
        ];
        records.push(Record { outcome: Outcome::Failed("no".to_owned()), ..record("b", 0, 0, 0.0) });
        records.push(record("c", 0, 0, 0.4));
        let of = |method: &str| {
            Cell::from_records(&records.iter().filter(|r| r.method == method).collect::<Vec<_>>())
        };
        let names = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        let cells = names.iter().map(|m| vec![of(m)]).collect();
        let summary = Summary { sets: vec!["set".to_owned()], methods: names.clone(), titles: names, cells };
        let a = summary.cells[0][0].as_ref().unwrap();
        assert_eq!(a.repeats.len(), 2);
        assert!((a.auc - 0.8).abs() < 1e-12 && (a.deviation - 0.02_f64.sqrt()).abs() < 1e-12);
        assert!((a.fold_deviation - 0.02_f64.sqrt()).abs() < 1e-12);
        assert!((a.seconds_per_thousand - 2.0).abs() < 1e-12 && a.folds == 4);
        let rates = a.at_threshold.unwrap();
        assert!((rates.false_alarm_rate - 0.02).abs() < 1e-12);
        assert!((rates.detection_rate - 602.0 / 800.0).abs() < 1e-12);
        assert_eq!((rates.nominals, rates.outliers), (100, 200));
        assert_eq!(summary.cells[1][0], Err("no".to_owned()));
        assert_eq!(summary.cells[3][0], Err("not run".to_owned()));
        assert_eq!(summary.failures(), ["b on set: no", "d on set: not run"]);
        let table = summary.table();
        assert!((table[0][1] - 0.6).abs() < 1e-12 && (table[0][2] - 0.4).abs() < 1e-12);
    }
}
