//! Views: the measure of `default` for tables. Each view is a separate distance. The model scores a sample in each view
//! and combines the scores (`model/committee`). docs/research/2026-11-16-views.md explains how they were chosen.
//!
//! | view | a number becomes | distance |
//! |---|---|---|
//! | robust | `x / r`, with `r` the interquartile range / 1.349, at least half the deviation | Manhattan |
//! | rank | the standard normal quantile of its rank among the training samples | Euclidean |
//! | half-way | `x / sqrt(v g)`, with `v` its column's deviation, `g` that of columns in similar units | Euclidean |
//! | direction, of wide tables | its coordinate in the rank view, divided by the length of the row | Euclidean |
//!
//! The last has half the weight. With many columns, a distance mostly says how far out the row itself lies: a row near
//! the middle is close to everything, even if it points in an unusual direction.
//!
//! A column with at most two distinct values is ranked in every view: if nearly all its values are equal, its spread is
//! meaningless. Beyond the training range, the coordinate in the rank view grows with the logarithm of the excess. A
//! category is one indicator per level, at half the weight, plus one for unknown levels.
//!
//! A missing value is replaced by the typical value (the median or the most frequent level) if two conditions hold: the
//! column has gaps in training, too, or training has so few gaps that a column may be complete by chance; and some
//! training row has at least as many gaps as this row. Otherwise, "missing" is a level of its own, and is evidence like
//! a changed value in a constant column.
//!
//! If a single distance is needed, it is the robust view.

mod blocks;
mod columns;
mod index;
mod left_out;
mod relations;
mod stored;
mod subsets;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::blocks::{Blocks, Coordinates};
use self::columns::{Columns, Number, gap, half_difference};
use self::index::RowIndex;
use self::left_out::LeftOutRows;
use self::relations::Relations;
use self::subsets::Subsets;
use super::scaling::check_features;
use super::{
    Changed, Dissimilarity, Entry, Index, LeaveOneOut, Panel, Parameter, Prepared, Properties, Settings,
    View, shares,
};
use crate::error::{Error, Result};
use crate::sample::{MixedColumn, MixedRow, Sample};
use crate::tree::Form;

/// Coordinates are clamped to this: no score could distinguish larger ones, and squares do not overflow.
const MAX_VALUE: f64 = 1e150;

/// The weight of the panel of column subsets (`subsets`), relative to a view.
const SUBSETS: f64 = 1.0;
/// The weight of the panel of relations between columns (`relations`), relative to a view.
const RELATIONS: f64 = 1.0 / 3.0;
/// The weight of the direction view, relative to other views.
const DIRECTION: f64 = 0.5;
/// Minimum number of numeric columns for the direction view.
const WIDE: usize = 64;
/// Numbers whose relative difference is smaller may be the same, written or stored with fewer digits.
const SAME_NUMBER: f64 = 4.0 * f32::EPSILON as f64;

/// A row of a table: vectors and rows of mixed tables.
pub trait TableRow: Sample {
    /// One number per column: the level's rank for categories, NaN for missing values.
    fn cells(&self) -> &[f64];

    /// The kinds of the columns; `None` if all are numeric and complete in training.
    fn kinds(&self) -> Option<&[MixedColumn]>;
}

impl TableRow for [f64] {
    fn cells(&self) -> &[f64] {
        self
    }

    fn kinds(&self) -> Option<&[MixedColumn]> {
        None
    }
}

impl TableRow for MixedRow {
    fn cells(&self) -> &[f64] {
        self.cells()
    }

    fn kinds(&self) -> Option<&[MixedColumn]> {
        Some(self.columns())
    }
}

/// One of the views.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TableView {
    Robust,
    Rank,
    HalfWay,
    Direction,
}

impl TableView {
    const ALL: [Self; 4] = [Self::Robust, Self::Rank, Self::HalfWay, Self::Direction];
    const NAMES: &'static str = "robust, rank, half-way or direction";

