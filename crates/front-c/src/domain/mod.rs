//! Integer semantics: one small interface, two ways to model C integers.
//!
//! [`Domain`] turns typed operations into terms. [`int::Ints`] works over mathematical integers, exactly as C
//! (`c`) or ignoring types (`math`); [`bits::Bits`] over bit-vectors. Every value carries an interval and its
//! known trailing zero bits, so that a wrap-around or an overflow condition is only written where it can
//! matter.

pub mod bits;
pub mod int;

use palisade_term::{Sort, Term, TermPool};

use crate::ir::{BinOp, CmpOp};
use crate::types::IntType;

/// An integer value: a term, and what is known about it.
#[derive(Clone, Copy, Debug)]
pub struct Val {
    /// The term. Its sort is that of the value's type: `Bool` for `_Bool`.
    pub term: Term,
    /// A lower bound.
    pub lo: Option<i128>,
    /// An upper bound.
    pub hi: Option<i128>,
    /// The value is a multiple of 2 to this power.
    pub zeros: u32,
}

impl Val {
    /// A value of which nothing but the type's range is known.
    pub fn typed(term: Term, ty: IntType) -> Val {
        Val { term, lo: Some(ty.min()), hi: ty.most(), zeros: 0 }
    }

    /// Is the value surely in this range?
    pub fn within(&self, lo: i128, hi: i128) -> bool {
        self.lo.is_some_and(|l| l >= lo) && self.hi.is_some_and(|h| h <= hi)
    }

    /// Is it surely representable?
    pub fn fits(&self, ty: IntType) -> bool {
        self.within(ty.min(), ty.max())
    }

    /// Is it surely not negative?
    pub fn nonnegative(&self) -> bool {
        self.lo.is_some_and(|l| l >= 0)
    }

    /// The constant, when the interval is a point.
    pub fn point(&self) -> Option<i128> {
        self.lo.filter(|l| self.hi == Some(*l))
    }
}

/// What must hold for an operation to be defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    /// Signed overflow.
    Overflow,
    /// Division by zero.
    Division,
    /// A bad shift amount, or bits lost by a signed left shift. The flag says that the result is still what
    /// gcc computes, so that nothing needs to be assumed if shifts are not checked.
    Shift(bool),
    /// A floating-point number that does not fit the integer type.
    Conversion,
}

/// The result of an operation: its value, and the conditions under which it is defined.
pub struct Outcome {
    /// The value.
    pub val: Val,
    /// Conditions.
    pub requires: Vec<(Undefined, Term)>,
}

impl Outcome {
    /// A value that is always defined.
    pub fn total(val: Val) -> Outcome {
        Outcome { val, requires: Vec::new() }
    }
}

/// Why an operation cannot be expressed.
pub type Inexpressible = &'static str;

/// The operations on integers and addresses. Addresses are unbounded integers or 64-bit vectors.
pub trait Domain {
    /// The sort of a type.
    fn sort(&self, ty: IntType) -> Sort;
    /// A constant.
    fn constant(&self, v: i128, ty: IntType) -> Val;
    /// A variable or input as a value.
    fn variable(&self, term: Term, ty: IntType) -> Val;
    /// What an arbitrary value of this type satisfies; `None` if the sort says it all.
    fn range(&self, term: Term, ty: IntType) -> Option<Term>;
    /// Conversion.
    fn convert(&self, v: Val, from: IntType, to: IntType) -> Val;
    /// `-a`.
    fn neg(&self, ty: IntType, a: Val) -> Outcome;
    /// `~a`.
    fn complement(&self, ty: IntType, a: Val) -> Val;
    /// A binary operator on operands of type `ty`; the right operand of a shift has type `right`.
    fn binary(
        &self,
        op: BinOp,
        ty: IntType,
        a: Val,
        b: Val,
        right: IntType,
    ) -> Result<Outcome, Inexpressible>;
    /// A comparison.
    fn compare(&self, op: CmpOp, ty: IntType, a: Val, b: Val) -> Term;
    /// Is the value different from zero?
    fn truth(&self, ty: IntType, a: Val) -> Term;

    /// The sort of addresses and array indices.
    fn address_sort(&self) -> Sort;
    /// An address.
    fn address(&self, v: i128) -> Term;
    /// Sum of addresses.
    fn address_add(&self, a: Term, b: Term) -> Term;
    /// Difference of addresses.
    fn address_sub(&self, a: Term, b: Term) -> Term;
    /// Address times a constant.
    fn address_scale(&self, a: Term, k: i128) -> Term;
    /// Signed comparison `a <= b`.
    fn address_le(&self, a: Term, b: Term) -> Term;
    /// Remainder by a positive constant, of an address that is not negative.
    fn address_mod(&self, a: Term, k: i128) -> Term;
    /// Exact quotient by a positive constant (the difference of two pointers into one array).
    fn address_div(&self, a: Term, k: i128) -> Term;
    /// An integer as an address.
    fn to_address(&self, v: Val, ty: IntType) -> Term;
    /// An address difference as an integer.
    fn address_to_int(&self, a: Term, ty: IntType) -> Val;
}

/// The condition of `ite(c, 1, 0)`.
pub(crate) fn as_condition(pool: &TermPool, t: Term) -> Option<Term> {
    let is = |t: Term, v: i64| match pool.as_bitvec(t) {
        Some(b) => *b == v.into(),
        None => pool.as_number(t).is_some_and(|n| n == palisade_term::Rational::from_integer(v.into())),
    };
    match (pool.op(t), pool.args(t)) {
        (palisade_term::Op::Ite, [c, a, b]) if is(*a, 1) && is(*b, 0) => Some(*c),
        (palisade_term::Op::Ite, [c, a, b]) if is(*a, 0) && is(*b, 1) => Some(pool.not(*c)),
        _ => None,
    }
}
