//! A stream over time: p-values, the rejected fraction and the statistic of the alarm, with events as lines.

use eocc_core::stream::{Event, EventKind, Period};

use crate::axes::{Area, Axes};
use crate::style::Text;
use crate::svg::{PathData, Svg, escape};

/// Size of the picture.
const WIDTH: f64 = 760.0;
const PANEL: f64 = 170.0;
/// Maximum number of events on the page; the latest ones.
const MAX_LISTED: usize = 50;
/// Statistics are drawn as decimal logarithms; this is the lowest.
const LOWEST: f64 = -4.0;
const LINE: &str = "#0072b2";

/// The part of a report about a stream.
#[derive(Debug, Clone)]
pub struct StreamReport {
    /// The picture, as SVG.
    pub picture: String,
    /// Heading of the picture in words.
    pub sentence: String,
    /// The latest events: what, when, and what to do.
    pub events: Vec<[String; 3]>,
}

impl StreamReport {
    /// Draws a stream; `None` if no sample was judged.
    pub fn new(seen: u64, history: &[Period], events: &[Event]) -> Option<Self> {
        let last = history.last()?;
        let domain = [history[0].start as f64, (last.start + last.count).max(1) as f64];
        let rejected: u64 = history.iter().map(|period| period.rejected).sum();
        let judged: u64 = history.iter().map(|period| period.count).sum();
        let sentence = format!(
            "{seen} samples were seen as a stream; {rejected} of the {judged} judged ones were rejected ({:.1} %).",
            100.0 * rejected as f64 / judged.max(1) as f64
        );
        let latest = events.len().saturating_sub(MAX_LISTED);
        let listed = events[latest..].iter().map(|event| {
            [format!("{} {}", event.kind.name(), event.id), event.time.to_string(), event.advice()]
        });
        Some(Self { picture: picture(history, events, domain), sentence, events: listed.collect() })
    }

    /// As a section of the page.
    pub(crate) fn section(&self) -> String {
        let row = |cells: &[String; 3]| {
            format!(
                "<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td><td>{}</td></tr>\n",
                escape(&cells[0]),
                escape(&cells[1]),
                escape(&cells[2])
            )
        };
        let table = if self.events.is_empty() {
            "<p class=\"muted\">Nothing has happened.</p>\n".to_owned()
        } else {
            format!(
                "<div class=\"scroll\">\n<table>\n<caption>Events, oldest first</caption>\n<thead><tr><th scope=\"col\">event</th>\
                 <th scope=\"col\" class=\"number\">sample</th><th scope=\"col\">what it means</th></tr></thead>\n<tbody>\n{}</tbody>\n\
                 </table>\n</div>\n",
                self.events.iter().map(row).collect::<String>()
            )
        };
        format!(
            "<section aria-labelledby=\"stream-title\">\n<h2 id=\"stream-title\">The stream over time</h2>\n<p>{}</p>\n\
             <div class=\"scroll\">\n{}</div>\n{table}</section>\n",
            escape(&self.sentence),
            self.picture
        )
    }
}

fn picture(history: &[Period], events: &[Event], domain: [f64; 2]) -> String {
    let mut svg = Svg::new(WIDTH, 3.0 * PANEL, "P-values, fraction rejected and alarm statistic over time");
    let area = |panel: usize| Area {
        x: 6.0,
        y: 8.0 + panel as f64 * PANEL,
        width: WIDTH - 12.0,
        height: PANEL - 12.0,
    };
    let p_values = Axes::within(area(0), domain, [0.0, 1.0]);
    cells(&mut svg, &p_values, history);
    marks(&mut svg, &p_values, events);
    p_values.draw(&mut svg, ["sample", "p-value"]);
    let most = history.iter().map(Period::rejected_share).fold(0.05, f64::max);
    let shares = Axes::within(area(1), domain, [0.0, most]);
    shares.draw(&mut svg, ["sample", "fraction rejected"]);
    marks(&mut svg, &shares, events);
    steps(&mut svg, &shares, history, Period::rejected_share);
    let levels = Axes::within(area(2), domain, [LOWEST, 1.0]);
    levels.draw(&mut svg, ["sample", "log10 of statistic"]);
    marks(&mut svg, &levels, events);
    let threshold = levels.y.at(0.0);
    svg.line([levels.plot.x, threshold], [levels.plot.right(), threshold], "#555555", 1.0);
    svg.text([levels.plot.right() - 4.0, threshold - 4.0], Text::SMALL.anchored("end"), "alarm");
    steps(&mut svg, &levels, history, |period| period.level.max(1e-9).log10().clamp(LOWEST, 1.0));
    svg.finish()
}

/// How many p-values fell into each tenth, as shades.
fn cells(svg: &mut Svg, axes: &Axes, history: &[Period]) {
    for period in history {
        let all: u64 = period.p_values.iter().sum();
        let (left, right) = (axes.x.at(period.start as f64), axes.x.at((period.start + period.count) as f64));
        for (bin, &count) in period.p_values.iter().enumerate().filter(|(_, count)| **count > 0) {
            let bins = period.p_values.len() as f64;
            let (top, bottom) = (axes.y.at((bin + 1) as f64 / bins), axes.y.at(bin as f64 / bins));
            // A tenth in each is expected; three tenths and more are darkest.
            let shade = (count as f64 / all.max(1) as f64 / 0.3).min(1.0);
            svg.element(
                "rect",
                &[
                    ("x", left.into()),
                    ("y", top.into()),
                    ("width", (right - left).max(0.5).into()),
                    ("height", (bottom - top).into()),
                    ("fill", LINE.into()),
                    ("fill-opacity", shade.into()),
                ],
            );
        }
    }
}

/// A step per period.
fn steps(svg: &mut Svg, axes: &Axes, history: &[Period], value: impl Fn(&Period) -> f64) {
    let points = history.iter().flat_map(|period| {
        let y = axes.y.at(value(period));
        [[axes.x.at(period.start as f64), y], [axes.x.at((period.start + period.count) as f64), y]]
    });
    let path = PathData::through(points);
    svg.element(
        "path",
        &[
            ("d", path.as_str().into()),
            ("fill", "none".into()),
            ("stroke", LINE.into()),
            ("stroke-width", 1.2.into()),
        ],
    );
}

/// A line per event.
fn marks(svg: &mut Svg, axes: &Axes, events: &[Event]) {
    for event in events {
        let color = match event.kind {
            EventKind::Alarm => "#d55e00",
            EventKind::Lasting => "#cc79a7",
            EventKind::Adapted | EventKind::Recurred => "#009e73",
            EventKind::Proposal => "#e69f00",
            EventKind::Transient => "#999999",
        };
        if let Some(at) = axes.position([event.time as f64, axes.y.domain[0]]) {
            svg.line([at[0], axes.plot.y], [at[0], axes.plot.bottom()], color, 0.8);
        }
    }
}
