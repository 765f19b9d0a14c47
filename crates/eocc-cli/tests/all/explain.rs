//! `eocc explain`: in words, by name, for every kind of samples.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;
use serde_json::Value;

use crate::support::{ok, run, run_with};

fn people(folder: &Path) {
    let mut r = Random::new(1);
    let mut text = String::from("id,amount,kind,born\n");
    for i in 0..80 {
        let day = 1 + r.below(28);
        let kind = ["private", "trade"][r.below(2)];
        let amount = 20.0 + 2.0 * r.normal();
        let _ = writeln!(text, "P-{i:03},{amount:.2},{kind},19{}-03-{day:02}", 60 + r.below(30));
    }
    std::fs::write(folder.join("people.csv"), text).unwrap();
}

#[test]
fn a_row_of_a_table_is_explained_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    people(f);
    let fitted = ok(f, "fit people.csv -o m.eocc");
    assert!(fitted.err.contains("`born` holds dates"), "{}", fitted.err);
    let new =
        "id,amount,kind,born\nQ-1,20,trade,1975-03-04\nQ-2,400,trade,1975-03-04\nQ-3,20,club,2035-03-04\n";
    std::fs::write(f.join("new.csv"), new).unwrap();
    let said = ok(f, "explain m.eocc new.csv");
    assert!(said.err.contains("2 of 3 samples rejected, 2 explained"), "{}", said.err);
    let of_amount = said.out.split("\n\n").find(|part| part.contains("Q-2")).unwrap();
    let first = of_amount.lines().nth(1).unwrap();
    assert!(first.contains("amount") && first.contains("400") && first.contains("usual: 1"), "{of_amount}");
    assert!(of_amount.contains("nearest nominals: P-"), "{of_amount}");
    let other = said.out.split("\n\n").find(|part| part.contains("Q-3")).unwrap();
    assert!(other.contains("club") && other.contains("as in none of the nominals"), "{other}");
    assert!(other.contains("2035-03-04") && other.contains("usual: 19"), "{other}");
    // One row, accepted or not; as JSON, with the numbers of `score`.
    let one = ok(f, "explain m.eocc new.csv --row 0 --json").out;
    let one: Value = serde_json::from_str(&one).unwrap();
    assert_eq!((one["name"].as_str(), one["accepted"].as_bool()), (Some("Q-1"), Some(true)));
    let scores = ok(f, "score m.eocc new.csv").out;
    let p_value: f64 = scores.lines().nth(1).unwrap().split(',').next_back().unwrap().parse().unwrap();
    assert!((one["p_value"].as_f64().unwrap() - p_value).abs() < 1e-15);
    assert_eq!(one["nearest"].as_array().unwrap().len(), 5);
    assert!(run(f, "explain m.eocc new.csv --row 3").err.contains("which has 3 rows"));
    assert!(run(f, "explain m.eocc new.csv --id Q-9").err.contains("`Q-9`"));
}

#[test]
fn strings_series_and_graphs_are_shown_beside_the_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let words: Vec<String> = (0..40).map(|i| format!("the quick brown fox number {i}\n")).collect();
    std::fs::write(f.join("words.txt"), words.concat()).unwrap();
    ok(f, "fit words.txt --input lines -o w.eocc");
    let said = run_with(f, "explain w.eocc - --input lines --row 0", b"the quack brown fox number 7\n").out;
    assert!(
        said.contains("the quack brown fox number 7") && said.contains("the quick brown fox number 7"),
        "{said}"
    );
    let rows: Vec<String> = (0..30)
        .map(|i| {
            format!(
                "\"[{}]\"\n",
                (0..12).map(|t| ((t + i % 3) % 4).to_string()).collect::<Vec<_>>().join(",")
            )
        })
        .collect();
    std::fs::write(f.join("waves.csv"), format!("wave\n{}", rows.concat())).unwrap();
    ok(f, "fit waves.csv -o s.eocc");
    let odd = b"wave\n\"[0,1,2,3,0,1,9,3,0,1,2,3]\"\n";
    let said = run_with(f, "explain s.eocc - --row 0", odd).out;
    assert!(said.contains("step 6: 9 where step"), "{said}");
    let graph = |label: &str| {
        format!(
            "{{\"nodes\":[{{\"id\":0,\"c\":\"a\"}},{{\"id\":1,\"c\":\"{label}\"}}],\"links\":[{{\"source\":0,\"target\":1}}]}}"
        )
    };
    let line = |i: usize| format!("{{\"g\":{}}}\n", graph(["b", "c"][i % 2]));
    std::fs::write(f.join("graphs.jsonl"), (0..20).map(line).collect::<String>()).unwrap();
    ok(f, "fit graphs.jsonl -o g.eocc");
    std::fs::write(f.join("odd.jsonl"), format!("{{\"g\":{}}}\n", graph("z"))).unwrap();
    let said = ok(f, "explain g.eocc odd.jsonl --row 0").out;
    assert!(said.contains("vertex") && said.contains("total:"), "{said}");
}

/// A model that imputed its missing values imputes those of new samples.
#[test]
fn a_model_keeps_what_became_of_missing_values() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::from("a,b\n");
    let mut r = Random::new(3);
    for i in 0..200 {
        let b = if i % 20 == 0 { String::new() } else { format!("{:.3}", r.normal()) };
        let _ = writeln!(text, "{:.3},{b}", r.normal());
    }
    std::fs::write(f.join("t.csv"), text).unwrap();
    ok(f, "fit t.csv --missing impute -o i.eocc");
    let hole = run_with(f, "score i.eocc -", b"a,b\n0.1,\n").out;
    assert!(hole.lines().nth(1).unwrap().contains(",true,"), "{hole}");
    assert_eq!(hole, run_with(f, "score i.eocc - --missing impute", b"a,b\n0.1,\n").out);
}

/// A key is recognized even if a row is repeated.
#[test]
fn a_doubled_row_leaves_a_key_a_key() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    people(f);
    let mut text = std::fs::read_to_string(f.join("people.csv")).unwrap().replacen("id,", "who,", 1);
    let first = text.lines().nth(1).unwrap().to_owned();
    let _ = writeln!(text, "{first}");
    std::fs::write(f.join("twice.csv"), text).unwrap();
    let fitted = ok(f, "fit twice.csv -o m.eocc");
    assert!(fitted.err.contains("`who` looks like a key"), "{}", fitted.err);
    assert!(fitted.out.contains("duplicates  1 sample equals an earlier one"), "{}", fitted.out);
}
