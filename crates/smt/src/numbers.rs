//! Numbers of terms and numbers of [`palisade_arith`]: the one place where they meet.

use palisade_arith::{Int, Rat};
use palisade_term::{Integer, Rational};

/// The number of [`palisade_arith`] for a rational.
pub(crate) fn rat(r: &Rational) -> Rat {
    match r.small_parts() {
        Some((n, 1)) => Rat::from(n),
        _ => Rat::new(&int(&r.numer()), &int(&r.denom())),
    }
}

/// The number of [`palisade_arith`] for an integer.
pub(crate) fn int(i: &Integer) -> Int {
    match i64::try_from(i) {
        Ok(small) => Int::from(small),
        Err(_) => Int::from_big(i.clone()),
    }
}

/// The rational of a number of arithmetic.
pub(crate) fn rational(r: &Rat) -> Rational {
    if r.is_integer() {
        return Rational::from_integer(r.num().to_big());
    }
    Rational::new(r.num().to_big(), r.den().to_big())
}
