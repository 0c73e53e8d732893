//! Proofs of unsatisfiability, and a checker for them that shares no code with any solver.
//!
//! A [`Proof`] refutes a list of asserted formulas. Its clauses are over numbered variables, each of which
//! *means* a Boolean term of the pool; so every clause is a statement about the terms themselves. The only
//! thing that is merely equisatisfiable are new variables with a [`Definition`]: names for reads, equalities
//! and choices of arrays, which free the formulas of arrays, and indices at which arrays differ. A step is
//! accepted if its clause holds whenever the asserted formulas do:
//!
//! - [`Rule::Input`]: by the Boolean structure of an asserted formula ([`Canon`] says what its atoms become,
//!   `structure` what follows);
//! - [`Rule::Structure`]: by the Boolean structure of its own literals: all of a Tseitin encoding, all gates
//!   of bit-blasted circuits;
//! - [`Rule::Definition`]: by what an arithmetic operator means (`ite`, `div`, `to_int`, ...), which
//!   [`Canon::definition`] writes down;
//! - [`Rule::Array`]: by a fact about arrays: extensionality, choices, walks along writes and equalities;
//! - [`Rule::Product`]: by a fact about products: zeros, signs, tangents, secants, a factor that is fixed;
//! - [`Rule::Sums`]: by a weighted sum of inequalities (Farkas), or by several with rounding between them
//!   (cutting planes);
//! - [`Rule::Resolution`]: by resolving earlier clauses in order.
//!
//! The proof is accepted if every step is and the last clause is empty.
//!
//! What is trusted: this crate, the builders and accessors of `palisade_term`, and the big numbers.
//! Bit-vector operators are expanded to circuits here by textbook constructions (`circuit`), which the tests
//! compare with the evaluator of terms.
//!
//! Entry points: [`Proof`], [`check`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod array;
mod canon;
mod check;
pub mod circuit;
mod exact;
mod extension;
mod format;
mod inequality;
mod product;
mod structure;

pub use canon::Canon;
pub use check::{Rejected, check};
pub use exact::Exact;
pub use format::{
    ArrayFact, Definition, Hop, Lit, Meaning, ProductFact, ProductKind, Proof, Rule, Source, Step, StepId,
    Sum, Walk,
};
pub use inequality::Inequality;
