//! `eocc evaluate`.

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use eocc::dissimilarity::Given;
use eocc::embedding::embed;
use eocc::{Catalogue, Dissimilarity, Precomputed, SampleSet, Silent, ValidParams, with_like, with_samples};
use eocc_eval::protocol::{FoldResult, Scores};
use eocc_eval::{CrossValidation, Evaluation, Split};
use serde_json::json;

use crate::cli::EvaluateArgs;
use crate::input::Asked;
use crate::progress::Bar;
use crate::samples::{Samples, Shape};
use crate::{input, output};

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let params = input::params(&args.learn)?;
    let asked = Asked {
        label: args.label.as_deref(),
        labels: args.labels.as_deref(),
        split: args.split.as_deref(),
        dissimilarity: args.learn.dissimilarity.as_deref(),
        precomputed: args.learn.precomputed,
    };
    let data = input::read(&args.data, &asked, None, &args.read)?;
    if data.classes.is_none() {
        let allowed = "the column with the classes, or a file of them (--labels)";
        return Err(eocc::Error::parameter("label", "not given", allowed).into());
    }
    let nominal = data.nominal(Some(&args.nominal))?;
    if let Some(path) = &args.test {
        let test = input::read_as(path, &Shape::of_samples(&data.samples), &asked, &args.read)?;
        let tested = test.nominal(Some(&args.nominal))?;
        let evaluation = with_like!(Samples, &data.samples, &test.samples, a, b => {
            held_out(args, &params, &a.select(&nominal), b, &tested)
        });
        let other = || Err(eocc::Error::input("the two files hold samples of different types").into());
        let evaluation = evaluation.unwrap_or_else(other)?;
        return report(args, &params, &evaluation);
    }
    let evaluation = with_samples!(&data.samples, samples => match &data.splits {
        None => cross_validated(args, &params, samples, &nominal, &data.left_out),
        Some(splits) => {
            let is_train = |i: &usize| splits[*i].eq_ignore_ascii_case("train");
            let train: Vec<usize> = nominal.iter().copied().filter(is_train).collect();
            let test: Vec<usize> = (0..samples.count()).filter(|i| !is_train(i)).collect();
            let tested = (0..test.len()).filter(|&i| nominal.binary_search(&test[i]).is_ok()).collect::<Vec<_>>();
            held_out(args, &params, &samples.select(&train), &samples.select(&test), &tested)
        }
    });
    report(args, &params, &evaluation?)
}

fn is_held_out(args: &EvaluateArgs) -> bool {
    args.split.is_some() || args.test.is_some()
}

/// Fits on the one and tests on the other, once.
fn held_out<X: Catalogue>(
    args: &EvaluateArgs,
    params: &ValidParams,
    train: &X,
    test: &X,
    nominal: &[usize],
) -> Result<Evaluation> {
    let others: Vec<usize> = (0..test.count()).filter(|i| nominal.binary_search(i).is_err()).collect();
    if nominal.is_empty() || others.is_empty() {
        let found = format!("{} nominal samples and {} others to test on", nominal.len(), others.len());
        return Err(eocc::Error::input(format!("there are {found}, but must be some of both")).into());
    }
    let bar = Bar::new();
    let start = Instant::now();
    let model = params.fit_watched(train, input::measure::<X>(&args.learn)?, &bar)?.model;
    let fit_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let decisions = model.decide_with(test, args.scoring.map_or(params.scoring, input::scoring), &bar)?;
    let score = |rows: &[usize]| rows.iter().map(|&i| decisions[i].score).collect::<Vec<f64>>();
    let auc = eocc_eval::auc(&score(nominal), &score(&others));
    let fold = FoldResult { auc, fit_seconds, score_seconds: start.elapsed().as_secs_f64() };
    Ok(Evaluation { folds: vec![fold], repeats: vec![auc] })
}

