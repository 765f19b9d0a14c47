//! The output of a stream: an answer for each sample, and events for people.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Maximum number of events that are stored, the latest ones: memory must not grow with the stream.
const MAX_EVENTS: usize = 1024;

/// The answer for one sample of a stream.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Observed {
    /// How many samples came before it.
    pub time: u64,
    /// Larger is more nominal. NaN while the stream warms up.
    pub score: f64,
    /// Degree of membership in its region, in [0, 1]. NaN while the stream warms up.
    pub membership: f64,
    /// Its rank among the latest samples when they were new. NaN while the stream warms up.
    pub p_value: f64,
    /// The hard decision.
    pub accepted: bool,
    /// The region that it is closest to, in the present model.
    pub region: usize,
    /// Whether it enters the window.
    pub learned: bool,
    /// The event of the alarm that it set off.
    pub alarm: Option<u64>,
}

impl Observed {
    /// The answer for a sample of the warm-up, which is learned without being judged.
    pub(super) fn warming_up(time: u64) -> Self {
        Self {
            time,
            score: f64::NAN,
            membership: f64::NAN,
            p_value: f64::NAN,
            accepted: true,
            region: 0,
            learned: true,
            alarm: None,
        }
    }
}

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// The stream has changed.
    Alarm,
    /// The latest samples no longer differ clearly in what set off an alarm: a burst, a false alarm, or a small change that is
    /// being learned.
    Transient,
    /// The change behind an alarm lasts. Under `guard`, a person must [confirm](super::Stream::confirm) it.
    Lasting,
    /// The lasting change returns to an earlier regime, whose model is restored.
    Recurred,
    /// The lasting change has been learned.
    Adapted,
    /// Many rejected samples are alike and keep coming: perhaps a new region.
    Proposal,
}

impl EventKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alarm => "alarm",
            Self::Transient => "transient",
            Self::Lasting => "lasting",
            Self::Recurred => "recurred",
            Self::Adapted => "adapted",
            Self::Proposal => "proposal",
        }
    }
}

/// How a question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It is nominal.
    Confirmed,
    /// It is not.
    Dismissed,
    /// The samples that it was about are gone.
    Expired,
}

/// Something that happened in a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Event {
    /// Its number, from 1.
    pub id: u64,
    /// How many samples had come.
    pub time: u64,
    /// The kind of the event.
    pub kind: EventKind,
    /// The alarm that it follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alarm: Option<u64>,
    /// The measure that changed: `oddity`, a column, or the distance to a landmark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<String>,
    /// Since when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<u64>,
    /// The fraction of samples rejected since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejected: Option<f64>,
    /// How many samples it is about: those that were newly learned, or those of a proposed region.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
    /// How many earlier samples stay in the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept: Option<usize>,
    /// Whether it is a question, to be confirmed or dismissed.
    pub is_question: bool,
    /// How it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
}

impl Event {
    pub(super) fn new(kind: EventKind, time: u64) -> Self {
        Self {
            id: 0,
            time,
            kind,
            alarm: None,
            measure: None,
            since: None,
            rejected: None,
            samples: None,
            kept: None,
            is_question: false,
            answer: None,
        }
    }

    /// Whether it waits for an answer.
    pub fn is_open(&self) -> bool {
        self.is_question && self.answer.is_none()
    }

    /// A sentence or two: what has happened, and what the user can do.
    pub fn advice(&self) -> String {
        let (measure, within) = match self.measure.as_deref() {
            None | Some("oddity") => ("samples as a whole".to_owned(), "as a whole".to_owned()),
            Some(name) => (format!("`{name}`"), format!("in `{name}`")),
        };
        let since = self.since.map_or_else(String::new, |t| format!(" since observation {t}"));
        let share = self.rejected.map_or_else(String::new, |share| {
            format!("; {:.1} % of the samples since then were rejected", 100.0 * share)
        });
        let (samples, kept) = (self.samples.unwrap_or(0), self.kept.unwrap_or(0));
        let id = self.id;
        match self.kind {
            EventKind::Alarm => {
                format!("{measure} changed{since}. A later event will say whether the change lasts.")
            }
            EventKind::Transient => {
                format!(
                    "the latest samples no longer differ clearly {within}, after the change{since}{share}. If it is still off, \
                     the stream is learning it."
                )
            }
            EventKind::Lasting if self.is_question => format!(
                "the change of {measure}{since} lasts{share}. Confirm {id} to learn it as nominal; dismiss {id} \
                 if it is a fault."
            ),
            EventKind::Lasting => format!("the change of {measure}{since} lasts{share}."),
            EventKind::Recurred => format!(
                "the stream returned to an earlier state: {kept} earlier samples were restored and {samples} new ones learned. \
                 No action is needed."
            ),
            EventKind::Adapted => format!(
                "the change was learned from {samples} new samples; {kept} earlier ones were kept. No action is needed."
            ),
            EventKind::Proposal if self.is_question => format!(
                "{samples} rejected samples{since} are similar. Confirm {id} if they are a new kind of nominal sample; dismiss \
                 {id} if not."
            ),
            EventKind::Proposal => {
                format!("{samples} rejected samples{since} are similar and were learned as a new region.")
            }
        }
    }
}

/// The events of a stream.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Events {
    pub(super) list: VecDeque<Event>,
    /// How many there were.
    pub(super) count: u64,
}

impl Events {
    /// Numbers an event and stores it.
    pub(super) fn push(&mut self, mut event: Event) -> u64 {
        self.count += 1;
        event.id = self.count;
        if self.list.len() >= MAX_EVENTS {
            self.list.pop_front();
        }
        self.list.push_back(event);
        self.count
    }

    pub(super) fn get(&self, id: u64) -> Option<&Event> {
        self.list.iter().find(|event| event.id == id)
    }

    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut Event> {
        self.list.iter_mut().find(|event| event.id == id)
    }

    /// Answers a question.
    pub(super) fn answer(&mut self, id: u64, answer: Answer) {
        if let Some(event) = self.get_mut(id) {
            event.answer = Some(answer);
        }
    }
}
