//! Running one child process under limits, and measuring it.
//!
//! The child leads its own process group. While it runs, the group is sampled from `/proc`: when the CPU time
//! or the resident memory of all its processes together, or the wall clock, passes its limit, the whole group
//! is killed. `RLIMIT_CPU` and `RLIMIT_FSIZE` are set on the child as well; they hold even if this process
//! dies. At the end `wait4` tells the CPU time to the microsecond, which the clock ticks of `/proc` (10 ms)
//! do not, and the largest peak of any single process, which may lie between two samples.
//!
//! Invariant: the group is only signalled while its leader is unreaped (running, or a zombie seen with
//! `WNOWAIT`), so its number cannot have passed to strangers. When [`run`] returns, no process of the group
//! is left.
//!
//! Shared pages count once per process that maps them, so the memory of a forking tool is an upper bound.
//! Outside Linux there is no sampling: only the wall-clock limit holds.

use std::fmt::Display;
use std::fs::{self, File};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use wait4::Wait4;

/// Largest file a child may write: a certificate or a dump is far below, a tool that logs without end is
/// stopped.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Shortest time between two samples of `/proc`.
const SAMPLE_INTERVAL: Duration = Duration::from_millis(25);
/// Longest time between two samples.
const LONGEST_INTERVAL: Duration = Duration::from_secs(1);

/// What a child may use. The child is killed at these, so they include whatever grace it deserves.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// CPU time, user and system, of the whole process group.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Resident memory of the whole process group, in bytes.
    pub memory: u64,
}

/// Why a child was killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Its CPU time passed the limit.
    Cpu,
    /// The wall clock passed the limit.
    Wall,
    /// Its memory passed the limit.
    Memory,
    /// We were asked to stop.
    Interrupted,
}

/// What became of a child.
#[derive(Clone, Debug)]
pub struct Usage {
    /// How it ended.
    pub status: ExitStatus,
    /// Why we killed it, if we did.
    pub stop: Option<Stop>,
    /// CPU time, user and system, of the child and its descendants.
    pub cpu: Duration,
    /// Wall-clock time.
    pub wall: Duration,
    /// Peak resident memory in bytes.
    pub memory: u64,
}

impl Usage {
    /// The exit code, or the signal, as a word.
    pub fn exit(&self) -> String {
        match (self.status.code(), self.status.signal()) {
            (Some(code), _) => code.to_string(),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "?".to_owned(),
        }
    }
}

/// Runs `command` with its output in the two files. Fails only if the child cannot be started or observed.
pub fn run(
    mut command: Command,
    stdout: &Path,
    stderr: &Path,
    limits: &Limits,
    interrupt: &AtomicBool,
) -> io::Result<Usage> {
    command.stdin(Stdio::null()).stdout(File::create(stdout)?).stderr(File::create(stderr)?).process_group(0);
    let start = Instant::now();
    let mut child = command.spawn()?;
    let group = Pid::from_child(&child);
    // Read after `spawn`, which returns when the child has its own memory.
    let ours = peak_memory("self").unwrap_or(0);
    set_rlimits(group, limits);
    let watched = watch(group, start, limits, interrupt);
    // Also after a normal end: what the child left behind in its group must not disturb the next measurement.
    let _ = kill_process_group(group, Signal::KILL);
    match watched {
        Ok(watched) => reap(&mut child, start, limits, ours, watched),
        Err(error) => {
            child.wait()?;
            Err(error)
        }
    }
}

/// The largest sample of a group, and why watching ended.
#[derive(Default)]
struct Watched {
    stop: Option<Stop>,
    cpu: Duration,
    memory: u64,
}

/// Watches until the leader has ended or a limit is passed. Reaps nothing.
fn watch(group: Pid, start: Instant, limits: &Limits, interrupt: &AtomicBool) -> io::Result<Watched> {
    let mut watched = Watched::default();
    let mut next_sample = start;
    // Short runs are polled often for an exact wall time, long ones seldom.
    let mut pause = Duration::from_micros(500);
    loop {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(group), options)?.is_some() {
            return Ok(watched);
        }
        let now = Instant::now();
        if now >= next_sample {
            let sample = sample(group);
            // Sampling reads all of /proc; it may take one percent of a core. After one slow sample, on a
            // machine that stood still for a moment, the next one must not be far away.
            next_sample = now + SAMPLE_INTERVAL.max(now.elapsed() * 100).min(LONGEST_INTERVAL);
            watched.cpu = watched.cpu.max(sample.cpu);
            let leader = peak_memory(group).unwrap_or(0);
            watched.memory = watched.memory.max(sample.memory).max(leader);
        }
        watched.stop = if interrupt.load(Ordering::Relaxed) {
            Some(Stop::Interrupted)
        } else if watched.memory > limits.memory {
            Some(Stop::Memory)
        } else if watched.cpu > limits.cpu {
            Some(Stop::Cpu)
        } else if start.elapsed() > limits.wall {
            Some(Stop::Wall)
        } else {
            None
        };
        if watched.stop.is_some() {
            return Ok(watched);
        }
        thread::sleep(pause);
        pause = (pause * 5 / 4).min(Duration::from_millis(10));
    }
}

