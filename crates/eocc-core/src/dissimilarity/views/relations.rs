//! Relations between columns: how well each value fits the others of its row.
//!
//! The inverse covariance of the normal scores (those of the rank view) gives how far each value lies from what the
//! rest of the row predicts. `docs/method.md` has the formulas.

use super::columns::{Columns, normal_score};
use super::{TableRow, TableView, Views};
use crate::dissimilarity::{LeaveOneOut, LeftOutScores, Panel};
use crate::kernel::{self, BLOCK};
use crate::linear::{cholesky, solve_lower, solve_upper};
use crate::parallel;

/// Maximum number of columns, including indicators of levels.
const MAX_RELATED_COLUMNS: usize = 256;
/// Maximum number of rows for the covariance, evenly spaced.
const ROWS: usize = 1 << 13;
/// Rows summed in one task.
const CHUNK: usize = 256;
/// Normal scores are clamped to this, so that their products stay finite.
const MAX_SCORE: f64 = 1e50;
/// Minimum of the Sherman–Morrison denominator: the part of the sums that is left without a row.
const MIN_REST: f64 = 1e-9;

/// A numeric column, or one level of a category.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RelatedColumn {
    /// The column of the table.
    pub(super) feature: usize,
    /// The level, and how many training samples have it.
    pub(super) level: Option<usize>,
    pub(super) count: usize,
}

/// The normal scores of having a level and of not having it; `None` for a numeric column.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct LevelScores {
    has: f64,
    has_not: f64,
}

impl LevelScores {
    /// Among this many rows, `less` of which are left out.
    pub(super) fn new(column: &RelatedColumn, rows: usize, less: usize) -> Self {
        if column.level.is_none() {
            return Self { has: 0.0, has_not: 0.0 };
        }
        // Twice the rank of a boolean that is true in `count` rows.
        let score = |place: usize| normal_score(place.saturating_sub(less), rows - less);
        Self { has: score(2 * rows - column.count), has_not: score(rows - column.count) }
    }

    pub(super) fn score(self, has: bool) -> f64 {
        if has { self.has } else { self.has_not }
    }
}

/// The related columns: numeric columns that vary, and all levels of each category except the typical one.
pub(super) fn related_columns(columns: &Columns) -> Vec<RelatedColumn> {
    let mut all = Vec::new();
    for (feature, column) in columns.all.iter().enumerate() {
        if column.number.as_ref().is_some_and(|n| n.distinct > 1) {
            all.push(RelatedColumn { feature, level: None, count: 0 });
        }
        let Some(levels) = column.levels.as_ref().filter(|l| !l.usual().1) else { continue };
        for (level, &count) in levels.counts.iter().enumerate() {
            if count > 0 && level != levels.usual().0 && level != levels.missing() {
                all.push(RelatedColumn { feature, level: Some(level), count });
            }
        }
    }
    all
}

/// Whether the number of columns is neither too small nor too large.
pub(super) fn apply(columns: &Columns) -> bool {
    (2..=MAX_RELATED_COLUMNS).contains(&related_columns(columns).len())
}

/// The learned relations.
pub(super) struct Relations {
    views: Views,
    columns: Vec<RelatedColumn>,
    levels: Vec<LevelScores>,
    mean: Vec<f64>,
    /// The inverse of the sums of squares and products about the mean, plus a row of unit variance per column.
    inverse: Square,
    /// The training samples that it was learned from, ascending.
    rows: Vec<u32>,
}

impl Relations {
    /// Learns from the kept samples; `None` with fewer than two columns, or too many.
    pub(super) fn learn<S: ?Sized + TableRow>(views: &Views, samples: &[&S], kept: &[u32]) -> Option<Self> {
        if !apply(&views.columns) {
            return None;
        }
        let columns = related_columns(&views.columns);
        let p = columns.len();
        let count = kept.len().min(ROWS);
        let rows: Vec<u32> = (0..count).map(|i| kept[i * kept.len() / count]).collect();
        let levels = columns.iter().map(|c| LevelScores::new(c, views.columns.rows, 0)).collect();
        let (mean, inverse) = (vec![0.0; p], Square::default());
        let mut learned = Self { views: views.clone(), columns, levels, mean, inverse, rows };
        let scores = parallel::map(count, 64, &|i| {
            let cells = samples[learned.rows[i] as usize].cells();
            learned.normal_scores(cells)
        });
        for (f, mean) in learned.mean.iter_mut().enumerate() {
            *mean = scores.iter().map(|row| row[f]).sum::<f64>() / count as f64;
        }
        // The lower triangle, in chunks that are added in order.
        let of_chunk = |chunk: usize| {
            let mut sums = vec![0.0; p * (p + 1) / 2];
            for row in scores.iter().skip(chunk * CHUNK).take(CHUNK) {
                let d: Vec<f64> = row.iter().zip(&learned.mean).map(|(z, m)| z - m).collect();
                let mut at = 0;
                for (i, x) in d.iter().enumerate() {
                    for (sum, y) in sums[at..=at + i].iter_mut().zip(&d) {
                        *sum += x * y;
                    }
                    at += i + 1;
                }
            }
            sums
        };
        let mut lower = vec![0.0; p * (p + 1) / 2];
        for sums in parallel::map(count.div_ceil(CHUNK), 1, &of_chunk) {
            lower.iter_mut().zip(sums).for_each(|(all, sum)| *all += sum);
        }
        for i in 0..p {
            lower[i * (i + 1) / 2 + i] += p as f64;
        }
        let factor = cholesky(&lower, p)?;
        let mut inverse = Vec::with_capacity(p * p);
        for column in 0..p {
            let mut unit = vec![0.0; p];
            unit[column] = 1.0;
            solve_lower(&factor, &mut unit);
            solve_upper(&factor, &mut unit);
            inverse.extend(unit);
        }
        learned.inverse = Square::new(&inverse, p);
        Some(learned)
    }

