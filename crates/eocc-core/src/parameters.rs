//! The parameters as a table: one place for the name, description and allowed values of each, and for setting and
//! getting it by name.
//!
//! The help of the command line comes from here; the program and the Python constructor, which declare their options
//! and arguments themselves, pass values by name. `preset` is not in the table, because parameters start from a preset;
//! nor are `seed` and `memory`, which no preset sets.

use serde_json::{Value, json};

use crate::error::{Error, Result};
use crate::params::{OneClass, Representation, Scoring, Threshold};
use crate::prototypes::Prototypes;
use crate::synthesis::SearchKind;

/// One parameter.
pub struct Parameter {
    /// Its name on the command line (`--name`), in Python and in messages.
    pub name: &'static str,
    /// Its effect, in a sentence or two.
    pub help: &'static str,
    /// Its allowed values.
    pub allowed: &'static str,
    /// Sets it; `None` if the value is not allowed.
    set: fn(&mut OneClass, &Value) -> Option<()>,
    /// Its value; null if it is not set.
    get: fn(&OneClass) -> Value,
}

/// All of them, in the order in which they must be set: `reject` overrides what `contamination` rejects.
pub const PARAMETERS: [Parameter; 10] = [
    Parameter {
        name: "search",
        help: "Search over the parameters of the dissimilarity",
        allowed: "none or genetic",
        set: |p, v| {
            p.search = SearchKind::named(v.as_str()?)?;
            Some(())
        },
        get: |p| json!(p.search.name()),
    },
    Parameter {
        name: "evaluations",
        help: "Maximum number of evaluations in a search",
        allowed: "a number of at least 1",
        set: |p, v| {
            p.evaluations = count(v)?;
            Some(())
        },
        get: |p| json!(p.evaluations),
    },
    Parameter {
        name: "tau",
        help: "A search stops when the objective falls to this",
        allowed: "a number of at least 0",
        set: |p, v| {
            p.tau = v.as_f64()?;
            Some(())
        },
        get: |p| json!(p.tau),
    },
    Parameter {
        name: "alpha",
        help: "Order of the entropy, in (0, 1)",
        allowed: "a number in (0, 1)",
        set: |p, v| {
            p.alpha = v.as_f64()?;
            Some(())
        },
        get: |p| json!(p.alpha),
    },
    Parameter {
        name: "percentile",
        help: "Percentile of how far training samples fall short of the most central one of their region, in [0, 100]; it sets \
               the membership, and with the preset `paper` also the threshold",
        allowed: "a number in [0, 100]",
        set: |p, v| {
            p.percentile = v.as_f64()?;
            Some(())
        },
        get: |p| json!(p.percentile),
    },
    Parameter {
        name: "contamination",
        help: "Expected fraction of outliers among the training samples, in [0, 0.5]. This fraction is rejected unless --reject \
               is given. Twice this fraction, the samples farthest out, are excluded as neighbors (2 % by default; with 0, \
               none)",
        allowed: "a fraction in [0, 0.5]",
        set: |p, v| {
            *p = p.clone().contamination(v.as_f64()?);
            Some(())
        },
        get: |p| json!(p.contamination),
    },
    Parameter {
        name: "reject",
        help: "Fraction of nominal samples that you are willing to reject, in (0, 1); by default 0.05, the \
               --contamination, or the rule of the preset `paper`",
        allowed: "a fraction in (0, 1)",
        set: |p, v| {
            p.threshold = Threshold::Reject(v.as_f64()?);
            Some(())
        },
        get: |p| match p.threshold {
            Threshold::Reject(share) => json!(share),
            _ => Value::Null,
        },
    },
    Parameter {
        name: "prototypes",
        help: "Prototypes of the embedding of the preset `paper`: `all`, a number for a random subset, or `farthest:N` for N \
               samples far from each other",
        allowed: "`all`, `direct`, a number, or `farthest:N`",
        set: set_prototypes,
        get: |p| match p.representation {
            Representation::Direct => json!("direct"),
            Representation::Prototypes(Prototypes::Random(count)) => json!(count),
            Representation::Prototypes(Prototypes::FarthestFirst(count)) => {
                json!(format!("farthest:{count}"))
            }
            Representation::Prototypes(Prototypes::All) => json!("all"),
            Representation::Embedding => Value::Null,
        },
    },
    Parameter {
        name: "scoring",
        help: "Redo the graph with each sample (exact) or leave it as trained (fast); the preset decides by default",
        allowed: "exact or fast",
        set: |p, v| {
            p.scoring = Scoring::named(v.as_str()?)?;
            Some(())
        },
        get: |p| json!(p.scoring.name()),
    },
    Parameter {
        name: "visits",
        help: "Number of training samples that a neighbor search may visit, or `all`. By default, it visits all if there are at \
               most 8192 table rows or 10 000 other samples, and only some otherwise. With the preset `paper`, `all` computes \
               closeness exactly, and searches on all samples, also in large sets",
        allowed: "a number of samples, at least 64, or all",
        set: |p, v| {
            p.visits = Some(if v == "all" { usize::MAX } else { count(v)? });
            Some(())
        },
        get: |p| match p.visits {
            Some(usize::MAX) => json!("all"),
            visits => json!(visits),
        },
    },
];

