//! The paper's judge to and from the contents of a model file.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::graph::Graph;
use super::super::judge::Stored;
use super::super::reference::Reference;
use super::ClosenessJudge;
use crate::error::{ModelFault, Result};
use crate::file::{Contents, damaged};
use crate::matrix::Matrix;
use crate::membership::Scale;
use crate::params::OneClass;
use crate::plan::MIN_SOURCES;
use crate::sample::SampleSet;

/// Everything that is not a tensor.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Learned {
    bound: f64,
}

const LOG_CLOSENESS: &str = "regions.log_closeness";

impl<X: SampleSet> ClosenessJudge<X> {
    pub(super) fn write_tensors(&self, out: &mut Contents) -> Result<Value> {
        let n = self.graph.lists.points();
        let (mut region_of, mut log_chi) = (vec![0; n], vec![0.0; n]);
        for (r, region) in (0..).zip(&self.graph.regions) {
            for (&v, &chi) in region.vertices.iter().zip(&region.centrality) {
                (region_of[v as usize], log_chi[v as usize]) = (r, chi);
            }
        }
        self.graph.write(&region_of, out);
        out.put_f64(LOG_CLOSENESS, &[n], &log_chi);
        if let Some(points) = &self.points {
            out.put_f64("points", &[points.rows(), points.columns()], points.values());
        }
        serde_json::to_value(Learned { bound: self.bound })
            .map_err(|e| ModelFault::Unsupported(e.to_string()).into())
    }
}

pub(super) fn read<X: SampleSet>(stored: Stored<'_, X>) -> Result<ClosenessJudge<X>> {
    let Stored { contents, learned, origin, reference, calibration } = stored;
    let Learned { bound } = Learned::deserialize(learned).map_err(|e| damaged(e.to_string()))?;
    let n = origin.summary.samples;
    if !(bound > 0.0 && bound.is_normal()) {
        return Err(damaged("the bound of the dissimilarities is out of range".into()));
    }
    if calibration.scores().len() != n {
        return Err(damaged("the calibration has another length than the samples".into()));
    }
    let sources = origin.plan.closeness.sources();
    if sources.is_some_and(|count| count < MIN_SOURCES) {
        return Err(damaged("the plan is out of range".into()));
    }
    let points = points(contents, &reference, n, &origin.params)?;
    let log_chi = contents.f64s(LOG_CLOSENESS)?.0;
    // Closeness is a sum of at most `n` terms of at most one; it may be zero.
    if log_chi.iter().any(|c| c.is_nan() || *c > (n as f64).log2() + 1.0) {
        return Err(damaged("the regions are out of range: a closeness".into()));
    }
    let graph = Graph::read(contents, &origin.summary, (&log_chi, Scale::Linear), &[], sources)?;
    Ok(ClosenessJudge {
        reference,
        points,
        graph,
        bound,
        percentile: origin.params.percentile,
        memory: origin.params.memory,
        calibration,
        cache: OnceLock::new(),
    })
}

/// The embedded training samples, if there is an embedding.
fn points<X: SampleSet>(
    contents: &Contents,
    reference: &Reference<X>,
    n: usize,
    params: &OneClass,
) -> Result<Option<Matrix>> {
    let count = reference.samples.count();
    if params.representation.prototypes(n).is_none() {
        return if count == n { Ok(None) } else { Err(damaged("the number of samples is wrong".into())) };
    }
    let points = contents.matrix("points")?;
    if points.rows() != n || points.columns() != count {
        return Err(damaged("the embedding has another shape than the samples".into()));
    }
    Ok(Some(points))
}
