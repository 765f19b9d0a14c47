//! Approximate neighbors by landmarks, under any measure, without comparing all pairs.
//!
//! Every sample is compared with the same few landmarks. The vector of its dissimilarities to them is its *point*, as
//! in the paper's embedding [LA17, sec. III-A]. The sample is then compared with two kinds of candidates:
//!
//! - those with the most similar points, which finds close relatives: under a metric, no coordinate of two points
//!   differs by more than the distance of the samples;
//! - those with the smallest [forecast](super::forecast) dissimilarities, which finds the nearest samples of one that
//!   has no close relatives.
//!
//! The neighbors are approximate, their dissimilarities are exact.

use std::collections::{HashMap, HashSet};

use super::forecast::Forecast;
use crate::dissimilarity::{Dissimilarity, Index, Nearest, Prepared, Query};
use crate::error::Result;
use crate::kernel;
use crate::parallel;
use crate::sample::Sample;
use crate::select::keep_smallest;
use crate::tree::{Form, LEAF, Tree};

/// Samples whose coordinates are computed in one task.
const PROJECTION_BATCH: usize = 64;
/// One comparison in this many is with a landmark.
const COMPARISONS_PER_LANDMARK: usize = 4;
/// One of the other comparisons in this many is chosen by point, the rest by forecast.
const COMPARISONS_BY_POINT: usize = 4;
/// Samples whose coordinates are examined for each one compared, for either kind of candidates.
const SCAN_FACTOR: usize = 8;
/// Samples compared with a new landmark at a time.
const CHUNK: usize = 1 << 10;
/// Coordinates are clamped to this: their squares must not overflow.
const MAX_VALUE: f64 = 1e150;

/// How many of `visits` comparisons are with landmarks.
pub(crate) fn landmarks(visits: usize) -> usize {
    (visits / COMPARISONS_PER_LANDMARK).max(1)
}

/// Samples with their dissimilarities to landmarks.
pub(crate) struct LandmarkIndex<S: ?Sized> {
    /// Which samples are landmarks.
    landmarks: Vec<u32>,
    /// The landmarks, and all samples, prepared for the measure.
    prepared_landmarks: Box<dyn Prepared<S>>,
    samples: Box<dyn Prepared<S>>,
    /// The points of all samples, one after another.
    points: Vec<f64>,
    forecast: Forecast,
    /// The coordinates of the samples that may be neighbors, and the mean of each leaf, concatenated.
    tree: Tree,
    means: Vec<f64>,
    /// The samples excluded as neighbors, by their point.
    others: HashMap<Vec<u64>, Vec<u32>>,
}

impl<S: ?Sized + Sample> LandmarkIndex<S> {
    /// An index of samples, the first `counting` of which may be neighbors, for searches of this many comparisons.
    pub(crate) fn new(measure: &dyn Dissimilarity<S>, many: &[&S], counting: usize, visits: usize) -> Self {
        let samples = measure.prepare(many);
        let count = landmarks(visits).min(counting);
        let column = |landmark: usize, out: &mut [f64]| {
            fill_column(samples.as_ref(), many[landmark], out);
            Ok(())
        };
        // This cannot fail.
        let (landmarks, points) = choose(many.len(), counting, count, column).unwrap_or_default();
        Self::with_points(measure, many, counting, samples, landmarks, points)
    }

    /// With landmarks chosen earlier, and the points of all samples.
    pub(super) fn with_points(
        measure: &dyn Dissimilarity<S>,
        many: &[&S],
        counting: usize,
        samples: Box<dyn Prepared<S>>,
        landmarks: Vec<u32>,
        points: Vec<f64>,
    ) -> Self {
        let count = landmarks.len();
        let some: Vec<&S> = landmarks.iter().map(|&l| many[l as usize]).collect();
        let prepared_landmarks = measure.prepare(&some);
        let mut others: HashMap<Vec<u64>, Vec<u32>> = HashMap::new();
        for (point, i) in points.chunks_exact(count).zip(0..).skip(counting) {
            others.entry(bits(point)).or_default().push(i);
        }
        let point = |i: &u32| &points[*i as usize * count..(*i as usize + 1) * count];
        let forecast = Forecast::new(&landmarks.iter().map(point).collect::<Vec<_>>());
        let width = forecast.width();
        let mut places = vec![0.0; counting * width];
        parallel::for_each_chunk(&mut places, PROJECTION_BATCH * width, &|chunk, places| {
            let points = points[chunk * PROJECTION_BATCH * count..].chunks_exact(count);
            for (place, point) in places.chunks_exact_mut(width).zip(points) {
                forecast.project(point, place);
            }
        });
        let tree = Tree::new(Form { numbers: width, levels: 0, is_manhattan: false }, &places);
        let means = means_of_leaves(&tree, &places, width);
        Self { landmarks, prepared_landmarks, samples, points, forecast, tree, means, others }
    }

