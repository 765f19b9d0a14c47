//! Records: samples with several named parts, each of any kind.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::record::{Part, Record, Records};
use super::{AnyDissimilarity, Kinds, Layout, SampleKind, combined};
use crate::dissimilarity::matched::Differences;
use crate::dissimilarity::{Dissimilarity, Entry, State};
use crate::error::Result;
use crate::file::{Contents, damaged};
use crate::params::Preset;

#[derive(Serialize, Deserialize)]
struct StoredPart {
    name: String,
    kind: String,
    meta: Value,
}

impl SampleKind for Records {
    const NAME: &'static str = "records";
    const KEY: &'static str = "records";

    fn catalogue() -> &'static [Entry<Record>] {
        &[combined::ENTRY]
    }

    fn preset_settings(preset: Preset, _measure: &str) -> &'static [(&'static str, &'static str)] {
        match preset {
            Preset::Default => &[("preset", "default")],
            Preset::Paper => &[("preset", "paper")],
        }
    }

    fn layout(&self) -> Layout {
        let layout = |part: &Part| (part.name.clone(), part.samples.layout());
        Layout::Parts(self.parts().iter().map(layout).collect())
    }

    fn parts(&self) -> Vec<Part> {
        Self::parts(self)
    }

    fn differences(
        &self,
        i: usize,
        others: &Self,
        j: usize,
        _measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences> {
        let differences = |(own, other): (Part, Part)| {
            Some((own.name, own.samples.differences(i, &other.samples, j, None)?))
        };
        let parts: Vec<_> = self.parts().into_iter().zip(others.parts()).filter_map(differences).collect();
        (!parts.is_empty()).then_some(Differences::Parts(parts))
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let parts = self.parts();
        let stored = parts.iter().enumerate().map(|(i, part)| {
            let meta = part.samples.write(&format!("{name}.{i}"), out);
            StoredPart { name: part.name.clone(), kind: part.samples.kind().name().to_owned(), meta }
        });
        json!({ "parts": stored.collect::<Vec<_>>() })
    }

    fn read(name: &str, contents: &Contents, meta: &Value, kinds: &Kinds) -> Result<Self> {
        let stored: Vec<StoredPart> = serde_json::from_value(meta.get("parts").cloned().unwrap_or_default())
            .map_err(|e| damaged(e.to_string()))?;
        let parts = stored.into_iter().enumerate().map(|(i, part)| {
            let kind = kinds.named(&part.kind)?;
            let samples = (kind.read_samples)(&format!("{name}.{i}"), contents, &part.meta, kinds)?;
            Ok(Part { name: part.name, samples })
        });
        Self::new(parts.collect::<Result<_>>()?).map_err(|e| damaged(e.to_string()))
    }

    fn restore_measure(
        _name: &str,
        state: &State<'_>,
        kinds: &Kinds,
    ) -> Result<Box<dyn Dissimilarity<Record>>> {
        combined::restore(state, kinds)
    }
}
