//! `eocc evaluate`: a comparison of one classifier.

use std::process::ExitCode;

use anyhow::Result;
use eocc_baselines::{Method, Options};
use eocc_core::{AnySamples, ValidParams};
use eocc_data::{Dataset, ReadRequest};
use eocc_eval::{Cell, CrossValidation, HeldOut, LabelledSamples, Protocol, RunOptions, evaluate};
use serde_json::json;

use crate::cli::EvaluateArgs;
use crate::progress::Bar;
use crate::{output, request};

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let params = request::params(&args.learn)?;
    let read = ReadRequest {
        label: args.label.clone(),
        labels: args.labels.clone(),
        split: args.split.clone(),
        precomputed: args.learn.precomputed,
        missing: request::missing(&args.learn),
        ..request::read_request(&args.read, None, args.learn.dissimilarity.as_deref())?
    };
    let data = request::read(&args.data, &read)?;
    if data.classes.is_none() {
        let allowed = "the column with the classes, or a file of them (--labels)";
        return Err(eocc_core::Error::parameter("label", "not given", allowed).into());
    }
    let nominal = data.nominal(&args.nominal)?;
    let outliers = data.outliers(&nominal);
    let (protocol, test) = protocol(args, &read, &data, &nominal)?;
    // Only a journal needs to know what the samples were read from.
    let (name, content, samples) = (data.source, Vec::new(), data.samples);
    let options = RunOptions {
        dissimilarity: Options {
            dissimilarity: args.learn.dissimilarity.clone(),
            settings: request::settings(&args.learn.settings)?,
        },
        seed: args.learn.seed,
        ..RunOptions::default()
    };
    let set = LabelledSamples { name, content, samples, nominal, outliers, test }.experiment(&options)?;
    let method = Method::with_params(params.clone(), args.scoring.map(request::scoring));
    let bar = Bar::new();
    let step = |done, total| bar.step("evaluating", done, total);
    let cell = evaluate(set, &method, protocol.as_ref(), rayon::current_num_threads(), &bar, step)?;
    drop(bar);
    report(args, &params, &cell)
}

/// How to split, and the samples of a second file if that is to test.
fn protocol(
    args: &EvaluateArgs,
    read: &ReadRequest,
    data: &Dataset,
    nominal: &[usize],
) -> Result<(Box<dyn Protocol>, Option<AnySamples>)> {
    if let Some(path) = &args.test {
        let test = request::read_like(path, &data.samples.layout(), read)?;
        let tested = test.nominal(&args.nominal)?;
        let outliers = (0..test.count()).filter(|i| tested.binary_search(i).is_err()).collect();
        let held_out = HeldOut { train: nominal.to_vec(), nominal: tested, outliers };
        return Ok((Box::new(held_out), Some(test.samples)));
    }
    let Some(splits) = &data.splits else {
        let (repeats, folds) = (args.repeats, args.folds);
        return Ok((Box::new(CrossValidation { repeats, folds, seed: args.learn.seed }), None));
    };
    let is_train = |i: &usize| splits[*i].eq_ignore_ascii_case("train");
    let is_nominal = |i: &usize| nominal.binary_search(i).is_ok();
    let train = nominal.iter().copied().filter(is_train).collect();
    let (nominal, outliers) = (0..data.count()).filter(|i| !is_train(i)).partition(is_nominal);
    Ok((Box::new(HeldOut { train, nominal, outliers }), None))
}

fn report(args: &EvaluateArgs, params: &ValidParams, cell: &Cell) -> Result<ExitCode> {
    let is_held_out = args.split.is_some() || args.test.is_some();
    let Cell { auc, deviation, repeats, fit_seconds, score_seconds, .. } = cell;
    if args.json {
        output::json(&json!({
            "auc": auc,
            "auc_std": deviation,
            "auc_per_repeat": repeats,
            "repeats": if is_held_out { 1 } else { args.repeats },
            "folds": if is_held_out { 1 } else { args.folds },
            "seed": args.learn.seed,
            "preset": params.preset.name(),
            "fit_seconds": fit_seconds,
            "score_seconds": score_seconds,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let times = format!("{fit_seconds:.3} s to fit, {score_seconds:.3} s to score");
    if is_held_out {
        output::pairs(&[("AUC", format!("{auc:.4} on the samples held out")), ("time", times)])?;
        return Ok(ExitCode::SUCCESS);
    }
    let each: Vec<String> = repeats.iter().map(|a| format!("{a:.4}")).collect();
    output::pairs(&[
        ("AUC", format!("{auc:.4} ± {deviation:.4} over {} repeats", args.repeats)),
        ("each repeat", each.join("  ")),
        ("a fold", format!("{times}, on one thread")),
    ])?;
    Ok(ExitCode::SUCCESS)
}
