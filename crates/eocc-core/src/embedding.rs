//! The dissimilarity space: row `i` holds the dissimilarities of sample `i` to the prototypes [LA17, sec. III-A].

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::dissimilarity::{Dissimilarity, Prepared, SearchCache};
use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::observer::{Observer, Progress};
use crate::parallel;
use crate::sample::Sample;

/// Largest dissimilarity matrix stored in full, in numbers: 1 GiB.
pub(crate) const MAX_WHOLE_MATRIX: usize = 1 << 27;
/// Rows computed together: enough work for a thread, small enough to balance the load.
const BLOCK: usize = 16;

/// Dissimilarities of all `samples` to the prototypes with these indices among them, `n x m`.
///
/// If every sample is a prototype, the matrix is symmetric and only half of it is computed. Fails if a dissimilarity
/// is negative or not finite, naming the pair.
pub fn embed<S: ?Sized + Sample>(
    samples: &[&S],
    prototypes: &[usize],
    d: &dyn Dissimilarity<S>,
    observer: &dyn Observer,
) -> Result<Matrix> {
    embed_cached(samples, prototypes, d, &mut SearchCache::default(), observer)
}

/// Like [`embed`], but if the measure supports it, everything that does not depend on the changed part of `p` is cached
/// between calls.
pub fn embed_cached<'s, S: ?Sized + Sample>(
    samples: &[&'s S],
    prototypes: &[usize],
    d: &dyn Dissimilarity<S>,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<Matrix> {
    if let Some(matrix) = d.assemble(samples, prototypes, cache, observer) {
        let matrix = matrix?;
        check(&matrix, Some(prototypes))?;
        return Ok(matrix);
    }
    if prototypes.len() == samples.len() && d.properties().symmetric {
        square(samples, d, cache, observer)
    } else {
        let many: Vec<&S> = prototypes.iter().map(|&i| samples[i]).collect();
        let matrix = cross(samples, d.prepare_cached(&many, cache).as_ref(), many.len(), observer)?;
        check(&matrix, Some(prototypes))?;
        Ok(matrix)
    }
}

/// Dissimilarities of `ones` to `many`, one row each; fails if one is negative or not finite.
pub fn between_sets<S: ?Sized + Sample>(
    ones: &[&S],
    many: &[&S],
    d: &dyn Dissimilarity<S>,
    observer: &dyn Observer,
) -> Result<Matrix> {
    let matrix = cross(ones, d.prepare(many).as_ref(), many.len(), observer)?;
    check(&matrix, None)?;
    Ok(matrix)
}

/// Counts finished steps and reports them to the observer.
struct Counter<'a> {
    done: AtomicUsize,
    total: usize,
    observer: &'a dyn Observer,
}

impl<'a> Counter<'a> {
    fn new(total: usize, observer: &'a dyn Observer) -> Self {
        Self { done: AtomicUsize::new(0), total, observer }
    }

    fn add(&self, count: usize) {
        let done = self.done.fetch_add(count, Ordering::Relaxed) + count;
        self.observer.progress(&Progress::Stage { name: "dissimilarities", done, total: self.total });
    }
}

/// Dissimilarities of `ones` to a prepared side of `columns` samples, unchecked.
pub(crate) fn cross<S: ?Sized + Sample>(
    ones: &[&S],
    many: &dyn Prepared<S>,
    columns: usize,
    observer: &dyn Observer,
) -> Result<Matrix> {
    let mut matrix = Matrix::zeros(ones.len(), columns);
    if columns == 0 {
        return Ok(matrix);
    }
    let counter = Counter::new(ones.len() * columns, observer);
    parallel::try_for_each_chunk(matrix.values_mut(), columns * BLOCK, &|block, out| {
        if observer.is_cancelled() {
            return Err(Error::from(crate::ErrorKind::Cancelled));
        }
        for (row, one) in out.chunks_exact_mut(columns).zip(&ones[block * BLOCK..]) {
            many.fill(one, 0..columns, row);
        }
        counter.add(out.len());
        Ok(())
    })?;
    Ok(matrix)
}

/// All dissimilarities among `samples`; the lower half is computed and mirrored.
fn square<'s, S: ?Sized + Sample>(
    samples: &[&'s S],
    d: &dyn Dissimilarity<S>,
    cache: &mut SearchCache<'s>,
    observer: &dyn Observer,
) -> Result<Matrix> {
    let n = samples.len();
    if n == 0 {
        return Ok(Matrix::zeros(0, 0));
    }
    // Group samples of similar effort, so that those compared together take equally long.
    let efforts: Vec<usize> = samples.iter().map(|s| d.effort(s)).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&i| efforts[i]);
    let sorted: Vec<&S> = order.iter().map(|&i| samples[i]).collect();
    let prepared = d.prepare_cached(&sorted, cache);
    let mut matrix = Matrix::zeros(n, n);
    let counter = Counter::new(n * (n - 1) / 2, observer);
    // Late rows are longer: hand them out singly, longest first.
    let mut rows: Vec<(usize, &mut [f64])> =
        matrix.values_mut().chunks_exact_mut(n).enumerate().rev().collect();
    parallel::try_for_each_chunk(&mut rows, 1, &|_, rows| {
        for (i, row) in rows {
            if observer.is_cancelled() {
                return Err(Error::from(crate::ErrorKind::Cancelled));
            }
            prepared.fill_prepared(*i, sorted[*i], 0..*i, &mut row[..*i]);
            counter.add(*i);
        }
        Ok(())
    })?;
    if !order.is_sorted() {
        reorder(&mut matrix, &order);
    }
    mirror(&mut matrix);
    check(&matrix, None)?;
    Ok(matrix)
}