fn report(args: &EvaluateArgs, params: &ValidParams, evaluation: &Evaluation) -> Result<ExitCode> {
    let (fit_seconds, score_seconds) = evaluation.seconds();
    if args.json {
        output::json(&json!({
            "auc": evaluation.mean(),
            "auc_std": evaluation.deviation(),
            "auc_per_repeat": evaluation.repeats,
            "repeats": if is_held_out(args) { 1 } else { args.repeats },
            "folds": if is_held_out(args) { 1 } else { args.folds },
            "seed": args.learn.seed,
            "preset": params.preset.name(),
            "fit_seconds": fit_seconds,
            "score_seconds": score_seconds,
        }))?;
    } else {
        let each: Vec<String> = evaluation.repeats.iter().map(|a| format!("{a:.4}")).collect();
        let times = format!("{fit_seconds:.3} s to fit, {score_seconds:.3} s to score");
        if is_held_out(args) {
            output::pairs(&[
                ("AUC", format!("{:.4} on the samples held out", evaluation.mean())),
                ("time", times),
            ])?;
            return Ok(ExitCode::SUCCESS);
        }
        output::pairs(&[
            (
                "AUC",
                format!(
                    "{:.4} ± {:.4} over {} repeats",
                    evaluation.mean(),
                    evaluation.deviation(),
                    args.repeats
                ),
            ),
            ("each repeat", each.join("  ")),
            ("a fold", format!("{times}, on one thread")),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether the measure is the same whatever it learns from and has nothing to search: then all dissimilarities can be
/// computed once for all folds, to the same bits.
fn is_fixed<X: Catalogue>(
    measure: &dyn Dissimilarity<X::Item>,
    samples: &X,
    nominal: &[usize],
) -> Result<bool> {
    if !measure.is_symmetric() || samples.features() > 0 {
        return Ok(false);
    }
    let learnt = |indices: &[usize]| -> Result<_> {
        let part = samples.select(indices);
        let mut d = measure.boxed();
        d.learn(&part.refs(), part.feature_names())?;
        for (i, sample) in part.refs().into_iter().enumerate() {
            d.check(sample).map_err(|e| anyhow::anyhow!("sample {}: {e}", indices[i]))?;
        }
        Ok((d.parameters().is_empty(), d.state()))
    };
    let all: Vec<usize> = (0..samples.count()).collect();
    let (has_none, state) = learnt(&all)?;
    let needed = (all.len() as u64).pow(2) * 8 * (2 + rayon::current_num_threads() as u64);
    let fits = eocc::memory::require("the matrix", needed, None, "").is_ok();
    Ok(fits && has_none && state.is_some() && state == learnt(&nominal[..nominal.len().div_ceil(2)])?.1)
}

fn cross_validated<X: Catalogue>(
    args: &EvaluateArgs,
    params: &ValidParams,
    samples: &X,
    nominal: &[usize],
    left_out: &[usize],
) -> Result<Evaluation> {
    let measure = input::measure::<X>(&args.learn)?;
    if !is_fixed(measure.as_ref(), samples, nominal)? {
        return folds(args, params, samples, nominal, left_out, measure.as_ref());
    }
    let bar = Bar::new();
    let mut learnt = measure.boxed();
    learnt.learn(&samples.refs(), samples.feature_names())?;
    let all: Vec<usize> = (0..samples.count()).collect();
    let matrix = embed(&samples.refs(), &all, learnt.as_ref(), &bar)?;
    drop(bar);
    folds(args, params, &Precomputed::square(matrix)?, nominal, left_out, &Given)
}

fn folds<X: SampleSet>(
    args: &EvaluateArgs,
    params: &ValidParams,
    samples: &X,
    nominal: &[usize],
    left_out: &[usize],
    measure: &dyn Dissimilarity<X::Item>,
) -> Result<Evaluation> {
    let is_nominal: HashSet<usize> = nominal.iter().chain(left_out).copied().collect();
    let others: Vec<usize> = (0..samples.count()).filter(|i| !is_nominal.contains(i)).collect();
    let scoring = args.scoring.map_or(params.scoring, input::scoring);
    let protocol = CrossValidation { repeats: args.repeats, folds: args.folds, seed: args.learn.seed };
    let classify = |split: &Split| {
        let start = Instant::now();
        let model = params.fit(&samples.select(&split.train), measure.boxed())?.model;
        let fit_seconds = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let score = |rows: &[usize]| -> eocc::Result<Vec<f64>> {
            let decisions = model.decide_with(&samples.select(rows), scoring, &Silent)?;
            Ok(decisions.iter().map(|d| d.score).collect())
        };
        let (nominal, others) = (score(&split.nominal)?, score(&split.others)?);
        Ok(Scores { nominal, others, fit_seconds, score_seconds: start.elapsed().as_secs_f64() })
    };
    let bar = Bar::new();
    let done = |count, total| bar.step("evaluating", count, total);
    Ok(protocol.run(nominal, &others, rayon::current_num_threads(), classify, done)?)
}
