//! One long series, judged by its windows.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;

use crate::support::{ok, run, run_with};

/// A wave in two channels, flat for a while if requested.
fn wave(folder: &Path, name: &str, rows: usize, flat: std::ops::Range<usize>) -> String {
    let mut r = Random::new(4);
    let mut text = String::from("timestamp,height,speed\n");
    for i in 0..rows {
        let angle = i as f64 / 24.0 * std::f64::consts::TAU;
        let size = if flat.contains(&i) { 0.0 } else { 1.0 };
        let _ = writeln!(
            text,
            "2024-05-{:02} {:02}:00:00,{:.3},{:.3}",
            1 + i / 24,
            i % 24,
            size * angle.sin() + 0.1 * r.normal(),
            size * angle.cos() + 0.1 * r.normal()
        );
    }
    std::fs::write(folder.join(name), &text).unwrap();
    text
}

#[test]
fn a_flat_stretch_is_found_with_its_time() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    wave(f, "long.csv", 720, 400..430);
    for shape in ["series", "summary", "lags"] {
        let out =
            ok(f, &format!("outliers long.csv --window-of 24 --window-as {shape} --top 1 --format csv")).out;
        let line = out.lines().nth(1).unwrap();
        // Rows 396 to 431 are May 17 to 18.
        assert!(
            line.ends_with("2024-05-17 12:00:00,2024-05-18 11:00:00")
                || line.ends_with("2024-05-18 00:00:00,2024-05-18 23:00:00"),
            "{shape}: {line}"
        );
    }
    let missing = run(f, "outliers long.csv --step 5");
    assert_eq!(missing.code, 2);
    let short = run(f, "outliers long.csv --window-of 1");
    assert!(
        short.code == 2 && short.err.contains("window-of is 1, but must be at least 2 rows"),
        "{}",
        short.err
    );
}

#[test]
fn the_model_keeps_how_the_series_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    wave(f, "learn.csv", 720, 0..0);
    let text = wave(f, "new.csv", 200, 100..130);
    ok(f, "fit learn.csv --window-of 24 --step 6 --window-as summary -o m.eocc");
    let out = ok(f, "score m.eocc new.csv").out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "row,name,score,membership,accepted,region,p_value,start,end");
    assert_eq!(lines.len(), 1 + (200 - 24) / 6 + 1);
    assert!(
        lines[2].starts_with("6,") && lines[2].ends_with("2024-05-01 06:00:00,2024-05-02 05:00:00"),
        "{}",
        lines[2]
    );
    assert!(lines.iter().any(|line| line.contains(",false,")));
    // As it comes through a pipe.
    assert_eq!(run_with(f, "score m.eocc -", text.as_bytes()).out, out);
    // Only the header for a series that is too short.
    std::fs::write(f.join("short.csv"), text.lines().take(9).collect::<Vec<_>>().join("\n")).unwrap();
    assert_eq!(ok(f, "score m.eocc short.csv").out.trim(), lines[0]);
    let explained = ok(f, "explain m.eocc new.csv --top 1").out;
    assert!(explained.contains("height") || explained.contains("speed"), "{explained}");
}
