//! The second round of attacks: pipes, system limits, signals, and inputs whose cost grows faster than they do.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::hostile::{MAX_KILOBYTES, npy, refused, start, watched};
use crate::support::{classes, ok, run};

fn model(folder: &Path) {
    classes(folder);
    ok(folder, "fit classes.csv --label class --nominal good -o m.eocc");
}

/// Maximum memory for what is refused from its start, or is small itself, in kilobytes.
const LITTLE_KILOBYTES: u64 = 80_000;

/// Runs a shell command in the folder, with `$EOCC` for the program.
fn shell(folder: &Path, command: &str) -> (Option<i32>, String, String) {
    let mut shell = Command::new("sh");
    shell.current_dir(folder).env("EOCC", env!("CARGO_BIN_EXE_eocc")).args(["-c", command]);
    let done = shell.stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

fn parts(folder: &Path) -> usize {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names.filter(|name| name.to_string_lossy().ends_with(".part")).count()
}

#[test]
fn a_pipe_may_take_no_more_than_a_small_file() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    for words in ["fit - -o x.eocc", "score m.eocc -", "outliers -"] {
        let mut child = start(f, words, Stdio::piped());
        let mut pipe = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let commas = vec![b','; 1 << 20];
            // The program exits before it has read everything.
            while pipe.write_all(&commas).is_ok() {}
        });
        let (code, most, said) = watched(child);
        writer.join().unwrap();
        assert!(matches!(code, Some(3 | 6)), "{words}: {code:?} {said}");
        assert!(most < MAX_KILOBYTES, "{words}: {most} kB");
    }
}

#[test]
fn two_outputs_never_go_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    fs::create_dir(f.join("below")).unwrap();
    fs::write(f.join("there.csv"), "old").unwrap();
    fs::hard_link(f.join("there.csv"), f.join("hard.html")).unwrap();
    std::os::unix::fs::symlink("new.csv", f.join("soft.html")).unwrap();
    for words in [
        "outliers classes.csv -o new.csv --report new.csv",
        "outliers classes.csv -o new.csv --report below/../new.csv",
        "outliers classes.csv -o new.csv --report soft.html",
        "outliers classes.csv -o there.csv --report hard.html",
        "fit classes.csv -o new.csv --scores ./new.csv",
        "score m.eocc classes.csv -o new.csv --bad-rows ./new.csv",
    ] {
        let done = run(f, words);
        assert_eq!(done.code, 2, "{words}: {}", done.err);
        assert!(done.err.contains("another file than the output "), "{words}: {}", done.err);
        assert!(!f.join("new.csv").exists(), "{words}");
    }
    assert_eq!(fs::read(f.join("there.csv")).unwrap(), b"old");
    // Those of a stream are its state, its answers and its events; a comparison has a journal and pictures.
    for (words, other) in [
        ("monitor state.eocc classes.csv --warm-up 40 -o new.csv --events ./new.csv", "output"),
        ("monitor new.csv classes.csv --warm-up 40 -o below/../new.csv", "state"),
        ("monitor new.csv classes.csv --warm-up 40 -o a.csv --events soft.html", "state"),
        (
            "compare classes.csv --label class --nominal good --methods gauss --plots below --journal below/auc.svg",
            "plots",
        ),
    ] {
        let done = run(f, words);
        assert_eq!(done.code, 2, "{words}: {}", done.err);
        assert!(done.err.contains(&format!("another file than the {other} ")), "{words}: {}", done.err);
        let left = ["new.csv", "a.csv", "state.eocc", "below/auc.svg"].map(|name| f.join(name).exists());
        assert_eq!(left, [false; 4], "{words}");
    }
    // Standard output is an output, too.
    for (words, file) in [
        ("report m.eocc -o both.html", "both.html"),
        ("distances classes.csv --drop class -o both.csv", "both.csv"),
        ("plot m.eocc --what map -o both.svg", "both.svg"),
        (
            "compare classes.csv --label class --nominal good --methods gauss --journal both.jsonl",
            "both.jsonl",
        ),
        ("monitor s.eocc classes.csv --warm-up 40 --events both.jsonl", "both.jsonl"),
        ("monitor both.eocc classes.csv --warm-up 40", "both.eocc"),
    ] {
        let (code, _, said) = shell(f, &format!("$EOCC {words} > {file}"));
        assert_eq!(code, Some(2), "{words}: {said}");
        assert!(said.contains("standard output goes to"), "{words}: {said}");
    }
    let (code, _, said) = shell(f, "$EOCC outliers classes.csv --report page.html > page.html");
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("standard output goes to"), "{said}");
    // A device takes both.
    ok(f, "outliers classes.csv -o /dev/null --report /dev/null");
    let (code, out, said) = shell(f, "$EOCC outliers classes.csv --top 2 -o /dev/stdout > table.csv");
    assert_eq!((code, out.as_str()), (Some(0), ""), "{said}");
    assert_eq!(fs::read_to_string(f.join("table.csv")).unwrap().lines().count(), 3);
}

