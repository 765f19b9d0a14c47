//! Summary statistics of a window.

/// The statistics of a channel.
const PARTS: [&str; 6] = ["mean", "deviation", "smallest", "largest", "slope", "roughness"];
/// Up to this many channels, the correlations of all pairs are included.
const MAX_PAIRED: usize = 4;

/// Names of the summary statistics of windows with these channels.
pub(super) fn names(channels: &[&str]) -> Vec<String> {
    let of_channel = |channel: &&str| PARTS.map(|part| format!("{channel} {part}"));
    let mut names: Vec<String> = channels.iter().flat_map(of_channel).collect();
    for (first, second) in pairs(channels.len()) {
        names.push(format!("{} with {}", channels[first], channels[second]));
    }
    names
}

/// The statistics of the time steps of a window.
pub(super) fn summary(steps: &[&[f64]]) -> Vec<f64> {
    let channels = steps.first().map_or(0, |step| step.len());
    let values = |channel: usize| steps.iter().map(move |step| step[channel]);
    let count = steps.len() as f64;
    let mean = |channel: usize| values(channel).sum::<f64>() / count;
    let product = |first: usize, second: usize| {
        let (a, b) = (mean(first), mean(second));
        steps.iter().map(|step| (step[first] - a) * (step[second] - b)).sum::<f64>() / count
    };
    let mut numbers = Vec::with_capacity(channels * PARTS.len());
    for channel in 0..channels {
        let middle = (count - 1.0) / 2.0;
        let spread: f64 = (0..steps.len()).map(|t| (t as f64 - middle).powi(2)).sum();
        let slope = values(channel).enumerate().map(|(t, v)| (t as f64 - middle) * v).sum::<f64>() / spread;
        let differences = steps.windows(2).map(|pair| (pair[1][channel] - pair[0][channel]).abs());
        numbers.extend([
            mean(channel),
            product(channel, channel).sqrt(),
            values(channel).fold(f64::INFINITY, f64::min),
            values(channel).fold(f64::NEG_INFINITY, f64::max),
            slope,
            differences.sum::<f64>() / (count - 1.0),
        ]);
    }
    for (first, second) in pairs(channels) {
        let scale = (product(first, first) * product(second, second)).sqrt();
        numbers.push(if scale > 0.0 { product(first, second) / scale } else { 0.0 });
    }
    numbers
}

fn pairs(channels: usize) -> impl Iterator<Item = (usize, usize)> {
    let paired = if channels <= MAX_PAIRED { channels } else { 0 };
    (0..paired).flat_map(move |second| (0..second).map(move |first| (first, second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_hand() {
        let steps: [&[f64]; 4] = [&[1.0, 5.0], &[3.0, 5.0], &[2.0, 5.0], &[6.0, 5.0]];
        let found = summary(&steps);
        let want = [3.0, 3.5_f64.sqrt(), 1.0, 6.0, 1.4, 7.0 / 3.0, 5.0, 0.0, 5.0, 5.0, 0.0, 0.0, 0.0];
        assert_eq!(found.len(), want.len());
        assert!(found.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        assert_eq!(names(&["a", "b"]).len(), want.len());
        assert_eq!(names(&["a", "b"])[12], "a with b");
        let opposite: [&[f64]; 3] = [&[1.0, -2.0], &[2.0, -4.0], &[4.0, -8.0]];
        assert!((summary(&opposite)[12] + 1.0).abs() < 1e-12);
    }
}
