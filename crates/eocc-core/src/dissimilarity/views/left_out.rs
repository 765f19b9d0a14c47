//! Distances of a training sample to others as if it had not been in the training set, exactly and without refitting:
//! what a column learns without one number follows from what it learned with it.
//!
//! There is one exception: a missing value takes the typical value, as in the distances used for trimming and lists,
//! even if no other sample misses it. That is a change, and counted as one; as a distance it would be far beyond all
//! others, and compared with it all scores beyond the second largest would look the same.

use std::sync::Arc;

use super::blocks::Coordinates;
use super::columns::{
    Column, Columns, Number, Scales, Tables, deviation, divisor, gap, half_way, quantile, robust,
};
use super::relations::{LevelScores, RelatedColumn, related_columns};
use super::{TableRow, TableView, Views};
use crate::dissimilarity::LeaveOneOut;
use crate::kernel;
use crate::parallel;

/// At least this fraction of the sum of squares must be left for a difference to be exact enough.
const MIN_LEFT: f64 = 1e-6;

/// The training samples in some views.
pub(super) struct LeftOutRows {
    views: Views,
    table_views: Vec<TableView>,
    /// The cells of all samples, row by row.
    cells: Vec<f64>,
    /// The ranks of each number in its column.
    places: Vec<Place>,
    /// Normal scores for one number less, by column.
    scores: Vec<Arc<[f64]>>,
    /// The gap of each level of each column with one sample less: of another level, and of this one.
    gaps: Vec<Vec<[f64; 2]>>,
    /// The numbers of all columns.
    all: Vec<u32>,
    /// The columns of [relations](super::relations), and the normal scores of levels.
    related: Vec<RelatedColumn>,
    related_levels: Vec<RelatedLevels>,
}

/// The normal scores of having a level, with all samples and with one less.
struct RelatedLevels {
    with: LevelScores,
    without: LevelScores,
}

/// One column without one sample.
struct LeftOut<'a> {
    number: Option<LeftOutNumber<'a>>,
    /// The level of the sample, the one it counts as, and the typical one without it.
    code: usize,
    counted: usize,
    usual: usize,
    weight: f64,
}

/// A numeric column without one of its numbers, as far as one view depends on it.
struct LeftOutNumber<'a> {
    number: &'a Number,
    /// The number, and its rank; NaN if the sample has none.
    value: f64,
    skip: Option<usize>,
    /// Whether only ranks count.
    is_ranked: bool,
    deviation: f64,
    /// The divisors of half a difference, applied in turn.
    divisors: [f64; 2],
    /// The coordinate of the sample from its rank.
    own: f64,
    /// Normal scores for one number less.
    scores: &'a [f64],
}

/// How many numbers of a column are below a number, and how many are not above it. Both are kept: where numbers tie, a
/// search for each of them in each view takes longer than the rest.
#[derive(Clone, Copy)]
struct Place {
    below: u32,
    not_above: u32,
}

impl Place {
    fn new((below, not_above): (usize, usize)) -> Self {
        Self { below: below as u32, not_above: not_above as u32 }
    }

    /// Twice its rank.
    fn sum(self) -> u32 {
        self.below + self.not_above
    }

    /// Whether no other is equal.
    fn is_alone(self) -> bool {
        self.not_above - self.below == 1
    }

    /// How many are below, and how many are not above.
    fn ends(self) -> (usize, usize) {
        (self.below as usize, self.not_above as usize)
    }
}

impl LeftOutRows {
    pub(super) fn new<S: ?Sized + TableRow>(
        views: &Views,
        table_views: Vec<TableView>,
        samples: &[&S],
    ) -> Self {
        let columns = &views.columns;
        let cells: Vec<f64> = samples.iter().flat_map(|s| s.cells().iter().copied()).collect();
        let width = columns.all.len();
        let place = |at: usize| match &columns.all[at % width].number {
            Some(number) => Place::new(number.places(cells[at])),
            None => Place::new((0, 0)),
        };
        let places = parallel::map(cells.len(), 1024, &place);
        let mut tables = Tables::default();
        let one_less = |n: usize| n.saturating_sub(1);
        let of_column = |c: &Column| {
            let n = c.number.as_ref().map_or(0, |number| number.sorted.len());
            tables.normal_scores(one_less(n))
        };
        let scores = columns.all.iter().map(of_column).collect();
        let rows = one_less(columns.rows);
        let both = |count: &usize| [gap(*count, rows), gap(one_less(*count), rows)];
        let of_levels = |c: &Column| c.levels.iter().flat_map(|l| &l.counts).map(both).collect();
        let gaps = columns.all.iter().map(of_levels).collect();
        let all = (0..columns.all.len() as u32).collect();
        let related = related_columns(columns);
        let of_level = |c: &RelatedColumn| RelatedLevels {
            with: LevelScores::new(c, columns.rows, 0),
            without: LevelScores::new(c, columns.rows, 1),
        };
        let related_levels = related.iter().map(of_level).collect();
        Self { views: views.clone(), table_views, cells, places, scores, gaps, all, related, related_levels }
    }

