//! Inductive invariants: one formula per location. The evidence of safety.

use palisade_term::{Term, TermPool};

use crate::{Loc, Program};

/// One formula for every location, over that location's variables. A proof of safety when entry's is true, error's is false and every
/// edge preserves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariants {
    /// The formulas, indexed by location.
    pub formulas: Vec<Term>,
}

impl Invariants {
    /// `true` everywhere but at the error location.
    pub fn trivial(pool: &TermPool, program: &Program) -> Invariants {
        let mut formulas = vec![pool.tru(); program.locations.len()];
        formulas[program.error.index()] = pool.fls();
        Invariants { formulas }
    }

    /// The formula of a location.
    pub fn at(&self, l: Loc) -> Term {
        self.formulas[l.index()]
    }

    /// Sets the formula of a location.
    pub fn set(&mut self, l: Loc, formula: Term) {
        self.formulas[l.index()] = formula;
    }
}
