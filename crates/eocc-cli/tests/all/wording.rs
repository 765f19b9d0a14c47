//! The program's descriptions of a model.
use crate::support::{ok, run};

#[test]
fn samples_are_called_what_they_are_and_counts_agree_with_their_nouns() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let words: Vec<String> =
        (0..30).map(|i| format!(">p{i}\nMKV{}\n", "ACDEFGHIKL".repeat(1 + i % 3))).collect();
    std::fs::write(f.join("p.fasta"), words.concat()).unwrap();
    let fitted = ok(f, "fit p.fasta -o p.eocc").out;
    assert!(fitted.contains("30 strings") && !fitted.contains("feature"), "{fitted}");
    let inspected = ok(f, "inspect p.eocc").out;
    assert!(inspected.contains("30 strings") && !inspected.contains("0 features"), "{inspected}");

    let numbers: Vec<String> = (0..40).map(|i| format!("{}\n", f64::from(i * 7 % 40) / 3.0)).collect();
    std::fs::write(f.join("n.csv"), format!("x\n{}", numbers.concat())).unwrap();
    let fitted = ok(f, "fit n.csv -o n.eocc").out;
    assert!(fitted.contains("40 with 1 feature\n") && fitted.contains("1 region of"), "{fitted}");
    assert!(ok(f, "inspect n.eocc").out.contains("40 with 1 feature\n"));
}

#[test]
fn errors_name_the_option_that_helps() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::write(f.join("hole.csv"), "a,b\n1,2\n3,\n5,6\n7,8\n").unwrap();
    let hole = run(f, "fit hole.csv -o m.eocc --preset paper");
    assert_eq!(hole.code, 3);
    assert!(
        hole.err.contains("--drop b") && hole.err.contains("--dissimilarity gower and heom"),
        "{}",
        hole.err
    );
    let words: Vec<String> = (0..20).map(|i| format!(">p{i}\nMKV{}\n", "AC".repeat(1 + i % 7))).collect();
    std::fs::write(f.join("p.fasta"), words.concat()).unwrap();
    let unequal = run(f, "fit p.fasta -o m.eocc --set insertion=1 --set deletion=2");
    assert_eq!(unequal.code, 2);
    assert!(unequal.err.contains("--prototypes all"), "{}", unequal.err);
}

#[test]
fn names_that_are_nearly_right_are_suggested() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::write(f.join("a.csv"), "width,kind\n1,a\n3,b\n5,a\n7,b\n").unwrap();
    for (words, expected) in [
        ("fit a.csv -o m.eocc --columns width --dissimilarity euclidian", "did you mean `euclidean`?"),
        (
            "fit a.csv -o m.eocc --columns width --dissimilarity euclidean --set scalling=rank",
            "did you mean `scaling`?",
        ),
        ("fit a.csv -o m.eocc --label knid --nominal a", "did you mean \"kind\"?"),
        ("compare a.csv --label kind --nominal a --methods gaus", "did you mean `gauss`?"),
        ("compare a.csv --label kind --nominal a --methods all,-knn", "did you mean `k-nn`?"),
    ] {
        let done = run(f, words);
        assert!(done.code == 2 || done.code == 3, "{words}: {}", done.err);
        assert!(done.err.contains(expected), "{words}: {}", done.err);
    }
}