#[test]
fn pipes_in_a_folder_keep_nobody_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    fs::create_dir(f.join("set")).unwrap();
    fs::copy(f.join("classes.csv"), f.join("set/a.csv")).unwrap();
    let (code, _, said) = shell(f, "mkfifo set/b.csv .eocc-old.part && touch -d 2001-01-01 .eocc-old.part");
    assert_eq!(code, Some(0), "{said}");
    let (code, _, said) = watched(start(f, "fit set --label class --nominal good -o x.eocc", Stdio::null()));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("1 file read as one table; 1 other file left out"), "{said}");
    let (code, _, said) =
        watched(start(f, "fit set/*.csv --label class --nominal good -o x.eocc", Stdio::null()));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("set/b.csv, which is a pipe or a device"), "{said}");
}

#[test]
fn a_file_counts_once_whatever_leads_to_it() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    fs::create_dir_all(f.join("set/below")).unwrap();
    fs::copy(f.join("classes.csv"), f.join("set/a.csv")).unwrap();
    std::os::unix::fs::symlink(".", f.join("set/round")).unwrap();
    std::os::unix::fs::symlink("..", f.join("set/below/up")).unwrap();
    std::os::unix::fs::symlink("a.csv", f.join("set/b.csv")).unwrap();
    for words in ["fit set/**/*.csv", "fit set"] {
        let done = ok(f, &format!("{words} --label class --nominal good -o m.eocc --json"));
        assert!(done.out.contains("\"samples\":60"), "{words}: {}", done.out);
    }
}

#[test]
fn rows_that_a_model_refuses_cost_little_more_than_others() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let good: Vec<String> = (0..60).map(|i| format!("{},{}\n", 1 + i % 7, 1 + i % 11)).collect();
    let good = good.concat();
    fs::write(f.join("good.csv"), &good).unwrap();
    ok(f, "fit good.csv --dissimilarity chi2 -o m.eocc");
    fs::write(f.join("bad.csv"), format!("{good}{}{good}", "-1,1\n".repeat(60_000))).unwrap();
    let (code, _, said) = watched(start(
        f,
        "score m.eocc bad.csv --on-bad-row skip -o out.csv --bad-rows bad_rows.csv",
        Stdio::null(),
    ));
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("60000 rows could not be scored"), "{said}");
    let rows: Vec<String> =
        fs::read_to_string(f.join("out.csv")).unwrap().lines().map(str::to_owned).collect();
    assert_eq!(rows.len(), 121);
    assert!(rows[61].starts_with("60060,"), "{}", rows[61]);
    // A long header is stored once, not for every bad row.
    let names: Vec<String> = (0..20_000).map(|i| format!("column_{i}")).collect();
    let wide = |row: &str| format!("{}\n{}", names.join(","), row.repeat(60_000));
    fs::write(f.join("wide.csv"), wide("1\n")).unwrap();
    let (_, most, said) = watched(start(f, "score m.eocc wide.csv --on-bad-row skip", Stdio::null()));
    assert!(most < MAX_KILOBYTES, "{most} kB: {said}");
}

