//! A committee that follows a window: samples come and go, and the committee is updated without refitting it.
//!
//! The scales and ranks that the measure has learned stay as they were when the committee was fitted. The lists of
//! neighbors are maintained (`knn/window.rs`), and the local scales and the reference scores follow from them. There
//! are no panels: they cannot be maintained.

use super::super::Model;
use super::super::reference::MAX_DISTANCE;
use super::scores::{self, Locality, SCORES};
use super::tail::{Changes, References};
use super::verdict::CLOSE;
use super::{CHANGE, CommitteeJudge, Member, Place};
use crate::dissimilarity::{Changed, Dissimilarity, Prepared};
use crate::error::{Error, Result};
use crate::kernel;
use crate::knn::{Arrival, WindowLists};
use crate::parallel;
use crate::sample::SampleSet;
use crate::select::NearestBuffer;

/// Samples judged by one task if distances are fast.
const GRAIN: usize = 64;

/// A committee and the samples in the slots of its window.
pub(crate) struct WindowCommittee<X: SampleSet> {
    samples: X,
    measure: Box<dyn Dissimilarity<X::Item>>,
    views: Vec<WindowView<X::Item>>,
    changed: Option<Changed<X::Item>>,
    changes: Changes,
    /// Whether the sample in a slot may be a neighbor: trimmed samples may not.
    counts: Vec<bool>,
    /// The slots whose samples may not.
    trimmed: Vec<usize>,
    /// The region of the sample in each slot.
    region_of: Vec<u32>,
    ring_size: usize,
    few: usize,
    recognizes_copies: bool,
    /// The oddities of the samples as fitted; `None` once some have been replaced.
    fitted: Option<Vec<f64>>,
    grain: usize,
}

/// One view of the window.
struct WindowView<S: ?Sized> {
    measure: Box<dyn Dissimilarity<S>>,
    prepared: Box<dyn Prepared<S>>,
    lists: WindowLists,
    /// With local scales by slot.
    member: Member,
    /// The scores of the sample in each slot.
    scores: Vec<[f64; SCORES]>,
}

/// The committee's result for a sample.
#[derive(Debug, Clone)]
pub(crate) struct WindowJudged {
    pub(crate) oddity: f64,
    /// The region of the nearest sample in the window.
    pub(crate) region: u32,
    /// Facts for the lists of each view, in case the sample enters the window.
    pub(crate) arrivals: Vec<Arrival>,
}

/// Buffers that are reused from sample to sample.
#[derive(Default)]
struct Buffers {
    row: Vec<f64>,
    nearest: NearestBuffer,
    placed: Vec<(Place, f64)>,
}

/// A sample that enters the window.
pub(crate) struct Newcomer {
    /// The slot it takes: that of a sample that has left, or the next free one.
    pub(crate) slot: usize,
    /// Its region.
    pub(crate) region: u32,
    /// Facts about it for the lists of each view.
    pub(crate) arrivals: Vec<Arrival>,
}

impl<X: SampleSet> WindowCommittee<X> {
    /// The committee of a model, whose training samples become the window; `None` if the model has another judge.
    pub(crate) fn new(model: &mut Model<X>) -> Option<Self> {
        let judge = model.judge_mut::<CommitteeJudge<X>>()?;
        let lists = std::mem::take(&mut judge.view_lists);
        let prepared = std::mem::take(&mut judge.view_prepared);
        let samples = judge.reference.samples.clone();
        let mut own = Self::build(judge, samples, None, prepared);
        own.fitted = Some(judge.committee.oddity.clone());
        if lists.len() == own.views.len() {
            for (view, lists) in own.views.iter_mut().zip(&lists) {
                view.lists.take(lists);
            }
        } else {
            own.rebuild_all();
        }
        Some(own)
    }

    /// Like `new`, for a window that has changed since the model was fitted: its samples by slot, whether each may be
    /// a neighbor, and its region.
    pub(crate) fn resume(
        model: &Model<X>,
        samples: X,
        counts: Vec<bool>,
        region_of: Vec<u32>,
    ) -> Option<Self> {
        let judge = model.judge::<CommitteeJudge<X>>()?;
        let mut own = Self::build(judge, samples, Some((counts, region_of)), Vec::new());
        own.rebuild_all();
        own.learn_scores();
        Some(own)
    }

