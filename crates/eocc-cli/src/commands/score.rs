//! `eocc score`.

use std::process::ExitCode;

use anyhow::Result;
use eocc::{AnyModel, Decision, SampleSet, Vectors};
use eocc_data::{OutColumn, OutFormat, OutValues, Output, Table};

use crate::cli::{OutputFormat, ScoreArgs};
use crate::input;
use crate::progress::Bar;

pub(crate) fn run(args: &ScoreArgs) -> Result<ExitCode> {
    let model = AnyModel::load(&args.model)
        .map_err(|e| anyhow::Error::new(e).context(args.model.display().to_string()))?;
    if let AnyModel::Graphs(m) = &model {
        let samples = eocc_data::read_graphs(&args.data)?.graphs;
        let bar = Bar::new();
        let decisions = m.decide_with(&samples, scoring(args, m.params().scoring), &bar);
        drop(bar);
        write(args, &decisions.map_err(|e| anyhow::Error::new(e).context(args.data.display().to_string()))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let table = input::table(&args.data, &args.read)?;
    let label = args.label.as_deref().map(|l| table.column(l)).transpose()?;
    let columns = input::features(&table, label, &args.read)?;
    let bar = Bar::new();
    let decisions = match &model {
        AnyModel::Vectors(m) => {
            let columns = by_name(m.reference(), &table, &columns);
            let samples = input::vectors(&table, &columns, None)?;
            m.decide_with(&samples, scoring(args, m.params().scoring), &bar)
        }
        AnyModel::Precomputed(m) => {
            let samples = input::precomputed(&table, &columns, false)?;
            m.decide_with(&samples, scoring(args, m.params().scoring), &bar)
        }
        // Read from files of their own, above.
        AnyModel::Graphs(_) => Ok(Vec::new()),
    };
    drop(bar);
    let decisions = decisions.map_err(|e| anyhow::Error::new(e).context(table.source().to_owned()))?;
    write(args, &decisions)?;
    Ok(ExitCode::SUCCESS)
}

fn scoring(args: &ScoreArgs, preset: eocc::Scoring) -> eocc::Scoring {
    args.scoring.map_or(preset, input::scoring)
}

/// The model's features in the model's order, if the table has them all by name; columns that the model does not know
/// are left out and named. Else the columns as they are, for the model to accept or refuse.
fn by_name(reference: &Vectors, table: &Table, columns: &[usize]) -> Vec<usize> {
    let names = reference.feature_names();
    let find = |name: &String| columns.iter().copied().find(|&c| table.names()[c] == *name);
    let found: Option<Vec<usize>> = names.iter().map(find).collect();
    match found {
        Some(found) if table.has_header() && !found.is_empty() => {
            let extra: Vec<String> = columns
                .iter()
                .filter(|c| !found.contains(c))
                .map(|&c| format!("`{}`", table.names()[c]))
                .collect();
            if !extra.is_empty() {
                eprintln!("note: not features of the model, left out: {}", extra.join(", "));
            }
            found
        }
        _ => columns.to_vec(),
    }
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
