//! Errors of rendering pictures.

use std::fmt;

/// A picture that could not be turned into a bitmap.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReportError {
    /// The text is not an SVG picture; the parser's message.
    NotSvg(String),
    /// The bitmap would have no pixels, or too many.
    Size {
        /// Requested width, in pixels.
        width: u32,
        /// The resulting height.
        height: f64,
    },
    /// This build has no renderer for this format.
    NoRenderer(&'static str),
    /// The bitmap could not be encoded; the encoder's message.
    Encoding(String),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotSvg(words) => write!(f, "the picture is not valid SVG: {words}"),
            Self::Size { width, height } => {
                write!(f, "the bitmap is {width} x {height} pixels, but must be in 1..=20000 each way")
            }
            Self::NoRenderer(format) => write!(
                f,
                "this build writes pictures as SVG only; for {format}, install eocc with `cargo install --path crates/eocc-cli --features render`"
            ),
            Self::Encoding(words) => write!(f, "the bitmap could not be encoded as PNG: {words}"),
        }
    }
}

impl std::error::Error for ReportError {}
