//! Integers: one machine word, or a boxed big integer when that overflows.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive};

use crate::{gcd_big, gcd_u64};

/// An exact integer of any size; values that fit an `i64` are held in one.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Only for values outside the range of `i64`.
    Big(Box<BigInt>),
}

use Repr::{Big, Small};

impl Int {
    /// The number 0.
    pub const ZERO: Int = Int(Small(0));
    /// The number 1.
    pub const ONE: Int = Int(Small(1));
    /// The number -1.
    pub const MINUS_ONE: Int = Int(Small(-1));

    /// The canonical form of a big integer.
    pub fn from_big(value: BigInt) -> Int {
        match value.to_i64() {
            Some(small) => Int(Small(small)),
            None => Int(Big(Box::new(value))),
        }
    }

    /// The value as a big integer.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Small(a) => BigInt::from(*a),
            Big(a) => (**a).clone(),
        }
    }

    /// The value as a machine word, if it fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(a) => Some(a),
            Big(_) => None,
        }
    }

    /// Is this 0?
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// Is this 1?
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1))
    }

    /// Is this 1 or -1?
    #[inline]
    pub fn is_unit(&self) -> bool {
        matches!(self.0, Small(1 | -1))
    }

    /// Is this greater than 0?
    #[inline]
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            Small(a) => *a > 0,
            Big(a) => a.is_positive(),
        }
    }

    /// Is this less than 0?
    #[inline]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(a) => *a < 0,
            Big(a) => a.is_negative(),
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Int {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The number of bits of the absolute value.
    pub fn bits(&self) -> u64 {
        match &self.0 {
            Small(a) => u64::from(64 - a.unsigned_abs().leading_zeros()),
            Big(a) => a.bits(),
        }
    }

    /// The non-negative greatest common divisor; `gcd(0, 0) = 0`.
    #[must_use]
    pub fn gcd(&self, other: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &other.0) {
            let g = gcd_u64(a.unsigned_abs(), b.unsigned_abs());
            return match i64::try_from(g) {
                Ok(g) => Int(Small(g)),
                Err(_) => Int::from_big(BigInt::from(g)),
            };
        }
        Int::from_big(gcd_big(self.to_big().magnitude(), other.to_big().magnitude()).into())
    }

    /// The non-negative least common multiple.
    #[must_use]
    pub fn lcm(&self, other: &Int) -> Int {
        if self.is_zero() || other.is_zero() {
            return Int::ZERO;
        }
        (&self.div_floor(&self.gcd(other)) * other).abs()
    }

    /// The quotient rounded towards minus infinity.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[must_use]
    pub fn div_floor(&self, divisor: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &divisor.0)
            && let Some(q) = a.checked_div(*b)
        {
            let down = a % b != 0 && (*a < 0) != (*b < 0);
            return Int(Small(q - i64::from(down)));
        }
        Int::from_big(self.to_big().div_floor(&divisor.to_big()))
    }

    /// The quotient rounded towards plus infinity.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[must_use]
    pub fn div_ceil(&self, divisor: &Int) -> Int {
        -&(-self).div_floor(divisor)
    }

    /// The remainder of [`Int::div_floor`]; it has the sign of the divisor.
    ///
    /// # Panics
    /// If `divisor` is zero.
    #[must_use]
    pub fn mod_floor(&self, divisor: &Int) -> Int {
        if let (Small(a), Small(b)) = (&self.0, &divisor.0)
            && let Some(r) = a.checked_rem(*b)
        {
            let shift = r != 0 && (r < 0) != (*b < 0);
            return Int(Small(if shift { r + b } else { r }));
        }
        Int::from_big(self.to_big().mod_floor(&divisor.to_big()))
    }

    /// Does this divide `other` without remainder? Zero divides only zero.
    pub fn divides(&self, other: &Int) -> bool {
        if self.is_zero() { other.is_zero() } else { other.mod_floor(self).is_zero() }
    }

    /// `self += a * b`.
    #[inline]
    pub fn add_mul(&mut self, a: &Int, b: &Int) {
        if let (Small(s), Small(x), Small(y)) = (&self.0, &a.0, &b.0)
            && let Some(product) = x.checked_mul(*y)
            && let Some(sum) = s.checked_add(product)
        {
            self.0 = Small(sum);
            return;
        }
        self.add_mul_slow(a, b);
    }

    #[cold]
    #[inline(never)]
    fn add_mul_slow(&mut self, a: &Int, b: &Int) {
        *self = Int::from_big(self.to_big() + a.to_big() * b.to_big());
    }
}

impl Default for Int {
    fn default() -> Int {
        Int::ZERO
    }
}

impl From<i64> for Int {
    #[inline]
    fn from(value: i64) -> Int {
        Int(Small(value))
    }
}

impl From<i32> for Int {
    #[inline]
    fn from(value: i32) -> Int {
        Int(Small(i64::from(value)))
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Int {
        Int::from_big(value)
    }
}

impl PartialOrd for Int {
    #[inline]
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Int {
    #[inline]
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            // A big value lies outside the range of every small one: its sign decides.
            (Small(_), Big(b)) => {
                if b.is_negative() {
                    Ordering::Greater
                } else {
                    Ordering::Less
                }
            }
            (Big(a), Small(_)) => {
                if a.is_negative() {
                    Ordering::Less
                } else {
                    Ordering::Greater
                }
            }
            (Big(a), Big(b)) => a.cmp(b),
        }
    }
}

macro_rules! binary {
    ($op:ident, $f:ident, $assign:ident, $g:ident, $checked:ident) => {
        impl $op<&Int> for &Int {
            type Output = Int;
            #[inline]
            fn $f(self, other: &Int) -> Int {
                if let (Small(a), Small(b)) = (&self.0, &other.0)
                    && let Some(c) = a.$checked(*b)
                {
                    return Int(Small(c));
                }
                #[cold]
                #[inline(never)]
                fn slow(a: &Int, b: &Int) -> Int {
                    Int::from_big(a.to_big().$f(b.to_big()))
                }
                slow(self, other)
            }
        }
        impl $assign<&Int> for Int {
            #[inline]
            fn $g(&mut self, other: &Int) {
                *self = (&*self).$f(other);
            }
        }
    };
}

binary!(Add, add, AddAssign, add_assign, checked_add);
binary!(Sub, sub, SubAssign, sub_assign, checked_sub);
binary!(Mul, mul, MulAssign, mul_assign, checked_mul);

impl Neg for &Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        match &self.0 {
            Small(a) if *a != i64::MIN => Int(Small(-*a)),
            _ => neg_slow(self),
        }
    }
}

/// Both ways across the border: the opposite of -2^63 is big, that of 2^63 is small.
#[cold]
#[inline(never)]
fn neg_slow(a: &Int) -> Int {
    Int::from_big(-a.to_big())
}

impl Neg for Int {
    type Output = Int;
    #[inline]
    fn neg(self) -> Int {
        -&self
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(a) => a.fmt(f),
            Big(a) => a.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
