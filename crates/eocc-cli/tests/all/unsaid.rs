//! What used to be read or scored without a word: columns of series taken by their places, gaps in time, time steps and
//! matrices in another order, letters in another case; and messages that named the wrong row or option.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;

use crate::biology::{csv, fasta, matrix, molecules, sequences, write};
use crate::support::{ok, run};

const PROTEIN: &[u8] = b"ACDEFGHIKLMNPQRSTVWY";

/// Values of 30 series at 20 times.
fn values() -> Vec<Vec<f64>> {
    let mut r = Random::new(21);
    let value = |t: i32, r: &mut Random| (f64::from(t) / 3.0).sin() + 0.1 * r.normal();
    (0..30).map(|_| (0..20).map(|t| value(t, &mut r)).collect()).collect()
}

/// Rows of single values; `row` writes the line of a series, time and value.
fn long(header: &str, row: impl Fn(usize, usize, f64) -> String) -> String {
    let mut text = format!("{header}\n");
    for (series, values) in values().iter().enumerate() {
        for (time, value) in values.iter().enumerate() {
            writeln!(text, "{}", row(series, time, *value)).unwrap();
        }
    }
    text
}

fn scores(folder: &Path, words: &str) -> Vec<String> {
    let scores = ok(folder, words).out;
    let column = scores.lines().next().unwrap().split(',').position(|name| name == "score").unwrap();
    scores.lines().skip(1).map(|line| line.split(',').nth(column).unwrap().to_owned()).collect()
}

#[test]
fn columns_of_series_are_found_and_said() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "plain.csv", long("id,time,value", |s, t, v| format!("w{s},{t},{v:.3}")));
    let said = ok(f, "fit plain.csv --input series-long -o p.eocc").err;
    assert!(said.contains("series: id `id`, time `time`, value `value`"), "{said}");
    let expected = scores(f, "score p.eocc plain.csv");
    for (header, order) in
        [("well,od600,minute", [0, 2, 1]), ("od600,Minute,well", [2, 1, 0]), ("well,x,z", [0, 2, 1])]
    {
        let cells = |s: usize, t: usize, v: f64| {
            let cells = [format!("w{s}"), t.to_string(), format!("{v:.3}")];
            order.map(|at| cells[at].clone()).join(",")
        };
        write(f, "other.csv", long(header, cells));
        let done = ok(f, "fit other.csv --input series-long -o o.eocc").err;
        let names: Vec<&str> = header.split(',').collect();
        let place = |cell: usize| names[order.iter().position(|at| *at == cell).unwrap()];
        let mapping = format!("series: id `{}`, time `{}`, value `{}`", place(0), place(1), place(2));
        assert!(done.contains(&mapping), "{header}: {done}");
        assert_eq!(scores(f, "score p.eocc other.csv"), expected, "{header}");
    }
    // Neither names nor values tell.
    let all = values();
    let shuffled = |s: usize, t: usize, _: f64| format!("w{s},{:.3},{}", all[s][t * 7 % 20], t * 7 % 20);
    write(f, "unclear.csv", long("well,x,z", shuffled));
    let done = run(f, "fit unclear.csv --input series-long -o o.eocc");
    assert!(done.code == 3 && done.err.contains("(--columns ID,TIME,VALUE)"), "{}", done.err);
    ok(f, "fit unclear.csv --input series-long --columns well,z,x -o o.eocc");
    assert_eq!(scores(f, "score o.eocc unclear.csv --columns well,z,x"), expected);
}

