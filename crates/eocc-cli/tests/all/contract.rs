//! The program keeps its contract.

use crate::support::{classes, ok, program, run, run_with};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn fit_prints_one_object_with_all_that_was_promised() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let done =
        ok(folder.path(), "fit classes.csv --label class --nominal good -o m.eocc --preset paper --json");
    let fit = json(&done.out);
    assert_eq!(fit["samples"], 60);
    assert_eq!(fit["features"], 2);
    assert_eq!(fit["prototypes"], 60);
    assert_eq!(fit["weights"].as_array().unwrap().len(), 2);
    let sizes: Vec<u64> = fit["regions"].as_array().unwrap().iter().map(|s| s.as_u64().unwrap()).collect();
    assert_eq!(sizes.iter().sum::<u64>(), 60);
    assert!(sizes.is_sorted_by(|a, b| a >= b));
    assert!(fit["k"].as_u64().unwrap() >= 1);
    for number in ["eta", "jensen", "alpha", "seconds"] {
        assert!(fit[number].is_f64(), "{number}");
    }
    assert!(fit["search"]["evaluations"].as_u64().unwrap() >= 1);
    assert!(fit["search"]["stop"].is_string());
}

#[test]
fn score_answers_row_by_row_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    for preset in ["default", "paper"] {
        ok(
            folder.path(),
            &format!("fit classes.csv --label class --nominal good -o m.eocc --preset {preset}"),
        );
        let csv = ok(folder.path(), "score m.eocc classes.csv --label class").out;
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines[0], "row,score,membership,accepted,region,p_value");
        assert_eq!(lines.len(), 81);
        let cells = |line: &str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let score = |i: usize| cells(lines[i + 1])[1].parse::<f64>().unwrap();
        for (i, line) in lines[1..].iter().enumerate() {
            let c = cells(line);
            assert_eq!(c[0], i.to_string());
            for (cell, low) in [(2, 0.0), (5, f64::MIN_POSITIVE)] {
                assert!((low..=1.0).contains(&c[cell].parse::<f64>().unwrap()), "{line}");
            }
            assert!(c[3] == "true" || c[3] == "false");
        }
        // The outliers are far away: every one scores below every nominal sample.
        let lowest = (0..60).map(score).fold(f64::INFINITY, f64::min);
        assert!((60..80).all(|i| score(i) < lowest), "{preset}");
        assert!((60..80).all(|i| cells(lines[i + 1])[3] == "false"), "{preset}");
        let jsonl = ok(folder.path(), "score m.eocc classes.csv --label class --format jsonl").out;
        let objects: Vec<Value> = jsonl.lines().map(json).collect();
        assert_eq!(objects.len(), 80);
        assert_eq!(objects[7]["score"].as_f64().unwrap().to_bits(), score(7).to_bits());
        ok(folder.path(), "score m.eocc classes.csv --label class --format parquet -o s.parquet");
        let bytes = std::fs::read(folder.path().join("s.parquet")).unwrap();
        assert_eq!(&bytes[..4], b"PAR1");
    }
}

#[test]
fn a_score_does_not_depend_on_the_other_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = classes(folder.path());
    let text = std::fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for preset in ["default", "paper"] {
        ok(
            folder.path(),
            &format!("fit classes.csv --label class --nominal good -o m.eocc --preset {preset}"),
        );
        let all = ok(folder.path(), "score m.eocc classes.csv --label class").out;
        let all: Vec<&str> = all.lines().collect();
        for i in [1, 30, 75] {
            let one = format!("{}\n{}\n", lines[0], lines[i]);
            let alone = run_with(folder.path(), "score m.eocc - --label class", one.as_bytes()).out;
            let after_row = |line: &str| line.split_once(',').unwrap().1.to_owned();
            assert_eq!(after_row(alone.lines().nth(1).unwrap()), after_row(all[i]));
        }
    }
}

