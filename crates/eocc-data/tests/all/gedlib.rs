//! Edit distances compared with those of GEDLIB (`dbblumenthal/gedlib` @ 73572b3b) for 200 pairs of four IAM sets.
//!
//! Needs `ged/` and `iam/` in the data folder (`$EOCC_DATA`, or `../shared/data`); otherwise nothing is tested.

use std::path::{Path, PathBuf};

use eocc_core::dissimilarity::GraphEdit;
use eocc_core::dissimilarity::ged::{Costs, Method};

fn data() -> Option<PathBuf> {
    let usual = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let data = std::env::var_os("EOCC_DATA").map_or_else(usual, PathBuf::from);
    if data.join("ged").is_dir() {
        return Some(data);
    }
    eprintln!("skipped: there is no folder `ged` in {}; set EOCC_DATA", data.display());
    None
}

/// Compares all methods; `exact` only if it can finish.
fn compare(set: &str, costs: &Costs, with_exact: bool) {
    let Some(data) = data() else { return };
    let read = eocc_data::read_graphs(&data.join(format!("iam/{set}.tar.gz"))).expect("the set");
    let text = std::fs::read_to_string(data.join(format!("ged/{set}.csv"))).expect("GEDLIB's results");
    let header: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let measure = |method| GraphEdit::new(costs.clone()).normalize(false).method(method);
    let (mut refine, mut ipfp, mut count) = ((0.0, 0.0), (0.0, 0.0), 0);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let theirs = |name: &str| -> f64 {
            let at = header.iter().position(|h| *h == name).expect("a column");
            cells[at].parse().expect("a number")
        };
        let graph = |name: &str| &read.graphs.graphs()[read.graphs.position(name).expect("a graph")];
        let bounds = |method| measure(method).bounds(graph(cells[0]), graph(cells[1]));
        let by_refine = bounds(Method::Refine);
        let lower = theirs("branch_fast_lower");
        assert!((by_refine.lower - lower).abs() <= 1e-9 * lower, "{line}: {by_refine:?}");
        refine = (refine.0 + by_refine.upper, refine.1 + theirs("refine_1_upper"));
        let by_ipfp = bounds(Method::Ipfp);
        ipfp = (ipfp.0 + by_ipfp.upper, ipfp.1 + theirs("ipfp_10_upper"));
        if with_exact {
            let exact = bounds(Method::Exact);
            assert!((exact.upper - exact.lower).abs() < 1e-9, "{line}: {exact:?}");
            assert!(exact.upper <= theirs("ipfp_10_upper") + 1e-9, "{line}: {exact:?}");
        }
        count += 1;
    }
    assert_eq!(count, 200);
    assert!(refine.0 <= refine.1, "refine: {refine:?}");
    assert!(ipfp.0 <= ipfp.1, "ipfp: {ipfp:?}");
}

#[test]
fn letter() {
    compare("Letter-HIGH", &Costs::Letter, true);
}

#[test]
fn aids() {
    compare("AIDS", &Costs::Aids, false);
}

#[test]
fn grec() {
    compare("GREC", &Costs::Grec, false);
}

#[test]
fn protein() {
    compare("Protein", &Costs::Protein, false);
}

/// The index of the data folder has splits and sizes counted by another program.
#[test]
fn sets_are_read_as_the_index_says() {
    let Some(data) = data() else { return };
    for set in ["AIDS", "GREC", "Letter-LOW", "Letter-HIGH", "Protein"] {
        let read = eocc_data::read_graphs(&data.join(format!("iam/{set}.tar.gz"))).expect("the set");
        let index = std::fs::read_to_string(data.join(format!("iam/{set}_index.csv"))).expect("the index");
        assert_eq!(index.lines().count() - 1, read.graphs.graphs().len(), "{set}");
        for line in index.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let at = read.graphs.position(cells[0]).expect("a graph");
            let g = &read.graphs.graphs()[at];
            assert_eq!(read.classes[at].as_deref(), Some(cells[1]), "{line}");
            assert_eq!(read.splits[at].as_deref(), Some(cells[2]), "{line}");
            let sizes = (g.vertices().to_string(), g.edges().len().to_string());
            assert_eq!((sizes.0.as_str(), sizes.1.as_str()), (cells[3], cells[4]), "{line}");
        }
    }
}
