//! The one source of randomness: a seeded, portable stream.
//!
//! `ChaCha8` is the same on every platform and version; the maps from bits to numbers are implemented here, so that
//! upgrading a dependency cannot change a result.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Spreads the bits of a number over all 64 of another, deterministically (one step of splitmix64): for hashes that
/// affect results.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The Fowler–Noll–Vo hash of some bytes.
pub(crate) fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3))
}

/// A seeded stream of random numbers.
#[derive(Debug, Clone)]
pub struct Random {
    bits: ChaCha8Rng,
}

impl Random {
    /// The stream of `seed`.
    pub fn new(seed: u64) -> Self {
        Self { bits: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// An independent stream of the same seed, so that stages do not affect each other.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut bits = ChaCha8Rng::seed_from_u64(seed);
        bits.set_stream(stream);
        Self { bits }
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.bits.next_u64()
    }

    /// Uniform in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        // 53 bits: every value is representable.
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`.
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in `0..n`; `n` must be positive.
    pub fn below(&mut self, n: usize) -> usize {
        // Multiply-shift; the bias is below 2^-64 n.
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Standard normal (Box–Muller, one value per call).
    pub fn normal(&mut self) -> f64 {
        let u = 1.0 - self.uniform();
        let v = self.uniform();
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }

    /// Shuffles in place (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }

    /// `count` distinct indices of `0..n`, ascending.
    pub fn subset(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        self.shuffle(&mut all);
        all.truncate(count);
        all.sort_unstable();
        all
    }
}

/// A number in `[0, 1)` that depends only on seed, time and number (`SplitMix64`): the same however a stream is split
/// into calls.
pub fn lot(seed: u64, time: u64, number: u64) -> f64 {
    let z = seed
        .wrapping_add(time.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        .wrapping_add(number.wrapping_add(1).wrapping_mul(0xD1B5_4A32_D192_ED03));
    (mixed(z) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// Maps a text to a number in `[0, 1)`: an order of texts that is independent of the data.
pub fn hashed(text: &str) -> f64 {
    // FNV-1a, and the finalizer of SplitMix64.
    let hash = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01B3));
    (mixed(hash) >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// The finalizer of `SplitMix64`: every bit of `z` changes half of the bits.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lots_are_those_of_the_prototype() {
        // From NumPy: `lots(7, [0, 5], 2)` of the prototype.
        for (time, number, want) in LOTS {
            assert_eq!(lot(7, time, number).to_bits(), want.to_bits(), "{time} {number}");
        }
        assert!(hashed("red") < 1.0 && hashed("red").to_bits() != hashed("green").to_bits());
    }

    const LOTS: [(u64, u64, f64); 4] = [
        (0, 0, 0.727_487_722_071_912_6),
        (0, 1, 0.268_116_053_921_210_96),
        (5, 0, 0.580_861_744_120_282_1),
        (5, 1, 0.117_543_413_786_968_31),
    ];

    #[test]
    fn same_seed_same_stream_and_other_streams_differ() {
        let draw = |mut r: Random| (0..5).map(|_| r.bits()).collect::<Vec<_>>();
        assert_eq!(draw(Random::new(7)), draw(Random::new(7)));
        assert_ne!(draw(Random::new(7)), draw(Random::new(8)));
        assert_ne!(draw(Random::stream(7, 1)), draw(Random::stream(7, 2)));
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        let mut r = Random::new(1);
        let n = 100_000;
        let mean = (0..n).map(|_| r.uniform()).sum::<f64>() / f64::from(n);
        assert!((mean - 0.5).abs() < 0.005, "{mean}");
        let normals: Vec<f64> = (0..n).map(|_| r.normal()).collect();
        let variance = normals.iter().map(|x| x * x).sum::<f64>() / f64::from(n);
        assert!((variance - 1.0).abs() < 0.02, "{variance}");
    }

    #[test]
    fn subset_is_sorted_and_distinct() {
        let s = Random::new(3).subset(100, 30);
        assert_eq!(s.len(), 30);
        assert!(s.windows(2).all(|w| w[0] < w[1]));
    }
}
