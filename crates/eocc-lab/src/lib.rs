//! The laboratory: reproduces the paper's tables next to its published numbers, and ranks the classifier, its
//! variants and the comparators. It knows where the data sets for research are; nothing here is part of the product.

pub mod benchmark;
pub mod cli;
mod data;
pub mod half_split;
mod iam;
pub mod leaderboard;
mod progress;
pub mod proteins;
pub mod published;
pub mod rank_with_published;
pub mod reproduce;
pub mod streams;
pub mod variants;
