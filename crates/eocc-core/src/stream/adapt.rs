//! The steps after an alarm: the change is dated, examined again when it has had time to settle, and reported or learned. Also the
//! answers to questions.

use std::ops::Range;

use super::change::{LASTS, change_point, unevenness, unlikeness};
use super::event::{Answer, Event, EventKind};
use super::live::{Live, Pending};
use super::regions::proposals;
use super::samples::{Member, Recent, Samples, push};
use super::{Policy, Question, Stream};
use crate::error::{Error, Result};
use crate::kinds::SampleKind;
use crate::model::Model;
use crate::observer::Silent;
use crate::params::Scoring;

/// Minimum number of samples of an earlier regime to remember it, to choose which of them stay, or to learn from them alone.
const MIN_CONCEPT: usize = 64;
/// Maximum number of windows of earlier regimes that are remembered.
const MAX_CONCEPTS: usize = 8;
/// An earlier sample stays if at least this fraction of the new samples is as odd.
const MIN_AS_ODD: f64 = 0.1;

impl<X: SampleKind> Stream<X> {
    /// Dates the change behind an alarm and reports it.
    pub(super) fn raise_alarm(&mut self, live: &mut Live<X>, own: &Samples<X>, measure: usize) -> u64 {
        let of = |recent: &Recent| {
            let rank = recent.ranks.get(measure)?;
            (recent.member.time >= live.watched.reset_at).then_some((recent.member.time, *rank))
        };
        let ranks: Vec<(u64, f64)> = own.recent.iter().filter_map(of).collect();
        let since = change_point(&ranks).unwrap_or(self.clock);
        let alarm = self.events.push(Event {
            measure: Some(live.watched.watch.name(measure).to_owned()),
            since: Some(since.saturating_sub(self.origin)),
            rejected: Some(rejected_since(own, since)),
            ..Event::new(EventKind::Alarm, self.seen())
        });
        live.pending = Some(Pending { measure, since, alarm });
        alarm
    }

    /// Decides on an alarm when that is due: whether the change behind it lasts, and whether it is reported or learned.
    pub(super) fn decide_pending(&mut self) -> Result<()> {
        let Some(live) = &mut self.live else { return Ok(()) };
        let Some(pending) = live.pending else { return Ok(()) };
        let (step, name) = (live.watched.step, live.watched.watch.name(pending.measure).to_owned());
        let patience = self.patience(step);
        if self.clock < pending.since + patience {
            return Ok(());
        }
        let from = pending.since.max(self.clock - patience / 2);
        let own = self.own_samples()?;
        let late = own.recent.iter().filter(|recent| recent.member.time >= from);
        let ranks: Vec<f64> = late.filter_map(|r| r.ranks.get(pending.measure).copied()).collect();
        let lasts = unevenness(ranks) >= LASTS;
        let event = Event {
            alarm: Some(pending.alarm),
            measure: Some(name),
            since: Some(pending.since.saturating_sub(self.origin)),
            rejected: self.samples.as_ref().map(|own| rejected_since(own, pending.since)),
            ..Event::new(if lasts { EventKind::Lasting } else { EventKind::Transient }, self.seen())
        };
        if let Some(live) = &mut self.live {
            live.pending = None;
        }
        let is_question = lasts && self.params.policy == Policy::Guard;
        let id = self.events.push(Event { is_question, ..event });
        if lasts && !is_question {
            return self.adapt(pending.since, Some(pending.alarm));
        }
        if is_question {
            let own = self.own_samples()?;
            let before: Vec<Member> =
                own.window.iter().copied().filter(|member| member.time < pending.since).collect();
            if before.len() >= MIN_CONCEPT {
                let before = own.select(before.into_iter())?;
                self.before.push((id, before));
            }
            self.open.push(Question { id, since: pending.since, times: Vec::new() });
            // If a stream keeps changing, only the latest questions can be answered.
            if self.open.len() > MAX_CONCEPTS {
                let old = self.open.remove(0);
                self.events.answer(old.id, Answer::Expired);
                self.before.retain(|(id, _)| *id != old.id);
            }
        }
        self.reset()
    }

