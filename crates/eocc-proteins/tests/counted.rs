//! The cost of reading structures, counted by the allocator: it grows with the file. A single test, because the counts
//! are for the whole process.

use std::alloc::System;

use cap::Cap;
use eocc_proteins::{StructureFormat, read_bytes};

#[global_allocator]
static ALLOCATED: Cap<System> = Cap::new(System, usize::MAX);

const MAX_RESIDUES: usize = 100;

/// A chain of twenty residues and many waters, as a PDB file.
fn pdb(waters: usize) -> String {
    let line = |record: &str, at: usize, atom: &str, residue: &str| {
        let (serial, number, z) = (at % 100_000, at % 10_000, 1.5 * (at % 600) as f64);
        format!("{record:6}{serial:5} {atom:4} {residue} A{number:4}       1.000   2.000{z:8.3}  1.00\n")
    };
    let chain = (1..=20).map(|at| line("ATOM", at, " CA ", "ALA"));
    chain.chain((1..=waters).map(|at| line("HETATM", at, " O  ", "HOH"))).collect()
}

/// The same as an mmCIF file.
fn mmcif(waters: usize) -> String {
    let names = [
        "group_PDB",
        "id",
        "label_atom_id",
        "label_comp_id",
        "label_asym_id",
        "label_seq_id",
        "Cartn_x",
        "Cartn_y",
        "Cartn_z",
        "auth_seq_id",
        "auth_asym_id",
    ];
    let head = names.map(|name| format!("_atom_site.{name}\n")).concat();
    let chain =
        (1..=20).map(|at| format!("ATOM {at} CA ALA A {at} 1.0 2.0 {} {at} A\n", 1.5 * f64::from(at)));
    let rest = (1..=waters).map(|at| format!("HETATM {at} O HOH B . 1.0 2.0 3.0 {at} B\n"));
    format!("data_x\nloop_\n{head}{}#\n", chain.chain(rest).collect::<String>())
}

/// Bytes allocated while a file was read.
fn work(name: &str, text: &str, format: StructureFormat) -> usize {
    let before = ALLOCATED.total_allocated();
    let structure = read_bytes(name, text.as_bytes(), format, MAX_RESIDUES).expect("it can be read");
    assert_eq!(structure.residues(), 20, "{name}");
    ALLOCATED.total_allocated() - before
}

#[test]
fn work_grows_with_the_file() {
    for (name, make, format) in [
        ("a.pdb", pdb as fn(usize) -> String, StructureFormat::Pdb),
        ("a.cif", mmcif, StructureFormat::Mmcif),
    ] {
        let [one, two] = [20_000, 40_000].map(|waters| work(name, &make(waters), format));
        assert!(two < 3 * one + 100_000, "{name}: {one}, then {two} bytes");
    }
}
