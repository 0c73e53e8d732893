//! Rounding and packing.

use palisade_term::Term;

use super::Circuits;
use crate::Rounding;

/// A result before rounding, neither zero nor special.
pub(super) struct Raw {
    pub(super) negative: Term,
    /// The biased exponent, signed.
    pub(super) exponent: Term,
    /// Two bits more than the format has: the first that is lost, and whether more is. The first bit is set.
    pub(super) significand: Term,
    /// Can the result be subnormal?
    pub(super) may_be_small: bool,
}

impl Circuits<'_> {
    /// Does rounding go away from zero? See [`crate::exact`].
    pub(super) fn goes_away(&self, r: Rounding, negative: Term, odd: Term, half: Term, rest: Term) -> Term {
        let p = self.pool;
        match r {
            Rounding::NearestEven => p.and2(half, p.or2(rest, odd)),
            Rounding::NearestAway => half,
            Rounding::Up => p.and2(p.not(negative), p.or2(half, rest)),
            Rounding::Down => p.and2(negative, p.or2(half, rest)),
            Rounding::Zero => p.fls(),
        }
    }

    /// The magnitude of a result that is too large.
    fn overflow(&self, r: Rounding, negative: Term) -> Term {
        let p = self.pool;
        let infinity = self.magnitude_constant(self.format.infinity());
        let greatest = self.magnitude_constant(self.format.greatest());
        match r {
            Rounding::NearestEven | Rounding::NearestAway => infinity,
            Rounding::Up => p.ite(negative, greatest, infinity),
            Rounding::Down => p.ite(negative, infinity, greatest),
            Rounding::Zero => greatest,
        }
    }

    /// Rounds packed bits: `magnitude` is exponent and fraction, `half` and `rest` are what is lost. `large`
    /// says that the exponent was too large for its field.
    pub(super) fn round_packed(
        &self,
        r: Rounding,
        negative: Term,
        magnitude: Term,
        lost: (Term, Term),
        large: Term,
    ) -> Term {
        let (p, f) = (self.pool, self.format);
        let (half, rest) = lost;
        let away = self.goes_away(r, negative, self.is_set(magnitude, 0), half, rest);
        let rounded = p.bv_add(magnitude, p.zero_extend(f.width() - 2, self.bit(away)));
        let field = p.extract(f.width() - 2, f.fraction(), rounded);
        let over = p.or2(large, p.eq(field, self.ones(f.exponent)));
        self.with_sign(negative, p.ite(over, self.overflow(r, negative), rounded))
    }

    /// Rounds a result.
    pub(super) fn round(&self, r: Rounding, raw: Raw) -> Term {
        let (p, f) = (self.pool, self.format);
        let width = p.width(raw.exponent);
        debug_assert!(width > f.exponent + 1, "an exponent that does not overflow");
        let mut significand = raw.significand;
        debug_assert_eq!(p.width(significand), f.significand + 2);
        let zero = p.bitvec(0, width);
        let mut field = p.extract(f.exponent - 1, 0, raw.exponent);
        if raw.may_be_small {
            let small = p.bv_sle(raw.exponent, zero);
            // 1 - exponent, if that is positive.
            let by = p.ite(small, self.minus(p.bitvec(1, width), raw.exponent), zero);
            significand = self.shift_right_sticky(significand, by);
            field = p.ite(small, p.bitvec(0, f.exponent), field);
        }
        let large = p.bv_sle(p.bitvec((1u64 << f.exponent) - 1, width), raw.exponent);
        let fraction = p.extract(f.fraction() + 1, 2, significand);
        let lost = (self.is_set(significand, 1), self.is_set(significand, 0));
        self.round_packed(r, raw.negative, p.concat(field, fraction), lost, large)
    }
}
