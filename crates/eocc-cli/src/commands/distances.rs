//! `eocc distances`.

use std::collections::HashMap;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};
use eocc::dissimilarity::GraphEdit;
use eocc::embedding::{between_sets, embed};
use eocc::{
    Catalogue, Dissimilarity, Error, Graphs, Matrix, Preset, SampleSet, Settings, with_like, with_samples,
};
use eocc_data::{OutColumn, OutFormat, OutValues, Output, Pair};
use rayon::prelude::*;

use crate::cli::DistancesArgs;
use crate::input::{self, Asked, Data};
use crate::output;
use crate::progress::Bar;
use crate::samples::{Samples, Shape};

pub(crate) fn run(args: &DistancesArgs) -> Result<ExitCode> {
    if let Some(path) = &args.output
        && is_npy(path)
        && args.pairs.is_some()
    {
        bail!(Error::parameter("output", path.display(), "a CSV file for pairs"));
    }
    let asked = Asked {
        label: args.label.as_deref(),
        labels: None,
        split: None,
        dissimilarity: args.dissimilarity.as_deref(),
        precomputed: false,
    };
    let data = input::read(&args.data, &asked, None, &args.read)?;
    let other = match &args.other {
        None => None,
        Some(path) => Some(input::read_as(path, &Shape::of_samples(&data.samples), &asked, &args.read)?),
    };
    if args.bounds || args.explain.is_some() {
        let Samples::Graphs(graphs) = &data.samples else {
            bail!(Error::parameter("bounds, explain", "given", "left out: only graphs have them"));
        };
        return of_graphs(args, &data, graphs);
    }
    let Some(other) = &other else {
        return with_samples!(&data.samples, samples => compute(args, &data, samples, None));
    };
    let computed = with_like!(Samples, &data.samples, &other.samples, a, b => {
        compute(args, &data, a, Some((other, b)))
    });
    computed.unwrap_or_else(|| bail!(Error::input("the two files hold samples of different types")))
}

