//! Neighbors in a table by a tree of boxes: close rows are stored together, in leaves of 64 with a bounding box each,
//! and a search visits the leaves in the order of their boxes' distances.
//!
//! An unlimited search ends when no box is closer than the last neighbor found, and its list equals that of brute
//! force bit for bit. A limited search ends after that many rows, and its list is approximate. The result depends
//! only on the sample, never on which others are searched for at the same time.
//!
//! The boxes of 64 leaves are stored column by column in a cell, so that their distances are computed together; cells
//! have boxes, too. Two levels are enough: a million rows have 250 cells.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::OnceLock;

use crate::kernel::{self, BLOCK, BOXES};
use crate::parallel;
use crate::select::{by_distance, keep_smallest};

/// Rows per leaf.
pub(crate) const LEAF: usize = 2 * BLOCK;
/// Rows per cell.
const CELL: usize = BOXES * LEAF;
/// Pairs of rows used to find the widest column.
const PAIRS: usize = 128;
/// Parts with fewer rows are not handed to another thread.
const MIN_PARALLEL: usize = 1 << 14;

/// The layout of the columns of a table: numbers, then a pair for each category, a code and the term to add if codes
/// differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) numbers: usize,
    pub(crate) levels: usize,
    pub(crate) is_manhattan: bool,
}

impl Form {
    /// Numbers per row.
    pub(crate) fn width(self) -> usize {
        self.numbers + 2 * self.levels
    }

    /// The term of a column in the sum of two rows.
    fn term(self, a: &[f64], b: &[f64], column: usize) -> f64 {
        if column < self.numbers {
            let d = a[column] - b[column];
            return if self.is_manhattan { d.abs() } else { d * d };
        }
        let code = self.numbers + 2 * (column - self.numbers);
        if (a[code] - b[code]).abs() < 0.5 { 0.0 } else { a[code + 1] + b[code + 1] }
    }

    /// The distance to a row, from the sum of all columns.
    fn distance(self, sum: f64) -> f64 {
        if self.is_manhattan { sum } else { sum.sqrt() }
    }

    /// An upper bound of the sums of rows within a distance: the root and the square are both rounded.
    fn sum_within(self, distance: f64) -> f64 {
        if self.is_manhattan {
            distance
        } else {
            (distance * distance * (1.0 + 4.0 * f64::EPSILON)).next_up()
        }
    }

    /// The position of the value that a column is split by.
    fn split_position(self, column: usize) -> usize {
        if column < self.numbers { column } else { self.numbers + 2 * (column - self.numbers) }
    }
}

/// The rows of a table in leaves.
pub(crate) struct Tree {
    form: Form,
    /// The row at each place.
    order: Vec<u32>,
    /// The position of each row, computed on demand.
    places: OnceLock<Vec<u32>>,
    /// The rows in tree order, in blocks of columns.
    blocks: Vec<f64>,
    /// The boxes of the leaves, cell by cell, and of the cells.
    leaves: Vec<f64>,
    cells: Vec<f64>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Found {
    /// Rows and distances, by distance and then by row.
    pub(crate) nearest: Vec<(u32, f64)>,
    /// How many rows were visited.
    pub(crate) visited: usize,
}

impl Tree {
    /// From concatenated rows, each of the form's width.
    pub(crate) fn new(form: Form, rows: &[f64]) -> Self {
        let width = form.width();
        let count = rows.len().checked_div(width).unwrap_or(0);
        let mut order: Vec<u32> = (0..count as u32).collect();
        split(form, rows, &mut order);
        let row = |i: u32| &rows[i as usize * width..(i as usize + 1) * width];
        let mut blocks = vec![0.0; count.next_multiple_of(LEAF) * width];
        parallel::for_each_chunk(&mut blocks, BLOCK * width, &|b, block| {
            for (lane, &i) in order.iter().skip(b * BLOCK).take(BLOCK).enumerate() {
                for (f, v) in row(i).iter().enumerate() {
                    block[f * BLOCK + lane] = *v;
                }
            }
        });
        let boxes_of = |size: usize| {
            let groups: Vec<&[u32]> = order.chunks(size).collect();
            let of_group = |g: usize| bounding_box(form, groups[g].iter().map(|i| row(*i)));
            let boxes: Vec<Vec<f64>> = parallel::map(groups.len(), 16, &of_group);
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

    /// The rows in tree order: close rows have close positions.
    pub(crate) fn order(&self) -> &[u32] {
        &self.order
    }

    /// The rank of the leaf closest to a row: close rows have close ranks.
    pub(crate) fn leaf_rank(&self, one: &[f64]) -> u32 {
        let nearest = |boxes: &[f64], count: usize| {
            let mut bounds = vec![0.0; count.next_multiple_of(BOXES)];
            self.bounds(one, boxes, &mut bounds);
            let closest = bounds[..count].iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1));
            closest.map_or(0, |c| c.0)
        };
        let cell = nearest(&self.cells, self.rows().div_ceil(CELL));
        (cell * BOXES + nearest(self.cell(cell), self.leaves_in(cell))) as u32
    }

