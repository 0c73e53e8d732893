//! C integers as bit-vectors of their width.
//!
//! Wrap-around is that of the bit-vectors. To decide whether a signed sum or product overflowed, it is
//! repeated at a larger width, unless the operands' intervals exclude an overflow. Addresses are abstract and
//! have 64 bits in every data model.

use palisade_term::{Sort, Term, TermPool};

use super::int::interval;
use super::{Domain, Inexpressible, Outcome, Undefined, Val, as_condition};
use crate::ir::{BinOp, CmpOp};
use crate::types::IntType;

/// Addresses have this width, whatever the data model says about pointers: they are abstract.
const ADDRESS: u32 = 64;

/// See the module documentation.
pub struct Bits<'p> {
    /// Where terms are built.
    pub pool: &'p TermPool,
    /// Signed arithmetic wraps.
    pub signed_wrap: bool,
}

impl Bits<'_> {
    fn bv(&self, v: i128, bits: u32) -> Term {
        self.pool.bitvec(v, bits)
    }

    fn extend(&self, t: Term, by: u32, signed: bool) -> Term {
        if signed { self.pool.sign_extend(by, t) } else { self.pool.zero_extend(by, t) }
    }

    /// A bit-vector of another width with the same value modulo the smaller one.
    fn resize(&self, t: Term, to: u32, signed: bool) -> Term {
        let w = self.pool.width(t);
        match to.cmp(&w) {
            std::cmp::Ordering::Less => self.pool.extract(to - 1, 0, t),
            std::cmp::Ordering::Equal => t,
            std::cmp::Ordering::Greater => self.extend(t, to - w, signed),
        }
    }

    fn ite_bit(&self, c: Term, bits: u32) -> Term {
        self.pool.ite(c, self.bv(1, bits), self.bv(0, bits))
    }

    /// The value with the bounds of an exact result, if that fits.
    fn bounded(&self, term: Term, ty: IntType, lo: Option<i128>, hi: Option<i128>) -> Val {
        let exact = Val { term, lo, hi, zeros: 0 };
        if exact.fits(ty) { exact } else { Val::typed(term, ty) }
    }

    fn add_mul(&self, op: BinOp, ty: IntType, a: Val, b: Val) -> Outcome {
        let p = self.pool;
        let apply = |x: Term, y: Term| match op {
            BinOp::Add => p.bv_add(x, y),
            BinOp::Sub => p.bv_sub(x, y),
            _ => p.bv_mul(x, y),
        };
        let term = apply(a.term, b.term);
        let (lo, hi) = interval(op, &a, &b);
        let val = self.bounded(term, ty, lo, hi);
        let fits = Val { term, lo, hi, zeros: 0 }.fits(ty);
        let mut requires = Vec::new();
        if ty.signed && !fits {
            let more = if op == BinOp::Mul { ty.bits } else { 1 };
            let wide = apply(p.sign_extend(more, a.term), p.sign_extend(more, b.term));
            requires.push((Undefined::Overflow, p.eq(wide, p.sign_extend(more, term))));
        }
        Outcome { val, requires }
    }

    fn divide(&self, op: BinOp, ty: IntType, a: Val, b: Val) -> Outcome {
        let p = self.pool;
        let mut requires = Vec::new();
        let zero = self.bv(0, ty.bits);
        if b.lo.is_none_or(|l| l <= 0) && b.hi.is_none_or(|h| h >= 0) {
            requires.push((Undefined::Division, p.not(p.eq(b.term, zero))));
        }
        if ty.signed
            && a.lo.is_none_or(|l| l <= ty.min())
            && b.lo.is_none_or(|l| l <= -1)
            && b.hi.is_none_or(|h| h >= -1)
        {
            let bad = p.and2(p.eq(a.term, self.bv(ty.min(), ty.bits)), p.eq(b.term, self.bv(-1, ty.bits)));
            requires.push((Undefined::Overflow, p.not(bad)));
        }
        // Unsigned operators are cheaper, where the signs are known.
        let signed = ty.signed && !(a.nonnegative() && b.nonnegative());
        let term = match (op, signed) {
            (BinOp::Div, true) => p.bv_sdiv(a.term, b.term),
            (BinOp::Div, false) => p.bv_udiv(a.term, b.term),
            (_, true) => p.bv_srem(a.term, b.term),
            (_, false) => p.bv_urem(a.term, b.term),
        };
        // By zero the bit-vector operators give any value of the type.
        let safe = b.lo.is_some_and(|l| l > 0);
        let magnitude = |v: Option<i128>| v.and_then(i128::checked_abs);
        let val = match (a.lo, magnitude(a.lo), magnitude(a.hi)) {
            (Some(l), Some(x), Some(y)) if safe => {
                let m = x.max(y);
                self.bounded(term, ty, Some(if l >= 0 { 0 } else { -m }), Some(m))
            }
            _ => Val::typed(term, ty),
        };
        Outcome { val, requires }
    }

    fn shift(&self, left: bool, ty: IntType, a: Val, b: Val, right: IntType) -> Outcome {
        let p = self.pool;
        let mut requires = Vec::new();
        let width = i128::from(ty.bits);
        if !b.within(0, width - 1) {
            // As unsigned numbers negative amounts are too large as well.
            let legal = p.bv_ult(b.term, self.bv(width, right.bits));
            requires.push((Undefined::Shift(false), legal));
        }
        let amount = self.resize(b.term, ty.bits, false);
        let term = match (left, ty.signed) {
            (true, _) => p.bv_shl(a.term, amount),
            (false, true) => p.bv_ashr(a.term, amount),
            (false, false) => p.bv_lshr(a.term, amount),
        };
        let val = match (a.lo, a.hi) {
            (Some(l), Some(h)) if !left => {
                let k = b.point().filter(|k| (0..width).contains(k)).unwrap_or(0);
                self.bounded(
                    term,
                    ty,
                    Some(if l >= 0 { 0 } else { l }),
                    Some(if h >= 0 { h >> k } else { -1 }),
                )
            }
            (Some(l), Some(h)) if left && l >= 0 => {
                let k = b.point().filter(|k| (0..width).contains(k)).unwrap_or(width - 1);
                let factor = (k < 127).then(|| 1i128 << k);
                self.bounded(term, ty, Some(0), factor.and_then(|f| h.checked_mul(f)))
            }
            _ => Val::typed(term, ty),
        };
        let fits = left
            && a.nonnegative()
            && b.hi.is_some_and(|k| k < width && a.hi.is_some_and(|h| h <= ty.max() >> k));
        if left && ty.signed && !fits {
            let back = p.eq(p.bv_ashr(term, amount), a.term);
            let fine = p.and2(p.bv_sle(self.bv(0, ty.bits), a.term), back);
            requires.push((Undefined::Shift(true), fine));
        }
        Outcome { val, requires }
    }
}

