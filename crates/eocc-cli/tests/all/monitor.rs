//! `eocc monitor`: decisions as samples arrive, events, questions, and runs that are killed and resumed.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use arrow_ipc::writer::FileWriter;
use eocc_core::random::Random;
use eocc_data::{Column, OutFormat, write_bytes};

use crate::support::{ok, program, run, run_with};

/// Rows of two numbers; from some row on, both are shifted.
fn rows(count: usize, seed: u64, shifted_from: usize) -> String {
    let mut r = Random::new(seed);
    let mut text = String::from("temp,load\n");
    for i in 0..count {
        let shift = if i >= shifted_from { 20.0 } else { 0.0 };
        let _ = writeln!(text, "{:.4},{:.4}", r.normal() + shift, r.normal() + shift);
    }
    text
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::write(folder.join(name), text).unwrap();
}

fn spawn(folder: &Path, words: &str) -> Child {
    program(folder)
        .args(words.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn events(folder: &Path, name: &str) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn answers_come_as_samples_do() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "train.csv", &rows(200, 1, 999));
    ok(f, "fit train.csv -o m.eocc --reject 0.02");
    let mut child = spawn(f, "monitor s.eocc --from m.eocc");
    let mut input = child.stdin.take().unwrap();
    let (send, answers) = std::sync::mpsc::channel();
    let output = BufReader::new(child.stdout.take().unwrap());
    let reader = std::thread::spawn(move || {
        for line in output.lines() {
            if send.send(line.unwrap()).is_err() {
                break;
            }
        }
    });
    let answer =
        || answers.recv_timeout(Duration::from_secs(60)).expect("no answer before the end of the input");
    input.write_all(b"temp,load\n0,0\n").unwrap();
    assert_eq!(answer(), "row,score,membership,accepted,region,p_value,alarm");
    assert!(answer().starts_with("0,"));
    input.write_all(b"99,99\n").unwrap();
    let far = answer();
    assert!(far.starts_with("1,") && far.contains(",false,") && far.ends_with(','), "{far}");
    drop(input);
    assert!(child.wait().unwrap().success());
    reader.join().unwrap();
    let seen = ok(f, "inspect s.eocc --json").out;
    let seen: serde_json::Value = serde_json::from_str(&seen).unwrap();
    assert_eq!((&seen["stream"]["seen"], &seen["stream"]["policy"]), (&2.into(), &"guard".into()));
    assert!(!f.join("s.eocc.lock").exists());
}

#[test]
fn a_change_is_told_and_answered() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "s.csv", &rows(1000, 2, 800));
    let done = ok(f, "monitor s.eocc s.csv --warm-up 200 -o out.csv --events events.jsonl");
    assert!(done.err.contains("alarm 1 at sample 80"), "{}", done.err);
    let out = fs::read_to_string(f.join("out.csv")).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 1001);
    // During the warm-up there is nothing to report.
    assert_eq!(lines[1], "0,,,true,0,,");
    assert!(lines[201..801].iter().filter(|line| line.contains(",false,")).count() < 20);
    assert!(lines[801..].iter().filter(|line| line.contains(",false,")).count() > 150);
    let found = events(f, "events.jsonl");
    let kinds: Vec<&str> = found.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(kinds[..2], ["alarm", "lasting"], "{found:?}");
    let alarm = &found[0];
    assert!(lines[1 + alarm["time"].as_u64().unwrap() as usize].ends_with(",1"), "{alarm}");
    assert!(
        (795..=805).contains(&alarm["since"].as_u64().unwrap()) && alarm["advice"].is_string(),
        "{alarm}"
    );
    let id = found[1]["id"].as_u64().unwrap();
    assert!(found[1]["question"] == true && found[1]["rejected"].as_f64().unwrap() > 0.5);
    let listed = ok(f, "monitor s.eocc --list").out;
    assert!(listed.contains(&format!("open    lasting {id} at sample ")), "{listed}");
    let wrong = run(f, "monitor s.eocc --confirm 99");
    assert!(wrong.code != 0 && wrong.err.contains("99"), "{}", wrong.err);
    ok(f, &format!("monitor s.eocc --confirm {id}"));
    assert!(!ok(f, "monitor s.eocc --list").out.contains("open    lasting"));
    // The confirmed samples are nominal now.
    write(f, "more.csv", &rows(300, 3, 0));
    let more = ok(f, "monitor s.eocc more.csv").out;
    assert!(more.lines().filter(|line| line.contains(",false,")).count() < 30, "{more}");
    // The state is a model like any other.
    ok(f, "score s.eocc more.csv");
    ok(f, "explain s.eocc more.csv --top 1");
    ok(f, "report s.eocc -o report.html");
    let page = fs::read_to_string(f.join("report.html")).unwrap();
    assert!(page.contains("seen as a stream"));
    let title = "P-values, fraction rejected and alarm statistic over time";
    let picture = &page[page.find(title).unwrap()..];
    let picture = &picture[..picture.find("</svg>").unwrap()];
    for label in ["sample", "p-value", "fraction rejected", "log10 of statistic"] {
        assert!(picture.contains(&format!(">{label}</text>")), "{label}: {picture}");
    }
    // Each alarm is a line in each of the three parts, and so is each lasting change.
    let told = ok(f, "monitor s.eocc --list --json").out;
    for (kind, color) in [("alarm", "#d55e00"), ("lasting", "#cc79a7")] {
        let count = told.matches(&format!("\"event\":\"{kind}\"")).count();
        assert_eq!(picture.matches(color).count(), 3 * count, "{kind}: {told}");
    }
}

