//! How many files the process may have open.

/// Handles reserved for other uses than connections.
#[cfg(unix)]
const OTHERS: u64 = 64;

/// How many connections are possible, up to `wanted`: the limit of open files is raised as far as the system allows.
#[cfg(unix)]
pub fn usable_connections(wanted: usize) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let needed = wanted as u64 + OTHERS;
    let Some(mut limit) = current.filter(|current| *current < needed) else { return wanted };
    let raised = maximum.map_or(needed, |maximum| maximum.min(needed));
    if setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum }).is_ok() {
        limit = raised;
    }
    usize::try_from(limit.saturating_sub(OTHERS)).unwrap_or(wanted).clamp(1, wanted)
}

/// How many connections are possible, up to `wanted`.
#[cfg(not(unix))]
pub fn usable_connections(wanted: usize) -> usize {
    wanted
}
