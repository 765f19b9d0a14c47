//! Samples of a view in a tree.

use super::blocks::Coordinates;
use super::{TableRow, Views};
use crate::dissimilarity::{Index, Nearest, Query};
use crate::knn::tree::{Form, Tree};

/// The samples that count as neighbours, and apart from them those that are only looked for as equals.
pub(super) struct RowIndex {
    views: Views,
    counting: Tree,
    others: Tree,
}

impl RowIndex {
    /// Of samples of which the first `counting` count.
    pub(super) fn new<S: ?Sized + TableRow>(views: &Views, many: &[&S], counting: usize) -> Self {
        let columns = &views.columns.all;
        let form = Form {
            numbers: columns.iter().filter(|c| c.number.is_some()).count(),
            levels: columns.iter().filter(|c| c.levels.is_some()).count(),
            is_manhattan: views.look().is_manhattan(),
        };
        let tree = |some: &[&S]| {
            let mut rows = Vec::with_capacity(some.len() * form.width());
            for sample in some {
                let own = Coordinates::of(views, sample.cells());
                rows.extend_from_slice(&own.numbers);
                rows.extend_from_slice(&own.levels);
            }
            Tree::new(form, &rows)
        };
        let (first, last) = many.split_at(counting);
        Self { views: views.clone(), counting: tree(first), others: tree(last) }
    }

    fn row(own: &Coordinates) -> Vec<f64> {
        own.numbers.iter().chain(&own.levels).copied().collect()
    }
}

impl<S: ?Sized + TableRow> Index<S> for RowIndex {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        let own = Coordinates::of(&self.views, one.cells());
        let row = Self::row(&own);
        let near = self.counting.nearest(&row, query.k, query.skip, f64::INFINITY, query.visits);
        let mut found = near.nearest;
        let mut measured = near.visited;
        let mut equal = Vec::new();
        if own.lack > 0.0 {
            for (_, distance) in &mut found {
                *distance = own.lacking(self.views.look(), *distance);
            }
        } else {
            equal.extend(found.iter().take_while(|f| f.1 <= 0.0).map(|f| f.0));
            let others = self.others.nearest(&row, query.k, None, 0.0, query.visits);
            measured += others.visited;
            equal.extend(others.nearest.iter().map(|f| self.counting.rows() as u32 + f.0));
        }
        Nearest { found, equal, measured }
    }

    fn place(&self, one: &S) -> u32 {
        self.counting.place(&Self::row(&Coordinates::of(&self.views, one.cells())))
    }

    fn order(&self) -> Vec<u32> {
        self.counting.order().to_vec()
    }
}
