//! The observer of a run: keeps what is known for the status line and the last word, and writes the trace.

use std::sync::PoisonError;

use palisade_engines::{Event, Observer};
use palisade_program::Program;
use palisade_term::TermPool;
use palisade_verify::Phase;

use crate::session::Session;
use crate::trace;

/// Observes one run.
pub struct Watch<'a> {
    pool: &'a TermPool,
    /// The program that the engine works on, if there is a trace.
    program: Option<Program>,
    /// Where what is known goes.
    session: &'a Session,
}

impl<'a> Watch<'a> {
    /// An observer that keeps what it sees in the session.
    pub fn new(pool: &'a TermPool, session: &'a Session) -> Watch<'a> {
        Watch { pool, program: None, session }
    }
}

impl palisade_verify::Observer for Watch<'_> {
    fn phase(&mut self, phase: Phase) {
        self.session.phase(phase.words());
    }

    fn prepared(&mut self, pool: &TermPool, program: &Program) {
        self.session.known().names = program.locations.iter().map(|l| l.name.clone()).collect();
        if let Some(file) = &self.session.trace {
            let subject = &self.session.subject;
            let engine = subject.engine.as_deref().expect("a run has an engine");
            let header = trace::header(pool, program, engine, &subject.input());
            file.lock().unwrap_or_else(PoisonError::into_inner).line(&header);
            self.program = Some(program.clone());
        }
    }
}

impl Observer for Watch<'_> {
    fn event(&mut self, event: Event<'_>) {
        {
            let mut known = self.session.known();
            if let Event::Counter(name, value) = event {
                known.counters.push((name, value));
            }
            match event {
                Event::Bound(bound) => known.bound = Some(bound),
                // Several engines may run one after another: the most that one of them has.
                Event::Queries(n) | Event::Counter("queries", n) => known.queries = known.queries.max(n),
                Event::Lemmas(n) | Event::Counter("lemmas", n) => known.lemmas = known.lemmas.max(n),
                Event::Lemma { location, by, .. } => {
                    // A lemma of a path counts when a node of the tree takes it.
                    known.lemmas += u64::from(!by.starts_with("block-path"));
                    known.location = Some(location);
                }
                Event::Obligation { location, .. } => known.location = Some(location),
                Event::Counter(..) => {}
                Event::Strengthened { location, .. } => {
                    known.lemmas += 1;
                    known.location = Some(location);
                }
                Event::Node { location, .. } => known.location = Some(location),
                Event::Push { .. }
                | Event::Covered { .. }
                | Event::Uncovered { .. }
                | Event::PathBlocked { .. }
                | Event::PathImplies { .. }
                | Event::Removed { .. }
                | Event::Predicate { .. }
                | Event::Abstraction { .. }
                | Event::Spurious { .. }
                | Event::SpuriousPath { .. }
                | Event::Refined { .. }
                | Event::Backtracked { .. }
                | Event::Lifted { .. }
                | Event::Counterexample(_)
                | Event::Fixpoint(_) => {}
            }
        }
        if let (Some(file), Some(program)) = (&self.session.trace, &self.program) {
            let seconds = self.session.started.elapsed().as_secs_f64();
            let line = trace::event(self.pool, program, &event, seconds);
            file.lock().unwrap_or_else(PoisonError::into_inner).line(&line);
        }
    }

    fn wants_detail(&self) -> bool {
        self.session.trace.is_some()
    }
}
