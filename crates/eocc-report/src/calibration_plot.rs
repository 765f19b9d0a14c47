//! Checks p-values: the fraction of samples up to each p-value, against the p-value itself.

use std::fmt::Write as _;

use crate::report::number;

/// Side of the square, and the space for its numbers.
const SIDE: f64 = 260.0;
const MARGIN: f64 = 40.0;
/// Maximum number of corners of the curve.
const CORNERS: usize = 200;

/// A sentence and a plot: how many of these samples, which may all be nominal, have a p-value of at most `share`.
pub(crate) fn section(p_values: &[f64], share: f64, are_nominal: bool) -> String {
    if p_values.is_empty() {
        return String::new();
    }
    let mut sorted = p_values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let up_to = |p: f64| sorted.partition_point(|own| *own <= p) as f64 / sorted.len() as f64;
    let who = if are_nominal { "new nominals" } else { "new samples" };
    format!(
        "<section aria-labelledby=\"calibration-title\">\n<h2 id=\"calibration-title\">Calibration</h2>\n\
         <p>{} % of the {who} have a p-value of at most {}; of samples like the nominals {} % would. A curve far above the line says \
         that the {who} are not like them.</p>\n{}</section>\n",
        number(100.0 * up_to(share)),
        number(share),
        number(100.0 * share),
        picture(&up_to, who)
    )
}

fn picture(up_to: &dyn Fn(f64) -> f64, who: &str) -> String {
    let place = |x: f64, y: f64| (MARGIN + SIDE * x, 10.0 + SIDE * (1.0 - y));
    let size = SIDE + MARGIN + 10.0;
    let mut curve = String::new();
    for corner in 0..=CORNERS {
        let p = corner as f64 / CORNERS as f64;
        let (x, y) = place(p, up_to(p));
        // Writing to a string cannot fail.
        let _ = write!(curve, "{}{x:.1} {y:.1}", if corner == 0 { "M" } else { " L" });
    }
    let ((left, bottom), (right, top)) = (place(0.0, 0.0), place(1.0, 1.0));
    let mut marks = String::new();
    for tick in [0.0, 0.5, 1.0] {
        let ((x, _), (_, y)) = (place(tick, 0.0), place(0.0, tick));
        let _ = write!(
            marks,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{tick}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            bottom + 16.0,
            left - 6.0,
            y + 4.0
        );
    }
    format!(
        "<svg width=\"{size}\" height=\"{size}\" viewBox=\"0 0 {size} {size}\" role=\"img\" font-size=\"12\" fill=\"currentColor\">\
         <title>Share of the {who} up to each p-value</title>\
         <path d=\"M{left} {top} L{left} {bottom} L{right} {bottom}\" fill=\"none\" stroke=\"currentColor\"/>\
         <path d=\"M{left} {bottom} L{right} {top}\" fill=\"none\" stroke=\"currentColor\" stroke-dasharray=\"4 4\" opacity=\"0.6\"/>\
         <path d=\"{curve}\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/>{marks}\
         <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">p-value</text></svg>\n",
        left + SIDE / 2.0,
        bottom + 32.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_counted() {
        let p: Vec<f64> = (1..=100).map(|i| f64::from(i) / 100.0).collect();
        assert!(section(&p, 0.05, true).contains("5 % of the new nominals have a p-value of at most 0.05"));
        let drifted: Vec<f64> = p.iter().map(|p| p * p).collect();
        let text = section(&drifted, 0.05, false);
        assert!(text.contains("22 % of the new samples have a p-value of at most 0.05"), "{text}");
        assert!(!text.contains("style=") && text.contains("M40.0 270.0"), "{text}");
        assert!(section(&[], 0.05, false).is_empty());
    }
}
