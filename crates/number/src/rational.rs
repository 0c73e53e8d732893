//! Rationals: two machine words, or boxed big integers when those overflow.

use std::cmp::Ordering;
use std::fmt;
use std::iter::{Product, Sum};
use std::num::NonZeroI64;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};

use crate::{Int, gcd_big, gcd_u64, gcd_u128};

/// An exact rational number in lowest terms with a positive denominator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

/// `Small` is numerator and denominator. The denominator's niche keeps a `Rational` at 16 bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64, NonZeroI64),
    /// Only when numerator or denominator is outside the range of `i64`.
    Big(Box<(BigInt, BigInt)>),
}

use Repr::{Big, Small};

const UNIT: NonZeroI64 = NonZeroI64::new(1).unwrap();

impl Rational {
    /// The number 0.
    pub const ZERO: Rational = Rational(Small(0, UNIT));
    /// The number 1.
    pub const ONE: Rational = Rational(Small(1, UNIT));
    /// The number -1.
    pub const MINUS_ONE: Rational = Rational(Small(-1, UNIT));

    /// The fraction `num / den` in lowest terms.
    ///
    /// # Panics
    /// If `den` is zero.
    pub fn of(num: &Int, den: &Int) -> Rational {
        match (num.to_i64(), den.to_i64()) {
            (Some(n), Some(1)) => Rational(Small(n, UNIT)),
            (Some(n), Some(d)) => Rational::from_i128(i128::from(n), i128::from(d)),
            _ => Rational::from_big(num.to_big(), den.to_big()),
        }
    }

    /// The fraction of two big integers in lowest terms.
    ///
    /// # Panics
    /// If `den` is zero.
    pub fn new(num: BigInt, den: BigInt) -> Rational {
        match (num.to_i64(), den.to_i64()) {
            (Some(n), Some(1)) => Rational(Small(n, UNIT)),
            (Some(n), Some(d)) => Rational::from_i128(i128::from(n), i128::from(d)),
            _ => Rational::from_big(num, den),
        }
    }

    /// A whole number.
    pub fn from_integer(value: BigInt) -> Rational {
        match value.to_i64() {
            Some(n) => Rational(Small(n, UNIT)),
            None => Rational(Big(Box::new((value, BigInt::one())))),
        }
    }

    /// The canonical form of a fraction of big integers; `den` is not zero.
    fn from_big(num: BigInt, den: BigInt) -> Rational {
        assert!(den.sign() != Sign::NoSign, "division by zero");
        if den.is_one() {
            return Rational::reduced(num, den);
        }
        let g = gcd(&num, &den);
        if g.is_one() { Rational::reduced(num, den) } else { Rational::reduced(num / &g, den / &g) }
    }

    /// The canonical form of a fraction without common factors.
    fn reduced(mut num: BigInt, mut den: BigInt) -> Rational {
        if den.is_negative() {
            num = -num;
            den = -den;
        }
        match (num.to_i64(), den.to_i64().and_then(NonZeroI64::new)) {
            (Some(n), Some(d)) => Rational(Small(n, d)),
            _ => Rational(Big(Box::new((num, den)))),
        }
    }

    /// The canonical form of a fraction of double words.
    fn from_i128(num: i128, den: i128) -> Rational {
        assert!(den != 0, "division by zero");
        let (n, d) = (num.unsigned_abs(), den.unsigned_abs());
        let g = match (u64::try_from(n), u64::try_from(d)) {
            (Ok(n), Ok(d)) => u128::from(gcd_u64(n, d)),
            _ => gcd_u128(n, d),
        };
        let (n, d) = (n / g, d / g);
        let negative = (num < 0) != (den < 0);
        // Magnitudes of at most i64::MAX: the one value this sends needlessly to the slow path, -2^63, comes
        // back canonical.
        if let (Ok(n), Ok(d)) = (i64::try_from(n), i64::try_from(d))
            && let Some(d) = NonZeroI64::new(d)
        {
            return Rational(Small(if negative { -n } else { n }, d));
        }
        let n = BigInt::from(n);
        Rational::from_big(if negative { -n } else { n }, BigInt::from(d))
    }

    fn big_parts(&self) -> (BigInt, BigInt) {
        match &self.0 {
            Small(n, d) => (BigInt::from(*n), BigInt::from(d.get())),
            Big(b) => (b.0.clone(), b.1.clone()),
        }
    }

    /// The numerator.
    #[inline]
    pub fn num(&self) -> Int {
        match &self.0 {
            Small(n, _) => Int::from(*n),
            Big(b) => Int::from_big(b.0.clone()),
        }
    }

