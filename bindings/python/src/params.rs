//! Parameters as the facade gives them.

use eocc_core::{
    Error, OneClass, Preset, Prototypes, Representation, Scoring, SearchKind, Threshold, ValidParams,
};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::exception;

/// Parameters; `None` is what the preset has.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Params {
    pub(crate) preset: String,
    reject: Option<f64>,
    contamination: Option<f64>,
    search: Option<String>,
    evaluations: Option<usize>,
    tau: Option<f64>,
    alpha: Option<f64>,
    percentile: Option<f64>,
    prototypes: Option<String>,
    scoring: Option<String>,
    visits: Option<usize>,
    memory: Option<u64>,
    seed: u64,
}

fn word<T>(name: &str, given: &str, allowed: &str, found: Option<T>) -> eocc_core::Result<T> {
    found.ok_or_else(|| Error::parameter(name, format!("`{given}`"), allowed))
}

/// The scoring with this name.
pub(crate) fn scoring(name: &str) -> eocc_core::Result<Scoring> {
    let found = match name {
        "exact" => Some(Scoring::Exact),
        "fast" => Some(Scoring::Fast),
        _ => None,
    };
    word("scoring", name, "exact or fast", found)
}

impl Params {
    pub(crate) fn check(&self) -> PyResult<ValidParams> {
        self.checked().map_err(|e| exception(&e))
    }

    fn checked(&self) -> eocc_core::Result<ValidParams> {
        let preset = word("preset", &self.preset, "default or paper", Preset::named(&self.preset))?;
        let mut params = OneClass::new(preset).seed(self.seed);
        if let Some(name) = &self.search {
            let allowed = "none or genetic";
            params.search = word("search", name, allowed, SearchKind::named(name))?;
        }
        params.evaluations = self.evaluations.unwrap_or(params.evaluations);
        params.tau = self.tau.unwrap_or(params.tau);
        params.alpha = self.alpha.unwrap_or(params.alpha);
        params.percentile = self.percentile.unwrap_or(params.percentile);
        if let Some(share) = self.contamination {
            params = params.contamination(share);
        }
        if let Some(share) = self.reject {
            params.threshold = Threshold::Reject(share);
        }
        match self.prototypes.as_deref() {
            None => {}
            Some("direct") => params.representation = Representation::Direct,
            Some(text) => params.representation = Representation::Prototypes(Prototypes::named(text)?),
        }
        if let Some(name) = &self.scoring {
            params.scoring = scoring(name)?;
        }
        params.visits = self.visits;
        params.memory = self.memory;
        params.check()
    }
}

/// The parameters of a fitted model, where they differ from its preset's; what the facade's constructor takes.
pub(crate) fn describe<'py>(py: Python<'py>, params: &OneClass) -> PyResult<Bound<'py, PyDict>> {
    let preset = OneClass::new(params.preset);
    let out = PyDict::new(py);
    out.set_item("preset", params.preset.name())?;
    out.set_item("random_state", params.seed)?;
    if let Threshold::Reject(share) = params.threshold
        && params.threshold != preset.threshold
    {
        out.set_item("reject", share)?;
    }
    if params.search != preset.search {
        out.set_item("search", params.search.name())?;
    }
    if params.evaluations != preset.evaluations {
        out.set_item("evaluations", params.evaluations)?;
    }
    let differs = |a: f64, b: f64| a.to_bits() != b.to_bits();
    for (name, own, usual) in [
        ("tau", params.tau, preset.tau),
        ("alpha", params.alpha, preset.alpha),
        ("percentile", params.percentile, preset.percentile),
    ] {
        if differs(own, usual) {
            out.set_item(name, own)?;
        }
    }
    if let Some(share) = params.contamination {
        out.set_item("contamination", share)?;
    }
    if params.representation != preset.representation {
        match params.representation {
            Representation::Direct => out.set_item("prototypes", "direct")?,
            Representation::Prototypes(Prototypes::Random(count)) => out.set_item("prototypes", count)?,
            Representation::Prototypes(Prototypes::FarthestFirst(count)) => {
                out.set_item("prototypes", format!("farthest:{count}"))?;
            }
            // All training samples, or as many of them as the paper's way takes.
            _ => out.set_item("prototypes", "all")?,
        }
    }
    match params.visits {
        None => {}
        Some(usize::MAX) => out.set_item("visits", "all")?,
        Some(visits) => out.set_item("visits", visits)?,
    }
    if params.scoring != preset.scoring {
        out.set_item("scoring", if params.scoring == Scoring::Exact { "exact" } else { "fast" })?;
    }
    Ok(out)
}
