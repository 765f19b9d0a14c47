//! Samples whose kind is known only at run time.

use std::any::Any;
use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{AnyDissimilarity, AnyModel, Kind, Kinds, Layout, Part, SampleKind, different};
use crate::dissimilarity::Settings;
use crate::dissimilarity::matched::Differences;
use crate::error::Result;
use crate::file::Contents;
use crate::observer::Observer;
use crate::params::{Preset, ValidParams};
use crate::sample::{ColumnKind, SampleSet, Vectors};

/// A set of samples of some [kind](SampleKind). Clones share the samples.
#[derive(Clone)]
pub struct AnySamples(Arc<dyn ErasedSamples>);

impl std::ops::Deref for AnySamples {
    type Target = dyn ErasedSamples;

    fn deref(&self) -> &Self::Target {
        self.0.as_ref()
    }
}

/// The methods of samples without their type; see [`SampleSet`] and [`SampleKind`] for each of these.
pub trait ErasedSamples: Send + Sync {
    #[doc(hidden)]
    fn as_any(&self) -> &dyn Any;
    /// Their kind.
    fn kind(&self) -> Kind;
    /// Number of samples.
    fn count(&self) -> usize;
    /// The samples with these indices, in this order.
    #[must_use]
    fn select(&self, indices: &[usize]) -> AnySamples;
    /// The samples of all these sets, concatenated; all are of the kind of this one.
    fn joined(&self, sets: &[AnySamples]) -> Result<AnySamples>;
    /// Number of features, if it is fixed; else 0.
    fn features(&self) -> usize;
    /// Bytes that the samples take, roughly.
    fn bytes(&self) -> usize;
    /// Names of the features, if they have any.
    fn feature_names(&self) -> &[String];
    /// The names that the shares of an explanation refer to.
    fn share_names(&self) -> Vec<String>;
    /// The form of the samples.
    fn layout(&self) -> Layout;
    /// How many samples equal an earlier one; `None` if that cannot be decided without a measure.
    fn duplicates(&self) -> Option<usize>;
    /// A hash of the content of sample `i`, independent of the order of rows and columns.
    fn content_hash(&self, i: usize) -> Option<u64>;
    /// A feature of table rows: its kind and its values, `None` if missing.
    fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)>;
    /// Whether they are table rows.
    fn is_table(&self) -> bool;
    /// How many features an explanation has shares for.
    fn slots(&self) -> usize;
    /// The columns with levels that samples of this form do not have: name, number of samples, and the first such
    /// level.
    fn unknown_levels(&self, form: &Layout) -> Vec<(String, usize, String)>;
    /// The named parts of the samples, if they are records.
    fn parts(&self) -> Vec<Part>;
    /// How sample `i` differs from sample `j` of `others`, which are of the same kind.
    fn differences(
        &self,
        i: usize,
        others: &AnySamples,
        j: usize,
        measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences>;
    /// The text of sample `i`, if samples are texts.
    fn text(&self, i: usize) -> Option<&str>;
    /// Whether a value is missing in this row.
    fn is_incomplete(&self, row: usize) -> bool;
    /// The first row and column without a value.
    fn first_missing(&self) -> Option<(usize, String)>;
    /// A copy with missing values replaced by the typical values of `like`, samples of the same kind.
    fn filled(&self, like: &AnySamples) -> Result<AnySamples>;
    /// All-numeric rows as vectors, unless they already are or a value is missing.
    fn as_vectors(&self) -> Result<Option<Vectors>>;
    /// Other samples in the form of these, the training samples; reports the difference if that is impossible.
    fn conform(&self, samples: &AnySamples) -> Result<AnySamples>;
    /// Writes the samples as tensors whose names begin with `name`; returns everything that is not a tensor.
    fn write(&self, name: &str, out: &mut Contents) -> Value;
    /// Like [`OneClass::fit_with`](crate::OneClass::fit_with), for these samples.
    fn train(
        &self,
        params: &ValidParams,
        measure: AnyDissimilarity,
        observer: &dyn Observer,
    ) -> Result<AnyModel>;
}

impl<X: SampleKind> ErasedSamples for X {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn kind(&self) -> Kind {
        Kind::new::<X>()
    }

    fn count(&self) -> usize {
        SampleSet::count(self)
    }

    fn select(&self, indices: &[usize]) -> AnySamples {
        AnySamples::new(SampleSet::select(self, indices))
    }

