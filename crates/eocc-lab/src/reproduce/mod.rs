//! `eocc-lab reproduce`: a table of the paper, with the published numbers next to ours.

mod iam;
mod iam_report;
mod proteins;
mod proteins_report;
mod uci;
mod uci_oddities;
mod uci_ranking;
mod uci_report;

use anyhow::Result;

use crate::cli::{PaperTable, ReproduceArgs};

pub(crate) use uci::place_of;

/// Reproduces a table; returns the report, unless it was written to a file.
pub fn run(args: &ReproduceArgs) -> Result<Option<String>> {
    match args.table {
        PaperTable::Uci => uci::run(args),
        PaperTable::Iam => iam::run(args),
        PaperTable::Proteins => proteins::run(args),
    }
}