    /// The denominator, positive.
    #[inline]
    pub fn den(&self) -> Int {
        match &self.0 {
            Small(_, d) => Int::from(d.get()),
            Big(b) => Int::from_big(b.1.clone()),
        }
    }

    /// The numerator, as a big integer.
    pub fn numer(&self) -> BigInt {
        match &self.0 {
            Small(n, _) => BigInt::from(*n),
            Big(b) => b.0.clone(),
        }
    }

    /// The positive denominator, as a big integer.
    pub fn denom(&self) -> BigInt {
        match &self.0 {
            Small(_, d) => BigInt::from(d.get()),
            Big(b) => b.1.clone(),
        }
    }

    /// Numerator and denominator when both fit machine words (then they are not stored in any other way).
    #[inline]
    pub fn small_parts(&self) -> Option<(i64, i64)> {
        match &self.0 {
            Small(n, d) => Some((*n, d.get())),
            Big(_) => None,
        }
    }

    /// Rounds towards zero.
    pub fn to_integer(&self) -> BigInt {
        match &self.0 {
            Small(n, d) => BigInt::from(n / d.get()),
            Big(b) => &b.0 / &b.1,
        }
    }

    /// The value as an integer, if it is one.
    #[inline]
    pub fn to_int(&self) -> Option<Int> {
        self.is_integer().then(|| self.num())
    }

    /// Is the denominator one?
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => d.get() == 1,
            Big(b) => b.1.is_one(),
        }
    }

    /// Is this 0?
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Is this 1?
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(&self.0, Small(1, d) if d.get() == 1)
    }

    /// Is this greater than 0?
    #[inline]
    pub fn is_positive(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n > 0,
            Big(b) => b.0.is_positive(),
        }
    }

    /// Is this less than 0?
    #[inline]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Small(n, _) => *n < 0,
            Big(b) => b.0.is_negative(),
        }
    }

    /// The greatest integer not above this.
    #[inline]
    #[must_use]
    pub fn floor(&self) -> Int {
        match &self.0 {
            Small(n, d) => Int::from(n.div_euclid(d.get())),
            Big(b) => Int::from_big(b.0.div_floor(&b.1)),
        }
    }

    /// The least integer not below this.
    #[inline]
    #[must_use]
    pub fn ceil(&self) -> Int {
        if self.is_integer() { self.num() } else { &self.floor() + &Int::ONE }
    }

    /// The fractional part, in `[0, 1)`.
    #[must_use]
    pub fn fract(&self) -> Rational {
        if self.is_integer() { Rational::ZERO } else { self - &Rational::from(self.floor()) }
    }

    /// The nearest integer; halves go up.
    #[must_use]
    pub fn round(&self) -> Int {
        if self.is_integer() { self.num() } else { (self + &Rational::from_i128(1, 2)).floor() }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// The multiplicative inverse.
    ///
    /// # Panics
    /// If this is zero.
    #[must_use]
    pub fn recip(&self) -> Rational {
        match &self.0 {
            Small(n, d) => Rational::from_i128(i128::from(d.get()), i128::from(*n)),
            Big(b) => Rational::reduced(b.1.clone(), b.0.clone()),
        }
    }

    /// `self += a * b`.
    #[inline]
    pub fn add_mul(&mut self, a: &Rational, b: &Rational) {
        if let (Small(s, p), Small(x, q), Small(y, r)) = (&self.0, &a.0, &b.0)
            && p.get() == 1
            && q.get() == 1
            && r.get() == 1
            && let Some(product) = x.checked_mul(*y)
            && let Some(sum) = s.checked_add(product)
        {
            self.0 = Small(sum, UNIT);
            return;
        }
        *self = add_slow(self, &mul_slow(a, b));
    }

    /// `self += a * b` for an integer `a`.
    #[inline]
    pub fn add_mul_int(&mut self, a: &Int, b: &Rational) {
        if let (Some(x), Small(s, p), Small(y, q)) = (a.to_i64(), &self.0, &b.0)
            && p.get() == 1
            && q.get() == 1
            && let Some(product) = x.checked_mul(*y)
            && let Some(sum) = s.checked_add(product)
        {
            self.0 = Small(sum, UNIT);
            return;
        }
        *self = add_slow(self, &mul_slow(b, &Rational::from(a)));
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::ZERO
    }
}

impl From<i64> for Rational {
    #[inline]
    fn from(value: i64) -> Rational {
        Rational(Small(value, UNIT))
    }
}

