//! Model checking of circuits on the SAT core, with no terms in the way.
//!
//! An engine gets a [`Circuit`] and answers with a [`Verdict`]: an inductive [`Invariant`], or a run. Both
//! are claims; who calls checks them ([`Circuit::replay`] for runs, `certify` for invariants).
//!
//! - [`ic3`], IC3: Bradley, SAT-Based Model Checking without Unrolling, 2011, with the improvements named
//!   there;
//! - [`fsis`], FSIS: Bradley, Manna, Checking Safety by Inductive Generalization of Counterexamples to
//!   Induction, 2007;
//! - [`imc`], interpolation: McMillan, Interpolation and SAT-Based Model Checking, 2003;
//! - [`kind`], k-induction: Sheeran, Singh, Stålmarck, Checking Safety Properties Using Induction and a
//!   SAT-Solver, 2000;
//! - [`bmc`], bounded search: Biere, Cimatti, Clarke, Zhu, Symbolic Model Checking without BDDs, 1999.
//!
//! # Parts
//! [`Model`] is the circuit as the solvers see it: variables and gates, made once, and their clauses
//! (`relation`). `Step` is a SAT solver
//! with one copy of the transition relation, loaded as far as queries need it; the next value of a latch is
//! the literal of its next-state function, so there are no primed variables. `unroll` and `simulation` are
//! the other two ways to see several steps: symbolically, and 64 random runs at a time.
//!
//! # Invariants
//! - One variable numbering for all solvers of a model: latches first, then inputs, the constant, then gates,
//!   arguments before the gate. Gates without a variable come after all others.
//! - Deterministic: nothing depends on time or addresses, except the moment at which a budget ends a run.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod bmc;
mod equivalence;
pub mod fsis;
pub mod ic3;
pub mod imc;
pub mod kind;
mod marks;
mod model;
mod options;
mod relation;
mod simulation;
mod step;
mod unroll;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use palisade_aig::{Circuit, Lit, Trace};
use palisade_sat::{Limits, Options as SatOptions, Solver};

use equivalence::Merged;
pub use model::Model;
pub use options::{Domain, Options, Polarity, System};
pub use palisade_aig::Predicate;

/// A disjunction over latches, and over what the circuit watches, whose numbers come after those of the
/// latches: each with the value that satisfies it.
pub type Clause = Vec<(usize, bool)>;

/// What an engine claims about a circuit.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// This holds in every initial state, is preserved by every step, and excludes bad states.
    Safe(Invariant),
    /// This run reaches a bad state.
    Unsafe(Trace),
    /// Not decided, and why.
    Unknown(Unknown),
}

/// A set of states: all clauses and, if there is one, the predicate.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// A circuit over the latches.
    pub predicate: Option<Predicate>,
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The budget ended the run.
    Stopped,
    /// The method ends here.
    Incomplete(String),
}

/// A named counter with its final value.
pub type Counter = (&'static str, u64);

/// What the caller hears and says while an engine runs.
pub trait Monitor {
    /// The bound (frontier, depth) grew.
    fn bound(&mut self, bound: u32);
    /// The counters at the end.
    fn counters(&mut self, counters: &[Counter]);
}

/// Hears nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deaf;

impl Monitor for Deaf {
    fn bound(&mut self, _bound: u32) {}
    fn counters(&mut self, _counters: &[Counter]) {}
}

/// What steers a run from outside.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// The stop signal.
    pub stop: Arc<AtomicBool>,
    /// Other than 0: the seed of the solvers' first guesses and of simulation.
    pub seed: u64,
    /// Threads of IC3; 0 is 1.
    pub workers: usize,
}

/// The run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

impl Control {
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        if self.stop.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(()) }
    }

    /// A solver that hears the stop signal; with a proof log if `proof`.
    pub(crate) fn solver(&self, proof: bool) -> Solver {
        self.solver_with(SatOptions { proof, ..SatOptions::default() })
    }

    /// A solver that hears the stop signal.
    pub(crate) fn solver_with(&self, options: SatOptions) -> Solver {
        let mut sat = Solver::new(SatOptions { seed: self.seed, ..options });
        sat.set_limits(Limits { interrupt: Some(self.stop.clone()), ..Limits::default() });
        sat
    }
}

