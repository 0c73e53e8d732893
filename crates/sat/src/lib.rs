//! The SAT core of Palisade: CDCL made for the query stream of IC3 and for CDCL(T).
//!
//! IC3 asks very many very small questions about one large, slowly growing formula. So what counts here is
//! the cost of a *query*, and it must not depend on the size of the instance or on how many queries came
//! before:
//!
//! - **Scopes** ([`Solver::push`], [`Solver::pop`]) remove temporary clauses together with exactly what was
//!   learned from them. There are no activation literals, and what does not depend on the scope stays.
//! - **Domains** ([`Solver::set_domain`]) let a query decide only the variables it is about.
//! - **Models** are the trail itself, kept until the solver is next changed; **cores** are final conflicts
//!   over the assumptions.
//! - A **[`Theory`]** takes part through lazily explained propagations, conflicts, and clauses and variables
//!   made during the search.
//! - The **[proof]** log, if on, gives each learned clause as an ordered resolution chain, for checking and
//!   for interpolation.
//!
//! Runs are deterministic; limits count conflicts and propagations.
//!
//! # Where things are
//! [`Solver`] is the interface. Inside: `search` (the loop), `propagate` (watched literals), `analyze` (first
//! UIP, minimisation, final conflicts), `scope` (push and pop), `reduce` (forgetting, simplification,
//! garbage), `core` (assignment, variables, decisions), `domain` (what a query may decide, and in which
//! order), `arena`, `heap`, `restart`.
//!
//! # What is not here
//! No preprocessing that removes variables: the formula of IC3 grows all the time, and models and proofs must
//! be about the clauses as given.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod analyze;
mod arena;
mod core;
mod domain;
mod heap;
mod lit;
mod options;
pub mod proof;
mod propagate;
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