    fn joined(&self, sets: &[AnySamples]) -> Result<AnySamples> {
        let sets: Vec<&X> = sets.iter().map(AnySamples::expect).collect::<Result<_>>()?;
        Ok(AnySamples::new(X::joined(&sets)?))
    }

    fn features(&self) -> usize {
        SampleSet::features(self)
    }

    fn bytes(&self) -> usize {
        SampleSet::bytes(self)
    }

    fn feature_names(&self) -> &[String] {
        SampleSet::feature_names(self)
    }

    fn share_names(&self) -> Vec<String> {
        SampleSet::share_names(self)
    }

    fn layout(&self) -> Layout {
        SampleKind::layout(self)
    }

    fn duplicates(&self) -> Option<usize> {
        SampleSet::duplicates(self)
    }

    fn content_hash(&self, i: usize) -> Option<u64> {
        SampleSet::content_hash(self, i)
    }

    fn feature(&self, feature: usize) -> Option<(ColumnKind, Vec<Option<f64>>)> {
        SampleSet::feature(self, feature)
    }

    fn is_table(&self) -> bool {
        SampleSet::is_table(self)
    }

    fn slots(&self) -> usize {
        SampleSet::slots(self)
    }

    fn unknown_levels(&self, form: &Layout) -> Vec<(String, usize, String)> {
        SampleKind::unknown_levels(self, form)
    }

    fn parts(&self) -> Vec<Part> {
        SampleKind::parts(self)
    }

    fn differences(
        &self,
        i: usize,
        others: &AnySamples,
        j: usize,
        measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences> {
        SampleKind::differences(self, i, others.downcast_ref::<X>()?, j, measure)
    }

    fn text(&self, i: usize) -> Option<&str> {
        SampleSet::text(self, i)
    }

    fn is_incomplete(&self, row: usize) -> bool {
        SampleSet::is_incomplete(self, row)
    }

    fn first_missing(&self) -> Option<(usize, String)> {
        SampleSet::first_gap(self)
    }

    fn filled(&self, like: &AnySamples) -> Result<AnySamples> {
        Ok(AnySamples::new(SampleSet::filled(self, like.expect::<X>()?)?))
    }

    fn as_vectors(&self) -> Result<Option<Vectors>> {
        SampleSet::as_vectors(self)
    }

    fn conform(&self, samples: &AnySamples) -> Result<AnySamples> {
        match SampleSet::conform(self, samples.expect::<X>()?)? {
            Cow::Borrowed(_) => Ok(samples.clone()),
            Cow::Owned(conformed) => Ok(AnySamples::new(conformed)),
        }
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        SampleKind::write(self, name, out)
    }

    fn train(
        &self,
        params: &ValidParams,
        measure: AnyDissimilarity,
        observer: &dyn Observer,
    ) -> Result<AnyModel> {
        Ok(AnyModel::new(params.fit_with(self, measure.into_measure_of::<X>()?, observer)?))
    }
}

impl std::fmt::Debug for AnySamples {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.count(), self.kind().name())
    }
}

impl<X: SampleKind> From<X> for AnySamples {
    fn from(samples: X) -> Self {
        Self::new(samples)
    }
}

impl AnySamples {
    /// Takes samples whose type is known here.
    pub fn new<X: SampleKind>(samples: X) -> Self {
        Self(Arc::new(samples))
    }

    /// The samples as their concrete type, if it is this one.
    pub fn downcast_ref<X: SampleKind>(&self) -> Option<&X> {
        self.0.as_any().downcast_ref()
    }

    pub(crate) fn expect<X: SampleKind>(&self) -> Result<&X> {
        self.downcast_ref().ok_or_else(|| different(X::NAME, self.kind().name()))
    }

    /// The rows with missing values, in order.
    pub fn rows_with_missing(&self) -> Vec<usize> {
        (0..self.count()).filter(|&row| self.is_incomplete(row)).collect()
    }

    /// The features that are constant in all samples, missing or not.
    pub fn constant_features(&self) -> Vec<usize> {
        let is_constant = |f: &usize| {
            let values = self.feature(*f).map(|(_, values)| values).unwrap_or_default();
            values.windows(2).all(|pair| pair[0].map(f64::to_bits) == pair[1].map(f64::to_bits))
        };
        let tabular = if self.feature(0).is_some() { self.features() } else { 0 };
        (0..tabular).filter(is_constant).collect()
    }

    /// All-numeric rows as vectors, if none is missing; everything else unchanged.
    pub fn numbers_as_vectors(&self) -> Result<Self> {
        Ok(self.as_vectors()?.map_or_else(|| self.clone(), Self::new))
    }