#[test]
fn gaps_in_time_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "even.csv", long("id,time,value", |s, t, v| format!("w{s},{t},{v:.3}")));
    let said = ok(f, "fit even.csv --input series-long -o m.eocc").err;
    assert!(!said.contains("equally spaced"), "{said}");
    let gap = |s: usize, t: usize, v: f64| format!("w{s},{},{v:.3}", if s == 4 && t > 9 { t + 5 } else { t });
    write(f, "gap.csv", long("id,time,value", gap));
    let expected = "1 of 30 series has times that are not equally spaced, such as `w4`: 6 passes from 9 to 15, usually 1";
    for words in ["fit gap.csv --input series-long -o g.eocc", "score m.eocc gap.csv"] {
        let said = ok(f, words).err;
        assert!(said.contains(expected), "{words}: {said}");
    }
    // Equally spaced, but unlike training.
    write(f, "wide.csv", long("id,time,value", |s, t, v| format!("w{s},{},{v:.3}", 10 * t)));
    let said = ok(f, "score m.eocc wide.csv").err;
    assert!(said.contains("30 of 30 series") && said.contains("10 passes from 0 to 10, usually 1"), "{said}");
    // Rows of one long series.
    let hours = |from: usize, gap: usize| -> String {
        let row = |i: usize| {
            let hour = from + i + if i < 60 { 0 } else { gap };
            format!("2024-03-{:02} {:02}:00,{:.3}\n", hour / 24 + 1, hour % 24, (i as f64 / 4.0).sin())
        };
        format!("when,load\n{}", (0..120).map(row).collect::<String>())
    };
    write(f, "whole.csv", hours(0, 0));
    write(f, "cut.csv", hours(0, 13));
    let said = ok(f, "fit whole.csv --window-of 12 -o w.eocc").err;
    assert!(!said.contains("gap"), "{said}");
    for words in ["fit cut.csv --window-of 12 -o c.eocc", "score w.eocc cut.csv"] {
        let said = ok(f, words).err;
        let expected =
            "a gap of 14 hours in `when`, from 2024-03-03 11:00 to 2024-03-04 01:00, where 1 hour is usual";
        assert!(said.contains(expected), "{words}: {said}");
    }
    let done = run(f, "explain w.eocc whole.csv --row 3");
    assert!(done.err.contains("the first row of a sample of whole.csv: 0, 6, 12, "), "{}", done.err);
}

#[test]
fn time_steps_are_matched_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let all = values();
    let table = |names: &dyn Fn(usize) -> String, order: &[usize]| {
        let header: Vec<String> = order.iter().map(|&t| names(t)).collect();
        let rows = all.iter().map(|row| order.iter().map(|&t| row[t]).collect::<Vec<f64>>());
        format!("{}\n{}", header.join(","), csv(&rows.collect::<Vec<_>>()))
    };
    let plain = |t: usize| format!("t{t}");
    let in_order: Vec<usize> = (0..20).collect();
    let shuffled: Vec<usize> = (0..20).map(|t| t * 7 % 20).collect();
    write(f, "wide.csv", table(&plain, &in_order));
    write(f, "shuffled.csv", table(&plain, &shuffled));
    write(f, "short.csv", table(&plain, &in_order[..15]));
    write(f, "cut.csv", table(&plain, &in_order[5..]));
    write(f, "others.csv", table(&|t| format!("v{t}"), &in_order));
    write(f, "long.csv", long("id,time,value", |s, t, v| format!("w{s},{t},{v:.3}")));
    let said = ok(f, "fit wide.csv --input series-wide -o m.eocc").err;
    assert!(!said.contains("time steps"), "{said}");
    let expected = scores(f, "score m.eocc wide.csv");
    assert_eq!(scores(f, "score m.eocc shuffled.csv"), expected);
    let said = |file: &str| ok(f, &format!("score m.eocc {file}")).err;
    assert!(said("shuffled.csv").contains("in another order than in training"));
    assert!(!said("wide.csv").contains("time steps") && !said("short.csv").contains("time steps"));
    assert!(
        said("cut.csv").contains("not the time steps of training: without `t0`, `t1`"),
        "{}",
        said("cut.csv")
    );
    assert!(said("others.csv").contains("with the new `v0`, `v1`"), "{}", said("others.csv"));
    let done = run(f, "score m.eocc long.csv");
    assert!(done.code == 3 && done.err.contains("fitted on one series in each row"), "{}", done.err);
    assert!(!done.err.contains("--on-bad-row"), "{}", done.err);
    // Series with gaps are left out on request.
    let gap = table(&plain, &in_order).replacen(&format!(",{},", all[0][3]), ",,", 1);
    write(f, "gap.csv", &gap);
    let said = ok(f, "fit gap.csv --input series-wide --missing drop -o g.eocc").err;
    assert!(said.contains("1 of 30 rows have missing values and are left out"), "{said}");
}

