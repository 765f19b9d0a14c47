//! A stand-in for rendering in builds without the feature `render`, which brings fonts and forty crates.

use crate::ReportError;
use crate::svg::escape;

/// Fails: this build has no renderer.
pub fn png(_svg: &str, _width: u32) -> Result<Vec<u8>, ReportError> {
    Err(ReportError::NoRenderer("PNG"))
}

/// Fails: this build has no renderer.
pub fn pdf(_svg: &str, _title: &str) -> Result<Vec<u8>, ReportError> {
    Err(ReportError::NoRenderer("PDF"))
}

/// The picture with a title for screen readers; its letters stay text, set in a font of the viewer's machine.
pub fn outlined(svg: &str, title: &str) -> Result<String, ReportError> {
    let title = format!("<title>{}</title>", escape(title));
    let end = svg.find('>').ok_or_else(|| ReportError::NotSvg("no element".into()))?;
    Ok(format!("{}{title}{}", &svg[..=end], &svg[end + 1..]))
}
