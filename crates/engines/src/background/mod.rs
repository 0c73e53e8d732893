//! Background invariants: what cheap analyses find before (or beside) an engine.
//!
//! All of them but the last two are symbolic abstraction by models (`abstraction.rs`): an analysis is a
//! domain, no more.
//!
//! - [`affine`]: affine equalities (Karr, "Affine Relationships among Variables of a Program", 1976);
//! - [`congruence`]: congruences of variables, sums and differences (Granger, "Static Analysis of
//!   Arithmetical Congruences", 1989);
//! - [`parity`]: affine relations modulo two;
//! - [`ranges`]: ranges of floating-point numbers, with the thresholds of the program;
//! - [`houdini`]: the largest inductive subset of candidate literals taken from the program's own comparisons
//!   (Flanagan and Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001);
//! - [`bounds`]: the same for bounds that follow from others by equations;
//! - [`stored`]: the same for elements of arrays that were stored at a place which other variables know.
//!
//! Results are invariants: engines add them as lemmas of all levels. Every analysis stops cleanly at the
//! budget, or at its own small allowance of queries, with nothing found.

mod abstraction;
pub mod affine;
pub mod bounds;
pub mod congruence;
pub mod houdini;
pub mod parity;
pub mod ranges;
pub mod stored;

use palisade_program::Loc;
use palisade_smt::Solver;
use palisade_term::Term;

use crate::{Budget, Task};

/// Queries that one analysis may ask. They are cheap only while they are few: past this, the engine is the
/// better place to spend time.
const MAX_QUERIES: u32 = 3_000;
/// Solver steps of one analysis: some tenths of a second. What is small or structured needs a third of this
/// at most.
const MAX_STEPS: u64 = 150_000;

/// What an analysis may still spend.
struct Allowance {
    queries: u32,
    steps: u64,
    /// What the solver in use has been charged for.
    charged: u64,
    budget: Budget,
}

impl Allowance {
    fn new(budget: &Budget) -> Allowance {
        Allowance { queries: MAX_QUERIES, steps: MAX_STEPS, charged: 0, budget: budget.clone() }
    }

    /// A new solver to be charged for.
    fn solver<'a>(&mut self, task: &Task<'a>) -> Box<dyn Solver + 'a> {
        self.charged = 0;
        task.solver(&self.budget, Some(self.steps))
    }

    /// One more query to the solver, or `None` when nothing is left.
    fn spend(&mut self, solver: &dyn Solver) -> Option<()> {
        self.budget.check().ok()?;
        self.queries = self.queries.checked_sub(1)?;
        let steps = solver.stats().steps;
        self.steps = self.steps.checked_sub(steps - self.charged)?;
        self.charged = steps;
        Some(())
    }
}

/// Invariant literals by location, from the analyses that the options switch on.
pub fn invariants(task: &Task<'_>, budget: &Budget) -> Vec<(Loc, Term)> {
    let mut found = Vec::new();
    if task.options.background.affine {
        found.extend(affine::analyse(task, budget));
    }
    if task.options.background.congruence {
        let congruences = congruence::analyse(task, budget, &found);
        found.extend(congruences);
    }
    if task.options.background.parity {
        let relations = parity::analyse(task, budget, &found);
        found.extend(relations);
    }
    if task.options.background.ranges {
        let ranges = ranges::analyse(task, budget, &found);
        found.extend(ranges);
    }
    if task.options.background.houdini {
        let mut candidates = houdini::candidates(task);
        for (all, more) in candidates.iter_mut().zip(bounds::candidates(task, &found)) {
            let new = more.into_iter().filter(|t| !all.contains(t));
            all.extend(new.collect::<Vec<_>>());
        }
        found.extend(houdini::analyse(task, budget, candidates, &found));
    }
    if task.options.background.stored {
        let candidates = stored::candidates(task, &found);
        if candidates.iter().any(|c| !c.is_empty()) {
            found.extend(houdini::analyse(task, budget, candidates, &found));
        }
    }
    found
}
