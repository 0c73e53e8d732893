//! The engines that work on bits: a finite program becomes a circuit, and the circuit is decided on the SAT
//! core.
//!
//! The methods themselves are in `palisade_bits`; this is the way there and back. A program is finite when
//! its variables are Booleans and bit-vectors ([`palisade_aig::finite`]); of others the engines of this
//! module say that they are incomplete.
//!
//! Entry points: [`ic3`], [`imc`], [`FSIS`]; `attempt` for engines that have another way too.

use palisade_aig::Circuit;
use palisade_aig::finite::{Finite, NotFinite, encode, is_finite};
use palisade_bits::{Counter, Invariant, Monitor, Unknown, Verdict};
use palisade_program::Program;
use palisade_term::TermPool;

use crate::options::{Backend, Compared};
use crate::{Budget, Engine, Event, Observer, Outcome, Partial, Reason, Shape, Stop, Task};

/// A method on circuits.
pub(crate) type Method =
    dyn Fn(&Circuit, &palisade_bits::Options, &palisade_bits::Control, &mut dyn Monitor) -> Verdict;

/// An engine on circuits.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    name: &'static str,
    about: &'static str,
    method: fn(&Circuit, &palisade_bits::Options, &palisade_bits::Control, &mut dyn Monitor) -> Verdict,
}

/// FSIS.
pub const FSIS: Bits = Bits {
    name: "fsis",
    about: "inductive subclauses of counterexamples to induction, without frames; finite programs",
    method: palisade_bits::fsis::run,
};

impl Engine for Bits {
    fn name(&self) -> &'static str {
        self.name
    }

    fn about(&self) -> &'static str {
        self.about
    }

    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &crate::Options) -> Shape {
        Shape::Bits
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        match encode(task.pool, task.program) {
            Ok(finite) => decide(&self.method, &task.options.bits, task, &finite, budget, observer),
            Err(why) => not_finite(&why),
        }
    }
}

/// Is a program one loop whose next state is a function of state and inputs, rather than an input that the
/// guard restricts?
pub fn is_circuit(pool: &TermPool, program: &Program) -> bool {
    program.locations.len() <= 3
        && program.edges.iter().all(|e| {
            let restricted = pool.free_vars(e.guard);
            !e.update.iter().any(|u| e.inputs.contains(u) && restricted.contains(u))
        })
}

/// Does an engine that can also do without run a program on bits? By itself only where there is no control
/// flow to lose.
pub(crate) fn wanted(backend: Backend, pool: &TermPool, program: &Program) -> bool {
    match backend {
        Backend::Sat => true,
        Backend::Smt => false,
        Backend::Auto => program.locations.len() == 3 && is_finite(pool, program),
    }
}

/// Runs a method on the circuit of a task's program, with these options. `None` if it has none and another
/// way may be tried.
pub(crate) fn attempt(
    method: &Method,
    backend: Backend,
    options: &palisade_bits::Options,
    task: &Task<'_>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Option<Outcome> {
    if !wanted(backend, task.pool, task.program) {
        return None;
    }
    match encode(task.pool, task.program) {
        Ok(finite) => Some(decide(method, options, task, &finite, budget, observer)),
        Err(_) if backend == Backend::Auto => None,
        Err(why) => Some(not_finite(&why)),
    }
}

/// The answer to a program that is no circuit.
pub(crate) fn not_finite(why: &NotFinite) -> Outcome {
    let reason = Reason::Incomplete(format!("not a finite program: {why}"));
    Outcome::Unknown(reason, Partial::default())
}

/// Runs Boolean IC3 on the circuit of a task's program.
pub fn ic3(task: &Task<'_>, mut finite: Finite, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    let compare = match task.options.ic3.compare {
        Compared::Never => false,
        Compared::Programs => finite.has_control(),
        Compared::Always => true,
    };
    if compare {
        finite.watch(task.pool, task.program);
    }
    decide(&palisade_bits::ic3::run, &task.options.bits, task, &finite, budget, observer)
}

/// Runs interpolation-based model checking on the circuit of a task's program.
pub fn imc(task: &Task<'_>, finite: &Finite, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    let options = palisade_bits::Options { system: task.options.imc.system, ..task.options.bits.clone() };
    decide(&palisade_bits::imc::run, &options, task, finite, budget, observer)
}

fn decide(
    method: &Method,
    options: &palisade_bits::Options,
    task: &Task<'_>,
    finite: &Finite,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut monitor = Relay { observer, bound: 0 };
    let control = palisade_bits::Control {
        stop: budget.interrupt_flag(),
        seed: task.options.general.seed,
        workers: task.options.ic3.workers,
    };
    let verdict = method(&finite.circuit, options, &control, &mut monitor);
    let bound = monitor.bound;
    let outcome = conclude(task, finite, verdict, bound, budget);
    if let Outcome::Unsafe(run) = &outcome {
        let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
        observer.event(Event::Counterexample(&edges));
    }
    outcome
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
            match name {
                "queries" => self.observer.event(Event::Queries(value)),
                "lemmas" => self.observer.event(Event::Lemmas(value)),
                _ => {}
            }
            self.observer.event(Event::Counter(name, value));
        }
    }
}
