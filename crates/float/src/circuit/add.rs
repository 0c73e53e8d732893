//! Sums.

use palisade_term::Term;

use super::Circuits;
use crate::Rounding;

impl Circuits<'_> {
    /// `a - b`.
    pub fn sub(&self, r: Rounding, a: Term, b: Term) -> Term {
        // Not by `neg`: that would hide that both operands are one number.
        self.sum(r, a, b, true)
    }

    /// `a + b`.
    pub fn add(&self, r: Rounding, a: Term, b: Term) -> Term {
        self.sum(r, a, b, false)
    }

    fn sum(&self, r: Rounding, a: Term, b: Term, minus: bool) -> Term {
        let (p, f) = (self.pool, self.format);
        let (a, b) = if minus { (a, b) } else { (a.min(b), a.max(b)) };
        let (minus_a, minus_b) = (self.is_negative(a), self.is_negative(b));
        let minus_b = if minus { p.not(minus_b) } else { minus_b };
        // The operand with the greater magnitude first: then nothing has to be negated afterwards, and it
        // decides the sign.
        let swap = p.bv_ult(self.magnitude(a), self.magnitude(b));
        let first = p.ite(swap, self.magnitude(b), self.magnitude(a));
        let second = p.ite(swap, self.magnitude(a), self.magnitude(b));
        let negative = p.ite(swap, minus_b, minus_a);
        let differ = p.not(p.eq(minus_a, minus_b));

        let (x, y) = (p.zero_extend(1, first), p.zero_extend(1, second));
        // Subnormal numbers have the exponent 1.
        let exponent = |t: Term| self.with_last(self.exponent_field(t), self.has_zero_exponent(t));
        let (ex, ey) = (exponent(x), exponent(y));
        let apart = self.minus(ex, ey);
        let m = self.append_zeros(self.significand(x), 3);
        let n = self.shift_right_sticky(self.append_zeros(self.significand(y), 3), apart);

        // One adder: the complement of the second operand, and a carry at the low end.
        let wide = f.significand + 4;
        let n = p.zero_extend(1, n);
        let n = p.ite(differ, p.bv_not(n), n);
        let carry = self.bit(differ);
        let total = p.bv_add(p.concat(p.zero_extend(1, m), p.bitvec(1, 1)), p.concat(n, carry));
        let total = p.extract(wide, 1, total);
        let nothing = self.is_zero_word(total);

        // The first bit has the exponent `ex + 1`; it cannot become less than 1.
        let zeros = self.leading_zeros(total);
        let size = p.width(zeros).max(f.exponent) + 1;
        let (zeros, room) = (self.fit(zeros, size), self.fit(ex, size));
        let enough = p.bv_ule(zeros, room);
        let by = p.ite(enough, zeros, room);
        let shifted = self.shift_left(total, by);
        let field = self.minus(p.bv_add(room, p.bitvec(1, size)), by);
        let field = p.ite(self.top(shifted), self.fit(field, f.exponent), p.bitvec(0, f.exponent));
        let fraction = p.extract(wide - 2, 4, shifted);
        let half = self.is_set(shifted, 3);
        let rest = p.not(self.is_zero_word(p.extract(2, 0, shifted)));

        // Equal numbers of different signs give plus zero, or minus zero when rounding down.
        let sign = match r {
            Rounding::Down => p.or2(negative, p.and2(nothing, differ)),
            _ => p.and2(negative, p.not(p.and2(nothing, differ))),
        };
        let finite = self.round_packed(r, sign, p.concat(field, fraction), (half, rest), p.fls());

        let both = p.and2(self.is_infinite(a), self.is_infinite(b));
        let invalid = p.or2(self.unordered(a, b), p.and2(both, differ));
        let special = p.ite(invalid, self.nan(), self.with_sign(negative, first));
        p.ite(self.is_special(x), special, finite)
    }
}
