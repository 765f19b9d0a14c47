//! Labelled graphs.

use serde_json::Value;

use super::{AnyDissimilarity, Kinds, Layout, SampleKind};
use crate::dissimilarity::matched::Differences;
use crate::dissimilarity::{Entry, GraphEdit, ged};
use crate::error::Result;
use crate::file::Contents;
use crate::graphs::{Graphs, LabelledGraph};
use crate::sample::SampleSet;

impl SampleKind for Graphs {
    const NAME: &'static str = "labelled graphs";
    const KEY: &'static str = "graphs";

    fn catalogue() -> &'static [Entry<LabelledGraph>] {
        &[ged::ENTRY]
    }

    fn layout(&self) -> Layout {
        Layout::Graph
    }

    fn differences(
        &self,
        i: usize,
        others: &Self,
        j: usize,
        measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences> {
        let state = measure.filter(|measure| measure.name() == ged::ENTRY.name)?.state()?;
        let edits = GraphEdit::from_state(&(&state).into()).ok()?;
        let own = others.conform(self).ok()?;
        Some(Differences::Edits(edits.path(others.sample(j), own.sample(i))))
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        self.write_tensors(name, out)
    }

    fn read(name: &str, contents: &Contents, meta: &Value, _kinds: &Kinds) -> Result<Self> {
        Self::read_tensors(name, contents, meta)
    }
}