#[test]
fn a_run_that_fails_at_once_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "t.csv", &rows(700, 5, usize::MAX));
    ok(f, "fit t.csv -o m.eocc");
    write(f, "other.csv", "length,width\n1,2\n3,4\n");
    for args in ["--from m.eocc", "--warm-up 30"] {
        let done = run(f, &format!("monitor s.eocc other.csv {args} -o out.csv --events events.jsonl"));
        assert_ne!(done.code, 0, "{args}");
        for file in ["s.eocc", "s.eocc.lock", "out.csv", "events.jsonl"] {
            assert!(!f.join(file).exists(), "{args}: {file}");
        }
    }
    let done = ok(f, "monitor s.eocc t.csv --from m.eocc -o out.csv");
    assert!(
        done.err.contains("note: starts from 512 of 700 samples of the model, evenly spaced (--window)"),
        "{}",
        done.err
    );
}

#[test]
fn a_dismissed_change_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(9);
    let mut text = String::from("temp,load\n");
    for i in 0..1400 {
        let _ = writeln!(text, "{:.4},{:.4}", r.normal() + if i < 1000 { 0.0 } else { 2.5 }, r.normal());
    }
    write(f, "s.csv", &text);
    let done = ok(f, "monitor s.eocc s.csv --warm-up 300 -o out.csv");
    assert!(done.err.contains("lasting 2 at sample "), "{}", done.err);
    // What the question explains is not asked again.
    assert!(!done.err.contains("proposal"), "{}", done.err);
    let said = ok(f, "monitor s.eocc --dismiss 2").err;
    assert!(said.starts_with("dismissed 2 and forgot "), "{said}");
    assert!(said.contains(" samples learned since the change; 0 questions open"), "{said}");
    assert_eq!(run(f, "monitor s.eocc --dismiss 2").code, 3);
}

#[test]
fn a_second_run_on_a_state_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "train.csv", &rows(100, 1, 999));
    ok(f, "fit train.csv -o m.eocc");
    let mut child = spawn(f, "monitor s.eocc --from m.eocc");
    let mut input = child.stdin.take().unwrap();
    input.write_all(b"temp,load\n0,0\n").unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let second = run(f, "monitor s.eocc train.csv");
    assert!(
        second.code == 2 && second.err.contains("another `eocc monitor` is running on it"),
        "{}",
        second.err
    );
    let answer = run(f, "monitor s.eocc --confirm 1");
    assert!(answer.err.contains("another `eocc monitor` is running on it"), "{}", answer.err);
    drop(input);
    assert!(child.wait().unwrap().success());
    ok(f, "monitor s.eocc train.csv");
}

