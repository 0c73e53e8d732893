//! Hash-consed, typed terms: the language in which Palisade states everything.
//!
//! A [`Term`] is a small copyable index into a [`TermPool`]. The pool is append-only and is shared by
//! reference (`&TermPool`): building a term needs no exclusive borrow, and a term once built never moves.
//!
//! Invariants every other crate may rely on:
//! - **Equal terms are equal indices.** Structurally equal terms of one pool are the same [`Term`].
//! - **Well-sorted by construction.** A builder given arguments of the wrong sort panics; readers of files
//!   check sorts first and report errors with positions.
//! - **Arithmetic is in normal form.** Every sum is a linear combination with sorted, merged monomials; every
//!   linear constraint is `sum c_i x_i <= c` (or `<`, `=`) with a positive leading coefficient, divided by
//!   the gcd, and tightened over the integers; the opposite half-space is its negation. So equal constraints
//!   are equal terms.
//! - **No recursion over depth.** Every traversal uses an explicit stack: 100,000 nested nodes are fine.
//! - **Total semantics.** `div`/`mod`/`/` by zero have fixed values (see [`eval`](mod@eval)), the same in
//!   every part of the tool.
//!
//! Entry points: [`TermPool`] to build, [`Linear`] to look at arithmetic, [`TermPool::substitute`],
//! [`TermPool::eval`], [`nnf`], [`TermPool::definitions`].

mod arith;
mod array;
mod bitvec;
mod boolean;
mod bvsum;
mod definition;
pub mod display;
pub mod eval;
mod linear;
pub mod nnf;
mod occurring;
mod op;
mod pool;
mod sort;
mod subst;
mod value;

pub use linear::Linear;
pub use num_bigint::BigInt as Integer;
pub use occurring::{Mentions, Occurring};
pub use op::{Node, Op, Symbol, Version};
pub use palisade_number::Rational;
pub use pool::{Term, TermPool};
pub use sort::Sort;
pub use subst::Substitution;
pub use value::{ArrayValue, Assignment, Value};
