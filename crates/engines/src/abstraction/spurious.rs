//! From a spurious step to predicates that exclude it.
//!
//! After Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU
//! Wien 2013), section 3.4. A state `s` is to be blocked; an abstract state of it is entered along an edge
//! from a state of the frame below, but `s` itself is not. An interpolant `J` of `not s, F, T` against `s'`
//! holds after the step and excludes `s`. Every abstract state of `s` implies `not J` once the conjuncts of
//! `not J` are predicates, and is no longer entered along that edge.
//!
//! The thesis interpolates the whole relation; here only the edge of the step at hand, which keeps the
//! predicates few. Where the step begins in `s` itself, `not s` must not be assumed before it, for the
//! abstract states of `s` are blocked one by one.
//!
//! Entry point: [`interpolate`].

use palisade_program::EdgeId;
use palisade_smt::interpolate::Interpolation;
use palisade_term::{Op, Term, TermPool, Version};

use crate::path::settings;
use crate::{Budget, Task};

/// A step into an abstract state of `state` that `state` itself does not have.
#[derive(Clone, Copy, Debug)]
pub struct Spurious<'s> {
    /// The edge.
    pub edge: EdgeId,
    /// What is known before it: the frame, and "not in `state`" where the step does not begin there.
    pub before: Term,
    /// The lifted state that is to be blocked.
    pub state: &'s [Term],
}

/// The negated interpolant, split at its outer conjunctions. Where there is no interpolant, the state itself.
pub fn interpolate(task: &Task<'_>, budget: &Budget, spurious: &Spurious<'_>) -> Vec<Term> {
    let pool = task.pool;
    let state = pool.and(spurious.state.iter().copied());
    let before = pool.and([spurious.before, task.program.relation(pool, spurious.edge)]);
    let after = pool.version_all(state, Version::Primed);
    let settings = settings(task, budget);
    let excluded = match task.solvers.interpolator(pool).interpolate(&[before, after], &settings) {
        Interpolation::Interpolants(sequence) => pool.not(pool.unprime(sequence[0])),
        Interpolation::Sat(_) | Interpolation::Unknown(_) => state,
    };
    pool.conjuncts(pool.nnf(excluded))
}

/// Equations between numbers become two inequalities; with geometric generalisation, which finds the other
/// inequality by itself, the equation and one (section 3.6, "Refinement with Inequalities").
pub fn split_equation(pool: &TermPool, predicate: Term, geometric: bool) -> Vec<Term> {
    let (_, atom) = pool.strip_not(predicate);
    match (pool.op(atom), pool.args(atom)) {
        (Op::Eq, &[a, b]) if pool.sort(a).is_arith() => {
            let second = if geometric { atom } else { pool.ge(a, b) };
            vec![pool.le(a, b), second]
        }
        _ => vec![predicate],
    }
}
