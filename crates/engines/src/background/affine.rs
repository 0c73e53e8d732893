//! Affine equalities at every location, by models.
//!
//! The abstract state of a location is the affine hull of the states seen there (over its variables of one arithmetic sort), kept as a
//! row-reduced set of homogeneous vectors `(state, 1)`. Every model that leaves a hull raises its dimension, so the number of satisfiable queries is at most the number of
//! variables plus one per location.

use num_traits::{One, Zero};
use palisade_program::Loc;
use palisade_term::{Assignment, Linear, Rational, Sort, Term, eval::Evaluator};

use super::abstraction::{Domain, fixpoint};
use crate::{Budget, Task};

/// An affine hull: independent homogeneous vectors in row echelon form.
#[derive(Clone, Default)]
struct Hull {
    /// Rows with their pivot columns; pivots are 1 and the only non-zero entry of their column.
    rows: Vec<(usize, Vec<Rational>)>,
}

impl Hull {
    /// Adds a vector; false if it was already in the hull.
    fn join(&mut self, mut v: Vec<Rational>) -> bool {
        for (p, row) in &self.rows {
            let k = v[*p].clone();
            if !k.is_zero() {
                for (x, y) in v.iter_mut().zip(row) {
                    *x -= &k * y;
                }
            }
        }
        let Some(p) = v.iter().position(|x| !x.is_zero()) else { return false };
        let k = v[p].clone();
        for x in &mut v {
            *x /= &k;
        }
        for (_, row) in &mut self.rows {
            let k = row[p].clone();
            if !k.is_zero() {
                for (x, y) in row.iter_mut().zip(&v) {
                    *x -= &k * y;
                }
            }
        }
        self.rows.push((p, v));
        true
    }

    /// A basis of the equalities `a.x + c = 0` that all vectors satisfy: one for each column without pivot.
    fn equalities(&self, columns: usize) -> Vec<Vec<Rational>> {
        let free = (0..columns).filter(|j| self.rows.iter().all(|(p, _)| p != j));
        free.map(|j| {
            let mut a = vec![Rational::zero(); columns];
            a[j] = Rational::one();
            for (p, row) in &self.rows {
                a[*p] = -row[j].clone();
            }
            a
        })
        .collect()
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
        let mut domain = Affine { task, sort: &sort, hulls: vec![Hull::default(); vars.len()], vars };
        if fixpoint(task, budget, &[], &mut domain).is_some() {
            for l in task.program.locs().filter(|&l| l != task.program.entry) {
                out.extend(domain.literals(l).into_iter().flatten().map(|t| (l, t)));
            }
        }
    }
    out
}

struct Affine<'t, 'a> {
    task: &'t Task<'a>,
    sort: &'t Sort,
    vars: Vec<Vec<Term>>,
    hulls: Vec<Hull>,
}

impl Domain for Affine<'_, '_> {
    fn literals(&self, l: Loc) -> Option<Vec<Term>> {
        (!self.hulls[l.index()].rows.is_empty()).then(|| self.equalities(l))
    }

    fn join(&mut self, l: Loc, state: &Assignment) -> bool {
        let point = self.point(l, state);
        self.hulls[l.index()].join(point)
    }
}

impl Affine<'_, '_> {
    /// The homogeneous vector of a state.
    fn point(&self, l: Loc, state: &Assignment) -> Vec<Rational> {
        let mut ev = Evaluator::new(self.task.pool, state);
        let values = self.vars[l.index()].iter().map(|&v| ev.eval(v).as_rational().expect("a number"));
        values.chain([Rational::one()]).collect()
    }

    fn equalities(&self, l: Loc) -> Vec<Term> {
        let vars = &self.vars[l.index()];
        let eqs = self.hulls[l.index()].equalities(vars.len() + 1);
        eqs.into_iter()
            .map(|a| {
                let mut coeffs: Vec<(Term, Rational)> =
                    vars.iter().copied().zip(a.iter().cloned()).filter(|(_, c)| !c.is_zero()).collect();
                coeffs.sort_by_key(|(t, _)| *t);
                let constant = a.last().expect("the homogeneous column").clone();
                self.task.pool.linear_eq(Linear { coeffs, constant }, self.sort)
            })
            .filter(|&t| t != self.task.pool.tru())
            .collect()
    }
}
