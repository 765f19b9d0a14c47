//! A committee to and from the contents of a model file.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::graph::Graph;
use super::super::judge::Stored;
use super::scores::ring_size;
use super::{
    Changes, Committee, CommitteeJudge, Locality, Member, NEAREST_CLEAN, NEAREST_CONTAMINATED, PanelMember,
    References, SCORES,
};
use crate::dissimilarity::Panel;
use crate::error::{ModelFault, Result};
use crate::file::{Contents, damaged};
use crate::membership::Scale;
use crate::parallel;
use crate::params::MIN_VISITS;
use crate::plan::Plan;
use crate::sample::SampleSet;

/// Everything that is not a tensor.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredCommittee {
    few: usize,
    recognizes_copies: bool,
    views: Vec<StoredView>,
    panels: Vec<StoredPanel>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPanel {
    name: String,
    weight: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredView {
    name: String,
    weight: f64,
    unit: f64,
}

pub(super) fn write<X: SampleSet>(judge: &CommitteeJudge<X>, out: &mut Contents) -> Result<Value> {
    let committee = &judge.committee;
    let (samples, kept) = (committee.samples(), committee.kept.len());
    judge.graph.write(&committee.region_of, out);
    out.put_f64("committee.oddity", &[samples], &committee.oddity);
    out.put_u32("committee.trimmed", &[committee.trimmed.len()], &committee.trimmed);
    out.put_u32("committee.changes", &[samples], committee.changes.counts());
    for (v, member) in committee.members.iter().enumerate() {
        let references: Vec<f64> =
            member.references.iter().flat_map(|r| r.scores().iter().copied()).collect();
        out.put_f64(&format!("committee.{v}.weights"), &[kept], &member.locality.weights);
        out.put_f64(&format!("committee.{v}.references"), &[SCORES, kept], &references);
    }
    for (p, panel) in committee.panels.iter().enumerate() {
        let references: Vec<f64> = panel.references.iter().flat_map(|r| r.scores().iter().copied()).collect();
        let count = panel.top.scores().len();
        out.put_f64(&format!("panel.{p}.references"), &[panel.references.len(), count], &references);
        out.put_f64(&format!("panel.{p}.top"), &[count], panel.top.scores());
    }
    let view = |m: &Member| StoredView { name: m.name.clone(), weight: m.weight, unit: m.locality.unit };
    let panel = |p: &PanelMember| StoredPanel { name: p.name.clone(), weight: p.weight };
    let stored = StoredCommittee {
        few: committee.few,
        recognizes_copies: committee.recognizes_copies,
        views: committee.members.iter().map(view).collect(),
        panels: committee.panels.iter().map(panel).collect(),
    };
    serde_json::to_value(stored).map_err(|e| ModelFault::Unsupported(e.to_string()).into())
}

pub(super) fn read<X: SampleSet>(stored: Stored<'_, X>) -> Result<CommitteeJudge<X>> {
    let Stored { contents, learned, origin, reference, calibration } = stored;
    let n = origin.summary.samples;
    // A saved stream has its own calibration.
    if reference.samples().count() != n {
        return Err(damaged("the number of samples is wrong".into()));
    }
    let learned = StoredCommittee::deserialize(learned).map_err(|e| damaged(e.to_string()))?;
    let refs = reference.samples().refs();
    let views = reference.measure().views(&refs).len();
    let committee = learned.read(contents, n, views, &origin.plan)?;
    // The committee of a stream has no panels.
    if !committee.panels.is_empty() {
        require_panels(&committee, &reference.measure().panels(&refs, &committee.kept))?;
    }
    drop(refs);
    let scores: Vec<f64> = committee.oddity.iter().map(|o| -o).collect();
    let centrality = (scores.as_slice(), Scale::Logarithmic);
    let graph = Graph::read(contents, &origin.summary, centrality, &committee.trimmed, None)?;
    let percentile = origin.params.percentile;
    let (views, view_lists, view_prepared) = (OnceLock::new(), Vec::new(), Vec::new());
    Ok(CommitteeJudge {
        reference,
        committee,
        graph,
        percentile,
        calibration,
        views,
        view_lists,
        view_prepared,
    })
}

/// Fails unless these are the panels that were learned.
fn require_panels<S: ?Sized>(committee: &Committee, panels: &[Box<dyn Panel<S>>]) -> Result<()> {
    let counts = panels.iter().map(|panel| panel.count());
    if committee.panels.iter().map(|own| own.references.len()).eq(counts) {
        return Ok(());
    }
    Err(damaged("the panels do not fit the measure".into()))
}

impl StoredCommittee {
    fn read(&self, contents: &Contents, n: usize, views: usize, plan: &Plan) -> Result<Committee> {
        let out = |what: &str| damaged(format!("the committee is out of range: {what}"));
        let trimmed = contents.u32s("committee.trimmed")?.0;
        let is_ascending = trimmed.windows(2).all(|pair| pair[0] < pair[1]);
        if !is_ascending || trimmed.last().is_some_and(|t| *t as usize >= n) || trimmed.len() + 3 > n {
            return Err(out("what was trimmed"));
        }
        let kept: Vec<u32> = (0..n as u32).filter(|i| trimmed.binary_search(i).is_err()).collect();
        let changes = contents.u32s("committee.changes")?.0;
        if changes.len() != n || !changes.is_sorted() {
            return Err(out("its changes"));
        }
        if views != self.views.len()
            || views == 0
            || ![NEAREST_CLEAN, NEAREST_CONTAMINATED].contains(&self.few)
        {
            return Err(out("its views"));
        }
        let visits = plan.neighbors.visits();
        if visits < MIN_VISITS || !(0.0..=1.0).contains(&plan.recall) {
            return Err(out("its plan"));
        }
        let members =
            parallel::try_map(self.views.len(), 1, &|v| self.views[v].read(contents, v, kept.len()))?;
        let panels = self.panels.iter().enumerate().map(|(p, panel)| panel.read(contents, p));
        let panels = panels.collect::<Result<Vec<_>>>()?;
        let oddity = contents.f64s("committee.oddity")?.0;
        let region_of = contents.u32s("regions.of")?.0;
        if oddity.len() != n || region_of.len() != n || oddity.iter().any(|o| !o.is_finite()) {
            return Err(out("its samples"));
        }
        Ok(Committee {
            ring_size: ring_size(kept.len()),
            few: self.few,
            visits,
            members,
            panels,
            recognizes_copies: self.recognizes_copies,
            changes: Changes::new(changes),
            oddity,
            region_of,
            kept,
            trimmed,
        })
    }
}

impl StoredPanel {
    fn read(&self, contents: &Contents, p: usize) -> Result<PanelMember> {
        let references = contents.matrix(&format!("panel.{p}.references"))?;
        let top = contents.f64s(&format!("panel.{p}.top"))?.0;
        let are_sound = self.weight > 0.0
            && self.weight.is_finite()
            && references.rows() > 0
            && references.columns() == top.len()
            && top.len() >= 2
            && top.is_sorted()
            && top.iter().all(|t| t.is_finite())
            && (0..references.rows()).all(|s| references.row(s).is_sorted());
        if !are_sound {
            return Err(damaged(format!("the panel `{}` is out of range", self.name)));
        }
        Ok(PanelMember {
            name: self.name.clone(),
            weight: self.weight,
            references: (0..references.rows()).map(|s| References::new(references.row(s).to_vec())).collect(),
            top: References::new(top),
        })
    }
}

impl StoredView {
    fn read(&self, contents: &Contents, v: usize, kept: usize) -> Result<Member> {
        let out = || damaged(format!("the view `{}` is out of range", self.name));
        let weights = contents.f64s(&format!("committee.{v}.weights"))?.0;
        let references = contents.matrix(&format!("committee.{v}.references"))?;
        let is_positive = |x: &f64| *x > 0.0 && x.is_finite();
        let are_sound = weights.len() == kept
            && weights.iter().all(is_positive)
            && is_positive(&self.weight)
            && is_positive(&self.unit)
            && (references.rows(), references.columns()) == (SCORES, kept)
            && (0..SCORES).all(|s| references.row(s).is_sorted());
        if !are_sound {
            return Err(out());
        }
        Ok(Member {
            name: self.name.clone(),
            weight: self.weight,
            locality: Locality { unit: self.unit, weights },
            references: std::array::from_fn(|s| References::new(references.row(s).to_vec())),
        })
    }
}
