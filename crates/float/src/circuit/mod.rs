//! Floating-point operations as bit-vector terms.
//!
//! The circuits are those of hardware: operands are swapped so that one shifter aligns them, significands are
//! normalised by counting zeros, and a result is rounded by one increment of its packed bits, whose carry
//! changes the exponent. Cf. Brain, Schanda, Sun, "Building Better Bit-Blasting for Floating-Point Problems"
//! (2019). Shared parts (the fields of an operand, its normalised significand) are shared terms.
//!
//! Modules: `round` (rounding and packing), `add`, `multiply` (products, quotients, roots), `convert`
//! (formats, integers, rounding to integers). What is here: fields, classes, comparisons, signs.
//!
//! Invariants: every function is total, a result that is a NaN is [`Format::nan`] (except where only the sign
//! changes), and constants fold to constants. Subtractions are written with one adder.

mod add;
mod convert;
mod multiply;
mod round;

use palisade_term::{Integer, Term, TermPool};

use crate::Format;

/// The operations on one format, as terms of a pool.
#[derive(Clone, Copy)]
pub struct Circuits<'p> {
    pool: &'p TermPool,
    format: Format,
}

/// A number that is neither zero nor special: the significand has its first bit set.
struct Normal {
    /// The biased exponent, signed, with two bits more than the field.
    exponent: Term,
    significand: Term,
}