#[test]
fn a_matrix_with_names_is_matched_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows = matrix(30);
    let names = |i: usize| format!("fam{i:03}");
    let table = |order: &[usize], rows: &[Vec<f64>], corner: Option<&str>| {
        let header: Vec<String> =
            corner.map(str::to_owned).into_iter().chain(order.iter().map(|&i| names(i))).collect();
        let mut text = header.join(",") + "\n";
        for (at, row) in rows.iter().enumerate() {
            let cells = order.iter().map(|&i| row[i].to_string());
            let cells: Vec<String> = corner.map(|_| names(at)).into_iter().chain(cells).collect();
            text += &(cells.join(",") + "\n");
        }
        text
    };
    let in_order: Vec<usize> = (0..30).collect();
    let mirrored: Vec<usize> = (0..30).rev().collect();
    write(f, "header.csv", table(&in_order, &rows, None));
    write(f, "plain.csv", csv(&rows));
    write(f, "named.csv", table(&in_order, &rows, Some("")));
    write(f, "mirrored.csv", table(&mirrored, &rows, None));
    write(f, "mirrored-named.csv", table(&mirrored, &rows, Some("")));
    ok(f, "fit header.csv --precomputed -o m.eocc");
    let expected = scores(f, "score m.eocc plain.csv");
    for file in ["header.csv", "named.csv", "mirrored.csv", "mirrored-named.csv"] {
        assert_eq!(scores(f, &format!("score m.eocc {file}")), expected, "{file}");
    }
    let other = table(&in_order, &rows, None).replacen("fam003", "x", 1);
    write(f, "other.csv", other);
    let done = run(f, "score m.eocc other.csv");
    assert!(done.code == 3 && done.err.contains("fitted on a sample `fam003`"), "{}", done.err);
    // The names of the rows.
    for more in ["", " --id column_0"] {
        ok(f, &format!("fit named.csv --precomputed -o n.eocc{more}"));
        let scored = ok(f, "score n.eocc named.csv").out;
        assert!(scored.lines().nth(4).unwrap().starts_with("3,fam003,"), "{scored}");
    }
    ok(f, "fit named.csv --precomputed --types column_0=ignore -o n.eocc");
    let done = run(f, "fit mirrored-named.csv --precomputed -o n.eocc");
    assert!(done.code == 3 && done.err.contains("put rows and columns in the same order"), "{}", done.err);
    // No option fills in a dissimilarity.
    write(f, "gap.csv", csv(&rows).replacen(",0\n", ",nan\n", 1));
    let done = run(f, "fit gap.csv --precomputed -o n.eocc");
    assert!(done.err.contains("the dissimilarity is missing") && !done.err.contains("--"), "{}", done.err);
}

#[test]
fn letters_written_differently_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let lines = |all: &[String]| all.join("\n") + "\n";
    let proteins = sequences(31, 40, PROTEIN);
    let half: Vec<String> =
        proteins.iter().enumerate().map(|(i, s)| if i < 10 { s.to_lowercase() } else { s.clone() }).collect();
    write(f, "upper.txt", lines(&proteins));
    write(f, "half.txt", lines(&half));
    let said = ok(f, "fit half.txt -o h.eocc").err;
    assert!(
        said.contains("10 of 40 samples have lower-case letters where the others have upper case"),
        "{said}"
    );
    let said = ok(f, "fit upper.txt -o u.eocc").err;
    assert!(!said.contains("case"), "{said}");
    let said = ok(f, "score u.eocc half.txt").err;
    assert!(said.contains("10 samples had lower-case letters where training has upper case"), "{said}");
    // FASTA is read in upper case.
    write(f, "half.fasta", fasta(&half));
    assert!(!ok(f, "fit half.fasta -o f.eocc").err.contains("case"));
    let mut gapped = proteins.clone();
    gapped[3].replace_range(5..7, "--");
    write(f, "gapped.fasta", fasta(&gapped));
    let said = ok(f, "fit gapped.fasta -o g.eocc").err;
    assert!(said.contains("1 of 40 samples has gaps"), "{said}");
    assert!(ok(f, "score f.eocc gapped.fasta").err.contains("1 sample had gaps"));
    let dna = sequences(32, 40, b"ACGT");
    let rna: Vec<String> = dna.iter().map(|s| s.replace('T', "U")).collect();
    write(f, "dna.fasta", fasta(&dna));
    write(f, "rna.fasta", fasta(&rna));
    write(f, "both.fasta", fasta(&[&dna[..30], &rna[30..]].concat()));
    ok(f, "fit dna.fasta -o d.eocc");
    let said = ok(f, "score d.eocc rna.fasta").err;
    assert!(said.contains("40 samples had the letters of RNA, but the training samples are DNA"), "{said}");
    let said = ok(f, "fit both.fasta -o b.eocc").err;
    assert!(said.contains("10 of 40 samples are RNA, and the others DNA"), "{said}");
    // One damaged protein does not hide the nucleic ones.
    let mut mixed = [&gapped[..], &dna[..3]].concat();
    mixed[0].insert(4, '*');
    write(f, "mixed.fasta", fasta(&mixed));
    let said = ok(f, "fit mixed.fasta -o x.eocc").err;
    assert!(said.contains("3 samples have only the letters of DNA or RNA"), "{said}");
}

