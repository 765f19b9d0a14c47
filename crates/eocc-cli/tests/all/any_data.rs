//! Strings, time series, mixed tables and records, from file to result.
use std::fmt::Write as _;
use std::path::Path;

use crate::support::{ok, run};

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

/// Synthetic proteins: the nominal ones vary one motif, the outliers have other letters.
fn fasta(folder: &Path) {
    let (mut text, mut labels) = (String::new(), String::from("name,label\n"));
    for i in 0..40_usize {
        let motif = if i < 30 { "MKVLAAGIT" } else { "WWHHPPYYC" };
        let tail = &"ACDEFGHIKLMNPQRSTVWY"[i % 17..i % 17 + 3];
        writeln!(text, ">p{i} made\n{motif}{tail}\n{motif}").unwrap();
        writeln!(labels, "p{i},{}", if i < 30 { "good" } else { "bad" }).unwrap();
    }
    write(folder, "p.fasta", &text);
    write(folder, "labels.csv", &labels);
}

/// Synthetic waves of two frequencies, one channel, unequal lengths.
fn waves(folder: &Path) {
    let mut text = String::from(
        "@problemName waves\n@univariate true\n@equalLength false\n@classLabel true a b\n@data\n",
    );
    for i in 0..40_usize {
        let (speed, class) = if i < 28 { (0.3, "a") } else { (0.9, "b") };
        let value = |t: usize| format!("{:.4}", (speed * t as f64 + 0.05 * (i % 7) as f64).sin());
        let values: Vec<String> = (0..20 + i % 5).map(value).collect();
        writeln!(text, "{}:{class}", values.join(",")).unwrap();
    }
    write(folder, "waves.ts", &text);
}

fn auc(text: &str) -> f64 {
    let value: serde_json::Value = serde_json::from_str(text).unwrap();
    value["auc"].as_f64().unwrap()
}

#[test]
fn proteins_from_fit_to_score() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    fasta(f);
    ok(f, "fit p.fasta --labels labels.csv --nominal good -o m.eocc");
    let scores = ok(f, "score m.eocc p.fasta").out;
    let score = |line: &str| line.split(',').nth(2).unwrap().parse::<f64>().unwrap();
    let all: Vec<f64> = scores.lines().skip(1).map(score).collect();
    assert_eq!(all.len(), 40);
    let worst_good = all[..30].iter().copied().fold(f64::INFINITY, f64::min);
    assert!(all[30..].iter().all(|s| *s < worst_good));
    for measure in ["levenshtein", "alignment", "osa", "jaro-winkler"] {
        let words = format!(
            "evaluate p.fasta --labels labels.csv --nominal good --folds 3 --repeats 1 --json --dissimilarity {measure}"
        );
        assert!(auc(&ok(f, &words).out) > 0.99, "{measure}");
    }
    assert!(ok(f, "inspect m.eocc").out.contains("levenshtein"));
    let done = run(f, "evaluate p.fasta --nominal good");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("--labels"), "{}", done.err);
}

#[test]
fn waves_from_fit_to_score() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    waves(f);
    ok(f, "fit waves.ts --nominal a -o m.eocc --set band=0.2");
    assert_eq!(ok(f, "score m.eocc waves.ts --label class").out.lines().count(), 41);
    for measure in ["dtw", "erp", "msm", "twe", "soft-dtw"] {
        let words =
            format!("evaluate waves.ts --nominal a --folds 3 --repeats 1 --json --dissimilarity {measure}");
        assert!(auc(&ok(f, &words).out) > 0.9, "{measure}");
    }
    assert!(auc(&ok(f, "evaluate waves.ts --test waves.ts --nominal a --json").out) > 0.9);
    let done = run(f, "evaluate waves.ts --nominal c");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("classes a, b"), "{}", done.err);
}

