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
fn data_unlike_that_learned_is_told_with_its_columns() {
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
