//! One live line on a terminal: what the run is busy with, its bound, its queries, its time. Nothing when
//! stderr is not a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::resources::Usage;
use crate::session::Session;

const INTERVAL: Duration = Duration::from_millis(200);
/// Short runs show nothing at all.
const QUIET: Duration = Duration::from_millis(500);

/// The live line, if stderr is a terminal.
pub struct StatusLine {
    on: bool,
    drawn: Option<Instant>,
}

impl StatusLine {
    /// A line that has not been drawn yet.
    pub fn new() -> StatusLine {
        StatusLine { on: io::stderr().is_terminal(), drawn: None }
    }

    /// Is there a terminal to draw it on?
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// Draws it, when it is time.
    pub fn draw(&mut self, session: &Session, used: Usage) {
        let due = self.drawn.is_none_or(|t| t.elapsed() >= INTERVAL) && session.started.elapsed() >= QUIET;
        if !self.on || !due || session.is_over() {
            return;
        }
        self.drawn = Some(Instant::now());
        let text = {
            let known = session.known();
            let mut parts = vec![known.phase.to_string()];
            parts.extend(known.bound.map(|b| format!("bound {b}")));
            if known.queries > 0 {
                parts.push(format!("{} queries", known.queries));
            }
            if known.lemmas > 0 {
                parts.push(format!("{} lemmas", known.lemmas));
            }
            parts.push(format!("{:.1} s", used.cpu.as_secs_f64()));
            parts.push(format!("{} MB", used.memory >> 20));
            parts.join(", ")
        };
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
        let _ = io::stderr().flush();
    }
}

/// Wipes the line, before something else is printed.
pub fn wipe() {
    if io::stderr().is_terminal() {
        let _ = write!(io::stderr(), "\r\x1b[K");
        let _ = io::stderr().flush();
    }
}
