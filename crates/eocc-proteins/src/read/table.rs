//! Tables of Cα atoms: one row per residue, with the name of its protein.

use std::collections::HashSet;
use std::path::Path;

use eocc_data::{ReadOptions, Table};

use super::atoms::{MAX_COORDINATE, too_far};
use crate::amino_acids::letter;
use crate::error::{Result, StructureError};
use crate::structure::{Chain, Remarks, Residue, Structure};

/// Reads a table with the columns `id`, `resseq`, `aa`, `x`, `y`, `z` and, unless each protein is one chain, `chain`.
///
/// Residues of a protein are consecutive, in the order of its chains. `aa` is a one-letter code.
pub(super) fn read(path: &Path, options: &ReadOptions) -> Result<Vec<Structure>> {
    let table = eocc_data::read(path, options)?;
    let column = |name: &str| table.column(name);
    let (id, number, amino) = (column("id")?, column("resseq")?, column("aa")?);
    let chain = table.names().into_iter().position(|name| name == "chain");
    let values = table.numbers(&[column("x")?, column("y")?, column("z")?])?;
    let text = |row: usize, column: usize| table.cell(row, column).text().into_owned();
    let mut structures: Vec<Structure> = Vec::new();
    let mut seen = HashSet::new();
    for row in 0..table.rows() {
        let protein = text(row, id);
        if structures.last().is_none_or(|s| s.name != protein) {
            if !seen.insert(protein.clone()) {
                let reason =
                    format!("the residues of `{protein}` must be consecutive, but others are in between");
                return Err(at_row(&table, row, reason));
            }
            structures.push(Structure { name: protein, chains: Vec::new(), remarks: Remarks::default() });
        }
        let name = chain.map_or_else(|| "A".to_owned(), |c| text(row, c));
        let Some(structure) = structures.last_mut() else { continue };
        if structure.chains.last().is_none_or(|c| c.name != name) {
            structure.chains.push(Chain { name, residues: Vec::new() });
        }
        let code = text(row, amino);
        let letter = letter(&code);
        if letter == 'X' {
            *structure.remarks.unknown.entry(code).or_default() += 1;
        }
        let position = [values[3 * row], values[3 * row + 1], values[3 * row + 2]];
        if let Some(far) = position.iter().find(|x| x.abs() > MAX_COORDINATE) {
            return Err(at_row(&table, row, too_far(&far.to_string())));
        }
        if let Some(chain) = structure.chains.last_mut() {
            chain.residues.push(Residue { id: text(row, number), letter, position });
        }
    }
    Ok(structures)
}

fn at_row(table: &Table, row: usize, reason: String) -> StructureError {
    let file = table.source().to_owned();
    match table.line(row) {
        Some(line) => StructureError::Line { file, line, reason },
        None => StructureError::File { file, reason },
    }
}
