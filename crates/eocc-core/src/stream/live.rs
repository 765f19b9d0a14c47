//! The steps of a stream for each sample after warm-up: judge it, admit it to the window or not, watch for changes; and bring the
//! committee up to date.
//!
//! Between two refreshes the committee is frozen. A refresh gives the accepted samples the slots of those that have left the window
//! and updates the lists of neighbors. Once per window length, or when a column has moved, the window is fitted again like `fit`
//! does.

use super::adapt::scores;
use super::calibration::{Pace, Prequential, STEPS_PER_WINDOW, quota, unlearned_quota};
use super::quartiles::Quartiles;
use super::samples::{Member, Recent, Samples, push};
use super::watched::Watched;
use super::{MIN_REFRESH, MIN_WINDOW, Observed, Policy, Stream};
use crate::error::{Error, Result};
use crate::kinds::SampleKind;
use crate::knn::Arrival;
use crate::model::{CommitteeJudge, Judgment, Model, Newcomer, WindowCommittee, WindowJudged};
use crate::random::Random;

/// The window is fitted again after this many window lengths if comparisons are slow, as for strings: a fit compares all samples
/// with each other.
const SLOW_WINDOWS: usize = 4;

/// Number of blocks of a window, each of which is judged by the others, if samples are serially dependent.
const BLOCKS: usize = 4;

/// A stream that has warmed up.
pub(super) struct Live<X: SampleKind> {
    /// The model of the last fit.
    pub(super) model: Model<X>,
    /// Its committee, brought up to date at every refresh.
    pub(super) committee: WindowCommittee<X>,
    /// Whether there was a refresh since the last fit.
    pub(super) is_refreshed: bool,
    /// Facts about the arrivals since the last refresh, in their order.
    pub(super) arrived: Vec<Arrived>,
    /// The quartiles of the columns at the last fit.
    pub(super) quartiles: Quartiles,
    pub(super) calibration: Prequential,
    /// Observations between two refreshes, since the last refresh, and since the last fit.
    pub(super) every: usize,
    pub(super) since_refresh: usize,
    pub(super) since_relearn: usize,
    pub(super) watched: Watched<X>,
    /// The alarm that is being examined.
    pub(super) pending: Option<Pending>,
    /// A number of samples, and how close that many samples of a new region are; for the present model.
    pub(super) reach: Option<(usize, f64)>,
    /// Whether a sample was rejected since the last search for proposals.
    pub(super) has_rejected: bool,
}

/// Facts about a sample that has entered the window.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    region: u32,
    /// The facts for the lists of each view.
    lists: Vec<Arrival>,
}

/// An alarm whose change may or may not last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pending {
    pub(super) measure: usize,
    pub(super) since: u64,
    pub(super) alarm: u64,
}

/// Facts about a sample before it is taken.
struct Judged {
    member: Member,
    judgment: Judgment,
    arrived: Arrived,
    /// Its measures, if it enters the change test.
    values: Option<Vec<f64>>,
}

impl Arrived {
    fn new(judged: WindowJudged) -> Self {
        Self { region: judged.region, lists: judged.arrivals }
    }
}

impl<X: SampleKind> Live<X> {
    /// The committee's judgment of a sample, which includes its region.
    fn judgment(&self, judged: &WindowJudged) -> Judgment {
        let judge = self.model.judge::<CommitteeJudge<X>>();
        judge.map_or_else(Judgment::default, |judge| judge.judgment(judged.region, judged.oddity))
    }

    /// Judges samples that are to enter the window, so that their distances are known at the next refresh.
    pub(super) fn arrive(&mut self, samples: &X) -> Result<()> {
        let conformed = self.model.reference().conform(samples)?;
        let judged = self.committee.judge(&conformed.refs())?;
        self.arrived = judged.into_iter().map(Arrived::new).collect();
        Ok(())
    }
}

impl<X: SampleKind> Stream<X> {
    /// Takes samples until the next refresh, the end of `rows`, or a decision about an alarm. Returns how many were taken.
    pub(super) fn advance(&mut self, samples: &X, rows: &[usize], out: &mut Vec<Observed>) -> Result<usize> {
        let (Some(mut live), Some(mut own)) = (self.live.take(), self.samples.take()) else { return Ok(0) };
        let done = self.run(&mut live, &mut own, samples, rows, out);
        (self.live, self.samples) = (Some(live), Some(own));
        let done = done?;
        self.decide_pending()?;
        self.refresh_if_due()?;
        Ok(done)
    }

