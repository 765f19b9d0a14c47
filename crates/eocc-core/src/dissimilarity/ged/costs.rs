//! The costs of edits, apart from how the cheapest edits are found.
//!
//! Costs have two forms: as the user gives them ([`Costs`]: a preset, or a schema whose constants are the parameters
//! `p`), and as the methods need them ([`Rates`]: which values of a vertex or an edge count, and how). Insertion and
//! deletion cost the same: a dissimilarity is symmetric.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::dissimilarity::sight::Labels;
use crate::dissimilarity::{Parameter, Settings};
use crate::error::{Error, Result};
use crate::graphs::{Attribute, AttributeKind, LabelledGraph, ValueRef};

/// How an attribute of the [schema cost](SchemaCosts) is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Metric {
    /// `|a - b|` of numbers or the Euclidean distance of vectors, in units of the spread in training.
    Number,
    /// 0 if equal, else 1.
    Category,
    /// Levenshtein distance divided by the length of the longer text.
    Text,
    /// Does not count.
    Ignore,
}

impl std::str::FromStr for Metric {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "number" => Ok(Self::Number),
            "category" => Ok(Self::Category),
            "text" => Ok(Self::Text),
            "ignore" => Ok(Self::Ignore),
            _ => Err(()),
        }
    }
}

/// One attribute of the schema cost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weighted {
    /// Name of the attribute.
    pub name: String,
    /// How it is compared.
    pub metric: Metric,
    /// Number of components, for numbers.
    pub width: usize,
    /// The unit of numbers: their spread in training.
    pub unit: f64,
    /// Its weight, in [0, 1].
    pub weight: f64,
}

/// A cost derived from the attributes of the graphs. With `A` attributes, weights `w` and dissimilarities `d` of
/// attributes, substituting a vertex costs `b sum_a w_a d_a / A`, inserting or deleting one `b c`, with the balance
/// `b` of vertices and edges. Edges likewise, with `1 - b` and their own weights and constant, but never more than
/// deletion and insertion.
///
/// An attribute missing on both sides differs by 0; on one side, by 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemaCosts {
    /// Attributes of vertices.
    pub vertex: Vec<Weighted>,
    /// Attributes of edges.
    pub edge: Vec<Weighted>,
    /// Inserting or deleting a vertex.
    pub vertex_constant: f64,
    /// Inserting or deleting an edge.
    pub edge_constant: f64,
    /// The weight of vertices relative to edges.
    pub balance: f64,
    /// Metrics set explicitly: `vertex.name` or `edge.name`.
    pub chosen: Vec<(String, Metric)>,
}

impl Default for SchemaCosts {
    fn default() -> Self {
        Self {
            vertex: Vec::new(),
            edge: Vec::new(),
            vertex_constant: 0.5,
            edge_constant: 0.5,
            balance: 0.5,
            chosen: Vec::new(),
        }
    }
}

/// Published costs of the IAM sets, and the general cost.
///
/// References: K. Riesen, H. Bunke, "IAM Graph Database Repository for Graph Based Pattern Recognition and Machine
/// Learning", SSPR 2008; constants as in D. Blumenthal et al., "Comparing heuristics for graph edit distance
/// computation", VLDB Journal 29, 2020, doi:10.1007/s00778-019-00544-1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Costs {
    /// Vertices: 0.75 Euclid(`x`, `y`), insertion and deletion 0.675; edges: 0, 0.425.
    Letter,
    /// Vertices: 5.5 if `chem` differs, 2.75; edges: 0.825 if `valence` differs, 0.825.
    Aids,
    /// Vertices: 90 if `type` differs, else 0.5 Euclid(`x`, `y`), 45; edges: `7.5 (f + f' - 2 |T ∩ T'|)`, `7.5 f`, with
    /// `f` the `frequency` and `T` the multiset of its types.
    Grec,
    /// Vertices: 16.5 if `type` differs, else 0.75 Levenshtein(`sequence`), 8.25; edges: as GREC with 0.25.
    Protein,
    /// The general cost.
    Schema(SchemaCosts),
}

