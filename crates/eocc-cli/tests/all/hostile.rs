//! Hostile files: each is made by a few lines, and gives its exit code fast and in little memory.

use std::fs::{self, File};
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::support::{classes, ok, program, run};

/// Maximum memory for any of these, in kilobytes.
pub(crate) const MAX_KILOBYTES: u64 = 300_000;
/// Maximum time for any of them, unoptimized and with all other tests running; optimized it is below two seconds.
const LONGEST: Duration = Duration::from_secs(60);

/// The peak memory of a process so far, in kilobytes.
fn peak(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Waits for a process; returns its exit code (`None` after a signal), its memory and its messages.
pub(crate) fn watched(mut child: Child) -> (Option<i32>, u64, String) {
    let start = Instant::now();
    let mut most = 0;
    let status = loop {
        most = peak(&child).unwrap_or(0).max(most);
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        assert!(start.elapsed() < LONGEST, "it takes too long, and {most} kB");
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    (status.code(), most, said)
}

pub(crate) fn start(folder: &Path, words: &str, input: Stdio) -> Child {
    let mut command = program(folder);
    command.args(words.split_whitespace()).stdin(input).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Expects this exit code.
pub(crate) fn refused(folder: &Path, words: &str, code: i32, saying: &str) {
    let (found, most, said) = watched(start(folder, words, Stdio::null()));
    assert_eq!(found, Some(code), "{words}: {said}");
    assert!(said.contains(saying), "{words}: {said}");
    assert!(most < MAX_KILOBYTES, "{words}: {most} kB");
}

pub(crate) fn npy(kind: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n");
    [&b"\x93NUMPY\x01\x00"[..], &(header.len() as u16).to_le_bytes(), header.as_bytes(), data].concat()
}

fn npz(name: &str, content: &[u8]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    writer.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap().into_inner()
}

/// A million rows of one long text, which is stored once.
fn dictionary() -> Vec<u8> {
    let schema = Arc::new(parse_message_type("message t { required binary a (UTF8); }").unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let text = ByteArray::from(vec![b'x'; 100_000]);
    for _ in 0..4 {
        column.typed::<ByteArrayType>().write_batch(&vec![text.clone(); 1000], None, None).unwrap();
    }
    column.close().unwrap();
    group.close().unwrap();
    file.into_inner().unwrap()
}

/// Runs of zeros, and lists of such.
fn zeros(schema: &str, columns: usize, rows: usize, repeated: bool) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut file = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = file.next_row_group().unwrap();
    let (values, defined) = (vec![0; rows], vec![1; rows]);
    let levels: Vec<i16> = (0..rows).map(|row| i16::from(row > 0)).collect();
    for _ in 0..columns {
        let mut column = group.next_column().unwrap().unwrap();
        let levels = repeated.then_some((defined.as_slice(), levels.as_slice()));
        let written =
            column.typed::<Int32Type>().write_batch(&values, levels.map(|l| l.0), levels.map(|l| l.1));
        written.unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    file.into_inner().unwrap()
}

#[test]
fn files_that_are_far_larger_than_they_look_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let write = |name: &str, bytes: Vec<u8>| fs::write(f.join(name), bytes).unwrap();
    let memory = "of memory or more to read";
    write("dictionary.parquet", dictionary());
    refused(f, "fit dictionary.parquet -o m.eocc", 6, memory);
    let names: Vec<String> = (0..24).map(|c| format!("required int32 c{c};")).collect();
    write("zeros.parquet", zeros(&format!("message t {{ {} }}", names.join(" ")), 24, 1_000_000, false));
    refused(f, "fit zeros.parquet -o m.eocc", 6, memory);
    write("list.parquet", zeros("message t { repeated int32 a; }", 1, 2_000_000, true));
    refused(f, "fit list.parquet -o m.eocc", 6, memory);
    write("zeros.npz", npz("X.npy", &npy("|u1", "(60000, 1000)", &vec![0; 60_000_000])));
    refused(f, "fit zeros.npz -o m.eocc", 6, memory);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&b"1,2\n".repeat(100_000_000 / 4)).unwrap();
    write("bomb.csv.gz", packed.finish().unwrap());
    refused(f, "fit bomb.csv.gz -o m.eocc", 6, memory);
    // Five gigabytes of nothing.
    File::create(f.join("sparse.csv")).unwrap().set_len(5 << 30).unwrap();
    refused(f, "fit sparse.csv -o m.eocc", 3, "a zero byte");
    refused(f, "fit /dev/zero -o m.eocc", 3, "a zero byte");
    assert!(!f.join("m.eocc").exists());
}

#[test]
fn what_never_ends_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut yes = Command::new("yes").arg("1,2").stdout(Stdio::piped()).spawn().unwrap();
    let child = start(folder.path(), "fit - -o m.eocc", yes.stdout.take().unwrap().into());
    let (code, most, said) = watched(child);
    yes.kill().unwrap();
    yes.wait().unwrap();
    assert_eq!(code, Some(6), "{said}");
    assert!(said.contains("standard input: would take") && said.contains("(a file may use more"), "{said}");
    assert!(most < MAX_KILOBYTES, "{most} kB");
}

#[test]
fn commands_to_the_terminal_are_shown_and_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows: Vec<String> = (0..40).map(|i| format!("{i},{},7\n", i % 7)).collect();
    let rows = rows.concat();
    fs::write(f.join("names.csv"), format!("a\u{1b}[31m,b\u{9b}2J,\"c\u{202e}\nd\"\n{rows}")).unwrap();
    let is_quiet = |text: &str| !text.contains(['\u{1b}', '\u{9b}', '\u{202e}']);
    let fitted = ok(f, "fit names.csv -o m.eocc");
    assert!(fitted.out.contains("b\\u{9b}2J"), "{}", fitted.out);
    for words in [
        "inspect m.eocc",
        "inspect m.eocc --json",
        "fit names.csv -o m.eocc --json",
        "fit names.csv --label nope -o m.eocc",
    ] {
        let done = run(f, words);
        assert!(is_quiet(&done.out) && is_quiet(&done.err), "{words}\n{}{}", done.out, done.err);
    }
}

