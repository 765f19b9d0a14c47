//! One line per public item, by each path.

use std::collections::{BTreeMap, HashSet};

use anyhow::Result;
use serde_json::Value;

use super::documented::{Documented, Item};
use super::text::{bounds, function, generics, list, path, ty};

/// The public items of the facade.
pub(crate) struct Face {
    /// One line per item.
    pub(crate) lines: Vec<String>,
    /// Types and traits of the project that a signature mentions but that cannot be named through the facade, each
    /// with the first item that mentions it.
    pub(crate) unnamed: Vec<String>,
}

/// All items that can be named through the facade.
pub(crate) fn face(documented: &Documented) -> Result<Face> {
    let root = documented.root()?;
    let (lines, within) = (Vec::new(), HashSet::new());
    let (named, mentioned) = (HashSet::new(), BTreeMap::new());
    let mut listing = Listing { documented, lines, within, named, mentioned };
    listing.module(root, root.name());
    let Listing { lines, named, mentioned, .. } = listing;
    let unnamed = mentioned.into_iter().filter(|(item, _)| !named.contains(item));
    Ok(Face { lines, unnamed: unnamed.map(|(_, fault)| fault).collect() })
}

struct Listing<'a> {
    documented: &'a Documented,
    lines: Vec<String>,
    /// The modules being listed: a glob may lead back into one of them.
    within: HashSet<(&'a str, &'a str)>,
    /// The listed items, by crate and identifier.
    named: HashSet<(&'a str, &'a str)>,
    /// The items mentioned in signatures, with the first item that mentions each.
    mentioned: BTreeMap<(&'a str, &'a str), String>,
}

impl<'a> Listing<'a> {
    fn module(&mut self, module: Item<'a>, place: &str) {
        if !self.within.insert((module.krate, module.id)) {
            return;
        }
        for id in list(&module.kind().1["items"]) {
            if let Some(item) = self.documented.item(module.krate, id)
                && item.is_public()
            {
                self.item(item, item.name(), place);
            }
        }
        self.within.remove(&(module.krate, module.id));
    }

    fn reexport(&mut self, from: Item<'a>, used: &'a Value, place: &str) {
        let name = used["name"].as_str().unwrap_or_default();
        match self.documented.item(from.krate, &used["id"]) {
            Some(target) if used["is_glob"].as_bool() == Some(true) => match target.kind().0 {
                "enum" => self.members(target, &target.kind().1["variants"], place),
                _ => self.module(target, place),
            },
            Some(target) => self.item(target, name, place),
            // An item of another project.
            None => {
                let source = used["source"].as_str().unwrap_or("?");
                self.lines.push(format!("use {place}::{name} = {source}"));
            }
        }
    }

    fn item(&mut self, item: Item<'a>, name: &str, place: &str) {
        let (kind, v) = item.kind();
        if kind == "use" {
            return self.reexport(item, v, place);
        }
        let full = format!("{place}::{name}");
        self.named.insert((item.krate, item.id));
        self.mention(item, v, &full);
        let mark = if list(&item.json["attrs"]).iter().any(|a| a.as_str() == Some("non_exhaustive")) {
            "#[non_exhaustive] "
        } else {
            ""
        };
        let (params, wheres) = generics(&v["generics"]);
        match kind {
            "module" => {
                self.lines.push(format!("mod {full}"));
                return self.module(item, &full);
            }
            "function" => self.lines.push(function(&full, v)),
            "struct" => {
                self.lines
                    .push(format!("{mark}struct {full}{params}{}{wheres}", self.tuple(item, &v["kind"])));
                self.members(item, &v["kind"]["plain"]["fields"], &full);
            }
            "union" => {
                self.lines.push(format!("union {full}{params}{wheres}"));
                self.members(item, &v["fields"], &full);
            }
            "enum" => {
                self.lines.push(format!("{mark}enum {full}{params}{wheres}"));
                self.members(item, &v["variants"], &full);
            }
            "variant" => {
                self.lines.push(format!("{mark}variant {full}{}", self.tuple(item, &v["kind"])));
                self.members(item, &v["kind"]["struct"]["fields"], &full);
            }
            "struct_field" => self.lines.push(format!("field {full}: {}", ty(v))),
            "trait" => {
                let above = Some(bounds(&v["bounds"])).filter(|b| !b.is_empty());
                let above = above.map(|b| format!(": {b}")).unwrap_or_default();
                self.lines.push(format!("trait {full}{params}{above}{wheres}"));
                self.members(item, &v["items"], &full);
            }
            "assoc_type" => {
                let above = Some(bounds(&v["bounds"])).filter(|b| !b.is_empty());
                let above = above.map(|b| format!(": {b}")).unwrap_or_default();
                let default =
                    if v["type"].is_null() { String::new() } else { format!(" = {}", ty(&v["type"])) };
                self.lines.push(format!("type {full}{params}{above}{default}{wheres}"));
            }
            "type_alias" => self.lines.push(format!("type {full}{params} = {}{wheres}", ty(&v["type"]))),
            "constant" | "assoc_const" => self.lines.push(format!("const {full}: {}", ty(&v["type"]))),
            "static" => self.lines.push(format!("static {full}: {}", ty(&v["type"]))),
            "macro" => self.lines.push(format!("macro {full}!")),
            _ => self.lines.push(format!("{kind} {full}")),
        }
        self.implementations(item, v, &full);
    }

