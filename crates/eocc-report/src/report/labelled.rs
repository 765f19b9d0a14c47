//! Comparison of decisions with labels: curves, counts and the worst mistakes.

use eocc_core::Decision;
use serde::Serialize;

/// Bins of a histogram.
const BINS: usize = 40;
/// Maximum number of points of a curve.
const MAX_POINTS: usize = 400;
/// Maximum number of mistakes listed.
const MISTAKES: usize = 10;

/// Nominals and outliers, separately.
#[derive(Debug, Clone, Serialize)]
pub struct Labelled {
    /// The area under the ROC curve; `null` if one of the classes is empty.
    pub auc: f64,
    /// The area under the precision-recall curve of detecting outliers.
    pub average_precision: f64,
    /// The fractions of rejected nominals and of rejected outliers, threshold by threshold.
    pub roc: Vec<[f64; 2]>,
    /// Recall and precision of detecting outliers, threshold by threshold.
    pub precision_recall: Vec<[f64; 2]>,
    /// Ends of the bins of the histograms; the first and the last include everything beyond.
    pub bins: Vec<f64>,
    /// Nominals in each bin.
    pub nominals: Vec<usize>,
    /// Outliers in each bin.
    pub outliers: Vec<usize>,
    /// The smallest accepted score.
    pub boundary: f64,
    /// Counts at the model's own threshold.
    pub confusion: Confusion,
    /// The worst mistakes.
    pub mistakes: Vec<Mistake>,
}

/// Counts at the threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Confusion {
    /// Nominals that are accepted.
    pub nominals_accepted: usize,
    /// Nominals that are rejected: false alarms.
    pub nominals_rejected: usize,
    /// Outliers that are accepted: missed.
    pub outliers_accepted: usize,
    /// Outliers that are rejected: found.
    pub outliers_rejected: usize,
}

/// A decision that the label contradicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Mistake {
    /// The index of the sample in the report.
    pub sample: usize,
    /// Whether it is an accepted outlier; otherwise, it is a rejected nominal.
    pub is_missed: bool,
}

impl Labelled {
    /// From the decisions on new samples, which are preceded by `first` others in the report.
    pub(super) fn new(decisions: &[Decision], is_nominal: &[bool], first: usize, boundary: f64) -> Self {
        let mut order: Vec<usize> = (0..decisions.len()).collect();
        order.sort_by(|&a, &b| {
            (decisions[a].score + 0.0).total_cmp(&(decisions[b].score + 0.0)).then(a.cmp(&b))
        });
        let outliers = is_nominal.iter().filter(|n| !**n).count();
        let totals = [decisions.len() - outliers, outliers];
        let (mut roc, mut precision_recall) = (vec![[0.0, 0.0]], Vec::new());
        let (mut auc, mut average_precision) = (0.0, 0.0);
        let mut seen = [0usize; 2];
        for tied in
            order.chunk_by(|&a, &b| (decisions[a].score + 0.0).total_cmp(&(decisions[b].score + 0.0)).is_eq())
        {
            let found = tied.iter().filter(|&&i| !is_nominal[i]).count();
            let before = seen;
            seen = [seen[0] + tied.len() - found, seen[1] + found];
            auc += (seen[0] - before[0]) as f64 * (before[1] + seen[1]) as f64 / 2.0;
            let precision = seen[1] as f64 / (seen[0] + seen[1]) as f64;
            average_precision += found as f64 * precision;
            let share = |class: usize| seen[class] as f64 / totals[class] as f64;
            roc.push([share(0), share(1)]);
            precision_recall.push([share(1), precision]);
        }
        let (bins, counts) = histograms(decisions, is_nominal);
        let [nominals, outliers] = counts;
        Self {
            auc: auc / (totals[0] as f64 * totals[1] as f64),
            average_precision: average_precision / totals[1] as f64,
            roc: thinned(roc),
            precision_recall: thinned(precision_recall),
            bins,
            nominals,
            outliers,
            boundary,
            confusion: confusion(decisions, is_nominal),
            mistakes: mistakes(decisions, is_nominal, &order, first),
        }
    }
}

/// Points of a curve at roughly equal steps along it, including the ends.
fn thinned(curve: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    if curve.len() <= MAX_POINTS {
        return curve;
    }
    let length = |pair: &[[f64; 2]]| (pair[1][0] - pair[0][0]).abs() + (pair[1][1] - pair[0][1]).abs();
    let step = curve.windows(2).map(length).sum::<f64>() / MAX_POINTS as f64;
    let mut kept = vec![curve[0]];
    let mut along = 0.0;
    for pair in curve.windows(2) {
        along += length(pair);
        if along >= step {
            kept.push(pair[1]);
            along = 0.0;
        }
    }
    kept.extend(curve.last().filter(|_| along > 0.0));
    kept
}

