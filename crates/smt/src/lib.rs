//! Satisfiability modulo theories: one trait, two implementations, and a wrapper.
//!
//! - `native`: Palisade's own CDCL(T) solver, made for IC3's stream of many small queries.
//! - `pipe`: any SMT-LIB 2 solver process; the oracle of the differential tests.
//! - `record`: writes down what another solver is asked.
//!
//! `script` runs SMT-LIB 2 scripts on the native solver; `interpolate` and `project` build on solvers.
//!
//! Entry point: [`Solver`].

pub mod interpolate;
pub mod native;
mod numbers;
pub mod pipe;
pub mod project;
pub mod record;
pub mod script;
mod solver;

pub use native::NativeSolver;
pub use pipe::{PipeOptions, PipeSolver};
pub use solver::{Answer, Interpolation, Limits, Solver, Stats, UnknownReason};
