//! `eocc compare` as a user runs it.
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{classes, ok, program, run, without_times};
use serde_json::Value;

/// Number of whole lines.
fn lines(text: &[u8]) -> usize {
    text.split(|b| *b == b'\n').count() - 1
}

const COMMON: &str = "compare classes.csv --label class --nominal good --repeats 2 --folds 4 --format json";

#[test]
fn a_journal_cut_anywhere_gives_the_same_table_whatever_the_threads() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let command = format!("{COMMON} --methods gauss,k-means,1-nn,default,lof --journal j.jsonl");
    let whole = ok(folder.path(), &format!("{command} --threads 1"));
    let journal = std::fs::read(folder.path().join("j.jsonl")).unwrap();
    assert_eq!(lines(&journal), 1 + 5 * 8);
    for share in [0, 1, 3, 7] {
        std::fs::write(folder.path().join("j.jsonl"), &journal[..journal.len() * share / 8]).unwrap();
        let resumed = ok(folder.path(), &format!("{command} --threads 3"));
        assert_eq!(without_times(&resumed.out), without_times(&whole.out), "cut at {share}/8");
    }
    // Nothing is left to do: even the times are those of the journal.
    let once = ok(folder.path(), &command);
    assert_eq!(once.out, ok(folder.path(), &command).out);
    assert!(once.err.contains("40 of 40 results are in j.jsonl already"), "{}", once.err);
    // More repeats continue from there, and a restart discards everything.
    let more = ok(folder.path(), &command.replace("--repeats 2", "--repeats 3"));
    assert!(more.err.contains("40 of 60 results"), "{}", more.err);
    let anew = ok(folder.path(), &format!("{command} --restart"));
    assert!(!anew.err.contains("already"), "{}", anew.err);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_resumes_and_ends_in_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let command = COMMON.replace("--repeats 2", "--repeats 6");
    let whole = ok(folder.path(), &format!("{command} --journal whole.jsonl"));
    let words = format!("{command} --journal cut.jsonl");
    let child = program(folder.path())
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let written = |path: &Path| std::fs::read(path).map_or(0, |text| lines(&text));
    let start = Instant::now();
    while written(&folder.path().join("cut.jsonl")) < 8 && start.elapsed() < Duration::from_mins(1) {
        std::thread::sleep(Duration::from_millis(2));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let stopped = child.wait_with_output().unwrap();
    assert_eq!(stopped.status.code(), Some(130));
    let said = String::from_utf8_lossy(&stopped.stderr).into_owned();
    assert!(said.contains("the same command resumes it"), "{said}");
    let kept = written(&folder.path().join("cut.jsonl")) - 1;
    let resumed = ok(folder.path(), &words);
    assert!(resumed.err.contains(&format!("{kept} of 576 results")), "{}", resumed.err);
    assert_eq!(without_times(&resumed.out), without_times(&whole.out));
}

#[test]
fn methods_that_cannot_run_are_reported_and_the_rest_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    // Forty points on a line, the last eight far away; a matrix of their distances with the classes next to it.
    let at: Vec<f64> =
        (0..40).map(|i| f64::from(i * i % 37) * 0.1 + if i < 32 { 0.0 } else { 50.0 }).collect();
    let row = |i: usize| {
        let cells: Vec<String> = at.iter().map(|b| (at[i] - b).abs().to_string()).collect();
        format!("{},{}\n", cells.join(","), if i < 32 { "good" } else { "bad" })
    };
    std::fs::write(folder.path().join("d.csv"), (0..40).map(row).collect::<String>()).unwrap();
    let command = "compare d.csv --precomputed --header false --label 40 --nominal good --folds 4 --repeats 1 \
                   --methods gauss,mst_cd,svdd --format csv";
    let done = ok(folder.path(), command);
    let lines: Vec<&str> = done.out.lines().collect();
    assert!(lines[1].starts_with("d,gauss,,,,,,,,this classifier needs vectors of numbers"), "{}", done.out);
    assert!(lines[2].starts_with("d,mst_cd,1,0,") && lines[3].starts_with("d,svdd,"), "{}", done.out);
    assert!(done.err.contains("not applicable: Gauss on d: this classifier needs vectors"), "{}", done.err);
}

#[test]
fn several_sets_are_ranked_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let path = classes(folder.path());
    let text = std::fs::read_to_string(&path).unwrap();
    // The same classes, less far apart.
    std::fs::write(
        folder.path().join("other.csv"),
        text.replace(",bad", ",good").replacen(",good", ",bad", 9),
    )
    .unwrap();
    let command = "compare classes.csv other.csv --label class --nominal good --repeats 1 --folds 3 \
                   --methods gauss,pca,dte-np --plots pictures";
    let done = ok(folder.path(), command);
    assert!(done.out.starts_with("method") && done.out.contains("Friedman: chi2"), "{}", done.out);
    for name in ["anova", "friedman", "critical-difference"] {
        let svg = std::fs::read_to_string(folder.path().join(format!("pictures/{name}.svg"))).unwrap();
        assert!(svg.contains(">DTE-NP<"), "{name}");
        let png = std::fs::read(folder.path().join(format!("pictures/{name}.png"))).unwrap();
        assert_eq!(&png[1..4], b"PNG");
    }
}

#[test]
fn methods_that_are_equal_everywhere_are_reported_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = classes(folder.path());
    std::fs::copy(&path, folder.path().join("again.csv")).unwrap();
    // Both detect every outlier: there is no residual, and no difference.
    let command = "compare classes.csv again.csv --label class --nominal good --repeats 1 --folds 3 \
                   --methods gauss,dte-np --plots pictures";
    let done = ok(folder.path(), command);
    assert!(done.out.contains("two-way ANOVA: F(1, 1) = 0, p = 1;"), "{}", done.out);
    assert!(folder.path().join("pictures/critical-difference.png").exists());
    let json: Value =
        serde_json::from_str(&ok(folder.path(), &format!("{command} --format json")).out).unwrap();
    assert_eq!(json["tests"]["anova"]["p"], 1.0);
}

#[test]
fn a_journal_is_not_resumed_when_the_data_are_read_in_another_way() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let one = format!("{COMMON} --methods default --journal j.jsonl");
    ok(folder.path(), &one);
    for option in ["--types a=category", "--types a=number", "--header true", "--delimiter ,", "--input csv"]
    {
        let done = run(folder.path(), &format!("{one} {option}"));
        assert_eq!(done.code, 3, "{option}: {}", done.err);
        assert!(done.err.contains("a run with other settings"), "{option}: {}", done.err);
    }
}

#[test]
fn faults_are_named_with_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    classes(folder.path());
    let done = run(folder.path(), "compare classes.csv --label class --nominal good --methods knn");
    assert_eq!(done.code, 2);
    assert!(
        done.err.contains("method is `knn` (did you mean `k-nn`?), but must be all or one of default, paper"),
        "{}",
        done.err
    );
    let one = format!("{COMMON} --methods gauss --journal j.jsonl");
    ok(folder.path(), &one);
    let done = run(folder.path(), &format!("{one} --seed 9"));
    assert_eq!(done.code, 3);
    assert!(done.err.contains("a run with other settings") && done.err.contains("--restart"), "{}", done.err);
    std::fs::write(folder.path().join("notes.csv"), "a,b\n1,2\n").unwrap();
    let done =
        run(folder.path(), &format!("{one} --restart --journal notes.csv").replace("--journal j.jsonl ", ""));
    assert_eq!(done.code, 3);
    assert!(done.err.contains("not a journal"), "{}", done.err);
    let done = run(folder.path(), "compare - --label class --nominal good");
    assert_eq!(done.code, 2);
}
