//! Products, quotients and roots.

use palisade_term::Term;

use super::round::Raw;
use super::{Circuits, Normal};
use crate::Rounding;

impl Circuits<'_> {
    /// `a * b`.
    pub fn mul(&self, r: Rounding, a: Term, b: Term) -> Term {
        let (p, f) = (self.pool, self.format);
        let (a, b) = (a.min(b), a.max(b));
        let negative = p.not(p.eq(self.is_negative(a), self.is_negative(b)));
        let (x, y) = (self.normal(a), self.normal(b));
        let n = f.significand;
        let product = p.bv_mul(p.zero_extend(n, x.significand), p.zero_extend(n, y.significand));
        let large = self.top(product);
        let product = p.ite(large, product, self.append_zeros(p.extract(2 * n - 2, 0, product), 1));
        let wide = f.exponent + 2;
        let sum = p.bv_sub(p.bv_add(x.exponent, y.exponent), p.bitvec(f.bias(), wide));
        let exponent = p.bv_add(sum, p.zero_extend(wide - 1, self.bit(large)));
        let significand = self.join(product, n + 2);
        let finite = self.round(r, Raw { negative, exponent, significand, may_be_small: true });

        let zero = p.or2(self.is_zero(a), self.is_zero(b));
        let infinite = p.or2(self.is_infinite(a), self.is_infinite(b));
        let invalid = p.or2(self.unordered(a, b), p.and2(zero, infinite));
        let out = p.ite(infinite, self.signed_infinity(negative), finite);
        let out = p.ite(zero, self.signed_zero(negative), out);
        p.ite(invalid, self.nan(), out)
    }

    fn signed_infinity(&self, negative: Term) -> Term {
        self.with_sign(negative, self.magnitude_constant(self.format.infinity()))
    }

    pub(super) fn signed_zero(&self, negative: Term) -> Term {
        self.with_sign(negative, self.magnitude_constant(0))
    }

    /// `a / b`.
    pub fn div(&self, r: Rounding, a: Term, b: Term) -> Term {
        let (p, f) = (self.pool, self.format);
        let negative = p.not(p.eq(self.is_negative(a), self.is_negative(b)));
        let (x, y) = (self.normal(a), self.normal(b));
        let quotient = self.quotient(x.significand, y.significand);
        let n = f.significand;
        // The quotient is between 1/2 and 2.
        let large = self.is_set(quotient, n + 2);
        let quotient = p.ite(large, quotient, self.append_zeros(p.extract(n + 1, 0, quotient), 1));
        let wide = f.exponent + 2;
        let difference = self.minus(x.exponent, y.exponent);
        let exponent = p.bv_add(difference, p.bitvec(f.bias() - 1, wide));
        let exponent = p.bv_add(exponent, p.zero_extend(wide - 1, self.bit(large)));
        let significand = self.join(quotient, n + 2);
        let finite = self.round(r, Raw { negative, exponent, significand, may_be_small: true });

        let (zero_a, zero_b) = (self.is_zero(a), self.is_zero(b));
        let (infinite_a, infinite_b) = (self.is_infinite(a), self.is_infinite(b));
        let neither = p.or2(p.and2(zero_a, zero_b), p.and2(infinite_a, infinite_b));
        let invalid = p.or2(self.unordered(a, b), neither);
        let out = p.ite(p.or2(zero_a, infinite_b), self.signed_zero(negative), finite);
        let out = p.ite(p.or2(infinite_a, zero_b), self.signed_infinity(negative), out);
        p.ite(invalid, self.nan(), out)
    }

    /// The quotient of two normalised significands: one bit before the point, two more behind it than the
    /// format has, and whether there is a rest.
    fn quotient(&self, m: Term, d: Term) -> Term {
        let (p, n) = (self.pool, self.format.significand);
        let divisor = p.zero_extend(2, d);
        // Restoring division. The rest is less than twice the divisor; the first bit of the difference says
        // that it is negative.
        let mut rest = p.zero_extend(2, m);
        let mut quotient: Option<Term> = None;
        for _ in 0..n + 2 {
            let difference = self.minus(rest, divisor);
            let less = self.top(difference);
            let kept = p.ite(less, p.extract(n, 0, rest), p.extract(n, 0, difference));
            rest = p.concat(kept, p.bitvec(0, 1));
            let bit = self.bit(p.not(less));
            quotient = Some(quotient.map_or(bit, |q| p.concat(q, bit)));
        }
        let more = self.bit(p.not(self.is_zero_word(rest)));
        p.concat(quotient.expect("at least one bit"), more)
    }

    /// The square root.
    pub fn sqrt(&self, r: Rounding, a: Term) -> Term {
        let (p, f) = (self.pool, self.format);
        let Normal { exponent, significand } = self.normal(a);
        let wide = f.exponent + 2;
        // The exponent without its bias is halved; if it is odd, the significand is doubled. The bias is odd.
        let odd = p.not(self.is_set(exponent, 0));
        let halved = p.bv_add(exponent, p.bitvec(f.bias(), wide));
        let exponent = p.sign_extend(1, p.extract(wide - 1, 1, halved));
        let radicand = p.ite(odd, self.append_zeros(significand, 1), p.zero_extend(1, significand));
        let root = self.root(radicand);
        // Only with few exponents the root of a subnormal number can be subnormal.
        let may_be_small = f.least_exponent().div_euclid(2) < 1 - f.bias();
        let raw = Raw { negative: p.fls(), exponent, significand: root, may_be_small };
        let out = self.round(r, raw);
        let out = p.ite(self.is_infinite(a), a, out);
        let invalid = p.or2(self.is_nan(a), self.is_negative(a));
        p.ite(self.is_zero(a), a, p.ite(invalid, self.nan(), out))
    }

    /// The root of a number in `[1, 4)` with two bits before the point: one bit before the point, one bit
    /// more than the format has, and whether there is a rest.
    fn root(&self, radicand: Term) -> Term {
        let (p, n) = (self.pool, self.format.significand);
        let steps = n + 1;
        let given = p.width(radicand);
        let radicand = self.append_zeros(radicand, (2 * steps).saturating_sub(given));
        let total = p.width(radicand);
        // Digit by digit: the rest and the root grow with the steps.
        let mut root = p.bitvec(0, 1);
        let mut rest = p.bitvec(0, 2);
        for k in 0..steps {
            let high = total - 2 * k - 1;
            let next = p.extract(high, high - 1, radicand);
            // After k steps the root has k bits, and the rest is at most twice the root.
            let size = k + 4;
            let have = self.fit(p.concat(rest, next), size);
            let trial = self.fit(p.concat(root, p.bitvec(1, 2)), size);
            let difference = self.minus(have, trial);
            let less = self.top(difference);
            rest = self.fit(p.ite(less, have, difference), k + 2);
            root = self.fit(p.concat(root, self.bit(p.not(less))), k + 1);
        }
        p.concat(root, self.bit(p.not(self.is_zero_word(rest))))
    }
}
