//! Problems of a biologist, one test each: sequences in FASTA and FASTQ, their alignment, matrices of dissimilarities,
//! series in long form, and molecules as graphs.

use std::fmt::Write as _;
use std::path::Path;

use eocc_core::random::Random;

use crate::support::{ok, run, run_with};

const PROTEIN: &[u8] = b"ACDEFGHIKLMNPQRSTVWY";

pub(crate) fn write(folder: &Path, name: &str, text: impl AsRef<str>) {
    std::fs::write(folder.join(name), text.as_ref()).unwrap();
}

/// Random sequences of 40 letters.
pub(crate) fn sequences(seed: u64, count: usize, from: &[u8]) -> Vec<String> {
    let mut r = Random::new(seed);
    (0..count).map(|_| (0..40).map(|_| char::from(from[r.below(from.len())])).collect()).collect()
}

pub(crate) fn fasta(sequences: &[String]) -> String {
    let record = |(i, s): (usize, &String)| format!(">s{i} some words\n{s}\n");
    sequences.iter().enumerate().map(record).collect()
}

fn fastq(sequences: &[String]) -> String {
    let record = |(i, s): (usize, &String)| format!("@s{i} some words\n{s}\n+\n{}\n", "I@>+;"[..5].repeat(8));
    sequences.iter().enumerate().map(record).collect()
}

/// Dissimilarities of points on a line, of which the last lies far away.
pub(crate) fn matrix(count: usize) -> Vec<Vec<f64>> {
    let place = |i: usize| ((i * i) % 37) as f64 + if i + 1 == count { 500.0 } else { 0.0 };
    (0..count).map(|i| (0..count).map(|j| (place(i) - place(j)).abs()).collect()).collect()
}

pub(crate) fn csv(rows: &[Vec<f64>]) -> String {
    let line = |row: &Vec<f64>| row.iter().map(f64::to_string).collect::<Vec<_>>().join(",") + "\n";
    rows.iter().map(line).collect()
}

#[test]
fn a_model_of_a_matrix_has_a_report_and_pictures_but_no_map() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let rows = matrix(40);
    write(f, "square.csv", csv(&rows));
    for preset in ["default", "paper"] {
        ok(f, &format!("fit square.csv --precomputed --preset {preset} -o m.eocc"));
        write(f, "new.csv", csv(&rows[30..]));
        ok(f, "report m.eocc -o r.html");
        let page = std::fs::read_to_string(f.join("r.html")).unwrap();
        ok(f, "report m.eocc new.csv -o n.html");
        let with_new = std::fs::read_to_string(f.join("n.html")).unwrap();
        ok(f, "plot m.eocc --what density -o d.svg");
        let map = run(f, "plot m.eocc --what map -o m.svg");
        ok(f, "explain m.eocc new.csv --row 9");
        if preset == "default" {
            // The reasons for new samples are there.
            assert!(with_new.contains("#39"));
            assert!(
                page.contains("The map is left out") && with_new.contains("The map is left out"),
                "{page}"
            );
            assert_eq!(map.code, 3, "{}", map.err);
            assert!(
                map.err.contains("does not keep the dissimilarities between training samples"),
                "{}",
                map.err
            );
        }
    }
    let wrong = run_with(f, "score m.eocc - --input lines", b"a line\nanother\n");
    assert!(wrong.err.contains("one row of 40 dissimilarities per sample"), "{}", wrong.err);
    assert!(!wrong.err.contains("--on-bad-row"), "{}", wrong.err);
}

#[test]
fn a_square_table_may_be_a_matrix() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "square.csv", csv(&matrix(40)));
    let said = ok(f, "fit square.csv -o m.eocc").err;
    assert!(said.contains("if it holds dissimilarities, add --precomputed"), "{said}");
    let mut rows = matrix(40);
    rows[3][5] += 1.0;
    write(f, "other.csv", csv(&rows));
    assert!(!ok(f, "fit other.csv -o m.eocc").err.contains("--precomputed"));
}

