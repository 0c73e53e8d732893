//! Phases of a loop: one location for each side of a condition that a loop crosses in some order (splitter
//! predicates: Sharma, Dillig, Dillig and Aiken, "Simplifying Loop Invariant Generation Using Splitter
//! Predicates", 2011).
//!
//! `while (x < 100) { if (x < 50) x++; else { x++; y++; } }`, from `x = 0, y = 50`, has the invariant `x < 50
//! and y = 50 or x >= 50 and y = x`: a disjunction, which is found disjunct by disjunct when each phase has a
//! location of its own, with frames and background analyses of its own.
//!
//! A condition divides a location when it is an atom of the location's own loops over its variables, when the
//! loops run on both sides of it, and when one of the four ways to stay or to cross is closed: phases that
//! follow each other, or alternate. That takes questions to a solver ([`Satisfiable`]); edges that the solver
//! refutes are left out.
//!
//! Entry point: [`phases`](fn@phases). Way back: that of `divide`.

use palisade_program::{EdgeId, Loc, Program};
use palisade_term::{Op, Substitution, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::back::Transformed;
use crate::divide::{Case, Division, Place};

/// Is a formula satisfiable? `None`: not known.
pub type Satisfiable<'a> = dyn FnMut(Term) -> Option<bool> + 'a;

/// Atoms of a location that are tried.
const MAX_CANDIDATES: usize = 16;

/// Loops with more terms than this are not looked at: a large block has many conditions that are crossed in
/// some order and tell nothing, and every part is as large as the whole (`ssh-simplified/s3_srvr_1` took 10 s
/// instead of 2.6 s).
const MAX_TERMS: usize = 500;

/// Conditions that divide a location.
const MAX_CONDITIONS: usize = 3;

/// Terms that edges may have in all, times the edges they become; beyond it nothing is divided.
const MAX_WORK: usize = 2_000_000;

/// Divides locations into the phases of their loops; `None` when there are none.
pub fn phases(pool: &TermPool, old: &Program, satisfiable: &mut Satisfiable<'_>) -> Option<Transformed> {
    let conditions: Vec<Vec<Term>> = old.locs().map(|l| conditions(pool, old, l, satisfiable)).collect();
    if conditions.iter().all(Vec::is_empty) {
        return None;
    }
    let mut division = Division::new(old);
    let mut allowance = MAX_WORK;
    for e in old.edge_ids() {
        let edge = old.edge(e);
        let inputs: FxHashSet<Term> = edge.inputs.iter().copied().collect();
        let map = old.update_map(e);
        let mut after = Substitution::new(pool, &map);
        for before in sides(pool, &conditions[edge.source.index()]) {
            for behind in sides(pool, &conditions[edge.target.index()]) {
                let mut parts = before.clone();
                parts.extend(behind.iter().map(|&c| after.apply(c)));
                parts.push(edge.guard);
                let case = Case { guard: pool.and(parts), ..Case::of(edge) };
                let Some(case) = case.propagate(pool, &inputs, &mut allowance)? else { continue };
                if satisfiable(case.guard) == Some(false) {
                    continue;
                }
                let source = division.place(Place { loc: edge.source, condition: before.clone() });
                let target = division.place(Place { loc: edge.target, condition: behind });
                division.add(source, target, e, case);
            }
        }
    }
    // A place without edges is unreachable, but must not be missing on the way back.
    for l in old.locs() {
        for condition in sides(pool, &conditions[l.index()]) {
            division.place(Place { loc: l, condition });
        }
    }
    Some(division.finish())
}

/// All combinations of conditions and their negations.
fn sides(pool: &TermPool, conditions: &[Term]) -> Vec<Vec<Term>> {
    let mut out = vec![Vec::new()];
    for &c in conditions {
        out = out.iter().flat_map(|s| [c, pool.not(c)].map(|l| [s.as_slice(), &[l]].concat())).collect();
    }
    out
}

/// The conditions that divide a location.
fn conditions(pool: &TermPool, old: &Program, l: Loc, satisfiable: &mut Satisfiable<'_>) -> Vec<Term> {
    let own: Vec<EdgeId> =
        old.edge_ids().filter(|&e| (old.edge(e).source, old.edge(e).target) == (l, l)).collect();
    let vars: FxHashSet<Term> = old.vars(l).iter().copied().collect();
    let mut size = 0;
    let terms = own.iter().flat_map(|&e| old.edge(e).update.iter().chain([&old.edge(e).guard]));
    pool.visit(terms.copied(), |_| size += 1);
    if size > MAX_TERMS {
        return Vec::new();
    }
    let mut candidates: Vec<Term> = Vec::new();
    for &e in &own {
        let edge = old.edge(e);
        pool.visit(edge.update.iter().copied().chain([edge.guard]), |t| {
            let comparison = match pool.op(t) {
                Op::Le | Op::Lt | Op::BvUle | Op::BvUlt | Op::BvSle | Op::BvSlt => true,
                // Residues alternate; any other equality would divide off a single point.
                Op::Eq => pool.args(t).iter().any(|&side| has_residue(pool, side)),
                _ => false,
            };
            if comparison && !candidates.contains(&t) && !candidates.contains(&pool.not(t)) {
                candidates.push(t);
            }
        });
    }
    candidates.retain(|&t| pool.free_vars(t).iter().all(|v| vars.contains(v)));
    candidates.truncate(MAX_CANDIDATES);
    let mut found = Vec::new();
    for c in candidates {
        if found.len() < MAX_CONDITIONS && is_phase(pool, old, &own, c, satisfiable) {
            found.push(c);
        }
    }
    found
}

/// Is a residue a summand?
fn has_residue(pool: &TermPool, t: Term) -> bool {
    pool.sort(t).is_arith() && pool.linear(t).coeffs.iter().any(|(s, _)| *pool.op(*s) == Op::Mod)
}

/// Do the loops run on both sides of the condition, and is one of the four ways to stay or to cross closed?
fn is_phase(
    pool: &TermPool,
    old: &Program,
    own: &[EdgeId],
    condition: Term,
    satisfiable: &mut Satisfiable<'_>,
) -> bool {
    let sides = [condition, pool.not(condition)];
    let runs = |side: Term, satisfiable: &mut Satisfiable<'_>| {
        own.iter().any(|&e| satisfiable(pool.and2(old.edge(e).guard, side)) == Some(true))
    };
    let closed = |before: Term, behind: Term, satisfiable: &mut Satisfiable<'_>| {
        own.iter().all(|&e| {
            let way = [old.edge(e).guard, before, old.after(pool, e, behind)];
            satisfiable(pool.and(way)) == Some(false)
        })
    };
    sides.iter().all(|&s| runs(s, satisfiable))
        && sides.iter().any(|&a| sides.iter().any(|&b| closed(a, b, satisfiable)))
}
