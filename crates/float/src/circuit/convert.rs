//! Conversions between formats and to and from integers; rounding to integers.

use palisade_term::Term;

use super::Circuits;
use super::round::Raw;
use crate::{Format, Rounding};

impl<'p> Circuits<'p> {
    /// A number of another format as one of this format.
    pub fn from_float(&self, r: Rounding, from: Format, a: Term) -> Term {
        let (p, f) = (self.pool, self.format);
        if from == f {
            return p.ite(self.is_nan(a), self.nan(), a);
        }
        let source = Circuits::new(p, from);
        let negative = source.is_negative(a);
        let x = source.normal(a);
        let wide = f.exponent.max(from.exponent) + 3;
        let extended = p.sign_extend(wide - p.width(x.exponent), x.exponent);
        let exponent = p.bv_add(extended, p.bitvec(f.bias() - from.bias(), wide));
        let significand = self.join(x.significand, f.significand + 2);
        // The least subnormal number of the other format may be a normal number here.
        let may_be_small = from.least_exponent() < 1 - f.bias();
        let finite = self.round(r, Raw { negative, exponent, significand, may_be_small });
        let infinity = self.with_sign(negative, self.magnitude_constant(f.infinity()));
        let out = p.ite(source.is_zero(a), self.signed_zero(negative), finite);
        let out = p.ite(source.is_infinite(a), infinity, out);
        p.ite(source.is_nan(a), self.nan(), out)
    }

    /// The first bits of a word; the last of them says whether any of the others is set.
    pub(super) fn join(&self, t: Term, kept: u32) -> Term {
        let p = self.pool;
        let w = p.width(t);
        if w <= kept {
            return self.append_zeros(t, kept - w);
        }
        let rest = p.not(self.is_zero_word(p.extract(w - kept, 0, t)));
        p.concat(p.extract(w - 1, w - kept + 1, t), self.bit(rest))
    }

    /// An integer of any width as a number.
    pub fn from_int(&self, r: Rounding, v: Term, signed: bool) -> Term {
        let (p, f) = (self.pool, self.format);
        let width = p.width(v);
        let negative = if signed { self.top(v) } else { p.fls() };
        let absolute = p.ite(negative, p.bv_neg(v), v);
        let zeros = self.leading_zeros(absolute);
        let significand = self.join(self.shift_left(absolute, zeros), f.significand + 2);
        let wide = (f.exponent + 2).max(p.width(zeros) + 2);
        let first = i64::from(f.bias()) + i64::from(width) - 1;
        let exponent = p.bv_sub(p.bitvec(first, wide), self.fit(zeros, wide));
        let out = self.round(r, Raw { negative, exponent, significand, may_be_small: false });
        p.ite(self.is_zero_word(v), self.constant(0), out)
    }

    /// A number rounded to an integer of `width` bits, and whether it has one. What the integer is otherwise
    /// is arbitrary.
    pub fn to_int(&self, r: Rounding, a: Term, width: u32, signed: bool) -> (Term, Term) {
        let (p, f) = (self.pool, self.format);
        let a = if r == Rounding::Zero { a } else { self.round_to_integral(r, a) };
        let field = self.exponent_field(a);
        let wide = f.exponent.max(u32::BITS - width.leading_zeros()) + 2;
        let field_wide = self.fit(field, wide);
        let bias = i64::from(f.bias());
        // The significand in a word of the integer's width, its first bit first, and then shifted down. What
        // is cut off there is behind the point, if the integer fits.
        let significand = self.significand(a);
        let n = f.significand;
        let placed = match width > n {
            true => self.append_zeros(significand, width - n),
            false => p.extract(n - 1, n - width, significand),
        };
        let by = self.minus(p.bitvec(bias + i64::from(width) - 1, wide), field_wide);
        let small = p.bv_ult(field_wide, p.bitvec(bias, wide));
        let shifted = self.shift_right(placed, by);
        let absolute = p.ite(small, p.bitvec(0, width), shifted);
        let negative = self.is_negative(a);
        // Exponents below `width - 1` fit a signed integer, those below `width` an unsigned one.
        let below = |limit: i64| -> Term {
            let limit = bias + limit;
            if limit >= 1 << f.exponent {
                return self.is_finite(a);
            }
            p.bv_ult(field_wide, p.bitvec(limit, wide))
        };
        let bits = i64::from(width);
        let fits = if signed {
            let least = p.bitvec(palisade_term::Integer::from(1) << (width - 1), width);
            let is_least = p.and([negative, below(bits), p.eq(absolute, least)]);
            p.or2(below(bits - 1), is_least)
        } else {
            p.and2(below(bits), p.or2(small, p.not(negative)))
        };
        let fits = p.and2(fits, self.is_finite(a));
        let value = if signed { p.ite(negative, p.bv_neg(absolute), absolute) } else { absolute };
        (value, fits)
    }

    /// A number rounded to an integer, as a number.
    pub fn round_to_integral(&self, r: Rounding, a: Term) -> Term {
        let (p, f) = (self.pool, self.format);
        let width = f.width() - 1;
        let (magnitude, negative) = (self.magnitude(a), self.is_negative(a));
        let field = self.exponent_field(a);
        let bias = p.bitvec(f.bias(), f.exponent);
        let small = p.bv_ult(field, bias);
        let whole = p.bv_ule(p.bitvec(f.bias() + f.fraction() as i32, f.exponent), field);
        let whole =
            if f.bias() + f.fraction() as i32 >= (1 << f.exponent) { self.is_special(a) } else { whole };

        // The bits behind the point. The bit before them, of the significand or the last one of the exponent
        // (which is odd where the significand has only its first bit before the point), tells odd from even.
        let mask = self.shift_right(self.ones(f.fraction()), self.minus(field, bias));
        let mask = self.fit(mask, width);
        let lower = p.zero_extend(1, p.extract(width - 1, 1, mask));
        let is_in = |m: Term| p.not(self.is_zero_word(p.bv_and(magnitude, m)));
        let half = is_in(p.bv_and(mask, p.bv_not(lower)));
        let rest = is_in(lower);
        let up_one = p.concat(p.extract(width - 2, 0, mask), p.bitvec(1, 1));
        let unit = p.bv_and(up_one, p.bv_not(mask));
        let odd = is_in(unit);
        let away = self.goes_away(r, negative, odd, half, rest);
        let cut = p.bv_and(magnitude, p.bv_not(mask));
        let large = p.bv_add(cut, p.ite(away, unit, p.bitvec(0, width)));

        // Below one, zero or one.
        let one_half = match f.bias() {
            1 => self.magnitude_constant(1 << (f.fraction() - 1)), // subnormal
            bias => self.magnitude_constant((bias as u64 - 1) << f.fraction()),
        };
        let some = p.not(self.is_zero_word(magnitude));
        let up = match r {
            Rounding::NearestEven => p.bv_ult(one_half, magnitude),
            Rounding::NearestAway => p.bv_ule(one_half, magnitude),
            Rounding::Up => p.and2(some, p.not(negative)),
            Rounding::Down => p.and2(some, negative),
            Rounding::Zero => p.fls(),
        };
        let little = p.ite(up, self.magnitude_constant(f.one()), p.bitvec(0, width));
        let out = p.ite(whole, magnitude, p.ite(small, little, large));
        p.ite(self.is_nan(a), self.nan(), self.with_sign(negative, out))
    }
}
