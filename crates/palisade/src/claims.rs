//! The claims of a program: each assertion and each checked operation, wherever it was inlined to.
//!
//! A claim is named `PROPERTY@FILE:LINE:COLUMN`, and the second one that a macro makes there ends in `#2`.
//! The program of some claims is the program in which no other violation exists; edges keep their numbers, so
//! a run of it is a run of the whole program. Edges for undefined behaviour and for what is not supported
//! always stay.
//!
//! Entry points: [`of`], [`without_edge`], [`restrict`].

use palisade_front_c::story::{Story, Violation};
use palisade_program::{EdgeId, Program, Property};
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
    pub fn of_edge(program: &Program, story: Option<&Story>, e: EdgeId) -> Option<Claim> {
        let edge = program.edge(e);
        let Some(Property::Violated(property)) = &edge.origin.property else { return None };
        let last = edge.origin.statements.last();
        let stated = last.and_then(|s| Some((s.position.clone()?, plain(&s.text).to_string())));
        // What is checked in a condition is violated before the condition has a value: the last statement is
        // the one before it.
        match (story.and_then(|s| s.violation(e)), stated) {
            (Some(told), Some((position, text))) if told.position == position && !told.is_assert => {
                Some(Claim::at(property, &Violation { text, ..told }))
            }
            (Some(told), _) => Some(Claim::at(property, &told)),
            (None, Some((position, text))) => {
                Some(Claim { property: property.to_string(), place: position.to_string(), text })
            }
            (None, None) => {
                let place = program.location(edge.source).name.clone();
                Some(Claim { property: property.to_string(), place, text: String::new() })
            }
        }
    }

    fn at(property: &str, v: &Violation) -> Claim {
        let place = match v.before {
            0 => v.position.to_string(),
            n => format!("{}#{}", v.position, n + 1),
        };
        Claim { property: property.to_string(), place, text: v.text.clone() }
    }
}

/// The condition that fails, where the statement says that it fails.
fn plain(text: &str) -> &str {
    text.strip_prefix("[!(").and_then(|t| t.strip_suffix(")]")).unwrap_or(text)
}

/// The claims of a program, in the order of its edges.
pub fn of(program: &Program, story: Option<&Story>) -> Vec<Claim> {
    let mut out: Vec<Claim> = Vec::new();
    for claim in program.edge_ids().filter_map(|e| Claim::of_edge(program, story, e)) {
        if out.iter().all(|c| c.key() != claim.key()) {
            out.push(claim);
        }
    }
    out
}

/// The assertions that no edge violates: their conditions are constants, or nothing leads to them.
pub fn without_edge(story: Option<&Story>, claims: &[Claim]) -> Vec<Claim> {
    let mut out: Vec<Claim> = Vec::new();
    for (property, violation) in story.into_iter().flat_map(Story::assertions) {
        let claim = Claim::at(&property, &violation);
        if claims.iter().chain(&out).all(|c| c.key() != claim.key()) {
            out.push(claim);
        }
    }
    out
}

/// The program without violations of other claims than those to keep.
pub fn restrict(
    pool: &TermPool,
    program: &Program,
    story: Option<&Story>,
    keep: &dyn Fn(&Claim) -> bool,
) -> Program {
    let mut out = program.clone();
    for e in program.edge_ids() {
        if Claim::of_edge(program, story, e).is_some_and(|c| !keep(&c)) {
            out.edges[e.index()].guard = pool.fls();
        }
    }
    out
}
