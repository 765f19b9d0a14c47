//! Labeled graphs: Weisfeiler–Lehman colors of their vertices, and counts of vertices, edges, degrees and labels.
//!
//! The color of a vertex is its label; then, round by round, its color and those of its neighbors.

use std::collections::BTreeMap;

use super::{Bag, Sight};
use crate::graphs::{LabelledGraph, ValueRef};
use crate::stats::percentile_of_sorted;

/// Rounds after the first; fewer if numbers already make the labels fine-grained.
const ROUNDS: usize = 3;
const ROUNDS_WITH_NUMBERS: usize = 1;
/// Degrees counted separately; the last bin counts all larger ones.
const DEGREES: usize = 7;
/// Maximum number of labels that are counted.
const MAX_LABELS: usize = 20;

/// The attributes of vertices that make up their labels, and the numbers they carry, by name.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    pub(crate) texts: Vec<String>,
    pub(crate) numbers: Vec<String>,
}

/// The bag and summary of a labelled graph.
#[derive(Default)]
pub(crate) struct GraphSight {
    labels: Labels,
    /// The quartiles of each number over all training vertices.
    cuts: Vec<[f64; 3]>,
    /// The most frequent labels in training.
    frequent: Vec<String>,
}

impl GraphSight {
    /// With these attributes.
    pub(crate) fn new(labels: Labels) -> Self {
        Self { labels, ..Self::default() }
    }

    /// The label of each vertex.
    fn labels_of(&self, one: &LabelledGraph) -> Vec<String> {
        let places = places(one, &self.labels.texts);
        let label = |v: usize| {
            let values = places.iter().map(|&a| one.vertex_value(v, a).to_string());
            values.collect::<Vec<_>>().join("|")
        };
        (0..one.vertices()).map(label).collect()
    }

    /// The numbers of each vertex; NaN if missing.
    fn numbers_of(&self, one: &LabelledGraph) -> Vec<Vec<f64>> {
        let places = places(one, &self.labels.numbers);
        let numbers = |v: usize| {
            let mut all = Vec::new();
            for &a in &places {
                match one.vertex_value(v, a) {
                    ValueRef::Number(x) => all.push(x),
                    ValueRef::Vector(x) => all.extend_from_slice(x),
                    ValueRef::Text(_) | ValueRef::Missing => all.push(f64::NAN),
                }
            }
            // A missing vector has unknown length; training decides.
            if !self.cuts.is_empty() {
                all.resize(self.cuts.len(), f64::NAN);
            }
            all
        };
        (0..one.vertices()).map(numbers).collect()
    }

    fn has_numbers(&self) -> bool {
        !self.cuts.is_empty()
    }
}

/// The positions of attributes in the schema of a graph.
fn places(one: &LabelledGraph, names: &[String]) -> Vec<usize> {
    let place = |name: &String| one.schema().vertex.iter().position(|a| a.name == *name);
    names.iter().filter_map(place).collect()
}

fn neighbors(one: &LabelledGraph) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); one.vertices()];
    for &(a, b) in one.edges() {
        all[a as usize].push(b as usize);
        all[b as usize].push(a as usize);
    }
    all
}

/// A fixed hash: the same on every machine.
fn hash(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0xCBF2_9CE4_8422_2325, |h, value| {
        let h = (h ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        h ^ (h >> 29)
    })
}

impl Sight<LabelledGraph> for GraphSight {
    fn learn(&mut self, samples: &[&LabelledGraph]) {
        let numbers: Vec<Vec<f64>> = samples.iter().flat_map(|g| self.numbers_of(g)).collect();
        let width = numbers.iter().map(Vec::len).max().unwrap_or(0);
        let cuts = |a: usize| {
            let known = numbers.iter().filter_map(|n| n.get(a).copied()).filter(|v| !v.is_nan());
            let mut column: Vec<f64> = known.collect();
            column.sort_unstable_by(f64::total_cmp);
            if column.is_empty() {
                [0.0; 3]
            } else {
                [25.0, 50.0, 75.0].map(|l| percentile_of_sorted(&column, l))
            }
        };
        self.cuts = (0..width).map(cuts).collect();
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for label in samples.iter().flat_map(|g| self.labels_of(g)) {
            *counts.entry(label).or_default() += 1;
        }
        let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        self.frequent = counts.into_iter().take(MAX_LABELS).map(|c| c.0).collect();
    }

