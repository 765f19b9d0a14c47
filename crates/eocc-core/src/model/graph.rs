//! The graph of the training samples, its regions, and how both are stored.

use std::sync::Arc;

use super::Summary;
use crate::error::Result;
use crate::file::{Contents, damaged};
use crate::knn::KnnLists;
use crate::matrix::Matrix;
use crate::membership::{Membership, Scale};
use crate::plan::EXACT;
use crate::region::Region;

/// The neighbors of the training samples and the regions they form.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub(super) lists: Arc<KnnLists>,
    pub(super) regions: Vec<Region>,
}

impl Graph {
    /// The nearest neighbors of every training sample.
    pub fn lists(&self) -> &KnnLists {
        &self.lists
    }

    /// The regions, largest first.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Writes everything but the centrality of the vertices, which only the judge knows.
    pub(super) fn write(&self, region_of: &[u32], out: &mut Contents) {
        let (n, k) = (self.lists.points(), self.lists.width());
        out.put_u32("lists.neighbors", &[n, k], self.lists.all_neighbors());
        out.put_f64("lists.lengths", &[n, k], self.lists.all_lengths());
        out.put_u32("regions.of", &[n], region_of);
        let of_region = |r: &Region| [r.fuzzy.largest, r.fuzzy.threshold];
        let fuzzy: Vec<f64> = self.regions.iter().flat_map(of_region).collect();
        out.put_f64("regions.membership", &[self.regions.len(), 2], &fuzzy);
    }

    /// Reads it back. `centrality` holds one value per training sample, on this `scale`; `trimmed` samples belong to
    /// no region and are excluded as neighbors; closeness is estimated from this many `sources`.
    pub(super) fn read(
        contents: &Contents,
        summary: &Summary,
        (centrality, scale): (&[f64], Scale),
        trimmed: &[u32],
        sources: Option<usize>,
    ) -> Result<Self> {
        let lists = Arc::new(lists(contents, summary)?);
        let n = lists.points();
        let region_of = contents.u32s("regions.of")?.0;
        let fuzzy: Matrix = contents.matrix("regions.membership")?;
        let out = |what: &str| Err(damaged(format!("the regions are out of range: {what}")));
        if region_of.len() != n || centrality.len() != n || fuzzy.columns() != 2 {
            return out("their shape");
        }
        let mut is_trimmed = vec![false; n];
        for &v in trimmed {
            is_trimmed[v as usize] = true;
        }
        let mut members = vec![Vec::new(); fuzzy.rows()];
        for (v, &r) in region_of.iter().enumerate() {
            match members.get_mut(r as usize) {
                Some(_) if is_trimmed[v] => continue,
                Some(m) => m.push(v as u32),
                None => return out("a number"),
            }
            let mut neighbors = lists.neighbors(v, lists.width()).iter().map(|&w| w as usize);
            if neighbors.any(|w| region_of[w] != r || is_trimmed[w]) {
                return out("an edge leaves one");
            }
        }
        if members.is_empty() || members.iter().any(Vec::is_empty) {
            return out("one is empty");
        }
        // A wrong reference for memberships would make differences infinite or zero.
        let is_largest = |(r, vertices): (usize, &Vec<u32>)| {
            let largest = vertices.iter().map(|&v| centrality[v as usize]).fold(f64::NEG_INFINITY, f64::max);
            largest.total_cmp(&fuzzy.row(r)[0]).is_eq()
        };
        if !members.iter().enumerate().all(is_largest) {
            return out("a membership");
        }
        let region = |(r, vertices): (usize, Vec<u32>)| {
            let own = vertices.iter().map(|&v| centrality[v as usize]).collect();
            let (largest, threshold) = (fuzzy.row(r)[0], fuzzy.row(r)[1].max(0.0));
            let fuzzy = Membership { scale, largest, threshold };
            Region::new(vertices, lists.clone(), own, fuzzy).with_sources(sources)
        };
        let regions = members.into_iter().enumerate().map(region).collect();
        Ok(Self { lists, regions })
    }
}

fn lists(contents: &Contents, summary: &Summary) -> Result<KnnLists> {
    let n = summary.samples;
    let (neighbors, shape) = contents.u32s("lists.neighbors")?;
    let lengths = contents.matrix("lists.lengths")?;
    let k = lengths.columns();
    // Large models store fewer neighbors than were spanned.
    let is_width = k == summary.neighbors || (n > EXACT && k < summary.neighbors);
    if !is_width || shape != [n, k] || (lengths.rows(), lengths.columns()) != (n, k) || k == 0 || k >= n {
        return Err(damaged("the lists of neighbors have another shape than the samples".into()));
    }
    for i in 0..n {
        let row = lengths.row(i);
        let own = &neighbors[i * k..(i + 1) * k];
        if own.iter().any(|&j| j as usize >= n || j as usize == i) || row[0] < 0.0 || !row.is_sorted() {
            return Err(damaged(format!("the neighbors of sample {i} are out of range")));
        }
    }
    Ok(KnnLists::new(neighbors, lengths.into_values(), k))
}