    /// The `k` nearest of a row, excluding `skip`, none of them farther than `limit`; visits leaves until `visits`
    /// rows have been examined.
    pub(crate) fn nearest(
        &self,
        one: &[f64],
        k: usize,
        skip: Option<u32>,
        limit: f64,
        visits: usize,
    ) -> Found {
        if k == 0 {
            return Found::default();
        }
        let mut found = Nearest::new(self.form, k, limit);
        let mut visited = 0;
        let count = self.rows().div_ceil(CELL);
        let mut bounds = vec![0.0; count.next_multiple_of(BOXES).max(BOXES)];
        self.bounds(one, &self.cells, &mut bounds);
        let mut cells: BinaryHeap<Reverse<Waiting>> =
            bounds[..count].iter().zip(0..).map(|(b, c)| Reverse(Waiting::new(*b, c))).collect();
        let mut leaves = Queue::new();
        let mut sums = [0.0; LEAF];
        'search: loop {
            let cell = cells.pop().map(|c| c.0);
            // As many as may still be visited; the very last leaf may have fewer rows.
            let needed = (visits - visited.min(visits)).div_ceil(LEAF).saturating_add(1);
            for next in leaves.before(cell, needed) {
                if next.bound() > found.largest_sum || visited >= visits {
                    break 'search;
                }
                let (rows, blocks) = self.leaf(next.at());
                let (numbers, levels) = one.split_at(self.form.numbers);
                kernel::sums_to_blocks(numbers, levels, self.form.is_manhattan, blocks, &mut sums);
                visited += rows.len();
                found.take(rows, &sums, skip);
            }
            let Some(cell) = cell.filter(|c| c.bound() <= found.largest_sum && visited < visits) else {
                break;
            };
            let at = cell.at();
            self.bounds(one, self.cell(at), &mut bounds[..BOXES]);
            leaves.add(&bounds[..self.leaves_in(at)], (at * BOXES) as u32, found.largest_sum);
        }
        Found { nearest: found.sorted(), visited }
    }

    /// The rows of a leaf: their numbers, and all values in blocks of columns.
    pub(crate) fn leaf(&self, leaf: usize) -> (&[u32], &[f64]) {
        let (start, width) = (leaf * LEAF, self.form.width());
        let rows = &self.order[start..(start + LEAF).min(self.order.len())];
        (rows, &self.blocks[start * width..(start + LEAF) * width])
    }

