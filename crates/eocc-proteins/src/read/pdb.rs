//! The fixed columns of PDB files.

use std::collections::HashSet;

use super::atoms::{Atom, Builder, coordinate, occupancy};
use crate::error::LineFault;
use crate::structure::Structure;

/// Reads the first model: records `ATOM` and `HETATM`, whose columns are fixed (format 3.3).
///
/// A model ends at `ENDMDL`, at the next `MODEL`, or at `END`, which some programs write between models. What follows
/// the `TER` record of a chain is not part of it: ligands, water, ions.
pub(super) fn read(name: &str, bytes: &[u8], most: usize) -> Result<Structure, LineFault> {
    let mut builder = Builder::new(most);
    let mut models = Models::default();
    let mut has_end = false;
    let mut ended: HashSet<String> = HashSet::new();
    let mut chain_before = String::new();
    let mut last = 0;
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let number = at + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            last = number;
        }
        match record(line) {
            b"MODEL" | b"ENDMDL" => models.turn(),
            b"END" => {
                has_end = true;
                models.turn();
            }
            // Some programs write no chain after it.
            b"TER" => {
                let own = field(line, 21, 22).map(str::trim).filter(|c| !c.is_empty());
                ended.insert(own.unwrap_or(&chain_before).to_owned());
            }
            b"ATOM" | b"HETATM" if models.is_in_first() => {
                if line.len() < 54 {
                    let reason = format!(
                        "the record ends at column {}, but its coordinates should reach to column 54; the file may be cut off",
                        line.len()
                    );
                    return Err(LineFault::new(number, reason));
                }
                let atom = atom(line, number, &ended)?;
                if chain_before != atom.chain {
                    atom.chain.clone_into(&mut chain_before);
                }
                builder.add(&atom, number)?;
            }
            _ => {}
        }
    }
    let mut structure = builder.finish(name, last, models.others)?;
    structure.remarks.no_end = !has_end;
    Ok(structure)
}

/// An atom from a line that includes its coordinates; `ended` are the chains that have ended.
fn atom<'a>(line: &'a [u8], number: usize, ended: &HashSet<String>) -> Result<Atom<'a>, LineFault> {
    let text = |from, to| field(line, from, to).unwrap_or_default();
    // Calcium is `CA  `, one column to the left.
    let is_ca = line.get(12..16) == Some(b" CA ".as_slice());
    let chain = text(21, 22).trim();
    let chain = if chain.is_empty() { "_" } else { chain };
    let axis = |from, axis| coordinate(text(from, from + 8), axis, number);
    Ok(Atom {
        chain,
        residue: text(22, 27).trim(),
        name: text(17, 20).trim(),
        is_ca,
        is_polymer: record(line) == b"ATOM" || !ended.contains(chain),
        alternate: text(16, 17).trim(),
        occupancy: occupancy(text(54, 60)),
        position: if is_ca { [axis(30, "x")?, axis(38, "y")?, axis(46, "z")?] } else { [0.0; 3] },
    })
}

/// Tracks which model the atoms belong to.
#[derive(Default)]
struct Models {
    /// Whether the current one has atoms.
    has_atoms: bool,
    /// Whether the first has ended.
    is_over: bool,
    /// Models with atoms after the first.
    others: usize,
}

impl Models {
    /// A model begins or ends.
    fn turn(&mut self) {
        self.is_over |= self.has_atoms;
        self.has_atoms = false;
    }

    /// Whether the next atom belongs to the first model.
    fn is_in_first(&mut self) -> bool {
        self.others += usize::from(self.is_over && !self.has_atoms);
        self.has_atoms = true;
        !self.is_over
    }
}

/// The name of the record: the first six columns.
fn record(line: &[u8]) -> &[u8] {
    line.get(..6).unwrap_or(line).trim_ascii_end()
}

/// Columns from 0, as far as the line has them; `None` if they are not text.
fn field(line: &[u8], from: usize, to: usize) -> Option<&str> {
    std::str::from_utf8(line.get(from..to.min(line.len()))?).ok()
}