    /// The point of a sample that is not in the index.
    fn point(&self, one: &S) -> Vec<f64> {
        let mut point = vec![0.0; self.landmarks.len()];
        self.prepared_landmarks.fill(one, 0..point.len(), &mut point);
        point.into_iter().map(cut).collect()
    }

    /// Samples to compare with, except the known ones.
    fn candidates(&self, point: &[f64], count: usize, mut known: HashSet<u32>) -> Vec<usize> {
        let mut place = vec![0.0; self.forecast.width()];
        self.forecast.project(point, &mut place);
        let by_point = count / COMPARISONS_BY_POINT;
        let looked = count.saturating_mul(SCAN_FACTOR);
        let found = self.tree.nearest(&place, by_point, None, f64::INFINITY, looked).nearest;
        let mut chosen: Vec<usize> = Vec::with_capacity(count);
        chosen.extend(found.iter().filter(|f| known.insert(f.0)).map(|f| f.0 as usize));
        let rest = count - chosen.len();
        let least = self.least(&self.forecast.slope(point), rest + known.len(), looked);
        chosen.extend(least.iter().filter(|f| !known.contains(&f.0)).map(|f| f.0 as usize).take(rest));
        chosen
    }

    /// Samples with the smallest forecast dissimilarities, smallest first. If there are more than may be examined,
    /// only those in the leaves with the smallest mean forecast.
    fn least(&self, slope: &[f64], count: usize, looked: usize) -> Vec<(u32, f64)> {
        let leaves = self.tree.rows().div_ceil(LEAF);
        // The last leaf may hold fewer.
        let looked = looked.max(count).div_ceil(LEAF) + 1;
        let mut order: Vec<(u32, f64)> = (0..leaves as u32).map(|leaf| (leaf, 0.0)).collect();
        if looked < leaves {
            for ((_, mean), place) in order.iter_mut().zip(self.means.chunks_exact(slope.len())) {
                *mean = kernel::dot(slope, place);
            }
            keep_smallest(&mut order, looked);
        }
        let mut values = [0.0; LEAF];
        let mut least: Vec<(u32, f64)> = Vec::with_capacity(order.len() * LEAF);
        for (leaf, _) in order {
            let (rows, blocks) = self.tree.leaf(leaf as usize);
            kernel::weighted_sums_of_blocks(slope, blocks, &mut values);
            least.extend(rows.iter().copied().zip(values));
        }
        keep_smallest(&mut least, count);
        least
    }
}

/// The mean coordinates of each leaf.
fn means_of_leaves(tree: &Tree, places: &[f64], width: usize) -> Vec<f64> {
    let mut means = vec![0.0; tree.rows().div_ceil(LEAF) * width];
    let leaves: Vec<&[u32]> = tree.order().chunks(LEAF).collect();
    parallel::for_each_chunk(&mut means, width, &|leaf, mean| {
        let rows = leaves[leaf];
        for &row in rows {
            let place = &places[row as usize * width..(row as usize + 1) * width];
            for (m, v) in mean.iter_mut().zip(place) {
                *m += v / rows.len() as f64;
            }
        }
    });
    means
}

/// The landmarks spaced evenly by index, so that dense regions get more of them.
pub(crate) fn even_landmarks(counting: usize, count: usize) -> Vec<usize> {
    let even = count.div_ceil(2);
    (0..even).map(|c| c * counting / even).collect()
}

