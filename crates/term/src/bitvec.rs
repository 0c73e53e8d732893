//! Builders of bit-vector terms. Constants are folded by the evaluator's own semantics; the remaining
//! rewrites are the cheap, local ones (units, zeros, idempotence, comparisons with extreme values) and the
//! normal form of short sums ([`crate::bvsum`]).

use num_traits::{One, Zero};

use crate::bvsum::BvSum;
use crate::eval::{apply, wrap};
use crate::op::Op;
use crate::{Integer, Sort, Term, TermPool, Value};

impl TermPool {
    /// A bit-vector constant; the value is taken modulo 2^width.
    pub fn bitvec(&self, value: impl Into<Integer>, width: u32) -> Term {
        assert!(width > 0, "a bit-vector has at least one bit");
        self.intern(Op::BitVec(wrap(&value.into(), width)), &[], Sort::BitVec(width))
    }

    fn const_value(&self, t: Term) -> Option<Value> {
        match self.op(t) {
            Op::Int(i) => Some(Value::Int(i.clone())),
            Op::BitVec(v) => Some(Value::BitVec(self.width(t), v.clone())),
            _ => None,
        }
    }

    /// Folds constants, else interns.
    fn fold(&self, op: Op, args: &[Term], sort: Sort) -> Term {
        let values: Option<Vec<Value>> = args.iter().map(|&a| self.const_value(a)).collect();
        if let Some(values) = values {
            return apply(&op, &sort, &values.iter().collect::<Vec<_>>()).to_term(self);
        }
        self.intern(op, args, sort)
    }

    fn same_width(&self, a: Term, b: Term) -> u32 {
        let w = self.width(a);
        assert_eq!(w, self.width(b), "bit-vectors of one width");
        w
    }

    fn is_zero(&self, t: Term) -> bool {
        self.as_bitvec(t).is_some_and(Zero::is_zero)
    }

    fn is_one(&self, t: Term) -> bool {
        self.as_bitvec(t).is_some_and(One::is_one)
    }

    fn is_ones(&self, t: Term) -> bool {
        self.as_bitvec(t).is_some_and(|v| *v == (Integer::one() << self.width(t)) - 1)
    }

