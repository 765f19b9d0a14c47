#![allow(clippy::unwrap_used)]

use super::*;
use std::fmt::Write as _;

/// An `ATOM` or `HETATM` line.
struct Line<'a> {
    record: &'a str,
    atom: &'a str,
    alternate: char,
    residue: &'a str,
    chain: char,
    number: &'a str,
    occupancy: f64,
    z: f64,
}

const CA: Line<'_> = Line {
    record: "ATOM",
    atom: " CA ",
    alternate: ' ',
    residue: "ALA",
    chain: 'A',
    number: "   1 ",
    occupancy: 1.0,
    z: 0.0,
};

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { record, atom, alternate, residue, chain, number, occupancy, z } = self;
        writeln!(
            f,
            "{record:<6}    1 {atom}{alternate}{residue:>3} {chain}{number}   {:>8.3}{:>8.3}{z:>8.3}{occupancy:>6.2}  0.00           C",
            1.0, 2.0
        )
    }
}

fn pdb(text: &str) -> Result<Structure> {
    read_bytes("x.pdb", text.as_bytes(), StructureFormat::Pdb, MAX_RESIDUES)
}

fn cif(text: &str) -> Result<Structure> {
    read_bytes("x.cif", text.as_bytes(), StructureFormat::Mmcif, MAX_RESIDUES)
}

fn ids(s: &Structure) -> Vec<String> {
    s.chains
        .iter()
        .flat_map(|c| c.residues.iter().map(move |r| format!("{}{}{}", c.name, r.id, r.letter)))
        .collect()
}

const HEAD: &str = "data_x\n#\nloop_\n_atom_site.group_PDB\n_atom_site.id\n_atom_site.label_atom_id\n_atom_site.label_alt_id\n\
    _atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.pdbx_PDB_ins_code\n_atom_site.Cartn_x\n\
    _atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n_atom_site.auth_seq_id\n_atom_site.auth_asym_id\n\
    _atom_site.pdbx_PDB_model_num\n";

#[test]
fn insertion_codes_are_residues_of_their_own() {
    let text = format!(
        "{CA}{}{}END\n",
        Line { number: "   1A", ..CA },
        Line { number: "   2 ", residue: "GLY", ..CA }
    );
    assert_eq!(ids(&pdb(&text).unwrap()), ["A1A", "A1AA", "A2G"]);
}

#[test]
fn the_likeliest_of_alternate_locations_counts() {
    let at = |alternate, residue, occupancy, z| Line { alternate, residue, occupancy, z, ..CA }.to_string();
    // The first of equals; another amino acid may stand at the other location.
    let text = at('A', "SER", 0.4, 1.0) + &at('B', "THR", 0.6, 2.0) + &at('C', "VAL", 0.6, 3.0) + "END\n";
    let s = pdb(&text).unwrap();
    assert_eq!(ids(&s), ["A1T"]);
    assert!((s.chains[0].residues[0].position[2] - 2.0).abs() < 1e-12);
    assert_eq!(s.notes(), ["of alternate locations the likeliest is read (1 residue)"]);
}

#[test]
fn the_first_model_is_read() {
    let text = format!(
        "MODEL        1\n{CA}ENDMDL\nMODEL        2\n{CA}{}ENDMDL\nEND\n",
        Line { number: "   2 ", ..CA }
    );
    let s = pdb(&text).unwrap();
    assert_eq!((s.residues(), s.remarks.other_models), (1, 1));
    assert_eq!(s.notes(), ["the first of 2 models is read"]);
}

#[test]
fn modified_residues_count_and_what_is_beside_the_chain_does_not() {
    let text = [
        CA.to_string(),
        Line { record: "HETATM", residue: "MSE", number: "   2 ", z: 3.8, ..CA }.to_string(),
        Line { record: "HETATM", residue: "QQQ", number: "   3 ", z: 7.6, ..CA }.to_string(),
        "TER       4      QQQ A   3\n".to_owned(),
        // A free amino acid, calcium, water.
        Line { record: "HETATM", residue: "GLU", number: " 401 ", ..CA }.to_string(),
        Line { record: "HETATM", residue: " CA", atom: "CA  ", number: " 402 ", ..CA }.to_string(),
        Line { record: "HETATM", residue: "HOH", atom: " O  ", number: " 403 ", ..CA }.to_string(),
        "END\n".to_owned(),
    ]
    .concat();
    let s = pdb(&text).unwrap();
    assert_eq!(ids(&s), ["A1A", "A2M", "A3X"]);
    assert_eq!(
        s.notes(),
        [
            "modified residues count as what they come from (1 MSE)",
            "residues of no known amino acid have average properties (1 QQQ)"
        ]
    );
}