impl Domain for Bits<'_> {
    fn sort(&self, ty: IntType) -> Sort {
        if ty.boolean { Sort::Bool } else { Sort::BitVec(ty.bits) }
    }

    fn constant(&self, v: i128, ty: IntType) -> Val {
        let term = if ty.boolean { self.pool.bool(v != 0) } else { self.bv(v, ty.bits) };
        Val { term, lo: Some(v), hi: Some(v), zeros: 0 }
    }

    fn variable(&self, term: Term, ty: IntType) -> Val {
        Val::typed(term, ty)
    }

    fn range(&self, _term: Term, _ty: IntType) -> Option<Term> {
        None
    }

    fn convert(&self, v: Val, from: IntType, to: IntType) -> Val {
        if to.boolean {
            return Val { term: self.truth(from, v), lo: Some(0), hi: Some(1), zeros: 0 };
        }
        let term = if from.boolean {
            self.ite_bit(v.term, to.bits)
        } else {
            self.resize(v.term, to.bits, from.signed)
        };
        if v.fits(to) { Val { term, ..v } } else { Val::typed(term, to) }
    }

    fn neg(&self, ty: IntType, a: Val) -> Outcome {
        let p = self.pool;
        let term = p.bv_neg(a.term);
        let mut requires = Vec::new();
        if ty.signed && a.lo.is_none_or(|l| l <= ty.min()) {
            requires.push((Undefined::Overflow, p.not(p.eq(a.term, self.bv(ty.min(), ty.bits)))));
        }
        let negative = |v: Option<i128>| v.and_then(i128::checked_neg);
        Outcome { val: self.bounded(term, ty, negative(a.hi), negative(a.lo)), requires }
    }

    fn complement(&self, ty: IntType, a: Val) -> Val {
        Val::typed(self.pool.bv_not(a.term), ty)
    }

    fn binary(
        &self,
        op: BinOp,
        ty: IntType,
        a: Val,
        b: Val,
        right: IntType,
    ) -> Result<Outcome, Inexpressible> {
        let p = self.pool;
        let bitwise = |term: Term| match (a.nonnegative() && b.nonnegative(), a.hi, b.hi) {
            (true, Some(x), Some(y)) => {
                let ones = |v: i128| if v == 0 { 0 } else { i128::MAX >> (v.leading_zeros() - 1) };
                let hi = if op == BinOp::And { x.min(y) } else { ones(x.max(y)) };
                Outcome::total(self.bounded(term, ty, Some(0), Some(hi)))
            }
            _ => Outcome::total(Val::typed(term, ty)),
        };
        let mut out = match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => self.add_mul(op, ty, a, b),
            BinOp::Div | BinOp::Rem => self.divide(op, ty, a, b),
            BinOp::Shl => self.shift(true, ty, a, b, right),
            BinOp::Shr => self.shift(false, ty, a, b, right),
            BinOp::And => bitwise(p.bv_and(a.term, b.term)),
            BinOp::Or => bitwise(p.bv_or(a.term, b.term)),
            BinOp::Xor => bitwise(p.bv_xor(a.term, b.term)),
        };
        if self.signed_wrap && !out.requires.is_empty() {
            out.val = Val::typed(out.val.term, ty);
        }
        Ok(out)
    }

    fn compare(&self, op: CmpOp, ty: IntType, a: Val, b: Val) -> Term {
        let p = self.pool;
        let (a, b) = if ty.boolean {
            (self.convert(a, ty, IntType::INT), self.convert(b, ty, IntType::INT))
        } else {
            (a, b)
        };
        if let (Some(c), Some(k @ (0 | 1))) = (as_condition(p, a.term), b.point()) {
            match op {
                CmpOp::Eq => return if k == 1 { c } else { p.not(c) },
                CmpOp::Ne => return if k == 1 { p.not(c) } else { c },
                _ => {}
            }
        }
        let signed = ty.signed && !(a.nonnegative() && b.nonnegative());
        let le = |x: Term, y: Term| if signed { p.bv_sle(x, y) } else { p.bv_ule(x, y) };
        let lt = |x: Term, y: Term| if signed { p.bv_slt(x, y) } else { p.bv_ult(x, y) };
        match op {
            CmpOp::Eq => p.eq(a.term, b.term),
            CmpOp::Ne => p.not(p.eq(a.term, b.term)),
            CmpOp::Lt | CmpOp::Before => lt(a.term, b.term),
            CmpOp::Le => le(a.term, b.term),
            CmpOp::Gt => lt(b.term, a.term),
            CmpOp::Ge => le(b.term, a.term),
        }
    }

    fn truth(&self, ty: IntType, a: Val) -> Term {
        if ty.boolean {
            return a.term;
        }
        let zero = self.constant(0, ty);
        self.compare(CmpOp::Ne, ty, a, zero)
    }

    fn address_sort(&self) -> Sort {
        Sort::BitVec(ADDRESS)
    }

    fn address(&self, v: i128) -> Term {
        self.bv(v, ADDRESS)
    }

    fn address_add(&self, a: Term, b: Term) -> Term {
        self.pool.bv_add(a, b)
    }

    fn address_sub(&self, a: Term, b: Term) -> Term {
        self.pool.bv_sub(a, b)
    }

    fn address_scale(&self, a: Term, k: i128) -> Term {
        self.pool.bv_mul(a, self.bv(k, ADDRESS))
    }

    fn address_le(&self, a: Term, b: Term) -> Term {
        self.pool.bv_sle(a, b)
    }

    fn address_mod(&self, a: Term, k: i128) -> Term {
        self.pool.bv_urem(a, self.bv(k, ADDRESS))
    }

    fn address_div(&self, a: Term, k: i128) -> Term {
        if k == 1 { a } else { self.pool.bv_sdiv(a, self.bv(k, ADDRESS)) }
    }

    fn to_address(&self, v: Val, ty: IntType) -> Term {
        if ty.boolean { self.ite_bit(v.term, ADDRESS) } else { self.resize(v.term, ADDRESS, ty.signed) }
    }

    fn address_to_int(&self, a: Term, ty: IntType) -> Val {
        Val::typed(self.resize(a, ty.bits, true), ty)
    }
}
