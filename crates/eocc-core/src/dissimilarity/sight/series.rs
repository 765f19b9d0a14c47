//! Time series: words for the shapes in sliding windows, and moments and spectrum of each channel.

use super::{Bag, Sight};
use crate::sample::Series;

/// Divisors of the median training length that give the window widths, which are at least [`MIN_WINDOW`] steps.
const WINDOWS: [usize; 3] = [2, 4, 8];
const MIN_WINDOW: usize = 4;
/// Letters of a word, one for each quarter of a window.
const QUARTERS: usize = 4;
/// The letters are the quarters of the standard normal distribution.
const CUTS: [f64; 3] = [-0.6745, 0.0, 0.6745];
/// A window is flat if its deviation is below this, in units of the channel's deviation.
const FLAT: f64 = 0.01;
/// Added to keep logarithms and quotients finite.
const TINY: f64 = 1e-12;
/// Values are clamped to this, so that fourth powers stay finite.
const MAX_VALUE: f64 = 1e50;
/// Frequencies at which the spectral bands end; the last band is open.
const BANDS: [usize; 5] = [1, 2, 4, 8, 16];

/// The summary columns of a channel.
const COLUMNS: [&str; 14] = [
    "mean",
    "spread",
    "minimum",
    "maximum",
    "roughness",
    "skewness",
    "kurtosis",
    "correlation of neighboring steps",
    "power at 1 cycle",
    "power at 2 cycles",
    "power at 3 and 4 cycles",
    "power at 5 to 8 cycles",
    "power at 9 to 16 cycles",
    "power at more cycles",
];
const MEAN: usize = 0;
const SPREAD: usize = 1;
const MINIMUM: usize = 2;
const MAXIMUM: usize = 3;
const ROUGHNESS: usize = 4;
const CORRELATION: usize = 7;

/// The bag and summary of a time series.
#[derive(Default)]
pub(crate) struct SeriesSight {
    /// The median length of the training series.
    length: usize,
    /// Mean and deviation of each channel over all time steps of the training series.
    channels: Vec<(f64, f64)>,
}

impl SeriesSight {
    /// The values of a channel, centered and in units of its deviation.
    fn channel(&self, one: &Series, channel: usize) -> Vec<f64> {
        let (mean, deviation) = self.channels.get(channel).copied().unwrap_or((0.0, 1.0));
        let scaled = |x: f64| (x / deviation - mean / deviation).clamp(-MAX_VALUE, MAX_VALUE);
        one.steps().map(|step| scaled(step[channel])).collect()
    }

    /// Adds the words of a channel for windows of one size.
    fn add_words(values: &[f64], width: usize, first: u64, words: &mut Vec<u64>) {
        if values.len() < MIN_WINDOW {
            return;
        }
        let width = width.clamp(MIN_WINDOW, values.len());
        let sums = prefix_sums(values.iter().copied());
        let squares = prefix_sums(values.iter().map(|v| v * v));
        let mean = |sums: &[f64], from: usize, to: usize| (sums[to] - sums[from]) / (to - from) as f64;
        let cut = |quarter: usize| quarter * width / QUARTERS;
        for start in 0..=values.len() - width {
            let center = mean(&sums, start, start + width);
            let deviation = (mean(&squares, start, start + width) - center * center).max(0.0).sqrt();
            let letter = |quarter: usize| {
                let (from, to) = (start + cut(quarter), start + cut(quarter + 1).max(cut(quarter) + 1));
                let z = if deviation < FLAT { 0.0 } else { (mean(&sums, from, to) - center) / deviation };
                CUTS.iter().filter(|c| **c < z).count() as u64
            };
            words.push((0..QUARTERS).rev().fold(first, |word, quarter| 4 * word + letter(quarter)));
        }
    }
}

fn prefix_sums(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut sum = 0.0;
    std::iter::once(0.0)
        .chain(values.map(|v| {
            sum += v;
            sum
        }))
        .collect()
}

/// The mean of `f` over all values.
fn mean_of(values: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    values.iter().map(|v| f(*v)).sum::<f64>() / values.len().max(1) as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean_of(values, |v| v);
    mean_of(values, |v| (v - mean).powi(2)).sqrt()
}