    fn columns(&self) -> &Columns {
        &self.views.columns
    }

    fn places_of(&self, i: usize) -> &[Place] {
        let width = self.columns().all.len();
        &self.places[i * width..(i + 1) * width]
    }

    fn row(&self, i: usize) -> &[f64] {
        let width = self.columns().all.len();
        &self.cells[i * width..(i + 1) * width]
    }

    /// The normal score of the number of sample `i` in a column, as learned with it. None is beyond the training
    /// range.
    fn normal_score_with(&self, f: usize, i: usize) -> f64 {
        let place = self.places_of(i)[f].sum() as usize;
        self.columns().all[f].number.as_ref().map_or(0.0, |number| number.scores[place])
    }

    /// Each column without sample `i`, for one view.
    fn without(&self, i: usize, view: TableView) -> Vec<LeftOut<'_>> {
        let columns = &self.columns().all;
        let places = self.places_of(i);
        let mut left: Vec<LeftOut<'_>> = columns
            .iter()
            .zip(self.row(i))
            .enumerate()
            .map(|(f, (column, &x))| {
                let code = column.levels.as_ref().map_or(0, |levels| levels.code(x));
                let is_there = column.levels.as_ref().is_none_or(|_| code == 0);
                let number = column.number.as_ref().map(|number| {
                    if is_there {
                        LeftOutNumber::new(number, x, places[f], &self.scores[f], view)
                    } else {
                        LeftOutNumber::unchanged(number, view)
                    }
                });
                let usual = column.levels.as_ref().map_or(0, |levels| levels.usual_without(code));
                let counted = column.levels.as_ref().map_or(0, |levels| levels.counted_in_training(x, usual));
                LeftOut { number, code, counted, usual, weight: self.views.weights[f] }
            })
            .collect();
        if view != TableView::HalfWay {
            return left;
        }
        let deviations = left
            .iter()
            .filter_map(|c| c.number.as_ref())
            .map(|n| (n.number.group, n.is_ranked, n.number.in_own_unit(n.deviation)));
        let common = self.columns().common_scales(deviations);
        for number in left.iter_mut().filter_map(|c| c.number.as_mut()) {
            let common = number.number.group.map_or(1.0, |g| common[g]);
            let scale = half_way(number.number.in_own_unit(number.deviation), common);
            number.divisors = [scale / 2.0, 1.0];
        }
        left
    }
}

/// The sum of squared differences to the mean without the number `x`, which has `below` numbers below it; `distinct`
/// are left.
fn squares_without(number: &Number, x: f64, below: usize, distinct: usize) -> f64 {
    let n = number.sorted.len() as f64;
    let difference = number.difference(x, number.origin) - number.mean;
    let squares = number.squares - difference * difference * (n / (n - 1.0));
    if distinct < 2 || squares >= MIN_LEFT * number.squares {
        return squares;
    }
    // From all remaining numbers.
    let others = || {
        let others = number.sorted.iter().enumerate().filter(|(i, _)| *i != below);
        others.map(|(_, v)| number.difference(*v, number.origin))
    };
    let mean = others().sum::<f64>() / (n - 1.0);
    others().map(|v| (v - mean).powi(2)).sum()
}

impl<'a> LeftOutNumber<'a> {
    /// A column in which the sample has no value.
    fn unchanged(number: &'a Number, view: TableView) -> Self {
        let Scales { is_ranked, deviation, .. } = number.scales;
        let mut all = Self {
            number,
            value: f64::NAN,
            skip: None,
            is_ranked,
            deviation,
            divisors: [1.0; 2],
            own: 0.0,
            scores: &number.scores,
        };
        if view == TableView::Robust {
            all.divisors = [number.half_unit, number.scales.divisor()];
        }
        all
    }