    /// `prepared` are the samples prepared for each view, if they are at hand.
    fn build(
        judge: &CommitteeJudge<X>,
        samples: X,
        changed: Option<(Vec<bool>, Vec<u32>)>,
        prepared: Vec<Box<dyn Prepared<X::Item>>>,
    ) -> Self {
        let (committee, measure) = (&judge.committee, judge.reference.measure());
        let base = judge.reference.samples.refs();
        let (counts, region_of) = changed.unwrap_or_else(|| {
            let mut counts = vec![true; base.len()];
            committee.trimmed.iter().for_each(|&i| counts[i as usize] = false);
            (counts, committee.region_of.clone())
        });
        let refs = samples.refs();
        let needed = committee.ring_size.max(committee.few) + 1;
        let all = measure.views(&base);
        let mut prepared = if prepared.len() == all.len() { prepared } else { Vec::new() }.into_iter();
        let views: Vec<WindowView<X::Item>> = all
            .into_iter()
            .zip(&committee.members)
            .map(|(view, member)| WindowView {
                prepared: prepared.next().unwrap_or_else(|| view.measure.prepare(&refs)),
                measure: view.measure,
                lists: WindowLists::new(refs.len(), needed),
                member: by_slot(member, &committee.kept, refs.len()),
                scores: Vec::new(),
            })
            .collect();
        let is_fast = views.iter().all(|view| view.measure.is_cheap_per_row());
        let changed = measure.changed(&base);
        drop(refs);
        Self {
            samples,
            measure: measure.boxed(),
            views,
            changed,
            changes: committee.changes.clone(),
            trimmed: trimmed(&counts),
            counts,
            region_of,
            ring_size: committee.ring_size,
            few: committee.few,
            recognizes_copies: committee.recognizes_copies,
            fitted: None,
            grain: if is_fast { GRAIN } else { 1 },
        }
    }

    /// Whether distances are fast, like those of tables.
    pub(crate) fn is_fast(&self) -> bool {
        self.grain > 1
    }

    /// Whether each slot's sample may be a neighbor.
    pub(crate) fn counts(&self) -> &[bool] {
        &self.counts
    }

    /// The region of each slot's sample.
    pub(crate) fn regions(&self) -> &[u32] {
        &self.region_of
    }

    /// Judges samples by the current window.
    pub(crate) fn judge(&self, samples: &[&X::Item]) -> Result<Vec<WindowJudged>> {
        let buffers = || Buffers { row: vec![0.0; self.counts.len()], ..Buffers::default() };
        parallel::try_map_with(samples.len(), self.grain, &buffers, &|buffers, i| {
            self.judge_one(samples[i], buffers)
        })
    }

    fn judge_one(&self, one: &X::Item, buffers: &mut Buffers) -> Result<WindowJudged> {
        let n = self.counts.len();
        let Buffers { row, nearest, placed } = buffers;
        let (mut squares, mut region) = (0.0, 0);
        let tells_copies = self.measure.is_copy(one, one).is_some();
        let close = if tells_copies { CLOSE } else { 0.0 };
        let mut copies: Vec<usize> = Vec::new();
        let mut arrivals = Vec::with_capacity(self.views.len());
        for (v, view) in self.views.iter().enumerate() {
            view.prepared.fill(one, 0..n, row);
            check(row)?;
            let arrival = view.lists.arrival(row, &self.trimmed, nearest);
            placed.clear();
            let near = arrival.nearest().iter().take(self.ring_size.max(self.few));
            placed.extend(near.map(|&(slot, d)| (Place(slot), d)));
            let scores = scores::scores(placed, self.ring_size, self.few, &view.member.locality);
            squares += view.member.weight * view.member.squares(&scores);
            if v == 0 {
                let first = arrival.nearest().first();
                region = self.region_of[first.map_or(0, |n| n.0 as usize)];
                let is_copy = |slot: &usize| {
                    row[*slot] <= close
                        && self.measure.is_copy(one, self.samples.sample(*slot)).unwrap_or(true)
                };
                // If the nearest is not close, only trimmed samples may be.
                copies = if first.is_some_and(|n| n.1 <= close) {
                    (0..n).filter(is_copy).collect()
                } else {
                    self.trimmed.iter().copied().filter(is_copy).collect()
                };
            } else if !tells_copies {
                copies.retain(|slot| row[*slot] <= close);
            }
            arrivals.push(arrival);
        }
        let copy = copies.first().copied().filter(|_| self.recognizes_copies);
        if let Some(slot) = copy {
            region = self.region_of[slot];
        }
        let oddity = copy.map_or_else(|| self.combined(squares, one), |slot| self.oddity_of(slot));
        Ok(WindowJudged { oddity, region, arrivals })
    }

