//! `eocc evaluate`: a comparison of one classifier.

use std::process::ExitCode;

use anyhow::Result;
use eocc_baselines::{Method, Options};
use eocc_core::{AnySamples, ValidParams};
use eocc_data::{Dataset, ModelReader, ReadRequest};
use eocc_eval::interval::{LEVEL, newcombe, wilson};
use eocc_eval::{
    AtThreshold, Cell, CrossValidation, HeldOut, Interval, LabelledSamples, Protocol, RunOptions, evaluate,
};
use serde_json::{Value, json};

use crate::cli::EvaluateArgs;
use crate::output::counted;
use crate::progress::Bar;
use crate::{output, request};

pub(crate) fn run(args: &EvaluateArgs) -> Result<ExitCode> {
    let params = request::params(&args.learn, &args.read)?;
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
    request::show_unlabelled(&data);
    let (protocol, test) = protocol(args, &read, &data, &nominal)?;
    // Only a journal needs the content that the samples were read from.
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

/// How to split, and the samples of a second file if that is used for testing.
fn protocol(
    args: &EvaluateArgs,
    read: &ReadRequest,
    data: &Dataset,
    nominal: &[usize],
) -> Result<(Box<dyn Protocol>, Option<AnySamples>)> {
    if let Some(path) = &args.test {
        let test = request::read_like(path, ModelReader::new(data.samples.layout(), read.clone()))?;
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
    let Cell { auc, deviation, repeats, average_precision, fit_seconds, score_seconds, .. } = cell;
    let (repeated, folds) = if is_held_out { (1, 1) } else { (args.repeats, args.folds) };
    let found = cell.at_threshold.map(|rates| Measures::new(cell, &rates));
    if args.json {
        let mut value = json!({
            "auc": auc,
            "auc_std": deviation,
            "auc_per_repeat": repeats,
            "average_precision": average_precision,
            "repeats": repeated,
            "folds": folds,
            "seed": args.learn.seed,
            "preset": params.preset.name(),
            "fit_seconds": fit_seconds,
            "score_seconds": score_seconds,
        });
        if let Some(found) = &found {
            found.add_to(&mut value);
        }
        output::json(&value)?;
        return Ok(ExitCode::SUCCESS);
    }
    let spread = if is_held_out {
        " on the samples held out".to_owned()
    } else if args.repeats == 1 {
        " in one repeat".to_owned()
    } else {
        format!(", ± {deviation:.4} over {} repeats", args.repeats)
    };
    let mut rows = vec![(
        "AUC",
        format!("{auc:.4}{}{spread}", found.as_ref().map_or_else(String::new, |m| ends(m.auc))),
    )];
    if let Some(found) = &found {
        rows.extend(found.rows());
    }
    let times = format!("{fit_seconds:.3} s to fit, {score_seconds:.3} s to score");
    if is_held_out {
        rows.push(("time", times));
    } else {
        let each: Vec<String> = repeats.iter().map(|a| format!("{a:.4}")).collect();
        rows.push(("each repeat", each.join("  ")));
        rows.push(("a fold", format!("{times}, on one thread")));
    }
    output::pairs(&rows)?;
    Ok(ExitCode::SUCCESS)
}

/// The measurements, with intervals in which each sample counts once, however often it was tested: several tests of
/// one sample say little more about others than one does.
struct Measures {
    average_precision: f64,
    rates: AtThreshold,
    auc: Interval,
    precision: Interval,
    detection: Interval,
    false_alarms: Interval,
}

impl Measures {
    fn new(cell: &Cell, rates: &AtThreshold) -> Self {
        Self {
            average_precision: cell.average_precision,
            rates: *rates,
            auc: newcombe(cell.auc, rates.nominals, rates.outliers),
            precision: wilson(cell.average_precision, rates.outliers),
            detection: wilson(rates.detection_rate, rates.outliers),
            false_alarms: wilson(rates.false_alarm_rate, rates.nominals),
        }
    }

    fn add_to(&self, value: &mut Value) {
        let pair = |interval: Interval| json!([interval.low, interval.high]);
        value["auc_interval"] = pair(self.auc);
        value["average_precision_interval"] = pair(self.precision);
        value["detection_rate"] = json!(self.rates.detection_rate);
        value["detection_rate_interval"] = pair(self.detection);
        value["false_alarm_rate"] = json!(self.rates.false_alarm_rate);
        value["false_alarm_rate_interval"] = pair(self.false_alarms);
        value["interval_level"] = json!(LEVEL);
        value["nominal_samples"] = json!(self.rates.nominals);
        value["outliers"] = json!(self.rates.outliers);
    }

    fn rows(&self) -> Vec<(&'static str, String)> {
        let rates = &self.rates;
        vec![
            ("average precision", format!("{:.4}{}", self.average_precision, ends(self.precision))),
            (
                "detection rate",
                format!(
                    "{:.4}{} of {} rejected",
                    rates.detection_rate,
                    ends(self.detection),
                    counted(rates.outliers, "outlier")
                ),
            ),
            (
                "false-alarm rate",
                format!(
                    "{:.4}{} of {} rejected",
                    rates.false_alarm_rate,
                    ends(self.false_alarms),
                    counted(rates.nominals, "nominal sample")
                ),
            ),
            (
                "in brackets",
                "95 % intervals, each sample counted once: Newcombe for the AUC, Wilson for the others"
                    .to_owned(),
            ),
        ]
    }
}

/// An interval in brackets.
fn ends(interval: Interval) -> String {
    format!(" ({:.4} to {:.4})", interval.low, interval.high)
}
