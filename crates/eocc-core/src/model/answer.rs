//! How a model answers: its judge scores a sample, and the calibration turns the score into a decision.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::Model;
use super::judge::{Judge, Judgment};
use crate::decision::Decision;
use crate::error::{Error, ErrorKind, InputFault, Result};
use crate::observer::{Observer, Progress, Silent};
use crate::parallel;
use crate::params::{Scoring, Threshold};
use crate::sample::SampleSet;

/// Minimum and maximum number of samples judged together: larger batches reuse the training samples in cache; smaller
/// ones keep every thread busy.
const BATCH_SIZE: std::ops::RangeInclusive<usize> = 8..=128;

impl<X: SampleSet> Model<X> {
    /// Decides on one sample, on this thread, with the scoring set in the parameters.
    pub fn decide(&self, sample: &X::Item) -> Result<Decision> {
        let scoring = self.params().scoring;
        self.dissimilarity().check(sample)?;
        self.judge.prepare(scoring, &Silent)?;
        let judged = self.judge.judge(&[sample], scoring)?;
        Ok(self.decision(&judged.judgments[0]))
    }

    /// Decides on all of `samples`, in order.
    pub fn decide_all(&self, samples: &X) -> Result<Vec<Decision>> {
        self.decide_with(samples, self.params().scoring, &Silent)
    }

    /// Decides on all of `samples` with this scoring, reporting to the observer.
    pub fn decide_with(
        &self,
        samples: &X,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        self.decide_refs(&self.conformed(samples)?.refs(), scoring, observer)
    }

    /// Like [`decide_with`](Self::decide_with), but a sample that cannot be judged does not keep the others from being
    /// judged: it gets its own error. Only the few samples judged in a batch with it are judged again.
    pub fn decide_each(
        &self,
        samples: &X,
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Result<Decision>>> {
        let count = samples.count();
        let mut faults: Vec<Option<Error>> = Vec::new();
        let conformed = match self.conformed(samples) {
            Ok(all) => all,
            Err(fault) => {
                let alone = |i: usize| self.conformed(&samples.select(&[i])).err();
                faults = (0..count).map(alone).collect();
                let good: Vec<usize> = (0..count).filter(|&i| faults[i].is_none()).collect();
                if good.is_empty() {
                    return Ok(faults.into_iter().flatten().map(Err).collect());
                }
                // No single sample is at fault, only their combination.
                if good.len() == count {
                    return Err(fault);
                }
                Cow::Owned(self.conformed(&samples.select(&good))?.into_owned())
            }
        };
        faults.resize_with(count, || None);
        let mut refs = conformed.refs().into_iter();
        let mut good = Vec::with_capacity(refs.len());
        for fault in faults.iter_mut().filter(|fault| fault.is_none()) {
            let Some(sample) = refs.next() else { break };
            *fault = self.dissimilarity().check(sample).err();
            good.extend(fault.is_none().then_some(sample));
        }
        let judgments = judge_each(self.judge.as_ref(), &good, scoring, observer)?;
        let mut judgments = judgments.into_iter();
        let mut next = || judgments.next().unwrap_or_else(|| Ok(Judgment::default()));
        let decided = |fault: Option<Error>| match fault {
            Some(fault) => Err(fault),
            None => next().map(|judgment| self.decision(&judgment)),
        };
        Ok(faults.into_iter().map(decided).collect())
    }

    /// Decides on several sets in one pass, and fails if any of them cannot be judged.
    pub(crate) fn decide_together(
        &self,
        sets: &[&X],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<Decision>>> {
        let conformed: Vec<Cow<'_, X>> = sets.iter().map(|set| self.conformed(set)).collect::<Result<_>>()?;
        let refs: Vec<&X::Item> = conformed.iter().flat_map(|set| set.refs()).collect();
        let mut decisions = self.decide_refs(&refs, scoring, observer)?.into_iter();
        Ok(conformed.iter().map(|set| decisions.by_ref().take(set.count()).collect()).collect())
    }

    /// The samples in the form of the training samples. Fails if a value is missing and the measure does not accept
    /// missing values.
    pub(crate) fn conformed<'a>(&self, samples: &'a X) -> Result<Cow<'a, X>> {
        if !self.dissimilarity().properties().takes_missing {
            require_complete(samples)?;
        }
        self.reference().conform(samples)
    }

    /// Fails at the first sample that the measure is not defined for.
    pub(crate) fn check_all(&self, refs: &[&X::Item]) -> Result<()> {
        self.judge.reference().check_all(refs)
    }

    /// Like [`decide_all`](Self::decide_all), for borrowed samples, which must match the training samples in form.
    pub fn decide_refs(
        &self,
        refs: &[&X::Item],
        scoring: Scoring,
        observer: &dyn Observer,
    ) -> Result<Vec<Decision>> {
        let judgments = judge_all(self.judge.as_ref(), refs, scoring, observer)?;
        Ok(judgments.iter().map(|judgment| self.decision(judgment)).collect())
    }

    /// Decides on the training samples, each scored as if it were new, that is, without itself as a
    /// neighbor.
    pub fn training_decisions(&self) -> Vec<Decision> {
        self.judge.training().iter().map(|judgment| self.decision(judgment)).collect()
    }

