//! Affine equalities at every location, by models (the domain of Karr, "Affine Relationships among Variables
//! of a Program", 1976).
//!
//! The abstract state of a location is the affine hull of the states seen there (over its variables of one
//! arithmetic sort), kept as a basis of the equations that it satisfies. A state outside violates some of
//! them: one is given up, and a multiple of it makes the other violated ones hold again. So a join touches
//! only what it changes, and as every state that leaves a hull raises its dimension, the number of
//! satisfiable queries is at most the number of variables plus one per location.

use palisade_program::Loc;
use palisade_term::{Assignment, Linear, Rational, Sort, Term, TermPool};

use super::abstraction::{Domain, fixpoint, unreached};
use crate::{Budget, Task};

/// An equation `form = 0`, with its literal.
#[derive(Clone)]
struct Equation {
    form: Linear,
    literal: Term,
}

impl Equation {
    fn new(pool: &TermPool, sort: &Sort, mut form: Linear) -> Equation {
        form.make_primitive();
        Equation { literal: pool.linear_eq(form.clone(), sort), form }
    }

    /// How far the state is from satisfying it.
    fn distance(&self, state: &Assignment) -> Rational {
        (self.form.coeffs.iter()).fold(self.form.constant.clone(), |sum, (v, c)| sum + c * number(state, *v))
    }
}

fn number(state: &Assignment, v: Term) -> Rational {
    state.get(v).expect("a value for every variable").as_rational().expect("a number")
}

/// An affine hull.
struct Hull {
    /// Independent equations that together describe it.
    equations: Vec<Equation>,
}

impl Hull {
    /// A single state.
    fn point(pool: &TermPool, sort: &Sort, vars: &[Term], state: &Assignment) -> Hull {
        let equations = vars.iter().map(|&v| {
            let form = Linear { constant: -number(state, v), ..Linear::term(v) };
            Equation::new(pool, sort, form)
        });
        Hull { equations: equations.collect() }
    }

    /// Extends the hull to a state; false if it was included.
    fn join(&mut self, pool: &TermPool, sort: &Sort, state: &Assignment) -> bool {
        let distances: Vec<Rational> = self.equations.iter().map(|e| e.distance(state)).collect();
        let violated = (0..distances.len()).filter(|&i| !distances[i].is_zero());
        // The shortest one, so that the others stay short.
        let Some(given_up) = violated.clone().min_by_key(|&i| self.equations[i].form.coeffs.len()) else {
            return false;
        };
        let gone = self.equations[given_up].form.clone();
        for i in violated.filter(|&i| i != given_up) {
            let factor = -(&distances[i] / &distances[given_up]);
            let form = self.equations[i].form.add_scaled(&factor, &gone);
            self.equations[i] = Equation::new(pool, sort, form);
        }
        self.equations.remove(given_up);
        true
    }

    /// The equations in reduced form: each gives the last of its variables by variables that no other
    /// equation gives.
    fn reduced(&self, pool: &TermPool, sort: &Sort, vars: &[Term]) -> Vec<Term> {
        let mut done: Vec<(Term, Linear)> = Vec::new();
        for e in &self.equations {
            let mut form = e.form.clone();
            for (v, solved) in &done {
                form = form.add_scaled(&-form.coeff(*v), solved);
            }
            let Some(&v) = vars.iter().rev().find(|v| !form.coeff(**v).is_zero()) else { continue };
            let form = form.scaled(&form.coeff(v).recip());
            for (_, other) in &mut done {
                *other = other.add_scaled(&-other.coeff(v), &form);
            }
            done.push((v, form));
        }
        done.into_iter().map(|(_, form)| pool.linear_eq(form, sort)).collect()
    }
}

/// All affine equalities, as literals by location.
pub fn analyse(task: &Task<'_>, budget: &Budget) -> Vec<(Loc, Term)> {
    let mut out = Vec::new();
    for sort in [Sort::Int, Sort::Real] {
        let vars: Vec<Vec<Term>> = task
            .program
            .locs()
            .map(|l| task.program.vars(l).iter().copied().filter(|&v| *task.pool.sort(v) == sort).collect())
            .collect();
        if vars.iter().all(Vec::is_empty) {
            continue;
        }
        let hulls = vars.iter().map(|_| None).collect();
        let mut domain = Affine { pool: task.pool, sort: &sort, hulls, vars };
        if fixpoint(task, budget, &[], &mut domain).is_some() {
            out.extend(unreached(task, &domain));
            for l in task.program.locs().filter(|&l| l != task.program.entry) {
                let Some(hull) = &domain.hulls[l.index()] else { continue };
                out.extend(
                    hull.reduced(task.pool, &sort, &domain.vars[l.index()]).into_iter().map(|t| (l, t)),
                );
            }
        }
    }
    out
}

struct Affine<'a> {
    pool: &'a TermPool,
    sort: &'a Sort,
    vars: Vec<Vec<Term>>,
    /// `None`: nothing seen so far.
    hulls: Vec<Option<Hull>>,
}

impl Domain for Affine<'_> {
    fn literals(&self, l: Loc) -> Option<Vec<Term>> {
        self.hulls[l.index()].as_ref().map(|hull| hull.equations.iter().map(|e| e.literal).collect())
    }

    fn join(&mut self, l: Loc, state: &Assignment) -> bool {
        match &mut self.hulls[l.index()] {
            slot @ None => {
                *slot = Some(Hull::point(self.pool, self.sort, &self.vars[l.index()], state));
                true
            }
            Some(hull) => hull.join(self.pool, self.sort, state),
        }
    }
}