    fn name(self) -> &'static str {
        match self {
            Self::Robust => "robust",
            Self::Rank => "rank",
            Self::HalfWay => "half-way",
            Self::Direction => "direction",
        }
    }

    fn weight(self) -> f64 {
        if self == Self::Direction { DIRECTION } else { 1.0 }
    }

    /// Whether a number becomes the normal quantile of its rank.
    fn has_ranks(self) -> bool {
        matches!(self, Self::Rank | Self::Direction)
    }

    fn is_manhattan(self) -> bool {
        self == Self::Robust
    }

    /// The term that a difference adds to the sum.
    fn term(self, weight: f64, difference: f64) -> f64 {
        if self.is_manhattan() { weight * difference.abs() } else { weight * difference * difference }
    }

    fn distance(self, sum: f64) -> f64 {
        if self.is_manhattan() { sum } else { sum.sqrt() }
    }

    /// The coordinate of a number; NaN is a missing one.
    fn coordinate(self, number: &Number, x: f64) -> f64 {
        let scales = &number.scales;
        let score = || {
            let (below, not_above) = number.places(x);
            number.scores[below + not_above]
        };
        let value = match self {
            _ if x.is_nan() && (self.has_ranks() || scales.is_ranked) => 0.0,
            Self::Rank | Self::Direction => score() + number.beyond(x, number.ends(), scales.robust),
            _ if scales.is_ranked => score(),
            _ => {
                let half = half_difference(if x.is_nan() { scales.center } else { x }, number.origin);
                match self {
                    Self::HalfWay => half / (number.half_way / 2.0),
                    _ => half / number.half_unit / scales.divisor(),
                }
            }
        };
        value.clamp(-MAX_VALUE, MAX_VALUE)
    }
}

/// The views of a table, or one of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Views {
    only: Option<TableView>,
    columns: Arc<Columns>,
    /// Weights of the columns, in [0, 1].
    weights: Vec<f64>,
    names: Vec<String>,
}

impl Views {
    /// All of them, before learning.
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn learn_rows<S: ?Sized + TableRow>(&mut self, samples: &[&S], names: &[String]) {
        self.columns = Arc::new(Columns::learn(samples));
        self.weights = vec![1.0; self.columns.all.len()];
        self.names = names.to_vec();
    }

    /// Each view by itself.
    pub(crate) fn each(&self) -> impl Iterator<Item = Self> {
        self.table_views().into_iter().map(|view| Self { only: Some(view), ..self.clone() })
    }

    /// The total weight of all views and panels.
    pub(crate) fn total_weight(&self) -> f64 {
        let views = self.table_views().into_iter().map(TableView::weight).sum();
        if self.only.is_some() {
            return views;
        }
        let weight = |is_there: bool, weight: f64| if is_there { weight } else { 0.0 };
        let subsets = weight(subsets::apply(&self.columns), SUBSETS);
        views + subsets + weight(relations::apply(&self.columns), RELATIONS)
    }

    /// The view that distances use.
    fn view(&self) -> TableView {
        self.only.unwrap_or(TableView::Robust)
    }

    /// The name of a column, or its number if it has none.
    fn column_name(&self, f: usize) -> String {
        self.names.get(f).cloned().unwrap_or_else(|| format!("x{f}"))
    }

    /// The features that are constant in training and differ in these cells.
    pub(crate) fn changes(&self, cells: &[f64]) -> Vec<usize> {
        let allowance = self.columns.allowance(cells);
        let changed = |(column, x): (&columns::Column, &f64)| {
            let codes = column.levels.as_ref().map(|l| (l, l.code(*x)));
            let is_new_level = codes.is_some_and(|(l, _)| l.is_new(*x, 0, allowance));
            let is_there = codes.is_none_or(|(_, code)| code == 0);
            // Vectors have no levels, because their training samples are complete; so a missing number is new.
            let is_new_level = is_new_level || (codes.is_none() && x.is_nan());
            is_new_level || (is_there && column.number.as_ref().is_some_and(|n| n.is_change(*x)))
        };
        let cells = self.columns.all.iter().zip(cells);
        cells.enumerate().filter(|(_, pair)| changed(*pair)).map(|(f, _)| f).collect()
    }

