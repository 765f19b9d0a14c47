//! The memory a run needs, estimated before it starts.

use crate::error::{ErrorKind, Remedy, Result};

/// Memory that the machine has available, in bytes; `None` if unknown.
pub fn available() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find(|l| l.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    let machine = kilobytes.saturating_mul(1024);
    Some([control_group(), address_space()].into_iter().flatten().fold(machine, u64::min))
}

/// The remaining address space of this process, as limited by `ulimit -v`.
fn address_space() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let used: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(limit.saturating_sub(used.saturating_mul(1024)))
}

/// The memory left under this process's cgroup limit, which containers set.
fn control_group() -> Option<u64> {
    let read = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    Some(read("memory.max")?.saturating_sub(read("memory.current").unwrap_or(0)))
}

/// The fraction of the available memory that a run may use; the rest is for other processes.
const USABLE_FRACTION: (u64, u64) = (3, 4);

/// Bytes that this process uses, and its peak; zero if unknown.
pub fn in_use() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok().map(|kilobytes| kilobytes.saturating_mul(1024))
    };
    (bytes("VmRSS:").unwrap_or(0), bytes("VmHWM:").unwrap_or(0))
}

/// Fails if `needed` bytes exceed the limit, or three quarters of what is available. The error names what needs them,
/// and the remedy.
pub fn require(what: &str, needed: u64, limit: Option<u64>, remedy: Remedy) -> Result<()> {
    let (share, whole) = USABLE_FRACTION;
    match limit.or_else(|| available().map(|all| all / whole * share)) {
        Some(available) if needed > available => {
            Err(ErrorKind::Memory { what: what.to_owned(), needed, available, remedy }.into())
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_with_a_remedy() {
        let e =
            require("the embedding", 5_000_000_000, Some(4_000_000_000), Remedy::FastScoring).unwrap_err();
        assert!(e.is_memory());
        assert_eq!(
            e.to_string(),
            "the embedding would need about 5.0 GB of memory, but 4.0 GB is available; use fast scoring"
        );
        assert!(require("nothing", 0, Some(1), Remedy::FreeMemory).is_ok());
    }
}
