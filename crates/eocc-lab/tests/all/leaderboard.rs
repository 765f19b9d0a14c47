//! `eocc-lab leaderboard` on the command line.
use std::path::Path;

use eocc_baselines::Recipe;
use eocc_lab::variants::VARIANTS;

use crate::support::collections::{csv, graphs, npz, series, strings};
use crate::support::{ok, run};

/// Two tables in the folder `d/uci`; on the second, a normal density is completely wrong.
fn tables(folder: &Path) {
    csv(&folder.join("d/uci"), "far", false);
    csv(&folder.join("d/uci"), "hollow", true);
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap()
}

#[test]
fn rows_are_compared_and_a_second_run_finds_them_again() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let command = "leaderboard --data d --methods gauss,lof --repeats 1 --journal a/new/one -o board.md";
    let first = ok(folder.path(), command);
    let board = read(folder.path(), "board.md");
    // By hand: AUC 1 and 1 for the neighbors, 1 and 0 for the density. Differences of 0 and -100 have the standard
    // deviation 100 / sqrt(2), and the standard error 50. The baseline is included without being named.
    for line in [
        "| row | UCI (2) | not worse than default |",
        "| k-NN mean | 0 |  |",
        "| Gauss | -50.00 ± 50.00, 0/1, -100.0 hollow |  |",
        "| AUC | far | hollow |",
        "| k-NN mean | 1.000 | 1.000 |",
        "| Gauss | 1.000 | 0.000 |",
        "## UCI: 10-fold cross-validation, 1 seed",
    ] {
        assert!(board.lines().any(|l| l == line), "{line}\n{board}");
    }
    assert!(board.contains("| Gauss | 0.5000 | -50.00 |"), "{board}");
    // Missing collections are reported in both places.
    for line in [
        "ADBench: left out, there is no `adbench/*.npz` or `adbench/*.csv`",
        "Embeddings: left out, there is no `embeddings/*.npz` or `embeddings/*.csv`",
        "KEEL: left out, there is no `keel/*.npz` or `keel/*.csv`",
        "Strings: left out, there is no `esol/esol_sequences.csv`",
        "Series: left out, there is no `ts/*_TRAIN.ts`",
        "Graphs: left out, there is no `iam/AIDS.tar.gz`",
    ] {
        assert!(first.err.contains(line), "{line}\n{}", first.err);
        assert!(board.contains(&format!("- {line}")), "{line}\n{board}");
    }
    let again = ok(folder.path(), command);
    assert!(again.err.contains("60 of 60 results are in"), "{}", again.err);
    assert_eq!(read(folder.path(), "board.md"), board);
    let one = ok(folder.path(), "leaderboard --data d --methods lof --sets far --repeats 1");
    assert!(one.out.contains("| AUC | far |") && !one.out.contains("| hollow"), "{}", one.out);
}

#[test]
fn every_kind_of_collection_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("d");
    tables(folder.path());
    // The same with gaps, for other purposes.
    csv(&data.join("uci"), "far_missing", true);
    npz(&data.join("adbench"), "12_far", false);
    npz(&data.join("adbench"), "3_hollow", true);
    npz(&data.join("embeddings"), "bottle", false);
    csv(&data.join("keel"), "one", false);
    npz(&data.join("keel"), "two", true);
    strings(&data);
    series(&data);
    graphs(&data);
    let done = ok(
        folder.path(),
        "leaderboard --data d --methods default,gauss,lof --repeats 1 --journal j -o board.md",
    );
    let left_out = done.err.lines().filter(|line| line.contains("left out"));
    assert!(left_out.clone().all(|line| line.contains("`kinds/")), "{}", done.err);
    let board = read(folder.path(), "board.md");
    let header =
        "| row | ADBench (2) | UCI (2) | Embeddings (1) | KEEL (2) | Strings (2) | Series (1) | Graphs (1) |";
    let tables = "-50.00 ± 50.00, 0/1, -100.0 hollow | -50.00 ± 50.00, 0/1, -100.0 hollow | +0.00, 0/0, +0.0 bottle | \
                  -50.00 ± 50.00, 0/1, -100.0 two";
    // It needs vectors, so there are no results on the last three.
    let gauss = format!("| Gauss | {tables} | - | - | - |  |");
    for line in [
        &format!("{header} not worse than default |"),
        &gauss,
        "| k-NN mean | 0 | 0 | 0 | 0 | 0 | 0 | 0 |  |",
        // Names without their numbers, in the order of the files.
        "| AUC | far | hollow |",
        "| AUC | insoluble | soluble |",
        "| AUC | Waves |",
        "| AUC | Letter-LOW |",
        // Both classes of the series, and the only set of graphs.
        "| k-NN mean | 1.000 |",
    ] {
        assert!(board.lines().any(|l| l == line), "{line}\n{board}");
    }
    assert_eq!(board.lines().filter(|l| *l == "| k-NN mean | 1.000 | 1.000 |").count(), 4, "{board}");
    // Once in the overview, and twice for each collection.
    assert_eq!(board.matches("| EOCC-MI default |").count(), 15, "{board}");
    assert!(!board.contains("Rows without a result"), "{board}");
    for name in ["adbench", "uci", "embeddings", "keel", "strings", "series", "graphs"] {
        assert!(folder.path().join(format!("j/{name}.jsonl")).is_file(), "{name}");
    }
}