#[test]
fn kinds_other_than_tables_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(7);
    let mut log = String::new();
    for i in 0..160 {
        let user = r.below(50);
        let _ = match i {
            120.. if i % 2 == 0 => writeln!(log, "kernel panic: stack smashed at 0x{user:x}"),
            _ => writeln!(log, "user {user} logged in from host {}", r.below(9)),
        };
    }
    let done = run_with(f, "monitor s.eocc - --input lines --mask --warm-up 80 --window 128", log.as_bytes());
    assert_eq!(done.code, 0, "{}", done.err);
    let lines: Vec<&str> = done.out.lines().collect();
    assert_eq!(lines.len(), 161);
    assert!(lines[81..121].iter().all(|line| line.contains(",true,")), "{}", done.out);
    assert!(lines[121].contains(",false,"), "{}", lines[121]);
    // A long series, by its windows.
    let mut wave = String::from("time,level\n");
    for i in 0..2000 {
        let _ = writeln!(wave, "{i},{:.3}", (f64::from(i) / 3.0).sin() + 0.1 * r.normal());
    }
    write(f, "wave.csv", &wave);
    let out =
        ok(f, "monitor w.eocc wave.csv --window-of 20 --window-as summary --warm-up 100 --window 128").out;
    let last = out.lines().last().unwrap();
    assert!(last.ends_with(",1980,1999"), "{last}");
    assert_eq!(
        run_with(
            f,
            "monitor p.eocc --window-of 20 --window-as summary --warm-up 100 --window 128",
            wave.as_bytes()
        )
        .out,
        out
    );
}

/// Runs that are killed at any moment and resumed leave the output of a single run, byte for byte.
#[test]
fn killed_runs_leave_the_output_of_a_single_one() {
    let kills = std::env::var("EOCC_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(6);
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "s.csv", &rows(3000, 5, 1800));
    let words = "--warm-up 200 --window 256 --policy follow --save-every 100";
    ok(f, &format!("monitor one.eocc s.csv -o one.csv --events one.jsonl {words}"));
    let mut random = Random::new(8);
    let mut killed = 0;
    for _ in 0..kills {
        let mut child =
            spawn(f, &format!("monitor k.eocc s.csv --skip-seen -o k.csv --events k.jsonl {words}"));
        std::thread::sleep(Duration::from_millis(random.below(120) as u64));
        if child.kill().is_ok() && !child.wait().unwrap().success() {
            killed += 1;
        }
    }
    ok(f, &format!("monitor k.eocc s.csv --skip-seen -o k.csv --events k.jsonl {words}"));
    assert!(killed > 0);
    for (one, many) in [("one.csv", "k.csv"), ("one.jsonl", "k.jsonl")] {
        assert_eq!(
            fs::read_to_string(f.join(one)).unwrap(),
            fs::read_to_string(f.join(many)).unwrap(),
            "{many}"
        );
    }
    // Run again: everything has been seen.
    let again = ok(f, &format!("monitor k.eocc s.csv --skip-seen {words}"));
    assert_eq!(again.out, "");
}

/// A run that ends and is resumed at some row leaves the output of a single run, whatever happens to missing values, and
/// wherever they are.
#[test]
fn missing_values_are_treated_alike_in_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (data, first) in [("early", 0), ("late", 250)] {
        let mut r = Random::new(14);
        let mut text = String::from("temp,load,kind\n");
        for i in 0..900 {
            let shift = if i >= 600 { 20.0 } else { 0.0 };
            let load = format!("{:.4}", r.normal() + shift);
            let load = if i >= first && r.uniform() < 0.1 { "" } else { load.as_str() };
            let _ = writeln!(text, "{:.4},{load},{}", r.normal() + shift, ["a", "b"][r.below(2)]);
        }
        for (columns, text) in [("numbers", without_last_column(&text)), ("mixed", text)] {
            let whole = format!("{data}-{columns}.csv");
            write(f, &whole, &text);
            for missing in ["impute", "distance", "drop", "error"] {
                // In the rows that decide about columns, gaps are an error then.
                if missing == "error" && data == "early" {
                    continue;
                }
                let name = format!("{data}-{columns}-{missing}");
                let words = format!("--warm-up 200 --window 256 --policy follow --missing {missing}");
                let single = ok(f, &format!("monitor {name}.one {whole} {words}"));
                let rows = single.out.lines().count();
                assert_eq!(rows == 901, matches!(missing, "impute" | "distance"), "{name}: {rows}");
                assert!(single.out.lines().filter(|line| line.contains(",false,")).count() > 20);
                // Within the warm-up, before and after the change.
                let mut joined = String::new();
                for end in [120, 350, 640] {
                    let part: Vec<&str> = text.lines().take(1 + end).collect();
                    write(f, "part.csv", &part.join("\n"));
                    joined += &ok(f, &format!("monitor {name}.k part.csv --skip-seen {words}")).out;
                }
                // What the state knows need not be repeated.
                joined += &ok(f, &format!("monitor {name}.k {whole} --skip-seen")).out;
                assert!(joined == single.out, "{name}");
                // Nor can it be changed.
                let other = if missing == "impute" { "distance" } else { "impute" };
                let said = ok(f, &format!("monitor {name}.k {whole} --skip-seen --missing {other}")).err;
                assert!(said.contains("--missing does not count: the state has "), "{said}");
                // Row by row: a batch may have nothing but gaps.
                let piped = run_with(f, &format!("monitor {name}.p {words}"), text.as_bytes());
                assert!(piped.out == single.out, "{name}: {}", piped.err);
            }
        }
    }
}

