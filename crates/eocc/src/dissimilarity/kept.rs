//! Matrices of parts that are kept from one evaluation of a search to the next.

use std::collections::HashMap;

use crate::matrix::Matrix;

/// Matrices by slot: each slot keeps the one for its latest key.
#[derive(Debug, Default)]
pub struct Kept {
    slots: HashMap<String, (String, Matrix)>,
    computed: usize,
}

impl Kept {
    /// The matrix of this key, if it is the latest of its slot.
    pub fn get(&self, key: &str) -> Option<&Matrix> {
        self.slots.values().find(|(k, _)| k == key).map(|(_, matrix)| matrix)
    }

    /// Keeps `matrix` in `slot` in place of the one there.
    pub fn put(&mut self, slot: &str, key: String, matrix: Matrix) {
        self.computed += 1;
        self.slots.insert(slot.to_owned(), (key, matrix));
    }

    /// How many matrices had to be computed.
    pub fn computed(&self) -> usize {
        self.computed
    }
}
