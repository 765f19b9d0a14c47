//! One-class classification for any data that has a dissimilarity.
//!
//! Given examples of what is nominal and nothing else, decide for each new sample: does it belong, how surely, and to
//! which part of the nominals?
//!
//! [`Preset::Default`] measures how far a sample is from its nearest training samples in several views of the data. It
//! combines these distances by how far out each lies among those of the training samples. Training samples that lie far
//! out are excluded as neighbors (`OneClass::contamination`).
//!
//! [`Preset::Paper`] is EOCC-MI of Livi and Alippi, cited as `[LA17]` throughout:
//!
//! 1. A [`Dissimilarity`] `d(x, r; p)` compares samples; `p` are its parameters, such as feature weights.
//! 2. Dissimilarities to prototypes embed every sample as a point (or the next step uses the dissimilarity directly).
//! 3. A kNN graph spans the points. Its components are the regions, and their number depends on `k`.
//! 4. `k` and `p` are chosen so that the parts are as independent as possible: the smallest `eta = 1 / (1 + dH)`,
//!    where `dH` is the alpha-Jensen difference of Rényi [entropies](entropy) estimated from the edge lengths of the
//!    graph.
//! 5. The centrality of a sample in the graph of a region gives its degree of membership.
//!
//! Both find regions in this way.
//!
//! # An example
//!
//! Two clusters; their number is not given:
//!
//! ```
//! use eocc::{OneClass, Preset, Vectors};
//!
//! # let mut state = 7_u64;
//! # let mut uniform = || {
//! #     state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
//! #     (state >> 11) as f64 / (1_u64 << 53) as f64
//! # };
//! // A random number around 0.
//! let mut normal = || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
//! let rows: Vec<[f64; 2]> =
//!     (0..100).map(|i| [normal() + if i < 60 { 0.0 } else { 20.0 }, normal()]).collect();
//! let samples = Vectors::from_rows(&rows)?;
//!
//! let model = OneClass::new(Preset::Paper).seed(7).fit(&samples)?;
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
//! [`Vectors`], [`MixedTable`], [`Texts`], [`SeriesSet`], [`Graphs`], [`Records`] of several of them, and matrices of
//! dissimilarities, [`Precomputed`], are all fitted in the same way. [`AnySamples`] and [`AnyModel`] are for programs
//! that know the kind of samples only at run time. A new kind of samples is an `impl` of [`SampleKind`].
//!
//! # A custom dissimilarity
//!
//! Any type works, with a function that compares two samples:
//!
//! ```
//! use eocc::dissimilarity::CustomDissimilarity;
//! use eocc::{OneClass, Silent};
//!
//! let words: Vec<String> = ["cat", "cart", "care", "core", "cord", "card", "car"].map(String::from).to_vec();
//! let differing = CustomDissimilarity::new(|a: &String, b: &String| {
//!     let common = a.chars().zip(b.chars()).filter(|(x, y)| x == y).count();
//!     (a.len().max(b.len()) - common) as f64
//! });
//! let model = OneClass::default().fit_with(&words, Box::new(differing), &Silent)?;
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
//! - The paper's objective ranks partitions, not accuracies; see `docs/research` for what was measured.
//! - With `Preset::Paper`, time grows with the square of the number of samples, and so does the memory of exact scoring.
//! - P-values are valid for samples exchangeable with the training set as far as tests show: no theorem covers them.
//!   With `Preset::Paper` they are in-sample ranks.
//! - The tests compare with slow references and closed forms; they do not prove that the references read the paper as
//!   its authors meant it. Where the paper is silent or slips, `docs/method.md` gives our reading.
//!
//! # References
//!
//! - `[LA17]` L. Livi, C. Alippi, "One-Class Classifiers Based on Entropic Spanning Graphs", IEEE TNNLS 28(12), 2017,
//!   doi:10.1109/TNNLS.2016.2608983.
//! - A. Hero, B. Ma, O. Michel, J. Gorman, "Applications of entropic spanning graphs", IEEE Signal Processing Magazine
//!   19(5), 2002.

#![forbid(unsafe_code)]

