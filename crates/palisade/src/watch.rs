//! The observer of a run: keeps what is known for the status line and the last word, and writes the trace.

use std::sync::PoisonError;

use palisade_engines::{Event, Observer};
use palisade_program::Program;
use palisade_term::TermPool;

use crate::session::Session;
use crate::trace;

/// Observes one engine.
pub struct Watch<'a> {
    /// The pool of the program.
    pub pool: &'a TermPool,
    /// The program the engine works on.
    pub program: &'a Program,
    /// Where what is known goes.
    pub session: &'a Session,
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: Event<'_>) {
        {
            let mut known = self.session.known();
            match event {
                Event::Bound(bound) => known.bound = Some(bound),
                Event::Queries(queries) => known.queries = queries,
                Event::Lemma { location, .. } => {
                    known.lemmas += 1;
                    known.location = Some(location);
                }
                Event::Obligation { location, .. } => known.location = Some(location),
                Event::Counter(name, value) => known.counters.push((name, value)),
                Event::Push { .. } | Event::Counterexample(_) | Event::Fixpoint(_) => {}
            }
        }
        if let Some(file) = &self.session.trace {
            let seconds = self.session.started.elapsed().as_secs_f64();
            let line = trace::event(self.pool, self.program, &event, seconds);
            file.lock().unwrap_or_else(PoisonError::into_inner).line(&line);
        }
    }

    fn wants_detail(&self) -> bool {
        self.session.trace.is_some()
    }
}