fn without_last_column(text: &str) -> String {
    text.lines()
        .map(|line| line.rsplit_once(',').unwrap().0)
        .fold(String::new(), |all, line| all + line + "\n")
}

/// A model that imputes, and one that does not but is told to.
#[test]
fn a_stream_from_a_model_imputes_by_its_window() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "train.csv", &rows(200, 1, 999));
    ok(f, "fit train.csv -o plain.eocc");
    ok(f, "fit train.csv -o impute.eocc --missing impute");
    write(f, "gap.csv", "temp,load\n0.1,\n,0.2\n0.1,0.2\n");
    let by_model = ok(f, "monitor a.eocc gap.csv --from impute.eocc").out;
    let as_told = ok(f, "monitor b.eocc gap.csv --from plain.eocc --missing impute").out;
    let unfilled = ok(f, "monitor c.eocc gap.csv --from plain.eocc").out;
    assert_eq!(by_model, as_told);
    assert_ne!(unfilled, as_told);
    assert_eq!(as_told.lines().filter(|line| line.contains(",true,")).count(), 3, "{as_told}");
    assert_eq!(ok(f, "monitor b.eocc gap.csv").out, ok(f, "monitor a.eocc gap.csv").out);
}

/// Folders of graphs, files of graphs and series in long form are read whole, and are followed all the same.
#[test]
fn files_that_are_read_whole_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(15);
    let (mut all, mut long) = (Vec::new(), String::from("id,time,level\n"));
    fs::create_dir(f.join("graphs")).unwrap();
    for i in 0..160 {
        let letters = if i < 120 { ["a", "b"] } else { ["x", "y"] };
        let count = 4 + r.below(3);
        let nodes: Vec<_> =
            (0..count).map(|v| serde_json::json!({"id": v, "label": letters[r.below(2)]})).collect();
        let links: Vec<_> = (1..count).map(|v| serde_json::json!({"source": v - 1, "target": v})).collect();
        let graph = serde_json::json!({"directed": false, "nodes": nodes, "links": links});
        write(f, &format!("graphs/g{i:03}.json"), &graph.to_string());
        all.push(graph);
        let scale = if i < 120 { 0.1 } else { 2.0 };
        for t in 0..12 {
            let _ = writeln!(long, "s{i:03},{t},{:.3}", (f64::from(t) / 2.0).sin() + scale * r.normal());
        }
    }
    write(f, "graphs.json", &serde_json::Value::from(all.clone()).to_string());
    write(f, "long.csv", &long);
    let words = "--warm-up 80 --window 96 --settle 16";
    let mut outs = Vec::new();
    for (name, input) in [("g", "graphs"), ("h", "graphs.json"), ("l", "long.csv --input series-long")] {
        let done = ok(f, &format!("monitor {name}.one {input} {words}"));
        let lines: Vec<&str> = done.out.lines().collect();
        assert_eq!(lines.len(), 161, "{input}");
        assert!(lines[81..121].iter().filter(|line| line.contains(",true,")).count() > 35, "{}", done.out);
        assert!(lines[121..].iter().filter(|line| line.contains(",false,")).count() > 30, "{}", done.out);
        assert!(done.err.contains("alarm 1 at sample 12"), "{}", done.err);
        // The state is a model, from which others start.
        ok(f, &format!("score {name}.one {input}"));
        let from = ok(f, &format!("monitor {name}.from {input} --from {name}.one --window 96 --settle 16"));
        assert_eq!(from.out.lines().count(), 161);
        outs.push(done.out);
    }
    // A file has a graph in each row, without names.
    assert!(unnamed(&outs[0], 1) == unnamed(&outs[1], 0));
    // Resumed with more, and from a pipe.
    let folder_of = |count: usize| {
        fs::create_dir(f.join("some")).unwrap();
        for i in 0..count {
            let name = format!("g{i:03}.json");
            fs::copy(f.join("graphs").join(&name), f.join("some").join(&name)).unwrap();
        }
    };
    folder_of(100);
    let first = ok(f, &format!("monitor g.k some {words}")).out;
    let rest = ok(f, "monitor g.k graphs --skip-seen").out;
    assert_eq!(first + &rest, outs[0]);
    let piped = run_with(f, &format!("monitor l.p - --input series-long {words}"), long.as_bytes());
    assert_eq!((piped.code, &piped.out), (0, &outs[2]), "{}", piped.err);
}

