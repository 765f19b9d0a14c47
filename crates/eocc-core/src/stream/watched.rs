//! The frozen state of the change test since its last reset: a reference model, the measures, their ranks and the bets on them.

use super::watch::Watch;
use super::{Bag, Detector, REFERENCE, Stream, thinning};
use crate::error::Result;
use crate::kinds::SampleKind;
use crate::model::Model;
use crate::observer::Silent;
use crate::params::Scoring;
use crate::random::lot;

/// The state of the change test.
pub(super) struct Watched<X: SampleKind> {
    pub(super) reference: Model<X>,
    pub(super) watch: Watch<X>,
    pub(super) bags: Vec<Bag>,
    pub(super) detector: Detector,
    /// Only every `step`-th observation enters the test.
    pub(super) step: usize,
    pub(super) reset_at: u64,
    /// How often it was reset before.
    pub(super) resets: u64,
}

impl<X: SampleKind> Watched<X> {
    /// The measures of samples from `time` on, the oddity first; `None` for samples that do not enter the test.
    pub(super) fn measure(&self, samples: &X, time: u64) -> Result<Vec<Option<Vec<f64>>>> {
        let is_due = |i: &usize| (time + *i as u64).is_multiple_of(self.step as u64);
        let due: Vec<usize> = (0..samples.count()).filter(is_due).collect();
        let mut measured = vec![None; samples.count()];
        if due.is_empty() {
            return Ok(measured);
        }
        let some = samples.select(&due);
        let decisions = self.reference.decide_with(&some, Scoring::Fast, &Silent)?;
        let values = self.watch.values(&some, &self.reference)?;
        for (at, (&i, decision)) in due.iter().zip(decisions).enumerate() {
            let others = values.iter().map(|values| values[at]);
            measured[i] = Some(std::iter::once(-decision.score).chain(others).collect());
        }
        Ok(measured)
    }

    /// The ranks of measures, which are put into the bags.
    pub(super) fn ranks(&mut self, values: &[f64], seed: u64, time: u64) -> Vec<f64> {
        let rank = |(j, (bag, value)): (usize, (&mut Bag, &f64))| {
            // The oddity and the other measures draw from different sequences.
            let (seed, number) = if j == 0 { (seed, 0) } else { (seed.wrapping_add(2), j as u64 - 1) };
            bag.rank(*value, lot(seed, time, number), lot(seed.wrapping_add(1), time, number))
        };
        self.bags.iter_mut().zip(values).enumerate().map(rank).collect()
    }
}

impl<X: SampleKind> Stream<X> {
    /// Resets the test: the present model becomes its reference, and the ranks of its measures start with `start`. Those of the
    /// oddity start empty: leave-one-out oddities are not exchangeable with those of new samples. Serial dependence is estimated
    /// on
    /// `consecutive`.
    pub(super) fn watched(
        &self,
        model: &Model<X>,
        start: &X,
        consecutive: &X,
        resets: u64,
    ) -> Result<Watched<X>> {
        let (n, size) = (model.reference().count(), model.reference().count().min(REFERENCE));
        let spaced: Vec<usize> = (0..size).map(|i| i * (n - 1) / (size - 1).max(1)).collect();
        let reference = self.fit(&model.reference().select(&spaced))?;
        let (watch, skipped) = Watch::new(start, &reference)?;
        let step = match self.params.step {
            Some(step) => step,
            None => thinning::first_uncorrelated_lag(&watch.values(consecutive, &reference)?),
        };
        let rows: Vec<usize> = (skipped..start.count()).step_by(step).collect();
        let values = watch.values(&start.select(&rows), &reference)?;
        let window = self.params.window;
        let of_measures = values.iter().map(|values| Bag::new(window, values));
        let bags = std::iter::once(Bag::new(window, &[])).chain(of_measures).collect();
        let detector = Detector::new(watch.weights(), self.params.alarm_rate, resets);
        Ok(Watched { reference, watch, bags, detector, step, reset_at: self.clock, resets })
    }
}
