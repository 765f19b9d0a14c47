//! Features divided by their standard deviation among the training samples.

use eocc_baselines::Method;
use eocc_core::{AnySamples, Matrix, SampleSet as _, Vectors};

/// Which classifiers use features divided by their standard deviation among the training samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Standardize {
    /// None: features as given.
    #[default]
    None,
    /// All of them.
    All,
    /// Those that use features in their units. A classifier that learns its own scales uses them as given: how the
    /// columns' own scales compare is part of what it learns from.
    WithoutOwnScales,
}

impl Standardize {
    /// Whether this classifier uses standardized features.
    pub fn applies_to(self, method: &Method) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::WithoutOwnScales => !method.has_own_scales(),
        }
    }
}

/// Both sets with every feature minus its mean, divided by its standard deviation in the first; `None` if they have
/// no features. A constant feature is unchanged.
pub(crate) fn standardized(train: &AnySamples, test: &AnySamples) -> Option<(AnySamples, AnySamples)> {
    let (a, b) = (train.downcast_ref::<Vectors>()?, test.downcast_ref::<Vectors>()?);
    let n = a.count() as f64;
    let column = |f: usize| (0..a.count()).map(move |i| a.matrix().row(i)[f]);
    let scales: Vec<(f64, f64)> = (0..a.features())
        .map(|f| {
            let mean = column(f).sum::<f64>() / n;
            let deviation = (column(f).map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
            (mean, if deviation > 0.0 { deviation } else { 1.0 })
        })
        .collect();
    let scaled = |set: &Vectors| -> Option<AnySamples> {
        let mut matrix: Matrix = set.matrix().clone();
        for i in 0..matrix.rows() {
            for (v, (mean, deviation)) in matrix.row_mut(i).iter_mut().zip(&scales) {
                *v = (*v - mean) / deviation;
            }
        }
        Some(Vectors::with_names(matrix, set.feature_names().to_vec()).ok()?.into())
    };
    Some((scaled(a)?, scaled(b)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use eocc_baselines::method;

    #[test]
    fn who_sees_standardized_features() {
        let names = ["default", "paper", "eocc-1", "k-nn-mean", "gauss"];
        let of = |standardize: Standardize| names.map(|n| standardize.applies_to(method(n).unwrap()));
        assert_eq!(of(Standardize::None), [false; 5]);
        assert_eq!(of(Standardize::All), [true; 5]);
        // `paper` uses features in their units, as the comparators do.
        assert_eq!(of(Standardize::WithoutOwnScales), [false, true, true, true, true]);
    }

    #[test]
    fn features_are_standardized_by_the_training_part() {
        let train = Vectors::from_rows(&[[0.0, 5.0], [2.0, 5.0]]).unwrap();
        let test = Vectors::from_rows(&[[3.0, 7.0]]).unwrap();
        let (a, b) = standardized(&train.into(), &test.into()).unwrap();
        let values = |set: &AnySamples| set.downcast_ref::<Vectors>().unwrap().matrix().values().to_vec();
        assert_eq!(values(&a), [-1.0, 0.0, 1.0, 0.0]);
        assert_eq!(values(&b), [2.0, 2.0]);
        let texts = AnySamples::new(eocc_core::Texts::new(vec!["a".to_owned()]).unwrap());
        assert!(standardized(&texts, &texts).is_none());
    }
}
