//! What the views learn of a table: of each column of numbers its sorted values, of each category how often each of its
//! levels occurs. All scales follow from these.
//!
//! Numbers are counted from the middle of their column, in units of half its width, before anything is squared: columns of
//! 1e200, of 1e-300, and of 1e9 with differences of 1 are as good as any other. Half of everything, since the width of a
//! column may be too large for a number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::TableRow;
use crate::parallel;
use crate::sample::ColumnKind;
use crate::sorted::Sorted;
use crate::stats::normal_quantile;

/// Deviations of a Gaussian between its quartiles.
const QUARTILES: f64 = 1.349;
/// Columns may share a unit whose deviations differ by no more than this factor from the next.
const SAME_UNIT: f64 = 10.0;
/// If values are missing at random, and so many of a column on average, hardly any column is complete by chance.
const SURE: usize = 3;
/// A cell that holds a level.
const PRESENT: usize = 0;
/// A cell of numbers that holds nothing.
const MISSING: usize = 1;
/// A cell of an ordered category that holds a level unknown in training.
const UNKNOWN: usize = 2;

/// The columns of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Columns {
    pub(super) rows: usize,
    /// The two largest numbers of values that training samples lack.
    pub(super) most_missing: [usize; 2],
    pub(super) all: Vec<Column>,
    /// How many columns have numbers, and how many have levels.
    pub(super) numbers: usize,
    pub(super) levels: usize,
    /// How many values training samples lack.
    total_missing: usize,
    /// The largest deviation among the columns of each [group](Number::group).
    largest_deviations: Vec<f64>,
}

/// Which missing values of a row are as usual: none, if it lacks more than any training sample; else those that others lack,
/// too; and all, where so little is missing in training that a column is complete by chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowance {
    Nothing,
    WhatOthersLack,
    Anything,
}

/// One column: numbers, levels, or numbers of which some may be missing, which is a level each.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Column {
    pub(super) number: Option<Number>,
    pub(super) levels: Option<Levels>,
}

/// A column of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Number {
    /// The numbers of the training samples, ascending.
    pub(super) sorted: Sorted,
    /// One of them in the middle.
    pub(super) origin: f64,
    /// Half of the largest difference to it; 1 if all are equal. Lengths below are in twice this unit.
    pub(super) half_unit: f64,
    pub(super) mean: f64,
    /// Sum of the squared differences to the mean.
    pub(super) squares: f64,
    /// How many are different.
    pub(super) distinct: usize,
    pub(super) scales: Scales,
    /// What the half-way view divides by, in the column's own unit.
    pub(super) half_way: f64,
    /// The group of columns that may share a unit with this one; `None` where only places count.
    pub(super) group: Option<usize>,
    /// The normal score of each place, by twice the number of training values below it.
    pub(super) scores: Arc<[f64]>,
}

/// What numbers are measured by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scales {
    /// Whether only the place of a number counts: there are no more than two.
    pub(super) is_ranked: bool,
    pub(super) deviation: f64,
    /// By quartiles, but no less than half the deviation; 0 where all numbers are equal.
    pub(super) robust: f64,
    /// The median, where a missing number is taken to be.
    pub(super) center: f64,
}

/// A column of levels: how often each occurs. A level that never occurs is unlike all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    pub(super) counts: Vec<usize>,
    /// By how much the normal scores of having a level and not having it differ.
    pub(super) gaps: Vec<f64>,
    /// The most frequent level, the first of several; of numbers, that there is one.
    usual: usize,
    /// The same of all but that one.
    next_usual: usize,
    is_of_numbers: bool,
    is_ordered: bool,
}

impl Columns {
    /// How many columns vary, where all of them hold numbers and no training sample lacks one.
    pub(super) fn count_of_complete_numbers(&self) -> Option<usize> {
        let is_complete =
            |c: &Column| c.number.is_some() && c.levels.as_ref().is_none_or(Levels::are_all_present);
        let varying = || self.all.iter().filter(|c| c.varies()).count();
        self.all.iter().all(is_complete).then(varying)
    }