/// Which texts and numbers of a label count, by attribute name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Sources {
    /// Numbers with their factors, and the number of components of vectors.
    pub(super) numbers: Vec<(String, f64, usize)>,
    pub(super) texts: Vec<String>,
    /// Whether `frequency` and `type0`, `type1`, … form a multiset.
    pub(super) bag: bool,
}

/// One summand of a substitution cost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Term {
    /// `weight` times the Euclidean distance of the numbers from `from` to `to`; `absent` if one side is missing.
    Euclid { from: usize, to: usize, weight: f64, absent: f64 },
    /// `weight` if the texts differ.
    Category { slot: usize, weight: f64 },
    /// `weight` times the Levenshtein distance; divided by the longer length if `relative`.
    Edit { slot: usize, weight: f64, relative: bool, absent: f64 },
    /// `weight (f + f' - 2 |T ∩ T'|)`.
    Bag { weight: f64 },
}

/// The rates of vertices, or of edges.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Side {
    pub(super) sources: Sources,
    /// If the texts of this slot differ, that is the whole cost.
    pub(super) gate: Option<(usize, f64)>,
    pub(super) terms: Vec<Term>,
    /// Insertion and deletion, for each unit of `frequency` if there is a multiset.
    pub(super) erase: f64,
}

/// Costs in the form in which they are computed.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Rates {
    pub(super) vertex: Side,
    pub(super) edge: Side,
}

impl Rates {
    /// The attributes that make up the labels of vertices, and the numbers they carry, as far as costs depend on
    /// them.
    pub(super) fn labels(&self) -> Labels {
        let Side { sources, gate, terms, .. } = &self.vertex;
        let categories = terms.iter().filter_map(|term| match term {
            Term::Category { slot, .. } => Some(*slot),
            _ => None,
        });
        let slots = gate.iter().map(|g| g.0).chain(categories);
        Labels {
            texts: slots.filter_map(|slot| sources.texts.get(slot).cloned()).collect(),
            numbers: sources.numbers.iter().map(|n| n.0.clone()).collect(),
        }
    }
}

