//! Neighbours in a table by a tree of boxes: rows that lie close are put side by side, in leaves of 64 with a box around
//! each, and a search looks at the leaves in the order of their boxes' distance.
//!
//! A search that may look at all leaves ends when no box is closer than the last neighbour found, and then its list is that of
//! brute force, bit for bit. One that may look at so many rows and no more ends there, and its list is approximate. What it
//! finds depends on the sample alone, never on which others are searched for beside it.
//!
//! The boxes of 64 leaves stand side by side in a cell, in columns, so that their distances are computed together; cells have
//! boxes, too. Two levels are enough: a million rows have 250 cells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use rayon::prelude::*;

use super::brute::{by_distance, keep_smallest};
use crate::kernel::{self, BLOCK, BOXES};

/// Rows of a leaf.
pub(crate) const LEAF: usize = 2 * BLOCK;
/// Rows of a leaf that are passed over together.
const CHUNK: usize = 16;
/// Rows of a cell.
const CELL: usize = BOXES * LEAF;
/// Pairs of rows by which the widest column is told.
const PAIRS: usize = 128;
/// Rows below which a part is not handed to another thread.
const MIN_PARALLEL: usize = 1 << 14;

/// What the columns of a table are: numbers, then pairs for each category, a code and what it adds where codes differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) numbers: usize,
    pub(crate) levels: usize,
    pub(crate) is_manhattan: bool,
}

impl Form {
    /// Numbers that a row takes.
    pub(crate) fn width(self) -> usize {
        self.numbers + 2 * self.levels
    }

    /// What a column adds to the sum of two rows.
    fn term(self, a: &[f64], b: &[f64], column: usize) -> f64 {
        if column < self.numbers {
            let d = a[column] - b[column];
            return if self.is_manhattan { d.abs() } else { d * d };
        }
        let code = self.numbers + 2 * (column - self.numbers);
        if (a[code] - b[code]).abs() < 0.5 { 0.0 } else { a[code + 1] + b[code + 1] }
    }

    /// Where the value stands by which a column is split.
    fn place(self, column: usize) -> usize {
        if column < self.numbers { column } else { self.numbers + 2 * (column - self.numbers) }
    }
}

/// The rows of a table in leaves.
pub(crate) struct Tree {
    form: Form,
    /// The row at each place.
    order: Vec<u32>,
    /// The place of each row, once it is asked for.
    places: OnceLock<Vec<u32>>,
    /// The rows by place, in blocks of columns.
    blocks: Vec<f64>,
    /// The boxes of the leaves, cell by cell, and of the cells.
    leaves: Vec<f64>,
    cells: Vec<f64>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Found {
    /// Rows and distances, by distance and then by row.
    pub(crate) nearest: Vec<(u32, f64)>,
    /// How many rows were looked at.
    pub(crate) visited: usize,
}

impl Tree {
    /// Of rows one after another, each of the form's width.
    pub(crate) fn new(form: Form, rows: &[f64]) -> Self {
        let width = form.width();
        let count = rows.len().checked_div(width).unwrap_or(0);
        let mut order: Vec<u32> = (0..count as u32).collect();
        split(form, rows, &mut order);
        let row = |i: u32| &rows[i as usize * width..(i as usize + 1) * width];
        let mut blocks = vec![0.0; count.next_multiple_of(LEAF) * width];
        blocks.par_chunks_mut(BLOCK * width.max(1)).zip(order.par_chunks(BLOCK)).for_each(|(block, some)| {
            for (lane, &i) in some.iter().enumerate() {
                for (f, v) in row(i).iter().enumerate() {
                    block[f * BLOCK + lane] = *v;
                }
            }
        });
        let boxes_of = |size: usize| {
            let boxes: Vec<Vec<f64>> =
                order.par_chunks(size).map(|some| bounding_box(form, some.iter().map(|i| row(*i)))).collect();
            in_columns(form, &boxes)
        };
        let (leaves, cells) = (boxes_of(LEAF), boxes_of(CELL));
        Self { form, order, places: OnceLock::new(), blocks, leaves, cells }
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.order.len()
    }

    /// A row by its number.
    pub(crate) fn row(&self, number: u32) -> Vec<f64> {
        let places = self.places.get_or_init(|| {
            let mut places = vec![0; self.order.len()];
            for (place, row) in (0..).zip(&self.order) {
                places[*row as usize] = place;
            }
            places
        });
        let place = places[number as usize] as usize;
        let block = &self.blocks[place / BLOCK * BLOCK * self.form.width()..];
        (0..self.form.width()).map(|f| block[f * BLOCK + place % BLOCK]).collect()
    }

