//! Background invariants: what cheap analyses find before (or beside) an engine.
//!
//! All of them are *symbolic abstraction by models* (Reps, Sagiv, Yorsh 2004): an abstract state per location starts at "unreachable", the solver is asked for a
//! transition that leaves it, the state reached is joined in, until no edge leaves. So every analysis is exact on its
//! domain for edges of any size and needs no transfer functions.
//!
//! - [`affine`]: affine equalities (Karr 1976);
//! - [`houdini`]: the largest inductive subset of candidate literals taken from the program's own comparisons (Flanagan, Leino 2001).
//!
//! Results are invariants: engines add them as lemmas of all levels. Every analysis stops cleanly at the budget, with nothing found.

pub mod affine;
pub mod houdini;

use palisade_program::Loc;
use palisade_term::Term;

use crate::{Budget, Task};

/// Invariant literals by location, from the analyses that the options switch on.
pub fn invariants(task: &Task<'_>, budget: &Budget) -> Vec<(Loc, Term)> {
    let mut found = Vec::new();
    if task.options.bool("background.affine") {
        found.extend(affine::analyse(task, budget));
    }
    if task.options.bool("background.houdini") {
        let candidates = houdini::candidates(task);
        found.extend(houdini::analyse(task, budget, candidates, &found));
    }
    found
}
