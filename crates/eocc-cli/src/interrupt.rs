//! Signals. The first Ctrl-C stops the run in an orderly way, the second exits immediately. A run that does not check
//! for cancellation, as within one very long step, is aborted after a short while. On TERM, and on HUP when the
//! terminal is closed, the run stops, and is aborted after a short while in any case. Files are written atomically,
//! so that nothing is lost.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::exit_code::{HUNG_UP, INTERRUPTED, TERMINATED};
use crate::terminal;

/// The exit code of the received signal; 0 before any.
static ASKED: AtomicU8 = AtomicU8::new(0);
/// Whether the run has checked for cancellation since this was last cleared.
static HAS_LOOKED: AtomicBool = AtomicBool::new(false);
/// Whether only the results are left to be written, which the run may finish.
static IS_FINISHING: AtomicBool = AtomicBool::new(false);

/// The action of a signal instead of stopping the run, if set: a server finishes the requests it has begun.
#[cfg(feature = "serve")]
static DRAIN: std::sync::OnceLock<Box<dyn Fn() + Send + Sync>> = std::sync::OnceLock::new();

/// From now on, the first signal calls this, and only the second one ends the program.
#[cfg(feature = "serve")]
pub(crate) fn drain_with(drain: impl Fn() + Send + Sync + 'static) {
    let _ = DRAIN.set(Box::new(drain));
}

/// Whether a server handles the signal and ends by itself.
#[cfg_attr(not(feature = "serve"), expect(unused_variables, reason = "only servers wait"))]
fn is_drained(code: u8) -> bool {
    #[cfg(feature = "serve")]
    if let Some(drain) = DRAIN.get() {
        if ASKED.swap(code, Ordering::SeqCst) != 0 {
            leave(code);
        }
        drain();
        return true;
    }
    false
}

/// Installs the signal handlers.
pub(crate) fn install() {
    #[cfg(unix)]
    unix::install();
    #[cfg(not(unix))]
    {
        // Without a handler, Ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(|| {
            if !is_drained(INTERRUPTED) {
                asked(INTERRUPTED);
            }
        });
    }
}

/// Whether the run was cancelled.
pub(crate) fn is_interrupted() -> bool {
    #[cfg(unix)]
    let is_signaled = unix::is_signaled();
    #[cfg(not(unix))]
    let is_signaled = false;
    let is_asked = is_signaled || ASKED.load(Ordering::SeqCst) != 0;
    if is_asked {
        HAS_LOOKED.store(true, Ordering::Relaxed);
    }
    is_asked
}

/// Declares that only the results are left to be written; Ctrl-C waits for that.
pub(crate) fn finishing() {
    IS_FINISHING.store(true, Ordering::SeqCst);
}

/// Whether not even the best result so far is wanted: after TERM, there is little time.
pub(crate) fn is_abandoned() -> bool {
    HAS_LOOKED.store(true, Ordering::Relaxed);
    matches!(ASKED.load(Ordering::SeqCst), TERMINATED | HUNG_UP)
}

/// The exit code of a cancelled run.
pub(crate) fn code() -> u8 {
    match ASKED.load(Ordering::SeqCst) {
        0 => INTERRUPTED,
        code => code,
    }
}

/// Records the first signal, and exits at the second.
fn asked(code: u8) {
    if ASKED.swap(code, Ordering::SeqCst) != 0 {
        leave(code);
    }
    if code == INTERRUPTED {
        terminal::say("stopping; press Ctrl-C again to leave at once");
    }
}

fn leave(code: u8) -> ! {
    #[allow(clippy::exit)] // a second signal means now
    std::process::exit(i32::from(code))
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, LazyLock};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::{SIGABRT, SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::flag::{register, register_conditional_shutdown};
    use signal_hook::iterator::Signals;

    use super::{HAS_LOOKED, IS_FINISHING, asked, is_drained, leave};
    use crate::exit_code::{HUNG_UP, INTERNAL, INTERRUPTED, MEMORY, TERMINATED};
    use crate::terminal;

    /// How long a run may take to stop after TERM, and how long it may go without checking for cancellation after
    /// Ctrl-C.
    const GRACE: Duration = Duration::from_secs(2);

    /// Set by the handler itself: if input ends because its sender was interrupted, too, that must not be taken for
    /// an error in the data before the signal thread has run.
    static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

    pub(super) fn is_signaled() -> bool {
        INTERRUPT.load(Ordering::SeqCst)
    }

    pub(super) fn install() {
        explain_abort();
        let _ = register(SIGINT, Arc::clone(&INTERRUPT));
        // A file that exceeds the limit of `ulimit -f` is reported like any other write error.
        let _ = register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        // Without a handler, signals end the program as usual.
        let Ok(mut signals) = Signals::new([SIGINT, SIGTERM, SIGHUP]) else { return };
        let listen = move || {
            for signal in signals.forever() {
                let code = match signal {
                    SIGINT => INTERRUPTED,
                    SIGHUP => HUNG_UP,
                    _ => TERMINATED,
                };
                if is_drained(code) {
                    continue;
                }
                match signal {
                    SIGINT => {
                        asked(INTERRUPTED);
                        // Only once: a second Ctrl-C exits immediately.
                        let _ = thread::Builder::new().stack_size(1 << 16).spawn(leave_if_stuck);
                    }
                    _ => end(code),
                }
            }
        };
        let _ = thread::Builder::new().name("signals".to_owned()).stack_size(1 << 16).spawn(listen);
    }

    /// Requests a stop and enforces it, even if the run waits for input.
    fn end(code: u8) {
        asked(code);
        thread::sleep(GRACE);
        leave(code);
    }

    /// Exits if the run has not checked for cancellation for a while, as within one very long comparison. A run that
    /// checks is about to stop in an orderly way, and may have the best result so far to write.
    fn leave_if_stuck() {
        loop {
            HAS_LOOKED.store(false, Ordering::Relaxed);
            thread::sleep(GRACE);
            if !HAS_LOOKED.load(Ordering::Relaxed) && !IS_FINISHING.load(Ordering::SeqCst) {
                terminal::say("stopped within a step that did not end in time");
                leave(INTERRUPTED);
            }
        }
    }

    /// A failed allocation aborts the process with a message: use the exit code for memory. After a panic, an abort
    /// means a second panic, which is an internal error.
    fn explain_abort() {
        let panicked = Arc::new(AtomicBool::new(false));
        let _ = register_conditional_shutdown(SIGABRT, i32::from(INTERNAL), panicked.clone());
        let _ = register_conditional_shutdown(SIGABRT, i32::from(MEMORY), Arc::new(AtomicBool::new(true)));
        let before = std::panic::take_hook();
        // Several threads may fail at the same place; one report is enough.
        let reported = std::sync::Mutex::new(std::collections::HashSet::new());
        std::panic::set_hook(Box::new(move |info| {
            panicked.store(true, Ordering::SeqCst);
            let place = info.location().map(ToString::to_string);
            if reported.lock().is_ok_and(|mut places| places.insert(place)) {
                before(info);
            }
        }));
    }
}