    fn bag(&self, one: &LabelledGraph) -> Bag {
        let neighbors = neighbors(one);
        let labels = self.labels_of(one);
        let mut colors: Vec<u64> = labels.iter().map(|l| hash(l.bytes().map(u64::from))).collect();
        let mut rounds = ROUNDS;
        if self.has_numbers() {
            rounds = ROUNDS_WITH_NUMBERS;
            for (color, numbers) in colors.iter_mut().zip(self.numbers_of(one)) {
                let quarter = |(cuts, x): (&[f64; 3], &f64)| {
                    if x.is_nan() { 4 } else { cuts.iter().filter(|c| *c < x).count() as u64 }
                };
                *color = hash([*color].into_iter().chain(self.cuts.iter().zip(&numbers).map(quarter)));
            }
        } else if labels.windows(2).all(|pair| pair[0] == pair[1]) {
            colors = neighbors.iter().map(|n| n.len() as u64).collect();
        }
        let mut sizes = vec![colors.clone()];
        for _ in 0..rounds {
            let refined = |(own, near): (&u64, &Vec<usize>)| {
                let mut around: Vec<u64> = near.iter().map(|&v| colors[v]).collect();
                around.sort_unstable();
                hash([*own].into_iter().chain(around))
            };
            colors = colors.iter().zip(&neighbors).map(refined).collect();
            sizes.push(colors.clone());
        }
        Bag::new(&mut sizes)
    }

    fn summary(&self, one: &LabelledGraph) -> Vec<f64> {
        let (vertices, edges) = (one.vertices(), one.edges().len());
        let count = vertices.max(1) as f64;
        let mut degrees = [0.0; DEGREES];
        for near in neighbors(one) {
            degrees[near.len().min(DEGREES - 1)] += 1.0 / count;
        }
        let labels = self.labels_of(one);
        let share = |label: &String| labels.iter().filter(|l| *l == label).count() as f64 / count;
        let mut columns = vec![(vertices as f64).ln_1p(), (edges as f64).ln_1p(), edges as f64 / count];
        columns.extend(degrees);
        columns.extend(self.frequent.iter().map(share));
        if !self.has_numbers() {
            return columns;
        }
        let numbers = self.numbers_of(one);
        let column =
            |a: usize| -> Vec<f64> { numbers.iter().map(|n| n[a]).filter(|v| !v.is_nan()).collect() };
        let known: Vec<Vec<f64>> = (0..self.cuts.len()).map(column).collect();
        let extreme =
            |known: &Vec<f64>, pick: fn(f64, f64) -> f64| known.iter().copied().reduce(pick).unwrap_or(0.0);
        columns.extend(known.iter().map(|k| moments(k).0));
        columns.extend(known.iter().map(|k| moments(k).1));
        columns.extend(known.iter().map(|k| extreme(k, f64::min)));
        columns.extend(known.iter().map(|k| extreme(k, f64::max)));
        let length = |&(a, b): &(u32, u32)| {
            let pairs = numbers[a as usize].iter().zip(&numbers[b as usize]);
            pairs.map(|(x, y)| (x - y).powi(2)).filter(|d| !d.is_nan()).sum::<f64>().sqrt()
        };
        let (mean, spread) = moments(&one.edges().iter().map(length).collect::<Vec<_>>());
        columns.extend([mean, spread]);
        columns
    }

