//! Predicate abstraction inside IC3: what `ic3-ia` and `ic3-cegar` share.
//!
//! Both:
//! - [`domain`]: predicates as a vector and as a lattice; [`initial`]: the first of them;
//! - [`mining`]: equations through states.
//!
//! `ic3-ia`:
//! - [`states`]: predecessors as abstract states;
//! - [`refine`]: from a spurious path to the predicates that exclude it;
//! - [`executed`]: equations through states of executions, as first predicates.
//!
//! `ic3-cegar`:
//! - [`by_predicate`]: the flavour of IC3 whose cubes are abstract states;
//! - [`spurious`], [`beautiful`], [`preimage`]: predicates from spurious steps.

pub mod beautiful;
pub mod by_predicate;
pub mod domain;
pub mod executed;
pub mod initial;
pub mod mining;
pub mod preimage;
pub mod refine;
pub mod spurious;
pub mod states;
