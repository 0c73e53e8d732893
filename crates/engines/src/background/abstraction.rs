//! Symbolic abstraction by models (Reps, Sagiv and Yorsh, "Symbolic Implementation of the Best Transformer",
//! 2004): the fixpoint that the analyses share.
//!
//! A [`Domain`] keeps an abstract state per location, "unreachable" at first. The solver is asked for a
//! transition that leaves it, the state reached is joined in, until no edge leaves. So an analysis is exact
//! on its domain for edges of any size and needs no transfer functions.
//!
//! What is found at a location is inductive only together with what was found everywhere else, which includes
//! that some locations are never reached: [`unreached`] says so.

use std::collections::BTreeSet;

use palisade_program::{EdgeId, Loc};
use palisade_smt::Answer;
use palisade_term::{Assignment, Substitution, Term, eval::Evaluator};

use super::{Allowance, MAX_STEPS};
use crate::{Budget, Task};

/// An abstract state for every location.
pub(super) trait Domain {
    /// What holds at a location, as literals; `None` while nothing was seen there.
    fn literals(&self, l: Loc) -> Option<Vec<Term>>;

    /// Extends the abstract state of a location to a state; false if it was included.
    fn join(&mut self, l: Loc, state: &Assignment) -> bool;
}

/// Joins everything reachable; `known` are invariants already found. `None` when the solver or the allowance
/// ended it: then nothing in the domain is an invariant.
pub(super) fn fixpoint(
    task: &Task<'_>,
    budget: &Budget,
    known: &[(Loc, Term)],
    domain: &mut dyn Domain,
) -> Option<()> {
    fixpoint_within(task, budget, known, domain, MAX_STEPS)
}

/// The same, with an allowance of so many solver steps.
pub(super) fn fixpoint_within(
    task: &Task<'_>,
    budget: &Budget,
    known: &[(Loc, Term)],
    domain: &mut dyn Domain,
    steps: u64,
) -> Option<()> {
    let mut allowance = Allowance { steps, ..Allowance::new(budget) };
    let outgoing = task.program.outgoing();
    let mut work: BTreeSet<EdgeId> = outgoing[task.program.entry.index()].iter().copied().collect();
    while let Some(e) = work.pop_first() {
        let target = task.program.edge(e).target;
        if target != task.program.error && saturate(task, &mut allowance, known, domain, e)? {
            work.extend(&outgoing[target.index()]);
        }
    }
    Some(())
}

/// After the fixpoint: `false` at the locations where nothing was seen. Without it the other results would
/// not be inductive, as edges that start there were never followed.
pub(super) fn unreached<'d>(
    task: &Task<'d>,
    domain: &'d dyn Domain,
) -> impl Iterator<Item = (Loc, Term)> + use<'d> {
    let (pool, program) = (task.pool, task.program);
    let seen_or_special =
        move |l: Loc| l == program.entry || l == program.error || domain.literals(l).is_some();
    program.locs().filter(move |&l| !seen_or_special(l)).map(|l| (l, pool.fls()))
}

/// Joins what the edge can reach until nothing new comes; true if the target's state changed.
fn saturate(
    task: &Task<'_>,
    allowance: &mut Allowance,
    known: &[(Loc, Term)],
    domain: &mut dyn Domain,
    e: EdgeId,
) -> Option<bool> {
    let (pool, program) = (task.pool, task.program);
    let edge = program.edge(e);
    let mut solver = allowance.solver(task);
    let facts = known.iter().filter(|(l, _)| *l == edge.source).map(|(_, t)| *t);
    facts.chain(domain.literals(edge.source).into_iter().flatten()).for_each(|t| solver.assert(t));
    solver.assert(edge.guard);
    let update = program.update_map(e);
    let mut after = Substitution::new(pool, &update);
    let mut changed = false;
    loop {
        allowance.spend(&*solver)?;
        let leaves = match domain.literals(edge.target) {
            None => pool.tru(),
            Some(literals) => pool.or(literals.into_iter().map(|t| pool.not(after.apply(t)))),
        };
        if leaves == pool.fls() {
            return Some(changed);
        }
        let model = match solver.check(&[leaves]) {
            Answer::Unsat(_) => return Some(changed),
            Answer::Unknown(_) => return None,
            Answer::Sat(model) => model,
        };
        // The model satisfies the guard, so only the updates are evaluated.
        let mut ev = Evaluator::new(pool, &model);
        let next = edge.update.iter().map(|&u| ev.eval(u));
        let state: Assignment = program.vars(edge.target).iter().copied().zip(next).collect();
        if !domain.join(edge.target, &state) {
            return None; // the model does not leave the state: do not trust it
        }
        changed = true;
    }
}
