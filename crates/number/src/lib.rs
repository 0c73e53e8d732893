//! Exact numbers with a machine-word fast path: the numbers of terms and of the arithmetic solver.
//!
//! [`Int`] and [`Rational`] hold `i64` words as long as the value fits and move to boxed `num-bigint`
//! integers when it does not; every operation is exact. Both are *canonical* (a value that fits machine words
//! is never held big, a fraction is reduced with a positive denominator), so derived equality and hashing are
//! semantic.
//!
//! The numbers of a software model checker are nearly always small integers. The fast path of each operation
//! is therefore one overflow-checked machine operation behind a test that both denominators are one: no gcd,
//! no allocation.
//!
//! The proof checker does not use this crate for its sums: it has numbers of its own, so that a mistake here
//! cannot hide a mistake of the solver.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod int;
mod rational;

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};

pub use int::Int;
pub use rational::{ParseError, Rational};

/// Greatest common divisor of two words (binary algorithm); `gcd(0, b) = b`.
pub(crate) fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 {
        return b;
    }
    if b == 0 {
        return a;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

/// Greatest common divisor of two double words, dropping to single words as soon as both fit.
pub(crate) fn gcd_u128(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(x), Ok(y)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd_u64(x, y));
        }
        (a, b) = (b, a % b);
    }
    a
}

/// Greatest common divisor of numbers of any size: by division, since they are a few words long, until both
/// fit double words.
pub(crate) fn gcd_big(a: &BigUint, b: &BigUint) -> BigUint {
    let (mut a, mut b) = (a.clone(), b.clone());
    while !b.is_zero() {
        if let (Some(x), Some(y)) = (a.to_u128(), b.to_u128()) {
            return gcd_u128(x, y).into();
        }
        let rest = &a % &b;
        (a, b) = (b, rest);
    }
    a
}
