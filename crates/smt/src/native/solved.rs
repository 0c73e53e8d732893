//! Variables that an asserted equality gives away.
//!
//! Asserted for good, `x = 2*y + 1` makes `x` superfluous: everywhere else `2*y + 1` stands for it, and a row, its bounds and the pivots on them
//! are saved. Unrollings are full of such equalities (what a step does not change, initial values), and constants from them fold further.
//!
//! Invariants:
//! - Only equalities asserted outside all scopes count, so the map only grows, and only for variables that no formula asserted before mentions.
//! - The terms of the map mention no variable of the map.
//! - A variable stands for a number, a literal, or a sum of one variable: never for more than it costs.

use num_traits::One;
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

    /// Takes an asserted formula (a resolved one): what is left of it. Its equalities are only solved if it is asserted `for_good`.
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

    fn is_fresh(&self, t: Term) -> bool {
        self.pool.is_var(t) && !self.seen.contains(&t)
    }

    /// A fresh variable and what it equals, if the formula is such an equality.
    fn solve(&self, formula: Term) -> Option<(Term, Term)> {
        let pool = self.pool;
        let (negated, equality) = pool.strip_not(formula);
        let (Op::Eq, &[a, b]) = (pool.op(equality), pool.args(equality)) else { return None };
        match pool.sort(a) {
            Sort::Bool => {
                let other = |t: Term| if negated { pool.not(t) } else { t };
                match (self.is_fresh(a), self.is_fresh(b)) {
                    (_, true) if pool.is_var(a) => Some((b, other(a))),
                    (true, _) if pool.is_var(b) => Some((a, other(b))),
                    _ => None,
                }
            }
            _ if negated => None,
            sort @ (Sort::Int | Sort::Real) => {
                let sum = pool.linear(a);
                let constant = pool.as_number(b)? - &sum.constant;
                let integers = *sort == Sort::Int;
                // The younger variable goes: it is the later step of an unrolling.
                let at = (0..sum.coeffs.len()).rev().find(|&i| {
                    let (x, k) = &sum.coeffs[i];
                    self.is_fresh(*x) && (!integers || k.is_one() || (-k).is_one())
                })?;
                let (x, k) = &sum.coeffs[at];
                let scale = k.recip();
                let constant = pool.number(&constant * &scale, sort);
                match &sum.coeffs[..] {
                    [_] => Some((*x, constant)),
                    [first, second] => {
                        let (y, factor) = if at == 0 { second } else { first };
                        let product = pool.scale(&-(factor * &scale), *y);
                        pool.is_var(*y).then(|| (*x, pool.add2(product, constant)))
                    }
                    _ => None,
                }
            }
            _ => {
                let plain = |t: Term| pool.is_var(t) || pool.is_const(t);
                match (self.is_fresh(a), self.is_fresh(b)) {
                    (_, true) if plain(a) => Some((b, a)),
                    (true, _) if plain(b) => Some((a, b)),
                    _ => None,
                }
            }
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