#[test]
fn very_wide_tables_are_refused_from_their_header() {
    /// What a program may hold that reads 8 MB and looks for their delimiter.
    const LITTLE_KILOBYTES: u64 = 120_000;
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let row = |r: usize| (0..1_000_000).map(|c| ((7 * r + c) % 10).to_string()).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = (0..4).map(row).collect();
    let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
    fs::write(f.join("wide.csv"), lines.join("\n")).unwrap();
    let lines: Vec<String> = rows.iter().map(|row| format!("[{}]", row.join(","))).collect();
    fs::write(f.join("wide.jsonl"), lines.join("\n")).unwrap();
    fs::write(f.join("wide.npy"), npy("|u1", "(8, 1000000)", &vec![7; 8_000_000])).unwrap();
    for words in
        ["fit wide.csv -o m.eocc", "outliers wide.csv", "fit wide.npy -o m.eocc", "fit wide.jsonl -o m.eocc"]
    {
        let (code, most, said) = watched(start(f, words, Stdio::null()));
        assert_eq!(code, Some(3), "{words}: {said}");
        assert!(said.contains("has 1000000 columns, but a model of tables keeps at most"), "{words}: {said}");
        assert!(said.contains("--columns"), "{words}: {said}");
        assert!(most < LITTLE_KILOBYTES, "{words}: {most} kB");
    }
    // A long vector at a vertex becomes as many features of the graph's summary.
    let vector = vec!["0"; 100_000].join(",");
    let graph = format!("{{\"nodes\":[{{\"id\":0,\"w\":[{vector}]}}],\"links\":[]}}\n");
    fs::write(f.join("vectors.jsonl"), graph.repeat(3)).unwrap();
    let (code, most, said) = watched(start(f, "fit vectors.jsonl -o m.eocc", Stdio::null()));
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("is a vector of 100000 numbers, but may have at most 16384"), "{said}");
    assert!(most < MAX_KILOBYTES, "{most} kB");
    // What is chosen of them is another matter, and so are distances.
    ok(f, "fit wide.npy --columns 0,1,999999 -o m.eocc");
}

#[test]
fn a_file_size_limit_is_a_fault_of_writing() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    let rows: Vec<String> = (0..20_000).map(|i| format!("{},{}\n", i % 5, i % 3)).collect();
    fs::write(f.join("many.csv"), format!("a,b\n{}", rows.concat())).unwrap();
    for words in [
        "score m.eocc many.csv -o out.csv",
        "score m.eocc many.csv > out.csv",
        "fit many.csv -o x.eocc",
        "report m.eocc -o page.html",
    ] {
        let (code, _, said) = shell(f, &format!("ulimit -f 8; exec $EOCC {words}"));
        assert_eq!(code, Some(5), "{words}: {said}");
        assert_eq!(parts(f), 0, "{words}");
    }
}

/// Time for a program to start.
const START: Duration = Duration::from_millis(700);

/// Interrupts a program that is still running after this time: its exit code, how long it took to end, and its messages.
fn interrupted(mut child: Child, after: Duration) -> (Option<i32>, Duration, String) {
    std::thread::sleep(after);
    assert!(child.try_wait().unwrap().is_none());
    let sent = Instant::now();
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(status.success());
    let (code, _, said) = watched(child);
    (code, sent.elapsed(), said)
}

#[test]
fn ctrl_c_is_answered_while_nothing_comes() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    shell(f, "mkfifo quiet");
    for words in ["score m.eocc -", "fit - -o x.eocc", "score m.eocc quiet", "fit quiet -o x.eocc"] {
        let mut child = start(f, words, Stdio::piped());
        let pipe = child.stdin.take();
        let (code, took, _) = interrupted(child, START);
        drop(pipe);
        assert_eq!(code, Some(130), "{words}");
        assert!(took < Duration::from_secs(3), "{words}: {took:?}");
    }
}

#[test]
fn half_of_an_input_after_ctrl_c_is_not_reported_as_bad_data() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    for words in ["fit - -o x.eocc", "outliers -", "score m.eocc -"] {
        let mut child = start(f, words, Stdio::piped());
        let mut pipe = child.stdin.take().unwrap();
        pipe.write_all(b"a,b\n1,\"2").unwrap();
        std::thread::sleep(Duration::from_millis(500));
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        drop(pipe);
        assert_eq!(watched(child).0, Some(130), "{words}");
    }
    assert!(!f.join("x.eocc").exists());
}

