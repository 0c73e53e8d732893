//! The checker's own exact rationals: machine words while they fit, `num-rational` behind.
//!
//! They are deliberately not those of `palisade_number`: a mistake in the solver's numbers must not be
//! repeated when its sums are checked. Invariants: fractions are reduced, denominators positive, and a value
//! that fits two machine words is never stored big, so equality is structural.

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive};
use palisade_term::Rational;

/// An exact rational number of the checker.
#[derive(Clone)]
pub struct Exact(Repr);

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

impl Exact {
    /// The fraction `numer / denom`, reduced. Panics when the denominator is zero.
    pub fn new(numer: BigInt, denom: BigInt) -> Exact {
        if let (Some(n), Some(d)) = (numer.to_i64(), denom.to_i64()) {
            assert!(d != 0, "a fraction has a denominator");
            return Exact::reduced(i128::from(n), i128::from(d));
        }
        Exact::from_big(BigRational::new(numer, denom))
    }

    /// A whole number of one word.
    pub fn small(n: i64) -> Exact {
        Exact(Small(n, 1))
    }

    /// Reduces a fraction of double words; `d` is not zero.
    fn reduced(n: i128, d: i128) -> Exact {
        let (n, d) = if d < 0 { (-n, -d) } else { (n, d) };
        let g = gcd(n.unsigned_abs(), d.unsigned_abs()).max(1);
        let g = i128::try_from(g).expect("divides a positive i128");
        let (n, d) = (n / g, d / g);
        match (i64::try_from(n), i64::try_from(d)) {
            (Ok(n), Ok(d)) => Exact(Small(n, d)),
            _ => Exact(Big(Box::new(BigRational::new_raw(n.into(), d.into())))),
        }
    }

    fn from_big(r: BigRational) -> Exact {
        match (r.numer().to_i64(), r.denom().to_i64()) {
            (Some(n), Some(d)) => Exact(Small(n, d)),
            _ => Exact(Big(Box::new(r))),
        }
    }

    fn to_big(&self) -> BigRational {
        match &self.0 {
            Small(n, d) => BigRational::new_raw((*n).into(), (*d).into()),
            Big(b) => (**b).clone(),
        }
    }

    /// The positive denominator.
    pub fn denom(&self) -> BigInt {
        match &self.0 {
            Small(_, d) => (*d).into(),
            Big(b) => b.denom().clone(),
        }
    }

    /// The number of a term.
    pub fn of(number: &Rational) -> Exact {
        match number.small_parts() {
            Some((n, d)) => Exact(Small(n, d)),
            None => Exact::new(number.numer(), number.denom()),
        }
    }

    /// The number as terms have it.
    pub fn to_rational(&self) -> Rational {
        match &self.0 {
            Small(n, 1) => Rational::from(*n),
            Small(n, d) => Rational::new((*n).into(), (*d).into()),
            Big(b) => Rational::new(b.numer().clone(), b.denom().clone()),
        }
    }