    /// The layout of its rows.
    fn form(&self) -> Form {
        let Columns { numbers, levels, .. } = *self.columns;
        Form { numbers, levels, is_manhattan: self.view().is_manhattan() }
    }

    fn table_views(&self) -> Vec<TableView> {
        let of_all = || {
            let is_wide = self.columns.count_of_complete_numbers().is_some_and(|count| count >= WIDE);
            TableView::ALL.into_iter().filter(|view| is_wide || *view != TableView::Direction).collect()
        };
        self.only.map_or_else(of_all, |one| vec![one])
    }

    /// The divisor of the coordinates of a row.
    fn length(&self, cells: &[f64]) -> f64 {
        if self.view() == TableView::Direction { Coordinates::length(self, cells) } else { 1.0 }
    }

    /// The term of a missing value in a column that is complete in training: the same as for an unknown level.
    fn missing_penalty(&self, feature: usize, is_missing: bool) -> f64 {
        let column = &self.columns.all[feature];
        if !is_missing || column.levels.is_some() {
            return 0.0;
        }
        let (view, half, n) = (self.view(), self.weights[feature] / 2.0, self.columns.rows);
        view.term(half, gap(0, n)) + view.term(half, gap(n, n))
    }

    /// The weight of each term of a sum, by column.
    fn terms(&self, a: &[f64], b: &[f64]) -> Vec<f64> {
        let view = self.view();
        let allowed = [a, b].map(|cells| self.columns.allowance(cells));
        let [length, other_length] = [a, b].map(|cells| self.length(cells));
        let of_column = |((f, column), (x, y)): ((usize, &columns::Column), (&f64, &f64))| {
            let weight = self.weights[f];
            let missing_penalty = self.missing_penalty(f, x.is_nan() != y.is_nan());
            let cells = (*x, *y);
            let codes = column.levels.as_ref().map(|l| (l, l.code(*x), l.code(*y)));
            let number = |v: f64, code: usize| if code == 0 { v } else { f64::NAN };
            let (x, y) = codes.as_ref().map_or((*x, *y), |(_, a, b)| (number(*x, *a), number(*y, *b)));
            let of_number = column.number.as_ref().map_or(0.0, |n| {
                let difference = view.coordinate(n, x) / length - view.coordinate(n, y) / other_length;
                view.term(weight, difference)
            });
            let level =
                |l: &columns::Levels| (l.counted(cells.0, allowed[0]), l.counted(cells.1, allowed[1]));
            let counted = column.levels.as_ref().map(|l| (l, level(l).0, level(l).1));
            let of_levels = counted.filter(|(_, a, b)| a != b).map_or(0.0, |(l, a, b)| {
                view.term(weight / 2.0, l.gaps[a]) + view.term(weight / 2.0, l.gaps[b])
            });
            of_number + of_levels + missing_penalty
        };
        self.columns.all.iter().enumerate().zip(a.iter().zip(b)).map(of_column).collect()
    }

    fn named(settings: &Settings) -> Result<Self> {
        settings.only("views", &["only"])?;
        let only = match settings.get::<String>("only", TableView::NAMES)? {
            None => None,
            Some(name) => {
                let view = TableView::ALL.into_iter().find(|l| l.name() == name);
                Some(view.ok_or_else(|| Error::parameter("only", format!("`{name}`"), TableView::NAMES))?)
            }
        };
        Ok(Self { only, ..Self::default() })
    }
}

