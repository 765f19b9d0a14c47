//! SVG text to PDF bytes, and to SVG without text.
//!
//! Our pictures contain paths, plain colors, opacity and dashes, and letters, which the parser turns into outlines.
//! So no fonts are needed to view or publish them, but the words of a picture cannot be searched.

use std::fmt::Write as _;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use resvg::tiny_skia::{PathSegment, Point, Transform};
use resvg::usvg::{FillRule, Group, Node, Paint, Path, WriteOptions};

use crate::ReportError;
use crate::png::parsed;
use crate::svg::escape;

/// Points per unit: a page of 360 units is 88 mm wide.
const SCALE: f32 = 88.0 / 25.4 * 72.0 / 360.0;

/// The picture with its letters as outlines, and a title for accessibility.
pub fn outlined(svg: &str, title: &str) -> Result<String, ReportError> {
    let options = WriteOptions { coordinates_precision: 3, ..WriteOptions::default() };
    let text = parsed(svg)?.to_string(&options);
    let title = format!("<title>{}</title>", escape(title));
    Ok(match text.find('>') {
        Some(end) => format!("{}{title}{}", &text[..=end], &text[end + 1..]),
        None => text,
    })
}

/// The picture as a PDF of one page.
pub fn pdf(svg: &str, title: &str) -> Result<Vec<u8>, ReportError> {
    let tree = parsed(svg)?;
    let (width, height) = (tree.size().width() * SCALE, tree.size().height() * SCALE);
    let mut page = Page::default();
    // The y axis points up in PDF.
    let _ = writeln!(page.content, "{SCALE} 0 0 {} 0 {height} cm", -SCALE);
    page.group(tree.root(), 1.0);
    file(&page, width, height, title).map_err(|fault| ReportError::Encoding(fault.to_string()))
}

/// The operators of a page, and the pairs of opacities it uses.
#[derive(Default)]
struct Page {
    content: String,
    opacities: Vec<(u32, u32)>,
}

impl Page {
    fn group(&mut self, group: &Group, opacity: f32) {
        let opacity = opacity * group.opacity().get();
        for child in group.children() {
            match child {
                Node::Group(group) => self.group(group, opacity),
                Node::Path(path) => self.path(path, opacity),
                Node::Text(text) => self.group(text.flattened(), opacity),
                Node::Image(_) => {}
            }
        }
    }

    fn path(&mut self, path: &Path, opacity: f32) {
        let plain = |paint: &Paint| match paint {
            Paint::Color(c) => Some([c.red, c.green, c.blue].map(|v| f32::from(v) / 255.0)),
            _ => None,
        };
        let fill = path.fill().and_then(|f| Some((plain(f.paint())?, f.opacity().get(), f.rule())));
        let stroke = path.stroke().and_then(|s| Some((plain(s.paint())?, s.opacity().get(), s)));
        if !path.is_visible() || (fill.is_none() && stroke.is_none()) {
            return;
        }
        let thousandths = |share: f32| (share * opacity * 1000.0).round() as u32;
        let pair = (fill.map_or(1000, |f| thousandths(f.1)), stroke.map_or(1000, |s| thousandths(s.1)));
        let state = self.opacities.iter().position(|p| *p == pair).unwrap_or_else(|| {
            self.opacities.push(pair);
            self.opacities.len() - 1
        });
        let out = &mut self.content;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "q /G{state} gs");
        let t = path.abs_transform();
        if let Some(([r, g, b], ..)) = fill {
            let _ = writeln!(out, "{r:.3} {g:.3} {b:.3} rg");
        }
        if let Some(([r, g, b], _, stroke)) = stroke {
            let scale = (t.sx * t.sy - t.kx * t.ky).abs().sqrt();
            let dashes = stroke.dasharray().unwrap_or(&[]);
            let dashes: Vec<String> = dashes.iter().map(|d| format!("{:.2}", d * scale)).collect();
            let _ = writeln!(
                out,
                "{r:.3} {g:.3} {b:.3} RG {:.3} w [{}] {:.2} d",
                stroke.width().get() * scale,
                dashes.join(" "),
                stroke.dashoffset() * scale
            );
        }
        segments(out, path, t);
        let is_even_odd = fill.is_some_and(|f| f.2 == FillRule::EvenOdd);
        let operator = match (fill.is_some(), stroke.is_some()) {
            (true, true) if is_even_odd => "B*",
            (true, true) => "B",
            (true, false) if is_even_odd => "f*",
            (true, false) => "f",
            _ => "S",
        };
        let _ = writeln!(out, "{operator} Q");
    }
}

