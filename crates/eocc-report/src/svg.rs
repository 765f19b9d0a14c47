//! A small SVG writer: escaped, rounded, deterministic.

use std::fmt::Write;

use crate::style::{FONT, Text};

/// An SVG document under construction, element by element.
#[derive(Debug, Clone)]
pub struct Svg {
    width: f64,
    height: f64,
    body: String,
    groups: usize,
}

/// The value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// Written with at most two decimals.
    Number(f64),
    /// Escaped.
    Text(&'a str),
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl Svg {
    /// An empty document of the given size on a white page, with a title for accessibility.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self { width, height, body: String::new(), groups: 0 };
        svg.push(&format!("<title>{}</title>", escape(title)));
        svg.element(
            "rect",
            &[("width", width.into()), ("height", height.into()), ("fill", "#ffffff".into())],
        );
        svg
    }

    /// Adds an element without content.
    pub fn element(&mut self, name: &str, attributes: &[(&str, Value<'_>)]) {
        let attributes = written(attributes);
        self.push(&format!("<{name}{attributes}/>"));
    }

    /// Opens a group whose attributes apply to all elements until [`Svg::close`].
    pub fn open(&mut self, attributes: &[(&str, Value<'_>)]) {
        let attributes = written(attributes);
        self.push(&format!("<g{attributes}>"));
        self.groups += 1;
    }

    /// Closes the group opened last; does nothing if none is open.
    pub fn close(&mut self) {
        if self.groups > 0 {
            self.groups -= 1;
            self.push("</g>");
        }
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], stroke: &str, width: f64) {
        self.element(
            "line",
            &[
                ("x1", from[0].into()),
                ("y1", from[1].into()),
                ("x2", to[0].into()),
                ("y2", to[1].into()),
                ("stroke", stroke.into()),
                ("stroke-width", width.into()),
            ],
        );
    }

    /// Adds a filled circle; outline and opacity come from the group around it.
    pub fn circle(&mut self, center: [f64; 2], radius: f64, fill: &str) {
        self.element(
            "circle",
            &[
                ("cx", center[0].into()),
                ("cy", center[1].into()),
                ("r", radius.into()),
                ("fill", fill.into()),
            ],
        );
    }

    /// Adds a line of text with its anchor at `at`.
    pub fn text(&mut self, at: [f64; 2], style: Text, content: &str) {
        let rotation = format!("rotate(-90 {} {})", number(at[0]), number(at[1]));
        let mut attributes = vec![
            ("x", at[0].into()),
            ("y", at[1].into()),
            ("font-size", style.size.into()),
            ("fill", style.fill.into()),
            ("text-anchor", style.anchor.into()),
        ];
        if style.is_upright {
            attributes.push(("transform", rotation.as_str().into()));
        }
        let attributes = written(&attributes);
        self.push(&format!("<text{attributes}>{}</text>", escape(content)));
    }

    /// The whole document.
    pub fn finish(mut self) -> String {
        while self.groups > 0 {
            self.close();
        }
        let (width, height) = (number(self.width), number(self.height));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FONT}\" role=\"img\">\n{}</svg>\n",
            self.body
        )
    }

    fn push(&mut self, line: &str) {
        self.body.push_str(line);
        self.body.push('\n');
    }
}

/// The `d` attribute of a path, built point by point.
#[derive(Debug, Clone, Default)]
pub struct PathData(String);

impl PathData {
    /// A path without points.
    pub fn new() -> Self {
        Self::default()
    }

    /// A stroke from point to point.
    pub fn through(points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let mut path = Self::new();
        for (i, at) in points.into_iter().enumerate() {
            path.push(if i == 0 { 'M' } else { 'L' }, at);
        }
        path
    }

    /// Starts a new stroke.
    pub fn move_to(&mut self, at: [f64; 2]) -> &mut Self {
        self.push('M', at)
    }

    /// Draws a straight line from where the path ended.
    pub fn line_to(&mut self, at: [f64; 2]) -> &mut Self {
        self.push('L', at)
    }

    /// Returns to where the stroke started.
    pub fn close(&mut self) -> &mut Self {
        self.0.push('Z');
        self
    }

    /// The text of the attribute.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn push(&mut self, command: char, at: [f64; 2]) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = write!(self.0, "{command}{} {}", number(at[0]), number(at[1]));
        self
    }
}

/// A number with at most two decimals, no trailing zeros and no negative zero; NaN and infinity become 0.
pub fn number(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text safe inside an element and inside a quoted attribute; characters that XML forbids become U+FFFD.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(letter),
        }
    }
    escaped
}

fn written(attributes: &[(&str, Value<'_>)]) -> String {
    let mut text = String::new();
    for (name, value) in attributes {
        let value = match value {
            Value::Number(value) => number(*value),
            Value::Text(value) => escape(value),
        };
        let _ = write!(text, " {name}=\"{value}\"");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_nan() {
        let written = [1.0, 1.239, -0.001, 100.0, -2.5, f64::NAN, f64::INFINITY].map(number);
        assert_eq!(written, ["1", "1.24", "0", "100", "-2.5", "0", "0"]);
    }

    #[test]
    fn text_is_escaped() {
        assert_eq!(escape("a<b & \"c\"\u{1}\n"), "a&lt;b &amp; &quot;c&quot;\u{fffd} ");
    }

    #[test]
    fn open_groups_are_closed_at_the_end() {
        let mut svg = Svg::new(10.0, 5.0, "t");
        svg.open(&[("opacity", 0.5.into())]);
        svg.circle([1.0, 2.0], 3.0, "red");
        let text = svg.finish();
        assert!(text.ends_with("<circle cx=\"1\" cy=\"2\" r=\"3\" fill=\"red\"/>\n</g>\n</svg>\n"), "{text}");
    }

    #[test]
    fn paths_match_hand_computation() {
        let mut path = PathData::new();
        path.move_to([0.0, 1.0]).line_to([2.5, -3.0]).close();
        assert_eq!(path.as_str(), "M0 1L2.5 -3Z");
    }
}
