//! `eocc reproduce iam`: the paper's table of graphs, the printed figures beside ours.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};
use eocc::{Error, SampleSet as _, Settings};
use eocc_baselines::{Options, named};
use eocc_data::atomic_write;
use eocc_eval::{CrossValidation, DataSet, Experiment, Summary};

use crate::cli::ReproduceArgs;
use crate::comparing::{Plan, markdown, notes, title};
use crate::{exit_code, output};

/// A set of graphs: acronym, file, nominal class, edit costs.
const SETS: [(&str, &str, &str, &str); 5] = [
    ("A", "iam/AIDS.tar.gz", "a", "aids"),
    ("G", "iam/GREC.tar.gz", "1", "grec"),
    ("L-L", "iam/Letter-LOW.tar.gz", "A", "letter"),
    ("L-H", "iam/Letter-HIGH.tar.gz", "A", "letter"),
    ("P", "iam/Protein.tar.gz", "1", "protein"),
];
const ORIGIN: &str =
    "IAM graph database repository (Riesen and Bunke 2008), as GXL files with CXL lists in an archive";

/// Classifiers that take graphs, and are worth the wait.
const METHODS: [&str; 6] = ["paper", "default", "eocc-1", "eocc-2", "k-nn-mean", "dte-np"];

/// AUC, standard deviation, seconds to train and to test `[LA17, tab. IV]`.
type Printed = [(f64, f64, f64, f64); 5];
const PRINTED: [(&str, Printed); 3] = [
    (
        "paper",
        [
            (0.984, 0.019, 14.5, 1.922),
            (0.952, 0.008, 6.376, 0.332),
            (1.000, 0.000, 5.280, 0.600),
            (0.951, 0.056, 8.028, 1.462),
            (0.491, 0.018, 870.1, 6.388),
        ],
    ),
    (
        "eocc-1",
        [
            (0.977, 0.012, 34.86, 0.445),
            (0.993, 0.006, 6.396, 0.168),
            (1.000, 0.000, 3.901, 0.070),
            (0.905, 0.116, 4.132, 0.074),
            (0.388, 0.028, 568.9, 4.867),
        ],
    ),
    (
        "eocc-2",
        [
            (0.974, 0.014, 148.2, 0.468),
            (1.000, 0.000, 77.02, 0.171),
            (1.000, 0.000, 151.9, 0.074),
            (0.967, 0.004, 168.8, 0.093),
            (0.554, 0.025, 9152.0, 4.955),
        ],
    ),
];

