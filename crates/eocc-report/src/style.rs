//! Colors, markers and text sizes shared by all pictures.

use crate::svg::{PathData, Svg};

/// The font family: the first available one, or any sans-serif.
pub const FONT: &str = "Inter, Helvetica Neue, Arial, sans-serif";

/// Text and axes.
pub const INK: &str = "#222222";
/// Secondary text.
pub const MUTED: &str = "#505050";
/// Grid lines.
pub const GRID: &str = "#e8e8e8";
/// The frame around a plot.
pub const FRAME: &str = "#bbbbbb";

/// The palette of Okabe and Ito (2008), distinguishable with every common type of color vision; the pale yellow and
/// the black come last.
pub const PALETTE: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#444444", "#d9ca1b"];

/// The color of a region; they repeat after eight.
pub fn color(region: usize) -> &'static str {
    PALETTE[region % PALETTE.len()]
}

/// The style of a line of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Text {
    /// Height in pixels.
    pub size: f64,
    /// Color.
    pub fill: &'static str,
    /// `start`, `middle` or `end`.
    pub anchor: &'static str,
    /// Whether the text runs upwards.
    pub is_upright: bool,
}

impl Text {
    /// The title of a picture.
    pub const TITLE: Self = Self { size: 21.0, fill: INK, anchor: "start", is_upright: false };
    /// The subtitle.
    pub const SUBTITLE: Self = Self { size: 14.0, fill: MUTED, anchor: "start", is_upright: false };
    /// The heading of a panel.
    pub const HEADING: Self = Self { size: 15.0, fill: INK, anchor: "start", is_upright: false };
    /// The name of an axis.
    pub const AXIS: Self = Self { size: 13.0, fill: INK, anchor: "middle", is_upright: false };
    /// Tick labels and keys.
    pub const SMALL: Self = Self { size: 12.0, fill: MUTED, anchor: "middle", is_upright: false };

    /// This text with another anchor.
    #[must_use]
    pub const fn anchored(self, anchor: &'static str) -> Self {
        Self { anchor, ..self }
    }

    /// This text running upwards.
    #[must_use]
    pub const fn upright(self) -> Self {
        Self { is_upright: true, ..self }
    }

    /// The width of a text, estimated generously without a font, so that a text that should fit does.
    pub fn width(&self, content: &str) -> f64 {
        let em: f64 = content
            .chars()
            .map(|letter| match letter {
                'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.3,
                ' ' | 'f' | 't' | 'r' | '(' | ')' | '-' => 0.38,
                'm' | 'w' | 'M' | 'W' | '@' | '%' => 0.9,
                'A'..='Z' => 0.68,
                letter if letter.is_ascii() => 0.58,
                '\u{2e80}'..='\u{ffff}' => 1.0,
                _ => 0.65,
            })
            .sum();
        em * self.size
    }

    /// As much of a text as fits into `width`, with an ellipsis at the end if truncated.
    pub fn fitted(&self, content: &str, width: f64) -> String {
        if self.width(content) <= width {
            return content.to_owned();
        }
        let mut kept: String = content.to_owned();
        while kept.pop().is_some() {
            let shortened = format!("{}…", kept.trim_end());
            if self.width(&shortened) <= width {
                return shortened;
            }
        }
        String::new()
    }
}

/// Draws the marker of a region: both color and shape identify it, the latter for color-blind readers.
pub fn marker(svg: &mut Svg, at: [f64; 2], radius: f64, region: usize) {
    // The shape advances by one where the colors repeat, so that the combination repeats only after 32 regions.
    let shape = (region + region / PALETTE.len()) % 4;
    // Radii of about equal area.
    let corners: &[[f64; 2]] = match shape {
        0 => return svg.circle(at, radius, color(region)),
        1 => &[[-0.89, -0.89], [0.89, -0.89], [0.89, 0.89], [-0.89, 0.89]],
        2 => &[[0.0, -1.35], [1.25, 0.85], [-1.25, 0.85]],
        _ => &[[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]],
    };
    let place = |corner: &[f64; 2]| [at[0] + radius * corner[0], at[1] + radius * corner[1]];
    let mut path = PathData::through(corners.iter().map(place));
    path.close();
    svg.element("path", &[("d", path.as_str().into()), ("fill", color(region).into())]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_stay_and_long_ones_end_in_an_ellipsis() {
        assert_eq!(Text::SMALL.fitted("short", 100.0), "short");
        let fitted = Text::SMALL.fitted("a name that is much too long for the place", 100.0);
        assert!(fitted.ends_with('…') && Text::SMALL.width(&fitted) <= 100.0, "{fitted}");
        assert_eq!(Text::SMALL.fitted("anything", 1.0), "");
    }

    #[test]
    fn color_or_shape_differs_between_any_two_of_32_regions() {
        let drawn = |region| {
            let mut svg = Svg::new(1.0, 1.0, "");
            marker(&mut svg, [0.0, 0.0], 1.0, region);
            svg.finish()
        };
        let all: std::collections::BTreeSet<String> = (0..32).map(drawn).collect();
        assert_eq!(all.len(), 32);
    }
}
