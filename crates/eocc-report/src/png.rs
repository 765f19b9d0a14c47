//! SVG text to PNG bytes.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use crate::ReportError;

/// Maximum length of either side of a bitmap: a stray zero in a width should not exhaust the memory.
const MAX_SIDE: u32 = 20_000;

/// Renders a picture `width` pixels wide, its height in proportion, on white.
///
/// Text uses the built-in font of this crate, whatever fonts are installed.
pub fn png(svg: &str, width: u32) -> Result<Vec<u8>, ReportError> {
    let tree = parsed(svg)?;
    let scale = f64::from(width) / f64::from(tree.size().width());
    let height = (f64::from(tree.size().height()) * scale).ceil();
    let too_large = || ReportError::Size { width, height };
    if width > MAX_SIDE || height > f64::from(MAX_SIDE) {
        return Err(too_large());
    }
    let mut pixmap = Pixmap::new(width, height as u32).ok_or_else(too_large)?;
    pixmap.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale as f32, scale as f32), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|fault| ReportError::Encoding(fault.to_string()))
}

/// A picture whose letters are outlines of the built-in fonts.
pub(crate) fn parsed(svg: &str) -> Result<usvg::Tree, ReportError> {
    let options = usvg::Options { fontdb: Arc::new(fonts()), ..usvg::Options::default() };
    usvg::Tree::from_str(svg, &options).map_err(|fault| ReportError::NotSvg(fault.to_string()))
}

/// The built-in sans-serif font, and a fallback for the letters it does not have.
fn fonts() -> fontdb::Database {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    let family = fonts.faces().next().and_then(|face| face.families.first()).map(|family| family.0.clone());
    if let Some(family) = family {
        fonts.set_sans_serif_family(family);
    }
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = r#"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><rect width="20" height="10" fill="red"/></svg>"#;

    #[test]
    fn size_is_in_the_header() {
        let bytes = png(SQUARE, 40).unwrap();
        assert_eq!(&bytes[..8], b"\x89PNG\r\n\x1a\n");
        assert_eq!(&bytes[16..24], [0, 0, 0, 40, 0, 0, 0, 20]);
    }

    #[test]
    fn text_leaves_marks() {
        let page = |words: &str| {
            format!(
                r#"<svg xmlns="http://www.w3.org/2000/svg" width="80" height="20"><text x="2" y="15" font-family="sans-serif">{words}</text></svg>"#
            )
        };
        assert_ne!(png(&page("abc"), 80).unwrap(), png(&page(""), 80).unwrap());
        assert_ne!(png(&page("χ"), 80).unwrap(), png(&page("μ"), 80).unwrap());
    }

    #[test]
    fn faults_are_typed() {
        assert!(matches!(png("not a picture", 10), Err(ReportError::NotSvg(_))));
        assert!(matches!(png(SQUARE, 0), Err(ReportError::Size { .. })));
        assert!(matches!(png(SQUARE, 1_000_000), Err(ReportError::Size { .. })));
    }
}