    /// Restarts the ranks, with the latest samples but those of bursts, and the present model as reference. A burst would look like
    /// serial dependence, so that fewer samples enter the test, and like a mode that is gone afterwards.
    fn reset(&mut self) -> Result<()> {
        let bursts = self.bursts();
        let own = self.own_samples()?;
        let latest = own.recent.iter().map(|recent| recent.member);
        let is_typical = |member: &Member| !bursts.iter().any(|burst| burst.contains(&member.time));
        let latest: Vec<Member> = latest.filter(is_typical).collect();
        let latest = own.select(latest.into_iter())?;
        let Some(live) = &self.live else { return Ok(()) };
        let watched = self.watched(&live.model, &latest, &latest, live.watched.resets + 1)?;
        if let Some(live) = &mut self.live {
            live.watched = watched;
        }
        Ok(())
    }

    /// When changes came that did not last. They were over half of `settle` before that was decided.
    fn bursts(&self) -> Vec<Range<u64>> {
        let transient = self.events.list.iter().filter(|event| event.kind == EventKind::Transient);
        let over = |event: &Event| (self.origin + event.time).saturating_sub(self.params.settle as u64 / 2);
        transient.filter_map(|event| Some(self.origin + event.since?..over(event))).collect()
    }

    /// Learns a lasting change: from the samples since then, and from those of an earlier window, or of the old samples, that are
    /// like them.
    fn adapt(&mut self, since: u64, alarm: Option<u64>) -> Result<()> {
        let own = self.own_samples()?;
        let latest = own.recent.iter().map(|recent| recent.member);
        let new: Vec<Member> = latest.filter(|member| member.time >= since).collect();
        let old: Vec<Member> = own.window.iter().copied().filter(|member| member.time < since).collect();
        let (new_set, old_set) = (own.select(new.iter().copied())?, own.select(old.iter().copied())?);
        let recurred = self.recurring(&new_set)?;
        let kind = if recurred.is_some() { EventKind::Recurred } else { EventKind::Adapted };
        let before = Member { time: since.saturating_sub(1), row: 0 };
        let keep: Vec<Member> = if let Some(concept) = recurred {
            let concept = self.concepts.remove(concept);
            let own = self.own_samples()?;
            let first = own.append(concept);
            (first..own.next_row()).map(|row| Member { row, ..before }).collect()
        } else if old.len() >= MIN_CONCEPT {
            let stays = accepted_by(&self.fit(&new_set)?, &old_set)?;
            old.iter().zip(stays).filter(|(_, stays)| *stays).map(|(member, _)| *member).collect()
        } else {
            Vec::new()
        };
        if old.len() >= MIN_CONCEPT {
            self.concepts.push(old_set);
            let extra = self.concepts.len().saturating_sub(MAX_CONCEPTS);
            self.concepts.drain(..extra);
        }
        let size = self.params.window;
        let own = self.own_samples()?;
        own.window.clear();
        for member in keep.iter().chain(&new) {
            push(&mut own.window, *member, size);
        }
        own.quarantine.clear();
        self.events.push(Event {
            alarm,
            since: Some(since.saturating_sub(self.origin)),
            samples: Some(new.len()),
            kept: Some(keep.len()),
            ..Event::new(kind, self.seen())
        });
        for question in std::mem::take(&mut self.open) {
            self.events.answer(question.id, Answer::Expired);
        }
        self.before.clear();
        self.relearn()?;
        let Some(live) = &self.live else { return Ok(()) };
        let watched = self.watched(&live.model, &new_set, &new_set, live.watched.resets + 1)?;
        let calibration = self.seeded(&live.model, watched.step)?;
        if let Some(mut live) = self.live.take() {
            (live.calibration, live.watched, live.pending) = (calibration, watched, None);
            self.set_cap(&mut live);
            self.live = Some(live);
        }
        Ok(())
    }

