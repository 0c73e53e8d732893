//! C integers over mathematical integers.
//!
//! In the exact mode a term's value is the C value: unsigned arithmetic is wrapped (by a conditional where
//! one wrap is enough, by `mod` otherwise), signed overflow is reported as a condition. In the mathematical
//! mode types do not matter and nothing is bounded.
//!
//! Bit operations with constants are sums of `div` and `mod` by powers of two; operations whose operands have
//! no common bits are sums; everything else goes through `int2bv`, which is exact for a known width.

use palisade_term::{Sort, Term, TermPool};

use super::{Domain, Inexpressible, Outcome, Undefined, Val, as_condition};
use crate::ir::{BinOp, CmpOp};
use crate::types::IntType;

/// See the module documentation.
pub struct Ints<'p> {
    /// Where terms are built.
    pub pool: &'p TermPool,
    /// Types are ignored.
    pub math: bool,
    /// Signed arithmetic wraps.
    pub signed_wrap: bool,
}

fn power(k: u32) -> i128 {
    1i128 << k
}

fn combine(a: Option<i128>, b: Option<i128>, f: impl Fn(i128, i128) -> Option<i128>) -> Option<i128> {
    f(a?, b?)
}

/// The bounds of a product.
fn product(a: &Val, b: &Val) -> (Option<i128>, Option<i128>) {
    let corners: Option<Vec<i128>> = [(a.lo, b.lo), (a.lo, b.hi), (a.hi, b.lo), (a.hi, b.hi)]
        .into_iter()
        .map(|(x, y)| combine(x, y, i128::checked_mul))
        .collect();
    match corners {
        Some(c) => (c.iter().min().copied(), c.iter().max().copied()),
        None => (None, None),
    }
}

/// The exact interval of a sum, difference or product.
pub(super) fn interval(op: BinOp, a: &Val, b: &Val) -> (Option<i128>, Option<i128>) {
    match op {
        BinOp::Add => (combine(a.lo, b.lo, i128::checked_add), combine(a.hi, b.hi, i128::checked_add)),
        BinOp::Sub => (combine(a.lo, b.hi, i128::checked_sub), combine(a.hi, b.lo, i128::checked_sub)),
        _ => product(a, b),
    }
}

