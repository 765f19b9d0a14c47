//! The notes of `score` on data that differ from the training data.

use std::fmt::Write as _;

use eocc_core::random::Random;

use crate::support::ok;

fn rows(count: usize, seed: u64, shift: f64, unit: &str) -> String {
    let mut r = Random::new(seed);
    let mut text = String::from("temp,load,unit\n");
    for _ in 0..count {
        let _ = writeln!(text, "{:.3},{:.3},{unit}", r.normal() + shift, 5.0 + r.normal());
    }
    text
}

#[test]
fn dates_that_moved_are_reported_as_dates() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    // Not in order, so that dates are a feature.
    let rows = |year: i32, seed: u64| {
        let mut r = Random::new(seed);
        let row = |_| format!("{year}-{:02}-{:02},{:.3}\n", 1 + r.below(12), 1 + r.below(28), r.normal());
        format!("signup,load\n{}", (0..300).map(row).collect::<String>())
    };
    std::fs::write(f.join("then.csv"), rows(2023, 1)).unwrap();
    std::fs::write(f.join("like.csv"), rows(2023, 2)).unwrap();
    std::fs::write(f.join("now.csv"), rows(2025, 3)).unwrap();
    ok(f, "fit then.csv -o m.eocc");
    let err = ok(f, "score m.eocc now.csv").err;
    assert!(err.contains("warning: `signup` moved up: its median is 2025-"), "{err}");
    assert!(err.contains("2023-") && !err.contains("`load`"), "{err}");
    let err = ok(f, "score m.eocc like.csv").err;
    assert!(!err.contains("moved"), "{err}");
}

#[test]
fn data_unlike_that_learned_is_reported_with_its_columns() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::write(f.join("jan.csv"), rows(200, 1, 0.0, "C")).unwrap();
    std::fs::write(f.join("more.csv"), rows(200, 2, 0.0, "C")).unwrap();
    std::fs::write(f.join("feb.csv"), rows(200, 3, 2.0, "F")).unwrap();
    std::fs::write(f.join("few.csv"), rows(20, 3, 2.0, "F")).unwrap();
    ok(f, "fit jan.csv -o m.eocc");
    let err = ok(f, "score m.eocc feb.csv").err;
    assert!(err.contains("warning: 200 of 200 samples (100 %) are rejected, where "), "{err}");
    assert!(
        err.contains("warning: `unit` was `C` in all training samples and is another, such as `F`, in 200 of 200 samples"),
        "{err}"
    );
    assert!(err.contains("warning: `temp` moved up: its median is "), "{err}");
    assert!(!err.contains("`load`") && err.contains("`eocc monitor` follows such changes"), "{err}");
    // Not for similar data, nor for few rows, nor if notes are suppressed.
    for args in ["score m.eocc more.csv", "score m.eocc few.csv", "score m.eocc feb.csv --quiet"] {
        let err = ok(f, args).err;
        assert!(!err.contains("moved") && !err.contains("in all training samples and is"), "{args}: {err}");
    }
}
