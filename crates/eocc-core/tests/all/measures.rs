//! Laws for every measure in the catalogue of vectors.

use eocc_core::{Dissimilarity, SampleKind, Settings, Vectors};
use proptest::prelude::*;

type Measure = Box<dyn Dissimilarity<[f64]>>;

const FEATURES: usize = 19;
/// Measures whose features have no unit.
const UNSCALED: [&str; 6] = ["views", "mahalanobis", "hamming", "jaccard", "chi2", "emd"];
/// Measures of counts, which are non-negative and, for `emd`, not all zero.
const COUNTS: [&str; 3] = ["jaccard", "chi2", "emd"];

fn is_counts(row: &[f64]) -> bool {
    row.iter().all(|v| *v >= 0.0) && row.iter().sum::<f64>() > 0.0
}

/// Every measure under every scaling it supports, fitted to `rows` and with weights `p`.
fn measures(rows: &[&[f64]], p: &[f64]) -> Vec<Measure> {
    let mut all = Vec::new();
    for entry in Vectors::catalogue() {
        for scaling in ["", "none", "standard", "robust", "range"] {
            let mut settings = Settings::default();
            if !scaling.is_empty() {
                settings.insert("scaling", scaling);
            }
            let Ok(mut measure) = (entry.make)(&settings) else {
                assert!(UNSCALED.contains(&entry.name), "{} takes a scaling", entry.name);
                continue;
            };
            if let Err(e) = measure.learn(rows, &[]) {
                assert!(COUNTS.contains(&entry.name) && rows.iter().any(|r| !is_counts(r)), "{e}");
                continue;
            }
            let parameters = measure.parameters();
            let p: Vec<f64> = parameters.iter().zip(p).map(|(q, u)| q.low + u * (q.high - q.low)).collect();
            measure.set(&p);
            all.push(measure);
        }
    }
    assert!(all.len() > 20, "all of the catalogue");
    all
}

/// Rows with duplicates and a constant feature: of numbers, with one of zeros, or of counts.
fn rows() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let counts = numbers().prop_map(|mut rows| {
        rows.pop();
        rows.iter_mut().flatten().for_each(|v| *v = v.abs());
        rows
    });
    prop_oneof![numbers(), counts]
}

fn numbers() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let row = prop::collection::vec(prop_oneof![-5.0..5.0_f64, (-2..3_i8).prop_map(f64::from)], FEATURES);
    prop::collection::vec(row, 3..12).prop_map(|mut rows| {
        for row in &mut rows {
            row[1] = 2.5;
        }
        rows.push(rows[0].clone());
        rows.push(vec![0.0; FEATURES]);
        rows
    })
}

fn weights() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), Just(1.0), 0.0..1.0_f64], FEATURES)
}

proptest! {
    #![proptest_config(crate::support::cases(100))]

    #[test]
    fn not_negative_zero_for_equals_and_symmetric(rows in rows(), p in weights()) {
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        for d in measures(&rows, &p) {
            for a in &rows {
                prop_assert_eq!(d.between(a, a).to_bits(), 0.0_f64.to_bits(), "{}", d.name());
                for b in &rows {
                    let value = d.between(a, b);
                    prop_assert!(value >= 0.0 && value.is_finite(), "{} gives {}", d.name(), value);
                    prop_assert_eq!(value.to_bits(), d.between(b, a).to_bits(), "{}", d.name());
                }
            }
        }
    }

    #[test]
    fn the_prepared_side_equals_the_pair_bit_for_bit(rows in rows(), p in weights()) {
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        for d in measures(&rows, &p) {
            let prepared = d.prepare(&rows);
            let coordinates = d.coordinates(&rows);
            // The whole range, and a part that does not start at the first.
            for range in [0..rows.len(), 1..3] {
                for (i, a) in rows.iter().enumerate() {
                    let mut out = vec![f64::NAN; range.len()];
                    prepared.fill(a, range.clone(), &mut out);
                    for (value, j) in out.iter().zip(range.clone()) {
                        prop_assert_eq!(value.to_bits(), d.between(a, rows[j]).to_bits(), "{}", d.name());
                        if let Some(m) = &coordinates {
                            let direct = eocc_core::kernel::squared_euclidean(m.row(i), m.row(j)).sqrt();
                            prop_assert_eq!(value.to_bits(), direct.to_bits(), "{}", d.name());
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn metrics_keep_the_triangle_inequality(rows in rows(), p in weights()) {
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        let metrics: Vec<Measure> = measures(&rows, &p).into_iter().filter(|d| d.properties().metric).collect();
        prop_assert!(metrics.len() > 16);
        for d in metrics {
            for a in &rows {
                for b in &rows {
                    for c in &rows {
                        let (ab, ac, cb) = (d.between(a, b), d.between(a, c), d.between(c, b));
                        prop_assert!(ab <= (ac + cb) * (1.0 + 1e-12), "{}: {} > {} + {}", d.name(), ab, ac, cb);
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_stored_and_restored_is_the_same_to_the_bit(rows in rows(), p in weights()) {
        let rows: Vec<&[f64]> = rows.iter().map(Vec::as_slice).collect();
        for d in measures(&rows, &p) {
            let entry = Vectors::catalogue().iter().find(|e| e.name == d.name()).expect("in the catalogue");
            // Via text, as in a file.
            let text = d.state().expect("a state").to_string();
            let again = (entry.restore)(&(&serde_json::from_str::<serde_json::Value>(&text).expect("text")).into()).expect("restored");
            for b in &rows {
                prop_assert_eq!(d.between(rows[0], b).to_bits(), again.between(rows[0], b).to_bits(), "{}", d.name());
            }
        }
    }
}
