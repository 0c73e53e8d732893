//! Variables that an asserted equality defines.
//!
//! Asserted for good, `x = 2*y + 1` makes `x` superfluous: everywhere else `2*y + 1` stands for it, and a
//! row, its bounds and the pivots on them are saved. Unrollings are full of such equalities (what a step does
//! not change, initial values), and constants from them fold further.
//!
//! Invariants:
//! - Only equalities asserted outside all scopes count, so the map only grows, and only for variables that no
//!   formula asserted before mentions.
//! - The terms of the map mention no variable of the map.
//! - A variable stands for a number, a literal, or a sum of one variable: never for more than it costs.

use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// The map from variables to what they are equal to.
pub(crate) struct Solved<'p> {
    pool: &'p TermPool,
    map: FxHashMap<Term, Term>,
    /// In the order they were found.
    order: Vec<Term>,
    memo: FxHashMap<Term, Term>,
    /// The subterms of formulas asserted so far and of the map's terms.
    seen: FxHashSet<Term>,
    work: Vec<Term>,
}

impl<'p> Solved<'p> {
    pub fn new(pool: &'p TermPool) -> Self {
        Solved {
            pool,
            map: FxHashMap::default(),
            order: Vec::new(),
            memo: FxHashMap::default(),
            seen: FxHashSet::default(),
            work: Vec::new(),
        }
    }

    /// The term without the variables of the map.
    #[inline]
    pub fn resolve(&mut self, t: Term) -> Term {
        if self.map.is_empty() {
            return t;
        }
        let map = &self.map;
        self.pool.rewrite(t, &mut self.memo, &mut |_, u| map.get(&u).copied())
    }

    /// Forgets the terms that were resolved before; they are resolved again when they come again.
    pub fn forget(&mut self) {
        self.memo = FxHashMap::default();
    }

    /// Takes an asserted formula (a resolved one): what is left of it. Its equalities are only solved if it
    /// is asserted `for_good`.
    pub fn assert(&mut self, formula: Term, for_good: bool) -> Term {
        let mut rest = formula;
        if for_good {
            let before = self.order.len();
            let mut conjuncts = vec![formula];
            while let Some(t) = conjuncts.pop() {
                if *self.pool.op(t) == Op::And {
                    conjuncts.extend(self.pool.args(t).iter().rev());
                    continue;
                }
                if *self.pool.op(self.pool.strip_not(t).1) != Op::Eq {
                    continue;
                }
                let t = self.resolve(t);
                if let Some((x, value)) = self.solve(t) {
                    self.mark(value);
                    self.map.insert(x, value);
                    self.order.push(x);
                    self.memo.clear();
                }
            }
            if self.order.len() > before {
                rest = self.resolve(formula);
            }
        }
        self.mark(rest);
        rest
    }

    /// Notes the subterms of a term.
    fn mark(&mut self, t: Term) {
        self.work.push(t);
        while let Some(t) = self.work.pop() {
            if self.seen.insert(t) {
                self.work.extend(self.pool.args(t));
            }
        }
    }

    /// A fresh variable and what it equals, if the formula is such an equality and it costs no more than the
    /// variable.
    fn solve(&self, formula: Term) -> Option<(Term, Term)> {
        let pool = self.pool;
        let sides = pool.args(pool.strip_not(formula).1);
        if sides.iter().any(|&t| pool.args(t).len() > 2) {
            return None; // a long sum
        }
        let fresh = |x: Term| !self.seen.contains(&x);
        // The younger variable goes: it is the later step of an unrolling.
        pool.definitions(formula, fresh).into_iter().rev().find(|&(x, t)| self.is_cheap(t, pool.sort(x)))
    }

    fn is_cheap(&self, t: Term, sort: &Sort) -> bool {
        let pool = self.pool;
        match sort {
            Sort::Bool => pool.is_var(pool.strip_not(t).1),
            Sort::Int | Sort::Real => match &pool.linear(t).coeffs[..] {
                [] => true,
                [(y, _)] => pool.is_var(*y),
                _ => false,
            },
            _ => pool.is_var(t) || pool.is_const(t),
        }
    }

    /// Gives the variables of the map their values.
    pub fn complete(&self, model: &mut Assignment) {
        if self.order.is_empty() {
            return;
        }
        let mut ev = Evaluator::new(self.pool, model);
        let values: Vec<_> = self.order.iter().map(|x| ev.eval(self.map[x])).collect();
        for (&x, value) in self.order.iter().zip(values) {
            model.set(x, value);
        }
    }
}
