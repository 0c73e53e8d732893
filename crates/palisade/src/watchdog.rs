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

use palisade_engines::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};

use crate::args::LimitArgs;
use crate::resources;
use crate::session::Session;
use crate::{report, status};

const POLL: Duration = Duration::from_millis(20);
const GRACE: Duration = Duration::from_millis(1500);
/// Memory that is still growing leaves less time, and none once it is a tenth above its limit.
const GRACE_MEMORY: Duration = Duration::from_millis(500);
const HEADROOM: u64 = 10;

/// Starts watching. The first SIGINT or SIGTERM stops the run, a second one kills it.
pub fn start(session: &Arc<Session>, limits: LimitArgs) -> io::Result<()> {
    let signalled = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag down and raises it, the second finds it up.
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&signalled))?;
        signal_hook::flag::register(signal, Arc::clone(&signalled))?;
    }
    let session = Arc::clone(session);
    thread::Builder::new().name("watchdog".into()).spawn(move || watch(&session, limits, &signalled))?;
    Ok(())
}

fn watch(session: &Session, limits: LimitArgs, signalled: &AtomicBool) {
    let mut stopped_at: Option<Instant> = None;
    let mut status = status::StatusLine::new();
    while !session.is_over() {
        thread::sleep(POLL);
        let used = resources::usage();
        if signalled.load(Ordering::SeqCst) {
            session.budget.stop(Stop::Interrupted);
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
            let grace = if stop == Stop::Memory { GRACE_MEMORY } else { GRACE };
            if (beyond || since.elapsed() >= grace) && session.claim() {
                process::exit(report::abandoned(session, stop).into());
            }
        }
    }
}