    /// Learns from rows of one table.
    pub(super) fn learn<S: ?Sized + TableRow>(samples: &[&S]) -> Self {
        let kinds = samples.first().and_then(|s| s.kinds());
        let features = samples.first().map_or(0, |s| s.cells().len());
        let learn_column = |f: usize| {
            let kind = kinds.map(|kinds| &kinds[f].kind);
            let mut levels = kind.map(Levels::of);
            if let Some(levels) = &mut levels {
                for s in samples {
                    let code = levels.code(s.cells()[f]);
                    levels.counts[code] += 1;
                }
            }
            let is_number = matches!(
                kind,
                None | Some(ColumnKind::Number | ColumnKind::Date(_) | ColumnKind::Ordered(_))
            );
            let is_present = |v: &f64| !v.is_nan() && levels.as_ref().is_none_or(|l| l.code(*v) == PRESENT);
            let number: Option<Vec<f64>> =
                is_number.then(|| samples.iter().map(|s| s.cells()[f]).filter(is_present).collect());
            (number, levels)
        };
        let learned = parallel::map(features, 1, &learn_column);
        let mut columns = Self::new(samples.len(), [0; 2], learned);
        let mut missing = parallel::map(samples.len(), 4096, &|i| columns.missing(samples[i].cells()));
        missing.sort_unstable_by(|a, b| b.cmp(a));
        columns.most_missing = [0, 1].map(|i| missing.get(i).copied().unwrap_or(0));
        columns
    }

    /// How many values a row lacks.
    pub(super) fn missing(&self, cells: &[f64]) -> usize {
        let is_missing = |(column, cell): &(&Column, &f64)| match &column.levels {
            Some(levels) => levels.code(**cell) == levels.missing(),
            None => cell.is_nan(),
        };
        self.all.iter().zip(cells).filter(is_missing).count()
    }

    /// What may be missing from a row of new cells.
    pub(super) fn allowance(&self, cells: &[f64]) -> Allowance {
        self.allowed(self.missing(cells) > self.most_missing[0], 0)
    }

    /// The same of a training sample, beside all others.
    pub(super) fn allowance_beside_others(&self, cells: &[f64]) -> Allowance {
        let missing = self.missing(cells);
        // If it is the one that lacks most, the others lack no more than the second.
        self.allowed(missing > self.most_missing[1], missing)
    }

    fn allowed(&self, lacks_too_much: bool, left_out: usize) -> Allowance {
        let total = self.total_missing - left_out;
        match lacks_too_much {
            true => Allowance::Nothing,
            // By chance a column may be complete where others are not.
            false if total > 0 && total < SURE * self.all.len() => Allowance::Anything,
            false => Allowance::WhatOthersLack,
        }
    }

    /// From the numbers and counts of each column; what is derived is derived here.
    pub(super) fn new(
        rows: usize,
        most_missing: [usize; 2],
        columns: Vec<(Option<Vec<f64>>, Option<Levels>)>,
    ) -> Self {
        let mut tables = Tables::default();
        let scores: Vec<Option<Arc<[f64]>>> =
            columns.iter().map(|(number, _)| number.as_ref().map(|values| tables.of(values.len()))).collect();
        let columns: Vec<Mutex<_>> = columns.into_iter().map(Mutex::new).collect();
        let column = |f: usize| {
            let (number, levels): (Option<Vec<f64>>, Option<Levels>) =
                std::mem::take(&mut *columns[f].lock().unwrap_or_else(PoisonError::into_inner));
            let number = number.zip(scores[f].clone());
            Column {
                number: number.map(|(values, scores)| Number::of(Sorted::new(values), scores)),
                levels: levels.map(|levels| levels.with_gaps(rows)),
            }
        };
        let mut all: Vec<Column> = parallel::map(columns.len(), 1, &column);
        let largest_deviations = group_by_unit(&mut all);
        let deviations = |c: &Column| c.number.as_ref().map(|n| (n.group, n.scales.is_ranked, n.deviation()));
        let common = common_scales(all.iter().filter_map(deviations), &largest_deviations);
        for number in all.iter_mut().filter_map(|c| c.number.as_mut()) {
            number.half_way = half_way(number.deviation(), number.group.map_or(1.0, |g| common[g]));
        }
        let count = |is: fn(&Column) -> bool| all.iter().filter(|c| is(c)).count();
        let (numbers, levels) = (count(|c| c.number.is_some()), count(|c| c.levels.is_some()));
        let missing = |c: &Column| c.levels.as_ref().map_or(0, |l| l.counts[l.missing()]);
        let total_missing = all.iter().map(missing).sum();
        Self { rows, most_missing, all, numbers, levels, total_missing, largest_deviations }
    }

    /// The common scale of each group if its columns had these deviations; and whether they are ranked.
    pub(super) fn common_scales(
        &self,
        deviations: impl Iterator<Item = (Option<usize>, bool, f64)>,
    ) -> Vec<f64> {
        common_scales(deviations, &self.largest_deviations)
    }
}

