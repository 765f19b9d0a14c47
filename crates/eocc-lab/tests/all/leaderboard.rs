//! `eocc-lab leaderboard` as one runs it.
use std::fmt::Write as _;
use std::path::Path;

use crate::support::{ok, run};

/// Two tables whose outliers lie apart, in the folder that the command looks in.
fn tables(folder: &Path) {
    std::fs::create_dir_all(folder.join("d/uci")).unwrap();
    for (name, shift) in [("far", 9.0), ("near", 3.0)] {
        let mut text = "a,b,label\n".to_owned();
        for i in 0..60 {
            let (a, b) = (f64::from(i % 8), f64::from(i / 8));
            let (move_by, label) = if i % 5 == 0 { (shift, "outlier") } else { (0.0, "target") };
            writeln!(text, "{},{},{label}", a + move_by, b - move_by).unwrap();
        }
        std::fs::write(folder.join(format!("d/uci/{name}.csv")), text).unwrap();
    }
}

#[test]
fn rows_are_ranked_and_a_second_run_finds_them_again() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let command =
        "leaderboard --data d --methods default,locality-0,lof --repeats 1 --journal a/new/one -o board.md";
    ok(folder.path(), command);
    let board = std::fs::read_to_string(folder.path().join("board.md")).unwrap();
    // The baseline is always there.
    for row in ["| EOCC-MI default |", "| default, locality 0 |", "| LOF |", "| k-NN mean |"] {
        assert_eq!(board.matches(row).count(), 2, "{row}\n{board}");
    }
    assert!(board.contains("| AUC | far | near |") && board.contains("Chosen on the first half"), "{board}");
    let again = ok(folder.path(), command);
    assert!(again.err.contains("80 of 80 results are in"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(folder.path().join("board.md")).unwrap(), board);
    let one = ok(folder.path(), "leaderboard --data d --methods lof --sets far --repeats 1");
    assert!(one.out.contains("| AUC | far |") && !one.out.contains("| near"), "{}", one.out);
}

#[test]
fn a_folder_without_sets_and_an_unknown_row_are_told() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let nothing = run(folder.path(), "leaderboard --data empty");
    assert!(nothing.code == 3 && nothing.err.contains("no data in empty"), "{}", nothing.err);
    let missing = run(folder.path(), "leaderboard --data nowhere");
    assert!(missing.code == 3 && missing.err.contains("--data"), "{}", missing.err);
    let unknown = run(folder.path(), "leaderboard --data empty --methods nonsense");
    assert!(unknown.code == 2 && unknown.err.contains("`nonsense`"), "{}", unknown.err);
}
