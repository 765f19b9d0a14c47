//! `eocc score`.

use std::process::ExitCode;

use anyhow::Result;
use eocc_core::Decision;
use eocc_data::{Dataset, Output, ReadRequest};

use super::decisions::decision_columns;
use crate::cli::ScoreArgs;
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{request, say};

pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode> {
    if let Some(output) = &args.output {
        let inputs = Inputs::default().with("data", &args.data).with("model", &args.model);
        inputs.refuse("output", output)?;
    }
    // Before the work, not after it.
    outputs::table_format(args.output.as_deref(), args.format)?;
    let model = request::load(&args.model)?;
    let read = ReadRequest {
        label: args.label.clone(),
        missing: request::missing_for(&model, args.missing),
        keep: args.keep.clone(),
        ..request::read_request(&args.read, args.id.as_ref(), None)?
    };
    let data = request::read_for_model(&args.data, &model, &read)?;
    let scoring = args.scoring.map_or(model.params().scoring, request::scoring);
    let bar = Bar::new();
    let decisions = model.decide_with(&data.samples, scoring, &bar);
    drop(bar);
    let decisions = decisions.map_err(|e| anyhow::Error::new(e).context(data.source.clone()))?;
    write(args, &decisions, &data)?;
    let rejected = decisions.iter().filter(|d| !d.accepted).count();
    say::line(&format!("{rejected} of {} rejected", counted(decisions.len(), "sample")));
    Ok(ExitCode::SUCCESS)
}

fn write(args: &ScoreArgs, decisions: &[Decision], data: &Dataset) -> Result<()> {
    let columns = decision_columns(data, decisions, 0);
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    Ok(eocc_data::write(&columns, format, &to)?)
}
