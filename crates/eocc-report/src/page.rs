//! The report as one self-contained HTML file: no network, no fonts, no libraries.
//!
//! The data is in a block that browsers do not execute, as JSON whose `<`, `>` and `&` are escaped, so that no name
//! in it can end the block. Scripts insert it in the page only as text. A policy in the page allows only our own
//! script and style, by their digests: anything that slipped through nevertheless would not run and could not call
//! home.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::findings::Finding;
use crate::report::{FeatureShare, ReportData, base64, number};
use crate::stream::StreamReport;
use crate::svg::escape;

const STYLE: &str = include_str!("../assets/report.css");
const SCRIPTS: [&str; 5] = [
    include_str!("../assets/data.js"),
    include_str!("../assets/plot.js"),
    include_str!("../assets/map.js"),
    include_str!("../assets/panels.js"),
    include_str!("../assets/page.js"),
];

/// Maximum number of features named next to the findings.
const MAX_IMPORTANT: usize = 8;

impl ReportData {
    /// The report as a page.
    pub fn to_html(&self) -> serde_json::Result<String> {
        let script = format!("(() => {{\n\"use strict\";\n{}}})();\n", SCRIPTS.join("\n"));
        let policy = format!(
            "default-src 'none'; base-uri 'none'; form-action 'none'; script-src '{}'; style-src '{}'",
            digest(&script),
            digest(STYLE)
        );
        let data = harmless(&self.to_json()?);
        let mut page = String::with_capacity(data.len() + script.len() + 20_000);
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}\
             <script type=\"application/json\" id=\"data\">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n",
            title = escape(&self.title),
            body = self.body(),
        );
        Ok(page)
    }

    /// The content without scripts: heading, sentences, facts, and placeholders for scripts.
    fn body(&self) -> String {
        let paragraphs = |lines: &[String], class: &str| {
            let paragraph = |line: &String| format!("<p{class}>{}</p>\n", escape(line));
            lines.iter().map(paragraph).collect::<Vec<_>>().concat()
        };
        let row = |(name, value): &(String, String)| {
            format!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape(name), escape(value))
        };
        let facts = self.facts.iter().map(row).collect::<Vec<_>>().concat();
        format!(
            "<header>\n<h1>{title}</h1>\n{notes}</header>\n{stream}{findings}<noscript><p>The map and the tables below need \
             JavaScript; it runs from this file alone.</p></noscript>\n<main>\n\
             <section aria-labelledby=\"map-title\">\n<h2 id=\"map-title\">Map of the samples</h2>\n\
             <p class=\"muted\" id=\"map-help\">Samples that the model takes for alike lie close together; lines join nearest \
             neighbors. Point at a sample to see its values, click to pin it; with the keyboard, arrow keys go from the most \
             suspicious sample on, Enter pins, Escape lets go, + and − zoom.</p>\n\
             <div class=\"columns\">\n<div>\n<div id=\"map-place\"></div>\n<ul class=\"legend\" id=\"legend\"></ul>\n\
             <p class=\"muted screen\" id=\"spoken\" aria-live=\"polite\"></p>\n</div>\n<div id=\"pinned-place\"></div>\n</div>\n\
             </section>\n<section id=\"samples\"></section>\n<section id=\"labelled\"></section>\n\
             <section id=\"thresholds\"></section>\n{calibration}\
             <section>\n<details id=\"internals\">\n<summary><h2>The model</h2></summary>\n{sentences}<section id=\"weights\"></section>\n\
             <section id=\"training\"></section>\n<table>\n<caption>Facts of the model, as its file has them</caption>\n<tbody>\n{facts}</tbody>\n\
             </table>\n</details>\n</section>\n</main>\n",
            stream = self.stream.as_ref().map(StreamReport::section).unwrap_or_default(),
            findings = self.findings(),
            calibration = self.calibration(),
            title = escape(&self.title),
            sentences = paragraphs(&self.sentences, ""),
            notes = paragraphs(&self.notes, " class=\"muted\""),
        )
    }
}

