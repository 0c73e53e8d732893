//! What was stored in an array, where the place is known by other variables: `text[length - 1] = 0`.
//!
//! A loop over a text ends at its zero, so that it stays inside of the text rests on a fact about one
//! element. IC3 meets this element under the name that the loop has for it (`text[s]`, where `s = length -
//! 1`), and so blocks one state after the other. The candidates here have names that stay: for every store of
//! an edge, the index as a variable of the target plus a constant, or as a constant, by the affine equalities
//! of the source; the element as a constant or as a variable of the target. They go with the edges as far as
//! these hand their variables on. Guess and check ([`super::houdini`]) keeps those that are inductive.
//!
//! Limits: an index that is the sum of two variables is not named; only arrays whose index is a number or a
//! word.
//!
//! Entry point: [`candidates`].

use palisade_program::{Edge, Loc, Program};
use palisade_term::{Linear, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Task;

/// Candidates per location, at most.
const MAX_CANDIDATES: usize = 60;
/// Stores in one update, at most: an initialiser has more, and its elements are no ends of texts.
const MAX_STORES: usize = 8;

/// Candidate literals for every location, indexed by location; `known` are invariants already found.
pub fn candidates(task: &Task<'_>, known: &[(Loc, Term)]) -> Vec<Vec<Term>> {
    let (pool, program) = (task.pool, task.program);
    let mut out: Vec<Vec<Term>> = vec![Vec::new(); program.locations.len()];
    let mut seen: FxHashSet<(Loc, Term)> = FxHashSet::default();
    let mut work: Vec<(Loc, Term)> = Vec::new();
    let mut add = |work: &mut Vec<(Loc, Term)>, l: Loc, t: Term| {
        let list = &mut out[l.index()];
        if list.len() < MAX_CANDIDATES && pool.as_bool(t).is_none() && seen.insert((l, t)) {
            list.push(t);
            work.push((l, t));
        }
    };
    for e in program.edge_ids() {
        let edge = program.edge(e);
        if edge.target == program.error {
            continue;
        }
        let names = Names::new(pool, program, edge, known);
        for (&u, &array) in edge.update.iter().zip(program.vars(edge.target)) {
            for (index, element) in stores(pool, u) {
                for element in names.of_element(element) {
                    for index in names.of_index(index) {
                        add(&mut work, edge.target, pool.eq(pool.select(array, index), element));
                    }
                }
            }
        }
    }
    let outgoing = program.outgoing();
    while let Some((l, t)) = work.pop() {
        for &e in &outgoing[l.index()] {
            let edge = program.edge(e);
            if edge.target != program.error
                && let Some(there) = handed_on(pool, program, edge, t)
            {
                add(&mut work, edge.target, there);
            }
        }
    }
    out
}

/// The stores in an update of an array, as index and element; none if there are many.
fn stores(pool: &TermPool, update: Term) -> Vec<(Term, Term)> {
    let mut out = Vec::new();
    if pool.sort(update).array_parts().is_some() && !pool.is_var(update) {
        pool.visit([update], |t| {
            if *pool.op(t) == Op::Store && pool.sort(t) == pool.sort(update) {
                out.push((pool.args(t)[1], pool.args(t)[2]));
            }
        });
    }
    if out.len() > MAX_STORES {
        out.clear();
    }
    out
}

/// Names for values of one edge, over the variables of its target.
struct Names<'a> {
    pool: &'a TermPool,
    /// Variables of the target with their new values.
    values: Vec<(Term, Term)>,
    /// Equations `form = 0` of the source, each solved for its first part.
    solved: Vec<(Term, Linear)>,
}

impl<'a> Names<'a> {
    fn new(pool: &'a TermPool, program: &Program, edge: &Edge, known: &[(Loc, Term)]) -> Names<'a> {
        let values = program.vars(edge.target).iter().copied().zip(edge.update.iter().copied()).collect();
        let mut names = Names { pool, values, solved: Vec::new() };
        for &(l, t) in known {
            let is_equation = *pool.op(t) == Op::Eq && pool.sort(pool.args(t)[0]).is_arith();
            if l != edge.source || !is_equation {
                continue;
            }
            let form = names.reduced(pool.linear(pool.args(t)[0]).minus(&pool.linear(pool.args(t)[1])));
            if let Some((v, c)) = form.coeffs.last().cloned() {
                names.solved.push((v, form.scaled(&c.recip())));
            }
        }
        names
    }

    /// The form without what the equations give.
    fn reduced(&self, mut form: Linear) -> Linear {
        for (v, solved) in &self.solved {
            form = form.add_scaled(&-form.coeff(*v), solved);
        }
        form
    }

    /// Terms over the target's variables that have the value of an index after the edge.
    fn of_index(&self, index: Term) -> Vec<Term> {
        let (pool, sort) = (self.pool, self.pool.sort(index));
        let same_sort = self.values.iter().filter(|(v, _)| pool.sort(*v) == sort);
        if *sort == Sort::Int {
            let form = self.reduced(pool.linear(index));
            if form.is_constant() {
                return vec![pool.from_linear(&form, sort)];
            }
            let by = same_sort.filter_map(|&(v, value)| {
                let rest = self.reduced(form.minus(&pool.linear(value)));
                rest.is_constant().then(|| pool.add([v, pool.from_linear(&rest, sort)]))
            });
            by.collect()
        } else if sort.width().is_some() {
            if pool.is_const(index) {
                return vec![index];
            }
            let by = same_sort.filter_map(|&(v, value)| {
                let rest = pool.bv_sub(index, value);
                pool.is_const(rest).then(|| pool.bv_add(v, rest))
            });
            by.collect()
        } else {
            Vec::new()
        }
    }

    /// The same for an element: a constant, or variables that have its value.
    fn of_element(&self, element: Term) -> Vec<Term> {
        let pool = self.pool;
        if pool.is_const(element) {
            return vec![element];
        }
        self.values.iter().filter(|(_, value)| *value == element).map(|(v, _)| *v).take(2).collect()
    }
}

/// A literal of the source as one of the target: with the variables that have the values of its variables. An
/// array is still the same one when the edge has stored something in it.
fn handed_on(pool: &TermPool, program: &Program, edge: &Edge, t: Term) -> Option<Term> {
    let mut map = FxHashMap::default();
    for v in pool.free_vars(t) {
        let is_copy = |u: Term| u == v || pool.sort(v).array_parts().is_some() && written_from(pool, u, v);
        let at = edge.update.iter().position(|&u| is_copy(u))?;
        map.insert(v, program.vars(edge.target)[at]);
    }
    Some(pool.substitute(t, &map))
}

/// Is `array` what the stores and choices of `update` begin with?
fn written_from(pool: &TermPool, update: Term, array: Term) -> bool {
    let mut stack = vec![update];
    let mut seen = FxHashSet::default();
    while let Some(t) = stack.pop() {
        match pool.op(t) {
            _ if t == array => return true,
            Op::Store => stack.push(pool.args(t)[0]),
            Op::Ite if seen.insert(t) => stack.extend(&pool.args(t)[1..]),
            _ => {}
        }
    }
    false
}
