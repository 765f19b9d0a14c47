//! `eocc distances`.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use eocc_core::dissimilarity::GraphEdit;
use eocc_core::{
    AnyDissimilarity, AnySamples, Dissimilarity as _, Error, ErrorKind, Graphs, Matrix, Preset, Remedy,
    SampleSet as _, Settings,
};
use eocc_data::{Column, Dataset, ModelReader, Output, Pair, ReadRequest, Values};
use rayon::prelude::*;

use super::announce::{announce, watched_few};
use crate::cli::DistancesArgs;
use crate::outputs::{self, Inputs};
use crate::progress::Bar;
use crate::{output, request};

pub(crate) fn run(args: &DistancesArgs) -> Result<ExitCode> {
    check_format(args)?;
    if let Some(output) = &args.output {
        Inputs::default()
            .with("data", &args.data)
            .with_optional("other samples", args.other.as_ref())
            .with_optional("pairs", args.pairs.as_ref())
            .with_settings(&args.settings)
            .refuse("output", output)?;
        outputs::refuse_same(&[("output", Some(output))])?;
    }
    let read = ReadRequest {
        label: args.label.clone(),
        ..request::read_request(&args.read, None, args.dissimilarity.as_deref())?
    };
    let data = request::read(&args.data, &read)?;
    let other = match &args.other {
        None => None,
        Some(path) => Some(request::read_like(path, ModelReader::new(data.samples.layout(), read.clone()))?),
    };
    if args.bounds || args.explain.is_some() {
        let Some(graphs) = data.samples.downcast_ref::<Graphs>() else {
            bail!(Error::parameter("bounds, explain", "given", "left out: only graphs have them"));
        };
        return of_graphs(args, &data, graphs);
    }
    compute(args, &data, other)
}

