//! Solving the equations of an edge for its inputs.
//!
//! Relations come as formulas: `x' = x + 1 and ...` with `x'` an input. An edge is better as an assignment: an input that an
//! equation of the guard determines is replaced by what it is equal to. This is exact (`exists v. v = t and F(v)` is `F(t)`), and
//! leaves as inputs only what is really nondeterministic.

use num_traits::{One, Signed, Zero};
use palisade_term::{Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parts of an edge that change.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub inputs: Vec<Term>,
    pub guard: Term,
    pub update: Vec<Term>,
}

/// Substitution shares subterms, but sums in normal form do not share: beyond this growth it is not worth it.
fn worthwhile(before: usize, after: usize) -> bool {
    after <= 2 * before + 1000
}

/// Replaces inputs by what they are equal to, and drops those that no longer occur.
pub(crate) fn solve_inputs(pool: &TermPool, mut parts: Parts) -> Parts {
    parts.guard = open_conjunction(pool, parts.guard);
    let mut size = dag_size(pool, &parts);
    loop {
        let inputs: FxHashSet<Term> = parts.inputs.iter().copied().collect();
        let map = independent_solutions(pool, parts.guard, &inputs);
        if map.is_empty() {
            break;
        }
        let mut substitution = palisade_term::Substitution::new(pool, &map);
        let next = Parts {
            inputs: parts.inputs.iter().copied().filter(|i| !map.contains_key(i)).collect(),
            guard: substitution.apply(parts.guard),
            update: parts.update.iter().map(|&u| substitution.apply(u)).collect(),
        };
        let next_size = dag_size(pool, &next);
        if !worthwhile(size, next_size) {
            break;
        }
        size = next_size;
        parts = next;
    }
    let mut used = FxHashSet::default();
    pool.visit(parts.update.iter().copied().chain([parts.guard]), |t| {
        used.insert(t);
    });
    parts.inputs.retain(|i| used.contains(i));
    parts
}

/// The formula with the negated disjunctions among its conjuncts turned into conjuncts.
fn open_conjunction(pool: &TermPool, guard: Term) -> Term {
    let mut out = Vec::new();
    let mut work = vec![guard];
    while let Some(t) = work.pop() {
        for c in pool.conjuncts(t) {
            match pool.strip_not(c) {
                (true, atom) if *pool.op(atom) == Op::Or => {
                    work.extend(pool.args(atom).iter().map(|&a| pool.not(a)))
                }
                _ => out.push(c),
            }
        }
    }
    pool.and(out)
}

fn dag_size(pool: &TermPool, parts: &Parts) -> usize {
    let mut n = 0;
    pool.visit(parts.update.iter().copied().chain([parts.guard]), |_| n += 1);
    n
}

/// Solutions `input -> term` of conjuncts, none of which mentions an input that another one solves.
fn independent_solutions(pool: &TermPool, guard: Term, inputs: &FxHashSet<Term>) -> FxHashMap<Term, Term> {
    let mut map: FxHashMap<Term, Term> = FxHashMap::default();
    let mut mentioned: FxHashSet<Term> = FxHashSet::default();
    for c in pool.conjuncts(guard) {
        for (v, t) in solutions(pool, c, inputs) {
            if mentioned.contains(&v) || map.contains_key(&v) {
                continue;
            }
            let below = pool.free_vars(t);
            if below.contains(&v) || below.iter().any(|u| map.contains_key(u)) {
                continue;
            }
            mentioned.extend(below);
            map.insert(v, t);
            break;
        }
    }
    map
}

/// The ways to read a conjunct as `input = term`. The term may still mention the input.
fn solutions(pool: &TermPool, c: Term, inputs: &FxHashSet<Term>) -> Vec<(Term, Term)> {
    let (negated, atom) = pool.strip_not(c);
    if inputs.contains(&atom) {
        return vec![(atom, pool.bool(!negated))];
    }
    let (Op::Eq, &[a, b]) = (pool.op(atom), pool.args(atom)) else { return Vec::new() };
    match pool.sort(a) {
        Sort::Bool => {
            let sign = |t| if negated { pool.not(t) } else { t };
            [(a, b), (b, a)]
                .into_iter()
                .filter(|(v, _)| inputs.contains(v))
                .map(|(v, t)| (v, sign(t)))
                .collect()
        }
        _ if negated => Vec::new(),
        sort if sort.is_arith() => arithmetic_solutions(pool, a, b, inputs),
        _ => [(a, b), (b, a)].into_iter().filter(|(v, _)| inputs.contains(v)).collect(),
    }
}

fn arithmetic_solutions(pool: &TermPool, a: Term, b: Term, inputs: &FxHashSet<Term>) -> Vec<(Term, Term)> {
    let sort = pool.sort(a).clone();
    let l = pool.linear(a).minus(&pool.linear(b));
    let mut out = Vec::new();
    for (v, c) in &l.coeffs {
        // Over the integers, only a unit coefficient can be divided by.
        if inputs.contains(v) && !c.is_zero() && (sort == Sort::Real || c.abs().is_one()) {
            let mut rest = l.scaled(&(-Rational::one() / c));
            rest.coeffs.retain(|(u, _)| u != v);
            out.push((*v, pool.from_linear(&rest, &sort)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(pool: &TermPool, n: &str) -> Term {
        pool.var(n, Sort::Int)
    }

    #[test]
    fn equations_become_assignments() {
        let p = TermPool::new();
        let (x, a, b, c) = (int(&p, "x"), int(&p, "a"), int(&p, "b"), int(&p, "c"));
        let flag = p.var("f", Sort::Bool);
        // a = x + 1, b = 2a, f, 3c = x (no unit coefficient), a < 10
        let three_c = p.scale(&Rational::from_integer(3.into()), c);
        let guard = p.and([
            p.eq(a, p.add2(x, p.int(1))),
            p.eq(b, p.add2(a, a)),
            flag,
            p.eq(three_c, x),
            p.lt(a, p.int(10)),
        ]);
        let update = vec![a, b, c, p.ite(flag, x, a)];
        let parts = solve_inputs(&p, Parts { inputs: vec![a, b, c, flag], guard, update });
        assert_eq!(parts.inputs, [c]);
        let next = p.add2(x, p.int(1));
        assert_eq!(parts.update, [next, p.add2(next, next), c, x]);
        assert_eq!(parts.guard, p.and([p.lt(next, p.int(10)), p.eq(three_c, x)]));
    }

    #[test]
    fn an_input_is_not_solved_by_itself() {
        let p = TermPool::new();
        let (x, a) = (int(&p, "x"), int(&p, "a"));
        let guard = p.eq(a, p.int_mod(p.add2(a, x), p.int(3)));
        let parts = solve_inputs(&p, Parts { inputs: vec![a], guard, update: vec![a] });
        assert_eq!((parts.inputs, parts.guard, parts.update), (vec![a], guard, vec![a]));
    }

    #[test]
    fn cycles_are_solved_once() {
        let p = TermPool::new();
        let (a, b) = (int(&p, "a"), int(&p, "b"));
        let guard = p.and([p.eq(a, p.add2(b, p.int(1))), p.eq(b, p.int_div(a, p.int(2)))]);
        let parts = solve_inputs(&p, Parts { inputs: vec![a, b], guard, update: vec![a, b] });
        assert_eq!(parts.inputs.len(), 1);
    }
}