/// Puts columns that may share a unit into one group: in the order of their deviations, a group ends where the next is more than
/// [`SAME_UNIT`] times as large. Returns the largest deviation of each.
fn group_by_unit(columns: &mut [Column]) -> Vec<f64> {
    let numbers = columns.iter_mut().filter_map(|c| c.number.as_mut());
    let mut measured: Vec<&mut Number> = numbers.filter(|n| !n.scales.is_ranked).collect();
    measured.sort_by(|a, b| a.deviation().total_cmp(&b.deviation()));
    let mut largest: Vec<f64> = Vec::new();
    for number in measured {
        let deviation = number.deviation();
        match largest.last_mut() {
            Some(last) if deviation <= SAME_UNIT * *last => *last = deviation,
            _ => largest.push(deviation),
        }
        number.group = Some(largest.len() - 1);
    }
    largest
}

/// The root of the mean squared deviation of the columns of each group that are not ranked; 1 without any. Deviations are divided
/// by the `largest` of their group before they are squared.
fn common_scales(deviations: impl Iterator<Item = (Option<usize>, bool, f64)>, largest: &[f64]) -> Vec<f64> {
    let mut sums = vec![(0.0, 0.0); largest.len()];
    for (group, is_ranked, deviation) in deviations {
        if let Some(group) = group.filter(|_| !is_ranked) {
            sums[group].0 += (deviation / largest[group]).powi(2);
            sums[group].1 += 1.0;
        }
    }
    let scale = |((sum, count), largest): (&(f64, f64), &f64)| {
        let scale = largest * (sum / count).sqrt();
        if scale > 0.0 { scale } else { 1.0 }
    };
    sums.iter().zip(largest).map(scale).collect()
}

/// Half-way between a column's own deviation and the common scale.
pub(super) fn half_way(deviation: f64, common: f64) -> f64 {
    let scale = deviation.sqrt() * common.sqrt();
    if scale > 0.0 { scale } else { 1.0 }
}

impl Column {
    /// Whether training samples differ in it.
    pub(super) fn varies(&self) -> bool {
        let levels = self.levels.as_ref().map_or(0, |l| l.counts.iter().filter(|c| **c > 0).count());
        self.number.as_ref().is_some_and(|n| n.distinct > 1) || levels > 1
    }
}

impl Number {
    fn of(values: Sorted, scores: Arc<[f64]>) -> Self {
        let n = values.len();
        let origin = values.get(n / 2).copied().unwrap_or(0.0);
        let farthest = values.iter().fold(0.0, |m: f64, v| m.max(half_difference(*v, origin).abs()));
        let half_unit = if farthest > 0.0 { farthest } else { 1.0 };
        let relative = |v: &f64| half_difference(*v, origin) / half_unit;
        let mean = values.iter().map(relative).sum::<f64>() / n.max(1) as f64;
        let squares = values.iter().map(|v| (relative(v) - mean).powi(2)).sum();
        let distinct = values.chunk_by(|a, b| a >= b).count();
        let scales = Scales::new(&values, half_unit, distinct, squares);
        Self {
            sorted: values,
            origin,
            half_unit,
            mean,
            squares,
            distinct,
            scales,
            half_way: 1.0,
            group: None,
            scores,
        }
    }

    /// The deviation in the column's own unit.
    pub(super) fn deviation(&self) -> f64 {
        self.in_own_unit(self.scales.deviation)
    }

    /// A length in the column's own unit.
    pub(super) fn in_own_unit(&self, length: f64) -> f64 {
        (2.0 * length * self.half_unit).min(f64::MAX)
    }

    /// How far two numbers are apart.
    pub(super) fn difference(&self, a: f64, b: f64) -> f64 {
        half_difference(a, b) / self.half_unit
    }

    /// How many training numbers are below, and how many are not above.
    pub(super) fn places(&self, x: f64) -> (usize, usize) {
        let below = self.sorted.below(x);
        let rest = &self.sorted[below..];
        // Most numbers come once or never. Where many are equal, the first that is above is found as fast as the first of them.
        match rest.iter().take(3).position(|v| *v > x) {
            Some(equal) => (below, below + equal),
            None if x.is_finite() => (below, self.sorted.below(x.next_up())),
            None => (below, below + rest.partition_point(|v| *v <= x)),
        }
    }

    /// Whether all training samples have one number, and `x` is another.
    pub(super) fn is_change(&self, x: f64) -> bool {
        self.distinct == 1 && (x - self.sorted[0]).abs() > 0.0
    }

