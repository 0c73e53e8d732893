//! Programs as text.
//!
//! - [`horn`]: SMT-LIB Horn clauses, one predicate per location.
//! - [`horn_model`]: invariants as a model of the Horn script they were found for.
//! - [`vmt`]: VMT-LIB, for programs with a single loop location.
//! - [`btor2`]: BTOR2, for such programs over Booleans, bit-vectors and arrays of them.
//! - Graphviz: [`dot()`].
//! - [`cfa`]: text for people.

mod btor2;
mod cfa;
mod dot;
mod horn;
mod model;
mod vmt;

pub use btor2::{NotBtor2, btor2};
pub use cfa::cfa;
pub use dot::dot;
pub use horn::{HornText, horn, horn_text};
pub use model::horn_model;
pub use vmt::{NotSingleLoop, vmt};

use std::fmt::{self, Write as _};

use palisade_program::Edge;
use palisade_term::{Term, TermPool};

/// The term in infix notation if that is at most `limit` characters long. Shared subterms are written out in
/// infix notation, so the full text can be exponential.
fn short_infix(pool: &TermPool, t: Term, limit: usize) -> Option<String> {
    struct Limited {
        text: String,
        limit: usize,
    }
    impl fmt::Write for Limited {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            if self.text.len() + s.len() > self.limit {
                return Err(fmt::Error);
            }
            self.text.push_str(s);
            Ok(())
        }
    }
    let mut out = Limited { text: String::new(), limit };
    write!(out, "{}", pool.infix(t)).ok()?;
    Some(out.text)
}

/// The statements an edge stands for, on one line.
fn origin_text(edge: &Edge) -> String {
    let parts: Vec<&str> = edge.origin.statements.iter().map(|s| &*s.text).collect();
    parts.join("; ").replace(['\n', '\r'], " ")
}
