//! The proteins of the paper's study `[LA17, sec. V-B]`: sequences, structures and what is derived from them.

pub mod figures;
pub mod pair_journal;
pub mod projected;
pub mod projection;

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use eocc_core::{Error, Matrix};
use eocc_data::{Budget, ReadOptions, Table};
use eocc_proteins::{ContactGraph, ContactRange, Descriptors, GraphFeatures};
use rayon::prelude::*;

/// The sequences with their solubility.
pub const SEQUENCES: &str = "esol/esol_sequences.csv";
/// The structure of each protein.
pub const INDEX: &str = "esol/structures_index.csv";
/// Cα atoms of one chain per protein.
pub const STRUCTURES: &str = "esol/structures_ca.csv.gz";
/// The files of the study.
pub const FILES: [&str; 3] = [SEQUENCES, INDEX, STRUCTURES];

/// Minimum fraction of the sequence that a structure must cover.
const MIN_COVERAGE: f64 = 0.5;
/// Minimum fraction of the residues of a structure that must match the sequence.
const MIN_IDENTITY: f64 = 0.9;

/// The two classes; proteins in between are not used.
pub const CLASSES: [&str; 2] = ["insoluble", "soluble"];

/// The labels of the structures: the description of amino acids.
pub const DESCRIPTORS: Descriptors = Descriptors::Pp;

/// A protein of one of the two classes.
#[derive(Debug, Clone, PartialEq)]
pub struct Protein {
    /// Its name in the table.
    pub id: String,
    /// Its index in [`CLASSES`].
    pub class: usize,
    /// Its normalized solubility.
    pub solubility: f64,
    /// Its amino acids.
    pub sequence: String,
}

/// A protein with a structure.
#[derive(Debug, Clone)]
pub struct Folded {
    /// Its index in [`CLASSES`].
    pub class: usize,
    /// The contacts within its chain.
    pub graph: ContactGraph,
}

/// The data of the study.
#[derive(Debug, Clone)]
pub struct Study {
    /// Normalized solubility of every protein, including those between the classes.
    pub solubility: Vec<f64>,
    /// Proteins of the two classes.
    pub proteins: Vec<Protein>,
    /// Those of them with a structure of their own.
    pub folded: Vec<Folded>,
    /// How many of the two classes have a structure that covers too little of them or belongs to a relative.
    pub left_out: usize,
    /// For how many of those with a structure the whole entry is known, and so the number of its chains.
    pub entries: usize,
}

impl Study {
    /// Reads the files below a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let (solubility, proteins) = read_sequences(&folder.join(SEQUENCES))?;
        let (chains, left_out) = read_index(&folder.join(INDEX))?;
        let path = folder.join(STRUCTURES);
        let structures =
            eocc_proteins::read_file(&path, Budget::default()).with_context(|| path.display().to_string())?;
        let class: HashMap<&str, usize> = proteins.iter().map(|p| (p.id.as_str(), p.class)).collect();
        let mut folded = Vec::new();
        for structure in &structures {
            let Some((entry, &class)) = chains.get(&structure.name).zip(class.get(structure.name.as_str()))
            else {
                continue;
            };
            let mut graph = ContactGraph::new(structure, ContactRange::default())?;
            // The graph is of one chain; the feature counts the chains of the whole entry, if known.
            graph.chains = entry.unwrap_or(1);
            folded.push(Folded { class, graph });
        }
        let entries = chains.values().filter(|c| c.is_some()).count();
        Ok(Self { solubility, proteins, folded, left_out, entries })
    }

    /// The fifteen features, one row per protein with a structure.
    pub fn features(&self) -> Result<Matrix> {
        let rows: eocc_core::Result<Vec<[f64; 15]>> =
            self.folded.par_iter().map(|f| Ok(GraphFeatures::compute(&f.graph)?.values())).collect();
        let rows = rows?;
        Ok(Matrix::new(rows.concat(), rows.len(), 15))
    }

    /// Which samples are of a class, and which are not.
    pub fn one_class(classes: impl Iterator<Item = usize>, nominal: usize) -> (Vec<usize>, Vec<usize>) {
        let all: Vec<usize> = classes.collect();
        (0..all.len()).partition(|&i| all[i] == nominal)
    }
}

fn texts(table: &Table, name: &str) -> Result<Vec<String>> {
    Ok(table.text(table.column(name)?).map(std::borrow::Cow::into_owned).collect())
}

fn read_sequences(path: &Path) -> Result<(Vec<f64>, Vec<Protein>)> {
    let table = eocc_data::read(path, &ReadOptions::default())?;
    let (ids, classes, sequences) =
        (texts(&table, "id")?, texts(&table, "class")?, texts(&table, "sequence")?);
    let solubility = table.numbers(&[table.column("solubility")?])?;
    let mut proteins = Vec::new();
    for (i, id) in ids.into_iter().enumerate() {
        if let Some(class) = CLASSES.iter().position(|c| *c == classes[i]) {
            proteins.push(Protein { id, class, solubility: solubility[i], sequence: sequences[i].clone() });
        }
    }
    if CLASSES.iter().enumerate().any(|(c, _)| !proteins.iter().any(|p| p.class == c)) {
        return Err(Error::input(format!("{}: no protein of a class", path.display())).into());
    }
    Ok((solubility, proteins))
}

/// The number of chains of the entry, if known, of each protein of the two classes with a structure of its own; and
/// how many of them have another.
fn read_index(path: &Path) -> Result<(HashMap<String, Option<usize>>, usize)> {
    let table = eocc_data::read(path, &ReadOptions::default())?;
    let (ids, classes, chains) =
        (texts(&table, "id")?, texts(&table, "class")?, texts(&table, "entry_chains")?);
    let shares = table.numbers(&[table.column("coverage")?, table.column("identity")?])?;
    let (mut known, mut left_out) = (HashMap::new(), 0);
    for (i, id) in ids.into_iter().enumerate() {
        if !CLASSES.contains(&classes[i].as_str()) {
            continue;
        }
        if shares[2 * i] >= MIN_COVERAGE && shares[2 * i + 1] >= MIN_IDENTITY {
            known.insert(id, chains[i].parse().ok());
        } else {
            left_out += 1;
        }
    }
    Ok((known, left_out))
}
