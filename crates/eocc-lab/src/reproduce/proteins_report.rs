//! The text of the table of proteins.

use eocc_core::Result as EoccResult;
use eocc_eval::statistics::{CorrectedT, corrected_t};
use eocc_eval::{Cell, Outcome, Record, Summary, markdown};
use eocc_proteins::GraphFeatures;

use crate::cli::ReproduceArgs;
use crate::proteins::{CLASSES, Study};
use crate::published::PROTEINS;

/// Variants of one nominal class, in the order of the data sets: name, meaning, and the representation that it
/// varies.
const VARIANTS: [(&str, &str, &str); 6] = [
    ("SEQ/length", "Levenshtein distance divided by the longer length", "SEQ"),
    ("SEQ of those with structures", "the same proteins as the other representations", "SEQ"),
    ("SEQ/length of those with structures", "the same proteins, divided by the longer length", "SEQ"),
    (
        "GRAPH undivided",
        "edit distance not divided by the cost of deleting one graph and inserting the other",
        "GRAPH",
    ),
    ("SEQV/steps", "mean along the warping path instead of the sum", "SEQV"),
    ("length alone", "only the length of the sequence", ""),
];
const SETS: usize = 12;
/// The data sets of the proteins with structures, both those whose distance is divided by size and those whose
/// distance is not.
const SAME_PROTEINS: [(&str, usize); 9] = [
    ("SEQ", 7),
    ("SEQ/length", 8),
    ("GRAPH", 1),
    ("GRAPH undivided", 9),
    ("SEQV", 2),
    ("SEQV/steps", 10),
    ("FEATURE", 3),
    ("PCA", 4),
    ("KPCA", 5),
];

/// A cell counts as reproduced if it is at most this much below the published one.
const TOLERANCE: f64 = 0.05;

/// Processor seconds of the stages, and the gap between bounds.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Timing {
    pub(super) features: f64,
    /// Processor time and wall-clock time.
    pub(super) sequences: (f64, f64),
    pub(super) series: f64,
    pub(super) graphs: f64,
    pub(super) gap: f64,
    /// Peak memory of the process when the graph edit distances were done, in bytes.
    pub(super) memory: u64,
}

/// All results.
pub(super) struct Found<'a> {
    pub(super) study: &'a Study,
    pub(super) summary: &'a Summary,
    pub(super) records: &'a [Record],
    /// Fingerprints of the data sets.
    pub(super) prints: &'a [String],
    pub(super) weights: &'a [Vec<f64>; 2],
    /// Fraction of the variance explained by five principal components.
    pub(super) explained: f64,
    pub(super) timing: Timing,
}

impl Found<'_> {
    fn cell(&self, method: usize, class: usize, set: usize) -> Option<&Cell> {
        self.summary.cells[method][class * SETS + set].as_ref().ok()
    }

    /// AUC of every split.
    fn aucs(&self, method: &str, class: usize, set: usize) -> Vec<f64> {
        let print = &self.prints[class * SETS + set];
        let of = |r: &Record| match r.outcome {
            Outcome::Scored { auc, .. } => Some(auc),
            Outcome::Failed(_) => None,
        };
        self.records.iter().filter(|r| r.method == method && r.set == *print).filter_map(of).collect()
    }

    /// Whether one cell differs from another of the same nominal class.
    fn test(&self, class: usize, a: (&str, usize), b: (&str, usize), folds: usize) -> EoccResult<CorrectedT> {
        let nominals = self.study.folded.iter().filter(|f| f.class == class).count();
        let test = nominals / folds.max(1);
        corrected_t(&self.aucs(a.0, class, a.1), &self.aucs(b.0, class, b.1), nominals - test, test)
    }
}

/// The whole report.
pub(super) fn report(found: &Found<'_>, args: &ReproduceArgs) -> String {
    let mut parts = vec![head(found, args), main_table(found)];
    parts.extend(best(found, args.folds));
    parts.push(claims(found, args.folds));
    parts.push(variants(found));
    parts.push(costs(found));
    parts.push(weights(found));
    parts.extend(failures(found));
    parts.join("\n\n")
}

