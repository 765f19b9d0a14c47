//! A file that is read is never written, by whatever path.
use std::path::Path;

use crate::support::{classes, ok, program, run};

/// Runs, and expects a refusal that names the input and leaves the file unchanged.
fn refused(folder: &Path, words: &str, kept: &str, what: &str) {
    let before = std::fs::read(folder.join(kept)).unwrap();
    let done = run(folder, words);
    assert_eq!(done.code, 2, "{words}: {}", done.err);
    assert!(done.err.contains(&format!("another file than the {what} ")), "{words}: {}", done.err);
    assert_eq!(std::fs::read(folder.join(kept)).unwrap(), before, "{words}");
}

fn copy(folder: &Path, from: &str, to: &str) {
    std::fs::copy(folder.join(from), folder.join(to)).unwrap();
}

#[test]
fn outputs_that_are_inputs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let fit = "fit classes.csv --label class --nominal good";
    refused(f, &format!("{fit} -o classes.csv"), "classes.csv", "data");
    ok(f, &format!("{fit} -o m.eocc"));
    // A model may replace an older one.
    ok(f, &format!("{fit} -o m.eocc"));
    std::fs::write(f.join("new.csv"), "a,b\n1,1\n0.5,2\n0.2,1\n").unwrap();
    refused(f, "score m.eocc new.csv -o new.csv", "new.csv", "data");
    refused(f, "score m.eocc new.csv -o m.eocc", "m.eocc", "model");
    copy(f, "new.csv", "other.csv");
    refused(f, "distances new.csv other.csv -o other.csv", "other.csv", "other samples");
    refused(f, "distances new.csv -o ./new.csv", "new.csv", "data");
    std::fs::write(f.join("pairs.csv"), "a,b\n0,1\n").unwrap();
    refused(f, "distances new.csv --pairs pairs.csv -o pairs.csv", "pairs.csv", "pairs");
    let rows: Vec<String> =
        (0..80).map(|i| format!("{i},{}\n", if i < 60 { "good" } else { "bad" })).collect();
    std::fs::write(f.join("labels.csv"), rows.concat()).unwrap();
    let labelled = "classes.csv --drop class --labels labels.csv --nominal good";
    refused(f, &format!("fit {labelled} -o labels.csv"), "labels.csv", "labels");
    let compare = "compare classes.csv --label class --nominal good --methods gauss --restart --journal";
    refused(f, &format!("{compare} classes.csv"), "classes.csv", "data");
}

#[test]
fn files_are_known_by_identity() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    std::fs::create_dir(f.join("below")).unwrap();
    let fit = "fit classes.csv --label class --nominal good -o";
    refused(f, &format!("{fit} below/../classes.csv"), "classes.csv", "data");
    refused(f, &format!("{fit} {}", f.join("classes.csv").display()), "classes.csv", "data");
    #[cfg(unix)]
    {
        std::fs::hard_link(f.join("classes.csv"), f.join("hard.csv")).unwrap();
        refused(f, &format!("{fit} hard.csv"), "classes.csv", "data");
        std::os::unix::fs::symlink("classes.csv", f.join("soft.csv")).unwrap();
        refused(f, &format!("{fit} soft.csv"), "classes.csv", "data");
        refused(f, "fit soft.csv --label class --nominal good -o classes.csv", "classes.csv", "data");
        // Standard input may be a file, too.
        let before = std::fs::read(f.join("classes.csv")).unwrap();
        let done = program(f)
            .args("fit - --label class --nominal good -o classes.csv".split(' '))
            .stdin(std::fs::File::open(f.join("classes.csv")).unwrap())
            .output()
            .unwrap();
        assert_eq!(done.status.code(), Some(2), "{}", String::from_utf8_lossy(&done.stderr));
        assert_eq!(std::fs::read(f.join("classes.csv")).unwrap(), before);
        // A device is not a file that could be destroyed.
        ok(f, &format!("{fit} m.eocc"));
        ok(f, "score m.eocc classes.csv -o /dev/null");
    }
}

#[test]
fn graphs_of_a_folder_are_inputs_and_other_files_in_it_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    std::fs::create_dir(f.join("set")).unwrap();
    for i in 0..8 {
        let nodes = (0..3 + i % 3).map(|v| format!("<node id=\"{v}\"/>")).collect::<Vec<String>>().concat();
        let text = format!(
            "<gxl><graph id=\"g\" edgemode=\"undirected\">{nodes}<edge from=\"0\" to=\"1\"/></graph></gxl>"
        );
        std::fs::write(f.join(format!("set/g{i}.gxl")), text).unwrap();
    }
    refused(f, "fit set -o set/g1.gxl", "set/g1.gxl", "data");
    ok(f, "fit set -o set/m.eocc");
    ok(f, "fit set -o set/m.eocc");
}
