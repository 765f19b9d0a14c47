//! Novelties of samples compared with the training samples of a model, for messages.

use std::collections::{BTreeMap, HashSet};

use eocc_core::graphs::{Attribute, LabelledGraph, Schema, ValueRef};
use eocc_core::{AnyModel, AnySamples, Graphs, Layout, SampleSet as _, Texts};

/// The letters of DNA and RNA, which all occur in proteins, too.
const NUCLEOTIDES: &str = "ACGTUN";
/// Strings of at least this many letters, nearly all among the first 26, are proteins.
const MIN_PROTEIN_LETTERS: usize = 15;
/// Minimum number of letters to recognize a string as a sequence.
const MIN_SEQUENCE: usize = 10;
/// Training samples that are examined.
const LOOKED_AT: usize = 200;

/// Something that occurs in new samples but not in training.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Novelty {
    /// Samples with missing values, when no training sample has any.
    Missing {
        /// How many.
        count: usize,
    },
    /// Samples with a word that no training sample has.
    Word {
        /// The column.
        column: String,
        /// How many.
        count: usize,
        /// The first such word.
        word: String,
    },
    /// Graphs without an attribute that all training graphs have.
    Attribute {
        /// Vertices or edges.
        side: &'static str,
        /// The attribute.
        name: String,
        /// How many graphs.
        count: usize,
    },
    /// Samples written in the letters of DNA only, when the training samples are proteins.
    Nucleotides {
        /// How many.
        count: usize,
    },
}

/// Examines new samples, batch by batch.
#[derive(Debug, Clone)]
pub struct Novelties {
    layout: Layout,
    is_complete: bool,
    has_proteins: bool,
    missing: usize,
    nucleotides: usize,
    /// The attributes that all training graphs have, and how many graphs lack each.
    attributes: Vec<(Side, String, usize)>,
    /// For each column, the number of samples, and the first new word.
    words: BTreeMap<String, (usize, String)>,
}

impl Novelties {
    /// Without samples so far.
    pub fn new(model: &AnyModel) -> Self {
        let reference = model.reference();
        Self {
            layout: model.layout(),
            is_complete: reference.first_missing().is_none(),
            has_proteins: reference.downcast_ref::<Texts>().is_some_and(are_proteins),
            missing: 0,
            nucleotides: 0,
            attributes: reference.downcast_ref::<Graphs>().map(attributes_of_all).unwrap_or_default(),
            words: BTreeMap::new(),
        }
    }

    /// Examines more samples.
    pub fn add(&mut self, samples: &AnySamples) {
        if self.is_complete {
            self.missing += samples.rows_with_missing().len();
        }
        for (column, count, word) in samples.unknown_levels(&self.layout) {
            self.words.entry(column).or_insert((0, word)).0 += count;
        }
        if let Some(graphs) = samples.downcast_ref::<Graphs>().filter(|_| !self.attributes.is_empty()) {
            self.add_graphs(graphs);
        }
        if let Some(texts) = samples.downcast_ref::<Texts>().filter(|_| self.has_proteins) {
            self.nucleotides += (0..texts.count()).filter(|&i| is_nucleic(texts.sample(i))).count();
        }
    }

    /// Examines graphs for attributes they lack.
    fn add_graphs(&mut self, graphs: &Graphs) {
        for (side, name, count) in &mut self.attributes {
            let own = side.attributes(graphs.schema()).iter().position(|attribute| attribute.name == *name);
            let lacks = |graph: &&LabelledGraph| {
                side.count(graph) > 0 && own.is_none_or(|a| side.is_missing(graph, a))
            };
            *count += graphs.graphs().iter().filter(lacks).count();
        }
    }

    /// The novelties in all of them.
    pub fn found(&self) -> Vec<Novelty> {
        let mut found = Vec::new();
        if self.missing > 0 {
            found.push(Novelty::Missing { count: self.missing });
        }
        found.extend(self.words.iter().map(|(column, (count, word))| Novelty::Word {
            column: column.clone(),
            count: *count,
            word: word.clone(),
        }));
        found.extend(self.attributes.iter().filter(|(.., count)| *count > 0).map(|(side, name, count)| {
            Novelty::Attribute { side: side.name(), name: name.clone(), count: *count }
        }));
        if self.nucleotides > 0 {
            found.push(Novelty::Nucleotides { count: self.nucleotides });
        }
        found
    }
}