impl<'p> Circuits<'p> {
    /// The circuits of a format.
    pub fn new(pool: &'p TermPool, format: Format) -> Circuits<'p> {
        Circuits { pool, format }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// A constant.
    pub fn constant(&self, bits: u64) -> Term {
        self.pool.bitvec(bits, self.format.width())
    }

    // ---- words ---------------------------------------------------------------------------------

    fn bit(&self, c: Term) -> Term {
        self.pool.ite(c, self.pool.bitvec(1, 1), self.pool.bitvec(0, 1))
    }

    fn is_set(&self, t: Term, i: u32) -> Term {
        self.pool.eq(self.pool.extract(i, i, t), self.pool.bitvec(1, 1))
    }

    fn is_zero_word(&self, t: Term) -> Term {
        self.pool.eq(t, self.pool.bitvec(0, self.pool.width(t)))
    }

    fn ones(&self, width: u32) -> Term {
        self.pool.bitvec((Integer::from(1) << width) - 1, width)
    }

    fn top(&self, t: Term) -> Term {
        self.is_set(t, self.pool.width(t) - 1)
    }

    /// Appends zeros at the low end.
    fn append_zeros(&self, t: Term, n: u32) -> Term {
        if n == 0 { t } else { self.pool.concat(t, self.pool.bitvec(0, n)) }
    }

    /// Extends with zeros, or cuts bits off at the high end.
    fn fit(&self, t: Term, width: u32) -> Term {
        let w = self.pool.width(t);
        if width >= w { self.pool.zero_extend(width - w, t) } else { self.pool.extract(width - 1, 0, t) }
    }

    /// `a - b` with one adder.
    fn minus(&self, a: Term, b: Term) -> Term {
        let p = self.pool;
        if p.is_const(a) || p.is_const(b) { p.bv_sub(a, b) } else { p.bv_not(p.bv_add(p.bv_not(a), b)) }
    }

    /// `t >> amount`; bits that fall out are joined into the last bit.
    fn shift_right_sticky(&self, t: Term, amount: Term) -> Term {
        let p = self.pool;
        let (width, bits) = (p.width(t), p.width(amount));
        let mut out = t;
        let mut far = Vec::new();
        for k in 0..bits {
            let set = self.is_set(amount, k);
            if k >= 31 || 1 << k >= width {
                far.push(set);
                continue;
            }
            let by = 1 << k;
            let lost = p.not(self.is_zero_word(p.extract(by - 1, 0, out)));
            let moved = self.with_last(p.zero_extend(by, p.extract(width - 1, by, out)), lost);
            out = p.ite(set, moved, out);
        }
        if far.is_empty() {
            return out;
        }
        let last = self.with_last(p.bitvec(0, width), p.not(self.is_zero_word(t)));
        p.ite(p.or(far), last, out)
    }

    /// The word with its last bit joined with a condition.
    fn with_last(&self, t: Term, c: Term) -> Term {
        let p = self.pool;
        let last = p.or2(c, self.is_set(t, 0));
        match p.width(t) {
            1 => self.bit(last),
            w => p.concat(p.extract(w - 1, 1, t), self.bit(last)),
        }
    }

    /// The leading zeros of a word; at least its width for zero.
    fn leading_zeros(&self, t: Term) -> Term {
        let p = self.pool;
        let width = p.width(t);
        let stages = u32::BITS - (width - 1).leading_zeros();
        if stages == 0 {
            return p.bv_not(t);
        }
        // The word at the high end of a power of two, filled with ones so that the count ends there.
        let full = 1 << stages;
        let mut rest = if full == width { t } else { p.concat(t, self.ones(full - width)) };
        let mut count: Option<Term> = None;
        for k in (0..stages).rev() {
            let half = 1 << k;
            let (high, low) = (p.extract(2 * half - 1, half, rest), p.extract(half - 1, 0, rest));
            let none = self.is_zero_word(high);
            rest = p.ite(none, low, high);
            let bit = self.bit(none);
            count = Some(count.map_or(bit, |c| p.concat(c, bit)));
        }
        let count = count.expect("at least one stage");
        // `rest` is the bit that was found; it is 0 only if all are.
        let more = p.zero_extend(stages, p.bv_not(rest));
        p.bv_add(p.zero_extend(1, count), more)
    }

    /// Shifts left by an amount of any width that is less than the width of the word, or gives zero.
    fn shift_left(&self, t: Term, amount: Term) -> Term {
        let p = self.pool;
        let (width, bits) = (p.width(t), p.width(amount));
        if bits <= width {
            return p.bv_shl(t, p.zero_extend(width - bits, amount));
        }
        let far = p.not(self.is_zero_word(p.extract(bits - 1, width, amount)));
        let near = p.bv_shl(t, p.extract(width - 1, 0, amount));
        p.ite(far, p.bitvec(0, width), near)
    }

    /// The same to the right.
    fn shift_right(&self, t: Term, amount: Term) -> Term {
        let p = self.pool;
        let (width, bits) = (p.width(t), p.width(amount));
        if bits <= width {
            return p.bv_lshr(t, p.zero_extend(width - bits, amount));
        }
        let far = p.not(self.is_zero_word(p.extract(bits - 1, width, amount)));
        let near = p.bv_lshr(t, p.extract(width - 1, 0, amount));
        p.ite(far, p.bitvec(0, width), near)
    }

    // ---- fields --------------------------------------------------------------------------------

    /// Is the sign bit set? Also of a NaN, whose sign nobody should rely on.
    pub fn is_negative(&self, a: Term) -> Term {
        self.top(a)
    }

    /// All bits but the sign.
    fn magnitude(&self, a: Term) -> Term {
        self.pool.extract(self.format.width() - 2, 0, a)
    }

    fn exponent_field(&self, a: Term) -> Term {
        self.pool.extract(self.format.width() - 2, self.format.fraction(), a)
    }

    fn fraction_field(&self, a: Term) -> Term {
        self.pool.extract(self.format.fraction() - 1, 0, a)
    }

    fn has_zero_exponent(&self, a: Term) -> Term {
        self.is_zero_word(self.exponent_field(a))
    }

    /// Infinite or a NaN?
    fn is_special(&self, a: Term) -> Term {
        self.pool.eq(self.exponent_field(a), self.ones(self.format.exponent))
    }

    /// The significand with its first bit; for zeros and subnormal numbers that is 0.
    fn significand(&self, a: Term) -> Term {
        let first = self.bit(self.pool.not(self.has_zero_exponent(a)));
        self.pool.concat(first, self.fraction_field(a))
    }

    /// A finite number that is not zero, with a normalised significand. What it says of others is arbitrary.
    fn normal(&self, a: Term) -> Normal {
        let (p, f) = (self.pool, self.format);
        let subnormal = self.has_zero_exponent(a);
        let wide = f.exponent + 2;
        let field = p.zero_extend(2, self.exponent_field(a));
        let zeros = self.leading_zeros(self.fraction_field(a));
        let fraction = self.fraction_field(a);
        // Of a subnormal number the first one becomes the first bit of the significand.
        let shifted = self.shift_left(self.append_zeros(fraction, 1), zeros);
        let significand = p.ite(subnormal, shifted, self.significand(a));
        // 1 - (zeros + 1)
        let low = p.bv_neg(self.fit(zeros, wide.max(p.width(zeros))));
        let low = self.fit(low, wide);
        Normal { exponent: p.ite(subnormal, low, field), significand }
    }

    fn with_sign(&self, negative: Term, magnitude: Term) -> Term {
        self.pool.concat(self.bit(negative), magnitude)
    }

    fn nan(&self) -> Term {
        self.constant(self.format.nan())
    }

    fn magnitude_constant(&self, v: u64) -> Term {
        self.pool.bitvec(v, self.format.width() - 1)
    }

    // ---- classes and comparisons ---------------------------------------------------------------

    /// Is it a NaN?
    pub fn is_nan(&self, a: Term) -> Term {
        let p = self.pool;
        p.and2(self.is_special(a), p.not(self.is_zero_word(self.fraction_field(a))))
    }

    /// Is it an infinity?
    pub fn is_infinite(&self, a: Term) -> Term {
        self.pool.eq(self.magnitude(a), self.magnitude_constant(self.format.infinity()))
    }

    /// Is it neither an infinity nor a NaN?
    pub fn is_finite(&self, a: Term) -> Term {
        self.pool.not(self.is_special(a))
    }

    /// Is it a zero?
    pub fn is_zero(&self, a: Term) -> Term {
        self.is_zero_word(self.magnitude(a))
    }

    /// Is it a subnormal number?
    pub fn is_subnormal(&self, a: Term) -> Term {
        let p = self.pool;
        p.and2(self.has_zero_exponent(a), p.not(self.is_zero_word(self.fraction_field(a))))
    }

    /// Is it a normal number?
    pub fn is_normal(&self, a: Term) -> Term {
        let p = self.pool;
        p.and2(p.not(self.has_zero_exponent(a)), p.not(self.is_special(a)))
    }

    /// Is one of them a NaN?
    pub fn unordered(&self, a: Term, b: Term) -> Term {
        self.pool.or2(self.is_nan(a), self.is_nan(b))
    }

    /// `a == b`: false with a NaN, and the zeros are equal.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        let p = self.pool;
        if a == b {
            return p.not(self.is_nan(a));
        }
        let zeros = p.and2(self.is_zero(a), self.is_zero(b));
        let same = p.and2(p.eq(a, b), p.not(self.is_nan(a)));
        p.or2(zeros, same)
    }

    /// `a < b`: false with a NaN.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        let p = self.pool;
        if a == b {
            return p.fls();
        }
        self.order(a, b, p.bv_ult(self.magnitude(a), self.magnitude(b)), false)
    }