    /// The oddity from the weighted squares of all tails.
    fn combined(&self, squares: f64, one: &X::Item) -> f64 {
        let weights: f64 = self.views.iter().map(|view| view.member.weight).sum();
        let changed = self
            .changed
            .as_ref()
            .map_or(0.0, |changed| CHANGE * changed.weight * self.changes.tail((changed.of)(one).len()));
        (squares / weights).sqrt() + changed
    }

    /// The oddity of a sample in the window, as if it were new.
    fn oddity_of(&self, slot: usize) -> f64 {
        if let Some(fitted) = &self.fitted {
            return fitted[slot];
        }
        let of_view = |view: &WindowView<X::Item>| {
            let own = &view.scores[slot];
            let member = &view.member;
            member.weight
                * if self.counts[slot] { member.squares_in_place_of(own, own) } else { member.squares(own) }
        };
        self.combined(self.views.iter().map(of_view).sum(), self.samples.sample(slot))
    }

    /// Puts newcomers into their slots. `samples` is the whole window by slot, after the change.
    pub(crate) fn replace(&mut self, samples: X, newcomers: &[Newcomer]) {
        let (before, n) = (self.counts.len(), samples.count());
        self.counts.resize(n, true);
        self.region_of.resize(n, 0);
        for newcomer in newcomers {
            self.counts[newcomer.slot] = true;
            self.region_of[newcomer.slot] = newcomer.region;
        }
        self.trimmed = trimmed(&self.counts);
        self.samples = samples;
        let refs = self.samples.refs();
        let slots: Vec<usize> = newcomers.iter().map(|newcomer| newcomer.slot).collect();
        let arrived: Vec<&X::Item> = slots.iter().map(|slot| refs[*slot]).collect();
        let grain = self.grain;
        let (mut row, mut buffer) = (vec![0.0; n], NearestBuffer::default());
        for (v, view) in self.views.iter_mut().enumerate() {
            let is_replaced =
                n == before && newcomers.iter().all(|new| view.prepared.replace(new.slot, refs[new.slot]));
            if !is_replaced {
                view.prepared = view.measure.prepare(&refs);
            }
            let prepared = view.prepared.some(&slots).unwrap_or_else(|| view.measure.prepare(&arrived));
            let between: Vec<Vec<f64>> = parallel::map(arrived.len(), grain, &|i| {
                let mut row = vec![0.0; i];
                prepared.fill_prepared(i, arrived[i], 0..i, &mut row);
                row
            });
            let arrivals: Vec<(usize, &Arrival)> =
                newcomers.iter().map(|new| (new.slot, &new.arrivals[v])).collect();
            view.lists.exchange(n, &arrivals, &between);
            for (slot, sample) in refs.iter().enumerate() {
                if view.lists.is_short(slot) {
                    view.prepared.fill(sample, 0..n, &mut row);
                    row[slot] = f64::INFINITY;
                    view.lists.build(slot, &mut row, &self.trimmed, &mut buffer);
                }
            }
        }
        drop(refs);
        self.fitted = None;
        self.learn_scores();
    }

    /// Rebuilds the lists of all samples by brute force.
    fn rebuild_all(&mut self) {
        let refs = self.samples.refs();
        let n = refs.len();
        for view in &mut self.views {
            let prepared = &view.prepared;
            let rows: Vec<Vec<f64>> = parallel::map(n, self.grain, &|slot| {
                let mut row = vec![0.0; n];
                prepared.fill(refs[slot], 0..n, &mut row);
                row
            });
            for (slot, mut row) in rows.into_iter().enumerate() {
                row[slot] = f64::INFINITY;
                view.lists.build(slot, &mut row, &self.trimmed, &mut NearestBuffer::default());
            }
        }
    }

