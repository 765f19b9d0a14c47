//! The facts that views learn about a table: the sorted values of each numeric column, and the level counts of each
//! category. All scales follow from these.
//!
//! Numbers are taken relative to the middle of their column, in units of half its width, before anything is squared:
//! so columns of 1e200, of 1e-300, and of 1e9 with differences of 1 work like any other. Half the width, since the
//! width itself may overflow.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::TableRow;
use crate::parallel;
use crate::sample::ColumnKind;
use crate::sorted::Sorted;
use crate::stats::normal_quantile;

/// Interquartile range of a Gaussian, in standard deviations.
const QUARTILES: f64 = 1.349;
/// Columns may share a unit if the deviation of each differs by at most this factor from the next.
const SAME_UNIT: f64 = 10.0;
/// If values are missing at random, and this many per column on average, hardly any column is complete by chance.
const MIN_MISSING_PER_COLUMN: usize = 3;
/// A cell with a level.
const PRESENT: usize = 0;
/// A numeric cell without a value.
const MISSING: usize = 1;
/// A cell of an ordered category that holds a level unknown in training.
const UNKNOWN: usize = 2;

/// The columns of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Columns {
    pub(super) rows: usize,
    /// The two largest numbers of missing values in a training sample.
    pub(super) most_missing: [usize; 2],
    pub(super) all: Vec<Column>,
    /// How many columns have numbers, and how many have levels.
    pub(super) numbers: usize,
    pub(super) levels: usize,
    /// How many values are missing in all training samples.
    total_missing: usize,
    /// The largest deviation among the columns of each [group](Number::group).
    largest_deviations: Vec<f64>,
}

/// Which missing values of a row are normal: none, if it has more than any training sample; otherwise those in
/// columns where other samples have some; or all, if so little is missing in training that columns may be complete by
/// chance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowance {
    Nothing,
    WhatOthersLack,
    Anything,
}

/// One column: numbers, levels, or numbers some of which may be missing, with presence as a level.
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
    /// The middle one.
    pub(super) origin: f64,
    /// Half of the largest difference to it; 1 if all are equal. Lengths below are in units of twice this.
    pub(super) half_unit: f64,
    pub(super) mean: f64,
    /// Sum of the squared differences to the mean.
    pub(super) squares: f64,
    /// How many are distinct.
    pub(super) distinct: usize,
    pub(super) scales: Scales,
    /// The divisor of the half-way view, in the column's own unit.
    pub(super) half_way: f64,
    /// The group of columns that may share a unit with this one; `None` if only ranks count.
    pub(super) group: Option<usize>,
    /// The normal score of each rank, by twice the number of training values below it.
    pub(super) scores: Arc<[f64]>,
}

/// The scales of a numeric column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scales {
    /// Whether only the rank of a number counts, because there are at most two distinct ones.
    pub(super) is_ranked: bool,
    pub(super) deviation: f64,
    /// From quartiles, but at least half the deviation; 0 if all numbers are equal.
    pub(super) robust: f64,
    /// The median, which replaces a missing number.
    pub(super) center: f64,
}

/// A column of levels: how often each occurs. A level that never occurs differs from all.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    pub(super) counts: Vec<usize>,
    /// The difference between the normal scores of having and of not having a level.
    pub(super) gaps: Vec<f64>,
    /// The typical level: the most frequent one, ties going to the first; for numbers, presence.
    usual: usize,
    /// The most frequent level apart from that one.
    next_usual: usize,
    is_of_numbers: bool,
    is_ordered: bool,
}

impl Columns {
    /// How many columns vary, if all of them are numeric and complete in training.
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
            let mut levels = kind.map(Levels::new);
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

    /// How many values a row misses.
    pub(super) fn missing(&self, cells: &[f64]) -> usize {
        let is_missing = |(column, cell): &(&Column, &f64)| match &column.levels {
            Some(levels) => levels.code(**cell) == levels.missing(),
            None => cell.is_nan(),
        };
        self.all.iter().zip(cells).filter(is_missing).count()
    }

    /// The values that may be missing in a new row.
    pub(super) fn allowance(&self, cells: &[f64]) -> Allowance {
        self.allowed(self.missing(cells) > self.most_missing[0], 0)
    }

    /// Like `allowance`, for a training sample that is compared with all others.
    pub(super) fn allowance_among_others(&self, cells: &[f64]) -> Allowance {
        let missing = self.missing(cells);
        // If it is the sample with the most gaps, the others have at most the second-largest number.
        self.allowed(missing > self.most_missing[1], missing)
    }

    fn allowed(&self, lacks_too_much: bool, left_out: usize) -> Allowance {
        let total = self.total_missing - left_out;
        match lacks_too_much {
            true => Allowance::Nothing,
            // A column may be complete by chance while others are not.
            false if total > 0 && total < MIN_MISSING_PER_COLUMN * self.all.len() => Allowance::Anything,
            false => Allowance::WhatOthersLack,
        }
    }

