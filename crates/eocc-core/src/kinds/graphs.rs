//! Labelled graphs.

use serde_json::Value;

use super::{Kinds, Layout, SampleKind};
use crate::dissimilarity::{Entry, ged};
use crate::error::Result;
use crate::file::Contents;
use crate::graphs::{Graphs, LabelledGraph};

impl SampleKind for Graphs {
    const NAME: &'static str = "labelled graphs";
    const KEY: &'static str = "graphs";

    fn catalogue() -> &'static [Entry<LabelledGraph>] {
        &[ged::ENTRY]
    }

    fn layout(&self) -> Layout {
        Layout::Graph
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        self.write_tensors(name, out)
    }

    fn read(name: &str, contents: &Contents, meta: &Value, _kinds: &Kinds) -> Result<Self> {
        Self::read_tensors(name, contents, meta)
    }
}
