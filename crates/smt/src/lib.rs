//! Satisfiability modulo theories: one trait, two implementations.
//!
//! - `native`: Palisade's own CDCL(T) solver, made for IC3's stream of many small queries.
//! - `pipe`: any SMT-LIB 2 solver process; the oracle of the differential tests.
//!
//! Entry point: [`Solver`].

pub mod interpolate;
pub mod native;
mod numbers;
pub mod pipe;
pub mod project;
pub mod script;
mod solver;

pub use native::NativeSolver;
pub use pipe::{PipeOptions, PipeSolver};
pub use solver::{Answer, Interpolation, Limits, Solver, Stats, UnknownReason};
