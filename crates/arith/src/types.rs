//! The vocabulary shared by all modules: variables, bounds, atoms, reasons.

use std::fmt;

use crate::delta::Delta;

/// A variable of the solver: a *structural* variable made by [`crate::Arith::new_var`], or a *slack* that
/// stands for a linear form and is made by [`crate::Arith::define`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u32);

impl Var {
    /// The variable's number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Var {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "x{}", self.0)
    }
}

/// An opaque tag that the caller gives with a bound and gets back in conflicts and explanations,
/// typically the code of the literal that asserted the bound.
pub type Reason = u32;

/// Which side a bound limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum BoundKind {
    /// `x >= c`
    Lower,
    /// `x <= c`
    Upper,
}

impl BoundKind {
    /// The other side.
    #[must_use]
    pub fn opposite(self) -> BoundKind {
        match self {
            BoundKind::Lower => BoundKind::Upper,
            BoundKind::Upper => BoundKind::Lower,
        }
    }
}

/// The number of a registered atom. Every atom is of the shape `x <= h`; see [`ALit`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

impl AtomId {
    /// The atom's number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A literal over an atom `x <= h`: the atom itself or its negation `x > h`.
///
/// All four comparisons share atoms this way: `x >= c` is the negation of `x < c`, which is `x <= c - δ` over
/// the rationals and `x <= c - 1` over the integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ALit(u32);

impl ALit {
    /// The literal of `atom` with the given sign.
    #[inline]
    pub fn new(atom: AtomId, positive: bool) -> ALit {
        ALit(atom.0 << 1 | u32::from(!positive))
    }

    /// The atom.
    #[inline]
    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// Is it the atom itself (`x <= h`)?
    #[inline]
    pub fn positive(self) -> bool {
        self.0 & 1 == 0
    }

    /// The literal's number: twice the atom's, plus one if negated.
    #[inline]
    pub fn code(self) -> u32 {
        self.0
    }
}

impl std::ops::Not for ALit {
    type Output = ALit;
    #[inline]
    fn not(self) -> ALit {
        ALit(self.0 ^ 1)
    }
}

impl fmt::Debug for ALit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}a{}", if self.positive() { "" } else { "-" }, self.0 >> 1)
    }
}

/// One asserted bound `var >= value` or `var <= value` and the caller's reason for it.
///
/// For an integer variable the value is the tightened one (an integer), for a rational one its infinitesimal
/// part is 0 or the strictness.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The bounded variable.
    pub var: Var,
    /// The side.
    pub kind: BoundKind,
    /// The limit.
    pub value: Delta,
    /// The caller's tag.
    pub reason: Reason,
}
