//! Values from other programs, recorded in `testdata/golden` with their versions by `scripts/golden.py`.
use eocc_core::dissimilarity::{
    Alignment, Costs, Dissimilarity, Dtw, Elastic, ElasticMeasure, Gower, Histogram, HistogramKind,
    JaroWinkler, Levenshtein, Local, Mean, Osa, SubstitutionMatrix, Unit,
};
use eocc_core::sample::{ColumnKind, MixedColumn};
use eocc_core::{MixedTable, SampleSet, Series};
use serde_json::Value;

fn golden(name: &str) -> Value {
    let path = format!("{}/../../testdata/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("golden values are part of the repository");
    serde_json::from_str(&text).expect("JSON")
}

fn cases(of: &Value) -> &[Value] {
    let cases = of["cases"].as_array().expect("cases");
    assert!(cases.len() >= 30);
    cases
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("numbers").iter().map(number).collect()
}

#[track_caller]
fn same(ours: f64, theirs: &Value, what: &str) {
    let theirs = number(theirs);
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0), "{what}: {ours}, but {theirs}");
}

#[test]
fn strings_as_in_rapidfuzz() {
    let unit = |normalize| Levenshtein::new(Unit::Chars, Costs::UNIT, normalize);
    let winkler = JaroWinkler::new(Unit::Chars, 0.1).unwrap();
    let jaro = JaroWinkler::new(Unit::Chars, 0.0).unwrap();
    for case in cases(&golden("strings")) {
        let (a, b) = (case["a"].as_str().unwrap(), case["b"].as_str().unwrap());
        let what = |measure: &str| format!("{measure} of {a:?} and {b:?}");
        same(unit(false).between(a, b), &case["levenshtein"], &what("levenshtein"));
        same(unit(true).between(a, b), &case["levenshtein_normalized"], &what("normalized levenshtein"));
        for weighted in case["levenshtein_weighted"].as_array().unwrap() {
            let w = numbers(&weighted["weights"]);
            let costs = Costs { insertion: w[0], deletion: w[1], substitution: w[2] };
            let ours = Levenshtein::new(Unit::Chars, costs, false).between(a, b);
            same(ours, &weighted["distance"], &what(&format!("levenshtein {w:?}")));
        }
        same(Osa::new(Unit::Chars, false).between(a, b), &case["osa"], &what("osa"));
        same(Osa::new(Unit::Chars, true).between(a, b), &case["osa_normalized"], &what("normalized osa"));
        same(jaro.between(a, b), &case["jaro"], &what("jaro"));
        same(winkler.between(a, b), &case["jaro_winkler"], &what("jaro-winkler"));
    }
}

#[test]
fn alignments_as_in_biopython() {
    for case in cases(&golden("blosum")) {
        let (a, b) = (case["a"].as_str().unwrap(), case["b"].as_str().unwrap());
        for score in case["scores"].as_array().unwrap() {
            let matrix = SubstitutionMatrix::blosum62().unwrap();
            let d = Alignment::new(matrix, number(&score["gap"]), false).unwrap();
            let expected =
                0.5 * (number(&case["self_a"]) + number(&case["self_b"])) - number(&score["score"]);
            same(d.between(a, b), &expected.into(), &format!("{a} {b}"));
        }
    }
}

fn series(value: &Value) -> Series {
    let steps: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Series::new(steps.concat(), steps[0].len()).unwrap()
}

/// The band whose half-width is this number of time steps.
fn band(radius: usize, x: &Series, y: &Series) -> f64 {
    (radius as f64 / x.len().max(y.len()) as f64).min(1.0)
}

#[test]
fn series_as_in_aeon_dtaidistance_and_tslearn() {
    let elastic = |kind| ElasticMeasure::new(kind).unwrap();
    for case in cases(&golden("series")) {
        let (x, y) = (series(&case["x"]), series(&case["y"]));
        let dtw = |band| Dtw::new(Local::Squared, band, false).unwrap().between(&x, &y);
        let mut compared = 0;
        for (key, value) in case["values"].as_object().unwrap() {
            let parts: Vec<&str> = key.split('_').collect();
            let last = || parts.last().and_then(|p| p.parse::<f64>().ok()).unwrap();
            let ours = match parts.as_slice() {
                ["aeon", "dtw"] => dtw(None),
                // |i - j| <= int(window * n) for equal lengths.
                ["aeon", "dtw", "window", w] => {
                    dtw(Some(band((w.parse::<f64>().unwrap() * x.len() as f64) as usize, &x, &y)))
                }
                ["dtai", "dtw" | "ndim"] => dtw(None).sqrt(),
                // W includes the diagonal itself.
                ["dtai", "dtw" | "ndim", "window", w] => {
                    dtw(Some(band(w.parse::<usize>().unwrap() - 1, &x, &y))).sqrt()
                }
                ["aeon", "erp", "g", _] => elastic(Elastic::Erp { gap: last(), whole: true }).between(&x, &y),
                ["plain", "erp", "g", _] => {
                    elastic(Elastic::Erp { gap: last(), whole: false }).between(&x, &y)
                }
                ["aeon", "msm", "c", _] => elastic(Elastic::Msm { cost: last() }).between(&x, &y),
                ["aeon", "twe", "nu", nu, "lambda", _] => {
                    let stiffness = nu.parse().unwrap();
                    elastic(Elastic::Twe { stiffness, penalty: last() }).between(&x, &y)
                }
                ["tslearn", "soft", "dtw", "gamma", _] => {
                    let of = numbers(value);
                    let expected = (of[0] - 0.5 * (of[1] + of[2])).max(0.0);
                    let ours = elastic(Elastic::SoftDtw { gamma: last() }).between(&x, &y);
                    assert!(
                        (ours - expected).abs() <= 1e-6 * of[0].abs().max(1.0),
                        "{key}: {ours} {expected}"
                    );
                    compared += 1;
                    continue;
                }
                _ => panic!("unknown value {key}"),
            };
            same(ours, value, key);
            compared += 1;
        }
        assert!(compared >= 12);
    }
}

