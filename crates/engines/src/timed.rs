//! How much of a run is spent in solvers: a [`SolverFactory`] that looks at the clock around every question.
//!
//! Time is only counted, it never decides anything: runs stay deterministic.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use palisade_smt::interpolate::{Interpolation, Settings};
use palisade_smt::{Answer, Interpolator, Limits, Solver, Stats};
use palisade_term::{Term, TermPool};

use crate::SolverFactory;

/// The time spent so far; shared by all solvers of a factory.
type Clock = Rc<Cell<Duration>>;

/// Makes the solvers of another factory, and counts the time they take.
pub struct Timed<'f> {
    inner: &'f dyn SolverFactory,
    clock: Clock,
    started: Instant,
}

impl<'f> Timed<'f> {
    /// Nothing spent yet.
    pub fn new(inner: &'f dyn SolverFactory) -> Timed<'f> {
        Timed { inner, clock: Clock::default(), started: Instant::now() }
    }

    /// The time spent in solvers, in percent of the time since this factory was made.
    pub fn percent(&self) -> u64 {
        let all = self.started.elapsed().as_micros().max(1);
        u64::try_from(self.clock.get().as_micros() * 100 / all).unwrap_or(100)
    }
}

impl SolverFactory for Timed<'_> {
    fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
        Box::new(TimedSolver { inner: self.inner.solver(pool), clock: Rc::clone(&self.clock) })
    }

    fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p> {
        Box::new(TimedSolver { inner: self.inner.interpolator(pool), clock: Rc::clone(&self.clock) })
    }
}

/// A solver or interpolator with the clock.
struct TimedSolver<T> {
    inner: T,
    clock: Clock,
}

impl<T> TimedSolver<T> {
    fn timed<R>(&mut self, work: impl FnOnce(&mut T) -> R) -> R {
        let started = Instant::now();
        let result = work(&mut self.inner);
        self.clock.set(self.clock.get() + started.elapsed());
        result
    }
}

impl<'p> Solver for TimedSolver<Box<dyn Solver + 'p>> {
    fn pool(&self) -> &TermPool {
        self.inner.pool()
    }

    fn push(&mut self) {
        self.timed(|s| s.push());
    }

    fn pop(&mut self, scopes: usize) {
        self.timed(|s| s.pop(scopes));
    }

    fn assert(&mut self, formula: Term) {
        self.timed(|s| s.assert(formula));
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.timed(|s| s.check(assumptions))
    }

    fn check_with(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        self.timed(|s| s.check_with(temporary, assumptions))
    }

    fn minimize_core(&mut self, temporary: &[Term], core: &[Term]) -> Vec<Term> {
        self.timed(|s| s.minimize_core(temporary, core))
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

impl<'p> Interpolator for TimedSolver<Box<dyn Interpolator + 'p>> {
    fn interpolate(&mut self, parts: &[Term], settings: &Settings) -> Interpolation {
        self.timed(|s| s.interpolate(parts, settings))
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}
