//! The budget of a run: CPU time, memory, interruption. Engines poll [`Budget::check`] between queries;
//! solvers share the interrupt flag.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::time::ClockId;

use crate::timed::cpu_time;

/// How often a part of a budget looks at the clock.
const POLL: Duration = Duration::from_millis(5);
/// How much longer a part lasts at most when the process has to wait.
const PATIENCE: u32 = 4;

/// A part of a budget, watched as long as this is there.
#[derive(Debug)]
pub struct Part {
    /// The part.
    pub budget: Budget,
    over: Arc<AtomicBool>,
}

impl Drop for Part {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

/// Why a run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The CPU-time limit.
    Timeout,
    /// The memory limit.
    Memory,
    /// The user (Ctrl-C).
    Interrupted,
}

impl fmt::Display for Stop {
    /// The word of the result line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Timeout => "timeout",
            Stop::Memory => "memory",
            Stop::Interrupted => "interrupted",
        })
    }
}

/// A shared stop signal. A watchdog of the command line raises it; everything else only reads it. Cloning
/// shares the signal.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    raised: Arc<AtomicBool>,
    reason: Arc<AtomicU8>,
}

impl Budget {
    /// A budget that never ends by itself.
    pub fn unlimited() -> Budget {
        Budget::default()
    }

    /// Raises the stop signal. The first reason wins.
    pub fn stop(&self, why: Stop) {
        let code = match why {
            Stop::Timeout => 1,
            Stop::Memory => 2,
            Stop::Interrupted => 3,
        };
        let _ = self.reason.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst);
        self.raised.store(true, Ordering::SeqCst);
    }

    /// Has the signal been raised?
    pub fn check(&self) -> Result<(), Stop> {
        if !self.raised.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(match self.reason.load(Ordering::SeqCst) {
            2 => Stop::Memory,
            3 => Stop::Interrupted,
            _ => Stop::Timeout,
        })
    }

    /// A part of the budget that also ends after this time: by the clock, and in CPU time of the process, as
    /// long as a loaded machine gives it a quarter.
    pub fn part(&self, time: Duration) -> Part {
        let (whole, budget, over) = (self.clone(), Budget::default(), Arc::new(AtomicBool::new(false)));
        let (part, watched) = (budget.clone(), Arc::clone(&over));
        let worked = || cpu_time(ClockId::ProcessCPUTime);
        let (start, before) = (Instant::now(), worked());
        let is_used = move || {
            let elapsed = start.elapsed();
            elapsed >= time && (worked() - before >= time || elapsed >= time * PATIENCE)
        };
        thread::spawn(move || {
            while !watched.load(Ordering::Relaxed) {
                let stop = whole.check().err().or(is_used().then_some(Stop::Timeout));
                if let Some(why) = stop {
                    return part.stop(why);
                }
                thread::sleep(POLL);
            }
        });
        Part { budget, over }
    }

    /// The flag that solvers poll.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.raised)
    }
}