    /// A column without its number `x`.
    fn new(number: &'a Number, x: f64, place: Place, scores: &'a [f64], view: TableView) -> Self {
        let sorted = &number.sorted;
        let n = sorted.len();
        let (below, not_above) = place.ends();
        let distinct = number.distinct - usize::from(place.is_alone());
        let own = scores[(below + not_above - 1).min(scores.len() - 1)];
        let mut without = Self {
            number,
            value: x,
            skip: Some(below),
            is_ranked: distinct <= 2,
            deviation: 0.0,
            divisors: [1.0; 2],
            own,
            scores,
        };
        let deviation = || deviation(squares_without(number, x, below, distinct), n - 1, distinct);
        let robust = || robust(sorted, number.half_unit, Some(below), deviation());
        match view {
            TableView::Rank | TableView::Direction if place.is_alone() && (below == 0 || not_above == n) => {
                let (low, high) = number.ends();
                let low = if below == 0 { sorted.get(1).copied().unwrap_or(low) } else { low };
                let high = if not_above == n && n > 1 { sorted[n - 2] } else { high };
                without.own += number.beyond(x, (low, high), robust());
            }
            TableView::Rank | TableView::Direction => {}
            TableView::HalfWay => without.deviation = deviation(),
            TableView::Robust => without.divisors = [number.half_unit, divisor(robust())],
        }
        without
    }

    /// Adds the terms of the numbers of `others` to the distances; `place` gives twice the rank of each.
    fn add(
        &self,
        view: TableView,
        weight: f64,
        others: &[f64],
        place: impl Fn(usize) -> u32,
        out: &mut [f64],
    ) {
        let x = self.value;
        if view.has_ranks() || self.is_ranked {
            for (at, (&y, sum)) in others.iter().zip(out).enumerate() {
                *sum += view.term(weight, self.own - self.score(y, place(at)));
            }
            return;
        }
        let is_whole = !x.is_nan() && !others.iter().any(|y| y.is_nan());
        let center = if is_whole { 0.0 } else { self.center() };
        let or_center = |v: f64| if v.is_nan() { center } else { v };
        let filled: Vec<f64>;
        let others = if is_whole {
            others
        } else {
            filled = others.iter().map(|y| or_center(*y)).collect();
            &filled
        };
        kernel::add_differences(or_center(x), others, self.divisors, weight, view.is_manhattan(), out);
    }

    /// The normal score of another number, given twice its rank.
    fn score(&self, y: f64, place: u32) -> f64 {
        let x = self.value;
        let without = if x.is_nan() { 0 } else { u32::from(x < y) + u32::from(x <= y) };
        let at = place.saturating_sub(without) as usize;
        if y.is_nan() { 0.0 } else { self.scores[at.min(self.scores.len() - 1)] }
    }

    /// The replacement for a missing number.
    fn center(&self) -> f64 {
        quantile(&self.number.sorted, self.skip, 0.5)
    }
}

impl LeftOutRows {
    /// Distances to `others` over some columns, given each column without the sample.
    fn distances(
        &self,
        view: TableView,
        left: &[LeftOut<'_>],
        columns: &[u32],
        others: &[u32],
        out: &mut [f64],
    ) {
        out.fill(0.0);
        let mut cells = vec![0.0; others.len()];
        let width = self.columns().all.len();
        let starts: Vec<usize> = others.iter().map(|&j| j as usize * width).collect();
        let mut lengths = (view == TableView::Direction).then(|| Lengths::new(others.len()));
        // Column by column.
        for &f in columns {
            let f = f as usize;
            let column = &left[f];
            for (cell, start) in cells.iter_mut().zip(&starts) {
                *cell = self.cells[start + f];
            }
            // If no sample misses a number, there is nothing to check.
            let levels = self.columns().all[f].levels.as_ref().filter(|levels| !levels.are_all_present());
            if let Some(levels) = levels {
                for (cell, sum) in cells.iter_mut().zip(&mut *out) {
                    let counted = levels.counted_in_training(*cell, column.usual);
                    if counted != column.counted {
                        let gap = |level: usize| self.gaps[f][level][usize::from(level == column.code)];
                        let (other, own) = (gap(counted), gap(column.counted));
                        *sum += view.term(column.weight / 2.0, other) + view.term(column.weight / 2.0, own);
                    }
                    if levels.code(*cell) != 0 {
                        *cell = f64::NAN;
                    }
                }
            }
            if let Some(number) = &column.number {
                let place = |at: usize| self.places[starts[at] + f].sum();
                if let Some(lengths) = &mut lengths {
                    lengths.add(number, column.weight, &cells, place);
                } else {
                    number.add(view, column.weight, &cells, place, out);
                }
            }
        }
        if let Some(lengths) = lengths {
            lengths.finish(out);
        }
        for sum in out {
            *sum = view.distance(*sum);
        }
    }
}

/// The numbers that determine the distance between two directions: the lengths of both rows, and their distance.
struct Lengths {
    own: f64,
    others: Vec<f64>,
    apart: Vec<f64>,
}

impl Lengths {
    fn new(others: usize) -> Self {
        Self { own: 0.0, others: vec![0.0; others], apart: vec![0.0; others] }
    }

