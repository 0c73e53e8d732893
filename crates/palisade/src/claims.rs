//! The claims of a program: each assertion and each checked operation, wherever it was inlined to.
//!
//! A claim is named `PROPERTY@FILE:LINE:COLUMN`. The program of some claims is the program in which no other
//! violation exists; edges keep their numbers, so a run of it is a run of the whole program. Edges for
//! undefined behaviour and for what is not supported always stay.
//!
//! Entry points: [`of`], [`restrict`].

use palisade_program::{Edge, Program, Property};
use palisade_term::TermPool;

/// A claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The property.
    pub property: String,
    /// Where its violation would be.
    pub place: String,
    /// The statement there.
    pub text: String,
}

impl Claim {
    /// Its name.
    pub fn key(&self) -> String {
        format!("{}@{}", self.property, self.place)
    }

    /// The claim that an edge into the error location violates.
    pub fn of_edge(program: &Program, edge: &Edge) -> Option<Claim> {
        let Some(Property::Violated(property)) = &edge.origin.property else { return None };
        let statement = edge.origin.statements.last();
        let place = statement.and_then(|s| s.position.as_ref()).map(ToString::to_string);
        Some(Claim {
            property: property.to_string(),
            place: place.unwrap_or_else(|| program.location(edge.source).name.clone()),
            text: statement.map_or(String::new(), |s| plain(&s.text).to_string()),
        })
    }
}

/// The condition that fails, where the statement says that it fails.
fn plain(text: &str) -> &str {
    text.strip_prefix("[!(").and_then(|t| t.strip_suffix(")]")).unwrap_or(text)
}

/// The claims of a program, in the order of its edges.
pub fn of(program: &Program) -> Vec<Claim> {
    let mut out: Vec<Claim> = Vec::new();
    for claim in program.edges.iter().filter_map(|e| Claim::of_edge(program, e)) {
        if out.iter().all(|c| c.key() != claim.key()) {
            out.push(claim);
        }
    }
    out
}

/// The program without violations of other claims than those to keep.
pub fn restrict(pool: &TermPool, program: &Program, keep: &dyn Fn(&Claim) -> bool) -> Program {
    let mut out = program.clone();
    for (edge, original) in out.edges.iter_mut().zip(&program.edges) {
        if Claim::of_edge(program, original).is_some_and(|c| !keep(&c)) {
            edge.guard = pool.fls();
        }
    }
    out
}
