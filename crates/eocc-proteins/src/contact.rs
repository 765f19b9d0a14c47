//! Contact graphs: one vertex per residue, and an edge if the distance of two Cα atoms is within a range.

use std::collections::HashMap;

use eocc_core::graphs::{GraphInput, Value};
use eocc_core::{Error, Result};
use serde_json::{Value as Json, json};

use crate::amino_acids::Descriptors;
use crate::structure::{Structure, distance};

/// The range of distances, in Å, ends included, at which two residues are in contact.
///
/// The lower end excludes neighbors in the chain, 3.8 Å apart, which every protein has; the upper end is about two
/// radii of an amino acid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRange {
    least: f64,
    most: f64,
}

impl Default for ContactRange {
    fn default() -> Self {
        Self { least: 4.0, most: 8.0 }
    }
}

/// Maximum upper end: beyond it, everything touches everything.
const MAX_DISTANCE: f64 = 100.0;

/// Maximum number of contacts of a structure: a hundred times as many as the largest has.
const MAX_CONTACTS: usize = 1 << 22;
/// Maximum number of pairs of residues that are examined.
const MAX_LOOKS: usize = 1 << 30;

impl ContactRange {
    /// From `least` to `most`.
    pub fn new(least: f64, most: f64) -> Result<Self> {
        if !(0.0..=MAX_DISTANCE).contains(&least) {
            return Err(Error::parameter("least distance", least, format!("in 0..={MAX_DISTANCE} Å")));
        }
        if !(most > 0.0 && most >= least && most <= MAX_DISTANCE) {
            let allowed =
                format!("above 0 Å, at least the smallest distance, {least} Å, and at most {MAX_DISTANCE} Å");
            return Err(Error::parameter("largest distance", most, allowed));
        }
        Ok(Self { least, most })
    }

    fn has(self, distance: f64) -> bool {
        self.least <= distance && distance <= self.most
    }
}

/// A vertex of a contact graph.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactVertex {
    /// Chain and residue, `A52`; if a name is repeated, all but the first get `#2`, `#3`, …
    pub name: String,
    /// One-letter code of the amino acid.
    pub letter: char,
    /// Position of its Cα atom.
    pub position: [f64; 3],
}

/// The contacts of a structure.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactGraph {
    /// Name of the structure.
    pub name: String,
    /// Number of chains.
    pub chains: usize,
    /// One vertex per residue, in the order of chains and residues.
    pub vertices: Vec<ContactVertex>,
    /// Pairs of vertices, the first before the second, and their distances in Å; sorted.
    pub edges: Vec<(u32, u32, f64)>,
}

impl ContactGraph {
    /// The contacts within a structure, including between its chains; fails if there are more than 2^22.
    pub fn new(structure: &Structure, range: ContactRange) -> Result<Self> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut vertices = Vec::with_capacity(structure.residues());
        for chain in &structure.chains {
            for residue in &chain.residues {
                let name = format!("{}{}", chain.name, residue.id);
                let count = seen.entry(name.clone()).or_default();
                *count += 1;
                let name = if *count > 1 { format!("{name}#{count}") } else { name };
                vertices.push(ContactVertex { name, letter: residue.letter, position: residue.position });
            }
        }
        let Some(edges) = contacts(&vertices, range) else {
            return Err(Error::input(format!(
                "`{}` has more than {MAX_CONTACTS} contacts, or residues that lie too densely to look for them; choose chains, or a \
                 shorter distance",
                structure.name
            )));
        };
        Ok(Self { name: structure.name.clone(), chains: structure.chains.len(), vertices, edges })
    }

    /// The labelled graph, for comparison by edit distance: properties on vertices, and on edges the distance to a
    /// tenth of an Å, which is about its accuracy.
    pub fn labelled(&self, descriptors: Descriptors) -> GraphInput {
        let mut graph = GraphInput::new(self.name.clone(), false);
        for v in &self.vertices {
            let properties = Value::Vector(descriptors.describe(v.letter).to_vec());
            graph.vertex(v.name.clone(), [("properties", properties)]);
        }
        for &(a, b, d) in &self.edges {
            graph.edge(a as usize, b as usize, [("distance", Value::Number(rounded(d)))]);
        }
        graph
    }

    /// The graph as node-link JSON, which `eocc fit` and `NetworkX` read.
    pub fn node_link(&self, descriptors: Descriptors) -> Json {
        let node = |v: &ContactVertex| json!({"id": v.name, "properties": descriptors.describe(v.letter)});
        let link = |&(a, b, d): &(u32, u32, f64)| {
            let name = |i: u32| &self.vertices[i as usize].name;
            json!({"source": name(a), "target": name(b), "distance": rounded(d)})
        };
        json!({
            "name": self.name,
            "nodes": self.vertices.iter().map(node).collect::<Vec<_>>(),
            "links": self.edges.iter().map(link).collect::<Vec<_>>(),
        })
    }
}

fn rounded(distance: f64) -> f64 {
    (distance * 10.0).round() / 10.0
}

