//! Pictures are reproducible, well-formed, and never contain NaN or infinity.

use eocc_report::{ModelPicture, png};
use resvg::usvg;

/// An empty picture, to be filled in.
const EMPTY: ModelPicture<'_> = ModelPicture {
    title: "title",
    subtitle: "",
    points: &[],
    edges: &[],
    region: &[],
    membership: &[],
    differences: &[],
    thresholds: &[],
    axis_names: ["x", "y"],
};

/// The text of a picture, after the checks that hold for all.
fn checked(picture: &ModelPicture<'_>) -> String {
    let svg = picture.svg();
    assert_eq!(svg, picture.svg());
    usvg::Tree::from_str(&svg, &usvg::Options::default()).expect("well-formed SVG");
    for word in ["NaN", "inf", "-0\""] {
        assert!(!svg.contains(word), "{word} in {svg}");
    }
    svg
}

#[test]
fn nothing_at_all() {
    checked(&EMPTY);
}

#[test]
fn one_point() {
    let svg = checked(&ModelPicture {
        points: &[[3.0, -7.0]],
        region: &[0],
        membership: &[1.0],
        differences: &[0.0],
        thresholds: &[0.0],
        ..EMPTY
    });
    assert!(svg.contains("region 0 (n = 1)"));
}

#[test]
fn equal_points_and_constant_differences() {
    checked(&ModelPicture {
        points: &[[1e6, 0.0]; 5],
        edges: &[(0, 1), (3, 4)],
        region: &[0; 5],
        membership: &[1.0; 5],
        differences: &[2.5; 5],
        thresholds: &[2.5],
        ..EMPTY
    });
}

#[test]
fn an_empty_region_is_in_the_legend_but_has_no_curve() {
    let svg = checked(&ModelPicture {
        points: &[[0.0, 0.0], [1.0, 1.0], [2.0, 0.5]],
        edges: &[(0, 1), (1, 2), (0, 99)],
        region: &[0, 0, 2],
        membership: &[0.5, 1.0, 1.0],
        differences: &[0.4, 0.0, 0.1],
        thresholds: &[0.2, f64::NAN, 0.1],
        ..EMPTY
    });
    assert!(svg.contains("region 1 (n = 0)") && svg.contains("region 2 (n = 1)"));
}

#[test]
fn numbers_that_are_none_and_slices_that_are_too_short() {
    checked(&ModelPicture {
        points: &[[f64::NAN, 0.0], [1.0, f64::INFINITY], [2.0, 0.5], [1e308, -1e308]],
        edges: &[(0, 1), (1, 2), (2, 3)],
        region: &[0],
        membership: &[f64::NAN, 7.0, -3.0],
        differences: &[f64::NAN, f64::INFINITY],
        thresholds: &[f64::INFINITY],
        ..EMPTY
    });
}

#[test]
fn titles_and_names_are_escaped() {
    let svg = checked(&ModelPicture {
        title: "a < b & \"c\" > 'd' \u{0}",
        subtitle: "<script>",
        axis_names: ["<x>", "y & z"],
        ..EMPTY
    });
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;") && !svg.contains("<script>"));
}

#[test]
fn the_same_picture_gives_the_same_bitmap() {
    let points: Vec<[f64; 2]> = (0..50).map(|i| [f64::from(i).sin(), f64::from(i).cos()]).collect();
    let svg = checked(&ModelPicture { points: &points, ..EMPTY });
    assert_eq!(png(&svg, 300).unwrap(), png(&svg, 300).unwrap());
}
