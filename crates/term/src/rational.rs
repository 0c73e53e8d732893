//! Exact rationals: machine words while they fit, big numbers behind.
//!
//! Coefficients of real programs are small integers nearly always; arithmetic on them must not allocate or compute greatest common divisors. Invariants: fractions are reduced, denominators
//! positive, and a value that fits two machine words is never stored big, so equality and hashing are structural.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{Num, One, Signed, ToPrimitive, Zero};

/// An exact rational number.
#[derive(Clone)]
pub struct Rational(Repr);

#[derive(Clone)]
enum Repr {
    /// Numerator and positive denominator, reduced.
    Small(i64, i64),
    /// Anything that does not fit.
    Big(Box<BigRational>),
}
use Repr::{Big, Small};

fn gcd(a: u128, b: u128) -> u128 {
    if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
        return u128::from(a.gcd(&b));
    }
    a.gcd(&b)
}

impl Rational {
    /// The fraction `numer / denom`, reduced. Panics when the denominator is zero.
    pub fn new(numer: BigInt, denom: BigInt) -> Rational {
        if let (Some(n), Some(d)) = (numer.to_i64(), denom.to_i64()) {
            assert!(d != 0, "a fraction has a denominator");
            return Rational::reduced(i128::from(n), i128::from(d));
        }
        Rational::from_big(BigRational::new(numer, denom))
    }

    /// A whole number.
    pub fn from_integer(value: BigInt) -> Rational {
        match value.to_i64() {
            Some(n) => Rational(Small(n, 1)),
            None => Rational(Big(Box::new(BigRational::from_integer(value)))),
        }
    }

    fn small(n: i64) -> Rational {
        Rational(Small(n, 1))
    }

    /// Reduces a fraction of double words; `d` is not zero.
    fn reduced(n: i128, d: i128) -> Rational {
        let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
        let g = gcd(n.unsigned_abs(), d.unsigned_abs()).max(1);
        let g = i128::try_from(g).expect("divides a positive i128");
        let (n, d) = (n / g, d / g);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Rational(Small(n, d)),
            _ => Rational(Big(Box::new(BigRational::new_raw(n.into(), d.into())))),
        }
    }

    fn from_big(r: BigRational) -> Rational {
        match (r.numer().to_i64(), r.denom().to_i64()) {
            (Some(n), Some(d)) => Rational(Small(n, d)),
            _ => Rational(Big(Box::new(r))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Big(b) => (**b).clone(),
        }
    }

    /// The numerator.
    pub fn numer(&self) -> BigInt {
        match &self.0 {
            Small(n, _) => (*n).into(),
            Big(b) => b.numer().clone(),
        }
    }

    /// The positive denominator.
    pub fn denom(&self) -> BigInt {
        match &self.0 {
            Small(_, d) => (*d).into(),
            Big(b) => b.denom().clone(),
        }
    }

    /// Numerator and denominator when both fit machine words (then they are not stored in any other way).
    pub fn small_parts(&self) -> Option<(i64, i64)> {
        match &self.0 {
            Small(n, d) => Some((*n, *d)),
            Big(_) => None,
        }
    }

    /// Is it a whole number?
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Big(b) => b.is_integer(),
        }
    }

    /// Rounds towards zero.
    pub fn to_integer(&self) -> BigInt {
        match &self.0 {
            Small(n, d) => (n / d).into(),
            Big(b) => b.to_integer(),
        }
    }

    /// The largest whole number not above.
    pub fn floor(&self) -> Rational {
        match &self.0 {
            Small(n, d) => Rational::small(n.div_floor(d)),
            Big(b) => Rational::from_big(b.floor()),
        }
    }

    /// The smallest whole number not below.
    pub fn ceil(&self) -> Rational {
        match &self.0 {
            Small(n, d) => Rational::small(n.div_ceil(d)),
            Big(b) => Rational::from_big(b.ceil()),
        }
    }

    /// What is left after rounding towards zero.
    pub fn fract(&self) -> Rational {
        self - &Rational::from_integer(self.to_integer())
    }

    /// One divided by it; panics for zero.
    pub fn recip(&self) -> Rational {
        match &self.0 {
            Small(n, d) => {
                assert!(*n != 0, "zero has no reciprocal");
                Rational::reduced(i128::from(*d), i128::from(*n))
            }
            Big(b) => Rational::from_big(b.recip()),
        }
    }

    fn sum(a: &Rational, b: &Rational) -> Rational {
        match (&a.0, &b.0) {
            (Small(n, 1), Small(m, 1)) => match n.checked_add(*m) {
                Some(s) => Rational::small(s),
                None => Rational::reduced(i128::from(*n) + i128::from(*m), 1),
            },
            (Small(n, d), Small(m, e)) => {
                let (n, d, m, e) = (i128::from(*n), i128::from(*d), i128::from(*m), i128::from(*e));
                // Each product is below 2^126, so the sum fits.
                Rational::reduced(n * e + m * d, d * e)
            }
            _ => Rational::from_big(a.to_big() + b.to_big()),
        }
    }

    fn product(a: &Rational, b: &Rational) -> Rational {
        match (&a.0, &b.0) {
            (Small(n, 1), Small(m, 1)) => match n.checked_mul(*m) {
                Some(p) => Rational::small(p),
                None => Rational::reduced(i128::from(*n) * i128::from(*m), 1),
            },
            (Small(n, d), Small(m, e)) => {
                Rational::reduced(i128::from(*n) * i128::from(*m), i128::from(*d) * i128::from(*e))
            }
            _ => Rational::from_big(a.to_big() * b.to_big()),
        }
    }
}

