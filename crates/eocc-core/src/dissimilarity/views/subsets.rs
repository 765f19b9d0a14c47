//! Subsets of the columns: an outlier in few columns drowns in the distance over all of them, but shows in a subset
//! with those and without noisy ones.
//!
//! The columns are dealt into four hands; any two hands form a subset of about half the columns. In each subset, in
//! the robust and the rank view, the mean distance to the few nearest rows is a score. Distances are sums over
//! columns, so the hands take one pass over the columns, and each subset one addition. Neighbors are found in single
//! precision, their distances are then computed in double.

use super::blocks::Coordinates;
use super::columns::Columns;
use super::{TableRow, TableView, Views};
use crate::dissimilarity::{LeaveOneOut, LeftOutScores, Panel};
use crate::kernel::{self, BLOCK};
use crate::parallel;
use crate::random::{fnv1a, mix};
use crate::select::Smallest;

/// Hands that the columns are dealt into; any two of them form a subset.
const HANDS: usize = 4;
const PAIRS: [(usize, usize); 6] = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
/// The views used in subsets.
const SUBSET_VIEWS: [TableView; 2] = [TableView::Robust, TableView::Rank];
/// Rows whose distances are recomputed when a sample is left out; for large sets, where one sample makes hardly a
/// difference, how many more than are used.
const CANDIDATES: usize = 12;
const MORE: usize = 4;
/// Up to here all kept rows are examined; beyond, an evenly spaced part.
const EXACT_ROWS: usize = 1 << 13;
const ROWS: usize = 1 << 11;
/// Coordinates are clamped to this, so that sums of squares fit single precision.
const MAX_COORDINATE: f32 = 1e15;
/// Larger distances are clamped to this.
const MAX_DISTANCE: f64 = 1e300;
/// The seed of the deal, which otherwise depends only on the column names.
const SEED: u64 = 1;

/// Subsets of columns, and the rows that samples are compared with.
pub(super) struct Subsets {
    /// The columns of each subset, ascending.
    columns: Vec<Vec<u32>>,
    /// The columns of each hand.
    hands: [Vec<u32>; HANDS],
    sides: Vec<Side>,
    /// The training samples that are examined, ascending.
    rows: Vec<u32>,
    /// Whether they are a proper subset of the kept ones.
    is_part: bool,
}

/// The rows in one view.
struct Side {
    views: Views,
    /// The positions of the coordinates of each column.
    places: Vec<Place>,
    /// All coordinates, row by row.
    exact: Vec<f64>,
    /// The coordinates of each hand, in blocks.
    hands: Vec<Vec<f32>>,
}

/// The position of the coordinates of a column in a row: the number, and the code of the level, which is followed by
/// its half gap.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    number: Option<usize>,
    level: Option<usize>,
}

impl Subsets {
    /// `None` if there are fewer columns than hands: a subset would be a single column.
    pub(super) fn new<S: ?Sized + TableRow>(views: &Views, samples: &[&S], kept: &[u32]) -> Option<Self> {
        let hands = deal(&views.columns, &|f| views.column_name(f))?;
        let count = if kept.len() <= EXACT_ROWS { kept.len() } else { ROWS };
        let rows: Vec<u32> = (0..count).map(|i| kept[i * kept.len() / count]).collect();
        let some: Vec<&S> = rows.iter().map(|&i| samples[i as usize]).collect();
        let side = |view: TableView| Side::new(&Views { only: Some(view), ..views.clone() }, &hands, &some);
        let sides = SUBSET_VIEWS.into_iter().map(side).collect();
        let subset = |(a, b): (usize, usize)| {
            let mut subset = [hands[a].as_slice(), &hands[b]].concat();
            subset.sort_unstable();
            subset
        };
        let columns = PAIRS.map(subset).to_vec();
        Some(Self { columns, sides, is_part: rows.len() < kept.len(), rows, hands })
    }