/// `ours` is the peak memory of this process when it started the child.
fn reap(
    child: &mut Child,
    start: Instant,
    limits: &Limits,
    ours: u64,
    watched: Watched,
) -> io::Result<Usage> {
    let end = child.wait4()?;
    // Until it executed its program the child shared our memory, and the kernel counts that in. So the
    // kernel's figure is the child's own only where it is above ours; below, the samples are better, if there
    // was time for one.
    let maxrss = end.rusage.maxrss;
    let memory =
        if maxrss > ours || watched.memory == 0 { maxrss.max(watched.memory) } else { watched.memory };
    let mut stop = watched.stop;
    // The kernel's own limit strikes a single process; it may be faster than the next sample.
    if stop.is_none() && end.status.signal() == Some(Signal::XCPU.as_raw()) {
        stop = Some(Stop::Cpu);
    }
    // A peak between two samples: only the kernel has seen it.
    if memory > limits.memory && stop != Some(Stop::Interrupted) {
        stop = Some(Stop::Memory);
    }
    Ok(Usage {
        status: end.status,
        stop,
        cpu: (end.rusage.utime + end.rusage.stime).max(watched.cpu),
        wall: start.elapsed(),
        memory,
    })
}

#[cfg(target_os = "linux")]
fn set_rlimits(pid: Pid, limits: &Limits) {
    use rustix::process::{Resource, Rlimit, prlimit};
    let seconds = limits.cpu.as_secs() + 1;
    // The child may already have ended: then there is nothing left to limit.
    let _ = prlimit(Some(pid), Resource::Cpu, Rlimit { current: Some(seconds), maximum: Some(seconds + 1) });
    let _ = prlimit(
        Some(pid),
        Resource::Fsize,
        Rlimit { current: Some(MAX_FILE_BYTES), maximum: Some(MAX_FILE_BYTES) },
    );
    // No core files of crashing tools.
    let _ = prlimit(Some(pid), Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

#[cfg(not(target_os = "linux"))]
fn set_rlimits(_pid: Pid, _limits: &Limits) {
    let _ = MAX_FILE_BYTES;
}

/// CPU time and memory of a process group at one moment.
#[derive(Default)]
struct Sample {
    cpu: Duration,
    memory: u64,
}

/// Sums over the live processes of the group; a process's own reaped children are in its `cutime` and
/// `cstime`.
fn sample(group: Pid) -> Sample {
    let mut total = Sample::default();
    let Ok(entries) = fs::read_dir("/proc") else { return total };
    for entry in entries.flatten() {
        if !entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit) {
            continue;
        }
        // A process may end between the listing and the reading.
        let Ok(text) = fs::read(entry.path().join("stat")) else { continue };
        if let Some((process_group, one)) = parse_stat(&String::from_utf8_lossy(&text))
            && process_group == group.as_raw_nonzero().get()
        {
            total.cpu += one.cpu;
            total.memory += one.memory;
        }
    }
    total
}

/// The peak resident memory of a process (`VmHWM`) in bytes, while it runs.
fn peak_memory(pid: impl Display) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Process group, CPU time and resident memory out of a line of `/proc/PID/stat`, see proc(5).
fn parse_stat(text: &str) -> Option<(i32, Sample)> {
    // The second field is the name, in parentheses, and may hold anything; the numbers in proc(5) count from
    // 1.
    let fields: Vec<&str> = text[text.rfind(')')? + 1..].split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let ticks = field(14)? + field(15)? + field(16)? + field(17)?;
    let cpu = Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64);
    let memory = field(24)? * rustix::param::page_size() as u64;
    Some((fields.get(5 - 3)?.parse().ok()?, Sample { cpu, memory }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(cpu_ms: u64, wall_ms: u64, memory_mb: u64) -> Limits {
        Limits {
            cpu: Duration::from_millis(cpu_ms),
            wall: Duration::from_millis(wall_ms),
            memory: memory_mb << 20,
        }
    }

    fn shell(script: &str, limits: Limits, interrupt: &AtomicBool) -> Usage {
        let dir = tempfile::tempdir().unwrap();
        let mut command = Command::new("sh");
        command.arg("-c").arg(script);
        run(command, &dir.path().join("out"), &dir.path().join("err"), &limits, interrupt).unwrap()
    }

    #[test]
    fn a_quiet_child_ends_by_itself() {
        // Memory is sampled: a child that ends at once on a busy machine may never be seen, so nothing is
        // said about it here.
        let usage = shell("exit 7", limits(5000, 20_000, 1000), &AtomicBool::new(false));
        assert_eq!((usage.exit().as_str(), usage.stop), ("7", None));
        assert!(usage.cpu < Duration::from_secs(1));
    }

    #[test]
    fn our_own_memory_is_not_counted_as_the_childs() {
        let ballast = vec![1_u8; 200 << 20];
        let usage = shell("sleep 0.2", limits(5000, 20_000, 1000), &AtomicBool::new(false));
        assert!(ballast.iter().all(|&byte| byte == 1));
        assert!(usage.memory > 100_000 && usage.memory < 100 << 20, "{}", usage.memory);
    }

    #[test]
    fn cpu_is_limited_over_all_processes_of_the_group() {
        let burn = "(while :; do :; done) & (while :; do :; done) & wait";
        let usage = shell(burn, limits(600, 20_000, 1000), &AtomicBool::new(false));
        assert_eq!(usage.stop, Some(Stop::Cpu));
        assert!(
            usage.cpu > Duration::from_millis(600) && usage.cpu < Duration::from_secs(3),
            "{:?}",
            usage.cpu
        );
    }

    #[test]
    fn sleep_costs_no_cpu_but_ends_at_the_wall() {
        let usage = shell("sleep 30", limits(10_000, 300, 1000), &AtomicBool::new(false));
        assert_eq!(usage.stop, Some(Stop::Wall));
        assert!(usage.cpu < Duration::from_millis(300) && usage.wall >= Duration::from_millis(300));
        assert_eq!(usage.exit(), "signal 9");
    }

    #[test]
    fn memory_of_a_grandchild_counts() {
        // `tail` keeps its last line, which has no end here.
        let usage = shell(
            "head -c 400000000 /dev/zero | tail; sleep 5",
            limits(20_000, 20_000, 100),
            &AtomicBool::new(false),
        );
        assert_eq!(usage.stop, Some(Stop::Memory));
        assert!(usage.memory > 100 << 20);
    }

    #[test]
    fn a_peak_between_two_samples_counts() {
        // What no sample has seen, the kernel tells of the children that were waited for.
        let mut command = Command::new("sh");
        command.arg("-c").arg("head -c 300000000 /dev/zero | tail > /dev/null").process_group(0);
        let mut child = command.spawn().unwrap();
        let limits = limits(20_000, 20_000, 100);
        let usage = reap(&mut child, Instant::now(), &limits, 0, Watched::default()).unwrap();
        assert_eq!(usage.stop, Some(Stop::Memory), "{usage:?}");
    }

    #[test]
    fn an_interrupt_ends_the_group() {
        let interrupt = AtomicBool::new(false);
        let usage = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                interrupt.store(true, Ordering::Relaxed);
            });
            shell("sleep 30 & sleep 30", limits(10_000, 20_000, 1000), &interrupt)
        });
        assert_eq!(usage.stop, Some(Stop::Interrupted));
        assert!(usage.wall < Duration::from_secs(10));
    }

    #[test]
    fn what_a_child_leaves_behind_is_killed() {
        let dir = tempfile::tempdir().unwrap();
        let trace = dir.path().join("alive");
        let script = format!("(sleep 1; touch {}) & exit 0", trace.display());
        let usage = shell(&script, limits(5000, 5000, 1000), &AtomicBool::new(false));
        assert_eq!(usage.exit(), "0");
        thread::sleep(Duration::from_millis(1500));
        assert!(!trace.exists());
    }

    #[test]
    fn names_with_spaces_and_parentheses_do_not_shift_the_fields() {
        let line =
            "12 (a) b (c)) S 1 77 77 0 -1 0 0 0 0 0 100 50 25 25 20 0 1 0 5 1000 3 18446744073709551615 1";
        let (group, sample) = parse_stat(line).unwrap();
        assert_eq!(group, 77);
        assert_eq!(sample.cpu.as_secs_f64(), 200.0 / rustix::param::clock_ticks_per_second() as f64);
        assert_eq!(sample.memory, 3 * rustix::param::page_size() as u64);
    }
}
