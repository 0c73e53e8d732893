//! Variables and literals.

use std::fmt;
use std::ops::Not;

/// A Boolean variable, numbered densely from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The variable with the given index.
    #[inline]
    pub fn new(index: usize) -> Self {
        debug_assert!(index < (u32::MAX / 2) as usize);
        Var(index as u32)
    }

    /// The dense index of the variable.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The literal that is true when the variable is `value`.
    #[inline]
    pub fn lit(self, value: bool) -> Lit {
        Lit(self.0 << 1 | u32::from(!value))
    }

    /// The literal that is true when the variable is.
    #[inline]
    pub fn positive(self) -> Lit {
        self.lit(true)
    }

    /// The literal that is true when the variable is false.
    #[inline]
    pub fn negative(self) -> Lit {
        self.lit(false)
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

/// A literal: a variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(pub(crate) u32);

impl Lit {
    /// The variable of the literal.
    #[inline]
    pub fn var(self) -> Var {
        Var(self.0 >> 1)
    }

    /// Whether the literal is the variable itself (and not its negation).
    #[inline]
    pub fn is_positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// A dense code: `2 * var` for the variable, `2 * var + 1` for its negation.
    #[inline]
    pub fn code(self) -> usize {
        self.0 as usize
    }

    /// The literal with the given [`code`](Lit::code).
    #[inline]
    pub fn from_code(code: usize) -> Self {
        Lit(code as u32)
    }

    /// The literal as DIMACS writes it: 1-based and signed.
    pub fn to_dimacs(self) -> i64 {
        let n = i64::from(self.0 >> 1) + 1;
        if self.is_positive() { n } else { -n }
    }

    /// The literal that DIMACS writes as `n`; `n` must not be 0.
    pub fn from_dimacs(n: i64) -> Self {
        assert!(n != 0, "0 ends a DIMACS clause and names no literal");
        Var::new(n.unsigned_abs() as usize - 1).lit(n > 0)
    }
}

impl Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_dimacs())
    }
}