/// Chooses landmarks and computes the points of all samples. Half of the landmarks are spaced evenly by index, so that
/// dense regions get more of them; each of the others is as far as possible from all previous ones, so that every group
/// gets one. `column` computes the dissimilarities of a landmark to all samples.
pub(crate) fn choose(
    samples: usize,
    counting: usize,
    count: usize,
    mut column: impl FnMut(usize, &mut [f64]) -> Result<()>,
) -> Result<(Vec<u32>, Vec<f64>)> {
    let even = even_landmarks(counting, count);
    let mut landmarks: Vec<u32> = Vec::with_capacity(count);
    let mut points = vec![0.0; samples * count];
    let mut distances = vec![0.0; samples];
    // The dissimilarity of each sample to the closest landmark so far.
    let mut closest = vec![f64::INFINITY; samples];
    for c in 0..count {
        // The farthest; ties go to the first.
        let farther = |best: usize, i: usize| if closest[i] > closest[best] { i } else { best };
        let landmark = even.get(c).copied().unwrap_or_else(|| (0..counting).fold(0, farther));
        landmarks.push(landmark as u32);
        // Never choose this landmark again, even if all other samples are at distance zero.
        closest[landmark] = f64::NEG_INFINITY;
        column(landmark, &mut distances)?;
        let mut chunks: Vec<(&mut [f64], &mut [f64])> =
            points.chunks_mut(CHUNK * count).zip(closest.chunks_mut(CHUNK)).collect();
        parallel::for_each_chunk(&mut chunks, 1, &|chunk, one| {
            let Some((points, closest)) = one.first_mut() else { return };
            let own = &distances[chunk * CHUNK..];
            for ((d, point), closest) in
                own.iter().zip(points.chunks_exact_mut(count)).zip(closest.iter_mut())
            {
                point[c] = cut(*d);
                *closest = closest.min(cut(*d));
            }
        });
    }
    Ok((landmarks, points))
}

/// The dissimilarities of a sample to all prepared ones.
pub(crate) fn fill_column<S: ?Sized + Sample>(samples: &dyn Prepared<S>, one: &S, out: &mut [f64]) {
    parallel::for_each_chunk(out, CHUNK, &|chunk, out| {
        let start = chunk * CHUNK;
        samples.fill(one, start..start + out.len(), out);
    });
}

/// A coordinate; NaN becomes far from everything, and is detected when it is compared.
fn cut(value: f64) -> f64 {
    if value.is_nan() { MAX_VALUE } else { value.clamp(0.0, MAX_VALUE) }
}

fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|v| v.to_bits()).collect()
}

impl<S: ?Sized + Sample> Index<S> for LandmarkIndex<S> {
    fn nearest(&self, one: &S, query: &Query) -> Nearest {
        let count = self.landmarks.len();
        let own;
        let (point, mut measured) = if let Some(i) = query.skip {
            (&self.points[i as usize * count..(i as usize + 1) * count], 0)
        } else {
            own = self.point(one);
            (own.as_slice(), count)
        };
        let candidates = query.visits.saturating_sub(count).max(query.k).min(self.tree.rows());
        let known: HashSet<u32> = self.landmarks.iter().copied().chain(query.skip).collect();
        let compare = |which: &[usize]| {
            let mut distances = vec![0.0; which.len()];
            self.samples.fill_some(one, which, &mut distances);
            which.iter().copied().zip(distances).collect::<Vec<(usize, f64)>>()
        };
        let mut compared = compare(&self.candidates(point, candidates, known));
        if query.skip.is_none() {
            let equal = self.others.get(&bits(point)).into_iter().flatten();
            compared.extend(compare(&equal.map(|i| *i as usize).collect::<Vec<_>>()));
        }
        measured += compared.len();
        let landmarks = self.landmarks.iter().copied().zip(point.iter().copied());
        let mut all: Vec<(u32, f64)> = landmarks.filter(|l| Some(l.0) != query.skip).collect();
        all.extend(compared.into_iter().map(|(i, d)| (i as u32, d)));
        let close = all.iter().filter(|f| f.1 <= 0.0).map(|f| f.0).collect();
        all.retain(|f| (f.0 as usize) < self.tree.rows());
        keep_smallest(&mut all, query.k);
        all.shrink_to_fit();
        Nearest { found: all, close, measured }
    }

    fn leaf_rank(&self, _one: &S) -> u32 {
        // Finding the leaf would take comparisons with all landmarks, a large part of a search.
        0
    }

