//! Lower bounds of time warping in linear time. Every time step of one series is matched with at least one of the
//! other, so it costs at least its distance to the envelope of the other (Keogh 2002, per channel). The first steps
//! are matched with each other, and so are the last (Kim 2001).

use super::warp::{Local, Warping, reach};

/// The envelopes of many series.
pub(super) struct Envelopes {
    channels: usize,
    /// For each series, the smallest and largest value of each channel at each time step within the band; without a
    /// band, a single step for the whole series.
    boxes: Vec<Vec<(f64, f64)>>,
    band: Option<f64>,
}

impl Envelopes {
    pub(super) fn new(series: &[Vec<f64>], channels: usize, band: Option<f64>) -> Self {
        let boxes = series.iter().map(|s| boxes_of(s, channels, band)).collect();
        Self { channels, boxes, band }
    }

    /// Bounds of the distances of `one` to all `series`.
    pub(super) fn bounds(&self, one: &[f64], series: &[Vec<f64>], warping: &Warping, out: &mut [f64]) {
        let own = boxes_of(one, self.channels, self.band);
        for ((o, other), boxes) in out.iter_mut().zip(series).zip(&self.boxes) {
            let (n, m) = (one.len() / self.channels, other.len() / self.channels);
            let sum = if self.band.is_some() && n != m {
                // Bands of unequal lengths are not diagonal: only the ends are compared.
                0.0
            } else {
                self.outside(one, boxes, warping.local).max(self.outside(other, &own, warping.local))
            };
            let sum = sum.max(self.ends(one, other, warping.local));
            *o = if warping.by_steps { sum / (n + m - 1) as f64 } else { sum };
            // The sums are taken in a different order than along a path.
            *o *= 1.0 - 1e-9;
        }
    }

    /// The minimum cost of the time steps of `series` outside the envelopes.
    fn outside(&self, series: &[f64], boxes: &[(f64, f64)], local: Local) -> f64 {
        let steps = series.chunks_exact(self.channels);
        let of_step = |(step, boxes): (&[f64], &[(f64, f64)])| {
            let off = |(v, b): (&f64, &(f64, f64))| (b.0 - v).max(v - b.1).max(0.0).powi(2);
            local.cost_of_square(step.iter().zip(boxes).map(off).sum())
        };
        steps.zip(boxes.chunks_exact(self.channels).cycle()).map(of_step).sum()
    }

    fn ends(&self, a: &[f64], b: &[f64], local: Local) -> f64 {
        let cost =
            |x: &[f64], y: &[f64]| local.cost_of_square(x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum());
        let c = self.channels;
        let first = cost(&a[..c], &b[..c]);
        if a.len() == c && b.len() == c {
            return first;
        }
        first + cost(&a[a.len() - c..], &b[b.len() - c..])
    }
}

fn boxes_of(series: &[f64], channels: usize, band: Option<f64>) -> Vec<(f64, f64)> {
    let length = series.len() / channels;
    let over = |from: usize, to: usize, c: usize| {
        let values = (from..to).map(|t| series[t * channels + c]);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    };
    let Some(band) = band else { return (0..channels).map(|c| over(0, length, c)).collect() };
    let radius = reach(band, length, length).1.unsigned_abs();
    let mut boxes = Vec::with_capacity(series.len());
    for t in 0..length {
        let (from, to) = (t.saturating_sub(radius), (t + radius + 1).min(length));
        boxes.extend((0..channels).map(|c| over(from, to, c)));
    }
    boxes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissimilarity::series::warp::Group;
    use crate::random::Random;

    #[test]
    fn bounds_never_exceed_the_distance() {
        let mut r = Random::new(9);
        for channels in [1, 3] {
            for band in [None, Some(0.1), Some(0.3)] {
                for by_steps in [false, true] {
                    for local in [Local::Euclidean, Local::Squared] {
                        let warping = Warping { local, band, by_steps };
                        let draw = |r: &mut Random| -> Vec<f64> {
                            let length = if r.uniform() < 0.7 { 20 } else { 1 + r.below(25) };
                            let offset = 2.0 * r.normal();
                            (0..length * channels).map(|_| offset + r.normal()).collect()
                        };
                        let series: Vec<Vec<f64>> = (0..16).map(|_| draw(&mut r)).collect();
                        let one = draw(&mut r);
                        let mut bounds = vec![0.0; 16];
                        Envelopes::new(&series, channels, band).bounds(&one, &series, &warping, &mut bounds);
                        let refs: Vec<&[f64]> = series.iter().map(Vec::as_slice).collect();
                        let found = warping.distances(&one, &Group::new(&refs, channels), &mut Vec::new());
                        assert!(bounds.iter().zip(found).all(|(b, d)| *b <= d), "{warping:?}");
                        assert!(bounds.iter().any(|b| *b > 0.0));
                    }
                }
            }
        }
    }
}
