//! The cache of a search between evaluations: matrices of parts, and everything that a measure prepares that does not
//! depend on the changed parameters.

use std::any::Any;
use std::collections::HashMap;
use std::marker::PhantomData;

use crate::matrix::Matrix;

/// Matrices by slot, each slot holding the matrix of its latest key; and prepared values, one per type.
///
/// All samples with cached data are borrowed for `'s`, as long as the cache lives: so a sample can be identified by
/// its address, which no other sample can take over.
#[derive(Default)]
pub struct SearchCache<'s> {
    matrices: HashMap<String, (String, Matrix)>,
    computed: usize,
    values: Vec<Box<dyn Any + Send + Sync>>,
    parts: HashMap<String, SearchCache<'s>>,
    samples: PhantomData<&'s ()>,
}

impl SearchCache<'_> {
    /// The matrix with this key, if it is the latest in its slot.
    pub fn matrix(&self, key: &str) -> Option<&Matrix> {
        self.matrices.values().find(|(k, _)| k == key).map(|(_, matrix)| matrix)
    }

    /// Caches `matrix` in `slot`, replacing the previous one.
    pub fn insert_matrix(&mut self, slot: &str, key: String, matrix: Matrix) {
        self.computed += 1;
        self.matrices.insert(slot.to_owned(), (key, matrix));
    }

    /// How many matrices had to be computed.
    pub fn computed(&self) -> usize {
        self.computed
    }

    /// The cached value of this type.
    pub fn get<T: Any>(&self) -> Option<&T> {
        self.values.iter().find_map(|t| t.downcast_ref())
    }

    /// Caches a value, replacing the previous one of its type.
    pub fn insert<T: Any + Send + Sync>(&mut self, value: T) {
        self.values.retain(|t| !t.is::<T>());
        self.values.push(Box::new(value));
    }

    /// The cache of the part with this name.
    pub fn part(&mut self, name: &str) -> &mut Self {
        self.parts.entry(name.to_owned()).or_default()
    }
}
