//! `eocc evaluate`.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use eocc::{Catalogue, Silent, ValidParams};
use eocc_eval::protocol::Scores;
use eocc_eval::{CrossValidation, Evaluation, Split};
use serde_json::json;

use crate::cli::EvaluateArgs;
use crate::progress::Bar;
use crate::{input, output, with_samples};

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let params = input::params(&args.learn)?;
    let (label, nominal) = (Some(args.label.as_str()), Some(args.nominal.as_str()));
    let data = input::labelled(&args.data, label, nominal, true, &args.learn, &args.read)?;
    let evaluation =
        with_samples!(&data.samples, samples => evaluate(args, &params, samples, &data.nominal))?;
    let (fit_seconds, score_seconds) = evaluation.seconds();
    if args.json {
        output::json(&json!({
            "auc": evaluation.mean(),
            "auc_std": evaluation.deviation(),
            "auc_per_repeat": evaluation.repeats,
            "repeats": args.repeats,
            "folds": args.folds,
            "seed": args.learn.seed,
            "preset": params.preset.name(),
            "fit_seconds": fit_seconds,
            "score_seconds": score_seconds,
        }))?;
    } else {
        let each: Vec<String> = evaluation.repeats.iter().map(|a| format!("{a:.4}")).collect();
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
            ("a fold", format!("{fit_seconds:.3} s to fit, {score_seconds:.3} s to score, on one thread")),
        ])?;
    }
    Ok(ExitCode::SUCCESS)
}

fn evaluate<X: Catalogue>(
    args: &EvaluateArgs,
    params: &ValidParams,
    samples: &X,
    nominal: &[usize],
) -> Result<Evaluation> {
    let is_nominal: std::collections::HashSet<usize> = nominal.iter().copied().collect();
    let others: Vec<usize> = (0..samples.count()).filter(|i| !is_nominal.contains(i)).collect();
    let measure = input::measure::<X>(&args.learn)?;
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