/// Bounds of pairs, and the edits of a single pair.
fn of_graphs(args: &DistancesArgs, data: &Dataset, graphs: &Graphs) -> Result<ExitCode> {
    let mut d = GraphEdit::from_settings(&settings(args)?)?;
    let refs = graphs.refs();
    d.learn(&refs, &[])?;
    if let Some(explain) = &args.explain {
        let [a, b] = explain.as_slice() else { bail!(Error::parameter("explain", "given", "two names")) };
        let pair = [Pair { a: a.clone(), b: b.clone(), line: 1 }];
        let (i, j) = places(&pair, data, data, "--explain")?[0];
        let path = watched_few(1, || d.path(refs[i], refs[j]));
        output::line(&path.to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(path) = &args.pairs else {
        bail!(Error::parameter("bounds", "given", "given together with --pairs"));
    };
    let pairs = eocc_data::read_pairs(path)?;
    let places = places(&pairs, data, data, &path.display().to_string())?;
    announce(places.len(), 0, &|at, size| {
        let some = evenly(&places, at, size);
        for &(i, j) in some {
            black_box(d.bounds(refs[i], refs[j]));
        }
        some.len()
    });
    let bar = Bar::new();
    let bounds = watched_few(places.len(), || d.bounds_of_pairs(&refs, &places, &bar))?;
    drop(bar);
    let mut columns = pair_columns(&pairs, bounds.iter().map(|b| b.upper).collect());
    let numbers =
        |f: fn(&eocc_core::dissimilarity::ged::Bounds) -> f64| Values::Float(bounds.iter().map(f).collect());
    columns.push(Column::new("lower", numbers(|b| b.lower)));
    columns.push(Column::new("upper", numbers(|b| b.upper)));
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    outputs::refuse_closed(&to)?;
    eocc_data::write(&columns, outputs::table_format(args.output.as_deref(), None)?, &to)?;
    Ok(ExitCode::SUCCESS)
}

/// The settings, including the method of graphs.
fn settings(args: &DistancesArgs) -> Result<Settings> {
    let mut settings = request::settings(&args.settings)?;
    if let Some(method) = &args.method {
        settings.insert("method", method);
    }
    Ok(settings)
}

/// Refuses a format that cannot hold the result, before it is computed.
fn check_format(args: &DistancesArgs) -> Result<()> {
    if args.pairs.is_some() {
        outputs::table_format(args.output.as_deref(), None)?;
    } else if let Some(path) = &args.output
        && matches!(
            outputs::extension(path).as_deref(),
            Some("npz" | "json" | "jsonl" | "ndjson" | "parquet" | "pq")
        )
    {
        bail!(Error::parameter("output", path.display(), "a .npy or .csv file for a matrix"));
    }
    Ok(())
}

fn is_npy(path: &std::path::Path) -> bool {
    outputs::extension(path).as_deref() == Some("npy")
}

fn compute(args: &DistancesArgs, data: &Dataset, other: Option<Dataset>) -> Result<ExitCode> {
    let settings = settings(args)?;
    // Without the settings of `default`, which are for learning.
    let mut d = data.samples.measure(Preset::Paper, args.dissimilarity.as_deref(), &settings)?;
    d.learn_all(&data.samples)?;
    check(&d, data)?;
    let other = match other {
        None => None,
        Some(other) => Some(Dataset { samples: data.samples.conform(&other.samples)?, ..other }),
    };
    other.iter().try_for_each(|other| check(&d, other))?;
    let columns = other.as_ref().unwrap_or(data);
    if let Some(path) = &args.pairs {
        let pairs = eocc_data::read_pairs(path)?;
        let places = places(&pairs, data, columns, &path.display().to_string())?;
        announce(places.len(), 0, &|at, size| {
            let mut some = evenly(&places, at, size).to_vec();
            some.sort_unstable();
            for group in some.chunk_by(|a, b| a.0 == b.0) {
                let _ = black_box(of_group(&d, &data.samples, &columns.samples, group));
            }
            some.len()
        });
        let found = || of_pairs(&d, &data.samples, &columns.samples, &places);
        write_pairs(args, &pairs, watched_few(places.len(), found)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (n, m) = (data.count() as u64, columns.count() as u64);
    let needed = n.saturating_mul(m).saturating_mul(16);
    let remedy = Remedy::Words("ask for some pairs only (--pairs), or split the data");
    eocc_core::memory::require(&format!("a matrix of {n} x {m}"), needed, None, remedy)?;
    let is_half = other.is_none() && d.properties().symmetric;
    let count = if is_half { n * (n - 1) / 2 } else { n.saturating_mul(m) } as usize;
    announce(count, needed, &|at, size| {
        let (row, size) = ((at * n as f64) as usize, size.min(m as usize));
        // From half of the samples on: a sample is like itself at no cost.
        let column = |i: usize| ((at + 0.5 + i as f64 / size as f64).fract() * m as f64) as usize;
        let some: Vec<usize> = (0..size).map(column).collect();
        let Ok(prepared) = d.prepare(&columns.samples, &some) else { return 0 };
        prepared.fill((&data.samples, row), 0..size, &mut vec![0.0; size]);
        size
    });
    let bar = Bar::new();
    let matrix = watched_few(count, || match &other {
        Some(other) => d.between_sets(&data.samples, &other.samples, &bar),
        None => d.matrix(&data.samples, &bar),
    });
    drop(bar);
    write_matrix(args, columns, &matrix.map_err(|e| anyhow::Error::new(e).context(data.source.clone()))?)?;
    Ok(ExitCode::SUCCESS)
}

fn check(d: &AnyDissimilarity, data: &Dataset) -> Result<()> {
    for row in 0..data.count() {
        d.check(&data.samples, row)
            .map_err(|e| anyhow::anyhow!("{}: sample {}: {e}", data.source, data.name(row)))?;
    }
    Ok(())
}

/// Up to `count` pairs, starting at a fraction of all of them.
fn evenly(pairs: &[(usize, usize)], at: f64, count: usize) -> &[(usize, usize)] {
    let start = (at * pairs.len() as f64) as usize;
    &pairs[start..(start + count).min(pairs.len())]
}

/// Rows of both samples of each pair, found by name and then by number.
fn places(pairs: &[Pair], data: &Dataset, others: &Dataset, file: &str) -> Result<Vec<(usize, usize)>> {
    let index =
        |data: &Dataset| -> HashMap<String, usize> { data.names_or_numbers().into_iter().zip(0..).collect() };
    let (rows, columns) = (index(data), index(others));
    let find = |name: &str, index: &HashMap<String, usize>, data: &Dataset, line: usize| {
        let by_number = || name.parse::<usize>().ok().filter(|i| *i < data.count());
        index.get(name).copied().or_else(by_number).ok_or_else(|| {
            Error::input(format!(
                "{file}: line {line}: `{name}` is neither the name of a sample of {} nor a row below {}",
                data.source,
                data.count()
            ))
        })
    };
    let both = |pair: &Pair| {
        Ok((find(&pair.a, &rows, data, pair.line)?, find(&pair.b, &columns, others, pair.line)?))
    };
    pairs.iter().map(both).collect()
}

/// The dissimilarities of pairs, those with the same first sample together.
fn of_pairs(
    d: &AnyDissimilarity,
    rows: &AnySamples,
    columns: &AnySamples,
    pairs: &[(usize, usize)],
) -> Result<Vec<f64>> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&i| pairs[i]);
    let groups: Vec<&[usize]> = order.chunk_by(|&i, &j| pairs[i].0 == pairs[j].0).collect();
    let (bar, done) = (Bar::new(), AtomicUsize::new(0));
    let of_group = |group: &&[usize]| {
        let done = done.fetch_add(group.len(), Ordering::Relaxed);
        if !bar.step("dissimilarities", done, pairs.len()) {
            return Err(ErrorKind::Cancelled.into());
        }
        let group: Vec<(usize, usize)> = group.iter().map(|&i| pairs[i]).collect();
        of_group(d, rows, columns, &group)
    };
    let found: eocc_core::Result<Vec<Vec<f64>>> = groups.par_iter().map(of_group).collect();
    let mut values = vec![0.0; pairs.len()];
    for (&i, value) in order.iter().zip(found?.into_iter().flatten()) {
        values[i] = value;
    }
    Ok(values)
}

/// The dissimilarities of pairs that have the first sample in common.
fn of_group(
    d: &AnyDissimilarity,
    rows: &AnySamples,
    columns: &AnySamples,
    pairs: &[(usize, usize)],
) -> eocc_core::Result<Vec<f64>> {
    let seconds: Vec<usize> = pairs.iter().map(|pair| pair.1).collect();
    let mut out = vec![0.0; seconds.len()];
    d.prepare(columns, &seconds)?.fill((rows, pairs[0].0), 0..seconds.len(), &mut out);
    Ok(out)
}

fn pair_columns(pairs: &[Pair], values: Vec<f64>) -> Vec<Column> {
    vec![
        Column::texts("a", pairs.iter().map(|p| &p.a)),
        Column::texts("b", pairs.iter().map(|p| &p.b)),
        Column::new("distance", Values::Float(values)),
    ]
}

fn write_pairs(args: &DistancesArgs, pairs: &[Pair], values: Vec<f64>) -> Result<()> {
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    outputs::refuse_closed(&to)?;
    let format = outputs::table_format(args.output.as_deref(), None)?;
    Ok(eocc_data::write(&pair_columns(pairs, values), format, &to)?)
}

fn write_matrix(args: &DistancesArgs, columns: &Dataset, matrix: &Matrix) -> Result<()> {
    if let Some(path) = &args.output
        && is_npy(path)
    {
        return Ok(eocc_data::write_npy(path, matrix.rows(), matrix.columns(), matrix.values())?);
    }
    // Names, if any, form the first line: --precomputed reads such a file back.
    let write = |out: &mut dyn std::io::Write| -> std::io::Result<()> {
        if let Some(names) = &columns.names {
            let quoted = |n: &String| {
                if n.contains([',', '"']) { format!("\"{}\"", n.replace('"', "\"\"")) } else { n.clone() }
            };
            writeln!(out, "{}", names.iter().map(quoted).collect::<Vec<_>>().join(","))?;
        }
        for row in 0..matrix.rows() {
            let cells: Vec<String> = matrix.row(row).iter().map(ToString::to_string).collect();
            writeln!(out, "{}", cells.join(","))?;
        }
        Ok(())
    };
    if let Some(path) = &args.output {
        return Ok(eocc_data::atomic_write(path, |out| write(out))?);
    }
    let mut out = output::buffered()?;
    write(&mut out)?;
    Ok(out.flush()?)
}
