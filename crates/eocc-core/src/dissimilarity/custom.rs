//! Custom dissimilarities.

use serde_json::Value;

use super::Dissimilarity;
use crate::sample::Sample;

/// The name of every custom dissimilarity, in model files too.
pub const CUSTOM: &str = "own";

/// A dissimilarity given by a function. It has no parameters and cannot be stored: a model that uses it is loaded with
/// the function at hand.
#[derive(Debug, Clone)]
pub struct CustomDissimilarity<F> {
    function: F,
}

impl<F> CustomDissimilarity<F> {
    /// Takes the function, which must be symmetric, non-negative, and zero for equal samples.
    pub fn new(function: F) -> Self {
        Self { function }
    }
}

impl<S, F> Dissimilarity<S> for CustomDissimilarity<F>
where
    S: ?Sized + Sample,
    F: Fn(&S, &S) -> f64 + Clone + Send + Sync + 'static,
{
    fn name(&self) -> &'static str {
        CUSTOM
    }

    fn between(&self, a: &S, b: &S) -> f64 {
        (self.function)(a, b)
    }

    fn state(&self) -> Option<Value> {
        None
    }

    fn boxed(&self) -> Box<dyn Dissimilarity<S>> {
        Box::new(self.clone())
    }
}
