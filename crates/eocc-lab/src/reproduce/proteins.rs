//! `eocc-lab reproduce proteins`: the paper's table of soluble and insoluble proteins, with the published numbers
//! next to ours.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Result;
use eocc_baselines::Stopwatch;
use eocc_core::dissimilarity::ged::{Costs, SchemaCosts};
use eocc_core::dissimilarity::{Dissimilarity as _, GraphEdit};
use eocc_core::graphs::LabelledGraph;
use eocc_core::{AnySamples, Graphs, Matrix, OneClass, Preset, SeriesSet, Settings, Silent, Texts, Vectors};
use eocc_eval::{
    CrossValidation, Experiment, JournaledComparison, LabelledSamples, Protocol as _, RunOptions, Summary,
    fingerprint, markdown,
};
use eocc_proteins::seriated;
use rayon::prelude::*;

use super::proteins_report::{Found, Timing, report};
use crate::cli::ReproduceArgs;
use crate::data::{folder_with, places, write_report};
use crate::progress::Bar;
use crate::proteins::figures::{Components, Figures};
use crate::proteins::pair_journal::{BoundsMatrix, bounds_matrix};
use crate::proteins::projected::Projected;
use crate::proteins::projection::Projection;
use crate::proteins::{CLASSES, DESCRIPTORS, FILES, Study};
use crate::variants::named;

const ORIGIN: &str = "eSOL (Niwa et al. 2009), and the Protein Data Bank";

/// Classifiers that run on every representation.
const METHODS: [&str; 3] = ["paper", "default", "k-nn-mean"];

/// Reproduces the table; returns the report, unless it was written to a file.
pub(super) fn run(args: &ReproduceArgs) -> Result<Option<String>> {
    let study = Study::read(&folder_with(&places(args.data.as_deref()), &FILES, ORIGIN)?)?;
    let watch = Stopwatch::start();
    let features = study.features()?;
    let mut timing = Timing { features: watch.seconds(), ..Timing::default() };
    let matrices = Matrices::compute(&study, args, &mut timing)?;
    let sets = experiments(&study, &features, &matrices, args)?;
    let is_all = args.methods.iter().any(|m| m == "all");
    let names = if is_all { METHODS.map(str::to_owned).to_vec() } else { args.methods.clone() };
    let methods = named(&names)?;
    let protocol = CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.seed };
    let comparison = JournaledComparison {
        sets: &sets,
        methods: &methods,
        protocol: &protocol,
        settings: "proteins",
        journal: args.journal.as_deref(),
        prefix: "eocc-reproduce-proteins",
        restart: false,
    };
    let records = comparison.records(rayon::current_num_threads(), &Bar::new())?;
    let summary = Summary::new(&records, &sets, &methods);
    if args.without_graphs {
        return write_report(plain_table(&summary), args.output.as_deref());
    }
    let prints: Vec<String> = sets.iter().map(|s| s.fingerprint().to_owned()).collect();
    let weights = weights(&study, &features, &protocol)?;
    let (components, explained) = components(&study, &features);
    if let Some(folder) = &args.plots {
        Figures { study: &study, components: &components, weights: &weights }.write(folder)?;
    }
    let found = Found {
        study: &study,
        summary: &summary,
        records: &records,
        prints: &prints,
        weights: &weights,
        explained,
        timing,
    };
    write_report(report(&found, args), args.output.as_deref())
}

/// AUC of each classifier on each representation.
fn plain_table(summary: &Summary) -> String {
    let mut grid = vec![vec!["representation and nominal class".to_owned()]];
    grid[0].extend(summary.titles.iter().cloned());
    for (s, set) in summary.sets.iter().enumerate() {
        let mut line = vec![set.clone()];
        let cell =
            |m: usize| summary.cells[m][s].as_ref().map_or("–".to_owned(), |c| format!("{:.3}", c.auc));
        line.extend((0..summary.methods.len()).map(cell));
        grid.push(line);
    }
    markdown(&grid)
}

/// The dissimilarities that do not depend on the split.
struct Matrices {
    /// Levenshtein distances of all sequences.
    sequences: Matrix,
    /// Graph edit distances.
    graphs: BoundsMatrix,
    /// The cost of deleting each graph.
    erase: Vec<f64>,
    /// Dynamic time warping: the sum along the path, and the mean.
    series: [Matrix; 2],
    samples: Samples,
}

/// Inputs of `default` besides the dissimilarities.
struct Samples {
    sequences: AnySamples,
    /// Those of the proteins with a structure.
    few_sequences: AnySamples,
    graphs: AnySamples,
    series: AnySamples,
}

