//! Solving the equations of an edge for its inputs.
//!
//! Relations come as formulas: `x' = x + 1 and ...` with `x'` an input. An edge is better as an assignment:
//! an input that an equation of the guard determines is replaced by what it is equal to. This is exact
//! (`exists v. v = t and F(v)` is `F(t)`), and leaves as inputs only what is really nondeterministic.

use palisade_term::{Substitution, Term, TermPool};
use rustc_hash::FxHashSet;

/// The parts of an edge that its equations are solved in.
#[derive(Clone, Debug)]
pub struct Parts {
    /// As in [`crate::Edge`].
    pub inputs: Vec<Term>,
    /// As in [`crate::Edge`].
    pub guard: Term,
    /// As in [`crate::Edge`].
    pub update: Vec<Term>,
}

/// Inputs with the terms they were replaced by. A term may mention inputs that come later, or that are left.
pub type Solutions = Vec<(Term, Term)>;

/// Substitution shares subterms, but sums in normal form do not share: beyond this growth it is not worth it.
fn worthwhile(before: usize, after: usize) -> bool {
    after <= 2 * before + 1000
}

/// Replaces inputs by what they are equal to, and drops those that no longer occur. The solutions tell the
/// values of the replaced.
pub fn solve_inputs(pool: &TermPool, mut parts: Parts) -> (Parts, Solutions) {
    let mut solutions = Solutions::new();
    parts.guard = pool.and(pool.open_conjuncts(parts.guard));
    let mut size = dag_size(pool, &parts);
    loop {
        let inputs: FxHashSet<Term> = parts.inputs.iter().copied().collect();
        let map = pool.independent_definitions(pool.conjuncts(parts.guard), |v| inputs.contains(&v));
        if map.is_empty() {
            break;
        }
        let mut substitution = Substitution::new(pool, &map);
        let next = Parts {
            inputs: parts.inputs.iter().copied().filter(|i| !map.contains_key(i)).collect(),
            guard: substitution.apply(parts.guard),
            update: parts.update.iter().map(|&u| substitution.apply(u)).collect(),
        };
        let next_size = dag_size(pool, &next);
        if !worthwhile(size, next_size) {
            break;
        }
        solutions.extend(parts.inputs.iter().filter_map(|i| Some((*i, *map.get(i)?))));
        size = next_size;
        parts = next;
    }
    let mut used = FxHashSet::default();
    pool.visit(parts.update.iter().copied().chain([parts.guard]), |t| {
        used.insert(t);
    });
    parts.inputs.retain(|i| used.contains(i));
    (parts, solutions)
}

fn dag_size(pool: &TermPool, parts: &Parts) -> usize {
    let mut n = 0;
    pool.visit(parts.update.iter().copied().chain([parts.guard]), |_| n += 1);
    n
}

#[cfg(test)]
mod tests {
    use palisade_term::{Rational, Sort};

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
        let (parts, solutions) = solve_inputs(&p, Parts { inputs: vec![a, b, c, flag], guard, update });
        assert_eq!(parts.inputs, [c]);
        let next = p.add2(x, p.int(1));
        assert_eq!(solutions, [(a, next), (flag, p.tru()), (b, p.add2(next, next))]);
        assert_eq!(parts.update, [next, p.add2(next, next), c, x]);
        assert_eq!(parts.guard, p.and([p.lt(next, p.int(10)), p.eq(three_c, x)]));
    }

    #[test]
    fn an_input_is_not_solved_by_itself() {
        let p = TermPool::new();
        let (x, a) = (int(&p, "x"), int(&p, "a"));
        let guard = p.eq(a, p.int_mod(p.add2(a, x), p.int(3)));
        let (parts, _) = solve_inputs(&p, Parts { inputs: vec![a], guard, update: vec![a] });
        assert_eq!((parts.inputs, parts.guard, parts.update), (vec![a], guard, vec![a]));
    }

    #[test]
    fn cycles_are_solved_once() {
        let p = TermPool::new();
        let (a, b) = (int(&p, "a"), int(&p, "b"));
        let guard = p.and([p.eq(a, p.add2(b, p.int(1))), p.eq(b, p.int_div(a, p.int(2)))]);
        let (parts, _) = solve_inputs(&p, Parts { inputs: vec![a, b], guard, update: vec![a, b] });
        assert_eq!(parts.inputs.len(), 1);
    }
}
