//! `eocc score`.

use std::process::ExitCode;

use anyhow::Result;
use eocc::{AnyModel, Decision, Model, SampleSet, with_like};
use eocc_data::{OutColumn, OutFormat, OutValues, Output};

use crate::cli::{OutputFormat, ScoreArgs};
use crate::input;
use crate::progress::Bar;
use crate::samples::{Samples, Shape};

pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode> {
    let model = AnyModel::load(&args.model)
        .map_err(|e| anyhow::Error::new(e).context(args.model.display().to_string()))?;
    let (source, samples) =
        input::read_like(&args.data, &Shape::of(&model), args.label.as_deref(), &args.read)?;
    let bar = Bar::new();
    let decisions = match (&model, &samples) {
        (AnyModel::Precomputed(m), Samples::Precomputed(s)) => Some(decide(args, m, s, &bar)),
        (model, samples) => with_like!(AnyModel, model, samples, m, s => decide(args, m, s, &bar)),
    };
    drop(bar);
    let other = || Err(eocc::Error::input("the data is of another type than the model"));
    let decisions = decisions.unwrap_or_else(other).map_err(|e| anyhow::Error::new(e).context(source))?;
    write(args, &decisions)?;
    Ok(ExitCode::SUCCESS)
}

fn decide<X: SampleSet>(
    args: &ScoreArgs,
    model: &Model<X>,
    samples: &X,
    bar: &Bar,
) -> eocc::Result<Vec<Decision>> {
    let scoring = args.scoring.map_or(model.params().scoring, input::scoring);
    model.decide_with(samples, scoring, bar)
}

/// Counts as whole numbers; none is anywhere near the largest.
fn integers(counts: Vec<usize>) -> OutValues {
    OutValues::Integer(counts.into_iter().map(|c| i64::try_from(c).unwrap_or(i64::MAX)).collect())
}

fn write(args: &ScoreArgs, decisions: &[Decision]) -> Result<()> {
    let numbers = |f: fn(&Decision) -> f64| OutValues::Number(decisions.iter().map(f).collect());
    let columns = [
        OutColumn::new("row", integers((0..decisions.len()).collect())),
        OutColumn::new("score", numbers(|d| d.score)),
        OutColumn::new("membership", numbers(|d| d.membership)),
        OutColumn::new("accepted", OutValues::Boolean(decisions.iter().map(|d| d.accepted).collect())),
        OutColumn::new("region", integers(decisions.iter().map(|d| d.region).collect())),
        OutColumn::new("p_value", numbers(|d| d.p_value)),
    ];
    let format = match args.format {
        OutputFormat::Csv => OutFormat::Csv,
        OutputFormat::Jsonl => OutFormat::JsonLines,
        OutputFormat::Parquet => OutFormat::Parquet,
    };
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    Ok(eocc_data::write(&columns, format, &to)?)
}