/// The elements that attributes belong to.
#[derive(Debug, Clone, Copy)]
enum Side {
    Vertices,
    Edges,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Self::Vertices => "vertices",
            Self::Edges => "edges",
        }
    }

    fn attributes(self, schema: &Schema) -> &[Attribute] {
        match self {
            Self::Vertices => &schema.vertex,
            Self::Edges => &schema.edge,
        }
    }

    fn count(self, graph: &LabelledGraph) -> usize {
        match self {
            Self::Vertices => graph.vertices(),
            Self::Edges => graph.edges().len(),
        }
    }

    /// Whether no vertex, or no edge, has a value.
    fn is_missing(self, graph: &LabelledGraph, attribute: usize) -> bool {
        (0..self.count(graph)).all(|at| {
            let value = match self {
                Self::Vertices => graph.vertex_value(at, attribute),
                Self::Edges => graph.edge_value(at, attribute),
            };
            value == ValueRef::Missing
        })
    }
}

/// The attributes that every graph with vertices, or edges, has.
fn attributes_of_all(graphs: &Graphs) -> Vec<(Side, String, usize)> {
    let of_side = |side: Side| {
        let has = |a: usize| {
            graphs.graphs().iter().all(|graph| side.count(graph) == 0 || !side.is_missing(graph, a))
        };
        let all = side.attributes(graphs.schema()).iter().enumerate().filter(move |(a, _)| has(*a));
        all.map(|(_, attribute)| (side, attribute.name.clone(), 0)).collect::<Vec<_>>()
    };
    [Side::Vertices, Side::Edges].into_iter().flat_map(of_side).collect()
}

/// Whether strings are proteins: capital letters only, more of them than DNA has.
fn are_proteins(texts: &Texts) -> bool {
    let mut letters = HashSet::new();
    for i in 0..texts.count().min(LOOKED_AT) {
        let text = texts.sample(i).trim_end_matches('*');
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_uppercase()) || is_nucleic(text) {
            return false;
        }
        letters.extend(text.bytes());
    }
    letters.len() >= MIN_PROTEIN_LETTERS
}

/// How many strings have only the letters of DNA or RNA, among others that are proteins; 0 if most have.
pub fn nucleic_among_proteins(samples: &AnySamples) -> usize {
    let Some(texts) = samples.downcast_ref::<Texts>() else { return 0 };
    let (nucleic, others): (Vec<usize>, Vec<usize>) =
        (0..texts.count()).partition(|&i| is_nucleic(texts.sample(i)));
    if nucleic.len() < others.len() && are_proteins(&texts.select(&others)) { nucleic.len() } else { 0 }
}

fn is_nucleic(text: &str) -> bool {
    text.len() >= MIN_SEQUENCE && text.chars().all(|c| NUCLEOTIDES.contains(c.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use eocc_core::{OneClass, Preset, Settings, Silent};

    use super::*;

    fn novelties(training: Vec<String>, new: &[&str]) -> Vec<Novelty> {
        let samples = AnySamples::from(Texts::new(training).unwrap());
        let measure = samples.measure(Preset::Default, None, &Settings::default()).unwrap();
        let params = OneClass::new(Preset::Default).check().unwrap();
        let model = samples.train(&params, measure, &Silent).unwrap();
        let mut novelties = Novelties::new(&model);
        let new: Vec<String> = new.iter().map(ToString::to_string).collect();
        novelties.add(&AnySamples::from(Texts::new(new).unwrap()));
        novelties.found()
    }

    #[test]
    fn dna_is_not_protein() {
        let proteins = || (0..20).map(|i| format!("MKVLAAGIVGLCRNDQEHFPSTWY{}", "AG".repeat(i + 1)));
        assert_eq!(
            novelties(proteins().collect(), &["ACGTACGTTGCA", "acgtacgtnn", "MKVLAAGW", "ACG"]),
            [Novelty::Nucleotides { count: 2 }]
        );
        assert_eq!(novelties(proteins().collect(), &["MKVLAAGIVG"]), []);
        let counted = |more: &[&str]| {
            let all = proteins().chain(more.iter().map(ToString::to_string)).collect();
            nucleic_among_proteins(&AnySamples::from(Texts::new(all).unwrap()))
        };
        assert_eq!((counted(&["ACGTACGTTGCA"]), counted(&["ACG"]), counted(&["a word"])), (1, 0, 0));
        // Words, and DNA itself.
        assert_eq!(novelties((0..20).map(|i| format!("word {i}")).collect(), &["ACGTACGTTGCA"]), []);
        assert_eq!(novelties((0..20).map(|i| "ACGT".repeat(i + 3)).collect(), &["ACGTACGTTGCA"]), []);
    }
}
