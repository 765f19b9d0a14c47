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
    // Ties go to the first; the other location may be a different amino acid.
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
    assert_eq!(e, "x.pdb: line 2049: more than 2048 residues, the maximum");
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
    let found = read_file(&path, Budget::default()).unwrap();
    assert_eq!(
        found.iter().map(|s| (s.name.as_str(), s.chains.len())).collect::<Vec<_>>(),
        [("p", 2), ("q", 1)]
    );
    std::fs::write(&path, "id,resseq,aa,x,y,z\np,1,M,0,0,0\nq,1,X,1,1,1\np,2,W,2,2,2\n").unwrap();
    let e = read_file(&path, Budget::default()).unwrap_err().to_string();
    assert!(
        e.ends_with("ca.csv: line 4: the residues of `p` must be consecutive, but others are in between"),
        "{e}"
    );
    std::fs::write(&path, "id,resseq,aa,x,y,z\np,1,M,0,nan,0\n").unwrap();
    let e = read_file(&path, Budget::default()).unwrap_err().to_string();
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
    let names: Vec<String> =
        files.iter().map(|f| read_file(f, Budget::default()).unwrap()[0].name.clone()).collect();
    assert_eq!(names, ["a", "b"]);
    let whole = std::fs::read(file("a.pdb.gz")).unwrap();
    std::fs::write(file("a.pdb.gz"), &whole[..whole.len() / 2]).unwrap();
    let e = read_file(&file("a.pdb.gz"), Budget::default()).unwrap_err().to_string();
    assert!(e.contains("a.pdb.gz") && e.contains("cut off"), "{e}");
    let empty = tempfile::tempdir().unwrap();
    assert!(
        structure_files(empty.path())
            .unwrap_err()
            .to_string()
            .contains("no file of the folder is a structure")
    );
}

/// Truncated at every byte, or with any byte changed: a result or an error, never a panic.
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

#[test]
fn a_model_ends_where_programs_end_it() {
    let second = Line { z: 9.0, number: "   2 ", ..CA };
    // `MODEL` and `ENDMDL`; `MODEL` alone; `END` between models; and a first model without atoms.
    for text in [
        format!("MODEL        1\n{CA}ENDMDL\nMODEL        2\n{second}ENDMDL\nEND\n"),
        format!("MODEL        1\n{CA}MODEL        2\n{second}END\n"),
        format!("{CA}END\n{second}END\n"),
        format!("MODEL        1\nENDMDL\nMODEL        2\n{CA}ENDMDL\nMODEL        3\n{second}ENDMDL\nEND\n"),
    ] {
        let s = pdb(&text).unwrap();
        assert_eq!((ids(&s), s.remarks.other_models), (vec!["A1A".to_owned()], 1), "{text}");
    }
}

#[test]
fn what_follows_the_end_of_a_chain_is_beside_it() {
    let beside = Line { record: "HETATM", residue: "MSE", number: " 400 ", ..CA };
    for ter in ["TER       2      ALA A   1\n", "TER\n", "TER   \r\n"] {
        let s = pdb(&format!("{CA}{ter}{beside}END\n")).unwrap();
        assert_eq!(ids(&s), ["A1A"], "{ter}");
    }
    assert_eq!(ids(&pdb(&format!("{CA}{beside}TER\nEND\n")).unwrap()), ["A1A", "A400M"]);
}

#[test]
fn chains_of_small_letters_and_without_a_name_are_their_own() {
    let text = format!("{CA}{}{}END\n", Line { chain: 'a', ..CA }, Line { chain: ' ', ..CA });
    let mut s = pdb(&text).unwrap();
    assert_eq!(ids(&s), ["A1A", "a1A", "_1A"]);
    assert!(s.keep_chains(&["a".to_owned()]) && ids(&s) == ["a1A"]);
}

#[test]
fn numbers_that_start_again_are_other_residues() {
    let mut text = String::new();
    for i in 0..20_000_usize {
        let number = format!("{:>4} ", i % 10_000);
        write!(text, "{}", Line { number: &number, z: (i % 2000) as f64, ..CA }).unwrap();
    }
    let s = pdb(&text).unwrap();
    assert_eq!((s.residues(), s.remarks.repeated, s.remarks.alternates), (20_000, 10_000, 0));
    // A repeated line is not a repeated residue.
    let s = pdb(&format!("{CA}{CA}{}END\n", Line { number: "   2 ", ..CA })).unwrap();
    assert_eq!((s.residues(), s.remarks.repeated), (2, 0));
    // Nor is another location, wherever it is.
    let other = Line { alternate: 'B', occupancy: 0.3, ..CA };
    let s = pdb(&format!("{CA}{}{other}END\n", Line { number: "   2 ", ..CA })).unwrap();
    assert_eq!((s.residues(), s.remarks.repeated, s.remarks.alternates), (2, 0, 1));
}

