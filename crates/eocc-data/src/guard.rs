//! A fence around third-party readers.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    /// Whether this thread is inside the fence.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a third-party reader on content that may be hostile; a panic in it becomes an error.
///
/// The Parquet crate does panic on some damaged files (`tests/all/hostile.rs` meets three such places), and the zip
/// crate deserves no more trust. Nothing under construction is used after a panic, so broken invariants have no
/// effect.
pub(crate) fn guarded<T, E: From<String>>(work: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    be_quiet_inside();
    let before = INSIDE.replace(true);
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    INSIDE.set(before);
    result.unwrap_or_else(|_| Err("the content is damaged".to_owned().into()))
}

/// Keeps the message of a panic inside the fence off standard error, where it would look like a bug of the program.
///
/// Once per process, in front of the existing hook, which still gets every panic outside the fence.
fn be_quiet_inside() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !INSIDE.get() {
                before(info);
            }
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let numbers: Vec<u8> = Vec::new();
        let result = guarded(|| Ok(numbers[std::hint::black_box(3)]));
        assert_eq!(result, Err("the content is damaged".to_owned()));
        assert_eq!(guarded(|| Ok::<_, String>(1)), Ok(1));
        assert!(!INSIDE.get());
    }
}
