//! Vectors of numbers.

use serde_json::{Value, json};

use super::{Kinds, Layout, SampleKind};
use crate::dissimilarity::{Entry, cosine, histogram, mahalanobis, minkowski, views};
use crate::error::Result;
use crate::file::{Contents, damaged, distinct};
use crate::matrix::Matrix;
use crate::params::Preset;
use crate::sample::{SampleSet, Vectors};

impl SampleKind for Vectors {
    const NAME: &'static str = "vectors";
    const KEY: &'static str = "vectors";

    fn catalogue() -> &'static [Entry<[f64]>] {
        const ENTRIES: &[Entry<[f64]>] = &[
            minkowski::EUCLIDEAN,
            views::entry(),
            mahalanobis::ENTRY,
            minkowski::MANHATTAN,
            minkowski::CHEBYSHEV,
            minkowski::MINKOWSKI,
            cosine::ENTRY,
            histogram::HAMMING,
            histogram::JACCARD,
            histogram::CHI2,
            histogram::EMD,
        ];
        ENTRIES
    }

    fn preset_measure(preset: Preset) -> Option<&'static str> {
        (preset == Preset::Default).then_some("views")
    }

    fn preset_settings(preset: Preset, measure: &str) -> &'static [(&'static str, &'static str)] {
        // Angles and whitened distances have no units; norms do, and `default` must not depend on them.
        match (preset, measure) {
            (Preset::Default, "euclidean" | "manhattan" | "chebyshev" | "minkowski") => {
                &[("scaling", "robust")]
            }
            _ => &[],
        }
    }

    fn layout(&self) -> Layout {
        Layout::Numbers(self.feature_names().to_vec())
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let m = self.matrix();
        let missing: Vec<u8> = m.values().iter().map(|v| u8::from(v.is_nan())).collect();
        if !missing.contains(&1) {
            out.put_f64(name, &[m.rows(), m.columns()], m.values());
            return json!({ "names": self.feature_names() });
        }
        // Only a stream that warms up has missing values, which it will fill in.
        let values: Vec<f64> = m.values().iter().map(|v| if v.is_nan() { 0.0 } else { *v }).collect();
        out.put_f64(name, &[m.rows(), m.columns()], &values);
        out.put_u8(&format!("{name}.missing"), &missing);
        json!({ "names": self.feature_names(), "missing": true })
    }

    fn read(name: &str, contents: &Contents, meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let names = meta.get("names").cloned().unwrap_or(Value::Array(Vec::new()));
        let names: Vec<String> = serde_json::from_value(names).map_err(|e| damaged(e.to_string()))?;
        distinct(names.iter().map(String::as_str))?;
        let mut matrix = contents.matrix(name)?;
        if meta.get("missing").is_none() {
            return Self::with_names(matrix, names).map_err(|e| damaged(e.to_string()));
        }
        let missing = contents.u8s(&format!("{name}.missing"))?;
        if missing.len() != matrix.values().len() {
            return Err(damaged(format!("the missing values of `{name}` are out of range")));
        }
        let values = matrix.values().iter().zip(missing);
        let values = values.map(|(v, missing)| if *missing == 0 { *v } else { f64::NAN }).collect();
        matrix = Matrix::new(values, matrix.rows(), matrix.columns());
        Self::with_missing(matrix, names).map_err(|e| damaged(e.to_string()))
    }
}
