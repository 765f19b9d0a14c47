//! `eocc outliers`: which rows of a file are unlike the rest.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::{AnyModel, Decision, ValidParams};
use eocc_data::{Column, Dataset, Output, ReadRequest, Values};
use eocc_report::outliers::{Outliers, expected};

use super::decisions::add_kept;
use super::report;
use crate::cli::{LearnArgs, OutliersArgs, ReadArgs};
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{request, say};

pub(crate) fn run(args: &OutliersArgs) -> Result<ExitCode> {
    let params = params(&args.learn, &args.read)?;
    let inputs = Inputs::default().with("data", &args.data).with_settings(&args.learn.settings);
    for (option, output) in [("output", &args.output), ("report", &args.report)] {
        if let Some(output) = output {
            inputs.refuse(option, output)?;
        }
    }
    outputs::refuse_same(&[("output", args.output.as_deref()), ("report", args.report.as_deref())])?;
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
    let found = Outliers::find(&model, &data.samples, args.top, &bar).map_err(named)?;
    let rejected = found.rejected;
    drop(bar);
    for warning in &model.warnings() {
        say::warning(warning);
    }
    let columns = columns(&model, &data, &found);
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    outputs::warn_if_closed(&to);
    let columns = if outputs::is_shown(&to, args.format) { outputs::shown(columns) } else { columns };
    eocc_data::write(&columns, format, &to)?;
    let lacking = data.samples.rows_with_missing();
    let of_these = lacking.iter().filter(|&&i| !found.decisions[i].accepted).count();
    if of_these * 2 > rejected && args.learn.missing.is_none() {
        say::note(&format!(
            "{of_these} of the {rejected} rejected lack a value (--missing impute if that means nothing)"
        ));
    }
    if let Some(path) = &args.report {
        let title = format!("Outliers of {}", data.source);
        report::write(path, &report::report_data(&model, &title, None)?)?;
    }
    say::line(&format!("{} of {} rejected", rejected, counted(found.decisions.len(), "sample")));
    Ok(ExitCode::SUCCESS)
}

/// The parameters: outliers are expected among the samples, they are what is looked for.
fn params(args: &LearnArgs, read: &ReadArgs) -> Result<ValidParams> {
    let params = request::unchecked_params(args, read)?;
    Ok(expected(params, args.contamination, args.reject).check()?)
}

/// The output, a row for each sample that was asked for.
fn columns(model: &AnyModel, data: &Dataset, found: &Outliers) -> Vec<Column> {
    let order = &found.order;
    let decision = |i: &usize| &found.decisions[*i];
    let numbers = |f: fn(&Decision) -> f64| Values::Float(order.iter().map(|i| f(decision(i))).collect());
    let mut columns = vec![Column::counts("row", order.iter().map(|&i| data.row(i)))];
    if let Some(names) = &data.names {
        columns.push(Column::texts("name", order.iter().map(|&i| &names[i])));
    }
    columns.push(Column::new("score", numbers(|d| d.score)));
    columns.push(Column::new("p_value", numbers(|d| d.p_value)));
    columns.push(Column::new(
        "rejected",
        Values::Boolean(order.iter().map(|i| !decision(i).accepted).collect()),
    ));
    for k in 0..found.width {
        let of_each = || found.features.iter().map(|features| &features[k]);
        columns.push(Column::texts(format!("feature_{}", k + 1), of_each().map(|(name, _)| name)));
        let shares = Values::Float(of_each().map(|(_, share)| *share).collect());
        columns.push(Column::new(format!("share_{}", k + 1), shares));
    }
    let is_trimmed = |i: &usize| model.trimmed().binary_search(&(*i as u32)).is_ok();
    columns.push(Column::new("trimmed", Values::Boolean(order.iter().map(is_trimmed).collect())));
    add_kept(&mut columns, data.kept.iter().map(|column| column.pick(order)));
    columns
}