#[test]
fn missing_residues_leave_a_gap_and_residues_without_ca_are_left_out() {
    let text = [
        CA.to_string(),
        Line { atom: " N  ", number: "   2 ", ..CA }.to_string(),
        Line { number: "   7 ", z: 12.0, ..CA }.to_string(),
        Line { atom: " P  ", residue: " DA", chain: 'B', ..CA }.to_string(),
        "END\n".to_owned(),
    ]
    .concat();
    let s = pdb(&text).unwrap();
    assert_eq!((s.chains.len(), s.breaks()), (1, 1));
    assert_eq!(
        s.notes(),
        ["1 residue without a CA atom left out", "1 gap in its chains, where residues are missing"]
    );
}

#[test]
fn faults_of_pdb_files_name_the_line() {
    let message = |text: &str| pdb(text).unwrap_err().to_string();
    let good = CA.to_string();
    let cut = &good[..45];
    assert_eq!(
        message(&format!("{good}{cut}")),
        "x.pdb: line 2: the record ends at column 45, but its coordinates should reach to column 54; the file may be cut off"
    );
    for word in ["nan", "inf", "1e999", "abc"] {
        let bad = good.replace("   2.000", &format!("{word:>8}"));
        assert_eq!(
            message(&format!("{good}{bad}")),
            format!("x.pdb: line 2: the coordinate y is `{word}`, but must be a finite number")
        );
    }
    assert_eq!(
        message(""),
        "x.pdb: line 1: the file ends here, and no atom of it is the CA atom of an amino acid"
    );
    let without = Line { atom: " CB ", ..CA };
    assert_eq!(
        message(&format!("{without}END\n")),
        "x.pdb: line 2: the file ends here, and none of its 1 amino acids has a CA atom"
    );
    assert_eq!(pdb(&good).unwrap().notes(), ["it has no END record and may be cut off"]);
}

#[test]
fn ninety_nine_thousand_residues_are_read_or_refused_at_a_line() {
    let mut text = String::new();
    for i in 0..99_999_usize {
        let chain = (b'A' + (i / 9999) as u8) as char;
        let number = format!("{:>4} ", i % 9999 + 1);
        let z = (i % 2000) as f64;
        write!(text, "{}", Line { chain, number: &number, z, ..CA }).unwrap();
    }
    let read = |most| read_bytes("x.pdb", text.as_bytes(), StructureFormat::Pdb, most);
    assert_eq!(read(MAX_RESIDUES).unwrap().residues(), 99_999);
    let e = read(2048).unwrap_err().to_string();
    assert_eq!(e, "x.pdb: line 2049: more than 2048 residues, which is the most that is read here");
}

#[test]
fn mmcif_has_the_names_of_the_authors() {
    let text = format!(
        "{HEAD}ATOM 1 N . ALA A 1 ? 0 0 0 1.0 52 H 1\nATOM 2 CA . ALA A 1 ? 1.5 0 0 1.0 52 H 1\n\
         ATOM 3 CA . GLY A 2 A 1.5 3.8 0 1.0 52 H 1\nATOM 4 \"CA\" A SER A 3 ? 1 7 0 0.4 53 H 1\n\
         ATOM 5 CA B SER A 3 ? 2 7 0 0.6 53 H 1\nHETATM 6 CA . GLU B . ? 9 9 9 1.0 400 H 1\n\
         ATOM 7 CA . ALA A 1 ? 1.5 0 0 1.0 52 H 2\n#\nloop_\n_other.a\n_other.b\n1 'two words' 3 4\n"
    );
    let s = cif(&text).unwrap();
    assert_eq!(ids(&s), ["H52A", "H52AG", "H53S"]);
    assert!((s.chains[0].residues[2].position[0] - 2.0).abs() < 1e-12);
    assert_eq!((s.remarks.other_models, s.remarks.alternates), (1, 1));
}

#[test]
fn texts_of_several_lines_comments_and_quotes_are_passed_over() {
    let text = format!(
        "data_x # comment\n_a.b\n;loop_\n_atom_site.id\n it's a trap\n;\n_c.d 'it's fine'\n{}ATOM 1 CA . ALA A 1 ? 1 2 3 1.0 1 A 1\n",
        HEAD.trim_start_matches("data_x\n")
    );
    assert_eq!(ids(&cif(&text).unwrap()), ["A1A"]);
}