/// TERM ends a run over a file at once: the state knows what it has seen, and the rest can be read again.
#[cfg(unix)]
#[test]
fn term_ends_a_run_over_a_file_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    // All of it is read ahead.
    let count = 30_000;
    write(f, "s.csv", &rows(count, 16, count / 2));
    let words = "--warm-up 200 --window 256 --policy follow --save-every 1000000";
    ok(f, &format!("monitor one.eocc s.csv -o one.csv {words}"));
    let mut child = spawn(f, &format!("monitor k.eocc s.csv -o k.csv {words}"));
    let written = || fs::read_to_string(f.join("k.csv")).map_or(0, |text| text.lines().count());
    for _ in 0..6000 {
        if written() > 300 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    let rows = written();
    assert!((300..count).contains(&rows), "{rows}");
    ok(f, &format!("monitor k.eocc s.csv --skip-seen -o k.csv {words}"));
    assert!(fs::read(f.join("k.csv")).unwrap() == fs::read(f.join("one.csv")).unwrap());
}

/// TERM ends a run that waits for more input: what it has answered is saved, and the next run goes on behind it.
#[cfg(unix)]
#[test]
fn term_saves_what_was_answered() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let text = rows(900, 9, 600);
    write(f, "s.csv", &text);
    let words = "--warm-up 200 --window 256 --policy follow";
    let whole = ok(f, &format!("monitor one.eocc s.csv {words}")).out;
    // Saves are far apart, so that it is TERM that saves.
    let mut child = spawn(f, &format!("monitor k.eocc --save-every 100000 {words}"));
    let mut input = child.stdin.take().unwrap();
    let some: Vec<&str> = text.lines().take(1 + 500).collect();
    input.write_all(format!("{}\n", some.join("\n")).as_bytes()).unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut answered = String::new();
    for _ in 0..=500 {
        output.read_line(&mut answered).unwrap();
    }
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    drop(input);
    std::io::Read::read_to_string(&mut output, &mut answered).unwrap();
    let rest = ok(f, &format!("monitor k.eocc s.csv --skip-seen {words}")).out;
    assert_eq!(answered + &rest, whole);
}

