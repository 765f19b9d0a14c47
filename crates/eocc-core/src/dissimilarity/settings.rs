//! Settings of a measure, `key=value`, as given by `--set`.

use std::collections::BTreeMap;
use std::str::FromStr;

use crate::error::{Error, Result};
use crate::spelling::suggestion;

/// Settings by name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    values: BTreeMap<String, String>,
}

impl Settings {
    /// Adds `key=value`.
    pub fn parse(&mut self, text: &str) -> Result<()> {
        let (key, value) =
            text.split_once('=').ok_or_else(|| Error::parameter("set", format!("`{text}`"), "key=value"))?;
        self.insert(key.trim(), value.trim());
        Ok(())
    }

    /// Sets `key` to `value`.
    pub fn insert(&mut self, key: &str, value: &str) {
        self.values.insert(key.to_owned(), value.to_owned());
    }

    /// Sets `key` to `value` unless it is already set.
    pub fn default_to(&mut self, key: &str, value: &str) {
        self.values.entry(key.to_owned()).or_insert_with(|| value.to_owned());
    }

    /// The names of all settings, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The value of `key`, if set; an error if it does not parse as one of the `allowed`.
    pub fn get<T: FromStr>(&self, key: &str, allowed: &str) -> Result<Option<T>> {
        self.values
            .get(key)
            .map(|v| v.parse().map_err(|_| Error::parameter(key, format!("`{v}`"), allowed)))
            .transpose()
    }

    /// The boolean value of `key`; `default` if not set.
    pub fn truth(&self, key: &str, default: bool) -> Result<bool> {
        Ok(self.get(key, "true or false")?.unwrap_or(default))
    }

    /// Removes `key` and returns its value.
    pub fn take(&mut self, key: &str) -> Option<String> {
        self.values.remove(key)
    }

    /// The settings `PART.key` of one part, by key.
    #[must_use]
    pub fn under(&self, part: &str) -> Self {
        let own = self.values.iter().filter_map(|(key, value)| {
            let key = key.strip_prefix(part)?.strip_prefix('.')?;
            Some((key.to_owned(), value.clone()))
        });
        Self { values: own.collect() }
    }

    /// Fails on any key that is neither in `known` nor belongs to one of the parts.
    pub fn only_of(&self, measure: &str, known: &[&str], parts: &[&str]) -> Result<()> {
        let is_of = |key: &str, part: &str| key.strip_prefix(part).is_some_and(|rest| rest.starts_with('.'));
        let is_known = |key: &str| known.contains(&key) || parts.iter().any(|part| is_of(key, part));
        match self.values.keys().find(|key| !is_known(key)) {
            None => Ok(()),
            Some(key) => Err(Error::parameter(
                "setting",
                format!("`{key}`{}", suggestion(key, known.iter().copied())),
                format!("PART.KEY with one of the parts `{}` for `{measure}`", parts.join("`, `")),
            )),
        }
    }

    /// Fails on any key that is not in `known`.
    pub fn only(&self, measure: &str, known: &[&str]) -> Result<()> {
        match self.values.keys().find(|k| !known.contains(&k.as_str())) {
            None => Ok(()),
            Some(key) => {
                let allowed = match known {
                    [] => format!("left out: `{measure}` has no settings"),
                    [one] => format!("`{one}` for `{measure}`"),
                    _ => format!("one of `{}` for `{measure}`", known.join("`, `")),
                };
                let given = format!("`{key}`{}", suggestion(key, known.iter().copied()));
                Err(Error::parameter("setting", given, allowed))
            }
        }
    }
}

/// A setting by name and value.
pub(crate) fn setting(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

/// The word that names a choice in files and messages.
pub(crate) fn word(choice: &impl serde::Serialize) -> String {
    let stored = serde_json::to_value(choice).unwrap_or_default();
    stored.as_str().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_parsed_and_checked() {
        let mut s = Settings::default();
        s.parse("order = 3").unwrap();
        assert_eq!(s.get::<f64>("order", "a number").unwrap(), Some(3.0));
        assert_eq!(s.get::<f64>("ridge", "a number").unwrap(), None);
        assert!(s.parse("order").is_err());
        s.insert("order", "many");
        let e = s.get::<f64>("order", "a number of at least 1").unwrap_err();
        assert_eq!(e.to_string(), "order is `many`, but must be a number of at least 1");
        let e = s.only("cosine", &["scaling"]).unwrap_err();
        assert_eq!(e.to_string(), "setting is `order`, but must be `scaling` for `cosine`");
    }
}