    /// `a <= b`: false with a NaN.
    pub fn le(&self, a: Term, b: Term) -> Term {
        let p = self.pool;
        if a == b {
            return p.not(self.is_nan(a));
        }
        self.order(a, b, p.bv_ule(self.magnitude(a), self.magnitude(b)), true)
    }

    /// `a < b` or `a <= b`, from the same comparison of the magnitudes.
    fn order(&self, a: Term, b: Term, magnitudes: Term, or_equal: bool) -> Term {
        let p = self.pool;
        let (minus_a, minus_b) = (self.is_negative(a), self.is_negative(b));
        let zeros = p.and2(self.is_zero(a), self.is_zero(b));
        let swapped = match or_equal {
            true => p.bv_ule(self.magnitude(b), self.magnitude(a)),
            false => p.bv_ult(self.magnitude(b), self.magnitude(a)),
        };
        let equal_signs = p.ite(minus_a, swapped, magnitudes);
        let less = match or_equal {
            true => p.ite(p.eq(minus_a, minus_b), equal_signs, p.or2(minus_a, zeros)),
            false => p.ite(p.eq(minus_a, minus_b), equal_signs, p.and2(minus_a, p.not(zeros))),
        };
        p.and2(less, p.not(self.unordered(a, b)))
    }

    // ---- signs, minimum, maximum ---------------------------------------------------------------

    /// `-a`; also of a NaN.
    pub fn neg(&self, a: Term) -> Term {
        self.with_sign(self.pool.not(self.is_negative(a)), self.magnitude(a))
    }

    /// `|a|`; also of a NaN.
    pub fn abs(&self, a: Term) -> Term {
        self.pool.zero_extend(1, self.magnitude(a))
    }

    /// The magnitude of a number with this sign.
    pub fn copy_sign(&self, a: Term, negative: Term) -> Term {
        self.with_sign(negative, self.magnitude(a))
    }

    /// The smaller one; if one is a NaN, the other one. Of two zeros the negative one.
    pub fn min(&self, a: Term, b: Term) -> Term {
        let first = self.pool.or2(self.lt(a, b), self.pool.and2(self.eq(a, b), self.is_negative(a)));
        self.pick(a, b, first)
    }

    /// The greater one; if one is a NaN, the other one. Of two zeros the positive one.
    pub fn max(&self, a: Term, b: Term) -> Term {
        let p = self.pool;
        let first = p.or2(self.lt(b, a), p.and2(self.eq(a, b), p.not(self.is_negative(a))));
        self.pick(a, b, first)
    }

    fn pick(&self, a: Term, b: Term, first: Term) -> Term {
        let p = self.pool;
        let (nan_a, nan_b) = (self.is_nan(a), self.is_nan(b));
        let chosen = p.ite(p.or2(first, nan_b), a, b);
        p.ite(nan_a, p.ite(nan_b, self.nan(), b), chosen)
    }
}
