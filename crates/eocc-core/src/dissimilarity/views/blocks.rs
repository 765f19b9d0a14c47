//! Samples of a view in blocks, stored column by column: distances to the samples of a block are summed in parallel.

use std::ops::Range;

use super::{TableRow, TableView, Views};
use crate::dissimilarity::Prepared;
use crate::kernel::{self, BLOCK};
use crate::parallel;
use crate::tree::Form;

/// Numbers of the blocks that several samples are compared with before the next: these stay in the fastest cache.
const TILE: usize = 1 << 12;

/// One side of a view.
pub(super) struct Blocks {
    views: Views,
    form: Form,
    values: Vec<f64>,
}

/// A sample in the coordinates of a view.
pub(super) struct Coordinates {
    /// Numbers, then code and half gap of each level.
    pub(super) row: Vec<f64>,
    /// Its missing penalty; see [`Views::missing_penalty`].
    pub(super) missing_penalty: f64,
}

impl Coordinates {
    pub(super) fn from_cells(views: &Views, cells: &[f64]) -> Self {
        let mut row = vec![0.0; views.form().width()];
        let missing_penalty = Self::write(views, cells, &mut row);
        Self { row, missing_penalty }
    }

    /// Like `from_cells`, for known normal scores.
    pub(super) fn from_ranked_cells(
        views: &Views,
        cells: &[f64],
        normal_score: &dyn Fn(usize) -> f64,
    ) -> Self {
        let mut row = vec![0.0; views.form().width()];
        let missing_penalty = Self::write_with(views, cells, &mut row, Some(normal_score));
        Self { row, missing_penalty }
    }

    /// The length of a row of numbers; 1 if it has none.
    pub(super) fn length(views: &Views, cells: &[f64]) -> f64 {
        let mut row = vec![0.0; views.form().width()];
        Self::write_raw(views, cells, &mut row, None);
        length(&row[..views.form().numbers])
    }

    /// Writes the coordinates of cells to a row, and returns their missing penalty.
    pub(super) fn write(views: &Views, cells: &[f64], row: &mut [f64]) -> f64 {
        Self::write_with(views, cells, row, None)
    }

    fn write_with(
        views: &Views,
        cells: &[f64],
        row: &mut [f64],
        normal_score: Option<&dyn Fn(usize) -> f64>,
    ) -> f64 {
        let missing_penalty = Self::write_raw(views, cells, row, normal_score);
        if views.view() == TableView::Direction {
            let numbers = &mut row[..views.form().numbers];
            let length = length(numbers);
            for v in numbers {
                *v /= length;
            }
        }
        missing_penalty
    }

    /// The coordinates before rows are divided by their length.
    fn write_raw(
        views: &Views,
        cells: &[f64],
        row: &mut [f64],
        normal_score: Option<&dyn Fn(usize) -> f64>,
    ) -> f64 {
        let view = views.view();
        let allowance = views.columns.allowance(cells);
        let (numbers, levels) = row.split_at_mut(views.form().numbers);
        let (mut numbers, mut levels) = (numbers.iter_mut(), levels.chunks_exact_mut(2));
        let mut missing_penalty = 0.0;
        for (f, ((column, &weight), &cell)) in
            views.columns.all.iter().zip(&views.weights).zip(cells).enumerate()
        {
            missing_penalty += views.missing_penalty(f, cell.is_nan());
            let code = column.levels.as_ref().map(|levels| (levels, levels.code(cell)));
            if let Some(number) = &column.number
                && let Some(out) = numbers.next()
            {
                let is_there = code.is_none_or(|(_, code)| code == 0);
                let factor = if view.is_manhattan() { weight } else { weight.sqrt() };
                *out = factor
                    * match normal_score.filter(|_| is_there && (view.has_ranks() || number.scales.is_ranked))
                    {
                        Some(normal_score) => normal_score(f),
                        None => view.coordinate(number, if is_there { cell } else { f64::NAN }),
                    };
            }
            if let Some((own, _)) = code
                && let Some(out) = levels.next()
            {
                let code = own.counted(cell, allowance);
                out.copy_from_slice(&[code as f64, view.term(weight, own.gaps[code]) / 2.0]);
            }
        }
        missing_penalty
    }

    /// A distance to it, including its missing penalty.
    pub(super) fn with_missing_penalty(&self, view: TableView, distance: f64) -> f64 {
        match view.is_manhattan() {
            _ if self.missing_penalty <= 0.0 => distance,
            true => distance + self.missing_penalty,
            false => distance.hypot(self.missing_penalty.sqrt()),
        }
    }
}

/// The Euclidean length, or 1 if that is 0.
pub(super) fn length(numbers: &[f64]) -> f64 {
    let length = numbers.iter().map(|v| v * v).sum::<f64>().sqrt();
    if length > 0.0 { length } else { 1.0 }
}

impl Blocks {
    pub(super) fn new<S: ?Sized + TableRow>(views: &Views, many: &[&S]) -> Self {
        let form = views.form();
        let width = form.width();
        let mut values = vec![0.0; many.len().next_multiple_of(BLOCK) * width];
        parallel::for_each_chunk(&mut values, BLOCK * width, &|b, block| {
            let mut row = vec![0.0; width];
            for (lane, sample) in many[b * BLOCK..].iter().take(BLOCK).enumerate() {
                Coordinates::write(views, sample.cells(), &mut row);
                for (f, v) in row.iter().enumerate() {
                    block[f * BLOCK + lane] = *v;
                }
            }
        });
        Self { views: views.clone(), form, values }
    }

