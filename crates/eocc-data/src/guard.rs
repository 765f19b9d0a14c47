//! A fence around third-party readers.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs a third-party reader on content that may be hostile; a panic in it becomes an error.
///
/// The crates that read zip and Parquet files have a record of panics (overflows, slices out of range) on damaged
/// files. Nothing that was under construction is used after a panic, so that broken invariants cannot be seen. The
/// panic's own message still goes where the program's panic hook sends it.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err("the content is damaged".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let numbers: Vec<u8> = Vec::new();
        let result = guarded(|| Ok(numbers[std::hint::black_box(3)]));
        assert_eq!(result, Err("the content is damaged".to_owned()));
        assert_eq!(guarded(|| Ok(1)), Ok(1));
    }
}