#[test]
fn columns_are_found_by_name_and_missing_ones_named() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    ok(folder.path(), "fit classes.csv --label class --nominal good -o m.eocc");
    let straight = run_with(folder.path(), "score m.eocc -", b"a,b\n1,0.5\n").out;
    let turned = run_with(folder.path(), "score m.eocc -", b"b,height,a\n0.5,7,1\n");
    assert_eq!(straight, turned.out);
    let said = "note: not features of the model, left out: `height`\n0 of 1 sample rejected\n";
    assert_eq!(turned.err, said);
    assert_eq!(run_with(folder.path(), "score m.eocc - --quiet", b"b,height,a\n0.5,7,1\n").err, "");
    // Names are not features either, and appear in the output.
    let named = run_with(folder.path(), "score m.eocc -", b"b,id,a\n0.5,7,1\n").out;
    assert_eq!(named.replacen("name,", "", 1).replacen("0,7,", "0,", 1), straight);
    let other = run_with(folder.path(), "score m.eocc -", b"a,c\n1,0.5\n");
    assert_eq!(other.code, 3);
    assert_eq!(other.err, "error: standard input: no column \"b\"; the columns are \"a\", \"c\"\n");
}

#[test]
fn inspect_tells_what_the_model_is() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    ok(
        folder.path(),
        "fit classes.csv --label class --nominal good -o m.eocc --preset paper --search none --seed 5",
    );
    let text = ok(folder.path(), "inspect m.eocc").out;
    for word in ["paper", "euclidean", "a = 1, b = 1", "k = ", "chi*", "threshold"] {
        assert!(text.contains(word), "{word} is not in\n{text}");
    }
    let object = json(&ok(folder.path(), "inspect m.eocc --json").out);
    assert_eq!(object["preset"], "paper");
    assert_eq!(object["parameters"]["a"], 1.0);
    assert_eq!(object["seed"], 5);
    let regions = object["region_details"].as_array().unwrap();
    assert!(regions.iter().all(|r| r["chi_star"].as_f64().unwrap() > 0.0 && r["threshold"].is_number()));
}

#[test]
fn evaluate_repeats_itself_and_reports_each_repeat() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let words = "evaluate classes.csv --label class --nominal good --repeats 3 --folds 4 --json";
    let object = json(&ok(folder.path(), words).out);
    assert_eq!(object["auc_per_repeat"].as_array().unwrap().len(), 3);
    assert!(object["auc"].as_f64().unwrap() > 0.99);
    for number in ["auc_std", "fit_seconds", "score_seconds"] {
        assert!(object[number].is_number(), "{number}");
    }
    let again = json(&ok(folder.path(), &format!("{words} --threads 1")).out);
    assert_eq!(object["auc_per_repeat"], again["auc_per_repeat"]);
}

#[test]
fn demo_finds_the_regions_of_the_paper_and_draws_them() {
    let folder = tempfile::tempdir().unwrap();
    let out = ok(folder.path(), "demo -o pictures").out;
    let regions: Vec<&str> =
        out.lines().skip(1).map(|l| l.split_whitespace().rev().nth(1).unwrap()).collect();
    assert_eq!(regions, ["3", "1", "2", "2"]);
    for name in ["three-blobs", "uniform-square", "crescent-and-moon", "two-gaussians-100d"] {
        let bytes = std::fs::read(folder.path().join(format!("pictures/{name}.png"))).unwrap();
        assert_eq!(&bytes[1..4], b"PNG");
        assert!(bytes.len() > 20_000);
        assert!(folder.path().join(format!("pictures/{name}.svg")).exists());
    }
}

#[test]
fn the_model_file_is_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    for options in
        ["--preset paper --tau 0 --evaluations 30", "--preset default", "--preset paper --prototypes 20"]
    {
        let bytes = [1, 2, 8].map(|threads| {
            let words = format!(
                "fit classes.csv --label class --nominal good -o m{threads}.eocc --seed 3 --threads {threads} {options}"
            );
            ok(folder.path(), &words);
            std::fs::read(folder.path().join(format!("m{threads}.eocc"))).unwrap()
        });
        assert!(bytes[0] == bytes[1] && bytes[1] == bytes[2], "{options}");
    }
}

