//! The first predicates of a domain.
//!
//! After Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU
//! Wien 2013), section 3.6, "Initial Abstract Domain": the initial condition, so that the abstraction of a
//! state that is not initial contains no initial state; `v1 < v2` for pairs of a function's variables; all
//! Boolean expressions of the program.

use std::collections::BTreeSet;

use palisade_eliminate::exists_within;
use palisade_program::{EdgeId, Loc};
use palisade_term::Term;
use rustc_hash::FxHashMap;

use crate::Task;

/// Terms that the elimination of the inputs of an initial condition may create.
const MAX_TERMS: usize = 2_000;

/// The states of a location right after the edges from the entry; `None` if they are not described by a small
/// formula.
pub fn initial_condition(task: &Task<'_>, l: Loc) -> Option<Term> {
    let Task { pool, program, .. } = *task;
    let first = |e: &EdgeId| program.edge(*e).source == program.entry && program.edge(*e).target == l;
    let mut parts = Vec::new();
    for e in program.edge_ids().filter(first) {
        let edge = program.edge(e);
        // A variable that takes the value of an input stands for that input.
        let mut stands: FxHashMap<Term, Term> = FxHashMap::default();
        for (&v, &u) in program.vars(l).iter().zip(&edge.update) {
            if edge.inputs.contains(&u) {
                stands.entry(u).or_insert_with(|| pool.primed(v));
            }
        }
        let relation = pool.substitute(program.relation(pool, e), &stands);
        let free = pool.free_vars(relation);
        let left: Vec<Term> = edge.inputs.iter().copied().filter(|i| free.contains(i)).collect();
        let states =
            if left.is_empty() { relation } else { exists_within(pool, &left, relation, MAX_TERMS).ok()? };
        parts.push(pool.unprime(states));
    }
    Some(pool.or(parts))
}

/// The variables of a location that only ever keep their value or get a constant: program counters, flags.
pub fn control_variables(task: &Task<'_>, l: Loc) -> BTreeSet<Term> {
    let Task { pool, program, .. } = *task;
    let incoming: Vec<EdgeId> = program.edge_ids().filter(|&e| program.edge(e).target == l).collect();
    let is_control = |k: usize, v: Term| {
        let value = |e: &EdgeId| program.edge(*e).update[k];
        incoming.iter().all(|e| value(e) == v || pool.is_const(value(e)))
    };
    program.vars(l).iter().copied().enumerate().filter(|&(k, v)| is_control(k, v)).map(|(_, v)| v).collect()
}

/// `v1 < v2` for all pairs of numeric variables of the same function, but for those about control.
pub fn pairs(task: &Task<'_>, l: Loc) -> Vec<Term> {
    let Task { pool, program, .. } = *task;
    let control = control_variables(task, l);
    let function = |v: Term| pool.var_name(v).rsplit_once("::").map_or("", |(function, _)| function);
    let numbers: Vec<Term> = (program.vars(l).iter().copied())
        .filter(|v| pool.sort(*v).is_arith() && !control.contains(v))
        .collect();
    let mut out = Vec::new();
    for &a in &numbers {
        for &b in &numbers {
            if a != b && pool.sort(a) == pool.sort(b) && function(a) == function(b) {
                out.push(pool.lt(a, b));
            }
        }
    }
    out
}

/// The atoms of the guards and updates of the edges that leave a location, as far as they are over its
/// variables.
pub fn expressions(task: &Task<'_>, l: Loc) -> Vec<Term> {
    let Task { pool, program, .. } = *task;
    let mut out = Vec::new();
    for e in program.edge_ids().filter(|&e| program.edge(e).source == l) {
        let edge = program.edge(e);
        pool.visit([edge.guard].into_iter().chain(edge.update.iter().copied()), |t| {
            let own = || pool.free_vars(t).iter().all(|v| program.vars(l).contains(v));
            if pool.is_atom(t) && pool.as_bool(t).is_none() && own() {
                out.push(t);
            }
        });
    }
    out
}
