//! From Cα atoms, in file order, to chains of residues.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::amino_acids::{Named, named};
use crate::error::LineFault;
use crate::structure::{Chain, Remarks, Residue, Structure};

/// Maximum magnitude of a coordinate, in Å.
pub(super) const MAX_COORDINATE: f64 = 1e6;

/// An atom of a residue that may be an amino acid.
pub(super) struct Atom<'a> {
    pub(super) chain: &'a str,
    /// Number of the residue with its insertion code.
    pub(super) residue: &'a str,
    /// Three-letter name of the residue.
    pub(super) name: &'a str,
    /// Whether this is the Cα atom.
    pub(super) is_ca: bool,
    /// Whether the file declares the residue part of the chain, rather than a ligand.
    pub(super) is_polymer: bool,
    /// Which of several locations of the residue this is; empty if there is only one.
    pub(super) alternate: &'a str,
    pub(super) occupancy: f64,
    pub(super) position: [f64; 3],
}

/// Chains under construction.
pub(super) struct Builder {
    chains: Vec<Chain>,
    /// The index of each chain.
    chain_of: HashMap<String, usize>,
    /// The location of each residue of each chain: its index, its occupancy and name, and whether it was seen more
    /// than once.
    places: HashMap<(usize, String), Place>,
    /// Residues whose number was repeated for another one.
    replaced: Vec<Place>,
    remarks: Remarks,
    /// Residues with or without a Cα atom.
    seen: usize,
    most: usize,
}

struct Place {
    /// `None` until a Cα atom is seen.
    at: Option<usize>,
    occupancy: f64,
    name: String,
    is_alternate: bool,
    is_amino_acid: bool,
}

impl Builder {
    /// Takes at most this many residues.
    pub(super) fn new(most: usize) -> Self {
        Self {
            chains: Vec::new(),
            chain_of: HashMap::new(),
            places: HashMap::new(),
            replaced: Vec::new(),
            remarks: Remarks::default(),
            seen: 0,
            most,
        }
    }

    /// Adds an atom of the first model.
    pub(super) fn add(&mut self, atom: &Atom<'_>, line: usize) -> Result<(), LineFault> {
        let letter = match named(atom.name) {
            Named::Standard(letter) | Named::Modified(letter) => Some(letter),
            Named::Unknown => None,
        };
        // A ligand may be an amino acid, and a calcium ion looks like a Cα atom.
        if !atom.is_polymer || (letter.is_none() && !atom.is_ca) {
            return Ok(());
        }
        let chain = self.chain(atom.chain);
        let new = || Place {
            at: None,
            occupancy: f64::NEG_INFINITY,
            name: atom.name.to_owned(),
            is_alternate: false,
            is_amino_acid: letter.is_some(),
        };
        let place = match self.places.entry((chain, atom.residue.to_owned())) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                self.seen += 1;
                free.insert(new())
            }
        };
        if !atom.is_ca {
            return if self.seen > self.most { Err(self.too_many(line)) } else { Ok(()) };
        }
        // Numbers have four digits in a PDB file, and wrap around.
        let is_behind = place.at.is_some_and(|at| at + 1 < self.chains[chain].residues.len());
        if is_behind && atom.alternate.is_empty() {
            self.seen += 1;
            self.replaced.push(std::mem::replace(place, new()));
        }
        if self.seen > self.most {
            return Err(self.too_many(line));
        }
        let residue =
            Residue { id: atom.residue.to_owned(), letter: letter.unwrap_or('X'), position: atom.position };
        let residues = &mut self.chains[chain].residues;
        match place.at {
            None => {
                place.at = Some(residues.len());
                residues.push(residue);
            }
            Some(at) => {
                place.is_alternate = true;
                // Ties go to the first.
                if atom.occupancy <= place.occupancy {
                    return Ok(());
                }
                residues[at] = residue;
            }
        }
        place.occupancy = atom.occupancy;
        atom.name.clone_into(&mut place.name);
        Ok(())
    }

    fn too_many(&self, line: usize) -> LineFault {
        LineFault::new(line, format!("more than {} residues, the maximum", self.most))
    }

    fn chain(&mut self, name: &str) -> usize {
        if let Some(&at) = self.chain_of.get(name) {
            return at;
        }
        self.chains.push(Chain { name: name.to_owned(), residues: Vec::new() });
        self.chain_of.insert(name.to_owned(), self.chains.len() - 1);
        self.chains.len() - 1
    }

    /// The structure; an error at the last line if there is no residue.
    pub(super) fn finish(
        mut self,
        name: &str,
        last_line: usize,
        other_models: usize,
    ) -> Result<Structure, LineFault> {
        self.remarks.repeated = self.replaced.len();
        for place in self.places.values().chain(&self.replaced) {
            self.remarks.alternates += usize::from(place.is_alternate);
            if place.at.is_none() {
                self.remarks.without_ca += usize::from(place.is_amino_acid);
                continue;
            }
            let list = match named(&place.name) {
                Named::Standard(_) => continue,
                Named::Modified(_) => &mut self.remarks.modified,
                Named::Unknown => &mut self.remarks.unknown,
            };
            *list.entry(place.name.clone()).or_default() += 1;
        }
        self.chains.retain(|c| !c.residues.is_empty());
        if self.chains.is_empty() {
            let reason = match self.remarks.without_ca {
                0 => "the file ends here, and no atom of it is the CA atom of an amino acid".to_owned(),
                n => format!("the file ends here, and none of its {n} amino acids has a CA atom"),
            };
            return Err(LineFault::new(last_line.max(1), reason));
        }
        self.remarks.other_models = other_models;
        Ok(Structure { name: name.to_owned(), chains: self.chains, remarks: self.remarks })
    }
}

/// A coordinate from text.
pub(super) fn coordinate(text: &str, axis: &str, line: usize) -> Result<f64, LineFault> {
    let value: Option<f64> = text.trim().parse().ok().filter(|v: &f64| v.is_finite());
    match value {
        Some(value) if value.abs() > MAX_COORDINATE => Err(LineFault::new(line, too_far(text.trim()))),
        Some(value) => Ok(value),
        None => Err(LineFault::new(
            line,
            format!("the coordinate {axis} is `{}`, but must be a finite number", text.trim()),
        )),
    }
}

/// The error for a coordinate of that magnitude.
pub(super) fn too_far(text: &str) -> String {
    format!("a coordinate is `{text}`, but must be within a million Å")
}

/// An occupancy from text; 1 if there is none.
pub(super) fn occupancy(text: &str) -> f64 {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite()).unwrap_or(1.0)
}
