//! Facts in parts that have no variable in common.
//!
//! The formula of a location of a large program has thousands of facts, and a goal behind an edge has to do
//! with few of them. So it is asked with these alone: the facts that share a variable with it or with the
//! guard, those that share one with these, and so on. What follows from some of the facts follows from all.
//! If it does not follow from them, it is asked again with all: facts elsewhere may exclude each other.
//!
//! Entry points: [`Parts::of`], [`Parts::about`].

use palisade_term::{Term, TermPool};
use rustc_hash::FxHashMap;

/// Facts by the part that they are in.
pub(crate) struct Parts<'p> {
    pool: &'p TermPool,
    /// The facts of each part. Those without variables are the first part.
    pub facts: Vec<Vec<Term>>,
    /// The part of each variable.
    of_variable: FxHashMap<Term, usize>,
}

impl<'p> Parts<'p> {
    /// Divides facts.
    pub fn of(pool: &'p TermPool, facts: &[Term]) -> Parts<'p> {
        let variables: Vec<Vec<Term>> =
            facts.iter().map(|&f| pool.free_vars(f).into_iter().collect()).collect();
        // Union-find: every variable points to another one of its part, or to itself.
        let mut above: FxHashMap<Term, Term> = FxHashMap::default();
        for of_fact in &variables {
            for v in of_fact {
                let (one, other) = (root(&mut above, of_fact[0]), root(&mut above, *v));
                above.insert(one, other);
            }
        }
        let mut parts = Parts { pool, facts: vec![Vec::new()], of_variable: FxHashMap::default() };
        let mut numbers: FxHashMap<Term, usize> = FxHashMap::default();
        for (&fact, of_fact) in facts.iter().zip(&variables) {
            let Some(&first) = of_fact.first() else {
                parts.facts[0].push(fact);
                continue;
            };
            let part = *numbers.entry(root(&mut above, first)).or_insert(parts.facts.len());
            if part == parts.facts.len() {
                parts.facts.push(Vec::new());
            }
            parts.facts[part].push(fact);
            parts.of_variable.extend(of_fact.iter().map(|&v| (v, part)));
        }
        parts
    }

    /// The parts that formulas have to do with, in ascending order; the first is always one of them.
    pub fn about(&self, formulas: [Term; 2]) -> Vec<usize> {
        let mut parts = vec![0];
        self.pool.visit(formulas, |t| parts.extend(self.of_variable.get(&t)));
        parts.sort_unstable();
        parts.dedup();
        parts
    }
}

/// The variable that stands for the part of this one.
fn root(above: &mut FxHashMap<Term, Term>, v: Term) -> Term {
    let mut top = v;
    while let Some(&next) = above.get(&top)
        && next != top
    {
        top = next;
    }
    let mut here = v;
    while here != top {
        here = above.insert(here, top).unwrap_or(top);
    }
    top
}

#[cfg(test)]
mod tests {
    use palisade_term::{Sort, TermPool};

    use super::Parts;

    /// `a` and `c` are together because of `b`; `d` is alone, and what has no variable belongs to all.
    #[test]
    fn facts_that_share_variables_are_together() {
        let pool = TermPool::new();
        let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|n| pool.var(n, Sort::Int));
        let (ab, cb) = (pool.le(a, b), pool.le(c, b));
        let only_d = pool.le(d, pool.int(3));
        let parts = Parts::of(&pool, &[ab, only_d, pool.fls(), cb]);
        assert_eq!(parts.facts, [vec![pool.fls()], vec![ab, cb], vec![only_d]]);
        assert_eq!(parts.about([pool.le(c, e), pool.tru()]), [0, 1]);
        assert_eq!(parts.about([pool.le(e, e), pool.le(d, a)]), [0, 1, 2]);
        assert_eq!(parts.about([e, e]), [0]);
    }
}
