//! Linear arithmetic over the rationals and the integers: the decision core of a CDCL(T) solver.
//!
//! The crate knows variables by number, linear forms, bounds and the caller's reasons for them. It knows
//! neither terms nor clauses.
//!
//! # Protocol
//! 1. [`Arith::new_var`] makes variables, [`Arith::define`] slacks for linear forms, [`Arith::comparison`] or
//!    [`Arith::atom`] literals over bounds.
//! 2. During search, [`Arith::push_level`] and [`Arith::pop_levels`] follow the decisions;
//!    [`Arith::assert_lit`] (or [`Arith::assert_bound`], [`Arith::assert_disequality`]) follows the
//!    assignment. An assertion that answers `false` has left a [`Conflict`]; a level must be popped.
//! 3. [`Arith::check`] decides over the rationals. After `Sat`, [`Arith::propagate`] and
//!    [`Arith::next_implied`] give implied literals; [`Arith::explain`] justifies one at any later time while
//!    its level lives.
//! 4. [`Arith::final_check`] decides integrality and disequalities: a model ([`Arith::model`]), a conflict,
//!    or a request for a split or a cut.
//!
//! Every conflict, explanation and cut is a proof over the asserted bounds (module [`proof`]).
//!
//! [`mbp`] is independent of the solver: model-based projection of conjunctions of linear constraints.
//!
//! # Techniques
//! General simplex with delta-rationals (Dutertre and de Moura, "A Fast Linear-Arithmetic Solver for
//! DPLL(T)", 2006); integer tableau rows; machine-word numbers with exact fallback; rows made on demand and
//! dropped when unused; bound and unate propagation; Chvátal-Gomory cuts, gcd test, equality solving over the
//! integers (Pugh, the Omega test), cube test (Bromberger and Weidenbach, "Fast Cube Tests for LIA Constraint
//! Solving", 2016).

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod atoms;
mod config;
mod cube;
mod delta;
mod diophantine;
mod disequality;
mod integer;
pub mod mbp;
mod model;
pub mod proof;
mod propagate;
mod simplex;
mod solver;
mod tableau;
mod types;

pub use atoms::Comparison;
pub use config::{Check, Config, Stats, Stop};
pub use delta::Delta;
pub use integer::{Cut, Final};
pub use model::Model;
pub use palisade_number::{Int, Rational};
pub use proof::{Conflict, CutProof, CutStep, Farkas, Source};
pub use solver::{Arith, Form};
pub use types::{ALit, AtomId, Bound, BoundKind, Reason, Var};