/// The table of the golden file, with these rows.
fn table(golden: &Value, rows: &str) -> MixedTable {
    let rows = golden[rows].as_array().unwrap();
    let columns = golden["columns"].as_object().unwrap();
    // In the order of the rows; JSON objects are unordered.
    let order = ["age", "income", "balance", "depth", "constant", "city", "grade", "member", "urgent"];
    assert_eq!(order.len(), columns.len());
    let column = |(f, name): (usize, &&str)| {
        let cells: Vec<&Value> = rows.iter().map(|row| &row[f]).collect();
        let (kind, values): (ColumnKind, Vec<Option<f64>>) = match columns[*name].as_str().unwrap() {
            "number" => (ColumnKind::Number, cells.iter().map(|c| c.as_f64()).collect()),
            "boolean" => (
                ColumnKind::Boolean,
                cells.iter().map(|c| c.as_bool().map(|b| f64::from(u8::from(b)))).collect(),
            ),
            _ => {
                let mut levels: Vec<String> =
                    cells.iter().filter_map(|c| c.as_str().map(str::to_owned)).collect();
                levels.sort();
                levels.dedup();
                let code =
                    |c: &&Value| c.as_str().map(|w| levels.iter().position(|l| l == w).unwrap() as f64);
                let values = cells.iter().map(code).collect();
                (ColumnKind::Category(levels), values)
            }
        };
        (MixedColumn { name: (*name).to_owned(), kind }, values)
    };
    MixedTable::new(order.iter().enumerate().map(column).collect()).unwrap()
}

#[test]
fn mixed_rows_as_in_gower() {
    let golden = golden("mixed");
    for (rows, expected, weighted, tolerance) in [
        ("rows", "gower", false, 2e-6),
        ("rows", "gower_weighted", true, 2e-6),
        ("rows", "plain", false, 1e-12),
        ("rows_missing", "plain_missing", false, 1e-12),
        ("rows_missing", "plain_missing_weighted", true, 1e-12),
    ] {
        let table = table(&golden, rows);
        let refs = table.refs();
        let mut d = Gower::new(Mean::Gower);
        d.learn(&refs, &[]).unwrap();
        if weighted {
            let weights = golden["weights"].as_object().unwrap();
            let p: Vec<f64> = table.columns().iter().map(|c| number(&weights[&c.name]) / 3.0).collect();
            d.set(&p);
        }
        let expected = golden[expected].as_array().unwrap();
        let pairs = (0..refs.len()).flat_map(|i| (i + 1..refs.len()).map(move |j| (i, j)));
        assert_eq!(expected.len(), refs.len() * (refs.len() - 1) / 2);
        for ((i, j), expected) in pairs.zip(expected) {
            let expected = expected.as_f64().unwrap();
            let ours = d.between(refs[i], refs[j]);
            assert!((ours - expected).abs() <= tolerance, "rows {i} and {j}: {ours}, but {expected}");
        }
    }
}

#[test]
fn histograms_as_in_scipy_and_scikit_learn() {
    let golden = golden("mixed");
    for case in golden["vectors"].as_array().unwrap() {
        let pair =
            |a: &str, b: &str, kind| Histogram::new(kind).between(&numbers(&case[a]), &numbers(&case[b]));
        same(pair("u", "v", HistogramKind::Chi2), &case["chi2"], "chi2");
        same(pair("u", "v", HistogramKind::Emd), &case["wasserstein"], "wasserstein");
        same(pair("s", "t", HistogramKind::Jaccard), &case["jaccard"], "jaccard");
        same(pair("s", "t", HistogramKind::Hamming), &case["hamming_binary"], "hamming of sets");
        same(pair("a", "b", HistogramKind::Hamming), &case["hamming"], "hamming");
    }
}