/// Bounds of pairs, and the edits of one.
fn of_graphs(args: &DistancesArgs, data: &Data, graphs: &Graphs) -> Result<ExitCode> {
    let mut d = GraphEdit::from_settings(&settings(args)?)?;
    let refs = graphs.refs();
    d.learn(&refs, &[])?;
    if let Some(explain) = &args.explain {
        let [a, b] = explain.as_slice() else { bail!(Error::parameter("explain", "given", "two names")) };
        let pair = [Pair { a: a.clone(), b: b.clone(), line: 1 }];
        let (i, j) = places(&pair, data, data, "--explain")?[0];
        output::line(&d.path(refs[i], refs[j]).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(path) = &args.pairs else {
        bail!(Error::parameter("bounds", "given", "given together with --pairs"));
    };
    let pairs = eocc_data::read_pairs(path)?;
    let places = places(&pairs, data, data, &path.display().to_string())?;
    let bar = Bar::new();
    let bounds = d.bounds_of_pairs(&refs, &places, &bar)?;
    drop(bar);
    let mut columns = pair_columns(&pairs, bounds.iter().map(|b| b.upper).collect());
    let numbers =
        |f: fn(&eocc::dissimilarity::ged::Bounds) -> f64| OutValues::Number(bounds.iter().map(f).collect());
    columns.push(OutColumn::new("lower", numbers(|b| b.lower)));
    columns.push(OutColumn::new("upper", numbers(|b| b.upper)));
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    eocc_data::write(&columns, OutFormat::Csv, &to)?;
    Ok(ExitCode::SUCCESS)
}

/// The settings, with the method of graphs among them.
fn settings(args: &DistancesArgs) -> Result<Settings> {
    let mut settings = input::settings(&args.settings)?;
    if let Some(method) = &args.method {
        settings.insert("method", method);
    }
    Ok(settings)
}

fn is_npy(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("npy"))
}

fn compute<X: Catalogue>(
    args: &DistancesArgs,
    data: &Data,
    samples: &X,
    other: Option<(&Data, &X)>,
) -> Result<ExitCode> {
    let settings = settings(args)?;
    // As it is: what `default` adds is for learning.
    let mut d = X::measure(Preset::Paper, args.dissimilarity.as_deref(), &settings)?;
    d.learn(&samples.refs(), samples.feature_names())?;
    check(d.as_ref(), data, &samples.refs())?;
    let conformed = other.map(|(_, set)| samples.conform(set)).transpose()?;
    if let (Some((data, _)), Some(set)) = (other, &conformed) {
        check(d.as_ref(), data, &set.refs())?;
    }
    let others = conformed.as_ref().map(|set| set.refs());
    let columns = other.map_or(data, |o| o.0);
    if let Some(path) = &args.pairs {
        let pairs = eocc_data::read_pairs(path)?;
        let places = places(&pairs, data, columns, &path.display().to_string())?;
        let refs = samples.refs();
        let values = of_pairs(d.as_ref(), &refs, others.as_ref().unwrap_or(&refs), &places);
        write_pairs(args, &pairs, values)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (n, m) = (data.count() as u64, columns.count() as u64);
    let needed = n.saturating_mul(m).saturating_mul(16);
    eocc::memory::require(
        &format!("a matrix of {n} x {m}"),
        needed,
        None,
        "ask for some pairs only (--pairs), or split the data",
    )?;
    let bar = Bar::new();
    let matrix = if let Some(others) = &others {
        between_sets(&samples.refs(), others, d.as_ref(), &bar)
    } else {
        let all: Vec<usize> = (0..data.count()).collect();
        embed(&samples.refs(), &all, d.as_ref(), &bar)
    };
    drop(bar);
    write_matrix(args, columns, &matrix.map_err(|e| anyhow::Error::new(e).context(data.source.clone()))?)?;
    Ok(ExitCode::SUCCESS)
}

fn check<S: ?Sized>(d: &dyn Dissimilarity<S>, data: &Data, samples: &[&S]) -> Result<()> {
    for (sample, name) in samples.iter().zip(&data.names) {
        d.check(sample).map_err(|e| anyhow::anyhow!("{}: sample {name}: {e}", data.source))?;
    }
    Ok(())
}

/// Rows of both samples of each pair, by name and then by number.
fn places(pairs: &[Pair], data: &Data, others: &Data, file: &str) -> Result<Vec<(usize, usize)>> {
    let index = |data: &Data| -> HashMap<String, usize> { data.names.iter().cloned().zip(0..).collect() };
    let (rows, columns) = (index(data), index(others));
    let find = |name: &str, index: &HashMap<String, usize>, data: &Data, line: usize| {
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
fn of_pairs<S: ?Sized + Sync>(
    d: &dyn Dissimilarity<S>,
    rows: &[&S],
    columns: &[&S],
    pairs: &[(usize, usize)],
) -> Vec<f64> {
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by_key(|&i| pairs[i]);
    let groups: Vec<&[usize]> = order.chunk_by(|&i, &j| pairs[i].0 == pairs[j].0).collect();
    let found: Vec<Vec<f64>> = groups
        .par_iter()
        .map(|group| {
            let others: Vec<&S> = group.iter().map(|&i| columns[pairs[i].1]).collect();
            let mut out = vec![0.0; others.len()];
            d.prepare(&others).fill(rows[pairs[group[0]].0], 0..others.len(), &mut out);
            out
        })
        .collect();
    let mut values = vec![0.0; pairs.len()];
    for (&i, value) in order.iter().zip(found.into_iter().flatten()) {
        values[i] = value;
    }
    values
}

fn pair_columns(pairs: &[Pair], values: Vec<f64>) -> Vec<OutColumn> {
    let text = |f: fn(&Pair) -> &String| OutValues::Text(pairs.iter().map(|p| f(p).clone()).collect());
    vec![
        OutColumn::new("a", text(|p| &p.a)),
        OutColumn::new("b", text(|p| &p.b)),
        OutColumn::new("distance", OutValues::Number(values)),
    ]
}

fn write_pairs(args: &DistancesArgs, pairs: &[Pair], values: Vec<f64>) -> Result<()> {
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    Ok(eocc_data::write(&pair_columns(pairs, values), OutFormat::Csv, &to)?)
}

fn write_matrix(args: &DistancesArgs, columns: &Data, matrix: &Matrix) -> Result<()> {
    if let Some(path) = &args.output
        && is_npy(path)
    {
        return Ok(eocc_data::write_npy(path, matrix.rows(), matrix.columns(), matrix.values())?);
    }
    // Names, if there are any, are the first line: such a file is read back by --precomputed.
    let write = |out: &mut dyn std::io::Write| -> std::io::Result<()> {
        if columns.is_named {
            let quoted = |n: &String| {
                if n.contains([',', '"']) { format!("\"{}\"", n.replace('"', "\"\"")) } else { n.clone() }
            };
            writeln!(out, "{}", columns.names.iter().map(quoted).collect::<Vec<_>>().join(","))?;
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
    let mut out = output::buffered();
    write(&mut out)?;
    Ok(out.flush()?)
}
