//! Where the columns of a window are: when they have moved, what was learned of their scales no longer holds.

use crate::sample::{ColumnKind, SampleSet};

/// Standard errors by which a median or quartile moves before the window is learned anew. Fewer would be noise.
const ERRORS: f64 = 4.5;

/// The quartiles and the median of each column of numbers; none for samples without columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Quartiles {
    columns: Vec<[f64; 3]>,
    rows: usize,
}

impl Quartiles {
    pub(super) fn new<X: SampleSet>(samples: &X) -> Self {
        let columns = (0..samples.slots()).filter_map(|f| match samples.feature(f)? {
            (ColumnKind::Number, cells) => Some(quartiles(cells.into_iter().flatten().collect())),
            _ => None,
        });
        Self { columns: columns.collect(), rows: samples.count() }
    }

    /// Whether one of them is farther from where it was `before` than chance would have it.
    pub(super) fn have_moved(&self, before: &Self) -> bool {
        let limit = ERRORS / (self.rows.min(before.rows).max(1) as f64).sqrt();
        self.columns.iter().zip(&before.columns).any(|(now, then)| {
            let spread = then[2] - then[0];
            spread > 0.0 && now.iter().zip(then).any(|(a, b)| (a - b).abs() > limit * spread)
        })
    }
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
            Quartiles::new(&Vectors::from_rows(&rows).unwrap())
        };
        let (first, alike, shifted) = (of(0.0), of(0.0), of(1.5));
        assert_eq!((first.columns.len(), first.rows), (2, 512));
        assert!(!alike.have_moved(&first) && shifted.have_moved(&first));
        assert_eq!(
            quartiles(vec![5.0, 1.0, 3.0, 2.0, 4.0]).map(f64::to_bits),
            [2.0, 3.0, 4.0].map(f64::to_bits)
        );
    }
}
