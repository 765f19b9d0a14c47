//! Neighbours under any measure without all comparisons: by landmarks.
//!
//! Every sample is compared with the same few, the landmarks: its dissimilarities to them are a point, as in the paper's
//! embedding [LA17, sec. III-A]. Two kinds of samples may be close to another, and are compared with it: those whose points
//! are close (for a metric no coordinate differs by more than their distance), and those close to a landmark that is close
//! itself (for a metric they are no farther than by way of it). The first finds relatives, the second finds what is least far
//! of a sample that has none: a few around each landmark are compared first, then more where those are close. The neighbours are
//! approximate, their dissimilarities are not.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

use rayon::prelude::*;

use super::brute::{keep_smallest, nearest};
use super::tree::{Form, Tree};
use crate::dissimilarity::{Dissimilarity, Index, Nearest, Prepared, Query};
use crate::sample::Sample;

/// Landmarks are one of so many samples that are compared.
const SHARE: usize = 4;
/// Samples around a landmark that are compared first.
const FEW: usize = 4;
/// Points looked at for each candidate.
const POINTS: usize = 16;
/// Samples compared at a time with a new landmark.
const CHUNK: usize = 1 << 10;
/// Coordinates are cut off here: their squares must not overflow.
const MAX_VALUE: f64 = 1e150;

/// How many of `visits` comparisons are with landmarks.
pub(crate) fn landmarks(visits: usize) -> usize {
    (visits / SHARE).max(1)
}

/// Samples with their dissimilarities to landmarks.
pub(crate) struct LandmarkIndex<S: ?Sized> {
    /// Which samples are landmarks.
    landmarks: Vec<u32>,
    /// The landmarks, and all samples, as the measure wants them.
    prepared_landmarks: Box<dyn Prepared<S>>,
    samples: Box<dyn Prepared<S>>,
    /// The points of the samples that count, one after another, and in a tree.
    points: Vec<f64>,
    tree: Tree,
    /// Of each landmark, the samples that are closest to it.
    close: Vec<Vec<(u32, f64)>>,
    /// The samples that do not count, by their point.
    others: HashMap<Vec<u64>, Vec<u32>>,
}

impl<S: ?Sized + Sample> LandmarkIndex<S> {
    /// Of samples of which the first `counting` count, for searches of so many comparisons.
    pub(crate) fn new(measure: &dyn Dissimilarity<S>, many: &[&S], counting: usize, visits: usize) -> Self {
        let samples = measure.prepare(many);
        let count = landmarks(visits).min(counting);
        let (landmarks, columns) = choose(samples.as_ref(), many, counting, count);
        let some: Vec<&S> = landmarks.iter().map(|&l| many[l as usize]).collect();
        let prepared_landmarks = measure.prepare(&some);
        let points: Vec<f64> =
            (0..many.len()).into_par_iter().flat_map_iter(|i| columns.iter().map(move |c| c[i])).collect();
        let candidates = visits.saturating_sub(count).clamp(1, counting);
        let close = columns.par_iter().map(|column| nearest(&column[..counting], candidates, None));
        let close = close.map(|mut list| {
            list.shrink_to_fit();
            list
        });
        let close = close.collect();
        let mut others: HashMap<Vec<u64>, Vec<u32>> = HashMap::new();
        for (point, i) in points.chunks_exact(count).zip(0..).skip(counting) {
            others.entry(bits(point)).or_default().push(i);
        }
        let form = Form { numbers: count, levels: 0, is_manhattan: false };
        let tree = Tree::new(form, &points[..counting * count]);
        Self { landmarks, prepared_landmarks, samples, points, tree, close, others }
    }

    /// The point of a sample that is not one of these.
    fn point(&self, one: &S) -> Vec<f64> {
        let mut point = vec![0.0; self.landmarks.len()];
        self.prepared_landmarks.fill(one, 0..point.len(), &mut point);
        point.into_iter().map(cut).collect()
    }

    /// First samples to compare with: those with the closest points, and a few of those around each of the closest landmarks.
    fn first(&self, point: &[f64], count: usize, known: &mut HashSet<u32>, skip: Option<u32>) -> Vec<usize> {
        let looked = count.saturating_mul(POINTS);
        let by_points = self.tree.nearest(point, count / 2, skip, f64::INFINITY, looked).nearest;
        let mut chosen: Vec<usize> = Vec::with_capacity(count);
        let mut take = |sample: u32| {
            let is_new = known.insert(sample);
            chosen.extend(is_new.then_some(sample as usize));
            chosen.len()
        };
        for (sample, _) in by_points {
            take(sample);
        }
        let mut order: Vec<usize> = (0..point.len()).collect();
        order.sort_by(|a, b| point[*a].total_cmp(&point[*b]));
        for (sample, _) in order.iter().flat_map(|&l| self.close[l].iter().take(FEW)) {
            if take(*sample) >= count {
                break;
            }
        }
        chosen
    }

