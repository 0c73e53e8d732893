//! Signals that ask the process to stop.
//!
//! The first one is a wish, which the process sees by asking; one that comes later ends the process at
//! once. Those that come together are one wish: `timeout`, for one, signals its child and then the whole
//! group in which the child is.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::SigId;

/// Signals that are no further apart belong together.
const TOGETHER: Duration = Duration::from_millis(300);
const POLL: Duration = Duration::from_millis(20);

/// The wish to stop, listened for until this is dropped.
pub struct Wish {
    raised: Arc<AtomicBool>,
    is_over: Arc<AtomicBool>,
    handlers: Vec<SigId>,
}

impl Wish {
    /// Listens for these signals.
    pub fn by(signals: &[i32]) -> io::Result<Wish> {
        let flag = || Arc::new(AtomicBool::new(false));
        let (raised, next_ends, is_over) = (flag(), flag(), flag());
        let mut handlers = Vec::new();
        for &signal in signals {
            let code = 128 + signal;
            let end = signal_hook::flag::register_conditional_shutdown(signal, code, Arc::clone(&next_ends))?;
            handlers.extend([end, signal_hook::flag::register(signal, Arc::clone(&raised))?]);
        }
        let (first, over) = (Arc::clone(&raised), Arc::clone(&is_over));
        thread::Builder::new().name("signals".into()).spawn(move || {
            while !first.load(Ordering::SeqCst) {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                thread::sleep(POLL);
            }
            thread::sleep(TOGETHER);
            next_ends.store(true, Ordering::SeqCst);
        })?;
        Ok(Wish { raised, is_over, handlers })
    }

    /// Has a signal come?
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    /// What a signal raises, for those who watch a flag.
    pub fn flag(&self) -> &AtomicBool {
        &self.raised
    }
}

impl Drop for Wish {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        for &handler in &self.handlers {
            signal_hook::low_level::unregister(handler);
        }
    }
}