    /// Numbers per sample.
    fn width(&self) -> usize {
        self.form.width()
    }

    fn block(&self, b: usize) -> &[f64] {
        let size = BLOCK * self.width();
        &self.values[b * size..(b + 1) * size]
    }

    fn view(&self) -> TableView {
        self.views.view()
    }

    /// The distance to one sample, with terms added in the order of [`kernel::view_to_blocks`], so that both have the
    /// same bits.
    fn to_one(&self, one: &Coordinates, i: usize) -> f64 {
        let other: Vec<f64> = self.block(i / BLOCK).iter().skip(i % BLOCK).step_by(BLOCK).copied().collect();
        let (numbers, levels) = other.split_at(self.form.numbers);
        let (own_numbers, own_levels) = one.row.split_at(self.form.numbers);
        let mut sum = 0.0;
        for (x, y) in own_numbers.iter().zip(numbers) {
            sum += self.view().term(1.0, x - y);
        }
        for (a, b) in own_levels.chunks_exact(2).zip(levels.chunks_exact(2)) {
            let differ = a[0].to_bits() != b[0].to_bits();
            sum += if differ { a[1] + b[1] } else { 0.0 };
        }
        one.with_missing_penalty(self.view(), self.view().distance(sum))
    }

    /// The distances to the samples of a range.
    fn fill_own(&self, one: &Coordinates, range: Range<usize>, out: &mut [f64]) {
        let (numbers, levels) = one.row.split_at(self.form.numbers);
        let fill = |from: usize, out: &mut [f64]| {
            let blocks = &self.values[from * self.width()..(from + out.len()) * self.width()];
            kernel::view_to_blocks(numbers, levels, self.form.is_manhattan, blocks, out);
            if one.missing_penalty > 0.0 {
                for o in out.iter_mut() {
                    *o = one.with_missing_penalty(self.view(), *o);
                }
            }
        };
        // Whole blocks are written directly to the output.
        let (first, last) = (range.start.next_multiple_of(BLOCK), range.end / BLOCK * BLOCK);
        if first < last {
            fill(first, &mut out[first - range.start..last - range.start]);
        }
        let mut block = [0.0; BLOCK];
        for part in [range.start..first.min(range.end), last.max(range.start)..range.end] {
            if part.is_empty() || (part.start >= first && part.end <= last) {
                continue;
            }
            let from = part.start / BLOCK * BLOCK;
            fill(from, &mut block);
            out[part.start - range.start..part.end - range.start]
                .copy_from_slice(&block[part.start - from..part.end - from]);
        }
    }
}

impl<S: ?Sized + TableRow> Prepared<S> for Blocks {
    fn fill(&self, one: &S, range: Range<usize>, out: &mut [f64]) {
        self.fill_own(&Coordinates::from_cells(&self.views, one.cells()), range, out);
    }

    fn fill_prepared(&self, index: usize, one: &S, range: Range<usize>, out: &mut [f64]) {
        // A missing value may count more than its coordinates.
        if one.cells().iter().any(|cell| cell.is_nan()) {
            return self.fill(one, range, out);
        }
        let row = self.block(index / BLOCK).iter().skip(index % BLOCK).step_by(BLOCK).copied().collect();
        self.fill_own(&Coordinates { row, missing_penalty: 0.0 }, range, out);
    }

    fn some(&self, which: &[usize]) -> Option<Box<dyn Prepared<S>>> {
        let width = self.width();
        let mut values = vec![0.0; which.len().next_multiple_of(BLOCK) * width];
        for (to, from) in which.iter().enumerate() {
            let own = self.block(from / BLOCK).iter().skip(from % BLOCK).step_by(BLOCK);
            let lane = values[to / BLOCK * BLOCK * width + to % BLOCK..].iter_mut().step_by(BLOCK);
            lane.zip(own).for_each(|(to, from)| *to = *from);
        }
        Some(Box::new(Self { views: self.views.clone(), form: self.form, values }))
    }

    fn fill_each(&self, ones: &[&S], range: Range<usize>, out: &mut [f64]) {
        let own: Vec<Coordinates> =
            ones.iter().map(|one| Coordinates::from_cells(&self.views, one.cells())).collect();
        let step = (TILE / self.width().max(1)).next_multiple_of(BLOCK).max(BLOCK);
        let mut start = range.start;
        while start < range.end {
            let end = (start / BLOCK * BLOCK + step).min(range.end);
            for (one, out) in own.iter().zip(out.chunks_exact_mut(range.len())) {
                self.fill_own(one, start..end, &mut out[start - range.start..end - range.start]);
            }
            start = end;
        }
    }

    fn replace(&mut self, index: usize, one: &S) -> bool {
        let own = Coordinates::from_cells(&self.views, one.cells());
        let size = BLOCK * self.width();
        let block = &mut self.values[index / BLOCK * size..(index / BLOCK + 1) * size];
        for (f, value) in own.row.iter().enumerate() {
            block[f * BLOCK + index % BLOCK] = *value;
        }
        true
    }

    fn fill_some(&self, one: &S, which: &[usize], out: &mut [f64]) {
        let one = Coordinates::from_cells(&self.views, one.cells());
        for (&i, o) in which.iter().zip(out) {
            *o = self.to_one(&one, i);
        }
    }
}
