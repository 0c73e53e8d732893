//! Evaluation of bit-vector atoms on machine words, for held-back clauses.
//!
//! Only terms over variables and constants of at most 64 bits; everything else is not held back. A bit
//! without value counts as zero, as it does in models.

use num_traits::ToPrimitive;
use palisade_sat::Lit;
use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::encode::Encoder;

/// An evaluator with a memory for one candidate model.
pub(crate) struct Words<'p> {
    pool: &'p TermPool,
    memo: FxHashMap<Term, (u32, u64)>,
    stamp: u32,
    stack: Vec<Term>,
}

fn mask(width: u32) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

fn signed(v: u64, width: u32) -> i64 {
    ((v << (64 - width)) as i64) >> (64 - width)
}

impl<'p> Words<'p> {
    pub fn new(pool: &'p TermPool) -> Self {
        Words { pool, memo: FxHashMap::default(), stamp: 0, stack: Vec::new() }
    }

    /// Begins a new candidate model.
    pub fn new_candidate(&mut self) {
        self.stamp += 1;
    }

    /// Can the atom be evaluated here?
    pub fn supports(&self, atom: Term) -> bool {
        let pool = self.pool;
        let top = pool.args(atom);
        let comparison = matches!(pool.op(atom), Op::Eq | Op::BvUle | Op::BvSle);
        if !comparison || !matches!(pool.sort(top[0]), Sort::BitVec(_)) {
            return false;
        }
        let mut seen = FxHashSet::default();
        let mut work = top.to_vec();
        while let Some(t) = work.pop() {
            if !seen.insert(t) {
                continue;
            }
            let Some(w) = pool.sort(t).width() else { return false };
            let known = matches!(
                pool.op(t),
                Op::Var(..)
                    | Op::BitVec(_)
                    | Op::Concat
                    | Op::Extract(..)
                    | Op::ZeroExtend(_)
                    | Op::SignExtend(_)
                    | Op::BvNot
                    | Op::BvNeg
                    | Op::BvAnd
                    | Op::BvOr
                    | Op::BvXor
                    | Op::BvAdd
                    | Op::BvMul
                    | Op::BvShl
                    | Op::BvLshr
                    | Op::BvAshr
                    | Op::BvUdiv
                    | Op::BvUrem
            );
            if w > 64 || !known {
                return false;
            }
            work.extend(pool.args(t));
        }
        true
    }

    /// The truth of a supported atom.
    pub fn holds(&mut self, atom: Term, enc: &Encoder<'_>, value: &dyn Fn(Lit) -> Option<bool>) -> bool {
        let args = self.pool.args(atom);
        let (a, b) = (self.eval(args[0], enc, value), self.eval(args[1], enc, value));
        let w = self.pool.width(args[0]);
        match self.pool.op(atom) {
            Op::Eq => a == b,
            Op::BvUle => a <= b,
            _ => signed(a, w) <= signed(b, w),
        }
    }

    fn known(&self, t: Term) -> Option<u64> {
        self.memo.get(&t).filter(|(s, _)| *s == self.stamp).map(|(_, v)| *v)
    }

    fn eval(&mut self, root: Term, enc: &Encoder<'_>, value: &dyn Fn(Lit) -> Option<bool>) -> u64 {
        if let Some(v) = self.known(root) {
            return v;
        }
        let pool = self.pool;
        self.stack.push(root);
        while let Some(&t) = self.stack.last() {
            if self.known(t).is_some() {
                self.stack.pop();
                continue;
            }
            let args = pool.args(t);
            let before = self.stack.len();
            for a in args {
                if self.known(*a).is_none() {
                    self.stack.push(*a);
                }
            }
            if self.stack.len() > before {
                continue;
            }
            let v = match pool.op(t) {
                Op::BitVec(c) => c.to_u64().expect("at most 64 bits"),
                Op::Var(..) => {
                    let bits = enc.known_bits(t).unwrap_or(&[]);
                    let bit = |(i, &l): (usize, &Lit)| u64::from(value(l).unwrap_or(!l.is_positive())) << i;
                    bits.iter().enumerate().map(bit).sum()
                }
                op => self.apply(op, t, args),
            };
            self.memo.insert(t, (self.stamp, v & mask(pool.width(t))));
            self.stack.pop();
        }
        self.known(root).expect("just evaluated")
    }

    fn apply(&self, op: &Op, t: Term, args: &[Term]) -> u64 {
        let arg = |i: usize| self.known(args[i]).expect("arguments first");
        let a = arg(0);
        let w = self.pool.width(args[0]);
        match op {
            Op::Extract(_, lo) => a >> lo,
            Op::ZeroExtend(_) => a,
            Op::SignExtend(_) => signed(a, w) as u64,
            Op::BvNot => !a,
            Op::BvNeg => a.wrapping_neg(),
            Op::Concat => {
                let low = self.pool.width(args[1]);
                debug_assert!(low < self.pool.width(t));
                a << low | arg(1)
            }
            Op::BvAnd => a & arg(1),
            Op::BvOr => a | arg(1),
            Op::BvXor => a ^ arg(1),
            Op::BvAdd => a.wrapping_add(arg(1)),
            Op::BvMul => a.wrapping_mul(arg(1)),
            Op::BvUdiv => a.checked_div(arg(1)).unwrap_or(u64::MAX),
            Op::BvUrem => a.checked_rem(arg(1)).unwrap_or(a),
            Op::BvShl => {
                if arg(1) < u64::from(w) {
                    a << arg(1)
                } else {
                    0
                }
            }
            Op::BvLshr => {
                if arg(1) < u64::from(w) {
                    a >> arg(1)
                } else {
                    0
                }
            }
            Op::BvAshr => (signed(a, w) >> arg(1).min(63)) as u64,
            other => unreachable!("{other:?} is not supported"),
        }
    }
}
