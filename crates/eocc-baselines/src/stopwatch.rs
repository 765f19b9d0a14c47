//! Processor time: the cost of a computation, however busy the machine is.

use cpu_time::{ProcessTime, ThreadTime};

/// Measures processor time from its start.
///
/// A computation that stays on one thread is measured on that thread, so that many can be measured at the same time.
/// One that rayon may spread over several threads is measured by the time of the whole process, so nothing else
/// should run meanwhile. The mode depends on where the stopwatch is started: inside a pool of one thread, or not.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch(Clock);

#[derive(Debug, Clone, Copy)]
enum Clock {
    Thread(ThreadTime),
    Process(ProcessTime),
    /// The system has no such clock.
    Missing,
}

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        let is_alone = rayon::current_thread_index().is_some() && rayon::current_num_threads() == 1;
        Self(if is_alone {
            ThreadTime::try_now().map_or(Clock::Missing, Clock::Thread)
        } else {
            ProcessTime::try_now().map_or(Clock::Missing, Clock::Process)
        })
    }

    /// Seconds of processor time since the start, on the thread that started it; 0 if the system has no such clock.
    pub fn seconds(&self) -> f64 {
        let elapsed = match self.0 {
            Clock::Thread(start) => start.try_elapsed(),
            Clock::Process(start) => start.try_elapsed(),
            Clock::Missing => return 0.0,
        };
        elapsed.map_or(0.0, |time| time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn on_one_thread<R: Send>(work: impl FnOnce() -> R + Send) -> R {
        rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work)
    }

    fn work_until(watch: Stopwatch, seconds: f64) {
        let mut sum = 0_u64;
        while watch.seconds() < seconds {
            sum = std::hint::black_box(sum + 1);
        }
    }

    #[test]
    fn work_counts_and_goes_forward() {
        let measured = || {
            let watch = Stopwatch::start();
            work_until(watch, 0.02);
            let first = watch.seconds();
            first >= 0.02 && watch.seconds() >= first
        };
        assert!(measured() && on_one_thread(measured));
    }

    #[test]
    fn waiting_and_the_work_of_other_threads_do_not_count() {
        let waited = on_one_thread(|| {
            let watch = Stopwatch::start();
            std::thread::scope(|scope| {
                scope.spawn(|| work_until(Stopwatch::start(), 0.1));
                std::thread::sleep(Duration::from_millis(100));
            });
            watch.seconds()
        });
        assert!(waited < 0.05, "{waited}");
    }

    #[test]
    fn the_work_of_all_threads_counts_outside_of_such_a_pool() {
        let watch = Stopwatch::start();
        std::thread::scope(|scope| {
            scope.spawn(|| work_until(Stopwatch::start(), 0.05));
        });
        assert!(watch.seconds() >= 0.05);
    }
}
