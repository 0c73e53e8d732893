//! From models to sets of states: implicants of a formula and model-based projection.
//!
//! An IC3 predecessor is a cube that contains the model's state and from which every state has the
//! transition. It is made in two steps: [`implicant()`] picks literals of the formula that are true in the
//! model and imply it; [`project`] eliminates variables from such a cube, guided by the model (Komuravelli,
//! Gurfinkel and Chaki, "SMT-Based Model Checking for Recursive Programs", 2014). Both results hold in the
//! model, so both are never empty of states.
//!
//! [`all_sat`] enumerates assignments of atoms.
//!
//! Soundness contract: `implicant(f, m) => f`, and `project(c, m, xs) => exists xs. c`.

mod eliminate;
mod enumerate;
mod implicant;

use palisade_term::{Assignment, Term, TermPool};

pub use eliminate::project;
pub use enumerate::{Enumeration, all_sat, all_sat_but};
pub use implicant::implicant;

/// A cube over the variables not in `eliminate` that holds in the model and implies `exists eliminate.
/// formula`.
pub fn preimage(pool: &TermPool, formula: Term, model: &Assignment, eliminate: &[Term]) -> Vec<Term> {
    project(pool, implicant(pool, formula, model), model, eliminate)
}
