//! Predicate abstraction inside IC3: what `ic3-ia` and `ic3-cegar` share.
//!
//! - [`predicates`]: the predicates of each location, and abstract states as cubes of them;
//! - [`refine`]: from a spurious path to the predicates that exclude it.

pub mod predicates;
pub mod refine;