impl From<BigInt> for Rational {
    fn from(value: BigInt) -> Rational {
        Rational::from_integer(value)
    }
}

impl From<&Int> for Rational {
    #[inline]
    fn from(value: &Int) -> Rational {
        match value.to_i64() {
            Some(n) => Rational(Small(n, UNIT)),
            None => Rational(Big(Box::new((value.to_big(), BigInt::one())))),
        }
    }
}

impl From<Int> for Rational {
    #[inline]
    fn from(value: Int) -> Rational {
        Rational::from(&value)
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Rational) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Rational) -> Ordering {
        if let (Small(a, p), Small(b, q)) = (&self.0, &other.0)
            && p == q
        {
            return a.cmp(b);
        }
        cmp_slow(self, other)
    }
}

// The slow paths are kept out of line, so that the fast ones are small enough to be inlined.

#[cold]
#[inline(never)]
fn cmp_slow(x: &Rational, y: &Rational) -> Ordering {
    if let (Small(a, p), Small(b, q)) = (&x.0, &y.0) {
        let (p, q) = (i128::from(p.get()), i128::from(q.get()));
        return (i128::from(*a) * q).cmp(&(i128::from(*b) * p));
    }
    let ((a, p), (b, q)) = (x.big_parts(), y.big_parts());
    (a * q).cmp(&(b * p))
}

#[cold]
#[inline(never)]
fn add_slow(x: &Rational, y: &Rational) -> Rational {
    if let (Small(a, p), Small(b, q)) = (&x.0, &y.0) {
        return add_small(*a, p.get(), *b, q.get(), 1);
    }
    add_big(x.big_parts(), y.big_parts())
}

#[cold]
#[inline(never)]
fn sub_slow(x: &Rational, y: &Rational) -> Rational {
    if let (Small(a, p), Small(b, q)) = (&x.0, &y.0) {
        return add_small(*a, p.get(), *b, q.get(), -1);
    }
    let (b, q) = y.big_parts();
    add_big(x.big_parts(), (-b, q))
}

/// The sum of two fractions in lowest terms. Only what the denominators have in common can cancel (Knuth,
/// TAOCP 2, section 4.5.1).
fn add_big((a, p): (BigInt, BigInt), (b, q): (BigInt, BigInt)) -> Rational {
    if p.is_one() && q.is_one() {
        return Rational::reduced(a + b, p);
    }
    let g = gcd(&p, &q);
    if g.is_one() {
        return Rational::reduced(a * &q + b * &p, p * q);
    }
    let (p, rest) = (p / &g, &q / &g);
    let sum = a * rest + b * &p;
    let common = gcd(&sum, &g);
    Rational::reduced(sum / &common, p * (q / common))
}

fn gcd(a: &BigInt, b: &BigInt) -> BigInt {
    gcd_big(a.magnitude(), b.magnitude()).into()
}

#[cold]
#[inline(never)]
fn mul_slow(x: &Rational, y: &Rational) -> Rational {
    if let (Small(a, p), Small(b, q)) = (&x.0, &y.0) {
        return Rational::from_i128(
            i128::from(*a) * i128::from(*b),
            i128::from(p.get()) * i128::from(q.get()),
        );
    }
    mul_big(x.big_parts(), y.big_parts())
}

/// The product of two fractions in lowest terms: each numerator can only cancel with the other denominator.
fn mul_big((a, p): (BigInt, BigInt), (b, q): (BigInt, BigInt)) -> Rational {
    if p.is_one() && q.is_one() {
        return Rational::reduced(a * b, p);
    }
    let (g, h) = (gcd(&a, &q), gcd(&b, &p));
    Rational::reduced((a / &g) * (b / &h), (p / h) * (q / g))
}

/// Sum (or difference, by sign) of small fractions. Products of two words stay below 2^126, so the sum fits.
fn add_small(a: i64, p: i64, b: i64, q: i64, sign: i128) -> Rational {
    let (a, p, b, q) = (i128::from(a), i128::from(p), i128::from(b), i128::from(q));
    if p == q {
        return Rational::from_i128(a + sign * b, p);
    }
    Rational::from_i128(a * q + sign * b * p, p * q)
}

impl Add<&Rational> for &Rational {
    type Output = Rational;
    #[inline]
    fn add(self, other: &Rational) -> Rational {
        if let (Small(a, p), Small(b, q)) = (&self.0, &other.0)
            && p.get() == 1
            && q.get() == 1
            && let Some(c) = a.checked_add(*b)
        {
            return Rational(Small(c, UNIT));
        }
        add_slow(self, other)
    }
}

