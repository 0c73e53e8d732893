//! The operators and nodes of the term graph.

use crate::{Integer, Rational, Sort, Term};

/// An interned variable name. The text is in the pool ([`crate::TermPool::symbol_text`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub(crate) u32);

/// Which copy of a variable a term means. One name gives a whole family of variables without building
/// strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Version {
    /// The variable itself: the current state.
    Plain,
    /// The next-state copy, written `x'`.
    Primed,
    /// The copy at a step of an unrolling, written `x@k`.
    Step(u32),
}

/// The operator of a node. Derived operators (`=>`, `>=`, `-`, `bvsub`, `distinct`, ...) are rewritten by the
/// builders and never stored.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A variable (free constant).
    Var(Symbol, Version),
    /// Truth constant.
    Bool(bool),
    /// Integer constant.
    Int(Integer),
    /// Rational constant.
    Real(Rational),
    /// Bit-vector constant; `0 <= value < 2^width`, the width is in the node's sort.
    BitVec(Integer),

    /// Negation. Never stored above a constant or another negation.
    Not,
    /// Conjunction of two or more distinct arguments.
    And,
    /// Disjunction of two or more distinct arguments.
    Or,
    /// Equality; on Booleans, equivalence. Over arithmetic: `[sum, constant]` in normal form when linear.
    Eq,
    /// If-then-else of any sort.
    Ite,

    /// Sum of monomials in normal form.
    Add,
    /// Product: `[constant, t]` or a nonlinear product of non-constants.
    Mul,
    /// Rational division by a non-constant.
    Div,
    /// Integer division (SMT-LIB Euclidean `div`).
    IntDiv,
    /// Integer remainder (SMT-LIB `mod`, never negative).
    Mod,
    /// Integer to rational.
    ToReal,
    /// Floor of a rational.
    ToInt,
    /// `[sum, constant]`: `sum <= constant`.
    Le,
    /// `[sum, constant]`: `sum < constant` (rationals only; integers are tightened to `<=`).
    Lt,

    /// Concatenation, first argument most significant.
    Concat,
    /// Bits `hi` down to `lo`.
    Extract(u32, u32),
    /// Append this many zero bits at the top.
    ZeroExtend(u32),
    /// Append this many copies of the sign bit.
    SignExtend(u32),
    /// Bitwise complement.
    BvNot,
    /// Two's complement negation.
    BvNeg,
    /// Bitwise and (binary).
    BvAnd,
    /// Bitwise or (binary).
    BvOr,
    /// Bitwise exclusive or (binary).
    BvXor,
    /// Addition modulo 2^w (binary).
    BvAdd,
    /// Multiplication modulo 2^w (binary).
    BvMul,
    /// Unsigned division; by zero all ones.
    BvUdiv,
    /// Unsigned remainder; by zero the dividend.
    BvUrem,
    /// Signed division, truncating.
    BvSdiv,
    /// Signed remainder, sign of the dividend.
    BvSrem,
    /// Signed remainder, sign of the divisor.
    BvSmod,
    /// Shift left.
    BvShl,
    /// Logical shift right.
    BvLshr,
    /// Arithmetic shift right.
    BvAshr,
    /// Unsigned `<`.
    BvUlt,
    /// Unsigned `<=`.
    BvUle,
    /// Signed `<`.
    BvSlt,
    /// Signed `<=`.
    BvSle,
    /// The unsigned value of a bit-vector as an integer.
    BvToInt,
    /// An integer modulo 2^w as a bit-vector of the given width.
    IntToBv(u32),

    /// Array read `[array, index]`.
    Select,
    /// Array write `[array, index, value]`.
    Store,
    /// The array that maps every index to `[value]`.
    ConstArray,
}

/// One node of the term graph.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operator.
    pub op: Op,
    /// The arguments.
    pub args: Box<[Term]>,
    /// The sort.
    pub sort: Sort,
}
