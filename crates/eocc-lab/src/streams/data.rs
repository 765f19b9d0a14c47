//! Synthetic streams: those without a change, serially dependent ones, and those that change in a known way.

use eocc_core::Vectors;
use eocc_core::random::Random;

/// Rows of numbers.
pub(super) type Rows = Vec<Vec<f64>>;

pub(super) fn vectors(rows: &[Vec<f64>]) -> anyhow::Result<Vectors> {
    Ok(Vectors::from_rows(rows)?)
}

/// Independent standard normal rows.
pub(super) fn normals(n: usize, columns: usize, seed: u64) -> Rows {
    let mut random = Random::new(seed);
    (0..n).map(|_| normal_row(columns, &mut random)).collect()
}

fn normal_row(columns: usize, random: &mut Random) -> Vec<f64> {
    (0..columns).map(|_| random.normal()).collect()
}

/// Columns that follow an autoregression of order 1, with unit variance.
pub(super) fn autoregressive(n: usize, columns: usize, coefficient: f64, seed: u64) -> Rows {
    let mut random = Random::new(seed);
    let mut x = normal_row(columns, &mut random);
    let noise = (1.0 - coefficient * coefficient).sqrt();
    let mut next = || {
        for x in &mut x {
            *x = coefficient * *x + noise * random.normal();
        }
        x.clone()
    };
    (0..n).map(|_| next()).collect()
}

/// A change at a known time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    None,
    /// Nothing changes among three modes.
    NoneOfModes,
    Mean,
    Gradual,
    Wider,
    Narrower,
    Correlation,
    NewMode,
    ModeGone,
    Recurring,
}

impl Change {
    pub(super) const ALL: [Self; 8] = [
        Self::Mean,
        Self::Gradual,
        Self::Wider,
        Self::Narrower,
        Self::Correlation,
        Self::NewMode,
        Self::ModeGone,
        Self::Recurring,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::NoneOfModes => "none, three modes",
            Self::Mean => "mean by 1 deviation",
            Self::Gradual => "gradual, 1.5 deviations in 1500",
            Self::Wider => "wider, 1.3 times",
            Self::Narrower => "narrower, 0.75 times",
            Self::Correlation => "correlation from 0.8 to 0",
            Self::NewMode => "a new mode of 20 %",
            Self::ModeGone => "a mode of three is gone",
            Self::Recurring => "mean, on and off every 250",
        }
    }

    fn has_modes(self) -> bool {
        matches!(self, Self::NewMode | Self::ModeGone | Self::NoneOfModes)
    }
}

/// A stream of `before + after` rows that changes at `before`.
pub(super) fn changing(change: Change, columns: usize, before: usize, after: usize, seed: u64) -> Rows {
    let mut random = Random::new(seed.wrapping_mul(1000).wrapping_add(columns as u64));
    let n = before + after;
    if change.has_modes() {
        let centers = centers(4, columns, if columns > 1 { 3.0 } else { 6.0 }, &mut random);
        let row = |t: usize| {
            let is_new = t >= before && random.uniform() < 0.2;
            let mode = match (change, random.below(3)) {
                (Change::NewMode, _) if is_new => 3,
                (Change::ModeGone, 2) if t >= before => random.below(2),
                (_, mode) => mode,
            };
            centers[mode].iter().map(|c| c + random.normal()).collect()
        };
        return (0..n).map(row).collect();
    }
    if change == Change::Correlation {
        let row = |t: usize| {
            let common: f64 = if t < before { 0.8 } else { 0.0 };
            let factor = random.normal();
            (0..columns).map(|_| common.sqrt() * factor + (1.0 - common).sqrt() * random.normal()).collect()
        };
        return (0..n).map(row).collect();
    }
    let mixing = mixing(columns, &mut random);
    let direction = unit(normal_row(columns, &mut random));
    let row = |t: usize| {
        let since = t as f64 - before as f64;
        let has_changed = t >= before;
        let shift = match change {
            Change::Mean if has_changed => 1.0,
            Change::Gradual if has_changed => 1.5 * (since / 1500.0).min(1.0),
            Change::Recurring if has_changed && ((t - before) / 250).is_multiple_of(2) => 1.0,
            _ => 0.0,
        };
        let scale = match change {
            Change::Wider if has_changed => 1.3,
            Change::Narrower if has_changed => 0.75,
            _ => 1.0,
        };
        let latent: Vec<f64> = direction.iter().map(|u| scale * random.normal() + shift * u).collect();
        mixing.iter().map(|row| row.iter().zip(&latent).map(|(a, z)| a * z).sum()).collect()
    };
    (0..n).map(row).collect()
}