    /// The `count` nearest rows in each subset of one view, by distance and then by index; `skip` is excluded.
    fn nearest(&self, side: &Side, one: &[f64], count: usize, skip: Option<usize>) -> Vec<Vec<u32>> {
        let own = self.hands.each_ref().map(|hand| side.gathered(hand, one));
        let hands: [kernel::Hand<'_>; HANDS] = std::array::from_fn(|h| {
            let (numbers, levels) = own[h].split_at(side.numbers_of(&self.hands[h]));
            kernel::Hand { numbers, levels, blocks: &side.hands[h] }
        });
        let mut smallest = PAIRS.map(|_| Smallest::new(count));
        let mut add = |pair: usize, row: usize, sum: f32| {
            if Some(row) != skip {
                smallest[pair].add(row as u32, sum);
            }
        };
        let is_manhattan = side.views.view().is_manhattan();
        // One more if one of them is excluded.
        let wanted = count + usize::from(skip.is_some());
        kernel::small_sums_of_hands(&hands, is_manhattan, self.rows.len(), &PAIRS, wanted, &mut add);
        smallest.iter().map(|smallest| smallest.indices().collect()).collect()
    }
}

impl Side {
    fn new<S: ?Sized + TableRow>(views: &Views, hands: &[Vec<u32>; HANDS], rows: &[&S]) -> Self {
        let width = views.form().width();
        let mut exact = vec![0.0; rows.len() * width];
        parallel::for_each_chunk(&mut exact, 64 * width.max(1), &|chunk, out| {
            for (row, sample) in out.chunks_exact_mut(width.max(1)).zip(&rows[chunk * 64..]) {
                Coordinates::write(views, sample.cells(), row);
            }
        });
        let mut side =
            Self { views: views.clone(), places: places(&views.columns), exact, hands: Vec::new() };
        side.hands = parallel::map(hands.len(), 1, &|h| {
            let own = side.width_of(&hands[h]);
            let mut blocks = vec![0.0; rows.len().next_multiple_of(BLOCK) * own];
            for (i, row) in side.exact.chunks_exact(width.max(1)).enumerate() {
                let start = i / BLOCK * BLOCK * own + i % BLOCK;
                for (at, value) in side.gathered(&hands[h], row).into_iter().enumerate() {
                    blocks[start + at * BLOCK] = value;
                }
            }
            blocks
        });
        side
    }

    /// All coordinates of row number `at`.
    fn row(&self, at: usize) -> &[f64] {
        let width = self.views.form().width();
        &self.exact[at * width..(at + 1) * width]
    }

    fn numbers_of(&self, columns: &[u32]) -> usize {
        columns.iter().filter(|f| self.places[**f as usize].number.is_some()).count()
    }

    fn width_of(&self, columns: &[u32]) -> usize {
        let levels = columns.iter().filter(|f| self.places[**f as usize].level.is_some()).count();
        self.numbers_of(columns) + 2 * levels
    }

    /// The coordinates of some columns: numbers, then code and half gap of each level.
    fn gathered(&self, columns: &[u32], row: &[f64]) -> Vec<f32> {
        let single = |v: f64| (v as f32).clamp(-MAX_COORDINATE, MAX_COORDINATE);
        let places = || columns.iter().map(|f| self.places[*f as usize]);
        let numbers = places().filter_map(|p| p.number).map(|at| single(row[at]));
        let levels = places().filter_map(|p| p.level).flat_map(|at| [single(row[at]), single(row[at + 1])]);
        numbers.chain(levels).collect()
    }

    /// The distance to row number `at` over some columns.
    fn distance(&self, columns: &[u32], one: &Coordinates, penalties: &[f64], at: usize) -> f64 {
        let view = self.views.view();
        let other = self.row(at);
        let mut sum = 0.0;
        for &f in columns {
            let place = self.places[f as usize];
            if let Some(at) = place.number {
                sum += view.term(1.0, one.row[at] - other[at]);
            }
            if let Some(at) = place.level
                && one.row[at].to_bits() != other[at].to_bits()
            {
                sum += one.row[at + 1] + other[at + 1];
            }
            sum += penalties.get(f as usize).copied().unwrap_or(0.0);
        }
        view.distance(sum).min(MAX_DISTANCE)
    }
}

impl<S: ?Sized + TableRow> Panel<S> for Subsets {
    fn name(&self) -> String {
        "subsets of columns".to_owned()
    }

    fn weight(&self) -> f64 {
        super::SUBSETS
    }

