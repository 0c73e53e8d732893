//! The engines that work on bits: a finite program becomes a circuit, and the circuit is decided on the SAT core.
//!
//! Boolean IC3 itself is in `palisade_bits`; this is the way there and back. A program is finite when its variables are Booleans and
//! bit-vectors ([`palisade_aig::finite`]); for others these engines are not made.
//!
//! Entry point: [`ic3`].

use palisade_aig::finite::Finite;
use palisade_bits::{Counter, Invariant, Monitor, Unknown, Verdict};

use crate::{Budget, Event, Observer, Outcome, Partial, Reason, Stop, Task};

/// Runs Boolean IC3 on the circuit of a task's program.
pub fn ic3(task: &Task<'_>, finite: &Finite, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    let mut monitor = Relay { observer, bound: 0 };
    let stop = palisade_bits::Stop(budget.interrupt_flag());
    let verdict = palisade_bits::ic3::run(&finite.circuit, &task.options.bits, &stop, &mut monitor);
    let bound = monitor.bound;
    conclude(task, finite, verdict, bound, budget)
}

/// Translates the verdict about the circuit back to the program.
fn conclude(task: &Task<'_>, finite: &Finite, verdict: Verdict, bound: u32, budget: &Budget) -> Outcome {
    let partial = Partial { safe_bound: bound.checked_sub(1), ..Partial::default() };
    match verdict {
        Verdict::Safe(Invariant { clauses, predicate }) => {
            Outcome::Safe(finite.invariants(task.pool, task.program, &clauses, predicate.as_ref()))
        }
        Verdict::Unsafe(trace) => match finite.run(task.pool, task.program, &trace) {
            Some(run) => Outcome::Unsafe(run),
            None => {
                let why = "the run of the circuit does not reach a bad state".to_string();
                Outcome::Unknown(Reason::Solver(why), partial)
            }
        },
        Verdict::Unknown(Unknown::Stopped) => {
            let stop = budget.check().err().unwrap_or(Stop::Interrupted);
            Outcome::Unknown(Reason::Stopped(stop), partial)
        }
        Verdict::Unknown(Unknown::Incomplete(why)) => Outcome::Unknown(Reason::Incomplete(why), partial),
    }
}

/// Tells the observer what the engine says.
struct Relay<'o> {
    observer: &'o mut dyn Observer,
    bound: u32,
}

impl Monitor for Relay<'_> {
    fn bound(&mut self, bound: u32) {
        self.bound = bound;
        self.observer.event(Event::Bound(bound));
    }

    fn counters(&mut self, counters: &[Counter]) {
        for &(name, value) in counters {
            self.observer.event(Event::Counter(name, value));
        }
    }
}
