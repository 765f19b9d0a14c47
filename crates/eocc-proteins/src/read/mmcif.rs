//! The atom table of mmCIF files.

use std::collections::HashSet;

use super::atoms::{Atom, Builder, coordinate, occupancy};
use crate::error::LineFault;
use crate::structure::Structure;

/// Reads the first model of the first block of data: the category `atom_site`.
///
/// Chains and residues have the authors' names, as in PDB files; a residue is part of a chain if it has a position in
/// its sequence (`label_seq_id`). Files converted from PDB files without a sequence have no such positions; in these,
/// a residue is part of a chain if its atoms are `ATOM` records, as in the PDB file.
pub(super) fn read(name: &str, bytes: &[u8], most: usize) -> Result<Structure, LineFault> {
    let mut has_positions = false;
    let by_sequence = read_polymer(name, bytes, most, Polymer::BySequence, &mut has_positions);
    if has_positions {
        return by_sequence;
    }
    read_polymer(name, bytes, most, Polymer::ByRecord, &mut has_positions)
}

/// How to distinguish residues of a chain from water and ligands.
#[derive(Clone, Copy, PartialEq)]
enum Polymer {
    BySequence,
    ByRecord,
}

fn read_polymer(
    name: &str,
    bytes: &[u8],
    most: usize,
    polymer: Polymer,
    has_positions: &mut bool,
) -> Result<Structure, LineFault> {
    let mut tokens = Tokens { bytes, at: 0, line: 1, is_line_start: true };
    let mut builder = Builder::new(most);
    let (mut model, mut others): (Option<String>, HashSet<String>) = (None, HashSet::new());
    let (mut blocks, mut is_found) = (0, false);
    let mut waiting = None;
    while let Some(token) = waiting.take().map_or_else(|| tokens.next(), |t| Ok(Some(t)))? {
        if token.is_word("data_") {
            blocks += 1;
            if blocks > 1 {
                break;
            }
        } else if token.is_word("loop_") {
            let mut tags = Vec::new();
            waiting = tokens.next()?;
            while let Some(tag) = waiting.take_if(|t| t.is_tag()) {
                tags.push(tag.text.to_ascii_lowercase());
                waiting = tokens.next()?;
            }
            if tags.is_empty() {
                return Err(LineFault::new(token.line, "`loop_` is not followed by the names of columns"));
            }
            let columns = Columns::from_tags(&tags, token.line)?;
            is_found |= columns.is_some();
            while waiting.as_ref().is_some_and(Token::is_value) {
                let mut row = Vec::with_capacity(tags.len());
                let line = waiting.as_ref().map_or(tokens.line, |t| t.line);
                while row.len() < tags.len()
                    && let Some(value) = waiting.take_if(|t| t.is_value())
                {
                    row.push(value);
                    waiting = tokens.next()?;
                }
                let Some(columns) = &columns else { continue };
                if row.len() < tags.len() {
                    let reason = format!(
                        "the row has {} values, but there are {} columns; the file may be cut off",
                        row.len(),
                        tags.len()
                    );
                    return Err(LineFault::new(line, reason));
                }
                let own = value(&row, columns.model).to_owned();
                let first = model.get_or_insert_with(|| own.clone());
                if *first == own {
                    *has_positions |= columns.sequence.is_none() || !value(&row, columns.sequence).is_empty();
                    columns.add(&row, line, polymer, &mut builder)?;
                } else {
                    others.insert(own);
                }
            }
        }
    }
    if !is_found {
        let reason = "the file ends here, and it has no table of atoms (`_atom_site`)";
        return Err(LineFault::new(tokens.line, reason));
    }
    builder.finish(name, tokens.line, others.len())
}

/// The positions of the columns of the atom table.
struct Columns {
    atom: usize,
    name: usize,
    chain: usize,
    residue: usize,
    position: [usize; 3],
    sequence: Option<usize>,
    group: Option<usize>,
    insertion: Option<usize>,
    alternate: Option<usize>,
    occupancy: Option<usize>,
    model: Option<usize>,
}

impl Columns {
    /// The columns, if this is the atom table.
    fn from_tags(tags: &[String], line: usize) -> Result<Option<Self>, LineFault> {
        if !tags.iter().any(|t| t.starts_with("_atom_site.")) {
            return Ok(None);
        }
        let find = |names: &[&str]| {
            names.iter().find_map(|n| tags.iter().position(|t| t.strip_prefix("_atom_site.") == Some(*n)))
        };
        let need = |names: &[&str]| {
            find(names).ok_or_else(|| {
                LineFault::new(
                    line,
                    format!("the table of atoms has no column `_atom_site.{}`", names[names.len() - 1]),
                )
            })
        };
        Ok(Some(Self {
            atom: need(&["auth_atom_id", "label_atom_id"])?,
            name: need(&["auth_comp_id", "label_comp_id"])?,
            chain: need(&["auth_asym_id", "label_asym_id"])?,
            residue: need(&["auth_seq_id", "label_seq_id"])?,
            position: [need(&["cartn_x"])?, need(&["cartn_y"])?, need(&["cartn_z"])?],
            sequence: find(&["label_seq_id"]),
            group: find(&["group_pdb"]),
            insertion: find(&["pdbx_pdb_ins_code"]),
            alternate: find(&["label_alt_id"]),
            occupancy: find(&["occupancy"]),
            model: find(&["pdbx_pdb_model_num"]),
        }))
    }

