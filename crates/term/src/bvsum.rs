//! Sums of bit-vectors in normal form: `constant + c1*t1 + c2*t2 + ...` modulo `2^w`, terms ascending,
//! coefficients collected.
//!
//! Copies and updates make sums like `(x - y) + y`. As circuits these are adders whose equivalence a solver
//! has to prove; as sums they are `x`. Only short sums are normalised, so that building a long one stays
//! linear.

use std::collections::BTreeMap;

use num_traits::{One, Zero};

use crate::eval::wrap;
use crate::op::Op;
use crate::{Integer, Sort, Term, TermPool};

/// Sums with more nodes than this stay as they are.
const MAX_NODES: usize = 24;

/// A sum modulo `2^w`.
pub(crate) struct BvSum {
    width: u32,
    /// Coefficients, none of them zero.
    terms: BTreeMap<Term, Integer>,
    constant: Integer,
}

impl BvSum {
    /// `first * a + second * b`, if it is short.
    pub fn of(pool: &TermPool, width: u32, parts: &[(Integer, Term)]) -> Option<BvSum> {
        let mut sum = BvSum { width, terms: BTreeMap::new(), constant: Integer::zero() };
        let mut work: Vec<(Integer, Term)> = parts.to_vec();
        let mut nodes = 0;
        while let Some((k, t)) = work.pop() {
            nodes += 1;
            if nodes > MAX_NODES {
                return None;
            }
            let args = pool.args(t);
            match pool.op(t) {
                Op::BitVec(v) => sum.constant = wrap(&(&sum.constant + k * v), width),
                Op::BvAdd => work.extend(args.iter().map(|&a| (k.clone(), a))),
                Op::BvNeg => work.push((wrap(&-k, width), args[0])),
                Op::BvMul if pool.as_bitvec(args[0]).is_some() => {
                    let c = pool.as_bitvec(args[0]).expect("just seen");
                    work.push((wrap(&(k * c), width), args[1]));
                }
                _ => {
                    let c = sum.terms.entry(t).or_insert_with(Integer::zero);
                    *c = wrap(&(&*c + k), width);
                }
            }
        }
        sum.terms.retain(|_, c| !c.is_zero());
        Some(sum)
    }

    /// The value, if it does not depend on any term.
    pub fn as_constant(&self) -> Option<&Integer> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The width of what is added.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// The terms ascending, with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (Term, &Integer)> {
        self.terms.iter().map(|(&t, c)| (t, c))
    }

    /// The sum without one of its terms.
    pub fn without(&self, t: Term) -> BvSum {
        let terms = self.terms.iter().filter(|(u, _)| **u != t).map(|(&u, c)| (u, c.clone())).collect();
        BvSum { width: self.width, terms, constant: self.constant.clone() }
    }

    /// `k` times the sum.
    pub fn scaled(&self, k: &Integer) -> BvSum {
        let times = |c: &Integer| wrap(&(k * c), self.width);
        let mut terms: BTreeMap<Term, Integer> = self.terms.iter().map(|(&t, c)| (t, times(c))).collect();
        terms.retain(|_, c| !c.is_zero());
        BvSum { width: self.width, terms, constant: times(&self.constant) }
    }

    /// The sum as a term: the constant first, then the terms ascending, nested to the right.
    pub fn term(&self, pool: &TermPool) -> Term {
        let sort = Sort::BitVec(self.width);
        let minus_one = (Integer::one() << self.width) - 1;
        let monomial = |t: Term, c: &Integer| {
            if c.is_one() {
                t
            } else if *c == minus_one {
                pool.intern(Op::BvNeg, &[t], sort.clone())
            } else {
                pool.intern(Op::BvMul, &[pool.bitvec(c.clone(), self.width), t], sort.clone())
            }
        };
        let constant = (!self.constant.is_zero() || self.terms.is_empty())
            .then(|| pool.bitvec(self.constant.clone(), self.width));
        let parts = constant.into_iter().chain(self.terms.iter().map(|(&t, c)| monomial(t, c)));
        let parts: Vec<Term> = parts.collect();
        let (&last, rest) = parts.split_last().expect("a sum has a part");
        rest.iter().rev().fold(last, |sum, &part| pool.intern(Op::BvAdd, &[part, sum], sort.clone()))
    }
}

#[cfg(test)]
mod tests {
    use palisade_fuzzing::Random;

    use crate::{Assignment, Sort, Term, TermPool, Value};

    /// A random sum, and its value computed beside.
    fn sum(pool: &TermPool, r: &mut Random, vars: &[(Term, u64)], w: u32, depth: u32) -> (Term, u64) {
        let mask = (1u64 << w) - 1;
        if depth == 0 {
            let (t, v) = r.pick(vars);
            let c = r.below(1 << w) as u64;
            return if r.below(4) == 0 { (pool.bitvec(c, w), c) } else { (t, v) };
        }
        let (a, x) = sum(pool, r, vars, w, depth - 1);
        let (b, y) = sum(pool, r, vars, w, depth - 1);
        let (t, v) = match r.below(5) {
            0 | 1 => (pool.bv_add(a, b), x.wrapping_add(y)),
            2 => (pool.bv_sub(a, b), x.wrapping_sub(y)),
            3 => (pool.bv_neg(a), x.wrapping_neg()),
            _ => (pool.bv_mul(a, b), x.wrapping_mul(y)),
        };
        (t, v & mask)
    }

    #[test]
    fn sums_mean_what_they_were_built_from() {
        let pool = TermPool::new();
        let mut r = Random::new(1);
        for round in 0..3_000_u32 {
            let w = 1 + round % 9;
            let names = ["a", "b", "c"];
            let vars: Vec<(Term, u64)> = names
                .iter()
                .map(|n| (pool.var(&format!("{n}{w}"), Sort::BitVec(w)), r.below(1 << w) as u64))
                .collect();
            let model: Assignment = vars.iter().map(|&(t, v)| (t, Value::BitVec(w, v.into()))).collect();
            let (s, x) = sum(&pool, &mut r, &vars, w, 3);
            let (t, y) = sum(&pool, &mut r, &vars, w, 3);
            assert_eq!(pool.eval(s, &model), Value::BitVec(w, x.into()), "{}", pool.infix(s));
            assert_eq!(pool.holds(pool.eq(s, t), &model), x == y, "{} = {}", pool.infix(s), pool.infix(t));
        }
    }

    #[test]
    fn equal_sums_are_equal_terms() {
        let pool = TermPool::new();
        let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::BitVec(32)));
        let two = pool.bitvec(2, 32);
        assert_eq!(pool.bv_add(pool.bv_sub(x, y), y), x);
        let left = pool.bv_mul(two, pool.bv_add(x, pool.bv_add(z, y)));
        let right = pool.bv_add(pool.bv_add(pool.bv_mul(two, y), x), pool.bv_add(pool.bv_add(z, z), x));
        assert_eq!(left, right);
        assert_eq!(pool.eq(pool.bv_add(x, two), x), pool.fls());
    }

    /// A long sum is built in linear time.
    #[test]
    fn long_sums_are_left_alone() {
        let pool = TermPool::new();
        let mut t = pool.var("x", Sort::BitVec(32));
        for i in 0..100_000 {
            t = pool.bv_add(pool.var(&format!("v{}", i % 50), Sort::BitVec(32)), t);
        }
        assert!(pool.dag_size(t) > 100);
    }
}
