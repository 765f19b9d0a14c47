//! What `evaluate` and `compare` report.
use serde_json::Value;

use crate::support::{classes, ok};

#[test]
fn rates_at_the_threshold_come_with_intervals() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let command = "evaluate classes.csv --label class --nominal good --repeats 2 --folds 5 --reject 0.1";
    let value: Value = serde_json::from_str(&ok(f, &format!("{command} --json")).out).unwrap();
    assert_eq!((value["nominal_samples"].as_u64(), value["outliers"].as_u64()), (Some(60), Some(20)));
    for name in ["auc", "average_precision", "detection_rate", "false_alarm_rate"] {
        let own = value[name].as_f64().unwrap();
        let ends = &value[format!("{name}_interval")];
        let [low, high] = [0, 1].map(|end| ends[end].as_f64().unwrap());
        assert!(0.0 <= low && low <= own + 1e-9 && own <= high + 1e-9 && high <= 1.0, "{name}: {own} {ends}");
        assert!(high - low > 0.01, "{name} is known too well: {ends}");
    }
    // The outliers are far away, and one nominal in ten is expected to be rejected.
    assert!(value["detection_rate"].as_f64().unwrap() > 0.99);
    assert!((value["false_alarm_rate"].as_f64().unwrap() - 0.1).abs() < 0.1);
    let text = ok(f, command).out;
    for word in [
        "AUC  ",
        "average precision  ",
        "detection rate  ",
        "false-alarm rate  ",
        "20 outliers rejected",
        "Newcombe",
        "Wilson",
    ] {
        assert!(text.contains(word), "{word}: {text}");
    }
    // Held-out samples are counted individually.
    let held = ok(f, "evaluate classes.csv --label class --nominal good --test classes.csv --json").out;
    let held: Value = serde_json::from_str(&held).unwrap();
    assert_eq!((held["nominal_samples"].as_u64(), held["outliers"].as_u64()), (Some(60), Some(20)));
}

#[test]
fn a_table_says_what_its_numbers_are_and_one_data_set_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    classes(f);
    let done = ok(
        f,
        "compare classes.csv --label class --nominal good --methods default,gauss --repeats 1 --folds 3 --plots pictures",
    );
    assert!(
        done.out.contains("AUC over 3 folds, in brackets its standard deviation over repeats; AP: "),
        "{}",
        done.out
    );
    let drawn = std::fs::read_to_string(f.join("pictures/auc.svg")).unwrap();
    assert!(drawn.contains("Gauss") && drawn.contains("60 nominal samples, 20 outliers"), "{drawn}");
    assert!(std::fs::read(f.join("pictures/auc.png")).unwrap().starts_with(b"\x89PNG"));
}
