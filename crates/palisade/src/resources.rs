//! CPU time and memory of this process and the solver processes below it.
//!
//! Read from `/proc`. Where there is none, CPU time is that of this process alone and memory is unknown.

use std::fs;
use std::time::Duration;

use rustix::param::{clock_ticks_per_second, page_size};
use rustix::time::{ClockId, clock_gettime};

/// What a run has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// CPU time, of ended children too.
    pub cpu: Duration,
    /// Resident memory in bytes.
    pub memory: u64,
}

/// CPU time of this process alone.
pub fn own_cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

/// The use of this process and its descendants.
pub fn usage() -> Usage {
    let mut total = Usage { cpu: own_cpu(), memory: 0 };
    let mut todo: Vec<(String, bool)> = vec![("self".into(), true)];
    while let Some((pid, is_self)) = todo.pop() {
        let Some(stat) = Stat::read(&pid) else { continue };
        total.memory += stat.memory;
        total.cpu += stat.waited_children;
        if !is_self {
            total.cpu += stat.own;
        }
        todo.extend(children(&pid).into_iter().map(|c| (c, false)));
    }
    total
}

/// The most memory this process ever had, in bytes.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

struct Stat {
    own: Duration,
    waited_children: Duration,
    memory: u64,
}

impl Stat {
    fn read(pid: &str) -> Option<Stat> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the command in parentheses, and may contain anything.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let number = |i: usize| fields.get(i)?.parse::<u64>().ok();
        let ticks = |n: u64| Duration::from_secs_f64(n as f64 / clock_ticks_per_second() as f64);
        Some(Stat {
            own: ticks(number(11)? + number(12)?),
            waited_children: ticks(number(13)? + number(14)?),
            memory: number(21)? * page_size() as u64,
        })
    }
}

/// The children of all threads of a process.
fn children(pid: &str) -> Vec<String> {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let lists = threads.filter_map(|t| fs::read_to_string(t.ok()?.path().join("children")).ok());
    lists.flat_map(|l| l.split_whitespace().map(String::from).collect::<Vec<_>>()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_and_memory_show() {
        let before = usage();
        let mut block = vec![1u8; 64 << 20];
        for (i, b) in block.iter_mut().enumerate() {
            *b = (i % 251) as u8;
        }
        let sum: u64 = block.iter().map(|&b| u64::from(b)).sum();
        assert!(sum > 0);
        let after = usage();
        assert!(after.cpu > before.cpu);
        assert!(after.memory >= before.memory + (32 << 20), "{before:?} {after:?}");
        assert!(peak_memory().unwrap() >= 64 << 20);
    }
}