#[test]
fn ctrl_c_is_answered_within_one_long_step() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let text =
        |step: usize| (0..1_000_000).map(|i| char::from(b'a' + (i * i / step % 7) as u8)).collect::<String>();
    fs::write(f.join("long.txt"), format!("{}\n{}\n{}\n", text(3), text(5), text(11))).unwrap();
    let (code, took, _) =
        interrupted(start(f, "distances long.txt --input lines --dissimilarity osa", Stdio::null()), START);
    assert_eq!(code, Some(130));
    assert!(took < Duration::from_secs(6), "{took:?}");
    // Graphs of 2000 vertices: one pair is a long step.
    let graphs: Vec<String> = [3, 5, 7, 11, 13, 17].into_iter().map(|step| graph(2000, step)).collect();
    fs::write(f.join("large.jsonl"), graphs.join("\n")).unwrap();
    let (code, took, _) = interrupted(start(f, "distances large.jsonl --method ipfp", Stdio::null()), START);
    assert_eq!(code, Some(130));
    assert!(took < Duration::from_secs(6), "{took:?}");
    // A cube of residues, each next to the others.
    let mut cube = File::create(f.join("cube.pdb")).unwrap();
    for i in 0..6000 {
        let at = |step: usize, of: usize| 3.8 * (i / step % of) as f64;
        let (x, y, z) = (at(1, 18), at(18, 18), at(324, 100));
        writeln!(
            cube,
            "ATOM  {:5}  CA  ALA {}{:4}    {x:8.3}{y:8.3}{z:8.3}  1.00  0.00           C",
            i + 1,
            char::from(b'A' + (i / 1000) as u8),
            i % 1000 + 1
        )
        .unwrap();
    }
    drop(cube);
    let (code, took, said) =
        interrupted(start(f, "proteins features cube.pdb", Stdio::null()), Duration::from_secs(2));
    assert_eq!(code, Some(130), "{said}");
    assert!(took < Duration::from_secs(5));
    assert!(said.contains("plan: `cube` has 6000 residues, whose features take about"), "{said}");
    // A chain that is not folded: its order takes all rounds there are.
    let row = |i: usize| format!("p,A,{},A,{:.1},0,0\n", i + 1, 3.4 * i as f64);
    let rows: String = (0..60_000).map(row).collect();
    fs::write(f.join("chain.csv"), format!("id,chain,resseq,aa,x,y,z\n{rows}")).unwrap();
    let (code, took, said) =
        interrupted(start(f, "proteins series chain.csv", Stdio::null()), Duration::from_secs(3));
    assert_eq!(code, Some(130), "{said}");
    assert!(took < Duration::from_secs(5));
    assert!(said.contains("plan: the order of the 60000 residues of `p` takes at most"), "{said}");
}

/// Interrupts a program when it announces its plan, which it returns.
fn plan(folder: &Path, words: &str) -> String {
    let mut child = start(folder, words, Stdio::null());
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    let plan = lines.find(|line| line.starts_with("plan: "));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let rest: Vec<String> = lines.collect();
    child.wait().unwrap();
    plan.unwrap_or_else(|| panic!("{words}: no plan, but {rest:?}"))
}