#[test]
fn reads_of_a_sequencer_are_sequences() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let reads = sequences(3, 60, b"ACGT");
    write(f, "r.fastq", fastq(&reads));
    write(f, "r.fasta", fasta(&reads));
    let fitted = ok(f, "fit r.fastq -o q.eocc").out;
    assert!(fitted.contains("60 strings"), "{fitted}");
    ok(f, "fit r.fasta -o a.eocc");
    let scores = ok(f, "score a.eocc r.fasta").out;
    assert!(scores.lines().nth(1).unwrap().starts_with("0,s0,"), "{scores}");
    for name in ["r.fq", "r.txt", "r"] {
        write(f, name, fastq(&reads));
        assert_eq!(ok(f, &format!("score q.eocc {name}")).out, scores, "{name}");
    }
    assert_eq!(run_with(f, "score q.eocc -", fastq(&reads).as_bytes()).out, scores);
    // What is cut off or damaged is refused.
    let text = fastq(&reads);
    write(f, "cut.fastq", &text[..text.len() - 10]);
    let cut = run(f, "fit cut.fastq -o m.eocc");
    assert!(cut.code == 3 && cut.err.contains("the record \"s59\" has 40 letters, but 31"), "{}", cut.err);
    // Text that starts with an at sign.
    write(f, "at.txt", "@ann hello there\n@bob and you\n".repeat(20));
    assert!(ok(f, "fit at.txt -o m.eocc").out.contains("40 strings"));
}

#[test]
fn all_that_is_wrong_with_a_fasta_file_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let good = fasta(&sequences(4, 20, PROTEIN));
    write(f, "bad.fasta", format!("{good}>s3\nMKV\n>empty\n>s4\nMKW\n"));
    let done = run(f, "fit bad.fasta -o m.eocc");
    assert_eq!(done.code, 3, "{}", done.err);
    for part in ["1 bad record, 2 names of two sequences: ", "\"empty\" is empty", "both named \"s3\""] {
        assert!(done.err.contains(part), "{part}: {}", done.err);
    }
    // The same record twice is none of these.
    write(
        f,
        "twice.fasta",
        format!("{good}{}", good.lines().take(2).fold(String::new(), |t, l| t + l + "\n")),
    );
    let fitted = ok(f, "fit twice.fasta -o m.eocc").out;
    assert!(fitted.contains("1 sample equals an earlier one"), "{fitted}");
}

#[test]
fn an_alignment_says_its_matrix_and_decides_by_share() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let aligned =
        |file: &str, more: &str| ok(f, &format!("fit {file} -o m.eocc --dissimilarity alignment {more}"));
    let mut reads = sequences(5, 40, b"ACGT");
    write(f, "d.fasta", fasta(&reads));
    assert!(aligned("d.fasta", "").out.contains("alignment (matrix dna)"));
    assert!(ok(f, "inspect m.eocc").out.contains("alignment (matrix dna)"));
    // A code of several bases here and there.
    reads[3].replace_range(0..2, "RY");
    write(f, "c.fasta", fasta(&reads));
    assert!(aligned("c.fasta", "").out.contains("matrix dna"));
    ok(f, "score m.eocc c.fasta");
    let given = aligned("c.fasta", "--set matrix=BLOSUM62");
    assert!(given.out.contains("matrix blosum62") && given.err.contains("--set matrix=dna"), "{}", given.err);
    // Rare amino acids.
    let mut proteins = sequences(6, 40, PROTEIN);
    proteins[0].replace_range(5..8, "UOJ");
    write(f, "p.fasta", fasta(&proteins));
    let done = aligned("p.fasta", "");
    assert!(done.out.contains("matrix blosum62"), "{}", done.out);
    assert!(
        done.err.contains("1 sample has amino acids outside of blosum62: U is compared as C"),
        "{}",
        done.err
    );
    proteins[1].replace_range(5..6, "-");
    write(f, "g.fasta", fasta(&proteins));
    let gaps = run(f, "fit g.fasta -o m.eocc --dissimilarity alignment");
    assert!(gaps.err.contains("the sequences are aligned already; remove the gaps"), "{}", gaps.err);
}

#[test]
fn a_few_nucleic_sequences_among_proteins_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut all = sequences(7, 40, PROTEIN);
    all.extend(sequences(8, 3, b"ACGT"));
    write(f, "mixed.fasta", fasta(&all));
    for command in ["fit mixed.fasta -o m.eocc", "outliers mixed.fasta"] {
        let said = ok(f, command).err;
        assert!(said.contains("3 samples have only the letters of DNA or RNA"), "{command}: {said}");
    }
    // Long sequences are cut in the table for people.
    let long: Vec<String> = all.iter().map(|sequence| sequence.repeat(4)).collect();
    write(f, "long.fasta", fasta(&long));
    let table = ok(f, "outliers long.fasta --format table --top 5").out;
    assert!(table.lines().all(|line| line.chars().count() < 200) && table.contains('…'), "{table}");
}