pub(crate) fn run(args: &ReproduceArgs, places: &[PathBuf]) -> Result<ExitCode> {
    let folder = folder(places)?;
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    let mut tested = Vec::new();
    for (acronym, file, nominal, costs) in SETS {
        let (set, count) = data_set(&folder.join(file), acronym, nominal, costs, args)?;
        sets.push(set);
        tested.push(count);
    }
    let is_all = args.methods.iter().any(|m| m == "all");
    let methods: Vec<&str> =
        if is_all { METHODS.to_vec() } else { named(&args.methods)?.iter().map(|m| m.name).collect() };
    let version = env!("CARGO_PKG_VERSION");
    let plan = Plan {
        sets: &sets,
        methods: &methods,
        protocol: CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.seed }.into(),
        settings: format!("eocc {version}, IAM, folds {}, seed {}", args.folds, args.seed),
        journal: args.journal.as_deref(),
        restart: false,
        prefix: "eocc-reproduce-iam",
    };
    let Some(summary) = plan.run()? else { return Ok(ExitCode::from(exit_code::INTERRUPTED)) };
    for note in notes(&summary) {
        eprintln!("failed: {note}");
    }
    let text = report(&summary, &tested, args);
    match &args.output {
        Some(path) => atomic_write(path, |w| writeln!(w, "{text}"))?,
        None => output::line(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The first place that has all the files.
fn folder(places: &[PathBuf]) -> Result<PathBuf> {
    let missing =
        |place: &Path| SETS.iter().filter(|s| !place.join(s.1).is_file()).map(|s| s.1).collect::<Vec<_>>();
    if let Some(place) = places.iter().find(|p| missing(p).is_empty()) {
        return Ok(place.clone());
    }
    let Some(first) = places.first() else { bail!(Error::input("no folder to look in")) };
    bail!(Error::input(format!(
        "files are missing in {}: {}; get them from their public source ({ORIGIN}), or name another folder with --data",
        first.display(),
        missing(first).join(", ")
    )))
}

/// The nominal graphs and those others that are not in `train`; and how many a fold tests.
fn data_set(
    path: &Path,
    acronym: &str,
    nominal: &str,
    costs: &str,
    args: &ReproduceArgs,
) -> Result<(Box<dyn Experiment>, usize)> {
    let set = eocc_data::read_graphs(path)?;
    let (own, others) = set.one_class(nominal)?;
    let tested = own.len() / args.folds.max(1) + others.len();
    let kept: Vec<usize> = own.iter().chain(&others).copied().collect();
    let content = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    let mut settings = Settings::default();
    settings.insert("costs", costs);
    let options = Options { dissimilarity: Some("ged".into()), settings };
    let nominal = (0..own.len()).collect();
    let graphs = set.graphs.select(&kept);
    let set = DataSet::new(acronym.to_owned(), &content, graphs, nominal, options, false, args.seed)?;
    Ok((Box::new(set), tested))
}

fn report(summary: &Summary, tested: &[usize], args: &ReproduceArgs) -> String {
    let printed = |method: &str| PRINTED.iter().find(|p| p.0 == method).map(|p| &p.1);
    let (mut aucs, mut times) = (Vec::new(), Vec::new());
    let header: Vec<String> =
        ["classifier"].into_iter().chain(SETS.map(|s| s.0)).map(str::to_owned).collect();
    aucs.push(header.clone());
    times.push(header);
    let (mut ours, mut theirs) = (0.0, 0.0);
    for (m, method) in summary.methods.iter().enumerate() {
        let (mut auc, mut time) = (vec![title(method).to_owned()], vec![title(method).to_owned()]);
        for (s, cell) in summary.cells[m].iter().enumerate() {
            let Ok(cell) = cell else {
                auc.push("-".into());
                time.push("-".into());
                continue;
            };
            let score = cell.seconds_per_thousand * tested[s] as f64 / 1000.0;
            let (mut a, mut t) = (
                format!("{:.3} ({:.3})", cell.auc, cell.deviation),
                format!("{:.3} / {score:.3}", cell.fit_seconds),
            );
            if let Some((value, deviation, train, test)) = printed(method).map(|p| p[s]) {
                let mark = if (cell.auc - value).abs() > 0.1 { "**" } else { "" };
                a = format!("{mark}{a}{mark}, printed {value:.3} ({deviation:.3})");
                t = format!("{t}, printed {train} / {test}");
                if method == "paper" {
                    ours += cell.fit_seconds + score;
                    theirs += train + test;
                }
            }
            auc.push(a);
            time.push(t);
        }
        aucs.push(auc);
        times.push(time);
    }
    let mut parts = vec![
        "# The paper's IAM table, repeated".to_owned(),
        format!(
            "Written by `eocc reproduce iam --repeats {} --folds {} --seed {}`: graph edit distance by `refine` with the published \
             costs; the nominal class in folds, against all other graphs outside of `train`. AUC with its standard deviation over \
             repeats; **bold** where it differs from the printed one by more than 0.1.",
            args.repeats, args.folds, args.seed
        ),
        markdown(&aucs),
        "## Seconds to train and to test, on one thread".to_owned(),
        markdown(&times),
    ];
    if ours > 0.0 {
        parts.push(format!(
            "`paper` takes {ours:.1} s in all to train and test once on each set, the printed classifier {theirs:.1} s: {:.0} times.",
            theirs / ours
        ));
    }
    parts.join("\n\n")
}
