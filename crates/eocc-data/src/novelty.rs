//! Novelties of samples compared with the training samples of a model, for messages.

use std::collections::{BTreeMap, HashSet};

use eocc_core::graphs::{Attribute, LabelledGraph, Schema, ValueRef};
use eocc_core::{AnyModel, AnySamples, Graphs, Layout, SampleSet as _, Texts};

use crate::letters::{Writing, WritingWatch, is_nucleic};

/// Strings of at least this many letters, nearly all among the first 26, are proteins.
const MIN_PROTEIN_LETTERS: usize = 15;
/// One in this many proteins may be damaged, or no protein at all.
const PER_DAMAGED: usize = 10;
/// An attribute with more words than this is free text.
const MAX_LABELS: usize = 1000;
/// Training samples that are examined.
const LOOKED_AT: usize = 200;

/// Something that occurs in new samples but not in training.
#[derive(Debug, Clone, PartialEq)]
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
    /// Graphs with a word in an attribute that no training graph has there.
    Label {
        /// Vertices or edges.
        side: &'static str,
        /// The attribute.
        name: String,
        /// How many graphs.
        count: usize,
        /// The first such word.
        word: String,
    },
    /// Graphs with a number in an attribute that lies farther outside the range of training than that range is wide.
    Range {
        /// Vertices or edges.
        side: &'static str,
        /// The attribute.
        name: String,
        /// How many graphs.
        count: usize,
        /// The first such number.
        value: f64,
        /// The range in training.
        usual: [f64; 2],
    },
    /// Samples written in the letters of DNA only, when the training samples are proteins.
    Nucleotides {
        /// How many.
        count: usize,
    },
    /// Sequences that are written differently from all those of training.
    Writing {
        /// How.
        writing: Writing,
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
    writing: Option<WritingWatch>,
    missing: usize,
    nucleotides: usize,
    /// The attributes that all training graphs have, and how many graphs lack each.
    attributes: Vec<(Side, String, usize)>,
    /// The values of attributes in training.
    values: Vec<Known>,
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
            writing: WritingWatch::new(&reference),
            missing: 0,
            nucleotides: 0,
            attributes: reference.downcast_ref::<Graphs>().map(attributes_of_all).unwrap_or_default(),
            values: reference.downcast_ref::<Graphs>().map(Known::of_all).unwrap_or_default(),
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
        if let Some(graphs) = samples.downcast_ref::<Graphs>() {
            self.add_graphs(graphs);
            self.values.iter_mut().for_each(|known| known.add(graphs));
        }
        let Some(texts) = samples.downcast_ref::<Texts>() else { return };
        if self.has_proteins {
            self.nucleotides += (0..texts.count()).filter(|&i| is_nucleic(texts.sample(i))).count();
        }
        if let Some(writing) = &mut self.writing {
            writing.add(texts);
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
        found.extend(self.values.iter().filter_map(Known::novelty));
        if self.nucleotides > 0 {
            found.push(Novelty::Nucleotides { count: self.nucleotides });
        }
        let writing = self.writing.iter().flat_map(WritingWatch::found);
        found.extend(writing.map(|&(writing, count)| Novelty::Writing { writing, count }));
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

    /// The values of an attribute in a graph.
    fn values(self, graph: &LabelledGraph, attribute: usize) -> impl Iterator<Item = ValueRef<'_>> {
        (0..self.count(graph)).map(move |at| match self {
            Self::Vertices => graph.vertex_value(at, attribute),
            Self::Edges => graph.edge_value(at, attribute),
        })
    }

    /// Whether no vertex, or no edge, has a value.
    fn is_missing(self, graph: &LabelledGraph, attribute: usize) -> bool {
        self.values(graph, attribute).all(|value| value == ValueRef::Missing)
    }
}

/// The values of an attribute in training, and new ones.
#[derive(Debug, Clone)]
struct Known {
    side: Side,
    name: String,
    words: HashSet<String>,
    /// The smallest and largest number.
    range: Option<[f64; 2]>,
    /// How many graphs have a new value, and the first one.
    count: usize,
    first: Option<Result<String, f64>>,
}