    /// Is it zero?
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Is it less than zero?
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n < 0,
            Big(b) => b.is_negative(),
        }
    }

    /// Is it greater than zero?
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n > 0,
            Big(b) => b.is_positive(),
        }
    }

    /// Is it a whole number?
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == 1,
            Big(b) => b.is_integer(),
        }
    }

    /// The largest whole number not above.
    pub fn floor(&self) -> Exact {
        match &self.0 {
            Small(n, d) => Exact::small(n.div_floor(d)),
            Big(b) => Exact::from_big(b.floor()),
        }
    }

    /// The smallest whole number not below.
    pub fn ceil(&self) -> Exact {
        match &self.0 {
            Small(n, d) => Exact::small(n.div_ceil(d)),
            Big(b) => Exact::from_big(b.ceil()),
        }
    }

    /// One divided by it; panics for zero.
    pub fn recip(&self) -> Exact {
        match &self.0 {
            Small(n, d) => {
                assert!(*n != 0, "zero has no reciprocal");
                Exact::reduced(i128::from(*d), i128::from(*n))
            }
            Big(b) => Exact::from_big(b.recip()),
        }
    }

    fn sum(a: &Exact, b: &Exact) -> Exact {
        match (&a.0, &b.0) {
            (Small(n, 1), Small(m, 1)) => match n.checked_add(*m) {
                Some(s) => Exact::small(s),
                None => Exact::reduced(i128::from(*n) + i128::from(*m), 1),
            },
            (Small(n, d), Small(m, e)) => {
                let (n, d, m, e) = (i128::from(*n), i128::from(*d), i128::from(*m), i128::from(*e));
                // Each product is below 2^126, so the sum fits.
                Exact::reduced(n * e + m * d, d * e)
            }
            _ => Exact::from_big(a.to_big() + b.to_big()),
        }
    }

    fn product(a: &Exact, b: &Exact) -> Exact {
        match (&a.0, &b.0) {
            (Small(n, 1), Small(m, 1)) => match n.checked_mul(*m) {
                Some(p) => Exact::small(p),
                None => Exact::reduced(i128::from(*n) * i128::from(*m), 1),
            },
            (Small(n, d), Small(m, e)) => {
                Exact::reduced(i128::from(*n) * i128::from(*m), i128::from(*d) * i128::from(*e))
            }
            _ => Exact::from_big(a.to_big() * b.to_big()),
        }
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Exact) -> bool {
        match (&self.0, &other.0) {
            (Small(n, d), Small(m, e)) => n == m && d == e,
            (Big(a), Big(b)) => a.numer() == b.numer() && a.denom() == b.denom(),
            _ => false,
        }
    }
}

impl Eq for Exact {}

impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Exact) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Exact {
    fn cmp(&self, other: &Exact) -> Ordering {
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
        impl $trait<&Exact> for &Exact {
            type Output = Exact;
            fn $method(self, other: &Exact) -> Exact {
                let ($a, $b) = (self, other);
                $body
            }
        }
        impl $trait<Exact> for &Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                $trait::$method(self, &other)
            }
        }
        impl $trait<&Exact> for Exact {
            type Output = Exact;
            fn $method(self, other: &Exact) -> Exact {
                $trait::$method(&self, other)
            }
        }
        impl $trait<Exact> for Exact {
            type Output = Exact;
            fn $method(self, other: Exact) -> Exact {
                $trait::$method(&self, &other)
            }
        }
        impl $assign_trait<&Exact> for Exact {
            fn $assign(&mut self, other: &Exact) {
                *self = $trait::$method(&*self, other);
            }
        }
        impl $assign_trait<Exact> for Exact {
            fn $assign(&mut self, other: Exact) {
                *self = $trait::$method(&*self, &other);
            }
        }
    };
}

operator!(Add, add, AddAssign, add_assign, |a, b| Exact::sum(a, b));
operator!(Sub, sub, SubAssign, sub_assign, |a, b| Exact::sum(a, &-b));
operator!(Mul, mul, MulAssign, mul_assign, |a, b| Exact::product(a, b));
operator!(Div, div, DivAssign, div_assign, |a, b| Exact::product(a, &b.recip()));

impl Neg for &Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        match &self.0 {
            Small(n, d) => match n.checked_neg() {
                Some(n) => Exact(Small(n, *d)),
                None => Exact::reduced(-i128::from(*n), i128::from(*d)),
            },
            Big(b) => Exact::from_big(-(**b).clone()),
        }
    }
}

impl Neg for Exact {
    type Output = Exact;
    fn neg(self) -> Exact {
        -&self
    }
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n, 1) => write!(f, "{n}"),
            Small(n, d) => write!(f, "{n}/{d}"),
            Big(b) => write!(f, "{b}"),
        }
    }
}

impl fmt::Debug for Exact {
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
                all.push((Exact::new(n.into(), d.into()), big(n.into(), d.into())));
            }
        }
        for (a, x) in &all {
            assert_eq!(a.to_big(), *x);
            assert_eq!(a.floor().to_big(), x.floor());
            assert_eq!(a.ceil().to_big(), x.ceil());
            assert_eq!((-a).to_big(), -x.clone());
            assert_eq!(Exact::of(&a.to_rational()), *a);
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