impl From<i64> for Rational {
    fn from(n: i64) -> Rational {
        Rational::small(n)
    }
}

impl From<BigInt> for Rational {
    fn from(n: BigInt) -> Rational {
        Rational::from_integer(n)
    }
}

impl PartialEq for Rational {
    fn eq(&self, other: &Rational) -> bool {
        match (&self.0, &other.0) {
            (Small(n, d), Small(m, e)) => n == m && d == e,
            (Big(a), Big(b)) => a.numer() == b.numer() && a.denom() == b.denom(),
            _ => false,
        }
    }
}

impl Eq for Rational {}

impl Hash for Rational {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0 {
            Small(n, d) => {
                n.hash(state);
                d.hash(state);
            }
            Big(b) => {
                b.numer().hash(state);
                b.denom().hash(state);
            }
        }
    }
}

impl PartialOrd for Rational {
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    fn cmp(&self, other: &Rational) -> Ordering {
        match (&self.0, &other.0) {
            (Small(n, d), Small(m, e)) if d == e => n.cmp(m),
            (Small(n, d), Small(m, e)) => {
                (i128::from(*n) * i128::from(*e)).cmp(&(i128::from(*m) * i128::from(*d)))
            }
            _ => self.to_big().cmp(&other.to_big()),
        }
    }
}

/// The owned and borrowed forms of a binary operator.
macro_rules! operator {
    ($trait:ident, $method:ident, $assign_trait:ident, $assign:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl $trait<Rational> for &Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(self, &other)
            }
        }
        impl $trait<&Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: &Rational) -> Rational {
                $trait::$method(&self, other)
            }
        }
        impl $trait<Rational> for Rational {
            type Output = Rational;
            fn $method(self, other: Rational) -> Rational {
                $trait::$method(&self, &other)
            }
        }
        impl $assign_trait<&Rational> for Rational {
            fn $assign(&mut self, other: &Rational) {
                *self = $trait::$method(&*self, other);
            }
        }
        impl $assign_trait<Rational> for Rational {
            fn $assign(&mut self, other: Rational) {
                *self = $trait::$method(&*self, &other);
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, |a, b| Rational::sum(a, b));
operator!(Sub, sub, SubAssign, sub_assign, |a, b| Rational::sum(a, &-b));
operator!(Mul, mul, MulAssign, mul_assign, |a, b| Rational::product(a, b));
operator!(Div, div, DivAssign, div_assign, |a, b| Rational::product(a, &b.recip()));

impl std::ops::Rem for Rational {
    type Output = Rational;
    fn rem(self, other: Rational) -> Rational {
        let quotient = Rational::from_integer((&self / &other).to_integer());
        self - other * quotient
    }
}

impl Neg for &Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        match &self.0 {
            Small(n, d) => match n.checked_neg() {
                Some(n) => Rational(Small(n, *d)),
                None => Rational::reduced(-i128::from(*n), i128::from(*d)),
            },
            Big(b) => Rational::from_big(-(**b).clone()),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;
    fn neg(self) -> Rational {
        -&self
    }
}

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(iter: I) -> Rational {
        iter.fold(Rational::zero(), |a, b| a + b)
    }
}