impl Matrices {
    fn compute(study: &Study, args: &ReproduceArgs, timing: &mut Timing) -> Result<Self> {
        let (watch, start) = (Stopwatch::start(), Instant::now());
        let texts: AnySamples =
            Texts::new(study.proteins.iter().map(|p| p.sequence.clone()).collect())?.into();
        let sequences = matrix(&texts, "levenshtein", "normalize=false")?;
        timing.sequences = (watch.seconds(), start.elapsed().as_secs_f64());
        let watch = Stopwatch::start();
        let series: eocc_core::Result<Vec<_>> =
            study.folded.par_iter().map(|f| seriated(&f.graph, DESCRIPTORS)).collect();
        let series: AnySamples = SeriesSet::new(series?)?.into();
        let distances =
            [matrix(&series, "dtw", "normalize=false")?, matrix(&series, "dtw", "normalize=true")?];
        timing.series = watch.seconds();
        let inputs = study.folded.iter().map(|f| f.graph.labelled(DESCRIPTORS)).collect();
        let labelled = Graphs::new(inputs)?;
        let (graphs, erase) = if args.without_graphs {
            (BoundsMatrix::default(), Vec::new())
        } else {
            graph_distances(study, &labelled, args)?
        };
        let few_sequences = texts.select(&rows_of_folded(study));
        let samples = Samples { sequences: texts, few_sequences, graphs: labelled.into(), series };
        (timing.graphs, timing.gap) = (graphs.processor_seconds, graphs.mean_gap());
        timing.memory = eocc_core::memory::in_use().1;
        Ok(Self { sequences, graphs, erase, series: distances, samples })
    }

    /// Levenshtein distances of the proteins with a structure.
    fn sequences_of_folded(&self, study: &Study) -> Matrix {
        let rows = rows_of_folded(study);
        let values = rows.iter().flat_map(|&i| rows.iter().map(move |&j| self.sequences.row(i)[j])).collect();
        Matrix::new(values, rows.len(), rows.len())
    }
}

/// The indices of the proteins with a structure.
fn rows_of_folded(study: &Study) -> Vec<usize> {
    let place = |name: &str| study.proteins.iter().position(|p| p.id == name);
    study.folded.iter().filter_map(|f| place(&f.graph.name)).collect()
}

fn matrix(samples: &AnySamples, name: &str, setting: &str) -> Result<Matrix> {
    let mut settings = Settings::default();
    settings.parse(setting)?;
    let mut measure = samples.measure(Preset::Paper, Some(name), &settings)?;
    measure.learn_all(samples)?;
    Ok(measure.matrix(samples, &Silent)?)
}

/// Graph edit distances by `refine` with the general cost, not normalized yet; and the cost of deleting each graph.
fn graph_distances(study: &Study, graphs: &Graphs, args: &ReproduceArgs) -> Result<(BoundsMatrix, Vec<f64>)> {
    let inputs: Vec<_> = study.folded.iter().map(|f| f.graph.labelled(DESCRIPTORS)).collect();
    let content: Vec<u8> = inputs.iter().flat_map(|g| format!("{g:?}").into_bytes()).collect();
    let costs = SchemaCosts::default();
    let erase = |f: &crate::proteins::Folded| {
        costs.balance * costs.vertex_constant * f.graph.vertices.len() as f64
            + (1.0 - costs.balance) * costs.edge_constant * f.graph.edges.len() as f64
    };
    let erase: Vec<f64> = study.folded.iter().map(erase).collect();
    let all: Vec<&LabelledGraph> = graphs.graphs().iter().collect();
    let mut measure = GraphEdit::new(Costs::Schema(costs)).normalize(false);
    measure.learn(&all, &[])?;
    let print = fingerprint(&[&content, format!("{:?}", measure.state()).as_bytes()]);
    let name = format!("eocc-reproduce-proteins-graphs-{}.jsonl", &print[..8]);
    let path = args.journal.as_deref().and_then(Path::parent).unwrap_or(Path::new("")).join(name);
    let bounds = bounds_matrix(&path, &format!("graph edit distances {print}"), all.len(), |i| {
        let pairs: Vec<(usize, usize)> = (1..all.len() - i).map(|k| (0, k)).collect();
        measure.bounds_of_pairs(&all[i..], &pairs, &Silent)
    })?;
    Ok((bounds, erase))
}

