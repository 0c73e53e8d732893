//! How much of a run is spent in solvers: a [`SolverFactory`] that looks at the clock around every question.
//!
//! The clock is the CPU time of the thread: what a solver waits for (another process, a loaded machine) does
//! not count. Time never decides anything here, so runs stay deterministic.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use palisade_smt::interpolate::{Interpolation, Settings};
use palisade_smt::{Answer, Interpolator, Limits, Solver, Stats};
use palisade_term::{Term, TermPool};
use rustix::time::{ClockId, clock_gettime};

use crate::{Event, Observer, SolverFactory};

/// The time spent so far; shared by all solvers of a factory.
type Clock = Rc<Cell<Duration>>;

/// Makes the solvers of another factory, and counts the time they take.
pub struct Timed<'f> {
    inner: &'f dyn SolverFactory,
    clock: Clock,
    started: Duration,
}

impl<'f> Timed<'f> {
    /// Nothing spent yet.
    pub fn new(inner: &'f dyn SolverFactory) -> Timed<'f> {
        Timed { inner, clock: Clock::default(), started: of_thread() }
    }

    /// Tells the CPU time spent in solvers, and what part it is of all since this factory was made.
    pub fn report(&self, observer: &mut dyn Observer) {
        let spent = self.clock.get().as_micros();
        let all = (of_thread() - self.started).as_micros().max(1);
        let number = |n: u128| u64::try_from(n).unwrap_or(u64::MAX);
        observer.event(Event::Counter("solver CPU in milliseconds", number(spent / 1000)));
        observer.event(Event::Counter("percent of the time in solvers", number(spent * 100 / all)));
    }
}

/// The CPU time that this thread has used.
fn of_thread() -> Duration {
    cpu_time(ClockId::ThreadCPUTime)
}

/// The time that a clock shows.
pub(crate) fn cpu_time(clock: ClockId) -> Duration {
    let time = clock_gettime(clock);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
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
        let started = of_thread();
        let result = work(&mut self.inner);
        self.clock.set(self.clock.get() + (of_thread() - started));
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    /// Waits for so long, then works for so long.
    struct Slow(Duration, Duration);

    #[test]
    fn waiting_does_not_count_and_work_does() {
        let mut solver =
            TimedSolver { inner: Slow(Duration::from_millis(80), Duration::ZERO), clock: Clock::default() };
        let wait_and_work = |s: &mut Slow| {
            std::thread::sleep(s.0);
            let started = Instant::now();
            while started.elapsed() < s.1 {
                std::hint::spin_loop();
            }
        };
        solver.timed(wait_and_work);
        assert!(solver.clock.get() < Duration::from_millis(40), "{:?}", solver.clock.get());
        // On a loaded machine the thread gets a part of the time.
        solver.inner = Slow(Duration::ZERO, Duration::from_millis(400));
        solver.timed(wait_and_work);
        assert!(solver.clock.get() > Duration::from_millis(5), "{:?}", solver.clock.get());
    }
}