    /// The normal scores of a row.
    fn normal_scores(&self, cells: &[f64]) -> Vec<f64> {
        let all = &self.views.columns.all;
        let allowance = self.views.columns.allowance(cells);
        let score = |(column, scores): (&RelatedColumn, &LevelScores)| {
            let own = &all[column.feature];
            let cell = cells[column.feature];
            let levels = own.levels.as_ref();
            match (column.level, &own.number) {
                (None, Some(number)) => {
                    let is_there = levels.is_none_or(|l| l.code(cell) == 0);
                    let score = TableView::Rank.coordinate(number, if is_there { cell } else { f64::NAN });
                    score.clamp(-MAX_SCORE, MAX_SCORE)
                }
                (Some(level), _) => scores.score(levels.is_some_and(|l| l.counted(cell, allowance) == level)),
                (None, None) => 0.0,
            }
        };
        self.columns.iter().zip(&self.levels).map(score).collect()
    }
}

/// A square matrix to be multiplied with many rows.
#[derive(Default)]
struct Square {
    /// In blocks of rows, each stored column by column.
    blocks: Vec<f64>,
    diagonal: Vec<f64>,
}

impl Square {
    /// From its rows, one after another.
    fn new(rows: &[f64], width: usize) -> Self {
        let mut blocks = vec![0.0; width.next_multiple_of(BLOCK) * width];
        for (i, row) in rows.chunks_exact(width).enumerate() {
            let start = i / BLOCK * BLOCK * width + i % BLOCK;
            for (f, value) in row.iter().enumerate() {
                blocks[start + f * BLOCK] = *value;
            }
        }
        Self { blocks, diagonal: (0..width).map(|f| rows[f * (width + 1)]).collect() }
    }

    /// The product with a row.
    fn times(&self, row: &[f64]) -> Vec<f64> {
        let mut products = vec![0.0; row.len().next_multiple_of(BLOCK)];
        kernel::weighted_sums_of_blocks(row, &self.blocks, &mut products);
        products.truncate(row.len());
        products
    }
}

impl<S: ?Sized + TableRow> Panel<S> for Relations {
    fn name(&self) -> String {
        "relations".to_owned()
    }

    fn weight(&self) -> f64 {
        super::RELATIONS
    }

    fn count(&self) -> usize {
        self.columns.len()
    }

    fn scores(&self, one: &S, _few: usize) -> Vec<f64> {
        let scores = self.normal_scores(one.cells());
        let d: Vec<f64> = scores.iter().zip(&self.mean).map(|(z, m)| z - m).collect();
        let rows = self.rows.len() as f64;
        let residual = |(f, y): (usize, f64)| y.abs() * (rows / self.inverse.diagonal[f]).sqrt();
        self.inverse.times(&d).into_iter().enumerate().map(residual).collect()
    }

    /// Without the sample in mean and sums, by the Sherman–Morrison formula.
    fn left_out(
        &self,
        i: usize,
        _one: &S,
        _few: usize,
        _twin: Option<u32>,
        left_out: &dyn LeaveOneOut,
    ) -> LeftOutScores {
        let m = self.rows.len() as f64;
        let is_inside = self.rows.binary_search(&(i as u32)).is_ok();
        let inside = f64::from(u8::from(is_inside));
        let [with, own] = left_out.normal_scores(i);
        let with: Vec<f64> = with.iter().zip(&self.mean).map(|(z, mean)| z - mean).collect();
        let z: Vec<f64> = own
            .iter()
            .zip(&self.mean)
            .zip(&with)
            .map(|((z, mean), d)| z.clamp(-MAX_SCORE, MAX_SCORE) - mean + d * (inside / (m - 1.0)))
            .collect();
        let u: Vec<f64> = if is_inside { self.inverse.times(&with) } else { vec![0.0; with.len()] };
        let b = m / (m - 1.0);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
        let rest = (1.0 - b * dot(&u, &with)).max(MIN_REST);
        let factor = b * dot(&u, &z) / rest;
        let residual = |(f, y): (usize, f64)| {
            let diagonal = self.inverse.diagonal[f] + b * u[f] * u[f] / rest;
            (y + u[f] * factor).abs() * ((m - inside) / diagonal).sqrt()
        };
        let scores = self.inverse.times(&z).into_iter().enumerate().map(residual).collect();
        LeftOutScores { own: scores, without_twin: None }
    }

    fn features(&self, score: usize) -> Vec<usize> {
        vec![self.columns[score].feature]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn products_are_those_of_plain_sums() {
        let mut r = Random::new(3);
        for width in [1, 2, 10, BLOCK, 70] {
            let rows: Vec<f64> = (0..width * width).map(|_| r.normal()).collect();
            let square = Square::new(&rows, width);
            let one: Vec<f64> = (0..width).map(|_| r.normal()).collect();
            let plain = |row: &[f64]| row.iter().zip(&one).fold(0.0, |sum, (a, b)| sum + a * b);
            let plain: Vec<f64> = rows.chunks_exact(width).map(plain).collect();
            assert_eq!(square.times(&one), plain);
            assert!((0..width).all(|f| square.diagonal[f].to_bits() == rows[f * (width + 1)].to_bits()));
        }
    }
}