    /// Records the types and traits that `v`, a part of this item, mentions.
    fn mention(&mut self, item: Item<'a>, v: &'a Value, full: &str) {
        match v {
            Value::Object(entries) => {
                for (key, inner) in entries {
                    if matches!(key.as_str(), "resolved_path" | "trait")
                        && let Some(target) = self.documented.item(item.krate, &inner["id"])
                    {
                        let fault = || format!("{full} mentions {}, which cannot be named", target.name());
                        self.mentioned.entry((target.krate, target.id)).or_insert_with(fault);
                    }
                    self.mention(item, inner, full);
                }
            }
            Value::Array(all) => all.iter().for_each(|inner| self.mention(item, inner, full)),
            _ => {}
        }
    }

    /// Fields, variants or trait items.
    fn members(&mut self, of: Item<'a>, ids: &'a Value, place: &str) {
        for id in list(ids) {
            if let Some(member) = self.documented.item(of.krate, id)
                && member.is_public()
            {
                self.item(member, member.name(), place);
            }
        }
    }

    /// The fields of a tuple, hidden ones as `_`.
    fn tuple(&self, of: Item<'_>, kind: &Value) -> String {
        let Some(fields) = kind["tuple"].as_array() else { return String::new() };
        let field = |id: &Value| {
            let field = self.documented.item(of.krate, id).filter(|f| f.is_public());
            field.map_or_else(|| "_".to_owned(), |f| ty(f.kind().1))
        };
        format!("({})", fields.iter().map(field).collect::<Vec<_>>().join(", "))
    }

    /// Methods, and the traits a type implements explicitly; of auto traits, only `Send` and `Sync` if they are not
    /// implemented.
    fn implementations(&mut self, item: Item<'a>, v: &'a Value, full: &str) {
        for id in list(&v["impls"]) {
            let Some(block) = self.documented.item(item.krate, id) else { continue };
            let i = block.kind().1;
            let (params, wheres) = generics(&i["generics"]);
            if i["trait"].is_null() {
                // Two blocks may differ only in the type they are for.
                let of = ty(&i["for"]);
                let special = if of.contains('<') || !wheres.is_empty() {
                    format!("impl{params} {of}{wheres}: ")
                } else {
                    String::new()
                };
                let before = self.lines.len();
                self.members(block, &i["items"], full);
                self.lines[before..].iter_mut().for_each(|line| line.insert_str(0, &special));
                continue;
            }
            let name = path(&i["trait"]);
            let is_negative = i["is_negative"].as_bool() == Some(true);
            let is_synthetic = i["is_synthetic"].as_bool() == Some(true);
            let shown = if is_synthetic {
                is_negative && matches!(name.as_str(), "Send" | "Sync")
            } else {
                i["blanket_impl"].is_null()
            };
            // Internal markers of the compiler, which we do not promise.
            if shown && name != "StructuralPartialEq" && self.is_public_trait(block, &i["trait"]) {
                let not = if is_negative { "!" } else { "" };
                self.lines.push(format!("impl{params} {not}{name} for {full} ({}){wheres}", ty(&i["for"])));
            }
        }
    }