impl Known {
    /// Those of all attributes that have few words, or numbers.
    fn of_all(graphs: &Graphs) -> Vec<Self> {
        let of = |side: Side, attribute: usize, name: &str| {
            let (mut words, mut range, mut values) = (HashSet::new(), None::<[f64; 2]>, 0_usize);
            for value in graphs.graphs().iter().flat_map(|graph| side.values(graph, attribute)) {
                values += 1;
                match value {
                    ValueRef::Text(word) => {
                        words.insert(word.to_owned());
                    }
                    ValueRef::Number(v) => {
                        range = Some(range.map_or([v, v], |[low, high]| [low.min(v), high.max(v)]));
                    }
                    _ => {}
                }
            }
            // Free text is new each time.
            let is_told = words.len() <= MAX_LABELS && words.len() * 2 <= values;
            is_told.then(|| Self { side, name: name.to_owned(), words, range, count: 0, first: None })
        };
        let schema = graphs.schema();
        let of_side = |side: Side| {
            let all = side.attributes(schema).iter().enumerate();
            all.filter_map(move |(a, attribute)| of(side, a, &attribute.name))
        };
        let all = [Side::Vertices, Side::Edges].into_iter().flat_map(of_side);
        all.filter(|known| !known.words.is_empty() || known.range.is_some_and(|[low, high]| low < high))
            .collect()
    }

    fn is_new(&self, value: ValueRef<'_>) -> Option<Result<String, f64>> {
        match value {
            ValueRef::Text(word) if !self.words.is_empty() && !self.words.contains(word) => {
                Some(Ok(word.to_owned()))
            }
            ValueRef::Number(v) => {
                let is_far = |[low, high]: &[f64; 2]| v > high + (high - low) || v < low - (high - low);
                self.range.filter(is_far).map(|_| Err(v))
            }
            _ => None,
        }
    }

    fn add(&mut self, graphs: &Graphs) {
        let attributes = self.side.attributes(graphs.schema());
        let Some(own) = attributes.iter().position(|attribute| attribute.name == self.name) else { return };
        for graph in graphs.graphs() {
            if let Some(first) = self.side.values(graph, own).find_map(|value| self.is_new(value)) {
                self.count += 1;
                self.first.get_or_insert(first);
            }
        }
    }

    fn novelty(&self) -> Option<Novelty> {
        let (side, name, count) = (self.side.name(), self.name.clone(), self.count);
        Some(match self.first.clone()? {
            Ok(word) => Novelty::Label { side, name, count, word },
            Err(value) => Novelty::Range { side, name, count, value, usual: self.range? },
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

/// Whether strings are proteins, except for a few: capital letters only, more of them than DNA has.
fn are_proteins(texts: &Texts) -> bool {
    let looked_at = texts.count().min(LOOKED_AT);
    let mut letters = HashSet::new();
    let mut damaged = 0;
    for i in 0..looked_at {
        let text = texts.sample(i).trim_end_matches('*');
        if text.is_empty() || !text.bytes().all(|b| b.is_ascii_uppercase()) || is_nucleic(text) {
            damaged += 1;
        } else {
            letters.extend(text.bytes());
        }
    }
    damaged * PER_DAMAGED <= looked_at && letters.len() >= MIN_PROTEIN_LETTERS
}

/// How many strings have only the letters of DNA or RNA, among others that are proteins; 0 if most have.
pub fn nucleic_among_proteins(samples: &AnySamples) -> usize {
    let Some(texts) = samples.downcast_ref::<Texts>() else { return 0 };
    let (nucleic, others): (Vec<usize>, Vec<usize>) =
        (0..texts.count()).partition(|&i| is_nucleic(texts.sample(i)));
    if nucleic.len() < others.len() && are_proteins(&texts.select(&others)) { nucleic.len() } else { 0 }
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
            [Novelty::Nucleotides { count: 2 }, Novelty::Writing { writing: Writing::LowerCase, count: 1 }]
        );
        // One damaged record changes nothing.
        for damaged in ["MKV-LAAGIVGL", "MK*VLAAGIVGL", "", "ACGTACGTACGT"] {
            let training = proteins().chain([damaged.to_owned()]).collect();
            let found = novelties(training, &["ACGTACGTTGCA"]);
            assert_eq!(found, [Novelty::Nucleotides { count: 1 }], "{damaged}");
        }
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