    fn order(&self) -> Vec<u32> {
        self.tree.order().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::{CustomDissimilarity, Settings};
    use crate::kinds::SampleKind;
    use crate::knn::nearest;
    use crate::params::Preset;
    use crate::random::Random;
    use crate::sample::Texts;

    /// Families of strings: a random one and its mutants.
    fn families(count: usize, r: &mut Random) -> Vec<String> {
        let letter = |r: &mut Random| b"ACDEFGHIKLMNPQRSTVWY"[r.below(20)];
        let mut all = Vec::new();
        while all.len() < count {
            let length = 40 + r.below(40);
            let parent: Vec<u8> = (0..length).map(|_| letter(r)).collect();
            for _ in 0..10 {
                let mut child = parent.clone();
                for _ in 0..r.below(6) {
                    let at = r.below(child.len());
                    child[at] = letter(r);
                }
                all.push(String::from_utf8(child).unwrap_or_default());
            }
        }
        all
    }

    #[test]
    fn most_relatives_are_found_with_few_comparisons() {
        let mut r = Random::new(5);
        let texts = families(1500, &mut r);
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let measure = Texts::measure(Preset::Default, Some("levenshtein"), &Settings::default()).unwrap();
        let index = LandmarkIndex::new(measure.as_ref(), &refs, 1400, 150);
        let prepared = measure.prepare(&refs[..1400]);
        let (mut found, mut all) = (0, 0);
        for i in (0..1400).step_by(70) {
            let query = Query { k: 9, skip: Some(i as u32), visits: 150, close: 0.0 };
            let near = index.nearest(refs[i], &query);
            assert!(near.measured <= 150);
            let mut row = vec![0.0; 1400];
            prepared.fill(refs[i], 0..1400, &mut row);
            let exact = nearest(&row, 9, Some(i));
            let relatives: Vec<_> = exact.iter().filter(|f| f.0 as usize / 10 == i / 10).collect();
            found += relatives.iter().filter(|f| near.found.contains(f)).count();
            all += relatives.len();
        }
        assert!(all > 150 && found as f64 > 0.99 * all as f64, "{found} of {all}");
        // A repeated sample is found, whether or not it may be a neighbor.
        for i in [3, 1450] {
            let near = index.nearest(refs[i], &Query { k: 3, skip: None, visits: 150, close: 0.0 });
            assert!(near.close.contains(&(i as u32)), "{i}: {near:?}");
            assert!(near.found.iter().all(|f| f.0 < 1400));
        }
    }

    #[test]
    fn what_is_least_far_of_a_sample_without_relatives_is_found() {
        let mut r = Random::new(6);
        let (texts, strangers) = (families(3000, &mut r), families(400, &mut r));
        let refs: Vec<&str> = texts.iter().map(String::as_str).collect();
        let measure = Texts::measure(Preset::Default, Some("levenshtein"), &Settings::default()).unwrap();
        let index = LandmarkIndex::new(measure.as_ref(), &refs, refs.len(), 400);
        let prepared = measure.prepare(&refs);
        let (mut found, mut exact, mut by_chance) = (0.0, 0.0, 0.0);
        for stranger in strangers.iter().step_by(10) {
            let near = index.nearest(stranger, &Query { k: 10, skip: None, visits: 400, close: 0.0 });
            assert!(near.measured <= 400);
            found += near.found.iter().map(|f| f.1).sum::<f64>();
            let mut row = vec![0.0; refs.len()];
            prepared.fill(stranger, 0..refs.len(), &mut row);
            exact += nearest(&row, 10, None).iter().map(|f| f.1).sum::<f64>();
            let some: Vec<f64> = row.iter().step_by(refs.len() / 400).copied().collect();
            by_chance += nearest(&some, 10, None).iter().map(|f| f.1).sum::<f64>();
        }
        // The excess over the exact distance, as a fraction of that of evenly spaced samples.
        let excess = (found - exact) / (by_chance - exact);
        assert!(excess < 0.6, "{excess} {found} {exact} {by_chance}");
    }

    /// A measure of numbers that is not a metric and sometimes not a number.
    fn odd_measure(kind: usize) -> impl Dissimilarity<f64> {
        CustomDissimilarity::new(move |a: &f64, b: &f64| match kind {
            0 => (a - b).powi(2),
            1 => f64::from(u8::from((a - b).abs() > 0.0)),
            2 => 0.0,
            3 => (a - b).abs() * 1e300,
            _ if a * b > 1.0 => f64::NAN,
            _ => (a - b).abs(),
        })
    }

    #[test]
    fn any_measure_and_any_number_of_samples_will_do() {
        let mut r = Random::new(9);
        let values: Vec<f64> = (0..300).map(|i| if i % 5 == 0 { 0.25 } else { r.normal() }).collect();
        for kind in 0..5 {
            for (n, visits) in [(300, 80), (300, Query::ALL), (300, 1), (5, 80), (2, 1)] {
                let refs: Vec<&f64> = values[..n].iter().collect();
                let counting = n - n / 10;
                let index = LandmarkIndex::new(&odd_measure(kind), &refs, counting, visits);
                for skip in [None, Some(1)] {
                    let near = index.nearest(refs[1], &Query { k: 4, skip, visits, close: 0.0 });
                    let others = counting - usize::from(skip.is_some());
                    assert_eq!(near.found.len(), others.min(4), "{kind} {n} {visits}");
                    assert!(near.found.iter().all(|f| (f.0 as usize) < counting && Some(f.0) != skip));
                    assert!(near.found.is_sorted_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)).is_lt()));
                }
            }
        }
    }
}
