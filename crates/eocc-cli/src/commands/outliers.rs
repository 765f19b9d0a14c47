//! `eocc outliers`: which rows of a file are unlike the rest.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::{AnyModel, Decision, Preset, ValidParams};
use eocc_data::{Dataset, OutColumn, OutValues, Output, ReadRequest};

use super::decisions::{add_kept, integers};
use super::report;
use crate::cli::{LearnArgs, OutliersArgs, ReadArgs};
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{request, say};

/// The share of outliers that is expected when nothing is said, as PyOD has it.
const EXPECTED: f64 = 0.1;
/// The share of samples to report then.
const REJECT: f64 = 0.05;
/// Neighbours that an explanation goes by.
const NEAREST: usize = 10;
/// Features named with each row.
const FEATURES: usize = 2;

pub(crate) fn run(args: &OutliersArgs) -> Result<ExitCode> {
    let params = params(&args.learn, &args.read)?;
    let inputs = Inputs::default().with("data", &args.data).with_settings(&args.learn.settings);
    for (option, output) in [("output", &args.output), ("report", &args.report)] {
        if let Some(output) = output {
            inputs.refuse(option, output)?;
        }
    }
    // Before the work, not after it.
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    let data = request::read(
        &args.data,
        &ReadRequest {
            label: args.label.clone(),
            precomputed: args.learn.precomputed,
            missing: request::missing(&args.learn),
            keep: args.keep.clone(),
            ..request::read_request(&args.read, args.id.as_ref(), args.learn.dissimilarity.as_deref())?
        },
    )?;
    let named = |e: eocc_core::Error| anyhow::Error::new(e).context(data.source.clone());
    let measure = request::measure(&data.samples, &args.learn)?;
    let bar = Bar::new();
    let mut model = data.samples.fit(&params, measure, &bar).map_err(named)?;
    if let Some(names) = data.names.clone() {
        model.set_names(names).map_err(named)?;
    }
    // A training sample is judged as if it were new: it does not count itself.
    let decisions = model.decide_with(&data.samples, params.scoring, &bar).map_err(named)?;
    let mut order: Vec<usize> = (0..decisions.len()).collect();
    order.sort_by(|&a, &b| decisions[a].score.total_cmp(&decisions[b].score));
    let rejected = decisions.iter().filter(|d| !d.accepted).count();
    order.truncate(args.top.unwrap_or(rejected));
    let explained = model.explain(&data.samples.select(&order), NEAREST, &bar).map_err(named)?;
    drop(bar);
    for warning in &model.warnings() {
        say::warning(warning);
    }
    let shares: Vec<Vec<f64>> = explained.into_iter().map(|e| e.shares).collect();
    let columns = columns(&model, &data, &decisions, &order, &shares);
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    let columns = if outputs::is_shown(&to, args.format) { outputs::shown(columns) } else { columns };
    eocc_data::write(&columns, format, &to)?;
    let lacking = data.samples.rows_with_missing();
    let of_these = lacking.iter().filter(|&&i| !decisions[i].accepted).count();
    if of_these * 2 > rejected && args.learn.missing.is_none() {
        say::note(&format!(
            "{of_these} of the {rejected} rejected lack a value (--missing impute if that means nothing)"
        ));
    }
    if let Some(path) = &args.report {
        let title = format!("Outliers of {}", data.source);
        report::write(path, &report::report_data(&model, &title, None)?)?;
    }
    say::line(&format!("{} of {} rejected", rejected, counted(decisions.len(), "sample")));
    Ok(ExitCode::SUCCESS)
}

/// The parameters: outliers are expected among the samples, they are what is looked for.
fn params(args: &LearnArgs, read: &ReadArgs) -> Result<ValidParams> {
    let mut params = request::unchecked_params(args, read)?;
    if args.contamination.is_none() && params.preset == Preset::Default {
        params = params.contamination(EXPECTED);
        params = params.reject(args.reject.unwrap_or(REJECT));
    }
    Ok(params.check()?)
}

/// The output, a row for each sample of `order`.
fn columns(
    model: &AnyModel,
    data: &Dataset,
    decisions: &[Decision],
    order: &[usize],
    shares: &[Vec<f64>],
) -> Vec<OutColumn> {
    let numbers =
        |f: fn(&Decision) -> f64| OutValues::Number(order.iter().map(|&i| f(&decisions[i])).collect());
    let rows = order.iter().map(|&i| data.row(i)).collect();
    let mut columns = vec![OutColumn::new("row", integers(rows))];
    if let Some(names) = &data.names {
        let names = order.iter().map(|&i| names[i].clone()).collect();
        columns.push(OutColumn::new("name", OutValues::Text(names)));
    }
    columns.push(OutColumn::new("score", numbers(|d| d.score)));
    columns.push(OutColumn::new("p_value", numbers(|d| d.p_value)));
    let rejected = order.iter().map(|&i| !decisions[i].accepted).collect();
    columns.push(OutColumn::new("rejected", OutValues::Boolean(rejected)));
    let named = model.share_names();
    for k in 0..FEATURES.min(named.len()) {
        let greatest: Vec<(usize, f64)> = shares.iter().map(|all| greatest(all, k)).collect();
        let features = greatest.iter().map(|g| named.get(g.0).cloned().unwrap_or_default()).collect();
        columns.push(OutColumn::new(format!("feature_{}", k + 1), OutValues::Text(features)));
        let shares = OutValues::Number(greatest.iter().map(|g| g.1).collect());
        columns.push(OutColumn::new(format!("share_{}", k + 1), shares));
    }
    let is_trimmed = |i: &usize| model.trimmed().binary_search(&(*i as u32)).is_ok();
    columns.push(OutColumn::new("trimmed", OutValues::Boolean(order.iter().map(is_trimmed).collect())));
    add_kept(&mut columns, data.kept.iter().map(|column| column.select(order)));
    columns
}

/// The place and size of the share that `k` others exceed; ties by place.
fn greatest(shares: &[f64], k: usize) -> (usize, f64) {
    let mut order: Vec<usize> = (0..shares.len()).collect();
    order.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
    order.get(k).map_or((usize::MAX, 0.0), |&f| (f, shares[f]))
}
