//! Numbers `r + k·δ` with an infinitesimal `δ > 0`, which turns strict bounds into weak ones (Dutertre and de
//! Moura, A Fast Linear-Arithmetic Solver for DPLL(T), 2006, section 5).

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, Sub};

use palisade_number::{Int, Rational};

/// A delta-rational `real + inf·δ`, ordered lexicographically.
///
/// As a bound, `inf` is a sign: an upper bound `c - δ` is the strict `x < c`, a lower bound `c + δ` is `x >
/// c`.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Delta {
    /// The standard part `r`.
    pub real: Rational,
    /// The coefficient `k` of the infinitesimal.
    pub inf: Rational,
}

impl Delta {
    /// The number 0.
    pub const ZERO: Delta = Delta { real: Rational::ZERO, inf: Rational::ZERO };

    /// The standard number `real`.
    #[inline]
    pub fn real(real: Rational) -> Delta {
        Delta { real, inf: Rational::ZERO }
    }

    /// Just below `real`: `real - δ`.
    pub fn below(real: Rational) -> Delta {
        Delta { real, inf: Rational::MINUS_ONE }
    }

    /// Just above `real`: `real + δ`.
    pub fn above(real: Rational) -> Delta {
        Delta { real, inf: Rational::ONE }
    }

    /// Has it no infinitesimal part?
    #[inline]
    pub fn is_real(&self) -> bool {
        self.inf.is_zero()
    }

    /// Is it a standard integer?
    #[inline]
    pub fn is_integer(&self) -> bool {
        self.inf.is_zero() && self.real.is_integer()
    }

    /// The greatest integer not above this.
    #[must_use]
    pub fn floor(&self) -> Int {
        if self.inf.is_negative() && self.real.is_integer() {
            &self.real.num() - &Int::ONE
        } else {
            self.real.floor()
        }
    }

    /// The least integer not below this.
    #[must_use]
    pub fn ceil(&self) -> Int {
        if self.inf.is_positive() && self.real.is_integer() {
            &self.real.num() + &Int::ONE
        } else {
            self.real.ceil()
        }
    }

    /// The nearest integer to the standard part; halves go up.
    #[must_use]
    pub fn round(&self) -> Int {
        self.real.round()
    }

    /// `self += a * b`.
    #[inline]
    pub fn add_mul(&mut self, a: &Rational, b: &Delta) {
        self.real.add_mul(a, &b.real);
        if !b.inf.is_zero() {
            self.inf.add_mul(a, &b.inf);
        }
    }

    /// `self += a * b` for an integer `a`.
    #[inline]
    pub fn add_mul_int(&mut self, a: &Int, b: &Delta) {
        self.real.add_mul_int(a, &b.real);
        if !b.inf.is_zero() {
            self.inf.add_mul_int(a, &b.inf);
        }
    }

    /// `self / a`.
    ///
    /// # Panics
    /// If `a` is zero.
    #[inline]
    #[must_use]
    pub fn div_int(&self, a: &Int) -> Delta {
        if a.is_one() {
            return self.clone();
        }
        if a == &Int::MINUS_ONE {
            return self.neg();
        }
        let a = Rational::from(a);
        Delta { real: &self.real / &a, inf: &self.inf / &a }
    }

    /// `-self`.
    #[inline]
    #[must_use]
    pub fn neg(&self) -> Delta {
        Delta { real: -&self.real, inf: -&self.inf }
    }

    /// The value when `δ` is the given number.
    #[must_use]
    pub fn at(&self, epsilon: &Rational) -> Rational {
        if self.inf.is_zero() { self.real.clone() } else { &self.real + &(&self.inf * epsilon) }
    }

    /// The sign of the whole.
    #[inline]
    pub fn signum(&self) -> Ordering {
        self.cmp(&Delta::ZERO)
    }
}

impl PartialOrd for Delta {
    #[inline]
    fn partial_cmp(&self, other: &Delta) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Delta {
    #[inline]
    fn cmp(&self, other: &Delta) -> Ordering {
        match self.real.cmp(&other.real) {
            Ordering::Equal => self.inf.cmp(&other.inf),
            decided => decided,
        }
    }
}

impl From<i64> for Delta {
    #[inline]
    fn from(value: i64) -> Delta {
        Delta::real(Rational::from(value))
    }
}

impl From<Int> for Delta {
    #[inline]
    fn from(value: Int) -> Delta {
        Delta::real(Rational::from(value))
    }
}

impl Add<&Delta> for &Delta {
    type Output = Delta;
    #[inline]
    fn add(self, other: &Delta) -> Delta {
        Delta { real: &self.real + &other.real, inf: &self.inf + &other.inf }
    }
}

impl Sub<&Delta> for &Delta {
    type Output = Delta;
    #[inline]
    fn sub(self, other: &Delta) -> Delta {
        Delta { real: &self.real - &other.real, inf: &self.inf - &other.inf }
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.real)?;
        if !self.inf.is_zero() {
            write!(f, "{}{}δ", if self.inf.is_negative() { "" } else { "+" }, self.inf)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Delta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