    /// From the numbers and counts of each column; derives everything else.
    pub(super) fn new(
        rows: usize,
        most_missing: [usize; 2],
        columns: Vec<(Option<Vec<f64>>, Option<Levels>)>,
    ) -> Self {
        let mut tables = Tables::default();
        let scores: Vec<Option<Arc<[f64]>>> = columns
            .iter()
            .map(|(number, _)| number.as_ref().map(|values| tables.normal_scores(values.len())))
            .collect();
        let columns: Vec<Mutex<_>> = columns.into_iter().map(Mutex::new).collect();
        let column = |f: usize| {
            let (number, levels): (Option<Vec<f64>>, Option<Levels>) =
                std::mem::take(&mut *columns[f].lock().unwrap_or_else(PoisonError::into_inner));
            let number = number.zip(scores[f].clone());
            Column {
                number: number.map(|(values, scores)| Number::new(Sorted::new(values), scores)),
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

    /// The common scale of each group if its columns had these deviations and ranked flags.
    pub(super) fn common_scales(
        &self,
        deviations: impl Iterator<Item = (Option<usize>, bool, f64)>,
    ) -> Vec<f64> {
        common_scales(deviations, &self.largest_deviations)
    }
}

/// Groups columns that may share a unit: ordered by deviation, a group ends if the next is more than [`SAME_UNIT`]
/// times as large. Returns the largest deviation of each group.
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

/// The root mean square deviation of the columns of each group that are not ranked; 1 if there are none. Deviations
/// are divided by the `largest` of their group before they are squared.
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
    /// Whether it varies in training.
    pub(super) fn varies(&self) -> bool {
        let levels = self.levels.as_ref().map_or(0, |l| l.counts.iter().filter(|c| **c > 0).count());
        self.number.as_ref().is_some_and(|n| n.distinct > 1) || levels > 1
    }
}

impl Number {
    fn new(values: Sorted, scores: Arc<[f64]>) -> Self {
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

    /// The difference of two numbers.
    pub(super) fn difference(&self, a: f64, b: f64) -> f64 {
        half_difference(a, b) / self.half_unit
    }

    /// How many training numbers are below, and how many are not above.
    pub(super) fn places(&self, x: f64) -> (usize, usize) {
        let below = self.sorted.below(x);
        let rest = &self.sorted[below..];
        // Most numbers occur once or never. If many are equal, the first that is above is found as fast as the first
        // of them.
        match rest.iter().take(3).position(|v| *v > x) {
            Some(equal) => (below, below + equal),
            None if x.is_finite() => (below, self.sorted.below(x.next_up())),
            None => (below, below + rest.partition_point(|v| *v <= x)),
        }
    }

    /// Whether all training samples have the same number, and `x` differs.
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
    /// For sorted values with this many distinct ones; `squares` is the sum of their squared differences to the mean.
    fn new(sorted: &[f64], half_unit: f64, distinct: usize, squares: f64) -> Self {
        let deviation = deviation(squares, sorted.len(), distinct);
        let robust = robust(sorted, half_unit, None, deviation);
        Self { is_ranked: distinct <= 2, deviation, robust, center: quantile(sorted, None, 0.5) }
    }

    /// The divisor of the robust view, in units of the column.
    pub(super) fn divisor(&self) -> f64 {
        divisor(self.robust)
    }
}

/// The divisor of the robust view, from the robust scale.
pub(super) fn divisor(robust: f64) -> f64 {
    if robust > 0.0 { robust } else { 1.0 }
}

/// The deviation of `count` numbers with this many distinct ones.
pub(super) fn deviation(squares: f64, count: usize, distinct: usize) -> f64 {
    if distinct > 1 { (squares.max(0.0) / count as f64).sqrt() } else { 0.0 }
}

/// The robust scale of sorted values, one of which may be left out.
pub(super) fn robust(sorted: &[f64], half_unit: f64, skip: Option<usize>, deviation: f64) -> f64 {
    let quantile = |share: f64| quantile(sorted, skip, share);
    let quartiles = half_difference(quantile(0.75), quantile(0.25)) / half_unit / QUARTILES;
    (if quartiles > 0.0 { quartiles } else { deviation }).max(deviation / 2.0)
}

/// A quantile of sorted values by linear interpolation, without the value at `skip`; 0 if none is left.
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

/// Half the difference of two numbers: the difference itself may overflow.
pub(super) fn half_difference(a: f64, b: f64) -> f64 {
    a / 2.0 - b / 2.0
}

impl Levels {
    fn new(kind: &ColumnKind) -> Self {
        let (levels, is_of_numbers, is_ordered) = match kind {
            ColumnKind::Number | ColumnKind::Date(_) => (1, true, false),
            ColumnKind::Ordered(_) => (1, true, true),
            ColumnKind::Boolean => (2, false, false),
            ColumnKind::Category(levels) => (levels.len(), false, false),
        };
        // One more for missing values, and one for unknown levels.
        Self {
            counts: vec![0; levels + 2],
            gaps: Vec::new(),
            usual: 0,
            next_usual: 0,
            is_of_numbers,
            is_ordered,
        }
    }

    /// From the stored counts.
    pub(super) fn restored(counts: Vec<usize>, is_of_numbers: bool, is_ordered: bool) -> Self {
        Self { counts, gaps: Vec::new(), usual: 0, next_usual: 0, is_of_numbers, is_ordered }
    }

    /// Whether they only record the presence of a number; and whether they are ordered.
    pub(super) fn form(&self) -> (bool, bool) {
        (self.is_of_numbers, self.is_ordered)
    }

    /// The code of the level of a cell.
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

    /// The code of a missing value.
    pub(super) fn missing(&self) -> usize {
        if self.is_of_numbers { MISSING } else { self.counts.len() - 2 }
    }

    /// The level that a cell counts as in distances: a missing value takes the typical level if allowed; otherwise,
    /// its absence is a level that no sample has.
    pub(super) fn counted(&self, cell: f64, allowance: Allowance) -> usize {
        match self.code(cell) {
            code if code == self.missing() && allows(allowance, self.counts[code]) => self.usual,
            code => code,
        }
    }

    /// Like `counted`, among training samples, with typical level `usual`: any of their values may be missing.
    pub(super) fn counted_in_training(&self, cell: f64, usual: usize) -> usize {
        match self.code(cell) {
            code if code == self.missing() => usual,
            code => code,
        }
    }

    /// The typical level without one sample of level `left_out`. There may be thousands of levels: only the two most
    /// frequent are candidates.
    pub(super) fn usual_without(&self, left_out: usize) -> usize {
        let count = |code: usize| self.counts[code] - usize::from(left_out == code);
        if self.is_of_numbers {
            return if count(PRESENT) > 0 { PRESENT } else { MISSING };
        }
        let (first, last) = (self.usual.min(self.next_usual), self.usual.max(self.next_usual));
        if count(last) > count(first) { last } else { first }
    }

    /// The most frequent level except this one; ties go to the first.
    fn most_frequent(&self, but: Option<usize>) -> usize {
        let levels = (0..self.missing()).filter(|code| but != Some(*code));
        levels
            .reduce(|best, code| if self.counts[code] > self.counts[best] { code } else { best })
            .unwrap_or(0)
    }

    /// Whether every training sample has a number here, so the column of levels carries no information.
    pub(super) fn are_all_present(&self) -> bool {
        self.is_of_numbers && self.counts.iter().skip(PRESENT + 1).all(|count| *count == 0)
    }

    /// Whether these only record the presence of a number.
    pub(super) fn are_of_numbers(&self) -> bool {
        self.is_of_numbers
    }

    /// Whether a cell holds something new, not counting `left_out` samples of its level: an unknown level, or a gap
    /// that is not allowed.
    pub(super) fn is_new(&self, cell: f64, left_out: usize, allowance: Allowance) -> bool {
        let code = self.code(cell);
        let others = self.counts[code] - left_out;
        if code == self.missing() { !allows(allowance, others) } else { others == 0 }
    }

    /// The typical level, and whether these only record the presence of a number.
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

/// Whether a value may be missing that this many other samples miss.
fn allows(allowance: Allowance, others: usize) -> bool {
    match allowance {
        Allowance::Nothing => false,
        Allowance::WhatOthersLack => others > 0,
        Allowance::Anything => true,
    }
}

/// The difference between the normal scores of two values, when `count` of `n` training samples have the greater.
pub(super) fn gap(count: usize, n: usize) -> f64 {
    let count = count.min(n);
    normal_score(2 * n - count, n) - normal_score(n - count, n)
}

/// The normal score of a rank among `n` values, given as twice the number of values below it.
pub(super) fn normal_score(place: usize, n: usize) -> f64 {
    normal_quantile((place as f64 / 2.0 + 0.5) / (n as f64 + 1.0))
}

/// Normal scores of all ranks, for any number of values: those of `n` are shared by all columns with `n` numbers.
#[derive(Default)]
pub(super) struct Tables(HashMap<usize, Arc<[f64]>>);

impl Tables {
    pub(super) fn normal_scores(&mut self, n: usize) -> Arc<[f64]> {
        let scores = || parallel::map(2 * n + 1, 4096, &|place| normal_score(place, n));
        self.0.entry(n).or_insert_with(|| scores().into()).clone()
    }
}