/// A run that is stopped before it has caught up with what a killed one had written does not forget how far that was.
#[cfg(unix)]
#[test]
fn term_before_catching_up_forgets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let text = rows(900, 11, 600);
    write(f, "s.csv", &text);
    let words = "--warm-up 200 --window 256 --policy follow --save-every 100000";
    let whole = ok(f, &format!("monitor one.eocc s.csv {words}")).out;
    let part = |rows: usize| text.lines().take(1 + rows).fold(String::new(), |all, line| all + line + "\n");
    let written = || fs::read_to_string(f.join("k.csv")).map_or(0, |text| text.lines().count());
    let until = |is_done: &dyn Fn() -> bool| {
        for _ in 0..600 {
            if is_done() {
                return;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("nothing happened");
    };
    // Killed: 500 answers are written, and the state knows of none.
    let mut child = spawn(f, &format!("monitor k.eocc -o k.csv {words}"));
    let mut input = child.stdin.take().unwrap();
    input.write_all(part(500).as_bytes()).unwrap();
    until(&|| written() == 501);
    child.kill().unwrap();
    child.wait().unwrap();
    // Stopped with half of that.
    let mut child = spawn(f, &format!("monitor k.eocc --skip-seen -o k.csv {words}"));
    let mut input = child.stdin.take().unwrap();
    input.write_all(part(250).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_secs(1));
    let sent = std::process::Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(written(), 501);
    ok(f, &format!("monitor k.eocc s.csv --skip-seen -o k.csv {words}"));
    assert_eq!(fs::read_to_string(f.join("k.csv")).unwrap(), whole);
}

/// The same samples in other formats that stream have the same answers.
#[test]
fn formats_that_stream_agree() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let csv = rows(400, 10, 300);
    let want = run_with(f, "monitor a.eocc --warm-up 200 --window 256", csv.as_bytes());
    assert_eq!(want.code, 0, "{}", want.err);
    let mut lines = String::new();
    for line in csv.lines().skip(1) {
        let (temp, load) = line.split_once(',').unwrap();
        let _ = writeln!(lines, "{{\"temp\": {temp}, \"load\": {load}}}");
    }
    let tabs = csv.replace(',', "\t");
    for (state, input, text) in [("b", "jsonl", &lines), ("c", "csv", &tabs)] {
        let words = format!("monitor {state}.eocc - --input {input} --warm-up 200 --window 256");
        let done = run_with(f, &words, text.as_bytes());
        assert_eq!((done.code, &done.out), (0, &want.out), "{input}: {}", done.err);
    }
    let column = |at: usize| -> Vec<f64> {
        csv.lines().skip(1).map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
    };
    let columns = [Column::numbers_or_nan("temp", column(0)), Column::numbers_or_nan("load", column(1))];
    fs::write(f.join("s.parquet"), write_bytes(&columns, OutFormat::Parquet).unwrap()).unwrap();
    let array = |at: usize| Arc::new(Float64Array::from(column(at))) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("temp", array(0)), ("load", array(1))]).unwrap();
    let mut writer =
        FileWriter::try_new(fs::File::create(f.join("s.arrow")).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    for (state, file) in [("d", "s.parquet"), ("e", "s.arrow")] {
        let done = ok(f, &format!("monitor {state}.eocc {file} --warm-up 200 --window 256"));
        assert_eq!(done.out, want.out, "{file}");
        let piped = run_with(
            f,
            &format!("monitor {state}p.eocc - --warm-up 200 --window 256"),
            &fs::read(f.join(file)).unwrap(),
        );
        assert_eq!((piped.code, &piped.out), (0, &want.out), "{file}: {}", piped.err);
    }
}

/// Answers without row numbers and names.
fn unnamed(out: &str, names: usize) -> Vec<String> {
    out.lines().map(|line| line.splitn(2 + names, ',').last().unwrap().to_owned()).collect()
}

/// Sequences in FASTA and in lines; series in rows and in long form.
#[test]
fn formats_of_strings_and_series_agree() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(17);
    let (mut fasta, mut lines) = (String::new(), String::new());
    let (mut wide, mut long) = (String::from("t0,t1,t2,t3,t4,t5,t6,t7\n"), String::from("id,time,level\n"));
    for i in 0..160 {
        let letters = if i < 120 { b"ACDEF" } else { b"VWYKR" };
        let sequence: String = (0..8 + r.below(4)).map(|_| char::from(letters[r.below(5)])).collect();
        let _ = writeln!(fasta, ">p{i}\n{sequence}");
        let _ = writeln!(lines, "{sequence}");
        let scale = if i < 120 { 0.1 } else { 2.0 };
        let series: Vec<String> =
            (0..8).map(|t| format!("{:.3}", (f64::from(t) / 2.0).sin() + scale * r.normal())).collect();
        let _ = writeln!(wide, "{}", series.join(","));
        series.iter().enumerate().for_each(|(t, level)| {
            let _ = writeln!(long, "s{i:03},{t},{level}");
        });
    }
    let words = "--warm-up 80 --window 96 --settle 16";
    let follow = |state: &str, input: &str, text: &str| {
        let piped = run_with(f, &format!("monitor {state}.p - --input {input} {words}"), text.as_bytes());
        assert_eq!(piped.code, 0, "{input}: {}", piped.err);
        write(f, state, text);
        assert_eq!(ok(f, &format!("monitor {state}.f {state} --input {input} {words}")).out, piped.out);
        assert!(piped.out.lines().skip(121).filter(|line| line.contains(",false,")).count() > 20, "{input}");
        piped.out
    };
    assert_eq!(unnamed(&follow("a", "fasta", &fasta), 1), unnamed(&follow("b", "lines", &lines), 0));
    let (wide, long) = (follow("c", "series-wide", &wide), follow("d", "series-long", &long));
    assert_eq!(unnamed(&wide, 0), unnamed(&long, 1));
}