/// Sends a signal to a process; returns how long it took to exit.
fn signalled(child: Child, signal: &str) -> (Option<i32>, Duration) {
    let start = Instant::now();
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let (code, ..) = watched(child);
    (code, start.elapsed())
}

#[test]
fn signals_are_heard_whatever_a_run_does() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    // Comparisons that take minutes each.
    let long: Vec<String> = (0..3).map(|i| "abcdefghij".repeat(40_000)[i..].to_owned()).collect();
    fs::write(f.join("long.txt"), long.join("\n")).unwrap();
    let child =
        start(f, "distances long.txt --dissimilarity levenshtein -o d.npy --input lines", Stdio::null());
    std::thread::sleep(Duration::from_secs(1));
    let (code, took) = signalled(child, "-TERM");
    assert_eq!(code, Some(143));
    assert!(took < Duration::from_secs(6), "{took:?}");
    // Waiting for input that never comes.
    let mut sleep = Command::new("sleep").arg("60").stdout(Stdio::piped()).spawn().unwrap();
    let child = start(f, "fit - -o m.eocc", sleep.stdout.take().unwrap().into());
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(signalled(child, "-TERM").0, Some(143));
    sleep.kill().unwrap();
    sleep.wait().unwrap();
}

#[test]
fn any_number_of_threads_can_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let fit = "fit classes.csv --label class --nominal good -o m.eocc";
    let usual = ok(f, &format!("{fit} --json")).out;
    let many = ok(f, &format!("{fit} --json --threads 1000000"));
    assert!(many.err.contains("threads are used"), "{}", many.err);
    let same_each_time = |text: &str| {
        let mut summary: serde_json::Value = serde_json::from_str(text).unwrap();
        for key in ["seconds", "planned_seconds", "memory", "stages"] {
            summary[key].take();
        }
        summary
    };
    assert_eq!(same_each_time(&many.out), same_each_time(&usual));
}

