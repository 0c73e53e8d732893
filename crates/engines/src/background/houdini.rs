//! Guess and check: the largest inductive subset of candidate literals (Flanagan and Leino, "Houdini, an
//! Annotation Assistant for ESC/Java", 2001).
//!
//! The candidates are the program's own comparisons: literals of guards (and their neighbours by one) as far
//! as they speak of the variables of the edge's source, or of values that the edge hands on to variables of
//! its target; and comparisons of variables with zero and with each other.

use std::collections::BTreeSet;

use num_traits::One;
use palisade_program::{EdgeId, Loc, Program, State, take};
use palisade_smt::Answer;
use palisade_term::{Assignment, Rational, Sort, Substitution, Term, TermPool, Value, eval::Evaluator};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Allowance;
use crate::literal::HalfSpace;
use crate::{Budget, Task};

/// Locations with more numeric variables than this get no pairwise candidates.
const MAX_PAIRWISE: usize = 12;
/// Candidates per location, at most.
const MAX_CANDIDATES: usize = 300;

/// Candidate literals for every location, indexed by location.
pub fn candidates(task: &Task<'_>) -> Vec<Vec<Term>> {
    let (pool, program) = (task.pool, task.program);
    let mut out: Vec<Vec<Term>> = vec![Vec::new(); program.locations.len()];
    let mut seen: Vec<FxHashSet<Term>> = vec![FxHashSet::default(); program.locations.len()];
    let mut add = |l: Loc, t: Term| {
        let list = &mut out[l.index()];
        if list.len() < MAX_CANDIDATES && pool.as_bool(t).is_none() && seen[l.index()].insert(t) {
            list.push(t);
        }
    };
    for l in program.locs() {
        if l == program.entry || l == program.error {
            continue;
        }
        let nums: Vec<Term> = program.vars(l).iter().copied().filter(|&v| pool.sort(v).is_arith()).collect();
        for &v in &nums {
            let sort = pool.sort(v).clone();
            let zero = pool.number(Rational::from_integer(0.into()), &sort);
            let one = pool.number(Rational::one(), &sort);
            for c in [pool.ge(v, zero), pool.le(v, zero), pool.ge(v, one), pool.le(v, one)] {
                add(l, c);
            }
        }
        if nums.len() <= MAX_PAIRWISE {
            for (i, &a) in nums.iter().enumerate() {
                for &b in &nums[i + 1..] {
                    if pool.sort(a) == pool.sort(b) {
                        add(l, pool.le(a, b));
                        add(l, pool.ge(a, b));
                        if *pool.sort(a) == Sort::Int {
                            add(l, pool.lt(a, b));
                            add(l, pool.gt(a, b));
                        }
                    }
                }
            }
        }
        let words: Vec<Term> = (program.vars(l).iter().copied())
            .filter(|&v| pool.sort(v).width().is_some_and(|w| w > 1))
            .collect();
        for (i, &a) in words.iter().enumerate() {
            let zero = pool.bitvec(0, pool.width(a));
            add(l, pool.bv_sle(zero, a));
            add(l, pool.bv_sle(a, zero));
            let others = words[i + 1..].iter().filter(|&&b| pool.sort(a) == pool.sort(b));
            for &b in others.take(MAX_PAIRWISE) {
                for t in [pool.bv_sle(a, b), pool.bv_sle(b, a), pool.bv_ule(a, b), pool.bv_ule(b, a)] {
                    add(l, t);
                }
            }
        }
        for &v in program.vars(l) {
            if *pool.sort(v) == Sort::Bool {
                add(l, v);
                add(l, pool.not(v));
            }
        }
    }
    for e in program.edge_ids() {
        let edge = program.edge(e);
        // What the edge hands on unchanged: source variables and inputs, with the target variables that get
        // them.
        let mut handed: FxHashMap<Term, Vec<Term>> = FxHashMap::default();
        for (&u, &v) in edge.update.iter().zip(program.vars(edge.target)) {
            if pool.is_var(u) {
                handed.entry(u).or_default().push(v);
            }
        }
        let source: FxHashSet<Term> = program.vars(edge.source).iter().copied().collect();
        let atoms = pool.atoms(edge.guard);
        for atom in atoms.into_iter().take(MAX_CANDIDATES) {
            let vars = pool.free_vars(atom);
            let at_source = edge.source != program.entry && vars.iter().all(|v| source.contains(v));
            let at_target = edge.target != program.error && vars.iter().all(|v| handed.contains_key(v));
            for lit in [atom, pool.not(atom)] {
                if at_source {
                    add(edge.source, lit);
                    if let Some(h) = HalfSpace::of(pool, lit) {
                        let weaker = h.with_constant(&h.expr.constant - Rational::one());
                        add(edge.source, weaker.literal(pool));
                    }
                }
                if !at_target {
                    continue;
                }
                // One variable: every copy of it; several: their first copies.
                let copies =
                    if vars.len() == 1 { handed[&vars.first().copied().expect("one")].len() } else { 1 };
                for i in 0..copies {
                    let map = vars.iter().map(|v| (*v, *handed[v].get(i).unwrap_or(&handed[v][0]))).collect();
                    add(edge.target, pool.substitute(lit, &map));
                }
            }
        }
    }
    out
}