/// Centers that are farther than 5 apart.
pub(super) fn centers(count: usize, columns: usize, spread: f64, random: &mut Random) -> Rows {
    loop {
        let centers: Rows =
            (0..count).map(|_| (0..columns).map(|_| spread * random.normal()).collect()).collect();
        let is_far = |i: usize, j: usize| distance(&centers[i], &centers[j]) > 5.0;
        if (0..count).all(|i| (0..i).all(|j| is_far(i, j))) {
            return centers;
        }
    }
}

pub(super) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

fn unit(mut row: Vec<f64>) -> Vec<f64> {
    let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
    for x in &mut row {
        *x /= length;
    }
    row
}

/// A random rotation whose columns are stretched, between 0.5 and 2.
fn mixing(columns: usize, random: &mut Random) -> Rows {
    let mut axes: Rows = Vec::new();
    while axes.len() < columns {
        let mut axis = normal_row(columns, random);
        for other in &axes {
            let along: f64 = axis.iter().zip(other).map(|(a, b)| a * b).sum();
            axis.iter_mut().zip(other).for_each(|(a, b)| *a -= along * b);
        }
        axes.push(unit(axis));
    }
    let stretch: Vec<f64> = (0..columns).map(|_| random.range(-0.7, 0.7).exp()).collect();
    let row = |i: usize| axes.iter().zip(&stretch).map(|(axis, s)| s * axis[i]).collect();
    (0..columns).map(row).collect()
}

/// Strings of eight to thirteen of four letters.
pub(super) fn words(n: usize, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let letters = ["a", "b", "c", "d"];
    (0..n).map(|_| (0..8 + random.below(6)).map(|_| letters[random.below(4)]).collect()).collect()
}

/// The rows that accompany the nominal rows of a stream of regions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mixture {
    pub(super) columns: usize,
    /// Whether nominals have heavy tails, of Student's t with 3 degrees of freedom.
    pub(super) is_heavy: bool,
    /// The share of outliers scattered in the box around the nominals.
    pub(super) scattered: f64,
    /// Whether outliers are scattered in the warm-up too.
    pub(super) is_dirty: bool,
    /// The share of a new mode, after the warm-up.
    pub(super) new_mode: f64,
}

/// Three modes with outliers and a new mode from `before` on; and which rows are of the new mode.
pub(super) fn mixture(mix: Mixture, before: usize, n: usize, seed: u64) -> (Rows, Vec<bool>) {
    let mut random = Random::new(seed.wrapping_mul(77).wrapping_add(mix.columns as u64));
    let centers = centers(4, mix.columns, 4.0, &mut random);
    let mut is_new = Vec::with_capacity(n);
    let mut rows: Rows = Vec::with_capacity(n);
    for t in 0..n {
        let is_of_new = t >= before && random.uniform() < mix.new_mode;
        is_new.push(is_of_new);
        let mode = if is_of_new { 3 } else { random.below(3) };
        if !is_of_new && random.uniform() < mix.scattered && (mix.is_dirty || t >= before) {
            rows.push(
                (0..mix.columns)
                    .map(|f| {
                        let own = || centers[..3].iter().map(|c| c[f]);
                        let (low, high) =
                            (own().fold(f64::INFINITY, f64::min), own().fold(f64::NEG_INFINITY, f64::max));
                        random.range(low - 4.0, high + 4.0)
                    })
                    .collect(),
            );
            continue;
        }
        let scale = if mix.is_heavy && !is_of_new {
            let chi: f64 = (0..3).map(|_| random.normal().powi(2)).sum();
            (3.0 / chi).sqrt()
        } else {
            1.0
        };
        rows.push(centers[mode].iter().map(|c| c + scale * random.normal()).collect());
    }
    (rows, is_new)
}
