//! Vectors of numbers.

use serde_json::{Value, json};

use super::{Kinds, Layout, SampleKind};
use crate::dissimilarity::{Entry, cosine, histogram, mahalanobis, minkowski, views};
use crate::error::Result;
use crate::file::{Contents, damaged, distinct};
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
        out.put_f64(name, &[m.rows(), m.columns()], m.values());
        json!({ "names": self.feature_names() })
    }

    fn read(name: &str, contents: &Contents, meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let names = meta.get("names").cloned().unwrap_or(Value::Array(Vec::new()));
        let names: Vec<String> = serde_json::from_value(names).map_err(|e| damaged(e.to_string()))?;
        distinct(names.iter().map(String::as_str))?;
        Self::with_names(contents.matrix(name)?, names).map_err(|e| damaged(e.to_string()))
    }
}