#[test]
fn precomputed_dissimilarities_are_fitted_and_scored() {
    let folder = tempfile::tempdir().unwrap();
    let points: Vec<f64> = (0..30).map(|i| (f64::from(i) * 0.618).fract()).collect();
    let rows = |from: &[f64]| -> String {
        from.iter()
            .map(|a| points.iter().map(|b| format!("{}", (a - b).abs())).collect::<Vec<_>>().join(",") + "\n")
            .collect()
    };
    std::fs::write(folder.path().join("square.csv"), rows(&points)).unwrap();
    std::fs::write(folder.path().join("new.csv"), rows(&[0.5, 9.0])).unwrap();
    for preset in ["paper", "default"] {
        ok(
            folder.path(),
            &format!("fit square.csv --precomputed --header false -o m.eocc --preset {preset}"),
        );
        let out = ok(folder.path(), "score m.eocc new.csv --header false").out;
        let score = |i: usize| out.lines().nth(i).unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap();
        assert!(score(1) > score(2), "{out}");
        let wrong = run_with(folder.path(), "score m.eocc -", b"1,2,3\n");
        assert_eq!(wrong.code, 3);
        assert!(
            wrong.err.contains("each row must hold 30 dissimilarities, but the rows hold 3"),
            "{}",
            wrong.err
        );
    }
}

#[test]
fn help_has_examples_and_completions_are_printed() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["", "fit", "score", "inspect", "evaluate", "demo", "completions"] {
        let help = ok(folder.path(), &format!("{command} --help")).out;
        assert!(help.contains("Example"), "{command}");
    }
    assert!(ok(folder.path(), "--help").out.contains("Exit codes"));
    for shell in ["bash", "zsh", "fish"] {
        assert!(ok(folder.path(), &format!("completions {shell}")).out.contains("eocc"));
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    ok(folder.path(), "fit classes.csv --label class --nominal good -o m.eocc");
    let rows: Vec<String> = (0..20_000).map(|i| format!("{i},1")).collect();
    std::fs::write(folder.path().join("many.csv"), format!("a,b\n{}\n", rows.join("\n"))).unwrap();
    let mut child = program(folder.path())
        .args(["score", "m.eocc", "many.csv"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0));
    assert!(done.stderr.is_empty(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[cfg(unix)]
#[test]
fn interrupted_searches_save_the_best_so_far() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let mut child = program(folder.path())
        .args("fit classes.csv --label class --nominal good -o m.eocc --preset paper --tau 0".split(' '))
        .args(["--evaluations", "100000000"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let pid = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    let object = json(&run(folder.path(), "inspect m.eocc --json").out);
    assert_eq!(object["search"]["stop"], "cancelled");
    assert!(object["search"]["evaluations"].as_u64().unwrap() > 1);
}

#[test]
fn every_command_has_a_man_page() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    ok(f, "man -o pages");
    let help = ok(f, "--help").out;
    let listed = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| line.starts_with("  "));
    let commands: Vec<&str> = listed
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.contains(&"fit") && commands.contains(&"man"), "{commands:?}");
    for command in &commands {
        let page = std::fs::read_to_string(f.join(format!("pages/eocc-{command}.1"))).unwrap();
        assert!(page.contains(&format!(".TH eocc-{command} 1")) && page.contains(".SH SYNOPSIS"), "{page}");
        assert_eq!(ok(f, &format!("man {command}")).out, page);
    }
    assert_eq!(std::fs::read_dir(f.join("pages")).unwrap().count(), commands.len() + 1);
    let whole = ok(f, "man").out;
    assert!(whole.contains(".TH eocc 1") && whole.contains("Exit codes"), "{whole}");
    let done = run(f, "man fti");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("must be one of fit, score"), "{}", done.err);
}