#[test]
fn rows_and_options_of_messages_are_right() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let dna = sequences(33, 40, b"ACGT");
    write(f, "dna.fasta", fasta(&dna));
    ok(f, "fit dna.fasta --dissimilarity alignment -o a.eocc");
    let mut bad = dna[..12].to_vec();
    bad[6].replace_range(3..4, "L");
    write(f, "bad.fasta", fasta(&bad));
    for words in
        ["score a.eocc bad.fasta --on-bad-row report", "explain a.eocc bad.fasta", "score a.eocc bad.fasta"]
    {
        let said = run(f, words);
        assert!(said.err.contains("`s6` (row 6): the symbol `L`"), "{words}: {}", said.err);
        assert!(!said.err.contains("sample 0"), "{words}: {}", said.err);
    }
    // Strings have no columns to leave out.
    let family = sequences(34, 1, PROTEIN)[0].repeat(3);
    let mut r = Random::new(36);
    let mut changed = |most: usize| {
        let mut one = family.clone();
        for _ in 0..most {
            let at = r.below(one.len());
            one.replace_range(at..=at, &char::from(PROTEIN[r.below(PROTEIN.len())]).to_string());
        }
        one
    };
    let strange: Vec<String> = (0..100).map(|i| changed(if i < 78 { 8 } else { 60 })).collect();
    write(f, "strange.fasta", fasta(&strange));
    let said = ok(f, "outliers strange.fasta --top 40").err;
    assert!(said.contains(" leads ") && !said.contains("--drop"), "{said}");
    // Names in a column that is not called `id` or `name`.
    let peptides: Vec<String> = dna.iter().enumerate().map(|(i, s)| format!("pep{i},{s}\n")).collect();
    write(f, "peptides.csv", format!("peptide_id,sequence\n{}", peptides.concat()));
    let scored = ok(f, "score a.eocc peptides.csv").out;
    assert!(scored.lines().nth(1).unwrap().starts_with("0,pep0,"), "{scored}");
    // One directed graph.
    let graphs = molecules(30, true);
    write(f, "g.jsonl", &graphs);
    ok(f, "fit g.jsonl -o g.eocc");
    write(f, "g2.jsonl", graphs.replacen("\"bond\": 1}", "\"bond\": 2}", 1));
    ok(f, "fit g2.jsonl -o g2.eocc");
    let mut lines: Vec<String> = graphs.lines().take(8).map(str::to_owned).collect();
    lines[2] = lines[2].replacen("{\"nodes\"", "{\"directed\": true, \"nodes\"", 1);
    write(f, "mixed.jsonl", lines.join("\n") + "\n");
    let done = ok(f, "score g.eocc mixed.jsonl --on-bad-row report");
    assert!(done.err.contains("1 row could not be scored") && done.err.contains("directed"), "{}", done.err);
    assert_eq!(done.out.lines().filter(|line| line.contains("true,") || line.contains("false,")).count(), 7);
    // Labels and numbers unlike those of training.
    let strange = graphs.lines().next().unwrap().replacen("\"C\"", "\"Xe\"", 1).replacen(
        "\"bond\": 1}",
        "\"bond\": 60}",
        1,
    );
    write(f, "strange.jsonl", strange + "\n");
    let said = ok(f, "score g2.eocc strange.jsonl").err;
    assert!(
        said.contains("1 graph had vertices with the element `Xe`, which no training graph has"),
        "{said}"
    );
    assert!(
        said.contains("1 graph had edges with a bond far outside of training, such as 60 (there 1 to 2)"),
        "{said}"
    );
    // Graphs are not strings.
    let done = run(f, "score a.eocc g.jsonl");
    assert!(
        done.code == 3 && done.err.contains("fitted on strings, but column `molecule` holds graphs"),
        "{}",
        done.err
    );
}