    /// Learns local scales and reference scores from the lists.
    fn learn_scores(&mut self) {
        let (ring_size, few, counts) = (self.ring_size, self.few, &self.counts);
        let kept: Vec<usize> = (0..counts.len()).filter(|slot| counts[*slot]).collect();
        for view in &mut self.views {
            let lists = &view.lists;
            let mean = |slot: &usize| {
                let near = lists.nearest(*slot).iter().take(ring_size);
                near.map(|n| n.1.min(MAX_DISTANCE) / ring_size as f64).sum()
            };
            let locality = Locality::from_ring_means(kept.iter().map(mean).collect());
            view.member.locality = spread(&locality, kept.iter().copied(), counts.len());
            let locality = &view.member.locality;
            let mut placed: Vec<(Place, f64)> = Vec::with_capacity(ring_size.max(few));
            let scores = |slot: usize| {
                placed.clear();
                let near = lists.nearest(slot).iter().take(ring_size.max(few));
                placed.extend(near.map(|&(slot, d)| (Place(slot), d.min(MAX_DISTANCE))));
                scores::scores(&placed, ring_size, few, locality)
            };
            let all: Vec<[f64; SCORES]> = (0..counts.len()).map(scores).collect();
            view.member.references =
                std::array::from_fn(|s| References::new(kept.iter().map(|&slot| all[slot][s]).collect()));
            view.scores = all;
        }
    }
}

/// A fitted view with local scales by slot instead of by place among the kept.
fn by_slot(member: &Member, kept: &[u32], n: usize) -> Member {
    let kept = kept.iter().map(|&i| i as usize);
    Member { locality: spread(&member.locality, kept, n), ..member.clone() }
}

/// Local scales by slot. Those of trimmed samples are never read.
fn spread(locality: &Locality, kept: impl Iterator<Item = usize>, n: usize) -> Locality {
    let mut weights = vec![1.0; n];
    for (slot, weight) in kept.zip(&locality.weights) {
        if let Some(own) = weights.get_mut(slot) {
            *own = *weight;
        }
    }
    Locality { unit: locality.unit, weights }
}

/// The slots whose samples may not be neighbors.
fn trimmed(counts: &[bool]) -> Vec<usize> {
    (0..counts.len()).filter(|slot| !counts[*slot]).collect()
}