    /// How far `x` lies beyond these ends, as a signed logarithm in units of the robust scale.
    pub(super) fn beyond(&self, x: f64, ends: (f64, f64), robust: f64) -> f64 {
        if robust <= 0.0 || (x >= ends.0 && x <= ends.1) {
            return 0.0;
        }
        let excess = |far: f64| (far.max(0.0) / robust).ln_1p();
        excess(self.difference(x, ends.1)) - excess(self.difference(ends.0, x))
    }

    /// The smallest and the largest training number.
    pub(super) fn ends(&self) -> (f64, f64) {
        match (self.sorted.first(), self.sorted.last()) {
            (Some(low), Some(high)) => (*low, *high),
            _ => (0.0, 0.0),
        }
    }
}

impl Scales {
    /// Of sorted values, of which so many are different; `squares` is the sum of their squared differences to the mean.
    fn new(sorted: &[f64], half_unit: f64, distinct: usize, squares: f64) -> Self {
        let deviation = deviation(squares, sorted.len(), distinct);
        let robust = robust(sorted, half_unit, None, deviation);
        Self { is_ranked: distinct <= 2, deviation, robust, center: quantile(sorted, None, 0.5) }
    }

    /// What a number is divided by in the robust view, in units of the column.
    pub(super) fn divisor(&self) -> f64 {
        divisor(self.robust)
    }
}

/// What a number is divided by in the robust view, by the robust scale.
pub(super) fn divisor(robust: f64) -> f64 {
    if robust > 0.0 { robust } else { 1.0 }
}

/// The deviation of `count` numbers, of which so many are different.
pub(super) fn deviation(squares: f64, count: usize, distinct: usize) -> f64 {
    if distinct > 1 { (squares.max(0.0) / count as f64).sqrt() } else { 0.0 }
}

/// The robust scale of sorted values, one of which may be left out.
pub(super) fn robust(sorted: &[f64], half_unit: f64, skip: Option<usize>, deviation: f64) -> f64 {
    let quantile = |share: f64| quantile(sorted, skip, share);
    let quartiles = half_difference(quantile(0.75), quantile(0.25)) / half_unit / QUARTILES;
    (if quartiles > 0.0 { quartiles } else { deviation }).max(deviation / 2.0)
}

/// A quantile of sorted values by linear interpolation, leaving out the one at `skip`; 0 if none is left.
pub(super) fn quantile(sorted: &[f64], skip: Option<usize>, share: f64) -> f64 {
    let count = sorted.len() - usize::from(skip.is_some());
    if count == 0 {
        return 0.0;
    }
    let place = (count - 1) as f64 * share;
    let below = place.floor() as usize;
    let at = |i: usize| {
        let i = i.min(count - 1);
        sorted[i + usize::from(skip.is_some_and(|skip| i >= skip))]
    };
    let (low, high) = (at(below), at(below + 1));
    low + (place - below as f64) * 2.0 * half_difference(high, low)
}

/// Half the difference of two numbers: the difference itself may be too large.
pub(super) fn half_difference(a: f64, b: f64) -> f64 {
    a / 2.0 - b / 2.0
}

impl Levels {
    fn of(kind: &ColumnKind) -> Self {
        let (levels, is_of_numbers, is_ordered) = match kind {
            ColumnKind::Number | ColumnKind::Date(_) => (1, true, false),
            ColumnKind::Ordered(_) => (1, true, true),
            ColumnKind::Boolean => (2, false, false),
            ColumnKind::Category(levels) => (levels.len(), false, false),
        };
        // One more for what is missing, and one for what training did not have.
        Self {
            counts: vec![0; levels + 2],
            gaps: Vec::new(),
            usual: 0,
            next_usual: 0,
            is_of_numbers,
            is_ordered,
        }
    }

    /// From what is stored.
    pub(super) fn restored(counts: Vec<usize>, is_of_numbers: bool, is_ordered: bool) -> Self {
        Self { counts, gaps: Vec::new(), usual: 0, next_usual: 0, is_of_numbers, is_ordered }
    }

    /// Whether they say if a number is there; and if that is the place of a level.
    pub(super) fn form(&self) -> (bool, bool) {
        (self.is_of_numbers, self.is_ordered)
    }

    /// The number of the level of a cell.
    pub(super) fn code(&self, cell: f64) -> usize {
        let last = self.counts.len() - 1;
        match (self.is_of_numbers, cell.is_nan()) {
            (true, true) => MISSING,
            (true, false) if self.is_ordered && cell < 0.0 => UNKNOWN,
            (true, false) => PRESENT,
            (false, true) => last - 1,
            (false, false) if cell < 0.0 => last,
            (false, false) => (cell as usize).min(last),
        }
    }

