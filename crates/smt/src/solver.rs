//! The solver interface that everything above the SMT layer is written against.
//!
//! Invariants of every implementation:
//! - Answers carry their evidence (model or core); nothing is kept as "the last answer".
//! - A model gives values under which all asserted formulas and assumptions are true. A core is a subset of
//!   the assumptions.
//! - What a solver cannot decide, within its limits or at all, is [`Answer::Unknown`] with the reason, never
//!   a guess.
//!
//! Entry point: [`Solver`].

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use palisade_term::{Assignment, Term, TermPool};

/// The answer to a satisfiability query. A model or core is part of the answer, never "the last one" in a
/// field: nested queries cannot overwrite it.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Satisfiable, with a model that satisfies all asserted formulas and assumptions.
    /// Variables it does not mention may have their sort's default value.
    Sat(Assignment),
    /// Unsatisfiable, with a subset of the assumptions that suffices for it, in the order they were given.
    Unsat(Vec<Term>),
    /// Not decided.
    Unknown(UnknownReason),
}

impl Answer {
    /// Is it `Sat`?
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Is it `Unsat`?
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// Why a query was not decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownReason {
    /// The interrupt flag was raised.
    Interrupted,
    /// A step limit was reached.
    Limit,
    /// The solver is incomplete for this formula (nonlinear arithmetic, say).
    Incomplete(String),
    /// The solver process died or answered nonsense.
    Failed(String),
}

impl fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UnknownReason::Interrupted => write!(f, "interrupted"),
            UnknownReason::Limit => write!(f, "step limit reached"),
            UnknownReason::Incomplete(why) => write!(f, "the solver is incomplete here: {why}"),
            UnknownReason::Failed(why) => write!(f, "the solver failed: {why}"),
        }
    }
}

/// Limits of one query. Steps are deterministic: the same query with the same limit gives the same answer
/// everywhere.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Bound on the steps (conflicts, pivots, ...: the solver's own unit, about a microsecond each); `None`:
    /// unbounded.
    pub steps: Option<u64>,
    /// Raised by another thread to stop the query at the next opportunity.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Counters of a solver, for reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Queries answered.
    pub queries: u64,
    /// Boolean conflicts.
    pub conflicts: u64,
    /// Boolean decisions.
    pub decisions: u64,
    /// Boolean propagations.
    pub propagations: u64,
    /// Simplex pivots.
    pub pivots: u64,
    /// Steps, in the unit of [`Limits::steps`].
    pub steps: u64,
    /// Estimated bytes in use.
    pub memory: u64,
}

impl std::ops::AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.queries += other.queries;
        self.conflicts += other.conflicts;
        self.decisions += other.decisions;
        self.propagations += other.propagations;
        self.pivots += other.pivots;
        self.steps += other.steps;
        self.memory += other.memory;
    }
}

/// An incremental SMT solver over the terms of one pool.
pub trait Solver {
    /// The pool of the terms.
    fn pool(&self) -> &TermPool;

    /// Opens an assertion scope.
    fn push(&mut self);

    /// Closes the innermost scopes and forgets what was asserted in them.
    fn pop(&mut self, scopes: usize);

    /// Asserts a formula in the current scope.
    fn assert(&mut self, formula: Term);

    /// Is the conjunction of the asserted formulas and the assumptions satisfiable? Assumptions are arbitrary
    /// formulas; literals are fastest.
    fn check(&mut self, assumptions: &[Term]) -> Answer;

    /// As [`Solver::check`], with an extra formula that holds for this query only: IC3's negated cube in
    /// relative induction. Cheaper than push, assert, check, pop.
    fn check_with(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        self.push();
        for &t in temporary {
            self.assert(t);
        }
        let answer = self.check(assumptions);
        self.pop(1);
        answer
    }

    /// Makes a core smaller, formula by formula from the last: one that the others do without goes. `core`
    /// must be unsatisfiable together with what is asserted and `temporary`, and so is the result. Each
    /// question is bounded by the limits, and there are at most as many as formulas; one that is not decided
    /// leaves its formula in place, and an interrupt ends it. Without limits nothing in the result can be
    /// left out.
    fn minimize_core(&mut self, temporary: &[Term], core: &[Term]) -> Vec<Term> {
        let mut core = core.to_vec();
        let mut untried = core.len();
        while untried > 0 {
            untried -= 1;
            let mut fewer = core.clone();
            fewer.remove(untried);
            match self.check_with(temporary, &fewer) {
                Answer::Unsat(smaller) => {
                    untried = smaller.iter().filter(|t| fewer[..untried].contains(t)).count();
                    core = smaller;
                }
                Answer::Unknown(UnknownReason::Interrupted) => break,
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
        core
    }

    /// Sets the limits of the queries that follow.
    fn set_limits(&mut self, limits: Limits);

    /// Counters since creation.
    fn stats(&self) -> Stats;
}