/// All pairs within the range, found by cells of its width: the partners of a residue are in its cell or an adjacent
/// one. `None` if there are too many, or too many would have to be examined.
fn contacts(vertices: &[ContactVertex], range: ContactRange) -> Option<Vec<(u32, u32, f64)>> {
    let cell_of = |p: [f64; 3]| p.map(|x| (x / range.most).floor() as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for (i, v) in vertices.iter().enumerate() {
        cells.entry(cell_of(v.position)).or_default().push(i as u32);
    }
    let mut looks = 0;
    for (cell, own) in &cells {
        looks += own.len() * around(*cell).map(|c| cells.get(&c).map_or(0, Vec::len)).sum::<usize>();
        if looks > MAX_LOOKS {
            return None;
        }
    }
    let mut edges = Vec::new();
    for (i, v) in vertices.iter().enumerate() {
        if edges.len() > MAX_CONTACTS {
            return None;
        }
        for cell in around(cell_of(v.position)) {
            for &j in cells.get(&cell).map_or(&[][..], Vec::as_slice) {
                let d = distance(v.position, vertices[j as usize].position);
                if (i as u32) < j && range.has(d) {
                    edges.push((i as u32, j, d));
                }
            }
        }
    }
    edges.sort_unstable_by_key(|e| (e.0, e.1));
    // Where a cell is adjacent to itself, at the limit of all numbers, a pair is found twice.
    edges.dedup_by_key(|e| (e.0, e.1));
    (edges.len() <= MAX_CONTACTS).then_some(edges)
}

/// A cell and the adjacent ones.
fn around([x, y, z]: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let step = |of: i64, n: i64| of.saturating_add(n % 3 - 1);
    (0..27).map(move |n| [step(x, n), step(y, n / 3), step(z, n / 9)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::{Chain, Remarks, Residue};

    fn structure(positions: &[[f64; 3]]) -> Structure {
        let residue =
            |(i, &position): (usize, &[f64; 3])| Residue { id: (i + 1).to_string(), letter: 'A', position };
        let residues = positions.iter().enumerate().map(residue).collect();
        let chains = vec![Chain { name: "A".to_owned(), residues }];
        Structure { name: "s".to_owned(), chains, remarks: Remarks::default() }
    }

    #[test]
    fn both_ends_of_the_range_belong_to_it() {
        let s = structure(&[[0.0; 3], [3.9, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 8.0], [8.1, 0.0, 0.0]]);
        let g = ContactGraph::new(&s, ContactRange::default()).unwrap();
        let of_first: Vec<u32> = g.edges.iter().filter(|e| e.0 == 0).map(|e| e.1).collect();
        assert_eq!(of_first, [2, 3]);
        assert_eq!(g.vertices[4].name, "A5");
    }

    #[test]
    fn cells_find_what_all_pairs_find() {
        let mut r = eocc_core::random::Random::new(3);
        let points: Vec<[f64; 3]> = (0..300).map(|_| [0; 3].map(|_| 12.0 * r.normal())).collect();
        for (least, most) in [(4.0, 8.0), (0.0, 3.0), (0.5, 40.0)] {
            let range = ContactRange::new(least, most).unwrap();
            let g = ContactGraph::new(&structure(&points), range).unwrap();
            let mut slow = Vec::new();
            for i in 0..points.len() {
                for j in i + 1..points.len() {
                    let d = distance(points[i], points[j]);
                    if range.has(d) {
                        slow.push((i as u32, j as u32, d));
                    }
                }
            }
            assert_eq!(g.edges, slow);
        }
    }

    #[test]
    fn far_away_atoms_and_equal_names_do_no_harm() {
        let mut s = structure(&[[1e300; 3], [-1e300; 3], [1e300; 3], [0.0; 3], [0.0, 5.0, 0.0]]);
        for r in &mut s.chains[0].residues {
            r.id = "7".to_owned();
        }
        let g = ContactGraph::new(&s, ContactRange::default()).unwrap();
        assert_eq!(g.edges, [(3, 4, 5.0)]);
        assert_eq!(g.vertices[2].name, "A7#3");
    }

    #[test]
    fn what_has_too_many_contacts_is_refused() {
        let ball: Vec<[f64; 3]> = (0..3000).map(|i| [f64::from(i) * 1e-3, 0.0, 0.0]).collect();
        let e = ContactGraph::new(&structure(&ball), ContactRange::new(0.0, 8.0).unwrap()).unwrap_err();
        assert!(e.to_string().contains("`s` has more than 4194304 contacts"), "{e}");
        // All at the same point: no contacts, but examining every pair would take minutes.
        let point = vec![[0.0; 3]; 100_000];
        assert!(ContactGraph::new(&structure(&point), ContactRange::default()).is_err());
    }

    #[test]
    fn a_range_must_be_one() {
        for (least, most) in
            [(-1.0, 8.0), (4.0, 3.0), (0.0, 0.0), (f64::NAN, 8.0), (4.0, f64::NAN), (4.0, 1e9)]
        {
            assert!(ContactRange::new(least, most).is_err(), "{least} {most}");
        }
    }

    #[test]
    fn labels_are_properties_and_rounded_distances() {
        let g =
            ContactGraph::new(&structure(&[[0.0; 3], [4.96, 0.0, 0.0]]), ContactRange::default()).unwrap();
        let json = g.node_link(Descriptors::Pp);
        assert_eq!(json["links"][0], json!({"source": "A1", "target": "A2", "distance": 5.0}));
        assert_eq!(json["nodes"][0]["properties"], json!([-0.96, -0.76, 0.31]));
        let input = g.labelled(Descriptors::Pp);
        assert_eq!((input.vertices.len(), input.edges.len()), (2, 1));
    }
}