/// Ends of the bins, and how many nominals and outliers are in each.
fn histograms(decisions: &[Decision], is_nominal: &[bool]) -> (Vec<f64>, [Vec<usize>; 2]) {
    let mut scores: Vec<f64> = decisions.iter().map(|d| d.score).filter(|s| s.is_finite()).collect();
    scores.sort_by(f64::total_cmp);
    let at =
        |share: f64| scores.get((share * (scores.len().max(1) - 1) as f64) as usize).copied().unwrap_or(0.0);
    // A far outlier would leave all others in one bin.
    let (low, high) = (at(0.02), at(1.0));
    let high = if high > low { high } else { low + 1.0 };
    let end = |i: usize| low + (high - low) * i as f64 / BINS as f64;
    let mut counts = [vec![0; BINS], vec![0; BINS]];
    for (decision, nominal) in decisions.iter().zip(is_nominal).filter(|(d, _)| d.score.is_finite()) {
        let place = ((decision.score - low) / (high - low) * BINS as f64).clamp(0.0, (BINS - 1) as f64);
        counts[usize::from(!nominal)][place as usize] += 1;
    }
    ((0..=BINS).map(end).collect(), counts)
}

fn confusion(decisions: &[Decision], is_nominal: &[bool]) -> Confusion {
    let count = |nominal: bool, accepted: bool| {
        let pairs = decisions.iter().zip(is_nominal);
        pairs.filter(|(d, n)| **n == nominal && d.accepted == accepted).count()
    };
    Confusion {
        nominals_accepted: count(true, true),
        nominals_rejected: count(true, false),
        outliers_accepted: count(false, true),
        outliers_rejected: count(false, false),
    }
}

/// The accepted outliers with the highest scores and the rejected nominals with the lowest, in turn.
fn mistakes(decisions: &[Decision], is_nominal: &[bool], order: &[usize], first: usize) -> Vec<Mistake> {
    let alarms = order.iter().filter(|&&i| is_nominal[i] && !decisions[i].accepted);
    let missed = order.iter().rev().filter(|&&i| !is_nominal[i] && decisions[i].accepted);
    let told = |is_missed: bool| move |&i: &usize| Mistake { sample: first + i, is_missed };
    let mut missed = missed.map(told(true)).take(MISTAKES);
    let mut alarms = alarms.map(told(false)).take(MISTAKES);
    let mut all = Vec::new();
    loop {
        let pair = [missed.next(), alarms.next()];
        if pair.iter().all(Option::is_none) || all.len() >= MISTAKES {
            all.truncate(MISTAKES);
            return all;
        }
        all.extend(pair.into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(score: f64) -> Decision {
        let mut decision = super::super::any_decision();
        (decision.score, decision.accepted) = (score, score >= 2.0);
        decision
    }

    #[test]
    fn matches_hand_computation() {
        // Nominals at 3, 2 and 1, outliers at 2 and 0: of six pairs, four and a half are in order.
        let scores = [3.0, 2.0, 1.0, 2.0, 0.0];
        let decisions: Vec<Decision> = scores.into_iter().map(decision).collect();
        let labelled = Labelled::new(&decisions, &[true, true, true, false, false], 10, 2.0);
        assert!((labelled.auc - 4.5 / 6.0).abs() < 1e-15);
        // Detected at ranks 1 and, tied with a nominal, 4: precisions 1 and 2/4.
        assert!((labelled.average_precision - 0.75).abs() < 1e-15);
        let expected = Confusion {
            nominals_accepted: 2,
            nominals_rejected: 1,
            outliers_accepted: 1,
            outliers_rejected: 1,
        };
        assert_eq!(labelled.confusion, expected);
        let mistakes: Vec<(usize, bool)> =
            labelled.mistakes.iter().map(|m| (m.sample, m.is_missed)).collect();
        assert_eq!(mistakes, [(13, true), (12, false)]);
        assert_eq!(labelled.nominals.iter().sum::<usize>(), 3);
        assert_eq!(labelled.outliers.iter().sum::<usize>(), 2);
    }

    #[test]
    fn long_curves_are_thinned_but_keep_their_ends() {
        let curve: Vec<[f64; 2]> =
            (0..=10_000).map(|i| [f64::from(i) / 1e4, (f64::from(i) / 1e4).sqrt()]).collect();
        let kept = thinned(curve.clone());
        assert!(kept.len() <= MAX_POINTS + 2);
        assert_eq!((kept.first(), kept.last()), (curve.first(), curve.last()));
    }

    #[test]
    fn one_class_only() {
        let decisions: Vec<Decision> = [1.0, 2.0].into_iter().map(decision).collect();
        let labelled = Labelled::new(&decisions, &[true, true], 0, 2.0);
        assert!(labelled.auc.is_nan() && labelled.mistakes.len() == 1);
    }
}