fn count(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|count| usize::try_from(count).ok())
}

fn set_prototypes(params: &mut OneClass, value: &Value) -> Option<()> {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    params.representation = match text.as_str() {
        "direct" => Representation::Direct,
        text => Representation::Prototypes(Prototypes::named(text).ok()?),
    };
    Some(())
}

/// The help of a parameter; empty if there is none with this name.
pub const fn help(name: &str) -> &'static str {
    let mut at = 0;
    while at < PARAMETERS.len() {
        if equal(PARAMETERS[at].name.as_bytes(), name.as_bytes()) {
            return PARAMETERS[at].help;
        }
        at += 1;
    }
    ""
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

impl OneClass {
    /// Sets a parameter by name. Constraints between parameters are checked by [`check`](Self::check).
    pub fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        let Some(parameter) = PARAMETERS.iter().find(|p| p.name == name) else {
            let names: Vec<&str> = PARAMETERS.iter().map(|p| p.name).collect();
            return Err(Error::parameter(
                "parameter",
                format!("`{name}`"),
                format!("one of {}", names.join(", ")),
            ));
        };
        let given = || value.as_str().map_or_else(|| value.to_string(), |text| format!("`{text}`"));
        (parameter.set)(self, value).ok_or_else(|| Error::parameter(name, given(), parameter.allowed))
    }

    /// The parameters that differ from the preset's, with their values.
    pub fn changed(&self) -> Vec<(&'static str, Value)> {
        let preset = Self::new(self.preset);
        let values = PARAMETERS.iter().map(|p| (p.name, (p.get)(self), (p.get)(&preset)));
        values
            .filter(|(_, own, usual)| own != usual && !own.is_null())
            .map(|(name, own, _)| (name, own))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Preset;

    #[test]
    fn what_changed_can_be_set_again() {
        for preset in [Preset::Paper, Preset::Default] {
            assert!(OneClass::new(preset).changed().is_empty());
            let mut params = OneClass::new(preset);
            let values = [
                ("search", json!("genetic")),
                ("evaluations", json!(7)),
                ("tau", json!(0.1)),
                ("alpha", json!(0.3)),
                ("percentile", json!(40.0)),
                ("contamination", json!(0.1)),
                ("reject", json!(0.02)),
                ("prototypes", json!(12)),
                ("scoring", json!("exact")),
                ("visits", json!("all")),
            ];
            for (name, value) in &values {
                params.set(name, value).unwrap();
            }
            let mut again = OneClass::new(preset);
            for (name, value) in params.changed() {
                again.set(name, &value).unwrap();
            }
            assert_eq!(again, params);
        }
    }

    #[test]
    fn what_cannot_be_set_is_refused_with_what_can() {
        let mut params = OneClass::default();
        let refused = |params: &mut OneClass, name: &str, value: Value| {
            params.set(name, &value).unwrap_err().to_string()
        };
        assert_eq!(
            refused(&mut params, "search", json!("cma")),
            "search is `cma`, but must be none or genetic"
        );
        assert_eq!(
            refused(&mut params, "evaluations", json!(-1)),
            "evaluations is -1, but must be a number of at least 1"
        );
        assert!(refused(&mut params, "gamma", json!(1)).contains("one of search, evaluations"));
        assert_eq!(params, OneClass::default());
        assert!(help("alpha").starts_with("Order of the entropy") && help("gamma").is_empty());
    }
}
