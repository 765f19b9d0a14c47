//! Dissimilarities of strings.

mod alignment;
mod alphabet;
mod grouped;
mod jaro_winkler;
mod lanes;
mod levenshtein;
mod osa;
mod symbols;
mod weighted;

use super::{Entry, Settings};
use crate::error::Result;

pub use alignment::{Alignment, SubstitutionMatrix, are_nucleic};
pub use jaro_winkler::JaroWinkler;
pub use levenshtein::{Costs, Levenshtein};
pub use osa::Osa;
pub use symbols::Unit;

/// The measures of strings.
pub(crate) const CATALOGUE: &[Entry<str>] =
    &[levenshtein::ENTRY, alignment::ENTRY, osa::ENTRY, jaro_winkler::ENTRY];

fn unit(settings: &Settings) -> Result<Unit> {
    Ok(settings.get("unit", Unit::NAMES)?.unwrap_or_default())
}
