//! `eocc score`.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::Decision;
use eocc_data::{OutColumn, OutValues, Output, ReadRequest};

use crate::cli::ScoreArgs;
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::request;

pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode> {
    if let Some(output) = &args.output {
        let inputs = Inputs::default().with("data", &args.data).with("model", &args.model);
        inputs.refuse("output", output)?;
    }
    // Before the work, not after it.
    outputs::table_format(args.output.as_deref(), args.format)?;
    let model = request::load(&args.model)?;
    let read = ReadRequest { label: args.label.clone(), ..request::read_request(&args.read, None)? };
    let data = request::read_for_model(&args.data, &model.layout(), &read)?;
    let scoring = args.scoring.map_or(model.params().scoring, request::scoring);
    let bar = Bar::new();
    let decisions = model.decide_with(&data.samples, scoring, &bar);
    drop(bar);
    let decisions = decisions.map_err(|e| anyhow::Error::new(e).context(data.source))?;
    write(args, &decisions, data.names)?;
    Ok(ExitCode::SUCCESS)
}

/// Counts as whole numbers; none is anywhere near the largest.
pub(crate) fn integers(counts: Vec<usize>) -> OutValues {
    OutValues::Integer(counts.into_iter().map(|c| i64::try_from(c).unwrap_or(i64::MAX)).collect())
}

fn write(args: &ScoreArgs, decisions: &[Decision], names: Option<Vec<String>>) -> Result<()> {
    let numbers = |f: fn(&Decision) -> f64| OutValues::Number(decisions.iter().map(f).collect());
    let mut columns = vec![
        OutColumn::new("row", integers((0..decisions.len()).collect())),
        OutColumn::new("score", numbers(|d| d.score)),
        OutColumn::new("membership", numbers(|d| d.membership)),
        OutColumn::new("accepted", OutValues::Boolean(decisions.iter().map(|d| d.accepted).collect())),
        OutColumn::new("region", integers(decisions.iter().map(|d| d.region).collect())),
        OutColumn::new("p_value", numbers(|d| d.p_value)),
    ];
    if let Some(names) = names {
        columns.insert(1, OutColumn::new("name", OutValues::Text(names)));
    }
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    Ok(eocc_data::write(&columns, format, &to)?)
}
