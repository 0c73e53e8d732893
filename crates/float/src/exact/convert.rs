//! Conversions between formats and to and from integers.

use super::{Finite, goes_away, round, shift_right, signed};
use crate::{Class, Format, Rounding};

/// A number in another format.
pub fn convert(from: Format, to: Format, r: Rounding, a: u64) -> u64 {
    match from.class(a) {
        Class::Nan => to.nan(),
        Class::Infinite => signed(to, from.sign(a), to.infinity()),
        _ => {
            let x = Finite::new(from, a);
            round(to, r, x.sign, x.significand.into(), x.exponent, false)
        }
    }
}

/// An integer as a number.
pub fn from_int(f: Format, r: Rounding, v: i128) -> u64 {
    round(f, r, v < 0, v.unsigned_abs(), 0, false)
}

/// A number rounded to an integer of `width` bits; `None` if it is no number or does not fit.
pub fn to_int(f: Format, r: Rounding, a: u64, width: u32, is_signed: bool) -> Option<i128> {
    if matches!(f.class(a), Class::Nan | Class::Infinite) {
        return None;
    }
    let x = Finite::new(f, a);
    if x.exponent > 64 {
        return None;
    }
    let m = if x.exponent >= 0 {
        u128::from(x.significand) << x.exponent
    } else {
        let (m, half, rest) = shift_right(x.significand.into(), x.exponent.unsigned_abs(), false);
        m + u128::from(goes_away(r, x.sign, m & 1 == 1, half, rest))
    };
    let v = i128::try_from(m).ok()? * if x.sign { -1 } else { 1 };
    let (low, high) = match is_signed {
        true => (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1),
        false => (0, (1i128 << width) - 1),
    };
    (low <= v && v <= high).then_some(v)
}

/// A number rounded to an integer, as a number. Keeps the sign of zeros.
pub fn round_to_integral(f: Format, r: Rounding, a: u64) -> u64 {
    match f.class(a) {
        Class::Nan => f.nan(),
        Class::Infinite | Class::Zero => a,
        _ => {
            let x = Finite::new(f, a);
            if x.exponent >= 0 {
                return a;
            }
            let (m, half, rest) = shift_right(x.significand.into(), x.exponent.unsigned_abs(), false);
            let m = m + u128::from(goes_away(r, x.sign, m & 1 == 1, half, rest));
            round(f, r, x.sign, m, 0, false)
        }
    }
}