impl Ints<'_> {
    fn int(&self, v: i128) -> Term {
        self.pool.int(v)
    }

    fn point(&self, v: i128) -> Val {
        Val {
            term: self.int(v),
            lo: Some(v),
            hi: Some(v),
            zeros: if v == 0 { 127 } else { v.trailing_zeros() },
        }
    }

    fn val(&self, term: Term, lo: Option<i128>, hi: Option<i128>) -> Val {
        match self.pool.as_number(term) {
            Some(n) => {
                i128::try_from(n.to_integer()).map_or(Val { term, lo, hi, zeros: 0 }, |v| self.point(v))
            }
            None => Val { term, lo, hi, zeros: 0 },
        }
    }

    /// As an integer, also if the value is a `_Bool`.
    fn plain(&self, v: Val, ty: IntType) -> Val {
        if ty.boolean {
            return self.val(self.pool.ite(v.term, self.int(1), self.int(0)), Some(0), Some(1));
        }
        v
    }

    /// `x mod 2^k`, never negative.
    fn low_bits(&self, x: Val, k: u32) -> Val {
        if x.within(0, power(k) - 1) {
            return x;
        }
        self.val(self.pool.int_mod(x.term, self.int(power(k))), Some(0), Some(power(k) - 1))
    }

    /// `floor(x / 2^k)`.
    fn shift_down(&self, x: Val, k: u32) -> Val {
        let term = self.pool.int_div(x.term, self.int(power(k)));
        self.val(term, x.lo.map(|l| l >> k), x.hi.map(|h| h >> k))
    }

    fn add(&self, a: Val, b: Val) -> Val {
        let (lo, hi) = interval(BinOp::Add, &a, &b);
        let zeros = a.zeros.min(b.zeros);
        Val { zeros, ..self.val(self.pool.add2(a.term, b.term), lo, hi) }
    }

    fn sub(&self, a: Val, b: Val) -> Val {
        let (lo, hi) = interval(BinOp::Sub, &a, &b);
        let zeros = a.zeros.min(b.zeros);
        Val { zeros, ..self.val(self.pool.sub(a.term, b.term), lo, hi) }
    }

    fn mul(&self, a: Val, b: Val) -> Val {
        let (lo, hi) = product(&a, &b);
        let zeros = (a.zeros + b.zeros).min(127);
        Val { zeros, ..self.val(self.pool.mul(a.term, b.term), lo, hi) }
    }

    /// The value modulo 2^bits, in the range of the type.
    fn wrap(&self, v: Val, ty: IntType) -> Val {
        self.modulo(v, ty, false)
    }

    /// The conversion of a value to a type. One that fits is told apart: whoever shows that it always does
    /// need not think of remainders. Not the low bits of any word, which are wanted for themselves.
    fn narrowed(&self, v: Val, ty: IntType) -> Val {
        let is = |t: IntType| v.lo == Some(t.min()) && v.hi == Some(t.max());
        let word = [32, 64].iter().any(|&n| is(IntType::new(n, false)) || is(IntType::new(n, true)));
        self.modulo(v, ty, ty.signed || !word)
    }

    /// The value modulo 2^bits; `tell_apart`: one that is in the range is a case of its own.
    fn modulo(&self, v: Val, ty: IntType, tell_apart: bool) -> Val {
        if self.math || v.fits(ty) {
            return v;
        }
        let (p, modulus) = (self.pool, power(ty.bits));
        let (min, max) = (self.int(ty.min()), self.int(ty.max()));
        let zeros = v.zeros.min(ty.bits);
        let out = |term| Val { zeros, ..self.val(term, Some(ty.min()), Some(ty.max())) };
        let above = || p.ite(p.le(v.term, max), v.term, p.sub(v.term, self.int(modulus)));
        let below = || p.ite(p.ge(v.term, min), v.term, p.add2(v.term, self.int(modulus)));
        if v.within(ty.min(), ty.max() + modulus) {
            return out(above());
        }
        if v.within(ty.min() - modulus, ty.max()) {
            return out(below());
        }
        let shifted = p.sub(v.term, min);
        let rest = p.add2(p.int_mod(shifted, self.int(modulus)), min);
        out(if tell_apart { p.ite(self.in_range(v, ty), v.term, rest) } else { rest })
    }

    /// The result of signed or unsigned arithmetic from its exact value.
    fn arithmetic(&self, exact: Val, ty: IntType) -> Outcome {
        if self.math || exact.fits(ty) {
            return Outcome::total(exact);
        }
        if !ty.signed || self.signed_wrap {
            let mut out = Outcome::total(self.wrap(exact, ty));
            if ty.signed {
                // Still a violation when overflow is checked.
                out.requires.push((Undefined::Overflow, self.in_range(exact, ty)));
            }
            return out;
        }
        let holds = self.in_range(exact, ty);
        let clip = |x: Option<i128>, f: fn(i128, i128) -> i128, bound| Some(x.map_or(bound, |v| f(v, bound)));
        let val =
            Val { lo: clip(exact.lo, i128::max, ty.min()), hi: clip(exact.hi, i128::min, ty.max()), ..exact };
        Outcome { val, requires: vec![(Undefined::Overflow, holds)] }
    }

    fn in_range(&self, v: Val, ty: IntType) -> Term {
        let p = self.pool;
        let mut parts = Vec::new();
        if v.lo.is_none_or(|l| l < ty.min()) {
            parts.push(p.ge(v.term, self.int(ty.min())));
        }
        if v.hi.is_none_or(|h| h > ty.max()) {
            parts.push(p.le(v.term, self.int(ty.max())));
        }
        p.and(parts)
    }

    /// Truncating division and remainder by Euclidean ones on magnitudes.
    fn divide(&self, a: Val, b: Val, quotient: bool) -> Val {
        let p = self.pool;
        let magnitude = |v: Val| if v.nonnegative() { v.term } else { p.abs(v.term) };
        let b_abs = magnitude(b);
        let euclid = |x: Term| if quotient { p.int_div(x, b_abs) } else { p.int_mod(x, b_abs) };
        let positive = || euclid(a.term);
        let negative = || p.neg(euclid(p.neg(a.term)));
        // The remainder has the sign of the dividend; the quotient also changes sign with the divisor.
        let by_dividend = if a.nonnegative() {
            positive()
        } else {
            p.ite(p.ge(a.term, self.int(0)), positive(), negative())
        };
        let term = if !quotient || b.nonnegative() {
            by_dividend
        } else {
            p.ite(p.ge(b.term, self.int(0)), by_dividend, p.neg(by_dividend))
        };
        let abs_max = |v: Val| combine(v.lo, v.hi, |l, h| Some(l.checked_abs()?.max(h.checked_abs()?)));
        let bound = match (quotient, abs_max(a), abs_max(b)) {
            (true, x, _) => x,
            (false, Some(x), Some(y)) => Some(x.min((y - 1).max(0))),
            (false, x, y) => x.or(y),
        };
        let lo = if a.nonnegative() && (!quotient || b.nonnegative()) { Some(0) } else { bound.map(|b| -b) };
        self.val(term, lo, bound)
    }

    /// `x & mask` for a mask that is not negative: the runs of its bits.
    fn mask(&self, x: Val, mask: i128) -> Val {
        let mut sum = self.point(0);
        let mut rest = mask;
        let mut base = 0u32;
        while rest != 0 {
            let skip = rest.trailing_zeros();
            base += skip;
            rest >>= skip;
            let run = rest.trailing_ones();
            let bits = self.low_bits(self.shift_down(x, base), run);
            sum = self.add(sum, self.mul(bits, self.point(power(base))));
            base += run;
            rest = if run >= 127 { 0 } else { rest >> run };
        }
        let hi = x.hi.filter(|_| x.nonnegative()).map_or(mask, |h| h.min(mask));
        Val { lo: Some(0), hi: Some(hi), zeros: mask.trailing_zeros(), ..sum }
    }

    /// `x & c` for any constant.
    fn and_constant(&self, x: Val, c: i128) -> Val {
        if c >= 0 {
            return self.mask(x, c);
        }
        // x & c = x - (x & ~c), and ~c is not negative.
        let out = self.sub(x, self.mask(x, !c));
        let lo = if x.nonnegative() { Some(0) } else { out.lo };
        Val {
            lo,
            hi: if x.nonnegative() { x.hi } else { out.hi },
            zeros: c.trailing_zeros().max(x.zeros),
            ..out
        }
    }

    fn bitwise(&self, op: BinOp, ty: IntType, a: Val, b: Val) -> Result<Val, Inexpressible> {
        let (a, b) = if a.point().is_some() { (b, a) } else { (a, b) };
        if let Some(c) = b.point() {
            // In an unsigned type the operation is the same on the infinite two's complement representation.
            let and = self.and_constant(a, c);
            let out = match op {
                BinOp::And => and,
                BinOp::Or => self.sub(self.add(a, b), and),
                _ => self.sub(self.add(a, b), self.add(and, and)),
            };
            return Ok(if self.math { out } else { self.clamp(out, ty) });
        }
        // No common bits: one is below the lowest bit of the other.
        let below = |x: &Val, y: &Val| y.zeros < 127 && x.within(0, power(y.zeros) - 1);
        if below(&a, &b) || below(&b, &a) {
            return Ok(if op == BinOp::And { self.point(0) } else { self.add(a, b) });
        }
        if a.within(0, 1) && b.within(0, 1) {
            let p = self.pool;
            let (x, y) = (self.bit(a), self.bit(b));
            let c = match op {
                BinOp::And => p.and2(x, y),
                BinOp::Or => p.or2(x, y),
                _ => p.xor(x, y),
            };
            return Ok(self.val(p.ite(c, self.int(1), self.int(0)), Some(0), Some(1)));
        }
        if self.math {
            return Err("a bit operation on unbounded integers");
        }
        Ok(self.by_bits(op, ty, a, b))
    }

    /// A 0/1 value as a condition.
    fn bit(&self, v: Val) -> Term {
        as_condition(self.pool, v.term).unwrap_or_else(|| self.pool.ge(v.term, self.int(1)))
    }

    /// Keeps the value and improves its bounds with those of the type.
    fn clamp(&self, v: Val, ty: IntType) -> Val {
        Val {
            lo: Some(v.lo.map_or(ty.min(), |l| l.max(ty.min()))),
            hi: Some(v.hi.map_or(ty.max(), |h| h.min(ty.max()))),
            ..v
        }
    }

    /// Through bit-vectors, no wider than the operands need.
    fn by_bits(&self, op: BinOp, ty: IntType, a: Val, b: Val) -> Val {
        let p = self.pool;
        let nonnegative = a.nonnegative() && b.nonnegative();
        let width = match (nonnegative, a.hi.max(b.hi)) {
            (true, Some(h)) => (128 - h.leading_zeros()).clamp(1, ty.bits),
            _ => ty.bits,
        };
        let (x, y) = (p.int_to_bv(width, a.term), p.int_to_bv(width, b.term));
        let r = match op {
            BinOp::And => p.bv_and(x, y),
            BinOp::Or => p.bv_or(x, y),
            _ => p.bv_xor(x, y),
        };
        let unsigned = self.val(p.bv_to_int(r), Some(0), Some(power(width) - 1));
        if nonnegative {
            let hi = if op == BinOp::And { combine(a.hi, b.hi, |x, y| Some(x.min(y))) } else { unsigned.hi };
            return Val { hi, ..unsigned };
        }
        self.wrap(unsigned, ty)
    }

    /// A shift by a known amount.
    fn shift_by(&self, left: bool, a: Val, k: u32) -> Val {
        if left { self.mul(a, self.point(power(k))) } else { self.shift_down(a, k) }
    }

    fn shift(&self, left: bool, ty: IntType, a: Val, b: Val) -> Result<Outcome, Inexpressible> {
        let p = self.pool;
        let mut requires = Vec::new();
        let width = i128::from(ty.bits);
        let legal = |v: Val| p.and2(p.ge(v.term, self.int(0)), p.lt(v.term, self.int(width)));
        if self.math {
            let Some(k) = b.point().and_then(|k| u32::try_from(k).ok()).filter(|&k| k < 100) else {
                return Err("a shift by an unknown amount on unbounded integers");
            };
            return Ok(Outcome::total(self.shift_by(left, a, k)));
        }
        if !b.within(0, width - 1) {
            requires.push((Undefined::Shift(false), legal(b)));
        }
        let exact = match b.point() {
            Some(k) => self.shift_by(left, a, u32::try_from(k.clamp(0, width - 1)).expect("a small amount")),
            None => {
                // One case for every possible amount.
                let from = b.lo.unwrap_or(0).clamp(0, width - 1);
                let to = b.hi.unwrap_or(width - 1).clamp(from, width - 1);
                let at = |k: i128| self.shift_by(left, a, u32::try_from(k).expect("a small amount"));
                let last = at(to);
                let (mut term, mut lo, mut hi) = (last.term, last.lo, last.hi);
                for k in (from..to).rev() {
                    let v = at(k);
                    term = p.ite(p.le(b.term, self.int(k)), v.term, term);
                    lo = combine(lo, v.lo, |x, y| Some(x.min(y)));
                    hi = combine(hi, v.hi, |x, y| Some(x.max(y)));
                }
                self.val(term, lo, hi)
            }
        };
        if left && ty.signed && !(a.nonnegative() && exact.fits(ty)) {
            let fits = p.and2(p.ge(a.term, self.int(0)), self.in_range(exact, ty));
            requires.push((Undefined::Shift(true), fits));
        }
        Ok(Outcome { val: self.wrap(exact, ty), requires })
    }
}

