//! Pictures of one-class models.
//!
//! Every picture is a pure function from plain slices to SVG text: the same input gives the same bytes. With the
//! feature `render`, [`png`] turns that text into a bitmap with a built-in font, so that labels appear on machines
//! without fonts.
//!
//! ```
//! use eocc_report::ModelPicture;
//!
//! let picture = ModelPicture {
//!     title: "three samples",
//!     subtitle: "k = 1, one region",
//!     points: &[[0.0, 0.0], [1.0, 0.5], [2.0, 0.0]],
//!     edges: &[(0, 1), (1, 2)],
//!     region: &[0, 0, 0],
//!     membership: &[0.6, 1.0, 0.6],
//!     differences: &[0.2, 0.0, 0.2],
//!     thresholds: &[0.2],
//!     axis_names: ["x", "y"],
//! };
//! let svg = picture.svg();
//! assert!(svg.starts_with("<svg"));
//! if eocc_report::CAN_RENDER {
//!     let bitmap = eocc_report::png(&svg, 600)?;
//!     assert_eq!(&bitmap[1..4], b"PNG");
//! }
//! # Ok::<(), eocc_report::ReportError>(())
//! ```
//!
//! From the bottom up: [`svg`] writes elements, [`style`] holds colors and fonts, [`scale`] and [`axes`] map numbers
//! to positions, [`panels`] draws one plot each, [`ModelPicture`] puts three of them side by side. [`RankPicture`]
//! draws how classifiers compare, and [`RankingFigures`] all figures of a comparison.

pub mod axes;
mod calibration_plot;
mod error;
pub mod findings;
pub mod kernel_density;
pub mod legend;
mod model_picture;
pub mod outliers;
mod page;
pub mod panels;
#[cfg(feature = "render")]
mod pdf;
pub mod pictures;
#[cfg(feature = "render")]
mod png;
mod rank_picture;
mod ranking_figures;
pub mod report;
pub mod scale;
pub mod stream;
pub mod style;
pub mod svg;
#[cfg(not(feature = "render"))]
mod svg_only;
pub mod why;

/// Whether this build renders PNG and PDF; without the feature `render` pictures are SVG.
pub const CAN_RENDER: bool = cfg!(feature = "render");

pub use error::ReportError;
pub use model_picture::ModelPicture;
#[cfg(feature = "render")]
pub use pdf::{outlined, pdf};
pub use pictures::Figure;
#[cfg(feature = "render")]
pub use png::png;
pub use rank_picture::RankPicture;
pub use ranking_figures::RankingFigures;
pub use report::{NewSamples, ReportData};
#[cfg(not(feature = "render"))]
pub use svg_only::{outlined, pdf, png};