    fn add(&mut self, number: &LeftOutNumber<'_>, weight: f64, others: &[f64], place: impl Fn(usize) -> u32) {
        self.own += weight * number.own * number.own;
        for (at, &y) in others.iter().enumerate() {
            let (score, own) = (number.score(y, place(at)), number.own);
            self.others[at] += weight * score * score;
            self.apart[at] += weight * (own - score) * (own - score);
        }
    }

    /// Adds the squared distances between directions. A row of length zero has none, and is equally far from all
    /// others.
    fn finish(self, out: &mut [f64]) {
        let own = self.own.sqrt();
        for ((apart, other), sum) in self.apart.into_iter().zip(self.others).zip(out) {
            let other = other.sqrt();
            let product = own * other;
            let is_one_zero = f64::from(u8::from((own > 0.0) != (other > 0.0)));
            // Zero for equal rows, bit for bit.
            let squared =
                if product > 0.0 { (apart - (own - other) * (own - other)) / product } else { is_one_zero };
            *sum += squared.max(0.0);
        }
    }
}

impl LeaveOneOut for LeftOutRows {
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]) {
        let view = self.table_views[view];
        self.distances(view, &self.without(i, view), &self.all, others, out);
    }

    fn fill_subsets(&self, view: usize, i: usize, subsets: &[Vec<u32>], others: &mut [Vec<(u32, f64)>]) {
        let view = self.table_views[view];
        let left = self.without(i, view);
        let (mut numbers, mut distances) = (Vec::new(), Vec::new());
        for (columns, others) in subsets.iter().zip(others) {
            numbers.clear();
            numbers.extend(others.iter().map(|o| o.0));
            distances.resize(numbers.len(), 0.0);
            self.distances(view, &left, columns, &numbers, &mut distances);
            others.iter_mut().zip(&distances).for_each(|(other, d)| other.1 = *d);
        }
    }

    fn coordinates(&self, view: usize, i: usize) -> Vec<f64> {
        let views = Views { only: Some(self.table_views[view]), ..self.views.clone() };
        let ranked = |f: usize| self.normal_score_with(f, i);
        Coordinates::from_ranked_cells(&views, self.row(i), &ranked).row
    }

    fn normal_scores(&self, i: usize) -> [Vec<f64>; 2] {
        let left = self.without(i, TableView::Rank);
        let allowance = self.columns().allowance(self.row(i));
        let mut both = [Vec::with_capacity(self.related.len()), Vec::with_capacity(self.related.len())];
        for (column, values) in self.related.iter().zip(&self.related_levels) {
            let (f, own) = (column.feature, &left[column.feature]);
            let levels = self.columns().all[f].levels.as_ref();
            let cell = self.row(i)[f];
            let scores = match (column.level, &own.number) {
                (None, Some(number)) => {
                    let is_there = levels.is_none_or(|l| l.code(cell) == 0);
                    [if is_there { self.normal_score_with(f, i) } else { 0.0 }, number.own]
                }
                (None, None) => [0.0; 2],
                (Some(level), _) => {
                    let has = levels.is_some_and(|l| l.counted(cell, allowance) == level);
                    [values.with.score(has), values.without.score(own.counted == level)]
                }
            };
            both.iter_mut().zip(scores).for_each(|(all, score)| all.push(score));
        }
        both
    }

    fn changes(&self, i: usize) -> usize {
        let allowance = self.columns().allowance_among_others(self.row(i));
        let changed = |(column, x): (&Column, &f64)| {
            let of_number = column.number.as_ref().is_some_and(|number| {
                let is_alone = || {
                    let (below, not_above) = number.places(*x);
                    not_above - below == 1
                };
                !x.is_nan() && number.distinct == 2 && is_alone()
            });
            let of_level = column.levels.as_ref().is_some_and(|l| l.is_new(*x, 1, allowance));
            of_number || of_level
        };
        self.columns().all.iter().zip(self.row(i)).filter(|pair| changed(*pair)).count()
    }
}
