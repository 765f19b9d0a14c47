//! Samples whose type is known only when they are read.
//!
//! A new type of samples is one line in `stored_types!`, one in [`with_samples!`](crate::with_samples) and one in
//! [`with_like!`](crate::with_like).

use super::PartSet;

/// The types of samples that can be stored, a line each, handed to another macro.
macro_rules! stored_types {
    ($then:ident) => {
        $then! {
            /// Vectors of numbers.
            Vectors($crate::sample::Vectors),
            /// Precomputed dissimilarities.
            Precomputed($crate::sample::Precomputed),
            /// Strings.
            Texts($crate::sample::Texts),
            /// Time series.
            Series($crate::sample::SeriesSet),
            /// Rows of a mixed table.
            Mixed($crate::sample::MixedTable),
            /// Records with several parts.
            Records($crate::sample::Records),
            /// Labelled graphs.
            Graphs($crate::graphs::Graphs),
        }
    };
}
pub(crate) use stored_types;

macro_rules! any_samples {
    ($($(#[$doc:meta])* $name:ident($samples:ty),)*) => {
        /// Samples of any of the types that can be stored.
        #[derive(Debug, Clone)]
        pub enum AnySamples {
            $($(#[$doc])* $name($samples),)*
        }

        $(impl From<$samples> for AnySamples {
            fn from(samples: $samples) -> Self {
                Self::$name(samples)
            }
        })*
    };
}

stored_types!(any_samples);

/// Does the same with samples of whatever type: `with_samples!(any, samples => expression)`.
#[macro_export]
macro_rules! with_samples {
    ($any:expr, $samples:ident => $body:expr) => {
        match $any {
            $crate::AnySamples::Vectors($samples) => $body,
            $crate::AnySamples::Precomputed($samples) => $body,
            $crate::AnySamples::Texts($samples) => $body,
            $crate::AnySamples::Series($samples) => $body,
            $crate::AnySamples::Mixed($samples) => $body,
            $crate::AnySamples::Records($samples) => $body,
            $crate::AnySamples::Graphs($samples) => $body,
        }
    };
}

/// Does the same with two of the same type, the first an `AnyModel` or `AnySamples`; `None` if they differ. Matrices of
/// dissimilarities are not among them: two of those have nothing to say to each other.
#[macro_export]
macro_rules! with_like {
    ($first:ident, $a:expr, $b:expr, $x:ident, $y:ident => $body:expr) => {
        match ($a, $b) {
            ($first::Vectors($x), $crate::AnySamples::Vectors($y)) => Some($body),
            ($first::Texts($x), $crate::AnySamples::Texts($y)) => Some($body),
            ($first::Series($x), $crate::AnySamples::Series($y)) => Some($body),
            ($first::Mixed($x), $crate::AnySamples::Mixed($y)) => Some($body),
            ($first::Records($x), $crate::AnySamples::Records($y)) => Some($body),
            ($first::Graphs($x), $crate::AnySamples::Graphs($y)) => Some($body),
            _ => None,
        }
    };
}

impl From<PartSet> for AnySamples {
    fn from(set: PartSet) -> Self {
        match set {
            PartSet::Texts(set) => set.into(),
            PartSet::Series(set) => set.into(),
            PartSet::Vectors(set) => set.into(),
            PartSet::Mixed(set) => set.into(),
            PartSet::Graphs(set) => set.into(),
        }
    }
}
