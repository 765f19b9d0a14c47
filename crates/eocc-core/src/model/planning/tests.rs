//! Plans compared with the work that fits do.

mod counting;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::dissimilarity::{Dissimilarity, Properties, Settings};
use crate::graphs::{GraphInput, Graphs, Value};
use crate::kinds::{Part, Records, SampleKind};
use crate::model::fit::size;
use crate::observer::Silent;
use crate::params::Representation;
use crate::prototypes::Prototypes;
use crate::random::Random;
use crate::sample::{ColumnKind, MixedColumn, MixedTable, Series, SeriesSet, Texts, Vectors};
use counting::Counting;

/// A measure that counts how often it is asked.
#[derive(Clone)]
struct Counted {
    count: Arc<AtomicUsize>,
    by_folds: bool,
}

impl Dissimilarity<[f64]> for Counted {
    fn name(&self) -> &'static str {
        "counted"
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        self.count.fetch_add(1, Ordering::Relaxed);
        a.iter().zip(b).map(|(x, y)| (x - y).abs()).sum::<f64>()
    }

    fn properties(&self) -> Properties {
        Properties { needs_fold_calibration: self.by_folds, ..Properties::default() }
    }

    fn state(&self) -> Option<serde_json::Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<[f64]>> {
        Box::new(self.clone())
    }
}

/// Comparisons that a fit makes, by the count and by the plan.
fn comparisons(params: OneClass, n: usize, by_folds: bool) -> (f64, f64) {
    let place = |i: usize, step: f64| (i as f64 * step).fract();
    let row = |i: usize| vec![place(i, 0.754_877_666), place(i, 0.569_840_290), place(i, 0.430_159_709)];
    let samples = Vectors::from_rows(&(0..n).map(row).collect::<Vec<_>>()).unwrap();
    let measure = Counted { count: Arc::default(), by_folds };
    let count = measure.count.clone();
    let params = params.check().unwrap();
    params.fit_with(&samples, Box::new(measure), &Silent).unwrap();
    let size = Size {
        samples: n,
        width: None,
        table: TableSize::default(),
        slow_views: 1,
        // So long that nothing else counts.
        slow_seconds: 1e3,
        spared: None,
        landmark_views: 1,
        bytes: 24,
        seconds: 1e3,
        row_views: 0,
        row_seconds: 0.0,
        folds: if by_folds { 10 } else { 0 },
    };
    let plan = Plan::new(&params, &size).unwrap();
    (count.load(Ordering::Relaxed) as f64, plan.seconds * threads() / 1e3)
}