#[test]
fn mixed_tables_with_missing_values() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::from("size,color,grade,old,class\n");
    for i in 0..40_usize {
        let good = i < 30;
        let size = if i % 9 == 4 {
            String::new()
        } else {
            format!("{}", (i % 7) as f64 + if good { 0.0 } else { 20.0 })
        };
        let color = if good { ["red", "blue"][i % 2] } else { "green" };
        let grade = if good { ["low", "mid"][i % 2] } else { "high" };
        writeln!(text, "{size},{color},{grade},{},{}", good, if good { "good" } else { "bad" }).unwrap();
    }
    write(f, "t.csv", &text);
    let done = ok(f, "fit t.csv --label class --nominal good -o m.eocc --types grade=ordered:low<mid<high");
    assert!(
        done.err.contains("size: number, 4 missing; color: category, 3 levels; grade: ordered, 3 levels"),
        "{}",
        done.err
    );
    let scores = ok(f, "score m.eocc t.csv --label class").out;
    let accepted: Vec<bool> = scores.lines().skip(1).map(|l| l.split(',').nth(3) == Some("true")).collect();
    assert!(accepted[30..].iter().all(|a| !a));
    assert!(accepted[..30].iter().filter(|a| **a).count() >= 28);
    // An unknown level is accepted, and differs from all others.
    write(f, "new.csv", "size,color,grade,old\n3,purple,low,true\n3,red,low,true\n");
    let scores = ok(f, "score m.eocc new.csv").out;
    let score = |i: usize| scores.lines().nth(i).unwrap().split(',').nth(1).unwrap().parse::<f64>().unwrap();
    assert!(score(1) < score(2));
    for measure in ["gower", "heom"] {
        let words = format!(
            "evaluate t.csv --label class --nominal good --folds 3 --repeats 1 --json --dissimilarity {measure}"
        );
        assert!(auc(&ok(f, &words).out) > 0.99, "{measure}");
    }
    // A numeric table with a missing value is an error for the paper's measures, and the message has a remedy.
    write(f, "hole.csv", "a,b\n1,2\n3,\n5,6\n7,8\n");
    ok(f, "fit hole.csv -o h.eocc");
    let done = run(f, "fit hole.csv -o h.eocc --preset paper");
    assert_eq!(done.code, 3);
    assert!(done.err.contains("line 3") && done.err.contains("--dissimilarity gower"), "{}", done.err);
    ok(f, "fit hole.csv -o h.eocc --dissimilarity gower");
}

#[test]
fn records_of_several_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let mut text = String::new();
    for i in 0..40_usize {
        let good = i < 30;
        let word = if good || i % 2 == 0 { "abcabcabc" } else { "xyzxyzxyz" };
        let speed = if good || i % 2 == 1 { 0.3 } else { 1.1 };
        let wave: Vec<String> =
            (0..15).map(|t| format!("{:.3}", (speed * f64::from(t) + 0.03 * (i % 5) as f64).sin())).collect();
        let class = if good { "good" } else { "bad" };
        let own = &"abcdefghijklmnop"[i % 13..i % 13 + 2];
        writeln!(
            text,
            r#"{{"id": "r{i}", "word": "{word}{own}", "wave": [{}], "size": {}, "class": "{class}"}}"#,
            wave.join(","),
            i % 6
        )
        .unwrap();
    }
    write(f, "r.jsonl", &text);
    let common = "r.jsonl --label class --types word=text";
    ok(f, &format!("fit {common} --nominal good -o m.eocc"));
    assert_eq!(ok(f, "score m.eocc r.jsonl --label class").out.lines().count(), 41);
    assert!(auc(&ok(f, &format!("evaluate {common} --nominal good --folds 3 --repeats 1 --json")).out) > 0.9);
    let searched = format!(
        "evaluate {common} --nominal good --folds 2 --repeats 1 --json --search genetic --evaluations 15 --set wave.dissimilarity=msm --set inner=searched"
    );
    assert!(auc(&ok(f, &searched).out) > 0.5);
    let done = run(f, &format!("fit {common} --nominal good -o m.eocc --set wav.band=0.1"));
    assert_eq!(done.code, 2);
    assert!(done.err.contains("`wav.band`") && done.err.contains("`word`, `wave`, `table`"), "{}", done.err);
}

