//! Samples of a view in a tree.

use super::blocks::Coordinates;
use super::{TableRow, Views};
use crate::dissimilarity::{Index, Nearest, Query};
use crate::parallel;
use crate::tree::Tree;

/// Samples whose rows are written as one task.
const CHUNK: usize = 64;

/// The samples that count as neighbours, and apart from them those that are only looked for as equals.
pub(super) struct RowIndex {
    views: Views,
    counting: Tree,
    others: Tree,
}

impl RowIndex {
    /// Of samples of which the first `counting` count.
    pub(super) fn new<S: ?Sized + TableRow>(views: &Views, many: &[&S], counting: usize) -> Self {
        let form = views.form();
        let tree = |some: &[&S]| {
            let mut rows = vec![0.0; some.len() * form.width()];
            let width = form.width().max(1);
            parallel::for_each_chunk(&mut rows, CHUNK * width, &|chunk, rows| {
                for (row, sample) in rows.chunks_exact_mut(width).zip(&some[chunk * CHUNK..]) {
                    Coordinates::write(views, sample.cells(), row);
                }
            });
            Tree::new(form, &rows)
        };
        let (first, last) = many.split_at(counting);
        Self { views: views.clone(), counting: tree(first), others: tree(last) }
    }
}

impl<S: ?Sized + TableRow> Index<S> for RowIndex {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        // A training sample stands in the tree; and what all others have, it has, too.
        let own = match query.skip {
            Some(own) => Coordinates { row: self.counting.row(own), lack: 0.0 },
            None => Coordinates::of(&self.views, one.cells()),
        };
        let near = self.counting.nearest(&own.row, query.k, query.skip, f64::INFINITY, query.visits);
        let mut found = near.nearest;
        let mut measured = near.visited;
        let mut close = Vec::new();
        if own.lack > 0.0 {
            for (_, distance) in &mut found {
                *distance = own.lacking(self.views.look(), *distance);
            }
        } else {
            close.extend(found.iter().take_while(|f| f.1 <= query.close).map(|f| f.0));
            let others = self.others.nearest(&own.row, query.k, None, query.close, query.visits);
            measured += others.visited;
            close.extend(others.nearest.iter().map(|f| self.counting.rows() as u32 + f.0));
        }
        Nearest { found, close, measured }
    }

    fn place(&self, one: &S) -> u32 {
        self.counting.place(&Coordinates::of(&self.views, one.cells()).row)
    }

    fn order(&self) -> Vec<u32> {
        self.counting.order().to_vec()
    }
}