    /// The number that stands for a missing value.
    pub(super) fn missing(&self) -> usize {
        if self.is_of_numbers { MISSING } else { self.counts.len() - 2 }
    }

    /// The level that a cell counts as in distances: what is missing is what is usual, where that is allowed. Else its absence
    /// is a level that none has.
    pub(super) fn counted(&self, cell: f64, allowance: Allowance) -> usize {
        match self.code(cell) {
            code if code == self.missing() && allows(allowance, self.counts[code]) => self.usual,
            code => code,
        }
    }

    /// The same among training samples, where `usual` is the usual level: what one of them lacks may be missing.
    pub(super) fn counted_in_training(&self, cell: f64, usual: usize) -> usize {
        match self.code(cell) {
            code if code == self.missing() => usual,
            code => code,
        }
    }

    /// The usual level without one sample of level `left_out`. There may be thousands of levels: only the two most frequent
    /// can be it.
    pub(super) fn usual_without(&self, left_out: usize) -> usize {
        let count = |code: usize| self.counts[code] - usize::from(left_out == code);
        if self.is_of_numbers {
            return if count(PRESENT) > 0 { PRESENT } else { MISSING };
        }
        let (first, last) = (self.usual.min(self.next_usual), self.usual.max(self.next_usual));
        if count(last) > count(first) { last } else { first }
    }

    /// The most frequent level but this one, the first of several.
    fn most_frequent(&self, but: Option<usize>) -> usize {
        let levels = (0..self.missing()).filter(|code| but != Some(*code));
        levels
            .reduce(|best, code| if self.counts[code] > self.counts[best] { code } else { best })
            .unwrap_or(0)
    }

    /// Whether every training sample has a number here, so that nothing but that can be told of any.
    pub(super) fn are_all_present(&self) -> bool {
        self.is_of_numbers && self.counts.iter().skip(PRESENT + 1).all(|count| *count == 0)
    }

    /// Whether these only say if a number is there.
    pub(super) fn are_of_numbers(&self) -> bool {
        self.is_of_numbers
    }

    /// Whether a cell holds something new, beside `left_out` samples of its level that do not count: a level that none has, or
    /// lacks its value though that is not allowed.
    pub(super) fn is_new(&self, cell: f64, left_out: usize, allowance: Allowance) -> bool {
        let code = self.code(cell);
        let others = self.counts[code] - left_out;
        if code == self.missing() { !allows(allowance, others) } else { others == 0 }
    }

    /// The usual level, and whether these only say if a number is there.
    pub(super) fn usual(&self) -> (usize, bool) {
        (self.usual, self.is_of_numbers)
    }

    fn with_gaps(mut self, rows: usize) -> Self {
        if self.is_of_numbers {
            self.usual = if self.counts[PRESENT] > 0 { PRESENT } else { MISSING };
        } else {
            self.usual = self.most_frequent(None);
            self.next_usual = self.most_frequent(Some(self.usual));
        }
        self.gaps = self.counts.iter().map(|count| gap(*count, rows)).collect();
        self
    }
}

/// Whether a value may be missing that so many others lack.
fn allows(allowance: Allowance, others: usize) -> bool {
    match allowance {
        Allowance::Nothing => false,
        Allowance::WhatOthersLack => others > 0,
        Allowance::Anything => true,
    }
}

/// By how much the normal scores of two values differ, of which `count` of `n` training samples have the greater.
pub(super) fn gap(count: usize, n: usize) -> f64 {
    let count = count.min(n);
    normal_score(2 * n - count, n) - normal_score(n - count, n)
}

/// The normal score of a place among `n` values, given as twice the number of values below it.
pub(super) fn normal_score(place: usize, n: usize) -> f64 {
    normal_quantile((place as f64 / 2.0 + 0.5) / (n as f64 + 1.0))
}

/// Normal scores of all places, for any number of values: those of `n` are shared by all columns of `n` numbers.
#[derive(Default)]
pub(super) struct Tables(HashMap<usize, Arc<[f64]>>);

impl Tables {
    pub(super) fn of(&mut self, n: usize) -> Arc<[f64]> {
        let scores = || parallel::map(2 * n + 1, 4096, &|place| normal_score(place, n));
        self.0.entry(n).or_insert_with(|| scores().into()).clone()
    }
}