    fn bounds(&self, one: &[f64], boxes: &[f64], out: &mut [f64]) {
        let (numbers, levels) = one.split_at(self.form.numbers);
        kernel::sums_to_boxes(numbers, levels, self.form.is_manhattan, boxes, out);
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

/// A cell or a leaf waiting to be visited, ordered by bound. The bound and a number are packed into one integer, the
/// number replacing the last bits of the bound, so that both are compared at once. A bound without its last bits is
/// still a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Waiting(u64);

impl Waiting {
    const BITS: u32 = 28;
    const NUMBER: u64 = (1 << Self::BITS) - 1;
    /// After all others.
    const LAST: Self = Self(u64::MAX);

    fn new(bound: f64, at: u32) -> Self {
        Self(bound.to_bits() & !Self::NUMBER | u64::from(at))
    }

    fn bound(self) -> f64 {
        f64::from_bits(self.0 & !Self::NUMBER)
    }

    fn at(self) -> usize {
        (self.0 & Self::NUMBER) as usize
    }
}

/// The waiting leaves. Cells are opened one by one, and of the leaves in open cells, those before the next cell are
/// visited: partitioning and sorting these few is faster than a heap of all. Leaves are written first and counted
/// afterwards, so that there are no branches to predict.
struct Queue {
    waiting: Vec<Waiting>,
    /// None of them comes before this.
    first: Waiting,
    /// The ones taken out last.
    taken: Vec<Waiting>,
}

impl Queue {
    fn new() -> Self {
        Self {
            waiting: Vec::with_capacity(4 * BOXES),
            first: Waiting::LAST,
            taken: Vec::with_capacity(BOXES),
        }
    }

    /// Adds leaves, the first of which has this number, except those beyond the limit.
    fn add(&mut self, bounds: &[f64], number: u32, limit: f64) {
        let mut count = self.waiting.len();
        self.waiting.resize(count + bounds.len(), Waiting::default());
        for (bound, at) in bounds.iter().zip(number..) {
            let leaf = Waiting::new(*bound, at);
            self.waiting[count] = leaf;
            self.first = self.first.min(leaf);
            count += usize::from(*bound <= limit);
        }
        self.waiting.truncate(count);
    }

    /// Takes out the leaves before a cell, or all of them, in order. The cell wins ties: its leaves may be as close.
    /// Only the first `needed` are returned: if bounds say little, there are very many, and the search ends with
    /// these.
    fn before(&mut self, cell: Option<Waiting>, needed: usize) -> &[Waiting] {
        let end = cell.map_or(Waiting::LAST, |c| Waiting::new(c.bound(), 0));
        self.taken.clear();
        if self.first >= end {
            return &self.taken;
        }
        self.first = Waiting::LAST;
        let (mut stay, mut go) = (0, 0);
        self.taken.resize(self.waiting.len(), Waiting::default());
        for i in 0..self.waiting.len() {
            let leaf = self.waiting[i];
            (self.waiting[stay], self.taken[go]) = (leaf, leaf);
            let is_before = leaf < end;
            self.first = self.first.min(if is_before { Waiting::LAST } else { leaf });
            (stay, go) = (stay + usize::from(!is_before), go + usize::from(is_before));
        }
        self.waiting.truncate(stay);
        self.taken.truncate(go);
        if needed < self.taken.len() {
            self.taken.select_nth_unstable(needed);
            self.taken.truncate(needed);
        }
        self.taken.sort_unstable();
        &self.taken
    }
}

/// The nearest so far.
struct Nearest {
    form: Form,
    k: usize,
    room: usize,
    found: Vec<(u32, f64)>,
    /// The distance beyond which nothing is among the nearest, and the largest sum that may be within it.
    limit: f64,
    largest_sum: f64,
}

impl Nearest {
    fn new(form: Form, k: usize, limit: f64) -> Self {
        let room = 2 * k.max(16);
        let found = Vec::with_capacity(room);
        Self { form, k, room, found, limit, largest_sum: form.sum_within(limit) }
    }

    /// Examines the rows of a leaf and their sums.
    fn take(&mut self, rows: &[u32], sums: &[f64; LEAF], skip: Option<u32>) {
        let mut near = kernel::no_larger(sums, self.largest_sum) & u64::MAX >> (LEAF - rows.len());
        while near > 0 {
            let at = near.trailing_zeros() as usize;
            near &= near - 1;
            let (row, distance) = (rows[at], self.form.distance(sums[at]));
            if distance > self.limit || Some(row) == skip {
                continue;
            }
            self.found.push((row, distance));
            if self.found.len() == self.room {
                // Ties go to the lower row, though it may come later.
                self.limit = self.found.select_nth_unstable_by(self.k - 1, by_distance).1.1;
                self.largest_sum = self.form.sum_within(self.limit);
                self.found.truncate(self.k);
            }
        }
    }

    fn sorted(mut self) -> Vec<(u32, f64)> {
        keep_smallest(&mut self.found, self.k);
        self.found
    }
}

/// Puts close rows next to each other: splits along the widest column, recursively.
fn split(form: Form, rows: &[f64], some: &mut [u32]) {
    if some.len() <= LEAF {
        some.sort_unstable();
        return;
    }
    let leaves = some.len().div_ceil(LEAF);
    let half = leaves / 2;
    // Whole cells, as long as possible.
    let half = if leaves > BOXES { half.next_multiple_of(BOXES) } else { half };
    let half = if half >= leaves { half - BOXES } else { half };
    let middle = half * LEAF;
    let place = form.split_position(widest(form, rows, some));
    let width = form.width();
    let value = |i: &u32| rows[*i as usize * width + place];
    some.select_nth_unstable_by(middle, |a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
    let (left, right) = some.split_at_mut(middle);
    if left.len() < MIN_PARALLEL {
        split(form, rows, left);
        split(form, rows, right);
    } else {
        parallel::join(|| split(form, rows, left), || split(form, rows, right));
    }
}

/// The column in which rows differ most; ties go to the first.
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

/// The smallest and largest value of each column; for categories, of their codes.
fn bounding_box<'a>(form: Form, rows: impl Iterator<Item = &'a [f64]>) -> Vec<f64> {
    let columns = form.numbers + form.levels;
    let mut ends = [vec![f64::INFINITY; columns], vec![f64::NEG_INFINITY; columns]];
    for row in rows {
        for f in 0..columns {
            let v = row[form.split_position(f)];
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
    use crate::random::Random;
    use crate::select::nearest;

    /// Rows in which numbers tie and codes are few; some rows are repeated.
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
                // The tree must save some visits if it can.
                assert!(n < 9000 || visited < 15 * n / 4, "{visited} of {}", 15 * n);
            }
        }
    }

    #[test]
    fn few_visits_find_most_neighbors_and_equals_are_found_at_once() {
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
            assert!(waiting.bound() >= 0.999_999 * bound.min(f64::MAX) - 1e-300, "{bound}");
            assert!(waiting < Waiting::new(bound, 8) && waiting < Waiting::LAST);
        }
        assert!(Waiting::new(0.1, 9) < Waiting::new(0.2, 1));
        // Leaves before a cell come out in order, and those with its bound wait.
        let mut queue = Queue::new();
        queue.add(&[0.5, 0.1, 0.3, 9.0], 10, 2.0);
        queue.add(&[0.2, 0.3], 20, 2.0);
        let mut taken = |cell: Option<f64>| {
            let cell = cell.map(|bound| Waiting::new(bound, 3));
            queue.before(cell, usize::MAX).iter().map(|leaf| leaf.at()).collect::<Vec<_>>()
        };
        assert!(taken(Some(0.1)).is_empty());
        assert_eq!(taken(Some(0.3)), [11, 20]);
        assert!(taken(Some(0.2)).is_empty());
        assert_eq!(taken(None), [12, 21, 10]);
        assert!(taken(None).is_empty());
        // No more than needed.
        queue.add(&[0.5, 0.1, 0.3, 0.2], 10, 2.0);
        assert_eq!(queue.before(None, 2).iter().map(|leaf| leaf.at()).collect::<Vec<_>>(), [11, 13]);
    }

    #[test]
    fn no_row_within_a_distance_has_a_larger_sum() {
        let mut r = Random::new(6);
        let form = Form { numbers: 1, levels: 0, is_manhattan: false };
        for sum in (0..4000)
            .map(|i| (if i < 2000 { 9.0 } else { 200.0 } * r.normal()).exp())
            .chain([0.0, 5e-324, 3e-323])
        {
            let distance = form.distance(sum);
            let most = form.sum_within(distance);
            assert!(sum <= most && most <= sum * (1.0 + 1e-14) + 1e-300, "{sum} {most}");
        }
        assert!(form.sum_within(f64::INFINITY).is_infinite());
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
