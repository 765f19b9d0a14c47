//! The targets of fuzzing.

mod files;
mod model;
mod series;
mod structures;

/// A part of the program that takes untrusted input.
#[derive(Debug)]
pub struct Target {
    /// Its name, which is also that of its folder of inputs.
    pub name: &'static str,
    /// Takes an input; returns whether it was accepted.
    pub run: fn(&[u8]) -> bool,
    /// Small valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target { name: "csv", run: files::csv, seeds: files::seeds::csv },
    Target { name: "jsonl", run: files::jsonl, seeds: files::seeds::jsonl },
    Target { name: "npy", run: files::npy, seeds: files::seeds::npy },
    Target { name: "npz", run: files::npz, seeds: files::seeds::npz },
    Target { name: "parquet", run: files::parquet, seeds: files::seeds::parquet },
    Target { name: "arrow", run: files::arrow, seeds: files::seeds::arrow },
    Target { name: "fasta", run: files::fasta, seeds: files::seeds::fasta },
    Target { name: "ts", run: files::ts, seeds: files::seeds::ts },
    Target { name: "lines", run: files::lines, seeds: files::seeds::csv },
    Target { name: "packed", run: files::packed, seeds: files::seeds::packed },
    Target { name: "guessed", run: files::guessed, seeds: files::seeds::all },
    Target { name: "gxl", run: files::gxl, seeds: files::seeds::gxl },
    Target { name: "graphml", run: files::graphml, seeds: files::seeds::graphml },
    Target { name: "json-graph", run: files::json_graph, seeds: files::seeds::json_graph },
    Target { name: "archive", run: files::archive, seeds: files::seeds::archive },
    Target { name: "pdb", run: structures::pdb, seeds: structures::pdb_seeds },
    Target { name: "mmcif", run: structures::mmcif, seeds: structures::mmcif_seeds },
    Target { name: "series-wide", run: series::wide, seeds: series::wide_seeds },
    Target { name: "series-long", run: series::long, seeds: series::long_seeds },
    Target { name: "columns", run: files::columns, seeds: files::seeds::csv },
    Target { name: "model", run: model::model, seeds: model::seeds },
    Target { name: "model-file", run: model::file, seeds: model::files },
];
