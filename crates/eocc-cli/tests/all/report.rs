//! Pages and plots of a model.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{ok, run};

/// Two clusters of nominals and some outliers, in a table.
fn write_table(folder: &Path, nominals: u32) {
    let mut text = "a,b,c,class\n".to_owned();
    for i in 0..nominals + 20 {
        let wave = |k: u32| f64::from(i * k % 1009) / 1009.0 + f64::from(i * k * 7 % 997) / 997.0;
        let (shift, class) = match i {
            i if i >= nominals => (9.0, "bad"),
            i if i % 3 == 0 => (4.0, "good"),
            _ => (0.0, "good"),
        };
        let (a, b, c) = (wave(31) + shift, wave(57) - shift, wave(73));
        writeln!(text, "{a},{b},{c},{class}").unwrap();
    }
    fs::write(folder.join("all.csv"), text).unwrap();
}

/// The data in a page.
fn data(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_is_one_small_file_and_always_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_table(folder, 1980);
    ok(folder, "fit all.csv --label class --nominal good -o m.eocc");
    let words = "report m.eocc all.csv --label class --nominal good -o";
    ok(folder, &format!("{words} one.html"));
    ok(folder, &format!("--threads 1 {words} two.html"));
    let page = fs::read_to_string(folder.join("one.html")).unwrap();
    assert_eq!(page, fs::read_to_string(folder.join("two.html")).unwrap());
    assert!(page.len() < 3_000_000, "{} bytes", page.len());
    for word in ["src=", "href=", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    let data = data(&page);
    assert_eq!(data["training"], 1980);
    assert_eq!(data["samples"]["accepted"].as_str().unwrap().len(), 1980 + 2000);
    assert_eq!(data["labelled"]["mistakes"].as_array().unwrap().len(), 10);
    assert!(data["labelled"]["auc"].as_f64().unwrap() > 0.9);
}

#[test]
fn a_model_alone_and_outliers_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_table(folder, 100);
    ok(folder, "fit all.csv --label class --nominal good -o m.eocc");
    ok(folder, "report m.eocc -o m.html");
    let of_model = data(&fs::read_to_string(folder.join("m.html")).unwrap());
    assert_eq!(of_model["training"], 100);
    assert!(of_model["labelled"].is_null() && !of_model["descent"].as_array().unwrap().is_empty());
    assert_eq!(of_model["why"].as_array().unwrap().len(), 100);
    ok(folder, "outliers all.csv --label class -o found.csv --report found.html");
    let found = data(&fs::read_to_string(folder.join("found.html")).unwrap());
    let rejected = found["samples"]["accepted"].as_str().unwrap().matches('0').count();
    assert_eq!(rejected, fs::read_to_string(folder.join("found.csv")).unwrap().lines().count() - 1);
}

#[test]
fn pictures_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_table(folder, 90);
    ok(folder, "fit all.csv --label class --nominal good -o m.eocc");
    for what in ["map", "density", "weights", "descent", "roc"] {
        for (extension, start) in [("svg", "<svg"), ("png", "\u{fffd}PNG"), ("pdf", "%PDF-1.5")] {
            let file = format!("{what}.{extension}");
            ok(folder, &format!("plot m.eocc all.csv --label class --nominal good --what {what} -o {file}"));
            let bytes = fs::read(folder.join(&file)).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(text.starts_with(start), "{file}");
            assert!(extension != "svg" || (!text.contains("<text") && !text.contains("NaN")), "{file}");
        }
    }
}

#[test]
fn what_cannot_be_shown_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_table(folder, 30);
    ok(folder, "fit all.csv --label class --nominal good -o m.eocc");
    for (words, said) in [
        ("plot m.eocc --what map -o map.gif", "a .svg, .png or .pdf file"),
        ("plot m.eocc --what roc -o roc.svg", "which say what is nominal"),
        ("report m.eocc --label class -o r.html", "given together with DATA"),
        ("report m.eocc all.csv --label class -o all.csv", "which it would overwrite"),
        ("report m.eocc --fit all.csv -o r.html", "not what `eocc fit --json` prints"),
    ] {
        let done = run(folder, words);
        assert!(done.code != 0 && done.err.contains(said), "{words}: {}", done.err);
    }
}