fn head(found: &Found<'_>, args: &ReproduceArgs) -> String {
    let count = |class: usize| found.study.proteins.iter().filter(|p| p.class == class).count();
    let folded = |class: usize| found.study.folded.iter().filter(|f| f.class == class).count();
    format!(
        "# The paper's table of proteins, repeated\n\n\
         Written by `eocc-lab reproduce proteins --repeats {} --folds {} --seed {} --methods {}`. Cells have the AUC, with its \
         standard deviations over repeats and over folds. The nominal class is split into folds, and all of the other class is tested in \
         each. The edit distance of graphs is divided by the cost of deleting one and inserting the other, as in [the table of \
         graphs](iam.md). SEQ has {} insoluble and {} soluble proteins (published: 1631 and 180). The other representations have {} and {} \
         proteins with their own structure (published: 454 together); {} more proteins have a structure that covers less than half of them \
         or is that of a relative. The number of chains is known for {} of the proteins; all others count as one chain. [The \
         guide](../guide/program/proteins.md) says why the sets differ from those of the paper.",
        args.repeats,
        args.folds,
        args.seed,
        args.methods.join(","),
        count(0),
        count(1),
        folded(0),
        folded(1),
        found.study.left_out,
        found.study.entries,
    )
}

fn main_table(found: &Found<'_>) -> String {
    let mut rows = vec![vec!["representation".to_owned(), "nominal".to_owned(), "published".to_owned()]];
    rows[0].extend(found.summary.titles.iter().cloned());
    rows[0].push("`paper` less published".to_owned());
    let paper = found.summary.methods.iter().position(|m| m == "paper");
    let (mut low, mut filled) = (Vec::new(), 0);
    for (set, (name, published)) in PROTEINS.iter().enumerate() {
        for (class, (auc, deviation)) in published.iter().enumerate() {
            let mut row =
                vec![(*name).to_owned(), CLASSES[class].to_owned(), format!("{auc:.3} ({deviation:.3})")];
            for m in 0..found.summary.methods.len() {
                row.push(found.cell(m, class, set).map_or("-".to_owned(), words));
            }
            let own = paper.and_then(|m| found.cell(m, class, set));
            filled += usize::from(own.is_some());
            if own.is_some_and(|c| c.auc < auc - TOLERANCE) {
                low.push((set, class));
            }
            row.push(own.map_or("-".to_owned(), |c| format!("{:+.3}", c.auc - auc)));
            rows.push(row);
        }
    }
    let below = match low.len() {
        0 => format!("All {filled} cells of `paper` are above the published ones or within {TOLERANCE}."),
        n => format!(
            "{filled} of 12 cells are filled. Of those of `paper`, {} are above the published ones or within {TOLERANCE}; {n} are below:\n\n{}\n\n{}",
            filled - n,
            low.iter().map(|&(set, class)| gap(found, set, class)).collect::<Vec<_>>().join("\n"),
            lengths(found),
        ),
    };
    format!("{}\n\n{below}", markdown(&rows))
}

/// The variants of a representation that were examined to explain a cell that is too low.
fn gap(found: &Found<'_>, set: usize, class: usize) -> String {
    let name = PROTEINS[set].0;
    let paper = found.summary.methods.iter().position(|m| m == "paper");
    let of = |v: usize| paper.and_then(|m| found.cell(m, class, PROTEINS.len() + v));
    let examined: Vec<String> = VARIANTS
        .iter()
        .enumerate()
        .filter(|(_, (_, _, of))| *of == name)
        .filter_map(|(v, (_, meaning, _))| of(v).map(|c| format!("{meaning} {:.3}", c.auc)))
        .collect();
    let examined = if examined.is_empty() { "no variant".to_owned() } else { examined.join("; ") };
    format!("- {name}, {} as nominals. Examined: {examined}.", CLASSES[class])
}