pub use eocc_core::{
    AnyDissimilarity, AnyModel, AnySamples, AnyStream, Calibration, Closeness, Decision, Dissimilarity,
    Error, ErrorKind, Explanation, Graphs, Kind, Kinds, Layout, Matrix, MixedTable, Model, NeighborSearch,
    Observer, OneClass, Part, Plan, Precomputed, Preset, Progress, Prototypes, Record, Records, Remedy,
    Representation, Result, Sample, SampleKind, SampleSet, Scoring, SearchKind, Series, SeriesSet, Settings,
    Silent, StopReason, Stream, StreamParams, Texts, Threshold, ValidParams, Vectors,
};

/// Dissimilarities: the trait, its helper types, and those of the library.
pub mod dissimilarity {
    pub use eocc_core::dissimilarity::{
        Alignment, Bag, Changed, Cosine, Costs, CustomDissimilarity, Dissimilarity, Dtw, Elastic,
        ElasticMeasure, Entry, FeaturesOf, Gower, GraphEdit, Histogram, HistogramKind, Index, JaroWinkler,
        LeaveOneOut, LeftOutScores, Levenshtein, Local, Mahalanobis, Mean, Minkowski, Nearest, Order, Osa,
        Panel, Parameter, PrecomputedLookup, Prepared, Properties, Query, RemoteSearch, RowWork, RowsFound,
        Scaling, SearchCache, Settings, Sight, State, SubstitutionMatrix, TableRow, Unit, View, Views,
    };
    pub use eocc_core::kinds::{
        AnyChanged, AnyPrepared, AnyRowSearch, Combined, ErasedMeasure, ExternalCompute, ExternalRequest,
        ExternalRows, ExternalSearch,
    };

    /// How samples differ part by part: aligned letters, matched steps, edits.
    pub mod matched {
        pub use eocc_core::dissimilarity::matched::{Differences, LetterPair, StepPair};
    }

    /// Graph edit distance: costs, methods, and edit paths.
    pub mod ged {
        pub use eocc_core::dissimilarity::ged::{
            Bounds, Costs, Edit, EditPath, Limits, Method, Metric, Part, SchemaCosts, Weighted,
        };
    }
}

/// The parts of samples.
pub mod sample {
    pub use eocc_core::graphs::{
        Attribute, AttributeKind, Attributes, GraphInput, LabelledGraph, Schema, Value, ValueRef,
    };
    pub use eocc_core::kinds::ErasedSamples;
    pub use eocc_core::sample::{ColumnKind, DatePart, DateValue, MixedColumn, MixedRow, PrecomputedRow};
}

/// Following a stream: parameters, answers, events; and the parts that are useful on their own.
pub mod stream {
    pub use eocc_core::kinds::ErasedStream;
    pub use eocc_core::stream::{
        AlarmRate, Answer, Bag, Detector, Event, EventKind, MIN_WARM_UP, MIN_WINDOW, Observed, P_VALUE_BINS,
        Period, Policy, Stream, StreamParams,
    };
}

/// The estimators of the paper: entropy, Jensen difference, divergence and mutual information from spanning graphs.
pub mod entropy {
    pub use eocc_core::divergence::{alpha_divergence, alpha_mutual_information};
    pub use eocc_core::entropy::{Constant, RenyiEntropy};
    pub use eocc_core::jensen::jensen_difference;
    pub use eocc_core::partition::Partition;
}

/// The parts of a model, for inspection.
pub mod model {
    pub use eocc_core::centrality::{RegionGraph, SampledPaths};
    pub use eocc_core::file::Contents;
    pub use eocc_core::graph::KnnGraph;
    pub use eocc_core::jensen::DescentStep;
    pub use eocc_core::kinds::ErasedModel;
    pub use eocc_core::knn::KnnLists;
    pub use eocc_core::membership::{Membership, Scale};
    pub use eocc_core::model::{Graph, MIN_SAMPLES, Origin, Summary, TrainingRecord};
    pub use eocc_core::paths::AllPaths;
    pub use eocc_core::region::{Centrality, Region};
}

/// The judges of models: the trait, the judges of the library, and what it takes to add one.
pub mod judge {
    pub use eocc_core::model::{
        ClosenessJudge, CommitteeJudge, Judge, JudgeKind, Judged, Judges, Judgment, Reasons, Reference,
        Stored, Task, train,
    };
}

/// The details of [`Error`].
pub mod error {
    pub use eocc_core::error::{InputFault, ModelFault, ParameterFault};
}

/// Runs the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
