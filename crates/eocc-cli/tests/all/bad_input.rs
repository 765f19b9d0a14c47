//! Bad input gives a clear error with the promised exit code, and nothing is lost.
use std::path::Path;

use crate::support::{classes, ok, run, run_with};

/// Runs a fit on this CSV text; expects this exit code and this in the message, and no model.
fn refused(text: &[u8], options: &str, code: i32, message: &str) {
    let folder = tempfile::tempdir().unwrap();
    let done = run_with(folder.path(), &format!("fit - -o m.eocc {options}"), text);
    assert_eq!(done.code, code, "{}", done.err);
    assert!(done.err.contains(message), "{}", done.err);
    assert!(done.out.is_empty());
    assert!(!folder.path().join("m.eocc").exists());
}

#[test]
fn data_that_cannot_be_used() {
    refused(b"", "", 3, "standard input");
    refused(b"a,b\n1,2\n", "", 3, "there is 1 nominal sample, but at least 3 are needed");
    refused(b"a,b\n1,2\n3,4\n", "", 3, "there are 2 nominal samples");
    refused(b"a,b\n1,2\n3,x\n5,6\n", "", 3, "row 1 (line 3), column \"b\": \"x\" is not a number");
    refused(b"a,b\n1,2\n3,\n5,6\n", "--preset paper", 3, "row 1 (line 3), column \"b\"");
    refused(b"a,b\n1,2\n3,inf\n5,6\n", "", 3, "row 1 (line 3), column \"b\"");
    refused(b"a,b\n1,2\n3,nan\n5,6\n", "--preset paper", 3, "row 1 (line 3), column \"b\"");
    refused(b"a,b\n1,2\n3\n5,6\n", "", 3, "line 3");
    refused(b"a,b\n1,2\n3,4\n5,6\n", "--label c --nominal x", 3, "no column \"c\"");
    refused(b"a,b\n1,2\n3,4\n5,6\n", "--label b --nominal x", 3, "no row has \"x\" in column \"b\"");
    refused(b"a,b\n1,2\n3,4\n5,6\n", "--label b", 2, "nominal is not given");
    refused(b"a\n1\n3\n5\n", "--label a --nominal 1", 3, "no column is left");
}

#[test]
fn matrices_that_are_not_dissimilarities() {
    let options = "--precomputed --header false";
    refused(b"0,1,2\n1,0,1\n", options, 3, "2 rows and 3 columns, but must be square");
    refused(b"0,-1,2\n-1,0,1\n2,1,0\n", options, 3, "is -1, but must be finite and not negative");
    refused(b"0,1,2\n5,0,1\n2,1,0\n", options, 3, "not symmetric: entry (0, 1) is 1, entry (1, 0) is 5");
    refused(b"3,1,2\n1,0,1\n2,1,0\n", options, 3, "entry (0, 0) of the matrix is 3");
}

#[test]
fn parameters_out_of_range() {
    let data = b"a,b\n1,2\n3,4\n5,6\n7,8\n";
    refused(data, "--alpha 1 --percentile 101", 2, "alpha is 1, but must be in (0, 1); percentile is 101");
    refused(data, "--reject 0", 2, "reject is 0");
    refused(data, "--prototypes some", 2, "prototypes is `some`");
    refused(data, "--prototypes 0", 2, "prototypes is 0");
    refused(
        data,
        "--dissimilarity cosin",
        2,
        "dissimilarity is cosin (did you mean `cosine`?), but must be one of euclidean",
    );
    refused(data, "--dissimilarity euclidean --set scaling=big", 2, "scaling is `big`");
    refused(data, "--set color=red", 2, "setting is `color`");
    refused(data, "--search sideways", 2, "sideways");
    refused(data, "--prototypes 2 --direct", 2, "cannot be used with");
}

#[test]
fn constant_and_duplicate_rows_train() {
    let folder = tempfile::tempdir().unwrap();
    for preset in ["paper", "default"] {
        for text in ["a,b\n1,2\n1,2\n1,2\n1,2\n", "a,b\n0,0\n0,0\n0,0\n1,1\n1,1\n2,7\n"] {
            let done = run_with(
                folder.path(),
                &format!("fit - -o m.eocc --preset {preset} --reject 0.3"),
                text.as_bytes(),
            );
            assert_eq!(done.code, 0, "{}", done.err);
            let scored = run_with(folder.path(), "score m.eocc -", b"a,b\n1,2\n500,2\n");
            let score = |i: usize| {
                scored.out.lines().nth(i).unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap()
            };
            assert!(score(1) > score(2), "{preset}: {}", scored.out);
        }
    }
}

#[test]
fn files_that_cannot_be_read_or_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    classes(path);
    let fit = "fit classes.csv --label class --nominal good -o";
    let check = |words: &str, code: i32, message: &str| {
        let done = run(path, words);
        assert_eq!(done.code, code, "{words}: {}", done.err);
        assert!(done.err.contains(message), "{words}: {}", done.err);
    };
    check("fit nothing.csv -o m.eocc", 5, "nothing.csv: no such file");
    std::fs::create_dir(path.join("empty")).unwrap();
    check("fit empty -o m.eocc", 3, "there are no tables or graphs in this folder");
    check(&format!("{fit} no/such/m.eocc"), 5, "the folder does not exist");
    check("score nothing.eocc classes.csv", 5, "nothing.eocc");
    check("inspect classes.csv", 4, "this is not an eocc model file");
    if Path::new("/dev/full").exists() {
        check(&format!("{fit} /dev/full"), 5, "/dev/full");
        ok(path, &format!("{fit} m.eocc"));
        check("score m.eocc classes.csv --label class -o /dev/full", 5, "no space is left");
    }
}

#[test]
fn damaged_models_are_refused_with_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    classes(path);
    ok(path, "fit classes.csv --label class --nominal good -o m.eocc");
    let bytes = std::fs::read(path.join("m.eocc")).unwrap();
    for (name, damage) in [
        ("cut", bytes[..bytes.len() / 2].to_vec()),
        ("empty", Vec::new()),
        ("longer", [bytes.clone(), b"x".to_vec()].concat()),
        (
            "flipped",
            bytes.iter().enumerate().map(|(i, b)| if i == bytes.len() - 9 { b ^ 4 } else { *b }).collect(),
        ),
    ] {
        std::fs::write(path.join("d.eocc"), damage).unwrap();
        let done = run(path, "score d.eocc classes.csv --label class");
        assert_eq!(done.code, 4, "{name}: {}", done.err);
        assert_eq!(done.err.lines().count(), 1, "{name}: {}", done.err);
        assert!(done.err.starts_with("error: d.eocc: "), "{name}: {}", done.err);
    }
}

#[test]
fn what_would_not_fit_in_memory_is_refused_before_it_starts() {
    let folder = tempfile::tempdir().unwrap();
    let rows: Vec<String> = (0..400_000).map(|i| (i % 1000).to_string()).collect();
    std::fs::write(folder.path().join("long.csv"), format!("a\n{}\n", rows.join("\n"))).unwrap();
    let done = run(folder.path(), "fit long.csv -o m.eocc --preset paper --prototypes all");
    assert_eq!(done.code, 6, "{}", done.err);
    assert!(done.err.contains("fitting 400000 samples would need about"), "{}", done.err);
    assert!(done.err.contains("--prototypes N") && done.err.contains("--direct"), "{}", done.err);
}