/// Runs with a limit on the address space, in kilobytes.
fn limited(folder: &Path, kilobytes: u64, words: &str) -> (Option<i32>, String) {
    let program = env!("CARGO_BIN_EXE_eocc");
    let script = format!("ulimit -v {kilobytes}; exec {program} {words}");
    let done = Command::new("sh").args(["-c", &script]).current_dir(folder).output().unwrap();
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn too_little_memory_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let rows: Vec<String> = (0..10_000).map(|i| format!("{},{}\n", i % 83, i % 97)).collect();
    let rows = rows.concat();
    fs::write(f.join("many.csv"), format!("a,b\n{rows}")).unwrap();
    ok(f, "fit classes.csv --label class --nominal good -o m.eocc");
    for megabytes in [60, 80, 120, 250, 500, 1000, 4000] {
        // The unoptimized program may itself be larger than that, and cannot even start.
        if limited(f, megabytes * 1000, "--version").0 != Some(0) {
            continue;
        }
        for words in [
            "fit many.csv -o n.eocc",
            "score m.eocc many.csv -o s.csv",
            "distances classes.csv --drop class -o d.npy",
            "compare classes.csv --label class --nominal good --methods gauss --restart --journal j.jsonl",
        ] {
            let (code, said) = limited(f, megabytes * 1000, words);
            assert!(matches!(code, Some(0 | 6)), "{megabytes} MB, {words}: {code:?} {said}");
        }
    }
}

#[test]
fn a_model_can_go_to_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let words = "fit classes.csv --label class --nominal good -o /dev/stdout";
    let done = program(f).args(words.split(' ')).output().unwrap();
    assert!(done.status.success());
    fs::write(f.join("m.eocc"), &done.stdout).unwrap();
    ok(f, "inspect m.eocc");
    assert!(String::from_utf8_lossy(&done.stderr).contains("samples"), "the summary is beside");
    assert_eq!(run(f, &format!("{words} --json")).code, 2);
}

/// On a disk of one megabyte, made for this test, no incomplete file is left behind.
#[test]
fn a_full_disk_is_reported_and_the_old_file_stays() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let row = |i: usize| format!("{},{},{}\n", i % 97, i % 89, (i * i) % 83);
    fs::write(f.join("many.csv"), "a,b,c\n".to_owned() + &(0..9000).map(row).collect::<String>()).unwrap();
    fs::write(f.join("few.csv"), "a,b,c\n".to_owned() + &(0..50).map(row).collect::<String>()).unwrap();
    fs::create_dir(f.join("disk")).unwrap();
    let program = env!("CARGO_BIN_EXE_eocc");
    let script = format!(
        "mount -t tmpfs -o size=1m tmpfs disk || exit 99
         {program} fit few.csv -o disk/m.eocc --quiet || exit 1
         cp disk/m.eocc before.eocc
         {program} fit many.csv -o disk/m.eocc --quiet
         echo fit $?
         cmp disk/m.eocc before.eocc || exit 2
         yes a,b,c | head -c 900000 > disk/rest || true
         {program} score before.eocc many.csv -o disk/s.csv --quiet
         echo score $?
         ls disk -A"
    );
    let words = ["--user", "--map-root-user", "--mount", "sh", "-c", &script];
    let done = Command::new("unshare").args(words).current_dir(f).output();
    let Some(done) =
        done.ok().filter(|done| !done.stderr.starts_with(b"unshare") && done.status.code() != Some(99))
    else {
        eprintln!("skipped: no disk can be made here");
        return;
    };
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(out, "fit 5\nscore 5\nm.eocc\nrest\n", "{err}");
    assert_eq!(err.to_lowercase().matches("no space").count(), 2, "{err}");
}