#[test]
fn reports_and_pictures_take_labels_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut all = sequences(9, 40, b"ACD");
    all.extend(sequences(10, 10, b"WYV"));
    write(f, "all.fasta", fasta(&all));
    let label = |i: usize| format!("s{i},{}\n", if i < 40 { "good" } else { "bad" });
    write(f, "labels.csv", (0..50).map(label).collect::<String>());
    ok(f, "fit all.fasta --labels labels.csv --nominal good -o m.eocc");
    ok(f, "report m.eocc all.fasta --labels labels.csv --nominal good -o r.html");
    assert!(std::fs::read_to_string(f.join("r.html")).unwrap().contains("\"labelled\":{"));
    ok(f, "plot m.eocc all.fasta --labels labels.csv --nominal good --what roc -o roc.svg");
    let alone = run(f, "report m.eocc --labels labels.csv -o r.html");
    assert_eq!(alone.code, 2, "{}", alone.err);
    // Labels of other samples.
    write(f, "others.csv", "x1,good\nx2,bad\n");
    let said = run(f, "report m.eocc all.fasta --labels others.csv --nominal good -o r.html").err;
    for part in ["others.csv", "\"s0\"", "such as that of \"x1\""] {
        assert!(said.contains(part), "{part}: {said}");
    }
}

#[test]
fn series_in_long_form_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut r = Random::new(11);
    let mut text = String::from("cell,time,signal\n");
    for cell in 0..30 {
        for time in 0..20 {
            writeln!(text, "c{cell},{time},{:.3}", (f64::from(time) / 3.0).sin() + 0.1 * r.normal()).unwrap();
        }
    }
    write(f, "long.csv", &text);
    let said = ok(f, "fit long.csv -o m.eocc").err;
    assert!(
        said.contains("`time` rises within each `cell`") && said.contains("--input series-long"),
        "{said}"
    );
    ok(f, "fit long.csv --input series-long -o s.eocc");
    // Nearly all are rejected: of few training samples, too.
    let row = |_: usize| format!("{:.3},{:.3},{:.3},0.1\n", r.normal(), r.normal(), r.normal());
    write(f, "wide.csv", (0..30).map(row).collect::<String>());
    ok(f, "fit wide.csv --input series-wide -o w.eocc");
    let far = |i: usize| format!("{},{},900,-900\n", 500 + i, 700 - i);
    write(f, "far.csv", (0..100).map(far).collect::<String>());
    let said = ok(f, "score w.eocc far.csv").err;
    assert!(said.contains("100 of 100 samples (100 %) are rejected, where "), "{said}");
}

/// Rings of carbon; with bonds or without.
pub(crate) fn molecules(count: usize, has_bonds: bool) -> String {
    let line = |i: usize| {
        let n = 5 + i % 3;
        let nodes: Vec<String> = (0..n)
            .map(|v| format!("{{\"id\": \"v{v}\", \"element\": \"{}\"}}", ["C", "N"][(v + i) % 4 / 3]))
            .collect();
        let bond = if has_bonds { ", \"bond\": 1" } else { "" };
        let links: Vec<String> = (0..n)
            .map(|v| format!("{{\"source\": \"v{v}\", \"target\": \"v{}\"{bond}}}", (v + 1) % n))
            .collect();
        let graph = format!("{{\"nodes\": [{}], \"links\": [{}]}}", nodes.join(", "), links.join(", "));
        format!("{{\"molecule\": {graph}}}\n")
    };
    (0..count).map(line).collect()
}

#[test]
fn attributes_of_graphs_are_listed_and_missed() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "g.jsonl", molecules(30, true));
    write(f, "plain.jsonl", molecules(30, false));
    let fitted = ok(f, "fit g.jsonl -o g.eocc").out;
    assert!(fitted.contains("element (word)") && fitted.contains("bond (number)"), "{fitted}");
    let said = ok(f, "score g.eocc plain.jsonl").err;
    assert!(said.contains("30 graphs had no attribute `bond` of edges"), "{said}");
    assert!(!ok(f, "score g.eocc g.jsonl").err.contains("attribute"));
}

#[test]
fn a_dash_is_standard_output() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "p.fasta", fasta(&sequences(12, 20, PROTEIN)));
    ok(f, "fit p.fasta -o m.eocc");
    let scores = ok(f, "score m.eocc p.fasta").out;
    assert_eq!(ok(f, "score m.eocc p.fasta -o -").out, scores);
    assert_eq!(ok(f, "distances p.fasta -o -").out, ok(f, "distances p.fasta").out);
    assert!(!f.join("-").exists());
}
