//! `eocc proteins` on the command line.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{ok, run};

/// Cα atoms of a helix.
fn helix(residues: usize) -> String {
    let mut text = String::new();
    for i in 0..residues {
        let a = 1.745 * i as f64;
        writeln!(
            text,
            "ATOM  {:>5}  CA  {} A{:>4}    {:>8.3}{:>8.3}{:>8.3}  1.00  0.00           C",
            i + 1,
            ["ALA", "GLU", "LYS"][i % 3],
            i + 1,
            2.3 * a.cos(),
            2.3 * a.sin(),
            1.5 * i as f64
        )
        .unwrap();
    }
    text + "END\n"
}

fn folder_of_helices(folder: &Path) {
    fs::create_dir(folder.join("s")).unwrap();
    for i in 0..30 {
        fs::write(folder.join(format!("s/p{i:02}.pdb")), helix(20 + i * 7 % 11)).unwrap();
    }
}

#[test]
fn what_comes_out_can_be_fitted() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    folder_of_helices(at);
    ok(at, "proteins features s -o f.csv");
    ok(at, "proteins graph s -o g.jsonl");
    ok(at, "proteins series s -o t.jsonl");
    for (data, kind) in
        [("f.csv", "15 features"), ("g.jsonl", "30 labelled graphs"), ("t.jsonl", "30 time series")]
    {
        let fitted = ok(at, &format!("fit {data} -o m.eocc"));
        assert!(fitted.out.contains(kind), "{data}: {}", fitted.out);
        let scored = ok(at, &format!("score m.eocc {data} --quiet"));
        assert_eq!(scored.out.lines().count(), 31, "{data}");
        assert!(scored.out.contains(",p07,"), "{data}: {}", scored.out);
    }
}

#[test]
fn broken_files_are_named_with_their_line_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    folder_of_helices(at);
    let good = helix(20);
    let lines: Vec<&str> = good.lines().collect();
    let cut: String = good.chars().take(79 * 7 + 40).collect();
    fs::write(at.join("s/cut.pdb"), cut).unwrap();
    let bad = lines[4].replace(&lines[4][30..38], "     nan");
    fs::write(at.join("s/nan.pdb"), good.replace(lines[4], &bad)).unwrap();
    fs::write(at.join("s/no-ca.pdb"), good.replace(" CA ", " CB ")).unwrap();
    fs::write(at.join("s/empty.cif"), "").unwrap();
    fs::write(at.join("s/bytes.cif"), b"data_x\n\xff\xfe\x00").unwrap();
    let mut huge = String::new();
    for i in 0..99_999_usize {
        let chain = (b'A' + (i / 9999) as u8) as char;
        let z = (i % 9999) as f64 * 0.9;
        writeln!(
            huge,
            "ATOM  {:>5}  CA  ALA {chain}{:>4}       1.000   1.000{z:>8.3}  1.00  0.00",
            i + 1,
            i % 9999 + 1
        )
        .unwrap();
    }
    fs::write(at.join("s/huge.pdb"), huge).unwrap();
    let done = ok(at, "proteins features s -o f.csv");
    for told in [
        "left out: s/bytes.cif: line 2, byte 9 of the file: a zero byte, which text does not have",
        "left out: s/cut.pdb: line 8: the record ends at column",
        "left out: s/empty.cif: line 1: the file ends here, and it has no table of atoms (`_atom_site`)",
        "left out: s/huge.pdb: `huge` has 99999 residues, but features are computed for at most 8192",
        "left out: s/nan.pdb: line 5: the coordinate x is `nan`, but must be a finite number",
        "left out: s/no-ca.pdb: line 21: the file ends here, and none of its 20 amino acids has a CA atom",
        "30 structures, 6 left out",
    ] {
        assert!(done.err.contains(told), "{told}\n{}", done.err);
    }
    assert_eq!(fs::read_to_string(at.join("f.csv")).unwrap().lines().count(), 31);
    // The only file: an error.
    let failed = run(at, "proteins features s/nan.pdb");
    assert_eq!(failed.code, 3, "{}", failed.err);
    assert!(failed.err.starts_with("error: s/nan.pdb: line 5: the coordinate x"), "{}", failed.err);
}

#[test]
fn chains_and_the_range_can_be_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let two = helix(12).replace("END\n", "") + &helix(9).replace(" A ", " B ");
    fs::write(at.join("two.pdb"), two).unwrap();
    let row = |words: &str| ok(at, words).out.lines().nth(1).unwrap_or_default().to_owned();
    assert!(row("proteins features two.pdb --quiet").starts_with("two,21,2,"));
    assert!(row("proteins features two.pdb --chain B --quiet").starts_with("two,9,1,"));
    let wider = ok(at, "proteins graph two.pdb --chain A --min-distance 0 --max-distance 4 --quiet");
    // Only the neighbors in the chain.
    assert_eq!(wider.out.matches("\"source\"").count(), 11);
    assert_eq!(run(at, "proteins features two.pdb --min-distance 9").code, 2);
    assert_eq!(run(at, "proteins features two.pdb --chain Q").code, 3);
    assert_eq!(run(at, "proteins graph two.pdb -o g.csv").code, 2);
    assert_eq!(run(at, "proteins features two.pdb -o two.pdb").code, 2);
}

#[test]
fn sequences_have_features_but_no_graphs() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("p.fasta"), ">a\nMKLV\n>b\nWWDDEE\n").unwrap();
    let done = ok(at, "proteins features p.fasta --quiet");
    assert!(done.out.starts_with("name,length,molecular_weight,hydropathy,"), "{}", done.out);
    assert!(done.out.contains("\na,4,") && done.out.contains("\nb,6,"), "{}", done.out);
    let failed = run(at, "proteins graph p.fasta");
    assert_eq!(failed.code, 3);
    assert!(failed.err.contains("its name says no format of structures"), "{}", failed.err);
}