#[test]
fn faults_of_mmcif_files_name_the_line() {
    let message = |text: &str| cif(text).unwrap_err().to_string();
    let lines = HEAD.lines().count();
    assert_eq!(
        message(&format!("{HEAD}ATOM 1 CA . ALA A 1 ? nan 2 3 1.0 1 A 1\n")),
        format!("x.cif: line {}: the coordinate x is `nan`, but must be a finite number", lines + 1)
    );
    assert_eq!(
        message(&format!("{HEAD}ATOM 1 CA . ALA A 1 ? 1 2 3 1.0 1 A 1\nATOM 2 CA .")),
        format!(
            "x.cif: line {}: the row has 4 values, but there are 15 columns; the file may be cut off",
            lines + 2
        )
    );
    assert_eq!(message("data_x\n_a 'open\n"), "x.cif: line 2: a text in quotes does not end on its line");
    assert_eq!(
        message("data_x\n_a\n;open\n"),
        "x.cif: line 3: a text that begins with `;` does not end; the file may be cut off"
    );
    assert_eq!(
        message("data_x\nloop_\n1 2\n"),
        "x.cif: line 2: `loop_` is not followed by the names of columns"
    );
    assert_eq!(
        message("data_x\n"),
        "x.cif: line 2: the file ends here, and it has no table of atoms (`_atom_site`)"
    );
    let missing = HEAD.replace("_atom_site.Cartn_z\n", "");
    assert_eq!(message(&missing), "x.cif: line 3: the table of atoms has no column `_atom_site.cartn_z`");
    assert!(read_bytes("x.cif", b"data_x\n\xff\xfe", StructureFormat::Mmcif, 9).is_err());
}

#[test]
fn tables_hold_many_structures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ca.csv");
    std::fs::write(&path, "id,chain,resseq,aa,x,y,z\np,A,1,M,0,0,0\np,B,1,X,1,1,1\nq,A,1,W,2,2,2\n").unwrap();
    let found = read_file(&path).unwrap();
    assert_eq!(
        found.iter().map(|s| (s.name.as_str(), s.chains.len())).collect::<Vec<_>>(),
        [("p", 2), ("q", 1)]
    );
    std::fs::write(&path, "id,resseq,aa,x,y,z\np,1,M,0,0,0\nq,1,X,1,1,1\np,2,W,2,2,2\n").unwrap();
    let e = read_file(&path).unwrap_err().to_string();
    assert!(
        e.ends_with("ca.csv: line 4: the residues of `p` must stand together, but others stand between them"),
        "{e}"
    );
    std::fs::write(&path, "id,resseq,aa,x,y,z\np,1,M,0,nan,0\n").unwrap();
    let e = read_file(&path).unwrap_err().to_string();
    assert!(e.contains("line 2") && e.contains("ca.csv"), "{e}");
}

#[test]
fn a_folder_is_its_structures_in_order_packed_or_not() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("b.ent"), format!("{CA}END\n")).unwrap();
    std::fs::write(file("notes.txt"), "no structure").unwrap();
    let mut packed = flate2::write::GzEncoder::new(
        std::fs::File::create(file("a.pdb.gz")).unwrap(),
        flate2::Compression::fast(),
    );
    packed.write_all(format!("{CA}END\n").as_bytes()).unwrap();
    packed.finish().unwrap();
    let files = structure_files(folder.path()).unwrap();
    let names: Vec<String> = files.iter().map(|f| read_file(f).unwrap()[0].name.clone()).collect();
    assert_eq!(names, ["a", "b"]);
    let whole = std::fs::read(file("a.pdb.gz")).unwrap();
    std::fs::write(file("a.pdb.gz"), &whole[..whole.len() / 2]).unwrap();
    let e = read_file(&file("a.pdb.gz")).unwrap_err().to_string();
    assert!(e.contains("a.pdb.gz") && e.contains("cut off"), "{e}");
    let empty = tempfile::tempdir().unwrap();
    assert!(
        structure_files(empty.path())
            .unwrap_err()
            .to_string()
            .contains("no file of the folder is a structure")
    );
}

/// Truncated at every byte, or with any byte changed: an answer, never a panic.
#[test]
fn damaged_files_are_answered() {
    let pdb_text = format!("MODEL 1\n{CA}{}TER\nENDMDL\nEND\n", Line { number: "   2 ", ..CA });
    let cif_text = format!("{HEAD}ATOM 1 CA . ALA A 1 ? 1 2 3 1.0 1 A 1\n;long\n;\n'a' \"b\"\n");
    for (text, format) in [(pdb_text, StructureFormat::Pdb), (cif_text, StructureFormat::Mmcif)] {
        let bytes = text.as_bytes();
        for end in 0..bytes.len() {
            let _ = read_bytes("x", &bytes[..end], format, 10);
        }
        let mut r = eocc_core::random::Random::new(7);
        for _ in 0..3000 {
            let mut damaged = bytes.to_vec();
            for _ in 0..3 {
                let at = r.below(damaged.len());
                damaged[at] = r.below(256) as u8;
            }
            let _ = read_bytes("x", &damaged, format, 10);
        }
    }
}