#[test]
fn strings_of_many_sources_are_run_by_class() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = folder.path().join("d/kinds");
    std::fs::create_dir_all(&kinds).unwrap();
    let line = |i: usize| {
        let (class, word) = match i % 3 {
            0 => ("short", format!("{:03}", i * 7 % 1000)),
            1 => ("long", format!("word-{:05}-of-many-letters", i * 31 % 90_000)),
            _ => ("rare", format!("{i}?!")),
        };
        format!("{{\"class\":\"{class}\",\"text\":\"{word}\"}}")
    };
    let lines: Vec<String> = (0..180).map(line).collect();
    std::fs::write(kinds.join("strings_words.jsonl"), lines.join("\n") + "\n").unwrap();
    // A single class is not a problem to solve.
    let alone: Vec<&String> = lines.iter().filter(|l| l.contains("short")).collect();
    let alone: Vec<&str> = alone.into_iter().map(String::as_str).collect();
    std::fs::write(kinds.join("strings_alone.jsonl"), alone.join("\n") + "\n").unwrap();
    let words =
        "leaderboard --data d --collections kinds-strings,kinds-strings-plain --methods default --repeats 1";
    let board = ok(folder.path(), words).out;
    assert!(board.contains("| row | More strings (1) | More strings, plain Levenshtein (1) |"), "{board}");
    // The mean over `short` and `long`; rare events are never nominal.
    assert!(board.contains("| AUC | words |") && !board.contains("alone"), "{board}");
}

#[test]
fn a_variant_has_a_verdict() {
    let Some(variant) = VARIANTS.iter().find(|m| matches!(m.recipe, Recipe::Preset { .. })) else { return };
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let words = format!("leaderboard --data d --methods default,{} --repeats 1", variant.name);
    let board = ok(folder.path(), &words).out;
    let row = format!("| {} |", variant.title.replace('_', "\\_"));
    let line = board.lines().find(|l| l.starts_with(&row)).unwrap();
    assert!(line.ends_with("| yes |") || line.contains("| no: UCI "), "{line}");
}

#[test]
fn contamination_is_of_tables_by_half_splits() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    series(&folder.path().join("d"));
    let words = "leaderboard --data d --methods default,lof --repeats 1 --contamination 0.05";
    for told in ["", " --told"] {
        let done = ok(folder.path(), &format!("{words}{told}"));
        assert!(
            done.err.contains("Series: left out, only tables are run with contamination"),
            "{}",
            done.err
        );
        assert!(done.out.contains("plus outliers (0.05 of the training samples)"), "{}", done.out);
        assert!(done.out.contains(&format!("--contamination 0.05{told} --repeats 1")), "{}", done.out);
        assert!(!done.err.contains("already"), "results of the other run: {}", done.err);
    }
    let told = run(folder.path(), "leaderboard --data d --told");
    assert!(told.code == 2 && told.err.contains("--contamination"), "{}", told.err);
}

#[test]
fn a_folder_without_sets_and_an_unknown_row_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    let nothing = run(folder.path(), "leaderboard --data empty");
    assert!(nothing.code == 3 && nothing.err.contains("no data in empty"), "{}", nothing.err);
    assert!(nothing.err.contains("UCI: left out, there is no `uci/*.npz` or `uci/*.csv`"), "{}", nothing.err);
    let missing = run(folder.path(), "leaderboard --data nowhere");
    assert!(missing.code == 3 && missing.err.contains("--data"), "{}", missing.err);
    let unknown = run(folder.path(), "leaderboard --data empty --methods nonsense");
    assert!(unknown.code == 2 && unknown.err.contains("`nonsense`"), "{}", unknown.err);
}
