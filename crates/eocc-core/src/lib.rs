//! The inner crate of `eocc`: every stage of the classifier as a module, in the order of the paper `[LA17]`.
//!
//! Users of the library want the crate `eocc`, whose public API is stable. Items are public here only for the other
//! crates of the project, and may change with any version.
//!
//! Read in the order the data flows: [`sample`], [`dissimilarity`], [`prototypes`], [`embedding`], [`knn`], [`partition`],
//! [`entropy`], [`jensen`], [`synthesis`], [`region`], [`centrality`], [`membership`], [`calibration`],
//! [`model`]; and [`kinds`], the registry of kinds of samples.

pub mod atomic;
pub mod calibration;
pub mod centrality;
pub mod decision;
pub mod dissimilarity;
pub mod divergence;
pub mod embedding;
pub mod entropy;
pub mod error;
pub mod file;
pub mod graph;
pub mod graphs;
pub mod jensen;
pub mod kernel;
pub mod kinds;
pub mod knn;
pub mod linear;
pub mod matrix;
pub mod membership;
pub mod memory;
pub mod model;
pub mod mst;
pub(crate) mod numbers;
pub mod observer;
pub mod parallel;
pub mod parameters;
pub mod params;
pub mod partition;
pub mod paths;
mod plan;
pub mod prototypes;
pub mod random;
pub mod region;
pub mod sample;
mod select;
mod sorted;
pub mod spelling;
pub mod stats;
pub mod stream;
pub mod synthesis;
pub mod threads;
mod tree;

pub use calibration::Calibration;
pub use decision::Decision;
pub use dissimilarity::{Dissimilarity, Settings};
pub use error::{Error, ErrorKind, Remedy, Result};
pub use graphs::Graphs;
pub use kinds::{
    AnyDissimilarity, AnyModel, AnySamples, AnyStream, Kind, Kinds, Layout, Part, Record, Records, SampleKind,
};
pub use matrix::Matrix;
pub use model::{Explanation, Model};
pub use observer::{Observer, Progress, Silent};
pub use params::{OneClass, Preset, Representation, Scoring, Threshold, ValidParams};
pub use plan::{Closeness, NeighborSearch, Plan};
pub use prototypes::Prototypes;
pub use sample::{MixedTable, Precomputed, Sample, SampleSet, Series, SeriesSet, Texts, Vectors};
pub use stream::{Stream, StreamParams};
pub use synthesis::{SearchKind, StopReason};
