//! Enumeration: all assignments of chosen atoms.

use palisade_term::{Term, TermPool};

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