/// Fails if a distance is negative or not a number.
fn check(row: &[f64]) -> Result<()> {
    if kernel::are_distances(row) {
        return Ok(());
    }
    match row.iter().find(|d| d.is_nan() || **d < 0.0) {
        None => Ok(()),
        Some(d) => Err(Error::input(format!(
            "a dissimilarity to a sample of the window is {d}, but must not be negative or NaN"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;
    use crate::kinds::SampleKind;
    use crate::knn::{nearest, without};
    use crate::observer::Silent;
    use crate::params::OneClass;
    use crate::params::Preset;
    use crate::random::Random;
    use crate::sample::{Texts, Vectors};

    fn fitted<X: SampleKind>(samples: &X) -> Model<X> {
        let measure = X::measure(Preset::Default, None, &Settings::default()).unwrap();
        OneClass::default().contamination(0.01).fit_without_panels(samples, measure, &Silent).unwrap()
    }

    fn rows(n: usize, seed: u64) -> Vec<[f64; 3]> {
        let mut random = Random::new(seed);
        // A rounded column, so that distances tie.
        (0..n).map(|_| [random.normal(), 5.0 * random.normal(), (2.0 * random.normal()).round()]).collect()
    }

    /// The nearest of every slot, as maintained and by brute force.
    fn require_exact_lists<X: SampleSet>(committee: &WindowCommittee<X>) {
        let n = committee.counts.len();
        let needed = committee.ring_size.max(committee.few) + 1;
        for (v, view) in committee.views.iter().enumerate() {
            for slot in 0..n {
                let mut row = vec![0.0; n];
                view.prepared.fill(committee.samples.sample(slot), 0..n, &mut row);
                row[slot] = f64::INFINITY;
                let want = without(&mut row, &committee.trimmed, |row| nearest(row, needed, None));
                assert_eq!(&view.lists.nearest(slot)[..needed], want, "view {v}, slot {slot}");
            }
        }
    }

    #[test]
    fn a_fresh_committee_says_what_its_model_says() {
        let train = Vectors::from_rows(&rows(150, 1)).unwrap();
        let mut model = fitted(&train);
        let committee = WindowCommittee::new(&mut model).unwrap();
        require_exact_lists(&committee);
        // New samples, and two from the training set.
        let test = Vectors::from_rows(&[rows(50, 2), rows(2, 1)].concat()).unwrap();
        let judged = committee.judge(&test.refs()).unwrap();
        for (decision, judged) in model.decide_all(&test).unwrap().iter().zip(judged) {
            assert_eq!(decision.score.to_bits(), (-judged.oddity).to_bits());
            assert_eq!(decision.region, judged.region as usize);
        }
    }

    /// Replaces a few samples at a time for many steps; lists must equal those of brute force, and resuming must
    /// change nothing.
    #[test]
    fn lists_stay_exact_as_samples_come_and_go() {
        let mut window = rows(120, 3);
        let mut model = fitted(&Vectors::from_rows(&window).unwrap());
        let mut committee = WindowCommittee::new(&mut model).unwrap();
        let mut random = Random::new(4);
        let probe = Vectors::from_rows(&rows(20, 5)).unwrap();
        for step in 0..700 {
            let arrivals = rows(15, 100 + step);
            let refs = Vectors::from_rows(&arrivals).unwrap();
            let judged = committee.judge(&refs.refs()).unwrap();
            let first = random.below(100);
            // The window grows at times.
            let slot = |i: usize| if step % 100 == 7 && i == 14 { window.len() } else { first + i };
            let slots: Vec<usize> = (0..15).map(slot).collect();
            for (&slot, arrival) in slots.iter().zip(&arrivals) {
                if slot == window.len() { window.push(*arrival) } else { window[slot] = *arrival }
            }
            let newcomer = |(slot, judged): (&usize, WindowJudged)| Newcomer {
                slot: *slot,
                region: judged.region,
                arrivals: judged.arrivals,
            };
            let newcomers: Vec<Newcomer> = slots.iter().zip(judged).map(newcomer).collect();
            let samples = Vectors::from_rows(&window).unwrap();
            committee.replace(samples.clone(), &newcomers);
            if step % 70 == 0 || step == 699 {
                require_exact_lists(&committee);
                let (counts, regions) = (committee.counts.clone(), committee.region_of.clone());
                let resumed = WindowCommittee::resume(&model, samples, counts, regions).unwrap();
                let bits = |c: &WindowCommittee<Vectors>| -> Vec<u64> {
                    c.judge(&probe.refs()).unwrap().iter().map(|j| j.oddity.to_bits()).collect()
                };
                assert_eq!(bits(&committee), bits(&resumed), "step {step}");
            }
        }
    }

    #[test]
    fn strings_are_followed_too() {
        let mut random = Random::new(6);
        let mut words = |n: usize| -> Vec<String> {
            (0..n)
                .map(|_| (0..4 + random.below(5)).map(|_| ["a", "b", "c"][random.below(3)]).collect())
                .collect()
        };
        let mut window = words(80);
        let mut model = fitted(&Texts::new(window.clone()).unwrap());
        let mut committee = WindowCommittee::new(&mut model).unwrap();
        for _ in 0..30 {
            let arrivals = words(10);
            let texts = Texts::new(arrivals.clone()).unwrap();
            let judged = committee.judge(&texts.refs()).unwrap();
            let newcomers: Vec<Newcomer> = (20..30)
                .zip(judged)
                .map(|(slot, j)| Newcomer { slot, region: j.region, arrivals: j.arrivals })
                .collect();
            window[20..30].clone_from_slice(&arrivals);
            committee.replace(Texts::new(window.clone()).unwrap(), &newcomers);
        }
        require_exact_lists(&committee);
    }
}