/// The fraction of the power in each frequency band.
fn spectrum(centered: &[f64]) -> Vec<f64> {
    let n = centered.len();
    let half = n / 2;
    let power = |frequency: usize| {
        // A rotation by the same angle at every step.
        let (sine, cosine) = (std::f64::consts::TAU * frequency as f64 / n as f64).sin_cos();
        let (mut re, mut im, mut c, mut s) = (0.0, 0.0, 1.0, 0.0);
        for v in centered {
            re += v * c;
            im -= v * s;
            (c, s) = (c * cosine - s * sine, s * cosine + c * sine);
        }
        re * re + im * im
    };
    // By Parseval, each frequency but the first and the middle one counts twice.
    let twice = n as f64 * centered.iter().map(|v| v * v).sum::<f64>();
    let sum: f64 = centered.iter().sum();
    let alternating: f64 = centered.iter().enumerate().map(|(t, v)| if t % 2 == 0 { *v } else { -v }).sum();
    let middle = if n.is_multiple_of(2) { alternating * alternating } else { 0.0 };
    let total = f64::midpoint(twice, sum * sum + middle);
    let mut shares = Vec::with_capacity(BANDS.len() + 1);
    let mut first = 1;
    for last in BANDS {
        let band: f64 = (first..=last.min(half)).map(power).sum();
        shares.push(band / (total + TINY));
        first = last + 1;
    }
    let rest = (total - sum * sum) / (total + TINY) - shares.iter().sum::<f64>();
    // A short series has no frequencies left, and the rest is rounding.
    shares.push(if half < first { 0.0 } else { rest.max(0.0) });
    shares
}

impl Sight<Series> for SeriesSight {
    fn learn(&mut self, samples: &[&Series]) {
        let mut lengths: Vec<usize> = samples.iter().map(|s| s.len()).collect();
        lengths.sort_unstable();
        self.length = lengths.get(lengths.len() / 2).copied().unwrap_or(0);
        let channels = samples.first().map_or(0, |s| s.channels());
        let of_channel = |c: usize| {
            let values: Vec<f64> = samples.iter().flat_map(|s| s.steps().map(move |step| step[c])).collect();
            // In units of the largest, so that neither sums nor squares overflow.
            let top = values.iter().fold(0.0_f64, |top, v| top.max(v.abs())).max(f64::MIN_POSITIVE);
            let values: Vec<f64> = values.into_iter().map(|v| v / top).collect();
            let spread = deviation(&values) * top;
            (mean_of(&values, |v| v) * top, if spread > 0.0 { spread } else { 1.0 })
        };
        self.channels = (0..channels).map(of_channel).collect();
    }

    fn bag(&self, one: &Series) -> Bag {
        let channels: Vec<Vec<f64>> = (0..one.channels()).map(|c| self.channel(one, c)).collect();
        let of_size = |share: usize| {
            let mut words = Vec::new();
            for (values, first) in channels.iter().zip(0..) {
                Self::add_words(values, self.length / share, first, &mut words);
            }
            words
        };
        Bag::new(&mut WINDOWS.map(of_size))
    }

    fn summary(&self, one: &Series) -> Vec<f64> {
        let mut columns = vec![one.len() as f64];
        for c in 0..one.channels() {
            let v = self.channel(one, c);
            let mean = mean_of(&v, |v| v);
            let spread = deviation(&v) + TINY;
            let differences: Vec<f64> = v.windows(2).map(|pair| pair[1] - pair[0]).collect();
            let z: Vec<f64> = v.iter().map(|v| (v - mean) / spread).collect();
            let products: Vec<f64> = z.windows(2).map(|pair| pair[0] * pair[1]).collect();
            let centered: Vec<f64> = v.iter().map(|v| v - mean).collect();
            columns.extend([
                mean,
                spread.ln(),
                v.iter().copied().fold(f64::INFINITY, f64::min),
                v.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                (deviation(&differences) + TINY).ln() - spread.ln(),
                mean_of(&z, |z| z.powi(3)),
                mean_of(&z, |z| z.powi(4)),
                mean_of(&products, |p| p),
            ]);
            columns.extend(spectrum(&centered));
        }
        columns
    }

    fn values(&self, one: &Series) -> Vec<f64> {
        let mut values = self.summary(one);
        let of_channels = values[1..].chunks_exact_mut(COLUMNS.len());
        for (channel, (mean, deviation)) in of_channels.zip(&self.channels) {
            // Back to the units of the data.
            for at in [MEAN, MINIMUM, MAXIMUM] {
                channel[at] = channel[at] * deviation + mean;
            }
            channel[SPREAD] = channel[SPREAD].exp() * deviation;
            channel[ROUGHNESS] = channel[ROUGHNESS].exp();
            // The estimate has one product fewer than the variance has squares, and may lie just outside.
            channel[CORRELATION] = channel[CORRELATION].clamp(-1.0, 1.0);
        }
        values
    }