/// Runs an engine on a circuit after reductions, and translates its answer back.
fn with_reduction(
    circuit: &Circuit,
    options: &Options,
    control: &Control,
    monitor: &mut dyn Monitor,
    run: impl FnOnce(&Circuit, &mut dyn Monitor) -> Verdict,
) -> Verdict {
    let before = circuit.latches.len();
    on_reduced(circuit, |circuit| {
        monitor.counters(&[
            ("latches", circuit.latches.len() as u64),
            ("latches removed by reductions", (before - circuit.latches.len()) as u64),
        ]);
        if !options.equivalences {
            return run(circuit, monitor);
        }
        match equivalence::merge(circuit, options.equivalent_gates, control) {
            Ok(None) => run(circuit, monitor),
            Ok(Some(merged)) => {
                let (latches, gates) = merged.gone();
                monitor.counters(&[("merged latches", latches as u64), ("merged gates", gates as u64)]);
                on_merged(circuit, merged, |circuit| on_reduced(circuit, |circuit| run(circuit, monitor)))
            }
            Err(Stopped) => Verdict::Unknown(Unknown::Stopped),
        }
    })
}

/// Runs on a circuit after [`palisade_aig::reduce`](fn@palisade_aig::reduce).
fn on_reduced(circuit: &Circuit, run: impl FnOnce(&Circuit) -> Verdict) -> Verdict {
    let reduced = palisade_aig::reduce(circuit);
    match run(&reduced.circuit) {
        Verdict::Safe(invariant) => {
            let constants = reduced.constants.iter().map(|&c| vec![c]).collect();
            Verdict::Safe(invariant.renumbered(constants, |v| reduced.state_var(circuit, v)))
        }
        Verdict::Unsafe(trace) => Verdict::Unsafe(reduced.expand(circuit, &trace)),
        unknown @ Verdict::Unknown(_) => unknown,
    }
}

/// Runs on a circuit with merged signals.
fn on_merged(circuit: &Circuit, merged: Merged, run: impl FnOnce(&Circuit) -> Verdict) -> Verdict {
    match run(&merged.circuit) {
        Verdict::Safe(invariant) => {
            let mut invariant = invariant.renumbered(merged.clauses(), |latch| merged.original(latch));
            if let Some(equal) = merged.predicate(circuit) {
                invariant.predicate = Some(invariant.predicate.map_or(equal.clone(), |p| p.and(&equal)));
            }
            Verdict::Safe(invariant)
        }
        Verdict::Unsafe(trace) => Verdict::Unsafe(merged.expand(circuit, trace)),
        unknown @ Verdict::Unknown(_) => unknown,
    }
}

/// Runs on a circuit whose constraints are a latch: it is true as long as they were, and nothing is bad
/// without it. A step then satisfies the constraints only where that matters. Every run of the one that is
/// bad is one of the other; and what is inductive there is so here, with the latch true. `run` also gets the
/// literal that is true as long as the constraints are.
fn on_folded(circuit: &Circuit, run: impl FnOnce(&Circuit, Lit) -> Verdict) -> Verdict {
    let mut folded = circuit.clone();
    let kept = folded.constraint();
    let bad = folded.bad();
    let so_far = folded.add_latch(Some(true));
    let holds = folded.aig.and(so_far, kept);
    let number = folded.latches.len() - 1;
    folded.latches[number].next = holds;
    folded.bads = vec![folded.aig.and(bad, holds)];
    folded.constraints.clear();
    match run(&folded, holds) {
        Verdict::Safe(invariant) => {
            let satisfied = |clause: &Clause| clause.contains(&(number, true));
            let before = |l: &(usize, bool)| if l.0 > number { (l.0 - 1, l.1) } else { *l };
            let rest = |c: &Clause| c.iter().filter(|l| l.0 != number).map(before).collect();
            let clauses = invariant.clauses.iter().filter(|c| !satisfied(c)).map(rest).collect();
            let predicate = invariant.predicate.map(|p| p.fixed(number, true));
            Verdict::Safe(Invariant { clauses, predicate })
        }
        Verdict::Unsafe(mut trace) => {
            trace.initial.pop();
            Verdict::Unsafe(trace)
        }
        unknown @ Verdict::Unknown(_) => unknown,
    }
}

impl Invariant {
    /// The same over latches with other numbers, and more clauses.
    fn renumbered(self, more: Vec<Clause>, number: impl Fn(usize) -> usize) -> Invariant {
        let rename = |c: Clause| c.into_iter().map(|(l, v)| (number(l), v)).collect();
        let mut clauses = more;
        clauses.extend(self.clauses.into_iter().map(rename));
        let predicate = self.predicate.map(|mut p| {
            p.latches.iter_mut().for_each(|(latch, _)| *latch = number(*latch));
            p
        });
        Invariant { clauses, predicate }
    }
}
