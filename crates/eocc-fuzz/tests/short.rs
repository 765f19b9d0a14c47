//! A short run of every target, with every test.

use std::time::Duration;

use eocc_fuzz::{Limits, TARGETS, corpus, run};

#[test]
fn no_target_panics_or_hangs() {
    let limits = Limits { inputs: 1500, time: Duration::from_secs(20) };
    for target in TARGETS {
        // The corpus, and as many inputs made from it.
        let limits = Limits { inputs: limits.inputs + corpus(target).unwrap().len() as u64, ..limits };
        let report = run(target, 7, limits, &|| 0).unwrap();
        let what: Vec<&str> = report.findings.iter().map(|finding| finding.what.as_str()).collect();
        assert!(what.is_empty(), "{}: {what:?}", target.name);
    }
}

#[test]
fn every_target_takes_its_valid_inputs() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        assert!(!seeds.is_empty(), "{}", target.name);
        assert!(corpus(target).unwrap().len() >= seeds.len());
        // Lines and guesses also get input meant for other targets.
        if !matches!(target.name, "columns" | "guessed") {
            let taken = seeds.iter().filter(|seed| (target.run)(seed)).count();
            assert_eq!(taken, seeds.len(), "{}", target.name);
        }
    }
}