impl Product for Rational {
    fn product<I: Iterator<Item = Rational>>(iter: I) -> Rational {
        iter.fold(Rational::one(), |a, b| a * b)
    }
}

impl Zero for Rational {
    fn zero() -> Rational {
        Rational::small(0)
    }
    fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }
}

impl One for Rational {
    fn one() -> Rational {
        Rational::small(1)
    }
    fn is_one(&self) -> bool {
        matches!(self.0, Small(1, 1))
    }
}

impl Num for Rational {
    type FromStrRadixErr = <BigRational as Num>::FromStrRadixErr;
    fn from_str_radix(text: &str, radix: u32) -> Result<Rational, Self::FromStrRadixErr> {
        BigRational::from_str_radix(text, radix).map(Rational::from_big)
    }
}

impl Signed for Rational {
    fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }
    fn abs_sub(&self, other: &Rational) -> Rational {
        if self <= other { Rational::zero() } else { self - other }
    }
    fn signum(&self) -> Rational {
        Rational::small(match self {
            r if r.is_positive() => 1,
            r if r.is_negative() => -1,
            _ => 0,
        })
    }
    fn is_positive(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n > 0,
            Big(b) => b.is_positive(),
        }
    }
    fn is_negative(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n < 0,
            Big(b) => b.is_negative(),
        }
    }
}

impl std::str::FromStr for Rational {
    type Err = <BigRational as std::str::FromStr>::Err;
    /// Reads `n` or `n/d`.
    fn from_str(text: &str) -> Result<Rational, Self::Err> {
        text.parse::<BigRational>().map(Rational::from_big)
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n, 1) => write!(f, "{n}"),
            Small(n, d) => write!(f, "{n}/{d}"),
            Big(b) => write!(f, "{b}"),
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn big(n: i128, d: i128) -> BigRational {
        BigRational::new(n.into(), d.into())
    }

    #[test]
    fn agrees_with_big_rationals_at_the_word_limits() {
        let edge = [0, 1, -1, 2, 3, 7, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1, 1 << 32, -(1 << 31)];
        let mut all = Vec::new();
        for n in edge {
            for d in edge.into_iter().filter(|d| *d != 0) {
                all.push((Rational::new(n.into(), d.into()), big(n.into(), d.into())));
            }
        }
        for (a, x) in &all {
            assert_eq!(a.to_big(), *x);
            assert_eq!(a.floor().to_big(), x.floor());
            assert_eq!(a.ceil().to_big(), x.ceil());
            assert_eq!((-a).to_big(), -x.clone());
            assert_eq!(a.to_integer(), x.to_integer());
            for (b, y) in &all {
                assert_eq!((a + b).to_big(), x + y);
                assert_eq!((a - b).to_big(), x - y);
                assert_eq!((a * b).to_big(), x * y);
                assert_eq!(a.cmp(b), x.cmp(y));
                assert_eq!(a == b, x == y);
                if !b.is_zero() {
                    assert_eq!((a / b).to_big(), x / y);
                }
            }
        }
    }
}