/// All data sets: for each nominal class, the six representations of the paper, then the variants.
fn experiments(
    study: &Study,
    features: &Matrix,
    m: &Matrices,
    args: &ReproduceArgs,
) -> Result<Vec<Box<dyn Experiment>>> {
    let lengths: Vec<f64> = study.proteins.iter().map(|p| p.sequence.len() as f64).collect();
    let longer = |i: usize, j: usize| lengths[i].max(lengths[j]);
    let folded_lengths: Vec<f64> = study
        .folded
        .iter()
        .map(|f| {
            study.proteins.iter().find(|p| p.id == f.graph.name).map_or(0.0, |p| p.sequence.len() as f64)
        })
        .collect();
    let few = m.sequences_of_folded(study);
    let sizes = Matrix::new(folded_lengths.clone(), folded_lengths.len(), 1);
    let mut sets: Vec<Box<dyn Experiment>> = Vec::new();
    for (nominal, class) in CLASSES.into_iter().enumerate() {
        let all = Study::one_class(study.proteins.iter().map(|p| p.class), nominal);
        let folded = Study::one_class(study.folded.iter().map(|f| f.class), nominal);
        let given = |name: &str, samples: &AnySamples, matrix: Matrix| -> Result<Box<dyn Experiment>> {
            let rows = if samples.count() == study.proteins.len() { &all } else { &folded };
            let bytes: Vec<u8> = matrix.values().iter().flat_map(|v| v.to_le_bytes()).collect();
            let labelled = LabelledSamples {
                name: format!("{name} {class}"),
                content: fingerprint(&[&bytes, b"and samples"]).into_bytes(),
                samples: samples.clone(),
                nominal: rows.0.clone(),
                outliers: rows.1.clone(),
                test: None,
            };
            let known = Some(Arc::new(matrix));
            Ok(labelled.experiment(&RunOptions { seed: args.seed, known, ..RunOptions::default() })?)
        };
        let projected = |name: &str, rows: &Matrix, projection| -> Box<dyn Experiment> {
            let name = format!("{name} {class}");
            Box::new(Projected::new(name, rows.clone(), folded.clone(), projection, args.seed))
        };
        let whole = |i: usize, j: usize| m.erase[i] + m.erase[j];
        let seen = &m.samples;
        sets.push(given("SEQ", &seen.sequences, m.sequences.clone())?);
        if !args.without_graphs {
            sets.push(given("GRAPH", &seen.graphs, divided(&m.graphs.upper, whole))?);
        }
        sets.push(given("SEQV", &seen.series, m.series[0].clone())?);
        sets.push(projected("FEATURE", features, Projection::None));
        sets.push(projected("PCA", features, Projection::Pca(5)));
        sets.push(projected("KPCA", features, Projection::KernelPca(3)));
        sets.push(given("SEQ/length", &seen.sequences, divided(&m.sequences, longer))?);
        sets.push(given("SEQ of those with structures", &seen.few_sequences, few.clone())?);
        let of_few = |i: usize, j: usize| folded_lengths[i].max(folded_lengths[j]);
        let divided_few = divided(&few, of_few);
        sets.push(given("SEQ/length of those with structures", &seen.few_sequences, divided_few)?);
        if !args.without_graphs {
            sets.push(given("GRAPH undivided", &seen.graphs, m.graphs.upper.clone())?);
        }
        sets.push(given("SEQV/steps", &seen.series, m.series[1].clone())?);
        sets.push(projected("length alone", &sizes, Projection::None));
    }
    Ok(sets)
}

/// Every dissimilarity divided by the unit of its pair.
fn divided(matrix: &Matrix, unit: impl Fn(usize, usize) -> f64) -> Matrix {
    let mut out = matrix.clone();
    for i in 0..out.rows() {
        for (j, value) in out.row_mut(i).iter_mut().enumerate() {
            let unit = unit(i, j);
            *value = if unit > 0.0 { *value / unit } else { 0.0 };
        }
    }
    out
}

/// Mean weights of the features learned by `paper`, over the folds of the first repeat, for each nominal class.
fn weights(study: &Study, features: &Matrix, protocol: &CrossValidation) -> Result<[Vec<f64>; 2]> {
    let of_class = |nominal: usize| -> Result<Vec<f64>> {
        let (nominals, outliers) = Study::one_class(study.folded.iter().map(|f| f.class), nominal);
        let splits = CrossValidation { repeats: 1, ..*protocol }.splits(&nominals, &outliers)?;
        let fits: Result<Vec<Vec<f64>>> = splits
            .par_iter()
            .map(|split| {
                let rows = features.select_rows(&split.train);
                let samples: AnySamples = Vectors::new(Projection::None.fit(&rows).transform(&rows))?.into();
                let measure = samples.measure(Preset::Paper, None, &Settings::default())?;
                let params = OneClass::new(Preset::Paper).seed(protocol.seed).check()?;
                let model = samples.train(&params, measure, &Silent)?;
                Ok(model.parameters().iter().map(|p| p.value).collect())
            })
            .collect();
        let fits = fits?;
        Ok((0..features.columns())
            .map(|f| fits.iter().map(|w| w[f]).sum::<f64>() / fits.len() as f64)
            .collect())
    };
    Ok([of_class(0)?, of_class(1)?])
}

/// The first two components of all proteins, for the plot only, and the fraction of variance of five.
fn components(study: &Study, features: &Matrix) -> (Components, f64) {
    let first_two = |projection: Projection| {
        let seen = projection.fit(features).transform(features);
        (0..seen.rows()).map(|i| [seen.row(i)[0], seen.row(i)[1]]).collect::<Vec<_>>()
    };
    let explained = Projection::Pca(5).fit(features).explained().iter().sum();
    let class = study.folded.iter().map(|f| f.class).collect();
    (
        Components { pca: first_two(Projection::Pca(5)), kernel: first_two(Projection::KernelPca(3)), class },
        explained,
    )
}
