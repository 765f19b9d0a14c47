//! The answer for one sample.

/// Whether a sample is nominal, how certainly, and its region.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Decision {
    /// Larger is more nominal; never saturates, and does not depend on the other samples being scored.
    pub score: f64,
    /// Degree of membership in [0, 1].
    pub membership: f64,
    /// The binary decision.
    pub accepted: bool,
    /// The region that the sample is closest to.
    pub region: usize,
    /// Fraction of nominal samples expected to score no higher: small means unlike the nominals.
    pub p_value: f64,
}
