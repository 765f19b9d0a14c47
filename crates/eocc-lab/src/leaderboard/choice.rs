//! What choosing a variant is worth: chosen on some sets, tested on the others.

use eocc_baselines::{Origin, method};
use eocc_core::random::Random;
use eocc_eval::Summary;

use super::kind::Kind;
use super::{mean, shown};

/// Random halves of the sets to choose on.
const REPEATS: usize = 1000;

/// The best of `default` and its variants on one half of the sets, and what it gains on the other, both ways round: how
/// much of a gain is only the choice. `None` without `default`.
pub(super) fn by_halves(summary: &Summary, rows: &[(usize, Vec<f64>)], baseline: &[f64]) -> Option<String> {
    let is_ours = |name: &str| {
        Kind::of(name) == Kind::VariantOfDefault || method(name).is_ok_and(|m| m.origin == Origin::Ours)
    };
    let ours: Vec<&(usize, Vec<f64>)> = rows.iter().filter(|r| is_ours(&summary.methods[r.0])).collect();
    let own = ours.iter().find(|r| summary.methods[r.0] == "default")?;
    // In order of their names, case and leading numbers aside: the first half and the second.
    let mut order: Vec<usize> = (0..baseline.len()).collect();
    order.sort_by_key(|&i| shown(&summary.sets[i]).to_lowercase());
    let gain = |auc: &[f64], sets: &[usize]| {
        mean(&sets.iter().map(|&i| 100.0 * (auc[i] - baseline[i])).collect::<Vec<_>>())
    };
    let best = |sets: &[usize]| {
        ours.iter().max_by(|a, b| gain(&a.1, sets).total_cmp(&gain(&b.1, sets))).map_or(*own, |r| *r)
    };
    let (first, second) = order.split_at(order.len() / 2);
    let line = |here: &[usize], there: &[usize], names: [&str; 2]| {
        let chosen = best(here);
        format!(
            "- Chosen on the {} half: {} ({:+.2} there); on the {} half it gains {:+.2}, and `default` {:+.2}.",
            names[0],
            summary.titles[chosen.0],
            gain(&chosen.1, here),
            names[1],
            gain(&chosen.1, there),
            gain(&own.1, there)
        )
    };
    let lines = [line(first, second, ["first", "second"]), line(second, first, ["second", "first"])];
    let mut random = Random::new(0);
    let mut gains: Vec<[f64; 2]> = Vec::with_capacity(REPEATS);
    for _ in 0..REPEATS {
        random.shuffle(&mut order);
        let (here, there) = order.split_at(order.len() / 2);
        gains.push([gain(&best(here).1, there), gain(&own.1, there)]);
    }
    let mut told = |which: usize| {
        gains.sort_by(|a, b| a[which].total_cmp(&b[which]));
        let at = |share: f64| gains[(share * (REPEATS - 1) as f64) as usize][which];
        format!("{:+.2} (median; {:+.2} to {:+.2} in nine of ten)", at(0.5), at(0.05), at(0.95))
    };
    let (chosen, fixed) = (told(0), told(1));
    Some(format!(
        "Of `default` and its variants, the best on one half of the sets (in order of their names) and what it gains on the \
         other, in points of AUC:\n\n{}\n{}\n- Over {REPEATS} random halves, the one chosen gains {chosen} on the other half; \
         `default` gains {fixed}.",
        lines[0], lines[1]
    ))
}
