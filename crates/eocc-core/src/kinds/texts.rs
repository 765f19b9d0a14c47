//! Strings.

use serde_json::{Value, json};

use super::{AnyDissimilarity, Kinds, Layout, SampleKind};
use crate::dissimilarity::matched::{Differences, align};
use crate::dissimilarity::{Entry, text};
use crate::error::Result;
use crate::file::{Contents, damaged, lengths};
use crate::sample::{SampleSet, Texts};

impl SampleKind for Texts {
    const NAME: &'static str = "strings";
    const KEY: &'static str = "texts";

    fn catalogue() -> &'static [Entry<str>] {
        text::CATALOGUE
    }

    fn layout(&self) -> Layout {
        Layout::Text
    }

    fn differences(
        &self,
        i: usize,
        others: &Self,
        j: usize,
        _measure: Option<&AnyDissimilarity>,
    ) -> Option<Differences> {
        align(self.sample(i), others.sample(j)).map(Differences::Letters)
    }

    fn write(&self, name: &str, out: &mut Contents) -> Value {
        let lengths: Vec<u32> = self.refs().iter().map(|t| t.len() as u32).collect();
        let bytes: Vec<u8> = self.refs().iter().flat_map(|t| t.bytes()).collect();
        out.put_u32(&format!("{name}.lengths"), &[lengths.len()], &lengths);
        out.put_u8(name, &bytes);
        json!({})
    }

    fn read(name: &str, contents: &Contents, _meta: &Value, _kinds: &Kinds) -> Result<Self> {
        let bytes = contents.u8s(name)?;
        let mut rest = bytes;
        let mut items = Vec::new();
        for length in lengths(&format!("{name}.lengths"), contents, bytes.len(), 0)? {
            let (own, others) = rest.split_at(length);
            let text =
                std::str::from_utf8(own).map_err(|e| damaged(format!("a string is not UTF-8: {e}")))?;
            items.push(text.to_owned());
            rest = others;
        }
        Self::new(items).map_err(|e| damaged(e.to_string()))
    }
}