    /// More samples to compare with: those closest to landmarks around which those seen so far are close.
    fn more(&self, around: &[f64], count: usize, known: &mut HashSet<u32>) -> Vec<usize> {
        let mut chosen: Vec<usize> = Vec::with_capacity(count);
        let way = |l: usize, at: usize| {
            let (sample, distance) = self.close[l].get(at)?;
            Some(Reverse(((around[l] + distance).to_bits(), *sample, l, at)))
        };
        let mut queue: BinaryHeap<_> = (0..around.len()).filter_map(|l| way(l, 0)).collect();
        while chosen.len() < count
            && let Some(Reverse((_, sample, l, at))) = queue.pop()
        {
            if known.insert(sample) {
                chosen.push(sample as usize);
            }
            queue.extend(way(l, at + 1));
        }
        chosen
    }

    /// How close the samples around each landmark are: the mean of it and of those that have been compared.
    fn around(&self, point: &[f64], compared: &HashMap<usize, f64>) -> Vec<f64> {
        let around = |(l, own): (usize, &f64)| {
            let some = self.close[l].iter().take(FEW).filter_map(|(i, _)| compared.get(&(*i as usize)));
            let (sum, count) = some.fold((*own, 1.0), |(sum, count), d| (sum + d, count + 1.0));
            sum / count
        };
        point.iter().enumerate().map(around).collect()
    }
}

/// Landmarks and the dissimilarities of all samples to each: half of them evenly spaced, so that they are where most samples are,
/// half as far as possible from all before them, so that no group is without one.
fn choose<S: ?Sized + Sample>(
    samples: &dyn Prepared<S>,
    many: &[&S],
    counting: usize,
    count: usize,
) -> (Vec<u32>, Vec<Vec<f64>>) {
    let even = count.div_ceil(2);
    let mut landmarks: Vec<u32> = (0..even).map(|l| (l * counting / even) as u32).collect();
    let column = |landmark: u32| {
        let mut column = vec![0.0; many.len()];
        column.par_chunks_mut(CHUNK).enumerate().for_each(|(c, out)| {
            let start = c * CHUNK;
            samples.fill(many[landmark as usize], start..start + out.len(), out);
            for v in out {
                *v = cut(*v);
            }
        });
        column
    };
    let mut columns: Vec<Vec<f64>> = landmarks.iter().map(|&l| column(l)).collect();
    let mut nearest = vec![f64::INFINITY; counting];
    for c in 0..count {
        if c >= even {
            // The farthest, the first of several.
            let farther = |best: usize, i: usize| if nearest[i] > nearest[best] { i } else { best };
            let farthest = (0..counting).fold(0, farther);
            landmarks.push(farthest as u32);
            columns.push(column(farthest as u32));
        }
        for (near, d) in nearest.iter_mut().zip(&columns[c]) {
            *near = near.min(*d);
        }
    }
    (landmarks, columns)
}

/// A coordinate; what is no number is far from everything, and told apart when it is compared.
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
        let mut known: HashSet<u32> = self.landmarks.iter().copied().chain(query.skip).collect();
        let compare = |which: &[usize]| {
            let mut distances = vec![0.0; which.len()];
            self.samples.fill_some(one, which, &mut distances);
            which.iter().copied().zip(distances).collect::<Vec<(usize, f64)>>()
        };
        let mut compared = compare(&self.first(point, candidates / 2, &mut known, query.skip));
        let around = self.around(point, &compared.iter().copied().collect());
        compared.extend(compare(&self.more(&around, candidates - compared.len(), &mut known)));
        if query.skip.is_none() {
            let equal = self.others.get(&bits(point)).into_iter().flatten();
            compared.extend(compare(&equal.map(|i| *i as usize).collect::<Vec<_>>()));
        }
        measured += compared.len();
        let landmarks = self.landmarks.iter().copied().zip(point.iter().copied());
        let mut all: Vec<(u32, f64)> = landmarks.filter(|l| Some(l.0) != query.skip).collect();
        all.extend(compared.into_iter().map(|(i, d)| (i as u32, d)));
        let equal = all.iter().filter(|f| f.1 <= 0.0).map(|f| f.0).collect();
        all.retain(|f| (f.0 as usize) < self.tree.rows());
        keep_smallest(&mut all, query.k);
        all.shrink_to_fit();
        Nearest { found: all, equal, measured }
    }

    fn place(&self, _one: &S) -> u32 {
        // To tell would take as long as to search.
        0
    }

    fn order(&self) -> Vec<u32> {
        self.tree.order().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::Settings;
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
            let query = Query { k: 9, skip: Some(i as u32), visits: 150 };
            let near = index.nearest(refs[i], &query);
            assert!(near.measured <= 150);
            let mut row = vec![0.0; 1400];
            prepared.fill(refs[i], 0..1400, &mut row);
            let exact = nearest(&row, 9, Some(i));
            let relatives: Vec<_> = exact.iter().filter(|f| f.0 as usize / 10 == i / 10).collect();
            found += relatives.iter().filter(|f| near.found.contains(f)).count();
            all += relatives.len();
        }
        assert!(all > 150 && found as f64 > 0.95 * all as f64, "{found} of {all}");
        // A sample that comes again is found, whether it counts or not.
        for i in [3, 1450] {
            let near = index.nearest(refs[i], &Query { k: 3, skip: None, visits: 150 });
            assert!(near.equal.contains(&(i as u32)), "{i}: {near:?}");
            assert!(near.found.iter().all(|f| f.0 < 1400));
        }
    }
}