    fn run(
        &mut self,
        live: &mut Live<X>,
        own: &mut Samples<X>,
        samples: &X,
        rows: &[usize],
        out: &mut Vec<Observed>,
    ) -> Result<usize> {
        let most = live.every.saturating_sub(live.since_refresh).max(1);
        let patience = self.patience(live.watched.step);
        let until = |p: &Pending| (p.since + patience).saturating_sub(self.clock).max(1) as usize;
        let most = live.pending.as_ref().map_or(most, |pending| most.min(until(pending)));
        let mut part = samples.select(&rows[..rows.len().min(most)]);
        if self.params.impute && part.first_gap().is_some() {
            part = part.filled(live.model.reference())?;
        }
        let mut judged = {
            let conformed = live.model.conformed(&part)?;
            let refs = conformed.refs();
            live.model.check_all(&refs)?;
            live.committee.judge(&refs)?
        };
        let judgments: Vec<Judgment> = judged.iter().map(|judged| live.judgment(judged)).collect();
        let measured = live.watched.measure(&part, self.clock)?;
        if part.first_missing().is_some() {
            // The window must not have missing values.
            part = part.filled(live.model.reference())?;
            judged = live.committee.judge(&live.model.reference().conform(&part)?.refs())?;
        }
        let first = own.next_row();
        let mut done = 0;
        for ((judged, judgment), values) in judged.into_iter().zip(judgments).zip(measured) {
            let member = Member { time: self.clock, row: first + done as u32 };
            let arrived = Arrived::new(judged);
            out.push(self.take(live, own, Judged { member, judgment, arrived, values }));
            done += 1;
            self.clock += 1;
            live.since_refresh += 1;
            live.since_relearn += 1;
            if live.pending.is_some_and(|p| self.clock >= p.since + patience) {
                break;
            }
        }
        own.append(part.select(&(0..done).collect::<Vec<_>>()));
        Ok(done)
    }

    /// Takes one sample.
    fn take(&mut self, live: &mut Live<X>, own: &mut Samples<X>, judged: Judged) -> Observed {
        let Judged { member, judgment, arrived, values } = judged;
        let (window, oddity) = (self.params.window, -judgment.score);
        let n = live.calibration.len();
        let (rejected, unlearned) =
            (quota(&self.params.one_class, n), unlearned_quota(&self.params.one_class, n));
        let is_beyond =
            self.params.policy == Policy::Guard && live.calibration.is_beyond(oddity, member.time);
        let rank = live.calibration.rank(oddity);
        let rank = if is_beyond { rank.min(unlearned) } else { rank };
        let (accepted, learned) = (rank > rejected, rank > unlearned);
        live.calibration.push(oddity);
        let is_due = values.is_some();
        let ranks = values.map_or_else(Vec::new, |values| {
            live.watched.ranks(&values, self.params.one_class.seed, member.time)
        });
        let bets = if is_due && live.pending.is_none() { live.watched.detector.bet(&ranks) } else { None };
        push(&mut own.recent, Recent { member, rejected: !accepted, ranks }, window);
        if learned {
            push(&mut own.window, member, window);
            own.arrivals.push(member);
            live.arrived.push(arrived);
            if own.arrivals.len() > window {
                // It has left the window already.
                own.arrivals.remove(0);
                live.arrived.remove(0);
            }
        } else {
            push(&mut own.quarantine, member, (window / 4).max(64));
            live.has_rejected = true;
        }
        let alarm = bets.map(|measure| self.raise_alarm(live, own, measure));
        let observed = Observed {
            time: member.time - self.origin,
            score: judgment.score,
            membership: judgment.membership,
            p_value: rank as f64 / (n + 1) as f64,
            accepted,
            region: judgment.region,
            learned,
            alarm,
        };
        self.history.add(&observed, live.watched.detector.level());
        observed
    }

    /// Brings the committee up to date if that is due.
    fn refresh_if_due(&mut self) -> Result<()> {
        if self.live.as_ref().is_none_or(|live| live.since_refresh < live.every) {
            return Ok(());
        }
        let has_learned = self.propose()?;
        let is_due = self.live.as_ref().is_some_and(|live| {
            let windows = if live.committee.is_fast() { 1 } else { SLOW_WINDOWS };
            live.since_relearn >= windows * self.params.window
        });
        if has_learned || is_due || !self.refresh()? { self.relearn() } else { Ok(()) }
    }