impl Domain for Ints<'_> {
    fn sort(&self, ty: IntType) -> Sort {
        if ty.boolean { Sort::Bool } else { Sort::Int }
    }

    fn constant(&self, v: i128, ty: IntType) -> Val {
        if ty.boolean {
            return Val { term: self.pool.bool(v != 0), lo: Some(v), hi: Some(v), zeros: 0 };
        }
        self.point(v)
    }

    fn variable(&self, term: Term, ty: IntType) -> Val {
        if self.math && !ty.boolean {
            return self.val(term, None, None);
        }
        if ty.boolean { Val::typed(term, ty) } else { self.val(term, Some(ty.min()), Some(ty.max())) }
    }

    fn range(&self, term: Term, ty: IntType) -> Option<Term> {
        if ty.boolean || self.math && ty.signed {
            return None;
        }
        if self.math {
            return Some(self.pool.ge(term, self.int(0))); // a natural number
        }
        Some(self.pool.and2(self.pool.ge(term, self.int(ty.min())), self.pool.le(term, self.int(ty.max()))))
    }

    fn convert(&self, v: Val, from: IntType, to: IntType) -> Val {
        if to.boolean {
            return Val { term: self.truth(from, v), lo: Some(0), hi: Some(1), zeros: 0 };
        }
        self.narrowed(self.plain(v, from), to)
    }

    fn neg(&self, ty: IntType, a: Val) -> Outcome {
        self.arithmetic(self.sub(self.point(0), a), ty)
    }

    fn complement(&self, ty: IntType, a: Val) -> Val {
        // -1 - a, modulo 2^n.
        self.wrap(self.sub(self.point(-1), a), ty)
    }

    fn binary(
        &self,
        op: BinOp,
        ty: IntType,
        a: Val,
        b: Val,
        _right: IntType,
    ) -> Result<Outcome, Inexpressible> {
        let p = self.pool;
        Ok(match op {
            BinOp::Add => self.arithmetic(self.add(a, b), ty),
            BinOp::Sub => self.arithmetic(self.sub(a, b), ty),
            BinOp::Mul => self.arithmetic(self.mul(a, b), ty),
            BinOp::Div | BinOp::Rem => {
                let mut requires = Vec::new();
                if b.lo.is_none_or(|l| l <= 0) && b.hi.is_none_or(|h| h >= 0) {
                    requires.push((Undefined::Division, p.not(p.eq(b.term, self.int(0)))));
                }
                let exact = self.divide(a, b, op == BinOp::Div);
                // The one quotient that overflows; its remainder is undefined as well.
                let minus_one = b.lo.is_none_or(|l| l <= -1) && b.hi.is_none_or(|h| h >= -1);
                let least = a.lo.is_none_or(|l| l <= ty.min());
                if !self.math && ty.signed && minus_one && least {
                    let bad = p.and2(p.eq(a.term, self.int(ty.min())), p.eq(b.term, self.int(-1)));
                    requires.push((Undefined::Overflow, p.not(bad)));
                }
                let val = if self.math {
                    exact
                } else if self.signed_wrap {
                    self.wrap(exact, ty)
                } else {
                    self.clamp(exact, ty)
                };
                Outcome { val, requires }
            }
            BinOp::Shl => self.shift(true, ty, a, b)?,
            BinOp::Shr => self.shift(false, ty, a, b)?,
            BinOp::And | BinOp::Or | BinOp::Xor => Outcome::total(self.bitwise(op, ty, a, b)?),
        })
    }

    fn compare(&self, op: CmpOp, ty: IntType, a: Val, b: Val) -> Term {
        let p = self.pool;
        let (a, b) = (self.plain(a, ty), self.plain(b, ty));
        // What the intervals decide needs no formula.
        let less = |x: &Val, y: &Val| combine(x.hi, y.lo, |h, l| Some(i128::from(h < l))) == Some(1);
        let at_most = |x: &Val, y: &Val| combine(x.hi, y.lo, |h, l| Some(i128::from(h <= l))) == Some(1);
        let decided = match op {
            CmpOp::Lt if less(&a, &b) => Some(true),
            CmpOp::Lt if at_most(&b, &a) => Some(false),
            CmpOp::Ge if less(&a, &b) => Some(false),
            CmpOp::Ge if at_most(&b, &a) => Some(true),
            CmpOp::Gt if less(&b, &a) => Some(true),
            CmpOp::Gt if at_most(&a, &b) => Some(false),
            CmpOp::Le if less(&b, &a) => Some(false),
            CmpOp::Le if at_most(&a, &b) => Some(true),
            CmpOp::Eq if less(&a, &b) || less(&b, &a) => Some(false),
            CmpOp::Ne if less(&a, &b) || less(&b, &a) => Some(true),
            _ => None,
        };
        if let Some(d) = decided {
            return p.bool(d);
        }
        // A truth value compared with 0 or 1.
        if let (Some(c), Some(k @ (0 | 1))) = (as_condition(p, a.term), b.point()) {
            match op {
                CmpOp::Eq => return if k == 1 { c } else { p.not(c) },
                CmpOp::Ne => return if k == 1 { p.not(c) } else { c },
                _ => {}
            }
        }
        match op {
            CmpOp::Eq => p.eq(a.term, b.term),
            CmpOp::Ne => p.not(p.eq(a.term, b.term)),
            CmpOp::Lt | CmpOp::Before => p.lt(a.term, b.term),
            CmpOp::Le => p.le(a.term, b.term),
            CmpOp::Gt => p.gt(a.term, b.term),
            CmpOp::Ge => p.ge(a.term, b.term),
        }
    }

    fn truth(&self, ty: IntType, a: Val) -> Term {
        if ty.boolean {
            return a.term;
        }
        self.compare(CmpOp::Ne, ty, a, self.point(0))
    }

    fn address_sort(&self) -> Sort {
        Sort::Int
    }

    fn address(&self, v: i128) -> Term {
        self.int(v)
    }

    fn address_add(&self, a: Term, b: Term) -> Term {
        self.pool.add2(a, b)
    }

    fn address_sub(&self, a: Term, b: Term) -> Term {
        self.pool.sub(a, b)
    }

    fn address_scale(&self, a: Term, k: i128) -> Term {
        self.pool.mul(a, self.int(k))
    }

    fn address_le(&self, a: Term, b: Term) -> Term {
        self.pool.le(a, b)
    }

    fn address_mod(&self, a: Term, k: i128) -> Term {
        self.pool.int_mod(a, self.int(k))
    }

    fn address_div(&self, a: Term, k: i128) -> Term {
        self.pool.int_div(a, self.int(k))
    }

    fn to_address(&self, v: Val, ty: IntType) -> Term {
        self.plain(v, ty).term
    }

    fn address_to_int(&self, a: Term, ty: IntType) -> Val {
        self.variable(a, ty)
    }
}
