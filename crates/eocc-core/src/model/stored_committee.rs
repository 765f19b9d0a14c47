//! A committee to and from the contents of a model file.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::file::{Contents, damaged};
use crate::committee::{Changes, Committee, FEW, Locality, Member, References, SCORES, ring_size};
use crate::dissimilarity::View;
use crate::error::Result;
use crate::params::MIN_VISITS;
use crate::plan::Plan;

/// What is not a tensor.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredCommittee {
    few: usize,
    views: Vec<StoredView>,
}

#[derive(Serialize, Deserialize)]
struct StoredView {
    name: String,
    weight: f64,
    unit: f64,
}

impl StoredCommittee {
    /// Writes the tensors of a committee. The oddities are those of the regions.
    pub(super) fn of(committee: &Committee, out: &mut Contents) -> Self {
        out.put_u32("committee.trimmed", &[committee.trimmed.len()], &committee.trimmed);
        out.put_u32("committee.changes", &[committee.samples()], committee.changes.counts());
        let kept = committee.kept.len();
        for (v, member) in committee.members.iter().enumerate() {
            let references: Vec<f64> =
                member.references.iter().flat_map(|r| r.scores().iter().copied()).collect();
            out.put_f64(&format!("committee.{v}.weights"), &[kept], &member.locality.weights);
            out.put_f64(&format!("committee.{v}.references"), &[SCORES, kept], &references);
        }
        let view = |m: &Member| StoredView { name: m.name.clone(), weight: m.weight, unit: m.locality.unit };
        Self { few: committee.few, views: committee.members.iter().map(view).collect() }
    }

    /// Reads it back for `n` training samples and the views of their measure.
    pub(super) fn read<S: ?Sized>(
        &self,
        contents: &Contents,
        n: usize,
        views: &[View<S>],
        plan: &Plan,
    ) -> Result<Committee> {
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
        if views.len() != self.views.len() || views.is_empty() || !FEW.contains(&self.few) {
            return Err(out("its views"));
        }
        let visits = plan.neighbors.visits();
        if visits < MIN_VISITS || !(0.0..=1.0).contains(&plan.recall) {
            return Err(out("its plan"));
        }
        let members = self.views.par_iter().enumerate();
        let members = members.map(|(v, view)| view.read(contents, v, kept.len())).collect::<Result<_>>()?;
        let oddity: Vec<f64> = contents.f64s("regions.log_closeness")?.0.iter().map(|c| -c).collect();
        let region_of = contents.u32s("regions.of")?.0;
        if oddity.len() != n || region_of.len() != n {
            return Err(out("its samples"));
        }
        Ok(Committee {
            ring_size: ring_size(kept.len()),
            few: self.few,
            visits,
            members,
            changes: Changes::new(changes),
            oddity,
            region_of,
            kept,
            trimmed,
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
