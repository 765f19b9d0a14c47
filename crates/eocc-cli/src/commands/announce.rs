//! The plan of `eocc distances`: how long the comparisons will take, timed on a few of them.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use eocc_core::error::bytes;

use crate::progress::{LARGE, LONG, rough};
use crate::say;

/// Below this many comparisons, timing one of them would take a noticeable part of the whole run.
const MIN_TIMED: usize = 16;
/// How many comparisons are timed together, until they take long enough: some measures compare many at once.
const BATCH_SIZES: [usize; 3] = [1, 16, 256];
/// How many batches are timed, evenly spaced among all comparisons.
const BATCHES: usize = 8;
/// Seconds after which timing stops, and seconds that are more than noise.
const MAX_TIMING: f64 = 0.4;
const MEASURABLE: f64 = 0.05;

/// Announces how long `count` comparisons take on all threads and the memory of their result, if either is much.
///
/// `compare` makes up to the given number of comparisons, starting at a fraction of all of them, and returns how many
/// it made.
pub(crate) fn announce(count: usize, memory: u64, compare: &dyn Fn(f64, usize) -> usize) {
    let seconds = if count < MIN_TIMED {
        0.0
    } else {
        watched(&format!("{count} comparisons, each longer"), || seconds(count, compare))
    };
    if seconds > LONG || memory > LARGE {
        let memory = if memory > 0 { format!("up to {} of memory, ", bytes(memory)) } else { String::new() };
        say::line(&format!("plan: {count} comparisons; {memory}about {}", rough(seconds)));
    }
}

fn seconds(count: usize, compare: &dyn Fn(f64, usize) -> usize) -> f64 {
    let threads = rayon::current_num_threads() as f64;
    let mut seconds = 0.0;
    for size in BATCH_SIZES {
        let (mut spent, mut made) = (0.0, 0);
        for batch in 0..BATCHES {
            let start = Instant::now();
            made += compare((batch as f64 + 0.5) / BATCHES as f64, size);
            spent += start.elapsed().as_secs_f64();
            if spent > MAX_TIMING {
                break;
            }
        }
        seconds = spent / made.max(1) as f64 * count as f64 / threads;
        // Larger batches are not slower.
        if spent > MEASURABLE || seconds < LONG {
            break;
        }
    }
    seconds
}

/// Does this work, and announces what it is if it takes long.
pub(crate) fn watched<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (done, wait) = mpsc::channel::<()>();
    thread::scope(|scope| {
        // Without a thread, nothing is announced.
        let _ = thread::Builder::new().stack_size(1 << 17).spawn_scoped(scope, move || {
            if wait.recv_timeout(Duration::from_secs_f64(LONG)) == Err(RecvTimeoutError::Timeout) {
                say::line(&format!("plan: {what} than {}", rough(LONG)));
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// The same for the comparisons themselves, if they are too few to be timed.
pub(crate) fn watched_few<T>(count: usize, work: impl FnOnce() -> T) -> T {
    match count {
        MIN_TIMED.. => work(),
        1 => watched("1 comparison, longer", work),
        _ => watched(&format!("{count} comparisons, together longer"), work),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_all_comparisons_is_that_of_a_few_times_their_number() {
        let threads = rayon::current_num_threads() as f64;
        let slow = |_: f64, size: usize| {
            thread::sleep(Duration::from_millis(10 * size as u64));
            size
        };
        let found = seconds(100_000, &slow) * threads;
        assert!((1000.0..5000.0).contains(&found), "{found}");
        // A measure that compares 16 in the time of one.
        let lanes = |_: f64, size: usize| {
            thread::sleep(Duration::from_millis(4 * size.div_ceil(16) as u64));
            size
        };
        let found = seconds(1_000_000, &lanes) * threads;
        assert!((250.0..1250.0).contains(&found), "{found}");
    }
}