/// Why unnormalized distances fail with the long proteins as nominals.
fn lengths(found: &Found<'_>) -> String {
    let median = |class: usize| {
        let mut of: Vec<usize> =
            found.study.proteins.iter().filter(|p| p.class == class).map(|p| p.sequence.len()).collect();
        of.sort_unstable();
        of.get(of.len() / 2).copied().unwrap_or(0)
    };
    let nearest = found.summary.methods.iter().position(|m| m == "k-nn-mean");
    let inverted = nearest.and_then(|m| found.cell(m, 0, 0)).map_or(String::new(), |c| {
        format!(" If scored only by the mean distance to neighbors, SEQ with insoluble proteins as nominals has an AUC of {:.3}.", c.auc)
    });
    format!(
        "A distance that is not divided grows with the length of both proteins, and soluble proteins are short: their median length is {} \
         residues, that of insoluble ones {}. So a soluble protein is closer to the insoluble ones than these are to each other, and looks \
         nominal.{inverted} The paper does not say whether it divides. Here, SEQ and SEQV are not divided; GRAPH is, as in the table of \
         graphs. We chose to divide GRAPH after seeing both results; the variants below show the other one.",
        median(1),
        median(0),
    )
}

fn words(cell: &Cell) -> String {
    format!("{:.3} ({:.3}, {:.3})", cell.auc, cell.deviation, cell.fold_deviation)
}