    fn add(
        &self,
        row: &[Token<'_>],
        line: usize,
        polymer: Polymer,
        builder: &mut Builder,
    ) -> Result<(), LineFault> {
        let text = |column| value(row, Some(column));
        let is_ca = text(self.atom) == "CA";
        let [x, y, z] = self.position;
        let position = if is_ca {
            let at = |column: usize, axis| {
                coordinate(text(column), axis, row.get(column).map_or(line, |t| t.line))
            };
            [at(x, "x")?, at(y, "y")?, at(z, "z")?]
        } else {
            [0.0; 3]
        };
        let residue = format!("{}{}", text(self.residue), value(row, self.insertion));
        let atom = Atom {
            chain: text(self.chain),
            residue: &residue,
            name: text(self.name),
            is_ca,
            is_polymer: match polymer {
                Polymer::BySequence => self.sequence.is_none_or(|column| !text(column).is_empty()),
                Polymer::ByRecord => self.group.is_some_and(|column| text(column) == "ATOM"),
            },
            alternate: value(row, self.alternate),
            occupancy: occupancy(value(row, self.occupancy)),
            position,
        };
        builder.add(&atom, line)
    }
}

/// A value of a row; empty if unknown or not applicable.
fn value<'a>(row: &[Token<'a>], column: Option<usize>) -> &'a str {
    let known = |t: &&Token<'_>| t.is_quoted || !matches!(t.text, "." | "?");
    column.and_then(|c| row.get(c)).filter(known).map_or("", |t| t.text)
}

/// A word, a quoted text, or a multi-line text.
struct Token<'a> {
    text: &'a str,
    line: usize,
    is_quoted: bool,
}

impl Token<'_> {
    /// Whether this is a reserved word, or a word with this prefix.
    fn is_word(&self, word: &str) -> bool {
        let starts = self.text.get(..word.len()).is_some_and(|s| s.eq_ignore_ascii_case(word));
        !self.is_quoted && starts && (word == "data_" || self.text.len() == word.len())
    }

    fn is_tag(&self) -> bool {
        !self.is_quoted && self.text.starts_with('_')
    }

    fn is_value(&self) -> bool {
        let reserved = ["data_", "loop_", "stop_", "global_"].iter().any(|w| self.is_word(w));
        let is_save = !self.is_quoted && self.text.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("save_"));
        !self.is_tag() && !reserved && !is_save
    }
}

/// Splits a file into tokens.
struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    is_line_start: bool,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, LineFault> {
        loop {
            let Some(&byte) = self.bytes.get(self.at) else { return Ok(None) };
            match byte {
                b'\n' => {
                    self.at += 1;
                    self.line += 1;
                    self.is_line_start = true;
                    continue;
                }
                b'#' => {
                    self.at = self.end_of_line();
                    continue;
                }
                b if b.is_ascii_whitespace() => {
                    self.at += 1;
                    self.is_line_start = false;
                    continue;
                }
                b';' if self.is_line_start => return self.long_text().map(Some),
                b'\'' | b'"' => return self.quoted(byte).map(Some),
                _ => {}
            }
            let from = self.at;
            while self.bytes.get(self.at).is_some_and(|b| !b.is_ascii_whitespace()) {
                self.at += 1;
            }
            self.is_line_start = false;
            return self.token(from..self.at, self.line, false).map(Some);
        }
    }

    fn end_of_line(&self) -> usize {
        self.bytes[self.at..].iter().position(|b| *b == b'\n').map_or(self.bytes.len(), |n| self.at + n)
    }

    /// A quote ends a text only before a blank.
    fn quoted(&mut self, quote: u8) -> Result<Token<'a>, LineFault> {
        let (from, end) = (self.at + 1, self.end_of_line());
        let is_end = |at: &usize| {
            self.bytes[*at] == quote && self.bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
        };
        let Some(to) = (from..end).find(is_end) else {
            return Err(LineFault::new(self.line, "a text in quotes does not end on its line"));
        };
        self.at = to + 1;
        self.is_line_start = false;
        self.token(from..to, self.line, true)
    }

    /// From `;` at the start of a line to `;` at the start of another.
    fn long_text(&mut self) -> Result<Token<'a>, LineFault> {
        let (from, line) = (self.at + 1, self.line);
        let Some(length) = self.bytes[from..].windows(2).position(|w| w == b"\n;") else {
            return Err(LineFault::new(
                line,
                "a text that begins with `;` does not end; the file may be cut off",
            ));
        };
        let to = from + length;
        self.line += self.bytes[from..=to].split(|b| *b == b'\n').count() - 1;
        self.at = to + 2;
        self.is_line_start = false;
        self.token(from..to, line, true)
    }

    fn token(
        &self,
        range: std::ops::Range<usize>,
        line: usize,
        is_quoted: bool,
    ) -> Result<Token<'a>, LineFault> {
        match std::str::from_utf8(&self.bytes[range]) {
            Ok(text) => Ok(Token { text, line, is_quoted }),
            // Authors' names may be in any encoding; nothing read here is.
            Err(_) if is_quoted => Ok(Token { text: "?", line, is_quoted }),
            Err(_) => Err(LineFault::new(line, "these bytes are not text; is this an mmCIF file?")),
        }
    }
}
