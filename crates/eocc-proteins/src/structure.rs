//! A protein structure as far as it is used here: chains of residues, each with the position of its Cα atom.

use std::collections::BTreeMap;

/// Consecutive residues of a chain whose Cα atoms are farther apart than this, in Å, are not bonded: residues between
/// them are missing. Bonded ones are 3.8 Å apart, or 2.9 Å if the bond is cis.
pub const MAX_BONDED_DISTANCE: f64 = 4.5;

/// A residue with a Cα atom.
#[derive(Debug, Clone, PartialEq)]
pub struct Residue {
    /// Number in the chain with its insertion code, as in the file: `52`, `52A`.
    pub id: String,
    /// One-letter code of the amino acid; for a modified residue, that of its parent; `X` if there is none.
    pub letter: char,
    /// Position of the Cα atom, in Å; finite.
    pub position: [f64; 3],
}

/// A chain with at least one residue.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    /// Its name, as given by the authors of the structure.
    pub name: String,
    /// Its residues, in the order of the file.
    pub residues: Vec<Residue>,
}

impl Chain {
    /// The number of consecutive pairs of residues that are not bonded.
    pub fn breaks(&self) -> usize {
        let is_break = |pair: &[Residue]| distance(pair[0].position, pair[1].position) > MAX_BONDED_DISTANCE;
        self.residues.windows(2).filter(|pair| is_break(pair)).count()
    }
}

/// Decisions of a reader that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remarks {
    /// Models after the first, which were not read.
    pub other_models: usize,
    /// Residues whose Cα has several locations; the one with the highest occupancy is used.
    pub alternates: usize,
    /// Modified residues that are read as the amino acid they derive from, by name.
    pub modified: BTreeMap<String, usize>,
    /// Residues of unknown amino acids, which are read as `X`, by name.
    pub unknown: BTreeMap<String, usize>,
    /// Residues with the number of an earlier one of their chain, which count nevertheless.
    pub repeated: usize,
    /// Amino acids without a Cα atom, which are skipped.
    pub without_ca: usize,
    /// Whether a PDB file ends without `END`, like one truncated between two lines.
    pub no_end: bool,
}

/// A protein structure: the Cα atoms of its first model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Structure {
    /// Its name: that of the file without folder and extensions.
    pub name: String,
    /// Its chains, in the order of the file.
    pub chains: Vec<Chain>,
    /// The decisions of the reader.
    pub remarks: Remarks,
}

impl Structure {
    /// Number of residues in all chains.
    pub fn residues(&self) -> usize {
        self.chains.iter().map(|c| c.residues.len()).sum()
    }

    /// The number of consecutive pairs of residues in a chain that are not bonded; residues between them are missing.
    pub fn breaks(&self) -> usize {
        self.chains.iter().map(Chain::breaks).sum()
    }

    /// The amino acids of all chains, one chain after the other.
    pub fn sequence(&self) -> String {
        self.chains.iter().flat_map(|c| &c.residues).map(|r| r.letter).collect()
    }

    /// Removes all but the chains with these names; false if there is none.
    pub fn keep_chains(&mut self, names: &[String]) -> bool {
        self.chains.retain(|c| names.contains(&c.name));
        !self.chains.is_empty()
    }

    /// Notes on how the file was read; empty if there are none.
    pub fn notes(&self) -> Vec<String> {
        let r = &self.remarks;
        let names = |of: &BTreeMap<String, usize>| {
            of.iter().map(|(name, n)| format!("{n} {name}")).collect::<Vec<_>>().join(", ")
        };
        let mut notes = Vec::new();
        let mut note = |is_so: bool, text: String| {
            if is_so {
                notes.push(text);
            }
        };
        note(r.other_models > 0, format!("the first of {} models is read", r.other_models + 1));
        note(
            r.alternates > 0,
            format!("of alternate locations the likeliest is read ({})", residues(r.alternates)),
        );
        note(
            !r.modified.is_empty(),
            format!("modified residues count as what they come from ({})", names(&r.modified)),
        );
        note(
            !r.unknown.is_empty(),
            format!("residues of no known amino acid have average properties ({})", names(&r.unknown)),
        );
        note(
            r.repeated > 0,
            format!("{} with a number that its chain has already, each of its own", residues(r.repeated)),
        );
        note(r.without_ca > 0, format!("{} without a CA atom left out", residues(r.without_ca)));
        let breaks = self.breaks();
        let gaps = if breaks == 1 { "1 gap".to_owned() } else { format!("{breaks} gaps") };
        note(breaks > 0, format!("{gaps} in its chains, where residues are missing"));
        note(r.no_end, "it has no END record and may be cut off".to_owned());
        notes
    }
}

fn residues(count: usize) -> String {
    if count == 1 { "1 residue".to_owned() } else { format!("{count} residues") }
}

/// The distance of two points.
pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum::<f64>().sqrt()
}