/// The best cell of each class among the representations of the same proteins, compared with the others.
fn best(found: &Found<'_>, folds: usize) -> Vec<String> {
    let mut parts = vec![
        "## Which representation, which preset".to_owned(),
        "The tables compare all representations of the same proteins, including SEQ, whether or not divided by size. p is from a t-test on \
         the folds, corrected for overlapping training sets (Nadeau and Bengio 2003). It says what other folds might give, but not what \
         other proteins might, and it does not correct for choosing the best of many."
            .to_owned(),
    ];
    for (class, nominal) in CLASSES.iter().enumerate() {
        let mut cells: Vec<(f64, usize, usize)> = Vec::new();
        for m in 0..found.summary.methods.len() {
            cells.extend(
                SAME_PROTEINS.iter().filter_map(|&(_, s)| found.cell(m, class, s).map(|c| (c.auc, m, s))),
            );
        }
        cells.sort_by(|a, b| b.0.total_cmp(&a.0));
        let Some(&(_, first_method, first_set)) = cells.first() else { continue };
        let mut rows = vec![
            ["nominal", "representation", "classifier", "AUC", "below the best", "p"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for &(auc, m, set) in &cells {
            let method = |m: usize| found.summary.methods[m].as_str();
            let test = found.test(class, (method(first_method), first_set), (method(m), set), folds);
            let is_first = (m, set) == (first_method, first_set);
            let (less, p) = match test {
                Ok(t) if !is_first => (format!("{:.3}", t.difference), probability(t.p)),
                _ => (String::new(), String::new()),
            };
            let name = SAME_PROTEINS.iter().find(|s| s.1 == set).map_or("", |s| s.0);
            rows.push(vec![
                (*nominal).to_owned(),
                name.to_owned(),
                found.summary.titles[m].clone(),
                format!("{auc:.3}"),
                less,
                p,
            ]);
        }
        parts.push(markdown(&rows));
    }
    parts
}

fn probability(p: f64) -> String {
    if p < 1e-4 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// The paper's two claims, each tested by comparisons with `paper`.
fn claims(found: &Found<'_>, folds: usize) -> String {
    let place = |name: &str| SAME_PROTEINS.iter().find(|s| s.0 == name).map_or(0, |s| s.1);
    let mut rows = vec![
        ["claim", "nominal", "classifier", "comparison", "difference", "p", "published"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let published = |name: &str, class: usize| {
        PROTEINS
            .iter()
            .find(|p| name.split(['/', ' ']).next() == Some(p.0))
            .map_or(f64::NAN, |p| p.1[class].0)
    };
    for (claim, pairs) in [
        (
            "structure helps",
            [
                ("GRAPH", "SEQ/length"),
                ("GRAPH undivided", "SEQ"),
                ("SEQV/steps", "SEQ/length"),
                ("SEQV", "SEQ"),
                ("FEATURE", "SEQ/length"),
                ("FEATURE", "SEQ"),
            ]
            .as_slice(),
        ),
        ("learned weights beat PCA", &[("FEATURE", "PCA"), ("FEATURE", "KPCA")]),
    ] {
        for (class, nominal) in CLASSES.iter().enumerate() {
            for (a, b) in pairs {
                for method in ["paper", "default"] {
                    let Ok(t) = found.test(class, (method, place(a)), (method, place(b)), folds) else {
                        continue;
                    };
                    let theirs = published(a, class) - published(b, class);
                    rows.push(vec![
                        claim.to_owned(),
                        (*nominal).to_owned(),
                        format!("`{method}`"),
                        format!("{a} less {b}"),
                        format!("{:+.3}", t.difference),
                        probability(t.p),
                        if method == "paper" { format!("{theirs:+.3}") } else { String::new() },
                    ]);
                }
            }
        }
    }
    format!(
        "## The paper's two claims\n\nHere, SEQ has the same proteins as the other representations; the published difference is to SEQ with all \
         proteins. We compare divided distances with divided ones, and undivided with undivided ones: the difference between GRAPH and an \
         undivided SEQ would show the effect of dividing, not of structure. Only `paper` learns weights, for FEATURE, PCA and KPCA.\n\n{}",
        markdown(&rows)
    )
}

fn variants(found: &Found<'_>) -> String {
    let mut rows = vec![vec!["variant".to_owned(), "nominal".to_owned()]];
    rows[0].extend(found.summary.titles.iter().cloned());
    for (v, (name, meaning, _)) in VARIANTS.iter().enumerate() {
        for (class, nominal) in CLASSES.iter().enumerate() {
            let mut row = vec![format!("{name}: {meaning}"), (*nominal).to_owned()];
            for m in 0..found.summary.methods.len() {
                row.push(found.cell(m, class, PROTEINS.len() + v).map_or("-".to_owned(), words));
            }
            rows.push(row);
        }
    }
    format!("## Variants\n\n{}", markdown(&rows))
}

fn costs(found: &Found<'_>) -> String {
    let t = &found.timing;
    let (n, all) = (found.study.folded.len(), found.study.proteins.len());
    let vertices: usize = found.study.folded.iter().map(|f| f.graph.vertices.len()).sum();
    let edges: usize = found.study.folded.iter().map(|f| f.graph.edges.len()).sum();
    format!(
        "## Time and bounds\n\n\
         These are seconds of CPU time:\n\n\
         - Levenshtein distances, {all} x {all}: {:.1} s; on {} threads, they took {:.1} s of wall-clock time, on a machine that may have been busy.\n\
         - Graph edit distances by `refine`, {n} graphs, {} pairs ({:.0} vertices and {:.0} edges on average): {:.0} s, {:.1} ms per pair. \
         On average, the gap between the lower and the upper bound of a distance is {:.0} % of the upper bound. The two matrices take {:.1} MB; \
         up to this point, the run used at most {:.0} MB.\n\
         - Seriation and dynamic time warping, {n} x {n}, twice: {:.1} s.\n\
         - Fifteen features of {n} graphs: {:.1} s.",
        t.sequences.0,
        rayon::current_num_threads(),
        t.sequences.1,
        n * (n - 1) / 2,
        vertices as f64 / n as f64,
        edges as f64 / n as f64,
        t.graphs,
        1000.0 * t.graphs / (n * (n - 1) / 2) as f64,
        100.0 * t.gap,
        2.0 * 8.0 * (n * n) as f64 / 1e6,
        t.memory as f64 / 1e6,
        t.series,
        t.features,
    )
}

fn weights(found: &Found<'_>) -> String {
    let mut rows = vec![vec!["feature".to_owned(), CLASSES[0].to_owned(), CLASSES[1].to_owned()]];
    for (f, name) in GraphFeatures::NAMES.iter().enumerate() {
        let weight = |class: usize| found.weights[class].get(f).map_or("-".to_owned(), |w| format!("{w:.2}"));
        rows.push(vec![format!("`{name}`"), weight(0), weight(1)]);
    }
    format!(
        "## Learned weights\n\nThe table has the weights that `paper` finds, in [0, 1], for each nominal class, as means over the folds of the \
         first repeat. Five principal components of all proteins with a structure explain {:.0} % of the variance (published: about 85 %).\n\n{}",
        100.0 * found.explained,
        markdown(&rows)
    )
}

fn failures(found: &Found<'_>) -> Vec<String> {
    found.summary.failures().into_iter().map(|line| format!("- {line}")).collect()
}