#[test]
fn a_plan_is_within_half_of_the_comparisons_that_are_made() {
    let committee = || OneClass::new(Preset::Default);
    let paper = |representation| {
        let paper = OneClass::new(Preset::Paper).representation(representation);
        OneClass { search: SearchKind::None, ..paper }
    };
    let few = || paper(Representation::Prototypes(Prototypes::Random(40)));
    let all = || paper(Representation::Prototypes(Prototypes::All));
    let mut faults = Vec::new();
    for (what, params, sizes, by_folds) in [
        ("default", committee(), &[30, 200, 1500, 10_500][..], false),
        ("default, some neighbors", OneClass { visits: Some(300), ..committee() }, &[1500], false),
        ("default by folds", committee(), &[40, 200, 900], true),
        ("paper, all prototypes", all(), &[50, 200, 900], false),
        ("paper, few prototypes", few(), &[200, 900], false),
        ("paper, direct", paper(Representation::Direct), &[200, 900], false),
        ("paper by folds", all(), &[60, 300], true),
    ] {
        for &n in sizes {
            let (made, planned) = comparisons(params.clone(), n, by_folds);
            if !(1.0 / 1.5..=1.5).contains(&(made / planned)) {
                faults.push(format!("{what}, {n}: {made} made, {planned:.0} planned"));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn tables_that_are_too_wide_are_refused() {
    let of_width = |width: usize| {
        let table = TableSize { views: 3, width };
        let size = Size {
            samples: 9,
            width: Some(width),
            table,
            slow_views: 0,
            slow_seconds: 0.0,
            spared: None,
            landmark_views: 0,
            bytes: 8,
            seconds: 0.0,
            row_views: 0,
            row_seconds: 0.0,
            folds: 0,
        };
        Plan::new(&OneClass::new(Preset::Default), &size)
    };
    assert!(of_width(MAX_WIDTH).is_ok());
    assert!(of_width(MAX_WIDTH + 1).unwrap_err().to_string().contains("supports at most"));
}

/// Rows of independent numbers, which no index helps to search.
fn vectors(n: usize, columns: usize) -> Vectors {
    let mut r = Random::new(3);
    let rows: Vec<Vec<f64>> = (0..n).map(|_| (0..columns).map(|_| r.uniform()).collect()).collect();
    Vectors::from_rows(&rows).unwrap()
}

/// Rows around a few centers, of which an index examines few.
fn clusters(n: usize) -> Vectors {
    let mut r = Random::new(4);
    let row = |_| {
        let center = r.below(8) as f64;
        (0..4).map(|c| center * f64::from(1 + c) + 0.1 * r.normal()).collect()
    };
    Vectors::from_rows(&(0..n).map(row).collect::<Vec<Vec<f64>>>()).unwrap()
}

/// Numbers, some of them missing, and words.
fn mixed(n: usize) -> MixedTable {
    let mut r = Random::new(5);
    let mut column = |c: usize| {
        let name = format!("c{c}");
        let gap = c == 0;
        if c < 4 {
            let cells = (0..n).map(|_| Some(r.normal()).filter(|_| !gap || r.below(20) > 0)).collect();
            return (MixedColumn { name, kind: ColumnKind::Number }, cells);
        }
        let levels: Vec<String> = (0..3 * c).map(|level| format!("w{level}")).collect();
        let cells = (0..n).map(|_| Some(r.below(levels.len()) as f64)).collect();
        (MixedColumn { name, kind: ColumnKind::Category(levels) }, cells)
    };
    MixedTable::new((0..7).map(&mut column).collect()).unwrap()
}

fn texts(n: usize) -> Texts {
    let mut r = Random::new(6);
    let mut text = || (0..40).map(|_| char::from(b'a' + r.below(20) as u8)).collect::<String>();
    Texts::new((0..n).map(|_| text()).collect()).unwrap()
}

fn series(n: usize, steps: usize) -> SeriesSet {
    let mut r = Random::new(7);
    let mut one = || Series::univariate((0..steps).map(|_| r.normal()).collect()).unwrap();
    SeriesSet::new((0..n).map(|_| one()).collect()).unwrap()
}

/// A few shapes with noise, most of which bounds tell apart.
fn waves(n: usize, steps: usize) -> SeriesSet {
    let mut r = Random::new(9);
    let mut one = |i: usize| {
        let value = |t: usize| (t as f64 * (1 + i % 3) as f64 / 9.0).sin() * (1 + i % 5) as f64;
        Series::univariate((0..steps).map(|t| value(t) + 0.1 * r.normal()).collect()).unwrap()
    };
    SeriesSet::new((0..n).map(&mut one).collect()).unwrap()
}

fn graphs(n: usize, vertices: usize) -> Graphs {
    let mut r = Random::new(8);
    let mut one = |g: usize| {
        let mut graph = GraphInput::new(format!("g{g}"), false);
        for v in 0..vertices {
            graph.vertex(v.to_string(), [("w", Value::Number(r.below(3) as f64))]);
        }
        for v in 1..vertices {
            graph.edge(r.below(v), v, []);
        }
        graph
    };
    Graphs::new((0..n).map(&mut one).collect()).unwrap()
}

fn records(n: usize) -> Records {
    Records::new(vec![Part::new("text", texts(n)), Part::new("table", vectors(n, 5))]).unwrap()
}

/// Fits by the default measure of the kind, and lists where the plan is off.
fn faults<X: SampleKind>(what: &str, samples: &X, params: &OneClass) -> Vec<String> {
    let n = samples.count();
    let measure = || X::measure(params.preset, None, &Settings::default()).unwrap();
    let counting = Counting::new(measure());
    let made = counting.made();
    let params = params.clone().check().unwrap();
    params.fit_with(samples, Box::new(counting), made.as_ref()).unwrap();
    let mut learned = measure();
    learned.learn(&samples.refs(), samples.feature_names()).unwrap();
    let size = size(&params, samples, learned.as_ref(), 0);
    let plan = Plan::new(&params, &size).unwrap();
    let planned = Work::new(&size, plan.neighbors);
    let made = made.work(&size, &planned);
    let (made_seconds, planned_seconds) = (made.seconds(&size), planned.seconds(&size));
    let mut faults = Vec::new();
    if !(1.0 / 1.5..=1.5).contains(&(made_seconds / planned_seconds)) {
        faults.push(format!(
            "{what}, {n}: {made_seconds:.3} s made, {planned_seconds:.3} planned: {made:.0?}, {planned:.0?}"
        ));
    }
    // An index may spare visits to most rows, but no stage that matters takes more than planned.
    for ((stage, made), (_, planned)) in made.stages(&size).into_iter().zip(planned.stages(&size)) {
        if made > 1.5 * planned + 0.1 * planned_seconds {
            faults.push(format!("{what}, {n}, {stage}: {made:.3} s made, {planned:.3} planned"));
        }
    }
    let by_bounds = ["waves"].contains(&what);
    if size.spared.is_some() != by_bounds {
        faults.push(format!("{what}, {n}: bounds spare comparisons: {}", !by_bounds));
    }
    faults
}

#[test]
fn a_plan_is_within_half_of_the_work_for_every_kind() {
    let all = &OneClass::new(Preset::Default);
    let some = &OneClass { visits: Some(300), ..all.clone() };
    let mut found = Vec::new();
    for n in [300, 3000, 20_000] {
        found.extend(faults("numbers", &vectors(n, 10), all));
    }
    for n in [800, 3000] {
        found.extend(faults("clusters", &clusters(n), all));
        found.extend(faults("mixed", &mixed(n), all));
    }
    found.extend(faults("wide", &vectors(600, 80), all));
    for n in [300, 1200] {
        found.extend(faults("strings", &texts(n), all));
        found.extend(faults("short series", &series(n, 24), all));
        found.extend(faults("records", &records(n), all));
    }
    found.extend(faults("series", &series(300, 100), all));
    found.extend(faults("waves", &waves(600, 60), all));
    found.extend(faults("strings, some neighbors", &texts(1500), some));
    found.extend(faults("small graphs", &graphs(300, 6), all));
    found.extend(faults("graphs", &graphs(150, 15), all));
    assert!(found.is_empty(), "{found:#?}");
}
