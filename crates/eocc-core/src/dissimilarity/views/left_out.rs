//! Distances of a training sample to others as if it had not been there to learn from, exactly and without learning again:
//! what the columns learn without one number follows from what they learned with it.

use std::sync::Arc;

use rayon::prelude::*;

use super::columns::{Allowance, Column, Columns, Number, Scales, Tables, gap, half_difference, half_way};
use super::{Look, TableRow, Views};
use crate::dissimilarity::LeaveOneOut;

/// Of the sum of squares this share must be left for a difference to be exact enough.
const MIN_LEFT: f64 = 1e-6;

/// The training samples of some views.
pub(super) struct LeftOutRows {
    views: Views,
    looks: Vec<Look>,
    /// The cells of all samples, row by row.
    cells: Vec<f64>,
    /// Twice the place of each number among those of its column.
    places: Vec<u32>,
    /// Normal scores of one number less than there are, by column.
    scores: Vec<Arc<[f64]>>,
    /// The gap of each level of each column with one sample less, of another level and of this one.
    gaps: Vec<Vec<[f64; 2]>>,
}

/// One column without one sample.
struct LeftOut<'a> {
    number: Option<LeftOutNumber<'a>>,
    /// The level of the sample, the one it counts as, and the usual one without it.
    code: usize,
    counted: usize,
    usual: usize,
    weight: f64,
}

struct LeftOutNumber<'a> {
    number: &'a Number,
    value: f64,
    scales: Scales,
    /// The coordinate of the sample in the view of ranks, and its normal score alone.
    far: f64,
    score: f64,
    scores: &'a [f64],
    /// What the half-way view divides by.
    half_way: f64,
}

impl LeftOutRows {
    pub(super) fn new<S: ?Sized + TableRow>(views: &Views, looks: Vec<Look>, samples: &[&S]) -> Self {
        let columns = &views.columns;
        let cells: Vec<f64> = samples.iter().flat_map(|s| s.cells().iter().copied()).collect();
        let width = columns.all.len();
        let place = |(at, x): (usize, &f64)| match &columns.all[at % width].number {
            Some(number) => {
                let (below, not_above) = number.places(*x);
                (below + not_above) as u32
            }
            None => 0,
        };
        let places = cells.par_iter().enumerate().with_min_len(1024).map(place).collect();
        let mut tables = Tables::default();
        let one_less = |n: usize| n.saturating_sub(1);
        let of_column = |c: &Column| {
            let n = c.number.as_ref().map_or(0, |number| number.sorted.len());
            tables.of(one_less(n))
        };
        let scores = columns.all.iter().map(of_column).collect();
        let rows = one_less(columns.rows);
        let both = |count: &usize| [gap(*count, rows), gap(one_less(*count), rows)];
        let of_levels = |c: &Column| c.levels.iter().flat_map(|l| &l.counts).map(both).collect();
        let gaps = columns.all.iter().map(of_levels).collect();
        Self { views: views.clone(), looks, cells, places, scores, gaps }
    }

    fn columns(&self) -> &Columns {
        &self.views.columns
    }

    fn places_of(&self, i: usize) -> &[u32] {
        let width = self.columns().all.len();
        &self.places[i * width..(i + 1) * width]
    }

    fn row(&self, i: usize) -> &[f64] {
        let width = self.columns().all.len();
        &self.cells[i * width..(i + 1) * width]
    }

    /// Each column without sample `i`, for one view.
    fn without(&self, i: usize, look: Look) -> Vec<LeftOut<'_>> {
        let columns = &self.columns().all;
        let allowance = self.columns().allowance_beside_others(self.row(i));
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
                        number_without(number, x, places[f] as usize, &self.scores[f], look)
                    } else {
                        unchanged(number)
                    }
                });
                let usual = column.levels.as_ref().map_or(0, |levels| levels.usual_without(Some(code)));
                let counted = column
                    .levels
                    .as_ref()
                    .map_or(0, |levels| levels.counted_without(x, code, usual, allowance));
                LeftOut { number, code, counted, usual, weight: self.views.weights[f] }
            })
            .collect();
        if look != Look::HalfWay {
            return left;
        }
        let deviations = left
            .iter()
            .filter_map(|c| c.number.as_ref())
            .map(|n| (n.scales.is_ranked, n.number.in_own_unit(n.scales.deviation)));
        let common = self.columns().common_scale(deviations);
        for number in left.iter_mut().filter_map(|c| c.number.as_mut()) {
            number.half_way = half_way(number.number.in_own_unit(number.scales.deviation), common);
        }
        left
    }
}

