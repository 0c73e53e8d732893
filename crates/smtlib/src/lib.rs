//! SMT-LIB text: S-expressions, terms and values, in and out.
//!
//! Shared by everything that speaks SMT-LIB: Horn clauses, VMT, models, certificates, solver processes.
//!
//! - [`Tree`] and [`Sexpr`]: S-expressions with positions.
//! - [`Context`]: what names mean; [`Context::term`] reads a term into the pool.
//! - [`Writer`]: terms, sorts and values as text, of a size linear in the term graph.
//! - [`Names`]: an injective encoding of variables as symbols.
//! - [`Framer`]: finds the end of an expression in a stream.
//!
//! # Invariants
//! - Nothing here recurses over the depth of its input.
//! - Every [`Error`] has a position; a text that is not understood is refused, never guessed at.
//! - Reading what was written gives the same term back.
//! - `div`, `mod` and `/` by zero have the fixed values of [`palisade_term::eval`](mod@palisade_term::eval)
//!   when read, and are written so that every other solver gives them the same values.

mod context;
mod error;
mod floats;
mod frame;
pub mod names;
mod numbers;
mod ops;
mod position;
mod sexpr;
mod terms;
mod write;

pub use context::{Annotation, Context, Opaque, PredId, Predicate};
pub use error::{Error, ErrorKind};
pub use floats::{AnySort, Read, Reading};
pub use frame::Framer;
pub use names::Names;
pub use position::Pos;
pub use sexpr::{Items, Kind, Sexpr, Tree};
pub use write::Writer;
