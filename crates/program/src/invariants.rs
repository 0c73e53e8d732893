//! Inductive invariants: the evidence of safety. One formula per location, or only at cut points; about all
//! cells of an array, where that is needed.

use palisade_term::{Linear, Op, Rational, Term, TermPool};

use crate::{Loc, Program};

/// One formula for every location, over that location's variables. A proof of safety when entry's is true,
/// error's is false and every edge preserves them.
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

/// Floyd's inductive assertions: formulas at *some* locations, over their variables, and none at the others.
/// A proof of safety when the annotated locations cut every cycle, entry's formula is true, error's is false
/// and every path from an annotated location to the next one preserves them. [`Invariants`] are the case
/// where every location is annotated and every path is an edge.
///
/// With a number of rounds, cycles of interior locations need not be cut: no path stays longer in a loop of
/// them ([`crate::Nest`]) before it leaves it.
///
/// Formulas may speak of *any* cell of an array: each of them is meant for all values of the variables
/// `forall`, which are no variables of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutInvariants {
    /// The formulas, indexed by location; `None` at the others, the *interior* locations.
    pub formulas: Vec<Option<Term>>,
    /// How often a path through interior locations comes back to the head of a loop before it leaves the
    /// loop, at most; `None` if there are no such loops.
    pub rounds: Option<u32>,
    /// The variables over which every formula is universally quantified; usually there are none.
    pub forall: Vec<Term>,
}

impl CutInvariants {
    /// True at the entry, false at the error location, nothing anywhere else.
    pub fn bare(pool: &TermPool, program: &Program) -> CutInvariants {
        let mut formulas = vec![None; program.locations.len()];
        formulas[program.entry.index()] = Some(pool.tru());
        formulas[program.error.index()] = Some(pool.fls());
        CutInvariants { formulas, rounds: None, forall: Vec::new() }
    }

    /// The formula of a location, if it has one.
    pub fn at(&self, l: Loc) -> Option<Term> {
        self.formulas[l.index()]
    }

    /// Sets the formula of a location.
    pub fn set(&mut self, l: Loc, formula: Term) {
        self.formulas[l.index()] = Some(formula);
    }

    /// The variables of a formula that stand for all values.
    pub fn forall_of(&self, pool: &TermPool, formula: Term) -> Vec<Term> {
        if self.forall.is_empty() {
            return Vec::new();
        }
        let free = pool.free_vars(formula);
        self.forall.iter().copied().filter(|v| free.contains(v)).collect()
    }

    /// Values of a variable that stands for all: instances of a formula that say something about these terms.
    /// They are the indices at which the terms touch arrays, and what the formula compares the variable with,
    /// which was of interest to whoever made it.
    pub fn instances_of(
        &self,
        pool: &TermPool,
        formula: Term,
        v: Term,
        terms: impl IntoIterator<Item = Term>,
    ) -> Vec<Term> {
        let mut out: Vec<Term> = Vec::new();
        let mut add = |t: Term| {
            if pool.sort(t) == pool.sort(v) && !self.forall.contains(&t) && !out.contains(&t) {
                out.push(t);
            }
        };
        pool.visit(terms, |t| {
            if matches!(pool.op(t), Op::Select | Op::Store) {
                add(pool.args(t)[1]);
            }
        });
        pool.visit([formula], |t| {
            if matches!(pool.op(t), Op::Eq | Op::Le | Op::Lt) && pool.sort(pool.args(t)[0]).is_arith() {
                let form = pool.linear(pool.args(t)[0]).minus(&pool.linear(pool.args(t)[1]));
                let (c, one) = (form.coeff(v), Rational::from_integer(1.into()));
                if c == one || c == -one.clone() {
                    let rest = form.add_scaled(&-c.clone(), &Linear::term(v)).scaled(&-c);
                    let rest = pool.from_linear(&rest, pool.sort(v));
                    if self.forall_of(pool, rest).is_empty() {
                        add(rest);
                    }
                }
            }
        });
        out
    }

    /// The invariants, when every location has one.
    pub fn complete(&self) -> Option<Invariants> {
        self.formulas.iter().copied().collect::<Option<Vec<Term>>>().map(|formulas| Invariants { formulas })
    }

    /// The first location without a formula.
    pub fn first_interior(&self) -> Option<Loc> {
        self.formulas.iter().position(Option::is_none).map(|i| Loc(i as u32))
    }
}

impl From<Invariants> for CutInvariants {
    fn from(invariants: Invariants) -> CutInvariants {
        let formulas = invariants.formulas.into_iter().map(Some).collect();
        CutInvariants { formulas, rounds: None, forall: Vec::new() }
    }
}
