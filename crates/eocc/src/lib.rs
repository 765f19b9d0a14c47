//! One-class classification by entropic spanning graphs, for any data that has a dissimilarity.
//!
//! There are examples of what is nominal and none of anything else. Of each new sample: does it belong, how surely,
//! and to which part of the nominals? The method is EOCC-MI of Livi and Alippi, cited as `[LA17]` throughout:
//!
//! 1. A [dissimilarity] `d(x, r; p)` compares samples; `p` are its parameters, weights of features say.
//! 2. Dissimilarities to [prototypes] embed every sample as a [point](embedding) (or the next step takes the
//!    dissimilarity as it is).
//! 3. A [kNN graph](knn) spans the points. Its [components](partition) are the regions, and their number depends
//!    on `k`.
//! 4. `k` and `p` are chosen so that the parts are as independent as possible: the smallest
//!    [`eta = 1 / (1 + dH)`](jensen), `dH` the alpha-Jensen difference of [Rényi entropies](entropy) that the lengths of
//!    the graph estimate. The search over `p` is the [synthesis].
//! 5. How [central](centrality) a sample is in the graph of a region gives its degree of [membership].
//!
//! # An example
//!
//! Two clusters, learnt without being told that there are two:
//!
//! ```
//! use eocc::dissimilarity::Minkowski;
//! use eocc::random::Random;
//! use eocc::{OneClassParams, Preset, Vectors};
//!
//! let mut random = Random::new(1);
//! let rows: Vec<[f64; 2]> = (0..100)
//!     .map(|i| if i < 60 { [random.normal(), random.normal()] } else { [20.0 + random.normal(), random.normal()] })
//!     .collect();
//! let samples = Vectors::from_rows(&rows)?;
//!
//! let params = OneClassParams::new(Preset::Paper).seed(7).check()?;
//! let model = params.fit(&samples, Box::new(Minkowski::euclidean()))?.model;
//! let sizes: Vec<usize> = model.regions().iter().map(|r| r.size()).collect();
//! assert_eq!(sizes, [60, 40]);
//!
//! let inside = model.decide(&[0.1, -0.2])?;
//! let between = model.decide(&[10.0, 0.0])?;
//! assert!(inside.accepted && !between.accepted);
//! assert!(inside.membership > between.membership && inside.score > between.score);
//! # Ok::<(), eocc::Error>(())
//! ```
//!
//! # Samples of your own
//!
//! Any type will do, with a function that compares two of them:
//!
//! ```
//! use eocc::dissimilarity::Own;
//! use eocc::OneClassParams;
//!
//! let words: Vec<String> = ["cat", "cart", "care", "core", "cord", "card", "car"].map(String::from).to_vec();
//! let differing = Own::new(|a: &String, b: &String| {
//!     let common = a.chars().zip(b.chars()).filter(|(x, y)| x == y).count();
//!     (a.len().max(b.len()) - common) as f64
//! });
//! let model = OneClassParams::default().check()?.fit(&words, Box::new(differing))?.model;
//! let near = model.decide(&"cars".to_string())?;
//! let far = model.decide(&"hippopotamus".to_string())?;
//! assert!(near.score > far.score);
//! # Ok::<(), eocc::Error>(())
//! ```
//!
//! # What comes out
//!
//! A [`Decision`] for each sample: a `score` (larger is more nominal, without bound), a `membership` in [0, 1],
//! `accepted`, the `region`, and a `p_value`. The same seed gives the same bytes, whatever the number of threads.
//!
//! # Limits
//!
//! - The paper's objective ranks partitions, not accuracies; see DESIGN.md for what was measured.
//! - `Preset::Paper` needs memory and time that grow with the square of the number of samples.
//! - P-values hold for samples exchangeable with the training set. With `Preset::Paper` they are in-sample ranks,
//!   without a guarantee.
//! - The tests compare with slow references and closed forms; they do not prove that the references read the paper
//!   as its authors meant it. Where it is silent or slips, DESIGN.md says how we read it.
//!
//! # References
//!
//! - `[LA17]` L. Livi, C. Alippi, "One-Class Classifiers Based on Entropic Spanning Graphs", IEEE TNNLS 28(12), 2017,
//!   doi:10.1109/TNNLS.2016.2608983.
//! - A. Hero, B. Ma, O. Michel, J. Gorman, "Applications of entropic spanning graphs", IEEE Signal Processing Magazine
//!   19(5), 2002.

pub mod atomic;
pub mod centrality;
mod correlation;
pub mod decision;
pub mod dissimilarity;
pub mod divergence;
mod edges;
pub mod embedding;
pub mod entropy;
pub mod error;
pub mod graph;
pub mod graphs;
pub mod jensen;
pub mod kernel;
pub mod knn;
pub mod matrix;
pub mod membership;
pub mod memory;
pub mod model;
pub mod mst;
pub mod observer;
pub mod params;
pub mod partition;
pub mod paths;
pub mod prototypes;
pub mod random;
pub mod region;
pub mod sample;
pub mod stats;
pub mod synthesis;

pub use decision::Decision;
pub use dissimilarity::{Catalogue, Dissimilarity, Settings};
pub use error::{Error, ErrorKind, Result};
pub use graphs::Graphs;
pub use matrix::Matrix;
pub use model::{AnyModel, Committee, Explanation, Members, Model, Store, Trained};
pub use observer::{Observer, Progress, Silent};
pub use params::{OneClassParams, Preset, Representation, Scoring, Threshold, ValidParams};
pub use prototypes::Prototypes;
pub use sample::{
    AnySamples, MixedTable, Precomputed, Record, Records, SampleSet, Series, SeriesSet, Texts, Vectors,
};
pub use synthesis::{SearchKind, StopReason};

/// The code of the README runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