#[test]
fn distances_as_a_matrix_and_of_pairs() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    write(f, "w.csv", "name,word\na,kitten\nb,sitting\nc,\"mitten\"\n");
    let plain = "distances w.csv --types word=text --set normalize=false";
    assert_eq!(ok(f, plain).out, "a,b,c\n0,3,1\n3,0,3\n1,3,0\n");
    write(f, "pairs.csv", "a,b\na,c\nb,a\n2,0\n");
    assert_eq!(ok(f, &format!("{plain} --pairs pairs.csv")).out, "a,b,distance\na,c,1\nb,a,3\n2,0,1\n");
    write(f, "o.csv", "word\nkitten\nmittens\n");
    let done = ok(f, "distances w.csv o.csv --types word=text --set normalize=false --columns word");
    assert_eq!(done.out, "0,2\n3,3\n1,1\n");
    ok(f, &format!("{plain} -o d.npy"));
    ok(f, &format!("{plain} -o d.csv"));
    assert_eq!(ok(f, "distances w.csv --types word=text -o n.csv").code, 0);
    write(f, "bad.csv", "a,b\na,zebra\n");
    let done = run(f, &format!("{plain} --pairs bad.csv"));
    assert_eq!(done.code, 3);
    assert!(done.err.contains("line 2: `zebra`"), "{}", done.err);
    // The output can be read back.
    write(f, "five.csv", "word\nab\nabc\nabd\nacd\nxyz\n");
    ok(f, "distances five.csv --types word=text -o five.npy");
    ok(f, "fit five.npy --precomputed -o m.eocc");
}

#[test]
fn faults_are_named_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let long = "A".repeat(10_000_000);
    for (name, text, words, expected) in [
        ("nan.jsonl", "{\"w\": [1, 2]}\n{\"w\": [1, null]}\n{\"w\": [3]}\n", "", "line 2"),
        (
            "channels.jsonl",
            "{\"w\": [[1, 2], [3, 4]]}\n{\"w\": [[1], [2]]}\n{\"w\": [[1, 2]]}\n",
            "",
            "line 2",
        ),
        ("empty.jsonl", "{\"w\": [1]}\n{\"w\": []}\n{\"w\": [3]}\n", "", "line 2"),
        (
            "field.jsonl",
            "{\"w\": [1], \"t\": \"x\"}\n{\"t\": \"y\"}\n{\"w\": [3], \"t\": \"z\"}\n",
            "--types t=text",
            "line 2",
        ),
        ("half.csv", "a\n1\n2\n3\n4\nx\ny\n", "", "line 6"),
        ("long.fasta", &format!(">a\nACD\n>b\n{long}\n>c\nACC\n"), "", "\"b\""),
        ("none.fasta", ">a\nACD\n>b\n>c\nACC\n", "", "b"),
        ("gap.ts", "@problemName x\n@classLabel false\n@data\n1,2,3\n1,?,3\n", "", "line 5"),
    ] {
        write(f, name, text);
        let done = run(f, &format!("fit {name} -o m.eocc {words}"));
        assert_eq!(done.code, 3, "{name}: {}", done.err);
        assert!(done.err.contains(name) && done.err.contains(expected), "{name}: {}", done.err);
    }
    std::fs::write(f.join("bytes.fasta"), b">a\nAC\xff\n").unwrap();
    let done = run(f, "fit bytes.fasta -o m.eocc");
    assert_eq!(done.code, 3);
    assert!(done.err.contains("line 2"), "{}", done.err);
    // Empty strings and series of length one have a value.
    write(f, "short.jsonl", "{\"w\": [1]}\n{\"w\": [2]}\n{\"w\": [1, 2]}\n{\"w\": [5]}\n");
    ok(f, "fit short.jsonl -o m.eocc");
    write(f, "strings.jsonl", "{\"t\": \"\"}\n{\"t\": \"a\"}\n{\"t\": \"ab\"}\n{\"t\": \"abc\"}\n");
    ok(f, "fit strings.jsonl --types t=text -o m.eocc");
}

