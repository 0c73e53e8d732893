//! The SAT core of Palisade: CDCL made for the query stream of IC3 and for CDCL(T).
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod analyze;
mod arena;
mod core;
mod heap;
mod lit;
mod options;
pub mod proof;
mod reduce;
mod restart;
mod scope;
mod search;
mod solver;
pub mod theory;

pub use lit::{Lit, Var};
pub use options::{Limits, Options, RestartPolicy, Stats};
pub use proof::{Proof, Step, StepId, Tag};
pub use solver::{SolveResult, Solver, Stopped};
pub use theory::{Context, FinalCheck, Lifetime, NoTheory, Theory};
