//! How two samples are matched part by part, for display: letters of strings by the fewest edits, steps of time
//! series by warping. Measures use their own vectorized code instead.

use super::ged::EditPath;
use crate::sample::Series;

/// Maximum number of cells of a dynamic programming table.
const MAX_CELLS: usize = 1 << 26;

/// Where a cell of the table came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Both,
    First,
    Second,
}

/// How a sample differs from another, part by part.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Differences {
    /// The letters of two strings.
    Letters(Vec<LetterPair>),
    /// The steps of two series.
    Steps(Vec<StepPair>),
    /// The edits that turn the other graph into this one.
    Edits(EditPath),
    /// Those of each part of a record, with its name.
    Parts(Vec<(String, Differences)>),
}

/// A step of each of two series.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPair {
    /// The numbers of the steps.
    pub steps: (usize, usize),
    /// Their values, by channel.
    pub values: (Vec<f64>, Vec<f64>),
    /// Their Euclidean distance.
    pub distance: f64,
}

/// A letter from each of two strings, or from only one.
pub type LetterPair = (Option<char>, Option<char>);

/// Aligns two strings letter by letter with the fewest edits; each pair has a letter from each string, or from only
/// one. `None` if the strings are too long to show.
pub fn align(a: &str, b: &str) -> Option<Vec<LetterPair>> {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    if (a.len() + 1).checked_mul(width)? > MAX_CELLS {
        return None;
    }
    let mut steps = vec![Step::Second; (a.len() + 1) * width];
    let mut before: Vec<u32> = (0..=b.len() as u32).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i as u32 + 1; width];
        steps[(i + 1) * width] = Step::First;
        for (j, y) in b.iter().enumerate() {
            let both = before[j] + u32::from(x != y);
            let (first, second) = (before[j + 1] + 1, row[j] + 1);
            let least = both.min(first).min(second);
            row[j + 1] = least;
            steps[(i + 1) * width + j + 1] = match least {
                _ if least == both => Step::Both,
                _ if least == first => Step::First,
                _ => Step::Second,
            };
        }
        before = row;
    }
    let (mut i, mut j) = (a.len(), b.len());
    let mut pairs = Vec::with_capacity(i.max(j));
    while i + j > 0 {
        match steps[i * width + j] {
            Step::Both => {
                (i, j) = (i - 1, j - 1);
                pairs.push((Some(a[i]), Some(b[j])));
            }
            Step::First => {
                i -= 1;
                pairs.push((Some(a[i]), None));
            }
            Step::Second => {
                j -= 1;
                pairs.push((None, Some(b[j])));
            }
        }
    }
    pairs.reverse();
    Some(pairs)
}

/// The matched steps of two series with the least sum of Euclidean distances, in order. `None` if the series are too
/// long to show, or have different numbers of channels.
pub fn warp(a: &Series, b: &Series) -> Option<Vec<(usize, usize)>> {
    let (n, m) = (a.len(), b.len());
    if n.checked_mul(m)? > MAX_CELLS || a.channels() != b.channels() {
        return None;
    }
    let others: Vec<&[f64]> = b.steps().collect();
    let mut steps = vec![Step::Both; n * m];
    let mut before: Vec<f64> = Vec::new();
    for (i, x) in a.steps().enumerate() {
        let mut row = vec![0.0; m];
        for (j, y) in others.iter().enumerate() {
            let cost = x.iter().zip(*y).map(|(p, q)| (p - q).powi(2)).sum::<f64>().sqrt();
            let at =
                |row: &[f64], j: Option<usize>| j.and_then(|j| row.get(j)).copied().unwrap_or(f64::INFINITY);
            let both = at(&before, j.checked_sub(1));
            let (first, second) = (at(&before, Some(j)), at(&row, j.checked_sub(1)));
            let (least, step) = match (both <= first && both <= second, first <= second) {
                (true, _) => (both, Step::Both),
                (false, true) => (first, Step::First),
                (false, false) => (second, Step::Second),
            };
            row[j] = cost + if i + j == 0 { 0.0 } else { least };
            steps[i * m + j] = step;
        }
        before = row;
    }
    let (mut i, mut j) = (n - 1, m - 1);
    let mut path = vec![(i, j)];
    while i + j > 0 {
        match steps[i * m + j] {
            _ if i == 0 => j -= 1,
            _ if j == 0 => i -= 1,
            Step::Both => (i, j) = (i - 1, j - 1),
            Step::First => i -= 1,
            Step::Second => j -= 1,
        }
        path.push((i, j));
    }
    path.reverse();
    Some(path)
}

/// The matched steps of two series with their values.
pub(crate) fn steps(a: &Series, b: &Series) -> Option<Vec<StepPair>> {
    let path = warp(a, b)?;
    let (first, second): (Vec<&[f64]>, Vec<&[f64]>) = (a.steps().collect(), b.steps().collect());
    let pair = |(i, j): (usize, usize)| {
        let (x, y) = (first[i], second[j]);
        let distance = x.iter().zip(y).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt();
        StepPair { steps: (i, j), values: (x.to_vec(), y.to_vec()), distance }
    };
    Some(path.into_iter().map(pair).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(a: &str, b: &str) -> [String; 2] {
        let pairs = align(a, b).unwrap();
        let line = |f: fn(&LetterPair) -> Option<char>| pairs.iter().map(|p| f(p).unwrap_or('-')).collect();
        [line(|p| p.0), line(|p| p.1)]
    }

    #[test]
    fn letters_are_matched() {
        assert_eq!(shown("kitten", "sitting"), ["kitten-", "sitting"]);
        assert_eq!(shown("", "ab"), ["--", "ab"]);
        assert_eq!(shown("flaw", "lawn"), ["flaw-", "-lawn"]);
        assert_eq!(align("", "").unwrap(), []);
    }

    /// The letters reproduce both strings, and the number that differ is the edit distance (Levenshtein 1966).
    #[test]
    fn edits_are_as_few_as_the_distance() {
        for (a, b, distance) in [("kitten", "sitting", 3), ("flaw", "lawn", 2), ("gumbo", "gambol", 2)] {
            let pairs = align(a, b).unwrap();
            assert_eq!(pairs.iter().filter_map(|p| p.0).collect::<String>(), a);
            assert_eq!(pairs.iter().filter_map(|p| p.1).collect::<String>(), b);
            assert_eq!(pairs.iter().filter(|p| p.0 != p.1).count(), distance);
        }
    }

    #[test]
    fn steps_are_matched() {
        let series = |values: &[f64]| Series::univariate(values.to_vec()).unwrap();
        let path = warp(&series(&[0.0, 1.0, 0.0]), &series(&[0.0, 0.0, 1.0, 0.0])).unwrap();
        assert_eq!(path, [(0, 0), (0, 1), (1, 2), (2, 3)]);
        assert_eq!(warp(&series(&[1.0]), &series(&[1.0, 2.0])).unwrap(), [(0, 0), (0, 1)]);
    }
}
