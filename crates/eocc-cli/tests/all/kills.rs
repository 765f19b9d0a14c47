//! Runs that are killed at any moment: existing files survive, and there are no silent errors. The suite runs a few;
//! `EOCC_KILLS=1000` runs that many.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use eocc_core::random::Random;

use crate::support::{classes, ok, program, run, without_times};

fn kills(usual: usize) -> usize {
    std::env::var("EOCC_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Saves that are killed on a disk of one megabyte with varying free space: the model is always complete, old or new,
/// and the next save removes the leftovers of killed ones.
#[test]
fn a_killed_save_leaves_the_old_model_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    for (name, factor) in [("a", 3), ("b", 5)] {
        let row = |i: usize| format!("{},{},{}\n", i % 97, (factor * i) % 89, (i * i) % 83);
        let rows: String = (0..600).map(row).collect();
        fs::write(f.join(format!("{name}.csv")), format!("x,y,z\n{rows}")).unwrap();
        ok(f, &format!("fit {name}.csv -o {name}.eocc"));
    }
    fs::create_dir(f.join("disk")).unwrap();
    let (program, count) = (env!("CARGO_BIN_EXE_eocc"), kills(40));
    // Delays from 0 to 99 milliseconds, and up to 1000 kilobytes already in use.
    let script = format!(
        r#"mount -t tmpfs -o size=1m tmpfs disk || exit 99
        cp a.eocc disk/m.eocc
        killed=0; full=0; i=0
        while [ $i -lt {count} ]; do
            head -c $((i * 53 % 1000))k /dev/zero > disk/rest 2> /dev/null
            if [ $((i % 2)) = 0 ]; then data=b.csv; else data=a.csv; fi
            {program} fit $data -o disk/m.eocc --quiet --threads 1 2> /dev/null & pid=$!
            sleep $(printf 0.%03d $((i * 37 % 100)))
            kill -9 $pid 2> /dev/null
            wait $pid 2> /dev/null; code=$?
            if [ $code = 137 ]; then killed=$((killed + 1)); fi
            if [ $code = 5 ]; then full=$((full + 1)); fi
            cmp -s disk/m.eocc a.eocc || cmp -s disk/m.eocc b.eocc || {{ echo "broken after $i"; exit 2; }}
            i=$((i + 1))
        done
        rm disk/rest
        # What is left of runs counts as theirs for some time.
        touch -d '2 days ago' disk/.eocc-*.part 2> /dev/null
        {program} fit a.csv -o disk/m.eocc --quiet || exit 3
        cmp disk/m.eocc a.eocc || exit 4
        echo "$killed $full" >&2
        ls -A disk"#
    );
    let words = ["--user", "--map-root-user", "--mount", "sh", "-c", &script];
    let done = Command::new("unshare").args(words).current_dir(f).output();
    let is_there =
        |done: &std::process::Output| !done.stderr.starts_with(b"unshare") && done.status.code() != Some(99);
    let Some(done) = done.ok().filter(is_there) else {
        eprintln!("skipped: no disk can be made here");
        return;
    };
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(out, "m.eocc\n", "{err}");
    let last = err.lines().last().unwrap_or_default();
    eprintln!("{count} saves, killed and refused for want of space: {last}");
    let killed: usize = last.split(' ').next().unwrap().parse().unwrap();
    assert!(killed > count / 10, "{last}");
}

/// Changes a byte, truncates the file, duplicates a part, or leaves it unchanged.
fn damage(path: &Path, r: &mut Random) {
    let Ok(mut bytes) = fs::read(path) else { return };
    if bytes.is_empty() {
        return;
    }
    let at = r.below(bytes.len());
    match r.below(4) {
        0 => bytes[at] = bytes[at].wrapping_add(1 + r.below(255) as u8),
        1 => bytes.truncate(at),
        2 => bytes.extend_from_within(at..),
        _ => {}
    }
    fs::write(path, bytes).unwrap();
}

/// Comparisons that are killed, have their journals damaged, and are resumed: the table is correct, or the damage is
/// reported with its line; without that line the run continues.
#[test]
fn a_killed_comparison_with_a_damaged_journal_ends_in_the_same_table() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let common = "compare classes.csv --label class --nominal good --repeats 2 --folds 4 --format json \
                  --methods gauss,1-nn,default,lof --threads 1";
    let expected = without_times(&ok(f, &format!("{common} --journal whole.jsonl")).out);
    let words = format!("{common} --journal j.jsonl");
    let journal = f.join("j.jsonl");
    let mut r = Random::new(18);
    let (mut told, mut resumed) = (0, 0);
    // A fifth as many, each of which is killed once and run at least once.
    for round in 0..kills(40).div_ceil(5) {
        let _ = fs::remove_file(&journal);
        let mut command = program(f);
        let mut child = command
            .args(words.split_whitespace())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(r.below(120) as u64));
        let _ = child.kill();
        child.wait().unwrap();
        damage(&journal, &mut r);
        let mut done = run(f, &words);
        for _ in 0..50 {
            if done.code == 0 {
                break;
            }
            assert_eq!(done.code, 3, "round {round}: {}", done.err);
            told += 1;
            let line =
                done.err.split("line ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
            match line.filter(|_| done.err.contains("is damaged")) {
                Some(line) => {
                    let text = fs::read(&journal).unwrap();
                    let kept = text.split_inclusive(|b| *b == b'\n').enumerate();
                    let kept: Vec<&[u8]> = kept.filter(|(i, _)| i + 1 != line).map(|l| l.1).collect();
                    fs::write(&journal, kept.concat()).unwrap();
                }
                // The first line: it is no longer known what the results belong to.
                None => fs::remove_file(&journal).unwrap(),
            }
            done = run(f, &words);
        }
        assert_eq!(done.code, 0, "round {round}: {}", done.err);
        resumed += usize::from(done.err.contains("already"));
        assert!(without_times(&done.out) == expected, "round {round}: another table");
    }
    eprintln!("{resumed} were resumed, {told} times damage was told");
}