    /// Takes the arrivals into the committee. Returns false if that is impossible, so that the window must be fitted again.
    fn refresh(&mut self) -> Result<bool> {
        let own = self.own_samples()?;
        own.compact()?;
        let Some(slots) = own.settle_arrivals() else { return Ok(false) };
        let members = own.slots.clone();
        let samples = own.select(members.into_iter())?;
        let every = self.refresh_every(samples.count());
        let Some(mut live) = self.live.take() else { return Ok(false) };
        let samples = live.model.reference().conform(&samples)?.into_owned();
        let has_moved = live.quartiles.have_moved(&samples);
        if !has_moved {
            let arrived = std::mem::take(&mut live.arrived);
            live.take_newcomers(samples, slots, arrived);
            (live.is_refreshed, live.every, live.since_refresh) = (true, every, 0);
            self.set_cap(&mut live);
        }
        self.live = Some(live);
        Ok(!has_moved)
    }

    /// Fits the window again, like `fit` does.
    pub(super) fn relearn(&mut self) -> Result<()> {
        let own = self.own_samples()?;
        own.compact()?;
        own.relearn();
        let window = own.window_set()?;
        let mut model = self.fit(&window)?;
        let committee = WindowCommittee::new(&mut model).ok_or_else(no_committee)?;
        let every = self.refresh_every(window.count());
        if let Some(mut live) = self.live.take() {
            (live.model, live.committee, live.quartiles) = (model, committee, Quartiles::new(&window));
            live.reach = None;
            live.arrived.clear();
            (live.is_refreshed, live.every, live.since_refresh, live.since_relearn) = (false, every, 0, 0);
            self.set_cap(&mut live);
            self.live = Some(live);
        }
        Ok(())
    }

    /// How many observations there are between two refreshes of a window of this size.
    pub(super) fn refresh_every(&self, window: usize) -> usize {
        self.params.refresh.unwrap_or((window / 8).max(MIN_REFRESH))
    }

    /// The calibration that starts with the leave-one-out oddities of a model. They are sorted, so they are replaced in random order.
    /// Under serial dependence, leaving out only one sample would keep similar ones next to it, so whole blocks are left out.
    pub(super) fn seeded(&self, model: &Model<X>, step: usize) -> Result<Prequential> {
        let is_dependent = step > STEPS_PER_WINDOW && model.reference().count() >= 2 * MIN_WINDOW;
        let mut oddities: Vec<f64> = if is_dependent {
            self.oddities_by_blocks(model.reference())?
        } else {
            model.calibration().scores().iter().map(|s| -s).collect()
        };
        Random::stream(self.params.one_class.seed, self.clock).shuffle(&mut oddities);
        let mut calibration = Prequential::seeded(self.params.window, oddities, self.clock, step);
        if self.params.one_class.contamination.is_none() {
            calibration.cap_first(unlearned_quota(&self.params.one_class, calibration.len()));
        }
        Ok(calibration)
    }

    /// The oddity of each sample by a model of the other blocks; samples are in temporal order.
    fn oddities_by_blocks(&self, samples: &X) -> Result<Vec<f64>> {
        let n = samples.count();
        let mut oddities = Vec::with_capacity(n);
        for block in 0..BLOCKS {
            let (own, others): (Vec<usize>, Vec<usize>) = (0..n).partition(|i| i * BLOCKS / n == block);
            let model = self.fit(&samples.select(&others))?;
            oddities.extend(scores(&model, &samples.select(&own))?.iter().map(|score| -score));
        }
        Ok(oddities)
    }

    pub(super) fn set_cap(&self, live: &mut Live<X>) {
        let quota = unlearned_quota(&self.params.one_class, live.calibration.len());
        let rise = self.params.policy.rise();
        live.calibration.set_cap(Pace { time: self.clock, every: live.every, rise, quota });
    }

    /// The number of observations after a change until the decision whether it lasts: at most two windows, since no more is
    /// remembered.
    pub(super) fn patience(&self, step: usize) -> u64 {
        self.params.settle.max((16 * step).min(2 * self.params.window)) as u64
    }
}

impl<X: SampleKind> Live<X> {
    /// Takes arrivals into the committee, each into its slot; those without one have left the window already.
    fn take_newcomers(&mut self, samples: X, slots: Vec<Option<usize>>, arrived: Vec<Arrived>) {
        let mut newcomers = Vec::with_capacity(slots.len());
        for (slot, arrived) in slots.into_iter().zip(arrived) {
            let Some(slot) = slot else { continue };
            newcomers.push(Newcomer { slot, region: arrived.region, arrivals: arrived.lists });
        }
        self.committee.replace(samples, &newcomers);
    }
}

/// The error for a model with another judge, which parameters exclude.
pub(super) fn no_committee() -> Error {
    Error::input("the stream's model is not a committee; use the preset `default`")
}