    /// The earlier window that new samples are most similar to, if both may have the same distribution.
    fn recurring(&self, new: &X) -> Result<Option<usize>> {
        let Some(live) = &self.live else { return Ok(None) };
        let (watch, reference) = (&live.watched.watch, &live.watched.reference);
        let mut best: Option<(f64, usize)> = None;
        for (i, concept) in self.concepts.iter().enumerate() {
            let model = self.fit(concept)?;
            let usual: Vec<f64> = model.calibration().scores().to_vec();
            let mut unlike = unlikeness(&usual, &scores(&model, new)?);
            let (ours, theirs) = (watch.values(concept, reference)?, watch.values(new, reference)?);
            for (a, b) in ours.iter().zip(&theirs) {
                unlike = unlike.max(unlikeness(a, b));
            }
            if unlike < 1.0 && best.is_none_or(|b| unlike < b.0) {
                best = Some((unlike, i));
            }
        }
        Ok(best.map(|b| b.1))
    }

    /// Looks for new regions among the rejected samples. Under `follow` they are learned, otherwise each becomes a question.
    /// Returns whether any was learned.
    pub(super) fn propose(&mut self) -> Result<bool> {
        let Some(live) = &mut self.live else { return Ok(false) };
        if !std::mem::take(&mut live.has_rejected) {
            return Ok(false);
        }
        let own = self.own_samples()?;
        let members: Vec<Member> = own.quarantine.iter().copied().collect();
        let rejected = own.select(members.iter().copied())?;
        let times: Vec<u64> = members.iter().map(|member| member.time).collect();
        let Some(live) = &mut self.live else { return Ok(false) };
        let least_span = self.params.window as f64 / 8.0;
        let groups = proposals(&live.model, &rejected, &times, least_span, &mut live.reach)?;
        self.expire(&times);
        let mut has_learned = false;
        for group in groups {
            let own: Vec<u64> = group.iter().map(|&i| times[i]).collect();
            let known = self.open.iter_mut().find(|q| q.times.iter().any(|t| own.contains(t)));
            if let Some(question) = known {
                question.times = own;
                continue;
            }
            // Samples that an open question about a lasting change explains are not proposed as well.
            let explained = self.open.iter().filter(|q| q.times.is_empty()).map(|q| q.since).min();
            let late = |since: u64| own.iter().filter(|time| **time >= since).count();
            if explained.is_some_and(|since| 10 * late(since) >= 9 * own.len()) {
                continue;
            }
            let count = own.len();
            let is_question = self.params.policy == Policy::Guard;
            let since = own.iter().copied().min().unwrap_or(self.clock);
            let id = self.events.push(Event {
                since: Some(since.saturating_sub(self.origin)),
                samples: Some(count),
                is_question,
                ..Event::new(EventKind::Proposal, self.seen())
            });
            if is_question {
                self.open.push(Question { id, since, times: own });
            } else {
                self.release(&own, true);
                has_learned = true;
            }
        }
        Ok(has_learned)
    }

    /// Closes the proposals whose samples have all left the quarantine; `times` are those of the samples in quarantine.
    fn expire(&mut self, times: &[u64]) {
        let is_gone = |q: &Question| !q.times.is_empty() && !q.times.iter().any(|t| times.contains(t));
        for question in self.open.extract_if(.., |q| is_gone(q)) {
            self.events.answer(question.id, Answer::Expired);
        }
    }

    /// Removes the samples of these times from the quarantine; if they are nominal, they enter the window.
    fn release(&mut self, times: &[u64], nominal: bool) {
        let size = self.params.window;
        let Some(own) = &mut self.samples else { return };
        let (out, stay): (Vec<Member>, Vec<Member>) =
            own.quarantine.iter().copied().partition(|member| times.contains(&member.time));
        own.quarantine = stay.into();
        if nominal {
            for member in out {
                push(&mut own.window, member, size);
            }
        }
    }

