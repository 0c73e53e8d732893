//! Satisfiability modulo theories: one trait, two implementations, and a wrapper.
//!
//! - `native`: Palisade's own CDCL(T) solver, made for IC3's stream of many small queries.
//! - `pipe`: any SMT-LIB 2 solver process; the oracle of the differential tests.
//! - `record`: writes down what another solver is asked.
//!
//! `interpolate` is a trait of its own, for the interpolants of a sequence of formulas, with the native
//! implementation; `project` eliminates variables; `script` runs SMT-LIB 2 scripts on the native solver.
//!
//! Entry points: [`Solver`], [`Interpolator`].

pub mod interpolate;
pub mod native;
pub mod pipe;
pub mod project;
pub mod record;
pub mod script;
mod solver;

pub use interpolate::{Interpolation, Interpolator, NativeInterpolator};
pub use native::NativeSolver;
pub use pipe::{PipeInterpolator, PipeOptions, PipeSolver};
pub use solver::{Answer, Limits, Solver, Stats, UnknownReason};