    /// The rows by place: such that lie close are close.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The place of the leaf closest to a row: rows that lie close have places that are close.
    pub(crate) fn place(&self, one: &[f64]) -> u32 {
        let nearest = |boxes: &[f64], count: usize| {
            let mut bounds = vec![0.0; count.next_multiple_of(BOXES)];
            self.bounds(one, boxes, &mut bounds);
            let closest = bounds[..count].iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            closest.map_or(0, |c| c.0)
        };
        let cell = nearest(&self.cells, self.rows().div_ceil(CELL));
        (cell * BOXES + nearest(self.cell(cell), self.leaves_in(cell))) as u32
    }

    /// The `k` nearest of a row, `skip` left out, none of them farther than `limit`; leaves are looked at until `visits` rows
    /// have been.
    pub(crate) fn nearest(
        &self,
        one: &[f64],
        k: usize,
        skip: Option<u32>,
        limit: f64,
        visits: usize,
    ) -> Found {
        let mut found = Nearest::new(k, limit);
        let mut visited = 0;
        let count = self.rows().div_ceil(CELL);
        let mut bounds = vec![0.0; count.next_multiple_of(BOXES).max(BOXES)];
        self.bounds(one, &self.cells, &mut bounds);
        // Cells before leaves of the same distance; of each the first.
        let mut queue: BinaryHeap<Waiting> =
            bounds[..count].iter().zip(0..).map(|(b, c)| Waiting::new(*b, c)).collect();
        let mut distances = [0.0; LEAF];
        while let Some(next) = queue.pop() {
            if next.bound() > found.limit || visited >= visits || k == 0 {
                break;
            }
            let at = next.at();
            if at < count {
                let own = self.leaves_in(at);
                self.bounds(one, self.cell(at), &mut bounds[..BOXES]);
                let near = bounds[..own].iter().zip(0..).filter(|(b, _)| **b <= found.limit);
                queue.extend(near.map(|(b, leaf)| Waiting::new(*b, (count + at * BOXES) as u32 + leaf)));
                continue;
            }
            let start = (at - count) * LEAF;
            let rows = &self.order[start..(start + LEAF).min(self.order.len())];
            let (numbers, levels) = one.split_at(self.form.numbers);
            let width = self.form.width();
            let blocks = &self.blocks[start * width..(start + LEAF) * width];
            kernel::view_to_blocks(numbers, levels, self.form.is_manhattan, blocks, &mut distances);
            visited += rows.len();
            found.take(rows, &distances, skip);
        }
        Found { nearest: found.sorted(), visited }
    }

    /// The rows of a leaf: their numbers, and all of them in blocks of columns.
    pub(crate) fn leaf(&self, leaf: usize) -> (&[u32], &[f64]) {
        let (start, width) = (leaf * LEAF, self.form.width());
        let rows = &self.order[start..(start + LEAF).min(self.order.len())];
        (rows, &self.blocks[start * width..(start + LEAF) * width])
    }

    fn bounds(&self, one: &[f64], boxes: &[f64], out: &mut [f64]) {
        let (numbers, levels) = one.split_at(self.form.numbers);
        kernel::view_to_boxes(numbers, levels, self.form.is_manhattan, boxes, out);
    }

    /// The boxes of the leaves of a cell.
    fn cell(&self, cell: usize) -> &[f64] {
        let size = BOXES * 2 * (self.form.numbers + self.form.levels);
        &self.leaves[cell * size..(cell + 1) * size]
    }

    fn leaves_in(&self, cell: usize) -> usize {
        (self.rows() - cell * CELL).div_ceil(LEAF).min(BOXES)
    }
}

/// A cell or a leaf that waits to be looked at, those of smaller bounds first: the bound, rounded down to single precision,
/// and where it is, in one number that is compared at once.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting(Reverse<u64>);

impl Waiting {
    fn new(bound: f64, at: u32) -> Self {
        let near = bound as f32;
        let below = if f64::from(near) > bound { near.next_down() } else { near };
        Self(Reverse(u64::from(below.to_bits()) << 32 | u64::from(at)))
    }

    fn bound(&self) -> f64 {
        f64::from(f32::from_bits((self.0.0 >> 32) as u32))
    }

    fn at(&self) -> usize {
        (self.0.0 & u64::from(u32::MAX)) as usize
    }
}

/// The nearest so far.
struct Nearest {
    k: usize,
    room: usize,
    found: Vec<(u32, f64)>,
    /// The distance beyond which nothing is among the nearest.
    limit: f64,
}

impl Nearest {
    fn new(k: usize, limit: f64) -> Self {
        let room = 2 * k.max(16);
        Self { k, room, found: Vec::with_capacity(room), limit }
    }