impl Costs {
    /// The name of the `costs` setting.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Letter => "letter",
            Self::Aids => "aids",
            Self::Grec => "grec",
            Self::Protein => "protein",
            Self::Schema(_) => "schema",
        }
    }

    /// From the settings `costs`, and for the schema `vertex.NAME` and `edge.NAME`.
    pub(super) fn from_settings(settings: &Settings, chosen: Vec<(String, Metric)>) -> Result<Self> {
        let allowed = "letter, aids, grec, protein or schema";
        let name: String = settings.get("costs", allowed)?.unwrap_or_else(|| "schema".to_owned());
        let costs = match name.as_str() {
            "letter" => Self::Letter,
            "aids" => Self::Aids,
            "grec" => Self::Grec,
            "protein" => Self::Protein,
            "schema" => return Ok(Self::Schema(SchemaCosts { chosen, ..SchemaCosts::default() })),
            _ => return Err(Error::parameter("costs", format!("`{name}`"), allowed)),
        };
        match chosen.first() {
            None => Ok(costs),
            Some((key, _)) => {
                Err(Error::parameter("setting", format!("`{key}`"), format!("left out with costs={name}")))
            }
        }
    }

    /// Checks that the training graphs have the attributes a preset compares; learns kinds and units for the schema.
    pub(super) fn learn(&mut self, graphs: &[&LabelledGraph]) -> Result<()> {
        let Some(first) = graphs.first() else { return Ok(()) };
        if let Self::Schema(schema) = self {
            return schema.learn(graphs);
        }
        let needs: &[(&str, bool, AttributeKind)] = match self {
            Self::Letter => &[("x", true, AttributeKind::Number), ("y", true, AttributeKind::Number)],
            Self::Grec => &[
                ("x", true, AttributeKind::Number),
                ("y", true, AttributeKind::Number),
                ("type", true, AttributeKind::Text),
                ("frequency", false, AttributeKind::Number),
            ],
            Self::Protein => {
                &[("sequence", true, AttributeKind::Text), ("frequency", false, AttributeKind::Number)]
            }
            Self::Aids | Self::Schema(_) => &[],
        };
        let any: &[(&str, bool)] = match self {
            Self::Aids => &[("chem", true), ("valence", false)],
            Self::Protein => &[("type", true)],
            _ => &[],
        };
        let has_edges = graphs.iter().any(|g| !g.edges().is_empty());
        let find = |name: &str, vertex: bool| {
            let schema = first.schema();
            let (side, list) = if vertex { ("vertices", &schema.vertex) } else { ("edges", &schema.edge) };
            match list.iter().find(|a| a.name == name) {
                Some(a) => Ok(Some(a)),
                None if !vertex && !has_edges => Ok(None),
                None => Err(Error::input(format!(
                    "costs={} compare the attribute `{name}` of {side}, but the graphs have {}; choose other costs \
                     or costs=schema",
                    self.name(),
                    listed(list)
                ))),
            }
        };
        for &(name, vertex) in any {
            find(name, vertex)?;
        }
        for &(name, vertex, kind) in needs {
            if let Some(a) = find(name, vertex)?
                && a.kind != kind
            {
                return Err(Error::input(format!(
                    "costs={} need {kind} in the attribute `{name}`, but it is {}",
                    self.name(),
                    a.kind
                )));
            }
        }
        Ok(())
    }

    /// The parameters `p`; the presets have none.
    pub(super) fn parameters(&self) -> Vec<Parameter> {
        let Self::Schema(s) = self else { return Vec::new() };
        let parameter = |name: String, low: f64, value: f64| Parameter { name, low, high: 1.0, value };
        let weights = |side: &str, list: &[Weighted]| -> Vec<Parameter> {
            let counted = list.iter().filter(|w| w.metric != Metric::Ignore);
            counted.map(|w| parameter(format!("{side}.{}", w.name), 0.0, w.weight)).collect()
        };
        let mut all = weights("vertex", &s.vertex);
        all.extend(weights("edge", &s.edge));
        all.push(parameter("vertex".into(), 0.05, s.vertex_constant));
        all.push(parameter("edge".into(), 0.05, s.edge_constant));
        all.push(parameter("balance".into(), 0.0, s.balance));
        all
    }

    pub(super) fn set(&mut self, p: &[f64]) {
        let Self::Schema(s) = self else { return };
        let weights = s.vertex.iter_mut().chain(&mut s.edge).filter(|w| w.metric != Metric::Ignore);
        let places = weights.map(|w| &mut w.weight).chain([
            &mut s.vertex_constant,
            &mut s.edge_constant,
            &mut s.balance,
        ]);
        for (place, &value) in places.zip(p) {
            *place = value;
        }
    }

    /// Whether constants read from a model file are in range.
    pub(super) fn is_sound(&self) -> bool {
        let Self::Schema(s) = self else { return true };
        let share = |v: f64| (0.0..=1.0).contains(&v);
        share(s.vertex_constant)
            && share(s.edge_constant)
            && share(s.balance)
            && s.vertex
                .iter()
                .chain(&s.edge)
                .all(|w| share(w.weight) && w.unit > 0.0 && w.unit.is_finite() && w.width <= 1 << 16)
    }

    /// The costs in the form in which they are computed.
    pub(super) fn rates(&self) -> Rates {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let plain = |names: &[&str]| names.iter().map(|n| ((*n).to_owned(), 1.0, 1)).collect::<Vec<_>>();
        let bag = |weight: f64| Side {
            sources: Sources { bag: true, ..Sources::default() },
            gate: None,
            terms: vec![Term::Bag { weight }],
            erase: weight,
        };
        match self {
            Self::Letter => Rates {
                vertex: Side {
                    sources: Sources { numbers: plain(&["x", "y"]), ..Sources::default() },
                    gate: None,
                    terms: vec![Term::Euclid { from: 0, to: 2, weight: 0.75, absent: 2.0 * 0.675 }],
                    erase: 0.675,
                },
                edge: Side { erase: 0.425, ..Side::default() },
            },
            Self::Aids => Rates {
                vertex: Side {
                    sources: Sources { texts: names(&["chem"]), ..Sources::default() },
                    gate: None,
                    terms: vec![Term::Category { slot: 0, weight: 5.5 }],
                    erase: 2.75,
                },
                edge: Side {
                    sources: Sources { texts: names(&["valence"]), ..Sources::default() },
                    gate: None,
                    terms: vec![Term::Category { slot: 0, weight: 0.825 }],
                    erase: 0.825,
                },
            },
            Self::Grec => Rates {
                vertex: Side {
                    sources: Sources { numbers: plain(&["x", "y"]), texts: names(&["type"]), bag: false },
                    gate: Some((0, 90.0)),
                    terms: vec![Term::Euclid { from: 0, to: 2, weight: 0.5, absent: 90.0 }],
                    erase: 45.0,
                },
                edge: bag(7.5),
            },
            Self::Protein => Rates {
                vertex: Side {
                    sources: Sources { texts: names(&["type", "sequence"]), ..Sources::default() },
                    gate: Some((0, 16.5)),
                    terms: vec![Term::Edit { slot: 1, weight: 0.75, relative: false, absent: 16.5 }],
                    erase: 8.25,
                },
                edge: bag(0.25),
            },
            Self::Schema(s) => Rates {
                vertex: side(&s.vertex, s.vertex_constant, s.balance),
                edge: side(&s.edge, s.edge_constant, 1.0 - s.balance),
            },
        }
    }
}

