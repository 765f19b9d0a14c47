//! The attributes of the vertices and edges of a set of graphs.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// The kind of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttributeKind {
    /// A number.
    Number,
    /// A category or a string.
    Text,
    /// This many numbers.
    Vector(usize),
}

impl std::fmt::Display for AttributeKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number => f.write_str("a number"),
            Self::Text => f.write_str("text"),
            Self::Vector(width) => write!(f, "a vector of {width} numbers"),
        }
    }
}

/// A named attribute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: AttributeKind,
}

/// The attributes of vertices and edges, and the texts that occur.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Schema {
    /// Whether edges are directed.
    pub directed: bool,
    /// Attributes of vertices, by name.
    pub vertex: Vec<Attribute>,
    /// Attributes of edges, by name.
    pub edge: Vec<Attribute>,
    /// All texts: attribute values and names of vertices.
    pub(crate) texts: Vec<String>,
}

impl Schema {
    /// The text with this code.
    pub(crate) fn text(&self, code: u32) -> &str {
        self.texts.get(code as usize).map_or("", String::as_str)
    }

    /// Why graphs of the schema `other` cannot be compared with graphs of this one, if so. An attribute that only one
    /// of the two has is missing in the other.
    pub(crate) fn differs(&self, other: &Self) -> Option<String> {
        if self.directed != other.directed {
            let word = |directed| if directed { "directed" } else { "undirected" };
            return Some(format!("they are {}, not {}", word(other.directed), word(self.directed)));
        }
        let sides = [("vertices", &self.vertex, &other.vertex), ("edges", &self.edge, &other.edge)];
        for (side, own, others) in sides {
            let others: HashMap<&str, &Attribute> = others.iter().map(|b| (b.name.as_str(), b)).collect();
            for a in own {
                if let Some(b) = others.get(a.name.as_str())
                    && a.kind != b.kind
                {
                    return Some(format!(
                        "the attribute `{}` of their {side} is {}, but was {} in training",
                        a.name, b.kind, a.kind
                    ));
                }
            }
        }
        None
    }
}
