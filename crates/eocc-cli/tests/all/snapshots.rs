//! The program's texts, word for word: every help text, and its errors. `EOCC_BLESS=1 cargo test -p eocc-cli --test
//! all snapshots::` records the current texts in `tests/snapshots`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::support::{classes, ok, program, run_with};

/// Compares with the recorded text, or records it.
fn compare(name: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots").join(name);
    if std::env::var_os("EOCC_BLESS").is_some_and(|value| value == "1") {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, found).unwrap();
        return;
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    let (mut old, mut new) = (known.lines(), found.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (old.next(), new.next()) {
            (None, None) => return,
            (was, is) if was == is => {}
            (was, is) => panic!(
                "line {number} of {} is no longer what the program says:\n- {}\n+ {}\n\
                 if that is meant, run again with EOCC_BLESS=1 and look at the difference before you commit it",
                file.display(),
                was.unwrap_or("(the end)"),
                is.unwrap_or("(the end)"),
            ),
        }
    }
}

/// The help of a command, as wide as the recorded text.
fn help(command: &[String]) -> String {
    let mut program = program(Path::new("."));
    program.args(command).arg("--help").env("COLUMNS", "100").stdin(Stdio::null());
    let done = program.output().unwrap();
    assert!(done.status.success(), "{command:?}");
    String::from_utf8(done.stdout).unwrap()
}

/// The commands listed in a help text, except `help` itself.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    // Longer descriptions continue on lines that are indented further.
    let listed = listed.take_while(|line| line.starts_with("  ")).filter(|line| !line.starts_with("   "));
    let names = listed.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// Adds the help of a command and of all below it.
fn walk(command: &[String], all: &mut Vec<(String, String)>) {
    let text = help(command);
    let below = commands(&text);
    all.push((command.join("-"), text));
    for name in below {
        walk(&[command, &[name]].concat(), all);
    }
}

#[test]
fn every_help_is_what_is_on_record() {
    let mut all = Vec::new();
    walk(&[], &mut all);
    assert!(all.len() > 5, "the list of commands was not understood");
    for (command, text) in &all {
        let name = if command.is_empty() { "eocc" } else { command };
        compare(&format!("help/{name}.txt"), text);
    }
    // Texts of removed commands are removed, too.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/snapshots/help");
    let files = fs::read_dir(folder).unwrap();
    let known: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    assert_eq!(known.len(), all.len(), "a help text is on record without a command: {known:?}");
}

/// Faulty calls, each after the standard input it is given.
const FAULTY: &[(&str, &str)] = &[
    // The command line.
    ("", "fti good.csv"),
    ("", "fit good.csv"),
    ("", "fit good.csv -o m.eocc --color red"),
    ("", "fit good.csv -o m.eocc --preset best"),
    ("", "fit good.csv -o m.eocc --delimiter ;;"),
    ("", "fit good.csv -o m.eocc --seed -1"),
    ("", "fit good.csv -o m.eocc --prototypes 2 --direct"),
    ("", "evaluate classes.csv --label class"),
    // Parameters.
    ("", "fit good.csv -o m.eocc --alpha 1 --percentile 101"),
    ("", "fit good.csv -o m.eocc --reject 0"),
    ("", "fit good.csv -o m.eocc --prototypes some"),
    ("", "fit good.csv -o m.eocc --dissimilarity cosin"),
    ("", "fit good.csv -o m.eocc --dissimilarity euclidean --set scaling=big"),
    ("", "fit good.csv -o m.eocc --set color=red"),
    ("", "fit good.csv -o m.eocc --set scaling"),
    ("", "fit good.csv -o m.eocc --types a=color"),
    ("", "fit classes.csv -o m.eocc --label class"),
    ("", "evaluate classes.csv --label class --nominal good --folds 1"),
    ("", "evaluate classes.csv --label class --nominal good --repeats 0"),
    ("", "compare classes.csv --label class --nominal good --methods best"),
    // Data.
    ("", "fit - -o m.eocc"),
    ("a,b\n1,2\n", "fit - -o m.eocc"),
    ("a,b\n1,2\n3,x\n5,6\n", "fit - -o m.eocc"),
    ("a,b\n1,2\n3,\n5,6\n", "fit - -o m.eocc --preset paper"),
    ("a,b\n1,2\n3,inf\n5,6\n", "fit - -o m.eocc"),
    ("a,b\n1,2\n3\n5,6\n", "fit - -o m.eocc"),
    ("a\n1\n3\n5\n", "fit - -o m.eocc --label a --nominal 1"),
    ("", "fit good.csv -o m.eocc --label c --nominal x"),
    ("", "fit classes.csv -o m.eocc --label class --nominal x"),
    ("", "fit good.csv -o m.eocc --columns c"),
    ("", "fit classes.csv -o m.eocc --dissimilarity euclidean --types class=category"),
    ("0,1,2\n1,0,1\n", "fit - -o m.eocc --precomputed --header false"),
    ("0,1,2\n5,0,1\n2,1,0\n", "fit - -o m.eocc --precomputed --header false"),
    ("0,-1,2\n-1,0,1\n2,1,0\n", "fit - -o m.eocc --precomputed --header false"),
    ("{\"a\": 1}\n{\"a\": \n", "fit - -o m.eocc --input jsonl"),
    (">one\nACGT\n>two\n", "fit - -o m.eocc --input fasta"),
    ("a\n1\n", "score good.eocc -"),
    ("a,c\n1,2\n", "score good.eocc -"),
    ("a,b\n1,x\n", "score good.eocc -"),
    ("", "evaluate good.csv --label a --nominal 0 --test good.csv"),
    // Models.
    ("", "inspect good.csv"),
    ("", "inspect cut.eocc"),
    ("", "score cut.eocc good.csv"),
    // Files.
    ("", "fit nothing.csv -o m.eocc"),
    ("", "fit . -o m.eocc"),
    ("", "fit good.csv -o no/such/m.eocc"),
    ("", "score nothing.eocc good.csv"),
    ("", "score good.eocc good.csv -o no/such/scores.csv"),
    ("", "fit good.csv -o good.csv"),
    ("", "score good.eocc good.csv -o good.eocc"),
    ("", "score good.eocc good.csv -o scores.npy"),
];

#[test]
fn errors_are_what_is_on_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    classes(path);
    fs::write(path.join("good.csv"), "a,b\n1,2\n3,4\n5,6\n7,8\n2,2\n4,5\n").unwrap();
    ok(path, "fit good.csv -o good.eocc");
    // A header that is longer than its file, whatever the model contains.
    fs::write(path.join("cut.eocc"), [&1000_u64.to_le_bytes()[..], b"{"].concat()).unwrap();
    let mut text = String::new();
    for (input, words) in FAULTY {
        let done = run_with(path, words, input.as_bytes());
        assert_ne!(done.code, 0, "{words}: this was meant to fail");
        assert!(!path.join("m.eocc").exists(), "{words}: a model was written");
        let given = if input.is_empty() { String::new() } else { format!(" < {input:?}") };
        text.extend([format!("$ eocc {words}{given}\n"), format!("exit code {}\n", done.code)]);
        for (stream, said) in [("stdout", &done.out), ("stderr", &done.err)] {
            let said = said.replace(&path.display().to_string(), "[folder]");
            text.extend(said.lines().map(|line| format!("{stream}: {line}").trim_end().to_owned() + "\n"));
        }
        text.push('\n');
    }
    compare("errors.txt", &text);
}
