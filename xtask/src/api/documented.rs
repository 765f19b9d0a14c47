//! Crates as described by rustdoc, in JSON.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// The versions of rustdoc's format that this program was tested with.
const FORMATS: std::ops::RangeInclusive<u64> = 57..=57;

/// The facade, and the members it re-exports from.
#[derive(Debug)]
pub(crate) struct Documented {
    facade: String,
    crates: HashMap<String, Crate>,
}

#[derive(Debug)]
struct Crate {
    json: Value,
    /// Identifiers of items by kind and path.
    places: HashMap<(String, Vec<String>), String>,
}

impl Crate {
    fn read(file: &Path) -> Result<Self> {
        let json: Value = serde_json::from_str(&fs::read_to_string(file)?)?;
        let format = json["format_version"].as_u64().unwrap_or_default();
        if !FORMATS.contains(&format) {
            bail!(
                "rustdoc's JSON is of format {format}, and this program was tried with {FORMATS:?}; look at what changed and \
                 widen the range in xtask/src/api/documented.rs"
            );
        }
        let own = json["paths"].as_object().into_iter().flatten().filter(|(_, p)| p["crate_id"] == 0);
        let places = own.map(|(id, place)| (key(place), id.clone())).collect();
        Ok(Self { json, places })
    }
}

/// Kind and path of an item, which are the same in the description of any crate.
fn key(place: &Value) -> (String, Vec<String>) {
    let text = |v: &Value| v.as_str().unwrap_or_default().to_owned();
    (text(&place["kind"]), place["path"].as_array().into_iter().flatten().map(text).collect())
}

/// An item, and the crate that its identifiers refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    pub(crate) krate: &'a str,
    pub(crate) id: &'a str,
    pub(crate) json: &'a Value,
}

impl<'a> Item<'a> {
    /// Its kind (`struct`, `function`, …), and the corresponding data.
    pub(crate) fn kind(self) -> (&'a str, &'a Value) {
        let inner = self.json["inner"].as_object().and_then(|inner| inner.iter().next());
        inner.map_or(("", &Value::Null), |(kind, content)| (kind.as_str(), content))
    }

    pub(crate) fn name(self) -> &'a str {
        self.json["name"].as_str().unwrap_or_default()
    }

    /// Whether it is declared public; `default` is the visibility of variants and trait items.
    pub(crate) fn is_public(self) -> bool {
        matches!(self.json["visibility"].as_str(), Some("public" | "default"))
    }
}

impl Documented {
    /// Reads the description of the facade and those of the members it refers to.
    pub(crate) fn load(folder: &Path, facade: &str) -> Result<Self> {
        let mut crates = HashMap::new();
        let mut wanted = vec![facade.to_owned()];
        while let Some(name) = wanted.pop() {
            let file = folder.join(format!("{name}.json"));
            // Crates without a description here belong to other projects.
            if crates.contains_key(&name) || (name != facade && !file.exists()) {
                continue;
            }
            let krate = Crate::read(&file).with_context(|| file.display().to_string())?;
            let others = krate.json["external_crates"].as_object().into_iter().flatten();
            wanted.extend(others.filter_map(|(_, other)| other["name"].as_str()).map(str::to_owned));
            crates.insert(name, krate);
        }
        Ok(Self { facade: facade.to_owned(), crates })
    }

    /// The facade's root.
    pub(crate) fn root(&self) -> Result<Item<'_>> {
        let (name, krate) =
            self.crates.get_key_value(&self.facade).context("the facade is not documented")?;
        self.item(name, &krate.json["root"]).context("the facade has no root")
    }

    /// The item with this identifier in the crate or, if it belongs to another member, there.
    pub(crate) fn item<'a>(&'a self, krate: &'a str, id: &Value) -> Option<Item<'a>> {
        let json = &self.crates.get(krate)?.json;
        let id = id.to_string();
        if let Some((id, found)) = json["index"].as_object()?.get_key_value(&id) {
            return Some(Item { krate, id, json: found });
        }
        let key = key(&json["paths"][&id]);
        let (name, other) = self.crates.get_key_value(key.1.first()?)?;
        let id = other.places.get(&key)?;
        Some(Item { krate: name, id, json: &other.json["index"][id] })
    }
}