impl<S: ?Sized + TableRow> Dissimilarity<S> for Views {
    fn name(&self) -> &'static str {
        "views"
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        self.prepare(&[b]).to_first(a)
    }

    fn learn(&mut self, samples: &[&S], names: &[String]) -> Result<()> {
        self.learn_rows(samples, names);
        Ok(())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let weights = self.weights.iter().enumerate();
        let parameter = |(f, &value)| Parameter { name: self.column_name(f), low: 0.0, high: 1.0, value };
        weights.map(parameter).collect()
    }

    fn set(&mut self, p: &[f64]) {
        self.weights.copy_from_slice(p);
    }

    fn check(&self, sample: &S) -> Result<()> {
        check_features(sample.cells().len(), self.columns.all.len())
    }

    fn shares(&self, a: &S, b: &S) -> Vec<f64> {
        shares::of_terms(self.terms(a.cells(), b.cells()))
    }

    fn state(&self) -> Option<Value> {
        self.stored()
    }

    fn settings(&self) -> Vec<(String, String)> {
        self.only.iter().map(|view| ("only".to_owned(), view.name().to_owned())).collect()
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        Box::new(self.clone())
    }

    fn properties(&self) -> Properties {
        Properties { metric: true, takes_missing: true, ..Properties::default() }
    }

    fn prepare(&self, many: &[&S]) -> Box<dyn Prepared<S>> {
        Box::new(Blocks::new(self, many))
    }

    fn is_cheap_per_row(&self) -> bool {
        true
    }

    fn index_width(&self) -> Option<usize> {
        // Levels that only mark missing numbers are not counted: in nearly every table, all training samples have the
        // same one, and the index leaves it out.
        let says_more = |c: &&columns::Column| c.levels.as_ref().is_some_and(|l| !l.are_of_numbers());
        let levels = self.columns.all.iter().filter(says_more).count();
        Some(Form { levels, ..self.form() }.width())
    }

    fn index(&self, many: &[&S], counting: usize) -> Option<Box<dyn Index<S>>> {
        Some(Box::new(RowIndex::new(self, many, counting)))
    }

    fn views(&self, _samples: &[&S]) -> Vec<View<S>> {
        let view = |view: TableView| View {
            name: view.name().to_owned(),
            weight: view.weight(),
            measure: Box::new(Self { only: Some(view), ..self.clone() }),
            feature: None,
        };
        self.table_views().into_iter().map(view).collect()
    }

    fn total_weight(&self) -> f64 {
        Self::total_weight(self)
    }

    fn panels(&self, samples: &[&S], kept: &[u32]) -> Vec<Box<dyn Panel<S>>> {
        if self.only.is_some() {
            return Vec::new();
        }
        let subsets = Subsets::new(self, samples, kept).map(|s| Box::new(s) as Box<dyn Panel<S>>);
        let relations = Relations::learn(self, samples, kept).map(|r| Box::new(r) as Box<dyn Panel<S>>);
        subsets.into_iter().chain(relations).collect()
    }

    fn leave_one_out(&self, samples: &[&S]) -> Option<Box<dyn LeaveOneOut>> {
        Some(Box::new(LeftOutRows::new(self, self.table_views(), samples)))
    }

    fn changed(&self, _samples: &[&S]) -> Option<Changed<S>> {
        let views = self.clone();
        Some(Changed { weight: 1.0, of: Box::new(move |sample| views.changes(sample.cells())) })
    }

    fn is_copy(&self, a: &S, b: &S) -> Option<bool> {
        let is_same = |(x, y): (&f64, &f64)| {
            (x.is_nan() && y.is_nan()) || (x - y).abs() <= SAME_NUMBER * x.abs().max(y.abs())
        };
        Some(a.cells().iter().zip(b.cells()).all(is_same))
    }
}

/// The entry of `default` for rows of a table.
pub(crate) const fn entry<S: ?Sized + TableRow>() -> Entry<S> {
    Entry {
        name: "views",
        summary: "robust, rank and half-way distances, plus direction for wide tables, each scored separately; setting: only",
        make: |s| Ok(Box::new(Views::named(s)?)),
        restore: |state| Ok(Box::new(Views::restored(state)?)),
    }
}