    fn values(&self, one: &LabelledGraph) -> Vec<f64> {
        let mut values = self.summary(one);
        values[0] = one.vertices() as f64;
        values[1] = one.edges().len() as f64;
        values
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = ["whole graph", "neighborhoods of vertices", "vertices"]
            .into_iter()
            .chain(["edges", "edges per vertex"])
            .map(str::to_owned)
            .collect();
        names.extend((0..DEGREES - 1).map(|d| format!("vertices of degree {d}")));
        names.push(format!("vertices of degree {} or more", DEGREES - 1));
        names.extend(self.frequent.iter().map(|label| format!("vertices labeled `{label}`")));
        if self.has_numbers() {
            for what in ["mean", "spread", "minimum", "maximum"] {
                names.extend((0..self.cuts.len()).map(|a| format!("{what} of {}", self.number_name(a))));
            }
            names.extend(["mean length of edges", "spread of lengths of edges"].map(str::to_owned));
        }
        names
    }
}

impl GraphSight {
    /// The name of a number; components of a vector are numbered.
    fn number_name(&self, a: usize) -> String {
        self.labels.numbers.get(a).cloned().unwrap_or_else(|| format!("number {a}"))
    }
}

/// Mean and deviation; 0 if there are no values.
fn moments(values: &[f64]) -> (f64, f64) {
    if values.is_empty() {
        return (0.0, 0.0);
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    (mean, (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / count).sqrt())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::graphs::{GraphInput, Graphs, Value};
    use crate::random::Random;
    use crate::sample::SampleSet as _;

    /// The colors as words: the label, then the color with those of the neighbors, sorted, in brackets.
    fn plain_colors(one: &LabelledGraph, labels: &[String], rounds: usize) -> Vec<HashMap<String, f64>> {
        let near = neighbors(one);
        let is_plain = labels.windows(2).all(|pair| pair[0] == pair[1]);
        let mut colors: Vec<String> =
            if is_plain { near.iter().map(|n| n.len().to_string()).collect() } else { labels.to_vec() };
        let shares = |colors: &[String]| {
            let mut shares: HashMap<String, f64> = HashMap::new();
            for color in colors {
                *shares.entry(color.clone()).or_default() += 1.0 / colors.len() as f64;
            }
            shares
        };
        let mut all = vec![shares(&colors)];
        for _ in 0..rounds {
            let refined = |v: usize| {
                let mut around: Vec<&str> = near[v].iter().map(|&u| colors[u].as_str()).collect();
                around.sort_unstable();
                format!("{}({})", colors[v], around.join(","))
            };
            colors = (0..colors.len()).map(refined).collect();
            all.push(shares(&colors));
        }
        all
    }

    #[test]
    fn bags_by_the_definition() {
        let mut r = Random::new(11);
        let mut one = |labels: &[&str]| {
            let mut graph = GraphInput::new("g", false);
            let size = 3 + r.below(6);
            for v in 0..size {
                let label = labels[r.below(labels.len())].to_owned();
                graph.vertex(v.to_string(), [("label", Value::Text(label))]);
            }
            for v in 1..size {
                graph.edge(r.below(v), v, []);
            }
            graph
        };
        let mut inputs: Vec<GraphInput> = (0..12).map(|_| one(&["C", "N"])).collect();
        inputs.extend((0..6).map(|_| one(&["C"])));
        let graphs = Graphs::new(inputs).unwrap();
        let mut sight = GraphSight::new(Labels { texts: vec!["label".to_owned()], numbers: Vec::new() });
        sight.learn(&graphs.refs());
        for a in graphs.refs() {
            for b in graphs.refs() {
                let plain = |g: &LabelledGraph| plain_colors(g, &sight.labels_of(g), ROUNDS);
                let common: f64 = plain(a)
                    .iter()
                    .zip(&plain(b))
                    .map(|(a, b)| a.iter().filter_map(|(c, p)| Some((p * b.get(c)?).sqrt())).sum::<f64>())
                    .sum::<f64>()
                    / (ROUNDS + 1) as f64;
                let fast = sight.bag(a).distance(&sight.bag(b).0);
                assert!((fast - (1.0 - common).max(0.0).sqrt()).abs() < 1e-7);
            }
        }
    }
}
