//! Writes a report that no model produces: names that are markup, and numbers that are NaN or infinite. The browser
//! tests use it.
//!
//! `cargo run -p eocc-report --example hostile -- FILE`

use eocc_core::{AnyModel, OneClass, Preset, Silent, Vectors};
use eocc_report::ReportData;
use eocc_report::report::{FeatureShare, Why};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("the name of a file is needed")?;
    let row = |i: u32| vec![f64::from(i * 7919 % 101), f64::from(i * 104_729 % 97), f64::from(i % 5)];
    let rows: Vec<Vec<f64>> = (0..40).map(row).collect();
    let model = OneClass::new(Preset::Default).fit(&Vectors::from_rows(&rows)?)?;
    let markup = "</script><script>window.hacked = 4</script>";
    let mut data = ReportData::new(&AnyModel::new(model), markup, None, &Silent)?;
    data.samples.name = (0..40).map(|i| format!("=1+{i} {markup} \" ' \u{2028} 🦀")).collect();
    let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for (i, number) in numbers.into_iter().enumerate() {
        data.samples.score.0[i] = number;
        data.samples.membership.0[i] = number;
        data.samples.p_value.0[i] = number;
        data.samples.difference.0[i] = number;
        data.map.x.0[i] = number;
    }
    data.weights = vec![(markup.to_owned(), f64::NAN), ("<b>".to_owned(), 0.5), ("c".to_owned(), 1.0)];
    data.notes.push(markup.to_owned());
    data.facts.push((markup.to_owned(), "<img src=x onerror=alert(1)>".to_owned()));
    data.stages.push((markup.to_owned(), markup.to_owned()));
    let feature = FeatureShare {
        name: markup.to_owned(),
        share: f64::NAN,
        value: "x".repeat(10_000),
        usual: markup.to_owned(),
    };
    let why = Why {
        features: vec![feature],
        nearest: vec![(markup.to_owned(), f64::NAN)],
        matched: Some(format!("{markup}\n{}", "z".repeat(10_000))),
    };
    data.why = vec![why; data.map.sample.0.len()];
    std::fs::write(path, data.to_html()?)?;
    Ok(())
}
