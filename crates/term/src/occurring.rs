//! Which variables occur in terms, remembered for terms that have most of their parts in common: the guards
//! of the edges that leave one location, or all parts of one formula.
//!
//! Entry points: [`Occurring`] finds the variables of a kind; [`Mentions`] says whether there is one.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Term, TermPool};

/// Finds variables in terms. What it knows it keeps, so it should not live longer than the terms matter.
pub struct Occurring<'p, F> {
    pool: &'p TermPool,
    wanted: F,
    /// By term; each set in order.
    known: FxHashMap<Term, Rc<[Term]>>,
    none: Rc<[Term]>,
}

impl<'p, F: Fn(Term) -> bool> Occurring<'p, F> {
    /// Finds the variables that are wanted.
    pub fn new(pool: &'p TermPool, wanted: F) -> Self {
        Occurring { pool, wanted, known: FxHashMap::default(), none: Rc::from([]) }
    }

    /// Those in a term, in order.
    pub fn of(&mut self, term: Term) -> Rc<[Term]> {
        let mut stack = vec![(term, false)];
        while let Some((t, done)) = stack.pop() {
            if self.known.contains_key(&t) {
                continue;
            }
            let args = self.pool.args(t);
            if !done && !args.is_empty() {
                stack.push((t, true));
                stack.extend(args.iter().map(|&a| (a, false)));
                continue;
            }
            let own = self.pool.is_var(t) && (self.wanted)(t);
            let own = if own { Rc::from([t]) } else { Rc::clone(&self.none) };
            let all = args.iter().map(|a| &self.known[a]).fold(own, joined);
            self.known.insert(t, all);
        }
        Rc::clone(&self.known[&term])
    }
}

/// The union of two sets in order: one of them, if that has all.
fn joined(a: Rc<[Term]>, b: &Rc<[Term]>) -> Rc<[Term]> {
    let has_all = |a: &[Term], b: &[Term]| b.iter().all(|t| a.binary_search(t).is_ok());
    if Rc::ptr_eq(&a, b) || has_all(&a, b) {
        return a;
    }
    if has_all(b, &a) {
        return Rc::clone(b);
    }
    let mut all = [&*a, &**b].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Which terms mention one of some variables. Answers are remembered, so that asking about all subterms of a
/// formula costs one traversal.
pub struct Mentions<'p> {
    pool: &'p TermPool,
    vars: FxHashSet<Term>,
    memo: FxHashMap<Term, bool>,
}

impl<'p> Mentions<'p> {
    /// Prepares the question for these variables.
    pub fn new(pool: &'p TermPool, vars: impl IntoIterator<Item = Term>) -> Self {
        Mentions { pool, vars: vars.into_iter().collect(), memo: FxHashMap::default() }
    }

    /// Does one of the variables occur in the term?
    pub fn any_in(&mut self, t: Term) -> bool {
        let mut stack = vec![t];
        while let Some(&u) = stack.last() {
            if self.memo.contains_key(&u) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let mut found = self.vars.contains(&u);
            for a in self.pool.args(u) {
                match self.memo.get(a) {
                    Some(m) => found |= m,
                    None => stack.push(*a),
                }
            }
            if found {
                stack.truncate(before); // the other arguments do not matter
            }
            if stack.len() == before {
                self.memo.insert(u, found);
                stack.pop();
            }
        }
        self.memo[&t]
    }
}

#[cfg(test)]
mod tests {
    use super::{Mentions, Occurring};
    use crate::{Sort, TermPool};

    #[test]
    fn finds_what_is_wanted() {
        let pool = TermPool::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::Int));
        let sum = pool.add2(x, y);
        let both = pool.and2(pool.le(sum, z), pool.le(z, y));
        let mut found = Occurring::new(&pool, |t| t != y);
        assert_eq!(found.of(sum)[..], [x]);
        assert_eq!(found.of(both)[..], [x, z]);
        assert!(found.of(pool.le(y, pool.int(3))).is_empty());
    }

    #[test]
    fn a_variable_is_found_at_any_depth() {
        let pool = TermPool::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::Int));
        let mut deep = x;
        for _ in 0..100_000 {
            deep = pool.int_div(deep, y);
        }
        let mut mentions = Mentions::new(&pool, [x, z]);
        assert!(mentions.any_in(deep) && mentions.any_in(x) && !mentions.any_in(y));
        assert!(mentions.any_in(pool.le(y, pool.add2(y, z))));
        assert!(!mentions.any_in(pool.le(y, pool.int(3))));
    }
}
