//! `eocc outliers`: which rows of a file are unlike the rest.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::{AnyModel, Decision, Error, ValidParams};
use eocc_data::{Column, Dataset, Output, ReadRequest, Values, add_kept};
use eocc_report::findings::{DecidedSamples, Finding};
use eocc_report::outliers::{Outliers, expected, too_few};

use super::report;
use crate::cli::{LearnArgs, OutliersArgs, OutliersFormat, ReadArgs};
use crate::output::{self, counted};
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{request, say};

/// Maximum number of letters of a name in the table for people.
const MAX_NAME: usize = 40;

/// Maximum number of lines in the table on a terminal.
const MAX_SHOWN: usize = 20;

/// Minimum number of rows with the same leading feature for a note.
const MIN_LED: usize = 20;

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
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    outputs::refuse_closed(&to)?;
    let asked = args.format.and_then(OutliersFormat::of_file);
    let is_table = match args.format {
        Some(format) => format == OutliersFormat::Table,
        None => outputs::is_shown(&to, None),
    };
    if let (true, Some(path)) = (is_table, &args.output) {
        let allowed = "left out: the table for people goes to the terminal";
        return Err(Error::parameter("output", path.display(), allowed).into());
    }
    let format = outputs::table_format(args.output.as_deref(), asked)?;
    let read = ReadRequest {
        label: args.label.clone(),
        precomputed: args.learn.precomputed,
        missing: request::missing(&args.learn),
        keep: args.keep.clone(),
        ..request::read_request(&args.read, args.id.as_ref(), args.learn.dissimilarity.as_deref())?
    };
    let data = request::read(&args.data, &request::to_learn(read, &args.learn))?;
    let named = |e: eocc_core::Error| anyhow::Error::new(data.located(e)).context(data.source.clone());
    let measure = request::measure(&data.samples, &args.learn)?;
    let bar = Bar::new();
    let mut model = data.samples.train(&params, measure, &bar).map_err(named)?;
    if let Some(names) = data.names.clone() {
        model.set_names(names).map_err(named)?;
    }
    let found = if is_table {
        Outliers::rank(&model, &data.samples, args.top)
    } else {
        Outliers::find(&model, &data.samples, args.top, &bar).map_err(named)?
    };
    crate::facts::notes(&data.samples, &model, &args.learn.settings);
    let rejected = found.rejected;
    let shown = is_table.then(|| findings(&model, &data, &found, MAX_SHOWN, &bar)).transpose()?;
    drop(bar);
    if let Some(warning) = too_few(&model) {
        say::warning(&format!("{warning}; --top lists the oddest in any case"));
    }
    match shown {
        Some(shown) => show(&data, &found, &shown)?,
        None => eocc_data::write(&columns(&model, &data, &found), format, &to)?,
    }
    if let Some((column, count)) = leading(&found, model.share_names().len()) {
        let all = found.features.len();
        // Only a column can be left out, not a part of what strings or graphs are compared by.
        let is_column = data.columns.len() > 1 && data.columns.contains(&column);
        let remedy = if is_column {
            format!(" (--drop {} judges by the rest)", request::quoted(&column))
        } else {
            String::new()
        };
        say::note(&format!("`{column}` leads {count} of {all} reasons{remedy}"));
    }
    let lacking = data.samples.rows_with_missing();
    let of_these = lacking.iter().filter(|&&i| !found.decisions[i].accepted).count();
    if args.learn.missing.is_none() && is_telling(of_these, rejected, lacking.len(), data.count()) {
        say::note(&format!(
            "{of_these} of the {rejected} rejected have missing values, compared with {} of all {} (--missing impute if gaps mean nothing)",
            lacking.len(),
            counted(data.count(), "sample")
        ));
    }
    if let Some(path) = &args.report {
        let title = format!("Outliers of {}", report::file_name(Path::new(&data.source)));
        let mut page = report::outliers_data(&model, &title, &found.decisions)?;
        page.findings = findings(&model, &data, &found, report::MAX_FINDINGS, &Bar::new())?;
        report::write(path, &page)?;
    }
    say::line(&format!("{} of {} rejected", rejected, counted(found.decisions.len(), "sample")));
    Ok(ExitCode::SUCCESS)
}

/// The feature that contributes most to more than half of the listed rows, and more than twice as often as one of few features
/// would by chance, and to how many, if these are many.
fn leading(found: &Outliers, features: usize) -> Option<(String, usize)> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, _) in found.features.iter().filter(|features| features.len() > 1).map(|features| &features[0])
    {
        *counts.entry(name).or_default() += 1;
    }
    let (name, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    let all = found.features.len();
    (count >= MIN_LED && 2 * count > all && count * features > 2 * all).then(|| (name.to_owned(), count))
}

/// Whether most rejected samples have missing values, at least twice as often as all samples.
fn is_telling(rejected_lacking: usize, rejected: usize, lacking: usize, all: usize) -> bool {
    rejected_lacking * 2 > rejected && rejected_lacking * all >= 2 * lacking * rejected
}

/// The parameters: outliers are expected among the samples, since they are being searched for.
fn params(args: &LearnArgs, read: &ReadArgs) -> Result<ValidParams> {
    let params = request::unchecked_params(args, read)?;
    Ok(expected(params, args.contamination, args.reject).check()?)
}

/// The most unusual rows, similar ones together.
fn findings(
    model: &AnyModel,
    data: &Dataset,
    found: &Outliers,
    most: usize,
    bar: &Bar,
) -> Result<Vec<Finding>> {
    let title = |i: usize| match &data.names {
        Some(names) => format!("{} (row {})", names[i], data.row(i)),
        None => format!("row {}", data.row(i)),
    };
    let judged = DecidedSamples { samples: &data.samples, decisions: &found.decisions, title: &title };
    Ok(judged.findings(model, &found.order, most, output::SHORT_STYLE, bar)?)
}

/// Prints a table for people, one line per finding.
fn show(data: &Dataset, found: &Outliers, findings: &[Finding]) -> Result<()> {
    let names = |finding: &Finding| {
        let names = data.names.as_ref()?;
        Some(eocc_report::report::cut(&names[finding.samples[0]], MAX_NAME))
    };
    let line = |finding: &Finding| {
        let mut cells = vec![data.row(finding.samples[0]).to_string()];
        cells.extend(names(finding));
        cells.push((output::SHORT_STYLE.number)(finding.p_value));
        cells.push(match finding.samples.len() {
            1 => String::new(),
            many => format!("{} more", many - 1),
        });
        cells.push(finding.why());
        cells
    };
    let mut header = vec!["row", "p-value", "like it", "why"];
    if data.names.is_some() {
        header.insert(1, "name");
    }
    output::left_table(&header, &findings.iter().map(line).collect::<Vec<_>>())?;
    let shown: usize = findings.iter().map(|finding| finding.samples.len()).sum();
    if shown < found.order.len() {
        say::note(&format!(
            "{shown} of {} are shown, similar ones together; --format csv lists all",
            counted(found.order.len(), "row")
        ));
    }
    Ok(())
}

/// The output, one row per requested sample.
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
    columns.push(Column::counts("group", found.groups.iter().copied()));
    add_kept(&mut columns, data.kept.iter().map(|column| column.pick(order)));
    columns
}
