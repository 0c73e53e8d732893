//! Enumeration: all assignments of chosen atoms, and quantifier elimination by projecting model after model.

use palisade_term::{Term, TermPool};

use super::preimage;
use crate::solver::{Answer, Solver, UnknownReason};

/// How an enumeration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Enumeration {
    /// Everything was visited.
    Complete,
    /// The visitor had enough.
    Stopped,
    /// The solver did not decide a query.
    Unknown(UnknownReason),
}

/// Visits every assignment of the atoms that some model of what is asserted (and of the assumptions) gives
/// them, as a cube in the order of the atoms, once.
///
/// The visitor answers whether to go on. What is asserted is the same afterwards.
pub fn all_sat(
    solver: &mut dyn Solver,
    atoms: &[Term],
    assumptions: &[Term],
    visit: &mut dyn FnMut(&[Term]) -> bool,
) -> Enumeration {
    all_sat_but(solver, atoms, assumptions, &mut |pool, cube| {
        visit(cube).then(|| pool.or(cube.iter().map(|&l| pool.not(l))))
    })
}

/// As [`all_sat`], with a visitor that answers what holds of the assignments still to be visited: at least
/// that they are not the one just visited. A visitor that excludes more than one assignment keeps the
/// enumeration short. `None` ends it.
pub fn all_sat_but(
    solver: &mut dyn Solver,
    atoms: &[Term],
    assumptions: &[Term],
    visit: &mut dyn FnMut(&TermPool, &[Term]) -> Option<Term>,
) -> Enumeration {
    solver.push();
    let end = loop {
        let model = match solver.check(assumptions) {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => break Enumeration::Complete,
            Answer::Unknown(reason) => break Enumeration::Unknown(reason),
        };
        let rest = {
            let pool = solver.pool();
            let cube = pool.cube_of(atoms, &model);
            visit(pool, &cube)
        };
        let Some(rest) = rest else { break Enumeration::Stopped };
        solver.assert(rest);
    };
    solver.pop(1);
    end
}

/// A formula without `eliminate` that is equivalent to `exists eliminate. formula`, by projecting one model
/// after another: for linear arithmetic over the rationals and the integers every model is covered by one of
/// finitely many projections (Loos and Weispfenning, Cooper). Variables of other sorts are replaced by
/// values, which may take as many rounds as there are values.
///
/// # Errors
/// If the solver does not decide a query, or after `rounds` projections; the disjunction so far is then an
/// under-approximation.
pub fn exists(
    pool: &TermPool,
    solver: &mut dyn Solver,
    formula: Term,
    eliminate: &[Term],
    rounds: usize,
) -> Result<Term, (Term, UnknownReason)> {
    let mut parts: Vec<Term> = Vec::new();
    solver.push();
    solver.assert(formula);
    let end = loop {
        match solver.check(&[]) {
            Answer::Unsat(_) => break Ok(()),
            Answer::Unknown(reason) => break Err(reason),
            Answer::Sat(_) if parts.len() >= rounds => break Err(UnknownReason::Limit),
            Answer::Sat(model) => {
                let cube = pool.and(preimage(pool, formula, &model, eliminate));
                parts.push(cube);
                solver.assert(pool.not(cube));
            }
        }
    };
    solver.pop(1);
    let result = pool.or(parts);
    end.map(|()| result).map_err(|reason| (result, reason))
}
