//! The quartiles of the columns of a window: when they have moved, the learned scales no longer hold.

use crate::kernel;
use crate::sample::{ColumnKind, SampleSet};

/// The window is fitted again when a median or quartile has moved by this many standard errors. Less may be noise.
const ERRORS: f64 = 4.5;

/// The quartiles and the median of each column of numbers; none for samples without columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Quartiles {
    columns: Vec<[f64; 3]>,
    rows: usize,
}

impl Quartiles {
    pub(super) fn new<X: SampleSet>(samples: &X) -> Self {
        Self { columns: numbers(samples).map(quartiles).collect(), rows: samples.count() }
    }

    /// Whether one of them has moved in other samples, by more than chance explains. This needs no sorting: if enough values lie
    /// beyond a limit, so does the quartile.
    pub(super) fn have_moved<X: SampleSet>(&self, samples: &X) -> bool {
        let limit = ERRORS / (samples.count().min(self.rows).max(1) as f64).sqrt();
        self.columns.iter().zip(numbers(samples)).any(|(then, values)| {
            let (spread, n) = (then[2] - then[0], values.len());
            let has_moved = |quarter: usize| {
                let Some(last) = n.checked_sub(1) else { return then[quarter - 1].abs() > limit * spread };
                let at = last * quarter / 4;
                let [above, below] = kernel::count_beyond(&values, then[quarter - 1], limit * spread);
                above >= n - at || below > at
            };
            spread > 0.0 && [1, 2, 3].into_iter().any(has_moved)
        })
    }
}

/// The values of each column of numbers.
fn numbers<X: SampleSet>(samples: &X) -> impl Iterator<Item = Vec<f64>> {
    (0..samples.slots()).filter_map(|f| match samples.feature(f)? {
        (ColumnKind::Number, cells) => Some(cells.into_iter().flatten().collect()),
        _ => None,
    })
}

/// Quartiles and median without interpolation; zeros if there are no values.
fn quartiles(mut values: Vec<f64>) -> [f64; 3] {
    if values.is_empty() {
        return [0.0; 3];
    }
    let last = values.len() - 1;
    [1, 2, 3].map(|quarter| *values.select_nth_unstable_by(last * quarter / 4, f64::total_cmp).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::sample::Vectors;

    #[test]
    fn chance_moves_nothing_and_a_shift_does() {
        let mut random = Random::new(1);
        let mut of = |shift: f64| {
            let rows: Vec<[f64; 2]> =
                (0..512).map(|_| [random.normal(), 3.0 * random.normal() + shift]).collect();
            Vectors::from_rows(&rows).unwrap()
        };
        let (first, alike, shifted) = (Quartiles::new(&of(0.0)), of(0.0), of(1.5));
        assert_eq!((first.columns.len(), first.rows), (2, 512));
        assert!(!first.have_moved(&alike) && first.have_moved(&shifted));
        assert_eq!(
            quartiles(vec![5.0, 1.0, 3.0, 2.0, 4.0]).map(f64::to_bits),
            [2.0, 3.0, 4.0].map(f64::to_bits)
        );
    }

    #[test]
    fn counts_say_what_sorting_says() {
        let mut random = Random::new(2);
        let mut moved = 0;
        for run in 0..400 {
            let n = 1 + run % 60_u32;
            let mut of = |shift: f64| {
                let values: Vec<[f64; 1]> =
                    (0..n).map(|_| [(4.0 * random.normal()).round() + shift]).collect();
                Vectors::from_rows(&values).unwrap()
            };
            let (before, samples) = (Quartiles::new(&of(0.0)), of(f64::from(run % 7)));
            let (then, now) = (before.columns[0], Quartiles::new(&samples).columns[0]);
            let limit = ERRORS / f64::from(n).sqrt() * (then[2] - then[0]);
            let by_sorting = limit > 0.0 && now.iter().zip(&then).any(|(a, b)| (a - b).abs() > limit);
            assert_eq!(before.have_moved(&samples), by_sorting, "run {run}");
            moved += usize::from(by_sorting);
        }
        assert!((20..380).contains(&moved), "{moved}");
    }
}