    /// Like [`training_decisions`](Self::training_decisions), but each p-value is the fraction of training samples
    /// that are at least as extreme.
    pub fn ranked_decisions(&self) -> Vec<Decision> {
        let own = |judgment: &Judgment| {
            let p_value = self.calibration().p_value_of_own(judgment.score);
            // Tolerance for rounding errors in the comparison with the p-value.
            let expected = self.params().contamination.unwrap_or(0.0) + 1e-12;
            self.decision_by(judgment, p_value, expected)
        };
        self.judge.training().iter().map(own).collect()
    }

    /// The rejection threshold on p-values when it is derived from the contamination.
    pub(super) fn contamination_threshold(&self) -> f64 {
        self.calibration().share_of_lowest(self.params().contamination.unwrap_or(0.0))
    }

    fn decision(&self, judgment: &Judgment) -> Decision {
        self.decision_by(judgment, self.calibration().p_value(judgment.score), self.contamination_threshold())
    }

    /// The decision for this p-value. If the threshold comes from the contamination, p-values up to `expected` are
    /// rejected.
    fn decision_by(&self, judgment: &Judgment, p_value: f64, expected: f64) -> Decision {
        let &Judgment { score, membership, region, is_central } = judgment;
        let accepted = match self.params().threshold {
            Threshold::Percentile => is_central,
            Threshold::Reject(share) => p_value > share,
            Threshold::Contamination => p_value > expected,
        };
        Decision { score, membership, accepted, region, p_value }
    }
}

/// Judges samples on all threads, reporting to the observer. They must have the form of the training samples.
pub(super) fn judge_all<X: SampleSet>(
    judge: &dyn Judge<X>,
    refs: &[&X::Item],
    scoring: Scoring,
    observer: &dyn Observer,
) -> Result<Vec<Judgment>> {
    judge.reference().check_all(refs)?;
    in_batches(judge, refs, scoring, observer, |some| {
        let judged = judge.judge(some, scoring)?;
        Ok((judged.judgments, judged.measured))
    })
}

/// Like `judge_all`, for samples that the measure is defined for; those that cannot be judged have an error.
fn judge_each<X: SampleSet>(
    judge: &dyn Judge<X>,
    refs: &[&X::Item],
    scoring: Scoring,
    observer: &dyn Observer,
) -> Result<Vec<Result<Judgment>>> {
    in_batches(judge, refs, scoring, observer, |some| {
        let fault = match judge.judge(some, scoring) {
            Ok(judged) => return Ok((judged.judgments.into_iter().map(Ok).collect(), judged.measured)),
            Err(fault) => fault,
        };
        if fault.is_cancelled() {
            return Err(fault);
        }
        let mut all = (Vec::with_capacity(some.len()), 0);
        for one in some {
            let judged = judge.judge(&[one], scoring);
            all.1 += judged.as_ref().map_or(0, |judged| judged.measured);
            all.0.push(judged.map(|judged| judged.judgments.first().copied().unwrap_or_default()));
        }
        Ok(all)
    })
}

/// Applies a function to batches of samples on all threads, reporting to the observer. It returns a result per sample
/// and how many dissimilarities were computed.
fn in_batches<X: SampleSet, T: Send>(
    judge: &dyn Judge<X>,
    refs: &[&X::Item],
    scoring: Scoring,
    observer: &dyn Observer,
    judged: impl Fn(&[&X::Item]) -> Result<(Vec<T>, usize)> + Sync,
) -> Result<Vec<T>> {
    judge.prepare(scoring, observer)?;
    let threads = parallel::threads();
    let share = if threads == 1 { refs.len() } else { refs.len() / (4 * threads) };
    let size = share.clamp(*BATCH_SIZE.start(), *BATCH_SIZE.end());
    let (done, measured) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let order = judge.order(refs);
    let ordered: Vec<&X::Item> = order.iter().map(|&i| refs[i as usize]).collect();
    let batches: Vec<&[&X::Item]> = ordered.chunks(size).collect();
    let batch = |b: usize| {
        let some = batches[b];
        if observer.is_cancelled() {
            return Err(Error::from(ErrorKind::Cancelled));
        }
        let (results, count) = judged(some)?;
        measured.fetch_add(count, Ordering::Relaxed);
        let done = done.fetch_add(some.len(), Ordering::Relaxed) + some.len();
        observer.progress(&Progress::Stage { name: "scoring", done, total: refs.len() });
        Ok(results)
    };
    let results: Vec<Vec<T>> = parallel::try_map(batches.len(), 1, &batch)?;
    let mut in_place: Vec<Option<T>> = std::iter::repeat_with(|| None).take(refs.len()).collect();
    for (&i, result) in order.iter().zip(results.into_iter().flatten()) {
        in_place[i as usize] = Some(result);
    }
    if judge.spares_comparisons(scoring) {
        let pairs = refs.len() * judge.reference().samples().count();
        observer.progress(&Progress::Spared { measured: measured.into_inner(), pairs });
    }
    // A judge gives one judgment per sample.
    let all: Vec<T> = in_place.into_iter().flatten().collect();
    debug_assert_eq!(all.len(), refs.len());
    Ok(all)
}

/// Fails at the first missing value.
pub(crate) fn require_complete<X: SampleSet>(samples: &X) -> Result<()> {
    let Some((row, column)) = samples.first_missing() else { return Ok(()) };
    let name = samples.feature_names().get(column);
    let column = name.map_or_else(|| column.to_string(), |name| format!("`{name}`"));
    Err(InputFault::Missing { row, column }.into())
}