    /// Whether a trait belongs to another project, or is public where it is declared.
    fn is_public_trait(&self, block: Item<'a>, of: &Value) -> bool {
        self.documented.item(block.krate, &of["id"]).is_none_or(Item::is_public)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::process::Command;

    use super::*;

    const CORE: &str = "
        mod hidden {
            pub struct Shown<T> { pub size: usize, secret: T }
            impl<T> Shown<T> { pub fn size(&self) -> usize { self.size } fn inner(&self) {} }
            impl Shown<u8> { pub fn bytes(self) -> Vec<u8> { vec![self.secret] } }
            impl<T: Clone> Clone for Shown<T> { fn clone(&self) -> Self { todo!() } }
            #[non_exhaustive] pub enum Answer { Yes, No(u8), Why { because: String } }
            pub struct Unseen;
        }
        pub use hidden::{Answer, Shown, Unseen};
        pub mod tools { use super::{Answer, Unseen}; pub const LIMIT: usize = 3; pub fn apply(f: impl Fn(&str) -> bool) {} pub(crate) fn own() {}
            pub fn reveal(of: Option<&Unseen>) -> Answer { todo!() } }
        pub trait Judge: Send { type Of: ?Sized; fn judge<'a>(&'a mut self, of: &'a Self::Of) -> Option<&'a str>; }
    ";
    const FACADE: &str = "
        pub use inner::{Answer, Judge, Shown as Seen};
        pub use inner::tools::*;
        pub use std::collections::HashMap;
        pub type Pair<T = u8> = (T, T);
    ";
    const LINES: &str = "\
#[non_exhaustive] enum face::Answer
const face::LIMIT: usize
field face::Answer::Why::because: String
field face::Seen::size: usize
fn face::apply(impl Fn(&str) -> bool)
fn face::reveal(Option<&Unseen>) -> Answer
fn face::Judge::judge<'a>(self: &'a mut Self, &'a Self::Of) -> Option<&'a str>
impl Shown<u8>: fn face::Seen::bytes(self) -> Vec<u8>
impl<T: Clone> Clone for face::Seen (Shown<T>)
impl<T> Shown<T>: fn face::Seen::size(&self) -> usize
struct face::Seen<T>
trait face::Judge: Send
type face::Judge::Of: ?Sized
type face::Pair<T = u8> = (T, T)
use face::HashMap = std::collections::HashMap
variant face::Answer::No(u8)
variant face::Answer::Why
variant face::Answer::Yes";

    fn run(program: &str, folder: &Path, words: &str) {
        let mut command = Command::new(program);
        command.args(words.split_whitespace()).env("RUSTC_BOOTSTRAP", "1").current_dir(folder);
        let done = command.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn reexports_are_followed_into_other_crates() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        fs::write(folder.join("inner.rs"), CORE).unwrap();
        fs::write(folder.join("face.rs"), FACADE).unwrap();
        run("rustc", folder, "inner.rs --crate-type lib --emit metadata --edition 2024 --cap-lints allow");
        let json = "--edition 2024 -L . -Z unstable-options --output-format json -o doc --cap-lints allow";
        run("rustdoc", folder, &format!("inner.rs --crate-type lib {json}"));
        run("rustdoc", folder, &format!("face.rs --crate-type lib --extern inner=libinner.rmeta {json}"));
        let face = face(&Documented::load(&folder.join("doc"), "face").unwrap()).unwrap();
        assert_eq!(face.unnamed, ["face::reveal mentions Unseen, which cannot be named"]);
        let mut found = face.lines;
        found.sort_by_key(|line| line.to_lowercase());
        let mut wanted: Vec<&str> = LINES.lines().collect();
        wanted.sort_by_key(|line| line.to_lowercase());
        assert_eq!(found, wanted);
    }
}
