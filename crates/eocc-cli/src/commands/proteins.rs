//! `eocc proteins`: tables, graphs and series of protein structures.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use eocc_core::graphs::{MAX_EDGES, MAX_VERTICES};
use eocc_core::{Error, ErrorKind, SampleSet as _, Texts};
use eocc_data::{Budget, Column, Dataset, Output, ReadOptions, ReadRequest, Values};
use eocc_proteins::{
    ContactGraph, ContactRange, Descriptors, GraphFeatures, MAX_FEATURE_VERTICES, SequenceFeatures,
    Structure, StructureError, StructureFormat, most_seconds, read_file, seriated_unless, structure_files,
};
use rayon::prelude::*;
use serde_json::json;

use crate::cli::{
    FeaturesArgs, GraphArgs, PropertiesName, ProteinsArgs, ProteinsCommand, ResidueArgs, SeriesArgs,
    StructureArgs,
};
use crate::output::counted;
use crate::outputs::{self, Inputs};
use crate::progress::{Bar, LONG, rough};
use crate::{interrupt, output, request, say, terminal};

/// Maximum number of structures whose notes are shown.
const MAX_NOTES: usize = 5;
/// Files read at a time, so that Ctrl-C is noticed and memory is bounded.
const BATCH: usize = 64;

pub(crate) fn run(args: &ProteinsArgs) -> Result<ExitCode> {
    match &args.command {
        ProteinsCommand::Features(args) => features(args),
        ProteinsCommand::Graph(args) => graph(args),
        ProteinsCommand::Series(args) => series(args),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn descriptors(name: PropertiesName) -> Descriptors {
    match name {
        PropertiesName::Pp => Descriptors::Pp,
        PropertiesName::Z => Descriptors::Z,
    }
}

fn features(args: &FeaturesArgs) -> Result<()> {
    let format = outputs::table_format(args.output.as_deref(), args.format)?;
    refuse(&args.read, args.output.as_deref())?;
    let path = &args.read.data;
    let is_structure = path.is_dir() || StructureFormat::of_name(path).is_some();
    let (header, names, rows): (&[&str], Vec<String>, Vec<Vec<f64>>) = if is_structure {
        let mut found = (Vec::new(), Vec::new());
        each(
            &args.read,
            |graph| {
                announce(graph);
                Ok(GraphFeatures::compute_unless(graph, &interrupt::is_interrupted)?.values().to_vec())
            },
            |name, values| {
                found.0.push(name);
                found.1.push(values);
                Ok(())
            },
        )?;
        (&GraphFeatures::NAMES, found.0, found.1)
    } else {
        let (names, rows) = of_sequences(path, budget(&args.read))?;
        (&SequenceFeatures::NAMES, names, rows)
    };
    let mut columns = vec![Column::texts("name", names)];
    for (c, name) in header.iter().enumerate() {
        columns.push(Column::new(*name, Values::Float(rows.iter().map(|row| row[c]).collect())));
    }
    let to = args.output.clone().map_or(Output::Stdout, Output::Path);
    outputs::refuse_closed(&to)?;
    let columns = if outputs::is_shown(&to, args.format) { outputs::shown(columns) } else { columns };
    Ok(eocc_data::write(&columns, format, &to)?)
}

/// Reports how long the features of a structure take, if that is long.
fn announce(graph: &ContactGraph) {
    let residues = graph.vertices.len();
    let seconds = GraphFeatures::seconds(residues);
    if seconds > LONG && residues <= MAX_FEATURE_VERTICES {
        let time = rough(seconds);
        say::line(&format!(
            "plan: `{}` has {residues} residues, whose features take about {time}",
            graph.name
        ));
    }
}

/// Names and features of sequences.
fn of_sequences(path: &Path, budget: Budget) -> Result<(Vec<String>, Vec<Vec<f64>>)> {
    let options = ReadOptions { budget, ..ReadOptions::default() };
    let data: Dataset = request::read(path, &ReadRequest { options, ..ReadRequest::default() })?;
    let Some(texts) = data.samples.downcast_ref::<Texts>() else {
        let message = "it holds neither structures (.pdb, .ent, .cif, .mmcif, .csv) nor sequences (FASTA)";
        return Err(anyhow::Error::new(Error::input(message)).context(data.source.clone()));
    };
    let rows =
        (0..texts.count()).map(|i| SequenceFeatures::compute(texts.sample(i)).values().to_vec()).collect();
    let numbers = || (0..texts.count()).map(|i| i.to_string()).collect();
    Ok((data.names.clone().unwrap_or_else(numbers), rows))
}

fn graph(args: &GraphArgs) -> Result<()> {
    let descriptors = descriptors(args.residues.properties);
    let line = |graph: &ContactGraph| {
        let (n, m) = (graph.vertices.len(), graph.edges.len());
        if n > MAX_VERTICES || m > MAX_EDGES {
            return Err(Error::input(format!(
                "`{}` has {n} residues and {m} contacts, but graphs are compared with at most {MAX_VERTICES} vertices and \
                 {MAX_EDGES} edges; choose chains with --chain",
                graph.name
            )));
        }
        Ok(graph.node_link(descriptors).to_string())
    };
    lines(&args.residues, line)
}

fn series(args: &SeriesArgs) -> Result<()> {
    let descriptors = descriptors(args.residues.properties);
    let line = |graph: &ContactGraph| {
        let most = most_seconds(graph);
        if most > LONG {
            let (name, residues) = (&graph.name, graph.vertices.len());
            say::line(&format!(
                "plan: the order of the {residues} residues of `{name}` takes at most {}",
                rough(most)
            ));
        }
        let series = seriated_unless(graph, descriptors, &interrupt::is_interrupted)?;
        let steps: Vec<&[f64]> = series.steps().collect();
        Ok(json!({"name": graph.name, "properties": steps}).to_string())
    };
    lines(&args.residues, line)
}

/// Writes one line per structure.
fn lines(args: &ResidueArgs, line: impl Fn(&ContactGraph) -> eocc_core::Result<String> + Sync) -> Result<()> {
    let (read, to) = (&args.read, args.output.as_deref());
    refuse(read, to)?;
    if let Some(path) = to
        && !matches!(outputs::extension(path).as_deref(), Some("jsonl" | "ndjson"))
    {
        return Err(Error::parameter("output", path.display(), "a .jsonl file").into());
    }
    let mut found = Vec::new();
    each(read, line, |_, text| {
        found.push(text);
        Ok(())
    })?;
    let write = |out: &mut dyn Write| found.iter().try_for_each(|text| writeln!(out, "{text}"));
    if let Some(path) = to {
        return Ok(eocc_data::atomic_write(path, |out| write(out))?);
    }
    let mut out = output::buffered()?;
    write(&mut out)?;
    Ok(out.flush()?)
}

fn refuse(read: &StructureArgs, to: Option<&Path>) -> Result<()> {
    outputs::refuse_same(&[("output", to)])?;
    match to {
        Some(path) => Inputs::default().with("data", &read.data).refuse("output", path),
        None => Ok(()),
    }
}

/// Reads every structure, computes a result from its contact graph, and passes it on, in order. A file that cannot be
/// read, or a structure without a result, is reported and skipped; if none is left, that is an error.
fn each<T: Send>(
    args: &StructureArgs,
    make: impl Fn(&ContactGraph) -> eocc_core::Result<T> + Sync,
    mut give: impl FnMut(String, T) -> Result<()>,
) -> Result<()> {
    let range = ContactRange::new(args.min_distance, args.max_distance)?;
    let files = structure_files(&args.data).map_err(fault)?;
    let bar = Bar::new();
    let (mut done, mut left_out, mut noted) = (0, 0, 0);
    let mut names = std::collections::HashSet::new();
    for (count, batch) in files.chunks(BATCH).enumerate() {
        if !bar.step("structures", count * BATCH, files.len()) {
            return Err(Error::from(ErrorKind::Cancelled).into());
        }
        let read: Vec<_> = batch.par_iter().map(|file| of_file(file, args, range, &make)).collect();
        if interrupt::is_interrupted() {
            return Err(Error::from(ErrorKind::Cancelled).into());
        }
        for (file, found) in batch.iter().zip(read) {
            let mut say_left_out = |text: String| {
                left_out += 1;
                // As an error, it is shown even if notes are not.
                terminal::say(&format!("left out: {text}"));
            };
            let found = match found {
                Ok(found) => found,
                // There is nothing else to continue with.
                Err(e) if files.len() == 1 => return Err(fault(e)),
                Err(e) => {
                    say_left_out(e.to_string());
                    continue;
                }
            };
            for (structure, made) in found {
                match made {
                    Ok(value) if names.insert(structure.name.clone()) => {
                        done += 1;
                        noted += usize::from(note(&structure, noted));
                        give(structure.name, value)?;
                    }
                    Ok(_) => {
                        say_left_out(format!("{}: `{}` is there already", file.display(), structure.name));
                    }
                    Err(e) => say_left_out(format!("{}: {e}", file.display())),
                }
            }
        }
    }
    drop(bar);
    if noted > MAX_NOTES {
        say::note(&format!("{} more with such notes", counted(noted - MAX_NOTES, "structure")));
    }
    if done == 0 {
        let message = Error::input("no structure could be used");
        return Err(anyhow::Error::new(message).context(args.data.display().to_string()));
    }
    let others = if left_out > 0 { format!(", {left_out} left out") } else { String::new() };
    say::line(&format!("{}{others}", counted(done, "structure")));
    Ok(())
}

/// The memory budget for reading a file; reading ends at Ctrl-C.
fn budget(args: &StructureArgs) -> Budget {
    args.memory.map_or_else(Budget::default, Budget::of_bytes).until(interrupt::is_interrupted)
}

/// The structures of a file, and the result for each.
type OfFile<T> = Vec<(Structure, eocc_core::Result<T>)>;

fn of_file<T: Send>(
    file: &Path,
    args: &StructureArgs,
    range: ContactRange,
    make: &(impl Fn(&ContactGraph) -> eocc_core::Result<T> + Sync),
) -> Result<OfFile<T>, StructureError> {
    let of = |mut structure: Structure| {
        if !args.chain.is_empty() && !structure.keep_chains(&args.chain) {
            let message = format!("`{}` has no chain {}", structure.name, args.chain.join(", "));
            return (structure, Err(Error::input(message)));
        }
        if interrupt::is_interrupted() {
            return (structure, Err(ErrorKind::Cancelled.into()));
        }
        let made = ContactGraph::new(&structure, range).and_then(|graph| make(&graph));
        (structure, made)
    };
    Ok(read_file(file, budget(args))?.into_par_iter().map(of).collect())
}

/// An error about the only file, with the exit code of its kind.
fn fault(e: StructureError) -> anyhow::Error {
    match e {
        StructureError::Data(e) => e.into(),
        other => other.into(),
    }
}

/// Prints the reader's notes about the first few structures; returns whether there were any.
fn note(structure: &Structure, before: usize) -> bool {
    let notes = structure.notes();
    if !notes.is_empty() && before < MAX_NOTES {
        say::note(&format!("{}: {}", structure.name, notes.join("; ")));
    }
    !notes.is_empty()
}