    /// Makes the named measure for them, or the default of the preset.
    pub fn measure(
        &self,
        preset: Preset,
        name: Option<&str>,
        settings: &Settings,
    ) -> Result<AnyDissimilarity> {
        self.kind().measure(preset, name, settings)
    }

    /// As file contents, to send them to another machine. Rows of precomputed dissimilarities are omitted.
    pub fn to_contents(&self) -> Contents {
        let mut out = Contents::default();
        let samples = self.write("samples", &mut out);
        out.meta = json!({ "kind": self.kind().name(), "samples": samples });
        out
    }

    /// Reads them back.
    pub fn from_contents(contents: &Contents) -> Result<Self> {
        let kinds = Kinds::default();
        let name = contents.meta["kind"].as_str().unwrap_or("nothing");
        let kind = kinds.named(name)?;
        (kind.read_samples)("samples", contents, &contents.meta["samples"], &kinds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;
    use crate::sample::{MixedColumn, MixedTable, Texts};

    #[test]
    fn equal_rows_and_constant_features() {
        let rows = [[1.0, 5.0], [2.0, 5.0], [1.0, 5.0], [-0.0, 5.0], [0.0, 5.0]];
        let samples = AnySamples::from(Vectors::from_rows(&rows).unwrap());
        assert_eq!((samples.duplicates(), samples.constant_features()), (Some(2), vec![1]));
        let words = AnySamples::from(Texts::new(vec!["a".into(), "b".into(), "a".into()]).unwrap());
        assert_eq!((words.duplicates(), words.constant_features()), (Some(1), Vec::new()));
    }

    fn table(sizes: &[Option<f64>], colors: &[Option<f64>], levels: &[&str]) -> AnySamples {
        let levels = levels.iter().map(ToString::to_string).collect();
        let size = MixedColumn { name: "size".into(), kind: ColumnKind::Number };
        let color = MixedColumn { name: "color".into(), kind: ColumnKind::Category(levels) };
        MixedTable::new(vec![(size, sizes.to_vec()), (color, colors.to_vec())]).unwrap().into()
    }

    #[test]
    fn medians_and_frequent_levels_fill() {
        let trained = table(
            &[Some(1.0), Some(9.0), None, Some(2.0)],
            &[Some(1.0), Some(1.0), Some(0.0), None],
            &["blue", "red"],
        );
        assert_eq!(trained.first_missing(), Some((2, "size".to_owned())));
        assert_eq!(trained.rows_with_missing(), [2, 3]);
        let filled = trained.filled(&trained).unwrap();
        let rows = filled.downcast_ref::<MixedTable>().unwrap();
        assert_eq!((rows.sample(2).cells()[0], rows.sample(3).cells()[1]), (2.0, 1.0));
        assert_eq!(filled.first_missing(), None);
        // Levels are matched by name.
        let new = table(&[None], &[None], &["red", "white"]).filled(&trained).unwrap();
        assert_eq!(new.downcast_ref::<MixedTable>().unwrap().sample(0).cells(), [2.0, 0.0]);
        let new = table(&[None], &[None], &["white"]).filled(&trained).unwrap();
        assert_eq!(new.downcast_ref::<MixedTable>().unwrap().sample(0).cells(), [2.0, 1.0]);
    }

    #[test]
    fn numbers_become_vectors() {
        let column = MixedColumn { name: "a".into(), kind: ColumnKind::Number };
        let table: AnySamples = MixedTable::new(vec![(column, vec![Some(1.0), None])]).unwrap().into();
        assert!(table.numbers_as_vectors().unwrap().downcast_ref::<MixedTable>().is_some());
        let filled = table.filled(&table).unwrap().numbers_as_vectors().unwrap();
        assert_eq!(filled.downcast_ref::<Vectors>().unwrap().matrix().values(), [1.0, 1.0]);
        let holes = Vectors::with_missing(Matrix::new(vec![f64::NAN, 3.0], 2, 1), Vec::new()).unwrap();
        let holes = AnySamples::from(holes);
        assert_eq!(holes.first_missing(), Some((0, "0".to_owned())));
        assert_eq!(
            holes.filled(&filled).unwrap().downcast_ref::<Vectors>().unwrap().matrix().values(),
            [1.0, 3.0]
        );
        let none = Vectors::with_missing(Matrix::new(vec![f64::NAN], 1, 1), Vec::new()).unwrap();
        let none = AnySamples::from(none);
        assert!(none.filled(&none).unwrap_err().to_string().contains("no value at all"));
    }
}
