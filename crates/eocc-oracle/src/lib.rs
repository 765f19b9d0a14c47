//! Slow, plain, literal references for the method of `[LA17]`.
//!
//! Nothing here is clever. Every routine follows the page it cites, in index order, on one thread, as an independent
//! reference for the fast routines of `eocc`. Read [`paper`] first: it is the complete method, and calls the other
//! modules in the order of the data.
//!
//! | module | what | steps of METHOD |
//! |---|---|---|
//! | [`knn`] | Euclidean distances, lists of nearest neighbors | 3 |
//! | [`graph`] | the undirected kNN graph | 4 |
//! | [`components`] | connected components | 4 |
//! | [`entropy`], [`mst`] | lengths of spanning graphs, Rényi entropy | 5, 6 |
//! | [`jensen`] | alpha-Jensen difference and the objective | 7, 8 |
//! | [`paths`] | all-pairs shortest paths | 11 |
//! | [`closeness`], [`percentile`] | closeness, differences, threshold | 11 |
//! | [`paper`] | all of it: fit, embed, score | 1 to 13 |
//! | [`auc`] | area under the ROC curve, by counting pairs | |
//! | [`edit`] | graph edit distance, by trying every map | |
//! | [`toy`] | a small generator and the four data sets of the paper's figure | |
//!
//! Invalid input panics: an oracle has no users.
//!
//! `[LA17]`: L. Livi, C. Alippi, "One-Class Classifiers Based on Entropic Spanning Graphs",
//! IEEE TNNLS 28(12), 2017, doi:10.1109/TNNLS.2016.2608983.

pub mod auc;
pub mod closeness;
pub mod components;
pub mod edit;
pub mod entropy;
pub mod graph;
pub mod jensen;
pub mod knn;
pub mod mst;
pub mod paper;
pub mod paths;
pub mod percentile;
pub mod toy;
