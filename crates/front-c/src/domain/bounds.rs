//! Bounds of integer terms, from their shape and from the types of inputs.
//!
//! A variable of the program has the bounds of its type. The term that it stands for inside a block often has
//! narrower ones: an input of a narrow type that was stored in a wide variable, a remainder, a sum of such.
//! Then a wrap-around that cannot happen is not written down.
//!
//! Invariant: a bound holds wherever the types of the inputs in the term hold. Nothing here depends on the
//! place where a term is met, so what is found once is kept.
//!
//! Entry point: [`Bounds::of`].

use std::cell::RefCell;

use palisade_term::{Op, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::types::IntType;

/// Bounds of a term.
pub(super) type Interval = (Option<i128>, Option<i128>);

/// How deep terms are looked into.
const DEEPEST: u32 = 40;

/// What is known about terms.
#[derive(Default)]
pub struct Bounds {
    known: RefCell<FxHashMap<Term, Interval>>,
}

fn both(f: impl Fn(i128, i128) -> Option<i128>, a: Option<i128>, b: Option<i128>) -> Option<i128> {
    f(a?, b?)
}

impl Bounds {
    /// An input has the bounds of its type.
    pub(super) fn input(&self, term: Term, ty: IntType) {
        self.known.borrow_mut().insert(term, (Some(ty.min()), Some(ty.max())));
    }

    /// The bounds of a term.
    pub(super) fn of(&self, pool: &TermPool, term: Term) -> Interval {
        self.to_depth(pool, term, DEEPEST)
    }

    fn to_depth(&self, pool: &TermPool, term: Term, depth: u32) -> Interval {
        if let Some(n) = pool.as_number(term) {
            let n = i128::try_from(n.to_integer()).ok();
            return (n, n);
        }
        if let Some(known) = self.known.borrow().get(&term) {
            return *known;
        }
        if depth == 0 {
            return (None, None);
        }
        let of = |t: Term| self.to_depth(pool, t, depth - 1);
        let args = pool.args(term);
        let found = match (pool.op(term), args) {
            (Op::Add, _) => args.iter().map(|&t| of(t)).fold((Some(0), Some(0)), |sum, t| {
                (both(i128::checked_add, sum.0, t.0), both(i128::checked_add, sum.1, t.1))
            }),
            (Op::Mul, &[a, b]) => product(of(a), of(b)),
            (Op::Ite, &[_, a, b]) => {
                let (a, b) = (of(a), of(b));
                (both(|x, y| Some(x.min(y)), a.0, b.0), both(|x, y| Some(x.max(y)), a.1, b.1))
            }
            (Op::Mod, &[x, m]) => match (of(x), of(m)) {
                // What is smaller stays.
                ((Some(lo), Some(hi)), (Some(m), _)) if 0 <= lo && hi < m => (Some(lo), Some(hi)),
                (_, (Some(1..), Some(most))) => (Some(0), Some(most - 1)),
                _ => (None, None),
            },
            (Op::IntDiv, &[x, d]) => match (of(x), of(d)) {
                ((lo, hi), (Some(d), Some(same))) if d == same && d > 0 => {
                    (lo.map(|l| l.div_euclid(d)), hi.map(|h| h.div_euclid(d)))
                }
                _ => (None, None),
            },
            _ => (None, None),
        };
        self.known.borrow_mut().insert(term, found);
        found
    }
}

/// The bounds of a product.
pub(super) fn product(a: Interval, b: Interval) -> Interval {
    let corners: Option<Vec<i128>> = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)]
        .into_iter()
        .map(|(x, y)| both(i128::checked_mul, x, y))
        .collect();
    match corners {
        Some(c) => (c.iter().min().copied(), c.iter().max().copied()),
        None => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use palisade_term::Sort;

    use super::*;

    #[test]
    fn terms_have_the_bounds_of_their_inputs() {
        let pool = TermPool::new();
        let bounds = Bounds::default();
        let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
        bounds.input(x, IntType::new(8, false));
        let int = |n: i128| pool.int(n);
        let of = |t: Term| bounds.of(&pool, t);
        assert_eq!(of(x), (Some(0), Some(255)));
        assert_eq!(of(y), (None, None));
        assert_eq!(of(pool.mul(int(1000), x)), (Some(0), Some(255_000)));
        assert_eq!(of(pool.add2(pool.mul(int(-2), x), int(7))), (Some(-503), Some(7)));
        assert_eq!(of(pool.int_mod(y, int(10))), (Some(0), Some(9)));
        assert_eq!(of(pool.int_mod(x, int(1000))), (Some(0), Some(255)));
        assert_eq!(of(pool.int_div(pool.sub(x, int(10)), int(4))), (Some(-3), Some(61)));
        let either = pool.ite(pool.ge(y, int(0)), x, int(300));
        assert_eq!(of(either), (Some(0), Some(300)));
        assert_eq!(of(pool.add2(x, y)), (None, None));
        // Not looked into as deep as that.
        let mut deep = x;
        for _ in 0..100 {
            deep = pool.ite(pool.ge(y, deep), pool.add2(deep, int(1)), int(0));
        }
        assert_eq!(of(deep), (None, None));
    }
}
