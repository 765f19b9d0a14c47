//! Signals. Ctrl-C: the first asks the run to stop in order, the second leaves at once. A run that does not even ask whether
//! it should stop, as within one very long step, is left after a short while. TERM, and HUP when the terminal is
//! closed: the run stops, and is left after a short while whatever it does. Files are written atomically, so that nothing is
//! lost by that.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::exit_code::{HUNG_UP, INTERRUPTED, TERMINATED};
use crate::terminal;

/// The exit code that a signal asks for; 0 while there was none.
static ASKED: AtomicU8 = AtomicU8::new(0);
/// Whether the run has looked whether it should stop since this was last cleared.
static HAS_LOOKED: AtomicBool = AtomicBool::new(false);
/// Whether the run is done but for writing its results, which it may finish.
static IS_FINISHING: AtomicBool = AtomicBool::new(false);

/// What a signal does instead of stopping the run, if there is such: a server finishes what it has begun.
#[cfg(feature = "serve")]
static DRAIN: std::sync::OnceLock<Box<dyn Fn() + Send + Sync>> = std::sync::OnceLock::new();

/// From now on the first signal calls this, and only the second one ends the program.
#[cfg(feature = "serve")]
pub(crate) fn drain_with(drain: impl Fn() + Send + Sync + 'static) {
    let _ = DRAIN.set(Box::new(drain));
}

/// Whether the signal is heard by a server, which ends by itself.
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

/// Listens from now on.
pub(crate) fn install() {
    #[cfg(unix)]
    unix::install();
    #[cfg(not(unix))]
    {
        // Without a handler Ctrl-C ends the program as usual.
        let _ = ctrlc::set_handler(|| {
            if !is_drained(INTERRUPTED) {
                asked(INTERRUPTED);
            }
        });
    }
}

/// Whether the run was asked to stop.
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

/// Says that only the results are left to be written; Ctrl-C waits for that.
pub(crate) fn finishing() {
    IS_FINISHING.store(true, Ordering::SeqCst);
}

/// Whether not even the best so far is wanted: by TERM, after which there is little time.
pub(crate) fn is_abandoned() -> bool {
    HAS_LOOKED.store(true, Ordering::Relaxed);
    matches!(ASKED.load(Ordering::SeqCst), TERMINATED | HUNG_UP)
}

/// The exit code of a run that was stopped.
pub(crate) fn code() -> u8 {
    match ASKED.load(Ordering::SeqCst) {
        0 => INTERRUPTED,
        code => code,
    }
}

/// Notes the first signal, and leaves at the second.
fn asked(code: u8) {
    if ASKED.swap(code, Ordering::SeqCst) != 0 {
        leave(code);
    }
    if code == INTERRUPTED {
        terminal::say("stopping; press Ctrl-C again to leave at once");
    }
}

fn leave(code: u8) -> ! {
    #[allow(clippy::exit)] // whoever asks twice means now
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

    /// How long a run may take to stop after TERM, and how long it may not look whether it should stop after Ctrl-C.
    const GRACE: Duration = Duration::from_secs(2);

    /// Set by the handler itself: input that ends because whoever sent it was interrupted too must not be taken for a fault of the
    /// data before the thread that listens has run.
    static INTERRUPT: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

    pub(super) fn is_signaled() -> bool {
        INTERRUPT.load(Ordering::SeqCst)
    }

    pub(super) fn install() {
        explain_abort();
        let _ = register(SIGINT, Arc::clone(&INTERRUPT));
        // A file that grows beyond what `ulimit -f` allows is a fault of writing like any other, and told as one.
        let _ = register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        // Without a handler signals end the program as usual.
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
                        // Once: a second Ctrl-C leaves at once.
                        let _ = thread::Builder::new().stack_size(1 << 16).spawn(leave_if_stuck);
                    }
                    _ => end(code),
                }
            }
        };
        let _ = thread::Builder::new().name("signals".to_owned()).stack_size(1 << 16).spawn(listen);
    }

    /// Asks to stop, and sees to it, even where the run waits for input.
    fn end(code: u8) {
        asked(code);
        thread::sleep(GRACE);
        leave(code);
    }

    /// Leaves when the run has not looked for a while whether it should stop: within one very long comparison, say. Whoever
    /// looks is about to stop in order, and may have the best result so far to write.
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

    /// An allocation that fails aborts the process, after a line about it: that is what the code for memory is for. After a
    /// panic an abort means that a second one came, which is our fault.
    fn explain_abort() {
        let panicked = Arc::new(AtomicBool::new(false));
        let _ = register_conditional_shutdown(SIGABRT, i32::from(INTERNAL), panicked.clone());
        let _ = register_conditional_shutdown(SIGABRT, i32::from(MEMORY), Arc::new(AtomicBool::new(true)));
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            panicked.store(true, Ordering::SeqCst);
            before(info);
        }));
    }
}
