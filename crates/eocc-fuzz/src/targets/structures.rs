//! Protein structures: each is read, and turned into a graph, a series and features.

use eocc_proteins::{
    ContactGraph, ContactRange, Descriptors, GraphFeatures, MAX_RESIDUES, StructureFormat, read_bytes,
    seriated,
};

/// Features take time in proportion to the cube of the residues: up to here a few milliseconds.
const MAX_FEATURED: usize = 100;
/// Seriation takes up to a millisecond per residue.
const MAX_SERIATED: usize = 300;

/// Two residues, one with two locations, in two chains; a second model, water, and a modified residue.
pub(super) fn pdb_seeds() -> Vec<Vec<u8>> {
    let line = |record: &str, serial: usize, atom: &str, residue: &str, chain: char, number: &str, z: f64| {
        let place = format!("{:8.3}{:8.3}{z:8.3}", 1.5, -2.0);
        format!("{record:6}{serial:5} {atom:4}{residue} {chain}{number:>4}    {place}  0.60\n")
    };
    let chain = [
        line("ATOM", 1, " N  ", " ALA", 'A', "1", 0.0),
        line("ATOM", 2, " CA ", " ALA", 'A', "1", 1.0),
        line("ATOM", 3, " CA ", "AGLY", 'A', "2", 5.0),
        line("ATOM", 4, " CA ", "BGLY", 'A', "2", 5.5),
        line("HETATM", 5, " CA ", " MSE", 'B', "3", 9.0),
    ]
    .concat();
    let water = line("HETATM", 6, " O  ", " HOH", 'A', "9", 3.0);
    vec![
        format!("HEADER    X\n{chain}TER\n{water}END\n").into_bytes(),
        format!("MODEL        1\n{chain}ENDMDL\nMODEL        2\n{chain}ENDMDL\n").into_bytes(),
        chain.replace('\n', "\r\n").into_bytes(),
    ]
}

pub(super) fn mmcif_seeds() -> Vec<Vec<u8>> {
    let head = "data_x\n#\n_a.b\n;a text\nof two lines\n;\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.label_atom_id\n\
        _atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n\
        _atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n\
        _atom_site.auth_seq_id\n_atom_site.auth_asym_id\n_atom_site.pdbx_PDB_model_num\n";
    let rows = "ATOM 1 N . ALA A 1 ? 0 0 0 1.0 52 H 1\nATOM 2 CA . ALA A 1 ? 1.5 0 0 1.0 52 H 1\n\
        ATOM 4 \"CA\" A SER A 3 ? 1 7 0 0.4 53 H 1\nATOM 5 'CA' B SER A 3 ? 2 7 0 0.6 53 H 1\n\
        HETATM 6 CA . GLU B . ? 9 9 9 1.0 400 H 1\nATOM 7 CA . ALA A 1 ? 1.5 0 0 1.0 52 H 2\n#\n";
    let short = "data_\nloop_\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n\
        _atom_site.auth_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\nCA GLY A 1 1e1 2 3\n";
    vec![format!("{head}{rows}").into_bytes(), short.as_bytes().to_vec()]
}

pub(super) fn pdb(bytes: &[u8]) -> bool {
    structure("input.pdb", bytes, StructureFormat::Pdb)
}

pub(super) fn mmcif(bytes: &[u8]) -> bool {
    structure("input.cif", bytes, StructureFormat::Mmcif)
}

fn structure(name: &str, bytes: &[u8], format: StructureFormat) -> bool {
    let Ok(structure) = read_bytes(name, bytes, format, MAX_RESIDUES) else { return false };
    let residues = structure.residues();
    assert!(residues > 0, "a structure without residues");
    assert_eq!(structure.sequence().chars().count(), residues, "a residue without a letter");
    let _ = (structure.notes(), structure.breaks());
    // A structure of which no graph can be made is answered with an error.
    let Ok(graph) = ContactGraph::new(&structure, ContactRange::default()) else { return true };
    assert_eq!(graph.vertices.len(), residues, "a residue without a vertex");
    for (a, b, distance) in &graph.edges {
        assert!((*a.max(b) as usize) < residues && distance.is_finite(), "an edge {a} {b} of {distance}");
    }
    if residues <= MAX_SERIATED {
        let series = seriated(&graph, Descriptors::default());
        assert!(series.is_ok_and(|series| series.len() == residues), "a series of another length");
    }
    if residues <= MAX_FEATURED
        && let Ok(features) = GraphFeatures::compute(&graph)
    {
        assert!(features.values().iter().all(|value| value.is_finite()), "a feature that is not finite");
    }
    true
}
