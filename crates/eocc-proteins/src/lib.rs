//! Protein structures as samples of a one-class classifier.
//!
//! A structure file becomes a [`Structure`], chains of residues with the positions of their Cα atoms, and then a
//! [`ContactGraph`]: one vertex per residue, labelled with three physico-chemical properties of its amino acid, and
//! an edge if the distance of two Cα atoms is within a range. Contact graphs can be compared directly, by graph edit
//! distance; or as the [sequence](seriated) of its vertices, by dynamic time warping; or by its fifteen
//! [`GraphFeatures`].
//!
//! ```
//! use eocc_proteins::{ContactGraph, ContactRange, GraphFeatures, StructureFormat, read_bytes};
//!
//! let line = |i: usize| format!(
//!     "ATOM  {i:>5}  CA  ALA A{i:>4}    {:>8.3}{:>8.3}{:>8.3}  1.00  0.00           C\n",
//!     2.3 * (1.745 * i as f64).cos(), 2.3 * (1.745 * i as f64).sin(), 1.5 * i as f64,
//! );
//! let helix: String = (1..=20).map(line).collect();
//! let structure = read_bytes("helix.pdb", helix.as_bytes(), StructureFormat::Pdb, 1000)?;
//! let graph = ContactGraph::new(&structure, ContactRange::default())?;
//! let features = GraphFeatures::compute(&graph)?;
//! assert_eq!((features.vertices, features.chains), (20.0, 1.0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Limits
//!
//! Only Cα atoms are used, and only the first of several models; crystal symmetry and biological assemblies are not
//! built. Residues that are missing in the structure are missing in the graph.

mod amino_acids;
mod contact;
mod error;
mod features;
mod read;
mod sequence;
mod seriation;
mod sparse;
mod structure;

pub use amino_acids::Descriptors;
pub use contact::{ContactGraph, ContactRange, ContactVertex};
pub use error::{Result, StructureError};
pub use features::{GraphFeatures, HEAT_TIME, MAX_FEATURE_VERTICES};
pub use read::{MAX_RESIDUES, StructureFormat, read_bytes, read_file, structure_files};
pub use sequence::SequenceFeatures;
pub use seriation::{most_seconds, seriated, seriated_unless, spectral_order};
pub use sparse::SparseGraph;
pub use structure::{Chain, MAX_BONDED_DISTANCE, Remarks, Residue, Structure};