fn listed(attributes: &[Attribute]) -> String {
    let names: Vec<_> = attributes.iter().map(|a| format!("`{}`", a.name)).collect();
    if names.is_empty() { "no attributes".to_owned() } else { names.join(", ") }
}

fn side(attributes: &[Weighted], constant: f64, share: f64) -> Side {
    let mut side = Side { erase: constant * share, ..Side::default() };
    let counted = attributes.iter().filter(|a| a.metric != Metric::Ignore);
    let count = counted.clone().count() as f64;
    let mut from = 0;
    for a in counted {
        let weight = share * a.weight / count;
        let slot = side.sources.texts.len();
        match a.metric {
            Metric::Number => {
                side.sources.numbers.push((a.name.clone(), 1.0 / a.unit, a.width));
                side.terms.push(Term::Euclid { from, to: from + a.width, weight, absent: weight });
                from += a.width;
            }
            Metric::Category => {
                side.sources.texts.push(a.name.clone());
                side.terms.push(Term::Category { slot, weight });
            }
            Metric::Text => {
                side.sources.texts.push(a.name.clone());
                side.terms.push(Term::Edit { slot, weight, relative: true, absent: weight });
            }
            Metric::Ignore => {}
        }
    }
    side
}

/// Maximum number of distinct values of a text attribute for it to be a category.
const MAX_CATEGORIES: usize = 64;

