//! `eocc monitor`: decisions as samples arrive, events, questions, and runs that are killed and resumed.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use eocc_core::random::Random;

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
    assert!(fs::read_to_string(f.join("report.html")).unwrap().contains("seen as a stream"));
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
}