/// From the lower triangle of samples in this order to that in the original order.
fn reorder(matrix: &mut Matrix, order: &[usize]) {
    let n = order.len();
    let mut place = vec![0; n];
    for (at, &i) in order.iter().enumerate() {
        place[i] = at;
    }
    let mut out = Matrix::zeros(n, n);
    parallel::for_each_chunk(out.values_mut(), n, &|i, row| {
        for (j, v) in row[..i].iter_mut().enumerate() {
            let (low, high) = (place[i].min(place[j]), place[i].max(place[j]));
            *v = matrix.row(high)[low];
        }
    });
    *matrix = out;
}

/// Copies the lower triangle onto the upper one.
pub(crate) fn mirror(matrix: &mut Matrix) {
    // Tile by tile: a plain double loop would miss the cache on every write.
    const TILE: usize = 32;
    const PANEL: usize = 8 * TILE;
    let n = matrix.rows();
    let values = matrix.values_mut();
    for start in (0..n).step_by(PANEL) {
        let end = (start + PANEL).min(n);
        let (above, below) = values.split_at_mut(end * n);
        let panel = &mut above[start * n..];
        for i in 0..end - start {
            for j in 0..i {
                panel[j * n + start + i] = panel[i * n + start + j];
            }
        }
        parallel::for_each_chunk(panel, TILE * n, &|t, rows| {
            let first = start + t * TILE;
            for (b, tile) in below.chunks(TILE * n).enumerate() {
                for (j, row) in rows.chunks_exact_mut(n).enumerate() {
                    for (i, other) in tile.chunks_exact(n).enumerate() {
                        row[end + b * TILE + i] = other[first + j];
                    }
                }
            }
        });
    }
}

/// Fails if a value is negative or not finite, naming the pair; `columns` holds the indices of the prototypes.
pub(crate) fn check(matrix: &Matrix, columns: Option<&[usize]>) -> Result<()> {
    const BLOCK: usize = 1 << 13;
    // No early exit, so that the loop vectorizes; NaN is neither.
    let is_sound = |v: &f64| (0.0..=f64::MAX).contains(v);
    let are_sound = |block: &[f64]| block.iter().filter(|v| !is_sound(v)).count() == 0;
    let blocks: Vec<&[f64]> = matrix.values().chunks(BLOCK).collect();
    let sound = parallel::map(blocks.len(), 16, &|b| are_sound(blocks[b]));
    let faulty = sound.iter().position(|sound| !sound).and_then(|b| {
        let start = b * BLOCK;
        matrix.values()[start..].iter().position(|v| !is_sound(v)).map(|at| start + at)
    });
    match faulty {
        None => Ok(()),
        Some(at) => {
            let column = at % matrix.columns();
            Err(Error::input(format!(
                "the dissimilarity of samples {} and {} is {}, but must be finite and not negative; \
                 are the values too large to square, or the function at fault?",
                at / matrix.columns(),
                columns.map_or(column, |c| c[column]),
                matrix.values()[at]
            )))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::{CustomDissimilarity, Minkowski};
    use crate::observer::Silent;
    use crate::random::Random;

    #[test]
    fn halves_mirror_and_subsets_agree() {
        let mut r = Random::new(3);
        let rows: Vec<Vec<f64>> = (0..70).map(|_| (0..3).map(|_| r.normal()).collect()).collect();
        let refs: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let mut d = Minkowski::euclidean();
        d.learn(&refs, &[]).unwrap();
        let all: Vec<usize> = (0..70).collect();
        let full = embed(&refs, &all, &d, &Silent).unwrap();
        let some = [3, 10, 69];
        let part = embed(&refs, &some, &d, &Silent).unwrap();
        for i in 0..70 {
            for j in 0..70 {
                assert_eq!(full.row(i)[j].to_bits(), d.between(refs[i], refs[j]).to_bits());
            }
            for (c, &j) in some.iter().enumerate() {
                assert_eq!(part.row(i)[c].to_bits(), full.row(i)[j].to_bits());
            }
        }
    }

    #[test]
    fn mirrors_of_any_size_are_symmetric() {
        for n in [1, 2, 31, 33, 256, 257, 300, 550] {
            let lower = |i: usize, j: usize| if j <= i { (i * n + j) as f64 } else { -1.0 };
            let mut matrix = Matrix::new((0..n * n).map(|at| lower(at / n, at % n)).collect(), n, n);
            mirror(&mut matrix);
            let whole = (0..n * n).map(|at| lower((at / n).max(at % n), (at / n).min(at % n))).collect();
            assert_eq!(matrix, Matrix::new(whole, n, n));
        }
    }

    #[test]
    fn a_faulty_function_is_named_with_its_pair() {
        let values = [1.0, 2.0, 3.0];
        let refs: Vec<&f64> = values.iter().collect();
        let d = CustomDissimilarity::new(
            |a: &f64, b: &f64| if (a * b - 6.0).abs() < 1e-9 { f64::NAN } else { 1.0 },
        );
        let e = embed(&refs, &[0, 1, 2], &d, &Silent).unwrap_err();
        assert!(e.to_string().starts_with("the dissimilarity of samples 1 and 2 is NaN"), "{e}");
    }
}
