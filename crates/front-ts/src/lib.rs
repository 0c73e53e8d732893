//! Symbolic inputs to [`Program`]s, and programs back to text.
//!
//! - [`horn`]: linear constrained Horn clauses (SMT-LIB `HORN`, and the `rule`/`query` form of z3).
//!   Predicates are locations, clauses are edges.
//! - [`vmt`]: VMT-LIB transition systems. One location with a loop.
//! - [`btor2`]: BTOR2, word-level circuits. One location with a loop.
//! - [`write`](mod@write): programs as Horn clauses, VMT, Graphviz, or text for people.
//!
//! # Invariants
//! - A text that is not understood is refused by a [`ReadError`] that says where, what and, if possible, what
//!   to do. No reader panics or guesses.
//! - What a reader returns satisfies [`Program::check`](palisade_program::Program::check).
//! - Readers are exact: the error location of the program is reachable if and only if the text's property is
//!   violated. Free choices of SMT-LIB (division by zero) are fixed as in
//!   [`palisade_term::eval`](mod@palisade_term::eval).

pub mod btor2;
mod clause;
mod error;
pub mod horn;
mod inline;
mod script;
pub mod vmt;
pub mod write;

pub use btor2::{Btor2, Btor2Map, Btor2State, read_btor2, read_btor2_witness, write_btor2_witness};
pub use error::ReadError;
pub use horn::{Definition, Dialect, Horn, HornMap, HornPredicate, read_horn};
pub use palisade_smtlib::ErrorKind;
pub use vmt::{Vmt, VmtMap, VmtProperty, read_vmt};

#[doc(no_inline)]
pub use palisade_program::Program;
