//! What people and other tools receive about a run.
//!
//! A [`Document`] says everything about the end of a run: the result, the evidence in words of the source,
//! and what it cost. It is what `--json` writes. All other formats are made from it and from nothing else, so
//! that they agree.
//!
//! | module | job |
//! |---|---|
//! | [`document`] | the document and its parts |
//! | [`schema`](mod@schema) | the JSON schema of the document |
//! | [`hash`], [`time`] | SHA-256 of input files; the time of day |
//! | [`rules`], [`sarif`] | what each property is about; results for code reviews and editors |
//! | [`html`] | the page for a browser |
//! | [`witness`] | witnesses in the format of SV-COMP |
//! | [`witness_reader`], [`instrument`] | witnesses of any tool, and how they are woven into their program |
//! | [`annotations`] | annotations of a C program, woven into it as checks |
//!
//! Nothing here reads options, prints, or knows engines.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod annotations;
pub mod document;
pub mod hash;
pub mod html;
pub mod instrument;
pub mod rules;
pub mod sarif;
mod scan;
pub mod schema;
pub mod time;
pub mod witness;
pub mod witness_reader;

pub use document::{
    Answer, Assumption, Automaton, AutomatonEdge, AutomatonLocation, CInvariant, ClaimResult, Document,
    Evidence, InputFile, Invariant, Lifted, Measure, PlaceKind, Position, Run, Step, StepKind, Valued,
    Verdict,
};
pub use scan::is_pure;
pub use schema::schema;