    /// Looks at rows and their distances.
    fn take(&mut self, rows: &[u32], distances: &[f64], skip: Option<u32>) {
        let mut smallest = [0.0; LEAF / CHUNK];
        kernel::smallest_of_chunks::<CHUNK>(distances, &mut smallest);
        for ((rows, distances), smallest) in rows.chunks(CHUNK).zip(distances.chunks(CHUNK)).zip(smallest) {
            if smallest > self.limit {
                continue;
            }
            for (&row, &d) in rows.iter().zip(distances) {
                if d > self.limit || Some(row) == skip {
                    continue;
                }
                self.found.push((row, d));
                if self.found.len() == self.room {
                    // Of equal distances the lower row stays, though it may come later.
                    let last = self.found.select_nth_unstable_by(self.k - 1, by_distance).1.1;
                    self.found.truncate(self.k);
                    self.limit = last;
                }
            }
        }
    }

    fn sorted(mut self) -> Vec<(u32, f64)> {
        keep_smallest(&mut self.found, self.k);
        self.found
    }
}

/// Puts rows that lie close side by side: halves along the widest column, and the halves likewise.
fn split(form: Form, rows: &[f64], some: &mut [u32]) {
    if some.len() <= LEAF {
        some.sort_unstable();
        return;
    }
    let leaves = some.len().div_ceil(LEAF);
    let half = leaves / 2;
    // Whole cells, as long as there are some.
    let half = if leaves > BOXES { half.next_multiple_of(BOXES) } else { half };
    let half = if half >= leaves { half - BOXES } else { half };
    let middle = half * LEAF;
    let place = form.place(widest(form, rows, some));
    let width = form.width();
    let value = |i: &u32| rows[*i as usize * width + place];
    some.select_nth_unstable_by(middle, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
    let (left, right) = some.split_at_mut(middle);
    if left.len() < MIN_PARALLEL {
        split(form, rows, left);
        split(form, rows, right);
    } else {
        rayon::join(|| split(form, rows, left), || split(form, rows, right));
    }
}

/// The column in which rows differ most, the first of several.
fn widest(form: Form, rows: &[f64], some: &[u32]) -> usize {
    let width = form.width();
    let row = |at: usize| &rows[some[at] as usize * width..(some[at] as usize + 1) * width];
    let pairs = PAIRS.min(some.len() / 2);
    let half = some.len() / 2;
    let mut sums = vec![0.0; form.numbers + form.levels];
    for p in 0..pairs {
        let at = p * half / pairs;
        let (a, b) = (row(at), row(at + half));
        for (f, sum) in sums.iter_mut().enumerate() {
            *sum += form.term(a, b, f).min(f64::MAX / PAIRS as f64);
        }
    }
    let mut best = 0;
    for (f, sum) in sums.iter().enumerate() {
        if *sum > sums[best] {
            best = f;
        }
    }
    best
}

/// The smallest and largest value of each column; of categories, of their codes.
fn bounding_box<'a>(form: Form, rows: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let columns = form.numbers + form.levels;
    let mut ends = [vec![f64::INFINITY; columns], vec![f64::NEG_INFINITY; columns]];
    for row in rows {
        for f in 0..columns {
            let v = row[form.place(f)];
            ends[0][f] = ends[0][f].min(v);
            ends[1][f] = ends[1][f].max(v);
        }
    }
    ends.concat()
}

/// Boxes in groups, and within a group by column: the smallest values, then the largest.
fn in_columns(form: Form, boxes: &[Vec<f64>]) -> Vec<f64> {
    let columns = form.numbers + form.levels;
    let mut out = vec![0.0; boxes.len().next_multiple_of(BOXES) * 2 * columns];
    for (b, ends) in boxes.iter().enumerate() {
        let group = &mut out[b / BOXES * BOXES * 2 * columns..];
        for f in 0..columns {
            group[2 * f * BOXES + b % BOXES] = ends[f];
            group[(2 * f + 1) * BOXES + b % BOXES] = ends[columns + f];
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knn::nearest;
    use crate::random::Random;

    /// Rows in which numbers tie and codes are few; some rows come twice.
    fn rows(form: Form, n: usize, r: &mut Random) -> Vec<f64> {
        let mut rows = Vec::new();
        for i in 0..n {
            if i % 7 == 6 {
                rows.extend_from_within(..form.width());
                continue;
            }
            rows.extend((0..form.numbers).map(|_| (20.0 * r.normal()).round() / 10.0));
            for _ in 0..form.levels {
                rows.extend([r.below(4) as f64, 0.25 * (1 + r.below(3)) as f64]);
            }
        }
        rows
    }

    fn plain(form: Form, rows: &[f64], one: &[f64], k: usize, skip: Option<usize>) -> Vec<(u32, f64)> {
        let distance = |row: &[f64]| {
            let mut sum = 0.0;
            for f in 0..form.numbers + form.levels {
                sum += form.term(one, row, f);
            }
            if form.is_manhattan { sum } else { sum.sqrt() }
        };
        let all: Vec<f64> = rows.chunks(form.width()).map(distance).collect();
        nearest(&all, k, skip)
    }

    #[test]
    fn a_search_of_all_leaves_gives_the_lists_of_brute_force() {
        let mut r = Random::new(3);
        for (numbers, levels, n) in [(1, 0, 5), (2, 0, 700), (5, 2, 500), (0, 3, 300), (3, 0, 9000)] {
            for is_manhattan in [true, false] {
                let form = Form { numbers, levels, is_manhattan };
                let rows = rows(form, n, &mut r);
                let tree = Tree::new(form, &rows);
                let mut visited = 0;
                for i in (0..n).step_by(n / 5) {
                    let own = &rows[i * form.width()..(i + 1) * form.width()];
                    assert_eq!(tree.row(i as u32), own);
                    for k in [1, 4.min(n - 1), 40.min(n - 1)] {
                        let found = tree.nearest(own, k, Some(i as u32), f64::INFINITY, usize::MAX);
                        assert_eq!(found.nearest, plain(form, &rows, own, k, Some(i)), "{form:?} {k}");
                        visited += found.visited;
                    }
                }
                // The tree must spare something where it can.
                assert!(n < 9000 || visited < 15 * n / 4, "{visited} of {}", 15 * n);
            }
        }
    }

    #[test]
    fn few_visits_find_most_neighbours_and_equals_are_found_at_once() {
        let form = Form { numbers: 6, levels: 0, is_manhattan: false };
        let mut r = Random::new(4);
        let rows: Vec<f64> = (0..6 * 20_000).map(|_| r.normal()).collect();
        let tree = Tree::new(form, &rows);
        let (mut found, mut all) = (0, 0);
        for i in (0..20_000).step_by(500) {
            let own = &rows[i * 6..(i + 1) * 6];
            let near = tree.nearest(own, 10, Some(i as u32), f64::INFINITY, 2048);
            assert!(near.visited <= 2048 + LEAF);
            let exact = tree.nearest(own, 10, Some(i as u32), f64::INFINITY, usize::MAX);
            found += near.nearest.iter().filter(|n| exact.nearest.contains(n)).count();
            all += exact.nearest.len();
            let equal = tree.nearest(own, 3, None, 0.0, usize::MAX);
            assert_eq!(equal.nearest, [(i as u32, 0.0)]);
            assert!(equal.visited <= 4 * LEAF);
        }
        assert!(found as f64 > 0.9 * all as f64, "{found} of {all}");
    }

    #[test]
    fn what_waits_comes_by_bounds_that_are_never_raised() {
        let mut r = Random::new(5);
        let ends = [0.0, f64::MIN_POSITIVE, 1e-50, 0.1, 1.0 + f64::EPSILON, 1e300, f64::MAX, f64::INFINITY];
        for bound in ends.into_iter().chain((0..1000).map(|_| (9.0 * r.normal()).exp())) {
            let waiting = Waiting::new(bound, 7);
            assert!(waiting.bound() <= bound && waiting.at() == 7, "{bound}");
            assert!(waiting.bound() >= (0.999_999 * bound).min(f64::from(f32::MAX)) - 1e-40, "{bound}");
            assert!(waiting > Waiting::new(bound, 8));
        }
        assert!(Waiting::new(0.1, 9) > Waiting::new(0.2, 1));
    }

    #[test]
    fn equal_rows_and_none_at_all() {
        let form = Form { numbers: 2, levels: 0, is_manhattan: true };
        let tree = Tree::new(form, &[1.5; 2000]);
        let found = tree.nearest(&[1.5, 1.5], 3, Some(1), f64::INFINITY, usize::MAX);
        assert_eq!(found.nearest, [(0, 0.0), (2, 0.0), (3, 0.0)]);
        assert!(Tree::new(form, &[]).nearest(&[0.0, 0.0], 3, None, f64::INFINITY, 9).nearest.is_empty());
    }
}