/// A column that holds nothing of the sample.
fn unchanged(number: &Number) -> LeftOutNumber<'_> {
    LeftOutNumber {
        number,
        value: f64::NAN,
        scales: number.scales,
        far: 0.0,
        score: 0.0,
        scores: &number.scores,
        half_way: 1.0,
    }
}

/// A column without its number `x`, twice whose place is `place`, as one view sees it.
fn number_without<'a>(
    number: &'a Number,
    x: f64,
    place: usize,
    scores: &'a [f64],
    look: Look,
) -> LeftOutNumber<'a> {
    let sorted = &number.sorted;
    let n = sorted.len();
    let (below, not_above) = number.places_at(x, place);
    let is_alone = not_above - below == 1;
    let distinct = number.distinct - usize::from(is_alone);
    let difference = number.difference(x, number.origin) - number.mean;
    let mut squares = number.squares - difference * difference * (n as f64 / (n as f64 - 1.0));
    if distinct > 1 && squares < MIN_LEFT * number.squares {
        squares = squares_without(number, below);
    }
    let scales = Scales::new(sorted, number.half_unit, Some(below), distinct, squares);
    let score = scores[(below + not_above - 1).min(scores.len() - 1)];
    if look != Look::Rank {
        return LeftOutNumber { number, value: x, scales, far: score, score, scores, half_way: 1.0 };
    }
    let (mut low, mut high) = number.ends();
    if is_alone && below == 0 {
        low = sorted.get(1).copied().unwrap_or(low);
    }
    if is_alone && not_above == n {
        high = if n > 1 { sorted[n - 2] } else { high };
    }
    let far = score + number.beyond(x, (low, high), scales.robust);
    LeftOutNumber { number, value: x, scales, far, score, scores, half_way: 1.0 }
}

/// The sum of squared differences to the mean without one number, from all the others.
fn squares_without(number: &Number, skip: usize) -> f64 {
    let others = || {
        let others = number.sorted.iter().enumerate().filter(move |(i, _)| *i != skip);
        others.map(|(_, v)| number.difference(*v, number.origin))
    };
    let mean = others().sum::<f64>() / (number.sorted.len() - 1) as f64;
    others().map(|v| (v - mean).powi(2)).sum()
}

impl LeftOutNumber<'_> {
    /// The difference to the number `y` of another sample, twice whose place is `place`.
    fn difference(&self, look: Look, y: f64, place: u32) -> f64 {
        let x = self.value;
        let other = || {
            let without = if x.is_nan() { 0 } else { u32::from(x < y) + u32::from(x <= y) };
            let at = (place - without.min(place)) as usize;
            if y.is_nan() { 0.0 } else { self.scores[at.min(self.scores.len() - 1)] }
        };
        let or_centre = |v: f64| if v.is_nan() { self.scales.centre } else { v };
        let half = || half_difference(or_centre(x), or_centre(y));
        match look {
            Look::Rank => self.far - other(),
            _ if self.scales.is_ranked => self.score - other(),
            Look::Robust => half() / self.number.half_unit / self.scales.divisor(),
            Look::HalfWay => half() / (self.half_way / 2.0),
        }
    }
}

impl LeaveOneOut for LeftOutRows {
    fn fill(&self, view: usize, i: usize, others: &[u32], out: &mut [f64]) {
        let look = self.looks[view];
        let left = self.without(i, look);
        out.fill(0.0);
        for (f, column) in left.iter().enumerate() {
            let levels = self.columns().all[f].levels.as_ref();
            if let Some(number) = &column.number {
                for (&j, sum) in others.iter().zip(&mut *out) {
                    let cell = self.row(j as usize)[f];
                    let y = if levels.is_some_and(|l| l.code(cell) != 0) { f64::NAN } else { cell };
                    let place = self.places_of(j as usize)[f];
                    *sum += look.term(column.weight, number.difference(look, y, place));
                }
            }
            let Some(levels) = levels else { continue };
            for (&j, sum) in others.iter().zip(&mut *out) {
                let cell = self.row(j as usize)[f];
                let counted =
                    levels.counted_without(cell, column.code, column.usual, Allowance::WhatOthersLack);
                if counted != column.counted {
                    let gap = |level: usize| self.gaps[f][level][usize::from(level == column.code)];
                    let (other, own) = (gap(counted), gap(column.counted));
                    *sum += look.term(column.weight / 2.0, other) + look.term(column.weight / 2.0, own);
                }
            }
        }
        for sum in out {
            *sum = look.distance(*sum);
        }
    }

    fn changes(&self, i: usize) -> usize {
        let allowance = self.columns().allowance_beside_others(self.row(i));
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
