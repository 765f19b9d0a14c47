//! `eocc-lab reproduce` as one runs it.
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
