//! The watchdog: enforces `--timeout` and `--memory`, turns signals into a clean stop, and draws the status
//! line.
//!
//! It raises the budget's stop signal. A worker that does not come to an end within the grace period (it is
//! stuck in a query that does not poll, say) is left behind: the watchdog prints the result itself and ends
//! the process.

use std::io;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use palisade_bench::signals::Wish;
use palisade_engines::Stop;
use rustix::process::{Resource, getrlimit};
use signal_hook::consts::{SIGINT, SIGTERM, SIGXCPU};

use crate::args::LimitArgs;
use crate::resources;
use crate::session::Session;
use crate::{report, status};

const POLL: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_millis(1500);
/// Before a hard limit of CPU time there is no more of it than [`RESERVE`], for all threads together.
const GRACE_HARD: Duration = Duration::from_millis(150);
/// CPU seconds that are left for the result; of a short limit, half of it.
const RESERVE: f64 = 1.0;
/// Memory that is still growing leaves less time, and none once it is a tenth above its limit.
const GRACE_MEMORY: Duration = Duration::from_millis(500);
const HEADROOM: u64 = 10;

/// Starts watching. The first SIGINT or SIGTERM stops the run, a later one kills it.
pub fn start(session: &Arc<Session>, limits: LimitArgs) -> io::Result<Arc<Signals>> {
    let wish = Wish::by(&[SIGINT, SIGTERM])?;
    // The kernel repeats this one every second, and ends the process at the hard limit.
    let out_of_time = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGXCPU, Arc::clone(&out_of_time))?;
    let hard = getrlimit(Resource::Cpu).maximum;
    let session = Arc::clone(session);
    let last_second = hard.map(|s| s as f64 - RESERVE.min(s as f64 / 2.0));
    let signals = Arc::new(Signals { wish, out_of_time, last_second });
    let seen = Arc::clone(&signals);
    thread::Builder::new().name("watchdog".into()).spawn(move || watch(&session, limits, &seen))?;
    Ok(signals)
}

/// What comes from outside.
pub struct Signals {
    /// SIGINT or SIGTERM.
    wish: Wish,
    /// SIGXCPU.
    out_of_time: Arc<AtomicBool>,
    /// CPU seconds of this process after which the kernel may kill it without a word.
    last_second: Option<f64>,
}

impl Signals {
    /// Has a resource manager taken the time away?
    fn is_out_of_time(&self) -> bool {
        self.out_of_time.load(Ordering::SeqCst) || self.is_last_second()
    }

    fn is_last_second(&self) -> bool {
        self.last_second.is_some_and(|s| resources::own_cpu().as_secs_f64() >= s)
    }

    /// Why the run has to stop, if it has to.
    fn stop(&self) -> Option<Stop> {
        let interrupted = || self.wish.is_raised().then_some(Stop::Interrupted);
        interrupted().or_else(|| self.is_out_of_time().then_some(Stop::Timeout))
    }

    /// Did the run fail because it was to stop? Whoever signals a group of processes also signals the
    /// preprocessor, whose end may be seen here before the signal is.
    pub fn explains(&self, session: &Session) -> Option<Stop> {
        thread::sleep(POLL);
        self.stop().or(session.budget.check().err())
    }
}

fn watch(session: &Session, limits: LimitArgs, signals: &Signals) {
    let mut stopped_at: Option<Instant> = None;
    let mut status = status::StatusLine::new();
    while !session.is_over() {
        thread::sleep(POLL);
        // Looking it up is work, too.
        let asked = limits.timeout.is_some() || limits.memory.is_some() || status.is_on();
        let used = if asked { resources::usage() } else { resources::Usage::default() };
        if let Some(stop) = signals.stop() {
            session.budget.stop(stop);
        }
        if limits.timeout.is_some_and(|s| used.cpu.as_secs_f64() >= s) {
            session.budget.stop(Stop::Timeout);
        }
        if limits.memory.is_some_and(|mb| used.memory >= mb << 20) {
            session.budget.stop(Stop::Memory);
        }
        status.draw(session, used);
        if let Err(stop) = session.budget.check() {
            let since = *stopped_at.get_or_insert_with(Instant::now);
            let beyond = limits.memory.is_some_and(|mb| used.memory >= (mb << 20) + (mb << 20) / HEADROOM);
            let grace = match stop {
                Stop::Memory => GRACE_MEMORY,
                _ if signals.is_last_second() => GRACE_HARD,
                _ => GRACE,
            };
            if (beyond || since.elapsed() >= grace) && session.claim() {
                let code = report::abandoned(session, stop);
                palisade_front_c::scratch::remove_all();
                process::exit(code.into());
            }
        }
    }
}