impl SchemaCosts {
    fn learn(&mut self, graphs: &[&LabelledGraph]) -> Result<()> {
        let schema = graphs[0].schema();
        let known = |key: &str| {
            let has = |list: &[Attribute], name: &str| list.iter().any(|a| a.name == name);
            key.strip_prefix("vertex.").is_some_and(|n| has(&schema.vertex, n))
                || key.strip_prefix("edge.").is_some_and(|n| has(&schema.edge, n))
        };
        if let Some((key, _)) = self.chosen.iter().find(|(key, _)| !known(key)) {
            let list = |side: &str, list: &[Attribute]| -> Vec<String> {
                list.iter().map(|a| format!("{side}.{}", a.name)).collect()
            };
            let mut all = list("vertex", &schema.vertex);
            all.extend(list("edge", &schema.edge));
            return Err(Error::parameter(
                "setting",
                format!("`{key}`"),
                format!("one of {} for these graphs", all.join(", ")),
            ));
        }
        let chosen = std::mem::take(&mut self.chosen);
        let weigh =
            |side: &str, attributes: &[Attribute], value: &dyn Fn(&LabelledGraph, usize, &mut Spread)| {
                attributes
                    .iter()
                    .enumerate()
                    .map(|(at, a)| {
                        let mut spread = Spread::default();
                        for g in graphs {
                            value(g, at, &mut spread);
                        }
                        let key = format!("{side}.{}", a.name);
                        let given = chosen.iter().find(|(k, _)| *k == key).map(|(_, m)| *m);
                        spread.weighted(a, given)
                    })
                    .collect::<Result<Vec<_>>>()
            };
        self.vertex = weigh("vertex", &schema.vertex, &|g, at, spread| {
            (0..g.vertices()).for_each(|v| spread.add(g.vertex_value(v, at)));
        })?;
        self.edge = weigh("edge", &schema.edge, &|g, at, spread| {
            (0..g.edges().len()).for_each(|e| spread.add(g.edge_value(e, at)));
        })?;
        self.chosen = chosen;
        Ok(())
    }
}

/// Properties of an attribute in the training samples.
#[derive(Default)]
struct Spread {
    count: f64,
    /// Mean and sum of squared deviations of each component, updated one by one.
    mean: Vec<f64>,
    squares: f64,
    texts: HashSet<String>,
}

impl Spread {
    fn add(&mut self, value: ValueRef<'_>) {
        let numbers = match &value {
            ValueRef::Missing => return,
            ValueRef::Number(v) => std::slice::from_ref(v),
            ValueRef::Vector(v) => v,
            ValueRef::Text(t) => {
                self.count += 1.0;
                if self.texts.len() <= MAX_CATEGORIES && !self.texts.contains(*t) {
                    self.texts.insert((*t).to_owned());
                }
                return;
            }
        };
        self.count += 1.0;
        self.mean.resize(numbers.len(), 0.0);
        for (mean, v) in self.mean.iter_mut().zip(numbers) {
            let before = v - *mean;
            *mean += before / self.count;
            self.squares += before * (v - *mean);
        }
    }

    fn weighted(&self, a: &Attribute, given: Option<Metric>) -> Result<Weighted> {
        let usual = match a.kind {
            AttributeKind::Number | AttributeKind::Vector(_) => Metric::Number,
            // Repeated values are categories; texts that rarely repeat are strings.
            AttributeKind::Text
                if self.texts.len() <= MAX_CATEGORIES && (self.texts.len() as f64) < 0.5 * self.count =>
            {
                Metric::Category
            }
            AttributeKind::Text => Metric::Text,
        };
        let metric = given.unwrap_or(usual);
        let width = match a.kind {
            AttributeKind::Vector(width) => width,
            _ => 1,
        };
        if metric == Metric::Number && a.kind == AttributeKind::Text {
            return Err(Error::input(format!(
                "the attribute `{}` is text and has no metric of numbers",
                a.name
            )));
        }
        let spread = (self.squares / self.count.max(1.0)).sqrt();
        if !spread.is_finite() {
            return Err(Error::input(format!(
                "the numbers of the attribute `{}` are too large to square; divide them by a constant",
                a.name
            )));
        }
        // A constant attribute counts in units of its own size.
        let size = self.mean.iter().map(|m| m * m).sum::<f64>().sqrt();
        let unit = if spread > 0.0 {
            spread
        } else if size > 0.0 && size.is_finite() {
            size
        } else {
            1.0
        };
        Ok(Weighted { name: a.name.clone(), metric, width, unit, weight: 1.0 })
    }
}