/// The segments of a path; PDF has no quadratic curves.
fn segments(out: &mut String, path: &Path, t: Transform) {
    let mapped = |p: Point| {
        let mut p = p;
        t.map_point(&mut p);
        p
    };
    let mut last = Point::zero();
    for segment in path.data().segments() {
        let _ = match segment {
            PathSegment::MoveTo(p) => {
                last = p;
                let p = mapped(p);
                writeln!(out, "{:.2} {:.2} m", p.x, p.y)
            }
            PathSegment::LineTo(p) => {
                last = p;
                let p = mapped(p);
                writeln!(out, "{:.2} {:.2} l", p.x, p.y)
            }
            PathSegment::QuadTo(c, p) => {
                let third =
                    |a: Point| Point::from_xy(a.x + 2.0 / 3.0 * (c.x - a.x), a.y + 2.0 / 3.0 * (c.y - a.y));
                let [a, b, end] = [third(last), third(p), p].map(mapped);
                last = p;
                writeln!(out, "{:.2} {:.2} {:.2} {:.2} {:.2} {:.2} c", a.x, a.y, b.x, b.y, end.x, end.y)
            }
            PathSegment::CubicTo(a, b, p) => {
                last = p;
                let [a, b, end] = [a, b, p].map(mapped);
                writeln!(out, "{:.2} {:.2} {:.2} {:.2} {:.2} {:.2} c", a.x, a.y, b.x, b.y, end.x, end.y)
            }
            PathSegment::Close => writeln!(out, "h"),
        };
    }
}

/// The file around a page: objects, where each starts, and the trailer. No date, so that the same picture gives the same bytes.
fn file(page: &Page, width: f32, height: f32, title: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(page.content.as_bytes())?;
    let content = encoder.finish()?;
    let states: Vec<String> = (page.opacities.iter().enumerate())
        .map(|(i, (fill, stroke))| {
            format!("/G{i} << /ca {:.3} /CA {:.3} >>", f64::from(*fill) / 1000.0, f64::from(*stroke) / 1000.0)
        })
        .collect();
    let title = title.encode_utf16().map(|unit| format!("{unit:04X}")).collect::<Vec<_>>().concat();
    let stream = format!("<< /Length {} /Filter /FlateDecode >>\nstream\n", content.len()).into_bytes();
    let objects: [Vec<u8>; 5] = [
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.2} {height:.2}] /Contents 4 0 R /Resources << /ExtGState << {} >> >> >>",
            states.join(" ")
        )
        .into_bytes(),
        [stream.as_slice(), content.as_slice(), b"\nendstream"].concat(),
        format!("<< /Title <FEFF{title}> /Producer (eocc) >>").into_bytes(),
    ];
    let mut out = b"%PDF-1.5\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut starts = Vec::new();
    for (i, object) in objects.iter().enumerate() {
        starts.push(out.len());
        out.extend(format!("{} 0 obj\n", i + 1).into_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let table = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", starts.len() + 1).into_bytes());
    for start in &starts {
        out.extend(format!("{start:010} 00000 n \n").into_bytes());
    }
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{table}\n%%EOF\n",
        starts.len() + 1
    );
    out.extend(trailer.into_bytes());
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PICTURE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="360" height="180"><rect width="50" height="20" fill="#ff0000" fill-opacity="0.5"/><text x="9" y="50" font-family="sans-serif">word</text></svg>"##;

    #[test]
    fn one_column_wide_and_every_object_where_the_table_says() {
        let bytes = pdf(PICTURE, "a title").unwrap();
        assert_eq!(bytes, pdf(PICTURE, "a title").unwrap());
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.contains("/MediaBox [0 0 249.45 124.72]"), "{text}");
        assert!(text.contains("/ca 0.500") && !text.contains("/Font"));
        let table = bytes.windows(6).rposition(|w| w == b"xref\n0").unwrap();
        let rows = String::from_utf8_lossy(&bytes[table..]).into_owned();
        for (i, row) in rows.lines().skip(3).take(5).enumerate() {
            let start: usize = row[..10].parse().unwrap();
            assert!(bytes[start..].starts_with(format!("{} 0 obj", i + 1).as_bytes()), "{row}");
        }
    }

    #[test]
    fn letters_become_outlines() {
        let text = outlined(PICTURE, "a < b").unwrap();
        assert!(
            text.contains("<title>a &lt; b</title>") && !text.contains("<text") && text.contains("<path")
        );
    }
}
