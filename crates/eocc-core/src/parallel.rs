//! Work shared among the threads of the current pool.
//!
//! Work is called through `dyn Fn`, so that rayon's machinery is compiled once and not for every loop and sample
//! type: that was half of this crate's code. A call costs nanoseconds; if items are that cheap, put many in one task.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::error::Result;

thread_local! {
    /// Whether loops started by this thread stay on it.
    static IS_ALONE: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` with all of its loops on the calling thread, whatever the pool: no thread is started or woken.
pub fn on_this_thread<T>(work: impl FnOnce() -> T) -> T {
    /// Restores the setting, also after a panic.
    struct Restore(bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            IS_ALONE.set(self.0);
        }
    }
    let _restore = Restore(IS_ALONE.replace(true));
    work()
}

/// Number of threads that a loop started here uses.
pub fn threads() -> usize {
    if IS_ALONE.get() { 1 } else { rayon::current_num_threads() }
}

/// Runs both, at the same time if a thread is free.
pub fn join<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    if IS_ALONE.get() { (a(), b()) } else { rayon::join(a, b) }
}

/// Runs `work` for each of `0..tasks`, in any order.
pub fn for_each(tasks: usize, work: &(dyn Fn(usize) + Sync)) {
    if tasks < 2 || threads() == 1 {
        return (0..tasks).for_each(work);
    }
    (0..tasks).into_par_iter().with_max_len(1).for_each(work);
}

/// Runs `work` for each of `0..tasks` until one fails; of several errors, returns that of the lowest task.
pub fn try_for_each(tasks: usize, work: &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()> {
    let lowest = AtomicUsize::new(usize::MAX);
    let failure = Mutex::new(None);
    for_each(tasks, &|task| {
        if task > lowest.load(Ordering::Relaxed) {
            return;
        }
        if let Err(e) = work(task)
            && task < lowest.fetch_min(task, Ordering::Relaxed)
        {
            let mut failure = lock(&failure);
            if failure.as_ref().is_none_or(|(of, _)| task < *of) {
                *failure = Some((task, e));
            }
        }
    });
    into_inner(failure).map_or(Ok(()), |(_, e)| Err(e))
}

/// `f` of each of `0..count`, in order, with `grain` of them per task.
pub fn map<T: Send>(count: usize, grain: usize, f: &(dyn Fn(usize) -> T + Sync)) -> Vec<T> {
    let slots: Vec<Mutex<Vec<T>>> = slots(count, grain);
    for_each(slots.len(), &|task| *lock(&slots[task]) = range(task, count, grain).map(f).collect());
    joined(slots, count)
}

/// Like [`map`], for work that needs buffers, which `init` makes for each task.
pub fn map_with<T: Send, S>(
    count: usize,
    grain: usize,
    init: &(dyn Fn() -> S + Sync),
    f: &(dyn Fn(&mut S, usize) -> T + Sync),
) -> Vec<T> {
    let slots: Vec<Mutex<Vec<T>>> = slots(count, grain);
    for_each(slots.len(), &|task| {
        let mut room = init();
        *lock(&slots[task]) = range(task, count, grain).map(|i| f(&mut room, i)).collect();
    });
    joined(slots, count)
}

/// `f` of each of `0..count`, in order, or the error of the lowest, with `grain` of them per task.
pub fn try_map<T: Send>(
    count: usize,
    grain: usize,
    f: &(dyn Fn(usize) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    try_map_with(count, grain, &|| (), &|(), i| f(i))
}

/// Like [`try_map`], for work that needs buffers, which `init` makes for each task.
pub fn try_map_with<T: Send, S>(
    count: usize,
    grain: usize,
    init: &(dyn Fn() -> S + Sync),
    f: &(dyn Fn(&mut S, usize) -> Result<T> + Sync),
) -> Result<Vec<T>> {
    let slots: Vec<Mutex<Vec<T>>> = slots(count, grain);
    try_for_each(slots.len(), &|task| {
        let mut room = init();
        let found: Result<Vec<T>> = range(task, count, grain).map(|i| f(&mut room, i)).collect();
        *lock(&slots[task]) = found?;
        Ok(())
    })?;
    Ok(joined(slots, count))
}

/// Calls `work` with each chunk of `size` values and its number.
pub fn for_each_chunk<T: Send>(values: &mut [T], size: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let chunks: Vec<Mutex<&mut [T]>> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
    for_each(chunks.len(), &|task| work(task, &mut lock(&chunks[task])));
}

/// Like [`for_each_chunk`], for work that may fail: of several errors, that of the lowest chunk is returned.
pub fn try_for_each_chunk<T: Send>(
    values: &mut [T],
    size: usize,
    work: &(dyn Fn(usize, &mut [T]) -> Result<()> + Sync),
) -> Result<()> {
    let chunks: Vec<Mutex<&mut [T]>> = values.chunks_mut(size.max(1)).map(Mutex::new).collect();
    try_for_each(chunks.len(), &|task| work(task, &mut lock(&chunks[task])))
}

fn range(task: usize, count: usize, grain: usize) -> Range<usize> {
    let start = task * grain.max(1);
    start..(start + grain.max(1)).min(count)
}

fn slots<T>(count: usize, grain: usize) -> Vec<Mutex<Vec<T>>> {
    (0..count.div_ceil(grain.max(1))).map(|_| Mutex::new(Vec::new())).collect()
}

fn joined<T>(slots: Vec<Mutex<Vec<T>>>, count: usize) -> Vec<T> {
    let mut all = Vec::with_capacity(count);
    for slot in slots {
        all.append(&mut into_inner(slot));
    }
    all
}

/// A panic in a task reaches the caller of the loop, so the content of a poisoned lock is never used.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    fn on(threads: usize, work: impl FnOnce() + Send) {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work);
    }

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        for threads in [1, 3] {
            on(threads, || {
                for (count, grain) in [(0, 1), (1, 4), (1000, 7), (64, 64), (65, 64), (5, 0)] {
                    let squares: Vec<usize> = (0..count).map(|i| i * i).collect();
                    assert_eq!(map(count, grain, &|i| i * i), squares);
                    let with_room = try_map_with(count, grain, &Vec::new, &|seen: &mut Vec<usize>, i| {
                        seen.push(i);
                        Ok(seen[seen.len() - 1] * i)
                    });
                    assert_eq!(with_room.unwrap(), squares);
                    let mut values = vec![0; count];
                    for_each_chunk(&mut values, grain, &|chunk, values| {
                        for (at, v) in values.iter_mut().enumerate() {
                            *v = (chunk * grain.max(1) + at).pow(2);
                        }
                    });
                    assert_eq!(values, squares);
                }
            });
        }
    }

    #[test]
    fn work_may_stay_on_its_thread() {
        on(3, || {
            let own = std::thread::current().id();
            let found = on_this_thread(|| {
                assert_eq!(threads(), 1);
                let (a, b) = join(|| std::thread::current().id(), || std::thread::current().id());
                let mut all = map(200, 1, &|_| std::thread::current().id());
                all.extend([a, b]);
                all
            });
            assert!(found.into_iter().all(|id| id == own));
            assert_eq!(threads(), 3);
            let failed = std::panic::catch_unwind(|| on_this_thread(|| panic!("on purpose")));
            assert!(failed.is_err() && threads() == 3);
        });
    }

    #[test]
    fn the_lowest_failure_is_returned() {
        let fails = |i: usize| if i % 10 == 7 { Err(Error::input(format!("at {i}"))) } else { Ok(i) };
        for threads in [1, 4] {
            on(threads, || {
                for _ in 0..20 {
                    let failed = try_map(500, 1, &fails).unwrap_err();
                    assert!(failed.to_string().contains("at 7"), "{failed}");
                }
                assert_eq!(try_map(7, 2, &fails).unwrap(), [0, 1, 2, 3, 4, 5, 6]);
            });
        }
    }
}