    fn names(&self) -> Vec<String> {
        let mut names = ["whole series", "shapes in windows", "length"].map(str::to_owned).to_vec();
        let several = self.channels.len() > 1;
        for c in 0..self.channels.len() {
            names.extend(
                COLUMNS.map(|name| if several { format!("channel {c}: {name}") } else { name.to_owned() }),
            );
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectrum_is_that_of_a_plain_transform() {
        let mut r = crate::random::Random::new(3);
        for n in [1, 2, 5, 16, 33, 40, 77] {
            let values: Vec<f64> = (0..n).map(|_| r.normal()).collect();
            let mean = mean_of(&values, |v| v);
            let centered: Vec<f64> = values.iter().map(|v| v - mean).collect();
            let powers: Vec<f64> = (0..=n / 2)
                .map(|k| {
                    let angle = |t: usize| std::f64::consts::TAU * (k * t) as f64 / n as f64;
                    let re: f64 = centered.iter().enumerate().map(|(t, v)| v * angle(t).cos()).sum();
                    let im: f64 = centered.iter().enumerate().map(|(t, v)| v * angle(t).sin()).sum();
                    re * re + im * im
                })
                .collect();
            let total: f64 = powers.iter().sum::<f64>() + TINY;
            let bands = [1..2, 2..3, 3..5, 5..9, 9..17, 17..usize::MAX];
            for (band, share) in bands.into_iter().zip(spectrum(&centered)) {
                let plain: f64 = (band.start..band.end.min(powers.len())).map(|k| powers[k]).sum();
                assert!((plain / total - share).abs() < 1e-9, "{n}, {band:?}: {} {share}", plain / total);
            }
        }
    }

    /// Window by window, each standardized by itself in two passes.
    fn plain_words(values: &[f64], width: usize) -> Vec<u64> {
        let width = width.clamp(MIN_WINDOW, values.len());
        let word = |window: &[f64]| {
            let mean = window.iter().sum::<f64>() / width as f64;
            let deviation =
                (window.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / width as f64).sqrt();
            let scaled: Vec<f64> =
                window.iter().map(|v| if deviation < FLAT { 0.0 } else { (v - mean) / deviation }).collect();
            let letter = |quarter: usize| {
                let part = &scaled[quarter * width / 4..(quarter + 1) * width / 4];
                let z = part.iter().sum::<f64>() / part.len() as f64;
                if z > 0.6745 {
                    3
                } else if z > 0.0 {
                    2
                } else {
                    u64::from(z > -0.6745)
                }
            };
            letter(0) + 4 * letter(1) + 16 * letter(2) + 64 * letter(3)
        };
        values.windows(width).map(word).collect()
    }

    #[test]
    fn words_as_window_by_window() {
        let mut r = crate::random::Random::new(7);
        for (length, width) in [(40, 20), (40, 10), (41, 5), (9, 4), (6, 30)] {
            let values: Vec<f64> = (0..length).map(|_| r.normal()).collect();
            let mut words = Vec::new();
            SeriesSight::add_words(&values, width, 0, &mut words);
            assert_eq!(words, plain_words(&values, width), "{length} {width}");
        }
    }

    #[test]
    fn a_shown_correlation_is_at_most_one() {
        // It starts and ends near its mean.
        let wave = (0..=60).map(|t| (std::f64::consts::TAU * f64::from(t) / 60.0).sin()).collect();
        let wave = Series::univariate(wave).unwrap();
        let mut sight = SeriesSight::default();
        sight.learn(&[&wave]);
        let (raw, shown) = (sight.summary(&wave)[1 + CORRELATION], sight.values(&wave)[1 + CORRELATION]);
        assert!(raw > 1.0 && (shown - 1.0).abs() < 1e-12, "{raw} {shown}");
    }

    #[test]
    fn words_match_hand_computation() {
        // Rising in every window: -1.34, -0.45, 0.45, 1.34 deviations.
        let mut words = Vec::new();
        SeriesSight::add_words(&[0.0, 1.0, 2.0, 3.0, 4.0], 4, 0, &mut words);
        assert_eq!(words, [4 + 2 * 16 + 3 * 64; 2]);
        words.clear();
        SeriesSight::add_words(&[5.0; 4], 4, 0, &mut words);
        assert_eq!(words, [1 + 4 + 16 + 64]);
        words.clear();
        SeriesSight::add_words(&[5.0; 3], 4, 0, &mut words);
        assert!(words.is_empty());
    }
}