    /// Answers a question: the lasting change or the proposed region is nominal, and is learned at once.
    pub fn confirm(&mut self, id: u64) -> Result<()> {
        let question = self.take_question(id)?;
        self.events.answer(id, Answer::Confirmed);
        if question.times.is_empty() {
            let alarm = self.events.get(id).and_then(|event| event.alarm);
            return self.adapt(question.since, alarm);
        }
        self.release(&question.times, true);
        self.relearn()
    }

    /// Answers a question: the lasting change or the proposed region is not nominal. Proposed samples are forgotten. So is
    /// everything learned since a change: the window from before is restored if it had at least 64 samples.
    pub fn dismiss(&mut self, id: u64) -> Result<()> {
        let question = self.take_question(id)?;
        self.events.answer(id, Answer::Dismissed);
        if !question.times.is_empty() {
            self.release(&question.times, false);
            return Ok(());
        }
        let before = self.before.iter().position(|(of, _)| *of == id).map(|at| self.before.remove(at).1);
        let since = question.since;
        let has_learned = self.learned_since(since.saturating_sub(self.origin)) > 0;
        let own = self.own_samples()?;
        own.quarantine.retain(|member| member.time < since);
        let Some(before) = before.filter(|_| has_learned) else { return Ok(()) };
        let time = since.saturating_sub(1);
        let first = own.append(before);
        own.window = (first..own.next_row()).map(|row| Member { time, row }).collect();
        self.relearn()
    }

    /// Number of samples in the window that came since a time.
    pub fn learned_since(&self, time: u64) -> usize {
        let since = self.origin + time;
        self.samples.as_ref().map_or(0, |own| own.window.iter().filter(|member| member.time >= since).count())
    }

    /// The events that wait for an answer, oldest first.
    pub fn questions(&self) -> impl Iterator<Item = &Event> {
        self.events.list.iter().filter(|event| event.is_open())
    }

    /// The times of the samples that an open proposal is about; nothing for other events.
    pub fn samples_of(&self, id: u64) -> Option<Vec<u64>> {
        let question = self.open.iter().find(|question| question.id == id && !question.times.is_empty())?;
        Some(question.times.iter().map(|time| time.saturating_sub(self.origin)).collect())
    }

    fn take_question(&mut self, id: u64) -> Result<Question> {
        if let Some(at) = self.open.iter().position(|question| question.id == id) {
            return Ok(self.open.remove(at));
        }
        let open: Vec<String> = self.open.iter().map(|question| question.id.to_string()).collect();
        let open =
            if open.is_empty() { "none is open".to_owned() } else { format!("open are {}", open.join(", ")) };
        let what = match self.events.get(id) {
            None => "there is no such event".to_owned(),
            Some(event) => match event.answer {
                Some(Answer::Confirmed) => "it was confirmed before".to_owned(),
                Some(Answer::Dismissed) => "it was dismissed before".to_owned(),
                Some(Answer::Expired) => "its samples are gone".to_owned(),
                None => format!("it is not a question, but of kind `{}`", event.kind.name()),
            },
        };
        Err(Error::input(format!("event {id} cannot be answered: {what}; {open}")))
    }
}

/// The share of rejected samples since a time.
fn rejected_since<X>(own: &Samples<X>, since: u64) -> f64 {
    let late = || own.recent.iter().filter(|recent| recent.member.time >= since);
    let rejected = late().filter(|recent| recent.rejected).count();
    rejected as f64 / late().count().max(1) as f64
}

/// The scores of samples by a model.
pub(super) fn scores<X: SampleKind>(model: &Model<X>, samples: &X) -> Result<Vec<f64>> {
    let decisions = model.decide_with(samples, Scoring::Fast, &Silent)?;
    Ok(decisions.iter().map(|decision| decision.score).collect())
}

/// For each of these samples, whether a model accepts it.
fn accepted_by<X: SampleKind>(model: &Model<X>, samples: &X) -> Result<Vec<bool>> {
    let usual = model.calibration().scores();
    let stays = |score: &f64| usual.partition_point(|s| s <= score) as f64 > MIN_AS_ODD * usual.len() as f64;
    Ok(scores(model, samples)?.iter().map(stays).collect())
}