impl ReportData {
    /// The distribution of the p-values of the new samples, or of those labelled nominal if labels are known.
    fn calibration(&self) -> String {
        let is_known = self.samples.label.contains('n');
        let new = self.samples.p_value.0.iter().zip(self.samples.label.chars()).skip(self.training);
        let p_values: Vec<f64> =
            new.filter(|(_, label)| !is_known || *label == 'n').map(|(p, _)| *p).collect();
        let own = self.slider.percentiles.get(self.slider.own).copied().unwrap_or(95.0);
        crate::calibration_plot::section(&p_values, 1.0 - own / 100.0, is_known)
    }

    /// Which features contribute to rejection.
    fn importance(&self) -> String {
        let named = self.importance.iter().filter(|(_, share)| *share >= 0.005).take(MAX_IMPORTANT);
        let words: Vec<String> =
            named.map(|(name, share)| format!("<b>{}</b> {:.0} %", escape(name), 100.0 * share)).collect();
        if words.is_empty() {
            return String::new();
        }
        format!("<p>What sets them apart, over all that are rejected: {}.</p>\n", words.join(", "))
    }

    /// The most unusual samples: what they are, why, and how many are like each.
    fn findings(&self) -> String {
        if self.findings.is_empty() {
            return String::new();
        }
        let reason = |f: &FeatureShare| {
            format!(
                "<li><b>{}</b> {} <span class=\"muted\">{}, {:.0} %</span></li>",
                escape(&f.name),
                escape(&f.value),
                escape(&f.usual),
                100.0 * f.share
            )
        };
        let row = |finding: &Finding| {
            let more = match finding.samples.len() {
                1 => String::new(),
                many => format!("<br><span class=\"muted\">and {} like it</span>", many - 1),
            };
            let values: Vec<String> = finding
                .values
                .iter()
                .map(|(name, value)| format!("{} {}", escape(name), escape(value)))
                .collect();
            let verdict = if finding.accepted { "accepted" } else { "rejected" };
            format!(
                "<tr><th scope=\"row\">{}{more}</th><td>{verdict}</td><td class=\"number\">{}</td><td><ul class=\"reasons\">{}</ul></td>\
                 <td class=\"muted\">{}</td></tr>\n",
                escape(&finding.title),
                number(finding.p_value),
                finding.reasons.iter().map(reason).collect::<String>(),
                values.join(", ")
            )
        };
        format!(
            "<section aria-labelledby=\"findings-title\">\n<h2 id=\"findings-title\">The most unusual</h2>\n{}<div class=\"scroll\">\n<table>\n\
             <caption>Most unusual first, similar ones together</caption>\n<thead><tr><th scope=\"col\">sample</th>\
             <th scope=\"col\">decision</th><th scope=\"col\" class=\"number\">p-value</th><th scope=\"col\">what makes it unusual</th>\
             <th scope=\"col\">its values</th></tr></thead>\n<tbody>\n{}</tbody>\n</table>\n</div>\n</section>\n",
            self.importance(),
            self.findings.iter().map(row).collect::<String>()
        )
    }
}

/// The digest by which a policy identifies a script or style.
fn digest(text: &str) -> String {
    format!("sha256-{}", base64(Sha256::digest(text.as_bytes())))
}

/// JSON that cannot be taken for markup, or for a line end by old scripts, and parses to the same data.
fn harmless(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(text, "\\u{:04x}", letter as u32);
            }
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_holds_no_markup() {
        let text = harmless("{\"a\":\"</script><!--&\u{2028}\"}");
        assert_eq!(text, "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\"}");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["a"], "</script><!--&\u{2028}");
    }

    #[test]
    fn scripts_build_pages_from_text_only() {
        for script in SCRIPTS {
            for word in [
                "innerHTML",
                "outerHTML",
                "insertAdjacent",
                "document.write",
                "eval(",
                "http:",
                "https:",
                "fetch(",
            ] {
                let rest = script.replace("http://www.w3.org/2000/svg", "");
                assert!(!rest.contains(word), "{word}");
            }
            assert!(!script.to_lowercase().contains("</script"));
        }
    }
}