    fn count(&self) -> usize {
        self.columns.len() * SUBSET_VIEWS.len()
    }

    fn scores(&self, one: &S, few: usize) -> Vec<f64> {
        let mut scores = Vec::with_capacity(self.columns.len() * SUBSET_VIEWS.len());
        for side in &self.sides {
            let own = Coordinates::from_cells(&side.views, one.cells());
            let penalties: Vec<f64> = if own.missing_penalty > 0.0 {
                let missing_penalty = |(f, cell): (usize, &f64)| side.views.missing_penalty(f, cell.is_nan());
                one.cells().iter().enumerate().map(missing_penalty).collect()
            } else {
                Vec::new()
            };
            let near = self.nearest(side, &own.row, few, None);
            for (columns, near) in self.columns.iter().zip(near) {
                let distances = near.iter().map(|&at| side.distance(columns, &own, &penalties, at as usize));
                scores.push(mean(distances, near.len()));
            }
        }
        scores
    }

    fn left_out(
        &self,
        i: usize,
        _one: &S,
        few: usize,
        twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores {
        let skip = self.rows.binary_search(&(i as u32)).ok();
        let candidates = if self.is_part { few + MORE } else { CANDIDATES };
        let (mut scores, mut without_twin) = (Vec::new(), twin.map(|_| Vec::new()));
        for (side, view) in self.sides.iter().zip(SUBSET_VIEWS) {
            let near = match skip {
                Some(at) => self.nearest(side, side.row(at), candidates, skip),
                None => self.nearest(side, &left_out.coordinates(view as usize, i), candidates, skip),
            };
            let named = |near: Vec<u32>| -> Vec<(u32, f64)> {
                near.into_iter().map(|at| (self.rows[at as usize], 0.0)).collect()
            };
            let mut near: Vec<Vec<(u32, f64)>> = near.into_iter().map(named).collect();
            left_out.fill_subsets(view as usize, i, &self.columns, &mut near);
            for near in &mut near {
                for n in &mut *near {
                    n.1 = n.1.min(MAX_DISTANCE);
                }
                near.sort_unstable_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
                let of_few = |without: Option<u32>| {
                    let counting = near.iter().filter(|n| Some(n.0) != without).take(few);
                    mean(counting.clone().map(|n| n.1), counting.count())
                };
                scores.push(of_few(None));
                if let Some(without_twin) = &mut without_twin {
                    without_twin.push(of_few(twin));
                }
            }
        }
        LeftOutScores { own: scores, without_twin }
    }

    fn features(&self, score: usize) -> Vec<usize> {
        self.columns[score % self.columns.len()].iter().map(|f| *f as usize).collect()
    }
}

fn mean(values: impl Iterator<Item = f64>, count: usize) -> f64 {
    values.map(|v| v / count as f64).sum()
}

fn places(columns: &Columns) -> Vec<Place> {
    let (mut number, mut level) = (0, columns.numbers);
    let next = |at: &mut usize, width: usize| {
        *at += width;
        *at - width
    };
    let place = |column: &super::columns::Column| Place {
        number: column.number.as_ref().map(|_| next(&mut number, 1)),
        level: column.levels.as_ref().map(|_| next(&mut level, 2)),
    };
    columns.all.iter().map(place).collect()
}

fn varying(columns: &Columns) -> Vec<usize> {
    (0..columns.all.len()).filter(|&f| columns.all[f].varies()).collect()
}

/// Whether there are enough columns.
pub(super) fn apply(columns: &Columns) -> bool {
    varying(columns).len() >= HANDS
}

/// Deals the columns that vary. The order depends only on their names, so that their arrangement does not matter.
fn deal(columns: &Columns, name: &dyn Fn(usize) -> String) -> Option<[Vec<u32>; HANDS]> {
    if !apply(columns) {
        return None;
    }
    let salt = mix(mix(SEED));
    let mut order = varying(columns);
    order.sort_by_cached_key(|&f| (mix(fnv1a(name(f).as_bytes()) ^ salt), f));
    Some(std::array::from_fn(|h| order.iter().skip(h).step_by(HANDS).map(|&f| f as u32).collect()))
}
