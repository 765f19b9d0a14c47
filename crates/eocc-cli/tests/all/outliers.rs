//! `eocc outliers`: the planted ones come first, with what is odd about them; no sample is its own neighbor.

use crate::support::{ok, run};
use std::fmt::Write as _;
use std::path::Path;

/// 300 usual rows and 5 odd ones: in `amount`, in `age`, in both, in a unique level, and a repeated one.
fn write(folder: &Path) {
    let mut text = String::from("amount,age,city\n");
    let even = |i: u32, step: f64| (f64::from(i) * step).fract() - 0.5;
    for i in 0..300 {
        let city = ["Oslo", "Rome", "Bern"][i as usize % 3];
        let _ = writeln!(
            text,
            "{:.3},{:.1},{city}",
            50.0 + 20.0 * even(i, 0.618_034),
            40.0 + 30.0 * even(i, 0.754_877)
        );
    }
    text.push_str("900,41,Oslo\n51,140,Rome\n700,5,Bern\n50,40,Atlantis\n-300,38,Rome\n-300,38,Rome\n");
    std::fs::write(folder.join("people.csv"), text).unwrap();
}

/// The numbers of the rows, in order.
fn rows(out: &str) -> Vec<usize> {
    out.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect()
}

#[test]
fn planted_outliers_come_first_and_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let done = ok(folder.path(), "outliers people.csv --top 6");
    let mut found = rows(&done.out);
    found.sort_unstable();
    assert_eq!(found, [300, 301, 302, 303, 304, 305], "{}", done.out);
    let line = |row: &str| done.out.lines().find(|l| l.starts_with(row)).unwrap().to_owned();
    assert!(
        done.out
            .starts_with("row,score,p_value,rejected,feature_1,share_1,feature_2,share_2,trimmed,group\n")
    );
    for (row, feature) in [("300", "amount"), ("301", "age"), ("303", "city"), ("304", "amount")] {
        assert_eq!(line(row).split(',').nth(4), Some(feature), "{}", line(row));
    }
    assert!(done.err.contains("of 306 samples rejected"), "{}", done.err);
    assert_eq!(line("300").split(',').nth(8), Some("true"), "{}", line("300"));
}

#[test]
fn without_top_those_that_are_rejected_come_out() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    let all = ok(folder.path(), "outliers people.csv --reject 0.02 -o odd.csv").err;
    let out = std::fs::read_to_string(folder.path().join("odd.csv")).unwrap();
    assert!(out.lines().skip(1).all(|l| l.split(',').nth(3) == Some("true")), "{out}");
    assert!(all.contains(&format!("{} of 306 samples rejected", rows(&out).len())), "{all}");
    // As many as expected.
    let told = ok(folder.path(), "outliers people.csv --contamination 0.05");
    assert_eq!(rows(&told.out).len(), 15, "{}", told.err);
    assert_eq!(rows(&ok(folder.path(), "outliers people.csv --top 0").out).len(), 0);
    assert_eq!(run(folder.path(), "outliers people.csv --contamination 2").code, 2);
}

/// The decisions equal those of a model of these rows.
#[test]
fn it_is_fit_and_score_in_one() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path());
    ok(folder.path(), "fit people.csv -o m.eocc --contamination 0.1 --reject 0.05");
    let scores = ok(folder.path(), "score m.eocc people.csv").out;
    let by_score: Vec<&str> = scores.lines().skip(1).map(|l| l.split(',').nth(1).unwrap()).collect();
    let out = ok(folder.path(), "outliers people.csv --top 306").out;
    for line in out.lines().skip(1) {
        let mut cells = line.split(',');
        let row: usize = cells.next().unwrap().parse().unwrap();
        assert_eq!(cells.next(), Some(by_score[row]));
    }
}