/// A graph in a line: a path of this many vertices, with some more edges.
fn graph(vertices: usize, step: usize) -> String {
    let nodes: Vec<String> =
        (0..vertices).map(|i| format!(r#"{{"id":{i},"w":{}}}"#, i * i / step % 7)).collect();
    let links: Vec<String> =
        (1..vertices).map(|i| format!(r#"{{"source":{},"target":{i}}}"#, i * step % i)).collect();
    format!(r#"{{"nodes":[{}],"links":[{}]}}"#, nodes.join(","), links.join(","))
}

#[test]
fn long_comparisons_are_announced_before_they_begin() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let letter = |i: usize, step: usize| char::from(b'a' + (i * i / step % 7) as u8);
    let text = |length: usize, step: usize| (0..length).map(|i| letter(i, step)).collect::<String>();
    let write = |name: &str, lines: Vec<String>| fs::write(f.join(name), lines.join("\n")).unwrap();
    write("few.txt", (3..6).map(|step| text(1_000_000, step)).collect());
    write("many.txt", (1..400).map(|step| text(4000, step)).collect());
    write("graphs.jsonl", (1..120).map(|step| graph(70, step)).collect());
    write("large.jsonl", (1..8).map(|step| graph(2000, step)).collect());
    let pairs: Vec<String> = (0..119).flat_map(|i| (0..119).map(move |j| format!("{i},{j}"))).collect();
    write("pairs.csv", [vec!["a,b".to_owned()], pairs].concat());
    let osa = "--input lines --dissimilarity osa";
    for (words, expected) in [
        (format!("distances few.txt {osa}"), "plan: 3 comparisons, together longer than 2 s"),
        ("distances large.jsonl --method ipfp".to_owned(), "plan: 21 comparisons"),
        (format!("distances many.txt {osa}"), "plan: 79401 comparisons; up to 2.5 MB of memory, about "),
        ("distances graphs.jsonl --method ipfp".to_owned(), "plan: 7021 comparisons; up to "),
        (
            "distances graphs.jsonl --method ipfp --pairs pairs.csv".to_owned(),
            "plan: 14161 comparisons; about ",
        ),
        (
            "distances graphs.jsonl --method ipfp --pairs pairs.csv --bounds".to_owned(),
            "plan: 14161 comparisons; about ",
        ),
    ] {
        let found = plan(f, &words);
        assert!(found.starts_with(expected), "{words}: {found}");
    }
    // What takes a moment needs no plan.
    model(f);
    let done = ok(f, "distances classes.csv --drop class -o d.csv");
    assert!(!done.err.contains("plan:"), "{}", done.err);
}

#[test]
fn what_could_not_be_loaded_is_not_saved() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let place = |i: usize| (i as f64 * 0.754_877_666).fract();
    let row =
        |i: usize| (0..40).map(|j| format!("{:e}", (place(i) - place(j)).abs() * 1e-320)).collect::<Vec<_>>();
    let rows: Vec<String> = (0..40).map(|i| row(i).join(",")).collect();
    fs::write(f.join("tiny.csv"), rows.join("\n")).unwrap();
    let done = run(f, "fit tiny.csv --precomputed --preset paper -o m.eocc");
    assert_eq!(done.code, 3, "{}", done.err);
    assert!(done.err.contains("could not be loaded again"), "{}", done.err);
    assert!(!f.join("m.eocc").exists());
}

#[test]
fn small_things_that_gave_way() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    // Control characters that change the direction of text.
    fs::write(f.join("marks.csv"), "a,b\n1,\u{200e}x\u{200f}\u{61c}\n2,y\n").unwrap();
    let done = run(f, "score m.eocc marks.csv");
    assert!(!done.err.contains(['\u{200e}', '\u{200f}', '\u{61c}']), "{}", done.err);
    // A closed standard output is reported.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&fs::read(f.join("classes.csv")).unwrap()).unwrap();
    let mut packed = packed.finish().unwrap();
    packed.resize(packed.len().next_multiple_of(10_240), 0);
    fs::write(f.join("padded.csv.gz"), packed).unwrap();
    ok(f, "score m.eocc padded.csv.gz");
    // Endless input is recognized by its start.
    refused(f, "score m.eocc /dev/zero", 3, "a zero byte");
    let (_, most, _) = watched(start(f, "score m.eocc /dev/zero", Stdio::null()));
    assert!(most < LITTLE_KILOBYTES, "{most} kB");
}

/// A name of 70,000 letters made the report 717,304 pixels wide; a model of many parts took 5 s to be refused.
#[test]
fn long_names_and_many_parts_stay_small() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let long = "x".repeat(70_000);
    let row = |i: usize| {
        let name = if i == 7 { long.clone() } else { format!("n{i}") };
        let value = if i == 7 { 900 } else { i * 37 % 101 };
        format!("{name},{value},{}\n", i * 17 % 89)
    };
    fs::write(f.join("t.csv"), format!("name,a,{long}\n{}", (0..80).map(row).collect::<String>())).unwrap();
    ok(f, "fit t.csv -o m.eocc");
    for words in ["outliers t.csv --report page.html -o o.csv", "report m.eocc t.csv -o page.html"] {
        ok(f, words);
        let page = fs::read_to_string(f.join("page.html")).unwrap();
        // What is seen is cut; the rest may be found in a title.
        let drawn = page.split(['<', '>']).filter(|part| part.contains(&"x".repeat(500)));
        for part in drawn {
            let is_seen = !part.contains("title=") && !part.starts_with("script") && !part.starts_with('{');
            assert!(!is_seen, "{words}: {}…", &part[..80.min(part.len())]);
        }
    }
    let table = ok(f, "outliers t.csv --format table").out;
    assert!(table.lines().all(|line| line.chars().count() < 300), "{table}");
    let parts: Vec<String> =
        (0..200_000).map(|i| format!(r#""{i}":{{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}"#)).collect();
    let header = format!(
        r#"{{"__metadata__":{{"eocc.format":"2","eocc.model":"{{}}","eocc.sha256":"00"}},{}}}"#,
        parts.join(",")
    );
    let file = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    fs::write(f.join("many.eocc"), file).unwrap();
    let start_time = Instant::now();
    refused(f, "inspect many.eocc", 4, "more than 131072 tensors");
    assert!(start_time.elapsed() < Duration::from_secs(20));
    let (_, most, _) = watched(start(f, "inspect many.eocc", Stdio::null()));
    assert!(most < LITTLE_KILOBYTES, "{most} kB");
}

#[test]
fn what_is_written_to_a_closed_output_is_not_lost_silently() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    model(f);
    for words in [
        "score m.eocc classes.csv",
        "outliers classes.csv",
        "outliers classes.csv --format table",
        "explain m.eocc classes.csv",
        "inspect m.eocc",
        "inspect m.eocc --json",
        "columns classes.csv",
        "distances classes.csv --drop class",
        "fit classes.csv -o x.eocc --json",
        "completions bash",
    ] {
        let (code, _, said) = shell(f, &format!("$EOCC {words} >&-"));
        assert_eq!(code, Some(5), "{words}: {said}");
        assert!(said.contains("standard output"), "{words}: {said}");
        // Whoever sends it to where nothing stays, opened in whatever way, means it.
        for open in ["> /dev/null", "1<> /dev/null"] {
            let (code, _, said) = shell(f, &format!("$EOCC {words} {open}"));
            assert_eq!(code, Some(0), "{words} {open}: {said}");
        }
    }
    // What goes to files needs no standard output.
    for words in
        ["fit classes.csv -o y.eocc", "score m.eocc classes.csv -o out.csv", "report m.eocc -o page.html"]
    {
        let (code, _, said) = shell(f, &format!("$EOCC {words} >&-"));
        assert_eq!(code, Some(0), "{words}: {said}");
    }
}

#[test]
fn what_is_long_is_not_slow() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let attributes: Vec<String> =
        (0..20_000).map(|i| format!("<attr name=\"a{i}\"><string>v{i}</string></attr>")).collect();
    let attributes = attributes.concat();
    fs::create_dir(f.join("graphs")).unwrap();
    for i in 0..6 {
        let text = format!(
            "<gxl><graph id=\"g\" edgemode=\"undirected\"><node id=\"0\">{attributes}</node><node id=\"1\"/>\
             <edge from=\"0\" to=\"1\"/></graph></gxl>"
        );
        fs::write(f.join(format!("graphs/g{i}.gxl")), text).unwrap();
    }
    let (code, _, said) = watched(start(f, "distances graphs -o d.csv", Stdio::null()));
    assert_eq!(code, Some(0), "{said}");
    let text =
        |step: usize| (0..20_000).map(|i| char::from(b'a' + (i * i / step % 7) as u8)).collect::<String>();
    fs::write(f.join("long.txt"), format!("{}\n{}\n{}\n", text(3), text(5), text(11))).unwrap();
    for name in ["osa", "jaro-winkler", "levenshtein"] {
        let words = format!("distances long.txt --input lines --dissimilarity {name} -o d.csv");
        let (code, _, said) = watched(start(f, &words, Stdio::null()));
        assert_eq!(code, Some(0), "{name}: {said}");
    }
}
