//! The classifiers that EOCC-MI is compared with, and EOCC-MI itself, behind one trait.
//!
//! Each is fitted on nominal samples alone and gives scores, where larger is more nominal. Some need vectors of
//! numbers; most need only dissimilarities among the samples, so that they run on strings, sequences and graphs too.
//!
//! ```
//! use eocc_core::{Kind, Preset, Settings, Silent, Vectors};
//! use eocc_baselines::{Options, Training, method};
//!
//! let rows: Vec<[f64; 2]> = (0..40).map(|i| [f64::from(i % 8), f64::from(i / 8)]).collect();
//! let samples = Vectors::from_rows(&rows)?;
//! let measure = Kind::new::<Vectors>().measure(Preset::Paper, Some("euclidean"), &Settings::default())?;
//! let training = Training::new(samples, measure, 0)?;
//! let classifier = method("mst_cd")?.classifier(Kind::new::<Vectors>(), &Options::default())?;
//! let scorer = classifier.fit(&training, &Silent)?;
//! let tests = training.tests(Vectors::from_rows(&[[3.0, 2.0], [30.0, 2.0]])?)?;
//! let scores = scorer.scores(&tests, &Silent)?;
//! assert!(scores[0] > scores[1]);
//! # Ok::<(), eocc_core::Error>(())
//! ```
//!
//! # Where the definitions come from
//!
//! `dd_tools` 2 (D. M. J. Tax, Delft University of Technology) is the reference for those it contains, with its
//! defaults; scikit-learn for isolation forest and LOF. Reject rates only move a threshold, which scores do not have,
//! except in SVDD and LPDD, where 0.1 is a parameter of the optimization. The page of each classifier says what it
//! computes, and how it differs from its reference.
//!
//! # Limits
//!
//! - Everything is stored in dense matrices: `8 n^2` bytes for `n` nominals, once per fold.
//! - The fixed widths (SVDD 5, MPM 1, LPDD 1) are those of the reference, and at best suit features of about unit
//!   variance.

mod auto_encoder;
mod bisection;
mod chameleon;
mod classifier;
mod dimension;
mod dte_np;
mod eocc_1;
mod eocc_2;
mod eocc_classifier;
mod gauss;
mod isolation_forest;
mod k_centres;
mod k_means;
mod k_nn;
mod k_nn_mean;
mod kernel;
pub mod linear_algebra;
mod lof;
mod lpdd;
mod mixture;
mod mpm;
mod mst_cd;
mod naive_parzen;
mod one_nn;
mod parzen;
mod pca;
mod registry;
mod som;
mod stopwatch;
mod svdd;
#[cfg(test)]
mod testing;
mod tree_model;

pub use auto_encoder::AutoEncoder;
pub use chameleon::Chameleon;
pub use classifier::{Classifier, Judgement, Learner, Rule, Scorer, Tests, Training, TrainingTable};
pub use dimension::intrinsic_dimension;
pub use dte_np::DteNp;
pub use eocc_1::Eocc1;
pub use eocc_2::Eocc2;
pub use gauss::Gauss;
pub use isolation_forest::IsolationForest;
pub use k_centres::KCentres;
pub use k_means::KMeans;
pub use k_nn::KNn;
pub use k_nn_mean::KNnMean;
pub use lof::Lof;
pub use lpdd::Lpdd;
pub use mixture::{Mixture, Start};
pub use mpm::Mpm;
pub use mst_cd::MstCd;
pub use naive_parzen::NaiveParzen;
pub use one_nn::OneNn;
pub use parzen::Parzen;
pub use pca::Pca;
pub use registry::{
    METHODS, Method, NamedMeasure, Needs, Options, Origin, Recipe, method, named, named_among,
};
pub use som::Som;
pub use stopwatch::Stopwatch;
pub use svdd::Svdd;
