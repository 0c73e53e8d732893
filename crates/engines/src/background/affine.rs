//! Affine equalities at every location, by models.
//!
//! The abstract state of a location is the affine hull of the states seen there (over its variables of one arithmetic sort), kept as a
//! row-reduced set of homogeneous vectors `(state, 1)`. Every model that leaves a hull raises its dimension, so the number of satisfiable queries is at most the number of
//! variables plus one per location.

use num_traits::{One, Zero};
use palisade_program::{EdgeId, Loc, take};
use palisade_smt::Answer;
use palisade_term::{Linear, Rational, Sort, Term, Value};

use super::Allowance;
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
        let found = Affine { task, sort: &sort, hulls: vec![Hull::default(); vars.len()], vars }.run(budget);
        out.extend(found.unwrap_or_default());
    }
    out
}

struct Affine<'t, 'a> {
    task: &'t Task<'a>,
    sort: &'t Sort,
    vars: Vec<Vec<Term>>,
    hulls: Vec<Hull>,
}

impl Affine<'_, '_> {
    fn run(mut self, budget: &Budget) -> Option<Vec<(Loc, Term)>> {
        let mut allowance = Allowance::new(budget);
        let program = self.task.program;
        let outgoing = program.outgoing();
        let mut work: std::collections::BTreeSet<EdgeId> =
            outgoing[program.entry.index()].iter().copied().collect();
        while let Some(e) = work.pop_first() {
            let target = program.edge(e).target;
            if target == program.error {
                continue;
            }
            if self.saturate(e, &mut allowance)? {
                work.extend(&outgoing[target.index()]);
            }
        }
        let mut out = Vec::new();
        for l in program.locs() {
            if l != program.entry && l != program.error && !self.hulls[l.index()].rows.is_empty() {
                out.extend(self.equalities(l).into_iter().map(|t| (l, t)));
            }
        }
        Some(out)
    }

    /// Joins what the edge can reach until nothing new comes; true if the target's hull grew. `None`: the solver or the budget ended it.
    fn saturate(&mut self, e: EdgeId, allowance: &mut Allowance) -> Option<bool> {
        let pool = self.task.pool;
        let program = self.task.program;
        let edge = program.edge(e);
        let mut solver = self.task.solvers.solver(pool);
        solver.set_limits(allowance.limits());
        if edge.source != program.entry {
            for eq in self.equalities(edge.source) {
                solver.assert(eq);
            }
        }
        solver.assert(edge.guard);
        let mut grew = false;
        loop {
            allowance.spend()?;
            let mut leaves = pool.tru();
            if !self.hulls[edge.target.index()].rows.is_empty() {
                let eqs = self.equalities(edge.target);
                leaves = pool.or(eqs.into_iter().map(|t| pool.not(program.after(pool, e, t))));
            }
            match solver.check(&[leaves]) {
                Answer::Unsat(_) => return Some(grew),
                Answer::Unknown(_) => return None,
                Answer::Sat(model) => {
                    let value =
                        |v: &Term| model.get(*v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(*v)));
                    let state: Vec<Value> = program.vars(edge.source).iter().map(value).collect();
                    let inputs: Vec<Value> = edge.inputs.iter().map(value).collect();
                    let next = take(pool, program, &state, e, &inputs)?;
                    let point = self.point(edge.target, &next);
                    if !self.hulls[edge.target.index()].join(point) {
                        return None; // the model does not leave the hull: do not trust it
                    }
                    grew = true;
                }
            }
        }
    }

    /// The homogeneous vector of a state.
    fn point(&self, l: Loc, state: &[Value]) -> Vec<Rational> {
        let all = self.task.program.vars(l);
        let mut out: Vec<Rational> = all
            .iter()
            .zip(state)
            .filter(|(v, _)| *self.task.pool.sort(**v) == *self.sort)
            .map(|(_, x)| x.as_rational().expect("a number"))
            .collect();
        out.push(Rational::one());
        out
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