/// Synthetic graphs with a list of classes: alternating paths of `a` and `b` are nominal, stars of `c` are not.
fn graphs(folder: &Path) {
    let mut list = String::from("<GraphCollection><g>");
    for i in 0..36_usize {
        let (is_path, n) = (i < 26, 4 + i % 4);
        let mut text = format!("<gxl><graph id=\"g{i}\" edgemode=\"undirected\">");
        for v in 0..n {
            let letter = if is_path { ["a", "b"][v % 2] } else { "c" };
            write!(text, "<node id=\"{v}\"><attr name=\"kind\"><string>{letter}</string></attr>").unwrap();
            write!(text, "<attr name=\"x\"><float>{}.{}</float></attr></node>", v, i % 10).unwrap();
        }
        for v in 1..n {
            write!(text, "<edge from=\"{}\" to=\"{v}\"/>", if is_path { v - 1 } else { 0 }).unwrap();
        }
        text += "</graph></gxl>";
        write(folder, &format!("g{i}.gxl"), &text);
        write!(list, "<print file=\"g{i}.gxl\" class=\"{}\"/>", if is_path { "path" } else { "star" })
            .unwrap();
    }
    write(folder, "all.cxl", &format!("{list}</g></GraphCollection>"));
}

#[test]
fn graphs_from_fit_to_score() {
    let outer = tempfile::tempdir().unwrap();
    let f = outer.path();
    std::fs::create_dir(f.join("set")).unwrap();
    graphs(&f.join("set"));
    ok(f, "fit set --nominal path -o m.eocc");
    let scores = ok(f, "score m.eocc set").out;
    assert_eq!(scores.lines().count(), 37);
    let score = |line: &str| line.split(',').nth(2).unwrap().parse::<f64>().unwrap();
    let all: Vec<f64> = scores.lines().skip(1).map(score).collect();
    let names = ok(f, "distances set").out.lines().next().unwrap().to_owned();
    let is_path =
        |name: &str| name.trim_start_matches('g').trim_end_matches(".gxl").parse::<usize>().unwrap() < 26;
    let worst = all
        .iter()
        .zip(names.split(','))
        .filter(|(_, n)| is_path(n))
        .map(|(s, _)| *s)
        .fold(f64::INFINITY, f64::min);
    assert!(all.iter().zip(names.split(',')).filter(|(_, n)| !is_path(n)).all(|(s, _)| *s < worst));
    for preset in ["default", "paper"] {
        let words = format!(
            "evaluate set --nominal path --folds 3 --repeats 1 --json --preset {preset} --search none"
        );
        assert!(auc(&ok(f, &words).out) > 0.95, "{preset}");
    }
    write(f, "pairs.csv", "a,b\ng0.gxl,g1.gxl\ng0.gxl,g30.gxl\n");
    let plain = "distances set --set normalize=false --pairs pairs.csv --bounds";
    for method in ["branch-fast", "bipartite", "refine", "ipfp", "exact"] {
        let out = ok(f, &format!("{plain} --method {method}")).out;
        let mut lines = out.lines();
        assert_eq!(lines.next(), Some("a,b,distance,lower,upper"));
        for line in lines {
            let v: Vec<f64> = line.split(',').skip(2).map(|v| v.parse().unwrap()).collect();
            assert!(v[1] <= v[2] + 1e-9 && v[0].to_bits() == v[2].to_bits(), "{line}");
        }
    }
    let explained = ok(f, "distances set --explain g0.gxl g1.gxl").out;
    assert!(explained.contains("vertex") && explained.contains("total:"), "{explained}");
    let done = run(f, "distances set --explain g0.gxl nobody");
    assert_eq!(done.code, 3);
    assert!(done.err.contains("`nobody`"), "{}", done.err);
}