/// The candidates that are inductive together (and with the given invariants).
pub fn analyse(
    task: &Task<'_>,
    budget: &Budget,
    mut candidates: Vec<Vec<Term>>,
    known: &[(Loc, Term)],
) -> Vec<(Loc, Term)> {
    let program = task.program;
    let outgoing = program.outgoing();
    let mut allowance = Allowance::new(budget);
    let mut work: BTreeSet<EdgeId> = program.edge_ids().collect();
    while let Some(e) = work.pop_first() {
        match check_edge(task, &mut allowance, &mut candidates, known, e) {
            None => return Vec::new(),
            Some(true) => work.extend(&outgoing[program.edge(e).target.index()]),
            Some(false) => {}
        }
    }
    let mut out = Vec::new();
    for l in program.locs() {
        out.extend(candidates[l.index()].iter().map(|&t| (l, t)));
    }
    out
}

/// Drops the target's candidates that the edge does not preserve; true if any was dropped.
fn check_edge(
    task: &Task<'_>,
    allowance: &mut Allowance,
    candidates: &mut [Vec<Term>],
    known: &[(Loc, Term)],
    e: EdgeId,
) -> Option<bool> {
    let (pool, program) = (task.pool, task.program);
    let edge = program.edge(e);
    let target = edge.target.index();
    if candidates[target].is_empty() {
        return Some(false);
    }
    let mut solver = allowance.solver(task);
    solver.assert(edge.guard);
    for &(l, t) in known {
        if l == edge.source {
            solver.assert(t);
        }
    }
    let self_loop = edge.source == edge.target;
    if !self_loop {
        candidates[edge.source.index()].iter().for_each(|&t| solver.assert(t));
    }
    let update = program.update_map(e);
    let mut after = Substitution::new(pool, &update);
    let mut dropped = false;
    while !candidates[target].is_empty() {
        allowance.spend(&*solver)?;
        let broken = pool.or(candidates[target].iter().map(|&t| pool.not(after.apply(t))));
        let mut assumptions = vec![broken];
        if self_loop {
            assumptions.extend(&candidates[target]);
        }
        match solver.check(&assumptions) {
            Answer::Unsat(_) => break,
            Answer::Unknown(_) => return None,
            Answer::Sat(model) => {
                let next = behind(pool, program, e, &model)?;
                let next = program.vars(edge.target).iter().copied().zip(next).collect();
                let mut ev = Evaluator::new(pool, &next);
                let before = candidates[target].len();
                candidates[target].retain(|&t| ev.holds(t));
                if candidates[target].len() == before {
                    return None; // the model breaks nothing: do not trust it
                }
                dropped = true;
            }
        }
    }
    Some(dropped)
}

/// The state behind an edge that is taken as a model says.
pub(crate) fn behind(pool: &TermPool, program: &Program, e: EdgeId, model: &Assignment) -> Option<State> {
    let edge = program.edge(e);
    let value = |v: &Term| pool.eval(*v, model);
    let state: Vec<Value> = program.vars(edge.source).iter().map(value).collect();
    let inputs: Vec<Value> = edge.inputs.iter().map(value).collect();
    take(pool, program, &state, e, &inputs)
}