    /// Orders the arguments of a commutative operator, constants first.
    fn ordered(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |t: Term| (!self.is_const(t), t);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    /// Concatenation; `a` is the more significant part.
    pub fn concat(&self, a: Term, b: Term) -> Term {
        let w = self.width(a) + self.width(b);
        if self.is_zero(a) {
            return self.zero_extend(self.width(a), b);
        }
        // Adjacent extracts of one term join again.
        if let (Op::Extract(h1, l1), Op::Extract(h2, l2)) = (self.op(a), self.op(b))
            && self.args(a)[0] == self.args(b)[0]
            && *l1 == h2 + 1
        {
            return self.extract(*h1, *l2, self.args(a)[0]);
        }
        self.fold(Op::Concat, &[a, b], Sort::BitVec(w))
    }

    /// Bits `hi` down to `lo`.
    pub fn extract(&self, hi: u32, lo: u32, t: Term) -> Term {
        let w = self.width(t);
        assert!(lo <= hi && hi < w, "extract within the width");
        if lo == 0 && hi + 1 == w {
            return t;
        }
        match self.op(t) {
            Op::Extract(_, l) => return self.extract(hi + l, lo + l, self.args(t)[0]),
            Op::Concat => {
                let low = self.width(self.args(t)[1]);
                if hi < low {
                    return self.extract(hi, lo, self.args(t)[1]);
                }
                if lo >= low {
                    return self.extract(hi - low, lo - low, self.args(t)[0]);
                }
            }
            Op::ZeroExtend(_) | Op::SignExtend(_) => {
                let inner = self.args(t)[0];
                if hi < self.width(inner) {
                    return self.extract(hi, lo, inner);
                }
                if matches!(self.op(t), Op::ZeroExtend(_)) && lo >= self.width(inner) {
                    return self.bitvec(0, hi - lo + 1);
                }
            }
            _ => {}
        }
        self.fold(Op::Extract(hi, lo), &[t], Sort::BitVec(hi - lo + 1))
    }

    /// Zero extension by `n` bits.
    pub fn zero_extend(&self, n: u32, t: Term) -> Term {
        if n == 0 {
            return t;
        }
        if let Op::ZeroExtend(m) = self.op(t) {
            return self.zero_extend(n + m, self.args(t)[0]);
        }
        self.fold(Op::ZeroExtend(n), &[t], Sort::BitVec(self.width(t) + n))
    }

    /// Sign extension by `n` bits.
    pub fn sign_extend(&self, n: u32, t: Term) -> Term {
        if n == 0 {
            return t;
        }
        match self.op(t) {
            Op::SignExtend(m) => self.sign_extend(n + m, self.args(t)[0]),
            Op::ZeroExtend(m) => self.zero_extend(n + m, self.args(t)[0]),
            _ => self.fold(Op::SignExtend(n), &[t], Sort::BitVec(self.width(t) + n)),
        }
    }

    /// Bitwise complement.
    pub fn bv_not(&self, t: Term) -> Term {
        if *self.op(t) == Op::BvNot {
            return self.args(t)[0];
        }
        self.fold(Op::BvNot, &[t], self.sort(t).clone())
    }

    /// Two's complement negation.
    pub fn bv_neg(&self, t: Term) -> Term {
        if let Some(sum) = BvSum::of(self, self.width(t), &[(-Integer::one(), t)]) {
            return sum.term(self);
        }
        if *self.op(t) == Op::BvNeg {
            return self.args(t)[0];
        }
        self.fold(Op::BvNeg, &[t], self.sort(t).clone())
    }

    /// Bitwise and.
    pub fn bv_and(&self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_ones(a) {
            return b;
        }
        if self.is_zero(a) {
            return a;
        }
        self.fold(Op::BvAnd, &[a, b], Sort::BitVec(w))
    }

    /// Bitwise or.
    pub fn bv_or(&self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b || self.is_zero(a) {
            return b;
        }
        if self.is_ones(a) {
            return a;
        }
        self.fold(Op::BvOr, &[a, b], Sort::BitVec(w))
    }

    /// Bitwise exclusive or.
    pub fn bv_xor(&self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if a == b {
            return self.bitvec(0, w);
        }
        if self.is_zero(a) {
            return b;
        }
        if self.is_ones(a) {
            return self.bv_not(b);
        }
        self.fold(Op::BvXor, &[a, b], Sort::BitVec(w))
    }

    /// Addition modulo 2^w. Constants gather at the left.
    pub fn bv_add(&self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if let Some(sum) = BvSum::of(self, w, &[(Integer::one(), a), (Integer::one(), b)]) {
            return sum.term(self);
        }
        let (a, b) = self.ordered(a, b);
        if self.is_zero(a) {
            return b;
        }
        self.fold(Op::BvAdd, &[a, b], Sort::BitVec(w))
    }

    /// Subtraction modulo 2^w.
    pub fn bv_sub(&self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bitvec(0, self.same_width(a, b));
        }
        self.bv_add(a, self.bv_neg(b))
    }

    /// Multiplication modulo 2^w.
    pub fn bv_mul(&self, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        let (a, b) = self.ordered(a, b);
        if let Some(c) = self.as_bitvec(a)
            && let Some(sum) = BvSum::of(self, w, &[(c.clone(), b)])
        {
            return sum.term(self);
        }
        if self.is_zero(a) || self.is_one(b) {
            return a;
        }
        if self.is_one(a) {
            return b;
        }
        self.fold(Op::BvMul, &[a, b], Sort::BitVec(w))
    }

    /// Is this an operation that sums in normal form ([`crate::bvsum`]) are made of?
    pub(crate) fn is_bv_sum(&self, t: Term) -> bool {
        matches!(self.op(t), Op::BvAdd | Op::BvNeg | Op::BvMul)
    }

    /// Are two bit-vectors a constant distance apart? Decides their equality.
    pub(crate) fn bv_equal(&self, a: Term, b: Term) -> Option<bool> {
        if ![a, b].iter().any(|&t| self.is_bv_sum(t)) {
            return None;
        }
        let distance = BvSum::of(self, self.width(a), &[(Integer::one(), a), (-Integer::one(), b)])?;
        distance.as_constant().map(Zero::is_zero)
    }

    /// Unsigned division.
    pub fn bv_udiv(&self, a: Term, b: Term) -> Term {
        if self.is_one(b) {
            return a;
        }
        self.fold(Op::BvUdiv, &[a, b], Sort::BitVec(self.same_width(a, b)))
    }

