//! The answer for one sample.

/// Whether a sample belongs, how surely, and to which region.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// Larger is more nominal; never saturates, and does not depend on what else is scored.
    pub score: f64,
    /// Degree of membership in [0, 1].
    pub membership: f64,
    /// The hard answer.
    pub accepted: bool,
    /// The region that the sample is closest to.
    pub region: usize,
    /// Share of nominal samples expected to score no higher: small means unlike the nominals.
    pub p_value: f64,
}