impl Sub<&Rational> for &Rational {
    type Output = Rational;
    #[inline]
    fn sub(self, other: &Rational) -> Rational {
        if let (Small(a, p), Small(b, q)) = (&self.0, &other.0)
            && p.get() == 1
            && q.get() == 1
            && let Some(c) = a.checked_sub(*b)
        {
            return Rational(Small(c, UNIT));
        }
        sub_slow(self, other)
    }
}

impl Mul<&Rational> for &Rational {
    type Output = Rational;
    #[inline]
    fn mul(self, other: &Rational) -> Rational {
        if let (Small(a, p), Small(b, q)) = (&self.0, &other.0)
            && p.get() == 1
            && q.get() == 1
            && let Some(c) = a.checked_mul(*b)
        {
            return Rational(Small(c, UNIT));
        }
        mul_slow(self, other)
    }
}

impl Div<&Rational> for &Rational {
    type Output = Rational;
    #[inline]
    fn div(self, other: &Rational) -> Rational {
        if let (Small(a, p), Small(b, q)) = (&self.0, &other.0) {
            if *b == 1 && q.get() == 1 {
                return self.clone();
            }
            return Rational::from_i128(
                i128::from(*a) * i128::from(q.get()),
                i128::from(p.get()) * i128::from(*b),
            );
        }
        let (b, q) = other.big_parts();
        assert!(b.sign() != Sign::NoSign, "division by zero");
        mul_big(self.big_parts(), (q, b))
    }
}

/// The forms of a binary operator with owned operands, and its assignment.
macro_rules! owned {
    ($op:ident, $f:ident, $assign:ident, $g:ident) => {
        impl $op<Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $f(self, other: Rational) -> Rational {
                self.$f(&other)
            }
        }
        impl $op<&Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $f(self, other: &Rational) -> Rational {
                (&self).$f(other)
            }
        }
        impl $op<Rational> for Rational {
            type Output = Rational;
            #[inline]
            fn $f(self, other: Rational) -> Rational {
                (&self).$f(&other)
            }
        }
        impl $assign<&Rational> for Rational {
            #[inline]
            fn $g(&mut self, other: &Rational) {
                *self = (&*self).$f(other);
            }
        }
        impl $assign<Rational> for Rational {
            #[inline]
            fn $g(&mut self, other: Rational) {
                *self = (&*self).$f(&other);
            }
        }
    };
}

owned!(Add, add, AddAssign, add_assign);
owned!(Sub, sub, SubAssign, sub_assign);
owned!(Mul, mul, MulAssign, mul_assign);
owned!(Div, div, DivAssign, div_assign);

impl Sum for Rational {
    fn sum<I: Iterator<Item = Rational>>(iter: I) -> Rational {
        iter.fold(Rational::ZERO, |a, b| a + b)
    }
}

impl Product for Rational {
    fn product<I: Iterator<Item = Rational>>(iter: I) -> Rational {
        iter.fold(Rational::ONE, |a, b| a * b)
    }
}

impl Zero for Rational {
    fn zero() -> Rational {
        Rational::ZERO
    }

    fn is_zero(&self) -> bool {
        Rational::is_zero(self)
    }
}

impl One for Rational {
    fn one() -> Rational {
        Rational::ONE
    }
}

impl FromStr for Rational {
    type Err = ParseError;

    /// Reads `n` or `n/d`.
    fn from_str(text: &str) -> Result<Rational, ParseError> {
        let number = |text: &str| text.parse::<BigInt>().map_err(|_| ParseError);
        match text.split_once('/') {
            None => number(text).map(Rational::from_integer),
            Some((n, d)) => match (number(n)?, number(d)?) {
                (_, d) if Zero::is_zero(&d) => Err(ParseError),
                (n, d) => Ok(Rational::new(n, d)),
            },
        }
    }
}

/// A text that is not a rational number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError;

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a rational number: `n` or `n/d` is expected, with a denominator that is not zero")
    }
}

impl std::error::Error for ParseError {}

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            Small(n, d) => match n.checked_neg() {
                Some(m) => Rational(Small(m, *d)),
                None => Rational::reduced(-BigInt::from(*n), BigInt::from(d.get())),
            },
            Big(b) => Rational::reduced(-&b.0, b.1.clone()),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        -&self
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.num())
        } else {
            write!(f, "{}/{}", self.num(), self.den())
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
