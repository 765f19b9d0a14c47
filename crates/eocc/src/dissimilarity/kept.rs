//! What is kept from one evaluation of a search to the next: matrices of parts, and whatever a measure prepares that
//! other parameters do not change.

use std::any::Any;
use std::collections::HashMap;

use crate::matrix::Matrix;

/// Matrices by slot, each slot keeping the one for its latest key; and anything else by its type.
#[derive(Default)]
pub struct Kept {
    slots: HashMap<String, (String, Matrix)>,
    computed: usize,
    things: Vec<Box<dyn Any + Send + Sync>>,
    parts: HashMap<String, Kept>,
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

    /// The thing of this type.
    pub fn thing<T: Any>(&self) -> Option<&T> {
        self.things.iter().find_map(|t| t.downcast_ref())
    }

    /// Keeps a thing in place of the one of its type.
    pub fn put_thing<T: Any + Send + Sync>(&mut self, thing: T) {
        self.things.retain(|t| !t.is::<T>());
        self.things.push(Box::new(thing));
    }

    /// What is kept of the part with this name.
    pub fn part(&mut self, name: &str) -> &mut Self {
        self.parts.entry(name.to_owned()).or_default()
    }
}
