//! Processor time of a thread: what a computation costs, however busy the machine is.

use std::time::Instant;

/// Measures from when it is started.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    start: Instant,
    processor: Option<f64>,
}

impl Stopwatch {
    /// Starts to measure this thread.
    pub fn start() -> Self {
        Self { start: Instant::now(), processor: processor_seconds() }
    }

    /// Seconds that this thread has worked since; seconds on the clock where the system does not tell.
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor_seconds()) {
            (Some(before), Some(now)) => now - before,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

/// Seconds that this thread has worked so far, as Linux counts them.
fn processor_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_counts_and_goes_forward() {
        let watch = Stopwatch::start();
        let mut sum = 0_u64;
        // The system counts in ticks of some milliseconds at worst.
        while watch.seconds() <= 0.0 {
            sum = std::hint::black_box(sum + 1);
        }
        let first = watch.seconds();
        assert!(first > 0.0 && watch.seconds() >= first);
    }
}