    /// Unsigned remainder.
    pub fn bv_urem(&self, a: Term, b: Term) -> Term {
        if self.is_one(b) {
            return self.bitvec(0, self.width(a));
        }
        self.fold(Op::BvUrem, &[a, b], Sort::BitVec(self.same_width(a, b)))
    }

    /// Signed division.
    pub fn bv_sdiv(&self, a: Term, b: Term) -> Term {
        self.fold(Op::BvSdiv, &[a, b], Sort::BitVec(self.same_width(a, b)))
    }

    /// Signed remainder (sign of the dividend).
    pub fn bv_srem(&self, a: Term, b: Term) -> Term {
        self.fold(Op::BvSrem, &[a, b], Sort::BitVec(self.same_width(a, b)))
    }

    /// Signed remainder (sign of the divisor).
    pub fn bv_smod(&self, a: Term, b: Term) -> Term {
        self.fold(Op::BvSmod, &[a, b], Sort::BitVec(self.same_width(a, b)))
    }

    fn shift(&self, op: Op, a: Term, b: Term) -> Term {
        let w = self.same_width(a, b);
        if self.is_zero(b) || self.is_zero(a) {
            return a;
        }
        self.fold(op, &[a, b], Sort::BitVec(w))
    }

    /// Shift left.
    pub fn bv_shl(&self, a: Term, b: Term) -> Term {
        self.shift(Op::BvShl, a, b)
    }

    /// Logical shift right.
    pub fn bv_lshr(&self, a: Term, b: Term) -> Term {
        self.shift(Op::BvLshr, a, b)
    }

    /// Arithmetic shift right.
    pub fn bv_ashr(&self, a: Term, b: Term) -> Term {
        self.shift(Op::BvAshr, a, b)
    }

    /// Unsigned `a < b`, as the negation of `b <= a`.
    pub fn bv_ult(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_ule(b, a))
    }

    /// Unsigned `a <= b`.
    pub fn bv_ule(&self, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        if a == b || self.is_zero(a) || self.is_ones(b) {
            return self.tru();
        }
        if self.is_zero(b) || self.is_ones(a) {
            return self.eq(a, b);
        }
        self.fold(Op::BvUle, &[a, b], Sort::Bool)
    }

    /// Signed `a < b`, as the negation of `b <= a`.
    pub fn bv_slt(&self, a: Term, b: Term) -> Term {
        self.not(self.bv_sle(b, a))
    }

    /// Signed `a <= b`.
    pub fn bv_sle(&self, a: Term, b: Term) -> Term {
        self.same_width(a, b);
        if a == b {
            return self.tru();
        }
        self.fold(Op::BvSle, &[a, b], Sort::Bool)
    }

    /// The unsigned value as an integer.
    pub fn bv_to_int(&self, t: Term) -> Term {
        self.fold(Op::BvToInt, &[t], Sort::Int)
    }

    /// An integer modulo 2^width as a bit-vector.
    ///
    /// That commutes with sums and with constant factors, so the operator is only left around terms that are
    /// neither; and of what was a bit-vector it is an extraction or an extension. The point is that no bits
    /// have to be tied to integers where the integers only come from bits, or only go there.
    pub fn int_to_bv(&self, width: u32, t: Term) -> Term {
        assert_eq!(*self.sort(t), Sort::Int, "int2bv of an integer");
        let sum = self.linear(t);
        let mut out = self.bitvec(sum.constant.numer().clone(), width);
        for (u, k) in &sum.coeffs {
            debug_assert!(k.is_integer(), "coefficients of integers are integers");
            let factor = self.bitvec(k.numer().clone(), width);
            out = self.bv_add(out, self.bv_mul(factor, self.opaque_to_bv(width, *u)));
        }
        out
    }

    /// As [`TermPool::int_to_bv`], of a term that is no sum and no multiple.
    fn opaque_to_bv(&self, width: u32, t: Term) -> Term {
        if *self.op(t) == Op::BvToInt {
            let bits = self.args(t)[0];
            let from = self.width(bits);
            return if width < from {
                self.extract(width - 1, 0, bits)
            } else {
                self.zero_extend(width - from, bits)
            };
        }
        self.fold(Op::IntToBv(width), &[t], Sort::BitVec(width))
    }
}
