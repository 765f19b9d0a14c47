//! The fixed columns of PDB files.

use super::atoms::{Atom, Builder, coordinate};
use crate::error::LineFault;
use crate::structure::Structure;

/// Reads the first model: records `ATOM` and `HETATM`, whose columns are fixed (format 3.3).
///
/// What follows the record `TER` of a chain is beside it: ligands, water, ions.
pub(super) fn read(name: &str, bytes: &[u8], most: usize) -> Result<Structure, LineFault> {
    let mut builder = Builder::new(most);
    let (mut models, mut is_over, mut has_end) = (0, false, false);
    let mut ended: Vec<String> = Vec::new();
    let mut last = 0;
    for (at, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let number = at + 1;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if !line.is_empty() {
            last = number;
        }
        match record(line) {
            b"MODEL" => models += 1,
            b"ENDMDL" => is_over = true,
            b"END" => has_end = true,
            b"TER" => ended
                .extend(field(line, 21, 22).map(|chain| chain.trim().to_owned()).filter(|c| !c.is_empty())),
            b"ATOM" | b"HETATM" if !is_over => {
                let is_hetero = record(line) == b"HETATM";
                let text = |from, to| field(line, from, to).unwrap_or_default();
                // Calcium is `CA  `, one column to the left.
                let is_ca = line.get(12..16) == Some(b" CA ".as_slice());
                if line.len() < 54 {
                    let reason = format!(
                        "the record ends at column {}, but its coordinates should reach to column 54; the file may be cut off",
                        line.len()
                    );
                    return Err(LineFault::new(number, reason));
                }
                let chain = text(21, 22);
                let chain = if chain.trim().is_empty() { "_" } else { chain.trim() };
                let axis = |from, axis| coordinate(text(from, from + 8), axis, number);
                let position =
                    if is_ca { [axis(30, "x")?, axis(38, "y")?, axis(46, "z")?] } else { [0.0; 3] };
                let atom = Atom {
                    chain,
                    residue: text(22, 27).trim(),
                    name: text(17, 20).trim(),
                    is_ca,
                    is_polymer: !is_hetero || !ended.iter().any(|c| c == chain),
                    occupancy: text(54, 60).trim().parse().unwrap_or(1.0),
                    position,
                };
                builder.add(&atom, number)?;
            }
            _ => {}
        }
    }
    let mut structure = builder.finish(name, last, usize::max(models, 1) - 1)?;
    structure.remarks.no_end = !has_end;
    Ok(structure)
}

/// The name of the record: the first six columns.
fn record(line: &[u8]) -> &[u8] {
    line.get(..6).unwrap_or(line).trim_ascii_end()
}

/// Columns from 0, as far as the line has them; none if they are no text.
fn field(line: &[u8], from: usize, to: usize) -> Option<&str> {
    std::str::from_utf8(line.get(from..to.min(line.len()))?).ok()
}