#[test]
fn lines_end_as_they_like_and_marks_are_skipped() {
    let cif_text = format!("{HEAD}ATOM 1 CA . ALA A 1 ? 1 2 3 1.0 1 A 1\n#\n_a.b\n;two\nlines\n;\n");
    let pdb_text = format!("{CA}{}END\n", Line { number: "   2 ", ..CA });
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(ids(&cif(&cif_text.replace('\n', end)).unwrap()), ["A1A"], "{end:?}");
        let s = pdb(&format!("\u{feff}{}", pdb_text.replace('\n', end))).unwrap();
        assert_eq!((s.residues(), s.notes().len()), (2, 0), "{end:?}");
    }
}

#[test]
fn a_file_is_read_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("really.pdb");
    std::fs::write(&path, format!("{HEAD}ATOM 1 CA . ALA A 1 ? 1 2 3 1.0 1 A 1\n")).unwrap();
    assert_eq!(ids(&read_file(&path, Budget::default()).unwrap()[0]), ["A1A"]);
    let path = folder.path().join("really.cif");
    std::fs::write(&path, format!("HEADER    TEST\n{CA}END\n")).unwrap();
    assert_eq!(ids(&read_file(&path, Budget::default()).unwrap()[0]), ["A1A"]);
}

#[test]
fn only_files_that_can_be_seen_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("._a.pdb"), b"\0\x05\x16\x07").unwrap();
    std::fs::write(file("a.PDB"), format!("{CA}END\n")).unwrap();
    std::fs::create_dir(file("b.pdb")).unwrap();
    assert_eq!(structure_files(folder.path()).unwrap(), [file("a.PDB")]);
}

#[test]
fn reading_keeps_to_its_budget() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pdb.gz");
    let mut packed =
        flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::best());
    for _ in 0..4096 {
        std::io::Write::write_all(&mut packed, &[b'A'; 4096]).unwrap();
    }
    packed.finish().unwrap();
    let e = read_file(&path, Budget::of_bytes(1 << 20)).unwrap_err();
    let StructureError::Data(e) = e else { panic!("{e}") };
    assert!(matches!(e.fault(), eocc_data::Fault::Memory { .. }), "{e}");
    let e = read_file(&path, Budget::default().until(|| true)).unwrap_err();
    assert!(matches!(e, StructureError::Data(e) if matches!(e.fault(), eocc_data::Fault::Cancelled)));
}

#[test]
fn coordinates_are_those_of_a_protein() {
    let far = CA.to_string().replace("   2.000", "  2e+200");
    assert_eq!(
        pdb(&format!("{CA}{far}")).unwrap_err().to_string(),
        "x.pdb: line 2: a coordinate is `2e+200`, but must be within a million Å"
    );
    // An occupancy that is not a number counts as 1.
    let other = Line { alternate: 'B', z: 5.0, occupancy: f64::NAN, ..CA };
    let s = pdb(&format!("{}{other}END\n", Line { alternate: 'A', occupancy: 0.5, ..CA })).unwrap();
    assert!((s.chains[0].residues[0].position[2] - 5.0).abs() < 1e-12);
}

/// As written by archives: quotes, multi-line texts, alternate locations, ligands, two models.
#[test]
fn a_whole_mmcif_file() {
    let row = |words: [&str; 6], z: f64, occ: f64, auth: u32, model: u32| {
        let [group, atom, alt, name, seq, ins] = words;
        format!("{group} 1 {atom} {alt} {name} Z {seq} {ins} 1.0 2.0 {z} {occ} {auth} aA {model}\n")
    };
    let mut text = "data_1ABC\n_entry.id   1ABC\n_citation.title\n;A 'quoted' # title of\n_atom_site.id several lines\n;\n\
                    _struct.title \"it's a \"protein\" of ours\"\n"
        .to_owned();
    text += HEAD.trim_start_matches("data_x\n");
    text += &row(["ATOM", "N", ".", "MET", "1", "?"], 0.0, 1.0, 10, 1);
    text += &row(["ATOM", "CA", ".", "MET", "1", "?"], 1.0, 1.0, 10, 1);
    text += &row(["HETATM", "CA", "A", "MSE", "2", "?"], 2.0, 0.5, 11, 1);
    text += &row(["HETATM", "CA", "B", "MSE", "2", "?"], 3.0, 0.5, 11, 1);
    text += &row(["ATOM", "\"CA\"", ".", "GLY", "3", "B"], 4.0, 1.0, 11, 1);
    text += &row(["HETATM", "CA", ".", "CA", ".", "?"], 9.0, 1.0, 300, 1);
    text += &row(["HETATM", "\"C1'\"", ".", "ATP", ".", "?"], 9.0, 1.0, 301, 1);
    text += &row(["ATOM", "CA", ".", "MET", "1", "?"], 1.5, 1.0, 10, 2);
    text += "#\nloop_\n_atom_type.symbol\nC\nN\n#\n";
    let s = cif(&text).unwrap();
    assert_eq!(ids(&s), ["aA10M", "aA11M", "aA11BG"]);
    assert_eq!((s.remarks.other_models, s.remarks.alternates, s.remarks.modified["MSE"]), (1, 1, 1));
    assert!((s.chains[0].residues[1].position[2] - 2.0).abs() < 1e-12);
}
