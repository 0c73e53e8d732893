//! Certificates, and the checker that turns an engine's claim into a verdict.
//!
//! A claim of safety is one formula per location ([`palisade_program::Invariants`]), or formulas at
//! locations that cut every cycle ([`palisade_program::CutInvariants`]), cycles that no run goes around
//! for long excepted; a claim of a violation is a run ([`palisade_program::Run`]). [`Checker::proof`] and
//! [`Checker::counterexample`] check them **on the program as the front-end gave it** and return a
//! [`Proof`] or a [`Counterexample`]. Those types have no other constructor, so a value of them is a
//! checked result.
//!
//! # Invariants
//! - This crate depends on no engine and no transformation. What it trusts: the terms, the program model with
//!   its interpreter, and the solver it is given.
//! - An answer `unknown` of the solver never counts as success.
//! - A formula about all cells of an array is assumed for cells that are named, never as a whole: solvers
//!   meet no quantifiers.
//! - What is written to a certificate file can be read back and checked by others: proofs are SMT-LIB
//!   `define-fun`s, one per location that has a formula (for a Horn system the model in the form of
//!   CHC-COMP), runs are JSON with exact numbers.
//!
//! - A certificate says under which front-end options its program was made ([`read_options`]), so that the
//!   input and it suffice for a check.
//!
//! Entry points: [`Checker`], [`write_proof`], [`read_proof`], [`write_run`], [`read_run`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bits;
mod cases;
mod check;
mod instances;
mod measures;
mod one_point;
mod options;
mod parts;
mod proof_file;
mod refuter;
mod region;
mod rejection;
mod run_file;
mod unwind;
mod verdict;
mod witness_circuit;

pub use check::{Checker, MakeSolver};
pub use measures::{read_measures, write_measures};
pub use options::read_options;
pub use proof_file::{all_defined, read_proof, write_proof};
pub use rejection::{Query, Rejection};
pub use run_file::{read_run, write_run};
pub use verdict::{Counterexample, Proof};
pub use witness_circuit::{WitnessRejection, check_witness_circuit};

/// A certificate file with a note for people about where its program comes from. Readers ignore it.
pub fn annotate(text: &str, note: &str) -> String {
    match file_kind(text) {
        FileKind::Proof => {
            let comment: String = note.lines().map(|line| format!("; {line}\n")).collect();
            format!("{comment}{text}")
        }
        FileKind::Run => run_file::annotate(text, note),
    }
}

/// What a certificate file claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Invariants.
    Proof,
    /// A run.
    Run,
}

/// Tells the two kinds of certificate files apart by their first character.
pub fn file_kind(text: &str) -> FileKind {
    if text.trim_start().starts_with('{') { FileKind::Run } else { FileKind::Proof }
}

/// Why a certificate file cannot be read. Written for the person who gave the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError(pub String);

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FileError {}
