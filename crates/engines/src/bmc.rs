//! `bmc`: bounded model checking. Biere, Cimatti, Clarke, Zhu, "Symbolic Model Checking without BDDs", TACAS
//! 1999, over the control-flow automaton.
//!
//! Unrolls the program one edge at a time in one incremental solver and asks at each depth whether the error
//! location can be reached in exactly that many edges. So the first counterexample is a shortest one. See
//! `unroll.rs` for the encoding.
//!
//! It is a bug finder. It claims safety for programs whose graph is acyclic: there all runs are covered, and
//! the weakest precondition of safety (`backward.rs`) is the invariant. When the solver refutes that any run
//! is longer than some depth, the values along the runs may be a proof (`values.rs`); else the depth is, and
//! the checker unwinds the program itself.
//!
//! With `--set bmc.order=loops` it unwinds loop by loop instead (`unwinding.rs`), with a growing bound on the
//! rounds of each loop.
//!
//! Circuits, and other finite programs that are one loop, are unrolled as and-inverter graphs on the SAT core
//! instead (`palisade_bits::bmc`; `--set bmc.backend`).
//!
//! Entry point: [`Bmc`].

use palisade_program::{Program, interpret};
use palisade_smt::{Answer, UnknownReason};
use palisade_term::TermPool;

use crate::backward;
use crate::options::Order;
use crate::unroll::{Start, Unrolling};
use crate::unwinding;
use crate::values::{self, Limits};
use crate::{Budget, Engine, Event, Observer, Options, Outcome, Partial, Reason, Shape, Task, bits};

/// The engine.
pub struct Bmc;

impl Engine for Bmc {
    fn name(&self) -> &'static str {
        "bmc"
    }

    fn about(&self) -> &'static str {
        "bounded model checking: shortest counterexamples; proves programs whose runs all end"
    }

    fn shape(&self, pool: &TermPool, program: &Program, options: &Options) -> Shape {
        match options.bmc.order {
            _ if bits::wanted(options.bmc.backend, pool, program) => Shape::Bits,
            Order::Steps => Shape::Blocks,
            Order::Loops => Shape::Source,
        }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let bound = task.options.bmc.bound;
        let mut on_bits = task.options.bits.clone();
        on_bits.bound = if bound == 0 { on_bits.bound } else { bound };
        let method = &palisade_bits::bmc::run;
        let backend = task.options.bmc.backend;
        if let Some(outcome) = bits::attempt(method, backend, &on_bits, task, budget, observer) {
            return outcome;
        }
        match task.options.bmc.order {
            Order::Steps => by_steps(task, budget, observer, bound),
            Order::Loops => by_loops(task, budget, observer, bound),
        }
    }
}

/// Unwinds loop by loop, twice as far each time.
fn by_loops(task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer, bound: u64) -> Outcome {
    let most = if bound == 0 { u32::MAX } else { u32::try_from(bound).unwrap_or(u32::MAX) };
    let mut rounds = 4.min(most);
    loop {
        let limits = unwinding::Limits {
            cells: usize::MAX,
            rounds,
            more_rounds: (0, 0),
            similar: false,
            steps: None,
            all_steps: None,
            last_steps: None,
        };
        match unwinding::unwind(task, budget, limits, observer) {
            Outcome::Unknown(Reason::Incomplete(_), _) if rounds < most => {
                rounds = rounds.saturating_mul(2).min(most);
            }
            outcome => return outcome,
        }
    }
}

/// The search, up to a bound (0: none).
fn by_steps(task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer, bound: u64) -> Outcome {
    let mut search = Search::new(task, budget);
    loop {
        if let Err(stop) = budget.check() {
            return search.unknown(Reason::Stopped(stop));
        }
        if bound != 0 && u64::from(search.depth()) >= bound {
            return search.unknown(Reason::Incomplete(format!("no counterexample of up to {bound} steps")));
        }
        if let Some(outcome) = search.deepen(task, observer) {
            return outcome;
        }
        if search.unrolling.is_dead() {
            return search.exhausted(task, budget, observer);
        }
        // The graph goes on; whether the states do is asked at every power of two, which is never late by
        // more than half.
        if search.depth().is_power_of_two() {
            match search.unrolling.check_alive() {
                Answer::Unsat(_) => return search.exhausted(task, budget, observer),
                Answer::Unknown(UnknownReason::Failed(e)) => return search.unknown(Reason::Solver(e)),
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
    }
}

/// A bounded search that grows by one edge at a time; also the base case of k-induction.
pub(crate) struct Search<'a> {
    pub unrolling: Unrolling<'a>,
    /// The greatest depth up to which every query was answered `unsat`.
    safe_bound: u32,
    /// The first query that was not answered.
    gap: Option<String>,
}

impl<'a> Search<'a> {
    /// A search of depth 0. (The entry is never the error location, so depth 0 is safe.)
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        Search { unrolling: Unrolling::new(task, budget, Start::Entry), safe_bound: 0, gap: None }
    }

    /// The depth searched.
    pub fn depth(&self) -> u32 {
        self.unrolling.depth()
    }

    /// Why some depth is not decided, if there is one.
    pub fn gap(&self) -> Option<&str> {
        self.gap.as_deref()
    }

    /// Searches one edge deeper. A query that the solver gives up on leaves a gap: deeper counterexamples
    /// still count, safety does not.
    pub fn deepen(&mut self, task: &Task<'a>, observer: &mut dyn Observer) -> Option<Outcome> {
        self.unrolling.extend();
        let depth = self.depth();
        let answer = self.unrolling.check_error();
        observer.event(Event::Bound(depth));
        observer.event(Event::Queries(self.unrolling.stats().queries));
        match answer {
            Answer::Unsat(_) => {
                if self.gap.is_none() {
                    self.safe_bound = depth;
                }
                None
            }
            Answer::Sat(model) => {
                let run = self.unrolling.run(&model).ok_or_else(|| "its model takes no path".to_string());
                match run.and_then(|run| match interpret(task.pool, task.program, &run) {
                    Ok(_) => Ok(run),
                    Err(e) => Err(e.to_string()),
                }) {
                    Ok(run) => {
                        let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
                        observer.event(Event::Counterexample(&edges));
                        Some(Outcome::Unsafe(run))
                    }
                    Err(e) => {
                        Some(self.unknown(Reason::Solver(format!("counterexample does not execute: {e}"))))
                    }
                }
            }
            // The caller polls the budget and knows why.
            Answer::Unknown(UnknownReason::Interrupted) => None,
            Answer::Unknown(UnknownReason::Failed(e)) => Some(self.unknown(Reason::Solver(e))),
            Answer::Unknown(why) => {
                self.gap.get_or_insert_with(|| format!("depth {depth}: {}", why));
                None
            }
        }
    }

    /// All runs are shorter than the current depth.
    fn exhausted(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if let Some(gap) = &self.gap {
            return self.unknown(Reason::Solver(gap.clone()));
        }
        let limits = Limits::of(&task.options.values);
        let by_values = || values::prove(task, budget, limits, observer).ok();
        match backward::acyclic(task, budget).or_else(by_values) {
            Some(invariants) => Outcome::Safe(invariants),
            None => Outcome::Ends(self.depth()),
        }
    }

    /// `Unknown`, with what is known.
    pub fn unknown(&self, reason: Reason) -> Outcome {
        let mut partial = Partial { safe_bound: Some(self.safe_bound), ..Partial::default() };
        partial.notes.extend(self.gap.iter().map(|g| format!("not decided: {g}")));
        Outcome::Unknown(reason, partial)
    }
}
