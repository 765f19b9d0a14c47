//! Features of a protein of which only the sequence is known.

use crate::amino_acids::Descriptors;

/// Features of the letters of a sequence: its size, and the mean properties of its amino acids.
///
/// Letters other than the twenty count for the length and have average properties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequenceFeatures([f64; 11]);

/// Kyte and Doolittle's hydropathy (Journal of Molecular Biology 157, 1982), and the average mass of the residue in Da.
#[rustfmt::skip]
const TABLE: [(char, f64, f64); 20] = [
    ('A', 1.8, 71.0779), ('R', -4.5, 156.1857), ('N', -3.5, 114.1026), ('D', -3.5, 115.0874), ('C', 2.5, 103.1429),
    ('Q', -3.5, 128.1292), ('E', -3.5, 129.1140), ('G', -0.4, 57.0513), ('H', -3.2, 137.1393), ('I', 4.5, 113.1576),
    ('L', 3.8, 113.1576), ('K', -3.9, 128.1723), ('M', 1.9, 131.1961), ('F', 2.8, 147.1739), ('P', -1.6, 97.1152),
    ('S', -0.8, 87.0773), ('T', -0.7, 101.1039), ('W', -0.9, 186.2099), ('Y', -1.3, 163.1733), ('V', 4.2, 99.1311),
];
/// Mass of the water at the two ends.
const WATER: f64 = 18.0153;

impl SequenceFeatures {
    /// Their names, in order.
    pub const NAMES: [&'static str; 11] = [
        "length",
        "molecular_weight",
        "hydropathy",
        "aromatic",
        "aliphatic_index",
        "positive",
        "negative",
        "net_charge",
        "pp1",
        "pp2",
        "pp3",
    ];

    /// The features of a sequence of one-letter codes; gaps and stops are ignored.
    pub fn compute(sequence: &str) -> Self {
        let letters: Vec<char> = sequence.chars().filter(char::is_ascii_alphabetic).collect();
        let n = letters.len() as f64;
        let share = |of: &str| {
            if n > 0.0 { letters.iter().filter(|c| of.contains(**c)).count() as f64 / n } else { 0.0 }
        };
        let mean_of =
            |value: fn(&(char, f64, f64)) -> f64| TABLE.iter().map(value).sum::<f64>() / TABLE.len() as f64;
        let sum = |value: fn(&(char, f64, f64)) -> f64| {
            let usual = mean_of(value);
            letters.iter().map(|c| TABLE.iter().find(|row| row.0 == *c).map_or(usual, value)).sum::<f64>()
        };
        let mean = |total: f64| if n > 0.0 { total / n } else { 0.0 };
        let mut pp = [0.0; 3];
        for &c in &letters {
            for (p, v) in pp.iter_mut().zip(Descriptors::Pp.describe(c)) {
                *p += v;
            }
        }
        let (positive, negative) = (share("KR"), share("DE"));
        Self([
            n,
            if n > 0.0 { sum(|row| row.2) + WATER } else { 0.0 },
            mean(sum(|row| row.1)),
            share("FWY"),
            // A. Ikai, "Thermostability and aliphatic index of globular proteins", Journal of Biochemistry 88, 1980.
            100.0 * (share("A") + 2.9 * share("V") + 3.9 * share("IL")),
            positive,
            negative,
            n * (positive - negative),
            mean(pp[0]),
            mean(pp[1]),
            mean(pp[2]),
        ])
    }

    /// Their values, in the order of the names.
    pub fn values(&self) -> [f64; 11] {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_hand_computation() {
        let [n, mass, hydropathy, aromatic, aliphatic, positive, negative, charge, ..] =
            SequenceFeatures::compute("AVKD-EW*").values();
        assert!((n - 6.0).abs() < 1e-12);
        // Alanine, valine, lysine, aspartate, glutamate, tryptophan and a water.
        let want = 71.0779 + 99.1311 + 128.1723 + 115.0874 + 129.1140 + 186.2099 + 18.0153;
        assert!((mass - want).abs() < 1e-9);
        assert!((hydropathy - (1.8 + 4.2 - 3.9 - 3.5 - 3.5 - 0.9) / 6.0).abs() < 1e-12);
        assert!((aromatic - 1.0 / 6.0).abs() < 1e-12);
        assert!((aliphatic - 100.0 * (1.0 + 2.9) / 6.0).abs() < 1e-9);
        assert!((positive - 1.0 / 6.0).abs() < 1e-12 && (negative - 2.0 / 6.0).abs() < 1e-12);
        assert!((charge + 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_empty_sequence_and_unknown_letters_are_finite() {
        for text in ["", "-", "XXBZ"] {
            assert!(SequenceFeatures::compute(text).values().iter().all(|v| v.is_finite()), "{text}");
        }
    }
}
