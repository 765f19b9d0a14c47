//! Samples of a view in a tree.
//!
//! Levels that all samples share, such as the presence of a number, are not in the tree: they do not distinguish
//! samples. A query without such a level is farther from all of them by a constant.

use super::blocks::Coordinates;
use super::{TableRow, Views};
use crate::dissimilarity::{Index, Nearest, Query};
use crate::parallel;
use crate::tree::{Form, Tree};

/// Samples whose rows are written in one task.
const CHUNK: usize = 64;

/// The samples that count as neighbors, and separately those that are only searched for duplicates.
pub(super) struct RowIndex {
    views: Views,
    /// For each level, the code and half gap that all samples share, if they do.
    shared: Vec<Option<[f64; 2]>>,
    counting: Tree,
    others: Tree,
}

impl RowIndex {
    /// For samples, the first `counting` of which count as neighbors.
    pub(super) fn new<S: ?Sized + TableRow>(views: &Views, many: &[&S], counting: usize) -> Self {
        let form = views.form();
        let width = form.width().max(1);
        let mut rows = vec![0.0; many.len() * form.width()];
        parallel::for_each_chunk(&mut rows, CHUNK * width, &|chunk, rows| {
            for (row, sample) in rows.chunks_exact_mut(width).zip(&many[chunk * CHUNK..]) {
                Coordinates::write(views, sample.cells(), row);
            }
        });
        let shared = shared(form, &rows);
        let varying = shared.iter().filter(|shared| shared.is_none()).count();
        let own_form = Form { levels: varying, ..form };
        if varying < form.levels {
            // In place: row by row, values only move forward.
            let mut end = 0;
            for start in (0..rows.len()).step_by(width) {
                rows.copy_within(start..start + form.numbers, end);
                end += form.numbers;
                for (at, _) in shared.iter().enumerate().filter(|(_, shared)| shared.is_none()) {
                    let level = start + form.numbers + 2 * at;
                    rows.copy_within(level..level + 2, end);
                    end += 2;
                }
            }
            rows.truncate(end);
        }
        let (first, last) = rows.split_at(counting * own_form.width());
        let (counting, others) = (Tree::new(own_form, first), Tree::new(own_form, last));
        Self { views: views.clone(), shared, counting, others }
    }

    /// A row without the shared levels. Those it does not have add to its missing penalty.
    fn own(&self, cells: &[f64]) -> Coordinates {
        let Coordinates { row, mut missing_penalty } = Coordinates::from_cells(&self.views, cells);
        let (numbers, levels) = row.split_at(self.views.form().numbers);
        let mut own = numbers.to_vec();
        for (level, shared) in levels.chunks_exact(2).zip(&self.shared) {
            match shared {
                None => own.extend_from_slice(level),
                Some([code, half]) if level[0].to_bits() != code.to_bits() => {
                    missing_penalty += level[1] + half;
                }
                Some(_) => {}
            }
        }
        Coordinates { row: own, missing_penalty }
    }
}

/// The levels that all rows share.
fn shared(form: Form, rows: &[f64]) -> Vec<Option<[f64; 2]>> {
    let width = form.width().max(1);
    let mut shared: Vec<Option<[f64; 2]>> = match rows.get(..width) {
        Some(first) => {
            first[form.numbers..].chunks_exact(2).map(|level| Some([level[0], level[1]])).collect()
        }
        None => vec![None; form.levels],
    };
    for row in rows.chunks_exact(width) {
        for (level, shared) in row[form.numbers..].chunks_exact(2).zip(&mut shared) {
            if shared.is_some_and(|[code, _]| code.to_bits() != level[0].to_bits()) {
                *shared = None;
            }
        }
    }
    shared
}

impl<S: ?Sized + TableRow> Index<S> for RowIndex {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        // A training sample is in the tree, and has all shared levels.
        let own = match query.skip {
            Some(own) => Coordinates { row: self.counting.row(own), missing_penalty: 0.0 },
            None => self.own(one.cells()),
        };
        let near = self.counting.nearest(&own.row, query.k, query.skip, f64::INFINITY, query.visits);
        let mut found = near.nearest;
        let mut measured = near.visited;
        let mut close = Vec::new();
        if own.missing_penalty > 0.0 {
            for (_, distance) in &mut found {
                *distance = own.with_missing_penalty(self.views.view(), *distance);
            }
        } else {
            close.extend(found.iter().take_while(|f| f.1 <= query.close).map(|f| f.0));
            let others = self.others.nearest(&own.row, query.k, None, query.close, query.visits);
            measured += others.visited;
            close.extend(others.nearest.iter().map(|f| self.counting.rows() as u32 + f.0));
        }
        Nearest { found, close, measured }
    }

    fn leaf_rank(&self, one: &S) -> u32 {
        self.counting.leaf_rank(&self.own(one.cells()).row)
    }

    fn order(&self) -> Vec<u32> {
        self.counting.order().to_vec()
    }
}
