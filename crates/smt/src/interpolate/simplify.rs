//! Smaller interpolants: by rules first, then with the solver.
//!
//! Rules: negations inward, bounds of one form merged (`x <= 3 and x <= 5`, `x <= y and x >= y`), literals
//! that a neighbour decides dropped. With the solver: from the last interpolant to the first, only the
//! conjuncts that the next step needs are kept, which keeps the sequence inductive: what is weaker is still
//! implied from the left. Then, in what is left, disjuncts that imply their neighbours are dropped. If
//! anything goes wrong on the way, the sequence that came out of the proof is returned.

use num_traits::One;
use palisade_term::{Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Settings;
use crate::native::{NativeSolver, Options};
use crate::solver::{Answer, Limits, Solver};

/// Steps of the solver for one question of simplification.
const STEPS: u64 = 2_000;
/// An interpolant with more nodes than this is not simplified with the solver.
const MAX_NODES: usize = 500;
/// Nor one with more disjuncts.
const MAX_DISJUNCTS: usize = 12;

/// The simplified sequence.
pub(super) fn sequence(pool: &TermPool, parts: &[Term], raw: Vec<Term>, settings: &Settings) -> Vec<Term> {
    let mut memo = FxHashMap::default();
    let mut out: Vec<Term> = raw.iter().map(|&t| by_rules(pool, pool.nnf(t), &mut memo)).collect();
    if !settings.simplify {
        return out;
    }
    let mut changed = false;
    for k in (0..out.len()).rev() {
        let next = out.get(k + 1).copied().unwrap_or_else(|| pool.fls());
        let mut smaller = out[k];
        if pool.dag_size(smaller) <= MAX_NODES {
            smaller = needed_conjuncts(pool, smaller, parts[k + 1], next, settings);
            smaller = without_redundant_disjuncts(pool, smaller, settings);
            smaller = by_rules(pool, smaller, &mut memo);
        }
        changed |= smaller != out[k];
        out[k] = smaller;
    }
    if changed && !is_inductive(pool, parts, &out, settings) {
        return raw;
    }
    out
}

fn solver<'p>(pool: &'p TermPool, settings: &Settings) -> NativeSolver<'p> {
    let options = Options { checked: false, hold_back: false, ..Options::default() };
    let mut solver = NativeSolver::with_options(pool, options);
    solver.set_limits(Limits { steps: Some(STEPS), interrupt: settings.limits.interrupt.clone() });
    solver
}

/// Only the conjuncts that imply `next` together with `part`.
fn needed_conjuncts(pool: &TermPool, t: Term, part: Term, next: Term, settings: &Settings) -> Term {
    let conjuncts = pool.conjuncts(t);
    if conjuncts.len() < 2 {
        return t;
    }
    let mut solver = solver(pool, settings);
    solver.assert(part);
    solver.assert(pool.not(next));
    match solver.check(&conjuncts) {
        Answer::Unsat(mut core) => {
            // The core need not be minimal.
            let mut i = 0;
            while i < core.len() && core.len() > 1 {
                let mut fewer = core.clone();
                fewer.remove(i);
                match solver.check(&fewer) {
                    Answer::Unsat(smaller) => core = smaller,
                    _ => i += 1,
                }
            }
            pool.and(core)
        }
        _ => t,
    }
}

/// Drops disjuncts that imply the disjunction of the others, in every conjunct.
fn without_redundant_disjuncts(pool: &TermPool, t: Term, settings: &Settings) -> Term {
    let conjuncts = pool.conjuncts(t);
    let shorter = conjuncts.into_iter().map(|c| {
        let mut disjuncts = pool.disjuncts(c);
        if !(2..=MAX_DISJUNCTS).contains(&disjuncts.len()) {
            return c;
        }
        let mut solver = solver(pool, settings);
        let mut i = 0;
        while i < disjuncts.len() && disjuncts.len() > 1 {
            let others = disjuncts.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, &d)| pool.not(d));
            let mut question: Vec<Term> = others.collect();
            question.push(disjuncts[i]);
            if solver.check(&question).is_unsat() {
                disjuncts.remove(i);
            } else {
                i += 1;
            }
        }
        pool.or(disjuncts)
    });
    pool.and(shorter.collect::<Vec<_>>())
}

