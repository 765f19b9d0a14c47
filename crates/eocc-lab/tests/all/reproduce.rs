//! `eocc-lab reproduce` on the command line.
use crate::support::run;

#[test]
fn absent_data_of_the_paper_is_named_with_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), "reproduce uci --data nowhere");
    assert_eq!(done.code, 3);
    assert!(done.err.contains("8 of the 8 files are missing"), "{}", done.err);
    assert!(done.err.contains("abalone.csv (UCI Machine Learning Repository, Abalone"), "{}", done.err);
}

#[test]
fn the_table_of_graphs_names_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), "reproduce iam --data .");
    assert_eq!(done.code, 3);
    assert!(done.err.contains("iam/AIDS.tar.gz") && done.err.contains("public source"), "{}", done.err);
}

#[test]
fn the_table_of_proteins_names_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let done = run(folder.path(), "reproduce proteins --data .");
    assert_eq!(done.code, 3);
    assert!(
        done.err.contains("esol/structures_index.csv") && done.err.contains("public source"),
        "{}",
        done.err
    );
}

/// A study of synthetic proteins: short spirals are soluble, long ones are not.
#[test]
fn the_table_of_proteins_is_filled_and_goes_on_where_it_was() {
    use std::fmt::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let esol = folder.path().join("esol");
    std::fs::create_dir(&esol).unwrap();
    let mut sequences = "id,sequence,solubility,class\n".to_owned();
    let mut index = "id,coverage,identity,entry_chains,class\n".to_owned();
    let mut atoms = "id,resseq,aa,x,y,z\n".to_owned();
    for p in 0..40 {
        let (class, length, solubility) =
            if p % 2 == 0 { ("insoluble", 24 + p % 9, 0.1) } else { ("soluble", 10 + p % 7, 0.9) };
        let letters: String = (0..length).map(|i| ['A', 'K', 'E', 'L', 'W'][(i * p + i) % 5]).collect();
        writeln!(sequences, "P{p},{letters},{solubility},{class}").unwrap();
        writeln!(index, "P{p},1,1,{},{class}", if p % 3 == 0 { "2" } else { "" }).unwrap();
        for (i, letter) in letters.chars().enumerate() {
            let a = 1.745 * i as f64;
            writeln!(
                atoms,
                "P{p},{i},{letter},{:.3},{:.3},{:.3}",
                2.3 * a.cos(),
                2.3 * a.sin(),
                1.5 * i as f64
            )
            .unwrap();
        }
    }
    std::fs::write(esol.join("esol_sequences.csv"), sequences).unwrap();
    std::fs::write(esol.join("structures_index.csv"), index).unwrap();
    let file = std::fs::File::create(esol.join("structures_ca.csv.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, atoms.as_bytes()).unwrap();
    packed.finish().unwrap();
    let command = "reproduce proteins --data . --repeats 1 --folds 4 --methods paper,default --plots plots";
    let first = crate::support::ok(folder.path(), command);
    assert!(!first.out.contains("| - |"), "{}", first.out);
    let table = first.out.split("## Which").next().unwrap_or_default();
    let cells = table.matches("| insoluble | 0.").count() + table.matches("| soluble | 0.").count();
    assert_eq!(cells, 12, "{}", first.out);
    for name in ["solubility", "components", "weights"] {
        assert!(folder.path().join(format!("plots/proteins-{name}.png")).is_file());
    }
    let again = crate::support::ok(folder.path(), command);
    assert!(again.err.contains("rows are in") && again.err.contains("results are in"), "{}", again.err);
}