/// Is each interpolant implied by the one before it and the part between them?
fn is_inductive(pool: &TermPool, parts: &[Term], sequence: &[Term], settings: &Settings) -> bool {
    (0..parts.len()).all(|k| {
        let before = if k == 0 { pool.tru() } else { sequence[k - 1] };
        let after = sequence.get(k).copied().unwrap_or_else(|| pool.fls());
        if before == pool.fls() || after == pool.tru() {
            return true;
        }
        let mut solver = solver(pool, settings);
        solver.set_limits(settings.limits.clone());
        solver.check(&[before, parts[k], pool.not(after)]).is_unsat()
    })
}

// ---- rules -------------------------------------------------------------------------------------

/// Simplifies a formula in negation normal form, arguments first.
fn by_rules(pool: &TermPool, root: Term, memo: &mut FxHashMap<Term, Term>) -> Term {
    let mut stack = vec![root];
    while let Some(&t) = stack.last() {
        if memo.contains_key(&t) {
            stack.pop();
            continue;
        }
        let args: &[Term] = if matches!(pool.op(t), Op::And | Op::Or) { pool.args(t) } else { &[] };
        let before = stack.len();
        stack.extend(args.iter().filter(|a| !memo.contains_key(a)));
        if stack.len() > before {
            continue;
        }
        stack.pop();
        let made = args.iter().map(|a| memo[a]);
        let simple = match pool.op(t) {
            Op::And => conjunction(pool, pool.and(made.collect::<Vec<_>>())),
            Op::Or => {
                pool.not(conjunction(pool, pool.and(made.map(|a| pool.nnf(pool.not(a))).collect::<Vec<_>>())))
            }
            _ => t,
        };
        memo.insert(t, pool.nnf(simple));
    }
    memo[&root]
}

/// The tightest bounds of a form among the conjuncts: value and strictness.
#[derive(Default)]
struct Bounds {
    lower: Option<(Rational, bool)>,
    upper: Option<(Rational, bool)>,
}

/// A bound on a form: is it the upper one, its value, is it strict?
fn bound(pool: &TermPool, literal: Term) -> Option<(Term, bool, Rational, bool)> {
    let (negated, atom) = pool.strip_not(literal);
    let strict = match pool.op(atom) {
        Op::Le => negated,
        Op::Lt => !negated,
        _ => return None,
    };
    let args = pool.args(atom);
    let mut value = pool.as_number(args[1])?;
    let int = *pool.sort(args[0]) == Sort::Int;
    if int && strict {
        value = if negated { value + Rational::one() } else { value - Rational::one() };
    }
    Some((args[0], !negated, value, strict && !int))
}

/// Merges bounds, and drops what literals among the conjuncts decide.
fn conjunction(pool: &TermPool, t: Term) -> Term {
    if *pool.op(t) != Op::And {
        return t;
    }
    let mut bounds: FxHashMap<Term, Bounds> = FxHashMap::default();
    let mut forms: Vec<Term> = Vec::new();
    let mut literals: Vec<Term> = Vec::new();
    let mut others: Vec<Term> = Vec::new();
    for c in pool.conjuncts(t) {
        if let Some((form, upper, value, strict)) = bound(pool, c) {
            let b = bounds.entry(form).or_insert_with(|| {
                forms.push(form);
                Bounds::default()
            });
            let slot = if upper { &mut b.upper } else { &mut b.lower };
            let tighter = match slot {
                None => true,
                Some((v, s)) if value == *v => strict && !*s,
                Some((v, _)) => (value < *v) == upper,
            };
            if tighter {
                *slot = Some((value, strict));
            }
        } else if pool.is_literal(c) {
            literals.push(c);
        } else {
            others.push(c);
        }
    }
    for form in forms {
        let sort = pool.sort(form);
        let at = |v: &Rational| pool.number(v.clone(), sort);
        let Bounds { lower, upper } = &bounds[&form];
        if let (Some((l, ls)), Some((u, us))) = (lower, upper) {
            if l > u || (l == u && (*ls || *us)) {
                return pool.fls();
            }
            if l == u {
                literals.push(pool.eq(form, at(l)));
                continue;
            }
        }
        if let Some((v, strict)) = lower {
            literals.push(if *strict { pool.gt(form, at(v)) } else { pool.ge(form, at(v)) });
        }
        if let Some((v, strict)) = upper {
            literals.push(if *strict { pool.lt(form, at(v)) } else { pool.le(form, at(v)) });
        }
    }
    let known: FxHashSet<Term> = literals.iter().copied().collect();
    for o in others {
        let disjuncts = pool.disjuncts(o);
        if disjuncts.iter().any(|d| known.contains(d)) {
            continue;
        }
        literals.push(pool.or(disjuncts.into_iter().filter(|&d| !known.contains(&pool.not(d)))));
    }
    pool.and(literals)
}
